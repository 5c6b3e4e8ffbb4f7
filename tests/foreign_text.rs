//! A backend whose every word is an attack on the terminal, through every command. This program is the command, with that
//! backend, and runs itself; nothing that it prints or renders holds a character that cannot be seen, but its own styles.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod page_data;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use opcert::backend::foreign::is_unseen;
use opcert::backend::{Backend, CompileError, DataType, Descriptor, Fault, Identity, Input, Operator, Output, Support};
use opcert::bench::{BENCH_FORMAT, BenchReport, FailedRow, MeasuredBackend, Outcome, Row};
use opcert::cli::{BackendEntry, main_with};
use opcert::report::Machine;
use opcert::signature::Signer;
use opcert_cpu::CpuBackend;
use ssh_key::private::Ed25519Keypair;
use ssh_key::{LineEnding, PrivateKey};
use tempfile::TempDir;

/// Set where this program is the command and not the tests.
const COMMAND: &str = "OPCERT_TEST_IS_THE_COMMAND";

const BACKENDS: [BackendEntry; 2] = [
    BackendEntry::new("plain", || Box::new(CpuBackend::new())),
    BackendEntry::on_devices("hostile", |_| Ok(Box::new(Hostile)), || Ok(vec![ATTACK.to_owned()])),
];

/// A title for the window, a cleared screen, a code of one character, the other direction, blinking, hiding, XML that is none, a mark of
/// Markdown and of HTML, and a line that looks like the program's own.
const ATTACK: &str = "said\u{1b}]0;t\u{7}\u{1b}[2J\u{9b}2J\u{202e}\u{0}\u{b}\u{1b}[5m\u{1b}[8m**b**<img src=x>`c`|\r\nFORGED: everything fits";

struct Hostile;

