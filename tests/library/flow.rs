//! The shape of the code: modules import one way, files import one way within them, and the harness knows no operator
//! by name.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// A module may import those before it. What stands beside the flow comes last, so that no stage can lean on it.
const ORDER: [&str; 42] = [
    "file",
    "diagnostic",
    "near",
    "yaml",
    "element",
    "layout",
    "npy",
    "onnx",
    "render",
    "json",
    "source",
    "definition",
    "spec",
    "case",
    "kind",
    "check",
    "plan",
    "run",
    "judge",
    "mapping",
    "expectations",
    "report",
    "signature",
    "export",
    "returned",
    "verify",
    "merge",
    "expected",
    "sample",
    "generate",
    "coverage",
    "fuzz",
    "mutate",
    "compare",
    "questionnaire",
    "dump",
    "certification",
    "import",
    "smoke",
    "bench",
    "conformance",
    "cli",
];

/// A path from the root of the crate: `["spec", "format", "Kind"]`.
type Route = Vec<String>;

/// What a file names of this crate, outside of unit tests.
#[derive(Default)]
struct Source {
    /// Its place: `["spec", "format"]`; of a `mod.rs` that of its folder.
    place: Route,
    /// Routes in `use`, by the name under which they are known here; whether they are handed on with `pub`.
    uses: Vec<(String, Route, bool)>,
    /// Routes in code.
    named: Vec<Route>,
    /// Everything that is called by a single name in code.
    words: BTreeSet<String>,
    /// The modules that the file declares.
    declared: BTreeSet<String>,
}

impl Source {
    fn of(place: Route, text: &str) -> Self {
        let file = syn::parse_file(text).unwrap();
        let declared = file.items.iter().filter_map(|item| match item {
            syn::Item::Mod(module) if !is_test(&module.attrs) => Some(module.ident.to_string()),
            _ => None,
        });
        let mut source = Self { place, declared: declared.collect(), ..Self::default() };
        source.visit_file(&file);
        source
    }

    /// Where a path leads, if it stays in this crate.
    fn route(&self, path: &[String]) -> Option<Route> {
        let above = path.iter().take_while(|step| *step == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "super" => {
                let kept = self.place.len().checked_sub(above)?;
                Some([&self.place[..kept], &path[above..]].concat())
            }
            "self" => Some([&self.place[..], &path[1..]].concat()),
            first if self.declared.contains(first) => Some([&self.place[..], path].concat()),
            _ => None,
        }
    }

    fn code_names(&mut self, path: &[String]) {
        match self.route(path) {
            Some(route) => self.named.push(route),
            None => self.words.extend(path.first().cloned()),
        }
    }

    /// The routes of a `use` with all its braces.
    fn take(&mut self, tree: &syn::UseTree, before: &[String], is_public: bool) {
        let with = |step: &syn::Ident| [before, &[step.to_string()]].concat();
        let (name, path) = match tree {
            syn::UseTree::Path(path) => return self.take(&path.tree, &with(&path.ident), is_public),
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.take(item, before, is_public));
            }
            syn::UseTree::Name(name) if name.ident == "self" => (before.last().cloned(), before.to_vec()),
            syn::UseTree::Name(name) => (Some(name.ident.to_string()), with(&name.ident)),
            syn::UseTree::Rename(rename) => (Some(rename.rename.to_string()), with(&rename.ident)),
            syn::UseTree::Glob(_) => (None, before.to_vec()),
        };
        if let Some(route) = self.route(&path) {
            self.uses.push((name.unwrap_or_default(), route, is_public));
        }
    }

    /// Every route that the file leans on. What a module only hands on is imported by who takes it.
    fn imports(&self) -> impl Iterator<Item = &Route> {
        let used = self.uses.iter().filter(|(name, _, is_public)| !is_public || self.words.contains(name));
        used.map(|(_, route, _)| route).chain(&self.named)
    }
}

impl<'ast> Visit<'ast> for Source {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_test(&function.attrs) {
            syn::visit::visit_item_fn(self, function);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test(&item.attrs) {
            self.take(&item.tree, &[], !matches!(item.vis, syn::Visibility::Inherited));
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let steps: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.code_names(&steps);
        syn::visit::visit_path(self, path);
    }

    /// What is handed to a macro is no syntax yet: words with `::` between them are taken for paths.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        let text = call.tokens.to_string();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let (mut path, mut colons): (Vec<String>, usize) = (Vec::new(), 0);
        for piece in text.split_inclusive(|letter: char| !is_word(letter)) {
            let word = piece.trim_end_matches(|letter| !is_word(letter));
            if !word.is_empty() {
                if colons != 2 {
                    self.code_names(&std::mem::take(&mut path));
                }
                path.push(word.to_owned());
                colons = 0;
            }
            match piece[word.len()..].trim() {
                "" => {}
                ":" => colons += 1,
                _ => colons = 3,
            }
        }
        self.code_names(&path);
    }
}

/// Whether something is only there in tests.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}

