//! `opcert compare`: where two specifications differ.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use opcert_backend::{Backend, Descriptor, NamedTensor};

use super::backends::BackendEntry;
use super::chosen::{BackendArguments, Chosen, Opened};
use super::input::{level_named, quoted};
use super::{CONFORMS, FAILED, Failure, Sources, output};
use crate::case::{Case, write};
use crate::compare::{Compared, Comparison, ComparisonReport, Found, confirm, html, human, page, pages};
use crate::import::{Foreign, ForeignTensor};
use crate::mapping::{Mapping, Mappings};
use crate::near::known_names;
use crate::render::counted;
use crate::source::Source;
use crate::spec::{Level, Operator, Specs};

/// Arguments of `opcert compare`.
#[derive(Debug, Args)]
pub(super) struct CompareArguments {
    /// An operator, at a level or at the highest one: `onnx/arg_max@13`
    #[arg(value_name = "OPERATOR[@LEVEL]", required_unless_present = "guide")]
    one: Option<String>,
    /// The operator that it is compared with
    #[arg(value_name = "OPERATOR[@LEVEL]", required_unless_present = "guide")]
    other: Option<String>,
    /// Only what becomes of the first said as the second, and not the other way round
    #[arg(long, conflicts_with = "guide")]
    one_way: bool,
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
    #[arg(long, value_name = "DIR", conflicts_with = "guide")]
    write: Option<PathBuf>,
    /// Compare all pairs at their highest levels, and write a page of each to this folder, with a matrix that leads to them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["one", "other", "format"])]
    guide: Option<PathBuf>,
    /// Show what these backends make of the smallest samples as well, where they claim an operator themselves
    #[arg(long = "on", value_name = "BACKEND")]
    backends: Vec<String>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a person
    #[default]
    Human,
    /// For a program; see docs/JSON.md
    Json,
    /// Markdown
    Md,
    /// A page that loads nothing
    Html,
}

/// The name of the file of cases in the folder of each operator.
const FILE: &str = "compared";

/// Stands at the top of such a file.
const COMMENT: &str = "Found by `opcert compare`. What a case covers is worked out when it is read.";

pub(super) fn compare(arguments: &CompareArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let specs = Sources { cases: None, specs: arguments.specs.clone() }.load_specs()?;
    let source = arguments.mappings.clone().map_or_else(Source::embedded_mappings, Source::Path);
    let mappings = Mappings::load(&source, &specs).map_err(Failure::Files)?;
    let opened = opened(&arguments.backends, backends, &specs)?;
    let on: Vec<&dyn Backend> = opened.iter().map(|each| &*each.native).collect();
    let asked_of = (&specs, on.as_slice());
    if let Some(folder) = &arguments.guide {
        return guide(folder, arguments, &mappings, asked_of);
    }
    let (Some(one), Some(other)) = (&arguments.one, &arguments.other) else {
        return Err(Failure::Usage("two operators are compared: name both".to_owned()));
    };
    let (one, other) = ((asked(one, &specs)?, one), (asked(other, &specs)?, other));
    let compared = compared(arguments, &mappings, (one.0, other.0), one.1, asked_of)?;
    let report = ComparisonReport::of(&compared);
    // What was found is said before it is written, so that a folder that cannot be written to loses nothing.
    match arguments.format {
        Format::Human => output::print(&human(&report, &specs, output::width()))?,
        Format::Json => output::print_json(&report)?,
        Format::Md => output::print_as_it_is(&page(&report, &specs))?,
        Format::Html => output::print_as_it_is(&html(&report, &specs))?,
    };
    if let Some(folder) = &arguments.write {
        write_cases(folder, &compared, &specs)?;
    }
    Ok(if report.is_same() { CONFORMS } else { FAILED })
}

/// Opens the backends that are asked.
fn opened(named: &[String], backends: &[BackendEntry], specs: &Specs) -> Result<Vec<Opened>, Failure> {
    let open = |name: &String| Chosen::find(backends, &BackendArguments::of(name))?.open(specs);
    named.iter().map(open).collect()
}

/// An operator at a level.
type Asked<'a> = (&'a Arc<Operator>, Level);

