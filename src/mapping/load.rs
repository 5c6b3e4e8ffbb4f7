//! From files to mappings: every tensor and attribute of `to` accounted for, every expression read.

use std::sync::Arc;

use opcert_backend::Role;

use super::format::{MappingFile, OutputEntry, TensorEntry};
use super::{
    MappedTensor, Mapping, Mappings, Type, WHEN, for_a_person, of_attribute, of_input, of_output, of_sizes, of_type,
};
use crate::case::find_operator;
use crate::definition::{Definition, Names};
use crate::diagnostic::{Diagnostic, Position, Problem, lines_of};
use crate::near::{did_you_mean, known_names};
use crate::source::{Source, SourceFile};
use crate::spec::{AttributeValues, Operator, Specs};
use crate::yaml::{Entries, FromNode, Node, Problems, parse};

impl Mappings {
    /// Those that are part of the program, as far as the specifications have both of their operators.
    ///
    /// # Errors
    ///
    /// As for [`Mappings::load`].
    pub fn embedded(specs: &Specs) -> Result<Self, Vec<Diagnostic>> {
        Self::load(&Source::embedded_mappings(), specs)
    }

    /// Reads all mappings of a source.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of the files, each with its place; and a source without a single file.
    pub fn load(source: &Source, specs: &Specs) -> Result<Self, Vec<Diagnostic>> {
        let mut files = source.files()?;
        if matches!(source, Source::Embedded { .. }) {
            // Those of operators that other specifications do not have are about nothing.
            let is_known = |stem: &str| {
                let ids = || specs.operators.iter().map(|operator| operator.id.as_str());
                ids().any(|from| {
                    stem.strip_prefix(from)
                        .and_then(|to| to.strip_prefix('/'))
                        .is_some_and(|to| ids().any(|id| id == to))
                })
            };
            files.retain(|file| is_known(&file.stem));
        } else if files.is_empty() {
            let message = "there are no files of mappings (`*.yaml`) here";
            return Err(vec![Diagnostic::without_text(source.place(), message)]);
        }
        let (mut mappings, mut found) = (Vec::new(), Vec::new());
        for file in &files {
            match mapping(file, specs) {
                Ok(mapping) => mappings.push(mapping),
                Err(problems) => found.extend(problems),
            }
        }
        let mut seen: Vec<(String, String)> = Vec::new();
        for (file, mapping) in files.iter().zip(&mappings) {
            let pair = (mapping.from.id.clone(), mapping.to.id.clone());
            if found.is_empty() && seen.contains(&pair) {
                let message = format!("another file has the mapping from `{}` to `{}` as well", pair.0, pair.1);
                found.push(Diagnostic::without_text(&file.path, message));
            }
            seen.push(pair);
        }
        mappings.sort_by(|one: &Mapping, other| (&one.from.id, &one.to.id).cmp(&(&other.from.id, &other.to.id)));
        let mappings = mappings.into_iter().map(Arc::new).collect();
        let same = specs.operators.iter().filter_map(same).map(Arc::new).collect();
        if found.is_empty() { Ok(Self { ways: mappings, same }) } else { Err(found) }
    }
}

fn mapping(file: &SourceFile, specs: &Specs) -> Result<Mapping, Vec<Diagnostic>> {
    let text = file.read().map_err(|problem| vec![*problem])?;
    let node = parse(&text).map_err(|found| Diagnostic::of_file(&file.path, &text, found))?;
    let mut problems = Problems::default();
    let mapping = decode(&node, (file, &text), specs, &mut problems);
    let of_file = |problems: Problems| Diagnostic::of_file(&file.path, &text, problems.into_sorted());
    if problems.is_empty() { mapping.ok_or_else(Vec::new) } else { Err(of_file(problems)) }
}

/// An expression of the file, under the name that it has in a definition.
struct Written {
    /// The line by which the definition begins, up to the expression.
    head: String,
    expression: String,
    place: Position,
}

/// A definition that is put together of expressions.
#[derive(Default)]
struct Together {
    text: String,
    /// For each line of the text where it stands in the file, and by how many columns it is indented there, if it stands as it is.
    places: Vec<(Position, Option<u32>)>,
}

