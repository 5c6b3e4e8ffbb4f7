//! Bad input of every kind: a clear error that names the thing and the place, exit code 2, no panic, nothing written.

use std::fs;
use std::path::Path;

use crate::command::{Ran, opcert};
use tempfile::TempDir;

/// A valid file with one case, to be spoiled.
const GOOD: &str = r#"operator: directml/one_hot
cases:
  plain:
    level: "2_0"
    covers: [on-at-index]
    tensors:
      IndicesTensor: {type: UINT32, sizes: [1, 1, 3, 1], data: [[[[0], [3], [2]]]]}
      ValuesTensor: {type: FLOAT32, sizes: [1, 1, 1, 2], data: [[[[0, 1]]]]}
      OutputTensor: {type: FLOAT32, sizes: [1, 1, 3, 4]}
    attributes: {Axis: 3}
    expect:
      OutputTensor: [[[[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]]]
"#;

/// What is replaced by what, and what the error must say, line and column included.
const SPOILED: &[(&str, &str, &str, &[&str])] = &[
    ("a wrong type of a field", "covers: [on-at-index]", "covers: on-at-index", &["expected a list", ":5:13"]),
    ("a number for a name", "level: \"2_0\"", "level: [2_0]", &["expected text, found a list", ":4:12"]),
    ("text for a size", "sizes: [1, 1, 1, 2]", "sizes: [1, 1, 1, two]", &["`two`", "an integer", ":8:54"]),
    ("a negative size", "sizes: [1, 1, 1, 2]", "sizes: [1, 1, 1, -2]", &["`-2`", ":8:54"]),
    ("an unknown key of a case", "covers:", "cover:", &["unknown key `cover`", "`covers`", ":5:5"]),
    ("an unknown key of a tensor", "IndicesTensor: {type", "IndicesTensor: {kind: x, type", &["`kind`", ":7:23"]),
    ("an unknown key of the file", "cases:\n", "colour: red\ncases:\n", &["unknown key `colour`", ":2:1"]),
    ("a duplicate key", "    level: \"2_0\"", "    level: \"2_0\"\n    level: \"3_0\"", &["`level`", "twice", ":5:5"]),
    ("a duplicate tensor", "      ValuesTensor", "      OutputTensor", &["`OutputTensor`", "twice", ":9:7"]),
    ("a missing tensor", "      ValuesTensor", "      #", &["`ValuesTensor` is missing", ":6:5"]),
    ("a missing attribute", "    attributes: {Axis: 3}\n", "", &["`Axis` is missing"]),
    ("a missing expectation", "    expect:\n", "    title:\n", &["`expect` is missing"]),
    ("an unknown tensor", "      ValuesTensor", "      Values", &["`Values` is no tensor", ":8:7"]),
    ("an unknown attribute", "{Axis: 3}", "{Axis: 3, Angle: 4}", &["`Angle` is no attribute", ":10:34"]),
    ("an unknown data type", "type: UINT32", "type: UINT24", &["`UINT24` is no data type", "UINT32", ":7:29"]),
    ("an unknown level", "\"2_0\"", "\"2_5\"", &["`2_5` is no feature level", ":4:12"]),
    ("an unknown operator", "directml/one_hot", "directml/two_hot", &["`directml/two_hot` is no operator", ":1:11"]),
    ("an unknown requirement", "[on-at-index]", "[on-at-indes]", &["`on-at-indes` is no requirement", ":5:14"]),
    ("a ragged array", "[[[[0], [3], [2]]]]", "[[[[0], [3, 4], [2]]]]", &["2 elements along dimension 3", ":7:72"]),
    ("a list that is too short", "[[[[0], [3], [2]]]]", "[0, 3]", &["2 elements in one list, expected 3", ":7:64"]),
    ("an integer that does not fit", "[[[[0], [3], [2]]]]", "[[[[0], [4294967296], [2]]]]", &["does not fit", ":7:73"]),
    ("a negative unsigned integer", "[[[[0], [3], [2]]]]", "[[[[0], [-1], [2]]]]", &["`-1` does not fit", ":7:73"]),
    ("a fraction for an integer", "[[[[0], [3], [2]]]]", "[[[[0], [3.5], [2]]]]", &["`3.5` is no integer", ":7:73"]),
    ("a float that overflows", "[[[[0, 1]]]]", "[[[[0, 1e39]]]]", &["`1e39` overflows", ":8:71"]),
    ("text for an element", "[[[[0, 1]]]]", "[[[[0, one]]]]", &["`one` is no number", ":8:71"]),
    ("an undefined input", "[[[[0, 1]]]]", "[[[[0, ~]]]]", &["`~` is no number", ":8:71"]),
    ("bits that do not fit", "[[[[0, 1]]]]", "[[[[0, {bits: 0x1FFFFFFFF}]]]]", &["more than the 32 bits", ":8:71"]),
    ("data of an output", "sizes: [1, 1, 3, 4]}", "sizes: [1, 1, 3, 4], data: 1}", &["is an output", ":9:64"]),
    ("no data of an input", ", data: [[[[0, 1]]]]", "", &["`ValuesTensor` has no data", ":8:7"]),
    (
        "sizes whose product overflows",
        "sizes: [1, 1, 3, 4]}",
        "sizes: [4294967295, 4294967295, 4294967295, 4]}",
        &["OutputTensor", ":9"],
    ),
    (
        "an expectation of another shape",
        "[[[[1, 0, 0, 0], ",
        "[[[[1, 0, 0], ",
        &["3 elements along dimension 3", ":12:24"],
    ),
    ("an expectation of an input", "      OutputTensor: [[", "      IndicesTensor: [[", &["is no output", ":12:7"]),
    ("a name with a blank", "  plain:", "  not plain:", &["`not plain` is no name", ":3:3"]),
    ("no cases", GOOD, "operator: directml/one_hot\ncases: {}\n", &["there are no cases", ":2:8"]),
    ("an anchor", "{Axis: 3}", "&a {Axis: 3}", &["an anchor", ":10"]),
    ("an alias", "{Axis: 3}", "*a", &[":10:17"]),
    ("a tag", "{Axis: 3}", "!!map {Axis: 3}", &["a tag", ":10"]),
    ("a second document", "operator:", "---\na: 1\n---\noperator:", &["a second document", ":3:1"]),
    ("broken YAML", "{Axis: 3}", "{Axis: 3", &["not YAML"]),
    ("tabs", "    level:", "\tlevel:", &["not YAML", ":4"]),
    ("an empty file", GOOD, "", &["the file is empty"]),
    ("nothing but a comment", GOOD, "# nothing\n", &["the file is empty"]),
    ("a list instead of a file", GOOD, "[1, 2]\n", &["expected a mapping, found a list", ":1:1"]),
    ("a wrong level", "\"2_0\"", "\"3_0\"", &["the least level at which this is valid is 2_0", ":4:12"]),
    (
        "a broken requirement",
        "{Axis: 3}",
        "{Axis: 4}",
        &["`Axis` is 4, expected 0 to 3", "directml/one_hot/axis-in-range", ":10:24"],
    ),
    (
        "a broken shape",
        "OutputTensor: {type: FLOAT32, sizes: [1, 1, 3, 4]}",
        "OutputTensor: {type: FLOAT32, sizes: [1, 2, 3, 4]}",
        &["`OutputTensor.sizes[1]` is 2, expected 1", "sizes-match-off-axis", ":9:48"],
    ),
    (
        "a broken stride",
        "sizes: [1, 1, 1, 2],",
        "sizes: [1, 1, 1, 2], strides: [1, 1],",
        &["`ValuesTensor` has 2 strides, expected 4: one for each size", ":8:67"],
    ),
    (
        "an observation of what is not open",
        "    expect:\n      OutputTensor: [[[[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]]]\n",
        "    expect: {observe: oracle}\n",
        &["an observed case covers a requirement that the documents leave open", ":11:5"],
    ),
    (
        "an unknown flag",
        "sizes: [1, 1, 3, 4]}",
        "sizes: [1, 1, 3, 4], flags: [OWNED_BY_DLM]}",
        &["`OWNED_BY_DLM` is no flag", "OWNED_BY_DML", ":9"],
    ),
    (
        "a digest with something beside it",
        "OutputTensor: [[[[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]]]",
        "OutputTensor: {blake3: 00, colour: red}",
        &["unknown key `colour`", "no BLAKE3 digest", ":12"],
    ),
    (
        "a digest of more elements than there are",
        "OutputTensor: [[[[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]]]",
        "OutputTensor: {blake3: 0000000000000000000000000000000000000000000000000000000000000000, defined: 13}",
        &["at most 12", ":12"],
    ),
    (
        "a refusal of a valid twin",
        GOOD,
        "@twin {Axis: 2}",
        &["sizes-match-off-axis", "expected directml/one_hot/axis-in-range"],
    ),
    ("a refusal that is none", GOOD, "@twin {Axis: 3}", &["the descriptor is valid at 2_0, expected a refusal"]),
    ("a twin that is not there", GOOD, "@lost", &["`nobody`, which is not in this file"]),
    ("an edit of nothing", GOOD, "@edit", &["`tensors.Nobody.sizes` leads to nothing"]),
];

fn spoil(find: &str, replace: &str) -> String {
    let negative = |twin: &str, change: &str| {
        format!("{GOOD}  negative:\n    twin: {twin}\n    change: {change}\n    expect: {{refuses: [axis-in-range]}}\n")
    };
    if let Some(attributes) = replace.strip_prefix("@twin ") {
        let axis = attributes.trim_matches(['{', '}']).trim_start_matches("Axis: ");
        return negative("plain", &format!("{{attributes.Axis: {axis}}}"));
    }
    match replace {
        "@lost twin" => negative("plian", "{attributes.Axis: 4}"),
        "@lost edit" => negative("plain", "{tensors.OutputTensr.sizes: [1]}"),
        "@lost" => negative("nobody", "{attributes.Axis: 4}"),
        "@edit" => negative("plain", "{tensors.Nobody.sizes: [1]}"),
        _ => {
            let spoiled = GOOD.replacen(find, replace, 1);
            assert_ne!(spoiled, GOOD, "`{find}` is not there to be spoiled");
            spoiled
        }
    }
}

/// Exit code 2, no panic, and nothing where reports would have been.
fn refused(ran: &Ran, folder: &Path) -> Result<(), String> {
    let mut wrong = Vec::new();
    if ran.code != 2 {
        wrong.push("the exit code is not 2");
    }
    if ran.err.contains("panicked") || ran.err.is_empty() {
        wrong.push("there is a panic, or no error");
    }
    if folder.join("reports").exists() {
        wrong.push("something was written");
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}\n{}", wrong.join(", "), ran.said())) }
}

#[test]
fn case_files() {
    let mut failures = Vec::new();
    for (what, find, replace, fragments) in SPOILED {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("cases.yaml"), spoil(find, replace)).unwrap();
        for arguments in [vec!["run", "--cases", "cases.yaml", "--out", "reports"], vec!["validate", "cases.yaml"]] {
            let ran = opcert(folder.path(), &arguments);
            if let Err(wrong) = refused(&ran, folder.path()) {
                failures.push(format!("{what}: {wrong}"));
            }
            for fragment in fragments.iter().filter(|fragment| !ran.err.contains(**fragment)) {
                failures.push(format!("{what}: `{fragment}` is not said\n{}", ran.said()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A name that is nearly right, in place of which name, and what is offered for it.
const NEAR: &[(&str, &str, &str)] = &[
    ("IndicesTensor: {type", "IndicsTensor: {type", "did you mean `IndicesTensor`?"),
    ("{Axis: 3}", "{Axes: 3}", "did you mean `Axis`?"),
    ("OutputTensor: [[[[1", "OutputTensors: [[[[1", "did you mean `OutputTensor`?"),
    ("type: UINT32", "type: UINT23", "did you mean `UINT32`"),
    ("\"2_0\"", "\"2_o\"", "did you mean `2_0`"),
    ("[on-at-index]", "[on-at-indes]", "did you mean `directml/one_hot/on-at-index`?"),
    ("4]}\n    attr", "4], flags: [OWNED_BY_DLM]}\n    attr", "did you mean `OWNED_BY_DML`?"),
    ("    level:", "    source: {document: jaa, section: all}\n    level:", "did you mean `ja`"),
    (GOOD, "@lost twin", "`plian`, which is not in this file; did you mean `plain`?"),
    (GOOD, "@lost edit", "leads to nothing in the twin; did you mean `OutputTensor`?"),
];

#[test]
fn names_that_are_nearly_right() {
    for (find, replace, offer) in NEAR {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("cases.yaml"), spoil(find, replace)).unwrap();
        let ran = opcert(folder.path(), &["validate", "cases.yaml"]);
        assert_eq!(refused(&ran, folder.path()), Ok(()), "{replace}");
        assert!(ran.err.contains(offer), "{replace}: `{offer}` is not said\n{}", ran.said());
    }
}

#[test]
fn the_unspoiled_file_is_good() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("cases.yaml"), GOOD).unwrap();
    let ran = opcert(folder.path(), &["run", "--cases", "cases.yaml", "--out", "reports"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(folder.path().join("reports/events.jsonl").exists());
}

#[test]
fn hostile_bytes() {
    let deep = format!("operator: directml/one_hot\ncases: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let deep_blocks: String = (0..5_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let mut bomb = "operator: directml/one_hot\na: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (one, other) in ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"].map(|pair| pair.split_at(1)) {
        bomb.push_str(&format!("{other}: &{other} [*{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}]\n"));
    }
    let huge = GOOD.replace(
        "sizes: [1, 1, 3, 1], data: [[[[0], [3], [2]]]]",
        "sizes: [4294967295, 4294967295, 4, 1], data: {pattern: ramp}",
    );
    let undefined = |size: &str| {
        let sized = GOOD.replace("sizes: [1, 1, 3, 4]", &format!("sizes: [1, 1, 3, {size}]"));
        sized.replace("OutputTensor: [[[[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]]]", "OutputTensor: ~").into_bytes()
    };
    let far_apart = GOOD.replace("sizes: [1, 1, 1, 2],", "sizes: [1, 1, 1, 2], strides: [0, 0, 0, 1125899906842624],");
    let spacious = GOOD.replace("sizes: [1, 1, 3, 4]}", "sizes: [1, 1, 3, 4], total_bytes: 9223372036854775807}");
    let mut not_text = GOOD.as_bytes().to_vec();
    not_text.insert(40, 0xFF);
    let files: [(&str, Vec<u8>, &str); 12] = [
        ("10,000 lists in each other", deep.into_bytes(), "recursion limit exceeded"),
        ("5,000 mappings in each other", deep_blocks.into_bytes(), "stand in each other"),
        ("100,000 lists in each other, in one line", "- ".repeat(100_000).into_bytes(), "stand in each other"),
        ("aliases of aliases", bomb.into_bytes(), "an alias is not part of the format"),
        ("invalid UTF-8", not_text, "not UTF-8: byte 40"),
        ("a pattern of 2^66 elements", huge.into_bytes(), "has more than"),
        ("zeros", vec![0; 4096], "not YAML: unexpected character"),
        ("an undefined output of 2^62 elements", undefined("4611686018427387904"), "too many to expect"),
        ("an undefined output of 10^12 elements", undefined("1000000000000"), "too many to expect"),
        ("elements a petabyte apart", far_apart.into_bytes(), "a case of this tier may take"),
        ("memory of 2^63 bytes", spacious.into_bytes(), "a case of this tier may take"),
        ("a byte order mark and nothing else", vec![0xEF, 0xBB, 0xBF], "the file is empty"),
    ];
    for (what, bytes, fragment) in files {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("cases.yaml"), bytes).unwrap();
        let ran = opcert(folder.path(), &["run", "--cases", "cases.yaml", "--out", "reports"]);
        refused(&ran, folder.path()).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
        assert!(ran.err.contains(fragment), "{what}: `{fragment}` is not said\n{}", ran.said());
    }
}

/// Cases are checked a thousand or so at a time, and no more of what is wrong with them is kept.
#[test]
fn of_many_wrong_cases_a_thousand_are_told() {
    let folder = TempDir::new().unwrap();
    let tensors = "IndicesTensor: {type: UINT32, sizes: [1]}, ValuesTensor: {type: FLOAT32, sizes: [2]}, \
                   OutputTensor: {type: FLOAT32, sizes: [9]}";
    let case =
        |at| format!("  b{at}: {{level: \"3_0\", tensors: {{{tensors}}}, attributes: {{Axis: 7}}, expect: accepts}}\n");
    let text = format!("operator: directml/one_hot\ncases:\n{}", (0..3000).map(case).collect::<String>());
    fs::write(folder.path().join("many.yaml"), text).unwrap();
    let ran = opcert(folder.path(), &["validate", "many.yaml"]);
    assert!(ran.code == 2 && ran.err.ends_with("\n1000 problems in 1 file\n"), "{}", ran.said());
}

#[test]
fn a_backend_whose_folder_is_meant_is_offered() {
    let folder = TempDir::new().unwrap();
    let ran = opcert(folder.path(), &["run", "--backend", "mine"]);
    assert!(ran.code == 2 && !ran.err.contains("did you mean"), "{}", ran.said());
    fs::create_dir_all(folder.path().join("backends/mine")).unwrap();
    fs::write(folder.path().join("backends/mine/backend.yaml"), "").unwrap();
    let ran = opcert(folder.path(), &["run", "--backend", "mine"]);
    assert!(ran.code == 2 && ran.err.ends_with("; did you mean `backends/mine`?\n"), "{}", ran.said());
}

#[test]
fn arguments_and_folders() {
    let table: &[(&[&str], &str)] = &[
        (&["run", "--backend", "abacus"], "`abacus` is no backend; bundled: `cpu`"),
        (&["run", "--cases", "nowhere"], "`--cases nowhere`: there is no such file or folder"),
        (&["run", "--specs", "nowhere"], "`--specs nowhere`: there is no such file or folder"),
        (
            &["run", "orphans"],
            "`orphans` picks no case; `opcert list` shows them; it is a file or folder, which `--cases` names",
        ),
        (&["verify", "good.yaml"], "`good.yaml` is a file, expected the folder that `opcert certify --out DIR` wrote"),
        (&["run", "--cases", "a blank.yaml"], "`a blank.yaml` is no name for a file of cases: it is part of their ids"),
        (&["run", "--cases", "empty"], "there are no case files"),
        (&["run", "--cases", "orphans"], "this file belongs to nothing"),
        (&["run", "no/such/case"], "`no/such/case` picks no case"),
        (&["run", "directml/argmax", "directml/argmaxx"], "`directml/argmaxx` picks no case"),
        (&["list", "directml/argmax", "nosuch*"], "`nosuch*` picks no case"),
        (&["run", "*/index_above_2_to_31"], "`--tier large` runs that"),
        (&["run", "directml/one_hot/documented/example_4", "--level", "2_0"], "begins above the level asked for"),
        (&["run", "colour:red"], "`colour:red` is no filter"),
        (&["run", "level:9_9"], "`level:9_9` is no filter: no specification has that; known: 1_0 2_0"),
        (&["run", "type:FLOAT24"], "`type:FLOAT24` is no filter"),
        (&["list", "requirement:no-such-thing"], "`requirement:no-such-thing` is no filter"),
        (
            &["explain", "axis-in-range"],
            "may be directml/cumulative_summation/axis-in-range, directml/gather/axis-in-range, directml/gather_elements/axis-in-range, directml/one_hot/axis-in-range, directml/reverse_subsequences/axis-in-range, directml/scatter_elements/axis-in-range, directml/top_k1/axis-in-range, onnx/arg_max/",
        ),
        (&["run", "--cases", "twice"], "as well"),
        (&["run", "--cases", "foreign"], "cases of `directml/one_hot` stand in the folder of `directml/argmax`"),
        (&["run", "--level", "9_9"], "`9_9` is no feature level"),
        (&["run", "--jobs", "many"], "invalid value 'many'"),
        (&["run", "--isolate", "--timeout", "5 "], "invalid value '5 ' for '--timeout <S>'"),
        (&["run", "--cases", "loop"], "`--cases loop`: the link leads to no file or folder"),
        (&["run", "--isolate", "--timeout", "0"], "expected seconds: more than 0, and at most 31536000"),
        (&["run", "--isolate", "--timeout", "NaN"], "expected seconds: more than 0"),
        (&["run", "--isolate", "--timeout", "1e19"], "expected seconds: more than 0"),
        (&["fuzz", "--seconds", "1e19"], "expected seconds: more than 0"),
        (&["run", "--isolate", "--memory", "inf"], "expected GiB: more than 0"),
        (&["run", "--jobs", "18446744073709551615"], "expected a number from 0 to 4096"),
        (&["run", "--timeout", "5"], "`--timeout` is for an isolated backend, and `cpu` runs in process"),
        (&["run", "--isolate", "--in-process"], "'--isolate' cannot be used with '--in-process'"),
        (&["run", "--backend", "cpu:0"], "`cpu:0` names a device, and `cpu` offers no choice of devices"),
        (&["show", "directml/one_hot/documented/example_99"], "picks no case"),
        (&["show", "directml/one_hot/documented"], "`directml/one_hot/documented` picks 5 cases, and one is shown"),
        (&["show", "directml/one_hot/documented/*"], "`opcert list 'directml/one_hot/documented/*'` lists their ids"),
        (&["expect", "directml/one_hot/documented"], "`directml/one_hot/documented` picks 5 cases, and one is shown"),
        (&["expect", "*/documented/*_4"], "`opcert list '*/documented/*_4'` lists their ids"),
        (&["expect", "directml/one_hot/documented/example_99"], "picks no case"),
        (&["list", "--specs", "empty"], "there are no specification files (`*.yaml`) here\n--> empty\n"),
        (&["diff", "empty", "empty"], "there is no report in `empty`: `opcert certify --out DIR` makes one"),
        (
            &["matrix", "certifed"],
            "no report `certifed`: `opcert certify --out DIR` makes one; did you mean `certified`?",
        ),
        (
            &["observe", "."],
            "there is no report in `.`: `opcert certify --out DIR` makes one; there are some below it: `./cer",
        ),
        (&["observe", "certified"], "`certified` holds a certificate and no event log"),
        (&["run", "--backend", "empty"], "the folder of that name has no `backend.yaml`"),
        (&["run", "--backend", "./empty"], "`./empty` is no backend: the folder has no `backend.yaml`"),
        (
            &["run", "--backend", "./kernl"],
            "there is no folder `./kernl`, and no backend in it; did you mean `./kernel`?",
        ),
        (&["explain", "directml/one_hot/no-such-thing"], "neither a requirement nor an operator"),
        (&["validate", "nowhere.yaml"], "there is no such file or folder"),
        (&["matrix", "nowhere.jsonl"], "nowhere.jsonl"),
        (&["matrix", "cut.jsonl"], "the log was cut off: 0 of 384 cases"),
        (&["matrix", "empty.jsonl"], "the log is empty"),
        (&["serve", "abacus"], "`abacus` is no backend"),
        (&["serve", "cpu:0"], "`cpu` offers no choice of devices"),
        (&["fuzz", "--backend", "cpu:0"], "`cpu` offers no choice of devices"),
        (&["frobnicate"], "unrecognized subcommand"),
    ];
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::create_dir(folder.path().join("orphans")).unwrap();
    for (name, file) in [("certified", "certificate.json"), ("kernel", "backend.yaml")] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join(file), "{}").unwrap();
    }
    fs::write(folder.path().join("orphans/case.yml"), GOOD).unwrap();
    for file in ["twice/a.yaml", "twice/directml/one_hot/a.yaml", "foreign/directml/argmax/a.yaml"] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, GOOD).unwrap();
    }
    for name in ["good.yaml", "a blank.yaml"] {
        fs::write(folder.path().join(name), GOOD).unwrap();
    }
    std::os::unix::fs::symlink("loop", folder.path().join("loop")).unwrap();
    fs::write(folder.path().join("empty.jsonl"), "").unwrap();
    let log = opcert(folder.path(), &["run", "directml/argmax/documented/*", "--format", "jsonl"]).out;
    let header = log.lines().next().unwrap_or_default().to_owned();
    let planned = log.lines().count() - 2;
    fs::write(folder.path().join("cut.jsonl"), header + "\n").unwrap();
    for (arguments, fragment) in table {
        let fragment = fragment.replace("384", &planned.to_string());
        let out: &[&str] = if arguments[0] == "run" { &["--out", "reports"] } else { &[] };
        let ran = opcert(folder.path(), &[arguments, out].concat());
        refused(&ran, folder.path()).unwrap_or_else(|wrong| panic!("{arguments:?}: {wrong}"));
        assert!(ran.err.contains(&fragment), "{arguments:?}: `{fragment}` is not said\n{}", ran.said());
    }
}