impl Backend for Hostile {
    fn identity(&self) -> Identity {
        let said = |what: &str| format!("{what} {ATTACK}").into();
        Identity {
            name: said("name"),
            version: said("version"),
            device: Some(said("device")),
            ..CpuBackend::new().identity()
        }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        match numbered(descriptor, 7) {
            0 => Support::No(ATTACK.to_owned()),
            1 => Support::Broken(Fault::Failed(ATTACK.to_owned())),
            _ => Support::Yes,
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let operator = CpuBackend::new().compile(descriptor)?;
        match numbered(descriptor, 7) {
            2 => Err(CompileError::Rejected { requirement: Some(ATTACK.to_owned()), reason: ATTACK.to_owned() }),
            3 => Err(CompileError::Unsupported { reason: ATTACK.to_owned() }),
            4 => {
                // In its own process; what it writes in this one passes nobody.
                if std::env::args().nth(1).is_some_and(|command| command == "serve") {
                    eprintln!("{ATTACK}");
                }
                std::panic::resume_unwind(Box::new(ATTACK.to_owned()))
            }
            5 => Ok(Box::new(Failing)),
            _ => Ok(operator),
        }
    }
}

struct Failing;

impl Operator for Failing {
    fn dispatch(&mut self, _: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        // More than a mebibyte, which nothing that is printed may have.
        let more = if outputs.iter().any(|output| output.tensor.sizes.len() == 4) { 220_000 } else { 0 };
        Err(Fault::DeviceLost(format!("{ATTACK}{}", "long ".repeat(more))))
    }
}

/// Something about a descriptor that differs from case to case.
fn numbered(descriptor: &Descriptor, count: u64) -> u64 {
    let sizes = descriptor.tensors.iter().flat_map(|entry| &entry.tensor.sizes);
    sizes.fold(descriptor.attributes.len() as u64, |sum, size| sum.wrapping_mul(3).wrapping_add(*size)) % count
}

/// The commands, in an order in which each finds what it reads.
const COMMANDS: [&[&str]; 29] = [
    &["backends"],
    &["run", "directml/one_hot/documented/*", "directml/argmax/by_hand/axis*", "--backend", "hostile"],
    &["run", "directml/one_hot/documented/*", "directml/argmax/by_hand/axis*", "--backend", "hostile", "--isolate"],
    &["run", "directml/one_hot/documented/*", "--backend", "hostile", "--format", "jsonl"],
    // Some hundred cases fail. What is printed of them is bounded, and grows with their number.
    &[
        "run",
        "directml/[!st]*/documented/*",
        "directml/arg*/by_hand/*",
        "directml/nonzero_coordinates/by_hand/*",
        "directml/one_hot/by_hand/*",
        "directml/reduce_arg*/by_hand/*",
        "--backend",
        "hostile",
        "--out",
        "after",
    ],
    &[
        "run",
        "directml/[!st]*/documented/*",
        "directml/arg*/by_hand/*",
        "directml/nonzero_coordinates/by_hand/*",
        "directml/one_hot/by_hand/*",
        "directml/reduce_arg*/by_hand/*",
        "--backend",
        "plain",
        "--out",
        "before",
    ],
    &["run", "--rerun-failed", "after", "--backend", "hostile"],
    &["verify", "after"],
    &["smoke", "--backend", "hostile"],
    &["smoke", "--backend", "hostile", "--isolate"],
    &["diff", "before", "after"],
    &["diff", "before", "after", "--format", "json"],
    &["trend", "after", "after"],
    &["matrix", "after", "before"],
    &["matrix", "after", "before", "--format", "html", "--out", "page.html"],
    &["matrix", "after", "before", "--format", "svg", "--out", "picture.svg"],
    &["matrix", "after", "--format", "badge"],
    &["observe", "after"],
    &["fuzz", "--backend", "hostile", "--seconds", "1"],
    &["bench", "--backend", "hostile", "--size", "2^10..2^10"],
    &["bench", "bench.json"],
    &["verify", "signed", "--require-signer", "signers"],
    &["verify", "forged"],
    &["matrix", "forged"],
    &["validate", "hostile.yaml"],
    &["run", "--cases", "hostile.yaml"],
    &["show", ATTACKING_NAME],
    &["explain", ATTACKING_NAME],
    &["run", ATTACKING_NAME, "--backend", ATTACKING_NAME],
];

/// What may be an argument of a program.
const ATTACKING_NAME: &str = "a\u{1b}[2J\u{9b}2J\u{202e}\nFORGED: everything fits";

/// A case file with an escape, a mark of direction and a control character of one byte more, written in YAML's way.
const HOSTILE_YAML: &str =
    "operator: directml/one_hot\ncases:\n  \"a\\e[2J\\x9b\": {title: \"b\u{202e}\\r\\nFORGED\"}\n";

fn main() -> ExitCode {
    if std::env::var_os(COMMAND).is_some() {
        return main_with(&BACKENDS);
    }
    let trial = Trial::test("nothing_that_a_backend_says_is_a_command_to_the_terminal", || {
        let folder = TempDir::new()?;
        every_command(folder.path())
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}

fn every_command(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("hostile.yaml"), HOSTILE_YAML)?;
    let mut said = String::new();
    for arguments in COMMANDS {
        match arguments.get(1) {
            Some(&"forged") if arguments[0] == "verify" => forge(folder)?,
            Some(&"bench.json") => fs::write(folder.join("bench.json"), measured()?)?,
            Some(&"signed") => sign(folder)?,
            _ => {}
        }
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).current_dir(folder).stdin(Stdio::null()).env(COMMAND, "").env("CLICOLOR_FORCE", "1");
        let output = command.output()?;
        for stream in [output.stdout, output.stderr] {
            let text = String::from_utf8(stream)?;
            clean(&text, true).map_err(|what| format!("`{}`: {what}", arguments.join(" ").escape_debug()))?;
            let shown = arguments.ends_with(&["jsonl"]) || text.len() < 1 << 20;
            if !shown {
                return Err(format!("`{}` prints {} bytes", arguments.join(" "), text.len()).into());
            }
            said += &text;
        }
    }
    // The backend was heard: what it says is there, in letters.
    for heard in ["said\\u{1b}]0;t\\u{7}", "\\u{202e}", "device lost", "more characters, which the event log has"] {
        if !said.contains(heard) {
            return Err(format!("`{heard}` was said nowhere").into());
        }
    }
    files(folder)
}

/// Every file that was written, but the one that is hostile itself.
fn files(folder: &Path) -> Result<(), Failed> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path)?;
        } else if !["hostile.yaml", "signers"].iter().any(|name| path.ends_with(name)) {
            let text = String::from_utf8(fs::read(&path)?)?;
            clean(&text, false).map_err(|what| format!("`{}`: {what}", path.display()))?;
            if path.extension().is_some_and(|extension| extension == "html") {
                let (data, _) = page_data::of(&text).ok_or_else(|| format!("`{}` has no data", path.display()))?;
                clean(&data, false).map_err(|what| format!("the data of `{}`: {what}", path.display()))?;
            }
            if path.extension().is_some_and(|extension| extension == "md") && text.contains("<img") {
                let escaped = text.matches("\\<img").count() == text.matches("<img").count();
                if !escaped {
                    return Err(format!("`{}` holds HTML", path.display()).into());
                }
            }
        }
    }
    Ok(())
}

