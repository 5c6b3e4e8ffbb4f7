//! A badge: the endpoint format of shields.io, which a README can point at.

use std::collections::BTreeMap;

use opcert_backend::foreign::printable_line;
use serde_json::json;

use super::appearance::{NONE, WORST_FIRST, of_standing};
use super::comparison::{Compared, Comparison};
use super::{Cell, LevelRow, Reported, Standing, Waived};
use crate::judge::claims_in_short;

/// Renders the badge of a backend: what the stated and derived requirements come to at all levels that it claims, and
/// the figures at the highest one.
#[must_use]
pub fn badge<R: Reported>(report: &R) -> String {
    let comparison = Comparison::of(std::slice::from_ref(report));
    let complete = report.is_complete();
    let rows: Vec<&LevelRow> = comparison.backends.iter().flat_map(Compared::verdicts).collect();
    let looks: Vec<_> = rows
        .iter()
        .map(|row| {
            let ([_, standing], [_, total]) = (row.standings, row.totals());
            of_standing(standing, total, complete)
        })
        .collect();
    let look = WORST_FIRST.into_iter().find(|look| looks.contains(look)).unwrap_or(NONE);
    let message = if rows.is_empty() {
        "nothing claimed".to_owned()
    } else if rows.iter().any(|row| row.standings[1] == Standing::Partial) {
        let highest = comparison.backends.iter().flat_map(Compared::highest);
        let total = highest.fold(Cell::default(), |total, (_, row)| total.and(row.totals()[1]));
        format!("{}, {total}", Standing::Partial.name(complete))
    } else {
        let claims = printable_line(&claims_in_short(&report.backend().claims, &BTreeMap::new()).join(", "));
        format!("{}: {claims}", together(&comparison).name(complete))
    };
    let label = format!("opcert {}", report.backend().name);
    json!({ "schemaVersion": 1, "label": label, "message": message, "color": look.badge }).to_string() + "\n"
}

/// What operators that all conform come to together: of each, the level at which most is waived.
fn together<R: Reported>(comparison: &Comparison<'_, R>) -> Standing {
    let (mut all, mut any_packed_only) = (Waived::NOTHING, false);
    for operator in comparison.backends.iter().flat_map(Compared::verdicts_by_operator) {
        let mut most = Waived::NOTHING;
        for row in operator {
            if let [_, Standing::Conforms { packed_only, waived }] = row.standings {
                any_packed_only |= packed_only;
                if waived.count + waived.open >= most.count + most.open {
                    most = row.totals()[1].waivers();
                }
            }
        }
        all = Waived { count: all.count + most.count, of: all.of + most.of, open: all.open + most.open };
    }
    Standing::Conforms { packed_only: any_packed_only, waived: all }
}
