//! What happened, as it is written to the event log: a header, one event per case, a footer.

use std::collections::BTreeMap;

use opcert_backend::foreign::printable_line;
use opcert_backend::{ForeignText, Identity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::given::Given;
use super::why::Why;
use crate::plan::Shard;
use crate::spec::{Family, Operator};

/// One line of an event log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The first line.
    Header(Box<Header>),
    /// One case.
    Case(Box<CaseEvent>),
    /// The last line. A log without it was cut off.
    Footer(Footer),
}

/// What was run, on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the log's format.
    pub format: u32,
    /// The version of opcert.
    pub opcert: String,
    /// The BLAKE3 digest of all specifications.
    pub specs: String,
    /// The BLAKE3 digest of all case files that were read.
    pub cases: String,
    /// The backend and its claims.
    pub backend: Identity,
    /// The claims that are met as other operators, by mappings; all others it meets itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub through: BTreeMap<String, MappedClaim>,
    /// Whether the backend ran in a process of its own.
    pub isolated: bool,
    /// Whether outputs lay between guard zones.
    pub guards: bool,
    /// The format in which cases were carried to where they ran, and their results brought back, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<String>,
    /// Which part of a run this is, where others ran the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardOfRun>,
    /// Whether all of a suite was run that gives a verdict: the embedded one, or that of a family which is not embedded.
    pub complete: bool,
    /// Whether the suite is not the embedded one: the specifications and the cases have the digests above.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_suite: bool,
    /// The highest level that was run, where less was asked for than the backend claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The command that repeats one case: `{case}` stands for its id, `{test}` for its name as a test.
    pub repeat: String,
    /// How many case events follow.
    pub planned: usize,
    /// The families.
    pub families: Vec<FamilyInfo>,
    /// The operators.
    pub operators: Vec<OperatorInfo>,
}

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardOfRun {
    /// Which one of how many.
    pub shard: Shard,
    /// Whether all of them together are all of a suite that gives a verdict.
    pub complete: bool,
}

/// A claim of an operator that is run as another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MappedClaim {
    /// The other operator, which the backend claims itself.
    pub operator: String,
    /// The level at which that is dispatched.
    pub level: String,
    /// The BLAKE3 digest of the mapping.
    pub mapping: String,
}

/// What a report needs to know of a family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyInfo {
    /// The name.
    pub name: String,
    /// The name as people write it.
    pub title: String,
    /// The feature levels, lowest first.
    pub levels: Vec<String>,
    /// The spellings of the data types.
    pub types: Vec<String>,
}

/// What a report needs to know of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorInfo {
    /// The id.
    pub id: String,
    /// The family's name.
    pub family: String,
    /// The name in the documents.
    pub title: String,
    /// The first level that has it.
    pub introduced: String,
    /// The tensor whose data type and dimension count the events carry.
    pub subject: String,
    /// The addresses of the public pages among its documents, by the names that cases and requirements cite.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pages: BTreeMap<String, String>,
}

/// The most families of a log.
const MOST_NAMES: usize = 1 << 10;
/// The most levels that all operators of a log have together.
const MOST_ROWS: usize = 1 << 14;

impl Header {
    /// Whether it is of all of a suite that gives a verdict, or of a part of such a run.
    #[must_use]
    pub fn is_of_whole_suite(&self) -> bool {
        self.complete || self.shard.is_some_and(|part| part.complete)
    }

    /// What the backend claims, each with its level, in words.
    #[must_use]
    pub fn claims(&self) -> Vec<String> {
        claims(&self.backend.claims, &self.through)
    }

    /// The same in few words.
    #[must_use]
    pub fn claims_in_short(&self) -> Vec<String> {
        claims_in_short(&self.backend.claims, &self.through)
    }

    /// How the backend was run, in words.
    #[must_use]
    pub fn way(&self) -> String {
        match &self.carried {
            Some(format) => format!("elsewhere, carried as {format}"),
            None if self.isolated => "in a process of its own".to_owned(),
            None => "in process".to_owned(),
        }
    }