/// Fails for a character that cannot be seen and a line that is not the program's own.
fn clean(text: &str, styles: bool) -> Result<(), String> {
    let mut plain = text.to_owned();
    if styles {
        // The styles that the program writes; it never lets anything blink or vanish.
        for style in text.split('\u{1b}').skip(1) {
            let end = style.find('m').map_or(0, |end| end + 1);
            let numbers = style.strip_prefix('[').is_some_and(|rest| {
                rest.chars().take_while(|&letter| letter != 'm').all(|letter| letter.is_ascii_digit() || letter == ';')
            });
            if numbers && !["[5m", "[8m"].contains(&&style[..end]) {
                plain = plain.replace(&format!("\u{1b}{}", &style[..end]), "");
            }
        }
    }
    if let Some(at) = plain.find(is_unseen) {
        let around: String = plain[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        let found: String = plain[at..].chars().take(20).collect();
        return Err(format!("{found:?} is printed, behind {around:?}"));
    }
    match plain.lines().find(|line| line.starts_with("FORGED")) {
        Some(line) => Err(format!("a line is forged: {}", line.chars().take(80).collect::<String>())),
        None => Ok(()),
    }
}

/// Results of measurements in which every word is an attack.
fn measured() -> Result<String, Failed> {
    let said = || ATTACK.to_owned();
    let row = |outcome| Row {
        operator: ATTACK.into(),
        workload: ATTACK.into(),
        data_type: DataType::F32,
        tensor: ATTACK.into(),
        elements: 1 << 30,
        threads: Some(1),
        outcome,
    };
    let failed = Outcome::Failed(FailedRow { reason: ATTACK.into(), elements: 1 });
    let report = BenchReport {
        format: BENCH_FORMAT,
        machine: Machine { system: said(), architecture: said(), processor: Some(said()), cores: 1, memory: None },
        backend: MeasuredBackend {
            name: ATTACK.into(),
            version: ATTACK.into(),
            device: Some(ATTACK.into()),
            isolated: false,
        },
        rounds: 1,
        rows: vec![row(Outcome::Unsupported(ATTACK.into())), row(failed)],
    };
    Ok(report.json()?.replace('\u{9b}', "\\u009b").replace('\u{202e}', "\\u202e"))
}

/// A bundle that is signed, and a file in which the name of its signer hides what follows.
fn sign(folder: &Path) -> Result<(), Failed> {
    copy(&folder.join("before"), &folder.join("signed"))?;
    let key = PrivateKey::from(Ed25519Keypair::from_seed(&[1; 32]));
    fs::write(folder.join("key"), key.to_openssh(LineEnding::LF)?.as_bytes())?;
    let certificate = fs::read(folder.join("signed/certificate.json"))?;
    let signature = Signer::read(&folder.join("key"))?.sign(&certificate)?;
    fs::write(folder.join("signed/certificate.json.sig"), signature)?;
    let public = key.public_key().to_openssh()?;
    let hiding = "\"one\u{1b}[8m\u{1b}[2J\u{9b}2J\u{202e}\" namespaces=\"opcert\" ";
    fs::write(folder.join("signers"), format!("{hiding}{public}\n"))?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Failed> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        fs::copy(&path, to.join(path.file_name().unwrap()))?;
    }
    Ok(())
}

/// A bundle in which a name that opcert writes itself holds what nobody sees.
fn forge(folder: &Path) -> Result<(), Failed> {
    copy(&folder.join("before"), &folder.join("forged"))?;
    let log = folder.join("forged/events.jsonl");
    let text = fs::read_to_string(&log)?;
    let attack = serde_json::to_string(ATTACKING_NAME)?;
    let forged = text.replacen("documented/example_1\"", &format!("{}\"", attack.trim_matches('"')), 1);
    assert_ne!(text, forged);
    let certificate = folder.join("forged/certificate.json");
    let stated = fs::read_to_string(&certificate)?.replacen("\"name\": \"cpu\"", &format!("\"name\": {attack}"), 1);
    fs::write(&certificate, stated.replace('\u{9b}', "\\u009b").replace('\u{202e}', "\\u202e"))?;
    fs::write(log, forged.replace('\u{9b}', "\\u009b").replace('\u{202e}', "\\u202e"))?;
    Ok(())
}