impl Together {
    /// The names for all that follows. A literal block keeps lines and columns.
    fn begin(&mut self, names: &str, node: &Node, text: &str, problems: &mut Problems) {
        let Some((key, _)) = node.pairs().find(|(key, _)| key.name == "let") else { return };
        let below = lines_of(text).skip(key.position.line as usize).find(|line| !line.trim().is_empty());
        let first = names.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let indent = below.and_then(|line| line.strip_suffix(first)).filter(|indent| indent.trim().is_empty());
        let Some(indent) = indent else {
            let problem = Problem::at(key.position, "names stand in a literal block, whose lines stay as they are");
            return problems.push(problem.with_help("write `let: |`, and the text below it, indented"));
        };
        for (number, line) in (1..).zip(names.lines()) {
            self.text.push_str(line);
            self.text.push('\n');
            let position = Position { line: key.position.line + number, column: 1, length: 1 };
            self.places.push((position, Some(indent.len() as u32)));
        }
        self.report(Definition::malformed(&self.text), problems);
    }

    /// Adds an expression, which is that alone, and stands on one line.
    fn add(&mut self, Written { head, expression, place }: Written, problems: &mut Problems) {
        let expression = expression.split_whitespace().collect::<Vec<_>>().join(" ");
        for problem in Definition::malformed(&format!("value = {expression}\n")) {
            problems.push(Problem { position: Some(place), ..problem });
        }
        for line in format!("{head}{expression}").lines() {
            self.text.push_str(line);
            self.text.push('\n');
            self.places.push((place, None));
        }
    }

    fn read(&self, names: Names, problems: &mut Problems) -> Definition {
        match Definition::read(&self.text, names) {
            Ok(definition) => definition,
            Err(found) => {
                self.report(found, problems);
                Definition::default()
            }
        }
    }

    fn report(&self, found: Vec<Problem>, problems: &mut Problems) {
        for problem in found {
            let line = problem.position.map_or(0, |position| position.line.saturating_sub(1) as usize);
            let place = self.places.get(line).or(self.places.last()).copied();
            let position = place.map(|(place, indent)| match (problem.position, indent) {
                (Some(found), Some(indent)) => {
                    Position { column: found.column + indent, length: found.length, ..place }
                }
                _ => place,
            });
            let message = for_a_person(&problem.message);
            let help = problem.help.as_deref().map(for_a_person);
            problems.push(Problem { position, message, help, ..problem });
        }
    }
}

/// The mapping of a file; `None` after at least one problem was reported.
fn decode(node: &Node, (file, text): (&SourceFile, &str), specs: &Specs, problems: &mut Problems) -> Option<Mapping> {
    let decoded = MappingFile::from_node(node.clone(), problems)?;
    let from = find_operator(&decoded.from, node.locate(&["from"]), specs, problems)?;
    let to = find_operator(&decoded.to, node.locate(&["to"]), specs, problems)?;
    let expected = format!("{}/{}", from.id, to.id);
    if file.stem != expected && !expected.ends_with(&format!("/{}", file.stem)) {
        let message = format!(
            "the mapping from `{}` to `{}` stands in `{}.yaml`, expected `{expected}.yaml`",
            from.id, to.id, file.stem
        );
        problems.add(node.locate(&["from"]), message);
    }
    if from.id == to.id {
        let message = format!("`{}` needs no mapping to itself: its levels are compared without one", from.id);
        problems.add(node.locate(&["to"]), message);
        return None;
    }
    let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
    linked(decoded, (from, to), (node, text), problems).map(|mapping| Mapping { digest, ..mapping })
}