    /// What a reader has to know of the suite; nothing where all of the embedded one was run.
    #[must_use]
    pub fn suite_in_words(&self) -> Option<String> {
        if let Some(ShardOfRun { shard, .. }) = self.shard {
            return Some(format!("part {shard} of a run: this is no verdict; `opcert merge` puts all parts together"));
        }
        let families = self.families.iter().map(|family| printable_line(&family.name)).collect::<Vec<_>>().join(", ");
        match (self.complete, self.own_suite) {
            (true, false) => None,
            (true, true) => Some(format!("the suite of {families}, which is not part of opcert")),
            (false, _) => Some("not the embedded suite, or not all of it: this is no verdict".to_owned()),
        }
    }

    /// Whether every family and level that the header names is one that it lists.
    ///
    /// # Errors
    ///
    /// The first that is not, or that stands there twice.
    pub fn check_names(&self) -> Result<(), String> {
        let (families, operators) = (self.families.len(), self.operators.len());
        let levels = self.families.iter().map(|family| family.levels.len()).max().unwrap_or_default();
        // Reports have a row for each level of each operator.
        if families > MOST_NAMES || operators.saturating_mul(levels.max(1)) > MOST_ROWS {
            return Err(format!(
                "it lists {families} families and {operators} operators at up to {levels} levels, expected at most \
                 {MOST_NAMES} families, and {MOST_ROWS} levels of operators"
            ));
        }
        let family = |name: &str| self.families.iter().find(|family| family.name == name);
        for (at, FamilyInfo { name, .. }) in self.families.iter().enumerate() {
            if self.families.iter().take(at).any(|before| before.name == *name) {
                return Err(format!("the family `{name}` stands there twice"));
            }
        }
        for (at, OperatorInfo { id, family: name, introduced, .. }) in self.operators.iter().enumerate() {
            if self.operators.iter().take(at).any(|before| before.id == *id) {
                return Err(format!("the operator `{id}` stands there twice"));
            }
            let family = family(name).ok_or_else(|| format!("the family `{name}` of `{id}` is unknown"))?;
            if !family.levels.contains(introduced) {
                return Err(format!("the level `{introduced}` from which `{id}` exists is unknown"));
            }
        }
        // What is claimed of a family that has no specification counts for nothing.
        for (name, level) in &self.backend.claims {
            let of = name.split_once('/').map_or(name.as_str(), |(family, _)| family);
            if family(of).is_some_and(|family| !family.levels.contains(level)) {
                return Err(format!("the level `{level}` that is claimed of `{name}` is unknown"));
            }
        }
        for (name, MappedClaim { operator, .. }) in &self.through {
            if self.backend.claimed(name).is_none() {
                return Err(format!("`{name}` is said to be run as `{operator}`, and is not claimed"));
            }
            if self.through.contains_key(operator) || self.backend.claimed(operator).is_none() {
                return Err(format!(
                    "`{name}` is said to be run as `{operator}`, which the backend does not claim itself"
                ));
            }
        }
        let known = |level: &String| self.families.iter().any(|family| family.levels.contains(level));
        match &self.level {
            Some(level) if !known(level) => Err(format!("the level `{level}` that was run is unknown")),
            _ => Ok(()),
        }
    }
}

/// What a backend claims, each with its level and, where it is met as another operator, that one.
fn claims(claims: &BTreeMap<String, String>, through: &BTreeMap<String, MappedClaim>) -> Vec<String> {
    let claim = |(name, level): (&String, &String)| match through.get(name) {
        Some(MappedClaim { operator, level: other, .. }) => format!("{name} {level} as {operator} {other}"),
        None => format!("{name} {level}"),
    };
    claims.iter().map(claim).collect()
}

/// So many operators of one family are counted where they are claimed at one level.
const COUNTED: usize = 4;

/// What a backend claims: many operators of a family at one level are counted, and everything else is named, with its level and,
/// where it is met as another operator, that one.
#[must_use]
pub fn claims_in_short(claimed: &BTreeMap<String, String>, through: &BTreeMap<String, MappedClaim>) -> Vec<String> {
    let family = |name: &str| {
        let is_itself = !through.contains_key(name);
        name.split_once('/').filter(|_| is_itself).map(|(family, _)| family.to_owned())
    };
    let mut counts: BTreeMap<(String, &String), usize> = BTreeMap::new();
    for (name, level) in claimed {
        family(name).into_iter().for_each(|family| *counts.entry((family, level)).or_default() += 1);
    }
    counts.retain(|_, count| *count >= COUNTED);
    let is_counted = |name: &str, level| family(name).is_some_and(|family| counts.contains_key(&(family, level)));
    let named = claimed.iter().filter(|(name, level)| !is_counted(name, *level));
    let named = named.map(|(name, level)| (name.clone(), level.clone())).collect();
    let counted = counts.iter().map(|((family, level), count)| format!("{family} {level} ({count} operators)"));
    counted.chain(claims(&named, through)).collect()
}

