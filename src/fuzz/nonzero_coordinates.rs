//! Samples of `directml/nonzero_coordinates`: zeros of both signs, values that a sum or a cut would lose, any density.

use opcert_backend::{DataType, Descriptor, NamedTensor, Role};

use super::draw::{Draw, Sample};
use super::values;
use crate::check::InputData;
use crate::element;

/// Elements of which the documents do not say whether they are zero.
#[derive(Clone, Copy)]
enum Doubtful {
    Nan,
    Subnormal,
}

/// How many zeros there are to how many other elements.
const DENSITIES: [(u64, (u64, u64)); 5] = [(4, (1, 1)), (2, (7, 1)), (2, (1, 7)), (1, (1, 0)), (2, (0, 1))];

/// The elements that are not zero have at most so many values.
const MOST_VALUES: usize = 4;

pub(super) fn draw(draw: &mut Draw<'_, '_>) -> Sample {
    let dimensions = draw.dimension_count("InputTensor");
    let mut sizes = draw.sizes(dimensions);
    // The effective rank depends on how many leading sizes are 1.
    let (with_ones, ones) = (draw.choices.once_in(2), 1 + draw.choices.below(dimensions as u64) as usize);
    if with_ones {
        sizes[..ones].fill(1);
    }
    let elements = sizes.iter().product();
    let rank = sizes.iter().skip_while(|&&size| size == 1).count().max(1);
    let columns = dimensions as u64 - draw.choices.below((dimensions - rank + 1) as u64);
    let (count_dimensions, row_dimensions) = output_dimensions(draw, dimensions);
    let (count_sizes, mut row_sizes) = (vec![1; count_dimensions], vec![1; row_dimensions]);
    let inner = row_sizes.len() - 2;
    row_sizes[inner..].copy_from_slice(&[elements, columns]);
    let data_type = draw.data_type("InputTensor");
    let input = draw.tensor("InputTensor", Role::Input, data_type, sizes);
    let data_type = draw.data_type("OutputCountTensor");
    let count = draw.tensor("OutputCountTensor", Role::Output, data_type, count_sizes);
    let data_type = draw.data_type("OutputCoordinatesTensor");
    let rows = draw.tensor("OutputCoordinatesTensor", Role::Output, data_type, row_sizes);
    let data = data(draw, &input);
    Sample { descriptor: draw.descriptor(vec![input, count, rows], Vec::new()), inputs: vec![data] }
}

/// No descriptor is open by more than the checks say.
pub(super) const fn is_open(_: &Descriptor) -> bool {
    false
}

/// The dimension counts of both outputs. At the oldest levels it is open whether they may differ from the input's;
/// they are the same wherever those levels take all three, since a case is valid from its least level on. Elsewhere
/// they are often the same as well, so that what is asked for at an oldest level breaks nothing but its limits.
fn output_dimensions(draw: &mut Draw<'_, '_>, input: usize) -> (usize, usize) {
    let count = draw.dimension_count("OutputCountTensor");
    let rows = draw.dimension_count("OutputCoordinatesTensor");
    let oldest = draw.operator.support.first().map(|row| &row.tensors);
    let taken = oldest.is_some_and(|tensors| {
        std::iter::zip(tensors, [input, count, rows]).all(|((_, dimensions, _), found)| dimensions.contains(found))
    });
    let same = draw.choices.once_in(2) && draw.dimension_counts("OutputCoordinatesTensor").contains(&input);
    if taken || same { (input, input) } else { (count, rows) }
}

fn data(draw: &mut Draw<'_, '_>, input: &NamedTensor) -> InputData {
    let data_type = input.tensor.data_type;
    // They leave all of the answer open, which is only observed: most samples have values to be compared.
    let doubtful = match draw.choices.below(64) {
        62 => Some(Doubtful::Nan),
        63 => Some(Doubtful::Subnormal),
        _ => None,
    };
    let doubtful = doubtful.filter(|_| draw.data && data_type.is_float());
    let (zeros, others) = draw.choices.weighted(&DENSITIES);
    let different = 1 + draw.choices.below(MOST_VALUES as u64) as usize;
    let few: [u64; MOST_VALUES] = std::array::from_fn(|_| nonzero(draw, data_type));
    draw.data(input, |choices, _| {
        let number = choices.below((zeros + others) * 4);
        if number < zeros * 4 {
            return if number % 4 == 3 { values::negative_zero(data_type) } else { 0 };
        }
        match doubtful.filter(|_| number % 4 == 3) {
            Some(Doubtful::Nan) => values::nan(choices, data_type),
            Some(Doubtful::Subnormal) => 1,
            None => few[(number - zeros * 4) as usize % different],
        }
    })
}

/// A value that counts beyond doubt.
fn nonzero(draw: &mut Draw<'_, '_>, data_type: DataType) -> u64 {
    let bits = values::value(draw.choices, data_type, 1);
    let doubtful = values::is_nan(bits, data_type) || values::is_subnormal(bits, data_type);
    if doubtful || bits == 0 || bits == values::negative_zero(data_type) {
        element::from_integer(1, data_type)
    } else {
        bits
    }
}
