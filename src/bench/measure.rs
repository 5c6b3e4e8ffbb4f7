//! Measures workloads on a backend.

use std::collections::BTreeSet;

use opcert_backend::{CompileError, DataType, Fault, contain};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::bound::Bound;
use super::checking::{self, Claimed};
use super::copying::Copying;
use super::report::{BENCH_FORMAT, BenchReport, FailedRow, Measured, MeasuredBackend, Outcome, Row};
use super::rounds::{Candidate, ROUNDS, Rounds};
use super::selection::{Bench, BenchError, Item};
use super::workload::Work;
use crate::judge::CaseEvent;
use crate::plan::Decision;
use crate::report::{Machine, available_memory};

/// All inputs follow from this number.
const SEED: u64 = 1;
/// A program behind the protocol has its own copy of all tensors, and another one while they travel.
const COPIES_IN_PROCESSES: u64 = 3;

/// What was measured, and the wrong answers that came instead.
pub struct Measurement {
    /// The measurements.
    pub report: BenchReport,
    /// The wrong answers.
    pub wrong: Vec<WrongAnswer>,
}

/// A workload that came out wrong.
pub struct WrongAnswer {
    /// What came, and what was expected.
    pub event: CaseEvent,
    /// The options of `opcert bench` that ask for it alone, without those that name the backend.
    pub options: Vec<String>,
}

/// How far a measurement is.
pub struct Progress<'a> {
    /// So many rows are done.
    pub done: usize,
    /// Of so many.
    pub all: usize,
    /// What is measured now.
    pub row: &'a str,
}

impl Bench<'_> {
    /// Measures one row after the other. `progress` is told of each before it begins.
    ///
    /// # Errors
    ///
    /// When what is asked for is not there, or threads cannot be started. What the backend does is in the report.
    pub fn run(&self, mut progress: impl FnMut(&Progress<'_>)) -> Result<Measurement, BenchError> {
        let workloads = self.chosen()?;
        if self.isolated && !self.threads.is_empty() {
            return Err(BenchError::Threads);
        }
        let machine = Machine::here();
        let pools = if self.isolated { Vec::new() } else { pools(&self.threads, machine.cores)? };
        let items = self.items(&workloads, &pools);
        let mut session = Session { bench: self, machine, right: BTreeSet::new(), wrong: Vec::new(), copying: None };
        let mut rows: Vec<Row> = Vec::with_capacity(items.len());
        // The one before, where this one has twice as many elements.
        let mut half: Option<Candidate<'_>> = None;
        for item in &items {
            let label = item.label();
            progress(&Progress { done: rows.len(), all: items.len(), row: &label });
            let mut row = item.row();
            if !rows.last().is_some_and(|last| last.is_of_series(&row) && last.elements * 2 == row.elements) {
                half = None;
            }
            (row.outcome, half) = match session.measure(item, half.take()) {
                Ok((measured, candidate)) => (Outcome::Measured(Box::new(measured)), Some(candidate)),
                Err(outcome) => (outcome, None),
            };
            rows.push(row);
        }
        let identity = self.backend.identity();
        let backend = MeasuredBackend {
            name: identity.name,
            version: identity.version,
            device: identity.device,
            isolated: self.isolated,
        };
        let report = BenchReport { format: BENCH_FORMAT, machine: session.machine, backend, rounds: ROUNDS, rows };
        Ok(Measurement { report, wrong: session.wrong })
    }
}

fn pools(threads: &[usize], cores: usize) -> Result<Vec<(usize, ThreadPool)>, ThreadPoolBuildError> {
    let threads = if threads.is_empty() { &[cores][..] } else { threads };
    threads.iter().map(|&threads| Ok((threads, ThreadPoolBuilder::new().num_threads(threads).build()?))).collect()
}

/// A workload by its operator, its name and its type, on so many threads, of so many elements.
type Checked<'a> = (&'a str, &'a str, DataType, Option<usize>, u64);

/// What is kept from row to row.
struct Session<'a> {
    bench: &'a Bench<'a>,
    machine: Machine,
    /// What was checked and was right.
    right: BTreeSet<Checked<'a>>,
    wrong: Vec<WrongAnswer>,
    copying: Option<Copying>,
}

