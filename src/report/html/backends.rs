//! Who was tested, how, and how it went in all.

use maud::{Markup, html};

use super::named;
use super::query::query;
use crate::report::appearance::of_outcome;
use crate::report::comparison::{Compared, Comparison};
use opcert_backend::foreign::printable_line;

pub(super) fn section(comparison: &Comparison<'_>) -> Markup {
    html! {
        section id="backends" aria-labelledby="backends-title" {
            h2 id="backends-title" tabindex="-1" { "Backends" }
            div class="cards" {
                @for backend in &comparison.backends { (card(backend)) }
            }
        }
    }
}

fn card(backend: &Compared<'_>) -> Markup {
    let header = &backend.log.header;
    let identity = &header.backend;
    let claims = header.claims_in_short();
    let claims = if claims.is_empty() { "nothing".to_owned() } else { printable_line(&claims.join(", ")) };
    html! {
        article {
            h3 { (named(backend)) }
            ul class="outcomes" aria-label="Outcomes" {
                @for (outcome, count) in backend.log.footer().outcomes {
                    @let look = of_outcome(outcome);
                    li {
                        a class={ "chip " (look.class) }
                            href={ "#cases?" (query(&[("backend", &backend.key), ("outcome", outcome.name())])) } {
                            span aria-hidden="true" { (look.sign) } " " b { (count) } " " (outcome)
                        }
                    }
                }
            }
            dl {
                dt { "Claims" } dd { (claims) }
                dt { "Tensors" } dd { @if identity.strided { "packed and strided" } @else { "packed only" } }
                dt { "Invalid descriptors" }
                dd { @if identity.refuses_invalid { "are refused" } @else { "their refusal is not claimed" } }
                dt { "Run" }
                dd {
                    (header.way())
                    ", "
                    @if header.guards { "outputs between guard zones" } @else { "guards not applicable" }
                    @if let Some(level) = &header.level { ", up to level " (printable_line(level)) }
                }
                dt { "Cases" }
                dd {
                    (backend.log.cases.len())
                    @match header.suite_in_words() {
                        Some(words) => { ", " (words) }
                        None => { ", the whole suite" }
                    }
                }
                dt { "opcert" } dd { (printable_line(&header.opcert)) }
                dt { "Specifications" } dd { code { (digest(&header.specs)) } }
                dt { "Case files" } dd { code { (digest(&header.cases)) } }
            }
        }
    }
}

/// Enough of a digest to tell two apart.
fn digest(text: &str) -> String {
    printable_line(text).chars().take(16).collect()
}
