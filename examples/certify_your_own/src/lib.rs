//! A backend that can do one thing, claims that and nothing else, and does it right: `directml/argmax` at feature level 3_0,
//! on packed and strided tensors.
//!
//! `tests/conformance.rs` runs every case as a test: those that are claimed pass, and all others are ignored.
//! `tests/certificate.rs` has the command certify it.

use std::collections::BTreeMap;

use half::f16;
use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, ArgMax};
use opcert_backend::{
    Backend, CompileError, DataType, Descriptor, Element, Fault, Identity, Input, Operator, Output, Support,
};

/// The one operator.
const ARGMAX: &str = "directml/argmax";

/// The backend.
#[derive(Clone, Copy, Debug)]
pub struct SmallBackend;

impl Backend for SmallBackend {
    fn identity(&self) -> Identity {
        Identity {
            name: "small".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            device: None,
            claims: BTreeMap::from([(ARGMAX.to_owned(), "3_0".to_owned())]),
            strided: true,
            refuses_invalid: false,
        }
    }

    fn operators(&self) -> Option<Vec<String>> {
        Some(vec![ARGMAX.to_owned()])
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        match SmallArgMax::of(descriptor) {
            Err(CompileError::Unsupported { reason }) => Support::No(reason),
            _ => Support::Yes,
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        Ok(Box::new(SmallArgMax::of(descriptor)?))
    }
}

/// Finds the indices in an input and writes them.
type Run = fn(&SmallArgMax, &Input<'_>, &mut Output<'_>) -> Result<(), Fault>;

struct SmallArgMax {
    run: Run,
    /// The dimensions of the input, those that are reduced last.
    order: Vec<usize>,
    /// So many elements are reduced to one.
    reduced: usize,
    takes_last: bool,
}

impl SmallArgMax {
    fn of(descriptor: &Descriptor) -> Result<Self, CompileError> {
        let unsupported = |reason: String| CompileError::Unsupported { reason };
        let view = ArgMax::try_from(descriptor)?;
        let types = (view.input.data_type, view.output.data_type);
        let run = run(types).ok_or_else(|| unsupported(format!("argmax of {} to {}", types.0, types.1)))?;
        // Nothing is said for or against rows that interleave, and `view_mut` takes none.
        if !view.output.strides_nest() {
            return Err(unsupported("an output whose strides do not nest".to_owned()));
        }
        // The documents leave open what these mean.
        if view.axes.is_empty() || !view.axes.is_sorted_by(|one, next| one < next) {
            return Err(unsupported("axes that are none, repeated or out of order".to_owned()));
        }
        let is_reduced = |dimension: &usize| view.axes.contains(&(*dimension as i64));
        let (axes, kept): (Vec<_>, Vec<_>) = (0..view.input.sizes.len()).partition(is_reduced);
        let reduced = axes.iter().map(|&axis| view.input.sizes[axis] as usize).product();
        let takes_last = view.axis_direction == AXIS_DIRECTION_DECREASING;
        Ok(Self { run, order: [kept, axes].concat(), reduced, takes_last })
    }

    fn run<E: Element + PartialOrd, I: Element + TryFrom<usize>>(
        &self,
        input: &Input<'_>,
        output: &mut Output<'_>,
    ) -> Result<(), Fault> {
        let input = input.view::<E>()?.permuted_axes(self.order.as_slice());
        let mut elements = input.iter();
        for index in &mut output.view_mut::<I>()? {
            let greater = |best: (usize, E), next: (usize, E)| {
                if next.1 > best.1 || self.takes_last && next.1 == best.1 { next } else { best }
            };
            let greatest = elements.by_ref().take(self.reduced).copied().enumerate().reduce(greater);
            let (found, _) = greatest.ok_or_else(|| Fault::Failed("a maximum of nothing".to_owned()))?;
            *index = found.try_into().map_err(|_| Fault::Failed(format!("the index {found} does not fit")))?;
        }
        Ok(())
    }
}

impl Operator for SmallArgMax {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let ([input], [output]) = (inputs, outputs) else {
            return Err(Fault::Failed("expected one input and one output".to_owned()));
        };
        (self.run)(self, input, output)
    }
}

/// The code for an input and an output of these types.
fn run((input, output): (DataType, DataType)) -> Option<Run> {
    Some(match input {
        DataType::F32 => run_of::<f32>(output)?,
        DataType::F16 => run_of::<f16>(output)?,
        DataType::I32 => run_of::<i32>(output)?,
        DataType::I16 => run_of::<i16>(output)?,
        DataType::I8 => run_of::<i8>(output)?,
        DataType::U32 => run_of::<u32>(output)?,
        DataType::U16 => run_of::<u16>(output)?,
        DataType::U8 => run_of::<u8>(output)?,
        _ => return None,
    })
}

fn run_of<E: Element + PartialOrd>(output: DataType) -> Option<Run> {
    Some(match output {
        DataType::I64 => SmallArgMax::run::<E, i64>,
        DataType::I32 => SmallArgMax::run::<E, i32>,
        DataType::U64 => SmallArgMax::run::<E, u64>,
        DataType::U32 => SmallArgMax::run::<E, u32>,
        _ => return None,
    })
}
