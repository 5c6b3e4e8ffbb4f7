//! For a person at a terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;
use opcert_backend::ForeignText;
use opcert_backend::foreign::{printable, printable_line};
use similar::{ChangeTag, TextDiff};

use super::appearance::{self, Appearance, of_outcome, of_standing};
use super::comparison::{Compared, Comparison};
use super::{Cell, LevelRow, Log, Matrix, OperatorMatrix, Reported, waivers};
use crate::judge::{CaseEvent, Difference, Given, GivenTensor, Outcome, Why};
use crate::plan::UNCLAIMED;
use crate::render::{self, columns, wrapped};

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
    width: usize,
    /// The requirements whose text stands above already.
    said: BTreeSet<String>,
}

impl<W: Write> Human<W> {
    /// Writes to a stream, in lines of at most so many columns.
    pub const fn new(stream: W, width: usize) -> Self {
        Self { stream, width, said: BTreeSet::new() }
    }

    /// Says what is wrong with a case, if something is. What a requirement says is said once.
    ///
    /// # Errors
    ///
    /// When the stream breaks.
    pub fn case(&mut self, event: &CaseEvent, repeat: &str) -> io::Result<()> {
        if event.outcome.is_bad() {
            writeln!(self.stream, "{}", explain(event, repeat, true, self.width, &mut self.said))?;
        }
        Ok(())
    }

