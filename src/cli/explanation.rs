//! What `opcert explain --format json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use super::JSON_FORMAT;
use crate::check::{CheckedCase, Suite};
use crate::spec::{Document, Operator, Requirement};

/// A requirement, or all of an operator.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Explanation {
    /// The version of this format.
    format: u32,
    /// The operator, or those for which the requirement holds.
    operators: Vec<ExplainedOperator>,
    /// The requirement, or all of the operator.
    requirements: Vec<ExplainedRequirement>,
}

/// An operator.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ExplainedOperator {
    /// Its id.
    operator: String,
    /// Its name in the documents.
    title: String,
    /// What it computes.
    summary: String,
    /// The first level that has it.
    introduced: String,
    /// The text of its definition, whose lines are counted from 1.
    definition: String,
}

/// A requirement.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ExplainedRequirement {
    /// Its id.
    requirement: String,
    /// What is required.
    text: String,
    /// Who says so: `stated`, `derived`, `unspecified` or `undefined`.
    authority: String,
    /// Why it follows, or why it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What it is about: `descriptor`, `semantics`, `order` or `region`.
    kind: String,
    /// The first level at which it holds.
    since: String,
    /// The last level at which it holds, if it is not the highest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// The passages that it is read from.
    sources: Vec<Passage>,
    /// How a descriptor is checked, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<String>,
    /// The requirements that have to hold before the check means anything.
    needs: Vec<String>,
    /// The lines of definitions that cite it.
    lines: Vec<CitingLine>,
    /// Which valid cases put it to the test, in words, where neither a check nor a line says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    tested: Option<String>,
    /// Whether it follows from the examples of its sources alone.
    by_example: bool,
    /// The requirement of which this is another wording.
    #[serde(skip_serializing_if = "Option::is_none")]
    restates: Option<String>,
    /// Why no case can show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    untestable: Option<String>,
    /// Whether it is a notion that other requirements use.
    definition: bool,
    /// The cases that put it to the test, or break it.
    cases: Vec<CoveringCase>,
}

/// A passage of a document.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Passage {
    /// The document's short name.
    document: String,
    /// The section.
    section: String,
    /// Which revision of the document it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<String>,
    /// The document's file, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Where it is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// A line of a definition.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CitingLine {
    /// The operator.
    operator: String,
    /// The number of the line in the definition, from 1.
    line: u32,
    /// Its code.
    code: String,
}

/// A case that covers a requirement.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CoveringCase {
    /// Its id.
    case: String,
    /// Whether its descriptor is refused.
    refused: bool,
}

impl Explanation {
    /// Explains requirements of one operator, or one requirement of several.
    pub(super) fn of(operators: &[&Operator], requirements: &[&Requirement], suite: &Suite) -> Self {
        Self {
            format: JSON_FORMAT,
            operators: operators.iter().map(|operator| ExplainedOperator::of(operator)).collect(),
            requirements: requirements.iter().map(|each| ExplainedRequirement::of(operators, each, suite)).collect(),
        }
    }
}

impl ExplainedOperator {
    fn of(operator: &Operator) -> Self {
        Self {
            operator: operator.id.clone(),
            title: operator.title.clone(),
            summary: operator.summary.clone(),
            introduced: operator.family.level_name(operator.introduced).to_owned(),
            definition: operator.definition.text.clone(),
        }
    }
}

impl ExplainedRequirement {
    fn of(operators: &[&Operator], requirement: &Requirement, suite: &Suite) -> Self {
        let first = operators.first();
        let name = |level| first.map_or_else(String::new, |operator| operator.family.level_name(level).to_owned());
        let earliest = operators.iter().map(|operator| operator.introduced).min();
        let is_theirs = |case: &&CheckedCase| operators.iter().any(|operator| operator.id == case.about().operator.id);
        let covering = suite.cases.iter().filter(is_theirs).filter(|case| case.tests(requirement));
        let passage = |(document, section): &(String, String)| Passage::of(first.copied(), document, section);
        Self {
            requirement: requirement.id.clone(),
            text: requirement.text.clone(),
            authority: requirement.authority.key().to_owned(),
            reason: requirement.reason.clone(),
            kind: requirement.kind.key().to_owned(),
            since: requirement.since.or(earliest).map(name).unwrap_or_default(),
            until: requirement.until.map(name),
            sources: requirement.sources.iter().map(passage).collect(),
            check: requirement.check.as_ref().map(ToString::to_string),
            needs: requirement.needs.clone(),
            lines: operators.iter().flat_map(|operator| CitingLine::of(operator, requirement)).collect(),
            tested: requirement.tested.as_ref().map(ToString::to_string),
            by_example: requirement.by_example,
            restates: requirement.restates.clone(),
            untestable: requirement.untestable.clone(),
            definition: requirement.definition,
            cases: covering.map(CoveringCase::of).collect(),
        }
    }
}

impl CitingLine {
    fn of<'a>(operator: &'a Operator, requirement: &'a Requirement) -> impl Iterator<Item = Self> + 'a {
        operator.citing(requirement).map(|(line, code)| Self { operator: operator.id.clone(), line, code })
    }
}

impl Passage {
    fn of(operator: Option<&Operator>, document: &str, section: &str) -> Self {
        let documents = operator.into_iter().flat_map(|each| each.documents.iter().chain(&each.family.documents));
        let found: Option<&Document> = documents.into_iter().find(|each| each.name == document);
        Self {
            document: document.to_owned(),
            section: section.to_owned(),
            revision: found.map(|found| found.revision.clone()),
            file: found.and_then(|found| found.file.clone()),
            url: found.and_then(|found| found.url.clone()),
        }
    }
}

impl CoveringCase {
    fn of(case: &CheckedCase) -> Self {
        Self { case: case.about().id.clone(), refused: matches!(case, CheckedCase::Refused(_)) }
    }
}
