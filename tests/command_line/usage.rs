//! What a person mistypes or leaves out: one error that names the option, and the name that was perhaps meant.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use crate::command::opcert;
use tempfile::TempDir;

/// Commands are run in the repository, whose folders they name.
fn run(words: &str) -> crate::command::Ran {
    let words = shlex::split(words).unwrap();
    opcert(Path::new(env!("CARGO_MANIFEST_DIR")), &words)
}

/// A specification of another family, with a case.
fn demo(folder: &Path) {
    let specs = folder.join("specs/demo");
    let cases = folder.join("cases/demo/sum");
    fs::create_dir_all(&specs).unwrap();
    fs::create_dir_all(&cases).unwrap();
    let family = "family: demo\ntitle: Demo\nlevels: [\"1\"]\ntypes: {float: f32}\nlayouts: false\ngranularity: 1\n\
                  documents:\n  guide: {revision: first}\noperator: {}\n";
    fs::write(specs.join("family.yaml"), family).unwrap();
    let operator = "operator: demo/sum\ntitle: Sum\nsummary: Adds.\ndocuments:\n  page: {revision: first}\nsubject: input\n\
                    tensors:\n  input: {role: input}\n  output: {role: output}\nattributes: {}\nrequirements:\n  total:\n\
                    \u{20}   text: It is the sum.\n    authority: stated\n    kind: semantics\n\
                    \u{20}   source: {document: page, section: All}\n\
                    definition: |\n  def output(at):\n      return input[at]  # total\n";
    fs::write(specs.join("sum.yaml"), operator).unwrap();
    let case = "operator: demo/sum\ncases:\n  one:\n    level: \"1\"\n    covers: [total]\n    tensors:\n\
                \u{20}     input: {type: float, sizes: [1], data: [1]}\n      output: {type: float, sizes: [1]}\n\
                \u{20}   attributes: {}\n    expect:\n      output: [1]\n";
    fs::write(cases.join("by_hand.yaml"), case).unwrap();
    fs::write(cases.join("more.yaml"), case).unwrap();
}

/// What is printed for a person on so many columns, and what is said beside that.
fn both_at_width(columns: usize, words: &str, folder: &Path) -> [String; 2] {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_opcert"));
    command.args(shlex::split(words).unwrap()).current_dir(folder).env("COLUMNS", columns.to_string());
    let output = command.output().unwrap();
    [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap())
}

/// What is printed for a person on so many columns.
fn at_width(columns: usize, words: &str, folder: &Path) -> String {
    let [printed, _] = both_at_width(columns, words, folder);
    printed
}

/// No line is wider, but for what is one word, such as an id or an address, and tensors.
fn assert_fits(text: &str, columns: usize, words: &str) {
    for line in text.lines().filter(|line| line.chars().count() > columns) {
        let behind = line.trim_start().trim_start_matches(|letter: char| letter.is_alphanumeric());
        assert!(!behind.trim_start().contains(' '), "{words} at {columns}: {line}");
    }
}

