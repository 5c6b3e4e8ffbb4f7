//! What goes wrong with a device strikes one case, and the run goes on: in process where that can contain it, and in a
//! process of its own. Where there is nothing to run on, nothing passes, for a reason that is told.

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use opcert::backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support, serve};
use opcert::case::CaseSource;
use opcert::check::Suite;
use opcert::judge::{CaseEvent, Outcome, judge};
use opcert::plan::{Plan, Planned, Selection};
use opcert::run::{ProcessBackend, Program, execute};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_vulkan::{Lowered, Options, Rehearsal, RehearsedEnd, VulkanBackend, Yardstick};
use tempfile::TempDir;

#[path = "../shaders/compile.rs"]
#[expect(dead_code, reason = "the list of shaders is for the build script")]
mod compile;

/// Set where this program is not the tests: to what it is instead.
const ROLE: &str = "OPCERT_TEST_ROLE";

/// The cases of a drill. Each is dispatched six times, in one submission each.
const BEFORE: &str = "directml/one_hot/documented/example_1";
const STRUCK: &str = "directml/one_hot/documented/example_4";
const AFTER: [&str; 2] = ["directml/one_hot/documented/example_3", "directml/one_hot/documented/example_2"];

/// A case whose output has more than 16 MiB, which is more than a block of memory has at least.
const LARGE: &str = "directml/one_hot/generated/paths/vector_of_16777317_uint32_int8";

/// The number of the submission in which the second case is dispatched first.
const STRIKE: u64 = 7;

/// What takes far longer than anybody waits, even where a driver ends loops after 65,535 rounds.
const ENDLESS: &str = "
    var noise = parameters.count + group.x;
    for (var outer = 0u; outer < 60000u; outer += 1u) {
        for (var inner = 0u; inner < 60000u; inner += 1u) {
            DIVISIONS
        }
    }
    if noise == 12345u { return; }
";

/// Writes far beside the memory of the workgroup, where [`STRUCK`] has an index that no other case of a drill has.
const ASTRAY: &str = "
    if index.x == 100u {
        for (var step = 1u; step < 64u; step += 1u) {
            words[index.x * step * 0x40000u] = step;
        }
        hit = hit || words[lane] == 1u;
    }
";

/// A fault, and what becomes of four cases, of which it strikes the second.
struct Drill {
    name: &'static str,
    options: fn() -> Result<Options, String>,
    /// How long a dispatch may take. What never ends is tried with a time that is soon over, and with longer ones if what
    /// stands beside it needs them.
    patience: &'static [Duration],
    struck: &'static str,
    /// A part of the name of the device that it is for; empty for every device.
    only_on: &'static str,
    outcomes: [Outcome; 4],
    /// What the second case's reason says in process, where the fault can be contained there.
    in_process: Option<&'static str>,
    /// What it says when the backend runs in a process of its own.
    isolated: Option<Isolated>,
}

struct Isolated {
    said: &'static str,
    /// How long an answer may take, tried one after the other likewise.
    limits: &'static [Duration],
    /// How many processes the four cases take.
    processes: usize,
}

const PATIENT: &[Duration] = &[Duration::from_secs(60)];
const IMPATIENT: &[Duration] = &[Duration::from_millis(2500), Duration::from_secs(15), Duration::from_secs(60)];
/// Shorter than the backend's own patience, all of them.
const LIMITS_WITHIN_PATIENCE: &[Duration] = &[Duration::from_secs(4), Duration::from_secs(15), Duration::from_secs(40)];

/// Longer than any patience.
const LIMIT_BEYOND_PATIENCE: &[Duration] = &[Duration::from_secs(120)];

const fn in_one_process(said: &'static str) -> Option<Isolated> {
    Some(Isolated { said, limits: LIMIT_BEYOND_PATIENCE, processes: 1 })
}

const fn struck_by(outcome: Outcome) -> [Outcome; 4] {
    [Outcome::Pass, outcome, Outcome::Pass, Outcome::Pass]
}

