//! Random descriptors and data against the operators' definitions, and random edits of them against the validator.
//!
//! Every operator has a stream of samples. Sample `i` is a function of the seed, the operator and `i` alone, so that
//! the stream is the same however many threads look at it. A sampler draws it from [`Choices`], plainest first; the
//! definition says what a valid one gives, the validator what an edited one breaks; and both go to the backend as cases
//! do: laid out, poisoned, between guard zones, dispatched twice, judged. What fails is shrunk by its choices and put
//! into cases that a run repeats.
//!
//! What the definition leaves open is only observed. Nothing here knows an operator.

mod found;
mod invalid;
mod replay;
mod shrink;
mod stream;
mod trial;

pub use crate::sample::Choices;
pub use found::{FOUND, Failure, folder_of};
pub use replay::{Replayed, replay};
pub use shrink::shrink;
pub use stream::{MOST_FAILURES, OperatorReport, Tally};
pub use trial::{Kind, Target, Trial};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use opcert_backend::{Backend, ForeignText};

use crate::expected::NothingExpected;
use crate::near::did_you_mean;
use crate::plan::{ClaimError, Plan, Selection};
use crate::spec::{Level, Operator, Specs};

/// What is fuzzed, and how long.
pub struct Fuzzing<'a> {
    /// The specifications.
    pub specs: &'a Specs,
    /// The backend.
    pub backend: &'a dyn Backend,
    /// The operators, by their ids; all if there are none.
    pub operators: Vec<String>,
    /// The highest level, if it is not the one that the backend claims.
    pub level: Option<String>,
    /// What all samples follow from.
    pub seed: u64,
    /// How many threads; 0 is one per core.
    pub jobs: usize,
    /// When it ends.
    pub limit: Limit,
    /// So many failures of an operator that differ from each other end its stream before the limit does.
    pub most_failures: usize,
}

/// When fuzzing ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// After so many samples of each operator: what is reported depends on the seed alone.
    Samples(u64),
    /// After so much time, which the operators share.
    Time(Duration),
}

/// Why nothing can be fuzzed.
#[derive(Debug, thiserror::Error)]
pub enum FuzzError {
    /// The backend claims what does not exist.
    #[error(transparent)]
    Claims(#[from] ClaimError),
    /// An operator is not known.
    #[error("`{id}` is no operator that can be fuzzed; there are {known}")]
    Operator {
        /// What was asked for.
        id: String,
        /// What there is, and what was perhaps meant.
        known: String,
    },
    /// No operator that was asked for exists at the level that was asked for.
    #[error("{operators} is not there up to {level}; ask for a higher level")]
    Level {
        /// The operators.
        operators: String,
        /// The level.
        level: String,
    },
    /// The backend claims no operator that was asked for.
    #[error("`{backend}` claims none of {operators} at a level that has it")]
    Unclaimed {
        /// The backend.
        backend: ForeignText,
        /// The operators.
        operators: String,
    },
}

impl Fuzzing<'_> {
    /// Fuzzes one operator after the other. `progress` is told of every batch of samples: the operator, and what has
    /// come of it so far.
    ///
    /// # Errors
    ///
    /// Claims that do not exist, operators that are not known, or of which the backend claims none.
    pub fn run(&self, progress: impl FnMut(&Operator, &Tally)) -> Result<Vec<OperatorReport>, FuzzError> {
        self.run_until(&AtomicBool::new(false), progress)
    }

    /// The same, until it is asked to end. The samples that run then are the last ones, what was found is shrunk no
    /// further, and an operator that was not begun has no report.
    ///
    /// # Errors
    ///
    /// As for [`Fuzzing::run`].
    pub fn run_until(
        &self,
        is_asked: &AtomicBool,
        mut progress: impl FnMut(&Operator, &Tally),
    ) -> Result<Vec<OperatorReport>, FuzzError> {
        let targets = self.targets()?;
        let start = Instant::now();
        let mut reports = Vec::with_capacity(targets.len());
        for (index, target) in targets.iter().enumerate() {
            if is_asked.load(Ordering::Relaxed) {
                break;
            }
            let left = (targets.len() - index) as u32;
            let share = |time: Duration| time.saturating_sub(start.elapsed()) / left;
            let limits = self.limits(is_asked, share);
            reports.push(stream::run(self, target, limits, &mut |tally| progress(&target.operator, tally)));
        }
        Ok(reports)
    }

