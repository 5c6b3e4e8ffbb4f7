//! `opcert explain`: a requirement, or all of an operator.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::Args;

use super::explanation::Explanation;
use super::input::quoted;
use super::{Failure, Sources, TextOrJson, output};
use crate::check::{CheckedCase, Suite};
use crate::near::did_you_mean;
use crate::render::{self, columns, wrapped};
use crate::spec::{Document, Family, Operator, Requirement, Specs};

/// So many cases of a requirement are listed.
const MOST_CASES: usize = 20;

/// Arguments of `opcert explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// A requirement's id (`directml/one_hot/axis-in-range`), or an operator's
    id: String,
    #[command(flatten)]
    sources: Sources,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

pub(super) fn explain(arguments: &ExplainArguments) -> Result<u8, Failure> {
    let specs = arguments.sources.load_specs()?;
    let found = find(&specs, &arguments.id);
    let asked = specs.operator(&arguments.id);
    // Embedded cases of other operators put none of this to the test, and their files tell by their paths whose they are.
    let named = asked.iter().map(|operator| &operator.id).chain(found.iter().map(|(operator, _)| &operator.id));
    let folders: BTreeSet<String> = named.map(|id| format!("{id}/")).collect();
    let is_own = arguments.sources.cases.is_some();
    let wanted = |stem: &str| is_own || folders.iter().any(|folder| stem.starts_with(folder));
    let suite = arguments.sources.load_those_there_are(&specs, wanted)?;
    if let Some(operator) = asked {
        return match arguments.format {
            TextOrJson::Human => output::print(&render_operator(operator, &suite)),
            TextOrJson::Json => {
                let requirements: Vec<&Requirement> = operator.all_requirements().collect();
                output::print_json(&Explanation::of(&[operator], &requirements, &suite))
            }
        };
    }
    let ids: BTreeSet<&str> = found.iter().map(|(_, requirement)| requirement.id.as_str()).collect();
    match (found.first(), ids.len()) {
        (Some((_, requirement)), 1) => {
            let operators: Vec<&Operator> = found.iter().map(|(operator, _)| *operator).collect();
            match arguments.format {
                TextOrJson::Human => {
                    output::print(&render_requirement(&operators, requirement, (&suite, &arguments.sources)))
                }
                TextOrJson::Json => output::print_json(&Explanation::of(&operators, &[requirement], &suite)),
            }
        }
        (Some(_), _) => {
            let ids: Vec<&str> = ids.into_iter().collect();
            Err(Failure::Usage(format!("`{}` may be {}", arguments.id, ids.join(", "))))
        }
        (None, _) if suite.cases.iter().any(|case| case.about().id == arguments.id) => {
            let id = quoted(&arguments.id);
            Err(Failure::Usage(format!("`{}` is a case; `{} show {id}` shows it", arguments.id, output::program())))
        }
        (None, _) => {
            let operators: Vec<&str> = specs.operators.iter().map(|operator| operator.id.as_str()).collect();
            let requirements = specs.requirements().map(|requirement| requirement.id.as_str());
            let meant = did_you_mean(&arguments.id, operators.iter().copied().chain(requirements));
            let message = format!("`{}` is neither a requirement nor an operator", arguments.id);
            let known = if meant.is_empty() { format!(": {}", operators.join(", ")) } else { String::new() };
            Err(Failure::Usage(format!("{message}; `opcert explain OPERATOR` lists requirements{known}{meant}")))
        }
    }
}

/// The requirements that an id or its last parts may mean, each with an operator for which it holds.
fn find<'a>(specs: &'a Specs, id: &str) -> Vec<(&'a Operator, &'a Requirement)> {
    let operators = specs.operators.iter().map(AsRef::as_ref);
    operators.filter_map(|operator: &Operator| Some((operator, operator.resolve(id)?))).collect()
}

fn render_operator(operator: &Operator, suite: &Suite) -> String {
    let width = output::width();
    let mut text = format!("{}  {}\n{}", operator.id, operator.title, wrapped(&operator.summary, "", "", width));
    for requirement in operator.all_requirements() {
        let of_operator = suite.cases.iter().filter(|case| case.about().operator.id == operator.id);
        let cases = render::counted(of_operator.filter(|case| case.tests(requirement)).count(), "case");
        let (authority, kind) = (requirement.authority.key(), requirement.kind.key());
        let said = wrapped(&requirement.text, "    ", "    ", width);
        let head = wrapped(&format!("{authority}, {kind}, {cases}"), &format!("{}  ", requirement.id), "    ", width);
        let _ = write!(text, "\n{head}{said}");
    }
    let _ = writeln!(text, "\nThe definition, whose lines failures and requirements name:\n");
    for (number, line) in (1..).zip(operator.definition.text.lines()) {
        let numbered = format!("{number:>4}  {line}");
        if columns(numbered.trim_end()) <= width {
            let _ = writeln!(text, "{}", numbered.trim_end());
        } else {
            let begin = numbered.len() - line.trim_start().len();
            text.push_str(&wrapped(&numbered[begin..], &numbered[..begin], &" ".repeat(begin + 4), width));
        }
    }
    text
}

