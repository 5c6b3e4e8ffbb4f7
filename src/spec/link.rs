//! Resolves every name that a specification file mentions, and reports those that mean nothing.

use std::sync::Arc;

use opcert_backend::{DataType, Role};

use super::attributes::{check_attributes, left_out, link_attribute};
use super::check::{Check, OfFamily, SizesDefined, SizesReduced};
use super::definition::{link_citations, link_definition};
use super::format::{
    Authority, DocumentEntry, FamilyFile, Kind, OperatorFile, RequirementEntry, RoleEntry, SupportEntry, TensorEntry,
};
use super::linker::Linker;
use super::model::{
    Attribute, Document, Family, Level, Operator, PlaceInList, Requirement, SupportRow, Tensor, resolve,
};
use crate::near::did_you_mean;
use crate::yaml::{Entries, Node, Problems};

pub(super) fn link_family(file: FamilyFile, node: &Node, problems: &mut Problems) -> Family {
    let mut linker = Linker { node, problems };
    let mut types: Vec<(String, DataType)> = Vec::new();
    for (spelling, name) in &file.types.0 {
        match DataType::ALL.into_iter().find(|data_type| data_type.name() == name) {
            Some(data_type) => types.push((spelling.clone(), data_type)),
            None => {
                let known = DataType::ALL.iter().map(|data_type| data_type.name());
                let message = format!("`{name}` is no data type of opcert");
                linker.unknown(&["types", spelling], name, known, message);
            }
        }
    }
    if !file.granularity.is_power_of_two() || file.granularity > 4096 {
        let message = format!("`granularity` is {}, expected a power of two up to 4096", file.granularity);
        linker.problem(&["granularity"], message);
    }
    if file.levels.is_empty() {
        linker.problem(&["levels"], "a family has at least one level".to_owned());
    }
    for (index, level) in file.levels.iter().enumerate() {
        if file.levels[..index].contains(level) {
            linker.problem(&["levels", &index.to_string()], format!("the level `{level}` stands here twice"));
        }
    }
    let documents = documents(file.documents, &mut linker);
    let family = Family {
        name: file.family,
        title: file.title,
        levels: file.levels,
        types,
        layouts: file.layouts,
        flags: file.flags.unwrap_or_default(),
        granularity: file.granularity,
        documents,
        requirements: Vec::new(),
    };
    let mut requirements = Vec::new();
    for (section, entries) in [("tensor", file.tensor.unwrap_or_default()), ("operator", file.operator)] {
        let prefix = format!("{}/{section}", family.name);
        for (name, entry) in entries.0 {
            let path = [section, name.as_str()];
            let requirement = link_requirement(&prefix, &path, entry, &family, &family.documents, &mut linker);
            refuse_names_of_operators(&requirement, &path, &mut linker);
            let is_testable =
                !requirement.definition && requirement.untestable.is_none() && requirement.restates.is_none();
            if is_testable && requirement.check.is_none() && requirement.tested.is_none() {
                let message = "a requirement of a family without a check says under `tested` which cases show it";
                linker.problem(&path, message.to_owned());
            }
            requirements.push(requirement);
        }
    }
    let requirements = link_references(&requirements, &[], &mut linker);
    Family { requirements, ..family }
}

