//! What commands read: specifications, cases, known failures, selections.

use std::collections::BTreeSet;
use std::path::Path;

use opcert_backend::foreign::is_unseen;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{Failure, Sources, words};
use crate::case::{CaseSource, UNSPECIFIED, ids};
use crate::check::Suite;
use crate::diagnostic::Diagnostic;
use crate::expectations::KnownFailures;
use crate::near::{did_you_mean, path_meant};
use crate::plan::{Filter, Selection};
use crate::render;
use crate::report::{Log, SuiteDigests};
use crate::source::Source;
use crate::spec::{Family, Level, Specs};

/// The level of a family that has this name.
pub(super) fn level_named(name: &str, family: &Family) -> Result<Level, Failure> {
    family.level(name).ok_or_else(|| {
        let (known, meant) = (family.levels.join(" "), did_you_mean(name, family.levels.iter().map(String::as_str)));
        Failure::Usage(format!("`{}` has no feature level `{name}`; there are {known}{meant}", family.name))
    })
}

impl Sources {
    /// Whether what these sources hold is what the program itself holds, from wherever it was read.
    pub(crate) fn are_embedded(&self, specs: &Specs) -> Result<bool, Failure> {
        let embedded = Self::default();
        if self.cases.is_none() && self.specs.is_none() {
            return Ok(true);
        }
        Ok(self.digests(specs)? == embedded.digests(&embedded.load_specs()?)?)
    }

    /// Whether all cases of these sources give a verdict: the embedded ones do, and so do those of specifications that are
    /// named with them, unless these redefine a family that is embedded.
    pub(crate) fn give_a_verdict(&self, specs: &Specs) -> Result<bool, Failure> {
        if self.are_embedded(specs)? {
            return Ok(true);
        }
        let embedded = Self::default().load_specs()?;
        Ok(self.cases.is_some() && self.specs.is_some() && specs.common_family(&embedded).is_none())
    }

    pub(crate) fn load_specs(&self) -> Result<Specs, Failure> {
        for (option, path) in [("--specs", &self.specs), ("--cases", &self.cases)] {
            if let Some(path) = path {
                is_there(option, path, "file or folder")?;
            }
        }
        Specs::load(&self.specifications()).map_err(Failure::Files)
    }

    fn specifications(&self) -> Source {
        self.specs.clone().map_or_else(Source::embedded_specs, Source::Path)
    }

    pub(crate) fn cases(&self) -> CaseSource {
        CaseSource(self.cases.clone().map_or_else(Source::embedded_cases, Source::Path))
    }

    /// The cases of all files that a filter can pick from. Only embedded files tell by their paths.
    pub(crate) fn load_suite(&self, specs: &Specs, filter: &Filter) -> Result<Suite, Failure> {
        let told_by_path = self.cases.is_none();
        self.load_files(specs, |stem| !told_by_path || filter.may_pick_from(stem))
    }

    /// The cases that a log is of, for one who believes nothing: what those of files that were named cover is worked out, unless
    /// they are the embedded ones. Without a log, all of them.
    pub(crate) fn load_validated(
        &self,
        specs: &Specs,
        are_embedded: bool,
        log: Option<&Log>,
    ) -> Result<Suite, Failure> {
        if are_embedded || self.cases.is_none() {
            return match log {
                Some(log) => self.load_of(specs, &[log]),
                None => self.load_suite(specs, &Filter::default()),
            };
        }
        Suite::validated(&self.cases(), specs).map_err(|problems| self.not_together(problems, specs))
    }

    /// The cases that logs are of: all there are, or where all logs are of a few of the embedded ones, those of their operators.
    /// Which files a run of others has read is in its digest.
    pub(crate) fn load_of(&self, specs: &Specs, logs: &[&Log]) -> Result<Suite, Failure> {
        let are_named = self.cases.is_some() || self.specs.is_some();
        let all = are_named || logs.iter().any(|log| log.header.is_of_whole_suite());
        let operators = logs.iter().flat_map(|log| &log.cases).map(|event| event.operator.as_str());
        let operators: BTreeSet<&str> = operators.collect();
        let is_of = |stem: &str, operator: &str| stem.strip_prefix(operator).is_some_and(|rest| rest.starts_with('/'));
        self.load_files(specs, |stem| all || operators.iter().any(|operator| is_of(stem, operator)))
    }

