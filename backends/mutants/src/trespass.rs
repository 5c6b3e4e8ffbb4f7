//! Backends that answer rightly and write one byte that is not theirs.

use opcert::mutate::WrongBackend;
use opcert_backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support};

/// A backend that answers rightly and writes one byte that is not its own.
#[derive(Clone, Debug)]
pub struct Trespasser {
    /// What it is called: `writes-behind-the-output`.
    pub name: &'static str,
    /// The requirement that it breaks, without its family.
    pub breaks: &'static str,
    /// What it does, as a sentence.
    pub about: &'static str,
    place: Place,
    right: WrongBackend,
}

/// Where a dispatch of this number writes, if anywhere.
type Place = fn(u32, &[Input<'_>], &[Output<'_>]) -> Option<*const u8>;

/// The requirement that who writes an input breaks, behind its family.
const INPUTS_UNCHANGED: &str = "operator/inputs-unchanged";

/// Every one of them, each with what it does besides.
const TRESPASSES: [(&str, &str, &str, Place); 8] = [
    (
        "writes-behind-the-output",
        "operator/no-write-beyond",
        "One byte behind the last output is written.",
        |_, _, outputs| Some(outputs.last()?.bytes.as_ptr_range().end),
    ),
    (
        "writes-far-behind-the-output",
        "operator/no-write-beyond",
        "A byte 256 bytes behind the first output is written.",
        |_, _, outputs| Some(outputs.first()?.bytes.as_ptr_range().end.wrapping_add(256)),
    ),
    (
        "writes-in-front-of-the-output",
        "operator/no-write-beyond",
        "One byte in front of the first output is written.",
        |_, _, outputs| Some(outputs.first()?.bytes.as_ptr().wrapping_sub(1)),
    ),
    (
        "writes-whole-blocks-of-16-bytes",
        "operator/no-write-beyond",
        "An output is written in blocks of 16 bytes, the last one beyond its end.",
        |_, _, outputs| Some(outputs.iter().find(|output| output.bytes.len() % 16 != 0)?.bytes.as_ptr_range().end),
    ),
    (
        "writes-behind-the-output-the-second-time",
        "operator/no-write-beyond",
        "From the second dispatch on a byte behind the first output is written.",
        |number, _, outputs| Some(outputs.first().filter(|_| number > 1)?.bytes.as_ptr_range().end),
    ),
    ("writes-the-first-input", INPUTS_UNCHANGED, "The first byte of the first input is changed.", |_, inputs, _| {
        Some(std::ptr::from_ref(inputs.first()?.bytes.first()?))
    }),
    ("writes-the-last-input", INPUTS_UNCHANGED, "The last byte of the last input is changed.", |_, inputs, _| {
        Some(std::ptr::from_ref(inputs.last()?.bytes.last()?))
    }),
    (
        "writes-the-input-the-second-time",
        INPUTS_UNCHANGED,
        "From the second dispatch on the first input is changed.",
        |number, inputs, _| Some(std::ptr::from_ref(inputs.first().filter(|_| number > 1)?.bytes.first()?)),
    ),
];

impl Trespasser {
    /// Whether it writes inputs.
    #[must_use]
    pub fn is_about_inputs(&self) -> bool {
        self.breaks == INPUTS_UNCHANGED
    }
}

/// Every trespasser that answers as this backend does, which is right.
#[must_use]
pub fn trespassers(right: &WrongBackend) -> Vec<Trespasser> {
    let trespasser = |(name, breaks, about, place)| Trespasser { name, breaks, about, place, right: right.clone() };
    TRESPASSES.map(trespasser).into()
}

impl Backend for Trespasser {
    fn identity(&self) -> Identity {
        Identity { name: self.name.into(), ..self.right.identity() }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        self.right.supports(descriptor)
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let right = self.right.compile(descriptor)?;
        Ok(Box::new(Trespassing { place: self.place, right, number: 0 }))
    }
}

/// A compiled operator of a trespasser.
struct Trespassing {
    place: Place,
    right: Box<dyn Operator>,
    /// How many dispatches there were.
    number: u32,
}

impl Operator for Trespassing {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        self.number += 1;
        self.right.dispatch(inputs, outputs)?;
        if let Some(place) = (self.place)(self.number, inputs, outputs) {
            overwrite(place);
        }
        Ok(())
    }
}

#[expect(unsafe_code, reason = "no safe code can write beside its buffers, and that must be seen")]
fn overwrite(place: *const u8) {
    // SAFETY: not sound by the language's rules, which is the point. The byte lies inside an allocation of the
    // harness: an input's memory, or a guard zone, which is at least 4096 bytes long, beside an output.
    unsafe { place.cast_mut().write_volatile(place.read_volatile() ^ 0xFF) };
}
