//! What is no file, in place of every file that is read; files that ask for more memory than they have bytes; and tests
//! of others that say of few bytes that they are many.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use libtest_mimic::Trial;
use rustix::fs::{FileType, Mode, mknodat};

use crate::ran::opcert;
use crate::{Extent, Tally, attack};

pub fn trials() -> Vec<Trial> {
    [attack("files::no_files", no_files), attack("files::memory", memory), attack("files::imports", imports)]
        .into_iter()
        .flatten()
        .collect()
}

/// KiB of address space; far less than what stands in place of the files would take.
const MEMORY: u64 = 3 << 20;

/// What is no file, and a file that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thing {
    Pipe,
    Device,
    Socket,
    Folder,
    Endless,
}

impl Thing {
    const ALL: [Self; 5] = [Self::Pipe, Self::Device, Self::Socket, Self::Folder, Self::Endless];

    fn put(self, at: &Path) {
        match self {
            Self::Pipe => mknodat(rustix::fs::CWD, at, FileType::Fifo, Mode::RWXU, 0).unwrap(),
            Self::Device => symlink("/dev/zero", at).unwrap(),
            Self::Socket => drop(UnixListener::bind(at).unwrap()),
            Self::Folder => fs::create_dir(at).unwrap(),
            Self::Endless => File::create(at).unwrap().set_len(1 << 42).unwrap(),
        }
    }

    fn remove(self, at: &Path) {
        if self == Self::Folder { fs::remove_dir(at).unwrap() } else { fs::remove_file(at).unwrap() }
    }
}

/// A command, and the file of it that is replaced. What is marked so may be a folder.
const PLACES: &[(&[&str], &str, bool)] = &[
    (&["run", "--specs", "specs.yaml"], "specs.yaml", true),
    (&["run", "--cases", "cases.yaml"], "cases.yaml", true),
    (&["run", "--cases", "cases"], "cases/more.yaml", true),
    (&["run", "--expectations", "known.yaml"], "known.yaml", false),
    (&["validate", "cases.yaml"], "cases.yaml", true),
    (&["matrix", "log.jsonl"], "log.jsonl", true),
    (&["diff", "log.jsonl", "log.jsonl"], "log.jsonl", true),
    (&["observe", "log.jsonl"], "log.jsonl", true),
    (&["run", "--rerun-failed", "log.jsonl"], "log.jsonl", true),
    (&["bench", "measured.json"], "measured.json", false),
    (&["verify", "out"], "out/events.jsonl", false),
    (&["verify", "out"], "out/certificate.json", false),
    (&["verify", "out"], "out/environment.json", false),
    (&["verify", "out"], "out/matrix.md", false),
    (&["verify", "out"], "out/junit.xml", false),
    (&["verify", "out"], "out/certificate.json.sig", false),
    (&["verify", "out", "--require-signer", "signers"], "signers", false),
    (&["certify", "--out", "new", "--sign", "key"], "key", false),
    (&["run", CASES, "--out", "out", "--resume"], "out/events.jsonl.unfinished", false),
    (&["run", "--backend", "mine"], "mine/backend.yaml", false),
    (&["import", "model.json"], "model.json", false),
    (&["import", "onnx/directml_argmax_documented_example_1"], "model.onnx", false),
    (&["judge", "npy"], "npy/opcert.json", false),
    (&["judge", "npy"], "npy/backend.json", false),
    (&["expect", "asked.yaml"], "asked.yaml", true),
    (&["fuzz", "--operator", "directml/argmax", "--count", "1", "--out", "found"], FINDING, true),
];

const FINDING: &str = "found/directml/argmax/cpu/a.yaml";

const CASES: &str = "directml/argmax/documented/*";

