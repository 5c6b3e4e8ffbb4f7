//! What comparisons came to, as a page that loads nothing.

use maud::{DOCTYPE, Markup, html as markup};
use opcert_backend::AttributeValue;

use super::human::{counts, heading, said};
use super::picture::look;
use super::report::{ComparisonReport, DifferenceReport, OneWay, Shown};
use super::search::Answered;
use crate::render;
use crate::report::{head, page_style, style_policy};
use crate::spec::Specs;

/// Both ways between two operators, each with its differences, and both sides of each beside each other.
#[must_use]
pub fn html(report: &ComparisonReport, specs: &Specs) -> String {
    let style = include_str!("page.css").to_owned() + &page_style();
    let title = report.comparisons.first().map_or_else(String::new, |way| format!("{} and {}", way.from, way.to));
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, &style, &style_policy(&style)))
            body {
                main {
                    h1 { (title) }
                    @for way in &report.comparisons { (section(way, specs)) }
                }
                footer class="quiet" {
                    p { "Made by opcert from specifications and mappings. This file loads nothing and sends nothing." }
                }
            }
        }
    };
    page.into_string()
}

fn section(way: &OneWay, specs: &Specs) -> Markup {
    let (from, to) = (way.from.to_string(), way.to.to_string());
    let (_, class, _) = look(way.fit);
    markup! {
        section {
            h2 { (from) " said as " (to) " " span class={ "fit " (class) } { (way.fit.to_string()) } }
            @if let Some(note) = &way.note { p { (note) } }
            p class="quiet" { (counts(way)) "; seed " (way.seed) "." }
            @for (number, difference) in (1..).zip(&way.differences) {
                (article(number, difference, (&from, &to), specs))
            }
            @if way.left_out > 0 { p class="quiet" { (way.left_out) " more classes are not shown." } }
        }
    }
}

fn article(number: usize, difference: &DifferenceReport, (from, to): (&str, &str), specs: &Specs) -> Markup {
    let seen = &difference.witness;
    markup! {
        article {
            h3 { (number) ". " (heading(difference, from, to)) }
            @if difference.requirements().next().is_some() {
                ul { @for id in difference.requirements() { li { code { (id) } ": " (said(id, specs)) } } }
            }
            @if let Some(fix) = &difference.fix { p { b { "Before: " } (fix) } }
            div class="sides" {
                (side(from, Some(&seen.from), (&seen.from_answer, seen.from_line.as_ref()), &seen.from_ran, specs))
                (side(to, seen.to.as_ref(), (&seen.to_answer, seen.to_line.as_ref()), &seen.to_ran, specs))
            }
        }
    }
}

/// One side of the smallest sample: what is given, what comes of it by which line, and what backends make of it.
fn side(
    name: &str,
    shown: Option<&Shown>,
    (answer, line): (&str, Option<&String>),
    ran: &[Answered],
    specs: &Specs,
) -> Markup {
    let attribute = |value: &AttributeValue| render::attribute_value(value);
    markup! {
        div class="side" {
            p { b { (name) } }
            @if let Some(Shown { descriptor, inputs }) = shown {
                @let family = specs.operator(&descriptor.operator).map(|operator| &operator.family);
                table {
                    @for given in &descriptor.attributes {
                        tr { td { (given.name) } td colspan="2" { (attribute(&given.value)) } }
                    }
                    @for entry in &descriptor.tensors {
                        @let data = inputs.iter().find(|input| input.name == entry.name);
                        tr {
                            td { (entry.name) }
                            td { (family.map_or("", |family| family.spelling(entry.tensor.data_type))) " " (format!("{:?}", entry.tensor.sizes)) }
                            td { @if let Some(data) = data { "{" (data.elements.join(", ")) "}" } }
                        }
                    }
                }
            }
            p class="answer" { "→ " (answer) }
            @if let Some(line) = line { p { "by " code { (line) } } }
            @for Answered { backend, answer } in ran { p class="quiet" { (backend) ": " (answer) } }
        }
    }
}
