//! Descriptors in, refusals out.

mod permissions;
mod refusals;

use opcert_backend::{
    AttributeValue, CompileError, Constant, DataType, Descriptor, NamedAttribute, NamedTensor, Role, Scalar,
    TensorDescriptor,
};

fn packed(data_type: DataType, sizes: &[u64]) -> TensorDescriptor {
    TensorDescriptor::packed(data_type, sizes)
}

fn strided(data_type: DataType, sizes: &[u64], strides: &[u64]) -> TensorDescriptor {
    TensorDescriptor { strides: Some(strides.to_vec()), ..packed(data_type, sizes) }
}

/// A descriptor; a tensor whose name is `Y` or has `utput` in it is an output.
fn descriptor<const T: usize, const A: usize>(
    (operator, level): (&str, &str),
    tensors: [(&str, TensorDescriptor); T],
    attributes: [(&str, AttributeValue); A],
) -> Descriptor {
    let tensor = |(name, tensor): (&str, TensorDescriptor)| {
        let role = if name == "Y" || name.contains("utput") { Role::Output } else { Role::Input };
        NamedTensor { name: name.to_owned(), role, tensor }
    };
    let attribute = |(name, value): (&str, AttributeValue)| NamedAttribute { name: name.to_owned(), value };
    Descriptor {
        operator: operator.to_owned(),
        level: level.to_owned(),
        tensors: tensors.map(tensor).into(),
        attributes: attributes.map(attribute).into(),
        constants: Vec::new(),
    }
}

fn one_hot(
    level: &str,
    indices: TensorDescriptor,
    values: TensorDescriptor,
    output: TensorDescriptor,
    axis: i64,
) -> Descriptor {
    let tensors = [("IndicesTensor", indices), ("ValuesTensor", values), ("OutputTensor", output)];
    descriptor(("directml/one_hot", level), tensors, [("Axis", AttributeValue::Integer(axis))])
}

fn gather(
    level: &str,
    input: TensorDescriptor,
    indices: TensorDescriptor,
    output: TensorDescriptor,
    (axis, index_dimensions): (i64, i64),
) -> Descriptor {
    let tensors = [("InputTensor", input), ("IndicesTensor", indices), ("OutputTensor", output)];
    let attributes =
        [("Axis", AttributeValue::Integer(axis)), ("IndexDimensions", AttributeValue::Integer(index_dimensions))];
    descriptor(("directml/gather", level), tensors, attributes)
}

/// With these numbers of dimensions of the input and of indices, and of batches.
fn gather_nd1(
    level: &str,
    [input, indices, output]: [TensorDescriptor; 3],
    [of_input, of_indices, batches]: [i64; 3],
) -> Descriptor {
    let tensors = [("InputTensor", input), ("IndicesTensor", indices), ("OutputTensor", output)];
    let attributes = [
        ("InputDimensionCount", AttributeValue::Integer(of_input)),
        ("IndicesDimensionCount", AttributeValue::Integer(of_indices)),
        ("BatchDimensionCount", AttributeValue::Integer(batches)),
    ];
    descriptor(("directml/gather_nd1", level), tensors, attributes)
}

fn gather_elements(
    level: &str,
    input: TensorDescriptor,
    indices: TensorDescriptor,
    output: TensorDescriptor,
    axis: i64,
) -> Descriptor {
    let tensors = [("InputTensor", input), ("IndicesTensor", indices), ("OutputTensor", output)];
    descriptor(("directml/gather_elements", level), tensors, [("Axis", AttributeValue::Integer(axis))])
}

/// Input and output have the first sizes, indices and updates the others; of the types that of the output is the first.
fn scatter_elements(level: &str, types: [DataType; 3], [sizes, of_updates]: [&[u64]; 2], axis: i64) -> Descriptor {
    let [of_input, of_indices, updates] = types;
    let tensors = [
        ("InputTensor", packed(of_input, sizes)),
        ("IndicesTensor", packed(of_indices, of_updates)),
        ("UpdatesTensor", packed(updates, of_updates)),
        ("OutputTensor", packed(of_input, sizes)),
    ];
    descriptor(("directml/scatter_elements", level), tensors, [("Axis", AttributeValue::Integer(axis))])
}

