//! What a case covers: the requirements that it puts to the test.
//!
//! It follows from the specification and is never taken from anybody's word. A case with values covers what the lines of
//! the definition cite by which its elements came about; each descriptor covers the checks that it stands at an end of
//! ([`super::tested`]); an observed case covers the questions that it puts. What a file says of it is a claim.

use opcert_backend::{Descriptor, Role};

use super::engine::violations;
use super::levels::AtLevels;
use super::tested::bearing;
use super::{CheckedCase, ValidCase};
use crate::case::{Case, CaseTensor, Expectation, ExpectedTensor};
use crate::definition::{Evaluation, Open};
use crate::diagnostic::Problem;
use crate::element;
use crate::kind::Bearing;
use crate::layout::coordinates;
use crate::spec::{Operator, Requirement, Scope};

/// A case with all that it covers in place of what its file claims of it.
///
/// A case of the large tier has too many elements to work anything out, and stands by its claim; so does one that the
/// validator has something against. A refused case covers what it breaks, in the words that its file chooses, and of what
/// that needs the part that no check can break and its descriptor shows; it may claim more of that kind.
///
/// # Errors
///
/// Every claim that is not so, and data of which the definition can make nothing.
pub fn completed(case: Case) -> Result<Case, Vec<Problem>> {
    worked_out(case, None).map(|(case, _)| case)
}

/// The case of [`completed`], and what its data comes to where that had to be worked out and is not known.
pub(crate) fn worked_out(
    mut case: Case,
    known: Option<Evaluation>,
) -> Result<(Case, Option<Evaluation>), Vec<Problem>> {
    if let Expectation::Refuses(broken) = &case.expectation {
        let descriptor = case.descriptor(case.refused_at.map_or(case.operator.introduced, |(first, _)| first));
        let shows = |claimed: &Requirement| {
            claimed.check.is_none() && bearing(claimed, &case.operator, &descriptor, true) == Some(Bearing::This)
        };
        let is_broken = |id: &str| {
            let claimed = case.operator.requirement(id);
            claimed.is_some_and(|claimed| broken.contains(&original(&case, claimed).id) || shows(claimed))
        };
        let problems = unfounded(&case, broken, is_broken);
        if !problems.is_empty() {
            return Err(problems);
        }
        let refused_for = broken.iter().filter_map(|id| case.operator.requirement(id));
        let needed = refused_for.flat_map(|requirement| &original(&case, requirement).needs);
        let shown = needed.filter(|id| case.operator.requirement(id).is_some_and(shows));
        let leant_on: Vec<String> = shown.filter(|id| !case.covers.contains(id)).cloned().collect();
        case.covers.extend(leant_on);
        return Ok((case, None));
    }
    let Some(Covered { covered, found }) = found(&case, known).map_err(|problem| vec![*problem])? else {
        return Ok((case, None));
    };
    // That there is no question at all says more than that a claim is wrong.
    if covered.is_empty() && matches!(case.expectation, Expectation::Observe) {
        return Ok((Case { covers: covered, ..case }, found));
    }
    let descriptor = case.descriptor(case.operator.family.highest());
    let dispatched = !matches!(case.expectation, Expectation::Accepts);
    let is_observed = matches!(case.expectation, Expectation::Observe);
    let is_compared = |id: &String| {
        let mut equals = case.operator.equals_of(&descriptor, case.operator.family.highest());
        is_observed && equals.any(|(equal, _)| equal.requirement == *id)
    };
    let holds = |claimed: &Requirement| {
        covered.contains(&claimed.id)
            || case.invariants.contains(&claimed.id)
            || is_compared(&claimed.id)
            || bearing(claimed, &case.operator, &descriptor, dispatched) == Some(Bearing::All)
    };
    let is_covered = |id: &str| {
        let claimed = case.operator.requirement(id);
        claimed.is_some_and(|claimed| holds(claimed) || holds(original(&case, claimed)))
    };
    let problems = unfounded(&case, &covered, is_covered);
    if !problems.is_empty() {
        return Err(problems);
    }
    case.covers = covered;
    Ok((case, found))
}

