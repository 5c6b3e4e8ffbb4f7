//! How shaders read an index. See `index.wgsl`.

use opcert_backend::DataType;
use opcert_refusals::Addressing;

use crate::layout::{Dimension, Layout, sizes, strides};
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::relayout::{Elements, in_order};
use crate::shader::Shader;

/// An index of 8 bytes.
pub(crate) const WIDE: u32 = 1;
const SIGNED: u32 = 2;
const FROM_END: u32 = 4;

/// The kind of an index of this type; `from_end` where a negative one counts from the end.
pub(crate) const fn kind(data_type: DataType, from_end: bool) -> u32 {
    let wide = if data_type.bytes() == 8 { WIDE } else { 0 };
    let signed = if data_type.is_signed_integer() { SIGNED } else { 0 };
    wide | signed | if from_end { FROM_END } else { 0 }
}

/// Adds passes that turn indices, of which a negative one counts from the end, into distances in a tensor of these dimensions: one
/// word for each of some elements, in logical order. One that points at nothing is taken for the first: nothing outside of a
/// tensor is read or written.
///
/// # Errors
///
/// When a tensor is more than the device can hold.
pub(crate) fn distances(
    program: &mut Program,
    region: RegionId,
    (indices, data_type): (&Layout, DataType),
    (addressing, named): (&Addressing, &[Dimension<1>]),
    elements: &Layout,
) -> Result<RegionId, TooLarge> {
    let along = &named[addressing.indexed.clone()];
    let coordinates = along.len() as u64;
    let found = of_tuples(program, region, (indices, data_type), along)?;
    // What is found for one tuple, or one index, stands in the place of the first of its indices.
    let packed = indices.packed(WORD).dimensions;
    let stride = |at: usize| packed[at].strides[0] / along.len() as u32;
    let dimensions = std::iter::zip(&elements.dimensions, &addressing.kept);
    let dimensions = dimensions
        .map(|(&Dimension { size, .. }, [_, in_indices])| Dimension { size, strides: [in_indices.map_or(0, stride)] });
    let spread = Layout {
        dimensions: dimensions.collect(),
        elements: elements.elements,
        span: indices.elements / coordinates,
        width: WORD,
    };
    Ok(in_order(program, found, &spread)?.region)
}

/// The dimensions of a tensor with the distances that they mean in the one that indices name; none where it has no such dimension.
pub(crate) fn walked_in(addressing: &Addressing, named: &[Dimension<1>], elements: &Layout) -> Vec<Dimension<1>> {
    let dimensions = std::iter::zip(&elements.dimensions, &addressing.kept);
    let dimensions = dimensions.map(|(&Dimension { size, .. }, [in_named, _])| Dimension {
        size,
        strides: [in_named.map_or(0, |at| named[at].strides[0])],
    });
    dimensions.collect()
}

/// One word for each tuple of so many indices as there are dimensions, the indices of a tuple one after the other.
fn of_tuples(
    program: &mut Program,
    region: RegionId,
    (indices, data_type): (&Layout, DataType),
    along: &[Dimension<1>],
) -> Result<RegionId, TooLarge> {
    let Elements { region: source, width: bytes } = in_order(program, region, indices)?;
    let coordinates = along.len() as u64;
    let tuples = indices.elements / coordinates;
    let found = program.region(tuples * WORD, Transfer::Scratch)?;
    let kind = kind(data_type, true);
    let most = program.bindable_anywhere() / (bytes * coordinates);
    for first in (0..tuples).step_by(most as usize) {
        let range = first..(first + most).min(tuples);
        let (source, source_base) =
            program.part_of(source, &(range.start * coordinates..range.end * coordinates), bytes);
        let (target, distance_base) = program.part_of(found, &range, WORD);
        let count = range.end - range.start;
        let mut constants = vec![word(count), kind, word(coordinates), source_base, distance_base];
        constants.extend(sizes(along)?.iter().chain(&strides(along, 0)?));
        program.pass(Shader::Resolve, vec![(0, source), (1, target)], constants, count)?;
    }
    Ok(found)
}