/// `text` is that of the file, `node` what was read from it. Nothing after at least one problem where the definition cannot
/// be read.
pub(super) fn link_operator(
    file: OperatorFile,
    family: &Arc<Family>,
    text: &str,
    node: &Node,
    problems: &mut Problems,
) -> Option<Operator> {
    let mut linker = Linker { node, problems };
    let tensors: Vec<Tensor> = file.tensors.0.into_iter().flat_map(|each| link_tensor(each, &mut linker)).collect();
    let attributes: Vec<Attribute> =
        file.attributes.0.into_iter().map(|(name, entry)| link_attribute(name, entry, &mut linker)).collect();
    let sizes = file.requirements.0.iter().filter_map(|(_, entry)| match &entry.check {
        Some(Check::SizesDefined(SizesDefined { tensor, by })) => Some((tensor.clone(), by.clone())),
        _ => None,
    });
    let named = (tensors.as_slice(), attributes.as_slice(), family.levels.as_slice());
    let definition = link_definition(text, &file.definition, node, named, sizes.collect(), linker.problems);
    let (definition, place) = definition.unzip();
    let documents = documents(file.documents, &mut linker);
    let introduced = file.introduced.map_or(Level(0), |name| link_level(&name, family, &["introduced"], &mut linker));
    let mut operator = Operator {
        id: file.operator,
        family: Arc::clone(family),
        title: file.title,
        summary: file.summary,
        documents,
        introduced,
        subject: file.subject,
        tensors,
        attributes,
        support: Vec::new(),
        requirements: Vec::new(),
        equals: Vec::new(),
        definition: definition.unwrap_or_default(),
    };
    if operator.tensor(&operator.subject).is_none() {
        let message = format!("`{}` is no tensor of this operator", operator.subject);
        linker.unknown(&["subject"], &operator.subject, names_of_tensors(&operator), message);
    }
    if operator.tensor(&operator.subject).is_some_and(|subject| subject.optional) {
        let message = format!("`{}` is `optional`: a report has no place for what leaves it out", operator.subject);
        linker.problem(&["subject"], message);
    }
    for (level, row) in file.support.unwrap_or_default().0 {
        let row = link_support(&level, row, &operator, &mut linker);
        operator.support.push(row);
    }
    operator.support.sort_by_key(|row| row.from);
    let requirements: Vec<Requirement> = file
        .requirements
        .0
        .into_iter()
        .map(|(name, entry)| {
            let path = ["requirements", name.as_str()];
            link_requirement(&operator.id, &path, entry, family, &operator.documents, &mut linker)
        })
        .collect();
    operator.requirements = link_references(&requirements, &family.requirements, &mut linker);
    let tensors = operator.tensors.clone();
    let checks = operator.requirements.iter_mut().filter_map(|requirement| requirement.check.as_mut());
    let of_list = |name: &str, always: bool| -> Vec<String> {
        let each = tensors.iter().filter(|tensor| tensor.list_name() == Some(name) && !(always && tensor.optional));
        each.map(|tensor| tensor.name.clone()).collect()
    };
    checks.for_each(|check| check.spread(of_list));
    let refuses_below = |each: &Requirement| matches!(each.check, Some(Check::Introduced));
    if operator.introduced > Level(0) && !operator.all_requirements().any(refuses_below) {
        let message = "no requirement says what becomes of it at a lower level: one with `check: introduced`";
        linker.problem(&["introduced"], message.to_owned());
    }
    mark_what_may_be_missing(&mut operator);
    check_names(&operator, &mut linker);
    link_citations(&mut operator, place?, node, linker.problems);
    Some(operator)
}

fn documents(entries: Entries<DocumentEntry>, linker: &mut Linker<'_>) -> Vec<Document> {
    let names: Vec<String> = entries.names().map(str::to_owned).collect();
    let mut documents = Vec::new();
    for (name, entry) in entries.0 {
        if let Some(url) = entry.url.as_ref().filter(|url| !is_address(url)) {
            let message = format!("`{url}` is no address of a page, expected `https://…` without spaces");
            linker.problem(&["documents", &name, "url"], message);
        }
        let supersedes = entry.supersedes.map(|other| (other.document, other.reason));
        if let Some((other, _)) = supersedes.as_ref().filter(|(other, _)| *other == name || !names.contains(other)) {
            let message = format!("`{other}` is no other document of this specification");
            let others = names.iter().map(String::as_str).filter(|each| *each != name);
            linker.unknown(&["documents", &name, "supersedes", "document"], other, others, message);
        }
        let DocumentEntry { file, revision, digest, url, .. } = entry;
        documents.push(Document { name, file, revision, digest, url, supersedes });
    }
    documents
}

/// Whether a text can stand as a link in a page, in Markdown and on a terminal.
fn is_address(url: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_graphic() && !"<>\"'`()\\".contains(letter);
    url.strip_prefix("https://").is_some_and(|rest| !rest.is_empty() && rest.chars().all(plain))
}

/// A list of an operator has at most so many tensors here, however many documents allow.
const MOST_OF_A_LIST: usize = 16;

fn link_level(name: &str, family: &Family, path: &[&str], linker: &mut Linker<'_>) -> Level {
    family.level(name).unwrap_or_else(|| {
        let near = did_you_mean(name, family.levels.iter().map(String::as_str));
        let levels = family.levels.join(" ");
        linker.problem(path, format!("`{name}` is no feature level of `{}`: {levels}{near}", family.name));
        Level(0)
    })
}

