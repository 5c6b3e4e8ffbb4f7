//! Each requirement that can be read off a descriptor, broken by one change to a valid descriptor.

use opcert_backend::DataType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use opcert_backend::{AttributeValue, DataType, Descriptor, NamedAttribute, Scalar};

use super::{
    argmax, clip, cumulative_summation, depth_space, descriptor, diagonal_matrix1, fill, gather, gather_elements,
    gather_nd1, nonzero, one_hot, onnx_non_zero, onnx_one_hot, openvino, openvino_non_zero, packed, padding, padding1,
    reduce, refusal, reverse_subsequences, scatter_elements, scatter_nd, slice1, tile, top_k1, tosa_argmax, validate,
};

type Valid = fn() -> Descriptor;
type Change = fn(&mut Descriptor);

/// The requirement, a valid descriptor, the change, and a value that the reason must name.
type Refusal = (&'static str, Valid, Change, &'static str);

fn valid_one_hot() -> Descriptor {
    one_hot("4_1", packed(U32, &[2, 1, 3]), packed(F32, &[1, 1, 2]), packed(F32, &[2, 4, 3]), 1)
}

/// Two dimensions of indices on an input with a 1 in front.
fn valid_gather() -> Descriptor {
    gather("4_1", packed(F32, &[1, 3, 4]), packed(I32, &[1, 2, 5]), packed(F32, &[2, 5, 4]), (1, 2))
}

/// Two batches, in each of which three tuples of two coordinates pick rows of five.
fn valid_gather_nd1() -> Descriptor {
    let tensors = [packed(F64, &[2, 3, 4, 5]), packed(I64, &[1, 2, 3, 2]), packed(F64, &[1, 2, 3, 5])];
    gather_nd1("4_1", tensors, [4, 3, 1])
}

fn valid_gather_elements() -> Descriptor {
    gather_elements("4_1", packed(F32, &[2, 3, 4]), packed(I32, &[2, 5, 4]), packed(F32, &[2, 5, 4]), 1)
}

fn valid_scatter_elements() -> Descriptor {
    scatter_elements("4_1", [F32, I32, F32], [&[2, 3, 4], &[2, 5, 4]], 1)
}

/// Three tuples of two coordinates, behind an ignored dimension, are for rows of five.
fn valid_scatter_nd() -> Descriptor {
    let tensors = [packed(F64, &[1, 3, 4, 5]), packed(I64, &[1, 1, 3, 2]), packed(F64, &[1, 1, 3, 5])];
    scatter_nd("4_1", tensors, [3, 2])
}

/// What there is at the first level.
fn valid_clip() -> Descriptor {
    clip("5_0", I16, [2, 7].map(|bound| Scalar::new(I16, bound)))
}

fn clip_of_floats(level: &str, data_type: DataType, sizes: &[u64]) -> Descriptor {
    let tensors = [("InputTensor", packed(data_type, sizes)), ("OutputTensor", packed(data_type, sizes))];
    let attributes = [("Min", 1.0), ("Max", 2.5)].map(|(name, bound)| (name, AttributeValue::Float32(bound.into())));
    descriptor(("directml/element_wise_clip", level), tensors, attributes)
}

fn valid_clip_of_floats() -> Descriptor {
    clip_of_floats("3_0", I16, &[2, 3])
}

/// What there is at the first level.
fn lowest_padding() -> Descriptor {
    padding("1_0", F16, [&[1, 1, 2, 3], &[1, 1, 5, 6]], "DML_PADDING_MODE_EDGE", [&[0, 0, 1, 3], &[0, 0, 2, 0]])
}

fn valid_padding_of_floats() -> Descriptor {
    padding("3_1", I16, [&[2, 3], &[5, 6]], "DML_PADDING_MODE_SYMMETRIC", [&[1, 3], &[2, 0]])
}

fn valid_cumulative() -> Descriptor {
    cumulative_summation("4_1", U32, &[2, 3], 1)
}

fn lowest_cumulative() -> Descriptor {
    cumulative_summation("2_1", F16, &[1, 1, 2, 3], 3)
}

fn valid_padding() -> Descriptor {
    padding1(I16, [&[2, 3], &[5, 6]], "DML_PADDING_MODE_EDGE", [&[1, 3], &[2, 0]])
}

fn valid_diagonal() -> Descriptor {
    diagonal_matrix1(I16, &[2, 3])
}

/// Without an input.
fn generated_diagonal() -> Descriptor {
    let mut descriptor = valid_diagonal();
    descriptor.tensors.remove(0);
    descriptor
}

fn set_padding(descriptor: &mut Descriptor, start: &[i64], end: &[i64]) {
    set_integer(descriptor, "DimensionCount", i64::try_from(start.len()).unwrap());
    set(descriptor, "StartPadding", AttributeValue::Integers(start.to_vec()));
    set(descriptor, "EndPadding", AttributeValue::Integers(end.to_vec()));
}

fn valid_slice() -> Descriptor {
    slice1("3_0", [&[6, 5], &[2, 2]], [&[1, 2], &[5, 3], &[-3, 2]])
}

fn lowest_slice() -> Descriptor {
    slice1("2_1", [&[1, 1, 2, 3], &[1, 1, 2, 3]], [&[0; 4], &[1, 1, 2, 3], &[1; 4]])
}

fn set_list(descriptor: &mut Descriptor, name: &str, list: &[i64]) {
    set(descriptor, name, AttributeValue::Integers(list.to_vec()));
}

fn set_offsets(descriptor: &mut Descriptor, offsets: &[i64]) {
    set_integer(descriptor, "DimensionCount", i64::try_from(offsets.len()).unwrap());
    set_list(descriptor, "InputWindowOffsets", offsets);
}

fn valid_fill() -> Descriptor {
    fill("4_1", packed(F64, &[3, 2]), Scalar::new(F64, 0))
}

fn lowest_fill() -> Descriptor {
    fill("2_1", packed(U32, &[1, 1, 2, 3]), Scalar::new(U32, 5))
}

fn lowest_top_k1() -> Descriptor {
    top_k1("2_1", [packed(I32, &[1, 1, 4, 2]), packed(I32, &[1, 1, 2, 2]), packed(U32, &[1, 1, 2, 2])], 2, 2)
}

/// What there is at the first level.
fn lowest_scatter_nd() -> Descriptor {
    let tensors = [packed(F16, &[1, 3, 4, 5]), packed(U32, &[1, 1, 3, 2]), packed(F16, &[1, 1, 3, 5])];
    scatter_nd("2_1", tensors, [3, 2])
}

/// Two of four elements along the middle dimension.
fn valid_top_k1() -> Descriptor {
    top_k1("5_0", [packed(I64, &[3, 4, 2]), packed(I64, &[3, 2, 2]), packed(U64, &[3, 2, 2])], 1, 2)
}

fn valid_reverse() -> Descriptor {
    reverse_subsequences("5_0", [F64, U64], [&[2, 3, 4], &[2, 1, 4]], 1)
}

fn valid_tile() -> Descriptor {
    tile("4_1", packed(I64, &[2, 3]), packed(I64, &[4, 9]), &[2, 3])
}

fn valid_depth_to_space() -> Descriptor {
    depth_space(("directml/depth_to_space1", "5_0"), packed(I64, &[1, 8, 2, 3]), packed(I64, &[1, 2, 4, 6]))
}

fn valid_space_to_depth() -> Descriptor {
    depth_space(("directml/space_to_depth1", "5_0"), packed(I64, &[1, 2, 4, 6]), packed(I64, &[1, 8, 2, 3]))
}

fn valid_nonzero() -> Descriptor {
    nonzero("4_0", packed(F32, &[1, 2, 3]), packed(U32, &[1, 1]), packed(U32, &[1, 6, 2]))
}

fn valid_argmax() -> Descriptor {
    argmax("4_1", packed(F32, &[2, 3]), packed(U32, &[1, 3]), &[0], "DML_AXIS_DIRECTION_INCREASING")
}

fn valid_reduce_argmin() -> Descriptor {
    reduce("ARGMIN", "2_1", packed(I8, &[1, 2, 2, 3]), packed(U32, &[1, 2, 2, 1]), &[3])
}

fn valid_reduce_max() -> Descriptor {
    reduce("MAX", "2_1", packed(I32, &[1, 2, 2, 3]), packed(I32, &[1, 2, 2, 1]), &[3])
}

fn valid_reduce_min() -> Descriptor {
    reduce("MIN", "5_0", packed(I64, &[2, 3]), packed(I64, &[2, 1]), &[1])
}

/// Another type for both tensors.
fn set_types(descriptor: &mut Descriptor, data_type: DataType) {
    descriptor.tensors.iter_mut().for_each(|entry| entry.tensor.data_type = data_type);
}

fn valid_openvino() -> Descriptor {
    openvino(packed(I64, &[2, 3]), 4, I8, packed(I8, &[2, 4, 3]), 1)
}

fn valid_openvino_16() -> Descriptor {
    let mut descriptor = Descriptor { operator: "openvino/one_hot_16".to_owned(), ..valid_openvino() };
    let value = AttributeValue::String("normalize".to_owned());
    descriptor.attributes.push(NamedAttribute { name: "negative_indices_mode".to_owned(), value });
    descriptor
}

