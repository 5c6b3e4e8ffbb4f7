//! What comparisons came to, as pages for people who port: one for each pair of operators, and a matrix of all that leads to
//! them.

use std::fmt::Write as _;

use super::human;
use super::picture::{groups, picture};
use super::report::{ComparisonReport, Fit, OneWay};
use crate::spec::Specs;

/// The name of the page with the matrix.
const FIRST: &str = "README.md";

/// The name of the matrix as a picture.
const PICTURE: &str = "matrix.svg";

/// Stands at the top of each page.
const MADE: &str = "<!-- Made by `opcert compare --guide`; changes belong into specs/ and mappings/. -->\n\n";

/// All pages by their names: the matrix first, then one for each comparison of two operators.
#[must_use]
pub fn pages(reports: &[ComparisonReport], specs: &Specs, command: &str) -> Vec<(String, String)> {
    let mut pages = vec![(FIRST.to_owned(), first(reports, command)), (PICTURE.to_owned(), picture(reports))];
    pages.extend(reports.iter().filter_map(|report| {
        let name = name_of(report.comparisons.first()?);
        Some((name, linked(report, specs)))
    }));
    pages
}

/// Both ways between two operators are on one page.
fn name_of(one: &OneWay) -> String {
    let (from, to) = (&one.from.operator, &one.to.operator);
    let (first, second) = if from < to { (from, to) } else { (to, from) };
    format!("{}-{}.md", first.replace('/', "_"), second.replace('/', "_"))
}

fn first(reports: &[ComparisonReport], command: &str) -> String {
    let ways: Vec<&OneWay> = reports.iter().flat_map(|report| &report.comparisons).collect();
    let mut text = format!("{MADE}# Porting between specifications\n\n");
    text.push_str(
        "Whoever says an operator of the row by that of the column finds here what becomes of the answers. Each cell leads to \
         the smallest tensors on which the two part. It is computed from the specifications and the [mappings](../../mappings), \
         by a search:",
    );
    let _ = writeln!(text, "\n\n    {command}\n");
    for fit in [Fit::DropIn, Fit::Conditional, Fit::FixUp, Fit::Differs, Fit::NoWay] {
        let _ = writeln!(text, "- **{fit}**: {}", fit.about());
    }
    text.push_str(
        "\nA result may need a cast, a reshape or a transposition, which the mapping has; the page says so where it is more. What \
         needs a fix-up or differs may lack a part as well. Drawn are packed tensors of up to eight dimensions and some \
         thousand elements; what is refused or has no way is shown for the first thing that speaks against it.\n",
    );
    for group in groups(&ways) {
        let _ = write!(text, "\n| from \\ to |");
        let columns: Vec<String> = group.iter().map(|operator| format!(" {operator} |")).collect();
        text.push_str(&columns.concat());
        let _ = writeln!(text, "\n|---|{}", "---|".repeat(group.len()));
        for from in &group {
            let _ = write!(text, "| **{from}** |");
            for to in &group {
                let way = ways.iter().find(|way| way.from.operator == *from && way.to.operator == *to);
                let cell = way.map_or_else(String::new, |way| format!(" [{}]({})", way.fit, name_of(way)));
                let _ = write!(text, "{cell} |");
            }
            text.push('\n');
        }
    }
    text
}

/// A page of the guide.
fn linked(report: &ComparisonReport, specs: &Specs) -> String {
    let mut text = MADE.to_owned();
    if let Some(OneWay { from, to, .. }) = report.comparisons.first() {
        let _ = writeln!(text, "# {} and {}\n\n[All pairs]({FIRST})", from.operator, to.operator);
    }
    text + &ways(report, specs)
}

/// Both ways between two operators, in Markdown.
#[must_use]
pub fn page(report: &ComparisonReport, specs: &Specs) -> String {
    let title = report.comparisons.first().map_or_else(String::new, |way| format!("# {} and {}\n", way.from, way.to));
    title + &ways(report, specs)
}

fn ways(report: &ComparisonReport, specs: &Specs) -> String {
    let mut text = String::new();
    for way in &report.comparisons {
        let (from, to) = (way.from.to_string(), way.to.to_string());
        let _ = writeln!(text, "\n## {from} said as {to}: {}\n", way.fit);
        if let Some(note) = &way.note {
            let _ = writeln!(text, "{note}\n");
        }
        let _ = writeln!(text, "{}.", human::counts(way));
        for (number, difference) in way.differences.iter().enumerate() {
            let _ = writeln!(text, "\n### {}. {}\n", number + 1, human::heading(difference, &from, &to));
            let requirements: Vec<String> =
                difference.requirements().map(|id| format!("- `{id}`: {}\n", human::said(id, specs))).collect();
            if !requirements.is_empty() {
                let _ = writeln!(text, "{}", requirements.concat());
            }
            if let Some(fix) = &difference.fix {
                let _ = writeln!(text, "**Before**: {fix}\n");
            }
            let witness = human::witness(difference, (&from, &to), specs, human::WIDTH);
            let _ = writeln!(text, "```text\n{}```", unindented(&witness));
        }
        if way.left_out > 0 {
            let _ = writeln!(text, "\n{} more classes are not shown.", way.left_out);
        }
    }
    text
}

fn unindented(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.strip_prefix("   ").unwrap_or(line))).collect()
}
