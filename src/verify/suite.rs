//! The certificate and the log, beside the suite.

use std::collections::{BTreeMap, BTreeSet};

use clap::ValueEnum as _;
use serde_json::Value;

use super::Reference;
use super::elsewhere::Elsewhere;
use super::evidence::contradictions;
use super::misfit::Misfit;
use crate::check::CheckedCase;
use crate::export::Format;
use crate::judge::{CaseEvent, FamilyInfo, Header, OperatorInfo};
use crate::plan::{Filter, Selection, check_claims};
use crate::report::{Log, SuiteDigests, digests};
use crate::source::Source;
use crate::spec::Specs;

/// So many files of a kind are named that are not those of the certificate.
const MOST_FILES: usize = 1000;

/// Every file whose digest differs, and those that only one side has.
pub(super) fn files(stated: &SuiteDigests, found: &SuiteDigests) -> Vec<Misfit> {
    let mut misfits = Vec::new();
    differing("specification", &stated.specifications, &found.specifications, &mut misfits);
    differing("case file", &stated.cases, &found.cases, &mut misfits);
    differing("document", &documents(stated), &documents(found), &mut misfits);
    misfits
}

/// Documents by the specification and the name they have there, and all that is said of them.
fn documents(digests: &SuiteDigests) -> BTreeMap<String, String> {
    let mut documents = BTreeMap::new();
    for (specification, named) in &digests.documents {
        for (name, document) in named {
            let digest = document.blake3.as_deref().unwrap_or("no digest");
            let file = document.file.as_deref().unwrap_or("no file");
            let said = format!("{digest} ({file}, {})", document.revision);
            documents.insert(format!("{specification}: {name}"), said);
        }
    }
    documents
}

fn differing(
    kind: &'static str,
    stated: &BTreeMap<String, String>,
    found: &BTreeMap<String, String>,
    misfits: &mut Vec<Misfit>,
) {
    let paths: BTreeSet<&String> = stated.keys().chain(found.keys()).collect();
    let mut more = 0;
    for (place, path) in paths.into_iter().filter(|path| stated.get(*path) != found.get(*path)).enumerate() {
        if place >= MOST_FILES {
            more += 1;
            continue;
        }
        let shown = |digest: Option<&String>| digest.cloned().unwrap_or_else(|| format!("no such {kind}"));
        let (stated, found) = (shown(stated.get(path)), shown(found.get(path)));
        misfits.push(Misfit::SuiteFile { kind, path: path.clone(), stated, found });
    }
    if more > 0 {
        misfits.push(Misfit::SuiteFiles { kind, count: more });
    }
}

/// Everything in the log that the suite contradicts.
///
/// # Errors
///
/// When an event cannot be JSON.
pub(super) fn events(log: &Log, reference: &Reference) -> Result<Vec<Misfit>, serde_json::Error> {
    let mut misfits = header(log, reference);
    let selection = Selection {
        filter: Filter::default(),
        level: log.header.level.clone(),
        large: log.cases.iter().any(|case| case.large),
        only: None,
        shard: log.header.shard.map(|part| part.shard),
        once: log.header.carried.is_some(),
    };
    let (elsewhere, impossible) = Elsewhere::of(log, reference, &selection);
    misfits.extend(impossible);
    let suite: BTreeMap<&str, (usize, &CheckedCase)> =
        reference.suite.cases.iter().enumerate().map(|(at, case)| (case.about().id.as_str(), (at, case))).collect();
    let mut furthest = None;
    for event in &log.cases {
        let Some(&(at, case)) = suite.get(event.case.as_str()) else {
            misfits.push(Misfit::UnknownCase(event.case.clone()));
            continue;
        };
        if furthest.is_some_and(|furthest| at < furthest) {
            misfits.push(Misfit::Order(event.case.clone()));
        }
        furthest = furthest.max(Some(at));
        if !selection.picks(case) {
            misfits.push(Misfit::CaseAbove(event.case.clone()));
        }
        misfits.extend(described(event, case)?);
        let mut reasons = contradictions(event, case, &log.header.backend, &selection, may_see_guards(&log.header));
        reasons.extend(elsewhere.contradictions(event, case));
        misfits.extend(reasons.into_iter().map(|reason| Misfit::Outcome {
            case: event.case.clone(),
            outcome: event.outcome,
            reason,
        }));
    }
    if log.header.is_of_whole_suite() {
        let there: BTreeSet<&str> = log.cases.iter().map(|event| event.case.as_str()).collect();
        let wanted = reference.suite.cases.iter().filter(|case| selection.picks(case));
        let ids = wanted.map(|case| &case.about().id).filter(|id| !there.contains(id.as_str()));
        misfits.extend(ids.map(|id| Misfit::MissingCase(id.clone())));
    }
    Ok(misfits)
}

/// Whether what a log says of a case is said of this one: what it is about, what is given and expected.
pub(super) fn is_of(event: &CaseEvent, case: &CheckedCase, header: &Header) -> bool {
    let selection = Selection {
        level: header.level.clone(),
        large: event.large,
        once: header.carried.is_some(),
        ..Selection::default()
    };
    described(event, case).is_ok_and(|found| found.is_empty())
        && contradictions(event, case, &header.backend, &selection, may_see_guards(header)).is_empty()
}

/// Whether what guards outputs could have been seen to be violated: where cases were carried, what ran them may have had
/// guard zones of its own.
const fn may_see_guards(header: &Header) -> bool {
    header.guards || header.carried.is_some()
}

