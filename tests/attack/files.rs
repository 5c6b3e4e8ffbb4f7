//! What is no file, in place of every file that is read; files that ask for more memory than they have bytes; and tests
//! of others that say of few bytes that they are many.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use libtest_mimic::Trial;
use rustix::fs::{FileType, Mode, mknodat};

use crate::ran::{Ran, opcert};
use crate::{Extent, Tally, attack};

pub fn trials() -> Vec<Trial> {
    [
        attack("files::no_files", no_files),
        attack("files::memory", memory),
        attack("files::models", models),
        attack("files::messages", messages),
        attack("files::imports", imports),
    ]
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
    (&["trend", "log.jsonl", "log.jsonl"], "log.jsonl", true),
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
        let wrong = match name {
            "twins" => ran.wrong(&[0], "cases.yaml", &["valid"]),
            _ => ran.wrong(&[2], "cases.yaml", &["error"]),
        };
        tally.count("a file that asks for memory", name, wrong.or(much(name, &ran, anyway, text.len())));
    }
}

/// What is wrong with the memory that a command took for so many bytes, and `anyway` for a file of none.
fn much(name: &str, ran: &Ran, anyway: u64, bytes: usize) -> Option<String> {
    let (taken, size) = (ran.memory.saturating_sub(anyway), bytes as u64 / 1024);
    println!("  {name}: {taken} KiB of memory for {size} KiB");
    (taken > MOST_TIMES * size + MESSAGES).then(|| format!("{taken} KiB of memory for {size} KiB"))
}

/// A model of DxDispatch with one operator.
struct Model {
    resources: String,
    sizes: String,
    /// More members of the operator, each behind a comma.
    members: String,
    dispatchables: String,
    commands: String,
    /// More members of the model, each behind a comma.
    more: String,
}

impl Model {
    fn new() -> Self {
        Self {
            resources: r#""in": {"initialValuesDataType": "FLOAT32", "initialValues": [1]}"#.to_owned(),
            sizes: "1".to_owned(),
            members: String::new(),
            dispatchables: String::new(),
            commands: r#"{"type": "dispatch", "dispatchable": "op", "bindings": {"InputTensor": "in"}}"#.to_owned(),
            more: String::new(),
        }
    }

    fn text(&self) -> String {
        let Self { resources, sizes, members, dispatchables, commands, more } = self;
        format!(
            r#"{{"resources": {{{resources}}}, "dispatchables": {{"op": {{"type": "DML_OPERATOR_ARGMAX", "desc":
            {{"InputTensor": {{"DataType": "FLOAT32", "Sizes": [{sizes}]}}, "AxisDirection": "INCREASING", "Axes": [0],
            "OutputTensor": {{"DataType": "UINT32", "Sizes": [1]}}, "AxisCount": 1{members}}}}}{dispatchables}}},
            "commands": [{commands}]{more}}}"#
        )
    }
}

