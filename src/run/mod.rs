//! Executes a plan. Knows what a backend may do, and neither what is expected nor how it is reported: of a definition it only
//! asks, once other inputs broke, whether it has an answer to them.

mod asked;
mod beside;
mod complaints;
mod connection;
mod exchange;
mod inputs;
mod introduction;
mod manifest;
mod pipes;
mod process;
mod program;
mod running;

pub use beside::Beside;
pub use inputs::laid_out;
pub use manifest::{MANIFEST_FILE, Manifest};
pub use process::{ProcessBackend, StartError};
pub use program::{DEFAULT_LIMIT, Program};
#[cfg(unix)]
pub use running::{Supervision, supervise};

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use opcert_backend::{Attempt, Attempted, Backend, CompileError, Descriptor, Fault, GuardedBuffer, Identity, broke};
use rayon::prelude::*;

use crate::check::CheckedCase;
use crate::plan::{Decision, Planned};
use crate::spec::Level;

/// What happened to a case.
#[derive(Debug)]
pub enum Execution {
    /// Nothing, as planned.
    Skipped,
    /// It was carried elsewhere, and nothing came back: what there should have been.
    Missing(String),
    /// It was compiled, once per level, and not dispatched.
    Compiled(Vec<(Level, Result<(), CompileError>)>),
    /// The backend could not say whether it supports the case.
    Unanswered(Fault),
    /// It was dispatched, or should have been.
    Dispatched {
        /// What came out at each level that came so far. At each of them it was dispatched twice, with different
        /// contents of the outputs beforehand; where its inputs are small, once more with other inputs before or between
        /// the two, and what came of that is left out unless it broke. A case of the large tier, whose outputs fill the
        /// memory, was dispatched once and at one level.
        results: Vec<(Level, Vec<Result<OutputMemory, Fault>>)>,
        /// The level at which it did not compile, if there is one, and why.
        not_compiled: Option<(Level, CompileError)>,
        /// What operators that are said to come to the same came to at the first and at the last of the levels. Only what is open
        /// is compared with them: everything else is compared with values.
        beside: Vec<Beside>,
    },
}

/// The memory of each output after a dispatch, in the descriptor's order.
pub type OutputMemory = Vec<Vec<u8>>;

/// The bytes that outputs are filled with before the first and the second dispatch.
pub const POISONS: [u8; 2] = [0xA5, 0x5A];

/// The byte that outputs are filled with before a dispatch of other inputs. Nobody looks at what comes out of it: what a
/// backend keeps of it shows in the dispatch behind it.
const ASIDE: u8 = 0x3C;

/// In which order a compiled operator is dispatched: what is wrong the first time alone shows in the one, what is kept of the
/// first inputs in the other.
const ORDERS: [[u8; 3]; 2] = [[POISONS[0], ASIDE, POISONS[1]], [ASIDE, POISONS[0], POISONS[1]]];

/// More threads than this are not started, whatever is asked for.
const MOST_JOBS: usize = 256;

/// Where executions come from: a backend that runs now, or results that were brought back.
pub trait Executor: Sync {
    /// Whose executions these are.
    fn identity(&self) -> Identity;

    /// What happens, or happened, to an entry of a plan.
    fn execute(&self, planned: &Planned) -> Execution;
}

/// A backend that runs now.
#[derive(Clone, Copy)]
pub struct Live<'a>(pub &'a dyn Backend);

impl Executor for Live<'_> {
    fn identity(&self) -> Identity {
        self.0.identity()
    }

    fn execute(&self, planned: &Planned) -> Execution {
        execute(planned, self.0)
    }
}