/// A check that cannot be evaluated would hold.
#[test]
fn a_constant_has_a_value() {
    let folder = TempDir::new().unwrap();
    let case = "operator: openvino/one_hot_1\ncases:\n  plain:\n    tensors:\n      indices: {type: i64, sizes: [2]}
      depth: {type: i64, sizes: []@}\n      on_value: {type: f32, sizes: []}\n      off_value: {type: f32, sizes: []}
      output: {type: f32, sizes: [2, 3]}\n    attributes: {axis: 1}\n    expect: accepts\n";
    let validated = |data: &str| {
        fs::write(folder.path().join("cases.yaml"), case.replace('@', data)).unwrap();
        opcert(folder.path(), &["validate", "cases.yaml"])
    };
    assert_eq!(validated(", data: 3").code, 0);
    let ran = validated("");
    refused(&ran, folder.path()).unwrap();
    let said = "`depth` has no data, and its value is part of the descriptor";
    assert!(ran.err.contains(said) && ran.err.contains("cases.yaml:6"), "{}", ran.said());
}

#[test]
fn a_constant_that_comes_to_no_integer_is_not_large_enough() {
    let folder = TempDir::new().unwrap();
    let case = "operator: onnx/one_hot\ncases:\n  plain:\n    tensors:\n      indices: {type: int64, sizes: [2]}
      depth: {type: float, sizes: [1], data: [@]}\n      values: {type: float, sizes: [2]}
      output: {type: float, sizes: [2, 3]}\n    attributes: {}\n    expect: accepts\n";
    let validated = |data: &str| {
        fs::write(folder.path().join("cases.yaml"), case.replace('@', data)).unwrap();
        opcert(folder.path(), &["validate", "cases.yaml"])
    };
    assert_eq!(validated("3.75").code, 0);
    for (data, said) in [(".nan", "`depth` is nan(0x7FC00000)"), (".inf", "`depth` is inf"), ("-1", "`depth` is -1")] {
        let ran = validated(data);
        refused(&ran, folder.path()).unwrap();
        let rule = "expected at least 0 [onnx/one_hot/depth-not-negative]";
        assert!(ran.err.contains(&format!("{said}, {rule}")) && ran.err.contains("cases.yaml:6"), "{}", ran.said());
    }
    let ran = validated("4.5");
    assert!(ran.err.contains("`output.sizes[1]` is 3, expected 4: that is what `depth` gives"), "{}", ran.said());
}

