//! `opcert show`: a case as the documents would print it.

use std::fmt::Write as _;

use clap::Args;
use opcert_backend::NamedTensor;

use super::expect::{head, outputs};
use super::{Failure, Sources, output};
use crate::case::{Expectation, ExpectedTensor};
use crate::check::{About, CheckedCase, ValidCase};
use crate::judge::{Given, GivenTensor};
use crate::plan::Filter;
use crate::render;

/// Arguments of `opcert show`.
#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// The case's id
    case: String,
    #[command(flatten)]
    sources: Sources,
}

pub(super) fn show(arguments: &ShowArguments) -> Result<u8, Failure> {
    let specs = arguments.sources.load_specs()?;
    let exactly = glob::Pattern::escape(&arguments.case);
    let filter = Filter::parse(&[exactly]).map_err(|error| Failure::Usage(error.to_string()))?;
    let suite = arguments.sources.load_suite(&specs, &filter)?;
    let found = suite.cases.iter().find(|case| case.about().id == arguments.case);
    let case = found.ok_or_else(|| arguments.sources.not_one(&arguments.case, &specs))?;
    output::print(&render_case(case))
}

fn render_case(case: &CheckedCase) -> String {
    let mut text = String::new();
    let about = case.about();
    heading(&mut text, about);
    let given = Given::of(case, render::LARGEST_SHOWN);
    match case {
        CheckedCase::Valid(case) => {
            let level = about.operator.family.level_name(case.level);
            let _ = writeln!(text, "level {level}, {}\n", about.authority.key());
            for tensor in &given.tensors {
                let entry = case.descriptor.tensors.iter().find(|entry| entry.name == tensor.name);
                let value = tensor.elements.clone().or_else(|| expected(entry?, case));
                let value = value.map(|value| format!("{value}\n\n")).unwrap_or_default();
                text.push_str(&wrapped(&format!("{}: ({})", tensor.name, tensor.descriptor), "", "    "));
                text.push_str(&value);
            }
            attributes(&mut text, &given);
            match &case.expectation {
                Expectation::Values(_) if !about.large => {
                    let (definition, asked) = (&about.operator.definition, (&case.descriptor, case.inputs.as_slice()));
                    text.push_str("\nwhy, by the definition\n");
                    text.push_str(&outputs(definition, asked, false, output::width()));
                }
                Expectation::Accepts => text.push_str("\nexpected: the descriptor is accepted\n"),
                Expectation::Observe => text.push_str("\nexpected: nothing, the answer is recorded\n"),
                _ => {}
            }
        }
        CheckedCase::Refused(case) => {
            let name = |level| about.operator.family.level_name(level);
            let _ = writeln!(text, "refused from {} to {}\n", name(case.first), name(case.last));
            for GivenTensor { name, descriptor, elements } in &given.tensors {
                let elements = elements.as_ref().map(|elements| format!("{elements}\n\n")).unwrap_or_default();
                text.push_str(&wrapped(&format!("{name}: ({descriptor})"), "", "    "));
                text.push_str(&elements);
            }
            attributes(&mut text, &given);
            text.push_str("\nexpected: the descriptor is refused\n");
            for violation in case.violations() {
                text.push_str(&wrapped(&format!("{} [{}]", violation.message, violation.requirement), "  ", "    "));
            }
        }
    }
    text
}

fn heading(text: &mut String, about: &About) {
    text.push_str(&head(&about.id, about.title.as_deref(), output::width()));
    let _ = writeln!(text, "file {}", about.file.display());
    if let Some((document, section)) = about.source.as_deref() {
        text.push_str(&wrapped(&format!("{document}: {section}"), "source ", "  "));
        if let Some((_, page)) = about.operator.pages().find(|(name, _)| name == document) {
            let _ = writeln!(text, "  {page}");
        }
    }
    if !about.covers.is_empty() {
        text.push_str(&wrapped(&about.covers.join(", "), "covers ", "  "));
    }
}

fn wrapped(text: &str, first: &str, indent: &str) -> String {
    render::wrapped(text, first, indent, output::width())
}

fn attributes(text: &mut String, given: &Given) {
    for (name, value) in &given.attributes {
        text.push_str(&wrapped(&format!("{name}: {value}"), "", "    "));
    }
}

/// What a case expects of an output.
fn expected(entry: &NamedTensor, case: &ValidCase) -> Option<String> {
    let Expectation::Values(values) = &case.expectation else { return None };
    let (_, expected) = values.iter().find(|(name, _)| *name == entry.name)?;
    let tensor = &entry.tensor;
    Some(match expected {
        ExpectedTensor::Elements(elements) => {
            if tensor.element_count().is_some_and(|count| count <= render::LARGEST_SHOWN as u64) {
                let undefined = |index| (!elements.is_defined(index)).then_some(render::UNDEFINED);
                render::tensor(&elements.bytes, tensor.data_type, &tensor.sizes, undefined)
            } else {
                render::digest(&elements.bytes)
            }
        }
        ExpectedTensor::Digest(digest) => digest.to_string(),
    })
}
