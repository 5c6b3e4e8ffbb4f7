//! For a person at a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;
use opcert_backend::ForeignText;
use opcert_backend::foreign::{printable, printable_line};
use similar::{ChangeTag, TextDiff};

use super::appearance::{self, of_outcome, of_standing};
use super::{Cell, LevelRow, Log, Matrix, OperatorMatrix, waivers};
use crate::judge::{CaseEvent, Difference, Given, GivenTensor};
use crate::render::{self, wrapped};

const GOOD: Style = appearance::GOOD.style;
const BAD: Style = appearance::BAD.style;
const KNOWN: Style = appearance::WAIVED.style;
const DIM: Style = appearance::NONE.style;
const BOLD: Style = Style::new().bold();

/// Writes failures as they come, and a summary at the end. Styles are written always; the stream strips them where
/// they do not belong.
#[derive(Debug)]
pub struct Human<W> {
    stream: W,
}

impl<W: Write> Human<W> {
    /// Writes to a stream.
    pub const fn new(stream: W) -> Self {
        Self { stream }
    }

    /// Says what is wrong with a case, if something is.
    ///
    /// # Errors
    ///
    /// When the stream breaks.
    pub fn case(&mut self, event: &CaseEvent, repeat: &str) -> io::Result<()> {
        if event.outcome.is_bad() {
            writeln!(self.stream, "{}", explain_failure(event, repeat, true, render::USUAL_WIDTH))?;
        }
        Ok(())
    }

    /// Says what it all comes to.
    ///
    /// # Errors
    ///
    /// When the stream breaks.
    pub fn finish(&mut self, log: &Log) -> io::Result<()> {
        write!(self.stream, "{}", summary(log))?;
        self.stream.flush()
    }
}

fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// What is wrong with a case, where, and how to repeat it alone. In the command `repeat`, `{case}` stands for the case's
/// id and `{test}` for its name as a test.
#[must_use]
pub fn explain_failure(event: &CaseEvent, repeat: &str, styled: bool, width: usize) -> String {
    let painted = |style, text: &str| if styled { paint(style, text) } else { text.to_owned() };
    let mut text = format!("{} {}", painted(BAD, event.outcome.name()), painted(BOLD, &event.case));
    if let Some(title) = &event.title {
        let _ = write!(text, "  {}", painted(DIM, title));
    }
    text.push('\n');
    if let Some(reason) = &event.reason {
        let _ = writeln!(text, "  {}", reason.paragraph("    "));
    }
    for difference in &event.differences {
        explain_difference(&mut text, difference, styled);
    }
    if let Some(given) = &event.given {
        let _ = writeln!(text, "  {}", painted(DIM, "given"));
        explain_given(&mut text, given, width);
    }
    explain_requirements(&mut text, event, &painted, width);
    let repeat = repeat.replace("{case}", &event.case).replace("{test}", &event.case.replace('/', "::"));
    let _ = writeln!(text, "  {} {repeat}", painted(DIM, "repeat"));
    text
}

/// Each tensor with what its descriptor says, its elements below, and the attributes.
fn explain_given(text: &mut String, given: &Given, width: usize) {
    for GivenTensor { name, descriptor, elements } in &given.tensors {
        let line = printable_line(&format!("{name}: ({descriptor})"));
        text.push_str(&wrapped(&line, "    ", "        ", width));
        for line in elements.iter().flat_map(|elements| elements.lines()) {
            let _ = writeln!(text, "      {}", printable(line));
        }
    }
    for (name, value) in &given.attributes {
        text.push_str(&wrapped(&printable_line(&format!("{name}: {value}")), "    ", "        ", width));
    }
}

/// Each requirement that the case covers or has to be refused for, with what it says, and why it holds if it is derived.
fn explain_requirements(text: &mut String, event: &CaseEvent, painted: &dyn Fn(Style, &str) -> String, width: usize) {
    let others = event.requirements.iter().map(|(id, _)| id).filter(|id| !event.covers.contains(id));
    for id in event.covers.iter().chain(others) {
        let label = if event.covers.contains(id) { "covers" } else { "breaks" };
        let _ = writeln!(text, "  {} {}", painted(DIM, label), printable_line(id));
        let of_this = |list: &[(String, String)]| {
            list.iter().find(|(each, _)| each == id).map(|(_, words)| printable_line(words))
        };
        let indent = "    ";
        text.push_str(
            &of_this(&event.requirements).map_or_else(String::new, |said| wrapped(&said, indent, indent, width)),
        );
        for line in of_this(&event.derived).iter().flat_map(|why| {
            let lines = wrapped(&format!("derived: {why}"), indent, indent, width);
            lines.lines().map(str::to_owned).collect::<Vec<_>>()
        }) {
            let _ = writeln!(text, "{}", painted(DIM, &line));
        }
    }
}

/// More reasons than this are not listed.
const MOST_REASONS: usize = 5;

/// Why cases did not run, the most frequent reasons first.
fn reasons(log: &Log) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for case in log.cases.iter().filter(|case| !case.outcome.ran() && !case.outcome.is_bad()) {
        let reason = case.reason.as_ref().map_or_else(|| "for no stated reason".to_owned(), ForeignText::to_string);
        *counts.entry(format!("{}: {reason}", case.outcome)).or_default() += 1;
    }
    let mut reasons: Vec<(String, usize)> = counts.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let rest: usize = reasons.iter().skip(MOST_REASONS).map(|(_, count)| count).sum();
    reasons.truncate(MOST_REASONS);
    if rest > 0 {
        reasons.push(("for other reasons".to_owned(), rest));
    }
    reasons
}

