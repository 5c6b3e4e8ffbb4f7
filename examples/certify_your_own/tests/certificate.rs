//! A backend that claims one operator and does it right has a green run, and a certificate that says so much and no
//! more. This program is the command for the backend, and runs itself.

use std::fs;
use std::process::{Command, ExitCode};

use certify_your_own::SmallBackend;
use libtest_mimic::{Arguments, Failed, Trial};
use opcert::cli::{BackendEntry, main_with};
use opcert::report::Certificate;
use opcert::source::Source;
use opcert::spec::Specs;
use tempfile::TempDir;

/// Set where this program is the command and not the tests.
const COMMAND: &str = "OPCERT_TEST_IS_THE_COMMAND";

fn main() -> ExitCode {
    if std::env::var_os(COMMAND).is_some() {
        return main_with(&[BackendEntry::new("small", || Box::new(SmallBackend))]);
    }
    let trials = ["--in-process", "--isolate"].map(|way| {
        Trial::test(format!("what_is_claimed_conforms::{}", way.trim_start_matches('-')), move || certified(way))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

fn certified(way: &str) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let said = opcert(&folder, &["certify", way, "--out", "report"])?;
    expect(said.contains("conforms") && !said.contains("packed only") && !said.contains("partial"), &said)?;
    expect(said.contains(" not-run: the backend does not claim the operator ("), &said)?;
    expect(said.contains("\nnot claimed: directml/"), &said)?;
    opcert(&folder, &["verify", "report"])?;

    let text = fs::read_to_string(folder.path().join("report/certificate.json"))?;
    let certificate: Certificate = serde_json::from_str(&text)?;
    expect(certificate.run.complete && certificate.wrong.is_empty(), &text)?;
    expect(certificate.backend.claims.keys().eq(["directml/argmax"]), &text)?;
    let specs = Specs::load(&Source::embedded_specs()).map_err(|found| format!("{found:?}"))?;
    for (id, operator) in &certificate.operators {
        let known = specs.operator(id).ok_or("an operator that there is not")?;
        for (level, verdict) in &operator.levels {
            let is_absent = known.family.level(level).is_some_and(|level| level < known.introduced);
            let expected = match (id.as_str(), level.as_str()) {
                ("directml/argmax", "3_0") => "conforms",
                _ if is_absent => "absent",
                _ => "not claimed",
            };
            let standings = [&verdict.stated.standing, &verdict.derived.standing];
            expect(standings == [expected; 2], &format!("{id} at {level}: {standings:?}, expected {expected}"))?;
        }
        expect(operator.types.is_empty() == (id != "directml/argmax"), &format!("types of {id}"))?;
    }

    let matrix = fs::read_to_string(folder.path().join("report/matrix.md"))?;
    expect(matrix.contains("Claims: directml/argmax 3_0.") && matrix.contains("| not claimed |"), &matrix)?;
    expect(matrix.contains("\nNot claimed: `directml/argmin`, ") && !matrix.contains("## directml/argmin"), &matrix)?;
    for format in ["html", "svg", "badge"] {
        let rendered = opcert(&folder, &["matrix", "report", "--format", format])?;
        let says = if format == "badge" { "conforms: directml/argmax 3_0" } else { "not claimed" };
        expect(rendered.contains(says), &format!("{format} does not say `{says}`"))?;
    }
    Ok(())
}

/// Runs the command, which ends well.
fn opcert(folder: &TempDir, arguments: &[&str]) -> Result<String, Failed> {
    let command =
        Command::new(std::env::current_exe()?).env(COMMAND, "").current_dir(folder).args(arguments).output()?;
    let said = String::from_utf8_lossy(&command.stdout).into_owned() + &String::from_utf8_lossy(&command.stderr);
    expect(command.status.success(), &format!("{arguments:?}: {}\n{said}", command.status))?;
    Ok(said)
}

fn expect(holds: bool, otherwise: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(otherwise.to_owned().into()) }
}
