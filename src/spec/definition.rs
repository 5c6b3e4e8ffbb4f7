//! The definition of an operator: its place in the file, and the requirements that it cites.

use super::model::{Attribute, AttributeValues, Operator, Requirement, Tensor};
use crate::definition::{Definition, Names};
use crate::diagnostic::{Position, Problem, lines_of};
use crate::near::did_you_mean;
use crate::yaml::{Content, Node, Problems};

/// How far a definition is moved in its file: lines down, columns to the right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    lines: u32,
    columns: u32,
}

impl Place {
    /// Where the definition stands in the text of a file. A literal block alone keeps lines and columns.
    fn find(file: &str, definition: &str, node: &Node, problems: &mut Problems) -> Option<Self> {
        let Content::Mapping(mut entries) = node.content() else { return None };
        let (key, _) = entries.find(|(key, _)| key.name == "definition")?;
        let below = || lines_of(file).skip(key.position.line as usize);
        let indented = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let columns = below().find(|line| !line.trim().is_empty()).map_or(0, indented);
        let as_written = std::iter::zip(definition.lines(), below())
            .all(|(line, written)| line.is_empty() || written.get(columns..) == Some(line));
        if !as_written {
            let problem = Problem::at(key.position, "a definition is a literal block, whose lines stay as they are");
            problems.push(problem.with_help("write `definition: |`, and the text below it, indented"));
            return None;
        }
        Some(Self { lines: key.position.line, columns: columns as u32 })
    }

    fn of(self, position: Position) -> Position {
        Position { line: position.line + self.lines, column: position.column + self.columns, ..position }
    }
}

/// Reads the definition that stands in the text of a file. Checks ask for sizes that it gives: of a tensor, by a name.
pub(super) fn link_definition(
    file: &str,
    definition: &str,
    node: &Node,
    (tensors, attributes, levels): (&[Tensor], &[Attribute], &[String]),
    sizes_by_descriptor: Vec<(String, String)>,
    problems: &mut Problems,
) -> Option<(Definition, Place)> {
    let place = Place::find(file, definition, node, problems)?;
    let listed = |of: fn(&AttributeValues) -> Option<&Vec<String>>| {
        attributes.iter().filter_map(|attribute| of(&attribute.values)).flatten().cloned().collect()
    };
    let names = Names {
        tensors: tensors.iter().map(|tensor| (tensor.name.clone(), tensor.role)).collect(),
        lists: tensors.iter().map(|tensor| tensor.list_name().map(str::to_owned)).collect(),
        attributes: attributes.iter().map(|each| (each.name.clone(), each.default.clone())).collect(),
        enumerators: listed(|values| if let AttributeValues::Enumerators(names) = values { Some(names) } else { None }),
        texts: listed(|values| if let AttributeValues::Texts(texts) = values { Some(texts) } else { None }),
        levels: levels.to_vec(),
        sizes: tensors.iter().filter_map(|tensor| Some((tensor.name.clone(), tensor.sizes.clone()?))).collect(),
        sizes_by_descriptor,
    };
    match Definition::read(definition, names) {
        Ok(definition) => Some((definition, place)),
        Err(found) => {
            for problem in found {
                let position = problem.position.map(|position| place.of(position));
                problems.push(Problem { position, ..problem });
            }
            None
        }
    }
}

/// Replaces the names behind lines by the full ids of requirements, each of which has to exist; and each requirement that a
/// case can show has to be cited, unless something else says which cases show it.
pub(super) fn link_citations(operator: &mut Operator, place: Place, node: &Node, problems: &mut Problems) {
    let mut definition = std::mem::take(&mut operator.definition);
    for citation in definition.lines.iter_mut().flat_map(|line| &mut line.citations) {
        if let Some(requirement) = operator.resolve(&citation.name) {
            citation.name.clone_from(&requirement.id);
            continue;
        }
        let known = operator.requirements.iter().map(Requirement::name);
        let message =
            format!("`{}` is no requirement of the operator{}", citation.name, did_you_mean(&citation.name, known));
        let problem = Problem::at(place.of(citation.position), message);
        problems.push(problem.with_help("a comment behind a line names the requirements that the line fulfils"));
    }
    let cited = |id: &str| definition.lines.iter().flat_map(|line| &line.citations).any(|each| each.name == id);
    for requirement in &operator.requirements {
        let is_testable = requirement.untestable.is_none() && !requirement.definition && requirement.restates.is_none();
        let is_said = requirement.check.is_some() || requirement.tested.is_some() || !requirement.invariants.is_empty();
        if is_testable && !is_said && !cited(&requirement.id) {
            let position = node.locate(&["requirements", requirement.name()]);
            let problem = Problem::at(position, format!("no line of the definition cites `{}`", requirement.name()));
            let help = "name it in a comment behind the line that fulfils it, or say under `tested` which cases do";
            problems.push(problem.with_help(help));
        }
    }
    operator.definition = definition;
}
