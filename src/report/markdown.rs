//! The feature-level matrix as Markdown.

use std::fmt::Write as _;

use super::comparison::{Comparison, stretch_name};
use super::{Cell, Log, Matrix, OperatorMatrix, Reported, waivers};
use crate::judge::{OperatorInfo, Outcome};
use crate::render;
use opcert_backend::foreign::printable_line;

/// Renders the matrix of a log. Holds no times, dates or facts about the machine, so that it can be made again and
/// compared.
#[must_use]
pub fn markdown(log: &Log) -> String {
    let mut text = String::new();
    let header = &log.header;
    let backend = &header.backend;
    line(&mut text, &format!("# {}", escaped(&backend.to_string())));
    let way = header.way();
    let guards = if header.guards { "outputs between guard zones" } else { "guards: not applicable" };
    let claims = header.claims_in_short();
    line(
        &mut text,
        &format!(
            "Claims: {}. Run {way}, {guards}, by opcert {}.",
            escaped(&claims.join(", ")),
            escaped(&header.opcert)
        ),
    );
    line(&mut text, &format!("Specifications {}, cases {}.", code(short(&header.specs)), code(short(&header.cases))));
    if let Some(words) = header.suite_in_words() {
        let (first, rest) = words.split_at(1);
        line(&mut text, &format!("**{}{}.**", first.to_uppercase(), escaped(rest)));
    }
    let counts: Vec<String> =
        log.footer().outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    line(&mut text, &format!("{}: {}.", render::counted(log.cases.len(), "case"), counts.join(", ")));
    line(
        &mut text,
        "Every cell shows **applicable / run / passed**: gating cases of the default tier at or below the level. \
         *Stated* counts the cases that rest on what the documents say alone, *+ derived* also those that rest on what \
         follows from them; there is a verdict on either. A valid case runs at its least level and at the highest, and \
         is compiled wherever something changes between them. \
         Refusals are invalid descriptors, each refused for the requirement it breaks. *+ open* counts cases beside \
         these, which put an open question and went wrong in a way that no answer to it allows, or of which nothing \
         came back.",
    );
    let matrix = Matrix::of(log);
    let [claimed, others] = matrix.by_claim();
    for operator in claimed {
        operator_section(&mut text, operator, header.complete);
    }
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(|operator| code(&operator.operator.id)).collect();
        line(&mut text, &format!("Not claimed: {}.", names.join(", ")));
    }
    failures(&mut text, log);
    known_failures(&mut text, log);
    questionnaire(&mut text, log);
    text
}

/// Renders several logs side by side: a table per family, with the verdicts on stated and derived requirements.
#[must_use]
pub fn comparison_table<R: Reported>(reports: &[R]) -> String {
    let comparison = Comparison::of(reports);
    let mut text = String::new();
    line(&mut text, &format!("# {} side by side", render::counted(reports.len(), "backend")));
    line(
        &mut text,
        "Verdicts on stated and derived requirements, and **applicable / run / passed** over packed and strided tensors \
         and refusals together.",
    );
    if let Some(words) = comparison.different_suites() {
        line(&mut text, &escaped(&words));
    }
    for family in &comparison.families {
        let stretches = comparison.stretches(family);
        line(&mut text, &format!("## {}", escaped(&family.info.title)));
        let heads =
            stretches.iter().map(|stretch| stretch_name(family.info.levels.get(stretch.clone()).unwrap_or_default()));
        let heads: Vec<String> = heads.map(|head| escaped(&head)).collect();
        let _ = writeln!(text, "| operator | backend | {} |", heads.join(" | "));
        let _ = writeln!(text, "|---|---|{}", "---|".repeat(stretches.len()));
        for operator in &family.operators {
            for backend in &comparison.backends {
                let cells = stretches.iter().map(|stretch| {
                    let level = family.info.levels.get(stretch.start).map_or("", String::as_str);
                    let Some(row) = backend.row(operator, level) else { return "not in the log".to_owned() };
                    let name = row.standings[1].name(backend.log.is_complete());
                    let [_, total] = row.totals();
                    if row.is_counted() && !total.is_empty() { format!("{name} {total}") } else { name }
                });
                let cells = cells.collect::<Vec<_>>().join(" | ");
                let _ = writeln!(text, "| {} | {} | {cells} |", escaped(&operator.id), escaped(&backend.label));
            }
        }
        text.push('\n');
    }
    text
}

/// A text from outside as it may stand in a line or in a table: nothing in it is a mark, a link or HTML. An underscore
/// within a word is none.
fn escaped(text: &str) -> String {
    let line = printable_line(text);
    let mut shown = String::with_capacity(line.len());
    let mut before = ' ';
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_within = |other: char| other.is_alphanumeric() || other == '_';
        let is_mark = match letter {
            '|' | '\\' | '`' | '*' | '<' | '>' | '[' | ']' | '&' | '~' | '#' | '!' => true,
            '_' => !(is_within(before) && letters.peek().copied().is_some_and(is_within)),
            _ => false,
        };
        if is_mark {
            shown.push('\\');
        }
        shown.push(letter);
        before = letter;
    }
    shown
}