fn paths(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            paths(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
}

/// Every source file below `src/` by its place, with its text.
fn files() -> BTreeMap<Route, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    paths(&root, &mut found);
    let placed = found.into_iter().map(|path| {
        let below = path.strip_prefix(&root).unwrap().with_extension("");
        let mut place: Route = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        place.pop_if(|last| *last == "mod");
        (place, fs::read_to_string(&path).unwrap())
    });
    placed.filter(|(place, _)| place[0] != "lib" && place[0] != "main").collect()
}

fn sources() -> BTreeMap<Route, Source> {
    files().into_iter().map(|(place, text)| (place.clone(), Source::of(place, &text))).collect()
}

#[test]
fn modules_import_one_way() {
    let rank = |module: &str| ORDER.iter().position(|each| *each == module);
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (place, source) in sources() {
        let own = rank(&place[0]).unwrap_or_else(|| panic!("`{}` has no place in the order", place[0]));
        for route in source.imports() {
            let Some(other) = route.first().and_then(|module| rank(module)) else { continue };
            seen += usize::from(other != own);
            if other > own {
                wrong.push(format!("{} imports {}, which comes later", place.join("/"), route.join("::")));
            }
        }
    }
    assert!(seen > 300, "only {seen} imports were found");
    assert_eq!(wrong, [""; 0]);
}

/// The file in which a route ends, whoever hands the name on.
fn file_of(route: &[String], sources: &BTreeMap<Route, Source>, most: usize) -> Option<Route> {
    let length = (1..=route.len()).rev().find(|&length| sources.contains_key(&route[..length]))?;
    let (place, rest) = route.split_at(length);
    let handed_on = rest.first().filter(|_| most > 0).and_then(|name| {
        let (_, onward, _) = sources[place].uses.iter().find(|(known, _, is_public)| known == name && *is_public)?;
        file_of(&[&onward[..], &rest[1..]].concat(), sources, most - 1)
    });
    Some(handed_on.unwrap_or_else(|| place.to_vec()))
}

/// The files that each file imports. A folder's own file, `mod.rs`, has what the files below it share, so that these may
/// lean on it.
fn imported(sources: &BTreeMap<Route, Source>) -> BTreeMap<&Route, BTreeSet<Route>> {
    let of_file = |source: &Source| -> BTreeSet<Route> {
        let files = source.imports().filter_map(|route| file_of(route, sources, 8));
        files.filter(|file| !source.place.starts_with(file)).collect()
    };
    sources.iter().map(|(place, source)| (place, of_file(source))).collect()
}

/// The shortest way by which a file imports itself.
fn circle(start: &Route, imported: &BTreeMap<&Route, BTreeSet<Route>>) -> Option<String> {
    let mut ways: Vec<Vec<&Route>> = vec![vec![start]];
    let mut seen: BTreeSet<&Route> = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in &imported[way[way.len() - 1]] {
                if next == start {
                    return Some(
                        [&way[..], &[next]]
                            .concat()
                            .iter()
                            .map(|place| place.join("/"))
                            .collect::<Vec<_>>()
                            .join(" → "),
                    );
                }
                if seen.insert(next) {
                    longer.push([&way[..], &[next]].concat());
                }
            }
        }
        ways = longer;
    }
    None
}

#[test]
fn files_import_one_way() {
    let sources = sources();
    let imported = imported(&sources);
    assert!(imported.values().filter(|files| !files.is_empty()).count() > 100);
    let circles: Vec<String> = sources.keys().filter_map(|place| circle(place, &imported)).collect();
    assert_eq!(circles, [""; 0]);
}

#[test]
fn every_way_of_importing_is_seen() {
    let text = "
        use crate::{spec::{self, Kind as Sort}, yaml};
        pub use super::super::json::text;
        mod below;
        /// crate::cli is only spoken of.
        fn code() -> crate::plan::Plan {
            let _ = format!(\"{}\", crate::render::counted(1, Named { of: super::judge::NAME }));
            below::work(self::below::More)
        }
        #[cfg(test)]
        mod tests { use crate::smoke; }
        #[cfg(test)]
        use crate::bench;
    ";
    let place = ["report", "html"].map(str::to_owned).to_vec();
    let source = Source::of(place, text);
    let found: BTreeSet<String> = source.imports().map(|route| route.join("::")).collect();
    let expected = [
        "plan::Plan",
        "render::counted",
        "report::html::below::More",
        "report::html::below::work",
        "report::judge::NAME",
        "spec",
        "spec::Kind",
        "yaml",
    ];
    assert_eq!(found, BTreeSet::from(expected.map(str::to_owned)));
    assert!(
        source.uses.iter().any(|(name, route, is_public)| name == "text" && route == &["json", "text"] && *is_public)
    );
}

#[test]
fn nothing_names_an_operator() {
    let mut wrong = Vec::new();
    for (place, text) in files() {
        let file = place.join("/");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        for name in ["one_hot", "OneHot", "nonzero", "Nonzero", "argmax", "ArgMax", "argmin", "ArgMin"] {
            if code.contains(name) {
                wrong.push(format!("{file} names `{name}`"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}
