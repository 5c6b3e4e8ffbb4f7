//! From files to cases.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::context::CaseContext;
use super::decode::decode_case;
use super::format::{CoversEntry, Value};
use super::model::Case;
use super::twin::with_twin;
use crate::diagnostic::{Diagnostic, Position, Problem};
use crate::near::{did_you_mean, known_names};
use crate::source::{Source, SourceFile};
use crate::spec::{Operator, Specs};
use crate::yaml::{Content, Entries, Fields, FromNode, Key, MOST_PROBLEMS, Node, Problems, parse};

/// How the problem of a file ends whose operator no specification has.
pub(crate) const UNSPECIFIED: &str = "is no operator that is specified";

/// A tree of case files.
#[derive(Clone, Debug)]
pub struct CaseSource(pub Source);

/// So many cases of a file are read before they are given away.
const FEW: usize = 128;
/// The twins of a file may repeat so many values in all, and so many times as many as stand in it: what they inherit is there
/// once more for each, and costs a few letters.
const REPEATED: usize = 1 << 20;
const TIMES: usize = 16;

/// A file of cases that were given away.
#[derive(Debug)]
pub struct LoadedFile {
    /// What is wrong with the file.
    pub problems: Vec<Problem>,
    /// The text of the file.
    pub text: Cow<'static, str>,
    /// A digest of the file's place and text.
    pub digest: blake3::Hash,
}

/// Cases of a file that follow each other.
#[derive(Debug)]
pub struct Few {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// How many cases stand in the whole file.
    pub of: usize,
    /// Whether the file's cases name all that they cover; otherwise they claim a part of it.
    pub complete: bool,
    /// Whether nothing is wrong with the file so far.
    pub sound: bool,
}

impl CaseSource {
    /// The files, sorted by path.
    ///
    /// # Errors
    ///
    /// What cannot be read, and every file that is no case file.
    pub fn files(&self) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        self.0.files()
    }

    /// The folder or file, where the source is not part of the program.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        match &self.0 {
            Source::Path(path) => Some(path),
            Source::Embedded { .. } | Source::Held(_) => None,
        }
    }
}

impl LoadedFile {
    /// Reads the cases of one file and gives them away, few at a time: what they become may take as much memory. What is wrong
    /// with them is added to what is wrong with the file.
    ///
    /// # Errors
    ///
    /// When there is no text to read. Everything else that is wrong is among the problems.
    pub fn read(
        file: &SourceFile,
        specs: &Specs,
        mut take: impl FnMut(Few, &mut Problems),
    ) -> Result<Self, Box<Diagnostic>> {
        let text = file.read()?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(file.stem.as_bytes()).update(&[0]).update(text.as_bytes());
        let mut problems = Problems::default();
        match parse(&text) {
            Ok(node) => _ = file_of_cases(file, node, specs, &mut problems, &mut take),
            Err(found) => found.into_iter().for_each(|problem| problems.push(problem)),
        }
        Ok(Self { problems: problems.into_inner(), text, digest: hasher.finalize() })
    }
}

/// The ids of the cases in a file, which are not looked at themselves. Of a file of which no cases can be read there are none.
#[must_use]
pub fn ids(file: &SourceFile, specs: &Specs) -> Vec<String> {
    let ids = || {
        let root = parse(&file.read().ok()?).ok()?;
        let (id, mut ignored) = (root.get("operator")?, Problems::default());
        let operator = find_operator(id.plain()?, id.position(), specs, &mut ignored)?;
        let prefix = place_of_file(file, operator, id.position(), specs, &mut ignored)?;
        Some(root.get("cases")?.pairs().map(|(key, _)| [&prefix, "/", key.name].concat()).collect())
    };
    ids().unwrap_or_default()
}

