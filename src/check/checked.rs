//! Cases that say of themselves what the validator says of them.

use std::path::PathBuf;
use std::sync::Arc;

use opcert_backend::{Descriptor, Role, TensorDescriptor};

use super::engine::{Violation, violations};
use super::levels::{AtLevels, breakpoints, broken_ids};
use crate::case::{Case, CaseTensor, Data, Expectation};
use crate::diagnostic::Problem;
use crate::kind::{Overlap, implied_bytes, overlap};
use crate::layout::{conflict, coordinates};
use crate::spec::{Authority, Invariant, Kind, Level, Operator, Requirement, Scope};

/// A case that has been through the validator.
#[derive(Clone, Debug)]
pub enum CheckedCase {
    /// The descriptor is valid from a level on.
    Valid(ValidCase),
    /// The descriptor is invalid. It reaches a backend's `compile`, and never its `dispatch`.
    Refused(RefusedCase),
}

/// What reports say of a case, whatever it expects.
#[derive(Clone, Debug)]
pub struct About {
    /// The case's id.
    pub id: String,
    /// The file that holds it.
    pub file: Arc<PathBuf>,
    /// The operator.
    pub operator: Arc<Operator>,
    /// What the case is about.
    pub title: Option<String>,
    /// Document and section.
    pub source: Option<Box<(String, String)>>,
    /// Full ids of the requirements that are put to the test.
    pub covers: Vec<String>,
    /// The weakest authority among them. The case gates if that is stated or derived.
    pub authority: Authority,
    /// Whether all tensors are packed.
    pub layout: Layout,
    /// Whether the case runs only when asked for.
    pub large: bool,
}

impl About {
    /// The last part of the id.
    #[must_use]
    pub fn name(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or_default()
    }

    /// A number that follows from the id, for what cases take turns at.
    #[must_use]
    pub fn turn(&self) -> usize {
        self.id.bytes().map(usize::from).sum()
    }

    /// Whether a verdict depends on the case.
    #[must_use]
    pub fn gates(&self) -> bool {
        matches!(self.authority, Authority::Stated | Authority::Derived)
    }
}

/// How the tensors of a case lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    /// Row-major without gaps, all of them.
    Packed,
    /// At least one has strides that say otherwise.
    Strided,
}

/// A case whose descriptor is valid.
#[derive(Clone, Debug)]
pub struct ValidCase {
    /// What reports say of it.
    pub about: About,
    /// The least level at which it is valid and means what it expects.
    pub level: Level,
    /// The last level at which it does.
    pub last: Level,
    /// The descriptor, with the size of every tensor's memory filled in.
    pub descriptor: Descriptor,
    /// Whether the operator is dispatched; otherwise the descriptor is compiled and no more.
    pub dispatched: bool,
    /// The inputs; none where nothing is dispatched, or where the operator has none.
    pub inputs: Vec<InputData>,
    /// What is expected.
    pub expectation: Expectation,
    /// What holds whatever the answer, in an observed case: the requirement and its invariants.
    pub invariants: Vec<(String, Vec<Invariant>)>,
}

impl RefusedCase {
    /// What is wrong, in words, at the first level.
    #[must_use]
    pub fn violations(&self) -> Vec<Violation> {
        let mut found = violations(&self.about.operator, &self.descriptor, self.first);
        found.retain(|each| each.gates);
        found
    }

    /// Whether a requirement, or what it restates, is among those that the descriptor breaks.
    #[must_use]
    pub fn is_refused_for(&self, id: &str) -> bool {
        let operator = &self.about.operator;
        let original = operator.requirement(id).map(|requirement| &operator.original(requirement).id);
        original.is_some_and(|original| self.requirements.contains(original))
    }
}

impl ValidCase {
    /// Whether the operator is dispatched; otherwise the descriptor is compiled and no more.
    #[must_use]
    pub const fn is_dispatched(&self) -> bool {
        self.dispatched
    }
}

/// The data of an input.
#[derive(Clone, Debug)]
pub struct InputData {
    /// The tensor's name.
    pub name: String,
    /// The elements, or a formula for them.
    pub data: Data,
}

/// A case whose descriptor is invalid.
#[derive(Clone, Debug)]
pub struct RefusedCase {
    /// What reports say of it.
    pub about: About,
    /// The first level at which it is refused in just this way.
    pub first: Level,
    /// The last such level.
    pub last: Level,
    /// The descriptor; its level is to be set.
    pub descriptor: Descriptor,
    /// Full ids of the broken requirements, sorted.
    pub requirements: Vec<String>,
}

