//! Cases that leave as files and come back with answers: judged like a live run, and nothing that is wrong with the files
//! goes unnoticed. The answers are those of the CPU backend, written down here.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Ran, opcert};
use opcert::backend::{Backend, CompileError, Descriptor, NamedTensor, Role};
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::npy;
use opcert::plan::{Plan, Selection};
use opcert::returned::AnswerFile;
use opcert::run::{Execution, execute};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;
use rayon::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A case with one output of FLOAT32[1, 1, 3, 4].
const EXAMPLE: &str = "directml/one_hot/documented/example_4";

/// A descriptor that is refused at every level.
const REFUSED: &str = "directml/one_hot/generated/refusals/*axis_at_the_dimension_count";

/// A folder with an export in it, which is called `carried`.
struct Carried(TempDir);

impl Carried {
    /// Exports cases as .npy files, and lets the CPU backend answer them.
    fn answered(arguments: &[&str]) -> Self {
        let carried = Self::exported(arguments);
        let manifest = carried.json("opcert.json");
        let level = manifest["level"].as_str().map(str::to_owned);
        let specs = Specs::load(&Source::embedded_specs()).unwrap();
        let suite =
            Suite::load(&CaseSource(Source::embedded_cases()), &specs, |stem| carried.case(stem).is_dir()).unwrap();
        let there = |case: &CheckedCase| carried.case(&case.about().id).join("case.json").is_file();
        let cases: Vec<CheckedCase> = suite.cases.into_iter().filter(there).collect();
        assert_eq!(manifest["exported"].as_u64(), Some(cases.len() as u64));
        let selection = Selection { level, once: true, ..Selection::default() };
        let backend = CpuBackend::new();
        let plan = Plan::new(cases, &specs, &backend, &selection).unwrap();
        plan.entries.par_iter().for_each(|planned| {
            let folder = carried.case(&planned.case.about().id);
            match execute(planned, &backend) {
                Execution::Skipped => {}
                Execution::Compiled(results) => {
                    let [(_, result)] = <[_; 1]>::try_from(results).unwrap();
                    fs::write(folder.join("answer.json"), serde_json::to_vec(&answer(result)).unwrap()).unwrap();
                }
                Execution::Dispatched { results, not_compiled: None, .. } => {
                    let [(_, runs)] = <[_; 1]>::try_from(results).unwrap();
                    let CheckedCase::Valid(case) = &planned.case else { panic!("{planned:?}") };
                    for (run, memory) in ["outputs", "again"].into_iter().zip(runs) {
                        write_outputs(&folder.join(run), &case.descriptor, &memory.unwrap());
                    }
                }
                // Where the documents leave open whether a descriptor is valid, a refusal is an answer.
                Execution::Dispatched { not_compiled: Some((_, error)), .. } if !planned.case.about().gates() => {
                    fs::write(folder.join("answer.json"), serde_json::to_vec(&answer(Err(error))).unwrap()).unwrap();
                }
                other => panic!("{planned:?}: {other:?}"),
            }
        });
        carried.write("backend.json", &serde_json::to_vec(&backend.identity()).unwrap());
        carried
    }

    fn exported(arguments: &[&str]) -> Self {
        let carried = Self(TempDir::new().unwrap());
        let command = [&["export", "--format", "npy", "carried"], arguments].concat();
        let ran = opcert(carried.0.path(), &command);
        assert_eq!(ran.code, 0, "{}", ran.said());
        carried
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join("carried").join(file)
    }

    fn case(&self, id: &str) -> PathBuf {
        self.path("cases").join(id)
    }