/// The tensor of an entry, or all that a list may have.
fn link_tensor((name, entry): (String, TensorEntry), linker: &mut Linker<'_>) -> Vec<Tensor> {
    let role = match entry.role {
        RoleEntry::Input => Role::Input,
        RoleEntry::Output => Role::Output,
    };
    if role == Role::Input && entry.sizes.is_some() {
        let message = format!("`{name}` is an input: a case gives its sizes, and they follow from nothing");
        linker.problem(&["tensors", &name, "sizes"], message);
    }
    if name.contains(['[', ']']) {
        linker
            .problem(&["tensors", &name], format!("`{name}` is no name of a tensor: so those of a `list` are called"));
    }
    let (constant, optional) = (entry.constant.unwrap_or(false), entry.optional.unwrap_or(false));
    if optional && (role == Role::Output || constant) {
        let message = format!("`{name}` cannot be `optional`: inputs can that have data, and no others");
        linker.problem(&["tensors", &name, "optional"], message);
    }
    let Some(list) = entry.list else {
        if entry.count.is_some() {
            linker.problem(&["tensors", &name, "count"], format!("`{name}` is no `list`, and has no `count`"));
        }
        let tensor =
            Tensor { name, role, constant, sizes: entry.sizes, optional, list: None, may_be_missing: optional };
        return vec![tensor];
    };
    if list.least == 0 || list.greatest > MOST_OF_A_LIST || list.least > list.greatest {
        let message = format!("`{name}` has {list} tensors, expected from 1 on, and {MOST_OF_A_LIST} at most");
        linker.problem(&["tensors", &name, "list"], message);
    }
    if constant || optional || entry.sizes.is_some() {
        let message = format!("`{name}` is a list, and has neither a value nor sizes that follow, nor is it optional");
        linker.problem(&["tensors", &name, "list"], message);
    }
    let of_list = |at: usize| Tensor {
        name: format!("{name}[{at}]"),
        role,
        constant: false,
        sizes: None,
        optional: at >= list.least,
        list: Some(PlaceInList { list: name.clone(), at, count: entry.count.clone() }),
        may_be_missing: at >= list.least,
    };
    (0..list.greatest.min(MOST_OF_A_LIST)).map(of_list).collect()
}

fn link_support(level: &str, row: Entries<SupportEntry>, operator: &Operator, linker: &mut Linker<'_>) -> SupportRow {
    let from = link_level(level, &operator.family, &["support", level], linker);
    if from < operator.introduced {
        linker.problem(&["support", level], "this row is below the level that introduced the operator".to_owned());
    }
    for name in operator.entries().filter(|name| row.get(name).is_none()) {
        linker.problem(&["support", level], format!("`{name}` is missing"));
    }
    let mut tensors = Vec::new();
    for (name, entry) in row.0 {
        let meant = operator.meant_by(&name);
        if meant.is_empty() {
            let message = format!("`{name}` is no tensor of this operator");
            linker.unknown(&["support", level, &name], &name, names_of_tensors(operator), message);
        }
        let path = ["support", level, &name, "types"];
        let types = link_types(entry.types.iter().map(String::as_str), &operator.family, &path, linker);
        tensors.extend(meant.into_iter().map(|name| (name, entry.dimensions, types.clone())));
    }
    SupportRow { from, tensors }
}

fn link_types<'a>(
    spellings: impl IntoIterator<Item = &'a str>,
    family: &Family,
    path: &[&str],
    linker: &mut Linker<'_>,
) -> Vec<DataType> {
    let mut types = Vec::new();
    for spelling in spellings {
        match family.data_type(spelling) {
            Some(data_type) => types.push(data_type),
            None => {
                let known = family.types.iter().map(|(spelling, _)| spelling.as_str());
                linker.unknown(path, spelling, known, format!("`{spelling}` is no data type of `{}`", family.name));
            }
        }
    }
    types
}

fn link_requirement(
    prefix: &str,
    path: &[&str],
    entry: RequirementEntry,
    family: &Family,
    documents: &[Document],
    linker: &mut Linker<'_>,
) -> Requirement {
    let under = |key: &'static str| [path, &[key]].concat();
    for source in &entry.source.0 {
        let known = || documents.iter().map(|document| document.name.as_str());
        if known().all(|name| name != source.document) {
            let message = format!("`{}` is no document of this specification", source.document);
            linker.unknown(&under("source"), &source.document, known(), message);
        }
    }
    if (entry.authority == Authority::Stated) == entry.reason.is_some() {
        let message = "a `reason` is given for everything that is not stated, and for nothing else";
        linker.problem(path, message.to_owned());
    }
    if (entry.authority == Authority::Undefined) != entry.scope.is_some() {
        linker.problem(path, "`scope` is given for what is undefined, and for nothing else".to_owned());
    }
    if entry.check.is_some() && entry.kind != Kind::Descriptor {
        linker.problem(&under("check"), "a check belongs to the kind `descriptor`".to_owned());
    }
    if let Some(check) = &entry.check {
        link_check(check, family, &under("check"), linker);
    }
    let mut level =
        |name: Option<String>, key: &'static str| name.map(|name| link_level(&name, family, &under(key), linker));
    let (since, until) = (level(entry.since, "since"), level(entry.until, "until"));
    if let (Some(since), Some(until)) = (since, until)
        && until < since
    {
        let [since, until] = [since, until].map(|level| family.level_name(level));
        linker.problem(&under("until"), format!("`{until}` comes before `{since}`: it would hold nowhere"));
    }
    Requirement {
        id: format!("{prefix}/{}", path.last().copied().unwrap_or_default()),
        text: entry.text,
        authority: entry.authority,
        reason: entry.reason,
        note: entry.note,
        scope: entry.scope,
        kind: entry.kind,
        sources: entry.source.0.into_iter().map(|source| (source.document, source.section)).collect(),
        since,
        until,
        check: entry.check,
        invariants: entry.invariant.map(|invariants| invariants.0).unwrap_or_default(),
        needs: entry.needs.unwrap_or_default(),
        tested: entry.tested,
        by_example: entry.by_example.unwrap_or(false),
        definition: entry.definition.unwrap_or(false),
        restates: entry.restates,
        untestable: entry.untestable,
    }
}