#[test]
fn what_a_twin_inherits_is_wrong_once() {
    let folder = TempDir::new().unwrap();
    let twins: String = (0..3)
        .map(|index| {
            format!("  negative_{index}:\n    twin: plain\n    change: {{attributes.Axis: 4}}\n    expect: {{refuses: [axis-in-range]}}\n")
        })
        .collect();
    fs::write(folder.path().join("cases.yaml"), GOOD.replace("UINT32", "uint32") + &twins).unwrap();
    let ran = opcert(folder.path(), &["validate", "cases.yaml"]);
    assert!(ran.code == 2 && ran.err.contains("1 problem in 1 file"), "{}", ran.said());
    let misspelt = twins.replace("[axis-in-range]", "[axis-in-rang]");
    fs::write(folder.path().join("cases.yaml"), GOOD.to_owned() + &misspelt).unwrap();
    let ran = opcert(folder.path(), &["validate", "cases.yaml"]);
    assert!(ran.err.contains("3 problems in 1 file") && !ran.err.contains("expected "), "{}", ran.said());
}

#[test]
fn every_problem_of_a_file_is_reported_at_once() {
    let folder = TempDir::new().unwrap();
    let spoiled = GOOD
        .replace("on-at-index", "on-at-indes")
        .replace("UINT32", "UINT24")
        .replace("[[[[0, 1]]]]", "[[[[0, one]]]]")
        .replace("[0, 0, 0, 1]", "[0, 0, 1]");
    let second = GOOD
        .replace("operator: directml/one_hot\ncases:\n", "")
        .replace("plain", "second")
        .replace("\"2_0\"", "\"2_5\"");
    fs::write(folder.path().join("cases.yaml"), spoiled + &second).unwrap();
    let ran = opcert(folder.path(), &["validate", "cases.yaml"]);
    assert_eq!(ran.code, 2);
    for fragment in ["on-at-indes", "UINT24", "`one`", "3 elements along dimension 3", "`2_5`", "5 problems in 1 file"]
    {
        assert!(ran.err.contains(fragment), "`{fragment}` is not said\n{}", ran.said());
    }
}