/// What is wrong with a case of a file that says of itself that its cases name all that they cover.
///
/// # Errors
///
/// What [`completed`] finds, and what the case covers and does not name.
pub fn compared(case: &Case) -> Result<(), Vec<Problem>> {
    let completed = completed(case.clone())?;
    let missing: Vec<&str> =
        completed.covers.iter().filter(|id| !case.covers.contains(id)).map(String::as_str).collect();
    let more: Vec<&str> = case.covers.iter().filter(|id| !completed.covers.contains(id)).map(String::as_str).collect();
    let message = match (missing.is_empty(), more.is_empty()) {
        (true, true) => return Ok(()),
        (false, _) => format!("the case also covers {}", missing.join(", ")),
        (true, false) => format!("{} are covered by every such case and not named", more.join(", ")),
    };
    let help = "in a file with `covers: complete` each case names all that it covers; without that key it need not";
    Err(vec![Problem::of_part(&case.name, &["covers"], message).with_help(help)])
}

/// Full ids of all that a valid case covers, those of its operator first; `None` where it cannot be worked out, because
/// the case is of the large tier, is not valid, or lacks data.
///
/// # Errors
///
/// Data of which the definition can make nothing.
pub fn covered(case: &Case) -> Result<Option<Vec<String>>, Box<Problem>> {
    Ok(found(case, None)?.map(|found| found.covered))
}

/// What a case covers.
struct Covered {
    /// Full ids of requirements.
    covered: Vec<String>,
    /// What the definition makes of the data, where that was asked.
    found: Option<Evaluation>,
}

fn found(case: &Case, known: Option<Evaluation>) -> Result<Option<Covered>, Box<Problem>> {
    let operator = &case.operator;
    let at_levels = AtLevels::of(operator, &case.descriptor(operator.introduced));
    let Some(least) = at_levels.least_valid().filter(|_| !case.large) else { return Ok(None) };
    let observed = match case.expectation {
        Expectation::Observe => true,
        Expectation::Values(_) | Expectation::Accepts => false,
        Expectation::Refuses(_) => return Ok(None),
    };
    let is_input = |tensor: &&CaseTensor| tensor.role == Role::Input;
    let has_data = case.tensors.iter().filter(is_input).all(|tensor| tensor.data.is_some());
    let level = case.level.unwrap_or(least.max(operator.introduced));
    let descriptor = case.descriptor(level);
    if observed {
        let open = violations(operator, &descriptor, level);
        let open: Vec<String> = open.into_iter().filter(|each| !each.gates).map(|each| each.requirement).collect();
        // The definition speaks of descriptors that break no requirement.
        if !open.is_empty() || !has_data {
            let covered = in_order(operator, |requirement| open.contains(&requirement.id));
            return Ok(Some(Covered { covered, found: None }));
        }
    }
    // What the documents leave open at every level from some level on is for the validator to say.
    let highest = operator.family.highest();
    if !observed && !violations(operator, &descriptor, highest).is_empty() {
        return Ok(None);
    }
    let dispatched = observed || matches!(case.expectation, Expectation::Values(_));
    if dispatched && !has_data {
        return Ok(None);
    }
    let found = match known {
        Some(known) => Some(known),
        None if dispatched => Some(evaluation(case, &descriptor)?),
        None => None,
    };
    if let Some(open) = found.as_ref().filter(|found| observed || leaves_open(operator, found)) {
        if let Some(problem) = contradicted(case, &descriptor, open) {
            return Err(Box::new(problem));
        }
        let questions = questions(operator, open);
        let covered = in_order(operator, |requirement| questions.contains(&requirement.id));
        return Ok(Some(Covered { covered, found }));
    }
    let by_lines: Vec<&str> = found.iter().flat_map(|found| came_by(operator, found)).collect();
    let ended = by_lines.iter().filter_map(|id| operator.requirement(id)).find(|cited| !cited.holds_at(level));
    if let Some(cited) = ended {
        let asked = operator.family.level_name(level);
        let message = format!("by the definition `{}` decides this case, which does not hold at {asked}", cited.id);
        return Err(Box::new(Problem::of_part(&case.name, &["level"], message)));
    }
    // A level that is stated is the least one: what begins above it is not put to the test.
    let from = case.level.unwrap_or(highest);
    let covered = in_order(operator, |requirement| {
        let by_descriptor = || bearing(requirement, operator, &descriptor, dispatched) == Some(Bearing::This);
        let gates = requirement.gates() && is_testable(requirement) && requirement.holds_at(from);
        by_lines.contains(&requirement.id.as_str()) || (gates && by_descriptor())
    });
    Ok(Some(Covered { covered, found }))
}