#[test]
fn what_is_printed_fits_the_width() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out").display().to_string();
    run(&format!("run directml/argmax/by_hand/axis_0_of_rank_3 --out {out}/before"));
    run(&format!("run directml/argmax/documented --out {out}/after"));
    let known =
        "expectations:\n  - case: directml/argmax/by_hand/axis_0_of_rank_3\n    outcome: fail\n    reason: none\n";
    fs::write(folder.path().join("out/known.yaml"), known).unwrap();
    fs::create_dir(folder.path().join("out/alone")).unwrap();
    let certificate = |name: &str| folder.path().join("out").join(name).join("certificate.json");
    fs::copy(certificate("before"), certificate("alone")).unwrap();
    for words in [
        "run directml/argmax/by_hand/*",
        "list directml/argmax/by_hand/*",
        "explain directml/argmax",
        "explain directml/tensor/total-size",
        "show directml/one_hot/generated/paths/vector_of_2_uint32_float16",
        "show directml/argmax/documented/example_1",
        "show directml/argmax/by_hand/float64_input",
        "expect directml/argmax/by_hand/every_kind_of_tie_in_rows_of_bytes",
        "backends",
        "smoke",
        "matrix --format human reports/cpu reports/numpy",
        "matrix --format human reports/numpy",
        &format!("matrix --format human {out}/before"),
        &format!("diff {out}/before {out}/after"),
        &format!("expectations {out}/before --expectations {out}/known.yaml"),
        &format!("verify {out}/before"),
    ] {
        for columns in [80, 60] {
            let text = at_width(columns, words, root);
            assert!(text.lines().count() > 2, "{words}: {text}");
            assert_fits(&text, columns, words);
        }
    }
    // So does what is said beside it.
    let [_, said] = both_at_width(60, &format!("verify {out}/alone"), root);
    assert!(said.contains("only the certificate is here"), "{said}");
    assert_fits(&said, 60, "verify");
    // Where there is room, packed and strided tensors and refusals stand apart.
    let wide = at_width(200, "run directml/argmax/by_hand/*", root);
    assert!(wide.contains("strided: stated") && wide.contains("refusals"), "{wide}");
    let lines = wide.lines().take(2).collect::<Vec<_>>();
    assert_eq!(lines, ["cpu 0.1.0 in process", "○ all passed: 1 operator"]);
    // For a program a case is a line.
    assert_eq!(run("list directml/argmax/by_hand/owned*").out.lines().count(), 2);
    assert_eq!(at_width(60, "list directml/argmax/by_hand/owned*", root).lines().count(), 5);
}

#[test]
fn every_name_that_is_picked_has_near_misses() {
    for (words, meant) in [
        ("run --backend cppu", "did you mean `cpu`?"),
        ("serve vulcan", "did you mean `vulkan`?"),
        ("run --level 3.0", "did you mean `3_0` or `1.0`?"),
        ("list level:3-0", "did you mean `3_0`?"),
        ("list type:FLOAT61", "did you mean `FLOAT64`, `FLOAT16` or `float16`?"),
        ("list tpye:FLOAT16", "did you mean `type:`?"),
        ("list lvl:3_0", "did you mean `level:`?"),
        (
            "list requirement:axis-in-rang",
            "did you mean `directml/cumulative_summation/axis-in-range`, `directml/gather/",
        ),
        ("list directml/one_hat", "did you mean `directml/one_hot`?"),
        ("list 'directml/argmx/*'", "did you mean `directml/argmax` or `directml/argmin`?"),
        ("show directml/argmax/by_hand/axis_0_rank_3", "did you mean `directml/argmax/by_hand/axis_0_of_rank_3`"),
        (
            "run example_44",
            "did you mean `directml/gather/documented/example_4`, `directml/one_hot/documented/example_4`",
        ),
        ("export --format npy somewhere directml/one_hat", "did you mean `directml/one_hot`?"),
        ("explain directml/one_hat", "did you mean `directml/one_hot`?"),
        ("explain directml/argmax/tie-increasin", "did you mean `directml/argmax/tie-increasing`?"),
        ("fuzz --operator directml/one_hat", "did you mean `directml/one_hot`?"),
        ("bench --operator openvino/onehot_1", "did you mean `openvino/one_hot_1` or `openvino/one_hot_16`?"),
        ("bench --workload lst_axis", "did you mean `last_axis`?"),
        ("bench --type f23", "did you mean `f32`?"),
        ("list --specs spec", "`--specs spec`: there is no such file or folder; did you mean `specs`?"),
        ("list --cases csaes", "`--cases csaes`: there is no such file or folder; did you mean `cases`?"),
        (
            "run --expectations backends/onnxruntime/expectation.yaml",
            "there is no such file; did you mean `backends/onnxruntime/expectations.yaml`?",
        ),
        (
            "verify reports/cp",
            "there is no report `reports/cp`: `opcert certify --out DIR` makes one; did you mean `reports/cpu`?",
        ),
        ("verify reports", "makes one; there are some below it: `reports/cpu`, "),
        ("export --format onx somewhere", "a similar value exists: 'onnx'"),
        ("certfy", "some similar subcommands exist: 'verify', 'certify'"),
    ] {
        let ran = run(words);
        assert!(ran.code == 2 && ran.err.contains(meant), "`opcert {words}`: {}", ran.said());
    }
    let other = run("run --backend abacus");
    assert!(other.code == 2 && !other.err.contains("did you mean"), "{}", other.said());
}