/// Resolves what a check names of its family.
fn link_check(check: &Check, family: &Family, path: &[&str], linker: &mut Linker<'_>) {
    if let Check::SizesReduced(SizesReduced { kept_if: Some(_), dropped: Some(_), .. }) = check {
        let message = "`kept_if` and `dropped` both say what becomes of the reduced dimensions: one of them is enough";
        linker.problem(path, message.to_owned());
    }
    for names in check.names().of_family {
        let under = |key| [path, &[check.key(), key]].concat();
        match names {
            OfFamily::From(key, levels) => {
                for level in &levels {
                    link_level(level, family, &[under(key).as_slice(), &[level]].concat(), linker);
                }
                if let Some(lowest) = family.levels.first().filter(|lowest| !levels.contains(&lowest.as_str())) {
                    let message = format!("`{lowest}` is missing: without it nothing holds at the lowest level");
                    linker.problem(&under(key), message);
                }
            }
            OfFamily::Flag(key, flag) if !family.flags.iter().any(|known| known == flag) => {
                let known = if family.flags.is_empty() { "there are none".to_owned() } else { family.flags.join(" ") };
                let near = did_you_mean(flag, family.flags.iter().map(String::as_str));
                let message = format!("`{flag}` is no flag of `{}`: {known}{near}", family.name);
                linker.problem(&under(key), message);
            }
            OfFamily::Flag(..) => {}
            OfFamily::Types(key, types) => {
                link_types(types, family, &under(key), linker);
            }
        }
    }
}

/// A family has neither tensors nor attributes: a check of it that names one would find it in some operators, hold of
/// all others, and nobody would know.
fn refuse_names_of_operators(requirement: &Requirement, path: &[&str], linker: &mut Linker<'_>) {
    let (checks, invariants) = (requirement.check.iter(), requirement.invariants.iter());
    let tensors = checks.clone().flat_map(Check::tensors).chain(invariants.clone().flat_map(super::Invariant::tensors));
    let attributes = checks.flat_map(|check| check.names().attributes);
    let attributes = attributes.chain(invariants.flat_map(super::Invariant::attributes)).map(|(name, _)| name);
    let attributes = attributes.chain(left_out(requirement.tested.as_ref()).map(String::as_str));
    let named = tensors.map(|name| (name, "tensor")).chain(attributes.map(|name| (name, "attribute")));
    let named: Vec<(String, &str)> = named.map(|(name, what)| (name.to_owned(), what)).collect();
    let others = requirement.invariants.iter().filter_map(|invariant| match invariant {
        super::Invariant::EqualsOperator(equals) => Some((equals.operator.clone(), "other operator")),
        _ => None,
    });
    let named: Vec<(String, &str)> = named.into_iter().chain(others).collect();
    for (name, what) in named {
        let message = format!("`{name}`: a requirement of a family names no {what}; it belongs to an operator's file");
        linker.problem(path, message);
    }
}

/// Replaces the references in `needs` and `restates` by full ids.
fn link_references(own: &[Requirement], family: &[Requirement], linker: &mut Linker<'_>) -> Vec<Requirement> {
    let mut linked = own.to_vec();
    for requirement in &mut linked {
        let references = requirement.needs.iter_mut().chain(&mut requirement.restates);
        for reference in references {
            match resolve(own.iter(), reference).or_else(|| resolve(family.iter(), reference)) {
                Some(found) if found.id != requirement.id => reference.clone_from(&found.id),
                Some(_) => linker.problem_of(&requirement.id, "a requirement cannot lean on itself".to_owned()),
                None => {
                    let near = did_you_mean(reference, own.iter().chain(family).map(|known| known.id.as_str()));
                    linker.problem_of(&requirement.id, format!("`{reference}` is no requirement known here{near}"));
                }
            }
        }
    }
    check_circles(&linked, linker);
    linked
}