    /// The cases of the files that `wanted` picks by their stems. Embedded files of operators that are not specified are
    /// left out.
    pub(crate) fn load_files(&self, specs: &Specs, wanted: impl Fn(&str) -> bool) -> Result<Suite, Failure> {
        if let (None, Some(folder)) = (&self.cases, &self.specs)
            && !self.cases().files().map_err(Failure::Files)?.iter().any(|file| is_specified(specs, &file.stem))
        {
            let message = format!("no embedded case is of an operator in `{}`", folder.display());
            return Err(Failure::Usage(format!("{message}; `--cases DIR` names the cases that go with `--specs`")));
        }
        self.load_those_there_are(specs, wanted)
    }

    /// The same where there need not be any: what explains specifications only cites cases.
    pub(crate) fn load_those_there_are(&self, specs: &Specs, wanted: impl Fn(&str) -> bool) -> Result<Suite, Failure> {
        let told_by_path = self.cases.is_none();
        let picked = |stem: &str| wanted(stem) && (!told_by_path || is_specified(specs, stem));
        Suite::load(&self.cases(), specs, picked).map_err(|problems| self.not_together(problems, specs))
    }

    /// What is wrong with cases. Where only one of the two was named and nothing fits together, the other one is
    /// missing, and not every file is wrong.
    fn not_together(&self, problems: Vec<Diagnostic>, specs: &Specs) -> Failure {
        let count = render::counted(problems.len(), "problem");
        // An operator that a known family lacks is one that is misspelt.
        let unspecified = |problem: &Diagnostic| {
            let message = &problem.problem.message;
            let of_family = |family: &str| message.strip_prefix(&format!("`{family}/")).is_some();
            message.ends_with(UNSPECIFIED) && !specs.families().any(|family| of_family(&family.name))
        };
        match (&self.cases, &self.specs, problems.first()) {
            (None, Some(specs), Some(first)) => Failure::Usage(format!(
                "the embedded cases do not fit the specifications in `{}` ({count}; the first in `{}`: {}); \
                 `--cases DIR` names the cases that go with `--specs`",
                specs.display(),
                first.file.display(),
                first.problem.message
            )),
            (Some(cases), None, Some(first)) if problems.iter().all(unspecified) => Failure::Usage(format!(
                "no embedded specification has what the cases in `{}` are of ({count}; the first in `{}`: {}); \
                 `--specs DIR` names the specifications that go with `--cases`",
                cases.display(),
                first.file.display(),
                first.problem.message
            )),
            _ => Failure::Files(problems),
        }
    }

    /// The ids of all cases. Nothing is wrong with what is embedded, so that names are all that is read of it.
    pub(crate) fn ids(&self, specs: &Specs) -> Result<Vec<String>, Failure> {
        if self.cases.is_some() || self.specs.is_some() {
            let suite = self.load_suite(specs, &Filter::default())?;
            return Ok(suite.cases.iter().map(|case| case.about().id.clone()).collect());
        }
        let files = self.cases().files().map_err(Failure::Files)?;
        Ok(files.par_iter().flat_map_iter(|file| ids(file, specs)).collect())
    }

    /// Terms that pick nothing, with the ids that were perhaps meant.
    pub(crate) fn nothing_picked(&self, terms: &str, specs: &Specs) -> Failure {
        let options = self.as_options().iter().map(|option| format!(" {option}")).collect::<String>();
        let ids = self.ids(specs).unwrap_or_default();
        // A case is picked by its id, and by what that begins with.
        let known: BTreeSet<&str> = ids.iter().flat_map(|id| [&**id].into_iter().chain(beginnings(id))).collect();
        let meant = did_you_mean(terms.trim_end_matches(['/', '*']), known);
        let file = if Path::new(terms).exists() { "; it is a file or folder, which `--cases` names" } else { "" };
        Failure::Usage(format!("`{terms}` picks no case; `opcert list{options}` shows them{meant}{file}"))
    }