    fn write(&self, file: &str, bytes: &[u8]) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn json(&self, file: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(file)).unwrap()).unwrap()
    }

    /// Writes a file in the folder of the example.
    fn write_example(&self, file: &str, bytes: &[u8]) {
        self.write(&format!("cases/{EXAMPLE}/{file}"), bytes);
    }

    fn judge(&self, arguments: &[&str]) -> Ran {
        opcert(self.0.path(), &[&["judge", "carried"], arguments].concat())
    }

    /// Judges, and expects an exit code and everything that is named to be said.
    fn judged(&self, arguments: &[&str], code: i32, said: &[&str]) -> Ran {
        let ran = self.judge(arguments);
        assert_eq!(ran.code, code, "{}", ran.said());
        for part in said {
            assert!(ran.said().contains(part), "`{part}` is missing in {}", ran.said());
        }
        ran
    }
}

fn answer(result: Result<(), CompileError>) -> AnswerFile {
    match result {
        Ok(()) => AnswerFile::Compiled,
        Err(CompileError::Rejected { requirement, reason }) => AnswerFile::Rejected { requirement, reason },
        Err(CompileError::Unsupported { reason }) => AnswerFile::Unsupported { reason },
        Err(CompileError::Fault(fault)) => AnswerFile::Fault(fault),
    }
}

fn write_outputs(folder: &Path, descriptor: &Descriptor, memory: &[Vec<u8>]) {
    fs::create_dir_all(folder).unwrap();
    let outputs = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    for (NamedTensor { name, tensor, .. }, bytes) in outputs.zip(memory) {
        let file = if tensor.is_packed() {
            // Behind the elements the memory goes on to a multiple of four bytes.
            let elements = tensor.span_bytes().unwrap() as usize;
            npy::write(tensor.data_type, &tensor.sizes, &bytes[..elements])
        } else {
            npy::write(opcert::backend::DataType::U8, &[bytes.len() as u64], bytes)
        };
        fs::write(folder.join(format!("{name}.npy")), file).unwrap();
    }
}

/// The rows of a matrix in which everything passed.
fn verdicts(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.contains("all passed")).collect()
}

#[test]
fn what_is_brought_back_passes_as_it_does_live() {
    let operator = "directml/one_hot/*";
    let carried = Carried::answered(&[operator]);
    let live = opcert(carried.0.path(), &["run", operator]);
    let ran = carried.judged(&["--out", "bundle"], 0, &["elsewhere, carried as npy"]);
    assert_eq!(verdicts(&ran.out), verdicts(&live.out));
    assert_eq!(verdicts(&ran.out).len(), 5, "{}", ran.out);
    // What is refused at lower levels only is asked for there, and counts there.
    let below = "directml/one_hot/generated/support_values/int64_8d_below";
    assert_eq!(carried.json(&format!("cases/{below}/case.json"))["descriptor"]["level"], "4_0");
    carried.write(&format!("cases/{below}/answer.json"), b"\"compiled\"");
    carried.judged(&[], 1, &["1 accepted-wrongly", below]);
    let verified = opcert(carried.0.path(), &["verify", "bundle"]);
    assert_eq!(verified.code, 0, "{}", verified.said());
}

#[test]
fn an_operator_without_inputs_is_to_be_run_on_none() {
    let carried = Carried::answered(&["directml/fill_value_constant/by_hand/matrix*"]);
    let case = |id: &str| carried.json(&format!("cases/{id}/case.json"));
    let fills = case("directml/fill_value_constant/by_hand/matrix");
    assert_eq!(fills["inputs"], json!({}));
    assert_eq!(fills["outputs"], json!({"OutputTensor": "outputs/OutputTensor.npy"}));
    let compiled = case("directml/fill_value_constant/by_hand/matrix_below_4_0");
    assert_eq!((compiled.get("inputs"), compiled.get("outputs")), (None, None));
    carried.judged(&[], 0, &["pass"]);
}