    /// Fuzzes one operator. The target is [one of these](Self::targets), or of another backend that claims the same: where many
    /// backends are fuzzed, it need not be found out for each what there is to draw.
    #[must_use]
    pub fn run_on(&self, target: &Target) -> OperatorReport {
        stream::run(self, target, self.limits(&AtomicBool::new(false), |time| time), &mut |_| ())
    }

    /// Up to which sample an operator is fuzzed, for how long, and who may ask to end.
    fn limits<'a>(
        &self,
        is_asked: &'a AtomicBool,
        share: impl Fn(Duration) -> Duration,
    ) -> (u64, Option<Duration>, &'a AtomicBool) {
        match self.limit {
            Limit::Samples(samples) => (samples, None, is_asked),
            Limit::Time(time) => (u64::MAX, Some(share(time)), is_asked),
        }
    }

    /// The operators that are fuzzed, as far as the backend claims them.
    ///
    /// # Errors
    ///
    /// As for [`Fuzzing::run`].
    pub fn targets(&self) -> Result<Vec<Target>, FuzzError> {
        Plan::new(Vec::new(), self.specs, self.backend, &Selection::default())?;
        let chosen = self.chosen()?;
        let targets: Vec<Target> = chosen.iter().filter_map(|operator| self.target(operator)).collect();
        // What was asked for by its name is not left out without a word.
        let left_out = !self.operators.is_empty() && targets.len() < chosen.len();
        if targets.is_empty() || left_out {
            let chosen: Vec<_> = chosen.into_iter().filter(|operator| self.target(operator).is_none()).collect();
            let operators = chosen.iter().map(|operator| format!("`{}`", operator.id)).collect::<Vec<_>>();
            let operators = operators.join(", ");
            let too_low = |operator: &Operator| self.asked(operator).is_some_and(|asked| asked < operator.introduced);
            return Err(match &self.level {
                Some(level) if chosen.iter().all(|operator| too_low(operator)) => {
                    FuzzError::Level { operators, level: level.clone() }
                }
                _ => FuzzError::Unclaimed { backend: self.backend.identity().name, operators },
            });
        }
        Ok(targets)
    }

    /// A sample of an operator's stream.
    ///
    /// # Errors
    ///
    /// When the operator's definition has no answer to it.
    pub fn sample(&self, target: &Target, index: u64) -> Result<Trial, NothingExpected> {
        target.trial(&mut stream::choices(self.seed, target, index).unrecorded())
    }

    fn chosen(&self) -> Result<Vec<&Arc<Operator>>, FuzzError> {
        let all = &self.specs.operators;
        if let Some(id) = self.operators.iter().find(|id| all.iter().all(|operator| operator.id != **id)) {
            let known = all.iter().map(|operator| format!("`{}`", operator.id)).collect::<Vec<_>>().join(", ");
            let meant = did_you_mean(id, all.iter().map(|operator| operator.id.as_str()));
            return Err(FuzzError::Operator { id: id.clone(), known: known + &meant });
        }
        let wanted = |operator: &Operator| self.operators.is_empty() || self.operators.contains(&operator.id);
        Ok(all.iter().filter(|operator| wanted(operator)).collect())
    }

    fn target(&self, operator: &Arc<Operator>) -> Option<Target> {
        let identity = self.backend.identity();
        let family = &operator.family;
        let claimed = family.level(identity.claimed(&operator.id)?)?;
        let highest = self.asked(operator).map_or(claimed, |asked| asked.min(claimed));
        let claims = (identity.strided, identity.refuses_invalid);
        (operator.introduced <= highest).then(|| Target::new(operator, highest, claims))
    }

    /// The level that is asked for, where the operator's family has it.
    fn asked(&self, operator: &Operator) -> Option<Level> {
        operator.family.level(self.level.as_deref()?)
    }
}