/// A text from outside in the letters of code, as it may stand in a line or in a table.
fn code(text: &str) -> String {
    // A fence is longer than every run of backticks within.
    let line = printable_line(text).replace('|', "\\|");
    let longest = line.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{line}{space}{fence}")
}

/// Where something is tracked: a link where the text is an address of the web, and nothing but text elsewhere.
fn link(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_graphic() && !matches!(letter, '<' | '>' | '|' | '\\' | '`');
    let is_address = text.starts_with("https://") || text.starts_with("http://");
    if is_address && text.chars().all(is_plain) { format!("<{text}>") } else { escaped(text) }
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push_str("\n\n");
}

fn short(digest: &str) -> &str {
    digest.get(..16).unwrap_or(digest)
}

fn operator_section(text: &mut String, matrix: &OperatorMatrix, complete: bool) {
    let OperatorInfo { id, title, introduced, .. } = &matrix.operator;
    line(text, &format!("## {}", escaped(id)));
    line(text, &format!("{}, from {} on.", escaped(title), escaped(introduced)));
    text.push_str("| level | verdict, stated | + derived | packed, stated | packed, + derived | strided, stated ");
    text.push_str("| strided, + derived | refusals |\n|---|---|---|---|---|---|---|---|\n");
    for row in &matrix.levels {
        let [stated, all] = row.standings.map(|standing| standing.name(complete));
        let _ = write!(text, "| {} | {stated} | {all} |", escaped(&row.level));
        if !row.is_counted() {
            text.push_str(" | | | | |\n");
            continue;
        }
        let [stated, all] = &row.counts;
        for cell in [stated.packed, all.packed, stated.strided, all.strided] {
            let _ = write!(text, " {} |", shown(&cell));
        }
        let _ = writeln!(text, " {} |", row.refusals().as_ref().map_or_else(|| "not claimed".to_owned(), shown));
    }
    text.push('\n');
    type_table(text, matrix);
}

fn shown(cell: &Cell) -> String {
    if cell.is_empty() { "–".to_owned() } else { cell.to_string() }
}

fn type_table(text: &mut String, matrix: &OperatorMatrix) {
    let mut counts: Vec<usize> =
        matrix.types.iter().flat_map(|(_, cells)| cells.iter().map(|(count, _)| *count)).collect();
    counts.sort_unstable();
    counts.dedup();
    if counts.is_empty() {
        return;
    }
    line(text, &format!("Data type and dimension count of {}, all levels:", code(&matrix.operator.subject)));
    let heads: Vec<String> = counts.iter().map(|count| format!("{count}-D")).collect();
    let _ = writeln!(text, "| type | {} |", heads.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(counts.len()));
    for (name, cells) in &matrix.types {
        let of = |count: &usize| {
            cells.iter().find(|(each, _)| each == count).map_or(String::new(), |(_, cell)| cell.to_string())
        };
        let row: Vec<String> = counts.iter().map(of).collect();
        let _ = writeln!(text, "| {} | {} |", escaped(name), row.join(" | "));
    }
    text.push('\n');
}

fn failures(text: &mut String, log: &Log) {
    let bad: Vec<_> = log.cases.iter().filter(|case| case.outcome.is_bad()).collect();
    if bad.is_empty() {
        return;
    }
    line(text, "## What went wrong");
    for case in bad {
        let why = case.reason.as_ref().map_or_else(
            || {
                let differences = case.differences.iter().map(|each| {
                    format!("{} of {} elements of {} differ", each.differing, each.defined, code(&each.tensor))
                });
                differences.collect::<Vec<_>>().join("; ")
            },
            |reason| escaped(reason.raw()),
        );
        let _ = writeln!(text, "- {}: {}: {why}", code(&case.case), case.outcome);
    }
    text.push('\n');
}

fn known_failures(text: &mut String, log: &Log) {
    let waivers = waivers(log);
    if waivers.is_empty() {
        return;
    }
    line(text, "## Known failures");
    line(
        text,
        "Expected, each for the reason given; none of them counts as passed, and what is unexplained waives nothing.",
    );
    text.push_str("| cases | outcome | reason |\n|---|---|---|\n");
    for (waiver, count) in waivers {
        let tracked = waiver.link.as_ref().map(|tracked| format!(" {}", link(tracked.raw()))).unwrap_or_default();
        let _ = writeln!(text, "| {count} | {} | {}{tracked} |", waiver.outcome, escaped(waiver.reason.raw()));
    }
    text.push('\n');
}

fn questionnaire(text: &mut String, log: &Log) {
    let open: Vec<_> = log.cases.iter().filter(|case| case.outcome == Outcome::Observed).collect();
    if open.is_empty() {
        return;
    }
    line(text, "## What the documents leave open");
    line(text, "Recorded, not judged.");
    text.push_str("| case | answer |\n|---|---|\n");
    for case in open {
        let values = case.observed.iter().map(|each| format!("{} = {}", code(&each.tensor), code(&each.value)));
        let answer: Vec<String> = case.reason.iter().map(|reason| escaped(reason.raw())).chain(values).collect();
        let _ = writeln!(text, "| {} | {} |", escaped(&case.case), answer.join(", "));
    }
    text.push('\n');
}
