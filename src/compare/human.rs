//! What comparisons came to, for a person.

use std::fmt::Write as _;

use super::report::{ComparisonReport, DifferenceKind, DifferenceReport, OneWay, Shown};
use super::search::Answered;
use crate::render::{self, counted, wrapped};
use crate::spec::Specs;

/// The width of a page.
pub(super) const WIDTH: usize = 100;

/// Each way with its differences, in lines of at most so many characters.
#[must_use]
pub fn human(report: &ComparisonReport, specs: &Specs, width: usize) -> String {
    let parts: Vec<String> = report.comparisons.iter().map(|one| one_way(one, specs, width)).collect();
    parts.join("\n")
}

fn one_way(one: &OneWay, specs: &Specs, width: usize) -> String {
    let (from, to) = (one.from.to_string(), one.to.to_string());
    let mut text = wrapped(&format!("{from} said as {to}: {}", one.fit), "", "  ", width);
    if let Some(note) = &one.note {
        text.push_str(&wrapped(note, "  ", "  ", width));
    }
    text.push_str(&wrapped(&format!("{}; seed {}", counts(one), one.seed), "  ", "  ", width));
    for (number, difference) in one.differences.iter().enumerate() {
        let heading = format!("{}. {}", number + 1, heading(difference, &from, &to));
        text.push('\n');
        text.push_str(&wrapped(&heading, "", "   ", width));
        for id in difference.requirements() {
            text.push_str(&wrapped(&format!("{id}: {}", said(id, specs)), "   ", "     ", width));
        }
        if let Some(fix) = &difference.fix {
            text.push_str(&wrapped(&format!("before: {fix}"), "   ", "     ", width));
        }
        text.push_str(&witness(difference, (&from, &to), specs, width));
    }
    if one.left_out > 0 {
        let _ = writeln!(text, "\nand {} of differences that are not shown", counted(one.left_out, "more class"));
    }
    text
}

/// How many samples came to what.
pub(super) fn counts(one: &OneWay) -> String {
    let others =
        [(one.open, "more but for elements that both leave open"), (one.unanswered, "have no answer by the first")];
    let others = others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    format!("{} of {} samples come to the same{}", one.same, one.samples, others.collect::<String>())
}

/// What a class is about, and how many samples are in it.
pub(super) fn heading(difference: &DifferenceReport, from: &str, to: &str) -> String {
    let heading = match difference.kind {
        DifferenceKind::Differs => "the answers differ".to_owned(),
        DifferenceKind::FromOpen => format!("{from} leaves open what {to} answers"),
        DifferenceKind::ToOpen => format!("{to} leaves open what {from} answers"),
        DifferenceKind::Refused => format!("{to} refuses what {from} accepts"),
        DifferenceKind::Doubtful => format!("{to} leaves open whether to accept what {from} accepts"),
        DifferenceKind::Unsaid => format!("{to} has no way to say it"),
    };
    format!("{heading} ({})", counted(difference.samples as usize, "sample"))
}

/// The text of a requirement.
pub(super) fn said<'a>(id: &str, specs: &'a Specs) -> &'a str {
    let found = specs.operators.iter().find_map(|operator| operator.requirement(id));
    found.map_or("", |requirement| requirement.text.as_str())
}

/// The smallest sample of a class, by both.
pub(super) fn witness(difference: &DifferenceReport, (from, to): (&str, &str), specs: &Specs, width: usize) -> String {
    let seen = &difference.witness;
    let mut text = shown(from, &seen.from, specs, width);
    let answer = |answer: &str, line: Option<&String>| {
        let line = line.map_or_else(String::new, |line| format!(", by `{line}`"));
        wrapped(&format!("→ {answer}{line}"), "     ", "       ", width)
    };
    let ran = |ran: &[Answered]| {
        let line =
            |each: &Answered| wrapped(&format!("  {}: {}", each.backend, each.answer), "     ", "         ", width);
        ran.iter().map(line).collect::<String>()
    };
    text.push_str(&answer(&seen.from_answer, seen.from_line.as_ref()));
    text.push_str(&ran(&seen.from_ran));
    match &seen.to {
        Some(said) => text.push_str(&shown(to, said, specs, width)),
        None => {
            let _ = writeln!(text, "   {to}");
        }
    }
    text.push_str(&answer(&seen.to_answer, seen.to_line.as_ref()));
    text.push_str(&ran(&seen.to_ran));
    text
}

/// A descriptor with its data, a tensor per line.
fn shown(side: &str, shown: &Shown, specs: &Specs, width: usize) -> String {
    let Shown { descriptor, inputs } = shown;
    let attributes: Vec<String> = descriptor
        .attributes
        .iter()
        .map(|given| format!("{} = {}", given.name, render::attribute_value(&given.value)))
        .collect();
    let with = if attributes.is_empty() { String::new() } else { format!(", {}", attributes.join(", ")) };
    let mut text = wrapped(&format!("{side}{with}"), "   ", "     ", width);
    let family = specs.operator(&descriptor.operator).map(|operator| &operator.family);
    for entry in &descriptor.tensors {
        let spelling = family.map_or("", |family| family.spelling(entry.tensor.data_type));
        let data = inputs.iter().find(|input| input.name == entry.name);
        let data = data.map_or_else(String::new, |input| format!(" {{{}}}", input.elements.join(", ")));
        let line = format!("{} {spelling} {:?}{data}", entry.name, entry.tensor.sizes);
        text.push_str(&wrapped(&line, "     ", "       ", width));
    }
    text
}
