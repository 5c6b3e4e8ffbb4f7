//! Wrong backends that files tell of: from replaced lines to definitions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use opcert_backend::Role;

use super::condition::Condition;
use super::format::{InsteadEntry, WrongEntry};
use super::wrong::{Altered, Deviation, Kind, Wrong};
use crate::definition::Definition;
use crate::diagnostic::{Diagnostic, Problem};
use crate::near::{did_you_mean, known_names};
use crate::source::{Source, SourceFile};
use crate::spec::{Operator, Requirement, Specs};
use crate::yaml::{FromNode, Node, Problems, parse};

/// The wrong backends of files and folders, in their order.
///
/// # Errors
///
/// Everything that is wrong with any of the files, each with its place.
pub fn listed(places: &[PathBuf], specs: &Specs) -> Result<Vec<Wrong>, Vec<Diagnostic>> {
    let (mut found, mut diagnostics) = (Vec::new(), Vec::new());
    let mut taken: BTreeMap<String, PathBuf> = BTreeMap::new();
    for place in places {
        let files = Source::Path(place.clone()).files()?;
        if files.is_empty() {
            diagnostics.push(Diagnostic::without_text(place, "there are no files of wrong backends (`*.yaml`) here"));
        }
        for file in files {
            match of_file(&file, specs, &mut taken) {
                Ok(wrong) => found.extend(wrong),
                Err(problems) => diagnostics.extend(problems),
            }
        }
    }
    if diagnostics.is_empty() { Ok(found) } else { Err(diagnostics) }
}

fn of_file(
    file: &SourceFile,
    specs: &Specs,
    taken: &mut BTreeMap<String, PathBuf>,
) -> Result<Vec<Wrong>, Vec<Diagnostic>> {
    let text = file.read().map_err(|diagnostic| vec![*diagnostic])?;
    let diagnostics = |problems| Diagnostic::of_file(&file.path, &text, problems);
    let root = parse(&text).map_err(diagnostics)?;
    let mut problems = Problems::default();
    let decoded = super::format::WrongFile::from_node(root.clone(), &mut problems);
    let Some(decoded) = decoded else { return Err(diagnostics(problems.into_sorted())) };
    let Some(operator) = specs.operator(&decoded.operator) else {
        let known = specs.operators.iter().map(|each| each.id.as_str());
        let message = format!("`{}` is no operator{}", decoded.operator, did_you_mean(&decoded.operator, known));
        problems.add(root.locate(&["operator"]), message);
        return Err(diagnostics(problems.into_sorted()));
    };
    let reworded = match decoded.definition.as_deref().map(|text| operator.definition.reread(text)).transpose() {
        Ok(reworded) => reworded,
        Err(found) => {
            let position = root.locate(&["definition"]);
            found.into_iter().for_each(|problem| problems.add(position, format!("in this text, {}", problem.message)));
            return Err(diagnostics(problems.into_sorted()));
        }
    };
    let definition = reworded.as_ref().unwrap_or(&operator.definition);
    let mut found = Vec::new();
    for (at, entry) in decoded.wrong.into_iter().enumerate() {
        let mut reader = Reader { operator, definition, node: &root, at: at.to_string(), problems: &mut problems };
        reader.name(&entry.name, &file.path, taken);
        found.extend(reader.wrong(&entry));
    }
    if problems.is_empty() { Ok(found) } else { Err(diagnostics(problems.into_sorted())) }
}

