//! What a signal that ends the program is heard for: to say how to go on with a run, or to bring fuzzing to an end.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;

use super::output;

/// Says something at a signal that ends the program, until it is dropped. What hears of the end otherwise, such as the
/// supervisors of backends' processes, does so as without it: the program ends by the signal.
#[derive(Debug)]
pub(super) struct Interrupted(Arc<Mutex<Option<String>>>);

impl Interrupted {
    /// Says this at the first of these signals, and then lets it do what it does.
    pub(super) fn listen(words: String) -> Self {
        let words = Arc::new(Mutex::new(Some(words)));
        // Where no handler can be had, signals do what they do without a word.
        let _ = listen(&words);
        Self(words)
    }
}

fn listen(words: &Arc<Mutex<Option<String>>>) -> io::Result<()> {
    let heeded = heeded(&[SIGINT, SIGTERM]);
    // The second one ends the program at once, should nobody read what is said at the first.
    let again = Arc::new(AtomicBool::new(false));
    for &signal in &heeded {
        flag::register_conditional_default(signal, Arc::clone(&again))?;
        flag::register(signal, Arc::clone(&again))?;
    }
    let signals = arriving(heeded)?;
    let words = Arc::clone(words);
    std::thread::spawn(move || {
        for signal in signals {
            if let Some(words) = words.lock().unwrap_or_else(PoisonError::into_inner).take() {
                output::tell(&format!("\n{words}"));
            }
            // There is nobody to tell of a failure: the program is about to end.
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// These signals as they arrive, for a thread that waits for them.
#[cfg(unix)]
fn arriving(signals: Vec<i32>) -> io::Result<impl Iterator<Item = i32> + Send> {
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    Ok(std::iter::from_fn(move || signals.forever().next()))
}

/// The same where nothing can be waited for, and is looked for now and then.
#[cfg(not(unix))]
fn arriving(signals: Vec<i32>) -> io::Result<impl Iterator<Item = i32> + Send> {
    let arrived = Arc::new(AtomicUsize::new(0));
    for signal in signals {
        flag::register_usize(signal, Arc::clone(&arrived), signal as usize)?;
    }
    Ok(std::iter::from_fn(move || {
        loop {
            let signal = arrived.swap(0, Ordering::SeqCst);
            if signal != 0 {
                return Some(signal as i32);
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }))
}

/// Takes note of a signal that ends the program, for a command that first keeps what it has and then ends by it. A second
/// one ends the program at once.
#[derive(Debug, Default)]
pub(super) struct Stopping {
    is_asked: Arc<AtomicBool>,
    /// The number of the signal, or 0.
    signal: Arc<AtomicUsize>,
}

impl Stopping {
    pub(super) fn listen() -> Self {
        let stopping = Self::default();
        // Where no handler can be had, signals do what they do.
        let _ = stopping.heed();
        stopping
    }

    fn heed(&self) -> io::Result<()> {
        #[cfg(unix)]
        let ending = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
        #[cfg(not(unix))]
        let ending = [SIGINT, SIGTERM];
        for signal in heeded(&ending) {
            // Done in this order at each signal, so that at the first one the program does not end yet.
            flag::register_conditional_default(signal, Arc::clone(&self.is_asked))?;
            flag::register_usize(signal, Arc::clone(&self.signal), signal as usize)?;
            flag::register(signal, Arc::clone(&self.is_asked))?;
        }
        Ok(())
    }

    /// Whether such a signal has come.
    pub(super) fn is_asked(&self) -> &AtomicBool {
        &self.is_asked
    }

    /// Lets the signal do what it does; returns where none has come.
    pub(super) fn end(&self) {
        let signal = self.signal.load(Ordering::SeqCst);
        if signal != 0 {
            let _ = emulate_default_handler(signal as i32);
        }
    }
}

/// Those of these signals at which the program is to end.
fn heeded(signals: &[i32]) -> Vec<i32> {
    signals.iter().copied().filter(|&signal| !is_ignored(signal)).collect()
}

/// Whether who started the program wants it to go on at this signal, as `nohup` and shells in the background do. Only
/// Linux says so.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    ignored.is_some_and(|ignored| ignored >> (signal - 1) & 1 == 1)
}

impl Drop for Interrupted {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