/// An operator said as itself, at another level.
fn same(operator: &Arc<Operator>) -> Option<Mapping> {
    let of = |name: &String| TensorEntry { of: Some(name.clone()), data_type: None, sizes: None, elements: None };
    let outputs = operator.tensors.iter().filter(|tensor| tensor.role == Role::Output);
    let attributes = operator.attributes.iter().filter(|each| each.length_of.is_none());
    let file = MappingFile {
        from: operator.id.clone(),
        to: operator.id.clone(),
        note: None,
        fix: None,
        names: None,
        when: None,
        attributes: Some(Entries(attributes.map(|each| (each.name.clone(), each.name.clone())).collect())),
        tensors: Entries(operator.tensors.iter().map(|each| (each.name.clone(), of(&each.name))).collect()),
        outputs: Entries(
            outputs
                .map(|each| (each.name.clone(), OutputEntry { of: Some(each.name.clone()), elements: None }))
                .collect(),
        ),
    };
    linked(file, (operator, operator), (&parse("{}").ok()?, ""), &mut Problems::default())
}

/// The mapping that a file says; `None` after at least one problem was reported.
fn linked(
    decoded: MappingFile,
    (from, to): (&Arc<Operator>, &Arc<Operator>),
    (node, text): (&Node, &str),
    problems: &mut Problems,
) -> Option<Mapping> {
    let mut there = Together::default();
    if let Some(names) = &decoded.names {
        there.begin(names, node, text, problems);
    }
    let when = decoded.when.iter().map(|expression| (WHEN.to_owned(), expression, node.locate(&["when"])));
    let attributes = decoded.attributes.as_ref().map_or(&[][..], |entries| &entries.0);
    let given = attributes
        .iter()
        .map(|(name, expression)| (of_attribute(name), expression, node.locate(&["attributes", name])));
    for (name, expression, place) in when.chain(given) {
        there.add(Written { head: format!("{name} = "), expression: expression.clone(), place }, problems);
    }
    account_for_attributes(to, attributes, node, problems);
    let tensors = tensors(&decoded, (from, to), node, &mut there, problems);
    let mut back = Together::default();
    let outputs = outputs(&decoded, (from, to), node, &mut back, problems);
    // What is missing would be reported by its inner name as well.
    if !problems.is_empty() {
        return None;
    }
    let there = there.read(names_there(from, to), problems);
    let back = back.read(names_back(from, to, &outputs), problems);
    let attributes = attributes.iter().map(|(name, _)| name.clone()).collect();
    let fix = fixes(decoded.fix.as_ref(), (from, to), node, problems);
    let (note, has_condition) = (decoded.note, decoded.when.is_some());
    let mapping = Mapping {
        from: Arc::clone(from),
        to: Arc::clone(to),
        digest: String::new(),
        note,
        fix,
        there,
        back,
        has_condition,
        attributes,
        tensors,
        outputs,
    };
    problems.is_empty().then_some(mapping)
}

/// What helps, by full ids of requirements of either side.
fn fixes(
    given: Option<&Entries<String>>,
    (from, to): (&Operator, &Operator),
    node: &Node,
    problems: &mut Problems,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (id, text) in given.iter().flat_map(|entries| &entries.0) {
        if from.requirement(id).is_some() || to.requirement(id).is_some() {
            found.push((id.clone(), text.clone()));
            continue;
        }
        let known = from.all_requirements().chain(to.all_requirements()).map(|each| each.id.as_str());
        let near = did_you_mean(id, known);
        problems.add(node.locate(&["fix", id]), format!("`{id}` is no requirement of either operator{near}"));
    }
    found
}

/// Each attribute that `to` needs is given, and no other.
fn account_for_attributes(to: &Operator, given: &[(String, String)], node: &Node, problems: &mut Problems) {
    for (name, _) in given.iter().filter(|(name, _)| to.attribute(name).is_none()) {
        let near = did_you_mean(name, to.attribute_names());
        problems.add(node.locate(&["attributes", name]), format!("`{name}` is no attribute of `{}`{near}", to.id));
    }
    let is_length = |name: &String| to.attribute(name).is_some_and(|attribute| attribute.length_of.is_some());
    for (name, _) in given.iter().filter(|(name, _)| is_length(name)) {
        problems
            .add(node.locate(&["attributes", name]), format!("`{name}` is the length of a list, and follows from it"));
    }
    let is_given = |name: &str| given.iter().any(|(each, _)| each == name);
    for attribute in
        to.attributes.iter().filter(|each| !each.may_be_missing && each.length_of.is_none() && !is_given(&each.name))
    {
        problems.add(node.locate(&["attributes"]), format!("nothing says what `{}` of `{}` is", attribute.name, to.id));
    }
}

