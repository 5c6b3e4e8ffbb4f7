//! What the documents leave open, and what backends answered: question by question, side by side, and beside what the
//! oracle would answer.
//!
//! Nothing is judged here. The oracle's answer is one that fits the requirements, where they leave several.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use opcert_backend::foreign::printable_line;
use opcert_backend::{ForeignText, Role};

use crate::case::Digest;
use crate::check::{CheckedCase, ValidCase};
use crate::judge::{CaseEvent, Observation, Outcome};
use crate::oracle;
use crate::render::{self, counted};
use crate::report::Log;
use crate::spec::{Authority, Requirement, Scope, Specs};

/// All questions, with the answers of some reports.
#[derive(Clone, Debug)]
pub struct Questionnaire {
    /// The questions that cases put, in the order of the specifications.
    pub questions: Vec<Question>,
    /// The requirements that leave something open which no case puts.
    pub unasked: Vec<String>,
    /// Who answered, in the order of the answers.
    pub respondents: Vec<String>,
}

/// What a requirement leaves open.
#[derive(Clone, Debug)]
pub struct Question {
    /// The requirement's id.
    pub requirement: String,
    /// `unspecified` or `undefined`.
    pub authority: &'static str,
    /// What the documents do not say.
    pub text: String,
    /// The cases that put the question.
    pub cases: Vec<Asked>,
}

/// A case that puts a question.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The case's id.
    pub case: String,
    /// What it is about.
    pub title: Option<String>,
    /// What the oracle would answer; nothing where data does not come into it.
    pub oracle: Option<Vec<Observation>>,
    /// The answer in each report; `None` where the case is not in it.
    pub answers: Vec<Option<Answer>>,
}

/// What a backend answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The answer, on one line.
    pub said: String,
    /// Whether it is the one that the oracle would give.
    pub agreement: Agreement,
}

/// Whether two answers are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The oracle would have answered this.
    AsTheOracle,
    /// The oracle would have answered something else.
    Otherwise,
    /// The backend did not answer, or the oracle has no answer.
    Incomparable,
}

impl Questionnaire {
    /// Gathers the answers of reports to the questions that cases put.
    #[must_use]
    pub fn new(specs: &Specs, cases: &[CheckedCase], reports: &[Log]) -> Self {
        let events: Vec<BTreeMap<&str, &CaseEvent>> =
            reports.iter().map(|log| log.cases.iter().map(|event| (event.case.as_str(), event)).collect()).collect();
        let (mut questions, mut unasked, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        let open = cases.iter().filter_map(open);
        let open: Vec<(&ValidCase, Asked)> = open.map(|case| (case, asked(case, &events))).collect();
        let requirements = specs.operators.iter().flat_map(|operator| operator.all_requirements());
        for requirement in requirements.filter(|each| is_open(each)) {
            if !seen.insert(&requirement.id) {
                continue;
            }
            let put = open.iter().filter(|(case, _)| case.about.covers.contains(&requirement.id));
            let cases: Vec<Asked> = put.map(|(_, asked)| asked.clone()).collect();
            if cases.is_empty() {
                // What no case can put is said to be untestable where it stands.
                if requirement.untestable.is_none() {
                    unasked.push(requirement.id.clone());
                }
                continue;
            }
            let (authority, text) = (requirement.authority.key(), requirement.text.clone());
            questions.push(Question { requirement: requirement.id.clone(), authority, text, cases });
        }
        Self { questions, unasked, respondents: reports.iter().map(respondent).collect() }
    }

    /// For a person: each question with its cases, and below each the answers.
    #[must_use]
    pub fn human(&self) -> String {
        let width = self.respondents.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("oracle".len());
        let mut text = String::new();
        for question in &self.questions {
            let Question { requirement, authority, text: asks, cases } = question;
            let _ = writeln!(text, "{requirement}  {authority}\n  {asks}");
            for asked in cases {
                let title = asked.title.as_ref().map(|title| format!("  {title}")).unwrap_or_default();
                let _ = writeln!(text, "\n  {}{title}", asked.case);
                if let Some(oracle) = &asked.oracle {
                    let _ = writeln!(text, "    {:<width$}  {}", "oracle", observed(oracle));
                }
                for (name, answer) in self.respondents.iter().zip(&asked.answers) {
                    let said = answer.as_ref().map_or("not in the report", |answer| answer.said.as_str());
                    let agreement = answer.as_ref().map_or("", |answer| answer.agreement.in_words());
                    let _ = writeln!(text, "    {name:<width$}  {said}{agreement}");
                }
            }
            text.push('\n');
        }
        if !self.unasked.is_empty() {
            let _ = writeln!(text, "No case puts {}.\n", self.unasked.join(", "));
        }
        self.respondents.iter().enumerate().for_each(|(index, name)| self.sum_up(&mut text, index, name));
        text
    }

    /// How often a respondent answered as the oracle would. A case that puts two questions counts once.
    fn sum_up(&self, text: &mut String, index: usize, name: &str) {
        let cases = self.questions.iter().flat_map(|question| &question.cases);
        let answers: BTreeMap<&str, Option<&Answer>> =
            cases.map(|asked| (asked.case.as_str(), asked.answers.get(index).and_then(Option::as_ref))).collect();
        let count = |wanted: Agreement| answers.values().flatten().filter(|answer| answer.agreement == wanted).count();
        let (same, other) = (count(Agreement::AsTheOracle), count(Agreement::Otherwise));
        let rest = answers.len() - same - other;
        let cases = counted(answers.len(), "case");
        let _ = writeln!(text, "{name}: {cases}: {same} as the oracle, {other} otherwise, {rest} not to be compared");
    }
}

impl Agreement {
    const fn in_words(self) -> &'static str {
        match self {
            Self::AsTheOracle => "  (as the oracle)",
            Self::Otherwise => "  (not as the oracle)",
            Self::Incomparable => "",
        }
    }
}