fn valid_onnx_one_hot() -> Descriptor {
    onnx_one_hot("11", I64, F32, 3)
}

fn valid_onnx_non_zero() -> Descriptor {
    onnx_non_zero("12", packed(F16, &[2, 3]), packed(I64, &[2, 4]))
}

fn valid_openvino_non_zero() -> Descriptor {
    openvino_non_zero(packed(BF16, &[2, 3]), packed(I32, &[2, 4]), "i32")
}

fn valid_tosa_argmax() -> Descriptor {
    tosa_argmax(packed(I16, &[2, 3]), packed(I32, &[2]), 1)
}

fn set(descriptor: &mut Descriptor, name: &str, value: AttributeValue) {
    descriptor.attributes.iter_mut().find(|attribute| attribute.name == name).unwrap().value = value;
}

fn set_scalar(descriptor: &mut Descriptor, name: &str, data_type: DataType) {
    set(descriptor, name, AttributeValue::Scalar(Scalar::new(data_type, 1)));
}

fn set_integer(descriptor: &mut Descriptor, name: &str, value: i64) {
    set(descriptor, name, AttributeValue::Integer(value));
}

fn set_repeats(descriptor: &mut Descriptor, repeats: &[i64]) {
    set_integer(descriptor, "RepeatsCount", i64::try_from(repeats.len()).unwrap());
    set(descriptor, "Repeats", AttributeValue::Integers(repeats.to_vec()));
}

fn set_mode(descriptor: &mut Descriptor, mode: &str) {
    set(descriptor, "negative_indices_mode", AttributeValue::String(mode.to_owned()));
}

fn set_output_type(descriptor: &mut Descriptor, name: &str) {
    set(descriptor, "output_type", AttributeValue::String(name.to_owned()));
}

const TENSOR: &[Refusal] = &[
    ("directml/tensor/dimension-count", valid_argmax, |d| d.tensors[0].tensor.sizes = vec![1; 9], "9"),
    ("directml/tensor/dimension-count", valid_argmax, |d| d.tensors[0].tensor.sizes = vec![], "0"),
    ("directml/tensor/sizes-positive", valid_one_hot, |d| d.tensors[2].tensor.sizes[1] = 0, "OutputTensor.sizes[1]"),
    ("directml/tensor/sizes-positive", valid_nonzero, |d| d.tensors[2].tensor.sizes[2] = 0, "sizes[2]"),
    ("directml/tensor/element-limit", valid_argmax, |d| d.tensors[0].tensor.sizes = vec![65536, 65537], "4295032832"),
    ("directml/tensor/element-limit", valid_argmax, |d| d.tensors[0].tensor.sizes = vec![1 << 40, 1 << 40], "2^64"),
    ("directml/tensor/total-size", valid_argmax, |d| d.tensors[0].tensor.total_bytes = Some(23), "24"),
    ("directml/tensor/total-size", valid_argmax, |d| d.tensors[0].tensor.strides = Some(vec![u64::MAX, 2]), "64 bits"),
    ("directml/tensor/alignment", valid_argmax, |d| d.tensors[0].tensor.alignment = 2, "2"),
    ("directml/tensor/alignment", valid_argmax, |d| d.tensors[0].tensor.alignment = 12, "12"),
    (
        "directml/tensor/owned-by-dml",
        valid_argmax,
        |d| d.tensors[1].tensor.flags = vec!["OWNED_BY_DML".to_owned()],
        "OutputTensor",
    ),
    ("directml/tensor/output-overlap", valid_argmax, |d| d.tensors[1].tensor.strides = Some(vec![1, 0]), "[1, 0]"),
    ("directml/tensor/output-overlap", valid_one_hot, |d| d.tensors[2].tensor.strides = Some(vec![11, 3, 1]), "11"),
];

const GATHER: &[Refusal] = &[
    ("directml/gather/tensor-support", valid_gather, |d| d.level = "2_1".to_owned(), "3 dimensions"),
    ("directml/gather/tensor-support", valid_gather, |d| d.tensors[1].tensor.data_type = U8, "u8"),
    (
        "directml/gather/tensor-support",
        || gather("4_1", packed(F64, &[1]), packed(U32, &[1]), packed(F64, &[1]), (0, 1)),
        |d| d.level = "4_0".to_owned(),
        "f64",
    ),
    (
        "directml/gather/tensor-support",
        || gather("2_1", packed(U8, &[1; 4]), packed(U32, &[1; 4]), packed(U8, &[1; 4]), (0, 1)),
        |d| d.level = "2_0".to_owned(),
        "u8",
    ),
    (
        "directml/gather/tensor-support",
        || gather("2_1", packed(U8, &[1; 4]), packed(U32, &[1; 4]), packed(U8, &[1; 4]), (0, 1)),
        |d| d.tensors[1].tensor.data_type = I32,
        "i32",
    ),
    ("directml/gather/same-dimension-count", valid_gather, |d| d.tensors[1].tensor.sizes = vec![2, 5], "IndicesTensor"),
    ("directml/gather/same-dimension-count", valid_gather, |d| d.tensors[2].tensor.sizes = vec![2, 5], "OutputTensor"),
    ("directml/gather/same-type", valid_gather, |d| d.tensors[2].tensor.data_type = U32, "u32"),
    ("directml/gather/axis-in-range", valid_gather, |d| set_integer(d, "Axis", 3), "3"),
    ("directml/gather/axis-in-range", valid_gather, |d| set_integer(d, "Axis", -1), "-1"),
    ("directml/gather/index-dimensions", valid_gather, |d| set_integer(d, "IndexDimensions", 4), "4"),
    ("directml/gather/index-dimensions", valid_gather, |d| set_integer(d, "IndexDimensions", -1), "-1"),
    ("directml/gather/output-sizes", valid_gather, |d| d.tensors[2].tensor.sizes[1] = 3, "OutputTensor.sizes[1]` is 3"),
    ("directml/gather/output-sizes", valid_gather, |d| d.tensors[0].tensor.sizes[0] = 2, "expected ones"),
    // What is crowded out stands before the axis.
    ("directml/gather/output-sizes", valid_gather, |d| set_integer(d, "Axis", 0), "expected ones"),
    ("directml/gather/output-sizes", valid_gather, |d| set_integer(d, "IndexDimensions", 3), "expected ones"),
    (
        "directml/gather/output-sizes",
        valid_gather,
        |d| set_integer(d, "IndexDimensions", 0),
        "OutputTensor.sizes[0]` is 2",
    ),
];

const GATHER_ND1: &[Refusal] = &[
    ("directml/gather_nd1/introduced", valid_gather_nd1, |d| d.level = "2_1".to_owned(), "2_1"),
    ("directml/gather_nd1/tensor-support", valid_gather_nd1, |d| d.level = "4_0".to_owned(), "f64"),
    ("directml/gather_nd1/tensor-support", valid_gather_nd1, |d| d.tensors[1].tensor.data_type = I16, "i16"),
    (
        "directml/gather_nd1/same-dimension-count",
        valid_gather_nd1,
        |d| d.tensors[1].tensor.sizes = vec![2, 3, 2],
        "IndicesTensor",
    ),
    (
        "directml/gather_nd1/same-dimension-count",
        valid_gather_nd1,
        |d| d.tensors[2].tensor.sizes = vec![2, 3, 5],
        "OutputTensor",
    ),
    ("directml/gather_nd1/same-type", valid_gather_nd1, |d| d.tensors[2].tensor.data_type = I64, "i64"),
    ("directml/gather_nd1/input-dimensions", valid_gather_nd1, |d| set_integer(d, "InputDimensionCount", 0), "is 0"),
    ("directml/gather_nd1/input-dimensions", valid_gather_nd1, |d| set_integer(d, "InputDimensionCount", 5), "1 to 4"),
    (
        "directml/gather_nd1/indices-dimensions",
        valid_gather_nd1,
        |d| set_integer(d, "IndicesDimensionCount", 0),
        "is 0",
    ),
    (
        "directml/gather_nd1/indices-dimensions",
        valid_gather_nd1,
        |d| set_integer(d, "IndicesDimensionCount", 5),
        "1 to 4",
    ),
    ("directml/gather_nd1/batch-dimensions", valid_gather_nd1, |d| set_integer(d, "BatchDimensionCount", 4), "0 to 3"),
    ("directml/gather_nd1/batch-dimensions", valid_gather_nd1, |d| set_integer(d, "BatchDimensionCount", -1), "is -1"),
    ("directml/gather_nd1/tuple-size", valid_gather_nd1, |d| set_integer(d, "BatchDimensionCount", 3), "2 coordinates"),
    (
        "directml/gather_nd1/tuple-size",
        valid_gather_nd1,
        |d| set_integer(d, "InputDimensionCount", 2),
        "leave 1 dimensions",
    ),
    ("directml/gather_nd1/tuple-size", valid_gather_nd1, |d| d.tensors[1].tensor.sizes[3] = 4, "4 coordinates"),
    (
        "directml/gather_nd1/tuple-size",
        valid_gather_nd1,
        |d| set_integer(d, "IndicesDimensionCount", 1),
        "and 0 of `IndicesTensor`",
    ),
    ("directml/gather_nd1/batch-sizes", valid_gather_nd1, |d| d.tensors[0].tensor.sizes[0] = 3, "[3]"),
    ("directml/gather_nd1/output-sizes", valid_gather_nd1, |d| d.tensors[2].tensor.sizes[3] = 4, "sizes[3]` is 4"),
    ("directml/gather_nd1/output-sizes", valid_gather_nd1, |d| d.tensors[2].tensor.sizes = vec![2, 3, 5, 1], "is 2"),
    (
        "directml/gather_nd1/output-sizes",
        || {
            let tensors = [packed(F32, &[2, 3, 4]), packed(U32, &[1, 2, 1]), packed(F32, &[2, 3, 4])];
            gather_nd1("3_0", tensors, [3, 2, 0])
        },
        |d| set_integer(d, "IndicesDimensionCount", 3),
        "4 sizes",
    ),
];