const DRILLS: &[Drill] = &[
    Drill {
        name: "a_lost_device",
        options: || rehearsed(RehearsedEnd::DeviceLost),
        patience: PATIENT,
        struck: STRUCK,
        only_on: "",
        outcomes: struck_by(Outcome::DeviceLost),
        in_process: Some("device lost: the driver says ERROR_DEVICE_LOST"),
        isolated: in_one_process("device lost: the driver says ERROR_DEVICE_LOST"),
    },
    Drill {
        name: "out_of_memory",
        options: || rehearsed(RehearsedEnd::OutOfMemory),
        patience: PATIENT,
        struck: STRUCK,
        only_on: "",
        outcomes: struck_by(Outcome::OutOfMemory),
        in_process: Some("out of memory: the driver says ERROR_OUT_OF_DEVICE_MEMORY"),
        isolated: in_one_process("out of memory: the driver says ERROR_OUT_OF_DEVICE_MEMORY"),
    },
    Drill {
        name: "a_tensor_larger_than_an_allocation",
        options: || {
            let limits = Lowered { allocation_bytes: Some(1 << 20), ..Lowered::default() };
            Ok(Options { limits, ..Options::default() })
        },
        patience: PATIENT,
        struck: LARGE,
        only_on: "",
        outcomes: struck_by(Outcome::OutOfMemory),
        in_process: Some("16777472 bytes for a tensor, and the device allocates 1048576 at a time"),
        isolated: in_one_process("16777472 bytes for a tensor, and the device allocates 1048576 at a time"),
    },
    // The address space is limited as the large case begins, and not before.
    #[cfg(target_os = "linux")]
    Drill {
        name: NO_ADDRESS_SPACE,
        options: || Ok(Options::default()),
        patience: PATIENT,
        struck: LARGE,
        only_on: "",
        outcomes: struck_by(Outcome::OutOfMemory),
        in_process: None,
        isolated: in_one_process("out of memory: the driver says ERROR_OUT_OF_"),
    },
    // Devices of other drivers may share the threads that are still at work.
    Drill {
        name: "a_dispatch_without_an_end",
        options: endless,
        patience: IMPATIENT,
        struck: LARGE,
        only_on: "llvmpipe",
        outcomes: struck_by(Outcome::Hang),
        in_process: Some("did not finish within "),
        isolated: in_one_process("did not finish within "),
    },
    Drill {
        name: "a_dispatch_that_outlives_the_limit",
        options: endless,
        patience: PATIENT,
        struck: LARGE,
        only_on: "",
        outcomes: struck_by(Outcome::Hang),
        in_process: None,
        isolated: Some(Isolated { said: "no answer: within ", limits: LIMITS_WITHIN_PATIENCE, processes: 2 }),
    },
    // Other drivers check where shaders write.
    Drill {
        name: "a_driver_that_crashes",
        options: astray,
        patience: PATIENT,
        struck: STRUCK,
        only_on: "llvmpipe",
        outcomes: struck_by(Outcome::Crash),
        in_process: None,
        isolated: Some(Isolated { said: "crashed: the process ended (signal", limits: PATIENT, processes: 2 }),
    },
    // Each process rehearses it again, so that the last case is struck as well.
    Drill {
        name: "a_crash",
        options: || rehearsed(RehearsedEnd::Crash),
        patience: PATIENT,
        struck: STRUCK,
        only_on: "",
        outcomes: [Outcome::Pass, Outcome::Crash, Outcome::Pass, Outcome::Crash],
        in_process: None,
        isolated: Some(Isolated { said: "crashed: the process ended (", limits: PATIENT, processes: 2 }),
    },
];

fn rehearsed(end: RehearsedEnd) -> Result<Options, String> {
    Ok(Options { rehearsed: Some(Rehearsal { submission: STRIKE, end }), ..Options::default() })
}

