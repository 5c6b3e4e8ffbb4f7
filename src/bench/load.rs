//! From files to workloads, each of which is valid at its own size and at those at which answers are compared.

use opcert_backend::{DataType, Role};

use super::checking;
use super::format::{SizeEntry, WorkloadEntry, WorkloadFile};
use super::workload::{ELEMENTS, Scale, TYPE, Workload};
use crate::case::{check_name, diagnostics, find_operator};
use crate::check::violations;
use crate::diagnostic::{Diagnostic, Problem};
use crate::near::known_names;
use crate::source::{Source, SourceFile};
use crate::spec::{Family, Specs};
use crate::yaml::{FromNode, Node, Problems, digits, parse};

/// Workloads, by operator and in the order of its file.
#[derive(Clone, Debug)]
pub struct Workloads(Vec<Workload>);

impl Workloads {
    /// Reads the files of a source that `wanted` picks by their stem (`family/operator`).
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of the files, each with its place; and a source without a single file.
    pub fn load(source: &Source, specs: &Specs, wanted: impl Fn(&str) -> bool) -> Result<Self, Vec<Diagnostic>> {
        let files = source.files()?;
        if files.is_empty() {
            let message = "there are no files of workloads (`*.yaml`) here";
            return Err(vec![Diagnostic::without_text(source.place(), message)]);
        }
        let (mut workloads, mut found): (Vec<Workload>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
        for file in files.iter().filter(|file| wanted(&file.stem)) {
            match workloads_of(file, specs) {
                Ok(of_file) => {
                    let id = of_file.first().map(|workload| &workload.operator.id);
                    if let Some(id) = id.filter(|id| workloads.iter().any(|other| other.operator.id == **id)) {
                        let message = format!("workloads of `{id}` stand in another file as well");
                        found.push(Diagnostic::without_text(&file.path, message));
                    }
                    workloads.extend(of_file);
                }
                Err(problems) => found.extend(problems),
            }
        }
        workloads.sort_by(|one, other| one.operator.id.cmp(&other.operator.id));
        if found.is_empty() { Ok(Self(workloads)) } else { Err(found) }
    }

    /// All of them, in the order in which they are measured.
    pub fn all(&self) -> impl Iterator<Item = &Workload> {
        self.0.iter()
    }
}

fn workloads_of(file: &SourceFile, specs: &Specs) -> Result<Vec<Workload>, Vec<Diagnostic>> {
    let text = file.read().map_err(|problem| vec![*problem])?;
    let mut problems = Problems::default();
    let workloads = match parse(&text) {
        Ok(node) => decode(&node, file, specs, &mut problems),
        Err(found) => return Err(Diagnostic::of_file(&file.path, &text, found)),
    };
    workloads.ok_or_else(|| diagnostics(file, "workloads", &text, problems.into_inner()))
}

/// The workloads of a file; `None` after at least one problem was reported.
fn decode(node: &Node, file: &SourceFile, specs: &Specs, problems: &mut Problems) -> Option<Vec<Workload>> {
    let decoded = WorkloadFile::from_node(node.clone(), problems)?;
    let operator = find_operator(&decoded.operator, node.locate(&["operator"]), specs, problems)?;
    if operator.id != file.stem && !operator.id.ends_with(&format!("/{}", file.stem)) {
        let message = format!("workloads of `{}` stand in `{}.yaml`", operator.id, file.stem);
        problems.add(node.locate(&["operator"]), message);
        return None;
    }
    let types = types(&decoded.types, &operator.family, node, problems);
    for (key, _) in node.get("workloads").iter().flat_map(Node::pairs) {
        check_name(key, "workload", problems);
    }
    let mut workloads = Vec::new();
    for (name, entry) in decoded.workloads.0 {
        let WorkloadEntry { title, sizes, tensors, attributes, found_rows } = entry;
        let is_small = sizes.0.iter().all(|(_, size)| matches!(size, SizeEntry::Fixed(_)));
        let workload = Workload {
            operator: operator.clone(),
            grows: name == decoded.range,
            name,
            scale: if is_small { Scale::Small } else { Scale::Elements(decoded.elements.0) },
            types: types.iter().copied().take(if is_small { 1 } else { usize::MAX }).collect(),
            title,
            sizes: sizes.0,
            tensors: tensors.0,
            attributes: attributes.unwrap_or_default(),
            found_rows,
        };
        check(&workload, problems);
        workloads.push(workload);
    }
    match workloads.iter().find(|workload| workload.grows) {
        Some(workload) if workload.scale == Scale::Small => {
            problems.add(node.locate(&["range"]), format!("`{}` has no size that grows", decoded.range));
        }
        Some(_) => {}
        None => {
            let known = known_names(&decoded.range, workloads.iter().map(|workload| workload.name.as_str()));
            let message = format!("`{}` is no workload of this file", decoded.range);
            problems.push(Problem::at(node.locate(&["range"]), message).with_help(known));
        }
    }
    problems.is_empty().then_some(workloads)
}

fn types(spellings: &[String], family: &Family, node: &Node, problems: &mut Problems) -> Vec<DataType> {
    if spellings.is_empty() {
        problems.add(node.locate(&["types"]), "there is no data type to measure");
    }
    let mut types = Vec::new();
    for (index, spelling) in spellings.iter().enumerate() {
        let found = family.data_type(spelling);
        if found.is_none() {
            let known = known_names(spelling, family.types.iter().map(|(known, _)| known.as_str()));
            let message = format!("`{spelling}` is no data type of `{}`", family.name);
            problems.push(Problem::at(node.locate(&["types", &index.to_string()]), message).with_help(known));
        }
        types.extend(found);
    }
    types
}

/// Reports what is wrong with a workload. What is wrong at one size may be so at all of them, and is said once.
fn check(workload: &Workload, problems: &mut Problems) {
    let before = problems.count();
    check_names(workload, problems);
    if problems.count() > before {
        return;
    }
    let own = if let Scale::Elements(elements) = workload.scale { elements } else { 1 };
    let sizes = checking::sizes(workload, own);
    for (&data_type, &elements) in workload.types.iter().flat_map(|each| sizes.iter().map(move |size| (each, size))) {
        if let Some(work) = workload.decode(data_type, elements, problems) {
            let operator = &workload.operator;
            for broken in violations(operator, &work.descriptor, operator.family.highest()) {
                let path: Vec<&str> = broken.part.iter().map(String::as_str).collect();
                let problem = workload.problem(&path, broken.message);
                problems.push(Problem { requirement: Some(broken.requirement), ..problem });
            }
        }
        if problems.count() > before {
            return;
        }
    }
}

/// Reports names that mean nothing, or two things.
fn check_names(workload: &Workload, problems: &mut Problems) {
    for (name, _) in workload.sizes.iter().filter(|(name, _)| [ELEMENTS, TYPE].contains(&name.as_str())) {
        problems.push(workload.problem(&["sizes", name], format!("`{name}` stands for something else already")));
    }
    let known = || workload.sizes.iter().map(|(name, _)| name.as_str()).chain([ELEMENTS]);
    for (tensor, node) in &workload.tensors.0 {
        let sizes = node.get("sizes");
        for (index, item) in sizes.iter().flat_map(Node::items).enumerate() {
            let unknown = item.plain().filter(|text| digits(text).is_none() && known().all(|name| name != *text));
            if let Some(name) = unknown {
                let path = ["tensors", tensor, "sizes", &index.to_string()];
                let problem = workload.problem(&path, format!("`{name}` is no size of this workload"));
                problems.push(problem.with_help(known_names(name, known())));
            }
        }
    }
    let outputs = workload.operator.tensors.iter().filter(|tensor| tensor.role == Role::Output);
    let outputs: Vec<&str> = outputs.map(|tensor| tensor.name.as_str()).collect();
    if let Some(name) = workload.found_rows.as_deref().filter(|name| !outputs.contains(name)) {
        let problem = workload.problem(&["found_rows"], format!("`{name}` is no output of `{}`", workload.operator.id));
        problems.push(problem.with_help(known_names(name, outputs)));
    }
}