/// What a file says of an element that is not open, beside others that are: a backend is held to the definition there.
fn contradicted(case: &Case, descriptor: &Descriptor, found: &Evaluation) -> Option<Problem> {
    let Expectation::Values(stated) = &case.expectation else { return None };
    found.outputs.iter().find_map(|output| {
        let (_, stated) = stated.iter().find(|(name, _)| *name == output.name)?;
        let (ExpectedTensor::Elements(stated), tensor) = (stated, descriptor.tensor(&output.name)?) else {
            return None;
        };
        let element = |bytes: &[u8], at: usize| {
            let width = tensor.data_type.bytes();
            bytes.get(at * width..(at + 1) * width).map(|bytes| element::render(bytes, tensor.data_type))
        };
        let is_open = |at: usize| output.open_at(at).is_some();
        let differs = |&at: &usize| {
            stated.is_defined(at) && !is_open(at) && element(&stated.bytes, at) != element(&output.bytes, at)
        };
        let at = (0..output.decided.len()).find(differs)?;
        let message = format!(
            "`{}` at {:?} is {} here and {} by the definition, and other elements are open",
            output.name,
            coordinates(at, &tensor.sizes),
            element(&stated.bytes, at)?,
            element(&output.bytes, at)?
        );
        let help = "`expect: {observe: oracle}` compares what is not open with the definition, and records the rest";
        Some(Problem::of_part(&case.name, &["expect", &output.name], message).with_help(help))
    })
}

impl CheckedCase {
    /// Whether the case puts a requirement to the test: it covers it or has to be refused for it, in these words or those
    /// that it restates, judges its invariant, or is one of all the cases that put it to the test.
    #[must_use]
    pub fn tests(&self, requirement: &Requirement) -> bool {
        let about = self.about();
        let operator = &about.operator;
        let named = |id: &String| {
            operator
                .requirement(id)
                .is_some_and(|named| named.id == requirement.id || operator.original(named).id == requirement.id)
        };
        match self {
            Self::Refused(case) => about.covers.iter().chain(&case.requirements).any(named),
            Self::Valid(case) => {
                about.covers.iter().chain(case.invariants.iter().map(|(id, _)| id)).any(named)
                    || is_tested_by_all(case, requirement)
            }
        }
    }
}

/// Whether a requirement is one that all valid cases put to the test, this one like the others.
fn is_tested_by_all(case: &ValidCase, requirement: &Requirement) -> bool {
    let operator = &case.about.operator;
    // Of an observed case only the dispatching is judged.
    let judged = case.about.gates() || requirement.check.is_none();
    judged
        && requirement.gates()
        && is_testable(requirement)
        && requirement.holds_at(case.level)
        && bearing(requirement, operator, &case.descriptor, case.is_dispatched()) == Some(Bearing::All)
}

fn is_testable(requirement: &Requirement) -> bool {
    requirement.restates.is_none() && !requirement.definition && requirement.untestable.is_none()
}

