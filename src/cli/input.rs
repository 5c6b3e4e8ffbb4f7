//! What commands read: specifications, cases, selections.

use std::path::Path;

use super::{Failure, Sources};
use crate::case::CaseSource;
use crate::check::Suite;
use crate::plan::{Filter, Selection};
use crate::report::SuiteDigests;
use crate::source::Source;
use crate::spec::Specs;

impl Sources {
    /// Whether everything comes from the program itself.
    pub(crate) const fn are_embedded(&self) -> bool {
        self.cases.is_none() && self.specs.is_none()
    }

    pub(crate) fn load_specs(&self) -> Result<Specs, Failure> {
        Specs::load(&self.specifications()).map_err(Failure::Files)
    }

    fn specifications(&self) -> Source {
        self.specs.clone().map_or_else(Source::embedded_specs, Source::Path)
    }

    pub(crate) fn cases(&self) -> CaseSource {
        CaseSource(self.cases.clone().map_or_else(Source::embedded_cases, Source::Path))
    }

    /// The cases of all files that a filter can pick from. Only embedded files tell by their paths; those of operators
    /// that are not specified are left out.
    pub(crate) fn load_suite(&self, specs: &Specs, filter: &Filter) -> Result<Suite, Failure> {
        let told_by_path = self.cases.is_none();
        let specified = |stem: &str| {
            specs
                .operators
                .iter()
                .any(|operator| stem.strip_prefix(&operator.id).is_some_and(|rest| rest.starts_with('/')))
        };
        let wanted = |stem: &str| !told_by_path || filter.may_pick_from(stem) && specified(stem);
        Suite::load(&self.cases(), specs, wanted).map_err(Failure::Files)
    }

    /// The digests of all files, for a certificate.
    pub(crate) fn digests(&self, specs: &Specs) -> Result<SuiteDigests, Failure> {
        SuiteDigests::of(specs, &self.specifications(), &self.cases().0).map_err(Failure::Files)
    }

    /// The options that name the same sources again.
    pub(crate) fn as_options(&self) -> Vec<String> {
        let option = |name: &str, path: &Path| format!("--{name} {}", quoted(&path.display().to_string()));
        let cases = self.cases.as_deref().map(|path| option("cases", path));
        let specs = self.specs.as_deref().map(|path| option("specs", path));
        cases.into_iter().chain(specs).collect()
    }
}

/// An argument as a shell takes it.
pub(crate) fn quoted(argument: &str) -> String {
    if argument.contains([' ', '\'', '"', '$', '*', '(', ')']) {
        format!("'{}'", argument.replace('\'', "'\\''"))
    } else {
        argument.to_owned()
    }
}

/// Reads what a person picks.
pub(crate) fn selection(
    terms: &[String],
    level: Option<&str>,
    large: bool,
    specs: &Specs,
) -> Result<Selection, Failure> {
    let filter = Filter::parse(terms).map_err(|error| Failure::Usage(error.to_string()))?;
    if let Some(error) = filter.unknown(specs) {
        return Err(Failure::Usage(error.to_string()));
    }
    if let Some(name) = level
        && specs.families().all(|family| family.level(name).is_none())
    {
        let known: Vec<String> =
            specs.families().map(|family| format!("{}: {}", family.name, family.levels.join(" "))).collect();
        return Err(Failure::Usage(format!("`{name}` is no feature level; {}", known.join("; "))));
    }
    Ok(Selection { filter, level: level.map(str::to_owned), large, only: None, once: false })
}