/// With these numbers of dimensions of the input and of indices.
fn scatter_nd(
    level: &str,
    [input, indices, updates]: [TensorDescriptor; 3],
    [of_input, of_indices]: [i64; 2],
) -> Descriptor {
    let output = input.clone();
    let tensors =
        [("InputTensor", input), ("IndicesTensor", indices), ("UpdatesTensor", updates), ("OutputTensor", output)];
    let attributes = [
        ("InputDimensionCount", AttributeValue::Integer(of_input)),
        ("IndicesDimensionCount", AttributeValue::Integer(of_indices)),
    ];
    descriptor(("directml/scatter_nd", level), tensors, attributes)
}

/// The first elements along an axis, in descending order.
fn clip(level: &str, data_type: DataType, bounds: [Scalar; 2]) -> Descriptor {
    let tensors = [("InputTensor", packed(data_type, &[2, 3])), ("OutputTensor", packed(data_type, &[2, 3]))];
    let [min, max] = bounds.map(AttributeValue::Scalar);
    descriptor(("directml/element_wise_clip1", level), tensors, [("Min", min), ("Max", max)])
}

fn padding1(data_type: DataType, sizes: [&[u64]; 2], mode: &str, lists: [&[i64]; 2]) -> Descriptor {
    let [input, output] = sizes.map(|sizes| packed(data_type, sizes));
    let [start, end] = lists.map(|list| AttributeValue::Integers(list.to_vec()));
    let attributes = [
        ("PaddingMode", AttributeValue::Enumerator(mode.to_owned())),
        ("PaddingValue", AttributeValue::Scalar(Scalar::new(data_type, 1))),
        ("DimensionCount", AttributeValue::Integer(i64::try_from(lists[0].len()).unwrap())),
        ("StartPadding", start),
        ("EndPadding", end),
    ];
    descriptor(("directml/padding1", "5_0"), [("InputTensor", input), ("OutputTensor", output)], attributes)
}

/// The same with a value that knows no type.
fn padding(level: &str, data_type: DataType, sizes: [&[u64]; 2], mode: &str, lists: [&[i64]; 2]) -> Descriptor {
    let mut descriptor = padding1(data_type, sizes, mode, lists);
    descriptor.operator = "directml/padding".to_owned();
    descriptor.level = level.to_owned();
    for attribute in &mut descriptor.attributes {
        if attribute.name == "PaddingValue" {
            attribute.value = AttributeValue::Float32(1.0.into());
        }
    }
    descriptor
}

fn cumulative_summation(level: &str, data_type: DataType, sizes: &[u64], axis: i64) -> Descriptor {
    let tensors = [("InputTensor", packed(data_type, sizes)), ("OutputTensor", packed(data_type, sizes))];
    let attributes = [
        ("Axis", AttributeValue::Integer(axis)),
        ("AxisDirection", AttributeValue::Enumerator("DML_AXIS_DIRECTION_DECREASING".to_owned())),
        ("HasExclusiveSum", AttributeValue::Boolean(false)),
    ];
    descriptor(("directml/cumulative_summation", level), tensors, attributes)
}

fn slice1(level: &str, sizes: [&[u64]; 2], lists: [&[i64]; 3]) -> Descriptor {
    let [input, output] = sizes.map(|sizes| packed(DataType::I16, sizes));
    let [offsets, lengths, strides] = lists.map(|list| AttributeValue::Integers(list.to_vec()));
    let attributes = [
        ("DimensionCount", AttributeValue::Integer(i64::try_from(lists[0].len()).unwrap())),
        ("InputWindowOffsets", offsets),
        ("InputWindowSizes", lengths),
        ("InputWindowStrides", strides),
    ];
    descriptor(("directml/slice1", level), [("InputTensor", input), ("OutputTensor", output)], attributes)
}

fn fill(level: &str, output: TensorDescriptor, value: Scalar) -> Descriptor {
    let attributes = [("Value", AttributeValue::Scalar(value))];
    descriptor(("directml/fill_value_constant", level), [("OutputTensor", output)], attributes)
}

fn diagonal_matrix1(data_type: DataType, sizes: &[u64]) -> Descriptor {
    let tensors = [("InputTensor", packed(data_type, sizes)), ("OutputTensor", packed(data_type, sizes))];
    let attributes = [
        ("Value", AttributeValue::Scalar(Scalar::new(data_type, 1))),
        ("DiagonalFillBegin", AttributeValue::Integer(-1)),
        ("DiagonalFillEnd", AttributeValue::Integer(1)),
    ];
    descriptor(("directml/diagonal_matrix1", "5_1"), tensors, attributes)
}

