//! `opcert list`.

use std::fmt::Write as _;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::input::selection;
use super::{Failure, JSON_FORMAT, Sources, TextOrJson, output};
use crate::case::Expectation;
use crate::check::{CheckedCase, Layout};
use crate::render::{columns, wrapped};

/// Arguments of `opcert list`.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Globs over case ids, `level:3_0`, `type:FLOAT16`, `requirement:axis-in-range`
    filter: Vec<String>,
    #[command(flatten)]
    sources: Sources,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

/// What `opcert list --format json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Listing {
    /// The version of this format.
    format: u32,
    /// The cases that were picked, in the order of the suite.
    cases: Vec<ListedCase>,
}

/// A case of the list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ListedCase {
    /// Its id.
    case: String,
    /// Its operator.
    operator: String,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The file that holds it.
    file: String,
    /// What it expects.
    expects: Expects,
    /// The least level at which it is valid, or the first one at which it is refused.
    level: String,
    /// The last level at which it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_until: Option<String>,
    /// The requirements that it breaks, where it is refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refuses: Vec<String>,
    /// The requirements that it puts to the test.
    covers: Vec<String>,
    /// The weakest authority among these.
    authority: String,
    /// Whether a verdict depends on it.
    gates: bool,
    /// Whether one of its tensors is strided.
    strided: bool,
    /// Whether it is of the large tier, and runs only when asked for.
    large: bool,
}

/// What a case expects.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Expects {
    /// Outputs have certain values.
    Values,
    /// The descriptor is accepted.
    Accepts,
    /// Nothing: the answer is recorded.
    Observe,
    /// The descriptor is refused.
    Refuses,
}

impl Expects {
    const fn word(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Accepts => "accepts",
            Self::Observe => "observe",
            Self::Refuses => "refuses",
        }
    }
}

impl ListedCase {
    fn of(case: &CheckedCase) -> Self {
        let about = case.about();
        let name = |level| about.operator.family.level_name(level).to_owned();
        let (level, refused_until, refuses, expects) = match case {
            CheckedCase::Refused(case) => {
                (case.first, Some(name(case.last)), case.requirements.clone(), Expects::Refuses)
            }
            CheckedCase::Valid(case) => (
                case.level,
                None,
                Vec::new(),
                match case.expectation {
                    Expectation::Accepts => Expects::Accepts,
                    Expectation::Observe => Expects::Observe,
                    Expectation::Values(_) | Expectation::Refuses(_) => Expects::Values,
                },
            ),
        };
        Self {
            case: about.id.clone(),
            operator: about.operator.id.clone(),
            title: about.title.clone(),
            file: about.file.display().to_string(),
            expects,
            level: name(level),
            refused_until,
            refuses,
            covers: about.covers.clone(),
            authority: about.authority.key().to_owned(),
            gates: about.gates(),
            strided: about.layout == Layout::Strided,
            large: about.large,
        }
    }
}

pub(super) fn list(arguments: &ListArguments) -> Result<u8, Failure> {
    let specs = arguments.sources.load_specs()?;
    let selection = selection(&arguments.filter, None, true, &specs)?;
    let suite = arguments.sources.load_suite(&specs, &selection.filter)?;
    if let Some(term) = selection.filter.idle(&suite.cases) {
        return Err(arguments.sources.nothing_picked(&term, &specs));
    }
    let cases: Vec<ListedCase> = suite.cases.iter().filter(|case| selection.picks(case)).map(ListedCase::of).collect();
    if cases.is_empty() {
        return Err(arguments.sources.nothing_picked(&selection.filter.to_string(), &specs));
    }
    match arguments.format {
        TextOrJson::Human => output::print(&table(&cases, output::width_for_people())),
        TextOrJson::Json => output::print_json(&Listing { format: JSON_FORMAT, cases }),
    }
}

/// A line per case, or the id in a line of its own where there is no room for all.
fn table(cases: &[ListedCase], room: Option<usize>) -> String {
    let width = cases.iter().map(|case| case.case.len()).max().unwrap_or(0);
    let mut rows = Vec::new();
    for case in cases {
        let levels = match &case.refused_until {
            Some(last) if *last != case.level => format!("{}-{last}", case.level),
            _ => case.level.clone(),
        };
        let tier = if case.large { "(tier large) " } else { "" };
        let title = format!("{tier}{}", case.title.as_deref().unwrap_or_default());
        rows.push((case.case.as_str(), format!("{levels:<7}  {:<7}  ", case.expects.word()), title));
    }
    let wide = |(_, facts, title): &(&str, String, String)| width + 2 + columns(facts) + columns(title);
    let mut text = String::new();
    match room.filter(|&room| rows.iter().map(wide).any(|wide| wide > room)) {
        None => rows.iter().for_each(|(id, facts, title)| {
            let line = format!("{id:<width$}  {facts}{title}");
            let _ = writeln!(text, "{}", line.trim_end());
        }),
        Some(room) => rows.iter().for_each(|(id, facts, title)| {
            let facts = format!("    {facts}");
            let below = if title.is_empty() {
                format!("{}\n", facts.trim_end())
            } else {
                wrapped(title, &facts, &" ".repeat(columns(&facts)), room)
            };
            let _ = write!(text, "{id}\n{below}");
        }),
    }
    text
}
