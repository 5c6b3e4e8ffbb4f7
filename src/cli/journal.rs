//! The event log of a run as far as it has come, from which a run that was cut off can go on.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Failure;
use super::output::unfinished_log;
use crate::expectations::as_judged;
use crate::file;
use crate::judge::{CaseEvent, Event, Header};
use crate::plan::Plan;
use crate::render::counted;
use crate::report::{UnfinishedLog, UnfinishedWriter};
use crate::verify::is_of;

/// An event waits no longer than this before it is written, if another one follows.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// An event log that grows with its run. It has a name of its own until the run has ended, and no footer.
#[derive(Debug)]
pub(super) struct Journal {
    writer: UnfinishedWriter<BufWriter<File>>,
    path: PathBuf,
    /// How many of the cases to come stand there already.
    kept: usize,
    written: Instant,
    broken: Option<io::Error>,
}

impl Journal {
    /// Begins one in a folder, which need not exist.
    pub(super) fn begin(folder: &Path, header: &Header) -> Result<Self, Failure> {
        let path = unfinished_log(folder);
        fs::create_dir_all(folder).map_err(|error| cannot("written", folder, &error))?;
        let file = file::create(&path).map_err(|error| cannot("written", &path, &error))?;
        let mut journal = Self::of(path, UnfinishedWriter::new(BufWriter::new(file)), 0);
        journal.write(&Event::Header(Box::new(header.clone())));
        Ok(journal)
    }

    /// Goes on with one, and hands out the cases that it holds, as they were judged.
    ///
    /// The run must be the same: what its header says, and the cases from the first one on. What was damaged since it was
    /// written is not taken, nor what stands behind that.
    pub(super) fn resume(folder: &Path, header: &Header, plan: &Plan) -> Result<(Self, Vec<CaseEvent>), Failure> {
        let path = unfinished_log(folder);
        let text = file::read(&path, file::LONGEST_LOG).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                Failure::Usage(format!("there is no run to go on with: `{}` does not exist", path.display()))
            }
            _ => cannot("read", &path, &error),
        })?;
        let unfinished = UnfinishedLog::read(&text)
            .map_err(|error| Failure::Usage(format!("`{}` cannot be gone on with: {error}", path.display())))?;
        let Some(unfinished) = unfinished else {
            // A run that was cut off before its header was written has lost nothing.
            if text.contains(&b'\n') {
                let all = "is damaged from its first line on: everything is run again";
                anstream::eprintln!("`{}` {all}", path.display());
            }
            return Ok((Self::begin(folder, header)?, Vec::new()));
        };
        if let Some(difference) = difference(&unfinished, header, plan) {
            let message =
                format!("`{}` is of another run: {difference}; leave out `--resume` to begin anew", path.display());
            return Err(Failure::Usage(message));
        }
        if let Some(line) = unfinished.damaged {
            let kept = counted(unfinished.cases.len(), "case");
            let of = header.planned;
            anstream::eprintln!(
                "`{}` is damaged from line {line} on: {kept} of {of} kept, and the rest is run again",
                path.display()
            );
        }
        let file = OpenOptions::new().append(true).open(&path);
        // Half a line at the end would become half of the next one, and a damaged one would stay.
        let file = file.and_then(|file| file.set_len(unfinished.bytes as u64).map(|()| file));
        let file = file.map_err(|error| cannot("written", &path, &error))?;
        let writer = UnfinishedWriter::behind(BufWriter::new(file), &unfinished);
        let done: Vec<CaseEvent> = unfinished.cases.into_iter().map(as_judged).collect();
        Ok((Self::of(path, writer, done.len()), done))
    }

    /// Adds the event of a case.
    pub(super) fn take(&mut self, event: &Event) {
        let Event::Case(_) = event else { return };
        if self.kept > 0 {
            self.kept -= 1;
            return;
        }
        self.write(event);
    }

    /// Writes what still waits, and says what could not be written.
    pub(super) fn end(mut self) -> Result<(), Failure> {
        let result = self.broken.map_or_else(|| self.writer.finish(), Err);
        result.map_err(|error| cannot("written", &self.path, &error))
    }

    /// Takes the journal of a folder away, once the whole log is there.
    pub(super) fn finish(folder: &Path) -> Result<(), Failure> {
        let path = unfinished_log(folder);
        fs::remove_file(&path).map_err(|error| cannot("removed", &path, &error))
    }

    fn of(path: PathBuf, writer: UnfinishedWriter<BufWriter<File>>, kept: usize) -> Self {
        Self { writer, path, kept, written: Instant::now(), broken: None }
    }

    fn write(&mut self, event: &Event) {
        let mut result = self.writer.write(event);
        let first = matches!(event, Event::Header(_));
        if result.is_ok() && (first || self.written.elapsed() > LONGEST_WAIT) {
            result = self.writer.finish();
            self.written = Instant::now();
        }
        self.broken = self.broken.take().or(result.err());
    }
}

fn cannot(be: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("`{}` cannot be {be}: {error}", path.display()))
}

/// What keeps a journal from being one of this run.
fn difference(unfinished: &UnfinishedLog, header: &Header, plan: &Plan) -> Option<String> {
    let values = |header: &Header| serde_json::to_value(header).ok();
    if let (Some(Value::Object(mut before)), Some(Value::Object(now))) = (values(&unfinished.header), values(header)) {
        for (name, now) in now {
            let before = before.remove(&name).unwrap_or_default();
            if before != now {
                return Some(format!("its `{name}` is {}, and now it is {}", short(&before), short(&now)));
            }
        }
        if let Some((name, before)) = before.into_iter().next() {
            return Some(format!("its `{name}` is {}, and now there is none", short(&before)));
        }
    }
    let planned = plan.entries.iter().map(|planned| Some(&planned.case)).chain(std::iter::repeat(None));
    unfinished.cases.iter().zip(planned).find_map(|(event, planned)| match planned {
        Some(planned) if planned.about().id == event.case => {
            let of_this = is_of(event, planned, header);
            (!of_this).then(|| format!("what it says of `{}` cannot have come of that case", event.case))
        }
        Some(planned) => {
            Some(format!("it goes on with `{}`, and now `{}` stands there", event.case, planned.about().id))
        }
        None => Some(format!("it goes on with `{}`, and now nothing is left there", event.case)),
    })
}

/// A value as it stands in the log, if it is not too long to be read.
fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 200 { text.chars().take(200).chain(['…']).collect() } else { text }
}