#[test]
fn near_misses_stand_beside_problems_of_files() {
    let folder = TempDir::new().unwrap();
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/cases/directml/argmax/by_hand.yaml")).unwrap();
    for (right, wrong, meant) in [
        ("operator: directml/argmax", "operator: directml/argmaxx", "did you mean `directml/argmax`?"),
        ("    covers:", "    cover:", "did you mean `covers`?"),
    ] {
        let file = folder.path().join("example.yaml");
        fs::write(&file, text.replacen(right, wrong, 1)).unwrap();
        let ran = opcert(folder.path(), &["validate", "example.yaml"]);
        assert!(ran.code == 2 && ran.err.contains(meant), "{}", ran.said());
    }
}

/// Each of two options that go together says which one is missing, once.
#[test]
fn an_option_that_needs_another_one_names_it() {
    let folder = TempDir::new().unwrap();
    demo(folder.path());
    let changed = folder.path().join("changed/directml");
    fs::create_dir_all(&changed).unwrap();
    for file in ["family.yaml", "argmax.yaml", "reduce_argmax.yaml"] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/directml").join(file)).unwrap();
        fs::write(changed.join(file), text.replace("tie-increasing", "ties-increasing")).unwrap();
    }
    for (words, named) in [
        ("run --specs specs", "`--cases DIR` names the cases that go with `--specs`"),
        ("list --specs changed", "`--cases DIR` names the cases that go with `--specs`"),
        ("smoke --specs changed", "`--cases DIR` names the cases that go with `--specs`"),
        ("run --cases cases", "`--specs DIR` names the specifications that go with `--cases`"),
        ("certify --resume", "--out <DIR>"),
        ("certify --sign key", "--out <DIR>"),
        ("certify --timeout 5", "`--isolate` isolates it"),
        ("certify --memory 5", "`--memory` is for an isolated backend"),
        ("observe report --level 3_0", "cannot be used with"),
        ("observe report --exec program", "cannot be used with"),
        ("expectations report --isolate", "cannot be used with"),
        ("expectations", "`--expectations FILE` names the file of known failures"),
        ("export somewhere", "--format <FORMAT>"),
        ("generate --specs specs", "`--specs specs` asks for the folder of the cases as well: `opcert generate DIR --"),
        ("generate --check --specs 'my specs'", "`opcert generate DIR --specs 'my specs'`"),
    ] {
        let words_of = shlex::split(words).unwrap();
        let ran = opcert(folder.path(), &words_of);
        assert!(ran.code == 2 && ran.err.contains(named), "`opcert {words}`: {}", ran.said());
        assert_eq!(ran.err.matches("error").count(), 1, "`opcert {words}`: {}", ran.said());
    }
    assert_eq!(opcert(folder.path(), &["list", "--specs", "specs", "--cases", "cases"]).code, 0);
}

/// The cases of other specifications do not go among the embedded ones.
#[test]
fn what_is_generated_of_other_specifications_goes_where_it_is_told_to() {
    let folder = TempDir::new().unwrap();
    let specs = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/own_operator/specs");
    let ran = opcert(folder.path(), &["generate", "--specs", specs]);
    assert!(ran.code == 2 && ran.err.contains("asks for the folder of the cases as well"), "{}", ran.said());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let ran = opcert(folder.path(), &["generate", "cases", "--specs", specs]);
    assert!(ran.code == 0 && folder.path().join("cases/loom").is_dir(), "{}", ran.said());
}

/// What is checked in of a report is enough to compare it; the page asks for its log by name.
#[test]
fn a_matrix_needs_no_log() {
    let folder = TempDir::new().unwrap();
    let run = |words: &str| opcert(folder.path(), &shlex::split(words).unwrap());
    let ran = run("run directml/argmax/documented --out report");
    assert_eq!(ran.code, 0, "{}", ran.said());
    let with_log = run("matrix report report --format svg").out;
    fs::remove_file(folder.path().join("report/events.jsonl")).unwrap();
    assert_eq!(run("matrix report report --format svg").out, with_log);
    assert_eq!(run("matrix report report/certificate.json --format svg").out, with_log);
    let table = run("matrix report");
    assert!(table.code == 0 && table.out.contains("| directml/argmax | cpu "), "{}", table.said());
    let page = run("matrix report --format html");
    let said = "`report` holds a certificate and no event log, and the page shows each case";
    assert!(page.code == 2 && page.err.contains(said), "{}", page.said());
}

