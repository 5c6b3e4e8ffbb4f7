//! Whatever a backend does, the bundle of its run fits.

use opcert::backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support};
use opcert::judge::Outcome;
use opcert_cpu::CpuBackend;

use super::bundle::{Files, certified};

/// What a backend does wrong.
#[derive(Clone, Copy, Debug)]
enum Misdeed {
    None,
    ClaimsLittle,
    ClaimsOneOperator,
    AcceptsEverything,
    RefusesEverything,
    RefusesTheHighestLevel,
    NamesAnotherRequirement,
    NamesWhatEndsAName,
    LosesTheDevice,
    SupportsNothing,
    CannotSay,
    CannotAfterAll,
    WritesNothing,
    ChangesItsMind,
    WritesTheLargestNumber,
    RunsOutOfMemory,
    FindsOtherSizes,
    FindsOtherSizesLater,
}

use Misdeed::*;

const MISDEEDS: [(Misdeed, &[Outcome]); 18] = [
    (None, &[Outcome::Pass, Outcome::Observed]),
    (ClaimsLittle, &[Outcome::NotRun, Outcome::Pass]),
    (ClaimsOneOperator, &[Outcome::NotRun, Outcome::Pass]),
    (AcceptsEverything, &[Outcome::AcceptedWrongly]),
    (RefusesEverything, &[Outcome::RefusedWrongly]),
    (RefusesTheHighestLevel, &[Outcome::RefusedWrongly, Outcome::Pass]),
    (NamesAnotherRequirement, &[Outcome::WrongRequirement]),
    (NamesWhatEndsAName, &[Outcome::WrongRequirement]),
    (LosesTheDevice, &[Outcome::DeviceLost]),
    (SupportsNothing, &[Outcome::Unsupported]),
    (CannotSay, &[Outcome::Hang]),
    (CannotAfterAll, &[Outcome::Unsupported]),
    (WritesNothing, &[Outcome::Fail]),
    (ChangesItsMind, &[Outcome::Nondeterministic]),
    (WritesTheLargestNumber, &[Outcome::Fail]),
    (RunsOutOfMemory, &[Outcome::OutOfMemory]),
    (FindsOtherSizes, &[Outcome::Fail, Outcome::Observed]),
    (FindsOtherSizesLater, &[Outcome::Fail, Outcome::Nondeterministic]),
];

#[test]
fn the_bundle_of_any_backend_fits() {
    for (misdeed, outcomes) in MISDEEDS {
        let log = certified(&Misbehaving(misdeed), 7);
        let found = log.footer().outcomes;
        for outcome in outcomes {
            assert!(found.contains_key(outcome), "{misdeed:?}: no {outcome} among {found:?}");
        }
        assert_eq!(Files::of(&log).misfits(), [""; 0], "{misdeed:?}");
    }
}

struct Misbehaving(Misdeed);

struct MisbehavingOperator {
    inner: Option<Box<dyn Operator>>,
    misdeed: Misdeed,
    dispatches: u8,
}

impl Backend for Misbehaving {
    fn identity(&self) -> Identity {
        let identity = CpuBackend::new().identity();
        match self.0 {
            ClaimsLittle => Identity {
                claims: [("directml".to_owned(), "3_0".to_owned())].into(),
                strided: false,
                refuses_invalid: false,
                ..identity
            },
            ClaimsOneOperator => {
                Identity { claims: [("directml/argmax".to_owned(), "6_4".to_owned())].into(), ..identity }
            }
            _ => identity,
        }
    }

    fn supports(&self, _: &Descriptor) -> Support {
        match self.0 {
            SupportsNothing => Support::No("nothing at all".to_owned()),
            CannotSay => Support::Broken(Fault::Hung("no answer".to_owned())),
            _ => Support::Yes,
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let rejected = |requirement: &str| CompileError::Rejected {
            requirement: Some(requirement.to_owned()),
            reason: "no".to_owned(),
        };
        match self.0 {
            RefusesEverything => return Err(rejected("directml/tensor/total-size")),
            RefusesTheHighestLevel if descriptor.level == "6_4" => {
                return Err(rejected("directml/operator/introduced"));
            }
            LosesTheDevice => return Err(CompileError::Fault(Fault::DeviceLost("gone".to_owned()))),
            CannotAfterAll => return Err(CompileError::Unsupported { reason: "not this".to_owned() }),
            _ => {}
        }
        let inner = match CpuBackend::new().compile(descriptor) {
            Ok(operator) => Some(operator),
            Err(_) if matches!(self.0, AcceptsEverything) => Option::None,
            Err(_) if matches!(self.0, NamesAnotherRequirement) => {
                return Err(rejected("directml/no/such-requirement"));
            }
            // The right name, and what stands behind a name in a reason.
            Err(CompileError::Rejected { requirement: Some(right), .. }) if matches!(self.0, NamesWhatEndsAName) => {
                return Err(rejected(&format!("{right}` (")));
            }
            Err(error) => return Err(error),
        };
        Ok(Box::new(MisbehavingOperator { inner, misdeed: self.0, dispatches: 0 }))
    }
}

impl Operator for MisbehavingOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        self.dispatches += 1;
        match self.misdeed {
            WritesNothing => return Ok(()),
            RunsOutOfMemory => return Err(Fault::OutOfMemory("too large".to_owned())),
            FindsOtherSizes => return Err(other_sizes(outputs)),
            FindsOtherSizesLater if self.dispatches > 1 => return Err(other_sizes(outputs)),
            _ => {}
        }
        self.inner.as_mut().map_or(Ok(()), |inner| inner.dispatch(inputs, outputs))?;
        let bytes = outputs.iter_mut().flat_map(|output| output.bytes.iter_mut());
        match self.misdeed {
            WritesTheLargestNumber => bytes.for_each(|byte| *byte = 0xFF),
            ChangesItsMind if self.dispatches == 2 => bytes.for_each(|byte| *byte = byte.wrapping_add(1)),
            _ => {}
        }
        Ok(())
    }
}

/// What is said of an output that has one dimension more.
fn other_sizes(outputs: &[Output<'_>]) -> Fault {
    let output = &outputs[0];
    Fault::OtherSizes { tensor: output.name.to_owned(), sizes: [output.tensor.sizes.as_slice(), &[3]].concat() }
}