impl From<&Family> for FamilyInfo {
    fn from(family: &Family) -> Self {
        Self {
            name: family.name.clone(),
            title: family.title.clone(),
            levels: family.levels.clone(),
            types: family.types.iter().map(|(spelling, _)| spelling.clone()).collect(),
        }
    }
}

impl From<&Operator> for OperatorInfo {
    fn from(operator: &Operator) -> Self {
        Self {
            id: operator.id.clone(),
            family: operator.family.name.clone(),
            title: operator.title.clone(),
            introduced: operator.family.level_name(operator.introduced).to_owned(),
            subject: operator.subject.clone(),
            pages: operator.pages().map(|(name, page)| (name.to_owned(), page.to_owned())).collect(),
        }
    }
}

/// What became of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseEvent {
    /// The case's id.
    pub case: String,
    /// The operator's id.
    pub operator: String,
    /// What the case is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Document and section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<(String, String)>,
    /// The least level at which the descriptor is valid, or the first at which it is refused.
    pub level: String,
    /// The last level at which it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_until: Option<String>,
    /// The weakest authority among the requirements that the case covers.
    pub authority: String,
    /// Whether a verdict depends on the case.
    pub gates: bool,
    /// Whether the case is of the large tier, which counts for no verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub large: bool,
    /// Whether a tensor has strides.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strided: bool,
    /// The data type of the operator's subject tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_type: Option<String>,
    /// The dimension count of the operator's subject tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    /// Ids of the requirements that are put to the test.
    pub covers: Vec<String>,
    /// What came out.
    pub outcome: Outcome,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ForeignText>,
    /// In a failure: the covered requirements that are derived, and why they hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<(String, String)>,
    /// In a failure: what the requirements say that the case covers or has to be refused for, by their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<(String, String)>,
    /// In a failure: what the backend was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Given>,
    /// Where outputs differ from what is expected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// What the backend answered to an open question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<Observation>,
    /// The known failure that the case was expected to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiver: Option<Waiver>,
}

impl CaseEvent {
    /// Whether a run is not all that it should be for want of an answer: what counts for a verdict is not supported, or
    /// nothing came back.
    #[must_use]
    pub fn lacks_its_answer(&self) -> bool {
        self.gates && self.outcome == Outcome::Unsupported || self.outcome == Outcome::Missing
    }

    /// What was observed of the case's own operator.
    pub fn answer(&self) -> impl Iterator<Item = &Observation> {
        self.observed.iter().filter(|each| each.another().is_none())
    }
}

/// A failure that is known, and why it is let pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// Why it fails.
    pub reason: ForeignText,
    /// Where that is tracked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<ForeignText>,
    /// What came out of the case, had it not been expected.
    pub outcome: Outcome,
}

/// How the reason of a known failure begins that nobody has explained yet.
pub const UNEXPLAINED: &str = "unexplained: ";

/// The most letters of a pattern over ids, of which none is so long: a glob takes far more memory than its text.
pub const LONGEST_PATTERN: usize = 1000;

/// What stands between the parts of what is said of an unexpected pass.
const PASSES: [&str; 3] = ["passes, and `", "` is known to come out as `", "`: "];

impl Waiver {
    /// What is said of a case that passes, although what matches `pattern` is known to come out otherwise.
    #[must_use]
    pub fn unexpected_pass(&self, pattern: &str, expected: Outcome) -> String {
        let [begin, middle, end] = PASSES;
        format!("{begin}{pattern}{middle}{expected}{end}{}", self.reason.raw())
    }

    /// The pattern and the outcome of which a text is [`Waiver::unexpected_pass`], where it is one of a case and of a
    /// failure.
    #[must_use]
    pub fn passed_unexpectedly<'a>(&self, said: &'a str, case: &str) -> Option<(&'a str, Outcome)> {
        let [begin, middle, end] = PASSES;
        let parts = said.strip_prefix(begin)?.strip_suffix(self.reason.raw())?.strip_suffix(end)?;
        let (pattern, outcome) = parts.rsplit_once(middle)?;
        let mut failures = Outcome::ALL.iter().filter(|known| known.is_bad() && **known != Outcome::UnexpectedPass);
        let outcome = *failures.find(|known| known.name() == outcome)?;
        let is_short = pattern.len() <= LONGEST_PATTERN;
        let matches = is_short && glob::Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(case));
        matches.then_some((pattern, outcome))
    }

    /// Whether somebody has said why it fails. Where nobody has, it is no surprise any more, and waives nothing.
    #[must_use]
    pub fn is_explained(&self) -> bool {
        let marks = UNEXPLAINED.trim_end_matches([':', ' ']);
        !self.reason.raw().trim_start().get(..marks.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(marks))
    }
}

