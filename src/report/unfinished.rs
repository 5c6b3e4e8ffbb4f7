//! The log of a run as far as it has come: the lines of a log, each with a checksum of itself and of all before it, so
//! that what was damaged since is not taken for what was written.

use std::io::{self, Write};

use super::log::{LOG_FORMAT, LogError, read_event};
use crate::json;
use crate::judge::{CaseEvent, Event, Header};

/// Stands between an event and its checksum, and never in JSON.
const BEFORE_CHECKSUM: u8 = b'\t';
/// So many hexadecimal digits of a checksum are written.
const DIGITS: usize = 16;

/// A log as far as it was written when its run was cut off, and as far as it is what was written.
#[derive(Clone, Debug, PartialEq)]
pub struct UnfinishedLog {
    /// What was run, on what.
    pub header: Header,
    /// The cases that are whole, in the order of the plan.
    pub cases: Vec<CaseEvent>,
    /// How many bytes these take; what stands behind them is damaged, or half a line.
    pub bytes: usize,
    /// The first line that is damaged, from 1, if one is.
    pub damaged: Option<usize>,
    checksum: Checksum,
}

/// That of all lines up to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Checksum([u8; 32]);

impl Checksum {
    /// The checksum once another line has come.
    fn and(self, line: &[u8]) -> Self {
        Self(*blake3::keyed_hash(&self.0, line).as_bytes())
    }

    fn digits(self) -> String {
        blake3::Hash::from(self.0).to_hex()[..DIGITS].to_owned()
    }
}

impl UnfinishedLog {
    /// Reads what there is of a log: a header, and cases, up to the first line that is damaged or has no end. `None`
    /// where not even the header is whole.
    ///
    /// # Errors
    ///
    /// When a line is what was written, and no event of this format or none that belongs there.
    pub fn read(text: &[u8]) -> Result<Option<Self>, LogError> {
        let mut lines = text.split_inclusive(|&byte| byte == b'\n').enumerate().map(|(index, line)| (index + 1, line));
        let mut checksum = Checksum::default();
        let Some((line, found)) = lines.next().and_then(|(line, bytes)| Some((line, whole(bytes, &mut checksum)?)))
        else {
            return Ok(None);
        };
        let Event::Header(header) = read_event(found, line)? else {
            return Err(LogError::Misplaced { line, reason: "the first line must be the header" });
        };
        if header.format != LOG_FORMAT {
            return Err(LogError::Format(header.format));
        }
        let mut log = Self { header: *header, cases: Vec::new(), bytes: size(found), damaged: None, checksum };
        for (line, bytes) in lines {
            let Some(found) = whole(bytes, &mut checksum) else {
                log.damaged = bytes.ends_with(b"\n").then_some(line);
                break;
            };
            let Event::Case(case) = read_event(found, line)? else {
                return Err(LogError::Misplaced { line, reason: "a log that is unfinished goes on with cases" });
            };
            log.cases.push(*case);
            log.bytes += size(found);
            log.checksum = checksum;
        }
        Ok(Some(log))
    }
}

/// The bytes of a line of the file with this event.
const fn size(event: &[u8]) -> usize {
    event.len() + 1 + DIGITS + 1
}

/// The event of a line, if it has an end and the checksum that it should have.
fn whole<'a>(line: &'a [u8], checksum: &mut Checksum) -> Option<&'a [u8]> {
    let line = line.strip_suffix(b"\n")?;
    let (event, digits) = line.split_at_checked(line.len().checked_sub(DIGITS)?)?;
    let event = event.strip_suffix(&[BEFORE_CHECKSUM])?;
    let next = checksum.and(event);
    (next.digits().as_bytes() == digits).then(|| *checksum = next)?;
    Some(event)
}

/// Writes an unfinished log, event by event.
#[derive(Debug)]
pub struct UnfinishedWriter<W> {
    stream: W,
    checksum: Checksum,
}

impl<W: Write> UnfinishedWriter<W> {
    /// Begins one.
    pub const fn new(stream: W) -> Self {
        Self { stream, checksum: Checksum([0; 32]) }
    }

    /// Goes on behind the part of a log that was read.
    pub const fn behind(stream: W, log: &UnfinishedLog) -> Self {
        Self { stream, checksum: log.checksum }
    }

    /// Writes one event as one line.
    ///
    /// # Errors
    ///
    /// When the stream breaks.
    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        let mut text = Vec::new();
        json::line(&mut text, event)?;
        let event = text;
        self.checksum = self.checksum.and(&event);
        self.stream.write_all(&event)?;
        self.stream.write_all(&[BEFORE_CHECKSUM])?;
        self.stream.write_all(self.checksum.digits().as_bytes())?;
        self.stream.write_all(b"\n")
    }

    /// Writes what is still to be written.
    ///
    /// # Errors
    ///
    /// When the stream breaks.
    pub fn finish(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