    /// Says what it all comes to.
    ///
    /// # Errors
    ///
    /// When the stream breaks.
    pub fn finish(&mut self, log: &Log) -> io::Result<()> {
        write!(self.stream, "{}", summary(log, self.width))?;
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
    explain(event, repeat, styled, width, &mut BTreeSet::new())
}

fn explain(event: &CaseEvent, repeat: &str, styled: bool, width: usize, said: &mut BTreeSet<String>) -> String {
    let painted = |style, text: &str| if styled { paint(style, text) } else { text.to_owned() };
    let mut text = format!("{} {}", painted(BAD, event.outcome.name()), painted(BOLD, &event.case));
    // Behind the id if there is room, otherwise below it.
    let title = event.title.as_ref().map(|title| painted(DIM, title));
    if let Some(title) = title.as_ref().filter(|title| columns(&text) + 2 + columns(title) <= width) {
        let _ = writeln!(text, "  {title}");
    } else {
        text.push('\n');
        text.push_str(&title.map_or_else(String::new, |title| wrapped(&title, "  ", "  ", width)));
    }
    if let Some(reason) = &event.reason {
        let _ = writeln!(text, "  {}", reason.paragraph("    "));
    }
    for difference in &event.differences {
        explain_difference(&mut text, difference, styled, width);
    }
    if let Some(given) = &event.given {
        let _ = writeln!(text, "  {}", painted(DIM, "given"));
        explain_given(&mut text, given, width);
    }
    explain_requirements(&mut text, event, said, &painted, width);
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

/// Each requirement that the case covers or has to be refused for, with what it says, and why it holds if it is derived; but
/// of those that were said before only the names.
fn explain_requirements(
    text: &mut String,
    event: &CaseEvent,
    said: &mut BTreeSet<String>,
    painted: &dyn Fn(Style, &str) -> String,
    width: usize,
) {
    let others = event.requirements.iter().map(|(id, _)| id).filter(|id| !event.covers.contains(id));
    let mut known = Vec::new();
    for id in event.covers.iter().chain(others) {
        let is_new = said.insert(id.clone());
        let label = match (event.covers.contains(id), is_new) {
            (true, true) => "covers",
            (true, false) => {
                known.push(printable_line(id));
                continue;
            }
            (false, _) => "breaks",
        };
        let _ = writeln!(text, "  {} {}", painted(DIM, label), printable_line(id));
        if !is_new {
            continue;
        }
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
    if !known.is_empty() {
        let label = painted(DIM, "covers, as said above,");
        text.push_str(&wrapped(&format!("{label} {}", known.join(", ")), "  ", "    ", width));
    }
}

/// More reasons than this are not listed.
const MOST_REASONS: usize = 5;

/// Why cases did not run, a line each: first what keeps a verdict from being whole, then the most frequent reasons. All
/// that is not claimed is one of them.
fn reasons(log: &Log) -> Vec<String> {
    let mut found: BTreeMap<(Outcome, String), (usize, usize)> = BTreeMap::new();
    let mut unclaimed: BTreeMap<String, usize> = BTreeMap::new();
    for case in log.cases.iter().filter(|case| !case.outcome.ran()) {
        if let Some(what) = what_is_unclaimed(case) {
            *unclaimed.entry(what).or_default() += 1;
            continue;
        }
        let reason = case.reason.as_ref().map_or_else(|| "for no stated reason".to_owned(), ForeignText::to_string);
        let (lacking, count) = found.entry((case.outcome, reason)).or_default();
        *lacking += usize::from(case.lacks_its_answer());
        *count += 1;
    }
    if !unclaimed.is_empty() {
        let sum: usize = unclaimed.values().sum();
        let (_, count) = found.entry((Outcome::NotRun, in_one_reason(unclaimed))).or_default();
        *count += sum;
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, counts)| std::cmp::Reverse(*counts));
    let rest = found.split_off(found.len().min(MOST_REASONS));
    let lines = found.into_iter().map(|((outcome, reason), (_, count))| format!("{count} {outcome}: {reason}"));
    let mut lines: Vec<String> = lines.collect();
    if !rest.is_empty() {
        let mut outcomes: BTreeMap<Outcome, usize> = BTreeMap::new();
        rest.iter().for_each(|((outcome, _), (_, count))| *outcomes.entry(*outcome).or_default() += count);
        let outcomes: Vec<String> = outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        lines.push(format!("{} for {}", outcomes.join(", "), render::counted(rest.len(), "other reason")));
    }
    lines
}

/// What the backend does not claim, where a case did not run for that. Which operators these are is said elsewhere.
fn what_is_unclaimed(case: &CaseEvent) -> Option<String> {
    let reason = case.reason.as_ref().filter(|_| case.outcome == Outcome::NotRun)?;
    let what = reason.raw().strip_prefix(UNCLAIMED)?;
    let above = what.strip_prefix(&format!("`{}`", case.operator));
    Some(printable_line(&above.map_or_else(|| what.to_owned(), |above| format!("the operator{above}"))))
}

/// All that is not claimed in one reason, the most frequent first.
fn in_one_reason(unclaimed: BTreeMap<String, usize>) -> String {
    let mut unclaimed: Vec<(String, usize)> = unclaimed.into_iter().collect();
    unclaimed.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    if let [(only, _)] = unclaimed.as_slice() {
        return format!("{UNCLAIMED}{only}");
    }
    let rest: usize = unclaimed.iter().skip(MOST_REASONS).map(|(_, count)| count).sum();
    let listed = unclaimed.iter().take(MOST_REASONS).map(|(what, count)| format!("{what} ({count})"));
    let others = (rest > 0).then(|| format!("others ({rest})"));
    format!("{UNCLAIMED}{}", listed.chain(others).collect::<Vec<_>>().join(", "))
}

fn explain_difference(text: &mut String, difference: &Difference, styled: bool, width: usize) {
    let Difference { differing, defined, unwritten, first, rendering, .. } = difference;
    let [tensor, expected, actual] =
        [&difference.tensor, &difference.expected, &difference.actual].map(|text| printable_line(text));
    match first {
        Some(first) => {
            let _ = writeln!(text, "  `{tensor}` at {first:?} is {actual}, expected {expected}");
            let why = difference.why.iter().flat_map(|why| why.in_words(&difference.expected));
            why.for_each(|line| text.push_str(&wrapped(&printable_line(&line), "    ", "      ", width)));
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

/// What a log comes to, in one line: the backend, the verdicts, the counts.
#[must_use]
pub fn verdict_line(log: &Log) -> String {
    format!("{}: {}; {}\n", paint(BOLD, &log.header.backend.to_string()), verdicts(log), outcomes(log))
}

/// What the operators come to, the worst first.
fn verdicts(log: &Log) -> String {
    let comparison = Comparison::of(std::slice::from_ref(log));
    verdict_words(comparison.backends.iter().flat_map(Compared::in_short).collect())
}

fn verdict_words(verdicts: Vec<(String, Appearance, usize)>) -> String {
    let word = |(name, look, count): (String, Appearance, usize)| {
        paint(look.style, &format!("{} {name}: {}", look.sign, render::counted(count, "operator")))
    };
    let verdicts: Vec<String> = verdicts.into_iter().map(word).collect();
    if verdicts.is_empty() { "no verdict".to_owned() } else { verdicts.join(", ") }
}

/// How many cases came out in which way.
fn outcomes(log: &Log) -> String {
    let counts = log.footer().outcomes;
    let counts = counts.iter().map(|(outcome, count)| paint(of_outcome(*outcome).style, &format!("{count} {outcome}")));
    format!("{}: {}", render::counted(log.cases.len(), "case"), counts.collect::<Vec<_>>().join(", "))
}

/// What a log comes to, in lines of at most `width` columns where they can be: the verdicts and the counts, the matrix,
/// and what went wrong by requirement.
#[must_use]
pub fn summary(log: &Log, width: usize) -> String {
    let mut text = String::new();
    let backend = &log.header.backend;
    let _ = writeln!(text, "{} {}", paint(BOLD, &backend.to_string()), log.header.way());
    text.push_str(&wrapped(&verdicts(log), "", "  ", width));
    text.push_str(&wrapped(&outcomes(log), "", "  ", width));
    let large = log.cases.iter().filter(|case| case.large && case.outcome.is_bad()).count();
    if large > 0 {
        let words = format!("{large} that went wrong of the large tier, which no verdict counts");
        text.push_str(&painted_lines(BAD, &wrapped(&words, "  ", "      ", width)));
    }
    for reason in reasons(log) {
        text.push_str(&painted_lines(DIM, &wrapped(&reason, "  ", "      ", width)));
    }
    known_failures(&mut text, log, width);
    if let Some(words) = log.header.suite_in_words() {
        text.push_str(&wrapped(&words, "", "  ", width));
    }
    let matrix = Matrix::of(log);
    let [shown, others] = matrix.by_claim();
    if !shown.is_empty() {
        let rows = shown.iter().flat_map(|operator| &operator.levels);
        let any_open = rows.map(|row| row.totals()[1]).any(|total| total.open() > 0);
        let open =
            if any_open { ", + open: on open questions, and wrong whatever the answer, or without one" } else { "" };
        let legend = format!("applicable / run / passed{open}");
        let _ = write!(text, "\n{}", painted_lines(DIM, &wrapped(&legend, "", "  ", width)));
    }
    for operator in shown {
        operator_table(&mut text, operator, log.header.complete, width);
    }
    if !others.is_empty() {
        let names = others.iter().map(|operator| printable_line(&operator.operator.id)).collect::<Vec<_>>().join(", ");
        let line = wrapped(&format!("not claimed: {names}"), "", "  ", width);
        let _ = write!(text, "\n{}", painted_lines(DIM, &line));
    }
    text.push_str(&by_requirement(&log.cases, width));
    text
}

/// Each line in a style of its own, so that what ends a line ends it.
fn painted_lines(style: Style, lines: &str) -> String {
    lines.lines().map(|line| format!("{}\n", paint(style, line))).collect()
}

/// So many requirements are listed.
const MOST_REQUIREMENTS: usize = 12;

/// What went wrong, gathered by the requirements that the cases cover: first those whose lines of the definition decided most
/// of the elements that differ, then those with most failures. Nothing where nothing did.
#[must_use]
pub fn by_requirement(cases: &[CaseEvent], width: usize) -> String {
    let mut found: BTreeMap<String, (usize, Vec<&str>)> = BTreeMap::new();
    let mut failed = 0;
    for case in cases.iter().filter(|case| case.outcome.is_bad()) {
        failed += 1;
        let unknown = ["no requirement".to_owned()];
        let decided = |id: &String| {
            case.differences.iter().any(|each| match &each.why {
                Some(Why::Line(line)) => line.requirements.contains(id),
                Some(Why::Nobody(_)) | None => false,
            })
        };
        for id in if case.covers.is_empty() { &unknown[..] } else { &case.covers } {
            let (deciding, cases) = found.entry(printable_line(id)).or_default();
            *deciding += usize::from(decided(id));
            cases.push(&case.case);
        }
    }
    if failed == 0 {
        return String::new();
    }
    let mut found: Vec<(String, (usize, Vec<&str>))> = found.into_iter().collect();
    found.sort_by_key(|(_, (deciding, cases))| std::cmp::Reverse((*deciding, cases.len())));
    let mut text = format!("\n{}\n", paint(BAD, &format!("{}, by requirement", render::counted(failed, "failure"))));
    for (id, (_, cases)) in found.iter().take(MOST_REQUIREMENTS) {
        let _ = writeln!(text, "  {:4}  {}", cases.len(), paint(BOLD, id));
        let more = if cases.len() > 1 { format!(" and {} more", cases.len() - 1) } else { String::new() };
        let first = cases.first().map(|case| printable_line(case)).unwrap_or_default();
        let indent = "        ";
        text.push_str(&painted_lines(DIM, &wrapped(&format!("{first}{more}"), indent, indent, width)));
    }
    if let Some(rest @ 1..) = found.len().checked_sub(MOST_REQUIREMENTS) {
        let _ = writeln!(text, "  and {} more", render::counted(rest, "requirement"));
    }
    text
}

/// What was let pass, and why: all of it, for a verdict rests on it.
fn known_failures(text: &mut String, log: &Log, width: usize) {
    for (waiver, count) in waivers(log) {
        let link = waiver.link.as_ref().map(|link| format!(" ({link})")).unwrap_or_default();
        let line = format!("{count} known to come out as `{}`: {}{link}", waiver.outcome, waiver.reason);
        text.push_str(&painted_lines(KNOWN, &wrapped(&line, "  ", "      ", width)));
    }
    let unexplained: usize =
        waivers(log).into_iter().filter(|(waiver, _)| !waiver.is_explained()).map(|(_, count)| count).sum();
    if unexplained > 0 {
        let line = format!("{unexplained} of them unexplained: these waive nothing until somebody says why they fail");
        text.push_str(&painted_lines(BAD, &wrapped(&line, "  ", "      ", width)));
    }
}

/// The head and the rows of a table.
type Table = (Vec<&'static str>, Vec<Vec<String>>);

/// A stretch of levels at which nothing changes: which, and what each comes to.
type Stretch<'a> = (String, &'a LevelRow);

/// One line per stretch of levels: every column where there is room for it, else all cells of a level together, else
/// those below the verdict.
fn operator_table(text: &mut String, matrix: &OperatorMatrix, complete: bool, width: usize) {
    let OperatorMatrix { operator, levels, .. } = matrix;
    let (id, title) = (printable_line(&operator.id), printable_line(&operator.title));
    let fits = columns(&id) + 2 + columns(&title) <= width;
    let _ = writeln!(text, "\n{}{}{}", paint(BOLD, &id), if fits { "  " } else { "\n  " }, paint(DIM, &title));
    let alike = |one: &LevelRow, other: &LevelRow| LevelRow { level: other.level.clone(), ..one.clone() } == *other;
    let stretches = levels.chunk_by(alike).filter_map(|stretch| {
        let (first, last) = (stretch.first()?, stretch.last()?);
        let is_one = first.level == last.level;
        Some((if is_one { first.level.clone() } else { format!("{} – {}", first.level, last.level) }, first))
    });
    let stretches: Vec<Stretch<'_>> = stretches.collect();
    let style = |row: &LevelRow| of_standing(row.standings[1], row.totals()[1], complete).style;
    for form in [every_column, few_columns] {
        let (head, rows) = form(&stretches, complete);
        let head = head.into_iter().map(str::to_owned).collect();
        let Some(lines) = aligned(&[vec![head], rows].concat(), width) else { continue };
        let styles = std::iter::once(DIM).chain(stretches.iter().map(|(_, row)| style(row)));
        for (line, style) in lines.iter().zip(styles) {
            let _ = writeln!(text, "{}", paint(style, line));
        }
        return;
    }
    for (levels, row) in &stretches {
        let [stated, all] = row.standings.map(|standing| standing.name(complete));
        let on_stated = if stated == all { String::new() } else { format!(" (stated: {stated})") };
        let line = format!("{levels}: {all}{on_stated}");
        text.push_str(&painted_lines(style(row), &wrapped(&line, "  ", "      ", width)));
        if row.is_counted() {
            let [of_stated, of_all] = row.totals().map(|total| shown(&total));
            let line = format!("stated {of_stated}, + derived {of_all}");
            text.push_str(&wrapped(&line, "    ", "      ", width));
        }
    }
}

/// Rows with their columns below each other, or nothing if they take more than `width`.
fn aligned(rows: &[Vec<String>], width: usize) -> Option<Vec<String>> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let column = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| columns(cell)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(column).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        format!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    let lines: Vec<String> = rows.iter().map(line).collect();
    lines.iter().all(|line| columns(line) <= width).then_some(lines)
}

/// What several backends come to: of each the verdicts, and then each operator at the highest level that was run.
#[must_use]
pub fn side_by_side<R: Reported>(reports: &[R], width: usize) -> String {
    let comparison = Comparison::of(reports);
    let legend = "at the highest level that was run: stated and derived requirements, applicable / run / passed";
    let mut text = painted_lines(DIM, &wrapped(legend, "", "  ", width));
    if let Some(words) = comparison.different_suites() {
        let _ = write!(text, "\n{}", wrapped(&words, "", "  ", width));
    }
    for backend in &comparison.backends {
        let complete = backend.log.is_complete();
        let _ = write!(text, "\n{}", painted_lines(BOLD, &wrapped(&backend.label, "", "    ", width)));
        text.push_str(&wrapped(&verdict_words(backend.in_short()), "", "  ", width));
        let rows = backend.highest().into_iter().map(|(operator, row)| {
            let [_, total] = row.totals();
            let style = of_standing(row.standings[1], total, complete).style;
            let name = row.standings[1].name(complete);
            (style, vec![printable_line(&operator.id), row.level.clone(), name, shown(&total)])
        });
        let (styles, rows): (Vec<Style>, Vec<Vec<String>>) = rows.unzip();
        let lines = aligned(&rows, width).unwrap_or_else(|| {
            let line = |row: &Vec<String>| {
                let [id, level, name, total] = row.as_slice() else { return String::new() };
                let head = wrapped(&format!("{id} at {level}: {name}"), "  ", "      ", width);
                head + &wrapped(total, "    ", "    ", width)
            };
            rows.iter().map(line).collect()
        });
        for (lines, style) in lines.iter().zip(styles) {
            text.push_str(&painted_lines(style, lines));
        }
    }
    text
}

fn shown(cell: &Cell) -> String {
    if cell.is_empty() { "–".to_owned() } else { cell.to_string() }
}

/// Packed and strided tensors and refusals apart.
fn every_column(stretches: &[Stretch<'_>], complete: bool) -> Table {
    let head = vec![
        "level",
        "verdict: stated",
        "+ derived",
        "packed: stated",
        "+ derived",
        "strided: stated",
        "+ derived",
        "refusals",
    ];
    let rows = stretches.iter().map(|(levels, row)| {
        let [stated, all] = row.standings.map(|standing| standing.name(complete));
        let mut cells = vec![levels.clone(), stated, all];
        if row.is_counted() {
            let [stated, all] = &row.counts;
            cells.extend([stated.packed, all.packed, stated.strided, all.strided].iter().map(shown));
            cells.push(row.refusals().as_ref().map_or_else(|| "not claimed".to_owned(), shown));
        }
        cells
    });
    (head, rows.collect())
}

/// Packed and strided tensors and refusals together.
fn few_columns(stretches: &[Stretch<'_>], complete: bool) -> Table {
    let rows = stretches.iter().map(|(levels, row)| {
        let [stated, all] = row.standings.map(|standing| standing.name(complete));
        let mut cells = vec![levels.clone(), stated, all];
        if row.is_counted() {
            cells.extend(row.totals().iter().map(shown));
        }
        cells
    });
    (vec!["level", "verdict: stated", "+ derived", "all cases: stated", "+ derived"], rows.collect())
}