const GATHER_ELEMENTS: &[Refusal] = &[
    ("directml/gather_elements/introduced", valid_gather_elements, |d| d.level = "2_0".to_owned(), "2_0"),
    ("directml/gather_elements/tensor-support", valid_gather_elements, |d| d.level = "2_1".to_owned(), "3 dimensions"),
    ("directml/gather_elements/tensor-support", valid_gather_elements, |d| d.tensors[1].tensor.data_type = U8, "u8"),
    (
        "directml/gather_elements/tensor-support",
        || gather_elements("4_1", packed(F64, &[1]), packed(U32, &[1]), packed(F64, &[1]), 0),
        |d| d.level = "4_0".to_owned(),
        "f64",
    ),
    (
        "directml/gather_elements/tensor-support",
        || gather_elements("2_1", packed(U8, &[1; 4]), packed(U32, &[1; 4]), packed(U8, &[1; 4]), 0),
        |d| d.tensors[1].tensor.data_type = I32,
        "i32",
    ),
    (
        "directml/gather_elements/same-dimension-count",
        valid_gather_elements,
        |d| d.tensors[1].tensor.sizes = vec![2, 5],
        "IndicesTensor",
    ),
    (
        "directml/gather_elements/same-dimension-count",
        valid_gather_elements,
        |d| d.tensors[2].tensor.sizes = vec![2, 5],
        "OutputTensor",
    ),
    ("directml/gather_elements/same-type", valid_gather_elements, |d| d.tensors[2].tensor.data_type = U32, "u32"),
    ("directml/gather_elements/axis-in-range", valid_gather_elements, |d| set_integer(d, "Axis", 3), "3"),
    ("directml/gather_elements/axis-in-range", valid_gather_elements, |d| set_integer(d, "Axis", -1), "-1"),
    (
        "directml/gather_elements/indices-sizes",
        valid_gather_elements,
        |d| d.tensors[1].tensor.sizes[2] = 3,
        "IndicesTensor.sizes[2]` is 3",
    ),
    (
        "directml/gather_elements/output-sizes",
        valid_gather_elements,
        |d| d.tensors[2].tensor.sizes[1] = 3,
        "OutputTensor.sizes[1]` is 3",
    ),
];

const SCATTER_ELEMENTS: &[Refusal] = &[
    (
        "directml/scatter_elements/tensor-support",
        valid_scatter_elements,
        |d| d.level = "2_1".to_owned(),
        "3 dimensions",
    ),
    ("directml/scatter_elements/tensor-support", valid_scatter_elements, |d| d.tensors[1].tensor.data_type = U8, "u8"),
    (
        "directml/scatter_elements/tensor-support",
        || scatter_elements("1_0", [F16, U32, F16], [&[1; 4], &[1; 4]], 0),
        |d| {
            d.tensors
                .iter_mut()
                .filter(|each| each.tensor.data_type == F16)
                .for_each(|each| each.tensor.data_type = U8);
        },
        "u8",
    ),
    (
        "directml/scatter_elements/same-dimension-count",
        valid_scatter_elements,
        |d| d.tensors[2].tensor.sizes = vec![2, 5],
        "UpdatesTensor",
    ),
    ("directml/scatter_elements/same-type", valid_scatter_elements, |d| d.tensors[2].tensor.data_type = U32, "u32"),
    ("directml/scatter_elements/same-type", valid_scatter_elements, |d| d.tensors[3].tensor.data_type = U32, "u32"),
    ("directml/scatter_elements/axis-in-range", valid_scatter_elements, |d| set_integer(d, "Axis", 3), "3"),
    ("directml/scatter_elements/axis-in-range", valid_scatter_elements, |d| set_integer(d, "Axis", -1), "-1"),
    (
        "directml/scatter_elements/indices-sizes",
        valid_scatter_elements,
        |d| d.tensors[1].tensor.sizes[2] = 3,
        "IndicesTensor.sizes[2]` is 3",
    ),
    (
        "directml/scatter_elements/updates-sizes",
        valid_scatter_elements,
        |d| d.tensors[2].tensor.sizes[1] = 3,
        "UpdatesTensor.sizes[1]` is 3",
    ),
    (
        "directml/scatter_elements/output-sizes",
        valid_scatter_elements,
        |d| d.tensors[3].tensor.sizes[1] = 5,
        "OutputTensor.sizes[1]` is 5",
    ),
    ("directml/scatter_nd/introduced", lowest_scatter_nd, |d| d.level = "2_0".to_owned(), "2_0"),
    ("directml/scatter_nd/tensor-support", valid_scatter_nd, |d| d.level = "4_0".to_owned(), "f64"),
    ("directml/scatter_nd/tensor-support", valid_scatter_nd, |d| d.tensors[1].tensor.data_type = I16, "i16"),
    ("directml/scatter_nd/tensor-support", lowest_scatter_nd, |d| d.tensors[1].tensor.data_type = I32, "i32"),
    (
        "directml/scatter_nd/same-dimension-count",
        valid_scatter_nd,
        |d| d.tensors[2].tensor.sizes = vec![1, 3, 5],
        "UpdatesTensor",
    ),
    ("directml/scatter_nd/same-type", valid_scatter_nd, |d| d.tensors[2].tensor.data_type = I64, "i64"),
    ("directml/scatter_nd/same-type", valid_scatter_nd, |d| d.tensors[3].tensor.data_type = I64, "i64"),
    ("directml/scatter_nd/input-dimensions", valid_scatter_nd, |d| set_integer(d, "InputDimensionCount", 0), "is 0"),
    ("directml/scatter_nd/input-dimensions", valid_scatter_nd, |d| set_integer(d, "InputDimensionCount", 5), "1 to 4"),
    (
        "directml/scatter_nd/indices-dimensions",
        valid_scatter_nd,
        |d| set_integer(d, "IndicesDimensionCount", -1),
        "is -1",
    ),
    ("directml/scatter_nd/tuple-size", valid_scatter_nd, |d| set_integer(d, "InputDimensionCount", 1), "2 coordinates"),
    ("directml/scatter_nd/updates-sizes", valid_scatter_nd, |d| d.tensors[2].tensor.sizes[3] = 4, "sizes[3]` is 4"),
    (
        "directml/scatter_nd/updates-sizes",
        || {
            let tensors = [packed(F32, &[3, 4, 5]), packed(I64, &[1, 3, 1]), packed(F32, &[3, 4, 5])];
            scatter_nd("3_0", tensors, [3, 2])
        },
        |d| set_integer(d, "IndicesDimensionCount", 3),
        "4 sizes",
    ),
    ("directml/top_k1/introduced", lowest_top_k1, |d| d.level = "2_0".to_owned(), "2_0"),
    ("directml/top_k1/tensor-support", lowest_top_k1, |d| d.tensors[2].tensor.data_type = U64, "u64"),
    ("directml/top_k1/tensor-support", valid_top_k1, |d| d.level = "4_1".to_owned(), "i64"),
    ("directml/top_k1/tensor-support", valid_top_k1, |d| d.tensors[2].tensor.data_type = I64, "i64"),
    (
        "directml/top_k1/tensor-support",
        valid_top_k1,
        |d| d.tensors[..2].iter_mut().for_each(|entry| entry.tensor.data_type = F64),
        "f64",
    ),
    (
        "directml/top_k1/same-dimension-count",
        valid_top_k1,
        |d| d.tensors[2].tensor.sizes = vec![1, 3, 2, 2],
        "OutputIndexTensor",
    ),
    ("directml/top_k1/same-type", valid_top_k1, |d| d.tensors[1].tensor.data_type = U64, "u64"),
    ("directml/top_k1/axis-in-range", valid_top_k1, |d| set_integer(d, "Axis", 3), "3"),
    ("directml/top_k1/axis-in-range", valid_top_k1, |d| set_integer(d, "Axis", -1), "-1"),
    ("directml/top_k1/k-positive", valid_top_k1, |d| set_integer(d, "K", 0), "is 0"),
    ("directml/top_k1/k-in-range", valid_top_k1, |d| set_integer(d, "K", 5), "4 at most"),
    ("directml/top_k1/value-sizes", valid_top_k1, |d| d.tensors[1].tensor.sizes[1] = 3, "OutputValueTensor"),
    ("directml/top_k1/index-sizes", valid_top_k1, |d| d.tensors[2].tensor.sizes[1] = 1, "OutputIndexTensor"),
    ("directml/scatter_nd/output-sizes", valid_scatter_nd, |d| d.tensors[3].tensor.sizes[1] = 4, "4"),
];

