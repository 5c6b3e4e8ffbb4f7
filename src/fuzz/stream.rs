//! The samples of one operator, looked at by several threads and reported in their order.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::Fuzzing;
use super::found::{self, Failure};
use super::shrink::shrink;
use super::trial::{Class, Kind, Target};
use crate::case::splitmix64;
use crate::check::{CheckedCase, violations};
use crate::judge::{CaseEvent, Outcome};
use crate::sample::Choices;
use crate::spec::Operator;

/// So many different failures of an operator are enough for a person to look at.
pub const MOST_FAILURES: usize = 10;
/// So many failures of an operator are shrunk; many of them may shrink to the same.
const MOST_SHRUNK: usize = 32;
/// So many samples are tried to shrink one.
const SHRINKING: usize = 20_000;
/// A thread takes so many samples at a time. What is reported may depend on it, and not on the number of threads.
const BATCH: u64 = 256;
/// A thread is so many batches ahead of what is reported; while a failure is shrunk, it waits then.
const AHEAD: usize = 4;

/// What came of an operator.
#[derive(Debug)]
pub struct OperatorReport {
    /// The operator.
    pub operator: Arc<Operator>,
    /// How many samples there were.
    pub tally: Tally,
    /// How long it took, shrinking included.
    pub time: Duration,
    /// Failures that differ from each other, in the order of the stream.
    pub failures: Vec<Failure>,
    /// What the fuzzer itself did wrong: samples that are not what they were meant to be.
    pub mistakes: Vec<String>,
}

/// How many samples there were, and of which kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub samples: u64,
    /// Valid ones that were dispatched.
    pub valid: u64,
    /// Edited descriptors that were to be accepted or refused.
    pub invalid: u64,
    /// Descriptors of which the documents leave open whether they are valid.
    pub skipped: u64,
    /// Samples that the backend says it cannot do.
    pub unsupported: u64,
    /// Samples that failed.
    pub failed: u64,
}

impl Tally {
    /// Those of which it could be seen whether they are right.
    #[must_use]
    pub const fn judged(&self) -> u64 {
        self.valid + self.invalid
    }

    fn add(&mut self, other: &Self) {
        self.samples += other.samples;
        self.valid += other.valid;
        self.invalid += other.invalid;
        self.skipped += other.skipped;
        self.unsupported += other.unsupported;
        self.failed += other.failed;
    }

    fn count(&mut self, kind: Kind, outcome: Option<Outcome>) {
        self.samples += 1;
        match (kind, outcome) {
            (_, Some(Outcome::Unsupported)) => self.unsupported += 1,
            (Kind::Valid, _) => self.valid += 1,
            (Kind::Accepted | Kind::Invalid, _) => self.invalid += 1,
            (Kind::Skipped, _) => self.skipped += 1,
        }
        self.failed += u64::from(outcome.is_some_and(Outcome::is_bad));
    }
}

/// The choices of a sample: they follow from the seed, the operator and the sample's number.
pub(super) fn choices(seed: u64, target: &Target, index: u64) -> Choices<'static> {
    let salt = target.operator.id.bytes().fold(0, |salt, byte| splitmix64(salt ^ u64::from(byte)));
    Choices::random(splitmix64(splitmix64(seed ^ salt).wrapping_add(index)))
}

/// Some samples that follow each other.
struct Batch {
    number: u64,
    tally: Tally,
    /// The first failure of each class.
    failures: Vec<(u64, Class)>,
    /// The samples to which the definition has no answer.
    mistakes: Vec<String>,
}

/// Looks at the samples of an operator up to a number, as long as there is time, and until it is asked to end.
pub(super) fn run(
    fuzzing: &Fuzzing<'_>,
    target: &Target,
    (samples, time, is_asked): (u64, Option<Duration>, &AtomicBool),
    progress: &mut dyn FnMut(&Tally),
) -> OperatorReport {
    let start = Instant::now();
    let jobs = match fuzzing.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs.min(256),
    };
    let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::sync_channel(AHEAD * jobs);
    let end = time.map(|time| start + time);
    let is_over = || is_asked.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() > end);
    let mut collected = Collected::new(fuzzing, target, (time.map(|time| start + 2 * time), is_asked));
    if jobs == 1 {
        // Nothing runs ahead of what is reported: whoever fuzzes many backends beside each other stops at the first failure.
        let mut number = 0;
        while !is_over() && !collected.is_full() && number * BATCH < samples {
            collected.take(&batch(fuzzing, target, number, samples, &is_over));
            progress(&collected.report.tally);
            number += 1;
        }
        return OperatorReport { time: start.elapsed(), ..collected.report };
    }
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                while !stop.load(Ordering::Relaxed) && !is_over() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let first = number * BATCH;
                    if first >= samples || sender.send(batch(fuzzing, target, number, samples, &is_over)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut expected = 0;
        for batch in receiver {
            waiting.insert(batch.number, batch);
            while let Some(batch) = waiting.remove(&expected) {
                expected += 1;
                collected.take(&batch);
                progress(&collected.report.tally);
                stop.fetch_or(collected.is_full(), Ordering::Relaxed);
            }
        }
    });
    OperatorReport { time: start.elapsed(), ..collected.report }
}

