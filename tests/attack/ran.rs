//! The command under an attack: it gets little memory and little time.

use std::fs;
use std::io::Read;
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
    /// The most KiB of memory that it had, or shortly before its end.
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

/// Runs the command in a folder with so many KiB of address space.
pub fn opcert(folder: &Path, arguments: &[&str], memory: u64) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {memory}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_opcert")]);
    command.args(arguments).current_dir(folder).env("RAYON_NUM_THREADS", "2");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let streams: [Box<dyn Read + Send>; 2] =
        [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
    let heard = streams.map(|mut stream| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        })
    });
    let begun = Instant::now();
    let mut most = 0;
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
    let said: String = heard.map(|thread| thread.join().unwrap()).concat();
    Ran { code: status.and_then(|status| status.code()), said, memory: most }
}

/// The most KiB that a process has had until now.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