fn explain_difference(text: &mut String, difference: &Difference, styled: bool) {
    let Difference { differing, defined, unwritten, first, rendering, .. } = difference;
    let [tensor, expected, actual] =
        [&difference.tensor, &difference.expected, &difference.actual].map(|text| printable_line(text));
    match first {
        Some(first) => {
            let _ = writeln!(text, "  `{tensor}` at {first:?} is {actual}, expected {expected}");
            let _ = write!(text, "  {differing} of {defined} defined elements differ");
        }
        None => {
            let _ = writeln!(text, "  `{tensor}` is {actual}, expected {expected}");
            let _ = write!(text, "  {defined} elements");
        }
    }
    if *unwritten > 0 {
        let _ = write!(text, ", {unwritten} of them were never written");
    }
    text.push('\n');
    if let Some(rendering) = rendering {
        let (expected, actual) = (printable(&rendering.expected), printable(&rendering.actual));
        let diff = TextDiff::from_lines(&*expected, &*actual);
        let _ = writeln!(text, "  - expected  + actual");
        for change in diff.iter_all_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ("-", GOOD),
                ChangeTag::Insert => ("+", BAD),
                ChangeTag::Equal => (" ", Style::new()),
            };
            let line = format!("  {sign} {}", change.value().trim_end_matches('\n'));
            let _ = writeln!(text, "{}", if styled { paint(style, &line) } else { line });
        }
    }
}

/// The counts and the matrix of a log.
#[must_use]
pub fn summary(log: &Log) -> String {
    let mut text = String::new();
    let backend = &log.header.backend;
    let way = log.header.way();
    let _ = writeln!(text, "{} {way}", paint(BOLD, &backend.to_string()));
    let outcomes: Vec<String> = log
        .footer()
        .outcomes
        .iter()
        .map(|(outcome, count)| paint(of_outcome(*outcome).style, &format!("{count} {outcome}")))
        .collect();
    let _ = writeln!(text, "{}: {}", render::counted(log.cases.len(), "case"), outcomes.join(", "));
    for (reason, count) in reasons(log) {
        let _ = writeln!(text, "{}", paint(DIM, &format!("  {count} {reason}")));
    }
    known_failures(&mut text, log);
    if !log.header.complete {
        let _ = writeln!(text, "not the embedded suite, or not all of it: this is no verdict");
    }
    let matrix = Matrix::of(log);
    let shown: Vec<_> = matrix.operators.iter().filter(|operator| operator.has_cases).collect();
    if !shown.is_empty() {
        let rows = shown.iter().flat_map(|operator| &operator.levels);
        let any_open = rows.map(|row| row.totals()[1]).any(|total| total.open() > 0);
        let open = if any_open { ", + open: on open questions, and wrong whatever the answer" } else { "" };
        let _ = writeln!(text, "\n{}", paint(DIM, &format!("applicable / run / passed{open}")));
    }
    for operator in shown {
        operator_table(&mut text, operator, log.header.complete);
    }
    text
}

/// What was let pass, and why: all of it, for a verdict rests on it.
fn known_failures(text: &mut String, log: &Log) {
    for (waiver, count) in waivers(log) {
        let link = waiver.link.as_ref().map(|link| format!(" ({link})")).unwrap_or_default();
        let line = format!("  {count} known to come out as `{}`: {}{link}", waiver.outcome, waiver.reason);
        let _ = writeln!(text, "{}", paint(KNOWN, &line));
    }
    let unexplained: usize =
        waivers(log).into_iter().filter(|(waiver, _)| !waiver.is_explained()).map(|(_, count)| count).sum();
    if unexplained > 0 {
        let line =
            format!("  {unexplained} of them unexplained: these waive nothing until somebody says why they fail");
        let _ = writeln!(text, "{}", paint(BAD, &line));
    }
}

/// One line per stretch of levels at which nothing changes.
fn operator_table(text: &mut String, matrix: &OperatorMatrix, complete: bool) {
    let _ = writeln!(text, "\n{}  {}", paint(BOLD, &matrix.operator.id), paint(DIM, &matrix.operator.title));
    let head = [
        "level",
        "verdict: stated",
        "+ derived",
        "packed: stated",
        "+ derived",
        "strided: stated",
        "+ derived",
        "refusals",
    ];
    let mut rows: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
    let mut styles = vec![DIM];
    let alike = |one: &LevelRow, other: &LevelRow| LevelRow { level: other.level.clone(), ..one.clone() } == *other;
    for stretch in matrix.levels.chunk_by(alike) {
        let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else { continue };
        let levels =
            if stretch.len() == 1 { first.level.clone() } else { format!("{} – {}", first.level, last.level) };
        let [stated, all] = first.standings.map(|standing| standing.name(complete));
        let mut row = vec![levels, stated, all];
        if first.is_counted() {
            let shown = |cell: &Cell| if cell.is_empty() { "–".to_owned() } else { cell.to_string() };
            let [stated, all] = &first.counts;
            row.extend([stated.packed, all.packed, stated.strided, all.strided].iter().map(shown));
            row.push(first.refusals().as_ref().map_or_else(|| "not claimed".to_owned(), shown));
        }
        rows.push(row);
        let [_, total] = first.totals();
        styles.push(of_standing(first.standings[1], total, complete).style);
    }
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    for (row, style) in rows.iter().zip(styles) {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        let line = format!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
        let _ = writeln!(text, "{}", paint(style, &line));
    }
}
