//! Known failures: their file, what they change in a run, and how the file is written. This program is the command,
//! with backends of its own, and runs itself.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use libtest_mimic::{Arguments, Failed, Trial};
use opcert::backend::{
    Backend, CompileError, DataType, Descriptor, Fault, Identity, Input, Operator, Output as Bound, Support, operators,
};
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::cli::{BackendEntry, main_with};
use opcert::diagnostic::Diagnostic;
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;
use tempfile::TempDir;

/// Set where this program is the command and not the tests.
const COMMAND: &str = "OPCERT_TEST_IS_THE_COMMAND";

const EXAMPLES: &str = "directml/argmax/documented/example_*";
const TIES: &str = "directml/argmax/documented/tie_example_*";
const LAST_TIE: &str = "directml/argmax/documented/tie_example_decreasing";

const BACKENDS: [BackendEntry; 5] = [
    BackendEntry::new("other", || Box::new(CpuBackend::new())),
    BackendEntry::new("right", || Box::new(Selective(Trouble::None))),
    BackendEntry::new("failing", || Box::new(Selective(Trouble::Fails))),
    BackendEntry::new("wrong", || Box::new(Selective(Trouble::Zeros))),
    BackendEntry::new("narrow", || Box::new(Selective(Trouble::Unsupported))),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    None,
    Fails,
    Zeros,
    Unsupported,
}

/// In trouble with the last of the greatest elements.
struct Selective(Trouble);

impl Selective {
    fn concerns(&self, descriptor: &Descriptor) -> bool {
        let last = descriptor.enumerator("AxisDirection") == Some(operators::AXIS_DIRECTION_DECREASING);
        let half = descriptor.tensor("InputTensor").is_some_and(|input| input.data_type == DataType::F16);
        let documented = descriptor.tensor("InputTensor").is_some_and(|input| input.sizes == [5]);
        self.0 != Trouble::None && last && (half || documented)
    }
}

impl Backend for Selective {
    fn identity(&self) -> Identity {
        let device = Some("Red one".into());
        // The only operator that is asked for here, so that a whole run is one of its cases.
        let claims = [("directml/argmax".to_owned(), "6_4".to_owned())].into();
        Identity { name: "selective".into(), version: "1.2.3".into(), device, claims, ..CpuBackend::new().identity() }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        if self.0 == Trouble::Unsupported && self.concerns(descriptor) {
            return Support::No("the last one is not looked for".to_owned());
        }
        CpuBackend::new().supports(descriptor)
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let operator = CpuBackend::new().compile(descriptor)?;
        Ok(if self.concerns(descriptor) { Box::new(InTrouble(self.0)) } else { operator })
    }
}

struct InTrouble(Trouble);

impl Operator for InTrouble {
    fn dispatch(&mut self, _: &[Input<'_>], outputs: &mut [Bound<'_>]) -> Result<(), Fault> {
        if self.0 == Trouble::Fails {
            return Err(Fault::Failed("no kernel".to_owned()));
        }
        outputs.iter_mut().for_each(|output| output.bytes.fill(0));
        Ok(())
    }
}

