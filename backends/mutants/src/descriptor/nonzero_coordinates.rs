//! The descriptor of `directml/nonzero_coordinates`, checked wrongly.

use opcert_backend::DataType::{F64, I32, I64, U8, U64};
use opcert_backend::Descriptor;

use super::{DescriptorRule, accepts, before, dropped, has_type, refuses, sizes};
use crate::Mutant;
use crate::backend::Deviation;

const INPUT: &str = "InputTensor";
const COUNT: &str = "OutputCountTensor";
const COORDINATES: &str = "OutputCoordinatesTensor";

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    dropped("nonzero-introduced-unchecked", "directml/nonzero_coordinates/introduced"),
    accepts(
        "nonzero-accepted-at-2-1",
        "directml/nonzero_coordinates/introduced",
        "The operator is there from 2_1 on.",
        |descriptor| !before(descriptor, "2_1"),
    ),
    dropped("nonzero-tensor-support-unchecked", "directml/nonzero_coordinates/tensor-support"),
    accepts(
        "nonzero-three-dimensions-at-3-0",
        "directml/nonzero_coordinates/tensor-support",
        "Fewer than four dimensions are accepted below 4_0.",
        |descriptor| before(descriptor, "4_0") && sizes(descriptor, INPUT).len() < 4,
    ),
    accepts(
        "nonzero-six-dimensions-at-3-0",
        "directml/nonzero_coordinates/tensor-support",
        "More than five dimensions are accepted below 4_0.",
        |descriptor| before(descriptor, "4_0") && sizes(descriptor, INPUT).len() > 5,
    ),
    accepts(
        "nonzero-64-bit-input",
        "directml/nonzero_coordinates/tensor-support",
        "Inputs of 64 bits are accepted.",
        |descriptor| has_type(descriptor, INPUT, &[F64, I64, U64]),
    ),
    accepts(
        "nonzero-other-count-type",
        "directml/nonzero_coordinates/tensor-support",
        "The count may have another integer type.",
        |descriptor| has_type(descriptor, COUNT, &[I32, I64, U64, U8]),
    ),
    accepts(
        "nonzero-other-coordinates-type",
        "directml/nonzero_coordinates/tensor-support",
        "Coordinates may have another integer type.",
        |descriptor| has_type(descriptor, COORDINATES, &[I32, I64, U64]),
    ),
    accepts(
        "nonzero-coordinates-of-one-dimension",
        "directml/nonzero_coordinates/tensor-support",
        "Coordinates of one dimension are accepted.",
        |descriptor| sizes(descriptor, COORDINATES).len() == 1,
    ),
    dropped("nonzero-count-is-scalar-unchecked", "directml/nonzero_coordinates/count-is-scalar"),
    accepts(
        "nonzero-last-count-size-only",
        "directml/nonzero_coordinates/count-is-scalar",
        "Only the last size of the count is looked at.",
        |descriptor| sizes(descriptor, COUNT).last() == Some(&1),
    ),
    accepts(
        "nonzero-first-count-size-only",
        "directml/nonzero_coordinates/count-is-scalar",
        "Only the first size of the count is looked at.",
        |descriptor| sizes(descriptor, COUNT).first() == Some(&1),
    ),
    dropped("nonzero-coordinates-shape-unchecked", "directml/nonzero_coordinates/coordinates-shape"),
    accepts(
        "nonzero-leading-coordinates-sizes-beyond-the-first",
        "directml/nonzero_coordinates/coordinates-shape",
        "Of the sizes in front of the matrix only the first one is looked at.",
        |descriptor| sizes(descriptor, COORDINATES).first() == Some(&1),
    ),
    dropped("nonzero-coordinates-rows-unchecked", "directml/nonzero_coordinates/coordinates-rows"),
    accepts(
        "nonzero-more-rows",
        "directml/nonzero_coordinates/coordinates-rows",
        "More rows than elements are accepted.",
        |descriptor| rows(descriptor) > elements(descriptor),
    ),
    accepts(
        "nonzero-fewer-rows",
        "directml/nonzero_coordinates/coordinates-rows",
        "Fewer rows than elements are accepted.",
        |descriptor| rows(descriptor) < elements(descriptor),
    ),
    refuses(
        "nonzero-rows-as-the-last-size",
        "directml/nonzero_coordinates/coordinates-rows",
        "M is to be the last size of the input, whatever the others are.",
        |descriptor| Some(&rows(descriptor)) != sizes(descriptor, INPUT).last(),
    ),
    dropped("nonzero-coordinates-columns-unchecked", "directml/nonzero_coordinates/coordinates-columns"),
    accepts(
        "nonzero-columns-below-effective-rank",
        "directml/nonzero_coordinates/coordinates-columns",
        "N below the effective rank is accepted.",
        |descriptor| columns(descriptor) < sizes(descriptor, INPUT).len(),
    ),
    accepts(
        "nonzero-columns-one-below-effective-rank",
        "directml/nonzero_coordinates/coordinates-columns",
        "N one below the effective rank is accepted.",
        |descriptor| columns(descriptor) + 1 == effective_rank(descriptor),
    ),
    accepts(
        "nonzero-effective-rank-without-any-ones",
        "directml/nonzero_coordinates/coordinates-columns",
        "For the effective rank no size of 1 counts, so that {2,1,1,1} has 1.",
        |descriptor| {
            let input = sizes(descriptor, INPUT);
            let larger = input.iter().filter(|&&size| size > 1).count();
            (larger..=input.len()).contains(&columns(descriptor))
        },
    ),
    accepts(
        "nonzero-effective-rank-without-trailing-ones",
        "directml/nonzero_coordinates/coordinates-columns",
        "For the effective rank sizes of 1 at the end do not count.",
        |descriptor| {
            let input = sizes(descriptor, INPUT);
            let trailing = input.iter().rev().take_while(|&&size| size == 1).count();
            columns(descriptor) <= input.len() && columns(descriptor) + trailing >= effective_rank(descriptor)
        },
    ),
    accepts(
        "nonzero-columns-above-dimension-count",
        "directml/nonzero_coordinates/coordinates-columns",
        "N above the dimension count is accepted.",
        |descriptor| columns(descriptor) > sizes(descriptor, INPUT).len(),
    ),
    Mutant::new(
        "nonzero-columns-named-rows",
        "directml/nonzero_coordinates/coordinates-columns",
        "A wrong N is refused for the number of rows.",
        Deviation::Descriptor(DescriptorRule::Names {
            instead_of: "directml/nonzero_coordinates/coordinates-columns",
            requirement: "directml/nonzero_coordinates/coordinates-rows",
        }),
    ),
    Mutant::new(
        "nonzero-no-columns-at-effective-rank-zero",
        "directml/nonzero_coordinates/coordinates-columns-positive",
        "N may be 0 where the effective rank is.",
        Deviation::Descriptor(DescriptorRule::Accepts {
            requirement: "directml/tensor/sizes-positive",
            when: |descriptor| effective_rank(descriptor) == 0 && columns(descriptor) == 0,
        }),
    ),
];

fn rows(descriptor: &Descriptor) -> u64 {
    sizes(descriptor, COORDINATES).iter().rev().nth(1).copied().unwrap_or(0)
}

fn columns(descriptor: &Descriptor) -> usize {
    sizes(descriptor, COORDINATES).last().map_or(0, |&columns| columns as usize)
}

fn elements(descriptor: &Descriptor) -> u64 {
    sizes(descriptor, INPUT).iter().product()
}

fn effective_rank(descriptor: &Descriptor) -> usize {
    sizes(descriptor, INPUT).iter().skip_while(|&&size| size == 1).count()
}
