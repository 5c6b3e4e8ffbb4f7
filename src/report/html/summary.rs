//! A line per backend, before any table: what it comes to, and what did not go well.

use maud::{Markup, html};

use super::named;
use super::query::query;
use crate::judge::Outcome;
use crate::render;
use crate::report::appearance::of_outcome;
use crate::report::comparison::{Compared, Comparison};

pub(super) fn list(comparison: &Comparison<'_>) -> Markup {
    html! {
        ul class="summary" aria-label="In short" {
            @for backend in &comparison.backends { li { (line(backend)) } }
        }
    }
}

fn line(backend: &Compared<'_>) -> Markup {
    let verdicts = backend.in_short();
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

/// How many cases came out in which way, what is wrong first.
fn outcomes(backend: &Compared<'_>) -> Vec<(Outcome, usize)> {
    let mut outcomes: Vec<(Outcome, usize)> = backend.log.footer().outcomes.into_iter().collect();
    outcomes.sort_by_key(|(outcome, _)| (!outcome.is_bad(), of_outcome(*outcome).class == "none"));
    outcomes
}
