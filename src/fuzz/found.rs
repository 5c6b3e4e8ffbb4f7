//! From a failing sample to cases of a file, and what a run of that file says.

use std::path::PathBuf;
use std::sync::Arc;

use opcert_backend::{Backend, Descriptor, ForeignText, Identity, NamedTensor};

use super::trial::{Kind, Target, Trial};
use crate::case::{Case, CaseTensor, Data, Expectation, write};
use crate::check::{CheckedCase, breakpoints, completed};
use crate::diagnostic::Problem;
use crate::judge::{CaseEvent, judge};
use crate::plan::{Plan, Selection};
use crate::run::execute;
use crate::sample::Sample;
use crate::spec::{Level, Operator, Specs};

/// The name of the case that fails, in a file of its own.
pub const FOUND: &str = "found";

/// So many digits of the digest of what was found make the name of its file.
const DIGITS: usize = 8;
/// What a backend calls itself is shortened to so many characters.
const LONGEST_NAME: usize = 40;

/// A failure that was found and shrunk.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The number of the sample in the operator's stream.
    pub sample: u64,
    /// The cases of the file that repeats it: the failing one is the last; before it stands its twin, if it has one.
    /// The file that they name is one that nothing else is written to: it follows from the backend and from what is in
    /// the cases.
    pub cases: Vec<Case>,
    /// What a run of the failing case comes to, or of the sample itself where the case does not repeat it.
    pub event: CaseEvent,
    /// The level that the run must be told, because the failure does not show at the levels that a run picks by itself.
    pub level: Option<Level>,
    /// Whether a run of the case fails in the same way.
    pub repeats: bool,
}

/// The cases of a failing sample, and what the validator says against them: that is a mistake of the fuzzer.
pub(super) fn cases(target: &Target, trial: &Trial, name: &str, title: &str) -> Result<Vec<Case>, Vec<Problem>> {
    let blank = Blank { operator: &target.operator, name, title };
    let twin_name = format!("{name}_twin");
    let mut cases = match (&trial.case, &trial.edited) {
        (CheckedCase::Refused(refused), Some(edited)) => {
            let twin = target.valid(trial.sample.clone(), trial.sample_level);
            let twin = twin.map_err(|error| vec![Problem::of_part(name, &[], error.to_string())])?;
            let twin_title = format!("{title}: before the edit");
            let twin = Blank { name: &twin_name, title: &twin_title, ..blank }.valid(&twin)?;
            let mut negative = blank.of(edited, Some(&trial.sample));
            negative.refused_at = Some((trial.level, trial.level));
            negative.expectation = Expectation::Refuses(refused.requirements.clone());
            negative.twin = Some(twin_name.clone());
            vec![twin, negative]
        }
        (_, Some(edited)) => vec![Case { expectation: Expectation::Accepts, ..blank.of(edited, None) }],
        (_, None) => vec![blank.valid(trial)?],
    };
    for case in &mut cases {
        state_levels(case)?;
    }
    Ok(cases)
}

/// The folder of what was found in a backend, below that of an operator: its name and device, with a digest of both
/// where they had to be written differently, so that no two backends share one.
#[must_use]
pub fn folder_of(backend: &Identity) -> String {
    let device = backend.device.as_ref().map(ForeignText::raw);
    let name = device.iter().fold(backend.name.raw().to_owned(), |name, device| format!("{name}-{device}"));
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let short: String =
        name.chars().take(LONGEST_NAME).map(|letter| if plain(letter) { letter } else { '_' }).collect();
    if short == name && backend.device.is_none() && !name.is_empty() {
        return name;
    }
    let digest = blake3::hash(format!("{}\0{device:?}", backend.name.raw()).as_bytes()).to_hex();
    format!("{short}-{}", &digest[..DIGITS])
}

/// Gives cases the place that follows from the backend and from what is in them, whatever they are called.
pub(super) fn place(cases: &mut [Case], backend: &Identity) {
    let Some(operator) = cases.first().map(|case| Arc::clone(&case.operator)) else { return };
    let untitled: Vec<Case> = cases.iter().map(|case| Case { title: None, ..case.clone() }).collect();
    let digest = blake3::hash(write(&operator, "", &untitled).as_bytes()).to_hex();
    place_below(cases, &format!("{}/{}", folder_of(backend), &digest[..DIGITS]));
}