/// Every file that is not the embedded one, where the log is said to be of these and others are compared. What another
/// version has embedded is not known here. A suite of one's own gives a verdict on families of one's own alone.
pub(super) fn embedded(log: &Log, reference: &Reference) -> Vec<Misfit> {
    if log.header.is_of_whole_suite() && log.header.own_suite {
        let embedded = Specs::load(&Source::embedded_specs()).ok();
        let family = embedded.as_ref().and_then(|embedded| reference.specs.common_family(embedded));
        return family.map(|family| Misfit::NotOwn(family.to_owned())).into_iter().collect();
    }
    if log.header.own_suite && reference.embedded && is_of_this_version(log) {
        let reason = "what is compared is part of opcert: `--specs` and `--cases` take the files that it was made with";
        return vec![Misfit::HeaderImpossible { key: "own_suite", reason: reason.to_owned() }];
    }
    if reference.embedded || !log.header.is_of_whole_suite() || !is_of_this_version(log) {
        return Vec::new();
    }
    let sources = [
        ("specification", Source::embedded_specs(), &reference.digests.specifications),
        ("case file", Source::embedded_cases(), &reference.digests.cases),
    ];
    let mut misfits = Vec::new();
    for (kind, source, found) in sources {
        let embedded = digests(&source).unwrap_or_default();
        let paths: BTreeSet<&String> = embedded.keys().chain(found.keys()).collect();
        let others = paths.into_iter().filter(|path| embedded.get(*path) != found.get(*path));
        misfits.extend(others.map(|path| Misfit::NotEmbedded { kind, path: path.clone() }));
    }
    misfits
}

fn is_of_this_version(log: &Log) -> bool {
    log.header.opcert == env!("CARGO_PKG_VERSION")
}

fn header(log: &Log, reference: &Reference) -> Vec<Misfit> {
    let header = &log.header;
    let families: Vec<FamilyInfo> = reference.specs.families().map(|family| FamilyInfo::from(&**family)).collect();
    let operators: Vec<OperatorInfo> =
        reference.specs.operators.iter().map(|operator| OperatorInfo::from(&**operator)).collect();
    // Of the embedded cases, a run of a few reads only the files that it needs, and which ones those are is not said.
    let partly_read = reference.embedded && !header.is_of_whole_suite();
    let fits = [
        ("specs", header.specs == reference.specs.digest),
        ("cases", partly_read || header.cases == reference.suite.digest),
        ("families", header.families == families),
        ("operators", header.operators == operators),
    ];
    let claims = check_claims(&header.backend, &reference.specs).err().map(Misfit::Claims);
    let differing = fits.into_iter().filter(|(_, fits)| !fits).map(|(key, _)| Misfit::Header { key });
    let impossible = impossible(header, &reference.specs);
    let impossible = impossible.into_iter().map(|(key, reason)| Misfit::HeaderImpossible { key, reason });
    differing.chain(claims).chain(impossible).collect()
}

/// What a header cannot say, whatever was run.
fn impossible(header: &Header, specs: &Specs) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    if header.backend.name.raw().trim().is_empty() {
        found.push(("backend", "its name is empty".to_owned()));
    }
    if let Some(level) = header.level.as_ref().filter(|level| specs.families().all(|each| each.level(level).is_none()))
    {
        found.push(("level", format!("`{level}` is no feature level of any family")));
    }
    if let Some(format) = &header.carried {
        if Format::value_variants().iter().all(|known| known.name() != *format) {
            found.push(("carried", format!("`{format}` is no format in which cases are carried")));
        }
        let nowhere = format!("the cases were carried as {format}, and nothing of opcert ran where they went");
        found.extend(header.guards.then(|| ("guards", nowhere.clone())));
        found.extend(header.isolated.then_some(("isolated", nowhere)));
        let whole = format!("cases that were carried as {format} are judged together");
        found.extend(header.shard.is_some().then_some(("shard", whole)));
        let as_they_are = format!("what was carried as {format} is said otherwise by the format alone");
        found.extend((!header.through.is_empty()).then_some(("through", as_they_are)));
    }
    if header.complete && header.shard.is_some() {
        found.push(("complete", "a part of a run is not all of it".to_owned()));
    }
    if !header.isolated && header.carried.is_none() && !header.guards {
        found.push(("guards", "in this process outputs always lie between guard zones".to_owned()));
    }
    if !header.repeat.contains("{case}") && !header.repeat.contains("{test}") {
        found.push(("repeat", "it names no case".to_owned()));
    }
    // A part may have none.
    if header.planned == 0 && header.shard.is_none() {
        found.push(("planned", "no run is of no case".to_owned()));
    }
    if header.cases.len() != 64 || !header.cases.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        found.push(("cases", format!("`{}` is no digest", header.cases)));
    }
    found
}

/// What an event says of its case, apart from what came out.
const DESCRIPTION: [&str; 15] = [
    "operator",
    "title",
    "source",
    "level",
    "refused_until",
    "authority",
    "gates",
    "large",
    "strided",
    "data_type",
    "dimensions",
    "covers",
    "derived",
    "requirements",
    "given",
];

fn described(event: &CaseEvent, case: &CheckedCase) -> Result<Vec<Misfit>, serde_json::Error> {
    let judged = event.waiver.as_ref().map_or(event.outcome, |waiver| waiver.outcome);
    let [stated, found] = [serde_json::to_value(event)?, serde_json::to_value(CaseEvent::of(case, judged))?];
    let shown = |value: Option<&Value>| value.map_or_else(|| "not there".to_owned(), ToString::to_string);
    let differing = DESCRIPTION.into_iter().filter(|key| stated.get(key) != found.get(key));
    let misfit = |key| Misfit::Described {
        case: event.case.clone(),
        key,
        stated: shown(stated.get(key)),
        found: shown(found.get(key)),
    };
    Ok(differing.map(misfit).collect())
}