/// The memory of a tensor that is dispatched in the default tier: what any machine has to spare.
const MOST_BYTES: u64 = 1 << 30;
/// The same in the large tier.
const MOST_BYTES_LARGE: u64 = 1 << 36;

impl CheckedCase {
    /// Asks the validator about a case, at every level, and compares. What it covers is taken as it stands there; see
    /// [`completed`](super::completed).
    ///
    /// # Errors
    ///
    /// The requirements that a case breaks which should be valid; every difference between what it says of its levels
    /// or its refusal and what is so; data that is missing or cannot be laid out.
    pub fn of(case: Case) -> Result<Self, Vec<Problem>> {
        let level = case.level.unwrap_or(case.operator.introduced);
        let descriptor = case.descriptor(level);
        let at_levels = AtLevels::of(&case.operator, &descriptor);
        if let Expectation::Refuses(ids) = &case.expectation {
            let ids = ids.clone();
            return refused(case, descriptor, &at_levels, ids).map(Self::Refused);
        }
        valid(case, &at_levels).map(Self::Valid)
    }

    /// The descriptor; the level of one that is invalid is to be set.
    #[must_use]
    pub const fn descriptor(&self) -> &Descriptor {
        match self {
            Self::Valid(case) => &case.descriptor,
            Self::Refused(case) => &case.descriptor,
        }
    }

    /// The family's spelling of the subject tensor's data type, and its dimension count.
    #[must_use]
    pub fn subject(&self) -> Option<(&str, usize)> {
        let operator = &self.about().operator;
        let tensor = self.descriptor().tensor(&operator.subject)?;
        Some((operator.family.spelling(tensor.data_type), tensor.dimension_count()))
    }

    /// What reports say of the case.
    #[must_use]
    pub fn about(&self) -> &About {
        match self {
            Self::Valid(case) => &case.about,
            Self::Refused(case) => &case.about,
        }
    }
}

fn refused(
    case: Case,
    descriptor: Descriptor,
    at_levels: &AtLevels,
    requirements: Vec<String>,
) -> Result<RefusedCase, Vec<Problem>> {
    let family = Arc::clone(&case.operator.family);
    let anchor = case.refused_at.map(|(first, _)| first).or(case.level).unwrap_or(case.operator.introduced);
    let found = broken_ids(at_levels.at(anchor));
    let problem = |path: &[&str], message: String| Problem::of_part(&case.name, path, message);
    if found.is_empty() {
        let message = format!("the descriptor is valid at {}, expected a refusal", family.level_name(anchor));
        return Err(vec![problem(&["expect"], message)]);
    }
    if found != requirements {
        let violations = at_levels.at(anchor).iter().filter(|each| each.gates);
        let reasons = violations.map(|each| format!("{} [{}]", each.message, each.requirement));
        let message = format!(
            "at {} the descriptor is refused for {}, expected {}",
            family.level_name(anchor),
            found.join(", "),
            requirements.join(", ")
        );
        let help = reasons.collect::<Vec<_>>().join("; ");
        return Err(vec![problem(&["expect", "refuses"], message).with_help(help)]);
    }
    let (first, last) = at_levels.interval_around(anchor, &requirements).unwrap_or((anchor, anchor));
    if case.refused_at.is_some_and(|stated| stated != (first, last)) {
        let message = format!(
            "the descriptor is refused in just this way from {} to {}",
            family.level_name(first),
            family.level_name(last)
        );
        return Err(vec![problem(&["refused_at"], message)]);
    }
    Ok(RefusedCase { about: about(case, &requirements), first, last, descriptor, requirements })
}

