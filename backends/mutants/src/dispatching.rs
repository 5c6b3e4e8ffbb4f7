//! What can be done wrong whatever an operator computes: memory that is touched or left alone, and a change of mind.

use std::iter::zip;

use opcert_backend::{Fault, Input, Output};

use crate::Mutant;
use crate::backend::Deviation;
use crate::layout::as_described;

/// A dispatch whose outputs are right, so far.
#[derive(Debug)]
pub(crate) struct Dispatch<'a, 'i, 'o> {
    /// Which dispatch of the operator this is, from 1.
    pub(crate) number: u32,
    /// The memory of each output before.
    pub(crate) before: Vec<Vec<u8>>,
    /// The inputs.
    pub(crate) inputs: &'a [Input<'i>],
    /// The outputs.
    pub(crate) outputs: &'a mut [Output<'o>],
}

/// What is done after the right outputs were written.
pub(crate) type DispatchRule = fn(&mut Dispatch<'_, '_, '_>) -> Result<(), Fault>;

macro_rules! misdeeds {
    ($family:literal, $prefix:literal) => {
        &[
            mutant(
                concat!($prefix, "writes-behind-the-output"),
                concat!($family, "/operator/no-write-beyond"),
                "One byte behind the last output is written.",
                |dispatch| {
                    if let Some(output) = dispatch.outputs.last() {
                        overwrite(output.bytes.as_ptr_range().end);
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "writes-far-behind-the-output"),
                concat!($family, "/operator/no-write-beyond"),
                "A byte 256 bytes behind the first output is written.",
                |dispatch| {
                    if let Some(output) = dispatch.outputs.first() {
                        overwrite(output.bytes.as_ptr_range().end.wrapping_add(256));
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "writes-in-front-of-the-output"),
                concat!($family, "/operator/no-write-beyond"),
                "One byte in front of the first output is written.",
                |dispatch| {
                    if let Some(output) = dispatch.outputs.first() {
                        overwrite(output.bytes.as_ptr().wrapping_sub(1));
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "writes-whole-blocks-of-16-bytes"),
                concat!($family, "/operator/no-write-beyond"),
                "The output is written in blocks of 16 bytes, the last one beyond its end.",
                |dispatch| {
                    for output in dispatch.outputs.iter().filter(|output| output.bytes.len() % 16 != 0) {
                        overwrite(output.bytes.as_ptr_range().end);
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "writes-behind-the-output-the-second-time"),
                concat!($family, "/operator/no-write-beyond"),
                "From the second dispatch on a byte behind the output is written.",
                |dispatch| {
                    if let Some(output) = dispatch.outputs.first().filter(|_| dispatch.number > 1) {
                        overwrite(output.bytes.as_ptr_range().end);
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "writes-the-first-input"),
                concat!($family, "/operator/inputs-unchanged"),
                "The first byte of the first input is changed.",
                |dispatch| {
                    if let Some(input) = dispatch.inputs.first().filter(|input| !input.bytes.is_empty()) {
                        overwrite(input.bytes.as_ptr());
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "writes-the-last-input"),
                concat!($family, "/operator/inputs-unchanged"),
                "The last byte of the last input is changed.",
                |dispatch| {
                    if let Some(last) = dispatch.inputs.last().and_then(|input| input.bytes.last()) {
                        overwrite(last);
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "writes-the-input-the-second-time"),
                concat!($family, "/operator/inputs-unchanged"),
                "From the second dispatch on the first input is changed.",
                |dispatch| {
                    if let Some(first) = dispatch.inputs.first().and_then(|input| input.bytes.first()) {
                        if dispatch.number > 1 {
                            overwrite(first);
                        }
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "leaves-the-first-element"),
                concat!($family, "/operator/every-defined-element-written"),
                "The first element of the first output is not written.",
                |dispatch| {
                    leave(dispatch, |elements| elements.first().copied());
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "leaves-the-last-element"),
                concat!($family, "/operator/every-defined-element-written"),
                "The last element of the first output is not written.",
                |dispatch| {
                    leave(dispatch, |elements| elements.last().copied());
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "writes-nothing"),
                concat!($family, "/operator/every-defined-element-written"),
                "No output is written.",
                |dispatch| {
                    for (output, before) in zip(dispatch.outputs.iter_mut(), &dispatch.before) {
                        output.bytes.copy_from_slice(before);
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "leaves-what-is-zero"),
                concat!($family, "/operator/every-defined-element-written"),
                "Bytes that are 0 are not written, since memory is taken to be cleared.",
                |dispatch| {
                    for (output, before) in zip(dispatch.outputs.iter_mut(), &dispatch.before) {
                        zip(&mut *output.bytes, before)
                            .filter(|(byte, _)| **byte == 0)
                            .for_each(|(byte, old)| *byte = *old);
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "adds-to-what-was-there"),
                concat!($family, "/operator/every-defined-element-written"),
                "Results are combined with what the memory held before.",
                |dispatch| {
                    for (output, before) in zip(dispatch.outputs.iter_mut(), &dispatch.before) {
                        zip(&mut *output.bytes, before).for_each(|(byte, old)| *byte ^= old);
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "fails-on-one-element"),
                concat!($family, "/operator/every-defined-element-written"),
                "A dispatch fails where an output has one element and no other has more.",
                |dispatch| {
                    let single = dispatch.outputs.iter().all(|output| output.tensor.element_count() == Some(1));
                    if single { Err(Fault::Failed("nothing to do".to_owned())) } else { Ok(()) }
                },
            ),
            mutant(
                concat!($prefix, "panics-on-odd-counts"),
                concat!($family, "/operator/every-defined-element-written"),
                "A dispatch panics where the first output has an odd number of elements above 2.",
                |dispatch| {
                    let elements = dispatch.outputs.first().and_then(|output| output.tensor.element_count());
                    let odd = elements.is_some_and(|count| count > 2 && count % 2 == 1);
                    assert!(!odd, "elements come in pairs");
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "changes-its-mind"),
                concat!($family, "/operator/deterministic"),
                "Every second dispatch inverts the lowest bit of the first output.",
                |dispatch| {
                    if let Some(byte) = dispatch.outputs.first_mut().and_then(|output| output.bytes.first_mut()) {
                        *byte ^= u8::from(dispatch.number % 2 == 0);
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "runs-once"),
                concat!($family, "/operator/deterministic"),
                "From the second dispatch on nothing is written.",
                |dispatch| {
                    for (output, before) in zip(dispatch.outputs.iter_mut(), &dispatch.before) {
                        if dispatch.number > 1 {
                            output.bytes.copy_from_slice(before);
                        }
                    }
                    Ok(())
                },
            ),
            mutant(
                concat!($prefix, "swaps-elements-the-second-time"),
                concat!($family, "/operator/deterministic"),
                "From the second dispatch on the first two elements that differ in an output are swapped.",
                |dispatch| {
                    if dispatch.number > 1 {
                        dispatch.outputs.iter_mut().for_each(swap_neighbours);
                    }
                    Ok(())
                },
            ),
        ]
    };
}

/// DirectML's, in the order of the requirements.
pub(crate) const DIRECTML_MUTANTS: &[Mutant] = misdeeds!("directml", "");
/// The same for OpenVINO.
pub(crate) const OPENVINO_MUTANTS: &[Mutant] = misdeeds!("openvino", "openvino-");

const fn mutant(name: &'static str, breaks: &'static str, about: &'static str, rule: DispatchRule) -> Mutant {
    Mutant::new(name, breaks, about, Deviation::Dispatch(rule))
}

/// Puts back what one element of the first output held before.
fn leave(dispatch: &mut Dispatch<'_, '_, '_>, choose: fn(&[usize]) -> Option<usize>) {
    let (Some(output), Some(before)) = (dispatch.outputs.first_mut(), dispatch.before.first()) else { return };
    let layout = as_described(output.tensor);
    if let Some(offset) = choose(&layout.offsets()) {
        let old = layout.load(before, offset);
        layout.store(output.bytes, offset as i64, old);
    }
}

/// Swaps the first neighbours in logical order that differ.
fn swap_neighbours(output: &mut Output<'_>) {
    let layout = as_described(output.tensor);
    let (offsets, elements) = (layout.offsets(), layout.elements(output.bytes));
    let pairs = zip(&elements, elements.iter().skip(1));
    if let Some(first) = pairs.into_iter().position(|(one, other)| one != other) {
        layout.store(output.bytes, offsets[first] as i64, elements[first + 1]);
        layout.store(output.bytes, offsets[first + 1] as i64, elements[first]);
    }
}

#[expect(unsafe_code, reason = "no safe code can write beside its buffers, and that must be seen")]
fn overwrite(place: *const u8) {
    // SAFETY: not sound by the language's rules, which is the point. The byte lies inside an allocation of the
    // harness: an input's memory, or a guard zone, which is at least 4096 bytes long, beside an output.
    unsafe { place.cast_mut().write_volatile(place.read_volatile() ^ 0xFF) };
}