/// What is checked in of a report would not do: an example reads one that was made before.
#[test]
fn examples_of_a_report_work_once_it_was_made() {
    let folder = TempDir::new().unwrap();
    let made = opcert(folder.path(), &["run", "directml/argmax/documented", "--out", "report"]);
    assert_eq!(made.code, 0, "{}", made.said());
    let examples = include_str!("../../src/cli/examples.txt").lines();
    let examples: Vec<&str> = examples.filter(|line| line.ends_with(" report") && !line.contains("--out")).collect();
    assert!(examples.iter().any(|line| line.starts_with("opcert observe ")), "{examples:?}");
    for example in examples {
        let ran = opcert(folder.path(), &shlex::split(example).unwrap()[1..]);
        assert_eq!(ran.code, 0, "`{example}`: {}", ran.said());
    }
}

/// What clap says of arguments is said in clean words as well, in colours or without.
#[test]
fn arguments_that_are_no_words_are_written_out() {
    let folder = TempDir::new().unwrap();
    for argument in ["--\u{202e}\u{9b}2J\u{200b}x", "--\u{1b}[2J\u{1b}[8m", "\u{1b}]0;t\u{7}", "\nFORGED"] {
        for arguments in [
            &["run", argument][..],
            &[argument],
            &["--color", "always", "run", argument],
            &["bench", "--size", argument],
            &["completions", argument],
        ] {
            let ran = opcert(folder.path(), arguments);
            let said = format!("{}{}", ran.out, ran.err).replace("\u{1b}[0m", "");
            let hostile = ["\u{202e}", "\u{9b}", "\u{200b}", "\u{1b}[2J", "\u{1b}[8m", "\u{1b}]", "\u{7}", "\nFORGED"];
            let found = hostile.iter().find(|each| said.contains(**each));
            assert!(ran.code == 2 && found.is_none(), "{arguments:?}: {found:?} in {said:?}");
        }
    }
}

#[test]
fn a_command_to_repeat_is_quoted_for_a_shell() {
    let folder = TempDir::new().unwrap();
    demo(folder.path());
    for name in
        ["a;b", "a&b", "a|b", "a<b", "a>b", "a[b", "a?b", "a b", "a'b", "a\"b", "a$b", "a`b", "a\\b", "a#b", "~a"]
    {
        fs::rename(folder.path().join("cases"), folder.path().join(name)).unwrap();
        let unknown = opcert(folder.path(), &["run", "nowhere", "--specs", "specs", "--cases", name]);
        let shown = unknown.err.split_once("`opcert list ").unwrap().1.split("` shows").next().unwrap();
        assert_eq!(shlex::split(shown).unwrap(), ["--cases", name, "--specs", "specs"], "{}", unknown.said());
        let to = format!("to {name}");
        let export = ["export", "--format", "npy", &to, "--specs", "specs", "--cases", name];
        let exported = opcert(folder.path(), &export);
        let shown = exported.out.split_once(", then `").unwrap().1.trim_end_matches("`\n");
        let judge = ["opcert", "judge", &to, "--cases", name, "--specs", "specs"];
        assert_eq!(shlex::split(shown).unwrap(), judge, "{}", exported.said());
        fs::rename(folder.path().join(name), folder.path().join("cases")).unwrap();
    }
    // So is the program's own name.
    let renamed = folder.path().join("op;cert");
    fs::copy(env!("CARGO_BIN_EXE_opcert"), &renamed).unwrap();
    let export = ["export", "--format", "npy", "out", "--specs", "specs", "--cases", "cases"];
    // What another test started while the copy was written has it open until it is a program of its own.
    let started = (0..1000).find_map(|_| {
        let started = std::process::Command::new(&renamed).args(export).current_dir(folder.path()).output();
        let is_busy = started.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::ExecutableFileBusy);
        if is_busy {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        (!is_busy).then_some(started)
    });
    let output = started.expect("the copy is busy no longer").unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.ends_with(", then `'op;cert' judge out --cases cases --specs specs`\n"), "{said}");
}
