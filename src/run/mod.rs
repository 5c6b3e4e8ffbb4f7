//! Executes a plan. Knows what a backend may do, and neither what is expected nor how it is reported.

mod connection;
mod dispatch;
mod manifest;
mod process;

pub use connection::Program;
pub use manifest::{MANIFEST_FILE, Manifest};
pub use process::{ProcessBackend, StartError};

use std::sync::mpsc;

use opcert_backend::{Backend, CompileError, Descriptor, Fault, Operator, contain};
use rayon::prelude::*;

use crate::check::{CheckedCase, ValidCase};
use crate::plan::{Decision, Plan, Planned};
use crate::spec::Level;

/// What happened to a case.
#[derive(Debug)]
pub enum Execution {
    /// Nothing, as planned.
    Skipped,
    /// It was compiled, once per level, and not dispatched.
    Compiled(Vec<(Level, Result<(), CompileError>)>),
    /// The backend could not say whether it supports the case.
    Unanswered(Fault),
    /// It was dispatched, or should have been.
    Dispatched {
        /// What came out at each level that came so far. At each of them it was dispatched twice, with different
        /// contents of the outputs beforehand. A case of the large tier, whose outputs fill the memory, was dispatched
        /// once and at one level.
        results: Vec<(Level, Vec<Result<OutputMemory, Fault>>)>,
        /// The level at which it did not compile, if there is one, and why.
        not_compiled: Option<(Level, CompileError)>,
    },
}

/// The memory of each output after a dispatch, in the descriptor's order.
pub type OutputMemory = Vec<Vec<u8>>;

/// The bytes that outputs are filled with before the first and the second dispatch.
pub const POISONS: [u8; 2] = [0xA5, 0x5A];

/// More threads than this are not started, whatever is asked for.
const MOST_JOBS: usize = 256;

/// Executes a plan on `jobs` threads (0: as many as there are cores), and after that the cases of the large tier one at
/// a time. Each execution goes through `look` on the thread that made it, and what comes of it to `take` on the calling
/// thread, in the plan's order.
///
/// # Errors
///
/// When the threads cannot be started.
pub fn run<T: Send>(
    plan: &Plan,
    backend: &dyn Backend,
    jobs: usize,
    look: impl Fn(&Planned, Execution) -> T + Sync,
    mut take: impl FnMut(&Planned, T),
) -> Result<(), rayon::ThreadPoolBuildError> {
    let jobs = jobs.min(plan.entries.len()).min(MOST_JOBS);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
    let (sender, receiver) = mpsc::channel();
    let (large, others): (Vec<_>, Vec<_>) =
        plan.entries.iter().enumerate().partition(|(_, planned)| planned.case.about().large);
    let run_one = |sender: &mut mpsc::Sender<(usize, T)>, (index, planned): (usize, &Planned)| {
        // The receiver outlives every sender, so that there is nobody to tell of a failure.
        let _ = sender.send((index, look(planned, execute(planned, backend))));
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pool.install(|| {
                let mut sender = sender;
                others.into_par_iter().with_max_len(16).for_each_with(sender.clone(), run_one);
                large.into_iter().for_each(|entry| run_one(&mut sender, entry));
            });
        });
        let mut waiting: Vec<Option<T>> = plan.entries.iter().map(|_| None).collect();
        let mut next = 0;
        for (index, looked_at) in receiver {
            waiting[index] = Some(looked_at);
            while let Some(looked_at) = waiting.get_mut(next).and_then(Option::take) {
                take(&plan.entries[next], looked_at);
                next += 1;
            }
        }
    });
    Ok(())
}

/// Executes one entry of a plan.
#[must_use]
pub fn execute(planned: &Planned, backend: &dyn Backend) -> Execution {
    let levels = match &planned.decision {
        Decision::Run(levels) => levels,
        Decision::Unanswered(fault) => return Execution::Unanswered(fault.clone()),
        Decision::Unsupported(_) | Decision::NotRun(_) => return Execution::Skipped,
    };
    let (family, descriptor) = match &planned.case {
        CheckedCase::Valid(case) => (&case.about.operator.family, &case.descriptor),
        CheckedCase::Refused(case) => (&case.about.operator.family, &case.descriptor),
    };
    let at = |level: Level| {
        let mut descriptor = descriptor.clone();
        family.level_name(level).clone_into(&mut descriptor.level);
        descriptor
    };
    let case = match &planned.case {
        CheckedCase::Valid(case) if case.is_dispatched() => case,
        _ => {
            let compile = |&level: &Level| (level, compile(backend, &at(level), drop));
            return Execution::Compiled(levels.iter().map(compile).collect());
        }
    };
    let (mut dispatched, mut not_compiled) = (Vec::with_capacity(2), None);
    for (index, &level) in levels.iter().enumerate() {
        let at_an_end = index == 0 || (index + 1 == levels.len() && !case.about.large);
        let poisons: &[u8] = match (at_an_end, case.about.large) {
            (false, _) => &[],
            (true, false) => &POISONS,
            (true, true) => &POISONS[..1],
        };
        match compile(backend, &at(level), |operator| dispatch_each(operator, case, poisons)) {
            Ok(Ok(results)) if results.is_empty() => {}
            Ok(Ok(results)) => {
                let broken = results.iter().any(Result::is_err);
                dispatched.push((level, results));
                if broken {
                    break;
                }
            }
            Ok(Err(fault)) => {
                dispatched.push((level, vec![Err(fault)]));
                break;
            }
            Err(error) => {
                not_compiled = Some((level, error));
                break;
            }
        }
    }
    Execution::Dispatched { results: dispatched, not_compiled }
}

/// Dispatches once per poison. Once it broke, the rest is left: a hang would cost its time again each time. An operator
/// that breaks when it is dropped has spoiled what came before.
fn dispatch_each(
    mut operator: Box<dyn Operator>,
    case: &ValidCase,
    poisons: &[u8],
) -> Result<Vec<Result<OutputMemory, Fault>>, Fault> {
    let mut results = Vec::with_capacity(poisons.len());
    for &poison in poisons {
        results.push(dispatch::dispatch(&mut *operator, case, poison));
        if results.last().is_some_and(Result::is_err) {
            break;
        }
    }
    contain(|| drop(operator)).map(|()| results)
}

/// Compiles and does something with the operator; a panic, in its destructor too, becomes a fault.
fn compile<T>(
    backend: &dyn Backend,
    descriptor: &Descriptor,
    go_on: impl FnOnce(Box<dyn Operator>) -> T,
) -> Result<T, CompileError> {
    let compiled = contain(|| Ok(go_on(backend.compile(descriptor)?)));
    compiled.unwrap_or_else(|fault| Err(CompileError::Fault(fault)))
}
