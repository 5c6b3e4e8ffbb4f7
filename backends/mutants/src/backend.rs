//! A backend with at most one deviation.

use opcert_backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support};
use opcert_cpu::CpuBackend;

use crate::argmax::rules::{self as argmax, ArgMaxRules};
use crate::descriptor::DescriptorRule;
use crate::dispatching::{Dispatch, DispatchRule};
use crate::nonzero_coordinates::rules::{self as nonzero_coordinates, NonzeroCoordinatesRules};
use crate::one_hot::rules::{self as one_hot, OneHotRules};

/// What is done differently.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deviation {
    /// Nothing.
    None,
    /// Which descriptors are refused.
    Descriptor(DescriptorRule),
    /// What happens around a right result.
    Dispatch(DispatchRule),
    /// The kernel of `directml/argmax`.
    ArgMax(ArgMaxRules),
    /// The kernel of `directml/nonzero_coordinates`.
    NonzeroCoordinates(NonzeroCoordinatesRules),
    /// The kernel of `directml/one_hot`.
    OneHot(OneHotRules),
    /// The kernel of `openvino/one_hot_1`.
    OpenVinoOneHot1(OneHotRules),
}

/// A backend that deviates where a requirement applies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deviating {
    name: &'static str,
    requirement: &'static str,
    deviation: Deviation,
}

impl Deviating {
    pub(crate) const fn new(name: &'static str, requirement: &'static str, deviation: Deviation) -> Self {
        Self { name, requirement, deviation }
    }
}

/// Whether a requirement, by its full id, is one of this operator: its own, or one of its family.
pub(crate) fn concerns(requirement: &str, operator: &str) -> bool {
    let Some((subject, _)) = requirement.rsplit_once('/') else { return true };
    match subject.split_once('/') {
        Some((family, "tensor" | "operator")) => operator.split('/').next() == Some(family),
        _ => subject == operator,
    }
}

impl Backend for Deviating {
    fn identity(&self) -> Identity {
        Identity { name: self.name.into(), ..CpuBackend::new().identity() }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        match descriptor.operator.as_str() {
            operator if has_kernel(operator) => CpuBackend::new().supports(descriptor),
            operator => Support::No(format!("there is no kernel of `{operator}` whose rules could be replaced")),
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let deviates = concerns(self.requirement, &descriptor.operator);
        let deviation = if deviates { self.deviation } else { Deviation::None };
        let right = CpuBackend::new().compile(descriptor).map(drop);
        // Whoever accepts by a reading of its own has to run it as well.
        let valid = right.is_ok() || matches!(deviation, Deviation::Descriptor(DescriptorRule::Accepts { .. }));
        match deviation {
            Deviation::Descriptor(rule) => rule.answer(descriptor, right)?,
            _ => right?,
        }
        Ok(Box::new(DeviatingOperator { descriptor: descriptor.clone(), valid, deviation, dispatches: 0 }))
    }
}

/// Whether the operator has a kernel here, whose rules mutants replace.
#[must_use]
pub fn has_kernel(operator: &str) -> bool {
    const KERNELS: [&str; 4] =
        ["directml/argmax", "directml/nonzero_coordinates", "directml/one_hot", "openvino/one_hot_1"];
    KERNELS.contains(&operator)
}

struct DeviatingOperator {
    descriptor: Descriptor,
    valid: bool,
    deviation: Deviation,
    dispatches: u32,
}

impl Operator for DeviatingOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        if !self.valid {
            return Err(Fault::Failed("the descriptor is invalid and should not have come this far".to_owned()));
        }
        self.dispatches += 1;
        let Deviation::Dispatch(rule) = self.deviation else { return self.run(inputs, outputs) };
        let before = outputs.iter().map(|output| output.bytes.to_vec()).collect();
        self.run(inputs, outputs)?;
        rule(&mut Dispatch { number: self.dispatches, before, inputs, outputs })
    }
}

impl DeviatingOperator {
    fn run(&self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let descriptor = &self.descriptor;
        match (descriptor.operator.as_str(), self.deviation) {
            ("directml/argmax", Deviation::ArgMax(rules)) => argmax::run(&rules, descriptor, inputs, outputs),
            ("directml/argmax", _) => argmax::run(&argmax::RIGHT, descriptor, inputs, outputs),
            ("directml/nonzero_coordinates", Deviation::NonzeroCoordinates(rules)) => {
                nonzero_coordinates::run(&rules, inputs, outputs)
            }
            ("directml/nonzero_coordinates", _) => {
                nonzero_coordinates::run(&nonzero_coordinates::RIGHT, inputs, outputs)
            }
            ("directml/one_hot", Deviation::OneHot(rules)) => one_hot::directml(&rules, descriptor, inputs, outputs),
            ("directml/one_hot", _) => one_hot::directml(&one_hot::RIGHT, descriptor, inputs, outputs),
            ("openvino/one_hot_1", Deviation::OpenVinoOneHot1(rules)) => {
                one_hot::openvino(&rules, descriptor, inputs, outputs)
            }
            ("openvino/one_hot_1", _) => one_hot::openvino(&one_hot::RIGHT, descriptor, inputs, outputs),
            (operator, _) => Err(Fault::Failed(format!("the operator `{operator}` is not implemented"))),
        }
    }
}