/// Executes entries of a plan on `jobs` threads (0: as many as there are cores), and after that those of the large tier
/// one at a time. Each execution goes through `look` on the thread that made it, and what comes of it to `take` on the
/// calling thread, in the plan's order. Once `take` breaks off, nothing more is begun or taken.
///
/// # Errors
///
/// When the threads cannot be started.
pub fn run<T: Send>(
    entries: &[Planned],
    executor: &dyn Executor,
    jobs: usize,
    look: impl Fn(&Planned, Execution) -> T + Sync,
    mut take: impl FnMut(&Planned, T) -> ControlFlow<()>,
) -> Result<(), rayon::ThreadPoolBuildError> {
    let jobs = jobs.min(entries.len()).min(MOST_JOBS);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
    let (sender, receiver) = mpsc::channel();
    let (large, others): (Vec<_>, Vec<_>) =
        entries.iter().enumerate().partition(|(_, planned)| planned.case.about().large);
    let is_over = AtomicBool::new(false);
    let run_one = |sender: &mut mpsc::Sender<(usize, T)>, (index, planned): (usize, &Planned)| {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        // The receiver outlives every sender, so that there is nobody to tell of a failure.
        let _ = sender.send((index, look(planned, executor.execute(planned))));
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pool.install(|| {
                let mut sender = sender;
                others.into_par_iter().with_max_len(16).for_each_with(sender.clone(), run_one);
                large.into_iter().for_each(|entry| run_one(&mut sender, entry));
            });
        });
        let mut waiting: Vec<Option<T>> = entries.iter().map(|_| None).collect();
        let mut next = 0;
        for (index, looked_at) in receiver {
            waiting[index] = Some(looked_at);
            while !is_over.load(Ordering::Relaxed)
                && let Some(looked_at) = waiting.get_mut(next).and_then(Option::take)
            {
                is_over.store(take(&entries[next], looked_at).is_break(), Ordering::Relaxed);
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
    let (case, dispatched) = match &planned.case {
        CheckedCase::Valid(case) if case.is_dispatched() => (Some(case), true),
        _ => (None, false),
    };
    let large = case.is_some_and(|case| case.about.large);
    // What is recorded and not judged is of the case's own inputs.
    let others = case.filter(|case| case.about.gates()).map(inputs::others_of).unwrap_or_default();
    let has_others = !others.is_empty();
    let lay_out = |poison: u8| case.map_or_else(|| Ok(Vec::new()), |case| inputs::inputs(case, &others, poison));
    // The lowest level of a case takes turns with the highest one, and where there is one level, inputs do so: what is found
    // with a random sample is found with the file that is written of it.
    let order = |index: usize| match levels.len() {
        1 => case.map_or(0, inputs::sum) % ORDERS.len(),
        _ => usize::from(index > 0),
    };
    let between = planned.dispatched_between();
    let attempt = |(index, &level): (usize, &Level)| {
        let at_an_end = index == 0 || (index + 1 == levels.len() && !large);
        let poisons: &[u8] = match (dispatched && at_an_end, large) {
            (false, _) if dispatched && between == Some(level) => &POISONS[..1],
            (false, _) => &[],
            (true, false) if has_others => &ORDERS[order(index)],
            (true, false) => &POISONS,
            (true, true) => &POISONS[..1],
        };
        let mut descriptor = descriptor.clone();
        family.level_name(level).clone_into(&mut descriptor.level);
        Attempt { descriptor, poisons, inputs: &lay_out }
    };
    let mut attempts: Vec<Attempt<'_>> = levels.iter().enumerate().map(attempt).collect();
    let mut answers = backend.attempt_each(&attempts);
    let is_open = |descriptor: &_| case.is_some_and(|case| inputs::are_open(case, &others, descriptor));
    ask_own(backend, &mut attempts, &mut answers, is_open);
    if let Some(&level) = levels.first().filter(|_| answers.len() > attempts.len()) {
        let reason = format!("{} answers came to {} questions", answers.len(), attempts.len());
        let error = CompileError::Fault(Fault::Failed(reason));
        return if dispatched {
            Execution::Dispatched { results: Vec::new(), not_compiled: Some((level, error)), beside: Vec::new() }
        } else {
            Execution::Compiled(vec![(level, Err(error))])
        };
    }
    // Fewer answers than levels are for judging to miss.
    let attempted = levels.iter().copied().zip(answers);
    if !dispatched {
        return Execution::Compiled(attempted.map(|(level, attempted)| (level, attempted.map(drop))).collect());
    }
    let (mut results, mut not_compiled) = (Vec::with_capacity(2), None);
    for ((level, attempted), attempt) in attempted.zip(&attempts) {
        match attempted {
            Ok(outputs) if outputs.is_empty() && attempt.poisons.is_empty() => {}
            Ok(outputs) => {
                let bytes = |buffers: Vec<GuardedBuffer>| buffers.into_iter().map(GuardedBuffer::into_bytes).collect();
                let (wanted, found) = (attempt.poisons.len(), outputs.len());
                let poisons = attempt.poisons.iter().map(Some).chain(std::iter::repeat(None));
                let mut outputs: Vec<Result<OutputMemory, Fault>> = outputs
                    .into_iter()
                    .zip(poisons)
                    .filter_map(|(outputs, poison)| match (outputs, poison) {
                        // Nobody asks what comes of other inputs, nor in which sizes.
                        (Ok(_) | Err(Fault::OtherSizes { .. }), Some(&ASIDE)) => None,
                        (Err(fault), Some(&ASIDE)) => {
                            Some(Err(fault.reworded(|text| format!("with other inputs: {text}"))))
                        }
                        (outputs, _) => Some(outputs.map(bytes)),
                    })
                    .collect();
                // One that breaks is the last one.
                if found != wanted && !outputs.iter().any(broke) {
                    let reason = format!("dispatched {found} times, and {wanted} were asked for");
                    outputs.push(Err(Fault::Failed(reason)));
                }
                results.push((level, outputs));
            }
            Err(error) => {
                not_compiled = Some((level, error));
                break;
            }
        }
    }
    let is_whole = |(level, outputs): &&(Level, Vec<Result<OutputMemory, Fault>>)| {
        [levels.first(), levels.last()].contains(&Some(level)) && outputs.iter().all(Result::is_ok)
    };
    let beside =
        |case| results.iter().filter(is_whole).flat_map(move |(level, _)| beside::beside(case, *level, backend));
    let beside = case.into_iter().flat_map(beside).collect();
    Execution::Dispatched { results, not_compiled, beside }
}

/// Where the dispatch of other inputs broke, the case is dispatched without it if they are none that the documents have an answer
/// to, and then at the levels behind; or if it came first: what its own inputs break as well is said of those.
fn ask_own<'a>(
    backend: &dyn Backend,
    attempts: &mut [Attempt<'a>],
    answers: &mut Vec<Attempted>,
    is_open: impl Fn(&Descriptor) -> bool,
) {
    // Nothing is attempted behind one that breaks.
    while let Some(at) = answers.len().checked_sub(1)
        && let Some(attempt) = attempts.get_mut(at)
        && let Some(aside) = attempt.poisons.iter().position(|poison| *poison == ASIDE)
        && let Some(Err(fault)) = answers[at].as_ref().ok().and_then(|outputs| outputs.get(aside))
        && !matches!(fault, Fault::OtherSizes { .. })
    {
        let is_open = is_open(&attempt.descriptor);
        // Nobody waits twice for one that hangs.
        if !is_open && (aside > 0 || matches!(fault, Fault::Hung(_))) {
            return;
        }
        let own = Attempt { descriptor: attempt.descriptor.clone(), poisons: &POISONS, inputs: attempt.inputs };
        let Some(again) = backend.attempt_each(std::slice::from_ref(&own)).pop() else { return };
        let is_broken = own.is_broken(&again);
        if is_open || again.as_ref().map_or(true, |each| each.iter().any(Result::is_err)) {
            (*attempt, answers[at]) = (own, again);
        }
        if !is_open || is_broken {
            return;
        }
        answers.extend(backend.attempt_each(&attempts[at + 1..]));
    }
}