#[test]
fn a_lower_level_can_be_asked_for() {
    let carried = Carried::answered(&["--level", "4_1", "directml/one_hot/by_hand/*", REFUSED]);
    assert_eq!(
        carried.json(&format!("cases/{}/case.json", "directml/one_hot/by_hand/axis_0_of_rank_3"))["descriptor"]["level"],
        "4_1"
    );
    let ran = carried.judged(&[], 0, &["all passed"]);
    assert!(
        ran.out.lines().any(|line| line.trim_start().starts_with("4_1 ") && line.contains("all passed")),
        "{}",
        ran.out
    );
    assert!(
        ran.out.lines().any(|line| line.trim_start().starts_with("5_0") && line.contains("not run")),
        "{}",
        ran.out
    );
}

#[test]
fn what_did_not_come_back_is_missing() {
    let carried = Carried::answered(&["directml/one_hot/documented/*", REFUSED]);
    carried.judged(&[], 0, &["pass"]);
    fs::remove_dir_all(carried.case(EXAMPLE).join("outputs")).unwrap();
    fs::remove_dir_all(carried.case(EXAMPLE).join("again")).unwrap();
    carried.judged(&[], 4, &["1 missing", "there is no `outputs/OutputTensor.npy`"]);
    let refused = fs::read_dir(carried.path("cases/directml/one_hot/generated/refusals")).unwrap();
    for folder in refused {
        fs::remove_file(folder.unwrap().path().join("answer.json")).unwrap();
    }
    carried.judged(&[], 4, &["there is no `answer.json`"]);
}