fn no_files(extent: Extent, tally: &mut Tally) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (arguments, file) in [
        (vec!["run", CASES, "--out", "out"], "out/events.jsonl"),
        (vec!["export", "--format", "npy", "npy", CASES], "npy/opcert.json"),
    ] {
        let ran = opcert(folder.path(), &arguments, MEMORY);
        assert!(at(file).is_file(), "{arguments:?}: {}", ran.said);
    }
    for folder in ["cases", "mine", "onnx/directml_argmax_documented_example_1", "found/directml/argmax/cpu"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    for (number, (arguments, file, may_be_folder)) in PLACES.iter().enumerate() {
        let path = match *file {
            "model.onnx" => at(arguments[1]).join(file),
            file => at(file),
        };
        let aside = at("aside");
        let is_there = path.exists();
        if is_there {
            fs::rename(&path, &aside).unwrap();
        }
        let things = Thing::ALL.into_iter().filter(|thing| !(*may_be_folder && *thing == Thing::Folder));
        let chosen = |at: usize| extent == Extent::Whole || number % 4 == 0 && at == number / 4 % 2;
        for (_, thing) in things.enumerate().filter(|(at, _)| chosen(*at)) {
            thing.put(&path);
            let ran = opcert(folder.path(), arguments, MEMORY);
            let words =
                ["is a pipe", "is a device", "is a socket", "is a folder", "bytes, expected", "no regular file"];
            let name = file.rsplit('/').next().unwrap();
            let wrong = ran.wrong(&[1, 2], name, &words);
            tally.count(&format!("{thing:?} in place of a file"), &format!("{arguments:?} {file}"), wrong);
            thing.remove(&path);
        }
        if is_there {
            fs::rename(&aside, &path).unwrap();
        }
    }
}

/// The beginning of a file of cases.
const HEAD: &str = "operator: directml/argmax\ncases:\n";
/// So many times its bytes a file may take.
const MOST_TIMES: u64 = 20;
/// What messages take, in KiB, however many are found.
const MESSAGES: u64 = 3 << 10;

fn memory(extent: Extent, tally: &mut Tally) {
    let count = if extent == Extent::Quick { 30_000 } else { 300_000 };
    let each = |make: &dyn Fn(usize) -> String| (0..count).map(make).collect::<String>();
    let case = |begin: &str, many: String, end: &str| format!("{HEAD}  c: {{expect: accepts, {begin}{many}{end}}}\n");
    let twins = |axes: usize, count: usize| {
        let (axes, part) = ("0, ".repeat(axes), "type: FLOAT32, sizes");
        let base = format!("tensors: {{InputTensor: {{{part}: [2, 3]}}, OutputTensor: {{{part}: [1, 3]}}}}");
        let base = base.replacen("OutputTensor: {type: FLOAT32", "OutputTensor: {type: UINT32", 1);
        let attributes = format!("attributes: {{Axes: [{axes}0], AxisDirection: DML_AXIS_DIRECTION_INCREASING}}");
        let twin = "twin: base, change: {attributes.Axes: [4]}, expect: {refuses: [axes-in-range]}";
        let twins: String = (0..count).map(|at| format!("  c{at}: {{{twin}}}\n")).collect();
        format!("{HEAD}  base: {{{base}, {attributes}, expect: accepts}}\n{twins}")
    };
    let shapes = [
        ("twins of a long list", twins(count / 10, count / 10)),
        ("empty cases", format!("{HEAD}{}", each(&|at| format!("  c{at}: {{}}\n")))),
        ("one case many times", format!("{HEAD}{}", each(&|_| "  same: {}\n".to_owned()))),
        ("anchors", format!("{HEAD}{}", each(&|at| format!("  c{at}: &a {{}}\n")))),
        ("a list of cases", format!("{HEAD}{}", each(&|_| "  - {}\n".to_owned()))),
        ("empty lists", format!("{HEAD}  [{}]\n", each(&|_| "[], ".to_owned()))),
        ("numbers", format!("{HEAD}  [{}]\n", each(&|_| "1,".to_owned()))),
        ("lists of one", format!("{HEAD}  [{}]\n", each(&|_| "[1],".to_owned()))),
        ("mappings of one", format!("{HEAD}  [{}]\n", each(&|_| "{a},".to_owned()))),
        ("dashes", format!("{HEAD}{}", "-\n".repeat(count))),
        ("keys on a line", format!("{{{}}}", each(&|at| format!("{at:x},")))),
        ("covers", case("covers: [", "a,".repeat(count), "]")),
        ("attributes", case("attributes: {", each(&|at| format!("{at:x},")), "}")),
        ("sizes", case("tensors: {InputTensor: {type: FLOAT32, sizes: [", "1,".repeat(count), "1]}}")),
        ("names", format!("{HEAD}  [{}]\n", each(&|_| "name, ".to_owned()))),
        ("keys", each(&|at| format!("key{at}: 1\n"))),
        ("edits of nothing", format!("{HEAD}{}", each(&|at| format!("  c{at}: {{twin: c0, change: {{a.b: 1}}}}\n")))),
        ("brackets", "[".repeat(count)),
        ("one long scalar", format!("operator: {}\n", "x".repeat(4 * count))),
        ("a line of quotes", format!("operator: {}\n", "'' ".repeat(count))),
        ("comments", "#\n".repeat(count)),
    ];
    let folder = tempfile::tempdir().unwrap();
    let validate = |text: &str| {
        fs::write(folder.path().join("cases.yaml"), text).unwrap();
        opcert(folder.path(), &["validate", "cases.yaml"], MEMORY)
    };
    let anyway = validate(HEAD).memory;
    let valid = ("twins", twins(0, count / 3));
    for (name, text) in shapes.into_iter().chain([valid]) {
        let ran = validate(&text);
        let (taken, size) = (ran.memory.saturating_sub(anyway), text.len() as u64 / 1024);
        let wrong = match name {
            "twins" => ran.wrong(&[0], "cases.yaml", &["valid"]),
            _ => ran.wrong(&[2], "cases.yaml", &["error"]),
        };
        let much = (taken > MOST_TIMES * size + MESSAGES).then(|| format!("{taken} KiB of memory for {size} KiB"));
        println!("  {name}: {taken} KiB of memory for {size} KiB");
        tally.count("a file that asks for memory", name, wrong.or(much));
    }
}