/// Large outputs are filled without an end.
fn endless() -> Result<Options, String> {
    let divisions = "noise = (0xFFFFFFF0u - noise) / ((noise & 7u) + 1u);".repeat(32);
    replaced("fill", |text| {
        let (head, body) = text.rsplit_once(") {\n")?;
        Some(format!("{head}) {{{}{body}", ENDLESS.replace("DIVISIONS", &divisions)))
    })
}

/// Small outputs of one-hot operators are written beside.
fn astray() -> Result<Options, String> {
    replaced("one_hot_direct", |text| {
        let (head, store) = text.rsplit_once("    store_element(")?;
        let (globals, main) = head.rsplit_once("@compute")?;
        let main = main.replace("let hit", "var hit");
        Some(format!("{globals}var<workgroup> words: array<u32, 64>;\n@compute{main}{ASTRAY}    store_element({store}"))
    })
}

fn replaced(name: &str, alter: impl FnOnce(&str) -> Option<String>) -> Result<Options, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let text = compile::compose(name, "", &compile::read_from(&folder))?;
    let code = compile::compile(&alter(&text).ok_or("the shader is not as expected")?)?;
    Ok(Options { replaced: vec![(name.to_owned(), code)], ..Options::default() })
}

fn main() -> ExitCode {
    match std::env::var(ROLE).as_deref() {
        Ok("command") => return opcert::cli::main(),
        Ok("conformance") => return opcert::conformance(VulkanBackend::new()),
        Ok("drill") => return exit_code(stand_here()),
        #[cfg(target_os = "linux")]
        Ok("exchange") => return exit_code(exchange_here().map_err(|failed| format!("{failed:?}").into())),
        _ => {}
    }
    // As `faults serve a_crash 60000 FILE` this program is the backend on the other side.
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, command, name, patience, starts] = arguments.as_slice()
        && command == "serve"
    {
        return exit_code(serve_drill(name, patience, Path::new(starts)));
    }
    let device = VulkanBackend::new().identity().device.unwrap_or_default();
    let mut on_a_device = Vec::new();
    for drill in DRILLS {
        let mut add = |name: String, test: fn(&'static Drill) -> Result<(), Failed>| {
            let trial = Trial::test(name, move || test(drill));
            let is_elsewhere = !device.raw().contains(drill.only_on);
            on_a_device.push(if is_elsewhere { ignored(trial, &format!("not on {device}")) } else { trial });
        };
        if drill.in_process.is_some() {
            // Threads of an abandoned device would be in the way of other tests, and must not keep a process alive.
            add(format!("in_process::{}", drill.name), stand_in_process);
        }
        if drill.isolated.is_some() {
            add(format!("isolated::{}", drill.name), stand_isolated);
        }
    }
    on_a_device.push(Trial::test("a_device_that_is_not_there", a_device_that_is_not_there));
    #[cfg(target_os = "linux")]
    on_a_device.push(Trial::test("in_process::a_device_that_stays_away", a_device_that_stays_away));
    #[cfg(target_os = "linux")]
    on_a_device.push(match drivers().as_deref() {
        Some([first, second, ..]) => {
            let both = [first.clone(), second.clone()];
            Trial::test("in_process::another_device_in_its_place", move || another_device_in_its_place(&both))
        }
        _ => ignored(Trial::test("in_process::another_device_in_its_place", || Ok(())), "there are no two drivers"),
    });
    let mut trials: Vec<Trial> = match VulkanBackend::devices() {
        Ok(_) => on_a_device,
        Err(reason) => on_a_device.into_iter().map(|trial| ignored(trial, &reason.to_string())).collect(),
    };
    trials.push(Trial::test("unavailable::a_loader_that_is_asked_for", a_loader_that_is_not_there));
    #[cfg(target_os = "linux")]
    trials.push(Trial::test("unavailable::no_loader", no_loader));
    for (name, manifest) in MANIFESTS {
        trials.push(Trial::test(format!("unavailable::{name}"), move || no_driver(manifest)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn exit_code(result: Result<(), Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A test that is not run, for this reason.
fn ignored(trial: Trial, reason: &str) -> Trial {
    trial.with_kind(reason).with_ignored_flag(true)
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(otherwise().into()) }
}

fn drill(name: &str) -> Result<&'static Drill, Box<dyn Error>> {
    Ok(DRILLS.iter().find(|drill| drill.name == name).ok_or("no such drill")?)
}

/// The backend of a drill, with a patience in milliseconds.
fn backend_of(drill: &Drill, patience: &str) -> Result<VulkanBackend, Box<dyn Error>> {
    let patience = Duration::from_millis(patience.parse()?);
    Ok(VulkanBackend::with(Options { patience, ..(drill.options)()? })?)
}

/// Tries times, shorter ones first, until one is long enough for everything that comes to an end.
fn tried(times: &[Duration], attempt: impl Fn(Duration) -> Result<(), Failed>) -> Result<(), Failed> {
    let mut result = Err("no time was tried".into());
    for &time in times {
        result = attempt(time);
        if result.is_ok() {
            break;
        }
    }
    result
}

fn stand_in_process(drill: &'static Drill) -> Result<(), Failed> {
    tried(drill.patience, |patience| {
        this_program("drill", &[drill.name, &patience.as_millis().to_string()], &[], 0).map(drop)
    })
}

/// Runs the drill that is named on the command line, in this process.
fn stand_here() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, name, patience] = arguments.as_slice() else { return Err("a drill and its patience are needed".into()) };
    let drill = drill(name)?;
    let backend = backend_of(drill, patience)?;
    let stood = stand(&backend, drill, drill.in_process.unwrap_or_default());
    stood.map_err(|failed| failed.message().unwrap_or_default().into())
}