const ELEMENTWISE: &[Refusal] = &[
    ("directml/element_wise_clip1/introduced", valid_clip, |d| d.level = "4_1".to_owned(), "4_1"),
    ("directml/element_wise_clip1/tensor-support", valid_clip, |d| d.tensors[0].tensor.data_type = F64, "f64"),
    ("directml/element_wise_clip1/same-type", valid_clip, |d| d.tensors[0].tensor.data_type = U16, "InputTensor"),
    ("directml/element_wise_clip1/same-sizes", valid_clip, |d| d.tensors[1].tensor.sizes = vec![3, 2], "[3, 2]"),
    ("directml/element_wise_clip1/same-dimension-count", valid_clip, |d| d.tensors[1].tensor.sizes = vec![6], "1"),
    (
        "directml/element_wise_clip1/bounds-type",
        valid_clip,
        |d| set_scalar(d, "Min", U16),
        "`Min` is u16, expected i16",
    ),
    (
        "directml/element_wise_clip1/bounds-type",
        valid_clip,
        |d| set_scalar(d, "Max", I64),
        "`Max` is i64, expected i16",
    ),
    ("directml/element_wise_clip/tensor-support", valid_clip_of_floats, |d| d.level = "2_1".to_owned(), "2 dimensions"),
    ("directml/element_wise_clip/tensor-support", valid_clip_of_floats, |d| set_types(d, U64), "u64"),
    (
        "directml/element_wise_clip/tensor-support",
        || clip_of_floats("5_0", I64, &[2]),
        |d| d.level = "4_1".to_owned(),
        "i64",
    ),
    (
        "directml/element_wise_clip/tensor-support",
        || clip_of_floats("2_1", U8, &[1, 1, 1, 2]),
        |d| d.level = "2_0".to_owned(),
        "u8",
    ),
    ("directml/element_wise_clip/same-type", valid_clip_of_floats, |d| d.tensors[1].tensor.data_type = U16, "u16"),
    ("directml/element_wise_clip/same-sizes", valid_clip_of_floats, |d| d.tensors[1].tensor.sizes = vec![3, 2], "3, 2"),
    (
        "directml/element_wise_clip/same-dimension-count",
        valid_clip_of_floats,
        |d| d.tensors[1].tensor.sizes = vec![6],
        "1",
    ),
    ("directml/fill_value_constant/introduced", lowest_fill, |d| d.level = "2_0".to_owned(), "2_0"),
    ("directml/fill_value_constant/tensor-support", valid_fill, |d| d.level = "4_0".to_owned(), "f64"),
    (
        "directml/fill_value_constant/tensor-support",
        || fill("4_0", packed(U8, &[3]), Scalar::new(U8, 1)),
        |d| d.level = "3_1".to_owned(),
        "1 dimension",
    ),
    ("directml/fill_value_constant/value-type", valid_fill, |d| set_scalar(d, "Value", I64), "`Value` is i64"),
    ("directml/fill_value_constant/value-type", lowest_fill, |d| d.tensors[0].tensor.data_type = I32, "expected i32"),
];

const SLICE: &[Refusal] = &[
    ("directml/slice1/introduced", lowest_slice, |d| d.level = "2_0".to_owned(), "2_0"),
    ("directml/slice1/tensor-support", valid_slice, |d| d.level = "2_1".to_owned(), "2 dimensions"),
    ("directml/slice1/tensor-support", lowest_slice, |d| set_types(d, I64), "i64"),
    ("directml/slice1/tensor-support", valid_slice, |d| set_types(d, F64), "f64"),
    ("directml/slice1/same-type", valid_slice, |d| d.tensors[1].tensor.data_type = U16, "OutputTensor"),
    ("directml/slice1/same-dimension-count", valid_slice, |d| d.tensors[1].tensor.sizes = vec![1, 2, 2], "3"),
    ("directml/slice1/offset-count", valid_slice, |d| set_offsets(d, &[1]), "`InputWindowOffsets` has 1"),
    ("directml/slice1/size-count", valid_slice, |d| set_list(d, "InputWindowSizes", &[5, 3, 1]), "has 3"),
    ("directml/slice1/stride-count", valid_slice, |d| set_list(d, "InputWindowStrides", &[1]), "has 1"),
    ("directml/slice1/offset-not-negative", valid_slice, |d| set_offsets(d, &[1, -1]), "[1]` is -1"),
    ("directml/slice1/window-not-empty", valid_slice, |d| set_list(d, "InputWindowSizes", &[0, 3]), "[0]` is 0"),
    ("directml/slice1/stride-not-zero", valid_slice, |d| set_list(d, "InputWindowStrides", &[-3, 0]), "[1]` is 0"),
    ("directml/slice1/window-within", valid_slice, |d| set_offsets(d, &[2, 2]), "ends at 7 along dimension 0"),
    ("directml/slice1/window-within", valid_slice, |d| set_offsets(d, &[i64::MAX, 2]), "dimension 0"),
    (
        "directml/slice1/window-within",
        valid_slice,
        |d| {
            set_offsets(d, &[1, 3]);
            d.tensors[1].tensor.sizes = vec![3, 2];
        },
        "ends at 6 along dimension 1",
    ),
    ("directml/slice1/output-sizes", valid_slice, |d| set_list(d, "InputWindowSizes", &[3, 3]), "expected 1 at most"),
    ("directml/slice1/output-sizes", valid_slice, |d| set_list(d, "InputWindowStrides", &[-5, 2]), "sizes[0]` is 2"),
    ("directml/slice1/output-sizes", valid_slice, |d| d.tensors[1].tensor.sizes = vec![2, 3], "sizes[1]` is 3"),
];

const PADDING: &[Refusal] = &[
    ("directml/padding1/introduced", valid_padding, |d| d.level = "4_1".to_owned(), "4_1"),
    ("directml/padding1/tensor-support", valid_padding, |d| d.tensors[0].tensor.data_type = BF16, "bf16"),
    ("directml/padding1/same-type", valid_padding, |d| d.tensors[1].tensor.data_type = U16, "OutputTensor"),
    ("directml/padding1/same-dimension-count", valid_padding, |d| d.tensors[1].tensor.sizes = vec![1, 5, 6], "3"),
    ("directml/padding1/value-type", valid_padding, |d| set_scalar(d, "PaddingValue", U16), "`PaddingValue` is u16"),
    ("directml/padding1/start-count", valid_padding, |d| set_padding(d, &[1], &[2, 0]), "`StartPadding` has 1"),
    ("directml/padding1/end-count", valid_padding, |d| set_padding(d, &[1, 3], &[2, 0, 0]), "`EndPadding` has 3"),
    ("directml/padding1/start-not-negative", valid_padding, |d| set_padding(d, &[-1, 3], &[4, 0]), "[0]` is -1"),
    ("directml/padding1/end-not-negative", valid_padding, |d| set_padding(d, &[1, 4], &[2, -1]), "[1]` is -1"),
    ("directml/padding1/output-sizes", valid_padding, |d| set_padding(d, &[1, 2], &[2, 0]), "sizes[1]` is 6"),
    ("directml/padding1/output-sizes", valid_padding, |d| set_padding(d, &[i64::MAX, 3], &[i64::MAX, 0]), "64 bits"),
    ("directml/padding/tensor-support", lowest_padding, |d| set_types(d, U8), "u8"),
    (
        "directml/padding/tensor-support",
        || padding("2_1", U8, [&[1; 5], &[1; 5]], "DML_PADDING_MODE_CONSTANT", [&[0; 5], &[0; 5]]),
        |d| d.level = "2_0".to_owned(),
        "u8",
    ),
    (
        "directml/padding/tensor-support",
        || padding("3_1", F32, [&[1; 6], &[1; 6]], "DML_PADDING_MODE_CONSTANT", [&[0; 6], &[0; 6]]),
        |d| d.level = "3_0".to_owned(),
        "6 dimensions",
    ),
    (
        "directml/padding/tensor-support",
        || padding("5_0", F64, [&[2], &[3]], "DML_PADDING_MODE_CONSTANT", [&[0], &[1]]),
        |d| d.level = "4_1".to_owned(),
        "f64",
    ),
    (
        "directml/padding/symmetric-introduced",
        || padding("3_0", F32, [&[1; 4], &[1, 1, 1, 3]], "DML_PADDING_MODE_SYMMETRIC", [&[0; 4], &[0, 0, 0, 2]]),
        |d| d.level = "2_1".to_owned(),
        "SYMMETRIC",
    ),
    ("directml/padding/same-type", valid_padding_of_floats, |d| d.tensors[1].tensor.data_type = U16, "OutputTensor"),
    ("directml/padding/same-dimension-count", lowest_padding, |d| d.tensors[1].tensor.sizes = vec![1, 1, 1, 5, 6], "5"),
    ("directml/padding/start-count", valid_padding_of_floats, |d| set_padding(d, &[1], &[2, 0]), "has 1"),
    ("directml/padding/end-count", valid_padding_of_floats, |d| set_padding(d, &[1, 3], &[2, 0, 0]), "has 3"),
    ("directml/padding/start-not-negative", valid_padding_of_floats, |d| set_padding(d, &[-1, 3], &[4, 0]), "is -1"),
    ("directml/padding/end-not-negative", valid_padding_of_floats, |d| set_padding(d, &[1, 4], &[2, -1]), "is -1"),
    ("directml/padding/output-sizes", valid_padding_of_floats, |d| set_padding(d, &[1, 2], &[2, 0]), "is 6"),
];