/// Each tensor of `to`: its type, and its sizes and elements as expressions.
fn tensors(
    decoded: &MappingFile,
    (from, to): (&Operator, &Operator),
    node: &Node,
    there: &mut Together,
    problems: &mut Problems,
) -> Vec<MappedTensor> {
    for name in decoded.tensors.names().filter(|name| to.tensor(name).is_none()) {
        let near = did_you_mean(name, to.tensors.iter().map(|tensor| tensor.name.as_str()));
        problems.add(node.locate(&["tensors", name]), format!("`{name}` is no tensor of `{}`{near}", to.id));
    }
    let mut found = Vec::new();
    for tensor in &to.tensors {
        let name = &tensor.name;
        let Some(TensorEntry { of, data_type, sizes, elements }) = decoded.tensors.get(name) else {
            problems.add(node.locate(&["tensors"]), format!("nothing says what `{name}` of `{}` is", to.id));
            continue;
        };
        let place = |key: &str| node.locate(&["tensors", name, key]);
        if let Some(of) = of.as_ref().filter(|of| from.tensor(of).is_none()) {
            let known = known_names(of, from.tensors.iter().map(|tensor| tensor.name.as_str()));
            problems.add(place("of"), format!("`{of}` is no tensor of `{}`: {known}", from.id));
            continue;
        }
        let is_made = |of: &String| from.tensor(of).is_some_and(|each| each.role == Role::Output);
        if tensor.role == Role::Input && elements.is_none() && of.as_ref().is_some_and(is_made) {
            let of = of.as_deref().unwrap_or_default();
            problems.add(place("of"), format!("`{of}` is an output of `{}`: it holds nothing yet", from.id));
            continue;
        }
        let data_type = match (data_type, of) {
            (Some(expression), _) if expression.contains(char::is_whitespace) => {
                let (head, expression) = (format!("{} = ", of_type(name)), expression.clone());
                there.add(Written { head, expression, place: place("type") }, problems);
                Some(Type::Follows)
            }
            (Some(spelling), _) => match to.family.data_type(spelling) {
                Some(data_type) => Some(Type::Always(data_type)),
                None => {
                    let near = did_you_mean(spelling, to.family.types.iter().map(|(each, _)| each.as_str()));
                    let message = format!("`{spelling}` is no data type of `{}`{near}", to.family.name);
                    problems.add(place("type"), message);
                    None
                }
            },
            (None, Some(_)) => Some(Type::Same),
            (None, None) => {
                problems.add(place("type"), format!("`{name}` has no type: `type` gives it, or `of`"));
                None
            }
        };
        let sizes = sizes.clone().map(|sizes| (sizes, place("sizes")));
        let of_sizes_of = of.as_ref().map(|of| (format!("sizes({of})"), place("of")));
        match sizes.or(of_sizes_of) {
            Some((expression, place)) => {
                there.add(Written { head: format!("{} = ", of_sizes(name)), expression, place }, problems);
            }
            None => problems.add(place("sizes"), format!("`{name}` has no sizes: `sizes` gives them, or `of`")),
        }
        let is_copy = elements.is_none();
        let elements = elements.clone().map(|elements| (elements, place("elements")));
        match (tensor.role, elements) {
            (Role::Input, elements) => {
                let of_elements = of.as_ref().map(|of| (format!("{of}[at]"), place("of")));
                let Some((expression, place)) = elements.or(of_elements) else {
                    problems.add(place("elements"), format!("`{name}` holds nothing: `elements` says what, or `of`"));
                    continue;
                };
                there.add(
                    Written { head: format!("def {}(at):\n    return ", of_input(name)), expression, place },
                    problems,
                );
            }
            (Role::Output, Some((_, place))) => {
                problems.add(place, format!("`{name}` is an output: what it holds is worked out"));
            }
            (Role::Output, None) => {}
        }
        let of = of.clone();
        found.extend(data_type.map(|data_type| MappedTensor { name: name.clone(), of, data_type, is_copy }));
    }
    found
}