/// Serves the backend of a drill, and leaves a line in a file for each process that does.
fn serve_drill(name: &str, patience: &str, starts: &Path) -> Result<(), Box<dyn Error>> {
    let drill = drill(name)?;
    writeln!(fs::OpenOptions::new().append(true).create(true).open(starts)?, "started")?;
    let backend = Confined { inner: backend_of(drill, patience)?, is_confined: name == NO_ADDRESS_SPACE };
    if backend.is_confined {
        // The memory of tensors is to be refused, and not that in which a driver compiles: not every one survives that.
        backend.inner.measure(Yardstick::Pipelines)?;
    }
    Ok(serve(&backend, std::io::stdin().lock(), std::io::stdout().lock())?)
}

fn stand_isolated(drill: &'static Drill) -> Result<(), Failed> {
    let isolated = drill.isolated.as_ref().ok_or("the drill is not for a process of its own")?;
    tried(drill.patience, |patience| tried(isolated.limits, |limit| stand_within(drill, isolated, patience, limit)))
}

fn stand_within(drill: &Drill, isolated: &Isolated, patience: Duration, limit: Duration) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let starts = folder.path().join("starts");
    let patience = patience.as_millis().to_string();
    let arguments = vec!["serve".into(), drill.name.into(), patience.into(), starts.clone().into()];
    let program = Program { limit, ..Program::new(std::env::current_exe()?, arguments) };
    let backend = ProcessBackend::start(program)?;
    stand(&backend, drill, isolated.said)?;
    let processes = fs::read_to_string(&starts)?.lines().count();
    ensure(processes == isolated.processes, || format!("{processes} processes, expected {}", isolated.processes))
}

/// Runs the cases of a drill one after the other.
fn stand(backend: &dyn Backend, drill: &Drill, said: &str) -> Result<(), Failed> {
    let plan = planned(&[BEFORE, drill.struck, AFTER[0], AFTER[1]])?;
    for (planned, expected) in plan.iter().zip(drill.outcomes) {
        let event = run(planned, backend);
        expect(&event, expected, if event.case == drill.struck { said } else { "" })?;
    }
    Ok(())
}

