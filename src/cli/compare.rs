//! `opcert compare`: where two specifications differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use opcert_backend::{Descriptor, NamedTensor};

use super::{CONFORMS, FAILED, Failure, Sources, TextOrJson, output};
use crate::case::{Case, write};
use crate::compare::{
    Compared, Comparison, ComparisonReport, DifferenceKind, DifferenceReport, Found, OneWay, Shown, Side,
};
use crate::import::{Foreign, ForeignTensor};
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
    /// Write the smallest samples to this folder as cases of both operators, for `opcert run --cases`
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

/// The name of the file of cases in the folder of each operator.
const FILE: &str = "compared";

/// Stands at the top of such a file.
const COMMENT: &str = "Found by `opcert compare`. What a case covers is worked out when it is read.";

pub(super) fn compare(arguments: &CompareArguments) -> Result<u8, Failure> {
    let specs = Sources { cases: None, specs: arguments.specs.clone() }.load_specs()?;
    let one = asked(&arguments.one, &specs)?;
    let other = asked(&arguments.other, &specs)?;
    let source = arguments.mappings.clone().map_or_else(Source::embedded_mappings, Source::Path);
    let mappings = Mappings::load(&source, &specs).map_err(Failure::Files)?;
    if one.0.id == other.0.id && one.1 == other.1 {
        return Err(Failure::Usage(format!(
            "`{}` is compared with itself; another level tells what changed",
            arguments.one
        )));
    }
    // One operator at two levels needs no mapping.
    let same = (one.0.id == other.0.id).then(|| Mapping::same(one.0)).flatten();
    let ways = [(&one, &other), (&other, &one)].into_iter().filter_map(|(from, to)| {
        let mapping = same.as_ref().or_else(|| mappings.between(&from.0.id, &to.0.id))?;
        Some(Comparison { mapping, levels: (from.1, to.1), seed: arguments.seed, samples: arguments.count })
    });
    let ways: Vec<Comparison<'_>> = ways.collect();
    if ways.is_empty() {
        let partners = mappings.all().filter_map(|Mapping { from, to, .. }| {
            let of = |each: &Arc<Operator>| each.id == one.0.id;
            if of(from) { Some(to.id.as_str()) } else { of(to).then_some(from.id.as_str()) }
        });
        let partners: BTreeSet<&str> = partners.collect();
        let known = if partners.is_empty() { "with none".to_owned() } else { known_names(&other.0.id, partners) };
        let message =
            format!("no mapping leads from `{}` to `{}` or back; it can be compared: {known}", one.0.id, other.0.id);
        return Err(Failure::Usage(message));
    }
    let compared: Vec<_> = ways.into_iter().map(|comparison| (comparison, comparison.run())).collect();
    let report = ComparisonReport::of(&compared);
    // What was found is said before it is written, so that a folder that cannot be written to loses nothing.
    match arguments.format {
        TextOrJson::Human => output::print(&human(&report, &specs))?,
        TextOrJson::Json => output::print_json(&report)?,
    };
    if let Some(folder) = &arguments.write {
        write_cases(folder, &compared, &specs)?;
    }
    Ok(if report.is_same() { CONFORMS } else { FAILED })
}

/// Writes every witness as a case of each of the two operators.
fn write_cases(folder: &Path, compared: &[(Comparison<'_>, Compared)], specs: &Specs) -> Result<(), Failure> {
    let mut cases: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for (Comparison { mapping, levels, .. }, compared) in compared {
        for (number, Found { class, witness, .. }) in (1..).zip(&compared.found) {
            let name = format!("{}_{}_{number}", class.kind(), mapping.to.id.replace('/', "_"));
            let other = format!("{}_{}_{number}", class.kind(), mapping.from.id.replace('/', "_"));
            let given = witness.inputs.iter().map(|input| (input.name.clone(), input.data.elements().into_owned()));
            let ours = foreign(&name, levels.0, &witness.descriptor, &given.collect::<Vec<_>>());
            let theirs = witness.said.as_ref().map(|said| foreign(&other, levels.1, &said.descriptor, &said.inputs));
            for test in [Some(ours), theirs].into_iter().flatten() {
                let name = test.name.clone();
                let made = test.complete(specs).map_err(|error| Failure::Usage(format!("`{name}`: {error}")))?;
                cases.entry(made.case.operator.id.clone()).or_default().push(made.case);
            }
        }
    }
    let there =
        cases.keys().map(|operator| folder.join(operator).join(format!("{FILE}.yaml"))).find(|file| file.exists());
    if let Some(there) = there {
        let message = format!("`{}` is there already: say another folder, or move it away", there.display());
        return Err(Failure::Usage(message));
    }
    for (operator, cases) in &cases {
        let Some(first) = cases.first() else { continue };
        let text = write(&first.operator, COMMENT, cases);
        output::write_whole(&folder.join(operator), &format!("{FILE}.yaml"), text.as_bytes())?;
    }
    let count: usize = cases.values().map(Vec::len).sum();
    output::tell(&format!("{} written to {}", counted(count, "case"), folder.display()));
    Ok(())
}

/// A descriptor with data, as something to make a case of.
fn foreign(name: &str, level: Level, descriptor: &Descriptor, inputs: &[(String, Vec<u8>)]) -> Foreign {
    let elements = |name: &str| inputs.iter().find(|(input, _)| input == name).map(|(_, bytes)| bytes.clone());
    let tensor = |entry: &NamedTensor| ForeignTensor {
        name: entry.name.clone(),
        descriptor: entry.tensor.clone(),
        elements: elements(&entry.name),
    };
    Foreign {
        operator: descriptor.operator.clone(),
        name: name.to_owned(),
        level: Some(level),
        tensors: descriptor.tensors.iter().map(tensor).collect(),
        attributes: descriptor.attributes.clone(),
    }
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
    let side = |side: &Side| format!("{}@{}", side.operator, side.level);
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
            DifferenceKind::Doubtful => format!("{to} leaves open whether to accept what {from} accepts"),
            DifferenceKind::Unsaid => format!("{to} has no way to say it"),
        };
        let heading = format!("{}. {heading} ({})", number + 1, counted(difference.samples as usize, "sample"));
        text.push('\n');
        text.push_str(&wrapped(&heading, "", "   ", width));
        for id in difference.from_requirements.iter().chain(&difference.to_requirements) {
            let said = specs.operators.iter().find_map(|operator| operator.requirement(id));
            let said = said.map_or("", |requirement| requirement.text.as_str());
            text.push_str(&wrapped(&format!("{id}: {said}"), "   ", "     ", width));
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