/// The case, if it puts a question instead of gating.
#[must_use]
pub fn open(case: &CheckedCase) -> Option<&ValidCase> {
    match case {
        CheckedCase::Valid(case) if !case.about.gates() => Some(case),
        _ => None,
    }
}

/// Whether a requirement puts a question. That some values are undefined is none: they are never looked at.
fn is_open(requirement: &Requirement) -> bool {
    let open = matches!(requirement.authority, Authority::Unspecified | Authority::Undefined);
    open && requirement.scope != Some(Scope::Value)
}

fn respondent(log: &Log) -> String {
    let backend = &log.header.backend;
    backend.to_string()
}

fn asked(case: &ValidCase, events: &[BTreeMap<&str, &CaseEvent>]) -> Asked {
    let oracle = oracle_answer(case);
    let answers = events.iter().map(|events| Some(answer(events.get(case.about.id.as_str())?, oracle.as_deref())));
    let answers = answers.collect();
    Asked { case: case.about.id.clone(), title: case.about.title.clone(), oracle, answers }
}

fn answer(event: &CaseEvent, oracle: Option<&[Observation]>) -> Answer {
    let values = (!event.observed.is_empty()).then(|| observed(&event.observed));
    let said: Vec<String> = event.reason.iter().map(ForeignText::to_string).chain(values).collect();
    let said = said.join("; ");
    if event.outcome != Outcome::Observed {
        let said = if said.is_empty() { event.outcome.to_string() } else { format!("{}: {said}", event.outcome) };
        return Answer { said, agreement: Agreement::Incomparable };
    }
    let agreement = match oracle {
        None => Agreement::Incomparable,
        Some(oracle) if event.observed == oracle => Agreement::AsTheOracle,
        Some(_) => Agreement::Otherwise,
    };
    Answer { said, agreement }
}

/// What would be recorded of a backend that answers as the oracle does. `None` where nothing is dispatched, where the
/// operator has no oracle, and where what is undefined of a tensor that is recorded by its digest is not its last part.
fn oracle_answer(case: &ValidCase) -> Option<Vec<Observation>> {
    if !case.is_dispatched() || case.about.large {
        return None;
    }
    let expected = oracle::expected(&case.descriptor, &case.inputs)?;
    let outputs = case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    let observations = outputs.map(|entry| {
        let (_, elements) = expected.iter().find(|(name, _)| *name == entry.name)?;
        let tensor = &entry.tensor;
        let count = elements.bytes.len() / tensor.data_type.bytes();
        let undefined = |index| (!elements.is_defined(index)).then_some(render::UNDEFINED);
        let value = if count <= render::LARGEST_SHOWN {
            render::tensor(&elements.bytes, tensor.data_type, &tensor.sizes, undefined)
        } else {
            Digest::of(elements, tensor.data_type)?.to_string()
        };
        Some(Observation { tensor: entry.name.clone(), value })
    });
    observations.collect()
}

fn observed(observations: &[Observation]) -> String {
    let values = observations.iter().map(|each| format!("`{}` = `{}`", each.tensor, printable_line(&each.value)));
    values.collect::<Vec<_>>().join(", ")
}