/// Each output of `from`: that of `to` whose elements it has, or its elements as an expression.
fn outputs(
    decoded: &MappingFile,
    (from, to): (&Operator, &Operator),
    node: &Node,
    back: &mut Together,
    problems: &mut Problems,
) -> Vec<(String, Option<String>)> {
    let is_output =
        |operator: &Operator, name: &str| operator.tensor(name).is_some_and(|each| each.role == Role::Output);
    for name in decoded.outputs.names().filter(|name| !is_output(from, name)) {
        problems.add(node.locate(&["outputs", name]), format!("`{name}` is no output of `{}`", from.id));
    }
    let mut found = Vec::new();
    for tensor in from.tensors.iter().filter(|tensor| tensor.role == Role::Output) {
        let name = &tensor.name;
        let place = |key: &str| node.locate(&["outputs", name, key]);
        match decoded.outputs.get(name) {
            None => problems.add(node.locate(&["outputs"]), format!("nothing says what comes back for `{name}`")),
            Some(OutputEntry { of: Some(of), elements: None }) if is_output(to, of) => {
                found.push((name.clone(), Some(of.clone())));
            }
            Some(OutputEntry { of: Some(of), elements: None }) => {
                problems.add(place("of"), format!("`{of}` is no output of `{}`", to.id));
            }
            Some(OutputEntry { of: None, elements: Some(expression) }) => {
                let (head, expression) = (format!("def {}(at):\n    return ", of_output(name)), expression.clone());
                back.add(Written { head, expression, place: place("elements") }, problems);
                found.push((name.clone(), None));
            }
            Some(_) => problems.add(place("of"), format!("`{name}` comes back by `of` or by `elements`, one of them")),
        }
    }
    found
}

fn listed(operators: [&Operator; 2], of: fn(&AttributeValues) -> Option<&Vec<String>>) -> Vec<String> {
    let attributes = operators.into_iter().flat_map(|operator| &operator.attributes);
    let mut names: Vec<String> = attributes.filter_map(|each| of(&each.values)).flatten().cloned().collect();
    names.sort();
    names.dedup();
    names
}

/// What both ways may name, but for tensors.
fn names(from: &Operator, to: &Operator) -> Names {
    Names {
        tensors: Vec::new(),
        lists: Vec::new(),
        attributes: from.attributes.iter().map(|each| (each.name.clone(), each.default.clone())).collect(),
        enumerators: listed([from, to], |values| match values {
            AttributeValues::Enumerators(names) => Some(names),
            _ => None,
        }),
        texts: listed([from, to], |values| match values {
            AttributeValues::Texts(texts) => Some(texts),
            _ => None,
        }),
        levels: from.family.levels.clone(),
        sizes: Vec::new(),
        sizes_by_descriptor: Vec::new(),
    }
}

/// On the way there all tensors of `from` are known, its outputs by their sizes, and the inputs of `to` are made.
fn names_there(from: &Operator, to: &Operator) -> Names {
    let known = from.tensors.iter().map(|tensor| (tensor.name.clone(), Role::Input));
    let made = to.tensors.iter().filter(|tensor| tensor.role == Role::Input);
    let made = made.map(|tensor| (of_input(&tensor.name), Role::Output));
    let mut names = Names { tensors: known.chain(made).collect(), ..names(from, to) };
    // Types are named as the family of `to` spells them.
    let is_new = |spelling: &&String| !names.enumerators.contains(spelling);
    let types: Vec<String> = to.family.types.iter().map(|(spelling, _)| spelling).filter(is_new).cloned().collect();
    names.enumerators.extend(types);
    names
}

/// On the way back the outputs of `to` are known, and those of `from` are made that are more than one of them.
fn names_back(from: &Operator, to: &Operator, outputs: &[(String, Option<String>)]) -> Names {
    let known = to.tensors.iter().filter(|tensor| tensor.role == Role::Output);
    let known = known.map(|tensor| (tensor.name.clone(), Role::Input));
    let made = outputs.iter().filter(|(_, of)| of.is_none()).map(|(name, _)| (of_output(name), Role::Output));
    Names { tensors: known.chain(made).collect(), ..names(from, to) }
}