/// Reads one entry.
struct Reader<'a> {
    operator: &'a Arc<Operator>,
    /// The definition in which lines are replaced.
    definition: &'a Definition,
    node: &'a Node,
    /// The number of the entry.
    at: String,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    fn problem(&mut self, part: &[&str], message: String, help: String) {
        let path: Vec<&str> = ["wrong", &self.at].into_iter().chain(part.iter().copied()).collect();
        let problem = Problem::at(self.node.locate(&path), message);
        self.problems.push(if help.is_empty() { problem } else { problem.with_help(help) });
    }

    fn name(&mut self, name: &str, file: &Path, taken: &mut BTreeMap<String, PathBuf>) {
        if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-') {
            self.problem(
                &["name"],
                format!("`{name}` is no name"),
                "a name has letters, digits and hyphens".to_owned(),
            );
        }
        if let Some(other) = taken.get(name) {
            let message = format!("`{name}` is a name that `{}` has as well", other.display());
            self.problem(&["name"], message, "each wrong backend has a name of its own".to_owned());
        }
        taken.insert(name.to_owned(), file.to_owned());
    }

    fn wrong(&mut self, entry: &WrongEntry) -> Option<Wrong> {
        let before = self.problems.count();
        let breaks = entry.breaks.0.iter().filter_map(|name| self.requirement(name)).collect();
        let condition = self.condition(entry);
        if entry.about.trim().is_empty() {
            self.problem(&["about"], "it says nothing".to_owned(), "say what is wrong, in a sentence".to_owned());
        }
        let definition = self.definition(&entry.instead);
        let only = entry.only.as_ref().map(|only| self.only(only));
        let altered = Altered {
            definition: definition?,
            only: match only {
                Some(only) => Some(only?),
                None => None,
            },
            line: None,
            checks: false,
        };
        let wrong = Wrong {
            name: entry.name.clone(),
            operator: Arc::clone(self.operator),
            kind: Kind::Listed,
            breaks,
            about: entry.about.trim().to_owned(),
            seen: entry.seen.clone(),
            deviation: Deviation::Defined(Arc::new(altered)),
            condition,
        };
        (self.problems.count() == before).then_some(wrong)
    }

    fn requirement(&mut self, name: &str) -> Option<String> {
        let found = self.operator.resolve(name).filter(|requirement| requirement.gates());
        if found.is_none() {
            let known = self.operator.all_requirements().filter(|each| each.gates()).map(Requirement::name);
            let message =
                format!("`{name}` is no requirement of the operator that can be broken{}", did_you_mean(name, known));
            self.problem(&["breaks"], message, format!("`opcert explain {}` lists them", self.operator.id));
        }
        found.map(|requirement| requirement.id.clone())
    }

    /// What `types` and `levels` say.
    fn condition(&mut self, entry: &WrongEntry) -> Condition {
        let operator = Arc::clone(self.operator);
        let mut condition = Condition::Always;
        let both = |one, other| Condition::Both(Box::new(one), Box::new(other));
        for (tensor, spellings) in entry.types.iter().flat_map(|types| &types.0) {
            if operator.tensor(tensor).is_none() {
                let known = operator.tensors.iter().map(|tensor| tensor.name.as_str());
                self.problem(
                    &["types", tensor],
                    format!("`{tensor}` is no tensor of the operator"),
                    known_names(tensor, known),
                );
            }
            let mut types = Vec::new();
            for spelling in spellings {
                match operator.family.data_type(spelling) {
                    Some(data_type) => types.push(data_type),
                    None => {
                        let known = operator.family.types.iter().map(|(name, _)| name.as_str());
                        let message = format!("`{spelling}` is no data type of `{}`", operator.family.name);
                        self.problem(&["types", tensor], message, known_names(spelling, known));
                    }
                }
            }
            condition = both(condition, Condition::Type(tensor.clone(), types));
        }
        if let Some(levels) = &entry.levels {
            for level in levels.iter().filter(|level| operator.family.level(level).is_none()) {
                let message = format!("`{level}` is no level of `{}`", operator.family.name);
                self.problem(
                    &["levels"],
                    message,
                    known_names(level, operator.family.levels.iter().map(String::as_str)),
                );
            }
            condition = both(condition, Condition::Levels(levels.clone()));
        }
        condition
    }

    /// The definition with lines replaced.
    fn definition(&mut self, instead: &[InsteadEntry]) -> Option<Definition> {
        let definition = self.definition;
        let mut lines: Vec<Option<String>> = definition.text.lines().map(|line| Some(line.to_owned())).collect();
        let mut found_all = !instead.is_empty();
        if instead.is_empty() {
            self.problem(&["instead"], "nothing is replaced".to_owned(), String::new());
        }
        for (number, InsteadEntry { line, nth, by }) in instead.iter().enumerate() {
            let part = ["instead", &number.to_string()].map(str::to_owned);
            let part: Vec<&str> = part.iter().map(String::as_str).collect();
            let wanted = code(line);
            let places: Vec<(usize, usize)> =
                places(definition).into_iter().filter(|(text, _)| *text == wanted).map(|(_, place)| place).collect();
            let chosen = match (nth, places.as_slice()) {
                (None, [only]) => Some(*only),
                (Some(nth), places) => {
                    usize::try_from(*nth).ok().and_then(|nth| places.get(nth.checked_sub(1)?).copied())
                }
                _ => None,
            };
            let Some((first, last)) = chosen else {
                self.not_found(&part, &wanted, places.len());
                found_all = false;
                continue;
            };
            if lines[first].is_none() || definition.text.lines().nth(first) != lines[first].as_deref() {
                self.problem(&part, format!("`{wanted}` is replaced twice"), String::new());
                found_all = false;
                continue;
            }
            let indented = lines[first].as_ref().map_or(0, |line| line.len() - line.trim_start().len());
            let by = by.lines().map(|line| format!("{}{line}", " ".repeat(indented))).collect::<Vec<_>>().join("\n");
            lines[first..=last].fill(None);
            lines[first] = Some(by);
        }
        if !found_all {
            return None;
        }
        let text = lines.into_iter().flatten().collect::<Vec<_>>().join("\n");
        match definition.reread(&text) {
            Ok(definition) => Some(definition),
            Err(problems) => {
                self.unreadable(&["instead"], "the definition with these lines", &text, &problems);
                None
            }
        }
    }

    fn not_found(&mut self, part: &[&str], wanted: &str, count: usize) {
        let message = match count {
            0 => format!("no line of the definition reads `{wanted}`"),
            1 => format!("one line of the definition reads `{wanted}`: leave `nth` out, or let it be 1"),
            _ => format!("{count} lines of the definition read `{wanted}`: `nth` says which one, from 1"),
        };
        let texts: Vec<String> = places(self.definition).into_iter().map(|(text, _)| text).collect();
        let help = if count == 0 { known_names(wanted, texts.iter().map(String::as_str)) } else { String::new() };
        self.problem(part, message, help);
    }

    /// What is true where the other definition answers: it has the names at the top of the original one.
    fn only(&mut self, condition: &str) -> Option<Definition> {
        let definition = self.definition;
        let outputs: Vec<&str> = self
            .operator
            .tensors
            .iter()
            .filter(|tensor| tensor.role == Role::Output)
            .map(|tensor| tensor.name.as_str())
            .collect();
        let mut text = String::new();
        let mut is_output = false;
        for line in definition.text.lines() {
            if line.starts_with(|letter: char| letter != ' ' && letter != '#') {
                let defined = line.strip_prefix("def ").and_then(|rest| rest.split('(').next()).map(str::trim);
                is_output = defined.is_some_and(|name| outputs.contains(&name));
            }
            if !is_output {
                text.push_str(line);
                text.push('\n');
            }
        }
        let condition = condition.split_whitespace().collect::<Vec<_>>().join(" ");
        for output in outputs {
            text.push_str(&format!("def {output}(at):\n    return undefined if ({condition}) else unspecified\n"));
        }
        match definition.reread(&text) {
            Ok(only) => Some(only),
            Err(problems) => {
                self.unreadable(&["where"], "the condition", &text, &problems);
                None
            }
        }
    }

    fn unreadable(&mut self, part: &[&str], what: &str, text: &str, problems: &[Problem]) {
        for problem in problems.iter().take(1) {
            let line = problem.position.and_then(|position| text.lines().nth(position.line.saturating_sub(1) as usize));
            let line = line.map(|line| format!(", at `{}`", code(line))).unwrap_or_default();
            self.problem(
                part,
                format!("{what} cannot be read{line}: {}", problem.message),
                problem.help.clone().unwrap_or_default(),
            );
        }
    }
}

/// Code without indentation, and without the comment behind it.
fn code(line: &str) -> String {
    line.split('#').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of a definition as code, with their first and last line in the text, from 0. One that goes on over several is one.
fn places(definition: &Definition) -> Vec<(String, (usize, usize))> {
    let mut places: Vec<(String, (usize, usize))> = (0..definition.lines.len())
        .map(|at| {
            let line = &definition.lines[at];
            (code(&definition.text_of(at)), (line.first as usize - 1, line.last as usize - 1))
        })
        .collect();
    for (at, line) in definition.text.lines().enumerate() {
        let is_known = places.iter().any(|(_, (first, last))| (*first..=*last).contains(&at));
        if !is_known && !code(line).is_empty() {
            places.push((code(line), (at, at)));
        }
    }
    places.sort_by_key(|(_, place)| *place);
    places
}
