//! What the documents leave open, and what each backend answered: side by side, and not judged.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::query::query;
use super::{breakable, named};
use crate::judge::{CaseEvent, Outcome};
use crate::render::counted;
use crate::report::appearance::of_outcome;
use crate::report::comparison::Comparison;
use opcert_backend::ForeignText;
use opcert_backend::foreign::{printable, printable_line};

/// A case that was observed on some backend, with what became of it on each: its answer, or why there is none.
struct Question<'a> {
    event: &'a CaseEvent,
    answers: Vec<Result<ShownAnswer, &'static str>>,
}

/// What a backend answered.
#[derive(Clone)]
enum ShownAnswer {
    /// Output and value, and what is remarkable about them.
    Values(Vec<(String, String)>, Option<ForeignText>),
    /// It refused, or said something else: what kind of answer that is, and the words.
    Said(String, ForeignText),
    /// It went wrong.
    Wrong(Outcome),
}

pub(super) fn section(comparison: &Comparison<'_>) -> Markup {
    let questions = questions(comparison);
    let differing = questions.iter().filter(|question| question.differs()).count();
    let compared = questions.iter().filter(|question| question.answers.iter().flatten().count() > 1).count();
    html! {
        section id="questions" aria-labelledby="questions-title" {
            h2 id="questions-title" tabindex="-1" { "Open questions" }
            p class="lead" {
                "The documents are silent here, or contradict themselves. Each answer is recorded and none is judged."
                @if comparison.backends.len() > 1 {
                    " Answers differ in " (differing) " of " (counted(compared, "question")) " that at least two \
                     backends answered; letters tell the answers of a row apart: A is given most often, and comes first \
                     among those that are given as often."
                }
            }
            @if questions.is_empty() {
                p { "No case asked an open question." }
            } @else {
                @if comparison.backends.len() > 1 && differing > 0 {
                    label class="switch" { input type="checkbox" id="only-differing"; span { "Only where answers differ" } }
                }
                (table(comparison, &questions))
            }
        }
    }
}

fn table(comparison: &Comparison<'_>, questions: &[Question<'_>]) -> Markup {
    let columns = comparison.backends.len() + 1;
    html! {
        div class="scroll tall" role="region" aria-label="Answers to open questions, per backend" tabindex="0" {
            table class="questions" {
                caption class="unseen" { "Answers to open questions, per case and backend" }
                thead {
                    tr {
                        th scope="col" { "Requirement and case" }
                        @for backend in &comparison.backends { th scope="col" { (named(backend)) } }
                    }
                }
                @for group in questions.chunk_by(|one, other| one.requirement() == other.requirement()) {
                    @let requirement = group.first().map_or("", |question| question.requirement());
                    tbody class=[(!group.iter().any(Question::differs)).then_some("agreed")] {
                        tr class="group" {
                            th scope="rowgroup" colspan=(columns) { span { code { (printable_line(requirement)) } } }
                        }
                        @for question in group { (row(question, comparison)) }
                    }
                }
            }
        }
    }
}

