//! The feature-level matrix as a coloured grid: per family a table, per operator a group of rows, per backend a row, per
//! stretch of levels a column, the highest first.

use std::collections::BTreeSet;
use std::ops::Range;

use maud::{Markup, html};
use opcert_backend::foreign::printable_line;

use super::query::query;
use super::{breakable, named, summary};
use crate::judge::OperatorInfo;
use crate::report::appearance::{self, of_standing};
use crate::report::comparison::{Compared, ComparedFamily, Comparison, stretch_name};
use crate::report::{Cell, Standing};

pub(super) fn section(comparison: &Comparison<'_>) -> Markup {
    let folded = folded_operators(comparison);
    html! {
        section id="matrix" aria-labelledby="matrix-title" {
            h2 id="matrix-title" tabindex="-1" { "Feature levels" }
            (summary::list(comparison))
            p class="lead" {
                "What conforms at which level. Figures are "
                b { "applicable / run / passed" }
                ": the cases that count for the level, those that ran, and those that passed. Unsupported is never a pass. \
                 “+ open” counts cases beside these, which put an open question and went wrong whatever its answer."
            }
            (basis())
            (unfold(comparison, &folded))
            @for family in &comparison.families { (table(family, comparison, &folded)) }
            (legend())
        }
    }
}

/// Which of the two verdicts is shown; a style sheet is enough for that.
fn basis() -> Markup {
    html! {
        fieldset class="basis" {
            legend { "Verdict on" }
            label { input type="radio" name="basis" id="basis-all" checked; span { "stated and derived requirements" } }
            label { input type="radio" name="basis" id="basis-stated"; span { "stated requirements alone" } }
        }
    }
}

/// Whether anybody has a verdict on an operator at one of these levels.
fn has_verdict(operator: &OperatorInfo, levels: &[String], comparison: &Comparison<'_>) -> bool {
    let pairs = levels.iter().flat_map(|level| comparison.backends.iter().map(move |backend| (backend, level)));
    let rows = pairs.filter_map(|(backend, level)| backend.row(operator, level));
    rows.flat_map(|row| row.standings).any(Standing::is_verdict)
}

/// The stretches of levels, the highest first, and whether each is folded away: nobody has a verdict there, and
/// elsewhere somebody has.
fn columns(family: &ComparedFamily<'_>, comparison: &Comparison<'_>) -> Vec<(Range<usize>, bool)> {
    let has_verdict = |stretch: &Range<usize>| {
        let levels = family.info.levels.get(stretch.start..=stretch.start).unwrap_or_default();
        family.operators.iter().any(|operator| has_verdict(operator, levels, comparison))
    };
    let mut stretches = comparison.stretches(family);
    stretches.reverse();
    let any = stretches.iter().any(has_verdict);
    stretches.into_iter().map(|stretch| (stretch.clone(), any && !has_verdict(&stretch))).collect()
}

/// The ids of the operators that are folded away: nobody has a verdict on them, and on others somebody has.
fn folded_operators<'a>(comparison: &'a Comparison<'_>) -> BTreeSet<&'a str> {
    let all = comparison.families.iter().flat_map(|family| family.operators.iter().map(move |each| (family, each)));
    let (with, without): (Vec<_>, Vec<_>) =
        all.partition(|(family, operator)| has_verdict(operator, &family.info.levels, comparison));
    let ids = without.into_iter().map(|(_, operator)| operator.id.as_str());
    if with.is_empty() { BTreeSet::new() } else { ids.collect() }
}

/// The switch that shows what is folded away; a style sheet is enough for that.
fn unfold(comparison: &Comparison<'_>, operators: &BTreeSet<&str>) -> Markup {
    let levels = comparison.families.iter().flat_map(|family| {
        let columns = columns(family, comparison).into_iter().filter(|(_, folded)| *folded);
        columns.map(|(stretch, _)| {
            let levels = family.info.levels.get(stretch).unwrap_or_default();
            format!("{} {}", family.info.title, stretch_name(levels))
        })
    });
    let operators = operators.iter().map(|&id| id.to_owned());
    let folded: Vec<String> = operators.chain(levels).map(|name| printable_line(&name)).collect();
    html! {
        @if !folded.is_empty() {
            label class="unfold" {
                input type="checkbox" id="unfold";
                span { "also what nobody has a verdict on: " (folded.join(", ")) }
            }
        }
    }
}

