//! Generated cases: chosen from the specification data and from what implementations got wrong.
//!
//! Each operator has a plan (`one_hot.rs` and so on): groups of sketches, which are descriptors with data and no
//! expectation. `sketch.rs` works out what one covers, finds the least level by the validator and the values by the
//! operator's definition, and refuses a sketch that asks for what the definition leaves open, or observes what it does
//! not. What every operator needs alike is made from the specification: the cells of its support table (`support.rs`) and
//! the violations of its checks (`refusals.rs`).
//!
//! The files depend on nothing but this code and the specifications: no clock, no chance, no backend.

mod argmax;
mod factors;
mod layouts;
mod nonzero_coordinates;
mod one_hot;
mod openvino_one_hot_1;
mod paths;
mod refusals;
mod sketch;
mod support;
mod values;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use crate::case::{Case, write_complete};
use crate::spec::{Operator, Specs};
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

/// Why no files were generated: a plan that contradicts the validator or the definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{case}`: {reason}")]
pub struct GenerateError {
    /// The id of the case that could not be made.
    pub case: String,
    /// Why.
    pub reason: String,
}

/// Cases that probe one thing, in a file of their own.
struct Group {
    /// The file's name: `axes`.
    name: &'static str,
    /// What its cases have in common, for the head of the file.
    comment: &'static str,
    sketches: Vec<Sketch>,
}

/// What an operator's plan provides.
trait Plan: Sync {
    /// A plain case in which one tensor has a data type and a dimension count, and the others follow it. Used for the
    /// cells of the support table.
    fn plain(&self, cell: &support::Cell) -> Sketch;

    /// Valid cases whose descriptors are broken on purpose, plainest first.
    fn bases(&self) -> Vec<Sketch>;

    /// Everything else.
    fn groups(&self) -> Vec<Group>;
}

/// The plan of an operator, if it has one.
fn plan(operator: &Arc<Operator>) -> Option<Box<dyn Plan>> {
    let operator = Arc::clone(operator);
    match operator.id.as_str() {
        "directml/one_hot" => Some(Box::new(one_hot::OneHot { operator })),
        "directml/nonzero_coordinates" => Some(Box::new(nonzero_coordinates::NonzeroCoordinates { operator })),
        "directml/argmax" => Some(Box::new(argmax::ArgMax { operator })),
        "openvino/one_hot_1" => Some(Box::new(openvino_one_hot_1::OpenVinoOneHot1 { operator })),
        _ => None,
    }
}

/// All files, sorted by path. The same for the same specifications, always.
///
/// # Errors
///
/// Every case that could not be made.
pub fn generate(specs: &Specs) -> Result<Vec<GeneratedFile>, Vec<GenerateError>> {
    let planned: Vec<(&Arc<Operator>, Box<dyn Plan>)> =
        specs.operators.iter().filter_map(|operator| Some((operator, plan(operator)?))).collect();
    let mut jobs: Vec<Job<'_>> = Vec::new();
    for (operator, plan) in &planned {
        for tensor in operator.tensors.iter().filter(|_| !operator.support.is_empty()) {
            let name = format!("support_{}", tensor.name.trim_end_matches("Tensor").to_lowercase());
            let cases = support::cases(operator, &**plan, &tensor.name);
            jobs.push((operator, name.into(), support::COMMENT.into(), cases));
        }
        jobs.push((operator, "refusals".into(), refusals::COMMENT.into(), refusals::cases(operator, &**plan)));
        for group in plan.groups() {
            let cases = group.sketches.into_iter().map(|sketch| Step::Valid(Box::new(sketch))).collect();
            jobs.push((operator, group.name.into(), group.comment.into(), cases));
        }
    }
    let paths: Vec<_> = specs.operators.par_iter().map(|operator| (operator, paths::cases(operator))).collect();
    for (operator, paths::Cases { comment, made }) in paths {
        jobs.push((operator, "paths".into(), comment.into(), made));
    }
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

/// The cases of a file before they are complete.
type Work = Vec<Step>;

/// A file to be made: of which operator, its name, what its cases have in common, and these.
type Job<'a> = (&'a Arc<Operator>, Cow<'static, str>, Cow<'static, str>, Work);

/// A case that is to be made.
enum Step {
    /// A valid one.
    Valid(Box<Sketch>),
    /// A refused one: an edit of a valid one of the same file.
    Refused(refusals::Edit),
    /// One that is made already.
    Made(Box<Case>),
}

fn file(operator: &Arc<Operator>, name: &str, comment: &str, work: Work) -> Result<GeneratedFile, Vec<GenerateError>> {
    let mut cases: Vec<Case> = Vec::with_capacity(work.len());
    let mut errors = Vec::new();
    for step in work {
        let name_of_case = match &step {
            Step::Valid(sketch) => sketch.name().to_owned(),
            Step::Refused(edit) => edit.name.clone(),
            Step::Made(case) => case.name.clone(),
        };
        let case = match step {
            Step::Valid(sketch) => sketch.complete().map_err(|error| error.to_string()),
            Step::Refused(edit) => edit.complete(&cases),
            Step::Made(case) => Ok(*case),
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

/// Where counters of 16 bits and the grids of many devices end, and a size at which the same is easily looked at.
const LIMITS: [u64; 4] = [33, 65535, 65536, 65537];

/// Powers of two up to 2^17 with their neighbours, ascending.
fn sizes_around_powers_of_two() -> Vec<u64> {
    let around = (1..=17).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 1]);
    around.collect::<BTreeSet<u64>>().into_iter().collect()
}
