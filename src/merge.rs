//! The log of a run that was done in parts, from the logs of all of them: the same, byte for byte, as that of one run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use opcert_backend::foreign::printable_line;

use crate::check::CheckedCase;
use crate::judge::{CaseEvent, Header, ShardOfRun};
use crate::plan::{Selection, Shard};
use crate::report::Log;
use crate::verify::is_of;

/// Why logs are not the parts of one run.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// One is of a run that had no parts.
    #[error("`{}` is no part of a run: that was begun without `--shard`", .0.display())]
    Whole(PathBuf),
    /// They were not cut into as many parts.
    #[error("`{}` is one of {} parts, and `{}` one of {}", .0.display(), .1, .2.display(), .3)]
    Cut(PathBuf, u32, PathBuf, u32),
    /// A part is there twice.
    #[error("the part {shard} is there twice: `{}` and `{}`", .one.display(), .other.display())]
    Twice {
        /// The part.
        shard: Shard,
        /// Where it is.
        one: PathBuf,
        /// Where it is as well.
        other: PathBuf,
    },
    /// Parts are missing.
    #[error("{} missing", said_missing(.0))]
    Missing(Vec<Shard>),
    /// They are not of the same run.
    #[error("`{}` and `{}` are not of one run: {what}", .one.display(), .other.display())]
    Differs {
        /// One of them.
        one: PathBuf,
        /// The other one.
        other: PathBuf,
        /// What is not the same.
        what: String,
    },
    /// A case stands where it does not belong, or is another one than that of the suite.
    #[error("`{}`: `{}` {reason}", .log.display(), printable_line(.case))]
    Case {
        /// Where it stands.
        log: PathBuf,
        /// Its id.
        case: String,
        /// Why it does not belong there.
        reason: String,
    },
    /// A case of the suite stands nowhere.
    #[error("`{case}` is a case of the suite, and belongs to the part {shard}, which does not have it")]
    Absent {
        /// Its id.
        case: String,
        /// The part.
        shard: Shard,
    },
}

fn said_missing(shards: &[Shard]) -> String {
    let named: Vec<String> = shards.iter().map(ToString::to_string).collect();
    let (parts, are) = if named.len() == 1 { ("part", "is") } else { ("parts", "are") };
    format!("the {parts} {} {are}", named.join(", "))
}

/// Puts the logs of all parts of a run together, in the order of the suite's cases.
///
/// # Errors
///
/// When a part is missing or there twice, when they are of different runs, suites or backends, and when a case does not
/// belong where it stands.
pub fn merge(logs: Vec<(PathBuf, Log)>, suite: &[CheckedCase]) -> Result<Log, MergeError> {
    let mut parts: BTreeMap<u32, (PathBuf, Log, Shard)> = BTreeMap::new();
    let mut first: Option<(PathBuf, ShardOfRun)> = None;
    for (path, log) in logs {
        let part = log.header.shard.ok_or_else(|| MergeError::Whole(path.clone()))?;
        let (known, other) = first.get_or_insert_with(|| (path.clone(), part));
        if other.shard.of() != part.shard.of() {
            return Err(MergeError::Cut(known.clone(), other.shard.of(), path, part.shard.of()));
        }
        if let Some((one, ..)) = parts.get(&part.shard.number()) {
            return Err(MergeError::Twice { shard: part.shard, one: one.clone(), other: path });
        }
        parts.insert(part.shard.number(), (path, log, part.shard));
    }
    let any = first.map(|(_, part)| part.shard);
    let all = any.into_iter().flat_map(Shard::all);
    let missing: Vec<Shard> = all.filter(|shard| !parts.contains_key(&shard.number())).collect();
    if !missing.is_empty() {
        return Err(MergeError::Missing(missing));
    }
    let parts: Vec<(PathBuf, Log, Shard)> = parts.into_values().collect();
    let Some((one, Log { header, .. }, _)) = parts.first() else { return Err(MergeError::Missing(Vec::new())) };
    let header = whole(header);
    for (other, log, _) in &parts {
        if let Some(what) = difference(&header, &whole(&log.header)) {
            return Err(MergeError::Differs { one: one.clone(), other: other.clone(), what });
        }
    }
    let mut events: BTreeMap<String, (PathBuf, CaseEvent)> = BTreeMap::new();
    for (path, log, shard) in parts {
        for event in log.cases {
            let belongs = shard.with(&event.case);
            if belongs != shard {
                let reason = format!("belongs to the part {belongs}, and this is {shard}");
                return Err(MergeError::Case { log: path, case: event.case, reason });
            }
            events.insert(event.case.clone(), (path.clone(), event));
        }
    }
    in_order(header, events, suite, any)
}

fn in_order(
    header: Header,
    mut events: BTreeMap<String, (PathBuf, CaseEvent)>,
    suite: &[CheckedCase],
    any: Option<Shard>,
) -> Result<Log, MergeError> {
    let everything = Selection { level: header.level.clone(), ..Selection::default() };
    let mut cases = Vec::with_capacity(events.len());
    for case in suite {
        let id = &case.about().id;
        let Some((log, event)) = events.remove(id) else {
            if let Some(any) = any.filter(|_| header.complete && everything.picks(case)) {
                return Err(MergeError::Absent { case: id.clone(), shard: any.with(id) });
            }
            continue;
        };
        if !is_of(&event, case, &header) {
            let reason = "is another case in the suite: `--cases` and `--specs` name its files".to_owned();
            return Err(MergeError::Case { log, case: event.case, reason });
        }
        cases.push(event);
    }
    if let Some((case, (log, _))) = events.pop_first() {
        let reason = "is no case of the suite: `--cases` and `--specs` name its files".to_owned();
        return Err(MergeError::Case { log, case, reason });
    }
    Ok(Log { header: Header { planned: cases.len(), ..header }, cases })
}

/// What the header of a part says of the whole.
fn whole(header: &Header) -> Header {
    let complete = header.shard.is_some_and(|part| part.complete);
    Header { shard: None, complete, planned: 0, ..header.clone() }
}

/// What is not the same in two headers.
fn difference(one: &Header, other: &Header) -> Option<String> {
    if one == other {
        return None;
    }
    if let Some(what) = one.backend.difference(&other.backend) {
        return Some(what);
    }
    let said = |one: &str, other: &str| format!("`{}` and `{}`", printable_line(one), printable_line(other));
    let texts = [
        ("the version of opcert", &one.opcert, &other.opcert),
        ("the digest of the specifications", &one.specs, &other.specs),
        ("the digest of the cases", &one.cases, &other.cases),
        ("the command", &one.repeat, &other.repeat),
    ];
    let text = texts.into_iter().find(|(_, one, other)| one != other);
    let text = text.map(|(what, one, other)| format!("{what}, {}", said(one, other)));
    Some(text.unwrap_or_else(|| "their headers differ in how the backend was run, or in what was picked".to_owned()))
}
