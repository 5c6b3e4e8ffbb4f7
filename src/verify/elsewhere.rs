//! What a log says of cases that ran elsewhere: in processes of their own, as other operators by mappings, or where they were
//! carried to.

use std::collections::BTreeMap;

use clap::ValueEnum as _;
use opcert_backend::ForeignText;
use opcert_backend::protocol::LONGEST_TEXT;

use super::Reference;
use super::misfit::Misfit;
use crate::check::CheckedCase;
use crate::export::{Export, Format};
use crate::judge::{CaseEvent, Header, MappedClaim, Outcome};
use crate::mapping::{Mappings, Way};
use crate::plan::{Selection, asked, question};
use crate::report::Log;
use crate::returned::is_absence;

/// A reason may hold a few texts of a program, each of which is cut.
const LONGEST_REASON: usize = 4 * LONGEST_TEXT;

/// Where cases ran.
pub(super) struct Elsewhere<'a> {
    header: &'a Header,
    selection: &'a Selection,
    /// By operators, how they are run as others.
    ways: BTreeMap<&'a str, Way>,
    carried: Option<Carried>,
}

/// In which format cases were carried.
struct Carried {
    format: Format,
    mappings: Mappings,
    /// The cases that cannot be expressed in it, and why.
    inexpressible: BTreeMap<String, String>,
}

impl<'a> Elsewhere<'a> {
    /// By what the header of a log says, and everything that cannot be said there.
    pub(super) fn of(log: &'a Log, reference: &Reference, selection: &'a Selection) -> (Self, Vec<Misfit>) {
        let header = &log.header;
        let mut elsewhere = Self { header, selection, ways: BTreeMap::new(), carried: None };
        let format = |name: &String| Format::value_variants().iter().find(|format| format.name() == *name);
        // A format that there is none of is told with the header.
        let format = header.carried.as_ref().and_then(format);
        if header.through.is_empty() && format.is_none() {
            return (elsewhere, Vec::new());
        }
        let impossible = |key, reason: String| Misfit::HeaderImpossible { key, reason };
        let Ok(mappings) = Mappings::embedded(&reference.specs) else {
            let key = if format.is_some() { "carried" } else { "through" };
            return (
                elsewhere,
                vec![impossible(key, "the mappings that are part of opcert cannot be read".to_owned())],
            );
        };
        let mut misfits = Vec::new();
        for (operator, claim) in &header.through {
            // What others left out of their specifications has no case here.
            if reference.specs.operator(operator).is_none() {
                continue;
            }
            match way(operator, claim, header, &mappings) {
                Ok(way) => drop(elsewhere.ways.insert(operator, way)),
                Err(reason) => misfits.push(impossible("through", reason)),
            }
        }
        if let Some(&format) = format {
            let (specs, cases_digest) = (&reference.specs, reference.suite.digest.as_str());
            let export = Export { format, specs, mappings: &mappings, cases_digest, terms: &[], selection };
            misfits.extend(above_claims(log, reference, &export).map(|reason| impossible("carried", reason)));
            match export.manifest(&reference.suite.cases) {
                Ok(manifest) => {
                    let inexpressible = manifest.inexpressible;
                    elsewhere.carried = Some(Carried { format, mappings, inexpressible });
                }
                Err(error) => misfits.push(impossible("carried", error.to_string())),
            }
        }
        (elsewhere, misfits)
    }

    /// Why an outcome cannot have come of where its case ran.
    pub(super) fn contradictions(&self, event: &CaseEvent, case: &CheckedCase) -> Vec<String> {
        let said = event.reason.as_ref().map_or("", ForeignText::raw);
        let is_unsupported = |reason: &str| event.outcome == Outcome::Unsupported && is_said_at_a_level(said, reason);
        let carried = self.carried.as_ref().and_then(|carried| {
            let left = carried.inexpressible.get(&event.case).filter(|_| event.outcome != Outcome::NotRun);
            match left {
                Some(reason) if !is_unsupported(reason) => Some(format!("it cannot have been carried: {reason}")),
                Some(_) => None,
                None => self.absence(event, case, carried),
            }
        });
        let unsaid = self.ways.get(event.operator.as_str()).and_then(|way| {
            let descriptor = question(case, &self.header.backend, self.selection)?;
            way.described(&descriptor).err().filter(|reason| !is_unsupported(reason))
        });
        let unsaid = unsaid.map(|reason| format!("no other operator can have been asked for in its place: {reason}"));
        let is_bounded = self.header.isolated || self.header.carried.is_some();
        let too_long = (is_bounded && said.len() > LONGEST_REASON)
            .then(|| format!("its reason has {} bytes, and what a program says is cut at {LONGEST_TEXT}", said.len()));
        [carried, unsaid, too_long].into_iter().flatten().collect()
    }

    /// Whether what is said to be missing is what should have come back.
    fn absence(&self, event: &CaseEvent, case: &CheckedCase, carried: &Carried) -> Option<String> {
        let judged = event.waiver.as_ref().map_or(event.outcome, |waiver| waiver.outcome);
        if judged != Outcome::Missing {
            return None;
        }
        let said = event.reason.as_ref().map_or("", ForeignText::raw);
        let levels = asked(case, &self.header.backend, self.selection);
        let level = levels.first().copied();
        let is_one = level.is_some_and(|level| is_absence(said, case, level, (carried.format, &carried.mappings)));
        (!is_one).then(|| "what is said to be missing is no file that should have come back".to_owned())
    }
}

/// The way of a claim that is met as another operator.
fn way(operator: &str, claim: &MappedClaim, header: &Header, mappings: &Mappings) -> Result<Way, String> {
    let MappedClaim { operator: other, level, .. } = claim;
    if !header.backend.claims.contains_key(operator) {
        return Err(format!("`{operator}` is said to be run as `{other}`, and is not claimed by itself"));
    }
    let claimed = header.backend.claimed(other);
    if claimed != Some(level) {
        let claimed = claimed.unwrap_or("none");
        return Err(format!("`{operator}` is run as `{other}` of {level}, and {claimed} is claimed"));
    }
    Way::of(operator, claim, mappings)
}

/// The first operator that is claimed below the level at which its cases were carried.
fn above_claims(log: &Log, reference: &Reference, export: &Export<'_>) -> Option<String> {
    let identity = &log.header.backend;
    reference.specs.operators.iter().find_map(|operator| {
        let (family, id) = (&operator.family, &operator.id);
        let asked = export.level(family);
        let claimed = identity.claimed(id).and_then(|level| family.level(level)).filter(|claimed| *claimed < asked)?;
        let (claimed, asked) = (family.level_name(claimed), family.level_name(asked));
        let is_there = log.cases.iter().any(|event| event.operator == *id);
        is_there.then(|| format!("`{id}` is claimed up to {claimed}, and its cases were carried at {asked}"))
    })
}

/// Whether these are the words of a reason, by themselves or of a level.
fn is_said_at_a_level(said: &str, reason: &str) -> bool {
    let of_level = said.strip_prefix("at ").and_then(|said| said.split_once(": "));
    said == reason || of_level.is_some_and(|(level, said)| said == reason && !level.contains(char::is_whitespace))
}
