//! `opcert explain`: a requirement, or all of an operator.

use std::fmt::Write as _;

use clap::Args;

use super::{Failure, Sources, output};
use crate::check::CheckedCase;
use crate::plan::Filter;
use crate::render;
use crate::spec::{Document, Family, Operator, Requirement, Specs};

/// Arguments of `opcert explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// A requirement's id (`directml/one_hot/axis-in-range`), or an operator's
    id: String,
    #[command(flatten)]
    sources: Sources,
}

pub(super) fn explain(arguments: &ExplainArguments) -> Result<u8, Failure> {
    let specs = arguments.sources.load_specs()?;
    if let Some(operator) = specs.operator(&arguments.id) {
        return output::print(&render_operator(operator));
    }
    let found = find(&specs, &arguments.id);
    let (operators, requirement) = found.ok_or_else(|| {
        let known: Vec<&str> = specs.operators.iter().map(|operator| operator.id.as_str()).collect();
        let message = format!("`{}` is neither a requirement nor an operator", arguments.id);
        Failure::Usage(format!("{message}; `opcert explain OPERATOR` lists requirements: {}", known.join(", ")))
    })?;
    let suite = arguments.sources.load_suite(&specs, &Filter::default())?;
    let covering: Vec<&CheckedCase> = suite.cases.iter().filter(|case| covers(case, requirement)).collect();
    output::print(&render_requirement(&operators, requirement, &covering))
}

/// The operators for which a requirement holds, and the requirement.
fn find<'a>(specs: &'a Specs, id: &str) -> Option<(Vec<&'a Operator>, &'a Requirement)> {
    let holding: Vec<&Operator> = specs
        .operators
        .iter()
        .map(AsRef::as_ref)
        .filter(|operator: &&Operator| operator.requirement(id).is_some())
        .collect();
    let requirement = holding.first()?.requirement(id)?;
    Some((holding, requirement))
}

fn covers(case: &CheckedCase, requirement: &Requirement) -> bool {
    let refused = match case {
        CheckedCase::Valid(_) => false,
        CheckedCase::Refused(case) => case.requirements.contains(&requirement.id),
    };
    refused || case.about().covers.contains(&requirement.id)
}

fn render_operator(operator: &Operator) -> String {
    let mut text = format!("{}  {}\n{}\n\n", operator.id, operator.title, operator.summary);
    let width = operator.all_requirements().map(|requirement| requirement.id.len()).max().unwrap_or(0);
    for requirement in operator.all_requirements() {
        let _ = writeln!(
            text,
            "{:<width$}  {:<11}  {:<10}  {}",
            requirement.id,
            requirement.authority.key(),
            requirement.kind.key(),
            requirement.text
        );
    }
    text
}

fn render_requirement(operators: &[&Operator], requirement: &Requirement, cases: &[&CheckedCase]) -> String {
    let mut text = format!("{}\n  {}\n\n", requirement.id, requirement.text);
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    row("authority", requirement.authority.key());
    if let Some(reason) = &requirement.reason {
        row("because", reason);
    }
    row("kind", requirement.kind.key());
    let Some(operator) = operators.first() else { return text };
    let family = &operator.family;
    row("levels", &levels(operators, family, requirement));
    for (document, section) in &requirement.sources {
        row("source", &source(operator, document, section));
    }
    if let Some(check) = &requirement.check {
        row("check", &check.to_string());
    }
    for need in &requirement.needs {
        row("needs", need);
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
    let _ = writeln!(text, "\n{}", render::counted(cases.len(), "case"));
    for case in cases {
        let kind = if matches!(case, CheckedCase::Refused(_)) { "refused" } else { "valid" };
        let about = case.about();
        let line = format!("  {kind:<7}  {}  {}", about.id, about.title.as_deref().unwrap_or_default());
        let _ = writeln!(text, "{}", line.trim_end());
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

fn source(operator: &Operator, name: &str, section: &str) -> String {
    let documents = operator.documents.iter().chain(&operator.family.documents);
    let found: Option<&Document> = documents.into_iter().find(|document| document.name == name);
    let described = found.map(|document| {
        let file = document.file.as_ref().map(|file| format!("{file}, ")).unwrap_or_default();
        format!(" ({file}{})", document.revision)
    });
    format!("{name}: {section}{}", described.unwrap_or_default())
}