fn render_requirement(
    operators: &[&Operator],
    requirement: &Requirement,
    (suite, sources): (&Suite, &Sources),
) -> String {
    let cases: Vec<&CheckedCase> = suite.cases.iter().filter(|case| case.tests(requirement)).collect();
    let width = output::width();
    let mut text = format!("{}\n{}\n", requirement.id, wrapped(&requirement.text, "  ", "  ", width));
    let mut row = |name: &str, value: &str| {
        text.push_str(&wrapped(value, &format!("{name:<10} "), &" ".repeat(11), width));
    };
    row("authority", requirement.authority.key());
    if let Some(reason) = &requirement.reason {
        row("because", reason);
    }
    row("kind", requirement.kind.key());
    let Some(operator) = operators.first() else { return text };
    let family = &operator.family;
    row("levels", &levels(operators, family, requirement));
    let mut explained: Vec<&str> = Vec::new();
    for (document, section) in operator.sources(requirement) {
        row("source", &source(document, section));
        if let Some(url) = &document.url {
            row("", url);
        }
        if let Some((other, reason)) = &document.supersedes
            && !explained.contains(&document.name.as_str())
        {
            row("", &format!("holds where `{other}` differs: {reason}"));
            explained.push(&document.name);
        }
    }
    if let Some(note) = &requirement.note {
        row("note", note);
    }
    if let Some(check) = &requirement.check {
        row("check", &check.to_string());
    }
    for need in &requirement.needs {
        row("needs", need);
    }
    for operator in operators {
        for (number, code) in operator.citing(requirement) {
            let of = if operators.len() > 1 { format!(" of {}", operator.id) } else { String::new() };
            row("defined", &format!("by line {number}{of}: {code}"));
        }
    }
    if let Some(tested) = &requirement.tested {
        row("tested", &tested.to_string());
    }
    if requirement.by_example {
        row("", "what it says is shown by the examples of its sources alone");
    }
    if let Some(original) = &requirement.restates {
        row("restates", original);
    }
    if let Some(reason) = &requirement.untestable {
        row("untestable", reason);
    }
    if requirement.definition {
        row("definition", "a notion that other requirements use");
    }
    let none_loaded =
        if suite.cases.is_empty() { ": none were read, `--cases DIR` names those of these specifications" } else { "" };
    let count = render::counted(cases.len(), "case");
    let _ = write!(text, "\n{}", wrapped(&format!("{count}{none_loaded}"), "", "  ", width));
    for case in cases.iter().take(MOST_CASES) {
        let kind = if matches!(case, CheckedCase::Refused(_)) { "refused" } else { "valid" };
        let about = case.about();
        let (id, title) = (format!("  {kind:<7}  {}", about.id), about.title.as_deref().unwrap_or_default());
        if columns(&id) + 2 + columns(title) <= width {
            let line = format!("{id}  {title}");
            let _ = writeln!(text, "{}", line.trim_end());
        } else {
            let indent = " ".repeat(13);
            let _ = write!(text, "{id}\n{}", wrapped(title, &indent, &indent, width));
        }
    }
    if let more @ 1.. = cases.len().saturating_sub(MOST_CASES) {
        let id = quoted(&format!("requirement:{}", requirement.id));
        let words = [vec![output::program(), "list".to_owned(), id], sources.as_options()].concat();
        let _ = writeln!(text, "  and {more} more:\n    {}", words.join(" "));
    }
    text
}

fn levels(operators: &[&Operator], family: &Family, requirement: &Requirement) -> String {
    let earliest = operators.iter().map(|operator| operator.introduced).min();
    let since = requirement.since.or(earliest).map_or("", |level| family.level_name(level));
    match requirement.until {
        Some(until) => format!("{since} to {}", family.level_name(until)),
        None => format!("{since} on"),
    }
}

fn source(document: &Document, section: &str) -> String {
    let file = document.file.as_ref().map(|file| format!("{file}, ")).unwrap_or_default();
    format!("{}: {section} ({file}{})", document.name, document.revision)
}
