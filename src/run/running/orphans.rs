//! Ends what a program started and left behind, on Linux, in the process that such orphans are handed to.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait};

/// What does not end within this time waits for a device, say, and will not end for being asked again.
const PATIENCE: Duration = Duration::from_secs(5);

/// Ends all children of this process. Theirs are handed to this process as they end, and are ended next.
pub(super) fn end_all() {
    let deadline = Instant::now() + PATIENCE;
    loop {
        // Ended ones first: as long as they are not waited for, they are children.
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        if matches!(wait(WaitOptions::NOHANG), Err(rustix::io::Errno::CHILD)) || Instant::now() > deadline {
            return;
        }
        for child in children() {
            let _ = kill_process(child, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The children of this process, found among all processes: the list that the kernel keeps of them is not in all kernels.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_pid();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter(|&number| parent(number) == Some(own)).filter_map(Pid::from_raw).collect()
}

/// The parent of a process: its fourth field, behind a name that may hold anything.
fn parent(number: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
