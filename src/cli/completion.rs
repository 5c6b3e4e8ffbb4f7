//! What a shell offers behind the cursor: names of cases, levels, backends and requirements, as the program knows them at
//! that moment. Only embedded files are looked at.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;

use clap::{Arg, Command, ValueEnum};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;
use opcert_backend::DataType;

use super::backends::BackendEntry;
use super::{Failure, output};
use crate::bench::Workloads;
use crate::case::{CaseSource, Few, LoadedFile};
use crate::source::Source;
use crate::spec::Specs;
use crate::yaml::Problems;

/// The environment variable by which a shell asks this program for words.
const VARIABLE: &str = "OPCERT_COMPLETE";

/// The shells that can be told.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Shell {
    /// Bash
    Bash,
    /// Elvish
    Elvish,
    /// Fish
    Fish,
    /// PowerShell
    Powershell,
    /// Z shell
    Zsh,
}

impl Shell {
    const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Elvish => "elvish",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
            Self::Zsh => "zsh",
        }
    }
}

/// Answers a shell that asks for words, and ends the process then; does nothing in any other run.
pub(super) fn answer(command: impl Fn() -> Command) {
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

/// Prints the script that makes a shell ask.
pub(super) fn script(command: &Command, shell: Shell) -> Result<u8, Failure> {
    let shells = Shells::builtins();
    let registered = shells.completer(shell.name()).ok_or_else(|| io::Error::other("no such shell"))?;
    let name = command.get_name();
    let mut script = Vec::new();
    registered.write_registration(VARIABLE, name, name, name, &mut script)?;
    let more = if matches!(shell, Shell::Bash) { WHOLE_WORDS.replace("NAME", name) } else { String::new() };
    output::print_as_it_is(&(String::from_utf8_lossy(&script) + more.as_str()))
}

/// Bash takes words apart at `:` and `=`. They are put together for the program, and of its answers that part is left which
/// bash takes for the word.
const WHOLE_WORDS: &str = r#"
_NAME_whole_words() {
    local words=() index=0 apart=${COMP_WORDS[COMP_CWORD]} at word last glue=0
    for at in "${!COMP_WORDS[@]}"; do
        word=${COMP_WORDS[at]} last=$(( ${#words[@]} - 1 ))
        if [[ $word =~ ^[:=]+$ ]]; then
            glue=1
        elif (( glue == 1 )); then
            glue=2
        else
            glue=0
        fi
        if (( glue && last > 0 )) && [[ $COMP_LINE == *"${words[last]}$word"* ]]; then
            words[last]+=$word
        else
            words+=("$word")
        fi
        if (( at == COMP_CWORD )); then
            index=$(( ${#words[@]} - 1 ))
        fi
    done
    local COMP_WORDS=("${words[@]}") COMP_CWORD=$index begun=${words[index]}
    _clap_complete_NAME "$1" "$begun" "$3"
    local before=${begun%"$apart"}
    if [[ $apart =~ ^[:=]+$ ]]; then
        before=$begun
    fi
    if [[ -n $before ]] && (( ${#COMPREPLY[@]} > 0 )); then
        COMPREPLY=("${COMPREPLY[@]#"$before"}")
    fi
}
complete -o nospace -o bashdefault -o nosort -F _NAME_whole_words NAME 2> /dev/null ||
    complete -o nospace -o bashdefault -F _NAME_whole_words NAME
"#;

/// The same command, whose arguments know their words.
pub(super) fn with_words(command: Command, backends: &[BackendEntry]) -> Command {
    let names: Vec<&'static str> = backends.iter().map(|entry| entry.name).collect();
    command.mut_subcommands(|subcommand| subcommand.mut_args(|argument| with_words_of(argument, &names)))
}

fn with_words_of(argument: Arg, backends: &[&'static str]) -> Arg {
    let offered: fn(&str) -> Vec<String> = match argument.get_id().as_str() {
        "backend" => {
            let names: Vec<String> = backends.iter().map(|&name| name.to_owned()).collect();
            let offer = move |begun: &OsStr| {
                let folders = folders_of_backends();
                candidates(begun, names.iter().cloned().chain(folders))
            };
            return argument.add(ArgValueCompleter::new(offer));
        }
        "filter" => terms,
        "case" | "what" => cases,
        "level" => |_| levels(),
        "type" => |_| data_types(),
        "id" => |begun| operators().into_iter().chain(requirements(begun)).collect(),
        "operator" => |_| operators(),
        "workload" => |_| workloads(),
        _ => return argument,
    };
    argument.add(ArgValueCompleter::new(move |begun: &OsStr| {
        begun.to_str().map_or_else(Vec::new, |text| candidates(begun, offered(text)))
    }))
}

/// Those words that go on from what was begun; where none does, those that do so but for upper and lower case.
fn candidates(begun: &OsStr, words: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    let begun = begun.to_string_lossy();
    let words: BTreeSet<String> = words.into_iter().collect();
    let mut offered: Vec<&String> = words.iter().filter(|word| word.starts_with(&*begun)).collect();
    if offered.is_empty() {
        let begun = begun.to_lowercase();
        offered = words.iter().filter(|word| word.to_lowercase().starts_with(&begun)).collect();
    }
    offered.into_iter().map(CompletionCandidate::new).collect()
}

/// Folders below the current one that hold a `backend.yaml`, at most two deep.
fn folders_of_backends() -> Vec<String> {
    let patterns = ["*/backend.yaml", "*/*/backend.yaml"];
    let found = patterns.iter().filter_map(|pattern| glob::glob(pattern).ok()).flatten().flatten();
    found.filter_map(|file| Some(file.parent()?.display().to_string())).collect()
}

/// The words of a filter: ids, or what stands behind the colon.
fn terms(begun: &str) -> Vec<String> {
    let behind = |key: &str, names: Vec<String>| names.into_iter().map(|name| format!("{key}:{name}")).collect();
    match begun.split_once(':') {
        Some(("level", _)) => behind("level", levels()),
        Some(("type", _)) => behind("type", types()),
        Some(("requirement", id)) => behind("requirement", requirements(id)),
        Some(_) => Vec::new(),
        None => cases(begun).into_iter().chain(["level:", "type:", "requirement:"].map(str::to_owned)).collect(),
    }
}

/// The ids of cases as far as the next slash; the names of the cases where a file is named.
fn cases(begun: &str) -> Vec<String> {
    let (Ok(files), Some(specs)) = (CaseSource(Source::embedded_cases()).files(), specs()) else { return Vec::new() };
    let mut words = Vec::new();
    for file in files {
        let folder = format!("{}/", file.stem);
        if begun.starts_with(&folder) {
            let take = |few: Few, _: &mut Problems| words.extend(few.cases.into_iter().map(|case| case.id));
            _ = LoadedFile::read(&file, &specs, take);
        } else if let Some(rest) = folder.strip_prefix(begun) {
            let next = rest.find('/').map_or(folder.len(), |at| begun.len() + at + 1);
            words.push(folder[..next].to_owned());
        }
    }
    words
}

fn specs() -> Option<Specs> {
    Specs::load(&Source::embedded_specs()).ok()
}

fn levels() -> Vec<String> {
    let of = |specs: &Specs| specs.families().flat_map(|family| family.levels.clone()).collect();
    specs().as_ref().map(of).unwrap_or_default()
}

fn types() -> Vec<String> {
    let of = |specs: &Specs| specs.families().flat_map(|family| &family.types).map(|(name, _)| name.clone()).collect();
    specs().as_ref().map(of).unwrap_or_default()
}

/// As `opcert bench` calls them.
fn data_types() -> Vec<String> {
    DataType::ALL.iter().map(|data_type| data_type.name().to_owned()).collect()
}

fn operators() -> Vec<String> {
    let of = |specs: &Specs| specs.operators.iter().map(|operator| operator.id.clone()).collect();
    specs().as_ref().map(of).unwrap_or_default()
}

fn workloads() -> Vec<String> {
    let of = |specs| Workloads::load(&Source::embedded_workloads(), &specs, |_| true).ok();
    let names = |all: Workloads| all.all().map(|workload| workload.name.clone()).collect();
    specs().and_then(of).map(names).unwrap_or_default()
}

/// The ids of requirements, and where one is begun also their last parts, by which an operator knows them.
fn requirements(begun: &str) -> Vec<String> {
    let Some(specs) = specs() else { return Vec::new() };
    let ids: Vec<&str> = specs.requirements().map(|requirement| requirement.id.as_str()).collect();
    let is_known = |part: &&str| specs.operators.iter().any(|operator| operator.resolve(part).is_some());
    let parts = ids.iter().filter(|_| !begun.is_empty()).filter_map(|id| Some(id.rsplit_once('/')?.1));
    ids.iter().copied().chain(parts.filter(is_known)).map(str::to_owned).collect()
}
