//! The matrix as a picture, for a README: a row per backend and operator, a bar per stretch of levels. It is text and
//! rectangles, brings its own light or dark ground, and loads nothing.

use std::ops::Range;

use maud::{Markup, PreEscaped, html};

use super::appearance::{of_standing, picture_style};
use super::comparison::{Compared, ComparedFamily, Comparison, stretch_name};
use super::{LevelRow, Reported};
use crate::judge::OperatorInfo;
use crate::render::wrapped;
use opcert_backend::foreign::printable_line;

pub(crate) const STYLE: &str = include_str!("svg.css");

const WIDTH: usize = 900;
/// Where the levels begin; names stand to the left.
const LEFT: usize = 230;
const RIGHT: usize = WIDTH - 8;
const ROW: usize = 26;
const BAR: usize = 22;
/// Between families, and between the operators of one.
const GAP: usize = 14;
/// About the width of a letter of the bars and of the names.
const LETTER: usize = 7;

/// Renders the picture of one or many reports. The verdicts are those on stated and derived requirements.
#[must_use]
pub fn svg<R: Reported>(reports: &[R]) -> String {
    let comparison = Comparison::of(reports);
    let mut height = GAP;
    let mut parts = Vec::new();
    for family in &comparison.families {
        parts.push(family_rows(family, &comparison, &mut height));
    }
    // Who looks at the picture alone takes all of it for one suite.
    if let Some(note) = comparison.different_suites() {
        let letters = (WIDTH - 16) / LETTER;
        for line in wrapped(&printable_line(&note), "", "", letters).lines() {
            parts.push(html! { text class="note" x="8" y=(height + 4) { (line) } });
            height += BAR;
        }
        height += GAP / 2;
    }
    let labels: Vec<&str> = comparison.backends.iter().map(|backend| backend.label.as_str()).collect();
    let title = format!("Conformance per feature level: {}", labels.join(", "));
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" width=(WIDTH) height=(height)
            viewBox=(format!("0 0 {WIDTH} {height}")) {
            title id="title" { (title) }
            desc id="desc" { (description(&comparison)) }
            style { (PreEscaped(STYLE)) (PreEscaped(picture_style())) }
            rect class="paper" width=(WIDTH) height=(height) rx="8" {}
            @for part in &parts { (part) }
        }
    };
    picture.into_string() + "\n"
}

/// The picture in words.
fn description<R: Reported>(comparison: &Comparison<'_, R>) -> String {
    let mut sentences = Vec::new();
    for backend in &comparison.backends {
        for (operator, row) in backend.highest() {
            let [_, total] = row.totals();
            let name = row.standings[1].name(backend.log.is_complete());
            sentences.push(printable_line(&format!(
                "{}, {} at {}: {name}, {total} (applicable, run, passed).",
                backend.label, operator.id, row.level
            )));
        }
    }
    sentences.join(" ")
}

fn family_rows<R: Reported>(family: &ComparedFamily<'_>, comparison: &Comparison<'_, R>, y: &mut usize) -> Markup {
    let levels = &family.info.levels;
    let column = |at: usize| LEFT + (RIGHT - LEFT) * at / levels.len().max(1);
    let alone = comparison.backends.len() == 1;
    let mut lines = Vec::new();
    let heads = *y + ROW / 2;
    *y += ROW;
    for operator in &family.operators {
        if !alone {
            let baseline = *y + ROW - 9;
            lines.push(html! { text class="operator" x="8" y=(baseline) { (fitting(&operator.id, WIDTH - 16)) } });
            *y += ROW;
        }
        for backend in &comparison.backends {
            let name = if alone { &operator.id } else { &backend.label };
            let class = if alone { "operator" } else { "backend" };
            lines.push(html! {
                text class=(class) x=(if alone { 8 } else { 20 }) y=(*y + 15) { (fitting(name, LEFT - 28)) }
                (bars(backend, operator, levels, &column, *y))
            });
            *y += ROW;
        }
        *y += if alone { 0 } else { GAP / 2 };
    }
    *y += GAP;
    html! {
        text class="family" x="8" y=(heads) { (fitting(&family.info.title, LEFT - 16)) }
        @for (at, level) in levels.iter().enumerate() {
            text class="level" x=((column(at) + column(at + 1)) / 2) y=(heads) { (fitting(level, column(at + 1) - column(at))) }
        }
        @for line in &lines { (line) }
    }
}

/// A bar for each stretch of levels at which the backend comes to the same.
fn bars<R: Reported>(
    backend: &Compared<'_, R>,
    operator: &OperatorInfo,
    levels: &[String],
    column: &impl Fn(usize) -> usize,
    y: usize,
) -> Markup {
    let rows: Vec<(usize, &LevelRow)> =
        levels.iter().enumerate().filter_map(|(at, level)| Some((at, backend.row(operator, level)?))).collect();
    html! {
        @for stretch in rows.chunk_by(|(_, one), (_, other)| one.is_like(other)) {
            @if let [(first, row), ..] = stretch {
                @let last = first + stretch.len();
                @let names = levels.get(*first..last).unwrap_or_default();
                (bar(backend, row, names, column(*first)..column(last), y))
            }
        }
    }
}

fn bar<R: Reported>(
    backend: &Compared<'_, R>,
    row: &LevelRow,
    levels: &[String],
    span: Range<usize>,
    y: usize,
) -> Markup {
    let [_, total] = row.totals();
    let complete = backend.log.is_complete();
    let name = row.standings[1].name(complete);
    let look = of_standing(row.standings[1], total, complete);
    let sign = look.sign.to_string();
    let counted = row.is_counted() && !total.is_empty();
    let figures = if counted { format!(" {total}") } else { String::new() };
    let wordings = [format!("{sign} {name}{figures}"), format!("{sign} {name}")];
    let (from, width) = (span.start, span.len());
    let room = width.saturating_sub(10) / LETTER;
    let text = wordings.into_iter().find(|wording| wording.chars().count() <= room).unwrap_or(sign);
    html! {
        g class=(look.class) {
            title { (printable_line(&format!("{}: {name}{figures}", stretch_name(levels)))) }
            rect x=(from + 1) y=(y) width=(width - 2) height=(BAR) rx="3" {}
            text x=(from + width / 2) y=(y + 15) { (text) }
        }
    }
}

/// A text that fits into a width, cut where it does not.
fn fitting(text: &str, width: usize) -> String {
    let text = printable_line(text);
    let room = width / LETTER;
    if text.chars().count() <= room {
        return text;
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_others_are_not() {
        assert_eq!(fitting("short", 70), "short");
        assert_eq!(fitting("twelve chars", 70), "twelve ch…");
        assert_eq!(fitting(&"é".repeat(300), 70).chars().count(), 10);
    }
}