fn expect(event: &CaseEvent, outcome: Outcome, said: &str) -> Result<(), Failed> {
    let reason = event.reason.as_ref().map(opcert::backend::ForeignText::raw).unwrap_or_default();
    ensure(event.outcome == outcome && reason.contains(said), || {
        format!("{}: {} ({reason}), expected {outcome} ({said})", event.case, event.outcome)
    })
}

fn run(planned: &Planned, backend: &dyn Backend) -> CaseEvent {
    judge(planned, execute(planned, backend))
}

/// These cases in this order. They are planned in this process, where planning starts no others.
fn planned(ids: &[&str]) -> Result<Vec<Planned>, Failed> {
    let diagnostics = |found: Vec<opcert::diagnostic::Diagnostic>| Failed::from(format!("{found:?}"));
    let specs = Specs::load(&Source::embedded_specs()).map_err(diagnostics)?;
    let files = ["directml/one_hot/documented", "directml/one_hot/generated/paths"];
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |stem| files.contains(&stem));
    let plan = Plan::new(suite.map_err(diagnostics)?.cases, &specs, &VulkanBackend::new(), &Selection::default());
    let mut entries = plan?.entries;
    let place = |planned: &Planned| ids.iter().position(|id| *id == planned.case.about().id);
    entries.retain(|planned| place(planned).is_some());
    entries.sort_by_key(place);
    ensure(entries.len() == ids.len(), || "not all of the cases are there".to_owned())?;
    Ok(entries)
}

const NO_ADDRESS_SPACE: &str = "no_address_space";

/// The backend, in hardly more address space than it has if that is asked for and a large tensor comes.
struct Confined {
    inner: VulkanBackend,
    is_confined: bool,
}

impl Backend for Confined {
    fn identity(&self) -> Identity {
        self.inner.identity()
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        self.inner.supports(descriptor)
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let inner = self.inner.compile(descriptor)?;
        Ok(Box::new(ConfinedOperator { inner, is_confined: self.is_confined }))
    }
}

struct ConfinedOperator {
    inner: Box<dyn Operator>,
    is_confined: bool,
}

impl Operator for ConfinedOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let is_large = outputs.iter().any(|output| output.bytes.len() > 16 << 20);
        if self.is_confined && is_large {
            return confined(|| self.inner.dispatch(inputs, outputs))
                .unwrap_or_else(|error| Err(Fault::Failed(error.to_string())));
        }
        self.inner.dispatch(inputs, outputs)
    }
}

/// Runs code that can allocate 4 MiB of address space and no more.
#[cfg(target_os = "linux")]
fn confined<T>(code: impl FnOnce() -> T) -> std::io::Result<T> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let status = fs::read_to_string("/proc/self/status")?;
    let kibibytes =
        status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().split(' ').next()?.parse().ok());
    let bytes = kibibytes.map_or(0, |kibibytes: u64| kibibytes << 10);
    let before = getrlimit(Resource::As);
    setrlimit(Resource::As, Rlimit { current: Some(bytes + (4 << 20)), maximum: before.maximum })?;
    let result = code();
    setrlimit(Resource::As, before)?;
    Ok(result)
}

#[cfg(not(target_os = "linux"))]
fn confined<T>(code: impl FnOnce() -> T) -> std::io::Result<T> {
    Ok(code())
}

/// A device that is lost and not found again fails every case until it is back.
#[cfg(target_os = "linux")]
fn a_device_that_stays_away() -> Result<(), Failed> {
    // A copy of the loader is a device's only way in that can be closed while others are open.
    let system = loader()?;
    let folder = TempDir::new()?;
    let copy = folder.path().join("libvulkan.so");
    fs::copy(&system, &copy)?;
    let backend = VulkanBackend::with(Options { loader: Some(copy.clone()), ..rehearsed(RehearsedEnd::DeviceLost)? })?;
    let plan = planned(&[BEFORE, STRUCK, AFTER[0], AFTER[1]])?;
    expect(&run(&plan[0], &backend), Outcome::Pass, "")?;
    expect(&run(&plan[1], &backend), Outcome::DeviceLost, "the driver says ERROR_DEVICE_LOST")?;
    fs::remove_file(&copy)?;
    expect(
        &run(&plan[2], &backend),
        Outcome::DeviceLost,
        "device lost: and it cannot be opened again: no Vulkan loader",
    )?;
    fs::copy(&system, &copy)?;
    expect(&run(&plan[3], &backend), Outcome::Pass, "")
}

