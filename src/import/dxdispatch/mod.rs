//! Models of DxDispatch: one operator of DirectML each, its tensors, and what the buffers bound to them begin with.
//!
//! Read as the tool reads them: long and short forms of tensors and enumerators, all forms of initial values, comments.
//! Nothing is known of operators but how DirectML spells: `DML_OPERATOR_X` has the title `DML_X_OPERATOR_DESC`, and a tensor whose name
//! begins with `Output` is one. A model has no place for what it expects.

mod binding;
mod command;
mod descriptor;
mod model;
mod part;
mod text;
mod values;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use self::model::Model;
use self::part::{Kind, Members};
use super::{Foreign, ForeignTensor, Found, LeftOut, LeftOuts};
use crate::file;
use crate::near::did_you_mean;

/// The most operators of a model, and the most dispatches.
const MOST_TESTS: usize = 1 << 13;

/// What a model has.
const OF_MODELS: [&str; 3] = ["resources", "dispatchables", "commands"];

/// Whether a dispatchable of this type is no operator of DirectML.
fn is_other(kind: &str) -> bool {
    ["hlsl", "onnx", "dmlserializedgraph"].iter().any(|other| kind.eq_ignore_ascii_case(other))
}

/// The operators in a model, each once for every dispatch on other data.
///
/// # Errors
///
/// What is wrong with the file, in words that stand behind its name and a colon.
pub(super) fn read(path: &Path) -> Result<Found, String> {
    of_text(
        &file::read_text(path, file::LONGEST_TEXT).map_err(|error| format!("the model cannot be read: {error}"))?,
        path,
    )
}

/// The same for the text of a file. Other files are looked for beside `path`.
///
/// # Errors
///
/// What is wrong with the text, in words that stand behind the file's name and a colon.
pub fn of_text(text: &str, path: &Path) -> Result<Found, String> {
    let plain = text::plain(text.trim_start_matches('\u{FEFF}'));
    let (root, more) = text::parse(&plain).map_err(|error| format!("the model is no JSON: {error}"))?;
    let root = root.members().map_err(|reason| format!("the model {reason}"))?;
    let root = root.ok_or("the model is no object with `resources`, `dispatchables` and `commands`")?;
    let commands = root.get("commands").filter(|commands| commands.kind() == Kind::List);
    let commands = *commands.ok_or("the model has no list `commands`")?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let dispatchables = member(&root, "dispatchables")?;
    let model = Model::new(member(&root, "resources")?, (commands, &dispatchables), folder, text.len())?;
    if dispatchables.len() > MOST_TESTS {
        return Err(format!("the model has {} dispatchables, expected {MOST_TESTS} at most", dispatchables.len()));
    }
    let stem = |path: Option<&std::ffi::OsStr>| path.map(|stem| stem.to_string_lossy().into_owned());
    // Exports call each of their models so.
    let file = stem(path.file_stem()).filter(|stem| stem != "model");
    let file = file.or_else(|| stem(folder.file_name())).unwrap_or_default();
    let mut tests: Vec<Foreign> = Vec::new();
    let mut left_out = LeftOuts::default();
    unknown(&root, &OF_MODELS, "", &mut left_out);
    if more {
        left_out.add(|| LeftOut::new("…", "it stands behind the end of the model"));
    }
    let mut bound = BTreeSet::new();
    for (name, dispatchable) in &dispatchables {
        let at = |reason: String| format!("`dispatchables.{name}` {reason}");
        let members = dispatchable.members().map_err(at)?.ok_or_else(|| at("is no object".to_owned()))?;
        let kind = members.get("type").copied().map(descriptor::text).transpose().map_err(at)?;
        let kind = kind.ok_or_else(|| at("has no `type`".to_owned()))?;
        if is_other(&kind) {
            let why = || format!("it is of the type `{kind}`, which is no operator of DirectML");
            left_out.add(|| LeftOut::new(format!("dispatchables.{name}"), why()));
            continue;
        }
        let title = if dispatchables.len() == 1 { file.clone() } else { format!("{file}_{name}") };
        let operator = model.operator(name, &kind, &members, &mut left_out).map_err(at)?;
        let mut taken = HashSet::new();
        for (mut foreign, command) in operator {
            foreign.name.clone_from(&title);
            // All else is the same in each of its dispatches.
            if taken.insert(digest(&foreign.tensors)) {
                tests.push(foreign);
            } else if let Some(command) = command {
                let why = "an earlier dispatch has the same data";
                left_out.add(|| LeftOut::new(format!("commands[{command}]"), why));
            }
        }
        model.add_bound(name, &members, &mut bound)?;
    }
    model.leave_out_commands(&dispatchables, &mut left_out)?;
    if tests.is_empty() {
        let LeftOuts { named, more } = left_out;
        let named = named.iter().map(LeftOut::to_string).collect::<Vec<_>>().join("; ");
        let more = if more == 0 { String::new() } else { format!("; and {more} more") };
        return Err(format!(
            "the model has no operator of DirectML{}{named}{more}",
            if named.is_empty() { "" } else { ": " }
        ));
    }
    model.leave_out_resources(&bound, &mut left_out)?;
    Ok(Found { tests, left_out })
}

/// A digest of the data of all tensors.
fn digest(tensors: &[ForeignTensor]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for tensor in tensors {
        let length = tensor.elements.as_ref().map_or(u64::MAX, |elements| elements.len() as u64);
        hasher.update(&length.to_le_bytes()).update(tensor.elements.as_deref().unwrap_or_default());
    }
    hasher.finalize()
}

/// Leaves out the members of an object that nothing is known of. `path` leads to it and ends with a point.
fn unknown(object: &Members<'_>, known: &[&str], path: &str, left_out: &mut LeftOuts) {
    for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
        let why = || format!("this name is not known here{}", did_you_mean(name, known.iter().copied()));
        left_out.add(|| LeftOut::new(format!("{path}{name}"), why()));
    }
}

fn member<'a>(root: &Members<'a>, name: &str) -> Result<Members<'a>, String> {
    let members = root.get(name).map(|part| part.members().map_err(|reason| format!("`{name}` {reason}")));
    members.transpose()?.flatten().ok_or_else(|| format!("the model has no object `{name}`"))
}

/// The members of a member; none where it is not there.
fn inner<'a>(object: &Members<'a>, name: &str) -> Result<Members<'a>, String> {
    let Some(part) = object.get(name).filter(|part| part.kind() != Kind::Null) else { return Ok(Members::new()) };
    let members = part.members().map_err(|reason| format!("has `{name}` that {reason}"))?;
    members.ok_or_else(|| format!("has `{name}` that is no object"))
}

fn is_output(tensor: &str) -> bool {
    tensor.starts_with("Output")
}