/// Ties problems to a file whose entries, cases or others, stand under `section`. Their parts are looked up in the text only
/// here, where there is something to report, so that cases need not carry positions.
pub(crate) fn diagnostics(file: &SourceFile, section: &str, text: &str, mut problems: Vec<Problem>) -> Vec<Diagnostic> {
    let unplaced = problems.iter().any(|problem| problem.position.is_none() && problem.part.is_some());
    let root = unplaced.then(|| parse(text).ok()).flatten();
    for problem in &mut problems {
        if let (None, Some(part), Some(root)) = (problem.position, &problem.part, &root) {
            problem.position = locate(root, section, &part.case, &part.path);
        }
    }
    problems.sort_by_key(|problem| problem.position);
    // What a twin inherits is wrong once, however many inherit it.
    problems.dedup_by(|one, other| {
        one.position.is_some() && one.position == other.position && one.message == other.message
    });
    drop(root);
    Diagnostic::of_file(&file.path, text, problems)
}

/// Finds the place of a part of a case. Edits of a negative case lead to the edit.
fn locate(root: &Node, section: &str, case: &str, path: &[String]) -> Option<Position> {
    let cases = root.get(section)?;
    let node = cases.get(case)?;
    let mut ignored = Problems::default();
    let twin = node.get("twin").and_then(|twin| cases.get(twin.plain()?));
    let change = node.get("change").and_then(|node| Entries::from_node(node, &mut ignored));
    let position = match (twin, change) {
        (Some(twin), Some(change)) => with_twin(&node, &twin, &change, &mut ignored).locate(path),
        _ => node.locate(path),
    };
    let key = || cases.pairs().find(|(key, _)| key.name == case).map(|(key, _)| key.position);
    // A part that is missing altogether is a problem of the case: its name shows that best.
    if position == node.position() { key() } else { Some(position) }
}

fn file_of_cases(
    file: &SourceFile,
    node: Node,
    specs: &Specs,
    problems: &mut Problems,
    take: &mut impl FnMut(Few, &mut Problems),
) -> Option<()> {
    let most_repeated = REPEATED + TIMES * node.count();
    let operator_position = node.locate(&["operator"]);
    let mut fields = Fields::of(node, problems)?;
    let id = fields.take::<String>("operator", problems);
    let complete = fields.take::<Option<CoversEntry>>("covers", problems);
    let cases = fields.take::<Node>("cases", problems);
    fields.finish(problems);
    let (id, cases) = (id?, cases?);
    let operator = find_operator(&id, operator_position, specs, problems)?;
    let prefix = place_of_file(file, operator, operator_position, specs, problems)?;
    let Content::Mapping(entries) = cases.content() else {
        problems.add(cases.position(), format!("expected a mapping of cases, found {}", cases.kind()));
        return None;
    };
    if entries.len() == 0 {
        problems.add(cases.position(), "there are no cases here");
    }
    let mut twins = Twins { nodes: twins_of(&cases), repeated: 0, most_repeated };
    let names = || cases.pairs().map(|(key, _)| key.name);
    let path = Arc::new(file.path.clone());
    let complete = complete.flatten() == Some(CoversEntry::Complete);
    let of = entries.len();
    let mut entries = entries.peekable();
    while entries.peek().is_some() && problems.count() < MOST_PROBLEMS {
        let mut decoded = Vec::with_capacity(FEW.min(entries.len()));
        for (key, node) in entries.by_ref().take(FEW) {
            if problems.count() >= MOST_PROBLEMS {
                break;
            }
            check_name(key, "case", problems);
            let context = CaseContext { operator, file: &path, id: [&prefix, "/", key.name].concat(), name: key.name };
            let Some(node) = twins.merged(node, key, names, problems) else { continue };
            decoded.extend(decode_case(node, &context, problems));
        }
        take(Few { cases: decoded, of, complete, sound: problems.is_empty() }, problems);
    }
    Some(())
}

/// The operator that a file is of.
pub(crate) fn find_operator<'a>(
    id: &str,
    position: Position,
    specs: &'a Specs,
    problems: &mut Problems,
) -> Option<&'a Arc<Operator>> {
    let operator = specs.operator(id);
    if operator.is_none() {
        let ids = specs.operators.iter().map(|operator| operator.id.as_str());
        let help = format!("`--specs DIR` reads specifications of your own; {}", known_names(id, ids));
        problems.push(Problem::at(position, format!("`{id}` {UNSPECIFIED}")).with_help(help));
    }
    operator
}

