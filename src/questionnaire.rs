//! What the documents leave open, and what backends answered: question by question, side by side.
//!
//! Nothing is judged here: no answer is better than another.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use opcert_backend::ForeignText;
use opcert_backend::foreign::printable_line;

use crate::check::{CheckedCase, ValidCase};
use crate::judge::{CaseEvent, Observation, Outcome};
use crate::report::Log;
use crate::spec::Specs;

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
    /// The answer in each report, on one line, or why there is none.
    pub answers: Vec<Result<String, String>>,
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
        for requirement in requirements.filter(|each| each.is_open()) {
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
        let width = self.respondents.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for question in &self.questions {
            let Question { requirement, authority, text: asks, cases } = question;
            let _ = writeln!(text, "{requirement}  {authority}\n  {asks}");
            for asked in cases {
                let title = asked.title.as_ref().map(|title| format!("  {title}")).unwrap_or_default();
                let _ = writeln!(text, "\n  {}{title}", asked.case);
                for (name, answer) in self.respondents.iter().zip(&asked.answers) {
                    let (Ok(said) | Err(said)) = answer;
                    let _ = writeln!(text, "    {name:<width$}  {said}");
                }
            }
            text.push('\n');
        }
        if !self.unasked.is_empty() {
            let _ = writeln!(text, "No case puts {}.\n", self.unasked.join(", "));
        }
        text
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

fn respondent(log: &Log) -> String {
    let backend = &log.header.backend;
    backend.to_string()
}

fn asked(case: &ValidCase, events: &[BTreeMap<&str, &CaseEvent>]) -> Asked {
    let id = &case.about.id;
    let answers = events.iter().map(|events| answer(events.get(id.as_str()).ok_or("not in the report")?));
    Asked { case: id.clone(), title: case.about.title.clone(), answers: answers.collect() }
}

/// What a backend answered, or why it did not.
fn answer(event: &CaseEvent) -> Result<String, String> {
    let values = (!event.observed.is_empty()).then(|| observed(event.answer()));
    let said: Vec<String> = event.reason.iter().map(ForeignText::to_string).chain(values).collect();
    let said = said.join("; ");
    let named = || if said.is_empty() { event.outcome.to_string() } else { format!("{}: {said}", event.outcome) };
    match event.outcome {
        outcome if !outcome.ran() => Err(format!("no answer, {}", named())),
        Outcome::Observed => Ok(said),
        _ => Ok(named()),
    }
}

fn observed<'a>(observations: impl Iterator<Item = &'a Observation>) -> String {
    let values = observations.map(|each| format!("`{}` = `{}`", each.tensor, printable_line(&each.value)));
    values.collect::<Vec<_>>().join(", ")
}