#[test]
fn a_malformed_result_is_named() {
    let carried = Carried::answered(&[EXAMPLE]);
    let right = fs::read(carried.case(EXAMPLE).join("outputs/OutputTensor.npy")).unwrap();
    let elements = &right[right.len() - 48..];
    let f32 = opcert::backend::DataType::F32;
    let i32 = opcert::backend::DataType::I32;
    for (bytes, said) in [
        (right[..right.len() - 1].to_vec(), "ends before its time: 47 bytes, expected 48"),
        ([&right[..], &[0]].concat(), "goes on behind its last element: 49 bytes, expected 48"),
        (npy::write(i32, &[1, 1, 3, 4], elements), "is <i4[1, 1, 3, 4], expected <f4[1, 1, 3, 4]"),
        (b"PK\x03\x04".to_vec(), "is no .npy file"),
        (Vec::new(), "is no .npy file"),
    ] {
        carried.write_example("outputs/OutputTensor.npy", &bytes);
        carried.judged(&[], 1, &["protocol-error", "`outputs/OutputTensor.npy`", said]);
    }
    // An array in another shape is a wrong answer, however large it is.
    for (sizes, elements) in [(&[1, 3, 4][..], elements.to_vec()), (&[1024, 1024], vec![0; 1 << 22])] {
        carried.write_example("outputs/OutputTensor.npy", &npy::write(f32, sizes, &elements));
        let said = format!("`OutputTensor` has the sizes {sizes:?}, expected [1, 1, 3, 4]");
        carried.judged(&[], 1, &["1 fail", &said]);
    }
    carried.write_example("outputs/OutputTensor.npy", &right);
    carried.judged(&[], 0, &[]);
    carried.write_example("again/OutputTensor.npy", &right[..10]);
    carried.judged(&[], 1, &["protocol-error", "`again/OutputTensor.npy`", "in the second dispatch"]);
    carried.write_example("again/OutputTensor.npy", &right);
    carried.write_example("outputs.safetensors", &[9, 0, 0, 0, 0, 0, 0, 0]);
    let both = "`outputs.safetensors` and `outputs/OutputTensor.npy` are both there: which is the answer?";
    carried.judged(&[], 1, &["protocol-error", both]);
    fs::remove_dir_all(carried.case(EXAMPLE).join("outputs")).unwrap();
    carried.judged(&[], 1, &["protocol-error", "`outputs.safetensors` is not what it should be"]);
    // Of what is longer than it can be nothing is read.
    let longer = fs::File::create(carried.case(EXAMPLE).join("outputs.safetensors")).unwrap();
    longer.set_len(1 << 42).unwrap();
    carried.judged(&[], 1, &["`outputs.safetensors` has 4398046511104 bytes, expected 1048632 at most"]);
    fs::remove_file(carried.case(EXAMPLE).join("outputs.safetensors")).unwrap();
    carried.judged(&[], 1, &["`again` has outputs, and `outputs` has none"]);
    carried.write_example("outputs/OutputTensor.npy", &vec![0; 1 << 20]);
    carried.judged(&[], 1, &["`outputs/OutputTensor.npy` has 1048576 bytes, expected 131120 at most"]);
    fs::remove_file(carried.case(EXAMPLE).join("outputs/OutputTensor.npy")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", carried.case(EXAMPLE).join("outputs/OutputTensor.npy")).unwrap();
    carried.judged(&[], 1, &["`outputs/OutputTensor.npy` cannot be read: it is no regular file"]);
}

#[test]
fn a_malformed_answer_is_named() {
    let carried = Carried::answered(&[EXAMPLE]);
    for (text, said) in [
        ("", "`answer.json` is no answer: EOF"),
        ("compiled", "`answer.json` is no answer: expected value"),
        ("\"compiles\"", "unknown variant `compiles`"),
        ("{\"unsupported\": {}}", "missing field `reason`"),
        ("{\"fault\": {\"broken\": \"x\"}}", "unknown variant `broken`"),
        ("{\"unsupported\": {\"reason\": \"x\"}}", "`answer.json` says that there are no outputs, and there are some"),
    ] {
        carried.write_example("answer.json", text.as_bytes());
        carried.judged(&[], 1, &["protocol-error", said]);
    }
    carried.write_example("answer.json", b"\"compiled\"");
    carried.judged(&[], 0, &[]);
}

#[test]
fn every_kind_of_answer_has_its_outcome() {
    let carried = Carried::answered(&[EXAMPLE]);
    for run in ["outputs", "again"] {
        fs::remove_dir_all(carried.case(EXAMPLE).join(run)).unwrap();
    }
    for (answer, code, said) in [
        (json!({"unsupported": {"reason": "no kernel"}}), 4, "1 unsupported: no kernel"),
        (json!({"rejected": {"reason": "too odd"}}), 1, "refused at 6_4: too odd"),
        (json!({"rejected": {"reason": "too odd", "requirement": "x/y/z"}}), 1, "refused at 6_4: too odd [x/y/z]"),
        (json!({"fault": {"failed": "no luck"}}), 1, "1 error"),
        (json!({"fault": {"crashed": "no luck"}}), 1, "1 crash"),
        (json!({"fault": {"hung": "no luck"}}), 1, "1 hang"),
        (json!({"fault": {"device_lost": "no luck"}}), 1, "1 device-lost"),
        (json!({"fault": {"out_of_memory": "no luck"}}), 1, "1 out-of-memory"),
    ] {
        carried.write_example("answer.json", answer.to_string().as_bytes());
        carried.judged(&[], code, &[said]);
    }
}

#[test]
fn a_second_answer_that_differs_is_noticed() {
    let carried = Carried::answered(&[EXAMPLE]);
    let file = carried.case(EXAMPLE).join("again/OutputTensor.npy");
    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, bytes).unwrap();
    carried.judged(&[], 1, &["1 nondeterministic"]);
}

#[test]
fn an_open_question_without_an_answer_is_missing() {
    let open = "directml/argmax/by_hand/nan_first";
    let carried = Carried::answered(&[EXAMPLE, open]);
    carried.judged(&[], 0, &["1 pass, 1 observed"]);
    for run in ["outputs", "again"] {
        fs::remove_dir_all(carried.case(open).join(run)).unwrap();
    }
    carried.judged(&[], 4, &["1 pass, 1 missing", "partial", "+ 1 open"]);
}

#[test]
fn one_run_is_not_taken_for_two() {
    let carried = Carried::answered(&[EXAMPLE]);
    fs::remove_dir_all(carried.case(EXAMPLE).join("again")).unwrap();
    carried.judged(&[], 4, &["1 missing", "of the second run"]);
}