const DIAGONAL_MATRIX1: &[Refusal] = &[
    ("directml/diagonal_matrix1/introduced", valid_diagonal, |d| d.level = "5_0".to_owned(), "5_0"),
    (
        "directml/diagonal_matrix1/tensor-support",
        valid_diagonal,
        |d| d.tensors[0].tensor.sizes = vec![6],
        "`InputTensor`",
    ),
    ("directml/diagonal_matrix1/tensor-support", generated_diagonal, |d| d.tensors[0].tensor.data_type = BF16, "bf16"),
    ("directml/diagonal_matrix1/same-type", valid_diagonal, |d| d.tensors[0].tensor.data_type = U16, "u16"),
    (
        "directml/diagonal_matrix1/same-dimension-count",
        valid_diagonal,
        |d| d.tensors[0].tensor.sizes = vec![1, 2, 3],
        "3",
    ),
    (
        "directml/diagonal_matrix1/same-sizes",
        valid_diagonal,
        |d| d.tensors[0].tensor.sizes[1] = 1,
        "`InputTensor.sizes[1]`",
    ),
    ("directml/diagonal_matrix1/value-type", valid_diagonal, |d| set_scalar(d, "Value", U16), "`Value` is u16"),
    ("directml/diagonal_matrix1/value-type", generated_diagonal, |d| set_scalar(d, "Value", F32), "expected i16"),
];

const CUMULATIVE_SUMMATION: &[Refusal] = &[
    ("directml/cumulative_summation/introduced", lowest_cumulative, |d| d.level = "2_0".to_owned(), "2_0"),
    ("directml/cumulative_summation/tensor-support", lowest_cumulative, |d| set_types(d, U8), "u8"),
    (
        "directml/cumulative_summation/tensor-support",
        || cumulative_summation("4_0", F32, &[2; 5], 0),
        |d| d.level = "3_1".to_owned(),
        "5 dimensions",
    ),
    ("directml/cumulative_summation/tensor-support", valid_cumulative, |d| set_types(d, I64), "i64"),
    ("directml/cumulative_summation/same-type", valid_cumulative, |d| d.tensors[1].tensor.data_type = I32, "i32"),
    (
        "directml/cumulative_summation/same-dimension-count",
        valid_cumulative,
        |d| d.tensors[1].tensor.sizes = vec![1, 2, 3],
        "3",
    ),
    ("directml/cumulative_summation/axis-in-range", valid_cumulative, |d| set_integer(d, "Axis", 2), "2"),
    ("directml/cumulative_summation/axis-in-range", valid_cumulative, |d| set_integer(d, "Axis", -1), "-1"),
    ("directml/cumulative_summation/same-sizes", valid_cumulative, |d| d.tensors[1].tensor.sizes[1] = 4, "4"),
];

const REVERSE_SUBSEQUENCES: &[Refusal] = &[
    ("directml/reverse_subsequences/introduced", valid_reverse, |d| d.level = "2_0".to_owned(), "2_0"),
    ("directml/reverse_subsequences/tensor-support", valid_reverse, |d| d.level = "3_1".to_owned(), "3 dimensions"),
    ("directml/reverse_subsequences/tensor-support", valid_reverse, |d| d.tensors[1].tensor.data_type = I64, "i64"),
    ("directml/reverse_subsequences/tensor-support", valid_reverse, |d| d.level = "4_1".to_owned(), "f64"),
    (
        "directml/reverse_subsequences/tensor-support",
        || reverse_subsequences("3_0", [F32, U32], [&[1; 5], &[1; 5]], 0),
        |d| d.level = "2_1".to_owned(),
        "5 dimensions",
    ),
    (
        "directml/reverse_subsequences/same-dimension-count",
        valid_reverse,
        |d| d.tensors[1].tensor.sizes = vec![2, 4],
        "SequenceLengthsTensor",
    ),
    ("directml/reverse_subsequences/same-type", valid_reverse, |d| d.tensors[2].tensor.data_type = U64, "u64"),
    ("directml/reverse_subsequences/axis-in-range", valid_reverse, |d| set_integer(d, "Axis", 3), "3"),
    (
        "directml/reverse_subsequences/lengths-sizes",
        valid_reverse,
        |d| d.tensors[1].tensor.sizes[2] = 1,
        "SequenceLengthsTensor.sizes[2]` is 1",
    ),
    (
        "directml/reverse_subsequences/length-per-subsequence",
        valid_reverse,
        |d| d.tensors[1].tensor.sizes[1] = 3,
        "SequenceLengthsTensor.sizes[1]` is 3",
    ),
    (
        "directml/reverse_subsequences/same-sizes",
        valid_reverse,
        |d| d.tensors[2].tensor.sizes[1] = 2,
        "OutputTensor.sizes[1]` is 2",
    ),
];

const TILE: &[Refusal] = &[
    ("directml/tile/tensor-support", valid_tile, |d| d.level = "4_0".to_owned(), "i64"),
    ("directml/tile/tensor-support", valid_tile, |d| d.tensors[0].tensor.data_type = F64, "f64"),
    (
        "directml/tile/tensor-support",
        || tile("3_1", packed(F32, &[1]), packed(F32, &[1]), &[1]),
        |d| d.level = "3_0".to_owned(),
        "1 dimensions",
    ),
    (
        "directml/tile/tensor-support",
        || tile("2_1", packed(U8, &[1; 4]), packed(U8, &[1; 4]), &[1; 4]),
        |d| d.level = "2_0".to_owned(),
        "u8",
    ),
    ("directml/tile/same-dimension-count", valid_tile, |d| d.tensors[1].tensor.sizes = vec![1, 4, 9], "3 dimensions"),
    ("directml/tile/same-type", valid_tile, |d| d.tensors[1].tensor.data_type = U64, "u64"),
    ("directml/tile/repeats-count", valid_tile, |d| set_repeats(d, &[2]), "1 numbers"),
    ("directml/tile/repeats-count", valid_tile, |d| set_repeats(d, &[2, 3, 1]), "3 numbers"),
    ("directml/tile/repeats-positive", valid_tile, |d| set_repeats(d, &[2, 0]), "Repeats[1]` is 0"),
    ("directml/tile/repeats-positive", valid_tile, |d| set_repeats(d, &[-2, 3]), "Repeats[0]` is -2"),
    ("directml/tile/output-sizes", valid_tile, |d| d.tensors[1].tensor.sizes[1] = 6, "sizes[1]` is 6, expected 9"),
    ("directml/tile/output-sizes", valid_tile, |d| set_repeats(d, &[2, i64::MAX]), "beyond 64 bits"),
];

const DEPTH_SPACE: &[Refusal] = &[
    ("directml/depth_to_space1/introduced", valid_depth_to_space, |d| d.level = "2_0".to_owned(), "2_0"),
    ("directml/space_to_depth1/introduced", valid_space_to_depth, |d| d.level = "2_0".to_owned(), "2_0"),
    ("directml/depth_to_space1/tensor-support", valid_depth_to_space, |d| d.level = "4_1".to_owned(), "i64"),
    (
        "directml/space_to_depth1/tensor-support",
        valid_space_to_depth,
        |d| d.tensors[0].tensor.sizes = vec![2, 4, 6],
        "3 dimensions",
    ),
    ("directml/depth_to_space1/same-type", valid_depth_to_space, |d| d.tensors[1].tensor.data_type = U64, "u64"),
    ("directml/depth_to_space1/output-sizes", valid_depth_to_space, |d| set_integer(d, "BlockSize", 0), "0"),
    ("directml/depth_to_space1/output-sizes", valid_depth_to_space, |d| set_integer(d, "BlockSize", -2), "-2"),
    (
        "directml/space_to_depth1/output-sizes",
        valid_space_to_depth,
        |d| set_integer(d, "BlockSize", i64::from(u32::MAX) + 1),
        "4294967296",
    ),
    (
        "directml/depth_to_space1/output-sizes",
        valid_depth_to_space,
        |d| d.tensors[1].tensor.sizes[1] = 8,
        "OutputTensor.sizes[1]` is 8, expected 2",
    ),
    (
        "directml/space_to_depth1/output-sizes",
        valid_space_to_depth,
        |d| d.tensors[1].tensor.sizes[3] = 6,
        "OutputTensor.sizes[3]` is 6, expected 3",
    ),
];