#[cfg(test)]
mod tests {
    use opcert_cpu::CpuBackend;

    use super::*;
    use crate::source::Source;

    const FAMILY: &str = "\
family: demo
title: Demo
levels: [\"1\"]
types: {int: i32}
layouts: false
granularity: 1
documents:
  guide: {revision: the first edition}
operator: {}
";

    /// An operator whose definition does not say what is returned where a sum is no value of its type.
    const SUM: &str = "\
operator: demo/sum
title: Sum
summary: Adds all elements.
documents:
  page: {revision: the first edition}
introduced: \"1\"
subject: input
tensors:
  input: {role: input}
  output: {role: output}
attributes: {}
requirements:
  scalar:
    text: The output has one element.
    authority: stated
    kind: descriptor
    source: {document: page, section: Tensors}
    check: {all_sizes_one: {tensor: output}}
  total:
    text: The output is the sum of the input.
    authority: stated
    kind: semantics
    source: {document: page, section: Introduction}
definition: |
  def output(at):
      return sum(input[p] for p in places(input))  # total
";

    /// Fuzzes the operator of a specification, at most so many samples.
    fn fuzzed<T>(operator: &str, samples: u64, look: impl FnOnce(&Fuzzing<'_>, &Target) -> T) -> T {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("demo")).unwrap();
        std::fs::write(folder.path().join("demo/family.yaml"), FAMILY).unwrap();
        std::fs::write(folder.path().join("demo/sum.yaml"), operator).unwrap();
        let specs = Specs::load(&Source::Path(folder.path().to_owned())).unwrap();
        let backend = CpuBackend::new();
        let fuzzing = Fuzzing {
            specs: &specs,
            backend: &backend,
            operators: Vec::new(),
            level: None,
            seed: 1,
            jobs: 1,
            limit: Limit::Samples(samples),
            most_failures: MOST_FAILURES,
        };
        let operator = specs.operator("demo/sum").unwrap();
        look(&fuzzing, &Target::new(operator, operator.family.highest(), (true, true)))
    }

    #[test]
    fn a_sample_without_an_answer_is_a_mistake() {
        let limits = (1000, None, &AtomicBool::new(false));
        let report = fuzzed(SUM, 1000, |fuzzing, target| stream::run(fuzzing, target, limits, &mut |_| ()));
        assert_eq!(report.mistakes.len(), MOST_FAILURES);
        let message = "is no value of i32, the type of `output`";
        assert!(report.mistakes.iter().all(|mistake| mistake.ends_with(message)), "{:?}", report.mistakes);
    }

    /// What a check asks for may be more than any memory holds: a sample is small all the same.
    #[test]
    fn a_sample_is_no_larger_than_samples_are() {
        for check in [
            "{element_count_at_least: {tensor: input, count: 9000000000000000000}}",
            "{size_at_least: {tensor: input, dimension: 1, size: 5000000000}}",
        ] {
            let vast = format!(
                "  vast:\n    text: The input is vast.\n    authority: stated\n    kind: descriptor\n    \
                 source: {{document: page, section: Tensors}}\n    check: {check}\n  total:\n"
            );
            let largest = fuzzed(&SUM.replace("  total:\n", &vast), 100, |fuzzing, target| {
                let samples = (0..100).filter_map(|index| fuzzing.sample(target, index).ok());
                let tensors = samples.flat_map(|trial| trial.sample.descriptor.tensors);
                tensors.map(|entry| entry.tensor.element_count().unwrap_or(u64::MAX)).max()
            });
            assert!(largest.is_some_and(|largest| largest < 1 << 25), "{check}: {largest:?}");
        }
    }
}
