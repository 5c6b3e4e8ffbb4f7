//! `opcert show`: a case as the documents would print it.

use std::fmt::Write as _;

use clap::Args;
use opcert_backend::{AttributeValue, Descriptor, NamedTensor, Role};

use super::{Failure, Sources, output};
use crate::case::{Data, Expectation, ExpectedTensor};
use crate::check::{About, CheckedCase, ValidCase};
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
    let case = found.ok_or_else(|| arguments.sources.nothing_picked(&arguments.case, &specs))?;
    output::print(&render_case(case))
}

fn render_case(case: &CheckedCase) -> String {
    let mut text = String::new();
    let about = case.about();
    heading(&mut text, about);
    match case {
        CheckedCase::Valid(case) => {
            let family = &about.operator.family;
            let _ = writeln!(text, "level {}, {}\n", family.level_name(case.level), about.authority.key());
            for entry in &case.descriptor.tensors {
                tensor(&mut text, entry, case, about);
            }
            attributes(&mut text, &case.descriptor);
            match &case.expectation {
                Expectation::Accepts => text.push_str("\nexpected: the descriptor is accepted\n"),
                Expectation::Observe => text.push_str("\nexpected: nothing, the answer is recorded\n"),
                _ => {}
            }
        }
        CheckedCase::Refused(case) => {
            let name = |level| about.operator.family.level_name(level);
            let _ = writeln!(text, "refused from {} to {}\n", name(case.first), name(case.last));
            for entry in &case.descriptor.tensors {
                let _ = writeln!(text, "{}", described(entry, about));
            }
            attributes(&mut text, &case.descriptor);
            text.push_str("\nexpected: the descriptor is refused\n");
            for violation in &case.violations {
                let _ = writeln!(text, "  {} [{}]", violation.message, violation.requirement);
            }
        }
    }
    text
}

fn heading(text: &mut String, about: &About) {
    let title = about.title.as_ref().map(|title| format!("  {title}")).unwrap_or_default();
    let _ = writeln!(text, "{}{title}", about.id);
    let _ = writeln!(text, "file {}", about.file.display());
    if let Some((document, section)) = &about.source {
        let _ = writeln!(text, "source {document}: {section}");
    }
    if !about.covers.is_empty() {
        let _ = writeln!(text, "covers {}", about.covers.join(", "));
    }
}

/// `IndicesTensor: (Sizes:{1,1,3,1}, DataType:UINT32)`.
fn described(entry: &NamedTensor, about: &About) -> String {
    let list = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let tensor = &entry.tensor;
    let spelling = about.operator.family.spelling(tensor.data_type);
    let mut text = format!("{}: (Sizes:{{{}}}", entry.name, list(&tensor.sizes));
    if let Some(strides) = &tensor.strides {
        let _ = write!(text, ", Strides:{{{}}}", list(strides));
    }
    let _ = write!(text, ", DataType:{spelling})");
    for flag in &tensor.flags {
        let _ = write!(text, " {flag}");
    }
    text
}

fn tensor(text: &mut String, entry: &NamedTensor, case: &ValidCase, about: &About) {
    let _ = writeln!(text, "{}", described(entry, about));
    let descriptor = &entry.tensor;
    let small = descriptor.element_count().is_some_and(|count| count <= render::LARGEST_SHOWN as u64);
    let written = |elements: &[u8], undefined: &dyn Fn(usize) -> bool| {
        if small {
            render::tensor(elements, descriptor.data_type, &descriptor.sizes, |index| {
                undefined(index).then_some(render::UNDEFINED)
            })
        } else {
            format!("{} bytes, blake3 {}", elements.len(), blake3::hash(elements).to_hex())
        }
    };
    let value = match (entry.role, &case.expectation) {
        (Role::Input, _) => {
            let input = case.inputs.iter().find(|input| input.name == entry.name);
            input.map(|input| match &input.data {
                Data::Elements(elements) => written(elements, &|_| false),
                Data::Pattern(pattern) if small => {
                    written(&input.data.elements(), &|_| false) + &format!("\n{pattern}")
                }
                Data::Pattern(pattern) => pattern.to_string(),
            })
        }
        (Role::Output, Expectation::Values(values)) => {
            values.iter().find(|(name, _)| *name == entry.name).map(|(_, expected)| match expected {
                ExpectedTensor::Elements(elements) => written(&elements.bytes, &|index| !elements.is_defined(index)),
                ExpectedTensor::Digest(digest) => digest.to_string(),
            })
        }
        (Role::Output, _) => None,
    };
    if let Some(value) = value {
        let _ = writeln!(text, "{value}\n");
    }
}

fn attributes(text: &mut String, descriptor: &Descriptor) {
    for attribute in &descriptor.attributes {
        let value = match &attribute.value {
            AttributeValue::Integer(value) => value.to_string(),
            AttributeValue::Integers(values) => {
                format!("{{{}}}", values.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
            }
            AttributeValue::Enumerator(name) => name.clone(),
        };
        let _ = writeln!(text, "{}: {value}", attribute.name);
    }
}
