//! What a run says of itself while it goes on, on standard error: a bar on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use opcert_backend::foreign::printable_line;

use super::output;
use crate::judge::CaseEvent;
use crate::plan::{Decision, Plan, Planned};
use crate::render::counted;

/// Without a terminal, something is said so often.
const EVERY: Duration = Duration::from_secs(10);

/// An estimate rests on at least so many cases.
const FEWEST: usize = 20;

/// How far a run has come.
pub(super) struct Progress<'a> {
    plan: &'a Plan,
    /// How many of the cases had been run before.
    kept: usize,
    done: usize,
    /// How many cases were given to the backend now, and how many are left for it.
    run: usize,
    left: usize,
    bad: usize,
    began: Instant,
    shown: Shown,
}

enum Shown {
    Bar(ProgressBar),
    Lines(Lines),
}

impl<'a> Progress<'a> {
    /// Begins to show how a plan is run, of which the first cases have been.
    pub(super) fn begin(plan: &'a Plan, kept: usize) -> Self {
        let shown = if io::stderr().is_terminal() {
            Shown::Bar(bar(plan.entries.len()))
        } else {
            Shown::Lines(Lines::begin(EVERY, output::tell))
        };
        let left = plan.entries.iter().skip(kept).filter(|planned| is_run(planned)).count();
        let progress = Self { plan, kept, done: 0, run: 0, left, bad: 0, began: Instant::now(), shown };
        progress.show();
        progress
    }

    /// Takes note of a case, the next one of the plan.
    pub(super) fn take(&mut self, event: &CaseEvent) {
        let is_run = self.done >= self.kept && self.plan.entries.get(self.done).is_some_and(is_run);
        self.run += usize::from(is_run);
        self.left -= usize::from(is_run);
        self.done += 1;
        self.bad += usize::from(event.outcome.is_bad());
        self.show();
    }

    /// Does something that prints, and keeps the bar out of its way.
    pub(super) fn beside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.shown {
            Shown::Bar(bar) => bar.suspend(print),
            Shown::Lines(_) => print(),
        }
    }

    fn show(&self) {
        let elapsed = self.began.elapsed();
        let planned = self.plan.entries.len();
        let next = self.plan.entries.get(self.done).map(|planned| planned.case.about().id.as_str());
        let words = words(self.bad, estimate(elapsed, self.run, self.left), next);
        match &self.shown {
            Shown::Bar(bar) => {
                bar.set_position(self.done as u64);
                bar.set_message(words);
            }
            Shown::Lines(lines) => {
                lines.shared.lock().0 = format!("{} of {}, {words}", self.done, counted(planned, "case"));
            }
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// Whether a case is one for the backend: one that is not takes no time.
const fn is_run(planned: &Planned) -> bool {
    matches!(planned.decision, Decision::Run(_))
}

/// How long the rest may take, if what was run says anything of it.
fn estimate(elapsed: Duration, run: usize, left: usize) -> Option<Duration> {
    let each = elapsed.as_secs_f64() / run as f64;
    (run >= FEWEST).then(|| Duration::from_secs_f64(each * left as f64))
}

/// What went wrong so far, how long the rest may take, and which case is waited for.
fn words(bad: usize, left: Option<Duration>, next: Option<&str>) -> String {
    let mut words = format!("{bad} failed");
    if let Some(left) = left {
        words += &format!(", about {} left", HumanDuration(left));
    }
    if let Some(next) = next {
        words += &format!(", now {}", printable_line(next));
    }
    words
}

fn bar(length: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length as u64), ProgressDrawTarget::stderr());
    // What does not fit is cut off at the edge of the terminal.
    if let Ok(style) = ProgressStyle::with_template("{bar:12} {pos}/{len} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Says a line now and then, also while nothing comes: a case that hangs is the one that is waited for.
struct Lines {
    shared: Arc<Shared>,
    teller: Option<JoinHandle<()>>,
}

/// What is to be said next, and whether nothing is any more.
#[derive(Default)]
struct Shared {
    line: Mutex<(String, bool)>,
    ended: Condvar,
}

impl Lines {
    fn begin(every: Duration, mut tell: impl FnMut(&str) + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let seen = Arc::clone(&shared);
        let teller = std::thread::spawn(move || {
            loop {
                let waited = seen.ended.wait_timeout_while(seen.lock(), every, |(_, ended)| !*ended);
                let (line, waited) = waited.unwrap_or_else(PoisonError::into_inner);
                if !waited.timed_out() {
                    return;
                }
                let words = line.0.clone();
                drop(line);
                tell(&words);
            }
        });
        Self { shared, teller: Some(teller) }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.shared.lock().1 = true;
        self.shared.ended.notify_all();
        // It only waits and prints.
        let _ = self.teller.take().map(JoinHandle::join);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, (String, bool)> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn failures_an_estimate_and_the_next_case_are_said() {
        assert_eq!(estimate(Duration::from_secs(40), 20, 60), Some(Duration::from_secs(120)));
        assert_eq!(estimate(Duration::from_secs(40), 19, 60), None);
        let left = Some(Duration::from_secs(120));
        assert_eq!(words(3, left, Some("a/b")), "3 failed, about 2 minutes left, now a/b");
        assert_eq!(words(0, None, None), "0 failed");
    }

    /// However long it takes to come.
    #[test]
    fn a_line_comes_while_nothing_else_does_and_none_behind_the_end() {
        let (sender, receiver) = mpsc::channel();
        let lines = Lines::begin(Duration::from_millis(1), move |line| {
            let _ = sender.send(line.to_owned());
        });
        lines.shared.lock().0 = "1 of 2 cases".to_owned();
        let next = || receiver.recv_timeout(Duration::from_secs(60)).expect("a line comes");
        assert!((0..100_000).any(|_| next() == "1 of 2 cases"));
        drop(lines);
        // The end of the teller closes the channel.
        assert!(receiver.iter().all(|line| line == "1 of 2 cases"));
    }
}
