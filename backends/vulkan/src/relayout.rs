//! Tensors of any layout to packed words, and back.

use crate::binding::Named;
use crate::layout::{Dimension, Layout, coalesced, sizes, strides};
use crate::options::Limits;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::shader::Shader;

/// The bytes of a block.
pub(crate) const BLOCK: u64 = 16;

/// The words of an element where it is read: two for 8 bytes, else one.
pub(crate) const fn words(width: u64) -> u64 {
    if width == 8 { 2 } else { 1 }
}

/// Adds passes that read a tensor, in the order of these dimensions, into words: see `gather.wgsl`. Returns the region
/// with the words.
///
/// # Errors
///
/// When the tensor is more than the device can hold.
pub(crate) fn gather(
    program: &mut Program,
    source: RegionId,
    tensor: &Layout,
    dimensions: &[Dimension<1>],
) -> Result<RegionId, TooLarge> {
    let bytes = words(tensor.width) * WORD;
    let target = program.region(tensor.elements * bytes, Transfer::Scratch)?;
    let walked = walked(dimensions)?;
    for written in program.windows(tensor.elements, bytes) {
        for read in program.windows(tensor.span, tensor.width) {
            let source = program.window_of(source, &read, tensor.width);
            let target = program.window_of(target, &written, bytes);
            let count = written.end - written.start;
            let mut constants = vec![word(count), word(written.start), word(tensor.width)];
            constants.extend([word(read.start), word(read.end - read.start)]);
            constants.extend(walked);
            program.pass(Shader::Gather, vec![(0, source), (1, target)], constants, count)?;
        }
    }
    Ok(target)
}

/// The elements of a tensor, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    pub(crate) region: RegionId,
    /// The bytes from one of them to the next.
    pub(crate) width: u64,
}

/// The elements of a tensor in logical order: where they stand if they stand so, else as words, with the passes that read them.
///
/// # Errors
///
/// When the tensor is more than the device can hold.
pub(crate) fn in_order(program: &mut Program, region: RegionId, tensor: &Layout) -> Result<Elements, TooLarge> {
    if tensor.is_packed() {
        return Ok(Elements { region, width: tensor.width });
    }
    let region = gather(program, region, tensor, &tensor.dimensions)?;
    Ok(Elements { region, width: words(tensor.width) * WORD })
}

/// A program that writes an output in logical order, from a place of its input on and along dimensions with the distances that they
/// mean there: the regions of the two as well.
///
/// # Errors
///
/// When positions do not fit 32 bits, or the tensors are more than the device can hold.
pub(crate) fn moving(
    limits: Limits,
    (input, output): (&Named, &Named),
    moved: impl FnOnce(&Layout) -> (u32, Vec<Dimension<1>>),
) -> Result<(Program, RegionId, RegionId), TooLarge> {
    let input = Layout::new(input.0, &input.1)?;
    let output = Layout::new(output.0, &output.1)?;
    let mut program = Program::new(limits);
    let source = program.region(input.span * input.width, Transfer::Upload)?;
    let target = output_region(&mut program, &output)?;
    let packed = packed_region(&mut program, target, &output)?;
    let (first, dimensions) = moved(&input);
    move_from(&mut program, (source, first), &input, &dimensions, packed)?;
    unpack(&mut program, packed, target, &output)?;
    Ok((program, source, target))
}

/// Adds passes that write the elements of a tensor one after the other, in the order of these dimensions, into which those that
/// it has may be taken apart: see `move.wgsl`.
///
/// # Errors
///
/// When there are too many dimensions, or the windows are too small for the tensors.
pub(crate) fn move_in_order(
    program: &mut Program,
    source: RegionId,
    tensor: &Layout,
    dimensions: &[Dimension<1>],
    target: RegionId,
) -> Result<(), TooLarge> {
    move_from(program, (source, 0), tensor, dimensions, target)
}