/// Both ways between two operators, as far as there are any.
fn compared<'a>(
    arguments: &CompareArguments,
    mappings: &'a Mappings,
    (one, other): (Asked<'_>, Asked<'_>),
    named: &str,
    (specs, on): (&Specs, &[&dyn Backend]),
) -> Result<Vec<(Comparison<'a>, Compared)>, Failure> {
    let comparison = |mapping: &'a Mapping, from: Asked<'_>, to: Asked<'_>| Comparison {
        mapping,
        levels: (from.1, to.1),
        seed: arguments.seed,
        samples: arguments.count,
    };
    let mut ways = Vec::new();
    let both = [(one, other), (other, one)];
    for (from, to) in both.into_iter().take(if arguments.one_way { 1 } else { 2 }) {
        let mapping = mappings.between(&from.0.id, &to.0.id);
        ways.extend(mapping.map(|mapping| comparison(mapping, from, to)));
    }
    if one.0.id == other.0.id && one.1 == other.1 {
        let message = format!("`{named}` is compared with itself; another level tells what changed");
        return Err(Failure::Usage(message));
    }
    if ways.is_empty() {
        let partners = mappings.all().filter_map(|Mapping { from, to, .. }| {
            let of = |each: &Arc<Operator>| each.id == one.0.id;
            if of(from) { Some(to.id.as_str()) } else { (of(to) && !arguments.one_way).then_some(from.id.as_str()) }
        });
        let partners: BTreeSet<&str> = partners.collect();
        let known = if partners.is_empty() {
            "no operator".to_owned()
        } else {
            known_names(&other.0.id, partners).trim_start_matches("known: ").to_owned()
        };
        let back = if arguments.one_way { "" } else { " or back" };
        let message =
            format!("no mapping leads from `{}` to `{}`{back}; it can be compared with {known}", one.0.id, other.0.id);
        return Err(Failure::Usage(message));
    }
    let compare = |comparison: Comparison<'a>| {
        let mut compared = comparison.run();
        confirm(&mut compared.found, on, specs);
        (comparison, compared)
    };
    Ok(ways.into_iter().map(compare).collect())
}

/// Writes the pages of all pairs.
fn guide(
    folder: &Path,
    arguments: &CompareArguments,
    mappings: &Mappings,
    (specs, on): (&Specs, &[&dyn Backend]),
) -> Result<u8, Failure> {
    let mut pairs: BTreeMap<(&str, &str), (Asked<'_>, Asked<'_>)> = BTreeMap::new();
    for Mapping { from, to, .. } in mappings.all() {
        let (one, other) = if from.id < to.id { (from, to) } else { (to, from) };
        let highest = |operator: &Arc<Operator>| operator.family.highest();
        pairs.insert((&one.id, &other.id), ((one, highest(one)), (other, highest(other))));
    }
    let mut reports = Vec::with_capacity(pairs.len());
    for ((named, _), pair) in pairs {
        reports.push(ComparisonReport::of(&compared(arguments, mappings, pair, named, (specs, on))?));
    }
    let options = [("--specs", &arguments.specs), ("--mappings", &arguments.mappings)];
    let options = options
        .iter()
        .filter_map(|(option, path)| Some(format!(" {option} {}", quoted(&path.as_ref()?.display().to_string()))));
    let command = format!(
        "opcert compare --guide {} --count {} --seed {}{}{}",
        quoted(&folder.display().to_string()),
        arguments.count,
        arguments.seed,
        options.collect::<String>(),
        arguments.backends.iter().map(|backend| format!(" --on {}", quoted(backend))).collect::<String>()
    );
    let pages = pages(&reports, specs, &command);
    for (name, text) in &pages {
        output::write_whole(folder, name, text.as_bytes())?;
    }
    output::print(&format!("{} in {}\n", counted(pages.len(), "page"), folder.display()))
}

/// Writes every witness as a case of each of the two operators.
fn write_cases(folder: &Path, compared: &[(Comparison<'_>, Compared)], specs: &Specs) -> Result<(), Failure> {
    let mut cases: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for (Comparison { mapping, levels, .. }, compared) in compared {
        for (number, Found { class, witness, .. }) in (1..).zip(&compared.found) {
            let named = |way: &str, operator: &Operator, level: Level| {
                let level = operator.family.level_name(level);
                format!("{}_{way}_{}_{level}_{number}", class.kind(), operator.id).replace(['/', '.'], "_")
            };
            let (name, other) = (named("as", &mapping.to, levels.1), named("of", &mapping.from, levels.0));
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
    if cases.is_empty() {
        output::tell("nothing differs, and nothing is written");
        return Ok(());
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
    let level = level_named(name, family)?;
    if level < operator.introduced {
        let first = family.level_name(operator.introduced);
        return Err(Failure::Usage(format!("`{id}` is not there at `{name}`; it begins with `{first}`")));
    }
    Ok((operator, level))
}
