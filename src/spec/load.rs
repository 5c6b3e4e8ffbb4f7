//! From files to specifications.

use std::sync::Arc;

use super::equal::{link_equals, stated};
use super::format::{FamilyFile, OperatorFile};
use super::link::{link_family, link_operator};
use super::linker::Linker;
use super::model::{Family, Operator, Specs};
use crate::diagnostic::{Diagnostic, Problem};
use crate::near::did_you_mean;
use crate::source::{Source, SourceFile};
use crate::yaml::{FromNode, Node, Problems, parse};

impl Specs {
    /// Reads all specifications of a source.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of the files, each with its place.
    pub fn load(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        let mut digest = blake3::Hasher::new();
        let mut families: Vec<Arc<Family>> = Vec::new();
        let mut operators: Vec<Arc<Operator>> = Vec::new();
        let mut leaning = Vec::new();
        let mut files = source.files()?;
        files.sort_by_key(|file| !is_family(file));
        if files.is_empty() {
            return Err(vec![Diagnostic::without_text(
                source.place(),
                "there are no specification files (`*.yaml`) here",
            )]);
        }
        for file in &files {
            let text = match file.read() {
                Ok(text) => text,
                Err(diagnostic) => {
                    diagnostics.push(*diagnostic);
                    continue;
                }
            };
            digest.update(file.stem.as_bytes()).update(&[0]).update(text.as_bytes()).update(&[0]);
            let mut problems = Problems::default();
            let node = match parse(&text) {
                Ok(node) => node,
                Err(found) => {
                    diagnostics.extend(Diagnostic::of_file(&file.path, &text, found));
                    continue;
                }
            };
            if is_family(file) {
                families.extend(family(file, node, &mut problems).map(Arc::new));
            } else {
                match operator(file, &text, node, &families, &mut problems) {
                    Some(operator) if stated(&operator).next().is_some() => {
                        leaning.push((operator, &file.path, text.clone()));
                    }
                    other => operators.extend(other.map(Arc::new)),
                }
            }
            diagnostics.extend(Diagnostic::of_file(&file.path, &text, problems.into_sorted()));
        }
        // With errors elsewhere, what one leans on may be there and not be read.
        if diagnostics.is_empty() {
            let mut linked = Vec::with_capacity(leaning.len());
            for (mut operator, path, text) in leaning {
                let mut problems = Problems::default();
                match parse(&text) {
                    Ok(node) => {
                        link_equals(&mut operator, &operators, &mut Linker { node: &node, problems: &mut problems });
                        diagnostics.extend(Diagnostic::of_file(path, &text, problems.into_sorted()));
                    }
                    Err(found) => diagnostics.extend(Diagnostic::of_file(path, &text, found)),
                }
                linked.push(Arc::new(operator));
            }
            operators.append(&mut linked);
        }
        operators.sort_by(|one, other| one.id.cmp(&other.id));
        if diagnostics.is_empty() {
            Ok(Self { operators, digest: digest.finalize().to_hex().to_string() })
        } else {
            Err(diagnostics)
        }
    }
}

fn is_family(file: &SourceFile) -> bool {
    file.stem.rsplit('/').next() == Some("family")
}

fn family(file: &SourceFile, node: Node, problems: &mut Problems) -> Option<Family> {
    let original = node.clone();
    let decoded = FamilyFile::from_node(node, problems)?;
    let expected = format!("{}/family", decoded.family);
    if file.stem != expected {
        let message =
            format!("the family `{}` stands in `{}.yaml`, expected `{expected}.yaml`", decoded.family, file.stem);
        problems.add(original.locate(&["family"]), message);
    }
    let family = link_family(decoded, &original, problems);
    problems.is_empty().then_some(family)
}

fn operator(
    file: &SourceFile,
    text: &str,
    node: Node,
    families: &[Arc<Family>],
    problems: &mut Problems,
) -> Option<Operator> {
    let original = node.clone();
    let decoded = OperatorFile::from_node(node, problems)?;
    let name = decoded.operator.split('/').next().unwrap_or_default();
    let Some(family) = families.iter().find(|family| family.name == name) else {
        problems.push(
            Problem::at(original.locate(&["operator"]), format!("the family `{name}` is unknown")).with_help(format!(
                "a family is defined in `{name}/family.yaml`; if it is there, it has errors itself{}",
                did_you_mean(name, families.iter().map(|family| family.name.as_str()))
            )),
        );
        return None;
    };
    if file.stem != decoded.operator {
        let message = format!("the operator `{}` stands in `{}.yaml`", decoded.operator, file.stem);
        problems.add(original.locate(&["operator"]), message);
    }
    let operator = link_operator(decoded, family, text, &original, problems);
    operator.filter(|_| problems.is_empty())
}