impl<'a> Session<'a> {
    fn measure<'p: 'a>(
        &mut self,
        item: &Item<'p>,
        mut half: Option<Candidate<'p>>,
    ) -> Result<(Measured, Candidate<'p>), Outcome> {
        let backend = self.bench.backend;
        let claimed = Claimed::of(item.workload, backend).map_err(unsupported)?;
        let work = item.workload.work(item.data_type, item.asked).map_err(unsupported)?;
        let descriptor = claimed.descriptor(&work).map_err(unsupported)?;
        match checking::supported(backend, &descriptor) {
            Decision::Unsupported(reason) => return Err(unsupported(reason)),
            Decision::Unanswered(fault) => return Err(failed(item, &fault)),
            Decision::Run(_) | Decision::NotRun(_) => {}
        }
        self.check(item, &claimed)?;
        self.find_room(&work)?;
        let broken = |fault: Fault| failed(item, &fault);
        let compiled = contain(|| backend.compile(&descriptor)).map_err(broken)?;
        let operator = compiled.map_err(|error| match error {
            CompileError::Unsupported { reason } => unsupported(reason),
            other => failed(item, &other),
        })?;
        let bound = Bound::new(&work, descriptor, SEED).map_err(broken)?;
        let candidate = contain(|| Candidate::new(bound, operator, item.pool));
        let mut candidate = candidate.and_then(|candidate| candidate).map_err(broken)?;
        let copying = self.copying(item.threads.unwrap_or(self.machine.cores)).map_err(|error| failed(item, &error))?;
        let rounds =
            contain(|| Rounds::of(&mut candidate, half.as_mut(), copying)).and_then(|rounds| rounds).map_err(broken)?;
        Ok((rounds.measured(&work, &candidate, copying), candidate))
    }

    /// Compares answers of this workload on small tensors with those that follow from the definition, each once.
    fn check(&mut self, item: &Item<'a>, claimed: &Claimed) -> Result<(), Outcome> {
        let workload = item.workload;
        for elements in checking::sizes(workload, workload.elements(item.asked)) {
            let key = (workload.operator.id.as_str(), workload.name.as_str(), item.data_type, item.threads, elements);
            if !self.right.insert(key) {
                continue;
            }
            let work = workload.work(item.data_type, elements).map_err(unsupported)?;
            let (name, backend) = (workload.name.as_str(), self.bench.backend);
            let wrong = || checking::wrong(claimed, &work, SEED, name, backend);
            let wrong = item.pool.map_or_else(wrong, |pool| pool.install(wrong));
            let reason = match wrong {
                Ok(None) => continue,
                Ok(Some(event)) => {
                    let reason = in_words(&event);
                    self.wrong.push(WrongAnswer { event, options: item.options(elements) });
                    reason
                }
                Err(reason) => reason,
            };
            // The next row of this series finds it again.
            self.right.remove(&key);
            return Err(Outcome::Failed(FailedRow { reason: reason.into(), elements }));
        }
        Ok(())
    }

    /// Whether there is memory for the tensors: a system that promises more than it has ends the process later.
    fn find_room(&self, work: &Work) -> Result<(), Outcome> {
        let copies = if self.bench.isolated { COPIES_IN_PROCESSES } else { 1 };
        // The yardstick may be there already: so much is to be spared all the same.
        let needed = work.bytes_in_memory() * copies + 2 * self.bench.copied_bytes as u64;
        match available_memory() {
            Some(there) if needed > there => {
                let gib = |bytes: u64| bytes as f64 / f64::from(1u32 << 30);
                let reason = format!("takes {:.1} GiB of memory, and {:.1} are there", gib(needed), gib(there));
                Err(unsupported(reason))
            }
            _ => Ok(()),
        }
    }

    /// The yardstick, which stays as long as no other number of threads is asked for.
    fn copying(&mut self, threads: usize) -> Result<&mut Copying, ThreadPoolBuildError> {
        let kept = self.copying.take().filter(|copying| copying.threads() == threads);
        let copying = kept.map_or_else(|| Copying::new(self.bench.copied_bytes, threads), Ok)?;
        Ok(self.copying.insert(copying))
    }
}

fn unsupported(reason: String) -> Outcome {
    Outcome::Unsupported(reason.into())
}

fn failed(item: &Item<'_>, error: &dyn std::fmt::Display) -> Outcome {
    Outcome::Failed(FailedRow { reason: error.to_string().into(), elements: item.workload.elements(item.asked) })
}

/// The first thing that is wrong, in a line.
fn in_words(event: &CaseEvent) -> String {
    let difference = event.differences.first().map(|difference| {
        let place = difference.first.as_ref().map(|at| format!(" at {at:?}")).unwrap_or_default();
        format!("`{}`{place} is {}, expected {}", difference.tensor, difference.actual, difference.expected)
    });
    let what = difference
        .or_else(|| event.reason.as_ref().map(|reason| reason.raw().to_owned()))
        .unwrap_or_else(|| "no answer".to_owned());
    format!("{}: {what}", event.outcome)
}
