//! The descriptor of `directml/argmax`, checked wrongly.

use std::iter::zip;

use opcert_backend::DataType::{F64, I16, I64, U8, U16, U64};
use opcert_backend::Descriptor;

use super::{DescriptorRule, accepts, before, dropped, has_type, sizes};
use crate::Mutant;
use crate::backend::Deviation;

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    dropped("argmax-introduced-unchecked", "directml/argmax/introduced"),
    accepts(
        "argmax-accepted-at-2-1",
        "directml/argmax/introduced",
        "The operator is there from 2_1 on.",
        |descriptor| !before(descriptor, "2_1"),
    ),
    dropped("argmax-tensor-support-unchecked", "directml/argmax/tensor-support"),
    accepts(
        "argmax-int64-at-3-0",
        "directml/argmax/tensor-support",
        "INT64 and UINT64 inputs are accepted below 4_1.",
        |descriptor| before(descriptor, "4_1") && has_type(descriptor, "InputTensor", &[I64, U64]),
    ),
    accepts("argmax-float64-input", "directml/argmax/tensor-support", "FLOAT64 inputs are accepted.", |descriptor| {
        has_type(descriptor, "InputTensor", &[F64])
    }),
    accepts(
        "argmax-narrow-output",
        "directml/argmax/tensor-support",
        "Outputs of 8 and 16 bits are accepted.",
        |descriptor| has_type(descriptor, "OutputTensor", &[I16, U16, U8]),
    ),
    dropped("argmax-same-dimension-count-unchecked", "directml/argmax/same-dimension-count"),
    accepts(
        "argmax-fewer-output-dimensions",
        "directml/argmax/same-dimension-count",
        "An output without the reduced dimensions is accepted.",
        |descriptor| {
            let (input, output) = (sizes(descriptor, "InputTensor").len(), sizes(descriptor, "OutputTensor").len());
            output + axes(descriptor).len() == input
        },
    ),
    accepts(
        "argmax-more-output-dimensions",
        "directml/argmax/same-dimension-count",
        "An output with more dimensions than the input is accepted.",
        |descriptor| sizes(descriptor, "OutputTensor").len() > sizes(descriptor, "InputTensor").len(),
    ),
    dropped("argmax-output-sizes-unchecked", "directml/argmax/output-sizes"),
    accepts(
        "argmax-reduced-size-unchecked",
        "directml/argmax/output-sizes",
        "The output's sizes are not looked at where a dimension is reduced.",
        |descriptor| sizes_fit(descriptor, |reduced, input, output| reduced || input == output),
    ),
    accepts(
        "argmax-other-sizes-unchecked",
        "directml/argmax/output-sizes",
        "The output's sizes are not looked at where a dimension is not reduced.",
        |descriptor| sizes_fit(descriptor, |reduced, _, output| !reduced || output == 1),
    ),
    accepts(
        "argmax-larger-output",
        "directml/argmax/output-sizes",
        "An output larger than needed is accepted.",
        |descriptor| sizes_fit(descriptor, |reduced, input, output| output >= if reduced { 1 } else { input }),
    ),
    accepts(
        "argmax-output-elements-only",
        "directml/argmax/output-sizes",
        "Only the number of the output's elements is compared.",
        |descriptor| {
            let pairs = zip(0.., sizes(descriptor, "InputTensor"));
            let expected: u64 =
                pairs.filter(|(dimension, _)| !axes(descriptor).contains(dimension)).map(|(_, &size)| size).product();
            sizes(descriptor, "OutputTensor").iter().product::<u64>() == expected
        },
    ),
    dropped("argmax-axes-in-range-unchecked", "directml/argmax/axes-in-range"),
    accepts(
        "argmax-axis-equal-dimension-count",
        "directml/argmax/axes-in-range",
        "An axis that equals the dimension count is accepted.",
        |descriptor| {
            let count = sizes(descriptor, "InputTensor").len() as i64;
            axes(descriptor).iter().all(|axis| (0..=count).contains(axis))
        },
    ),
    accepts(
        "argmax-negative-axis",
        "directml/argmax/axes-in-range",
        "A negative axis counts from the end.",
        |descriptor| {
            let count = sizes(descriptor, "InputTensor").len() as i64;
            axes(descriptor).iter().all(|axis| (-count..count).contains(axis))
        },
    ),
    accepts(
        "argmax-only-first-axis-checked",
        "directml/argmax/axes-in-range",
        "Of the axes only the first one is looked at.",
        |descriptor| {
            let count = sizes(descriptor, "InputTensor").len() as i64;
            axes(descriptor).first().is_some_and(|axis| (0..count).contains(axis))
        },
    ),
    accepts(
        "argmax-axis-below-eight",
        "directml/argmax/axes-in-range",
        "Every axis below 8 is accepted, whatever the dimension count.",
        |descriptor| axes(descriptor).iter().all(|axis| (0..8).contains(axis)),
    ),
    Mutant::new(
        "argmax-axes-in-range-named-output-sizes",
        "directml/argmax/axes-in-range",
        "An axis out of range is refused for the output's sizes.",
        Deviation::Descriptor(DescriptorRule::Names {
            instead_of: "directml/argmax/axes-in-range",
            requirement: "directml/argmax/output-sizes",
        }),
    ),
];

fn axes(descriptor: &Descriptor) -> &[i64] {
    descriptor.integers("Axes").unwrap_or_default()
}

/// Whether each pair of sizes fits, given whether the dimension is reduced.
fn sizes_fit(descriptor: &Descriptor, fits: impl Fn(bool, u64, u64) -> bool) -> bool {
    let pairs = zip(sizes(descriptor, "InputTensor"), sizes(descriptor, "OutputTensor"));
    zip(0.., pairs).all(|(dimension, (&input, &output))| fits(axes(descriptor).contains(&dimension), input, output))
}
