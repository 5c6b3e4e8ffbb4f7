//! The command under an attack: it gets little memory and little time.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than anything may take on a busy machine, and shorter than for ever.
const LONGEST: Duration = Duration::from_secs(120);

/// What it came to.
pub struct Ran {
    /// `None` where it had to be killed, or was ended by a signal.
    pub code: Option<i32>,
    pub said: String,
    /// The most KiB of memory that it had before it said anything, or shortly before its end.
    pub memory: u64,
}

impl Ran {
    /// What is wrong, unless it ended with one of these codes, said one of these words and named this.
    pub fn wrong(&self, codes: &[i32], name: &str, words: &[&str]) -> Option<String> {
        let right = self.code.is_some_and(|code| codes.contains(&code))
            && self.said.contains(name)
            && words.iter().any(|word| self.said.contains(word))
            && !self.said.contains("panicked");
        let said: String = self.said.chars().take(600).collect();
        (!right)
            .then(|| format!("exit code {:?}, expected {codes:?}, `{name}` and one of {words:?}\n{said}", self.code))
    }
}

/// Runs the command in a folder with so many KiB of address space. What it says is not heard before it waits for that, so
/// that it is there to be measured however busy the machine is.
pub fn opcert(folder: &Path, arguments: &[&str], memory: u64) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {memory}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_opcert")]);
    command.args(arguments).current_dir(folder).env("RAYON_NUM_THREADS", "2");
    let (mut heard, mut said) = std::io::pipe().unwrap();
    let full = rustix::pipe::fcntl_getpipe_size(&said).unwrap();
    said.write_all(&vec![b' '; full]).unwrap();
    let mut child = command.stdin(Stdio::null()).stdout(said.try_clone().unwrap()).stderr(said).spawn().unwrap();
    drop(command);
    let begun = Instant::now();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() && begun.elapsed() < LONGEST {
        most = resident(child.id()).unwrap_or(most);
        if waits(child.id()) {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let heard = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        heard.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes[full..]).into_owned()
    });
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if begun.elapsed() > LONGEST => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => {
                most = resident(child.id()).unwrap_or(most);
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    };
    let said = heard.join().unwrap();
    Ran { code: status.and_then(|status| status.code()), said, memory: most }
}

/// Whether none of a process's threads has anything to do but to wait.
fn waits(process: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return false };
    let state = |path: std::path::PathBuf| fs::read_to_string(path.join("stat")).ok();
    let mut states = threads.flatten().map(|thread| state(thread.path()));
    states.all(|stat| stat.is_some_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))))
}

/// The most KiB that a process has had until now.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
