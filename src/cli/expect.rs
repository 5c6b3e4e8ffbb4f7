//! `opcert expect`: what follows from the specification for a descriptor with data, valid or not, and why.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use opcert_backend::foreign::{printable, printable_line};
use opcert_backend::{Descriptor, Role};

use super::input::level_named;
use super::{Failure, Sources, output};
use crate::case::{Case, CaseSource, Few, LoadedFile, diagnostics};
use crate::check::{InputData, violations};
use crate::definition::{Definition, Output};
use crate::plan::Filter;
use crate::render::{self, columns, counted, wrapped};
use crate::source::Source;
use crate::spec::Level;
use crate::yaml::Problems;

/// Arguments of `opcert expect`.
#[derive(Debug, Args)]
pub(super) struct ExpectArguments {
    /// A case's id, or a file of cases. What they say of what is expected is not looked at
    #[arg(value_name = "CASE|FILE")]
    what: String,
    /// Ask at this feature level instead of the highest one
    #[arg(long)]
    level: Option<String>,
    #[command(flatten)]
    sources: Sources,
}

/// A tensor of more elements is not worked out here.
const MOST_ELEMENTS: u64 = 1 << 25;

pub(super) fn expect(arguments: &ExpectArguments) -> Result<u8, Failure> {
    let specs = arguments.sources.load_specs()?;
    let as_file = Path::new(&arguments.what);
    // A pipe or a device is no id either: why it is not read is said of it.
    let is_file = as_file.symlink_metadata().is_ok_and(|found| !found.is_dir());
    let source = if is_file { CaseSource(Source::Path(PathBuf::from(as_file))) } else { arguments.sources.cases() };
    let filter = Filter::parse(&[glob::Pattern::escape(&arguments.what)]);
    let filter = filter.map_err(|error| Failure::Usage(error.to_string()))?;
    let told_by_path = !is_file && arguments.sources.cases.is_none();
    let mut cases = Vec::new();
    for file in source.files().map_err(Failure::Files)? {
        if told_by_path && !filter.may_pick_from(&file.stem) {
            continue;
        }
        let take = |few: Few, _: &mut Problems| {
            cases.extend(few.cases.into_iter().filter(|case| is_file || case.id == arguments.what));
        };
        let LoadedFile { problems, text, .. } =
            LoadedFile::read(&file, &specs, take).map_err(|problem| Failure::Files(vec![*problem]))?;
        if !problems.is_empty() {
            return Err(Failure::Files(diagnostics(&file, "cases", &text, problems)));
        }
    }
    if cases.is_empty() && as_file.extension().is_some() {
        return Err(Failure::Usage(format!("there is no file `{}`", as_file.display())));
    }
    if cases.is_empty() {
        return Err(arguments.sources.not_one(&arguments.what, &specs));
    }
    let width = output::width();
    let mut text = String::new();
    for (at, case) in cases.iter().enumerate() {
        text.push_str(if at > 0 { "\n" } else { "" });
        let family = &case.operator.family;
        let level =
            arguments.level.as_deref().map_or_else(|| Ok(family.highest()), |name| level_named(name, family))?;
        expected(&mut text, case, level, width);
    }
    output::print(&text)
}

fn expected(text: &mut String, case: &Case, level: Level, width: usize) {
    let (operator, descriptor) = (&case.operator, case.descriptor(level));
    text.push_str(&head(&case.id, case.title.as_deref(), width));
    let broken = violations(operator, &descriptor, level);
    let name = operator.family.level_name(level);
    let verdict = match (broken.is_empty(), broken.iter().any(|each| each.gates)) {
        (true, _) => "valid",
        (false, true) => "invalid",
        (false, false) => "left open by the documents",
    };
    let _ = writeln!(text, "at {name}: {verdict}");
    for violation in &broken {
        let line = format!("{} [{}]", violation.message, violation.requirement);
        text.push_str(&wrapped(&printable_line(&line), "  ", "    ", width));
    }
    if broken.iter().any(|each| each.gates) {
        text.push_str("nothing comes out: the descriptor is to be refused\n");
        return;
    }
    let inputs = || case.tensors.iter().filter(|tensor| tensor.role == Role::Input);
    if let Some(tensor) = inputs().find(|tensor| tensor.data.is_none()) {
        let _ = writeln!(text, "nothing comes out: `{}` has no data", tensor.name);
        return;
    }
    let many = |count: Option<u64>| count.is_none_or(|count| count > MOST_ELEMENTS);
    if let Some(tensor) = case.tensors.iter().find(|tensor| many(tensor.descriptor.element_count())) {
        let line = format!("nothing is worked out: `{}` has more than {MOST_ELEMENTS} elements", tensor.name);
        text.push_str(&wrapped(&line, "", "  ", width));
        return;
    }
    let given = inputs().filter_map(|tensor| Some((tensor.name.clone(), tensor.data.clone()?)));
    let inputs: Vec<InputData> = given.map(|(name, data)| InputData { name, data }).collect();
    text.push_str(&outputs(&operator.definition, (&descriptor, &inputs), true, width));
}

