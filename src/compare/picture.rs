//! All pairs as a picture, for a README: a square for each way from one operator to another, by how well it leads there.

use std::collections::BTreeSet;

use maud::{PreEscaped, html};

use super::report::{ComparisonReport, Fit, OneWay};
use crate::report::{PICTURE_STYLE, picture_style};

const WIDTH: usize = 900;
/// Where the columns begin; names stand to the left.
const LEFT: usize = 240;
const ROW: usize = 26;
const BAR: usize = 22;
const GAP: usize = 14;

/// The picture of the matrix.
pub(super) fn picture(reports: &[ComparisonReport]) -> String {
    let ways: Vec<&OneWay> = reports.iter().flat_map(|report| &report.comparisons).collect();
    let mut height = GAP;
    let mut parts = Vec::new();
    for group in groups(&ways) {
        let step = (WIDTH - LEFT - 8) / group.len();
        let middle = |column: usize| LEFT + column * step + step / 2;
        for (column, operator) in group.iter().enumerate() {
            let (family, name) = operator.split_once('/').unwrap_or(("", operator));
            parts.push(html! {
                text class="level" x=(middle(column)) y=(height + 10) { (family) }
                text class="level" x=(middle(column)) y=(height + 24) { (name) }
            });
        }
        height += ROW + GAP / 2;
        for from in &group {
            parts.push(html! { text class="operator" x="8" y=(height + 15) { (from) } });
            for (column, to) in group.iter().enumerate() {
                let way = ways.iter().find(|way| way.from.operator == *from && way.to.operator == *to);
                let Some(way) = way else { continue };
                let (sign, class, word) = look(way.fit);
                parts.push(html! {
                    g class=(class) {
                        title { (from) " said as " (to) ": " (way.fit.to_string()) }
                        rect x=(LEFT + column * step + 2) y=(height) width=(step - 4) height=(BAR) rx="3" {}
                        text x=(middle(column)) y=(height + 15) { (sign) " " (word) }
                    }
                });
            }
            height += ROW;
        }
        height += GAP;
    }
    let sentence = |way: &&OneWay| format!("{} said as {}: {}.", way.from.operator, way.to.operator, way.fit);
    let description = ways.iter().map(sentence).collect::<Vec<_>>().join(" ");
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" width=(WIDTH) height=(height)
            viewBox=(format!("0 0 {WIDTH} {height}")) {
            title id="title" { "How well an operator of a row is said as that of a column" }
            desc id="desc" { (description) }
            style { (PreEscaped(PICTURE_STYLE)) (PreEscaped(picture_style())) }
            rect class="paper" width=(WIDTH) height=(height) rx="8" {}
            @for part in &parts { (part) }
        }
    };
    picture.into_string() + "\n"
}

/// A sign, a class and a word.
pub(super) const fn look(fit: Fit) -> (&'static str, &'static str, &'static str) {
    match fit {
        Fit::DropIn => ("✓", "good", "drop-in"),
        Fit::Conditional => ("✓", "good-in-part", "in part"),
        Fit::FixUp => ("◐", "part", "fix-up"),
        Fit::Differs => ("✕", "bad", "differs"),
        Fit::NoWay => ("–", "none", "no way"),
    }
}

/// Operators between which there are ways, however long.
pub(super) fn groups(ways: &[&OneWay]) -> Vec<Vec<String>> {
    let mut groups: Vec<BTreeSet<String>> = Vec::new();
    for way in ways {
        let both = BTreeSet::from([way.from.operator.clone(), way.to.operator.clone()]);
        let (touched, mut others): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| !group.is_disjoint(&both));
        others.push(touched.into_iter().flatten().chain(both).collect());
        groups = others;
    }
    let mut groups: Vec<Vec<String>> = groups.into_iter().map(|group| group.into_iter().collect()).collect();
    groups.sort();
    groups
}
