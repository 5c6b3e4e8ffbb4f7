//! Generated cases: chosen from the specification data and from what implementations got wrong.
//!
//! Everything is made from the specification: the cells of an operator's support table (`support.rs`), the violations of its
//! checks (`refusals.rs`), each shape (`shapes.rs`), and values that mistakes confuse on every path that implementations
//! branch on (`paths.rs`).
//! `sketch.rs` works out what one covers, finds the least level by the validator and the values by the operator's
//! definition, and refuses a sketch that asks for what the definition leaves open.
//!
//! The files depend on nothing but this code and the specifications: no clock, no chance, no backend.

mod cover;
mod factors;
mod parts;
mod paths;
mod plain;
mod reach;
mod refusals;
mod shapes;
mod sketch;
mod support;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use crate::case::{Case, write_complete};
use crate::kind::Edit;
use crate::sample::Sampler;
use crate::spec::{Operator, Specs, Tensor};
use plain::Plain;
use sketch::Sketch;

/// The folder of generated files below that of an operator's cases.
pub const FOLDER: &str = "generated";

/// A file of generated cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Its path below `cases/`.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// How many cases it holds.
    pub cases: usize,
}

/// Why no files were generated: a sketch of a case that contradicts the validator or the definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{case}`: {reason}")]
pub struct GenerateError {
    /// The id of the case that could not be made.
    pub case: String,
    /// Why.
    pub reason: String,
}

/// All files, sorted by path. The same for the same specifications, always.
///
/// # Errors
///
/// Every case that could not be made.
pub fn generate(specs: &Specs) -> Result<Vec<GeneratedFile>, Vec<GenerateError>> {
    let samplers: Vec<(&Arc<Operator>, Sampler)> =
        specs.operators.par_iter().map(|operator| (operator, Sampler::new(operator))).collect();
    let jobs: Vec<Vec<Job<'_>>> = samplers.par_iter().map(|(operator, sampler)| jobs(operator, sampler)).collect();
    let jobs: Vec<Job<'_>> = jobs.into_iter().flatten().collect();
    let made: Vec<Result<GeneratedFile, Vec<GenerateError>>> =
        jobs.into_par_iter().map(|(operator, name, comment, work)| file(operator, &name, &comment, work)).collect();
    let mut files = Vec::new();
    let mut errors = Vec::new();
    for result in made {
        match result {
            Ok(file) => files.push(file),
            Err(found) => errors.extend(found),
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}

/// The files of an operator.
fn jobs<'a>(operator: &'a Arc<Operator>, sampler: &Sampler) -> Vec<Job<'a>> {
    let plain = Plain { operator, sampler };
    let mut jobs: Vec<Job<'_>> = Vec::new();
    // What the table says of a list it says of each tensor, and the first one shows it.
    let is_shown = |tensor: &&Tensor| tensor.list.as_ref().is_none_or(|place| place.at == 0);
    for tensor in operator.tensors.iter().filter(|_| !operator.support.is_empty()).filter(is_shown) {
        let name = format!("support_{}", crate::render::short(&tensor.name));
        jobs.push((operator, name.into(), support::COMMENT.into(), support::cases(&plain, &tensor.name)));
    }
    jobs.push((operator, "refusals".into(), refusals::COMMENT.into(), refusals::cases(&plain)));
    jobs.push((operator, "shapes".into(), shapes::COMMENT.into(), shapes::cases(&plain)));
    let paths::Cases { comment, made } = paths::cases(operator, sampler);
    jobs.push((operator, "paths".into(), comment.into(), made));
    jobs
}

/// The cases of a file before they are complete.
type Work = Vec<Step>;

/// A file to be made: of which operator, its name, what its cases have in common, and these.
type Job<'a> = (&'a Arc<Operator>, Cow<'static, str>, Cow<'static, str>, Work);

/// A case that is to be made.
enum Step {
    /// A valid one.
    Valid(Box<Sketch>),
    /// A refused one: an edit of a valid one of the same file.
    Refused(Edit),
    /// One that is made already.
    Made(Box<Case>),
    /// One that should be there, by its name, and that no sample gave.
    Lacking(String),
}

fn file(operator: &Arc<Operator>, name: &str, comment: &str, work: Work) -> Result<GeneratedFile, Vec<GenerateError>> {
    let mut cases: Vec<Case> = Vec::with_capacity(work.len());
    let mut errors = Vec::new();
    for step in work {
        let name_of_case = match &step {
            Step::Valid(sketch) => sketch.name().to_owned(),
            Step::Refused(edit) => edit.name.clone(),
            Step::Made(case) => case.name.clone(),
            Step::Lacking(name) => name.clone(),
        };
        let case = match step {
            Step::Valid(sketch) => sketch.complete().map_err(|error| error.to_string()),
            Step::Refused(edit) => refusals::complete(edit, &cases),
            Step::Made(case) => Ok(*case),
            Step::Lacking(_) => Err("no valid case like this was found".to_owned()),
        };
        let taken = cases.iter().any(|other| other.name == name_of_case);
        let case = if taken { Err("another case has this name".to_owned()) } else { case };
        match case {
            Ok(case) => cases.push(case),
            Err(reason) => {
                errors.push(GenerateError { case: format!("{}/{FOLDER}/{name}/{name_of_case}", operator.id), reason });
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let comment = format!("Made by `opcert generate`; changes belong there. {comment}");
    let path = PathBuf::from(&operator.id).join(FOLDER).join(format!("{name}.yaml"));
    Ok(GeneratedFile { path, text: write_complete(operator, &wrapped(&comment), &cases), cases: cases.len() })
}

/// Breaks a text into lines of up to 116 characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].len() + 1 + word.len() > 116 {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines.join("\n")
}