fn models(extent: Extent, tally: &mut Tally) {
    let count = if extent == Extent::Quick { 100_000 } else { 1_000_000 };
    let each = |make: &dyn Fn(usize) -> String| (0..count).map(make).collect::<String>();
    let dispatch = r#", {"type": "dispatch", "dispatchable": "op"}"#;
    let commands = |more: String| Model::new().commands + &more;
    let shapes = [
        ("commands of nothing", Model { commands: commands(", 0".repeat(count)), ..Model::new() }),
        ("dispatches", Model { commands: commands(dispatch.repeat(count / 20)), ..Model::new() }),
        ("some dispatches", Model { commands: commands(dispatch.repeat(8_000)), ..Model::new() }),
        ("a list in lists", Model { commands: "[".repeat(count) + &"]".repeat(count), ..Model::new() }),
        ("bindings", {
            let bound = each(&|at| format!(r#", "Output{at:x}": "{at:x}""#));
            let begin = r#"{"type": "dispatch", "dispatchable": "op", "bindings": {"InputTensor": "in""#;
            Model { commands: format!("{begin}{bound}}}}}"), ..Model::new() }
        }),
        ("operators", {
            let dispatchables = (0..8_000).map(|at| format!(r#", "{at:x}": {{"type": "ARGMAX"}}"#)).collect::<String>();
            Model { dispatchables, ..Model::new() }
        }),
        ("too many operators", {
            let dispatchables = each(&|at| format!(r#", "{at:x}": {{"type": "ARGMAX"}}"#));
            Model { dispatchables, ..Model::new() }
        }),
        ("unknown members", Model { more: each(&|at| format!(r#", "{at:x}": 0"#)), ..Model::new() }),
        ("attributes", Model { members: each(&|at| format!(r#", "{at:x}": 0"#)), ..Model::new() }),
        ("sizes", Model { sizes: "1".to_owned() + &",1".repeat(count), ..Model::new() }),
        ("resources", {
            let resources = Model::new().resources + &each(&|at| format!(r#", "{at:x}": 0"#));
            Model { resources, ..Model::new() }
        }),
        ("a resource of many values", {
            let values = ",1".repeat(count);
            let resources = format!(r#""in": {{"initialValuesDataType": "FLOAT32", "initialValues": [1{values}]}}"#);
            Model { resources, ..Model::new() }
        }),
    ];
    let folder = tempfile::tempdir().unwrap();
    let import = |text: &str| {
        fs::write(folder.path().join("model.json"), text).unwrap();
        opcert(folder.path(), &["import", "model.json"], MEMORY)
    };
    let anyway = import(&Model::new().text()).memory;
    for (name, model) in shapes {
        let text = model.text();
        let ran = import(&text);
        let wrong = ran.wrong(&[0, 2], "", &["error", "imported"]);
        tally.count("a model that asks for memory", name, wrong.or(much(name, &ran, anyway, text.len())));
    }
}

/// A field of a message: its number and its bytes.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [varint(u64::from(number) << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

/// A field that is a number.
fn numbered(number: u8, value: u64) -> Vec<u8> {
    [varint(u64::from(number) << 3), varint(value)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A test of ONNX's ArgMax on two numbers of FLOAT, with fields that are in addition to those.
#[derive(Default)]
struct NodeTest {
    of_model: Vec<u8>,
    of_graph: Vec<u8>,
    of_node: Vec<u8>,
    of_shape: Vec<u8>,
    of_tensor: Vec<u8>,
}

impl NodeTest {
    fn write(&self, folder: &Path) -> usize {
        let value = |name: &[u8], data_type, shape: &[u8]| {
            let tensor = [numbered(1, data_type), field(2, shape)].concat();
            [field(1, name), field(2, &field(1, &tensor))].concat()
        };
        let size = |size| field(1, &numbered(1, size));
        let node = [field(1, b"x"), field(2, b"y"), field(4, b"ArgMax"), self.of_node.clone()].concat();
        let shape = [size(2), self.of_shape.clone()].concat();
        let (input, output) = (field(11, &value(b"x", 1, &shape)), field(12, &value(b"y", 7, &size(1))));
        let graph = [field(1, &node), input, output, self.of_graph.clone()].concat();
        let opset = field(8, &[field(1, b""), numbered(2, 13)].concat());
        let model = [numbered(1, 7), field(7, &graph), opset, self.of_model.clone()].concat();
        let tensor = [numbered(1, 2), numbered(2, 1), field(9, &[0; 8]), self.of_tensor.clone()].concat();
        fs::write(folder.join("model.onnx"), &model).unwrap();
        fs::write(folder.join("test_data_set_0/input_0.pb"), &tensor).unwrap();
        model.len() + tensor.len()
    }
}

fn messages(extent: Extent, tally: &mut Tally) {
    let count = if extent == Extent::Quick { 200_000 } else { 2_000_000 };
    let empty = |number| field(number, b"").repeat(count);
    let none = NodeTest::default;
    let shapes = [
        ("nodes", NodeTest { of_graph: empty(1), ..none() }),
        ("initializers", NodeTest { of_graph: empty(5), ..none() }),
        ("sparse initializers", NodeTest { of_graph: empty(15), ..none() }),
        ("inputs", NodeTest { of_graph: empty(11), ..none() }),
        ("outputs", NodeTest { of_graph: empty(12), ..none() }),
        ("inputs of the node", NodeTest { of_node: empty(1), ..none() }),
        ("attributes", NodeTest { of_node: empty(5), ..none() }),
        ("sizes that are open", NodeTest { of_shape: empty(1), ..none() }),
        ("sets of operators", NodeTest { of_model: empty(8), ..none() }),
        ("groups", NodeTest { of_model: [[0x7B].repeat(count), [0x7C].repeat(count)].concat(), ..none() }),
        ("sizes of a tensor", NodeTest { of_tensor: numbered(1, 1).repeat(count), ..none() }),
        ("packed sizes", NodeTest { of_tensor: field(1, &[1].repeat(count)), ..none() }),
        ("texts", NodeTest { of_tensor: empty(6), ..none() }),
        ("other files", NodeTest { of_tensor: empty(13), ..none() }),
        ("packed numbers", NodeTest { of_tensor: field(5, &[1].repeat(count)), ..none() }),
    ];
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("test/test_data_set_0")).unwrap();
    let import = |test: &NodeTest| {
        let bytes = test.write(&folder.path().join("test"));
        (opcert(folder.path(), &["import", "test"], MEMORY), bytes)
    };
    let (plain, _) = import(&none());
    assert_eq!(plain.code, Some(0), "{}", plain.said);
    for (name, test) in shapes {
        let (ran, bytes) = import(&test);
        let wrong = ran.wrong(&[2], "test", &["error"]);
        tally.count("a message that asks for memory", name, wrong.or(much(name, &ran, plain.memory, bytes)));
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
