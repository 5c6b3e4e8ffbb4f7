//! Executes a plan. Knows what a backend may do, and neither what is expected nor how it is reported.

mod connection;
mod dispatch;
mod process;

pub use connection::Program;
pub use process::{ProcessBackend, StartError};

use std::sync::mpsc;

use opcert_backend::{Backend, CompileError, Fault, contain};
use rayon::prelude::*;

use crate::check::CheckedCase;
use crate::plan::{Decision, Plan, Planned};
use crate::spec::Level;

/// What happened to a case.
#[derive(Debug)]
pub enum Execution {
    /// Nothing, as planned.
    Skipped,
    /// It was compiled, once per level, and not dispatched.
    Compiled(Vec<(Level, Result<(), CompileError>)>),
    /// It should have been dispatched, and did not compile at a level.
    NotCompiled(Level, CompileError),
    /// It was dispatched twice, with different contents of the outputs beforehand.
    Dispatched([Result<OutputMemory, Fault>; 2]),
}

/// The memory of each output after a dispatch, in the descriptor's order.
pub type OutputMemory = Vec<Vec<u8>>;

/// The bytes that outputs are filled with before the first and the second dispatch.
pub const POISONS: [u8; 2] = [0xA5, 0x5A];

/// Executes a plan on `jobs` threads (0: as many as there are cores). Each execution goes through `look` on the thread
/// that made it, and what comes of it to `take` on the calling thread, in the plan's order.
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
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pool.install(|| {
                plan.entries.par_iter().enumerate().with_max_len(16).for_each_with(
                    sender,
                    |sender, (index, planned)| {
                        // The receiver outlives every sender, so that there is nobody to tell of a failure.
                        let _ = sender.send((index, look(planned, execute(planned, backend))));
                    },
                );
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
    let Decision::Run(levels) = &planned.decision else { return Execution::Skipped };
    let (family, descriptor) = match &planned.case {
        CheckedCase::Valid(case) => (&case.about.operator.family, &case.descriptor),
        CheckedCase::Refused(case) => (&case.about.operator.family, &case.descriptor),
    };
    let compile = |level: Level| {
        let mut descriptor = descriptor.clone();
        family.level_name(level).clone_into(&mut descriptor.level);
        contain(|| backend.compile(&descriptor)).unwrap_or_else(|fault| Err(CompileError::Fault(fault)))
    };
    let case = match &planned.case {
        CheckedCase::Valid(case) if case.is_dispatched() => case,
        _ => return Execution::Compiled(levels.iter().map(|&level| (level, compile(level).map(drop))).collect()),
    };
    for &level in levels.iter().skip(1) {
        if let Err(error) = compile(level) {
            return Execution::NotCompiled(level, error);
        }
    }
    match compile(case.level) {
        Ok(mut operator) => {
            Execution::Dispatched(POISONS.map(|poison| dispatch::dispatch(&mut *operator, case, poison)))
        }
        Err(error) => Execution::NotCompiled(case.level, error),
    }
}
