//! A bundle of a backend of which something goes wrong, made once, and changed in memory before it is verified.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use opcert::backend::{Backend, CompileError, DataType, Descriptor, Fault, Identity, Input, Operator, Output, Support};
use opcert::case::CaseSource;
use opcert::certification::Certification;
use opcert::check::Suite;
use opcert::expectations::Expectations;
use opcert::judge::{CaseEvent, Outcome, Waiver};
use opcert::plan::{Plan, Selection};
use opcert::report::{ENVIRONMENT_FORMAT, Environment, Log, SuiteDigests, bundle};
use opcert::run::Live;
use opcert::signature::Signers;
use opcert::source::{Source, SourceFile};
use opcert::spec::Specs;
use opcert::verify::{Reference, Verified, verify};
use opcert_cpu::CpuBackend;
use serde_json::Value;
use tempfile::TempDir;

/// Of these operators the cases that are generated, but for those of paths, are among [`CASES`].
const WITH_GENERATED: [&str; 6] = [
    "directml/argmax/",
    "directml/nonzero_coordinates/",
    "directml/one_hot/",
    "onnx/arg_max/",
    "onnx/one_hot/",
    "openvino/one_hot_1/",
];

/// The embedded cases that are written by hand, and some of the others: a hundred forgeries are each compared with all there
/// are, and what is looked at does not depend on the operator.
static CASES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let files = Source::embedded_cases().files().unwrap();
    let files = files.into_iter().filter(|SourceFile { stem, .. }| {
        let is_picked = WITH_GENERATED.iter().any(|operator| stem.starts_with(operator)) && !stem.ends_with("/paths");
        is_picked || !stem.contains("/generated/")
    });
    files.map(|file| (file.stem.clone(), file.read().unwrap().into_owned())).collect()
});

/// These cases as if they were the embedded suite.
pub static REFERENCE: LazyLock<Reference> = LazyLock::new(|| {
    let (specs, cases) = (Specs::load(&Source::embedded_specs()).unwrap(), Source::Held(CASES.clone()));
    let suite = Suite::load(&CaseSource(cases.clone()), &specs, |_| true).unwrap();
    let digests = SuiteDigests::of(&specs, &Source::embedded_specs(), &cases).unwrap();
    Reference { specs, suite, digests, embedded: true }
});

/// Writes these cases to `cases` in a folder, for the command.
pub fn write_cases(folder: &Path) {
    write_picked_cases(folder, |_| true);
}

/// The same of a few, where what is run does not matter.
pub fn write_documented_cases(folder: &Path) {
    write_picked_cases(folder, |stem| stem.ends_with("/documented"));
}

