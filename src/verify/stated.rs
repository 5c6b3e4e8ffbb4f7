//! What a certificate says, beside what follows from the log.

use serde_json::Value;

use super::misfit::{Misfit, Part};
use crate::report::{Certificate, Log, SuiteDigests};

/// Everything that differs. What concerns other files than the log is left out.
///
/// # Errors
///
/// When a certificate cannot be JSON.
pub(super) fn differences(stated: &mut Certificate, log: &Log) -> Result<Vec<Misfit>, serde_json::Error> {
    // There may be very many other files.
    let suite = std::mem::take(&mut stated.suite);
    let found = Certificate::of(log, stated.log.clone(), SuiteDigests::default());
    let values = [serde_json::to_value(&*stated), serde_json::to_value(found)];
    stated.suite = suite;
    let [stated, found] = values;
    let (stated, found) = (stated?, found?);
    let mut misfits = Vec::new();
    compare(&mut Vec::new(), Some(&stated), Some(&found), &mut misfits);
    Ok(misfits)
}

fn compare<'a>(
    path: &mut Vec<&'a str>,
    stated: Option<&'a Value>,
    found: Option<&'a Value>,
    misfits: &mut Vec<Misfit>,
) {
    if stated == found {
        return;
    }
    if let (Some(Value::Object(one)), Some(Value::Object(other))) = (stated, found) {
        let added = other.keys().filter(|key| !one.contains_key(*key));
        for key in one.keys().chain(added) {
            path.push(key);
            compare(path, one.get(key), other.get(key), misfits);
            path.pop();
        }
        return;
    }
    let part = match path.first().copied() {
        Some("totals") => Part::Count,
        Some("operators") => Part::Cell,
        Some("waivers") => Part::Waiver,
        Some("wrong") => Part::Failure,
        Some("observations") => Part::Observation,
        _ => Part::Entry,
    };
    let shown = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), ToString::to_string);
    misfits.push(Misfit::Stated { part, place: path.join("."), stated: shown(stated), found: shown(found) });
}