fn top_k1(level: &str, [input, values, indices]: [TensorDescriptor; 3], axis: i64, k: i64) -> Descriptor {
    let tensors = [("InputTensor", input), ("OutputValueTensor", values), ("OutputIndexTensor", indices)];
    let direction = AttributeValue::Enumerator("DML_AXIS_DIRECTION_DECREASING".to_owned());
    let attributes =
        [("Axis", AttributeValue::Integer(axis)), ("K", AttributeValue::Integer(k)), ("AxisDirection", direction)];
    descriptor(("directml/top_k1", level), tensors, attributes)
}

/// Input and output have the first type and the first sizes, lengths the others.
fn reverse_subsequences(
    level: &str,
    [data_type, of_lengths]: [DataType; 2],
    [sizes, lengths]: [&[u64]; 2],
    axis: i64,
) -> Descriptor {
    let tensors = [
        ("InputTensor", packed(data_type, sizes)),
        ("SequenceLengthsTensor", packed(of_lengths, lengths)),
        ("OutputTensor", packed(data_type, sizes)),
    ];
    descriptor(("directml/reverse_subsequences", level), tensors, [("Axis", AttributeValue::Integer(axis))])
}

/// With blocks of 2.
fn depth_space(of: (&str, &str), input: TensorDescriptor, output: TensorDescriptor) -> Descriptor {
    let order = AttributeValue::Enumerator("DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW".to_owned());
    let attributes = [("BlockSize", AttributeValue::Integer(2)), ("Order", order)];
    descriptor(of, [("InputTensor", input), ("OutputTensor", output)], attributes)
}

fn tile(level: &str, input: TensorDescriptor, output: TensorDescriptor, repeats: &[i64]) -> Descriptor {
    let attributes = [
        ("RepeatsCount", AttributeValue::Integer(i64::try_from(repeats.len()).unwrap())),
        ("Repeats", AttributeValue::Integers(repeats.to_vec())),
    ];
    descriptor(("directml/tile", level), [("InputTensor", input), ("OutputTensor", output)], attributes)
}

fn nonzero(level: &str, input: TensorDescriptor, count: TensorDescriptor, coordinates: TensorDescriptor) -> Descriptor {
    let tensors = [("InputTensor", input), ("OutputCountTensor", count), ("OutputCoordinatesTensor", coordinates)];
    descriptor(("directml/nonzero_coordinates", level), tensors, [])
}

fn argmax(level: &str, input: TensorDescriptor, output: TensorDescriptor, axes: &[i64], direction: &str) -> Descriptor {
    let attributes = [
        ("AxisCount", AttributeValue::Integer(i64::try_from(axes.len()).unwrap())),
        ("Axes", AttributeValue::Integers(axes.to_vec())),
        ("AxisDirection", AttributeValue::Enumerator(direction.to_owned())),
    ];
    descriptor(("directml/argmax", level), [("InputTensor", input), ("OutputTensor", output)], attributes)
}

/// REDUCE with a function, which is what the operator's name ends in.
fn reduce(function: &str, level: &str, input: TensorDescriptor, output: TensorDescriptor, axes: &[i64]) -> Descriptor {
    let attributes = [
        ("Function", AttributeValue::Enumerator(format!("DML_REDUCE_FUNCTION_{function}"))),
        ("AxisCount", AttributeValue::Integer(i64::try_from(axes.len()).unwrap())),
        ("Axes", AttributeValue::Integers(axes.to_vec())),
    ];
    let operator = format!("directml/reduce_{}", function.to_lowercase());
    descriptor((&operator, level), [("InputTensor", input), ("OutputTensor", output)], attributes)
}

fn openvino(
    indices: TensorDescriptor,
    depth: i64,
    value_type: DataType,
    output: TensorDescriptor,
    axis: i64,
) -> Descriptor {
    let tensors = [
        ("indices", indices),
        ("depth", packed(DataType::I64, &[])),
        ("on_value", packed(value_type, &[])),
        ("off_value", packed(value_type, &[])),
        ("output", output),
    ];
    let constants = vec![Constant { name: "depth".to_owned(), bytes: depth.to_le_bytes().to_vec() }];
    let attributes = [("axis", AttributeValue::Integer(axis))];
    Descriptor { constants, ..descriptor(("openvino/one_hot_1", "1"), tensors, attributes) }
}