/// The manifests of the driver in use and of others, with what they name as absolute paths; none where that cannot be seen.
#[cfg(target_os = "linux")]
fn drivers() -> Option<Vec<String>> {
    let used = std::env::var("VK_DRIVER_FILES").ok()?;
    let installed = fs::read_dir("/usr/share/vulkan/icd.d").into_iter().flatten().flatten().map(|entry| entry.path());
    let others = installed.chain([Path::new("/usr/lib/chromium/vk_swiftshader_icd.json").to_owned()]);
    let paths = std::iter::once(Path::new(&used).to_owned()).chain(others.filter(|path| *path != Path::new(&used)));
    let software =
        |path: &Path| path.to_string_lossy().contains("lvp") || path.to_string_lossy().contains("swiftshader");
    let manifests = paths.filter(|path| software(path)).filter_map(|path| {
        let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        let library = manifest["ICD"]["library_path"].as_str()?.to_owned();
        manifest["ICD"]["library_path"] = path.parent()?.join(library).to_string_lossy().into();
        Some(manifest.to_string())
    });
    Some(manifests.collect())
}

/// Where a device is lost and another one stands in its place, nothing is run on that: its answers would pass for those of
/// the first.
#[cfg(target_os = "linux")]
fn another_device_in_its_place([first, second]: &[String; 2]) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::write(path("driver.json"), first)?;
    fs::write(path("other.json"), second)?;
    let environment = [("VK_ICD_FILENAMES", &*path("driver.json")), ("VK_DRIVER_FILES", &*path("driver.json"))];
    this_program("exchange", &[&path("driver.json"), &path("other.json")], &environment, 0).map(drop)
}

/// The process in which the driver is exchanged for another one, and back.
#[cfg(target_os = "linux")]
fn exchange_here() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, driver, other] = arguments.as_slice() else { return Err("two manifests are expected".into()) };
    let (first, second) = (fs::read(driver)?, fs::read(other)?);
    let backend = VulkanBackend::with(rehearsed(RehearsedEnd::DeviceLost)?)?;
    let plan = planned(&[BEFORE, STRUCK, AFTER[0], AFTER[1]])?;
    expect(&run(&plan[0], &backend), Outcome::Pass, "")?;
    expect(&run(&plan[1], &backend), Outcome::DeviceLost, "the driver says ERROR_DEVICE_LOST")?;
    fs::write(driver, second)?;
    expect(&run(&plan[2], &backend), Outcome::DeviceLost, "is not there any more; there are `")?;
    fs::write(driver, first)?;
    expect(&run(&plan[3], &backend), Outcome::Pass, "")
}

/// The file of the loader that the system has.
#[cfg(target_os = "linux")]
fn loader() -> Result<std::path::PathBuf, Failed> {
    // It is among what is mapped while a device is open.
    let open = VulkanBackend::new();
    let maps = fs::read_to_string("/proc/self/maps")?;
    drop(open);
    let path = maps
        .lines()
        .find_map(|line| line.find('/').map(|at| &line[at..]).filter(|path| path.contains("libvulkan.so.1")));
    path.map(Into::into).ok_or_else(|| "the loader is not mapped".into())
}

fn a_loader_that_is_not_there() -> Result<(), Failed> {
    let loader = TempDir::new()?.path().join("no-such-loader.so");
    let name = loader.to_string_lossy().into_owned();
    match VulkanBackend::with(Options { loader: Some(loader), ..Options::default() }) {
        Ok(backend) => Err(format!("{backend:?} was opened").into()),
        Err(reason) => {
            let reason = reason.to_string();
            ensure(reason.starts_with("no Vulkan loader: ") && reason.contains(&name), || reason)
        }
    }
}