fn write_picked_cases(folder: &Path, picked: impl Fn(&str) -> bool) {
    for (stem, text) in CASES.iter().filter(|(stem, _)| picked(stem)) {
        let path = folder.join("cases").join(format!("{stem}.yaml"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// The log of all of it on [`Flawed`], with a failure that is known and a known failure that passes.
pub static LOG: LazyLock<Log> = LazyLock::new(|| {
    let mut log = certified(&Flawed, 1);
    for (from, to) in [(Outcome::Fail, Outcome::ExpectedFailure), (Outcome::Pass, Outcome::UnexpectedPass)] {
        let event = first(&mut log, |event| event.outcome == from);
        event.outcome = to;
        let waiver = Waiver { reason: "known".into(), link: None, outcome: from };
        if from == Outcome::Pass {
            event.reason = Some(waiver.unexpected_pass(&event.case, Outcome::Fail).into());
        }
        event.waiver = Some(waiver);
    }
    log
});

/// The log of every so-manyth case of the suite on a backend.
pub fn certified(backend: &dyn Backend, step: usize) -> Log {
    let cases = REFERENCE.suite.cases.iter().step_by(step).cloned().collect();
    let plan = Plan::new(cases, &REFERENCE.specs, backend, &Selection::default()).unwrap();
    let certification = Certification {
        specs: &REFERENCE.specs,
        cases_digest: REFERENCE.suite.digest.clone(),
        plan: &plan,
        done: Vec::new(),
        expectations: &Expectations::default(),
        executor: &Live(backend),
        through: BTreeMap::new(),
        isolated: false,
        guards: true,
        carried: None,
        shard: None,
        complete: step == 1,
        own_suite: false,
        level: None,
        repeat: "opcert run {case}".to_owned(),
        dump: None,
        max_fail: None,
    };
    certification.run(0, |_| {}).unwrap()
}

/// The first event of a kind.
pub fn first(log: &mut Log, wanted: impl Fn(&CaseEvent) -> bool) -> &mut CaseEvent {
    log.cases.iter_mut().find(|event| wanted(event)).unwrap()
}

/// Files by their names.
#[derive(Clone)]
pub struct Files(pub BTreeMap<String, Vec<u8>>);

impl Files {
    /// The bundle as it was made.
    pub fn untouched() -> Self {
        static FILES: LazyLock<Files> = LazyLock::new(|| Files::of(&LOG));
        FILES.clone()
    }

    /// A bundle of another log: whoever changed the log made everything else anew.
    pub fn forged(edit: impl FnOnce(&mut Log)) -> Self {
        let mut log = LOG.clone();
        edit(&mut log);
        Self::of(&log)
    }

    pub fn of(log: &Log) -> Self {
        let environment = Environment {
            format: ENVIRONMENT_FORMAT,
            started: "2001-02-03T04:05:06Z".to_owned(),
            milliseconds: 1234,
            command: vec!["opcert".to_owned(), "certify".to_owned()],
            system: "linux".to_owned(),
            architecture: "x86_64".to_owned(),
            processor: None,
            cores: 2,
        };
        let files = bundle(log, REFERENCE.digests.clone(), &environment).unwrap();
        Self(files.into_iter().map(|(name, text)| (name.to_owned(), text.into_bytes())).collect())
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.0[name].clone()).unwrap()
    }

    /// Replaces a text that stands there once.
    pub fn replace(mut self, name: &str, from: &str, to: &str) -> Self {
        let text = self.text(name);
        assert_eq!(text.matches(from).count(), 1, "`{from}` in `{name}`");
        self.0.insert(name.to_owned(), text.replace(from, to).into_bytes());
        self
    }

    /// Changes the certificate, and writes it as opcert would.
    pub fn certificate(mut self, edit: impl FnOnce(&mut Value)) -> Self {
        let mut certificate: Value = serde_json::from_str(&self.text("certificate.json")).unwrap();
        edit(&mut certificate);
        let certificate: opcert::report::Certificate = serde_json::from_value(certificate).unwrap();
        self.0.insert("certificate.json".to_owned(), certificate.text().unwrap().into_bytes());
        self
    }

    /// Writes the files to a folder.
    pub fn write(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        self.0.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).unwrap());
        folder
    }

    /// Verifies the bundle.
    pub fn verify(&self, signers: Option<&Signers>) -> Verified {
        verify(self.write().path(), &REFERENCE, signers).unwrap()
    }

    /// What is said of it.
    pub fn misfits(&self) -> Vec<String> {
        self.verify(None).misfits.iter().map(ToString::to_string).collect()
    }
}

/// The CPU backend, which gets the first element wrong where an output is of type i16, cannot do FLOAT16 and strides,
/// and claims less than there is.
struct Flawed;

struct FlawedOperator {
    inner: Box<dyn Operator>,
    wrong: bool,
}

impl Backend for Flawed {
    fn identity(&self) -> Identity {
        let mut identity = CpuBackend::new().identity();
        identity.claims.insert("directml".to_owned(), "4_0".to_owned());
        Identity { name: "flawed".into(), strided: false, ..identity }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        let half = descriptor.tensors.iter().any(|entry| entry.tensor.data_type == DataType::F16);
        if half { Support::No("no halves".to_owned()) } else { CpuBackend::new().supports(descriptor) }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let inner = CpuBackend::new().compile(descriptor)?;
        let wrong = descriptor.tensors.last().is_some_and(|entry| entry.tensor.data_type == DataType::I16);
        Ok(Box::new(FlawedOperator { inner, wrong }))
    }
}

impl Operator for FlawedOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        self.inner.dispatch(inputs, outputs)?;
        if self.wrong {
            outputs.iter_mut().filter_map(|output| output.bytes.first_mut()).for_each(|byte| *byte ^= 1);
        }
        Ok(())
    }
}