const ONE_HOT: &[Refusal] = &[
    ("directml/one_hot/introduced", valid_one_hot, |d| d.level = "1_0".to_owned(), "1_0"),
    ("directml/one_hot/tensor-support", valid_one_hot, |d| d.level = "2_1".to_owned(), "3 dimensions"),
    ("directml/one_hot/tensor-support", valid_one_hot, |d| d.tensors[0].tensor.data_type = U8, "u8"),
    (
        "directml/one_hot/tensor-support",
        || one_hot("4_1", packed(U32, &[1]), packed(F64, &[2]), packed(F64, &[2]), 0),
        |d| d.level = "4_0".to_owned(),
        "f64",
    ),
    (
        "directml/one_hot/tensor-support",
        || one_hot("2_1", packed(U32, &[1; 4]), packed(U8, &[1, 1, 1, 2]), packed(U8, &[1; 4]), 0),
        |d| d.level = "2_0".to_owned(),
        "u8",
    ),
    ("directml/one_hot/same-dimension-count", valid_one_hot, |d| d.tensors[1].tensor.sizes = vec![2], "ValuesTensor"),
    ("directml/one_hot/same-dimension-count", valid_one_hot, |d| d.tensors[2].tensor.sizes = vec![2, 4], "Output"),
    ("directml/one_hot/same-value-type", valid_one_hot, |d| d.tensors[1].tensor.data_type = U32, "f32"),
    ("directml/one_hot/axis-in-range", valid_one_hot, |d| set_integer(d, "Axis", 3), "3"),
    ("directml/one_hot/axis-in-range", valid_one_hot, |d| set_integer(d, "Axis", -1), "-1"),
    ("directml/one_hot/axis-in-range", valid_one_hot, |d| set_integer(d, "Axis", (1 << 32) + 1), "4294967297"),
    ("directml/one_hot/indices-axis-size-one", valid_one_hot, |d| d.tensors[0].tensor.sizes[1] = 4, "sizes[1]` is 4"),
    ("directml/one_hot/sizes-match-off-axis", valid_one_hot, |d| d.tensors[2].tensor.sizes[2] = 5, "sizes[2]` is 5"),
    ("directml/one_hot/values-at-least-two", valid_one_hot, |d| d.tensors[1].tensor.sizes[2] = 1, "[1, 1, 1]"),
];

const NONZERO: &[Refusal] = &[
    ("directml/nonzero_coordinates/introduced", valid_nonzero, |d| d.level = "2_1".to_owned(), "2_1"),
    ("directml/nonzero_coordinates/tensor-support", valid_nonzero, |d| d.level = "3_1".to_owned(), "3 dimensions"),
    ("directml/nonzero_coordinates/tensor-support", valid_nonzero, |d| d.tensors[0].tensor.data_type = U64, "u64"),
    ("directml/nonzero_coordinates/tensor-support", valid_nonzero, |d| d.tensors[1].tensor.data_type = F32, "Count"),
    ("directml/nonzero_coordinates/tensor-support", valid_nonzero, |d| d.tensors[2].tensor.sizes = vec![6], "1 dim"),
    ("directml/nonzero_coordinates/count-is-scalar", valid_nonzero, |d| d.tensors[1].tensor.sizes[0] = 2, "[2, 1]"),
    (
        "directml/nonzero_coordinates/coordinates-shape",
        valid_nonzero,
        |d| d.tensors[2].tensor.sizes[0] = 2,
        "[2, 6, 2]",
    ),
    ("directml/nonzero_coordinates/coordinates-rows", valid_nonzero, |d| d.tensors[2].tensor.sizes[1] = 7, "7 rows"),
    ("directml/nonzero_coordinates/coordinates-rows", valid_nonzero, |d| d.tensors[2].tensor.sizes[1] = 5, "5 rows"),
    ("directml/nonzero_coordinates/coordinates-columns", valid_nonzero, |d| d.tensors[2].tensor.sizes[2] = 1, "2 to 3"),
    ("directml/nonzero_coordinates/coordinates-columns", valid_nonzero, |d| d.tensors[2].tensor.sizes[2] = 4, "2 to 3"),
];

const ARGMAX: &[Refusal] = &[
    ("directml/argmax/introduced", valid_argmax, |d| d.level = "2_1".to_owned(), "2_1"),
    ("directml/argmax/tensor-support", valid_argmax, |d| d.tensors[0].tensor.data_type = F64, "f64"),
    ("directml/argmax/tensor-support", valid_argmax, |d| d.tensors[1].tensor.data_type = F32, "OutputTensor"),
    (
        "directml/argmax/tensor-support",
        || argmax("4_1", packed(I64, &[2]), packed(U32, &[1]), &[0], "DML_AXIS_DIRECTION_DECREASING"),
        |d| d.level = "4_0".to_owned(),
        "i64",
    ),
    ("directml/argmax/same-dimension-count", valid_argmax, |d| d.tensors[1].tensor.sizes = vec![3], "1 dimensions"),
    ("directml/argmax/axes-in-range", valid_argmax, |d| set(d, "Axes", AttributeValue::Integers(vec![2])), "2"),
    ("directml/argmax/axes-in-range", valid_argmax, |d| set(d, "Axes", AttributeValue::Integers(vec![-1])), "-1"),
    ("directml/argmax/output-sizes", valid_argmax, |d| d.tensors[1].tensor.sizes[0] = 2, "sizes[0]` is 2"),
    ("directml/argmax/output-sizes", valid_argmax, |d| d.tensors[1].tensor.sizes[1] = 1, "sizes[1]` is 1"),
];

const REDUCE: &[Refusal] = &[
    ("directml/reduce_argmin/tensor-support", valid_reduce_argmin, |d| d.level = "2_0".to_owned(), "i8"),
    ("directml/reduce_argmin/tensor-support", valid_reduce_argmin, |d| d.tensors[1].tensor.data_type = I32, "i32"),
    ("directml/reduce_max/tensor-support", valid_reduce_max, |d| d.level = "2_0".to_owned(), "i32"),
    ("directml/reduce_max/tensor-support", valid_reduce_max, |d| set_types(d, I8), "i8"),
    ("directml/reduce_max/same-type", valid_reduce_max, |d| d.tensors[1].tensor.data_type = U32, "u32"),
    ("directml/reduce_max/output-sizes", valid_reduce_max, |d| d.tensors[1].tensor.sizes[3] = 3, "sizes[3]` is 3"),
    ("directml/reduce_min/tensor-support", valid_reduce_min, |d| d.level = "4_1".to_owned(), "i64"),
    ("directml/reduce_min/same-type", valid_reduce_min, |d| d.tensors[1].tensor.data_type = F16, "f16"),
    ("directml/reduce_min/same-dimension-count", valid_reduce_min, |d| d.tensors[1].tensor.sizes = vec![2], "1 dim"),
    ("directml/reduce_min/axes-in-range", valid_reduce_min, |d| set(d, "Axes", AttributeValue::Integers(vec![2])), "2"),
];

const OPENVINO: &[Refusal] = &[
    ("openvino/one_hot_1/axis-required", valid_openvino, |d| d.attributes.clear(), "axis"),
    ("openvino/one_hot_1/inputs-required", valid_openvino, |d| drop(d.tensors.remove(0)), "indices"),
    ("openvino/one_hot_1/inputs-required", valid_openvino, |d| drop(d.tensors.remove(1)), "depth"),
    ("openvino/one_hot_1/inputs-required", valid_openvino, |d| drop(d.tensors.remove(2)), "on_value"),
    ("openvino/one_hot_1/inputs-required", valid_openvino, |d| drop(d.tensors.remove(3)), "off_value"),
    ("openvino/one_hot_1/axis-in-range", valid_openvino, |d| set_integer(d, "axis", 3), "3"),
    ("openvino/one_hot_1/axis-in-range", valid_openvino, |d| set_integer(d, "axis", -4), "-4"),
    ("openvino/one_hot_1/index-types", valid_openvino, |d| d.tensors[0].tensor.data_type = U64, "u64"),
    ("openvino/one_hot_1/index-types", valid_openvino, |d| d.tensors[1].tensor.data_type = U8, "depth"),
    ("openvino/one_hot_1/scalar-inputs", valid_openvino, |d| d.tensors[1].tensor.sizes = vec![1], "depth"),
    ("openvino/one_hot_1/scalar-inputs", valid_openvino, |d| d.tensors[2].tensor.sizes = vec![1], "on_value"),
    ("openvino/one_hot_1/scalar-inputs", valid_openvino, |d| d.tensors[3].tensor.sizes = vec![1], "off_value"),
    ("openvino/one_hot_1/depth-positive", valid_openvino, |d| d.constants[0].bytes = vec![0; 8], "0"),
    (
        "openvino/one_hot_1/depth-positive",
        valid_openvino,
        |d| d.constants[0].bytes = (-4i64).to_le_bytes().to_vec(),
        "-4",
    ),
    ("openvino/one_hot_1/same-value-type", valid_openvino, |d| d.tensors[3].tensor.data_type = U8, "off_value"),
    ("openvino/one_hot_1/same-value-type", valid_openvino, |d| d.tensors[4].tensor.data_type = U8, "output"),
    ("openvino/one_hot_1/output-shape", valid_openvino, |d| d.tensors[4].tensor.sizes = vec![2, 3, 4], "[2, 4, 3]"),
    ("openvino/one_hot_1/output-shape", valid_openvino, |d| d.tensors[4].tensor.sizes = vec![2, 3], "[2, 4, 3]"),
    ("openvino/one_hot_16/mode-values", valid_openvino_16, |d| set_mode(d, "ignore_negative"), "ignore_negative"),
    ("openvino/one_hot_16/mode-values", valid_openvino_16, |d| set_mode(d, ""), "\"\""),
    ("openvino/one_hot_16/axis-in-range", valid_openvino_16, |d| set_integer(d, "axis", 3), "3"),
];

