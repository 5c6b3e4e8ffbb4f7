//! A line per backend, before any table: what it comes to, and what did not go well.

use maud::{Markup, html};

use super::named;
use super::query::query;
use crate::judge::Outcome;
use crate::render;
use crate::report::appearance::{Appearance, WORST_FIRST, of_outcome, of_standing};
use crate::report::comparison::{Compared, Comparison};

pub(super) fn list(comparison: &Comparison<'_>) -> Markup {
    html! {
        ul class="summary" aria-label="In short" {
            @for backend in &comparison.backends { li { (line(backend)) } }
        }
    }
}

fn line(backend: &Compared<'_>) -> Markup {
    let verdicts = verdicts(backend);
    let outcomes = outcomes(backend);
    html! {
        span class="who" { (named(backend)) }
        @if verdicts.is_empty() { span class="chip none" { span aria-hidden="true" { "–" } " no verdict" } }
        @for (name, look, count) in verdicts {
            span class={ "chip " (look.class) } {
                span aria-hidden="true" { (look.sign) } " " (name) ": " (render::counted(count, "operator"))
            }
        }
        span class="figures" {
            @for (at, (outcome, count)) in outcomes.iter().enumerate() {
                @if at > 0 { ", " }
                a href={ "#cases?" (query(&[("backend", &backend.key), ("outcome", outcome.name())])) } {
                    (count) " " (outcome)
                }
            }
        }
    }
}

/// What the operators come to at the highest level that was run, on all requirements: each verdict, the worst first, and
/// how many operators have it.
fn verdicts(backend: &Compared<'_>) -> Vec<(String, Appearance, usize)> {
    let complete = backend.log.header.complete;
    let mut found: Vec<(String, Appearance, usize)> = Vec::new();
    for (_, row) in backend.highest() {
        let ([_, standing], [_, total]) = (row.standings, row.totals());
        let (name, look) = (standing.name(complete), of_standing(standing, total, complete));
        match found.iter_mut().find(|(other_name, other, _)| *other == look && *other_name == name) {
            Some((.., count)) => *count += 1,
            None => found.push((name, look, 1)),
        }
    }
    found.sort_by_key(|(_, look, _)| WORST_FIRST.iter().position(|worse| worse == look));
    found
}

/// How many cases came out in which way, what is wrong first.
fn outcomes(backend: &Compared<'_>) -> Vec<(Outcome, usize)> {
    let mut outcomes: Vec<(Outcome, usize)> = backend.log.footer().outcomes.into_iter().collect();
    outcomes.sort_by_key(|(outcome, _)| (!outcome.is_bad(), of_outcome(*outcome).class == "none"));
    outcomes
}
