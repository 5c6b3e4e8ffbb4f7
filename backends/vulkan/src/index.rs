//! How shaders read an index. See `index.wgsl`.

use opcert_backend::DataType;

use crate::layout::{Dimension, Layout};
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

/// Adds passes that turn indices, of which a negative one counts from the end, into distances along a dimension, one word
/// for each in logical order. One that points at nothing is taken for the first: nothing outside of a tensor is read or written.
///
/// # Errors
///
/// When a tensor is more than the device can hold.
pub(crate) fn distances(
    program: &mut Program,
    region: RegionId,
    (indices, data_type): (&Layout, DataType),
    along: Dimension<1>,
) -> Result<RegionId, TooLarge> {
    let Elements { region: source, width: bytes } = in_order(program, region, indices)?;
    let found = program.region(indices.elements * WORD, Transfer::Scratch)?;
    let kind = kind(data_type, true);
    let most = program.bindable_anywhere() / bytes;
    for first in (0..indices.elements).step_by(most as usize) {
        let range = first..(first + most).min(indices.elements);
        let source = program.window_of(source, &range, bytes);
        let (target, distance_base) = program.part_of(found, &range, WORD);
        let count = range.end - range.start;
        let constants = vec![word(count), kind, along.size, along.strides[0], distance_base];
        program.pass(Shader::Resolve, vec![(0, source), (1, target)], constants, count)?;
    }
    Ok(found)
}