/// Reports every requirement that needs itself by way of others.
fn check_circles(own: &[Requirement], linker: &mut Linker<'_>) {
    for requirement in own {
        let mut open: Vec<&str> = requirement.needs.iter().map(String::as_str).collect();
        let mut seen: Vec<&str> = Vec::new();
        while let Some(id) = open.pop() {
            if id == requirement.id {
                linker.problem_of(&requirement.id, format!("`{id}` needs itself by way of others"));
                break;
            }
            if !seen.contains(&id) {
                seen.push(id);
                let next = own.iter().find(|each| each.id == id);
                open.extend(next.iter().flat_map(|each| each.needs.iter().map(String::as_str)));
            }
        }
    }
}

/// A tensor or an attribute may be left out of a case where a requirement is there to refuse that.
fn mark_what_may_be_missing(operator: &mut Operator) {
    let checks = operator.requirements.iter().filter_map(|requirement| requirement.check.as_ref());
    for names in checks.map(|check| check.names()).filter(|names| names.may_be_missing) {
        let tensors = operator.tensors.iter_mut().filter(|each| names.tensors.contains(&each.name.as_str()));
        tensors.for_each(|each| each.may_be_missing = true);
        let attributes =
            operator.attributes.iter_mut().filter(|each| names.attributes.iter().any(|(name, _)| *name == each.name));
        attributes.for_each(|each| each.may_be_missing = true);
    }
    operator.attributes.iter_mut().filter(|each| each.default.is_some()).for_each(|each| each.may_be_missing = true);
}

/// A level without a row would support everything.
fn check_support_begins(operator: &Operator, requirement: &Requirement, linker: &mut Linker<'_>) {
    let first = operator.support.first().map(|row| row.from);
    if first.is_none_or(|first| first > operator.introduced) {
        let introduced = operator.family.level_name(operator.introduced);
        let message = format!("`support` has no row for `{introduced}`, from which the operator exists");
        linker.problem_of(&requirement.id, message);
    }
}

fn names_of_tensors(operator: &Operator) -> impl Iterator<Item = &str> {
    operator.tensors.iter().map(|tensor| tensor.name.as_str())
}

fn check_names(operator: &Operator, linker: &mut Linker<'_>) {
    for attribute in &operator.attributes {
        if let Some(list) = attribute.length_of.as_deref().filter(|list| operator.attribute(list).is_none()) {
            let path = ["attributes", &attribute.name, "length_of"];
            let message = format!("`{list}` is no attribute of this operator");
            linker.unknown(&path, list, operator.attribute_names(), message);
        }
    }
    for place in operator.tensors.iter().filter_map(|tensor| tensor.list.as_ref()).filter(|place| place.at == 0) {
        for name in place.count.iter().chain([&place.list]).filter(|name| operator.attribute(name).is_some()) {
            let message = format!("`{name}` is an attribute, and has to do with the list `{}` as well", place.list);
            linker.problem(&["tensors", &place.list], message);
        }
    }
    check_attributes(operator, linker);
    for requirement in &operator.requirements {
        let checks = requirement.check.iter();
        let asked = checks.flat_map(|check| check.tensors().into_iter().map(|name| (name, check.takes_list(name))));
        let invariants = requirement.invariants.iter().flat_map(super::Invariant::tensors).map(|name| (name, false));
        for (name, takes_list) in asked.chain(invariants) {
            let meant = operator.meant_by(name);
            match meant.as_slice() {
                [] => {
                    let near = did_you_mean(name, names_of_tensors(operator));
                    linker.problem_of(&requirement.id, format!("`{name}` is no tensor of this operator{near}"));
                }
                [first, ..] if first != name && !takes_list => {
                    let message = format!("`{name}` is a list, and this asks for one tensor: `{first}` is the first");
                    linker.problem_of(&requirement.id, message);
                }
                _ => {}
            }
        }
        if matches!(requirement.check, Some(Check::TensorSupport)) {
            check_support_begins(operator, requirement, linker);
        }
    }
    let is_read = operator.requirements.iter().any(|each| matches!(each.check, Some(Check::TensorSupport)));
    if !operator.support.is_empty() && !is_read {
        let message = "nothing is refused for this table: a requirement with `check: tensor_support` reads it";
        linker.problem(&["support"], message.to_owned());
    }
}
