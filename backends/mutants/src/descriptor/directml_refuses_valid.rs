//! Valid DirectML descriptors that are refused.

use opcert_backend::DataType::{self, F16, F64, I8, I16, I64, U8, U16, U64};
use opcert_backend::Descriptor;

use super::{any, any_input, any_output, before, has_type, is, refuses, sizes};
use crate::Mutant;

const ARGMAX: &str = "directml/argmax";
const NONZERO_COORDINATES: &str = "directml/nonzero_coordinates";
const ONE_HOT: &str = "directml/one_hot";
const WIDE_TYPES: &[DataType] = &[F64, I64, U64];

/// A requirement on descriptors also says what is valid. Where none does, it is that valid descriptors are accepted.
pub(crate) const MUTANTS: &[Mutant] = &[
    refuses("everything-refused", "directml/operator/accepts-valid", "No descriptor is accepted.", |_| true),
    refuses(
        "levels-above-4-1-refused",
        "directml/operator/accepts-valid",
        "Descriptors are refused at levels that have no table of their own.",
        |descriptor| !before(descriptor, "5_0"),
    ),
    refuses(
        "highest-level-refused",
        "directml/operator/accepts-valid",
        "Descriptors are refused at 6_4.",
        |descriptor| descriptor.level == "6_4",
    ),
    refuses(
        "one-dimension-refused",
        "directml/operator/accepts-valid",
        "Tensors of one dimension are refused.",
        |descriptor| any(descriptor, |tensor| tensor.sizes.len() == 1),
    ),
    refuses(
        "two-dimensions-refused",
        "directml/tensor/dimension-count",
        "Tensors of two dimensions are refused.",
        |descriptor| any(descriptor, |tensor| tensor.sizes.len() == 2),
    ),
    refuses(
        "three-dimensions-refused",
        "directml/tensor/dimension-count",
        "Tensors of three dimensions are refused.",
        |descriptor| any(descriptor, |tensor| tensor.sizes.len() == 3),
    ),
    refuses(
        "five-dimensions-refused",
        "directml/tensor/dimension-count",
        "Tensors of five dimensions are refused.",
        |descriptor| any(descriptor, |tensor| tensor.sizes.len() == 5),
    ),
    refuses(
        "six-dimensions-refused",
        "directml/tensor/dimension-count",
        "Tensors of six dimensions are refused.",
        |descriptor| any(descriptor, |tensor| tensor.sizes.len() == 6),
    ),
    refuses(
        "seven-dimensions-refused",
        "directml/tensor/dimension-count",
        "Tensors of seven dimensions are refused.",
        |descriptor| any(descriptor, |tensor| tensor.sizes.len() == 7),
    ),
    refuses(
        "eight-dimensions-refused",
        "directml/tensor/dimension-count",
        "Tensors of eight dimensions are refused.",
        |descriptor| any(descriptor, |tensor| tensor.sizes.len() == 8),
    ),
    refuses(
        "owned-inputs-refused",
        "directml/tensor/owned-by-dml",
        "The flag OWNED_BY_DML is refused on inputs too.",
        |descriptor| any_input(descriptor, |tensor| !tensor.flags.is_empty()),
    ),
    refuses(
        "alignment-zero-refused",
        "directml/tensor/alignment",
        "An alignment of 0 is refused where another tensor promises one.",
        |descriptor| any(descriptor, |tensor| tensor.alignment == 0) && any(descriptor, |tensor| tensor.alignment != 0),
    ),
    refuses("alignment-of-64-refused", "directml/tensor/alignment", "Alignments above 16 are refused.", |descriptor| {
        any(descriptor, |tensor| tensor.alignment > 16)
    }),
    refuses(
        "alignment-of-the-element-refused",
        "directml/tensor/alignment",
        "An alignment equal to the size of an element is refused.",
        |descriptor| any(descriptor, |tensor| tensor.alignment == tensor.data_type.bytes() as u64),
    ),
    refuses(
        "larger-total-size-refused",
        "directml/tensor/total-size",
        "A size in bytes above what is implied is refused.",
        |descriptor| {
            any(descriptor, |tensor| {
                let implied = tensor.span_bytes().map(|bytes| bytes.next_multiple_of(4));
                tensor.total_bytes > implied
            })
        },
    ),
    refuses(
        "strided-inputs-refused",
        "directml/tensor/strides",
        "Inputs that are not packed are refused.",
        |descriptor| any_input(descriptor, |tensor| !tensor.is_packed()),
    ),
    refuses(
        "strided-outputs-refused",
        "directml/tensor/strides",
        "Outputs that are not packed are refused.",
        |descriptor| any_output(descriptor, |tensor| !tensor.is_packed()),
    ),
    refuses(
        "broadcast-inputs-refused",
        "directml/tensor/strides",
        "Inputs with a stride of 0 are refused.",
        |descriptor| {
            any_input(descriptor, |tensor| tensor.strides.as_ref().is_some_and(|strides| strides.contains(&0)))
        },
    ),
    refuses(
        "packed-strides-refused",
        "directml/tensor/strides",
        "Strides that say what leaving them out says are refused.",
        |descriptor| any(descriptor, |tensor| tensor.strides.is_some() && tensor.is_packed()),
    ),
    refuses(
        "strides-of-single-elements-compared",
        "directml/tensor/output-overlap",
        "A stride of 0 is refused along dimensions of an output of size 1.",
        |descriptor| {
            any_output(descriptor, |tensor| tensor.strides.as_ref().is_some_and(|strides| strides.contains(&0)))
        },
    ),
    refuses(
        "elements-above-2-to-31-refused",
        "directml/tensor/element-limit",
        "More than 2147483647 elements are refused.",
        |descriptor| any(descriptor, |tensor| tensor.element_count().is_some_and(|count| count > i32::MAX as u64)),
    ),
    refuses(
        "tensors-above-4-gib-refused",
        "directml/tensor/total-size-in-64-bits",
        "Tensors of more than 4 GiB are refused.",
        |descriptor| any(descriptor, |tensor| tensor.span_bytes().is_some_and(|bytes| bytes > 1 << 32)),
    ),
    refuses(
        "largest-element-count-refused",
        "directml/tensor/element-limit",
        "2^32 - 1 elements are refused.",
        |descriptor| any(descriptor, |tensor| tensor.element_count() == Some(u64::from(u32::MAX))),
    ),
    refuses(
        "argmax-uint64-output-refused",
        "directml/argmax/tensor-support",
        "ARGMAX refuses UINT64 outputs.",
        |descriptor| is(descriptor, ARGMAX) && has_type(descriptor, "OutputTensor", &[U64]),
    ),
    refuses(
        "argmax-int64-output-refused",
        "directml/argmax/tensor-support",
        "ARGMAX refuses INT64 outputs below 4_1.",
        |descriptor| {
            is(descriptor, ARGMAX) && has_type(descriptor, "OutputTensor", &[I64]) && before(descriptor, "4_1")
        },
    ),
    refuses(
        "argmax-64-bit-inputs-refused",
        "directml/argmax/tensor-support",
        "ARGMAX refuses the types that came with 4_1.",
        |descriptor| is(descriptor, ARGMAX) && has_type(descriptor, "InputTensor", WIDE_TYPES),
    ),
    refuses(
        "argmax-64-bit-inputs-refused-at-6-4",
        "directml/argmax/tensor-support",
        "ARGMAX takes the types that came with 4_1 at that level only.",
        |descriptor| {
            is(descriptor, ARGMAX) && has_type(descriptor, "InputTensor", WIDE_TYPES) && !before(descriptor, "5_0")
        },
    ),
    refuses(
        "argmax-narrow-integers-refused",
        "directml/argmax/tensor-support",
        "ARGMAX refuses integers of 8 and 16 bits.",
        |descriptor| is(descriptor, ARGMAX) && has_type(descriptor, "InputTensor", &[I16, I8, U16, U8]),
    ),
    refuses("argmax-float16-refused", "directml/argmax/tensor-support", "ARGMAX refuses FLOAT16.", |descriptor| {
        is(descriptor, ARGMAX) && has_type(descriptor, "InputTensor", &[F16])
    }),
    refuses(
        "argmax-several-axes-refused",
        "directml/argmax/axes-in-range",
        "ARGMAX refuses more than one axis.",
        |descriptor| is(descriptor, ARGMAX) && axes(descriptor).len() > 1,
    ),
    refuses(
        "argmax-all-axes-refused",
        "directml/argmax/axes-in-range",
        "ARGMAX refuses to reduce every one of several dimensions.",
        |descriptor| {
            let dimensions = sizes(descriptor, "InputTensor").len();
            is(descriptor, ARGMAX) && dimensions > 1 && axes(descriptor).len() == dimensions
        },
    ),
    refuses(
        "argmax-axes-of-size-one-refused",
        "directml/argmax/output-sizes",
        "ARGMAX refuses to reduce a dimension of size 1.",
        |descriptor| {
            let sizes = sizes(descriptor, "InputTensor");
            let one = |&axis: &i64| usize::try_from(axis).ok().and_then(|axis| sizes.get(axis)) == Some(&1);
            is(descriptor, ARGMAX) && axes(descriptor).iter().any(one)
        },
    ),
    refuses(
        "nonzero-8-bit-integers-refused",
        "directml/nonzero_coordinates/tensor-support",
        "NONZERO_COORDINATES refuses integers of 8 bits.",
        |descriptor| is(descriptor, NONZERO_COORDINATES) && has_type(descriptor, "InputTensor", &[I8, U8]),
    ),
    refuses(
        "nonzero-16-bit-integers-refused",
        "directml/nonzero_coordinates/tensor-support",
        "NONZERO_COORDINATES refuses integers of 16 bits.",
        |descriptor| is(descriptor, NONZERO_COORDINATES) && has_type(descriptor, "InputTensor", &[I16, U16]),
    ),
    refuses(
        "nonzero-columns-above-the-effective-rank-refused",
        "directml/nonzero_coordinates/coordinates-columns",
        "NONZERO_COORDINATES refuses N above the effective rank.",
        |descriptor| {
            let input = sizes(descriptor, "InputTensor");
            let rank = input.iter().skip_while(|&&size| size == 1).count() as u64;
            let columns = sizes(descriptor, "OutputCoordinatesTensor").last().copied().unwrap_or(0);
            is(descriptor, NONZERO_COORDINATES) && columns > rank
        },
    ),
    refuses(
        "nonzero-columns-below-the-dimension-count-refused",
        "directml/nonzero_coordinates/coordinates-columns",
        "NONZERO_COORDINATES refuses N below the dimension count.",
        |descriptor| {
            let columns = sizes(descriptor, "OutputCoordinatesTensor").last().copied().unwrap_or(0);
            is(descriptor, NONZERO_COORDINATES) && columns < sizes(descriptor, "InputTensor").len() as u64
        },
    ),
    refuses(
        "nonzero-scalar-shapes-refused",
        "directml/nonzero_coordinates/coordinates-columns-positive",
        "NONZERO_COORDINATES refuses an input of one element.",
        |descriptor| {
            is(descriptor, NONZERO_COORDINATES) && sizes(descriptor, "InputTensor").iter().all(|&size| size == 1)
        },
    ),
    refuses(
        "nonzero-different-dimension-counts-refused",
        "directml/nonzero_coordinates/dimension-counts-differ",
        "NONZERO_COORDINATES refuses different dimension counts from 4_0 on too.",
        |descriptor| {
            let count = sizes(descriptor, "InputTensor").len();
            let differs = any(descriptor, |tensor| tensor.sizes.len() != count);
            is(descriptor, NONZERO_COORDINATES) && differs && !before(descriptor, "4_0")
        },
    ),
    refuses(
        "one-hot-int16-values-refused-at-2-1",
        "directml/one_hot/tensor-support",
        "ONE_HOT refuses INT16 and UINT16 values below 3_0.",
        |descriptor| {
            is(descriptor, ONE_HOT) && has_type(descriptor, "ValuesTensor", &[I16, U16]) && before(descriptor, "3_0")
        },
    ),
    refuses(
        "one-hot-int8-values-refused-at-2-1",
        "directml/one_hot/tensor-support",
        "ONE_HOT refuses INT8 and UINT8 values below 3_0.",
        |descriptor| {
            is(descriptor, ONE_HOT) && has_type(descriptor, "ValuesTensor", &[I8, U8]) && before(descriptor, "3_0")
        },
    ),
    refuses(
        "one-hot-float64-values-refused",
        "directml/one_hot/tensor-support",
        "ONE_HOT refuses FLOAT64 values at every level.",
        |descriptor| is(descriptor, ONE_HOT) && has_type(descriptor, "ValuesTensor", &[F64]),
    ),
    refuses(
        "one-hot-64-bit-values-refused-at-6-4",
        "directml/one_hot/tensor-support",
        "ONE_HOT takes the types that came with 4_1 at that level only.",
        |descriptor| {
            is(descriptor, ONE_HOT) && has_type(descriptor, "ValuesTensor", WIDE_TYPES) && !before(descriptor, "5_0")
        },
    ),
    refuses(
        "one-hot-uint64-indices-refused",
        "directml/one_hot/tensor-support",
        "ONE_HOT refuses UINT64 indices.",
        |descriptor| is(descriptor, ONE_HOT) && has_type(descriptor, "IndicesTensor", &[U64]),
    ),
    refuses(
        "one-hot-int64-indices-refused",
        "directml/one_hot/tensor-support",
        "ONE_HOT refuses INT64 indices.",
        |descriptor| is(descriptor, ONE_HOT) && has_type(descriptor, "IndicesTensor", &[I64]),
    ),
    refuses(
        "one-hot-more-than-two-values-refused",
        "directml/one_hot/values-at-least-two",
        "ONE_HOT refuses more than two elements in Values.",
        |descriptor| {
            let elements: u64 = sizes(descriptor, "ValuesTensor").iter().product();
            is(descriptor, ONE_HOT) && elements > 2
        },
    ),
    refuses(
        "one-hot-values-not-in-the-last-dimension-refused",
        "directml/one_hot/values-at-least-two",
        "ONE_HOT refuses Values whose last size is 1.",
        |descriptor| is(descriptor, ONE_HOT) && sizes(descriptor, "ValuesTensor").last() == Some(&1),
    ),
    refuses(
        "one-hot-axis-of-size-one-refused",
        "directml/tensor/sizes-positive",
        "ONE_HOT refuses an output of size 1 along Axis.",
        |descriptor| {
            let axis = descriptor.integer("Axis").and_then(|axis| usize::try_from(axis).ok());
            let size = axis.and_then(|axis| sizes(descriptor, "OutputTensor").get(axis));
            is(descriptor, ONE_HOT) && size == Some(&1)
        },
    ),
    refuses(
        "one-hot-first-axis-refused",
        "directml/one_hot/axis-in-range",
        "ONE_HOT refuses the first of several dimensions as Axis.",
        |descriptor| {
            let several = sizes(descriptor, "OutputTensor").len() > 1;
            is(descriptor, ONE_HOT) && several && descriptor.integer("Axis") == Some(0)
        },
    ),
];

fn axes(descriptor: &Descriptor) -> &[i64] {
    descriptor.integers("Axes").unwrap_or_default()
}
