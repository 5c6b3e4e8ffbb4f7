//! Answers before times: a workload is run on small tensors, and the answers are judged by the operator's definition.

use std::path::PathBuf;
use std::sync::Arc;

use opcert_backend::{Backend, Descriptor, ForeignText, Role, Support, contain};

use super::bound::Bound;
use super::workload::{Scale, Work, Workload};
use crate::case::{Data, Expectation, ExpectedTensor};
use crate::check::{About, CheckedCase, InputData, Layout, ValidCase, violations};
use crate::expected::{Expected, expected};
use crate::judge::{CaseEvent, Outcome, judge};
use crate::plan::{Decision, Planned};
use crate::run::execute;
use crate::spec::{Authority, Level, Operator};

/// The numbers of elements at which answers are compared, the smallest first, so that what is wrong can be looked at.
/// The largest is large enough for several threads, and not too large for the definition.
const CHECKED: [u64; 4] = [1 << 6, 1 << 10, 1 << 16, 1 << 20];

/// An operator at the level that a backend claims.
#[derive(Clone, Debug)]
pub(super) struct Claimed {
    pub(super) operator: Arc<Operator>,
    pub(super) level: Level,
}

impl Claimed {
    /// The operator of a workload, or why it cannot be asked for.
    pub(super) fn of(workload: &Workload, backend: &dyn Backend) -> Result<Self, String> {
        let operator = &workload.operator;
        let id = operator.id.as_str();
        let family = &operator.family;
        let level = backend.identity().claimed(id).and_then(|level| family.level(level));
        let level = level.ok_or_else(|| format!("`{id}` is not claimed"))?;
        if level < operator.introduced {
            let introduced = family.level_name(operator.introduced);
            return Err(format!("{} is claimed, and the operator exists from {introduced}", family.level_name(level)));
        }
        Ok(Self { operator: Arc::clone(operator), level })
    }

    /// The descriptor of a workload at that level, or why it is none.
    pub(super) fn descriptor(&self, work: &Work) -> Result<Descriptor, String> {
        let level = self.operator.family.level_name(self.level);
        let descriptor = Descriptor { level: level.to_owned(), ..work.descriptor.clone() };
        match violations(&self.operator, &descriptor, self.level).first() {
            None => Ok(descriptor),
            Some(broken) => Err(format!("not valid at {level}: {} [{}]", broken.message, broken.requirement)),
        }
    }
}

/// What the backend says to a descriptor before it is compiled.
pub(super) fn supported(backend: &dyn Backend, descriptor: &Descriptor) -> Decision {
    match contain(|| backend.supports(descriptor)) {
        Ok(Support::Yes) => Decision::Run(Vec::new()),
        Ok(Support::No(reason)) => Decision::Unsupported(reason),
        Ok(Support::Broken(fault)) | Err(fault) => Decision::Unanswered(fault),
    }
}

/// The numbers of elements at which a workload of this size is checked.
pub(super) fn sizes(workload: &Workload, elements: u64) -> Vec<u64> {
    if workload.scale == Scale::Small {
        return vec![elements];
    }
    let own = (elements <= CHECKED[CHECKED.len() - 1]).then_some(elements);
    CHECKED.into_iter().filter(|&size| size < elements).chain(own).collect()
}