/// Whether an element is unspecified, or undefined by a requirement that leaves everything undefined with it.
pub(crate) fn leaves_open(operator: &Operator, found: &Evaluation) -> bool {
    let everything = |requirement: &Requirement| requirement.scope == Some(Scope::Behaviour);
    // Elements that follow each other are mostly left open by one line.
    let mut before = None;
    deciding(found).any(|(open, line)| match open {
        Open::Undefined => before.replace(line) != Some(line) && operator.cited(line).any(everything),
        Open::Unspecified => true,
    })
}

/// Full ids of the open requirements by whose lines elements are left open, sorted.
pub(crate) fn questions(operator: &Operator, found: &Evaluation) -> Vec<String> {
    let mut lines: Vec<usize> = deciding(found).map(|(_, line)| line).collect();
    lines.sort_unstable();
    lines.dedup();
    let open = lines.into_iter().flat_map(|line| operator.cited(line)).filter(|requirement| requirement.is_open());
    let mut ids: Vec<String> = open.map(|requirement| requirement.id.clone()).collect();
    ids.sort();
    ids.dedup();
    ids
}

/// The elements without a value, and the line that left each of them so.
fn deciding(found: &Evaluation) -> impl Iterator<Item = (Open, usize)> {
    let each = |(open, &line): (&Option<Open>, &usize)| open.map(|open| (open, line));
    found.outputs.iter().flat_map(move |output| std::iter::zip(&output.open, &output.decided).filter_map(each))
}

/// The requirements cited by the lines that the elements came by. Each line is come by only where it is needed, so that
/// no line is passed over which would not have its say.
fn came_by<'a>(operator: &'a Operator, found: &Evaluation) -> impl Iterator<Item = &'a str> {
    let lines = found.passed.iter().enumerate().filter(|(_, passed)| **passed).map(|(line, _)| line);
    let lines: Vec<usize> = lines.collect();
    let cited = lines.into_iter().flat_map(|line| operator.cited(line));
    cited.filter(|requirement| !requirement.is_open()).map(|requirement| requirement.id.as_str())
}

/// The ids of the requirements that fit, those of the operator first.
fn in_order(operator: &Operator, fits: impl Fn(&Requirement) -> bool) -> Vec<String> {
    let all = operator.requirements.iter().chain(&operator.family.requirements);
    all.filter(|requirement| fits(requirement)).map(|requirement| requirement.id.clone()).collect()
}

fn evaluation(case: &Case, descriptor: &Descriptor) -> Result<Evaluation, Box<Problem>> {
    let inputs =
        case.tensors.iter().filter_map(|tensor| Some((tensor.name.as_str(), tensor.data.as_ref()?.elements())));
    let inputs: Vec<_> = inputs.collect();
    let inputs: Vec<(&str, &[u8])> = inputs.iter().map(|(name, elements)| (*name, elements.as_ref())).collect();
    case.operator.definition.evaluate(descriptor, &inputs).map_err(|fault| {
        if let Some((name, sizes)) = &fault.other_sizes {
            let message = format!("`{name}` comes out with the sizes {sizes:?}, which follow from the data");
            return Box::new(Problem::of_part(&case.name, &["tensors", name, "sizes"], message));
        }
        let message = format!("what this case covers cannot be worked out: {fault}");
        let problem = Problem::of_part(&case.name, &["tensors"], message);
        Box::new(problem.with_help("a case of `tier: large` stands by what it claims"))
    })
}

fn original<'a>(case: &'a Case, requirement: &'a Requirement) -> &'a Requirement {
    case.operator.original(requirement)
}

/// The claims of a case that are not so.
fn unfounded(case: &Case, covered: &[String], is_so: impl Fn(&str) -> bool) -> Vec<Problem> {
    let claims = case.covers.iter().enumerate().filter(|(_, id)| !is_so(id));
    let problem = |(index, id): (usize, &String)| {
        let help = match covered {
            [] => "it covers nothing that others do not".to_owned(),
            covered => format!("it covers {}", covered.join(", ")),
        };
        let message = format!("the case does not put `{id}` to the test");
        Problem::of_part(&case.name, &["covers", &index.to_string()], message).with_help(help)
    };
    claims.map(problem).collect()
}