fn valid(mut case: Case, at_levels: &AtLevels) -> Result<ValidCase, Vec<Problem>> {
    let family = Arc::clone(&case.operator.family);
    let unknown: Vec<Problem> = case
        .tensors
        .iter()
        .filter(|tensor| tensor.constant && tensor.data.is_none())
        .map(|tensor| {
            let message = format!("`{}` has no data, and its value is part of the descriptor", tensor.name);
            Problem::of_part(&case.name, &["tensors", &tensor.name], message).with_help("`data` gives it")
        })
        .collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let broken: Vec<Problem> = problems_of(&case, at_levels.at(family.highest()), true);
    if !broken.is_empty() {
        return Err(broken);
    }
    let since = case.covers.iter().filter_map(|id| case.operator.requirement(id)?.since).max();
    let least = at_levels.least_valid().unwrap_or(case.operator.introduced).max(since.unwrap_or(Level(0)));
    let observed = matches!(case.expectation, Expectation::Observe);
    // What is open may be another thing at each level at which something changes, and is asked where it is open.
    let asked = case.level.filter(|stated| observed && *stated > least && breakpoints(&case.operator).contains(stated));
    let least = asked.unwrap_or(least);
    if let Some(stated) = case.level
        && stated != least
    {
        let mut problems = problems_of(&case, at_levels.at(stated), true);
        let (stated, least) = (family.level_name(stated), family.level_name(least));
        let message = format!("the least level at which this is valid is {least}, and the case says {stated}");
        problems.insert(0, Problem::of_part(&case.name, &["level"], message));
        return Err(problems);
    }
    let last = last_level(&case);
    if observed && case.covers.iter().filter_map(|id| case.operator.requirement(id)).all(Requirement::gates) {
        let message = "an observed case covers a requirement that the documents leave open, and this one does not";
        return Err(vec![Problem::of_part(&case.name, &["expect"], message)]);
    }
    let mut problems = if observed { Vec::new() } else { problems_of(&case, at_levels.at(least), false) };
    let mut descriptor = case.descriptor(least);
    let dispatched = is_dispatched(&case);
    let most = if case.large { MOST_BYTES_LARGE } else { MOST_BYTES };
    for (index, entry) in descriptor.tensors.iter_mut().enumerate() {
        let implied = implied_bytes(&entry.tensor, family.granularity);
        let stated = entry.tensor.total_bytes;
        match stated.or(implied) {
            Some(bytes) if bytes > most && dispatched => {
                let message = format!("`{}` takes {bytes} bytes, and a case of this tier may take {most}", entry.name);
                problems.push(
                    Problem::of_part(&case.name, &["tensors", &entry.name], message)
                        .with_help("`tier: large` is for large tensors; `expect: accepts` needs no memory"),
                );
            }
            Some(bytes) => entry.tensor.total_bytes = Some(bytes),
            None => {
                let message = format!("`{}` has no size in memory that fits 64 bits", case.tensors[index].name);
                problems.push(Problem::of_part(&case.name, &["tensors", &entry.name], message));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let inputs = inputs(&mut case, &descriptor, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    // What operators come to the same is asked in each such case, whether or not its file says so.
    let equals = case.operator.equals_of(&descriptor, least).filter(|_| observed && dispatched);
    let of_others: Vec<&String> = equals.map(|(equal, _)| &equal.requirement).collect();
    let is_said_in_vain =
        |id: &&String| case.operator.equals.iter().any(|equal| equal.requirement == **id) && !of_others.contains(id);
    if let Some(at) = case.invariants.iter().position(|id| is_said_in_vain(&id)) {
        let message = format!("`{}` says nothing of this descriptor", case.invariants[at]);
        return Err(vec![Problem::of_part(&case.name, &["invariants", &at.to_string()], message)]);
    }
    let more = of_others.into_iter().filter(|id| !case.invariants.contains(id));
    let invariants = (case.invariants.iter().chain(more))
        .filter_map(|id| Some((id.clone(), case.operator.requirement(id)?.invariants.clone())))
        .collect();
    let expectation = case.expectation.clone();
    let about = about(case, &[]);
    Ok(ValidCase { about, level: least, last, descriptor, dispatched, inputs, expectation, invariants })
}

/// The last level at which a case means what it expects: behind it ends what a line of the definition says that it came by.
fn last_level(case: &Case) -> Level {
    let covered = case.covers.iter().filter_map(|id| case.operator.requirement(id));
    let ends = covered.filter(|requirement| requirement.check.is_none()).filter_map(|requirement| requirement.until);
    ends.min().unwrap_or(case.operator.family.highest())
}

/// The violations as problems of the case: those that make the descriptor invalid, or those of open questions.
fn problems_of(case: &Case, violations: &[Violation], gating: bool) -> Vec<Problem> {
    let chosen = violations.iter().filter(|each| each.gates == gating);
    chosen
        .map(|each| {
            let path: Vec<&str> = each.part.iter().map(String::as_str).collect();
            let mut problem = Problem::of_part(&case.name, &path, each.message.clone());
            problem.requirement = Some(each.requirement.clone());
            if !gating {
                problem.help =
                    Some("the documents leave open whether this is valid: `expect: {observe: oracle}`".into());
            }
            problem
        })
        .collect()
}

/// A case is dispatched if it expects values, or has data and does not merely expect to be accepted.
fn is_dispatched(case: &Case) -> bool {
    let takes_data = |tensor: &CaseTensor| tensor.role == Role::Input && !tensor.constant;
    let given = |tensor: &CaseTensor| takes_data(tensor) && tensor.data.is_some();
    match case.expectation {
        Expectation::Values(_) => true,
        // Where there is nothing to give, what is asked says whether an answer has elements.
        Expectation::Observe if !case.tensors.iter().any(takes_data) => {
            let asked = case.covers.iter().filter_map(|id| case.operator.requirement(id));
            asked.filter(|requirement| requirement.is_open()).any(|open| open.kind != Kind::Descriptor)
        }
        Expectation::Observe => case.tensors.iter().any(given),
        Expectation::Accepts | Expectation::Refuses(_) => false,
    }
}

fn inputs(case: &mut Case, descriptor: &Descriptor, problems: &mut Vec<Problem>) -> Vec<InputData> {
    if !is_dispatched(case) {
        return Vec::new();
    }
    let mut inputs = Vec::new();
    for tensor in case.tensors.iter_mut().filter(|tensor| tensor.role == Role::Input) {
        let name = tensor.name.clone();
        let Some(data) = tensor.data.take() else {
            let message = format!("the input `{name}` has no data");
            problems.push(
                Problem::of_part(&case.name, &["tensors", &name], message)
                    .with_help("`expect: accepts` asks for no more than a valid descriptor"),
            );
            continue;
        };
        if let Some(message) = descriptor.tensor(&name).and_then(|tensor| disagreement(&name, tensor, &data)) {
            problems.push(Problem::of_part(&case.name, &["tensors", &name, "data"], message));
        }
        inputs.push(InputData { name, data });
    }
    inputs
}

/// How elements that share memory, as a stride of 0 makes them, differ.
fn disagreement(name: &str, tensor: &TensorDescriptor, data: &Data) -> Option<String> {
    // Only where two of them may share memory each has to be looked at.
    if tensor.is_packed() || overlap(tensor) == Overlap::None {
        return None;
    }
    let conflict = conflict(tensor, &data.elements())?;
    let place = |index| format!("{:?}", coordinates(index, &tensor.sizes));
    let (first, second) = (place(conflict.first), place(conflict.second));
    Some(format!("`{name}` repeats memory by its strides, and its elements at {first} and {second} differ"))
}

fn about(mut case: Case, refuses: &[String]) -> About {
    let operator = case.operator;
    let covered = case.covers.iter().chain(refuses).filter_map(|id| operator.requirement(id));
    let shown = |requirement: &&Requirement| !is_shown_by(requirement, case.source.as_ref());
    // Without a word on what it rests on, a case is not taken for one that the documents alone decide.
    let unsaid = if case.covers.is_empty() && refuses.is_empty() { Authority::Derived } else { Authority::Stated };
    let authority = covered.filter(shown).map(authority).fold(unsaid, Authority::max);
    let packed = case.tensors.iter().all(|tensor| tensor.descriptor.is_packed());
    // There are many of them.
    case.covers.shrink_to_fit();
    About {
        id: case.id,
        file: case.file,
        title: case.title,
        source: case.source.map(Box::new),
        covers: case.covers,
        authority,
        layout: if packed { Layout::Packed } else { Layout::Strided },
        large: case.large,
        operator,
    }
}

/// Whether a requirement is a conclusion from the very example that a case is: what the document prints there is stated,
/// whatever follows from it for others.
fn is_shown_by(requirement: &Requirement, source: Option<&(String, String)>) -> bool {
    let is_this = |(document, section): &(String, String)| {
        source.is_some_and(|(of, at)| {
            of == document
                && at
                    .strip_prefix(section.as_str())
                    .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
        })
    };
    requirement.by_example && requirement.sources.iter().any(is_this)
}

/// The authority that a requirement lends to a case. Undefined values are never compared, and so weaken nothing.
fn authority(requirement: &Requirement) -> Authority {
    if requirement.scope == Some(Scope::Value) { Authority::Stated } else { requirement.authority }
}