/// Runs a workload as a case is run, between guard zones and twice, and judges it by the definition. What comes back is
/// wrong in some way; nothing where it is right.
///
/// # Errors
///
/// Why nothing can be compared: a descriptor that is not valid, or that the backend does not support, memory that is not
/// to be had, a definition that has no answer.
pub(super) fn wrong(
    claimed: &Claimed,
    work: &Work,
    seed: u64,
    name: &str,
    backend: &dyn Backend,
) -> Result<Option<CaseEvent>, String> {
    let descriptor = claimed.descriptor(work)?;
    let decision = match supported(backend, &descriptor) {
        Decision::Run(_) => Decision::Run(vec![claimed.level]),
        Decision::Unsupported(reason) => return Err(unchecked(&reason)),
        other => other,
    };
    let bound = Bound::new(work, descriptor.clone(), seed).map_err(|fault| fault.to_string())?;
    let entries = descriptor.tensors.iter().filter(|entry| entry.role == Role::Input);
    let inputs: Vec<InputData> = std::iter::zip(entries, bound.inputs)
        .map(|(entry, bytes)| InputData { name: entry.name.clone(), data: Data::Elements(bytes) })
        .collect();
    let expected = match expected(&claimed.operator, &descriptor, &inputs).map_err(|error| error.to_string())? {
        Expected::Values(values) => values.into_iter().map(|(name, each)| (name, ExpectedTensor::Elements(each))),
        Expected::Open { questions, .. } => {
            return Err(format!("the documents leave open what comes out: {}", questions.join(", ")));
        }
    };
    let about = About {
        id: format!("{}/{name}", claimed.operator.id),
        file: Arc::new(PathBuf::new()),
        operator: Arc::clone(&claimed.operator),
        title: Some(work.caption.clone()),
        source: None,
        covers: Vec::new(),
        authority: Authority::Derived,
        layout: Layout::Packed,
        large: false,
    };
    let expectation = Expectation::Values(expected.collect());
    let level = claimed.level;
    let invariants = Vec::new();
    let case = ValidCase { about, level, last: level, descriptor, dispatched: true, inputs, expectation, invariants };
    let planned = Planned { case: CheckedCase::Valid(case), decision };
    let event = judge(&planned, execute(&planned, backend));
    match event.outcome {
        Outcome::Pass => Ok(None),
        Outcome::Unsupported => Err(unchecked(event.reason.as_ref().map_or("", ForeignText::raw))),
        _ => Ok(Some(event)),
    }
}

/// What is said where the backend does not support a size at which its answer would be checked.
fn unchecked(reason: &str) -> String {
    format!("not checked, since it is not supported at this size: {reason}")
}

#[cfg(test)]
mod tests {
    use opcert_backend::{CompileError, Identity, Operator as Compiled};

    use super::super::load::Workloads;
    use super::*;
    use crate::source::Source;
    use crate::spec::Specs;

    /// Supports everything, and can do nothing.
    struct Idle;

    impl Backend for Idle {
        fn identity(&self) -> Identity {
            let claims = [("directml".to_owned(), "6_4".to_owned())].into();
            let (name, version, device) = ("idle".into(), "0".into(), None);
            Identity { name, version, device, claims, strided: false, refuses_invalid: false }
        }

        fn supports(&self, _: &Descriptor) -> Support {
            Support::Yes
        }

        fn compile(&self, _: &Descriptor) -> Result<Box<dyn Compiled>, CompileError> {
            Err(CompileError::Unsupported { reason: "nothing".to_owned() })
        }
    }

    #[test]
    fn what_cannot_be_compared_is_not_taken_for_right() {
        let specs = Specs::load(&Source::embedded_specs()).unwrap();
        let workloads = Workloads::load(&Source::embedded_workloads(), &specs, |_| true).unwrap();
        let workload = workloads.all().find(|workload| workload.operator.id == "directml/argmax").unwrap();
        let claimed = Claimed::of(workload, &Idle).unwrap();
        let work = || workload.work(workload.types[0], 64).unwrap();
        let said = |work: &Work| wrong(&claimed, work, 1, "x", &Idle).map(|event| event.map(|event| event.outcome));
        assert_eq!(said(&work()), Err("not checked, since it is not supported at this size: nothing".to_owned()));
        let mut strange = work();
        strange.descriptor.tensors[1].name = "Another".to_owned();
        assert_eq!(said(&strange), Err("the definition of `directml/argmax` says nothing of `Another`".to_owned()));
        let mut invalid = work();
        invalid.descriptor.tensors[0].tensor.sizes.push(0);
        assert!(said(&invalid).unwrap_err().starts_with("not valid at 6_4: "));
    }
}