/// A small specification, to be spoiled.
const FAMILY: &str = "family: toy
title: Toy
levels: [\"1\", \"2\"]
types: {F32: f32, I32: i32}
layouts: false
granularity: 1
documents: {own: {revision: the only one}}
operator:
  deterministic: {text: The same twice, authority: stated, kind: semantics, tested: dispatched, source: {document: own, section: all}}
";

const OPERATOR: &str = "operator: toy/copy
title: Copy
summary: Copies.
documents: {own: {revision: the only one}}
introduced: \"1\"
subject: In
tensors: {In: {role: input}, Out: {role: output}}
attributes: {Axis: {type: UINT}, Kind: {type: ENUM, values: [I32, F23]}}
support:
  \"1\": {In: {dimensions: 1-4, types: [F32]}, Out: {dimensions: 1-4, types: [F32]}}
requirements:
  same-type: {text: One type, authority: stated, kind: descriptor, source: {document: own, section: all}, check: {same_type: {tensors: [In, Out]}}}
  axis: {text: In range, authority: stated, kind: descriptor, source: {document: own, section: all}, check: {axis_in_range: {attribute: Axis, tensor: In}}, needs: [same-type]}
  table: {text: In the table, authority: stated, kind: descriptor, source: {document: own, section: all}, check: tensor_support}
definition: |
  def Out(at):
      return In[at]
";

#[test]
fn specifications_that_refer_to_nothing() {
    let table: &[(&str, &str, &str, &[&str])] = &[
        (
            "an unknown tensor in a check",
            "tensors: [In, Out]}}}",
            "tensors: [In, Up]}}}",
            &["`Up` is no tensor", "copy.yaml:12"],
        ),
        (
            "a tensor that is nearly there",
            "tensors: [In, Out]}}}",
            "tensors: [In, Outt]}}}",
            &["`Outt` is no tensor of this operator; did you mean `Out`?"],
        ),
        ("a subject that is nearly there", "subject: In", "subject: Inn", &["did you mean `In`?"]),
        ("an attribute that is nearly there", "attribute: Axis", "attribute: Axes", &["did you mean `Axis`?"]),
        (
            "an unknown tensor in a table",
            "{In: {dim",
            "{Inn: {dim",
            &["`Inn` is no tensor", "copy.yaml:10", "`In` is missing"],
        ),
        ("an unknown subject", "subject: In", "subject: On", &["`On` is no tensor", "copy.yaml:6:10"]),
        ("an unknown attribute", "attribute: Axis", "attribute: Angle", &["`Angle` is no attribute", "copy.yaml:13"]),
        ("an unknown level", "introduced: \"1\"", "introduced: \"7\"", &["`7` is no feature level", "copy.yaml:5:13"]),
        (
            "an operator that is not there below a level, of which nothing says so",
            "introduced: \"1\"",
            "introduced: \"2\"",
            &["no requirement says what becomes of it at a lower level", "copy.yaml:5:1"],
        ),
        (
            "a requirement that ends before it begins",
            "check: tensor_support",
            "check: tensor_support, since: \"2\", until: \"1\"",
            &["`1` comes before `2`: it would hold nowhere", "copy.yaml:14"],
        ),
        ("an unknown level of a row", "  \"1\": {In", "  \"7\": {In", &["`7` is no feature level", "copy.yaml:10"]),
        (
            "an unknown type",
            "types: [F32]}, Out",
            "types: [F23]}, Out",
            &["`F23` is no data type", "did you mean `F32`?", "copy.yaml:10"],
        ),
        (
            "a default of another kind",
            "Axis: {type: UINT}",
            "Axis: {type: UINT, default: first}",
            &["the default is `first`, expected a number", "copy.yaml:8"],
        ),
        (
            "a default that is no truth value",
            "{Axis: {type: UINT}",
            "{Axis: {type: UINT}, Kept: {type: BOOL, default: 1}",
            &["the default is `1`, expected one of false, true"],
        ),
        (
            "a default that is nearly a text",
            "{Axis: {type: UINT}",
            "{Axis: {type: UINT}, Mode: {type: STRING, values: [as-it-is, from-end], default: from_end}",
            &["the default is `from_end`, expected one of \"as-it-is\", \"from-end\""],
        ),
        (
            "a default of which no requirement speaks",
            "Axis: {type: UINT}",
            "Axis: {type: UINT, default: 0}",
            &["no requirement says what it is where it is left out", "copy.yaml:8"],
        ),
        (
            "a text without its values",
            "{Axis: {type: UINT}",
            "{Axis: {type: UINT}, Mode: {type: STRING}",
            &["`values` belongs to the types `ENUM` and `STRING`"],
        ),
        (
            "a text of which no requirement says what else it may be",
            "{Axis: {type: UINT}",
            "{Axis: {type: UINT}, Mode: {type: STRING, values: [as-it-is, from-end]}",
            &["no requirement says what becomes of any other text", "`check: {one_of: …}`", "copy.yaml:8"],
        ),
        (
            "a value that an attribute cannot have",
            "check: tensor_support}",
            "check: {one_of: {attribute: Axis, values: [0, true]}}}",
            &["`Axis` cannot be `true`, expected a number", "copy.yaml:14"],
        ),
        (
            "one of no values",
            "check: tensor_support}",
            "check: {one_of: {attribute: Axis, values: []}}}",
            &["no value is listed that `Axis` may have", "copy.yaml:14"],
        ),
        (
            "a list that is none",
            "check: tensor_support}",
            "check: {distinct: {list: Axis}}}",
            &["`Axis` is a number, expected a list of numbers", "copy.yaml:14"],
        ),
        (
            "an axis that is a name",
            "check: tensor_support}",
            "check: {axis_in_range: {attribute: Kind, tensor: In}}}",
            &["`Kind` is one of several names, expected a number or a list of numbers", "copy.yaml:14"],
        ),
        (
            "a number that names a data type",
            "check: tensor_support}",
            "check: {type_named: {tensor: Out, attribute: Axis}}}",
            &["`Axis` is a number, expected the name of a data type", "copy.yaml:14"],
        ),
        (
            "a name that is no data type",
            "check: tensor_support}",
            "check: {type_named: {tensor: Out, attribute: Kind}}}",
            &["`Kind` may be `F23`, which is no data type of `toy`; did you mean `F32`?", "copy.yaml:14"],
        ),
        (
            "a name that says whether dimensions are kept",
            "check: tensor_support}",
            "check: {sizes_reduced: {input: In, output: Out, axes: Axis, kept_if: Kind}}}",
            &["`Kind` is one of several names, expected a truth value", "copy.yaml:14"],
        ),
        (
            "an axis of an invariant that is a name",
            "check: tensor_support}",
            "invariant: {index_below_reduced_count: {output: Out, input: In, axes: Kind}}}",
            &["`Kind` is one of several names, expected a number or a list of numbers", "copy.yaml:14"],
        ),
        (
            "a condition on an attribute that there is not",
            "check: tensor_support}",
            "invariant: {equals_operator: {operator: toy/copy, when: {Axes: 1}}}}",
            &["`Axes` is no attribute of this operator; did you mean `Axis`?", "copy.yaml:14"],
        ),
        (
            "a condition that no value meets",
            "check: tensor_support}",
            "invariant: {equals_operator: {operator: toy/copy, when: {Axis: last}}}}",
            &["`Axis` cannot be `last`, expected a number", "copy.yaml:14"],
        ),
        (
            "what is left out that has no default",
            "check: tensor_support}",
            "tested: {left_out: {attribute: Axis}}}",
            &["`Axis` is no attribute with a default"],
        ),
        (
            "a text that no attribute has",
            "return In[at]",
            "return In[at] if Axis == \"last\" else In[at]",
            &["`last` is no value of an attribute that is a text", "copy.yaml:17"],
        ),
        (
            "a level that there is not",
            "return In[at]",
            "return In[at] if since(\"3\") else In[at]",
            &["`3` is no feature level: 1 2", "copy.yaml:17"],
        ),
        (
            "the lowest level, at which all begins",
            "return In[at]",
            "return In[at] if since(\"1\") else In[at]",
            &["`1` is the lowest level: this always holds"],
        ),
        ("a quote that is not closed", "return In[at]", "return In[at] if since(\"2) else 1", &["is never closed"]),
        ("an unknown check", "same_type:", "same_tipe:", &["unknown name `same_tipe`", "`same_type`", "copy.yaml:12"]),
        ("an unknown part of a check", "{attribute: Axis, t", "{attribute: Axis, x: 1, t", &["unknown key `x`"]),
        (
            "an unknown need",
            "needs: [same-type]",
            "needs: [same-tipe]",
            &["`same-tipe` is no requirement", "did you mean `toy/copy/same-type`?", "copy.yaml:13"],
        ),
        ("a need of itself", "needs: [same-type]", "needs: [axis]", &["cannot lean on itself", "copy.yaml:13"]),
        (
            "a circle of needs",
            "check: {same_type:",
            "needs: [axis], check: {same_type:",
            &["needs itself by way of others"],
        ),
        (
            "an unknown document",
            "document: own, section: all}, check: {same",
            "document: on, section: all}, check: {same",
            &["`on` is no document", "did you mean `own`?"],
        ),
        (
            "an unknown authority",
            "authority: stated, kind: descriptor, source: {document: own, section: all}, check: {same",
            "authority: said, kind: descriptor, source: {document: own, section: all}, check: {same",
            &["unknown name `said`"],
        ),
        (
            "an unknown family",
            "operator: toy/copy",
            "operator: tow/copy",
            &["the family `tow` is unknown", "did you mean `toy`?", "copy.yaml:1:11"],
        ),
        (
            "a duplicate id",
            "  axis: {text",
            "  same-type: {text",
            &["the key `same-type` stands here twice", "copy.yaml:13:3"],
        ),
        (
            "a derived requirement without a reason",
            "text: One type, authority: stated",
            "text: One type, authority: derived",
            &["a `reason` is given"],
        ),
        (
            "a check of something else",
            "kind: descriptor, source: {document: own, section: all}, check: {same",
            "kind: order, source: {document: own, section: all}, check: {same",
            &["belongs to the kind `descriptor`"],
        ),
        (
            "a range that goes down",
            "dimensions: 1-4, types: [F32]}, Out",
            "dimensions: 4-1, types: [F32]}, Out",
            &["expected `4`, `1-8` or `1-`"],
        ),
        (
            "no definition",
            "definition: |\n  def Out(at):\n      return In[at]\n",
            "",
            &["`definition` is missing", "copy.yaml:1:1"],
        ),
        ("an unknown name in a definition", "return In[at]", "return Inn[at]", &["`Inn`", "copy.yaml:17:14"]),
        ("an unknown requirement in a definition", "return In[at]", "return In[at]  # axes", &["did you mean `axis`?"]),
        (
            "a table that nobody reads",
            "check: tensor_support",
            "check: {sizes_positive: {}}",
            &["nothing is refused for this table", "`check: tensor_support`", "copy.yaml:9:1"],
        ),
        (
            "sizes of an input",
            "In: {role: input}",
            "In: {role: input, sizes: shape}",
            &["`In` is an input: a case gives its sizes, and they follow from nothing", "copy.yaml:7:"],
        ),
        (
            "an output that may be left out",
            "Out: {role: output}",
            "Out: {role: output, optional: true}",
            &["`Out` cannot be `optional`: inputs can that have data, and no others", "copy.yaml:7:"],
        ),
        (
            "a subject that may be left out",
            "In: {role: input}",
            "In: {role: input, optional: true}",
            &["`In` is `optional`: a report has no place for what leaves it out", "copy.yaml:6:"],
        ),
        (
            "a list of none",
            "In: {role: input}",
            "In: {role: input, list: 0-4}",
            &["`In` has 0 to 4 tensors, expected from 1 on, and 16 at most", "copy.yaml:7:"],
        ),
        (
            "a list longer than any",
            "In: {role: input}",
            "In: {role: input, list: 1-17}",
            &["`In` has 1 to 17 tensors, expected from 1 on, and 16 at most", "copy.yaml:7:"],
        ),
        (
            "a list that may be left out",
            "In: {role: input}",
            "In: {role: input, list: 1-4, optional: true}",
            &["`In` is a list, and has neither a value nor sizes that follow, nor is it optional", "copy.yaml:7:"],
        ),
        (
            "the length of no list",
            "In: {role: input}",
            "In: {role: input, count: InputCount}",
            &["`In` is no `list`, and has no `count`", "copy.yaml:7:"],
        ),
        (
            "sizes that nothing gives",
            "Out: {role: output}",
            "Out: {role: output, sizes: shape}",
            &["nothing gives `shape`, the sizes of `Out`", "`shape = […]`", "copy.yaml:16:"],
        ),
        (
            "dimensions that are kept and dropped",
            "check: {axis_in_range: {attribute: Axis, tensor: In}}",
            "check: {sizes_reduced: {input: In, output: Out, axes: Axis, kept_if: Axis, dropped: true}}",
            &["`kept_if` and `dropped` both say what becomes of the reduced dimensions", "copy.yaml:13:"],
        ),
        ("an unknown key", "subject: In", "subject: In\ncolour: red", &["unknown key `colour`", "copy.yaml:7:1"]),
    ];
    let load = |operator: &str| {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("toy")).unwrap();
        fs::write(folder.path().join("toy/family.yaml"), FAMILY).unwrap();
        fs::write(folder.path().join("toy/copy.yaml"), operator).unwrap();
        let explained = opcert(folder.path(), &["explain", "toy/copy", "--specs", "."]);
        let validated = opcert(folder.path(), &["validate", "toy/copy.yaml"]);
        assert_eq!(explained.code, validated.code, "{}{}", explained.said(), validated.said());
        (folder, explained)
    };
    assert_eq!(load(OPERATOR).1.code, 0, "{}", load(OPERATOR).1.said());
    for (what, find, replace, fragments) in table {
        let spoiled = OPERATOR.replacen(find, replace, 1);
        assert_ne!(spoiled, OPERATOR, "`{find}` is not there to be spoiled");
        let (folder, ran) = load(&spoiled);
        refused(&ran, folder.path()).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
        for fragment in *fragments {
            assert!(ran.err.contains(fragment), "{what}: `{fragment}` is not said\n{}", ran.said());
        }
    }
}