/// Models of few bytes.
fn imports(_: Extent, tally: &mut Tally) {
    let model = |tensor: &str, values: &str| {
        format!(
            r#"{{"resources": {{"in": {{"initialValuesDataType": "FLOAT32", "initialValues": {values}}}, "out": {{}}}},
            "dispatchables": {{"op": {{"type": "DML_OPERATOR_ARGMAX", "desc": {{"InputTensor": {tensor},
            "OutputTensor": {tensor}, "AxisDirection": "INCREASING", "AxisCount": 1, "Axes": [0]}}}}}},
            "commands": [{{"type": "dispatch", "dispatchable": "op", "bindings": {{"InputTensor": "in"}}}}]}}"#
        )
    };
    let tensor = |sizes: &str, rest: &str| format!(r#"{{"DataType": "FLOAT32", "Sizes": {sizes}{rest}}}"#);
    let constant = |count: u64| format!(r#"{{"valueCount": {count}, "value": 1}}"#);
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let models = [
        ("2^30 elements", model(&tensor("[1, 1, 32768, 32768]", ""), &constant(1 << 30))),
        ("2^28 elements", model(&tensor("[1, 1, 16384, 16384]", ""), &constant(1 << 28))),
        ("2^30 elements of one", model(&tensor("[1, 1, 32768, 32768]", r#", "Strides": [0, 0, 0, 0]"#), "[1]")),
        ("2^126 elements of one", model(&tensor("[4294967295, 4294967295, 4294967295, 1073741824]", ""), "[1]")),
        ("a list in lists", model(&tensor("[1]", ""), &deep(100_000))),
        ("nothing but brackets", deep(1_000_000)),
        ("an empty object", "{}".to_owned()),
        ("nothing that is taken", r#"{"resources": {}, "dispatchables": {}, "commands": []}"#.to_owned()),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in models {
        fs::write(folder.path().join("model.json"), text).unwrap();
        let ran = opcert(folder.path(), &["import", "model.json"], 1 << 20);
        // A descriptor is no larger for what it says, and may be one that is to be refused.
        let wrong = ran.wrong(&[1, 2], "model.json", &["error"]);
        tally.count(
            "a model that says it is large",
            name,
            wrong.filter(|_| ran.wrong(&[0], "refuses", &["-limit"]).is_some()),
        );
    }
}