/// The samples of a batch up to a number, and until fuzzing is over or the one failure is there that ends it.
fn batch(fuzzing: &Fuzzing<'_>, target: &Target, number: u64, samples: u64, is_over: &impl Fn() -> bool) -> Batch {
    let mut batch = Batch { number, tally: Tally::default(), failures: Vec::new(), mistakes: Vec::new() };
    for index in number * BATCH..(number + 1).saturating_mul(BATCH).min(samples) {
        let is_found = fuzzing.most_failures == 1 && !batch.failures.is_empty();
        if is_over() || is_found {
            break;
        }
        let trial = match fuzzing.sample(target, index) {
            Ok(trial) => trial,
            Err(error) => {
                batch.mistakes.push(format!("sample {index}: {error}"));
                continue;
            }
        };
        let kind = trial.kind;
        let result = trial.run(fuzzing.backend);
        batch.tally.count(kind, result.as_ref().map(|(_, event)| event.outcome));
        if let Some((planned, event)) = result.filter(|(_, event)| event.outcome.is_bad()) {
            let class = Class::of(kind, &planned.case, event.outcome);
            if batch.failures.iter().all(|(_, known)| *known != class) {
                batch.failures.push((index, class));
            }
        }
    }
    batch
}

/// What has been found so far, in the order of the stream.
struct Collected<'a> {
    fuzzing: &'a Fuzzing<'a>,
    target: &'a Target,
    /// The classes of failures that were looked at, before and after they were shrunk.
    seen: Vec<Class>,
    shrunk: usize,
    report: OperatorReport,
    /// When failures are shrunk no further: at a time, if that is limited, and once it is asked to end.
    shrunk_until: (Option<Instant>, &'a AtomicBool),
}

impl<'a> Collected<'a> {
    fn new(fuzzing: &'a Fuzzing<'a>, target: &'a Target, shrunk_until: (Option<Instant>, &'a AtomicBool)) -> Self {
        let report = OperatorReport {
            operator: Arc::clone(&target.operator),
            tally: Tally::default(),
            time: Duration::ZERO,
            failures: Vec::new(),
            mistakes: Vec::new(),
        };
        Self { fuzzing, target, seen: Vec::new(), shrunk: 0, report, shrunk_until }
    }

    fn is_full(&self) -> bool {
        self.report.failures.len() + self.report.mistakes.len() >= self.fuzzing.most_failures
    }

    fn take(&mut self, batch: &Batch) {
        if self.is_full() {
            return;
        }
        self.report.tally.add(&batch.tally);
        let room = self.fuzzing.most_failures - self.report.failures.len() - self.report.mistakes.len();
        self.report.mistakes.extend(batch.mistakes.iter().take(room).cloned());
        for (index, class) in &batch.failures {
            let known = self.seen.contains(class) || self.shrunk >= MOST_SHRUNK || self.is_full();
            if !known {
                self.shrunk += 1;
                self.seen.push(class.clone());
                self.look_at(*index, class);
            }
        }
    }

    /// Shrinks a failure and keeps it, unless it comes down to one that is known.
    fn look_at(&mut self, index: u64, class: &Class) {
        let numbers = self.shrunk_choices(index, class);
        let again = || self.target.trial(&mut Choices::replay(&numbers)).ok();
        let Some(trial) = again() else { return };
        let Some((planned, event)) = again().and_then(|trial| trial.run(self.fuzzing.backend)) else { return };
        let shrunk = Class::of(trial.kind, &planned.case, event.outcome);
        if shrunk != *class {
            if self.seen.contains(&shrunk) {
                return;
            }
            self.seen.push(shrunk);
        }
        if let Some(mistake) = self.mistake(&planned.case) {
            return self.report.mistakes.push(format!("sample {index} was to be valid: {mistake}"));
        }
        let seed = self.fuzzing.seed;
        let title = format!("{} by {}, from sample {index} of seed {seed}", event.outcome, found::words(trial.kind));
        match found::cases(self.target, &trial, found::FOUND, &title) {
            Ok(mut cases) => {
                found::place(&mut cases, &self.fuzzing.backend.identity());
                self.keep(index, cases, &trial, event);
            }
            Err(problems) => {
                let problems = problems.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; ");
                self.report.mistakes.push(format!("sample {index} makes no case: {problems}"));
            }
        }
    }

    fn keep(&mut self, sample: u64, cases: Vec<crate::case::Case>, trial: &super::Trial, event: CaseEvent) {
        let limit = self.fuzzing.level.as_deref();
        let repeated = found::repeat(&cases, trial.level, self.fuzzing.specs, (self.fuzzing.backend, limit));
        let repeats = repeated.is_some();
        let (event, level) = repeated.unwrap_or((event, None));
        self.report.failures.push(Failure { sample, cases, event, level, repeats });
    }

    fn shrunk_choices(&self, index: u64, class: &Class) -> Vec<u64> {
        let mut first = choices(self.fuzzing.seed, self.target, index);
        let _ = self.target.trial(&mut first);
        let (end, is_asked) = self.shrunk_until;
        shrink(first.drawn().to_vec(), SHRINKING, |choices| {
            if is_asked.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() > end) {
                return false;
            }
            self.target.trial(choices).is_ok_and(|trial| {
                let kind = trial.kind;
                trial.run(self.fuzzing.backend).is_some_and(|(planned, event)| {
                    event.outcome.is_bad() && class.includes(&Class::of(kind, &planned.case, event.outcome))
                })
            })
        })
    }

    /// What the validator says against a sample that is dispatched.
    fn mistake(&self, case: &CheckedCase) -> Option<String> {
        let CheckedCase::Valid(case) = case else { return None };
        let violations = violations(&self.target.operator, &case.descriptor, case.level);
        let broken = violations.iter().map(|each| format!("{} [{}]", each.message, each.requirement));
        let broken: Vec<String> = broken.collect();
        (!broken.is_empty()).then(|| broken.join("; "))
    }
}
