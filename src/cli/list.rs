//! `opcert list`.

use std::fmt::Write as _;

use clap::Args;

use super::input::selection;
use super::{Failure, Sources, output};
use crate::case::Expectation;
use crate::check::CheckedCase;

/// Arguments of `opcert list`.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Globs over case ids, `level:3_0`, `type:FLOAT16`, `requirement:axis-in-range`
    filter: Vec<String>,
    #[command(flatten)]
    sources: Sources,
}

pub(super) fn list(arguments: &ListArguments) -> Result<u8, Failure> {
    let specs = arguments.sources.load_specs()?;
    let selection = selection(&arguments.filter, None, true, &specs)?;
    let suite = arguments.sources.load_suite(&specs, &selection.filter)?;
    if let Some(term) = selection.filter.idle(&suite.cases) {
        return Err(Failure::Usage(format!("`{term}` picks no case")));
    }
    let cases: Vec<&CheckedCase> = suite.cases.iter().filter(|case| selection.picks(case)).collect();
    if cases.is_empty() {
        return Err(Failure::Usage(format!("`{}` picks no case", selection.filter)));
    }
    let width = cases.iter().map(|case| case.about().id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for case in cases {
        let about = case.about();
        let name = |level| about.operator.family.level_name(level).to_owned();
        let (levels, expects) = match case {
            CheckedCase::Refused(case) if case.first == case.last => (name(case.first), "refuses"),
            CheckedCase::Refused(case) => (format!("{}-{}", name(case.first), name(case.last)), "refuses"),
            CheckedCase::Valid(case) => (
                name(case.level),
                match case.expectation {
                    Expectation::Accepts => "accepts",
                    Expectation::Observe => "observe",
                    _ => "values",
                },
            ),
        };
        let tier = if about.large { "(tier large) " } else { "" };
        let title = format!("{tier}{}", about.title.as_deref().unwrap_or_default());
        let _ = writeln!(text, "{}", format!("{:<width$}  {levels:<7}  {expects:<7}  {title}", about.id).trim_end());
    }
    output::print(&text)
}