fn a_device_that_is_not_there() -> Result<(), Failed> {
    let devices = VulkanBackend::devices()?;
    let first = devices[0].split(" (").next().unwrap_or_default();
    for isolation in ["--isolate", "--in-process"] {
        let arguments = ["run", BEFORE, "--backend", "vulkan:NoSuchDevice", isolation];
        let said = this_program("command", &arguments, &[], 3)?;
        let opened = "`vulkan:NoSuchDevice` cannot be opened: no Vulkan device is called `NoSuchDevice`; there are `";
        ensure(said.contains(opened) && said.contains(first), || said)?;
    }
    Ok(())
}

/// What the loader finds in place of a driver's manifest.
const MANIFESTS: [(&str, Option<&str>); 3] = [
    ("no_driver", None),
    ("a_driver_whose_manifest_is_no_json", Some("this is no manifest {")),
    (
        "a_driver_without_a_library",
        Some(r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "/no/driver.so", "api_version": "1.3.0"}}"#),
    ),
];

fn no_driver(manifest: Option<&str>) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let path = folder.path().join("driver.json");
    if let Some(text) = manifest {
        fs::write(&path, text)?;
    }
    let path = path.to_string_lossy();
    nothing_passes(&[("VK_ICD_FILENAMES", &path), ("VK_DRIVER_FILES", &path)], |reason| {
        // Without any loader the drivers are of no account.
        let is_no_json = reason == "no Vulkan instance: no memory, or the manifest of a driver cannot be read";
        let is_no_driver = reason == "no Vulkan driver is installed";
        reason.starts_with("no Vulkan loader: ") || is_no_driver || (is_no_json && manifest.is_some())
    })
}

/// A file that is no library stands before the system's loader.
#[cfg(target_os = "linux")]
fn no_loader() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    fs::write(folder.path().join("libvulkan.so.1"), "this is no library")?;
    let path = folder.path().to_string_lossy();
    nothing_passes(&[("LD_LIBRARY_PATH", &path)], |reason| reason.starts_with("no Vulkan loader: "))
}

/// In such an environment nothing is supported, for a reason, whichever way cases are run.
fn nothing_passes(environment: &[(&str, &str)], is_right: impl Fn(&str) -> bool) -> Result<(), Failed> {
    const CASES: usize = 5;
    let listed = this_program("command", &["backends"], environment, 0)?;
    let mut lines = listed.lines().skip_while(|line| !line.starts_with("vulkan  0.1.0: directml "));
    let reason = lines.nth(1).unwrap_or_default().trim();
    ensure(is_right(reason), || listed.clone())?;
    for isolation in ["--isolate", "--in-process"] {
        let run = ["run", "directml/one_hot/documented/*", "--backend", "vulkan", isolation, "--format", "jsonl"];
        let said = this_program("command", &run, environment, 4)?;
        let unsupported = format!("\"outcome\":\"unsupported\",\"reason\":\"{reason}\"");
        let has_others = said.matches("\"outcome\":").count() != CASES;
        ensure(said.matches(&unsupported).count() == CASES && !has_others, || said)?;
    }
    let said = this_program("conformance", &["directml::one_hot::documented::"], environment, 0)?;
    let ignored = format!("[vulkan: unsupported: {reason}] directml::one_hot::documented::example_1");
    ensure(said.contains(&ignored) && said.contains("0 passed; 0 failed; 5 ignored"), || said)
}

/// Runs this program in another role and environment; what it says, if it ends with this code.
fn this_program(role: &str, arguments: &[&str], environment: &[(&str, &str)], code: i32) -> Result<String, Failed> {
    let folder = TempDir::new()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).env(ROLE, role).envs(environment.iter().copied()).current_dir(folder.path());
    let output = command.output()?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    ensure(output.status.code() == Some(code), || format!("{}, expected {code}\n{said}", output.status))?;
    Ok(said)
}