/// How an output differs from what is expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The output.
    pub tensor: String,
    /// How many elements differ.
    pub differing: usize,
    /// Of how many that are defined.
    pub defined: usize,
    /// How many of the differing ones were never written.
    pub unwritten: usize,
    /// The coordinates of the first one that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Vec<u64>>,
    /// What is expected there, or the expected digest.
    pub expected: String,
    /// What was found there, or the digest that was found.
    pub actual: String,
    /// Why that is expected there; nothing where no place is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Both tensors, written out, if they are small.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendering: Option<Rendering>,
}

/// An expected and an actual tensor, written out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rendering {
    /// What is expected.
    pub expected: String,
    /// What was found.
    pub actual: String,
}

/// An output of an observed case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The output; `OUTPUT of OPERATOR` where it is that of another operator, which is to come to the same.
    pub tensor: String,
    /// Its elements, written out if they are few; `~` where nothing was written.
    pub value: String,
}

impl Observation {
    /// The name under which an output of another operator is recorded.
    pub(super) fn beside(operator: &str, output: &str) -> String {
        format!("{output}{OF}{operator}")
    }

    /// The other operator whose output it is, if it is one.
    #[must_use]
    pub fn another(&self) -> Option<&str> {
        self.tensor.split_once(OF).map(|(_, operator)| operator)
    }
}

/// Between an output and its operator. No name has spaces.
const OF: &str = " of ";

/// How many cases came out in which way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Footer {
    /// How many case events there are.
    pub cases: usize,
    /// How many of each outcome.
    pub outcomes: BTreeMap<Outcome, usize>,
}

macro_rules! outcomes {
    ($($(#[$meta:meta])* $variant:ident = $name:literal,)*) => {
        /// What came out of a case. Never merged.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Outcome { $($(#[$meta])* $variant,)* }

        impl Outcome {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name, as it stands in logs.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

outcomes! {
    /// As expected.
    Pass = "pass",
    /// The outputs differ from what is expected.
    Fail = "fail",
    /// A valid descriptor was refused.
    RefusedWrongly = "refused-wrongly",
    /// An invalid descriptor was accepted.
    AcceptedWrongly = "accepted-wrongly",
    /// An invalid descriptor was refused for a requirement that it does not break.
    WrongRequirement = "wrong-requirement",
    /// The backend reported an error.
    Error = "error",
    /// The backend panicked, or its process died.
    Crash = "crash",
    /// No answer came in time.
    Hang = "hang",
    /// Memory ran out.
    OutOfMemory = "out-of-memory",
    /// The device was lost.
    DeviceLost = "device-lost",
    /// Something was written outside the outputs.
    GuardViolation = "guard-violation",
    /// The same input gave different outputs.
    Nondeterministic = "nondeterministic",
    /// The backend's process did not follow the protocol.
    ProtocolError = "protocol-error",
    /// The backend says that it cannot do this.
    Unsupported = "unsupported",
    /// The backend does not claim this.
    NotRun = "not-run",
    /// The case was carried to where it should run, and nothing came back.
    Missing = "missing",
    /// It failed, as is known.
    ExpectedFailure = "expected-failure",
    /// It passed, and is known to fail.
    UnexpectedPass = "unexpected-pass",
    /// The documents leave it open; the answer was recorded.
    Observed = "observed",
}

impl Outcome {
    /// Whether the case ran to its end, in whatever way. One that did not has no answer, not even to an open question.
    #[must_use]
    pub const fn ran(self) -> bool {
        !matches!(self, Self::Unsupported | Self::NotRun | Self::Missing)
    }

    /// Whether something is wrong.
    #[must_use]
    pub const fn is_bad(self) -> bool {
        self.ran() && !matches!(self, Self::Pass | Self::Observed | Self::ExpectedFailure)
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name())
    }
}
