//! The pages `coverage.md` and `mutation.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{Coverage, Mutant, Row, Section, file_of};
use crate::render::counted;

impl Coverage<'_> {
    /// The page that says of each requirement which cases and mutants it has.
    #[must_use]
    pub fn coverage_page(&self) -> String {
        let mut text = String::from("# What guards each requirement\n\n");
        let rows: Vec<&Row<'_>> = self.rows().collect();
        let testable = rows.iter().filter(|row| row.exemption().is_none());
        let (count, covered) = (testable.clone().count(), testable.filter(|row| row.has_a_case()));
        let _ = writeln!(
            text,
            "{} of the default tier. {} of {} have cases; {} are definitions, restate another one or cannot be tested.\n",
            counted(self.cases, "case"),
            covered.count(),
            counted(count, "testable requirement"),
            rows.len() - count
        );
        text.push_str(
            "*Positive* counts the valid cases that cite the requirement and are judged, *negative* the descriptors that \
             are refused for it, *observed* the cases whose answer is only recorded. *Mutants* are wrong backends that \
             break the requirement; each is named with the number of citing cases that notice it, and one of them. \
             `opcert explain ID` lists every case of a requirement, and [mutation.md](mutation.md) every mutant.\n\n",
        );
        for section in self.sections.iter().filter(|section| !section.rows.is_empty()) {
            coverage_section(&mut text, section);
        }
        text
    }

    /// The page that says of each mutant what it does, and which files notice it.
    #[must_use]
    pub fn mutation_page(&self) -> String {
        let mut text = String::from("# Wrong backends, and who notices them\n\n");
        let killed = self.mutants.iter().filter(|mutant| !mutant.killed_by.is_empty()).count();
        let _ = writeln!(
            text,
            "Each mutant is right but for one small deviation from one requirement. {killed} of {} are noticed by the \
             suite. A row counts the small cases that notice it by their own data, those among them that cite the \
             requirement, and the cases by file; where only a larger one notices it, the smallest of these.\n",
            counted(self.mutants.len(), "mutant")
        );
        for section in &self.sections {
            let rows: Vec<&Row<'_>> = section.rows.iter().filter(|row| !row.mutants.is_empty()).collect();
            if rows.is_empty() {
                continue;
            }
            let _ = writeln!(text, "## {}\n", section.title);
            for row in rows {
                mutants_of(&mut text, row);
            }
        }
        text
    }
}

fn coverage_section(text: &mut String, section: &Section<'_>) {
    let _ = writeln!(text, "## {}\n", section.title);
    text.push_str(
        "| requirement | authority | positive | negative | observed | mutants noticed |\n|---|---|---|---|---|---|\n",
    );
    for row in &section.rows {
        let citations = &row.citations;
        let noticed = row.mutants.iter().filter(|mutant| citing(row, mutant).next().is_some()).count();
        let noticed = match (row.exemption(), row.can_be_broken()) {
            (Some(_), _) => "–".to_owned(),
            (None, false) => "nothing gates".to_owned(),
            (None, true) => format!("{noticed} of {}", row.mutants.len()),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {noticed} |",
            row.requirement.name(),
            row.requirement.authority.key(),
            citations.positive.len(),
            citations.negative.len(),
            citations.observed.len()
        );
    }
    text.push('\n');
    section.rows.iter().for_each(|row| details(text, row));
}

fn details(text: &mut String, row: &Row<'_>) {
    let requirement = row.requirement;
    let _ = writeln!(text, "### {}\n\n{}\n", requirement.id, requirement.text);
    if !row.sources.is_empty() {
        let places = row.sources.iter().map(|(document, section)| match &document.url {
            Some(url) => format!("[{}: {section}]({url})", document.name),
            None => format!("{}: {section}", document.name),
        });
        let _ = writeln!(text, "- source: {}", places.collect::<Vec<_>>().join("; "));
    }
    if let Some(exemption) = row.exemption() {
        let _ = writeln!(text, "- No case or mutant of its own: {exemption}");
    }
    let citations = &row.citations;
    for (kind, cases) in [
        ("positive", &citations.positive),
        ("negative", &citations.negative),
        ("observed", &citations.observed),
        ("large tier", &citations.large),
    ] {
        if !cases.is_empty() {
            let _ = writeln!(text, "- {kind}: {}", by_file(cases.iter().map(String::as_str)));
        }
    }
    for mutant in &row.mutants {
        let killers: Vec<&str> = citing(row, mutant).collect();
        let first = killers.first().map(|case| format!(", such as `{case}`")).unwrap_or_default();
        let _ = writeln!(
            text,
            "- mutant `{}`: {} Noticed by {}{first}",
            mutant.name,
            mutant.about,
            counted(killers.len(), "case")
        );
    }
    text.push('\n');
}

/// The citing cases that notice a mutant.
fn citing<'a>(row: &'a Row<'_>, mutant: &'a Mutant) -> impl Iterator<Item = &'a str> {
    row.citations.all().filter(|case| mutant.killed_by.contains(*case)).map(String::as_str)
}

fn mutants_of(text: &mut String, row: &Row<'_>) {
    let _ = writeln!(text, "### {}\n", row.requirement.name());
    text.push_str("| mutant | what it does | noticed by | citing | where |\n|---|---|---|---|---|\n");
    for mutant in &row.mutants {
        let seen = if mutant.seen.is_empty() { String::new() } else { format!(" Seen: {}.", mutant.seen) };
        let _ = writeln!(
            text,
            "| {} | {}{seen} | {} | {} | {} |",
            mutant.name,
            mutant.about,
            mutant.killed_by.len(),
            citing(row, mutant).count(),
            by_file(mutant.killed_by.iter().map(String::as_str))
        );
    }
    text.push('\n');
}

/// How many cases of each file, without the operator where there is one only.
fn by_file<'a>(cases: impl Iterator<Item = &'a str>) -> String {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    cases.for_each(|case| *files.entry(file_of(case)).or_default() += 1);
    let operator = |file: &str| file.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
    let operators: BTreeSet<String> = files.keys().map(|file| operator(file)).collect();
    let shown = |(file, count): (&str, usize)| {
        let name = if operators.len() == 1 { file.splitn(3, '/').nth(2).unwrap_or(file) } else { file };
        format!("{name} {count}")
    };
    files.into_iter().map(shown).collect::<Vec<_>>().join(", ")
}