/// A test and its name.
type Named = (&'static str, fn() -> Result<(), Failed>);

/// A file that is refused: its entries, what is said, where, and the text that the carets stand under.
const REFUSED: [(&str, &str, &str, &str, &str); 20] = [
    ("not_yaml", "  - case: a: b", "not YAML: ", ":2:12", ":"),
    ("no_list", "  a: b", "expected a list, found a mapping", ":2:3", "a"),
    ("an_unknown_key", "  - {case: a/b, outcome: fail, reason: x, why: y}", "unknown key `why`", ":2:43", "why"),
    ("no_case", "  - {outcome: fail, reason: x}", "`case` is missing", ":2:5", "{"),
    ("no_outcome", "  - {case: a/b, reason: x}", "`outcome` is missing", ":2:5", "{"),
    ("no_reason", "  - {case: a/b, outcome: fail}", "`reason` is missing", ":2:5", "{"),
    ("an_empty_reason", "  - {case: a/b, outcome: fail, reason: ''}", "the reason is empty", ":2:40", "''"),
    ("a_blank_reason", "  - {case: a/b, outcome: fail, reason: ' '}", "the reason is empty", ":2:40", "' '"),
    ("a_null_reason", "  - {case: a/b, outcome: fail, reason: ~}", "expected text, found nothing (`~`)", ":2:40", "~"),
    ("no_outcome_of_that_name", "  - {case: a/b, outcome: bad, reason: x}", "unknown name `bad`", ":2:26", "bad"),
    ("a_pass_is_no_failure", "  - {case: a/b, outcome: pass, reason: x}", "unknown name `pass`", ":2:26", "pass"),
    (
        "observed_is_none",
        "  - {case: a/b, outcome: observed, reason: x}",
        "unknown name `observed`",
        ":2:26",
        "observed",
    ),
    ("unsupported_is_none", "  - {case: a, outcome: unsupported, reason: x}", "`unsupported`", ":2:24", "unsupported"),
    (
        "no_glob",
        "  - {case: 'a[b', outcome: fail, reason: x}",
        "`a[b` is no glob: invalid range pattern",
        ":2:12",
        "'a[b'",
    ),
    ("no_link", "  - {case: a/b, outcome: fail, reason: x, link: 42}", "`42` is no link", ":2:49", "42"),
    ("an_empty_device", "  - {case: a, outcome: fail, reason: x, device: ''}", "`device` is empty", ":2:49", "''"),
    ("an_empty_version", "  - {case: a, outcome: fail, reason: x, version: ''}", "`version` is empty", ":2:50", "''"),
    (
        "out_of_order",
        "  - {case: b/b, outcome: fail, reason: x}\n  - {case: a/b, outcome: fail, reason: x}",
        "`a/b` belongs before `b/b`: entries are sorted by case",
        ":3:12",
        "a/b",
    ),
    (
        "devices_out_of_order",
        "  - {case: a/b, outcome: fail, reason: x, device: d}\n  - {case: a/b, outcome: fail, reason: x}",
        "`a/b` belongs before `a/b`: entries are sorted by case",
        ":3:12",
        "a/b",
    ),
    (
        "twice",
        "  - {case: a/b, outcome: fail, reason: x}\n  - {case: a/b, outcome: crash, reason: y}",
        "`a/b` stands here twice",
        ":3:12",
        "a/b",
    ),
];

/// What is wrong with a file only beside the suite: its entries, and everything that is said of it.
const STALE: &str = "  - {case: directml/argmax/documented, outcome: error, reason: x}
  - {case: \"directml/argmax/documented/*_decreasing\", outcome: error, reason: x}
  - {case: \"directml/argmax/documented/tie_*\", outcome: error, reason: x}
  - {case: directml/argmax/lost, outcome: error, reason: x, version: \"1.20\"}
  - {case: directml/argmax/lost, outcome: error, reason: x, device: Red}
  - {case: directml/argmax/lost, outcome: error, reason: x, device: Yellow}
  - {case: directml/argmin/documentd/*, outcome: error, reason: x}
  - {case: directml/argmin/documented/tie_example_decreasng, outcome: error, reason: x}";

const STALE_SAID: &str = "error: `directml/argmax/documented` is stale: there is no such case
 --> known.yaml:2:12
  |
2 |   - {case: directml/argmax/documented, outcome: error, reason: x}
  |            ^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: `directml/argmax/documented/*` matches what is below it

error: `directml/argmax/documented/tie_*` and `directml/argmax/documented/*_decreasing` both match \
                          `directml/argmax/documented/tie_example_decreasing`
 --> known.yaml:4:12
  |
4 |   - {case: \"directml/argmax/documented/tie_*\", outcome: error, reason: x}
  |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: a case is expected to fail once

error: `directml/argmax/lost` is stale: there is no such case
 --> known.yaml:6:12
  |
6 |   - {case: directml/argmax/lost, outcome: error, reason: x, device: Red}
  |            ^^^^^^^^^^^^^^^^^^^^

error: `directml/argmin/documentd/*` is stale: there is no such case
 --> known.yaml:8:12
  |
8 |   - {case: directml/argmin/documentd/*, outcome: error, reason: x}
  |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: did you mean `directml/argmin/documented`?

error: `directml/argmin/documented/tie_example_decreasng` is stale: there is no such case
 --> known.yaml:9:12
  |
9 |   - {case: directml/argmin/documented/tie_example_decreasng, outcome: error, reason: x}
  |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: did you mean `directml/argmin/documented/tie_example_decreasing`?

5 problems in 1 file
";

fn main() -> ExitCode {
    if std::env::var_os(COMMAND).is_some() {
        return main_with(&BACKENDS);
    }
    let refused = |(name, entries, message, place, under)| {
        Trial::test(format!("refused::{name}"), move || is_refused(entries, message, place, under))
    };
    let mut trials: Vec<Trial> = REFUSED.into_iter().map(refused).collect();
    let more: [Named; 18] = [
        ("refused::all_problems_are_said", all_problems_are_said),
        ("refused::beside_the_suite", stale_and_overlapping_entries_are_refused),
        ("patterns_that_begin_with_anything_are_counted", patterns_that_begin_with_anything_are_counted),
        ("what_nobody_reads_changes_no_exit_code", what_nobody_reads_changes_no_exit_code),
        ("a_filtered_run_makes_no_entry_stale", a_filtered_run_makes_no_entry_stale),
        ("an_expected_failure_is_let_pass_and_named", an_expected_failure_is_let_pass_and_named),
        ("another_outcome_is_not_let_pass", another_outcome_is_not_let_pass),
        ("an_unexpected_pass_is_red", an_unexpected_pass_is_red),
        ("scopes_confine_an_entry", scopes_confine_an_entry),
        ("entries_that_came_to_nothing_are_stale", entries_that_came_to_nothing_are_stale),
        ("an_update_makes_a_whole_run_hold_no_surprise", an_update_makes_a_whole_run_hold_no_surprise),
        ("an_update_keeps_what_a_person_wrote", an_update_keeps_what_a_person_wrote),
        ("an_update_splits_what_is_partly_repaired", an_update_splits_what_is_partly_repaired),
        ("an_update_puts_a_file_in_order", an_update_puts_a_file_in_order),
        ("an_update_of_part_of_the_suite_keeps_the_rest", an_update_of_part_of_the_suite_keeps_the_rest),
        ("what_went_wrong_is_run_again", what_went_wrong_is_run_again),
        ("another_backend_or_case_is_not_what_went_wrong", another_backend_or_case_is_not_what_went_wrong),
        ("the_report_of_another_backend_is_kept", the_report_of_another_backend_is_kept),
    ];
    trials.extend(more.map(|(name, test)| Trial::test(name, test)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A folder to work in, with a file of known failures.
struct Place(TempDir);

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    fn new(entries: &str) -> Result<Self, Failed> {
        let place = Self(TempDir::new()?);
        let text = if entries.is_empty() { String::new() } else { format!("expectations:\n{entries}\n") };
        if !text.is_empty() {
            fs::write(place.path("known.yaml"), text)?;
        }
        Ok(place)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Result<String, Failed> {
        Ok(fs::read_to_string(self.path(name))?)
    }

    /// Runs the command on a backend, with the known failures if there are any.
    fn run(&self, backend: &str, arguments: &[&str]) -> Result<Ran, Failed> {
        let known = if self.path("known.yaml").exists() { &["--expectations", "known.yaml"][..] } else { &[] };
        command(self.0.path(), &[arguments, &["--backend", backend], known].concat())
    }

    fn update(&self, arguments: &[&str]) -> Result<Ran, Failed> {
        command(self.0.path(), &[&["expectations", "--expectations", "known.yaml"], arguments].concat())
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Result<Ran, Failed> {
    let mut command = Command::new(std::env::current_exe()?);
    let Output { status, stdout, stderr } = command.args(arguments).env(COMMAND, "").current_dir(folder).output()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Ran { code: status.code(), out: text(stdout), err: text(stderr) })
}

impl Ran {
    fn expect(&self, code: i32, fragments: &[&str]) -> Result<(), Failed> {
        let said = format!("{}{}", self.out, self.err);
        if self.code != Some(code) {
            return Err(format!("exit code {:?}, expected {code}\n{said}", self.code).into());
        }
        let missing = fragments.iter().find(|fragment| !said.contains(**fragment));
        missing.map_or(Ok(()), |fragment| Err(format!("`{fragment}` is not said\n{said}").into()))
    }
}

fn same(found: &str, expected: &str) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("found\n{found}\nexpected\n{expected}").into()) }
}

fn is_refused(entries: &str, message: &str, place: &str, under: &str) -> Result<(), Failed> {
    let ran = Place::new(entries)?.run("right", &["run", EXAMPLES])?;
    ran.expect(2, &["1 problem in 1 file"])?;
    let lines: Vec<&str> = ran.err.lines().collect();
    let caret = lines.iter().position(|line| line.contains('^')).unwrap_or_default();
    let source: Vec<char> = lines[caret.saturating_sub(1)].chars().collect();
    let carets = lines[caret].chars().enumerate().filter(|(_, letter)| *letter == '^');
    let marked: String = carets.filter_map(|(at, _)| source.get(at)).collect();
    let place = format!("--> known.yaml{place}");
    let right = lines[0].starts_with("error: ") && lines[0].contains(message) && lines[1].trim_start() == place;
    if right && marked == under { Ok(()) } else { Err(format!("`{marked}` is marked\n{}", ran.err).into()) }
}

fn all_problems_are_said() -> Result<(), Failed> {
    let entries = "  - {case: a/b, outcome: bad, reason: x}\n  - {case: a/c, outcome: fail, reason: ''}";
    let ran = Place::new(entries)?.run("right", &["run", EXAMPLES])?;
    ran.expect(2, &["unknown name `bad`", "2 problems in 1 file"])?;
    let missing = Place::new("")?;
    let ran = command(missing.0.path(), &["run", EXAMPLES, "--expectations", "known.yaml"])?;
    ran.expect(2, &["`--expectations known.yaml`: there is no such file"])?;
    fs::write(missing.path("known.yml"), "expectations: []\n")?;
    let ran = command(missing.0.path(), &["run", EXAMPLES, "--expectations", "known.yaml"])?;
    ran.expect(2, &["`--expectations known.yaml`: there is no such file; did you mean `known.yml`?"])
}

fn stale_and_overlapping_entries_are_refused() -> Result<(), Failed> {
    let ran = Place::new(STALE)?.run("right", &["certify"])?;
    ran.expect(2, &[])?;
    same(&ran.err, STALE_SAID)
}

/// Each has to be tried on every case.
fn patterns_that_begin_with_anything_are_counted() -> Result<(), Failed> {
    let entries: Vec<String> =
        (0..2000).map(|at| format!("  - {{case: '*q{at:04}', outcome: error, reason: x}}")).collect();
    let long = Place::new(&format!("  - {{case: '{}', outcome: error, reason: x}}", "?".repeat(1001)))?;
    long.run("right", &["run", EXAMPLES])?.expect(2, &["a glob over ids has at most 1000 letters"])?;
    let place = Place::new("")?;
    place.run("right", &["run", EXAMPLES, "--out", "few"])?.expect(0, &[])?;
    fs::write(place.path("known.yaml"), format!("expectations:\n{}\n", entries.join("\n")))?;
    let told = ["patterns are tried ", "begin it with the operator and the file"];
    place.run("right", &["certify"])?.expect(2, &told)?;
    place.update(&["few", "--update"])?.expect(2, &told)
}

fn what_nobody_reads_changes_no_exit_code() -> Result<(), Failed> {
    let place = Place::new("")?;
    for arguments in [&["run", TIES][..], &["run", TIES, "--out", "out"], &["run", TIES, "--format", "jsonl"]] {
        let (unread, output) = std::io::pipe()?;
        drop(unread);
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).args(["--backend", "failing"]).env(COMMAND, "").current_dir(place.0.path());
        let ran = command.stdout(output).output()?;
        if ran.status.code() != Some(1) {
            return Err(format!("{arguments:?}: {ran:?}").into());
        }
    }
    Ok(())
}

fn a_filtered_run_makes_no_entry_stale() -> Result<(), Failed> {
    let place = Place::new("  - {case: directml/argmax/lost, outcome: error, reason: x}")?;
    place.run("right", &["run", EXAMPLES])?.expect(0, &["3 cases: 3 pass"])
}

/// The two documented ties, one of which the backends get wrong.
fn tie(rest: &str) -> Result<Place, Failed> {
    Place::new(&format!("  - {{case: {LAST_TIE}, reason: the first one is taken, {rest}}}"))
}

fn an_expected_failure_is_let_pass_and_named() -> Result<(), Failed> {
    let place = tie("outcome: error, link: 'https://example.org/7'")?;
    let ran = place.run("failing", &["run", TIES, "--out", "out", "--dump", "dump"])?;
    let known = "  1 known to come out as `error`: the first one is taken (https://example.org/7)";
    ran.expect(0, &["2 cases: 1 pass, 1 expected-failure", known, "all passed but for 1 of 2 waived"])?;
    let log = place.read("out/events.jsonl")?;
    let waiver = "\"outcome\":\"expected-failure\",\"reason\":\"no kernel\"";
    let reason =
        "\"waiver\":{\"reason\":\"the first one is taken\",\"link\":\"https://example.org/7\",\"outcome\":\"error\"}";
    if !log.contains(waiver) || !log.contains(reason) {
        return Err(log.into());
    }
    let matrix = place.read("out/matrix.md")?;
    let row = "## Known failures\n\nExpected, each for the reason given; none of them counts as passed, and what is unexplained \
               waives nothing.\n\n| cases | \
               outcome | reason |\n|---|---|---|\n| 1 | error | the first one is taken <https://example.org/7> |\n";
    let junit = place.read("out/junit.xml")?;
    let skipped = "<skipped message=\"error: the first one is taken\" type=\"expected-failure\"/>";
    if !matrix.contains(row) || !junit.contains(skipped) || matrix.contains("What went wrong") {
        return Err(format!("{matrix}{junit}").into());
    }
    if place.path("dump").exists() { Err("an expected failure was dumped".into()) } else { Ok(()) }
}

fn another_outcome_is_not_let_pass() -> Result<(), Failed> {
    tie("outcome: fail")?.run("wrong", &["run", TIES])?.expect(0, &["1 pass, 1 expected-failure"])?;
    tie("outcome: fail")?.run("failing", &["run", TIES])?.expect(1, &["1 pass, 1 error", &format!("error {LAST_TIE}")])
}

fn an_unexpected_pass_is_red() -> Result<(), Failed> {
    let place = Place::new(&format!("  - {{case: '{TIES}', outcome: error, reason: the first one is taken}}"))?;
    let ran = place.run("failing", &["run", TIES])?;
    let first = "directml/argmax/documented/tie_example_increasing";
    let said = format!("passes, and `{TIES}` is known to come out as `error`: the first one is taken");
    ran.expect(1, &["1 expected-failure, 1 unexpected-pass", &format!("unexpected-pass {first}"), &said])?;
    // The command that repeats it finds it again.
    let repeat = ran.out.lines().find_map(|line| line.trim().strip_prefix("repeat ")).unwrap_or_default();
    let words: Vec<&str> = repeat.split(' ').skip(1).collect();
    command(place.0.path(), &words)?.expect(1, &["1 case: 1 unexpected-pass"])?;
    // It is evidence all the same.
    place.run("failing", &["run", TIES, "--out", "out"])?.expect(1, &[first])?;
    command(place.0.path(), &["verify", "out"])?.expect(0, &["out: everything fits"])
}

fn scopes_confine_an_entry() -> Result<(), Failed> {
    for (scope, code) in [
        ("device: Red", 0),
        ("device: ed o", 0),
        ("device: Blue", 1),
        ("version: '1.2'", 0),
        ("version: 1.2.3", 0),
        ("version: '1.20'", 1),
        ("version: '2.3'", 1),
        ("device: Red, version: '1.20'", 1),
    ] {
        let ran = tie(&format!("outcome: error, {scope}"))?.run("failing", &["run", TIES])?;
        ran.expect(code, &[]).map_err(|failed| format!("{scope}: {failed:?}"))?;
    }
    Ok(())
}

fn entries_that_came_to_nothing_are_stale() -> Result<(), Failed> {
    let place = tie("outcome: error")?;
    let ran = place.run("narrow", &["certify", "--out", "out"])?;
    let stale = format!("error: `{LAST_TIE}` is stale: none of its cases could fail\n --> known.yaml:2:12\n");
    ran.expect(2, &[&stale, "each was unsupported, not run", "1 problem in 1 file", " cases: "])?;
    if !place.path("out/events.jsonl").exists() {
        return Err("there is no report".into());
    }
    // What was not asked for may still fail.
    let ran = place.run("narrow", &["certify", "--level", "2_0", "--quiet"])?;
    let problem = |found: Vec<Diagnostic>| format!("{found:?}");
    let specs = Specs::load(&Source::embedded_specs()).map_err(problem)?;
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).map_err(problem)?;
    let narrow = Selective(Trouble::Unsupported);
    let is_unsupported = |case: &&CheckedCase| {
        let first = match case {
            CheckedCase::Valid(case) if narrow.concerns(&case.descriptor) => case.level,
            CheckedCase::Refused(case) if narrow.concerns(&case.descriptor) => case.first,
            _ => return false,
        };
        let operator = &case.about().operator;
        operator.id == "directml/argmax" && Some(first) <= operator.family.level("2_0")
    };
    let unsupported = suite.cases.iter().filter(is_unsupported).count();
    ran.expect(4, &[&format!(", {unsupported} unsupported")])?;
    if ran.err.is_empty() { Ok(()) } else { Err(ran.err.into()) }
}

fn an_update_makes_a_whole_run_hold_no_surprise() -> Result<(), Failed> {
    let place = Place::new("")?;
    place.run("wrong", &["certify", "--out", "before"])?.expect(1, &["partial"])?;
    place.update(&["before"])?.expect(1, &["`known.yaml` is out of date"])?;
    if place.path("known.yaml").exists() {
        return Err("the file was written without `--update`".into());
    }
    let updated = place.update(&["before", "--update"])?;
    let says = "fail: unexplained: `OutputTensor` at [0] is 0, expected 4\n";
    updated.expect(0, &[&format!("+ {LAST_TIE}: {says}"), "no explanation yet", "`known.yaml` was written"])?;
    // An open question is no failure, but for what is determined beside it.
    let open: Vec<&str> = updated.out.lines().filter(|line| line.starts_with("+ directml/argmax/open/")).collect();
    let determined = "+ directml/argmax/open/nan_among_2048_float16_decreasing: fail: unexplained: `OutputTensor` at [1, 0] \
                      is 0, expected 952";
    if open != [determined] {
        return Err(format!("{open:#?}").into());
    }
    let ran = place.run("wrong", &["certify", "--out", "after"])?;
    // Nothing is a surprise any more. But what nobody has explained is not waived.
    let many = "of them unexplained: these waive nothing until somebody says why they fail";
    ran.expect(4, &["partial", "known to come out as `fail`: unexplained: `OutputTensor`", many])?;
    if ran.out.contains(" waived") || ran.out.contains("unexpected-pass") {
        return Err(ran.out.into());
    }
    let unexplained = place.read("known.yaml")?;
    fs::write(place.path("known.yaml"), unexplained.replace("unexplained: ", "it writes zeros: "))?;
    let explained = place.run("wrong", &["certify"])?;
    explained
        .expect(0, &["conforms but for ", " waived", "known to come out as `fail`: it writes zeros: `OutputTensor`"])?;
    if explained.out.contains("partial") {
        return Err(explained.out.into());
    }
    fs::write(place.path("known.yaml"), unexplained)?;
    place.update(&["after"])?.expect(0, &["`known.yaml` is up to date"])?;
    place.update(&["--backend", "wrong"])?.expect(0, &["`known.yaml` is up to date"])?;
    // Every glob is about failing cases only: the backend that is right passes each of them unexpectedly, but for the open
    // question, in which nothing passes.
    let repaired = place.run("right", &["certify"])?;
    let failed = ran.out.lines().find_map(|line| line.split(", ").find(|part| part.contains("expected-failure")));
    let failed: usize = failed.and_then(|part| part.split(' ').next()?.parse().ok()).ok_or("no failure is known")?;
    repaired.expect(1, &[&format!("{} unexpected-pass", failed - open.len())])?;
    place.update(&["--backend", "right", "--update"])?.expect(0, &[&format!("- {LAST_TIE}: passes now")])?;
    place.run("right", &["certify"])?.expect(0, &["conforms"])?;
    let preamble = "# Known failures of this backend; docs/EXPECTATIONS.md has the format.\n";
    same(&place.read("known.yaml")?, &format!("{preamble}expectations: []\n"))
}

/// Two documented failures of the operator, beside others in a comment and for another device.
const WRITTEN: &str = "  # About the others.
  - case: a/elsewhere
    outcome: crash
    reason: 'it is not ours'   # quoted so
    device: Blue

  # Reported long ago.
  - outcome: error # not fail
    case: directml/argmax/documented/tie_example_decreasing
    reason: >-
      the first one
      is taken";

fn an_update_keeps_what_a_person_wrote() -> Result<(), Failed> {
    let place = Place::new(WRITTEN)?;
    place.run("failing", &["run", TIES, "--out", "out"])?.expect(0, &["1 expected-failure"])?;
    place.update(&["out", "--update"])?.expect(0, &["is up to date", "Not the embedded suite"])?;
    same(&place.read("known.yaml")?, &format!("expectations:\n{WRITTEN}\n"))?;
    // A failure that is new comes into its place, and nothing around it changes.
    place.run("failing", &["certify", "--out", "out"])?.expect(1, &[])?;
    place.update(&["out", "--update"])?.expect(0, &["+ directml/argmax/", "was written"])?;
    let text = place.read("known.yaml")?;
    let (first, last) = WRITTEN.split_once("\n\n").unwrap_or_default();
    if !text.starts_with(&format!("expectations:\n{first}\n")) || !text.contains(&format!("\n\n{last}\n")) {
        return Err(text.into());
    }
    place.run("failing", &["certify"])?.expect(4, &["partial", "unexplained: no kernel"])
}

fn an_update_splits_what_is_partly_repaired() -> Result<(), Failed> {
    let place =
        Place::new(&format!("  - {{case: '{TIES}', outcome: error, reason: none is found, link: 'http://a'}}"))?;
    place.run("failing", &["run", TIES, "--out", "out"])?.expect(1, &[])?;
    let ran = place.update(&["out", "--update"])?;
    ran.expect(0, &[&format!("- {TIES}: 1 of 2 cases pass now"), &format!("+ {LAST_TIE}: error: none is found")])?;
    let entry =
        format!("  - case: {LAST_TIE}\n    outcome: error\n    reason: \"none is found\"\n    link: \"http://a\"\n");
    same(&place.read("known.yaml")?, &format!("expectations:\n{entry}"))?;
    // With another outcome, the reason is another one.
    place.run("wrong", &["run", TIES, "--out", "out"])?.expect(1, &[])?;
    let ran = place.update(&["out", "--update"])?;
    let removed = format!("- {LAST_TIE}: not every case comes out as `error`");
    ran.expect(0, &[&removed, &format!("+ {LAST_TIE}: fail: unexplained: `OutputTensor`")])
}

fn an_update_puts_a_file_in_order() -> Result<(), Failed> {
    let (one, other) = (
        "  - {case: a/a, outcome: fail, reason: x, device: no}",
        "  - {case: a/b, outcome: fail, reason: x, device: no}",
    );
    let place = Place::new(&format!("{other}\n{one}"))?;
    let none = Place::new("")?;
    none.run("right", &["run", TIES, "--out", "out"])?.expect(0, &[])?;
    let report = none.path("out").display().to_string();
    place.update(&[&report])?.expect(1, &["is out of date"])?;
    place.update(&[&report, "--update"])?.expect(0, &["was written"])?;
    same(&place.read("known.yaml")?, &format!("expectations:\n{one}\n{other}\n"))?;
    command(place.0.path(), &["expectations", &report])?.expect(2, &["`--expectations FILE` names"])
}

fn an_update_of_part_of_the_suite_keeps_the_rest() -> Result<(), Failed> {
    let whole = Place::new("")?;
    whole.run("failing", &["certify", "--out", "out"])?.expect(1, &[])?;
    whole.update(&["out", "--update"])?.expect(0, &["was written"])?;
    let before = whole.read("known.yaml")?;
    whole.run("failing", &["run", EXAMPLES, "--out", "part"])?.expect(0, &["3 pass"])?;
    whole.update(&["part", "--update"])?.expect(0, &["up to date", "what was not run is expected as before"])?;
    same(&whole.read("known.yaml")?, &before)
}

fn what_went_wrong_is_run_again() -> Result<(), Failed> {
    let place = Place::new("")?;
    let by_hand = "directml/argmax/by_hand";
    let ran = place.run("failing", &["run", by_hand, TIES, "--out", "out"])?;
    ran.expect(1, &[LAST_TIE])?;
    let bad = place.read("out/events.jsonl")?.lines().filter(|line| line.contains("\"reason\":\"no kernel\"")).count();
    let again = place.run("failing", &["run", "--rerun-failed", "out", "--out", "again"])?;
    again.expect(1, &[&format!("{bad} cases: {bad} error"), "this is no verdict"])?;
    place.run("right", &["run", "--rerun-failed", "out"])?.expect(0, &[&format!("{bad} cases: {bad} ")])?;
    // Filter terms narrow that.
    place.run("failing", &["run", "--rerun-failed", "out", TIES])?.expect(1, &["1 case: 1 error"])?;
    place.run("failing", &["run", "--rerun-failed", "out", EXAMPLES])?.expect(2, &["picks no case"])?;
    place.run("right", &["run", "--rerun-failed", "out", "--out", "good"])?.expect(0, &[])?;
    place
        .run("failing", &["run", "--rerun-failed", "good"])?
        .expect(4, &["nothing went wrong in `good`: nothing is run"])?;
    place
        .run("failing", &["run", "--rerun-failed", "lost"])?
        .expect(2, &["there is no report `lost`: `opcert certify --out DIR` makes one"])?;
    let log = place.read("out/events.jsonl")?.replace(LAST_TIE, "directml/argmax/documented/gone");
    fs::write(place.path("gone.jsonl"), log)?;
    let gone = "`directml/argmax/documented/gone` went wrong in the report, and there is no such case any more";
    let counted = format!("{} cases: {} error", bad - 1, bad - 1);
    place.run("failing", &["run", "--rerun-failed", "gone.jsonl"])?.expect(1, &[gone, &counted])
}

fn another_backend_or_case_is_not_what_went_wrong() -> Result<(), Failed> {
    let place = Place::new("")?;
    place.run("failing", &["run", TIES, "--out", "out"])?.expect(1, &[LAST_TIE])?;
    let other = place.run("other", &["run", "--rerun-failed", "out"])?;
    let repeat = format!("run {LAST_TIE} --backend failing");
    other.expect(2, &["`out` is of selective 1.2.3 on Red one, and this would run cpu ", &repeat])?;
    let log = place.read("out/events.jsonl")?.replace(r#""authority":"stated""#, r#""authority":"derived""#);
    fs::write(place.path("changed.jsonl"), log)?;
    let changed = format!("`{LAST_TIE}` is another case than the one that went wrong in `changed.jsonl`");
    place.run("failing", &["run", "--rerun-failed", "changed.jsonl"])?.expect(2, &[&changed])?;
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/cases");
    let mended = place.run("failing", &["run", "--rerun-failed", "changed.jsonl", "--cases", cases])?;
    mended.expect(1, &[&format!("`{LAST_TIE}` went wrong in the report, and is another case now"), "1 error"])
}

fn the_report_of_another_backend_is_kept() -> Result<(), Failed> {
    let place = Place::new("")?;
    place.run("right", &["run", EXAMPLES, "--out", "out"])?.expect(0, &[])?;
    let before = place.read("out/certificate.json")?;
    let lost = "`out` holds a report of `selective`, and this is one of `cpu`: name another folder";
    place.run("other", &["run", EXAMPLES, "--out", "out"])?.expect(2, &[lost])?;
    same(&place.read("out/certificate.json")?, &before)?;
    place.run("failing", &["run", TIES, "--out", "out"])?.expect(1, &[])
}
