//! A badge: the endpoint format of shields.io, which a README can point at.

use serde::Serialize;

use super::comparison::Comparison;
use super::printable::printable_line;
use super::{Cell, Log, Standing};

/// What shields.io reads from an endpoint.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Badge {
    schema_version: u32,
    label: String,
    message: String,
    color: &'static str,
}

/// Renders the badge of a backend: what the stated and derived requirements come to at all levels that it claims, and
/// the figures at the highest one.
#[must_use]
pub fn badge(log: &Log) -> String {
    let logs = std::slice::from_ref(log);
    let comparison = Comparison::of(logs);
    let mut standings = Vec::new();
    let mut total = Cell::default();
    for backend in &comparison.backends {
        standings.extend(backend.verdicts().map(|row| row.standings[1]));
        for (_, row) in backend.highest() {
            let [_, all] = row.totals();
            total = total.and(all);
        }
    }
    let any = |wanted: Standing| standings.contains(&wanted);
    let complete = log.header.complete;
    let (standing, color) = if standings.is_empty() {
        (Standing::NotClaimed, "lightgrey")
    } else if any(Standing::Partial) {
        (Standing::Partial, if total.run == total.passed + total.waived { "yellow" } else { "red" })
    } else if any(Standing::ConformsPackedWithWaivers) {
        (Standing::ConformsPackedWithWaivers, if complete { "yellowgreen" } else { "lightgrey" })
    } else if any(Standing::ConformsWithWaivers) {
        (Standing::ConformsWithWaivers, if complete { "yellowgreen" } else { "lightgrey" })
    } else if any(Standing::ConformsPacked) {
        (Standing::ConformsPacked, if complete { "green" } else { "lightgrey" })
    } else {
        (Standing::Conforms, if complete { "brightgreen" } else { "lightgrey" })
    };
    let name = standing.name(complete);
    let message = match standing {
        Standing::NotClaimed => "nothing claimed".to_owned(),
        Standing::Partial => format!("{name}, {total}"),
        _ => {
            let claims = log.header.backend.claims.iter().map(|(family, level)| format!("{family} {level}"));
            format!("{name}: {}", printable_line(&claims.collect::<Vec<_>>().join(", ")))
        }
    };
    let label = format!("opcert {}", printable_line(&log.header.backend.name));
    let badge = Badge { schema_version: 1, label, message, color };
    serde_json::to_string(&badge).map(|text| text + "\n").unwrap_or_default()
}