/// The id of all cases of a file without their names: the operator, and what follows its folder in the file's path.
/// A file that stands in no operator's folder follows with its whole path; one that stands in another operator's is
/// refused.
fn place_of_file(
    file: &SourceFile,
    operator: &Operator,
    position: Position,
    specs: &Specs,
    problems: &mut Problems,
) -> Option<String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/');
    if !file.stem.chars().all(is_plain) {
        let message = format!("`{}.yaml` is no name for a file of cases: it is part of their ids", file.stem);
        problems.push(Problem::of_file(message).with_help("letters, digits, `_`, `-` and `.`"));
        return None;
    }
    let path = format!("/{}", file.stem);
    let other =
        specs.operators.iter().find(|other| other.id != operator.id && path.contains(&format!("/{}/", other.id)));
    if let Some(other) = other {
        problems.add(position, format!("cases of `{}` stand in the folder of `{}`", operator.id, other.id));
        return None;
    }
    let name = operator.id.rsplit('/').next().unwrap_or_default();
    let below = path.split_once(&format!("/{}/", operator.id)).map(|(_, below)| below);
    let below = below.or_else(|| path.strip_prefix(&format!("/{name}/")));
    Some(format!("{}/{}", operator.id, below.unwrap_or(&file.stem)))
}

/// Reports a name of an entry that cannot be part of an id.
pub(crate) fn check_name(key: Key<'_>, what: &str, problems: &mut Problems) {
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if key.name.is_empty() || !key.name.chars().all(plain) {
        problems.push(
            Problem::at(key.position, format!("`{}` is no name for a {what}", key.name))
                .with_help("letters, digits, `_` and `-`"),
        );
    }
}

/// The cases that others name as their twin, and what these repeat of them.
struct Twins {
    nodes: BTreeMap<String, Node>,
    repeated: usize,
    most_repeated: usize,
}

fn twins_of(cases: &Node) -> BTreeMap<String, Node> {
    let twin = |node: &Node| Some(node.get("twin")?.plain()?.to_owned());
    let named: BTreeSet<String> = cases.pairs().filter_map(|(_, node)| twin(&node)).collect();
    let twins = cases.pairs().filter(|(key, _)| named.contains(key.name));
    twins.map(|(key, node)| (key.name.to_owned(), node)).collect()
}

impl Twins {
    /// The case itself, or its twin with the edit.
    fn merged<'a, N: Iterator<Item = &'a str>>(
        &mut self,
        node: Node,
        key: Key<'_>,
        names: impl Fn() -> N,
        problems: &mut Problems,
    ) -> Option<Node> {
        let position = node.locate(&["twin"]);
        let (twin, change) = match (node.get("twin"), node.get("change")) {
            (None, None) => return Some(node),
            (Some(twin), Some(change)) => (twin, change),
            (Some(_), None) => {
                problems.add(position, "`twin` without `change`: what differs?");
                return None;
            }
            (None, Some(change)) => {
                problems.add(change.position(), "`change` without `twin`: what is changed?");
                return None;
            }
        };
        let name = twin.plain().unwrap_or_default();
        let Some(found) = self.nodes.get(name) else {
            let meant = did_you_mean(name, names());
            let message = format!("`{}` names the twin `{name}`, which is not in this file{meant}", key.name);
            problems.add(position, message);
            return None;
        };
        if found.get("twin").is_some() || found.get("expect").is_some_and(|expect| expect.get("refuses").is_some()) {
            problems.add(position, format!("`{name}` is refused itself: a twin is a valid case"));
            return None;
        }
        let told = self.repeated > self.most_repeated;
        self.repeated = self.repeated.saturating_add(found.count());
        if told {
            return None;
        }
        if self.repeated > self.most_repeated {
            let message = format!("the twins of this file repeat more than {} values", self.most_repeated);
            let help =
                format!("`{name}` has {}: a twin may be small where its tensors are not what is edited", found.count());
            problems.push(Problem::at(position, message).with_help(help));
            return None;
        }
        let change: Entries<Value> = Entries::from_node(change, problems)?;
        let before = problems.count();
        let merged = with_twin(&node, found, &change, problems);
        (problems.count() == before).then_some(merged)
    }
}
