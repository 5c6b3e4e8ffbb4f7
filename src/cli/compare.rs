//! `opcert compare`: where two specifications differ.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::{CONFORMS, FAILED, Failure, Sources, TextOrJson, output};
use crate::compare::{Comparison, ComparisonReport, DifferenceKind, DifferenceReport, OneWay, Shown};
use crate::mapping::{Mapping, Mappings};
use crate::near::{did_you_mean, known_names};
use crate::render::{self, counted, wrapped};
use crate::source::Source;
use crate::spec::{Level, Operator, Specs};

/// Arguments of `opcert compare`.
#[derive(Debug, Args)]
pub(super) struct CompareArguments {
    /// An operator, at a level or at the highest one: `onnx/arg_max@13`
    #[arg(value_name = "OPERATOR[@LEVEL]")]
    one: String,
    /// The operator that it is compared with
    #[arg(value_name = "OPERATOR[@LEVEL]")]
    other: String,
    /// How many samples are drawn, each way
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// The number that all samples follow from
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,
    /// Read specifications from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
    /// Read mappings from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    mappings: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

pub(super) fn compare(arguments: &CompareArguments) -> Result<u8, Failure> {
    let specs = Sources { cases: None, specs: arguments.specs.clone() }.load_specs()?;
    let one = asked(&arguments.one, &specs)?;
    let other = asked(&arguments.other, &specs)?;
    let source = arguments.mappings.clone().map_or_else(Source::embedded_mappings, Source::Path);
    let mappings = Mappings::load(&source, &specs).map_err(Failure::Files)?;
    let ways = [(&one, &other), (&other, &one)].into_iter().filter_map(|(from, to)| {
        let mapping = mappings.between(&from.0.id, &to.0.id)?;
        Some(Comparison { mapping, levels: (from.1, to.1), seed: arguments.seed, samples: arguments.count })
    });
    let ways: Vec<Comparison<'_>> = if one.0.id == other.0.id { Vec::new() } else { ways.collect() };
    if ways.is_empty() {
        let partners = mappings.all().filter_map(|Mapping { from, to, .. }| {
            let of = |each: &Arc<Operator>| each.id == one.0.id;
            if of(from) { Some(to.id.as_str()) } else { of(to).then_some(from.id.as_str()) }
        });
        let partners: std::collections::BTreeSet<&str> = partners.collect();
        let known = if partners.is_empty() { "with none".to_owned() } else { known_names(&other.0.id, partners) };
        let message =
            format!("no mapping leads from `{}` to `{}` or back; it can be compared: {known}", one.0.id, other.0.id);
        return Err(Failure::Usage(message));
    }
    let compared: Vec<_> = ways.into_iter().map(|comparison| (comparison, comparison.run())).collect();
    let report = ComparisonReport::of(&compared);
    match arguments.format {
        TextOrJson::Human => output::print(&human(&report, &specs))?,
        TextOrJson::Json => output::print_json(&report)?,
    };
    Ok(if report.is_same() { CONFORMS } else { FAILED })
}

/// An operator and the level behind `@`, or its highest one.
fn asked<'a>(text: &str, specs: &'a Specs) -> Result<(&'a Arc<Operator>, Level), Failure> {
    let (id, level) = text.split_once('@').map_or((text, None), |(id, level)| (id, Some(level)));
    let ids = || specs.operators.iter().map(|operator| operator.id.as_str());
    let unknown = || Failure::Usage(format!("`{id}` is not specified: {}", known_names(id, ids())));
    let operator = specs.operator(id).ok_or_else(unknown)?;
    let family = &operator.family;
    let Some(name) = level else { return Ok((operator, family.highest())) };
    let level = family.level(name).ok_or_else(|| {
        let (known, meant) = (family.levels.join(" "), did_you_mean(name, family.levels.iter().map(String::as_str)));
        Failure::Usage(format!("`{}` has no feature level `{name}`; there are {known}{meant}", family.name))
    })?;
    if level < operator.introduced {
        let first = family.level_name(operator.introduced);
        return Err(Failure::Usage(format!("`{id}` is not there at `{name}`; it begins with `{first}`")));
    }
    Ok((operator, level))
}

fn human(report: &ComparisonReport, specs: &Specs) -> String {
    let width = output::width();
    let parts: Vec<String> = report.comparisons.iter().map(|one| one_way(one, specs, width)).collect();
    parts.join("\n")
}

fn one_way(one: &OneWay, specs: &Specs, width: usize) -> String {
    let side = |side: &crate::compare::Side| format!("{}@{}", side.operator, side.level);
    let (from, to) = (side(&one.from), side(&one.to));
    let mut text = format!("{from} said as {to}\n");
    if let Some(note) = &one.note {
        text.push_str(&wrapped(note, "  ", "  ", width));
    }
    let open = if one.open > 0 { format!(", {} left open by both", one.open) } else { String::new() };
    let counts = format!("{} of {} samples come to the same{open}; seed {}", one.same, one.samples, one.seed);
    text.push_str(&wrapped(&counts, "  ", "  ", width));
    for (number, difference) in one.differences.iter().enumerate() {
        let heading = match difference.kind {
            DifferenceKind::Differs => "the answers differ".to_owned(),
            DifferenceKind::FromOpen => format!("{from} leaves open what {to} answers"),
            DifferenceKind::ToOpen => format!("{to} leaves open what {from} answers"),
            DifferenceKind::Refused => format!("{to} refuses what {from} accepts"),
            DifferenceKind::Unsaid => format!("{to} has no way to say it"),
        };
        let heading = format!("{}. {heading} ({})", number + 1, counted(difference.samples as usize, "sample"));
        text.push('\n');
        text.push_str(&wrapped(&heading, "", "   ", width));
        for (line, of) in [(&difference.from_requirements, &from), (&difference.to_requirements, &to)] {
            for id in line {
                let said = specs.operators.iter().find_map(|operator| operator.requirement(id));
                let said = said.map_or("", |requirement| requirement.text.as_str());
                text.push_str(&wrapped(&format!("{id}: {said}"), "   ", "     ", width));
            }
            let _ = of;
        }
        text.push_str(&witness(difference, (&from, &to), specs, width));
    }
    if one.left_out > 0 {
        let _ = writeln!(text, "\nand {} of differences that are not shown", counted(one.left_out, "more class"));
    }
    text
}

fn witness(difference: &DifferenceReport, (from, to): (&str, &str), specs: &Specs, width: usize) -> String {
    let seen = &difference.witness;
    let mut text = shown(from, &seen.from, specs, width);
    let answer = |answer: &str, line: Option<&String>| {
        let line = line.map_or_else(String::new, |line| format!(", by `{line}`"));
        wrapped(&format!("→ {answer}{line}"), "     ", "       ", width)
    };
    text.push_str(&answer(&seen.from_answer, seen.from_line.as_ref()));
    match &seen.to {
        Some(said) => text.push_str(&shown(to, said, specs, width)),
        None => {
            let _ = writeln!(text, "   {to}");
        }
    }
    text.push_str(&answer(&seen.to_answer, seen.to_line.as_ref()));
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