fn place_below(cases: &mut [Case], stem: &str) {
    for case in cases {
        case.id = format!("{}/{stem}/{}", case.operator.id, case.name);
        case.file = Arc::new(PathBuf::from(format!("{}/{stem}.yaml", case.operator.id)));
    }
}

/// Runs the failing case as `opcert run` does: at the levels that it picks, or up to that of the sample.
pub(super) fn repeat(
    cases: &[Case],
    level: Level,
    specs: &Specs,
    (backend, limit): (&dyn Backend, Option<&str>),
) -> Option<(CaseEvent, Option<Level>)> {
    // What it covers is said as well, where that can be worked out; whether it repeats does not hang on that.
    let case = cases.last()?.clone();
    let case = CheckedCase::of(completed(case.clone()).unwrap_or(case)).ok()?;
    let name = case.about().operator.family.level_name(level);
    let bounds = [(limit, None), (Some(name), Some(level))];
    let mut runs = bounds.into_iter().filter_map(|(bound, told)| Some((run(&case, bound, specs, backend)?, told)));
    runs.find(|(event, _)| event.outcome.is_bad())
}

/// Runs one case up to a level.
pub(super) fn run(case: &CheckedCase, bound: Option<&str>, specs: &Specs, backend: &dyn Backend) -> Option<CaseEvent> {
    let selection = Selection { level: bound.map(str::to_owned), ..Selection::default() };
    let plan = Plan::new(vec![case.clone()], specs, backend, &selection).ok()?;
    let planned = plan.entries.first()?;
    Some(judge(planned, execute(planned, backend)))
}

/// Lets the validator say at which level the case is valid, or at which ones it is refused.
fn state_levels(case: &mut Case) -> Result<(), Vec<Problem>> {
    let asked =
        Case { refused_at: None, level: case.refused_at.map_or(case.level, |(first, _)| Some(first)), ..case.clone() };
    match CheckedCase::of(asked)? {
        CheckedCase::Valid(valid) => case.level = Some(valid.level),
        CheckedCase::Refused(refused) => case.refused_at = Some((refused.first, refused.last)),
    }
    Ok(())
}

/// What all cases of a failure have in common.
#[derive(Clone, Copy)]
struct Blank<'a> {
    operator: &'a Arc<Operator>,
    name: &'a str,
    title: &'a str,
}

impl Blank<'_> {
    fn valid(&self, trial: &Trial) -> Result<Case, Vec<Problem>> {
        let mut case = self.of(&trial.sample.descriptor, Some(&trial.sample));
        if let CheckedCase::Valid(valid) = &trial.case {
            case.expectation = valid.expectation.clone();
            case.covers.clone_from(&valid.about.covers);
            case.invariants = valid.invariants.iter().map(|(id, _)| id.clone()).collect();
        }
        // What a sample means may end at a level or begin at one.
        if !self.operator.definition.levels().is_empty() {
            let changes = breakpoints(self.operator).into_iter().filter(|level| *level <= trial.level).max();
            case.level = changes;
            case.covers = completed(case.clone())?.covers;
            // What has values is asked from the level on that it follows from.
            case.level = case.level.filter(|_| matches!(case.expectation, Expectation::Observe));
        }
        Ok(case)
    }

    /// A case of a descriptor with the data of a sample. Constants have the value that the descriptor gives them.
    fn of(&self, descriptor: &Descriptor, sample: Option<&Sample>) -> Case {
        let tensor = |entry: &NamedTensor| {
            let constant = self.operator.tensor(&entry.name).is_some_and(|tensor| tensor.constant);
            let input = sample.and_then(|sample| sample.inputs.iter().find(|input| input.name == entry.name));
            // An edit of its shape may leave a constant without a value.
            let data = if constant {
                descriptor.constant(&entry.name).map(|bytes| Data::Elements(bytes.to_vec()))
            } else {
                input.map(|input| input.data.clone())
            };
            CaseTensor { name: entry.name.clone(), role: entry.role, constant, descriptor: entry.tensor.clone(), data }
        };
        Case {
            id: format!("{}/{}", self.operator.id, self.name),
            name: self.name.to_owned(),
            file: Arc::default(),
            operator: Arc::clone(self.operator),
            title: Some(self.title.to_owned()),
            source: None,
            level: None,
            refused_at: None,
            covers: Vec::new(),
            tensors: descriptor.tensors.iter().map(tensor).collect(),
            attributes: descriptor.attributes.clone(),
            expectation: Expectation::Accepts,
            invariants: Vec::new(),
            large: false,
            twin: None,
        }
    }
}

