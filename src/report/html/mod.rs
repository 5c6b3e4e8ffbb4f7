//! The page: the matrix of one or many backends, the way down from a cell to a case with its tensors, and the answers
//! to what the documents leave open, in one file that needs nothing else.
//!
//! The tables are written here and can be read without a script. The script, in the folder `script`, adds the way down
//! and the search; it reads the data that `data` embeds. Templates escape everything they print; what comes from
//! other programs passes `printable` before that. The page may not load anything, and runs this script and no other:
//! its content security policy names them by digest. It holds no times and no facts about the machine, so the same logs
//! give the same bytes.

mod backends;
mod data;
mod grid;
mod query;
mod questions;
mod summary;

use base64ct::{Base64, Encoding};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::Log;
use super::appearance::page_style;
use super::comparison::{Compared, Comparison};
use crate::render;
use opcert_backend::foreign::printable_line;

const SCRIPT: &str = concat!(
    include_str!("script/data.js"),
    include_str!("script/pick.js"),
    include_str!("script/figures.js"),
    include_str!("script/list.js"),
    include_str!("script/case.js"),
    include_str!("script/page.js"),
);

/// Renders the page of one or many logs, in the order given.
#[must_use]
pub fn html(logs: &[Log]) -> String {
    let comparison = Comparison::of(logs);
    let style = include_str!("page.css").to_owned() + &page_style();
    let title = match comparison.backends.as_slice() {
        [only] => format!("Conformance of {}", only.label),
        several => format!("Conformance of {}", render::counted(several.len(), "backend")),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, &style, &policy(&style)))
            body {
                a class="skip" href="#content" { "Skip to the content" }
                (banner())
                main id="content" tabindex="-1" {
                    h1 { (title) }
                    (notices(&comparison))
                    (grid::section(&comparison))
                    (cases_section())
                    (questions::section(&comparison))
                    (backends::section(&comparison))
                }
                footer {
                    p { "Made by opcert from event logs. This file loads nothing and sends nothing." }
                }
                script id="data" type="application/zlib" { (data::packed(&comparison)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// What the page may do: be styled by its own style sheet, run its own script, and nothing else.
/// The head of a page that loads nothing.
pub(crate) fn head(title: &str, style: &str, policy: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            title { (title) }
            // Without it a browser asks the server for one.
            link rel="icon" href="data:,";
            style { (PreEscaped(style)) }
        }
    }
}

fn policy(style: &str) -> String {
    format!("{}; script-src 'sha256-{}'", style_policy(style), digest(SCRIPT))
}

/// The content security policy of a page with this style sheet, and nothing else.
pub(crate) fn style_policy(style: &str) -> String {
    let style = digest(style);
    format!("default-src 'none'; img-src data:; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'")
}

fn digest(text: &str) -> String {
    Base64::encode_string(&Sha256::digest(text.as_bytes()))
}

fn banner() -> Markup {
    html! {
        header class="banner" {
            a class="wordmark" href="#matrix" { "opcert" }
            nav aria-label="Parts of the page" {
                ul {
                    li { a href="#matrix" { "Matrix" } }
                    li { a href="#cases" { "Cases" } }
                    li { a href="#questions" { "Open questions" } }
                    li { a href="#backends" { "Backends" } }
                }
            }
            // The script gives it its words and shows it; without a script the system's choice holds.
            button type="button" id="theme" hidden {}
        }
    }
}

/// What has to be known before anything is read off the tables.
fn notices(comparison: &Comparison<'_>) -> Markup {
    let partial: Vec<&str> = comparison
        .backends
        .iter()
        .filter(|backend| !backend.log.header.complete)
        .map(|backend| backend.label.as_str())
        .collect();
    let suites = |pick: fn(&Log) -> &str| {
        let mut digests: Vec<&str> = comparison.backends.iter().map(|backend| pick(backend.log)).collect();
        digests.sort_unstable();
        digests.dedup();
        digests.len()
    };
    let mixed = suites(|log| &log.header.specs) > 1 || suites(|log| &log.header.cases) > 1;
    html! {
        @if !partial.is_empty() {
            p class="notice" {
                strong { "No verdict: " }
                "not all of a suite that gives one was run on " (partial.join(", ")) "."
            }
        }
        @if mixed {
            p class="notice" {
                strong { "Different suites: " }
                "the logs come from different specifications or cases, so figures in one column need not count the same \
                 cases. The digests stand under "
                a href="#backends" { "Backends" } "."
            }
        }
    }
}

/// Filled by the script.
fn cases_section() -> Markup {
    html! {
        section id="cases" aria-labelledby="cases-title" {
            h2 id="cases-title" tabindex="-1" { "Cases" }
            noscript {
                p { "The list of cases, the search and the single cases need JavaScript. The tables do not." }
            }
            div id="cases-view" {}
        }
        section id="case" aria-labelledby="case-title" hidden {
            h2 id="case-title" tabindex="-1" { "Case" }
            div id="case-view" {}
        }
    }
}

/// A backend's name and version, with its device in a smaller type.
fn named(backend: &Compared<'_>) -> Markup {
    let (name, device) = &backend.parts;
    html! {
        (name)
        @if let Some(device) = device { " " small { (device) } }
    }
}

/// An id, which may be broken at its joints.
fn breakable(id: &str) -> Markup {
    let id = printable_line(id);
    html! {
        @for part in id.split_inclusive(['/', '_']) { (part) wbr; }
    }
}
