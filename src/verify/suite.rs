//! The certificate and the log, beside the suite.

use std::collections::{BTreeMap, BTreeSet};

use clap::ValueEnum as _;
use opcert_backend::ForeignText;
use serde_json::Value;

use super::Reference;
use super::evidence::contradictions;
use super::misfit::Misfit;
use crate::check::CheckedCase;
use crate::export::{Export, Format};
use crate::judge::{CaseEvent, FamilyInfo, Header, MappedClaim, OperatorInfo, Outcome};
use crate::mapping::{Mappings, Way};
use crate::plan::{Filter, Selection, check_claims, question};
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
    let inexpressible = match inexpressible(&log.header, reference, &selection) {
        Ok(found) => found,
        Err(reason) => {
            misfits.push(Misfit::HeaderImpossible { key: "carried", reason });
            BTreeMap::new()
        }
    };
    let mappings = Mappings::embedded(&reference.specs).ok();
    let way = |operator: &str, claim: &MappedClaim| Way::of(operator, claim, mappings.as_ref()?);
    let claims = log.header.through.iter();
    let ways: BTreeMap<&str, Way> =
        claims.filter_map(|(operator, claim)| Some((operator.as_str(), way(operator, claim)?))).collect();
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
        let said = event.reason.as_ref().map_or("", ForeignText::raw);
        let is_unsupported = |reason: &str| event.outcome == Outcome::Unsupported && is_said_at_a_level(said, reason);
        let left = inexpressible.get(&event.case).filter(|_| event.outcome != Outcome::NotRun);
        if let Some(reason) = left.filter(|reason| !is_unsupported(reason)) {
            reasons.push(format!("it cannot have been carried: {reason}"));
        }
        let asked = || question(case, &log.header.backend, &selection);
        let unsaid = ways.get(event.operator.as_str()).and_then(|way| way.described(&asked()?).err());
        if let Some(reason) = unsaid.filter(|reason| !is_unsupported(reason)) {
            reasons.push(format!("no other operator can have been asked for in its place: {reason}"));
        }
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

/// Whether these are the words of a reason, by themselves or of a level.
fn is_said_at_a_level(said: &str, reason: &str) -> bool {
    let of_level = said.strip_prefix("at ").and_then(|said| said.split_once(": "));
    said == reason || of_level.is_some_and(|(level, said)| said == reason && !level.contains(char::is_whitespace))
}

/// The cases that cannot be expressed in the format in which they are said to have been carried, and why.
fn inexpressible(
    header: &Header,
    reference: &Reference,
    selection: &Selection,
) -> Result<BTreeMap<String, String>, String> {
    let format = |name: &String| Format::value_variants().iter().find(|format| format.name() == *name);
    // A format that there is none of is told already.
    let Some(format) = header.carried.as_ref().and_then(format) else { return Ok(BTreeMap::new()) };
    let (specs, cases_digest) = (&reference.specs, reference.suite.digest.as_str());
    let mappings =
        &Mappings::embedded(specs).map_err(|_| "the mappings that are part of it cannot be read".to_owned())?;
    let export = Export { format: *format, specs, mappings, cases_digest, terms: &[], selection };
    let manifest = export.manifest(&reference.suite.cases).map_err(|error| error.to_string())?;
    Ok(manifest.inexpressible)
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
    if reference.embedded || !log.header.is_of_whole_suite() || log.header.opcert != env!("CARGO_PKG_VERSION") {
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
    let mapped = mapped(header, &reference.specs);
    let differing = fits.into_iter().filter(|(_, fits)| !fits).map(|(key, _)| Misfit::Header { key });
    let impossible = impossible(header, &reference.specs);
    let impossible = impossible.into_iter().map(|(key, reason)| Misfit::HeaderImpossible { key, reason });
    differing.chain(claims).chain(mapped).chain(impossible).collect()
}

/// Every claim that is met as another operator, by another mapping than the one that is embedded.
fn mapped(header: &Header, specs: &Specs) -> Vec<Misfit> {
    if header.through.is_empty() {
        return Vec::new();
    }
    let mappings = Mappings::embedded(specs).ok();
    let found = |operator: &str, other: &str| {
        let mapping = mappings.as_ref().and_then(|mappings| mappings.between(operator, other));
        mapping.map_or("no such mapping", |mapping| mapping.digest.as_str())
    };
    let through = header.through.iter().filter(|(operator, _)| specs.operator(operator).is_some());
    let differing = through.filter_map(|(operator, MappedClaim { operator: other, level, mapping })| {
        if !header.backend.claims.contains_key(operator) {
            let reason = format!("`{operator}` is said to be run as `{other}`, and is not claimed by itself");
            return Some(Misfit::HeaderImpossible { key: "through", reason });
        }
        let claimed = header.backend.claimed(other);
        if claimed != Some(level) {
            let reason =
                format!("`{operator}` is run as `{other}` of {level}, and {} is claimed", claimed.unwrap_or("none"));
            return Some(Misfit::HeaderImpossible { key: "through", reason });
        }
        let found = found(operator, other);
        let reason = format!("the mapping from `{operator}` to `{other}` is {mapping} there, and {found} here");
        (found != mapping).then_some(Misfit::HeaderImpossible { key: "through", reason })
    });
    differing.collect()
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