#[test]
fn a_wrong_element_is_shown_as_it_is_live() {
    let carried = Carried::answered(&[EXAMPLE]);
    for run in ["outputs", "again"] {
        let file = carried.case(EXAMPLE).join(run).join("OutputTensor.npy");
        let mut bytes = fs::read(&file).unwrap();
        let first = bytes.len() - 48;
        bytes[first..first + 4].copy_from_slice(&5f32.to_le_bytes());
        fs::write(&file, bytes).unwrap();
    }
    let repeat = format!("judge carried {EXAMPLE}");
    carried.judged(&[], 1, &["`OutputTensor` at [0, 0, 0, 0] is 5, expected 0", &repeat]);
}

#[test]
fn a_stray_is_named() {
    for file in ["outputs/Output.npy", "again/OutputTensor.npy.txt", "outputs/OutputTensor.bin", "Answer.json"] {
        let carried = Carried::answered(&[EXAMPLE]);
        carried.write_example(file, b"");
        carried.judged(&[], 2, &["belongs to no case that was asked for", file]);
    }
    let carried = Carried::answered(&[EXAMPLE]);
    carried.write("cases/directml/one_hot/documented/example_9/outputs/OutputTensor.npy", b"");
    carried.judged(&[], 2, &["belongs to no case that was asked for", "example_9"]);
    // A failure weighs more.
    carried.write_example("outputs/OutputTensor.npy", b"");
    carried.judged(&[], 1, &["belongs to no case that was asked for", "protocol-error"]);
}

#[test]
fn what_was_exported_otherwise_is_not_judged() {
    let carried = Carried::answered(&[EXAMPLE]);
    let manifest = carried.json("opcert.json");
    for key in ["specs", "cases"] {
        let mut other = manifest.clone();
        other[key] = json!("00");
        carried.write("opcert.json", other.to_string().as_bytes());
        carried.judged(&[], 2, &[&format!("is another export: `{key}` is 00"), "export it anew"]);
    }
    let mut other = manifest.clone();
    other["inexpressible"] = json!({EXAMPLE: "too hard"});
    carried.write("opcert.json", other.to_string().as_bytes());
    carried.judged(
        &[],
        2,
        &[&format!("what it says of `{EXAMPLE}` under `inexpressible` is not what this opcert says")],
    );
    let mut other = manifest.clone();
    other["exported"] = json!(77);
    carried.write("opcert.json", other.to_string().as_bytes());
    carried.judged(&[], 2, &["77 cases are `exported`, and here 1"]);
    let mut other = manifest.clone();
    other["format"] = json!(2);
    carried.write("opcert.json", other.to_string().as_bytes());
    carried.judged(&[], 2, &["opcert.json` has the layout 2 of exports, and 1 is known"]);
    other = manifest.clone();
    other["carried"] = json!("punch-cards");
    carried.write("opcert.json", other.to_string().as_bytes());
    carried.judged(&[], 2, &["opcert.json` cannot be read: unknown variant `punch-cards`"]);
    fs::remove_file(carried.path("opcert.json")).unwrap();
    carried.judged(&[], 2, &["there is no `carried/opcert.json`", "`opcert export` writes it"]);
    carried.write("opcert.json", manifest.to_string().as_bytes());
    carried.judged(&[], 0, &[]);
}

