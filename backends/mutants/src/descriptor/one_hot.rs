//! The descriptor of `directml/one_hot`, checked wrongly.

use std::iter::zip;

use opcert_backend::DataType::{F64, I8, I16, I32, I64, U8, U16, U32, U64};
use opcert_backend::Descriptor;

use super::{DescriptorRule, accepts, any, before, dropped, has_type, refuses, sizes};
use crate::Mutant;
use crate::backend::Deviation;

const INDICES: &str = "IndicesTensor";
const VALUES: &str = "ValuesTensor";
const OUTPUT: &str = "OutputTensor";

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    dropped("one-hot-introduced-unchecked", "directml/one_hot/introduced"),
    dropped("one-hot-tensor-support-unchecked", "directml/one_hot/tensor-support"),
    accepts(
        "one-hot-float64-at-3-0",
        "directml/one_hot/tensor-support",
        "Values of 64 bits are accepted from 3_0 on.",
        |descriptor| !before(descriptor, "3_0") && has_type(descriptor, VALUES, &[F64, I64, U64]),
    ),
    accepts(
        "one-hot-integer-values-at-2-0",
        "directml/one_hot/tensor-support",
        "Integer values are accepted at 2_0.",
        |descriptor| descriptor.level == "2_0" && has_type(descriptor, VALUES, &[I32, I16, I8, U32, U16, U8]),
    ),
    accepts(
        "one-hot-five-dimensions-at-2-0",
        "directml/one_hot/tensor-support",
        "Dimension counts other than 4 are accepted below 3_0.",
        |descriptor| before(descriptor, "3_0") && any(descriptor, |tensor| tensor.sizes.len() != 4),
    ),
    accepts(
        "one-hot-signed-indices-at-2-1",
        "directml/one_hot/tensor-support",
        "Indices other than UINT32 are accepted below 3_0.",
        |descriptor| before(descriptor, "3_0") && has_type(descriptor, INDICES, &[I32, I64, U64]),
    ),
    accepts(
        "one-hot-narrow-indices",
        "directml/one_hot/tensor-support",
        "Indices of 8 and 16 bits are accepted.",
        |descriptor| has_type(descriptor, INDICES, &[I8, I16, U8, U16]),
    ),
    dropped("one-hot-same-dimension-count-unchecked", "directml/one_hot/same-dimension-count"),
    accepts(
        "one-hot-values-dimension-count-unchecked",
        "directml/one_hot/same-dimension-count",
        "The dimension count of Values is not compared.",
        |descriptor| sizes(descriptor, INDICES).len() == sizes(descriptor, OUTPUT).len(),
    ),
    accepts(
        "one-hot-indices-dimension-count-unchecked",
        "directml/one_hot/same-dimension-count",
        "The dimension count of Indices is not compared.",
        |descriptor| sizes(descriptor, VALUES).len() == sizes(descriptor, OUTPUT).len(),
    ),
    dropped("one-hot-same-value-type-unchecked", "directml/one_hot/same-value-type"),
    accepts(
        "one-hot-same-value-width-suffices",
        "directml/one_hot/same-value-type",
        "Types of one width are taken for each other.",
        |descriptor| {
            let width = |name: &str| descriptor.tensor(name).map(|tensor| tensor.data_type.bytes());
            width(VALUES) == width(OUTPUT)
        },
    ),
    dropped("one-hot-axis-in-range-unchecked", "directml/one_hot/axis-in-range"),
    accepts(
        "one-hot-axis-equal-dimension-count",
        "directml/one_hot/axis-in-range",
        "An axis that equals the dimension count is accepted.",
        |descriptor| descriptor.integer("Axis") == Some(sizes(descriptor, INDICES).len() as i64),
    ),
    accepts(
        "one-hot-negative-axis",
        "directml/one_hot/axis-in-range",
        "A negative axis counts from the end.",
        |descriptor| descriptor.integer("Axis") < Some(0),
    ),
    accepts(
        "one-hot-axis-below-eight",
        "directml/one_hot/axis-in-range",
        "Every axis below 8 is accepted, whatever the dimension count.",
        |descriptor| descriptor.integer("Axis").is_some_and(|axis| (0..8).contains(&axis)),
    ),
    Mutant::new(
        "one-hot-axis-in-range-named-sizes",
        "directml/one_hot/axis-in-range",
        "An axis out of range is refused for the sizes of Indices.",
        Deviation::Descriptor(DescriptorRule::Names {
            instead_of: "directml/one_hot/axis-in-range",
            requirement: "directml/one_hot/indices-axis-size-one",
        }),
    ),
    dropped("one-hot-indices-axis-size-unchecked", "directml/one_hot/indices-axis-size-one"),
    accepts(
        "one-hot-indices-axis-size-two",
        "directml/one_hot/indices-axis-size-one",
        "Indices may have the size 2 along Axis.",
        |descriptor| at_axis(descriptor, INDICES) == Some(2),
    ),
    accepts(
        "one-hot-indices-axis-size-of-the-output",
        "directml/one_hot/indices-axis-size-one",
        "Indices may be as large as the output along Axis.",
        |descriptor| at_axis(descriptor, INDICES) == at_axis(descriptor, OUTPUT),
    ),
    refuses(
        "one-hot-last-size-of-indices-one",
        "directml/one_hot/indices-axis-size-one",
        "Indices are to have the size 1 in the last dimension, wherever Axis is.",
        |descriptor| sizes(descriptor, INDICES).last() != Some(&1),
    ),
    dropped("one-hot-sizes-off-axis-unchecked", "directml/one_hot/sizes-match-off-axis"),
    accepts(
        "one-hot-only-first-size-compared",
        "directml/one_hot/sizes-match-off-axis",
        "Of the sizes beside Axis only the first one is compared.",
        |descriptor| off_axis(descriptor).first().is_some_and(|(indices, output)| indices == output),
    ),
    accepts(
        "one-hot-only-last-size-compared",
        "directml/one_hot/sizes-match-off-axis",
        "Of the sizes beside Axis only the last one is compared.",
        |descriptor| off_axis(descriptor).last().is_some_and(|(indices, output)| indices == output),
    ),
    accepts(
        "one-hot-indices-broadcast-by-size",
        "directml/one_hot/sizes-match-off-axis",
        "Indices of size 1 fit an output of any size.",
        |descriptor| off_axis(descriptor).iter().all(|(indices, output)| *indices == 1 || indices == output),
    ),
    accepts(
        "one-hot-more-indices",
        "directml/one_hot/sizes-match-off-axis",
        "Indices larger than the output are accepted.",
        |descriptor| off_axis(descriptor).iter().all(|(indices, output)| indices >= output),
    ),
    accepts(
        "one-hot-sequences-only",
        "directml/one_hot/sizes-match-off-axis",
        "Only the number of sequences is compared.",
        |descriptor| {
            let pairs = off_axis(descriptor);
            let (indices, output): (Vec<u64>, Vec<u64>) = pairs.into_iter().unzip();
            indices.iter().product::<u64>() == output.iter().product::<u64>()
        },
    ),
    refuses(
        "one-hot-sizes-compared-along-the-axis-too",
        "directml/one_hot/sizes-match-off-axis",
        "Indices and output are compared along Axis as well.",
        |descriptor| at_axis(descriptor, INDICES) != at_axis(descriptor, OUTPUT),
    ),
    dropped("one-hot-values-at-least-two-unchecked", "directml/one_hot/values-at-least-two"),
];

fn at_axis(descriptor: &Descriptor, tensor: &str) -> Option<u64> {
    let axis = usize::try_from(descriptor.integer("Axis")?).ok()?;
    sizes(descriptor, tensor).get(axis).copied()
}

/// The sizes of Indices and Output in every dimension but the axis.
fn off_axis(descriptor: &Descriptor) -> Vec<(u64, u64)> {
    let axis = descriptor.integer("Axis");
    let pairs = zip(sizes(descriptor, INDICES), sizes(descriptor, OUTPUT));
    let beside = zip(0.., pairs).filter(|(dimension, _)| Some(*dimension) != axis);
    beside.map(|(_, (&indices, &output))| (indices, output)).collect()
}