/// The same from an element of the tensor on. Distances count modulo 2^32, as shaders do, so that one may lead back.
fn move_from(
    program: &mut Program,
    (source, first): (RegionId, u32),
    tensor: &Layout,
    dimensions: &[Dimension<1>],
    target: RegionId,
) -> Result<(), TooLarge> {
    let walked = walked(dimensions)?;
    let elements: u64 = dimensions.iter().map(|dimension| u64::from(dimension.size)).product();
    for written in program.windows(elements, tensor.width) {
        let target = program.window_of(target, &written, tensor.width);
        for read in program.windows(tensor.span, tensor.width) {
            let source = program.window_of(source, &read, tensor.width);
            let count = written.end - written.start;
            let mut constants = vec![word(count), word(written.start), word(tensor.width)];
            constants.extend([word(read.start).wrapping_sub(first), word(read.end - read.start)]);
            constants.extend(walked);
            program.pass(Shader::Move, vec![(0, source), (1, target)], constants, count)?;
        }
    }
    Ok(())
}

/// Adds passes that write packed elements into a tensor, and nothing beside its elements: see `scatter.wgsl`.
///
/// # Errors
///
/// When the windows are too small for the tensor.
pub(crate) fn scatter(
    program: &mut Program,
    source: RegionId,
    target: RegionId,
    tensor: &Layout,
) -> Result<(), TooLarge> {
    let walked = walked(&tensor.dimensions)?;
    for read in program.windows(tensor.elements, tensor.width) {
        for written in program.windows(tensor.span, tensor.width) {
            let source = program.window_of(source, &read, tensor.width);
            let target = program.window_of(target, &written, tensor.width);
            let count = read.end - read.start;
            let mut constants = vec![word(count), word(read.start), word(tensor.width)];
            constants.extend([word(written.start), word(written.end - written.start)]);
            constants.extend(walked);
            program.pass(Shader::Scatter, vec![(0, source), (1, target)], constants, count)?;
        }
    }
    Ok(())
}

/// The region of an output.
///
/// # Errors
///
/// When the tensor is more than the device can hold.
pub(crate) fn output_region(program: &mut Program, tensor: &Layout) -> Result<RegionId, TooLarge> {
    // Between the elements of an output stands what is to stay there.
    let transfer = if tensor.is_packed() { Transfer::Download } else { Transfer::Both };
    program.region(tensor.span * tensor.width, transfer)
}

/// Where the elements of a tensor are written one after the other: in its own region if it is packed.
///
/// # Errors
///
/// When the tensor is more than the device can hold.
pub(crate) fn packed_region(program: &mut Program, region: RegionId, tensor: &Layout) -> Result<RegionId, TooLarge> {
    if tensor.is_packed() {
        return Ok(region);
    }
    program.region(tensor.elements * tensor.width, Transfer::Scratch)
}

/// Adds passes that bring what was written there to its places.
///
/// # Errors
///
/// When the windows are too small for the tensor.
pub(crate) fn unpack(
    program: &mut Program,
    packed: RegionId,
    region: RegionId,
    tensor: &Layout,
) -> Result<(), TooLarge> {
    if packed == region { Ok(()) } else { scatter(program, packed, region, tensor) }
}

/// The dimensions as `strided.wgsl` takes them: their number, sizes and strides.
///
/// # Errors
///
/// When there are too many.
pub(crate) fn walked(dimensions: &[Dimension<1>]) -> Result<[u32; 17], TooLarge> {
    let dimensions = coalesced(dimensions.iter().copied());
    let mut walked = [0; 17];
    walked[0] = dimensions.len() as u32;
    walked[1..9].copy_from_slice(&sizes(&dimensions)?);
    walked[9..].copy_from_slice(&strides(&dimensions, 0)?);
    Ok(walked)
}

/// A block full of one value.
pub(crate) const fn pattern(output: &Layout, value: [u32; 2]) -> [u32; 4] {
    match output.width {
        1 => [(value[0] & 0xFF) * 0x0101_0101; 4],
        2 => [(value[0] & 0xFFFF) * 0x0001_0001; 4],
        4 => [value[0]; 4],
        _ => [value[0], value[1], value[0], value[1]],
    }
}

/// Adds passes that fill packed output with one value.
///
/// # Errors
///
/// When the output is more than the device can hold.
pub(crate) fn fill(
    program: &mut Program,
    packed: RegionId,
    output: &Layout,
    pattern: [u32; 4],
) -> Result<(), TooLarge> {
    let blocks = (output.elements * output.width).div_ceil(BLOCK);
    for window in program.windows(blocks, BLOCK) {
        let target = program.window_of(packed, &window, BLOCK);
        let count = window.end - window.start;
        let mut constants = pattern.to_vec();
        constants.push(word(count));
        program.pass(Shader::Fill, vec![(1, target)], constants, count)?;
    }
    Ok(())
}