const NON_ZERO: &[Refusal] = &[
    ("onnx/non_zero/introduced", valid_onnx_non_zero, |d| d.level = "1".to_owned(), "at 1,"),
    ("onnx/non_zero/introduced", valid_onnx_non_zero, |d| d.level = "8".to_owned(), "at 8,"),
    ("onnx/non_zero/data-types-before-13", valid_onnx_non_zero, |d| d.tensors[0].tensor.data_type = BF16, "bf16"),
    (
        "onnx/non_zero/data-types-before-13",
        || onnx_non_zero("13", packed(BF16, &[2]), packed(I64, &[1, 2])),
        |d| d.level = "9".to_owned(),
        "bf16",
    ),
    ("onnx/non_zero/index-type", valid_onnx_non_zero, |d| d.tensors[1].tensor.data_type = I32, "i32"),
    ("onnx/non_zero/index-type", valid_onnx_non_zero, |d| d.tensors[1].tensor.data_type = U64, "u64"),
    ("openvino/non_zero_3/input-required", valid_openvino_non_zero, |d| drop(d.tensors.remove(0)), "data"),
    ("openvino/non_zero_3/output-type-values", valid_openvino_non_zero, |d| set_output_type(d, "u32"), "u32"),
    ("openvino/non_zero_3/output-type-values", valid_openvino_non_zero, |d| set_output_type(d, ""), "\"\""),
    ("openvino/non_zero_3/output-type", valid_openvino_non_zero, |d| d.tensors[1].tensor.data_type = I64, "i64"),
    ("openvino/non_zero_3/output-type", valid_openvino_non_zero, |d| d.tensors[1].tensor.data_type = U32, "u32"),
    ("openvino/non_zero_3/output-type", valid_openvino_non_zero, |d| set_output_type(d, "i64"), "expected i64"),
    ("openvino/non_zero_3/output-type", valid_openvino_non_zero, |d| d.attributes.clear(), "expected i64"),
];

const ONNX_ONE_HOT: &[Refusal] = &[
    ("onnx/one_hot/introduced", valid_onnx_one_hot, |d| d.level = "1".to_owned(), "at 1,"),
    ("onnx/one_hot/index-types", valid_onnx_one_hot, |d| d.tensors[0].tensor.data_type = BF16, "`indices` is bf16"),
    ("onnx/one_hot/index-types", valid_onnx_one_hot, |d| d.tensors[1].tensor.data_type = Bool, "`depth` is bool"),
    ("onnx/one_hot/value-types", valid_onnx_one_hot, |d| d.tensors[2].tensor.data_type = BF16, "`values` is bf16"),
    ("onnx/one_hot/same-value-type", valid_onnx_one_hot, |d| d.tensors[3].tensor.data_type = U8, "output"),
    ("onnx/one_hot/indices-dimensions", valid_onnx_one_hot, |d| d.tensors[0].tensor.sizes = vec![], "no dimension"),
    ("onnx/one_hot/depth-dimensions", valid_onnx_one_hot, |d| d.tensors[1].tensor.sizes = vec![1, 1], "2 dimensions"),
    ("onnx/one_hot/depth-one-element", valid_onnx_one_hot, |d| d.tensors[1].tensor.sizes = vec![2], "[2]"),
    ("onnx/one_hot/depth-one-element", valid_onnx_one_hot, |d| d.tensors[1].tensor.sizes = vec![0], "[0]"),
    ("onnx/one_hot/depth-not-negative", valid_onnx_one_hot, |d| d.constants[0].bytes = vec![0xFF; 8], "-1"),
    ("onnx/one_hot/values-dimensions", valid_onnx_one_hot, |d| d.tensors[2].tensor.sizes = vec![1, 2], "2 dimensions"),
    ("onnx/one_hot/values-dimensions", valid_onnx_one_hot, |d| d.tensors[2].tensor.sizes = vec![], "0 dimensions"),
    ("onnx/one_hot/values-two-elements", valid_onnx_one_hot, |d| d.tensors[2].tensor.sizes = vec![3], "[3]"),
    ("onnx/one_hot/axis-in-range", valid_onnx_one_hot, |d| set_integer(d, "axis", 2), "`axis` is 2"),
    ("onnx/one_hot/axis-in-range", valid_onnx_one_hot, |d| set_integer(d, "axis", -3), "`axis` is -3"),
    ("onnx/one_hot/output-shape", valid_onnx_one_hot, |d| d.tensors[3].tensor.sizes = vec![3, 2], "[2, 3]"),
    ("onnx/one_hot/output-shape", valid_onnx_one_hot, |d| d.constants[0].bytes[0] = 4, "[2, 4]"),
];

const TOSA_ARGMAX: &[Refusal] = &[
    ("tosa/argmax/axis-in-range", valid_tosa_argmax, |d| d.tensors[0].tensor.sizes = vec![], "0 dimensions"),
    ("tosa/argmax/input-types", valid_tosa_argmax, |d| d.tensors[0].tensor.data_type = I32, "i32"),
    ("tosa/argmax/input-types", valid_tosa_argmax, |d| d.tensors[0].tensor.data_type = U8, "u8"),
    ("tosa/argmax/output-type", valid_tosa_argmax, |d| d.tensors[1].tensor.data_type = I64, "i64"),
    ("tosa/argmax/axis-required", valid_tosa_argmax, |d| drop(d.attributes.remove(0)), "axis"),
    ("tosa/argmax/axis-in-range", valid_tosa_argmax, |d| set_integer(d, "axis", 2), "`axis` is 2"),
    ("tosa/argmax/axis-in-range", valid_tosa_argmax, |d| set_integer(d, "axis", -1), "`axis` is -1"),
    ("tosa/argmax/axis-in-range", valid_tosa_argmax, |d| set_integer(d, "axis", 1 << 32), "4294967296"),
    ("tosa/argmax/output-shape", valid_tosa_argmax, |d| set_integer(d, "axis", 0), "expected [3]"),
    ("tosa/argmax/output-shape", valid_tosa_argmax, |d| d.tensors[1].tensor.sizes = vec![2, 1], "[2, 1]"),
    ("tosa/argmax/output-shape", valid_tosa_argmax, |d| d.tensors[1].tensor.sizes = vec![], "[]"),
];

#[test]
fn each_requirement_is_refused_by_name() {
    let all = [
        TENSOR,
        ONE_HOT,
        GATHER,
        GATHER_ELEMENTS,
        GATHER_ND1,
        SCATTER_ELEMENTS,
        ELEMENTWISE,
        PADDING,
        CUMULATIVE_SUMMATION,
        DIAGONAL_MATRIX1,
        SLICE,
        REVERSE_SUBSEQUENCES,
        TILE,
        DEPTH_SPACE,
        NONZERO,
        ARGMAX,
        REDUCE,
        OPENVINO,
        NON_ZERO,
        ONNX_ONE_HOT,
        TOSA_ARGMAX,
    ]
    .concat();
    for (requirement, valid, change, named) in all {
        let mut descriptor = valid();
        assert!(validate(&descriptor).is_ok(), "{requirement}: the twin is valid");
        change(&mut descriptor);
        let (found, reason) = refusal(&descriptor);
        assert_eq!(found.as_deref(), Some(requirement), "{reason}");
        assert!(reason.contains(named), "{requirement}: `{reason}` does not name `{named}`");
    }
}

#[test]
fn the_more_basic_rule_comes_first() {
    let mut descriptor = valid_argmax();
    set_integer(&mut descriptor, "AxisCount", 7);
    descriptor.tensors[1].tensor.sizes[0] = 5;
    assert_eq!(refusal(&descriptor).0, None, "the length of a list has no requirement: no caller can state another");
    descriptor.tensors[1].tensor.data_type = F32;
    assert_eq!(refusal(&descriptor).0.as_deref(), Some("directml/argmax/tensor-support"));
    descriptor.tensors[1].tensor.alignment = 3;
    assert_eq!(refusal(&descriptor).0.as_deref(), Some("directml/tensor/alignment"));
    descriptor.tensors[1].tensor.sizes[1] = 0;
    assert_eq!(refusal(&descriptor).0.as_deref(), Some("directml/tensor/sizes-positive"));
    descriptor.level = "2_0".to_owned();
    assert_eq!(refusal(&descriptor).0.as_deref(), Some("directml/argmax/introduced"));
}