fn onnx_non_zero(level: &str, input: TensorDescriptor, output: TensorDescriptor) -> Descriptor {
    descriptor(("onnx/non_zero", level), [("X", input), ("Y", output)], [])
}

/// Two indices, values of a type, and a new dimension behind.
fn onnx_one_hot(level: &str, indices: DataType, value_type: DataType, depth: i64) -> Descriptor {
    let size = u64::try_from(depth).unwrap_or(0);
    let tensors = [
        ("indices", packed(indices, &[2])),
        ("depth", packed(DataType::I64, &[])),
        ("values", packed(value_type, &[2])),
        ("output", packed(value_type, &[2, size])),
    ];
    let constants = vec![Constant { name: "depth".to_owned(), bytes: depth.to_le_bytes().to_vec() }];
    let attributes = [("axis", AttributeValue::Integer(-1))];
    Descriptor { constants, ..descriptor(("onnx/one_hot", level), tensors, attributes) }
}

fn openvino_non_zero(input: TensorDescriptor, output: TensorDescriptor, output_type: &str) -> Descriptor {
    let attributes = [("output_type", AttributeValue::String(output_type.to_owned()))];
    descriptor(("openvino/non_zero_3", "1"), [("data", input), ("output", output)], attributes)
}

fn tosa_argmax(input: TensorDescriptor, output: TensorDescriptor, axis: i64) -> Descriptor {
    let attributes =
        [("axis", AttributeValue::Integer(axis)), ("nan_mode", AttributeValue::Enumerator("PROPAGATE".to_owned()))];
    descriptor(("tosa/argmax", "1.0"), [("input", input), ("output", output)], attributes)
}

/// What the operator's own function says.
fn validate(descriptor: &Descriptor) -> Result<(), CompileError> {
    match descriptor.operator.as_str() {
        "directml/one_hot" => crate::one_hot(descriptor).map(drop),
        "directml/gather" => crate::gather(descriptor).map(drop),
        "directml/gather_elements" => crate::gather_elements(descriptor).map(drop),
        "directml/gather_nd1" => crate::gather_nd1(descriptor).map(drop),
        "directml/scatter_elements" => crate::scatter_elements(descriptor).map(drop),
        "directml/scatter_nd" => crate::scatter_nd(descriptor).map(drop),
        "directml/top_k1" => crate::top_k1(descriptor).map(drop),
        "directml/reverse_subsequences" => crate::reverse_subsequences(descriptor).map(drop),
        "directml/depth_to_space1" | "directml/space_to_depth1" => crate::depth_space(descriptor).map(drop),
        "directml/tile" => crate::tile(descriptor).map(drop),
        "directml/nonzero_coordinates" => crate::nonzero_coordinates(descriptor).map(drop),
        "directml/argmax" | "tosa/argmax" => crate::reduction(descriptor).map(drop),
        operator if operator.starts_with("directml/reduce_") => crate::reduction(descriptor).map(drop),
        "directml/cumulative_summation" => crate::cumulative_summation(descriptor).map(drop),
        "directml/diagonal_matrix1" => crate::diagonal_matrix1(descriptor).map(drop),
        "directml/padding" => crate::padding(descriptor).map(drop),
        "directml/padding1" => crate::padding1(descriptor).map(drop),
        "directml/slice1" => crate::slice1(descriptor).map(drop),
        "directml/element_wise_clip" | "directml/element_wise_clip1" | "directml/fill_value_constant" => {
            crate::elementwise(descriptor).map(drop)
        }
        "openvino/one_hot_1" | "openvino/one_hot_16" => crate::openvino_one_hot(descriptor).map(drop),
        "onnx/non_zero" | "openvino/non_zero_3" => crate::non_zero(descriptor).map(drop),
        "onnx/one_hot" => crate::onnx_one_hot(descriptor).map(drop),
        operator => panic!("`{operator}` has no rules"),
    }
}

/// The refusal of a descriptor: the requirement named, and the reason.
fn refusal(descriptor: &Descriptor) -> (Option<String>, String) {
    match validate(descriptor) {
        Err(CompileError::Rejected { requirement, reason }) => (requirement, reason),
        other => panic!("expected a refusal of {descriptor:?}, found {other:?}"),
    }
}
