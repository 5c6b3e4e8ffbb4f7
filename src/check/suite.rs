//! All cases of a source, checked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::CheckedCase;
use super::covered::{compared, completed};
use crate::case::{Case, CaseSource, Few, LoadedFile, diagnostics};
use crate::diagnostic::Diagnostic;
use crate::source::SourceFile;
use crate::spec::Specs;
use crate::yaml::Problems;

/// Checked cases, in the order of their files.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The cases.
    pub cases: Vec<CheckedCase>,
    /// A digest over the places and texts of all files that were read.
    pub digest: String,
}

impl Suite {
    /// Reads and checks the files of a source that `wanted` picks by their stem
    /// (`directml/one_hot/documented`), in parallel.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of the files, each with its place; and a source without a single case file.
    pub fn load(source: &CaseSource, specs: &Specs, wanted: impl Fn(&str) -> bool) -> Result<Self, Vec<Diagnostic>> {
        Self::read(source, specs, wanted, Trust::Files)
    }

    /// The same of all files, and works out what their cases cover even where they name all of it.
    ///
    /// # Errors
    ///
    /// Those of [`Suite::load`], and every case that covers something else than it says.
    pub fn validated(source: &CaseSource, specs: &Specs) -> Result<Self, Vec<Diagnostic>> {
        Self::read(source, specs, |_| true, Trust::Nothing)
    }

    fn read(
        source: &CaseSource,
        specs: &Specs,
        wanted: impl Fn(&str) -> bool,
        trust: Trust,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut files = source.files()?;
        if files.is_empty() {
            let folder = source.root().unwrap_or(Path::new("cases"));
            return Err(vec![Diagnostic::without_text(folder, "there are no case files (`*.yaml`) here")]);
        }
        files.retain(|file| wanted(&file.stem));
        let loaded: Vec<_> = files.par_iter().map(|file| load_file(file, specs, trust)).collect();
        let mut digest = blake3::Hasher::new();
        let (mut read, mut diagnostics) = (Vec::new(), Vec::new());
        for file in loaded {
            match file {
                Ok((cases, file_digest)) => {
                    digest.update(file_digest.as_bytes());
                    read.push(cases);
                }
                Err(found) => diagnostics.extend(found),
            }
        }
        let suite = Self { cases: in_order(read), digest: digest.finalize().to_hex().to_string() };
        diagnostics.extend(duplicates(&suite.cases));
        if diagnostics.is_empty() { Ok(suite) } else { Err(diagnostics) }
    }
}

/// The cases of all files, by operator and file: those of a file are of one operator.
fn in_order(mut files: Vec<Vec<CheckedCase>>) -> Vec<CheckedCase> {
    files.sort_by_cached_key(|cases| {
        let about = cases.first()?.about();
        Some((about.operator.id.clone(), Arc::clone(&about.file)))
    });
    let count: usize = files.iter().map(Vec::len).sum();
    let mut files = files.into_iter();
    // Those of a large file are not there twice.
    let mut all = files.next().unwrap_or_default();
    all.reserve_exact(count - all.len());
    files.for_each(|cases| all.extend(cases));
    all
}

/// Ids that stand in more than one file; within a file, a name stands once.
fn duplicates(cases: &[CheckedCase]) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<&str, &CheckedCase> = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for case in cases {
        let about = case.about();
        if let Some(first) = seen.insert(&about.id, case) {
            let message = format!("the case `{}` stands in `{}` as well", about.id, first.about().file.display());
            diagnostics.push(Diagnostic::without_text(&about.file, message));
        }
    }
    diagnostics
}

/// Whose word is taken for what cases cover.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// That of files whose cases name all of it: working it out takes far longer than reading.
    Files,
    /// Nobody's.
    Nothing,
}

fn load_file(
    file: &SourceFile,
    specs: &Specs,
    trust: Trust,
) -> Result<(Vec<CheckedCase>, blake3::Hash), Vec<Diagnostic>> {
    let mut checked = Vec::new();
    let take = |Few { cases, of, complete, sound }: Few, problems: &mut Problems| {
        let check = |case: Case| match (complete, trust) {
            // What a case covers of which a part could not be read says nothing.
            _ if !sound => CheckedCase::of(case),
            (true, Trust::Files) => CheckedCase::of(case),
            (true, Trust::Nothing) => compared(&case).and_then(|()| CheckedCase::of(case)),
            (false, _) => completed(case).and_then(CheckedCase::of),
        };
        // A list that grew would be copied over and over.
        checked.reserve_exact(of - checked.len());
        for each in cases.into_par_iter().map(check).collect::<Vec<_>>() {
            match each {
                Ok(case) => checked.push(case),
                Err(found) => found.into_iter().for_each(|problem| problems.push(problem)),
            }
        }
    };
    let LoadedFile { problems, text, digest } =
        LoadedFile::read(file, specs, take).map_err(|diagnostic| vec![*diagnostic])?;
    if problems.is_empty() { Ok((checked, digest)) } else { Err(diagnostics(file, "cases", &text, problems)) }
}
