//! One run of cases on a backend, from the plan to the events.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::dump;
use crate::expectations::Expectations;
use crate::judge::{CaseEvent, Event, FamilyInfo, Header, MappedClaim, OperatorInfo, ShardOfRun, judge};
use crate::plan::{Plan, Planned};
use crate::report::{LOG_FORMAT, Log};
use crate::run::{Execution, Executor, OutputMemory, run};
use crate::spec::Specs;

/// What is run, on what, and what the log's header says of it.
pub struct Certification<'a> {
    /// The specifications.
    pub specs: &'a Specs,
    /// The digest of the cases.
    pub cases_digest: String,
    /// The plan.
    pub plan: &'a Plan,
    /// What became of the first cases of the plan, as they were judged, where a run that was cut off goes on.
    pub done: Vec<CaseEvent>,
    /// Which failures are known.
    pub expectations: &'a Expectations,
    /// The backend, or what it left behind.
    pub executor: &'a dyn Executor,
    /// The claims that it meets as other operators, by mappings.
    pub through: BTreeMap<String, MappedClaim>,
    /// Whether it runs in a process of its own.
    pub isolated: bool,
    /// Whether its outputs lie between guard zones.
    pub guards: bool,
    /// The format in which cases were carried to it, where it ran elsewhere.
    pub carried: Option<String>,
    /// Whether the plan holds all of a suite that gives a verdict.
    pub complete: bool,
    /// Which part of a run this is, where others run the rest. A part is not complete.
    pub shard: Option<ShardOfRun>,
    /// Whether the suite is not the embedded one. One that is not gives a verdict on families which are not embedded.
    pub own_suite: bool,
    /// The highest level that is run, where one was asked for.
    pub level: Option<String>,
    /// The command that repeats one case: `{case}` stands for its id, `{test}` for its name as a test.
    pub repeat: String,
    /// Where the tensors of cases that go wrong are written.
    pub dump: Option<&'a Path>,
    /// After so many failures nothing more is begun, and the run comes to no end. What was done before is not counted.
    pub max_fail: Option<usize>,
}

/// Why a run came to no end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Threads could not be started.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// What was done before is not what stands first in the plan.
    #[error("what was run before does not fit the plan: {0}")]
    Done(String),
    /// As many cases went wrong as were to be waited for.
    #[error("{failed} of {done} cases went wrong, and no more of the {planned} were run")]
    Stopped {
        /// How many went wrong.
        failed: usize,
        /// How many were run, before a run was gone on with too.
        done: usize,
        /// How many were planned.
        planned: usize,
    },
    /// Tensors could not be written.
    #[error("`{path}` cannot be written: {error}")]
    Dump {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl Certification<'_> {
    /// Runs, hands over every event in the order of the log, and returns the log.
    ///
    /// # Errors
    ///
    /// When threads cannot be started, tensors cannot be written, what was done before is not what is planned first, or
    /// as many cases went wrong as were to be waited for.
    pub fn run(&self, jobs: usize, mut take: impl FnMut(&Event)) -> Result<Log, RunError> {
        let header = self.header();
        let rest = self.rest()?;
        take(&Event::Header(Box::new(header.clone())));
        let mut cases: Vec<CaseEvent> = Vec::with_capacity(self.plan.entries.len());
        let mut keep = |event: CaseEvent| {
            let event = Event::Case(Box::new(event));
            take(&event);
            if let Event::Case(case) = event {
                cases.push(*case);
            }
        };
        self.done.iter().for_each(|event| keep(self.expectations.apply(event.clone())));
        let undumped = Mutex::new(None);
        let look = |planned: &Planned, execution: Execution| match self.dump {
            None => self.expectations.apply(judge(planned, execution)),
            Some(folder) => {
                let outputs = outputs(&execution);
                let event = self.expectations.apply(judge(planned, execution));
                if event.outcome.is_bad()
                    && let Err(error) = dump::write(folder, &planned.case, &outputs)
                {
                    undumped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
                event
            }
        };
        let mut failed = 0;
        run(rest, self.executor, jobs, look, |_, event| {
            failed += usize::from(event.outcome.is_bad());
            keep(event);
            let is_enough = self.max_fail.is_some_and(|most| failed >= most);
            if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Some((path, error)) = undumped.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(RunError::Dump { path, error });
        }
        let (done, planned) = (cases.len(), self.plan.entries.len());
        if done < planned {
            let failed = cases.iter().filter(|case| case.outcome.is_bad()).count();
            return Err(RunError::Stopped { failed, done, planned });
        }
        let log = Log { header, cases };
        take(&Event::Footer(log.footer()));
        Ok(log)
    }

    /// What is left of the plan behind what was done before.
    fn rest(&self) -> Result<&[Planned], RunError> {
        let planned = self.plan.entries.iter().map(|planned| &planned.case.about().id);
        if let Some((done, planned)) = self.done.iter().zip(planned).find(|(done, planned)| done.case != **planned) {
            return Err(RunError::Done(format!("`{}` stands where `{planned}` is planned", done.case)));
        }
        let too_many = || format!("{} cases, and {} are planned", self.done.len(), self.plan.entries.len());
        self.plan.entries.get(self.done.len()..).ok_or_else(|| RunError::Done(too_many()))
    }

    /// The first line of the log.
    #[must_use]
    pub fn header(&self) -> Header {
        Header {
            format: LOG_FORMAT,
            opcert: env!("CARGO_PKG_VERSION").to_owned(),
            specs: self.specs.digest.clone(),
            cases: self.cases_digest.clone(),
            backend: self.executor.identity(),
            through: self.through.clone(),
            isolated: self.isolated,
            guards: self.guards,
            carried: self.carried.clone(),
            shard: self.shard,
            complete: self.complete,
            own_suite: self.own_suite,
            level: self.level.clone(),
            repeat: self.repeat.clone(),
            planned: self.plan.entries.len(),
            families: self.specs.families().map(|family| FamilyInfo::from(&**family)).collect(),
            operators: self.specs.operators.iter().map(|operator| OperatorInfo::from(&**operator)).collect(),
        }
    }
}

/// The outputs of every dispatch that came to an end.
fn outputs(execution: &Execution) -> Vec<OutputMemory> {
    match execution {
        Execution::Dispatched { results, .. } => {
            results.iter().flat_map(|(_, twice)| twice).flatten().cloned().collect()
        }
        _ => Vec::new(),
    }
}