/// A rule of the family, with a check.
fn rule(check: &str) -> String {
    let rule = "{text: x, authority: stated, kind: descriptor, source: {document: own, section: all}, check: ";
    format!("{FAMILY}  rule: {rule}{check}}}\n")
}

#[test]
fn an_operator_may_be_called_a_family() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("toy")).unwrap();
    fs::write(folder.path().join("toy/family.yaml"), rule("{sizes_positive: {}}")).unwrap();
    fs::write(folder.path().join("toy/one_family.yaml"), OPERATOR.replace("toy/copy", "toy/one_family")).unwrap();
    let ran = opcert(folder.path(), &["explain", "toy/one_family", "--specs", "."]);
    assert!(ran.code == 0 && ran.out.starts_with("toy/one_family"), "{}", ran.said());
}

#[test]
fn families_that_refer_to_nothing() {
    let load = |family: &str, operator: &str| {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("toy")).unwrap();
        fs::write(folder.path().join("toy/family.yaml"), family).unwrap();
        fs::write(folder.path().join("toy/copy.yaml"), operator).unwrap();
        let ran = opcert(folder.path(), &["explain", "toy/copy", "--specs", "."]);
        (folder, ran)
    };
    let layouts = |family: String| family.replace("layouts: false", "layouts: true\nflags: [OWNED]");
    for good in [
        rule("{dimension_count_by_level: {from: {\"2\": 1-4, \"1\": 1-2}}}"),
        layouts(rule("{flag_on_inputs_only: {flag: OWNED}}")),
    ] {
        let (_, ran) = load(&good, OPERATOR);
        assert_eq!(ran.code, 0, "{}", ran.said());
    }
    for (family, fragment) in [
        (rule("{dimension_count_by_level: {from: {\"1\": 1-2, \"3\": 1-4}}}"), "`3` is no feature level of `toy`: 1 2"),
        (rule("{dimension_count_by_level: {from: {\"2\": 1-2}}}"), "`1` is missing: without it nothing holds"),
        (rule("{flag_on_inputs_only: {flag: OWNED}}"), "`OWNED` is no flag of `toy`: there are none"),
        (layouts(rule("{flag_on_inputs_only: {flag: OWED}}")), "`OWED` is no flag of `toy`: OWNED"),
        (rule("{data_types: {tensors: [], types: [F23]}}"), "`F23` is no data type of `toy`"),
        (rule("{sizes_positive: {tensors: [In]}}"), "`In`: a requirement of a family names no tensor"),
        (
            rule("{sizes_positive: {}}")
                .replace("check: {sizes_positive: {}}", "tested: {left_out: {attribute: Axis}}"),
            "`Axis`: a requirement of a family names no attribute",
        ),
        (rule("{distinct: {list: Axes}}"), "`Axes`: a requirement of a family names no attribute"),
        (
            rule("{all_sizes_one: {tensor: In}}")
                .replace("check: {all", "invariant: {equals_operator: {operator: toy/copy}}, check: {all"),
            "`toy/copy`: a requirement of a family names no other operator",
        ),
        (
            rule("{all_sizes_one: {tensor: In}}")
                .replace("check: {all", "invariant: {count_at_most_elements: {count: On, of: In}}, check: {all"),
            "`On`: a requirement of a family names no tensor",
        ),
    ] {
        let (folder, ran) = load(&family, OPERATOR);
        refused(&ran, folder.path()).unwrap_or_else(|wrong| panic!("{fragment}: {wrong}"));
        assert!(ran.err.contains(fragment) && ran.err.contains("family.yaml:1"), "{fragment}\n{}", ran.said());
    }
    // The same of an operator's own check, and a level of it that has no row of the table.
    let late = OPERATOR.replace("  \"1\": {In", "  \"2\": {In");
    let flagged =
        OPERATOR.replace("check: {same_type: {tensors: [In, Out]}}", "check: {flag_on_inputs_only: {flag: X}}");
    for (operator, fragment, place) in [
        (late, "`support` has no row for `1`, from which the operator exists", "copy.yaml:14"),
        (flagged, "`X` is no flag of `toy`", "copy.yaml:12"),
    ] {
        let (folder, ran) = load(FAMILY, &operator);
        refused(&ran, folder.path()).unwrap_or_else(|wrong| panic!("{fragment}: {wrong}"));
        assert!(ran.err.contains(fragment) && ran.err.contains(place), "{fragment}\n{}", ran.said());
    }
}