#[test]
fn the_more_basic_rule_of_non_zero_comes_first() {
    let mut descriptor = onnx_non_zero("1", packed(BF16, &[2]), packed(I32, &[1, 2]));
    descriptor.tensors[1].tensor.strides = Some(vec![0, 0]);
    let named = |descriptor: &Descriptor| refusal(descriptor).0;
    assert_eq!(named(&descriptor).as_deref(), Some("onnx/non_zero/introduced"));
    descriptor.level = "11".to_owned();
    assert_eq!(named(&descriptor).as_deref(), Some("onnx/non_zero/data-types-before-13"));
    descriptor.level = "13".to_owned();
    assert_eq!(named(&descriptor).as_deref(), Some("onnx/non_zero/index-type"));
    descriptor.tensors[1].tensor.data_type = I64;
    assert_eq!(named(&descriptor), None, "memory that no requirement speaks of");

    let mut descriptor = openvino_non_zero(packed(F32, &[2]), packed(U8, &[1, 2]), "u8");
    assert_eq!(named(&descriptor).as_deref(), Some("openvino/non_zero_3/output-type-values"));
    descriptor.tensors.remove(0);
    assert_eq!(named(&descriptor).as_deref(), Some("openvino/non_zero_3/input-required"));
}

#[test]
fn the_more_basic_rule_of_tosa_comes_first() {
    let mut descriptor = tosa_argmax(packed(F64, &[2, 3]), packed(I64, &[3]), 7);
    let axis = descriptor.attributes.remove(0);
    let named = |descriptor: &Descriptor| refusal(descriptor).0;
    assert_eq!(named(&descriptor).as_deref(), Some("tosa/argmax/input-types"));
    descriptor.tensors[0].tensor.data_type = F16;
    assert_eq!(named(&descriptor).as_deref(), Some("tosa/argmax/output-type"));
    descriptor.tensors[1].tensor.data_type = I32;
    assert_eq!(named(&descriptor).as_deref(), Some("tosa/argmax/axis-required"));
    descriptor.attributes.push(axis);
    assert_eq!(named(&descriptor).as_deref(), Some("tosa/argmax/axis-in-range"));
    set_integer(&mut descriptor, "axis", 1);
    assert_eq!(named(&descriptor).as_deref(), Some("tosa/argmax/output-shape"));
    descriptor.tensors[1].tensor.sizes = vec![2];
    assert!(validate(&descriptor).is_ok());
}

#[test]
fn five_dimensions_at_most_below_3_0() {
    let of = |count: usize| one_hot("2_1", packed(U32, &vec![1; count]), packed(U8, &[2]), packed(U8, &[1]), 0);
    assert_eq!(refusal(&of(5)).0.as_deref(), Some("directml/one_hot/tensor-support"));
    assert_eq!(refusal(&of(6)).0.as_deref(), Some("directml/tensor/dimension-count"));
}

#[test]
fn what_no_requirement_names_is_refused_without_one() {
    let changes: [(Valid, Change); 32] = [
        (valid_reduce_max, |d| set(d, "Function", AttributeValue::Enumerator("DML_REDUCE_FUNCTION_MIN".to_owned()))),
        (valid_argmax, |d| d.level = "7_0".to_owned()),
        (valid_argmax, |d| set(d, "AxisDirection", AttributeValue::Enumerator("SIDEWAYS".to_owned()))),
        (valid_argmax, |d| d.attributes.clear()),
        (valid_one_hot, |d| drop(d.tensors.remove(1))),
        (valid_openvino, |d| d.level = "6_4".to_owned()),
        (valid_openvino, |d| drop(d.tensors.remove(4))),
        (valid_openvino, |d| d.constants.clear()),
        (valid_openvino, |d| d.tensors[4].tensor.strides = Some(vec![0, 0, 0])),
        (valid_openvino, |d| d.tensors[0].tensor.strides = Some(vec![1])),
        (valid_onnx_non_zero, |d| d.level = "12.0".to_owned()),
        (valid_onnx_non_zero, |d| drop(d.tensors.remove(0))),
        (valid_onnx_non_zero, |d| drop(d.tensors.remove(1))),
        (valid_onnx_non_zero, |d| d.tensors[0].tensor.strides = Some(vec![1])),
        (valid_onnx_non_zero, |d| d.tensors[0].tensor.total_bytes = Some(11)),
        (valid_onnx_non_zero, |d| d.tensors[1].tensor.strides = Some(vec![3, 1])),
        (valid_openvino_non_zero, |d| d.level = "3".to_owned()),
        (valid_openvino_non_zero, |d| drop(d.tensors.remove(1))),
        (valid_openvino_non_zero, |d| set_integer(d, "output_type", 64)),
        (valid_openvino_non_zero, |d| d.tensors[1].tensor.sizes = vec![1 << 32, 1 << 32]),
        (valid_tosa_argmax, |d| d.tensors[0].tensor.sizes[1] = 0),
        (valid_tosa_argmax, |d| d.level = "1".to_owned()),
        (valid_tosa_argmax, |d| d.level = "1.0.1".to_owned()),
        (valid_tosa_argmax, |d| d.level = "1.1".to_owned()),
        (valid_tosa_argmax, |d| drop(d.tensors.remove(0))),
        (valid_tosa_argmax, |d| drop(d.tensors.remove(1))),
        (valid_tosa_argmax, |d| set(d, "axis", AttributeValue::Integers(vec![1]))),
        (valid_tosa_argmax, |d| set(d, "nan_mode", AttributeValue::Enumerator("NONE".to_owned()))),
        (valid_tosa_argmax, |d| set(d, "nan_mode", AttributeValue::String("IGNORE".to_owned()))),
        (valid_tosa_argmax, |d| d.tensors[0].tensor.strides = Some(vec![1])),
        (valid_tosa_argmax, |d| d.tensors[0].tensor.total_bytes = Some(11)),
        (valid_tosa_argmax, |d| d.tensors[1].tensor.strides = Some(vec![0])),
    ];
    for (valid, change) in changes {
        let mut descriptor = valid();
        change(&mut descriptor);
        let (requirement, reason) = refusal(&descriptor);
        assert_eq!(requirement, None, "{reason}");
    }
}

#[test]
fn indices_are_cast_toward_zero_and_what_is_no_integer_lies_within_no_sequence() {
    let cast = |memory: &[u8], data_type| {
        let integers = crate::cast_to_integers(memory, data_type);
        integers.chunks_exact(8).map(|bytes| i64::from_le_bytes(bytes.try_into().unwrap())).collect::<Vec<_>>()
    };
    let floats = [2.9f32, -2.9, -0.5, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30].map(f32::to_le_bytes);
    let expected = [2, -2, 0, 0, i64::MIN, i64::MAX, i64::MIN, i64::MAX];
    assert_eq!(cast(floats.as_flattened(), F32), expected);
    assert_eq!(cast(&0xC100_u16.to_le_bytes(), F16), [-2]);
    assert_eq!(cast(&[0x80, 0x7F], I8), [-128, 127]);
    assert_eq!(cast(&[0xFF], U8), [255]);
    assert_eq!(cast(&u64::MAX.to_le_bytes(), U64), [i64::MAX]);
    let view = onnx_one_hot("9", F16, F32, 3);
    let view = crate::onnx_one_hot(&view).unwrap();
    assert!(!view.from_end && !view.has_wide_indices() && view.cast_indices().data_type == I64);
}

#[test]
fn the_more_basic_rule_of_onnx_one_hot_comes_first() {
    let mut descriptor = onnx_one_hot("1", BF16, BF16, -1);
    let named = |descriptor: &Descriptor| refusal(descriptor).0;
    let mut expect = |rule: &str, change: fn(&mut Descriptor)| {
        assert_eq!(named(&descriptor), Some(format!("onnx/one_hot/{rule}")));
        change(&mut descriptor);
    };
    expect("introduced", |d| d.level = "13".to_owned());
    expect("index-types", |d| d.tensors[0].tensor.data_type = F64);
    expect("value-types", |d| d.tensors[2].tensor.data_type = Bool);
    expect("value-types", |d| d.tensors[3].tensor.data_type = U8);
    expect("same-value-type", |d| d.tensors[3].tensor.data_type = Bool);
    expect("depth-not-negative", |d| d.constants[0].bytes = vec![2, 0, 0, 0, 0, 0, 0, 0]);
    expect("output-shape", |d| d.tensors[3].tensor.sizes = vec![2, 2]);
    assert!(validate(&descriptor).is_ok());
    descriptor.tensors[1].tensor = packed(F32, &[1]);
    descriptor.constants[0].bytes = 2.75f32.to_le_bytes().to_vec();
    assert!(validate(&descriptor).is_ok(), "a depth is cast");
    for none in [f32::NAN, f32::INFINITY, 1e30] {
        descriptor.constants[0].bytes = none.to_le_bytes().to_vec();
        assert_eq!(named(&descriptor).as_deref(), Some("onnx/one_hot/depth-not-negative"), "{none}");
    }
    descriptor.constants[0].bytes.pop();
    assert_eq!(named(&descriptor), None, "a constant of too few bytes is no descriptor");
}