fn table(family: &ComparedFamily<'_>, comparison: &Comparison<'_>, operators: &BTreeSet<&str>) -> Markup {
    let columns = columns(family, comparison);
    let fold = |folded: bool| if folded { " folded" } else { "" };
    let is_folded = |operator: &OperatorInfo| operators.contains(operator.id.as_str());
    let whole = family.operators.iter().all(&is_folded);
    let title = printable_line(&family.info.title);
    let name =
        |range: &Range<usize>| printable_line(&stretch_name(family.info.levels.get(range.clone()).unwrap_or_default()));
    let alone = comparison.backends.len() == 1;
    let caption = format!("{title}: verdict per operator, backend and feature level");
    html! {
        h3 class=[whole.then_some("folded")] { (title) }
        div class={ "scroll" (fold(whole)) } role="region" aria-label=(caption) tabindex="0" {
            table class="grid" {
                caption class="unseen" { (caption) }
                thead {
                    tr {
                        th scope="col" { @if alone { "Operator" } @else { "Operator and backend" } }
                        @for (stretch, folded) in &columns {
                            th scope="col" class={ "level" (fold(*folded)) } { (name(stretch)) }
                        }
                    }
                }
                @for operator in &family.operators {
                    tbody class=[is_folded(operator).then_some("folded")] {
                        @if !alone {
                            tr class="group" {
                                th scope="rowgroup" colspan=(columns.len() + 1) { span { (operator_name(operator)) } }
                            }
                        }
                        @for backend in &comparison.backends {
                            tr {
                                th scope="row" {
                                    @if alone { (operator_name(operator)) } @else { (named(backend)) }
                                }
                                @for (stretch, folded) in &columns {
                                    @let level = family.info.levels.get(stretch.end - 1).map_or("", String::as_str);
                                    td class={ "pair" (fold(*folded)) } { (cell(backend, operator, level)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn operator_name(operator: &OperatorInfo) -> Markup {
    html! {
        code { (breakable(&operator.id)) }
        " "
        small { (breakable(&operator.title)) }
    }
}

/// A verdict on either basis, and the way to its cases at the highest level of the stretch.
fn cell(backend: &Compared<'_>, operator: &OperatorInfo, level: &str) -> Markup {
    let Some(row) = backend.row(operator, level) else {
        return html! { span class="cell absent" { span class="verdict" { "not in the log" } } };
    };
    let complete = backend.log.header.complete;
    let link = format!("#cases?{}", query(&[("operator", &operator.id), ("level", level), ("backend", &backend.key)]));
    let totals = row.totals();
    let [stated, all] = row.standings.map(|standing| standing.name(complete));
    let bases =
        [("basis-all", row.standings[1], totals[1], &all), ("basis-stated", row.standings[0], totals[0], &stated)];
    html! {
        @for (basis, standing, total, name) in bases {
            @let look = of_standing(standing, total, complete);
            @let counted = row.is_counted() && !total.is_empty();
            @let inside = html! {
                span class="verdict" { span class="sign" aria-hidden="true" { (look.sign) } " " (name) }
                @if counted { (figures(total)) }
            };
            @if counted {
                a class={ "cell " (look.class) " " (basis) } href=(link) { (inside) }
            } @else {
                span class={ "cell " (look.class) " " (basis) } { (inside) }
            }
        }
    }
}

fn figures(cell: Cell) -> Markup {
    html! {
        span class="figures" { (cell) }
        @if cell.passed < cell.applicable {
            @let share = 100.0 * cell.passed as f64 / cell.applicable as f64;
            svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" {
                rect width=(format!("{share:.2}")) height="1" {}
            }
        }
    }
}

fn legend() -> Markup {
    html! {
        ul class="legend" aria-label="What the signs mean" {
            @for look in appearance::ALL {
                @let [name, meaning] = look.legend;
                li {
                    span class={ "chip " (look.class) } { span aria-hidden="true" { (look.sign) } " " (name) }
                    " " (meaning)
                }
            }
        }
    }
}