fn row(question: &Question<'_>, comparison: &Comparison<'_>) -> Markup {
    let letters = question.letters();
    html! {
        tr class=[(!question.differs()).then_some("agreed")] {
            th scope="row" {
                a href={ "#case?" (query(&[("id", &question.event.case)])) } {
                    (breakable(&question.event.case))
                }
                @if let Some(title) = &question.event.title { small { (printable_line(title)) } }
            }
            @for ((answer, letter), backend) in question.answers.iter().zip(&letters).zip(&comparison.backends) {
                // Where there is no room for columns, an answer stands below the name that the column has.
                td class=[letter.filter(|letter| *letter != 'A').map(|_| "other")] data-backend=(backend.label) {
                    @if let Some(letter) = letter { span class="letter" { span class="unseen" { "answer " } (letter) } }
                    @match answer {
                        Err(why) => { span class="quiet" { (why) } }
                        Ok(ShownAnswer::Wrong(outcome)) => {
                            @let look = of_outcome(*outcome);
                            span class={ "chip " (look.class) } { span aria-hidden="true" { (look.sign) } " " (outcome) }
                        }
                        Ok(ShownAnswer::Said(_, reason)) => { span class="said" { (reason) } }
                        Ok(ShownAnswer::Values(values, remark)) => {
                            @if let Some(remark) = remark { small { (remark) } }
                            @for (tensor, value) in values {
                                div class="answer" {
                                    @if values.len() > 1 { small { (printable_line(tensor)) } }
                                    pre { (printable(value)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Two refusals are the same answer, in whatever words.
impl PartialEq for ShownAnswer {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Values(one, _), Self::Values(other, _)) => one == other,
            (Self::Said(one, _), Self::Said(other, _)) => one == other,
            (Self::Wrong(one), Self::Wrong(other)) => one == other,
            _ => false,
        }
    }
}

impl Question<'_> {
    /// The open requirement that the case asks about: the first that it covers.
    fn requirement(&self) -> &str {
        self.event.covers.first().map_or(self.event.operator.as_str(), String::as_str)
    }

    fn differs(&self) -> bool {
        let mut given = self.answers.iter().flatten();
        let first = given.next();
        given.any(|answer| Some(answer) != first)
    }

    /// A letter per answer where they differ, by how many give it, then by who comes first.
    fn letters(&self) -> Vec<Option<char>> {
        if !self.differs() {
            return vec![None; self.answers.len()];
        }
        let mut counts: Vec<(&ShownAnswer, usize)> = Vec::new();
        for answer in self.answers.iter().flatten() {
            match counts.iter_mut().find(|(known, _)| *known == answer) {
                Some((_, count)) => *count += 1,
                None => counts.push((answer, 1)),
            }
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let letter = |answer: &ShownAnswer| {
            let place = counts.iter().position(|(known, _)| *known == answer)?;
            Some(('A'..='Z').nth(place).unwrap_or('Z'))
        };
        self.answers.iter().map(|answer| answer.as_ref().ok().and_then(letter)).collect()
    }
}

/// The cases that some backend's log calls observed, in the order of the logs, by requirement.
fn questions<'a>(comparison: &Comparison<'a>) -> Vec<Question<'a>> {
    let mut asked: Vec<&'a CaseEvent> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for backend in &comparison.backends {
        for event in backend.log.cases.iter().filter(|event| event.outcome == Outcome::Observed) {
            places.entry(&event.case).or_insert_with(|| {
                asked.push(event);
                asked.len() - 1
            });
        }
    }
    let nowhere: Vec<Result<ShownAnswer, &'static str>> = vec![Err("not in the log"); comparison.backends.len()];
    let mut questions: Vec<Question<'a>> =
        asked.iter().map(|event| Question { event, answers: nowhere.clone() }).collect();
    for (column, backend) in comparison.backends.iter().enumerate() {
        for event in &backend.log.cases {
            if let Some(question) = places.get(event.case.as_str()).and_then(|&place| questions.get_mut(place)) {
                question.answers[column] = answer(event);
            }
        }
    }
    // Requirements in the order in which they are first asked about.
    let mut order: Vec<String> = Vec::new();
    for question in &questions {
        if !order.iter().any(|known| known == question.requirement()) {
            order.push(question.requirement().to_owned());
        }
    }
    questions.sort_by_key(|question| order.iter().position(|known| known == question.requirement()));
    questions
}

/// What a backend answered, or why it did not.
fn answer(event: &CaseEvent) -> Result<ShownAnswer, &'static str> {
    match (event.outcome, &event.reason) {
        (outcome, _) if !outcome.ran() => Err(outcome.name()),
        (Outcome::Observed, Some(reason)) if event.observed.is_empty() => {
            let kind = reason.raw().split_once(": ").map_or(reason.raw(), |(kind, _)| kind);
            Ok(ShownAnswer::Said(kind.to_owned(), reason.clone()))
        }
        (Outcome::Observed, remark) => {
            let values = event.answer().map(|each| (each.tensor.clone(), each.value.clone()));
            Ok(ShownAnswer::Values(values.collect(), remark.clone()))
        }
        (outcome, _) => Ok(ShownAnswer::Wrong(outcome)),
    }
}