/// A case's id, and its title behind it if there is room, otherwise below.
pub(super) fn head(id: &str, title: Option<&str>, width: usize) -> String {
    let (id, title) = (printable_line(id), title.map(printable_line).unwrap_or_default());
    let line = format!("{id}  {title}");
    if columns(line.trim_end()) <= width {
        format!("{}\n", line.trim_end())
    } else {
        format!("{id}\n{}", wrapped(&title, "  ", "  ", width))
    }
}

/// Each output, written out unless that was done elsewhere, and below it which lines of the definition decide its elements.
pub(super) fn outputs(
    definition: &Definition,
    (descriptor, inputs): (&Descriptor, &[InputData]),
    with_values: bool,
    width: usize,
) -> String {
    let given: Vec<_> = inputs.iter().map(|input| (input.name.as_str(), input.data.elements())).collect();
    let given: Vec<(&str, &[u8])> = given.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    let found = match definition.evaluate(descriptor, &given) {
        Ok(found) => found,
        Err(fault) => return wrapped(&format!("nothing can be worked out: {fault}"), "", "  ", width),
    };
    let mut text = String::new();
    for output in &found.outputs {
        let Some(tensor) = descriptor.tensor(&output.name) else { continue };
        let _ = writeln!(text, "\n{}", output.name);
        let sign = |index: usize| output.open_at(index).map(|_| render::UNDEFINED);
        let value = if output.decided.len() <= render::LARGEST_SHOWN {
            render::tensor(&output.bytes, tensor.data_type, &tensor.sizes, sign)
        } else {
            render::digest(&output.bytes)
        };
        if with_values {
            let _ = writeln!(text, "{}", printable(&value));
        }
        text.push_str(&reasons(definition, descriptor, &given, output, width));
    }
    text
}

/// The lines that decide the elements of an output, each with the first of its elements.
fn reasons(
    definition: &Definition,
    descriptor: &Descriptor,
    given: &[(&str, &[u8])],
    output: &Output,
    width: usize,
) -> String {
    let mut lines: Vec<(usize, usize, usize)> = Vec::new();
    for (index, &line) in output.decided.iter().enumerate() {
        match lines.iter_mut().find(|(known, ..)| *known == line) {
            Some((_, count, _)) => *count += 1,
            None => lines.push((line, 1, index)),
        }
    }
    lines.sort_unstable();
    let mut text = String::new();
    for (line, count, first) in lines {
        let sizes = descriptor.tensor(&output.name).map_or(&[][..], |tensor| &tensor.sizes);
        let place = crate::layout::coordinates(first, sizes);
        let Some(cited) = definition.lines.get(line) else { continue };
        let ids: Vec<&str> = cited.citations.iter().map(|citation| citation.name.as_str()).collect();
        let (number, code, elements) = (cited.first, definition.text_of(line), counted(count, "element"));
        text.push_str(&wrapped(&format!("{elements} by line {number}: {code}"), "  ", "      ", width));
        ids.iter().for_each(|id| text.push_str(&wrapped(id, "      ", "        ", width)));
        let reason = match definition.decision(descriptor, given, &output.name, &place) {
            Ok(decision) => {
                let values: Vec<String> =
                    decision.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                // A line may decide by the level alone.
                let values = if values.is_empty() { String::new() } else { format!(" where {}", values.join(", ")) };
                format!("{place:?} is {}{values}", decision.gives)
            }
            Err(fault) => fault.to_string(),
        };
        text.push_str(&wrapped(&printable_line(&reason), "      ", "        ", width));
    }
    text
}
