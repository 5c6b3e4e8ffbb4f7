//! The event log: JSON, one event per line, between a header and a footer.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, BufRead, Write};

use opcert_backend::foreign::{is_unseen, printable_line};
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;

use crate::json;
use crate::judge::{CaseEvent, Event, Footer, Header};

/// The version of the format.
pub const LOG_FORMAT: u32 = 1;

/// An event tells of at most so many outputs.
const MOST_OUTPUTS: usize = 1 << 8;

/// A log that is whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// What was run, on what.
    pub header: Header,
    /// The cases, in the order of the plan.
    pub cases: Vec<CaseEvent>,
}

/// Why a log is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It could not be read.
    #[error("cannot be read: {0}")]
    Stream(#[from] io::Error),
    /// There is nothing in it.
    #[error("the log is empty")]
    Empty,
    /// A line is no event.
    #[error("line {line} is no event: {reason}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// An event stands where it does not belong.
    #[error("line {line}: {reason}")]
    Misplaced {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// The footer is missing.
    #[error("the log was cut off: {found} of {planned} cases, and no footer")]
    Truncated {
        /// How many cases the log has.
        found: usize,
        /// How many its header announces.
        planned: usize,
    },
    /// The footer does not agree with what stands before it.
    #[error("the log does not agree with its own {part}: {stated} cases stated, {found} found")]
    Disagrees {
        /// Header or footer.
        part: &'static str,
        /// How many it states.
        stated: usize,
        /// How many there are.
        found: usize,
    },
    /// A case does not belong into the log.
    #[error("`{case}`: {reason}")]
    Case {
        /// The case's id.
        case: String,
        /// Why not.
        reason: String,
    },
    /// The header names something that it does not know.
    #[error("the header: {0}")]
    Header(String),
    /// The outcomes are not those that the footer counts.
    #[error("the footer counts other outcomes than the log has")]
    Outcomes,
    /// It has another version.
    #[error("the log has format {0}, this is format {LOG_FORMAT}")]
    Format(u32),
}

impl Log {
    /// Reads a log.
    ///
    /// # Errors
    ///
    /// When it is empty, cut off, not of this format, or disagrees with itself.
    pub fn read(stream: impl BufRead) -> Result<Self, LogError> {
        let mut header = None;
        let mut cases = Vec::new();
        let mut footer = None;
        for (index, text) in stream.lines().enumerate() {
            let line = index + 1;
            let event = read_event(text?.as_bytes(), line)?;
            let misplaced = |reason| LogError::Misplaced { line, reason };
            match event {
                _ if footer.is_some() => return Err(misplaced("something stands behind the footer")),
                Event::Header(_) if header.is_some() => return Err(misplaced("a second header")),
                Event::Header(found) => header = Some(*found),
                _ if header.is_none() => return Err(misplaced("the first line must be the header")),
                Event::Case(case) => cases.push(*case),
                Event::Footer(found) => footer = Some(found),
            }
        }
        let header = header.ok_or(LogError::Empty)?;
        if header.format != LOG_FORMAT {
            return Err(LogError::Format(header.format));
        }
        let found = cases.len();
        let footer = footer.ok_or(LogError::Truncated { found, planned: header.planned })?;
        for (part, stated) in [("header", header.planned), ("footer", footer.cases)] {
            if stated != found {
                return Err(LogError::Disagrees { part, stated, found });
            }
        }
        let log = Self { header, cases };
        log.check_names()?;
        if log.footer() == footer { Ok(log) } else { Err(LogError::Outcomes) }
    }

    /// The header alone, if the first line is one.
    #[must_use]
    pub fn header_of(bytes: &[u8]) -> Option<Header> {
        match read_event(bytes.split(|byte| *byte == b'\n').next()?, 1) {
            Ok(Event::Header(header)) => Some(*header),
            _ => None,
        }
    }

    /// Every name that counting goes by is known, and every case stands there once: what cannot be placed would be
    /// missing from the matrix, and nobody would see that.
    fn check_names(&self) -> Result<(), LogError> {
        self.header.check_names().map_err(LogError::Header)?;
        let mut seen = BTreeSet::new();
        for case in &self.cases {
            let wrong = |reason: String| LogError::Case { case: case.case.clone(), reason };
            if !seen.insert(&case.case) {
                return Err(wrong("it stands there twice".to_owned()));
            }
            let outputs = case.differences.len().max(case.observed.len());
            if outputs > MOST_OUTPUTS {
                return Err(wrong(format!("it tells of {outputs} outputs, expected at most {MOST_OUTPUTS}")));
            }
            let operator = self.header.operators.iter().find(|operator| operator.id == case.operator);
            let operator = operator.ok_or_else(|| wrong(format!("its operator `{}` is unknown", case.operator)))?;
            let family = self.header.families.iter().find(|family| family.name == operator.family);
            for level in [Some(&case.level), case.refused_until.as_ref()].into_iter().flatten() {
                if family.is_none_or(|family| !family.levels.contains(level)) {
                    return Err(wrong(format!("its level `{level}` is unknown")));
                }
            }
            if let Some(data_type) = &case.data_type
                && family.is_none_or(|family| !family.types.contains(data_type))
            {
                return Err(wrong(format!("its data type `{data_type}` is unknown")));
            }
            if !["stated", "derived", "unspecified", "undefined"].contains(&case.authority.as_str()) {
                return Err(wrong(format!("its authority `{}` is unknown", case.authority)));
            }
        }
        Ok(())
    }

    /// The footer that belongs to the log.
    #[must_use]
    pub fn footer(&self) -> Footer {
        let mut outcomes = BTreeMap::new();
        for case in &self.cases {
            *outcomes.entry(case.outcome).or_insert(0) += 1;
        }
        Footer { cases: self.cases.len(), outcomes }
    }
}

/// Reads the event of a line. What a backend said may hold any character; everything else is written by opcert, and
/// holds none that cannot be seen.
pub(super) fn read_event(text: &[u8], line: usize) -> Result<Event, LogError> {
    let malformed = |reason: String| LogError::Malformed { line, reason };
    let event = serde_json::from_slice(text).map_err(|error| malformed(error.to_string()))?;
    // Without an escape there is nothing to look for in ASCII.
    if text.contains(&b'\\') || !text.is_ascii() {
        let mut hidden = None;
        let look = Look { place: "", hidden: &mut hidden };
        look.deserialize(&mut Deserializer::from_slice(text)).map_err(|error| malformed(error.to_string()))?;
        if let Some((place, letter)) = hidden {
            let place = printable_line(&place);
            return Err(malformed(format!("`{place}` holds U+{:04X}, which cannot be seen there", u32::from(letter))));
        }
    }
    Ok(event)
}

/// What holds another program's own words, kept as they came.
const WORDS: [&str; 6] =
    [".backend.name", ".backend.version", ".backend.device", ".reason", ".waiver.reason", ".waiver.link"];

/// What may have several lines.
const LINES: [&str; 4] = [".rendering.expected", ".rendering.actual", ".observed.value", ".given.tensors.elements"];

/// Looks through JSON for the first character that does not belong where it stands, and keeps nothing else of it.
struct Look<'a> {
    place: &'a str,
    /// The place of that character, and which it is.
    hidden: &'a mut Option<(String, char)>,
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if self.hidden.is_none() && !WORDS.contains(&self.place) {
            let has_lines = LINES.iter().any(|lines| self.place.ends_with(lines));
            let is_stray = |letter: &char| is_unseen(*letter) || matches!(letter, '\n' | '\t') && !has_lines;
            *self.hidden = text.chars().find(is_stray).map(|letter| (self.place.to_owned(), letter));
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Look { place: self.place, hidden: &mut *self.hidden })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(key) = entries.next_key::<String>()? {
            let place = format!("{}.{key}", self.place);
            if let Some(letter) = key.chars().find(|&letter| is_unseen(letter) || letter == '\n') {
                self.hidden.get_or_insert_with(|| (place.clone(), letter));
            }
            entries.next_value_seed(Look { place: &place, hidden: &mut *self.hidden })?;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Writes a log, event by event.
#[derive(Debug)]
pub struct LogWriter<W>(W);

impl<W: Write> LogWriter<W> {
    /// Writes to a stream.
    pub const fn new(stream: W) -> Self {
        Self(stream)
    }

    /// Writes one event as one line.
    ///
    /// # Errors
    ///
    /// When the stream breaks.
    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        json::line(&mut self.0, event)?;
        self.0.write_all(b"\n")
    }

    /// Writes what is still to be written.
    ///
    /// # Errors
    ///
    /// When the stream breaks.
    pub fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
