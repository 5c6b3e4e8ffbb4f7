//! Cases as tests: one libtest-compatible test per case, under `cargo test` and cargo-nextest.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use opcert_backend::Backend;
use opcert_backend::foreign::printable_line;

use crate::case::CaseSource;
use crate::check::Suite;
use crate::diagnostic::Diagnostic;
use crate::judge::judge;
use crate::plan::{ClaimError, Decision, Plan, Planned, Selection};
use crate::render::USUAL_WIDTH;
use crate::report::explain_failure;
use crate::run::execute;
use crate::source::Source;
use crate::spec::Specs;

/// Tests a backend with the embedded cases. This is all of a `tests/conformance.rs` with `harness = false`:
///
/// ```no_run
/// # struct MyBackend;
/// # use opcert_backend::*;
/// # impl Backend for MyBackend {
/// #     fn identity(&self) -> Identity { unimplemented!() }
/// #     fn supports(&self, _: &Descriptor) -> Support { unimplemented!() }
/// #     fn compile(&self, _: &Descriptor) -> Result<Box<dyn Operator>, CompileError> { unimplemented!() }
/// # }
/// fn main() -> std::process::ExitCode {
///     opcert::conformance(MyBackend)
/// }
/// ```
///
/// Tests are named `family::operator::file::case`; the kind is the backend's name. What the backend says it cannot do
/// or does not claim is an ignored test with the reason in its kind, and is never *ok*. A test that is asked for by
/// its exact name reads only the file that holds it.
pub fn conformance(backend: impl Backend + 'static) -> ExitCode {
    let mut arguments = Arguments::from_args();
    // A case's id, as failures and reports write it, is as good as the name of its test.
    arguments.filter = arguments.filter.map(|name| if name.starts_with('[') { name } else { name.replace('/', "::") });
    let only = arguments.filter.as_deref().filter(|_| arguments.exact).map(stem_of_test);
    match trials(&(Arc::new(backend) as Arc<dyn Backend>), only.as_deref()) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(NoTrials::Files(diagnostics)) => {
            let styled = std::io::stderr().is_terminal();
            for diagnostic in diagnostics {
                eprintln!("{}", diagnostic.render(styled));
            }
            ExitCode::from(2)
        }
        Err(NoTrials::Claim(error)) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}

/// How one test is repeated.
const REPEAT: &str = "cargo test --test conformance -- --exact {test}";

/// Why there is nothing to test.
enum NoTrials {
    Files(Vec<Diagnostic>),
    Claim(ClaimError),
}

/// The file of a test: `[cpu] directml::one_hot::documented::example_1` → `directml/one_hot/documented`.
fn stem_of_test(name: &str) -> String {
    let name = name.rsplit_once("] ").map_or(name, |(_, name)| name);
    let (file, _) = name.rsplit_once("::").unwrap_or((name, ""));
    file.replace("::", "/")
}

fn trials(backend: &Arc<dyn Backend>, only: Option<&str>) -> Result<Vec<Trial>, NoTrials> {
    let specs = Specs::load(&Source::embedded_specs()).map_err(NoTrials::Files)?;
    let source = CaseSource(Source::embedded_cases());
    let suite = Suite::load(&source, &specs, |stem| only.is_none_or(|only| only == stem)).map_err(NoTrials::Files)?;
    let plan = Plan::new(suite.cases, &specs, &**backend, &Selection::default()).map_err(NoTrials::Claim)?;
    // A test's kind stands on one line of the list, whatever a backend says.
    let name = backend.identity().name.to_string();
    Ok(plan.entries.into_iter().map(|planned| trial(planned, &name, Arc::clone(backend))).collect())
}

fn trial(planned: Planned, backend_name: &str, backend: Arc<dyn Backend>) -> Trial {
    let name = planned.case.about().id.replace('/', "::");
    let (kind, ignored) = match &planned.decision {
        Decision::Run(_) | Decision::Unanswered(_) => (backend_name.to_owned(), false),
        Decision::Unsupported(reason) => (format!("{backend_name}: unsupported: {}", printable_line(reason)), true),
        Decision::NotRun(reason) => (format!("{backend_name}: not run: {}", printable_line(reason)), true),
    };
    let planned = Mutex::new(planned);
    let test = move || {
        let planned = planned.lock().unwrap_or_else(PoisonError::into_inner);
        let event = judge(&planned, execute(&planned, &*backend));
        // A backend that says it can and then cannot has not passed.
        if event.outcome.is_bad() || !event.outcome.ran() {
            return Err(Failed::from(explain_failure(&event, REPEAT, false, USUAL_WIDTH)));
        }
        Ok(())
    };
    Trial::test(name, test).with_kind(kind).with_ignored_flag(ignored)
}