    /// What is no case's id where one is asked for, and maybe picks several.
    pub(crate) fn not_one(&self, id: &str, specs: &Specs) -> Failure {
        let picked = Filter::parse(&[id]).ok().and_then(|filter| {
            let suite = self.load_suite(specs, &filter).ok()?;
            Some(suite.cases.iter().filter(|case| filter.picks(case)).count())
        });
        match picked {
            None | Some(0) => self.nothing_picked(id, specs),
            Some(count) => {
                let options = self.as_options().iter().map(|option| format!(" {option}")).collect::<String>();
                let (count, listed) = (render::counted(count, "case"), quoted(id));
                Failure::Usage(format!(
                    "`{id}` picks {count}, and one is shown; `opcert list {listed}{options}` lists their ids"
                ))
            }
        }
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

/// Whether the file of cases with this stem is of an operator that is specified.
fn is_specified(specs: &Specs, stem: &str) -> bool {
    let of = |id: &str| stem.strip_prefix(id).is_some_and(|rest| rest.starts_with('/'));
    specs.operators.iter().any(|operator| of(&operator.id))
}

/// What an id begins with: its file, its folders, its operator.
fn beginnings(id: &str) -> impl Iterator<Item = &str> {
    id.match_indices('/').skip(1).map(|(at, _)| &id[..at])
}

/// Makes sure that what an option names is there.
pub(crate) fn is_there(option: &str, path: &Path, kind: &str) -> Result<(), Failure> {
    if path.exists() {
        return Ok(());
    }
    let path_shown = path.display();
    if path.is_symlink() {
        return Err(Failure::Usage(format!("`{option} {path_shown}`: the link leads to no {kind}")));
    }
    Err(Failure::Usage(format!("`{option} {path_shown}`: there is no such {kind}{}", path_meant(path))))
}

/// Reads the file of known failures that `--expectations` names.
pub(crate) fn named_failures(file: &Path) -> Result<KnownFailures, Failure> {
    is_there("--expectations", file, "file")?;
    KnownFailures::load(file).map_err(Failure::Files)
}

/// Whether something in a text cannot be seen on one line.
pub(crate) fn has_unseen(text: &str) -> bool {
    text.contains(|letter| is_unseen(letter) || matches!(letter, '\n' | '\t'))
}

/// An argument as a shell takes it. What cannot be seen is written out, as bash and its relatives read it.
pub(crate) fn quoted(argument: &str) -> String {
    // What stands for a case in a command that repeats it stands for nothing in an argument.
    let has_brace = argument.contains("{case}") || argument.contains("{test}");
    if has_brace || has_unseen(argument) {
        let letters = argument.chars().map(|letter| match letter {
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            '\'' | '\\' => format!("\\{letter}"),
            '{' => "\\173".to_owned(),
            _ if is_unseen(letter) => format!("\\U{:08X}", u32::from(letter)),
            _ => letter.to_string(),
        });
        return format!("$'{}'", letters.collect::<String>());
    }
    // Only a zero byte cannot be quoted, and no argument has one.
    words::quoted(argument)
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
        let meant = did_you_mean(name, specs.families().flat_map(|family| &family.levels).map(String::as_str));
        return Err(Failure::Usage(format!("`{name}` is no feature level; {}{meant}", known.join("; "))));
    }
    Ok(Selection { filter, level: level.map(str::to_owned), large, only: None, shard: None, once: false })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    fn verdict(specs: Option<PathBuf>, cases: Option<PathBuf>) -> (bool, bool) {
        let sources = Sources { cases, specs };
        let specs = sources.load_specs().map_err(|_| "specifications").unwrap();
        let are_embedded = sources.are_embedded(&specs).map_err(|_| "digests").unwrap();
        (are_embedded, sources.give_a_verdict(&specs).map_err(|_| "families").unwrap())
    }

    #[test]
    fn a_quoted_argument_has_nothing_that_cannot_be_seen() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's\n\\\t\u{202E}\u{1b}"), r"$'it\'s\n\\\t\U0000202E\U0000001B'");
        // In a command that repeats a case these stand for the case.
        assert_eq!(quoted("{case}/{test} {all}"), r"$'\173case}/\173test} \173all}'");
    }

    #[test]
    fn the_embedded_files_give_their_verdict_from_wherever_they_are_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (specs, cases) = (root.join("specs"), root.join("cases"));
        assert_eq!(verdict(None, None), (true, true));
        assert_eq!(verdict(Some(specs.clone()), Some(cases.clone())), (true, true));
        assert_eq!(verdict(Some(specs.clone()), None), (true, true));
        // Fewer cases, and a family of ours in other words.
        assert_eq!(verdict(None, Some(cases.join("onnx"))), (false, false));
        let other = tempfile::tempdir().unwrap();
        fs::create_dir(other.path().join("onnx")).unwrap();
        for name in ["family.yaml", "arg_max.yaml"] {
            let text = fs::read_to_string(specs.join("onnx").join(name)).unwrap();
            fs::write(other.path().join("onnx").join(name), text + "# mine\n").unwrap();
        }
        assert_eq!(verdict(Some(other.path().to_owned()), Some(cases.join("onnx"))), (false, false));
        // One's own.
        let own = root.join("examples/own_operator");
        assert_eq!(verdict(Some(own.join("specs")), Some(own.join("cases"))), (false, true));
    }
}