#[test]
fn whoever_answered_is_named() {
    let carried = Carried::answered(&[EXAMPLE]);
    let identity = carried.json("backend.json");
    let mut other = identity.clone();
    other["claims"] = json!({"directml": "9_9"});
    carried.write("backend.json", other.to_string().as_bytes());
    carried.judged(&[], 2, &["claims `directml` at `9_9`, which is no feature level of it"]);
    other["claims"] = json!({"directml": "3_0"});
    carried.write("backend.json", other.to_string().as_bytes());
    let low = "`backend.json` claims `directml/one_hot` up to 3_0, and the cases were asked for at 6_4: export them with `--level 3_0`";
    carried.judged(&[], 2, &[low]);
    other["claims"] = json!({"other": "1"});
    carried.write("backend.json", other.to_string().as_bytes());
    carried.judged(
        &[],
        2,
        &["claims `other`, which no specification has; there is `directml`, `onnx`, `openvino`, `tosa`, `webnn`, `directml/argmax`"],
    );
    carried.write("backend.json", b"{}");
    carried.judged(&[], 2, &["backend.json` cannot be read: missing field `name`"]);
    fs::remove_file(carried.path("backend.json")).unwrap();
    carried.judged(&[], 2, &["there is no `carried/backend.json`", "write there whose results these are"]);
    other = identity;
    other["name"] = json!("my-npu");
    carried.write("backend.json", other.to_string().as_bytes());
    carried.judged(&[], 0, &["my-npu 0.1.0 elsewhere, carried as npy"]);
}

#[test]
fn a_mark_in_front_of_json_is_no_part_of_it() {
    let carried = Carried::answered(&[EXAMPLE]);
    carried.write_example("answer.json", b"\"compiled\"");
    let answer = format!("cases/{EXAMPLE}/answer.json");
    for file in ["opcert.json", "backend.json", answer.as_str()] {
        let bytes = fs::read(carried.path(file)).unwrap();
        carried.write(file, &[b"\xEF\xBB\xBF", bytes.as_slice()].concat());
    }
    carried.judged(&[], 0, &["1 pass"]);
}

#[test]
fn an_export_goes_into_a_folder_of_its_own() {
    let folder = TempDir::new().unwrap();
    let export = |arguments: &[&str]| opcert(folder.path(), &[&["export", "--format", "npy"], arguments].concat());
    fs::create_dir(folder.path().join("full")).unwrap();
    fs::write(folder.path().join("full/mine.txt"), "mine").unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    for taken in ["full", "file"] {
        let ran = export(&[taken, EXAMPLE]);
        assert_eq!(ran.code, 2, "{}", ran.said());
        assert!(ran.err.contains(&format!("`{taken}` is there already")), "{}", ran.said());
    }
    let ran = export(&[".", EXAMPLE]);
    assert!(ran.code == 2 && ran.err.contains("`.` is there already"), "{}", ran.said());
    let ran = opcert(folder.path(), &["export", "--format", "openvino-ir", "none", "webnn/arg_max/by_hand/rows"]);
    let nothing =
        "none of the cases that are picked can be exported: operator: no mapping leads from it to one of openvino";
    assert!(ran.code == 2 && ran.err.contains(nothing), "{}", ran.said());
    let ran = export(&["none", "directml/one_hot/documented/example_99"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.err.contains("picks no case"), "{}", ran.said());
    let ran = export(&["file/below", EXAMPLE]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.err.contains("cannot be written"), "{}", ran.said());
    let mut there: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    there.sort();
    assert_eq!(there, ["file", "full"]);
    assert_eq!(fs::read_dir(folder.path().join("full")).unwrap().count(), 1);
    fs::create_dir(folder.path().join("empty")).unwrap();
    assert_eq!(export(&["empty", EXAMPLE]).code, 0);
}

#[test]
fn known_failures_are_waived() {
    let carried = Carried::answered(&["directml/one_hot/documented/*"]);
    for run in ["outputs", "again"] {
        fs::remove_dir_all(carried.case(EXAMPLE).join(run)).unwrap();
    }
    carried.write_example("answer.json", br#"{"fault": {"failed": "no luck"}}"#);
    let known = format!("expectations:\n  - case: {EXAMPLE}\n    outcome: error\n    reason: it has no luck\n");
    fs::write(carried.0.path().join("known.yaml"), known).unwrap();
    carried.judged(&["--expectations", "known.yaml"], 0, &["1 expected-failure", "it has no luck"]);
    carried.judged(&[], 1, &["1 error"]);
}
