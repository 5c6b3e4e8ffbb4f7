//! Times of single turns, and what is made of many of them.

use std::time::{Duration, Instant};

use opcert_backend::{Fault, Input, Operator, Output};
use rayon::ThreadPool;

use super::bound::Bound;
use super::copying::Copying;
use super::report::{Measured, Memcpy};
use super::timing::{Timing, ratio, six_digits};
use super::workload::Work;

/// How many rounds each measurement has. An odd number, so that the median is one of them.
pub const ROUNDS: usize = 9;

/// A turn takes at least so long: what is shorter is repeated within it.
const LEAST_TURN: Duration = Duration::from_millis(2);
/// What takes longer than this is not done once more beforehand to have its memory where it was.
const LONG: f64 = 0.1;
/// How many calls of an operator that does nothing are a turn.
const EMPTY_CALLS: u32 = 20_000;

/// A compiled operator with its memory, which takes turns.
pub(super) struct Candidate<'a> {
    pub(super) bound: Bound,
    operator: Box<dyn Operator>,
    /// The threads on which it is dispatched, where it can be told.
    pool: Option<&'a ThreadPool>,
    /// How many dispatches there are in a turn.
    pub(super) repetitions: u32,
    /// How long a dispatch took the last time, in seconds.
    last: f64,
}

impl<'a> Candidate<'a> {
    /// Dispatches a few times, until it is known how many dispatches a turn takes.
    pub(super) fn new(bound: Bound, operator: Box<dyn Operator>, pool: Option<&'a ThreadPool>) -> Result<Self, Fault> {
        let mut candidate = Self { bound, operator, pool, repetitions: 1, last: 0.0 };
        candidate.repeat(1)?;
        loop {
            let took = candidate.repeat(candidate.repetitions)?;
            if took >= LEAST_TURN {
                return Ok(candidate);
            }
            // At most ten times as many, since the first ones are slower than others.
            let factor = LEAST_TURN.as_secs_f64() / took.as_secs_f64().max(1e-9);
            let more = (f64::from(candidate.repetitions) * factor.clamp(1.1, 10.0)).ceil();
            candidate.repetitions = more as u32;
        }
    }

    /// One turn: the seconds of a dispatch. Whoever had the turn before may have taken the caches, so that one dispatch
    /// that does not count goes before those that do.
    pub(super) fn turn(&mut self) -> Result<f64, Fault> {
        if self.last < LONG {
            self.repeat(1)?;
        }
        let took = self.repeat(self.repetitions)?;
        self.last = took.as_secs_f64() / f64::from(self.repetitions);
        Ok(self.last)
    }

    /// One turn of an operator that does nothing, with the same arguments on the same thread: the seconds of a call.
    pub(super) fn empty_turn(&mut self) -> Result<f64, Fault> {
        let mut empty: Box<dyn Operator> = Box::new(Empty);
        let took = repeat(&mut self.bound, &mut *empty, self.pool, EMPTY_CALLS)?;
        Ok(took.as_secs_f64() / f64::from(EMPTY_CALLS))
    }

    fn repeat(&mut self, repetitions: u32) -> Result<Duration, Fault> {
        repeat(&mut self.bound, &mut *self.operator, self.pool, repetitions)
    }
}

/// Dispatches so many times. The clock runs where the dispatches are, since it takes a while to wake that thread.
fn repeat(
    bound: &mut Bound,
    operator: &mut dyn Operator,
    pool: Option<&ThreadPool>,
    repetitions: u32,
) -> Result<Duration, Fault> {
    let mut repeat = || {
        let began = Instant::now();
        for _ in 0..repetitions {
            bound.dispatch(std::hint::black_box(&mut *operator))?;
        }
        Ok(began.elapsed())
    };
    match pool {
        Some(pool) => pool.install(repeat),
        None => repeat(),
    }
}

/// What took turns, in seconds, round by round.
#[derive(Default)]
pub(super) struct Rounds {
    dispatch: Vec<f64>,
    half: Vec<f64>,
    copy: Vec<f64>,
    empty: Vec<f64>,
}

impl Rounds {
    /// Lets everything have its turns. `half` is the same workload with half as many elements, if there is one.
    pub(super) fn of(
        candidate: &mut Candidate<'_>,
        mut half: Option<&mut Candidate<'_>>,
        copying: &mut Copying,
    ) -> Result<Self, Fault> {
        let mut rounds = Self::default();
        for round in 0..ROUNDS {
            // Whoever comes first comes behind the copy, so that the order changes from round to round.
            let half_first = round % 2 == 0;
            if let Some(half) = half.as_mut().filter(|_| half_first) {
                rounds.half.push(half.turn()?);
            }
            rounds.dispatch.push(candidate.turn()?);
            if let Some(half) = half.as_mut().filter(|_| !half_first) {
                rounds.half.push(half.turn()?);
            }
            rounds.copy.push(copying.once().as_secs_f64());
            rounds.empty.push(candidate.empty_turn()?);
        }
        Ok(rounds)
    }

    /// What the rounds come to.
    pub(super) fn measured(self, work: &Work, candidate: &Candidate<'_>, copying: &Copying) -> Measured {
        let (bytes_read, bytes_written) = (work.bytes_read(), work.bytes_written(candidate.bound.found));
        let (moved, copied) = ((bytes_read + bytes_written) as f64, copying.bytes_moved() as f64);
        // Of the times of a copy and a dispatch, by the bytes of each: a quotient of bandwidths.
        let share_of_memcpy = six_digits(ratio(&self.copy, &self.dispatch) * moved / copied);
        let times_half = (!self.half.is_empty()).then(|| ratio(&self.dispatch, &self.half));
        let times_empty_call = ratio(&self.dispatch, &self.empty);
        let (dispatch, copy) = (Timing::of(self.dispatch), Timing::of(self.copy));
        Measured {
            bytes_read,
            bytes_written,
            repetitions: candidate.repetitions,
            dispatches_per_second: six_digits(1.0 / dispatch.median),
            gigabytes_per_second: six_digits(moved / dispatch.median / 1e9),
            dispatch,
            memcpy: Memcpy {
                threads: copying.threads(),
                bytes_moved: copying.bytes_moved(),
                gigabytes_per_second: six_digits(copied / copy.median / 1e9),
                copy,
            },
            share_of_memcpy,
            empty_call: Timing::of(self.empty),
            times_empty_call,
            times_half,
        }
    }
}

/// An operator that does nothing.
struct Empty;

impl Operator for Empty {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        std::hint::black_box((inputs, outputs));
        Ok(())
    }
}