#[test]
fn operators_that_are_said_to_come_to_the_same() {
    const SAME: &str = "  same: {text: The same, authority: stated, kind: semantics, source: {document: own, section: all}, \
                        invariant: {equals_operator: {HOW}}}\ndefinition: |";
    let load = |how: &str, other: &str| {
        let folder = TempDir::new().unwrap();
        let is_said = match how.strip_prefix("open: ") {
            Some(how) => {
                SAME.replace("HOW", how).replace("authority: stated", "authority: unspecified, reason: Silence")
            }
            None => SAME.replace("HOW", how),
        };
        fs::create_dir(folder.path().join("toy")).unwrap();
        fs::write(folder.path().join("toy/family.yaml"), FAMILY).unwrap();
        fs::write(folder.path().join("toy/copy.yaml"), OPERATOR.replacen("definition: |", &is_said, 1)).unwrap();
        fs::write(folder.path().join("toy/other.yaml"), other.replacen("toy/copy", "toy/other", 1)).unwrap();
        let ran = opcert(folder.path(), &["explain", "toy/copy", "--specs", "."]);
        (folder, ran)
    };
    let without_kind = OPERATOR.replace(", Kind: {type: ENUM, values: [I32, F23]}", "");
    let with_more = OPERATOR.replace("attributes: {", "attributes: {Extra: {type: ENUM, values: [ONE, TWO]}, ");
    let of_other_kind = OPERATOR.replace("values: [I32, F23]", "values: [I32]");
    let leaning = OPERATOR.replacen("definition: |", &SAME.replace("HOW", "operator: toy/copy"), 1);
    let other_tensors =
        OPERATOR.replace("In: {", "Inn: {").replace("[In", "[Inn").replace("In}", "Inn}").replace("In[", "Inn[");
    let other_tensors = other_tensors.replace("subject: In", "subject: Inn");
    let again = SAME.replace("same:", "again:").replace("HOW", "operator: toy/other");
    let twice = format!("operator: toy/other}}}}}}\n{}", again.trim_end_matches("}}}\ndefinition: |"));
    for (how, other) in [
        ("operator: toy/other", OPERATOR),
        ("operator: toy/other, when: {Kind: I32}", &without_kind),
        ("operator: toy/other, with: {Extra: TWO}", &with_more),
    ] {
        let (_, ran) = load(how, other);
        assert_eq!(ran.code, 0, "{how}\n{}", ran.said());
    }
    for (how, other, fragment) in [
        (
            "operator: toy/othr",
            OPERATOR,
            "no other operator of this family that stands for itself; did you mean `toy/other`?",
        ),
        ("operator: toy/copy", OPERATOR, "`toy/copy` is no other operator of this family that stands for itself"),
        ("operator: toy/other", &leaning, "`toy/other` is no other operator of this family that stands for itself"),
        ("operator: toy/other", &other_tensors, "`toy/other` has other tensors"),
        ("operator: toy/other", &without_kind, "`toy/other` has no attribute `Kind`: `when` says where"),
        ("operator: toy/other", &of_other_kind, "`Kind` of `toy/other` has other values"),
        ("operator: toy/other", &with_more, "`toy/other` needs `Extra`: `with` gives it"),
        (
            "operator: toy/other, with: {Extra: THREE}",
            &with_more,
            "`Extra` cannot be `THREE`, expected one of ONE, TWO",
        ),
        ("operator: toy/other, with: {Axis: 1}", OPERATOR, "`Axis` is what it is here, and has no value in `with`"),
        (
            "operator: toy/other, with: {Extras: ONE}",
            &with_more,
            "`Extras` is no attribute of `toy/other`; did you mean `Extra`?",
        ),
        ("when: {Kind: I32}", OPERATOR, "`operator` is missing"),
        (
            "operator: toy/other, when: {Kind: I32}",
            OPERATOR,
            "`toy/other` has `Kind` as well: `when` is about what it does not have",
        ),
        (
            "open: operator: toy/other",
            OPERATOR,
            "what is neither stated nor derived is compared with no other operator",
        ),
        (&twice, OPERATOR, "`toy/other` is named by a requirement before this one"),
    ] {
        let (folder, ran) = load(how, other);
        refused(&ran, folder.path()).unwrap_or_else(|wrong| panic!("{fragment}: {wrong}"));
        assert!(ran.err.contains(fragment) && ran.err.contains("copy.yaml:1"), "{fragment}\n{}", ran.said());
    }
}