/// What a sample is, in words.
pub(super) const fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Valid => "a valid sample",
        Kind::Accepted => "a valid descriptor",
        Kind::Invalid => "an invalid descriptor",
        Kind::Skipped => "an open descriptor",
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use opcert_cpu::CpuBackend;

    use super::*;
    use crate::case::CaseSource;
    use crate::check::Suite;
    use crate::fuzz::{Fuzzing, Limit, MOST_FAILURES};
    use crate::source::Source;

    #[test]
    fn no_two_backends_share_a_folder() {
        let folder = |name: &str, device: Option<&str>| {
            let device = device.map(Into::into);
            folder_of(&Identity { name: name.into(), device, ..CpuBackend.identity() })
        };
        assert_eq!(folder("cpu", None), "cpu");
        let names = [
            ("", None),
            ("a b", None),
            ("a_b", None),
            ("a/b", None),
            ("..", None),
            ("a", Some("b")),
            ("a", Some("b c")),
        ];
        let folders: Vec<String> = names.into_iter().map(|(name, device)| folder(name, device)).collect();
        for (at, one) in folders.iter().enumerate() {
            assert!(!one.is_empty() && !one.contains(['/', '.', ' ']), "{one}");
            assert!(!folders[..at].contains(one), "{one}");
        }
        assert_ne!(folder("a-b", None), folder("a", Some("b")));
        assert!(folder(&"long".repeat(50), None).len() < 60);
    }

    #[test]
    fn every_sample_can_be_written_and_read() {
        let specs = Specs::load(&Source::embedded_specs()).unwrap();
        let (backend, limit) = (CpuBackend::new(), Limit::Samples(0));
        let fuzzing = Fuzzing {
            specs: &specs,
            backend: &backend,
            operators: Vec::new(),
            level: None,
            seed: 6,
            jobs: 1,
            limit,
            most_failures: MOST_FAILURES,
        };
        let folder = tempfile::tempdir().unwrap();
        let mut written = Vec::new();
        for target in fuzzing.targets().unwrap() {
            let trials = (0..800).map(|index| (index, fuzzing.sample(&target, index).unwrap()));
            let kept = trials.filter(|(_, trial)| trial.kind != Kind::Skipped);
            let mut cases: Vec<Case> = kept
                .flat_map(|(index, trial)| cases(&target, &trial, &format!("sample_{index}"), "a title").unwrap())
                .collect();
            place_below(&mut cases, "found");
            fs::create_dir_all(folder.path().join(&target.operator.id)).unwrap();
            let text = write(&target.operator, "all of them", &cases);
            fs::write(folder.path().join(&target.operator.id).join("found.yaml"), text).unwrap();
            written.extend(cases.into_iter().map(|case| (case.id, case.level.filter(|_| case.twin.is_none()))));
        }
        let source = CaseSource(Source::Path(folder.path().to_owned()));
        let suite = Suite::load(&source, &specs, |_| true).unwrap_or_else(|problems| {
            panic!("{}", problems.iter().map(|problem| problem.render(false)).collect::<Vec<_>>().join("\n"))
        });
        let read = suite.cases.iter().map(|case| {
            let level = match case {
                CheckedCase::Valid(case) => Some(case.level),
                CheckedCase::Refused(_) => None,
            };
            (case.about().id.clone(), level)
        });
        let mut read: Vec<_> = read.collect();
        read.sort();
        written.sort();
        assert_eq!(read, written);
    }
}
