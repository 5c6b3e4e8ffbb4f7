//! What the page's script reads: every case with what became of it on every backend, as compact JSON, deflated.
//!
//! Texts stand once, in one table, and are referred to by their place in it; an outcome is one letter per case and
//! backend; only what there is something to say about has an entry of its own. The script beside this file reads
//! exactly these keys.

use std::collections::BTreeMap;

use base64ct::{Base64, Encoding};
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde::Serialize;

use crate::judge::{CaseEvent, Difference, Outcome};
use crate::report::appearance::{self, of_outcome};
use crate::report::comparison::{Compared, Comparison};
use opcert_backend::foreign::printable;

/// As much as can be had of less space; a page is written once.
const LEVEL: u8 = 9;

/// Renders the data so that it may stand in a `script` element: JSON in the format of zlib, in Base64.
pub(super) fn packed(comparison: &Comparison<'_>) -> String {
    let data = Data::of(comparison);
    let text = serde_json::to_string(&data).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    Base64::encode_string(&compress_to_vec_zlib(text.as_bytes(), LEVEL))
}

#[derive(Serialize)]
struct Data {
    /// All texts.
    texts: Vec<String>,
    /// The outcomes that occur, in the order of the letters `a`, `b`, ….
    outcomes: Vec<OutcomeData>,
    /// The sign of each class, by which cells look alike here and there.
    signs: BTreeMap<&'static str, char>,
    families: Vec<FamilyData>,
    operators: Vec<OperatorData>,
    backends: Vec<BackendData>,
    cases: Vec<CaseData>,
}

#[derive(Serialize)]
struct OutcomeData {
    name: &'static str,
    sign: char,
    class: &'static str,
    bad: bool,
    ran: bool,
}

#[derive(Serialize)]
struct FamilyData {
    levels: Vec<String>,
    types: Vec<String>,
}

#[derive(Serialize)]
struct OperatorData {
    id: String,
    title: String,
    /// Place of the family.
    family: usize,
    subject: String,
    /// The documents that have a public page: their names and addresses.
    pages: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct BackendData {
    key: String,
    label: String,
    repeat: String,
    /// Whether a verdict holds the backend to refusals.
    refuses: bool,
    /// Per operator, the place of the highest level that is claimed.
    claimed: Vec<isize>,
    /// One letter per case; `.` where the log has no such case.
    outcomes: String,
    /// By the case's place: what there is to say beyond the outcome.
    details: BTreeMap<usize, Detail>,
}

/// A case: `[folder, name, title, operator, level, refused until, flags, type, dimensions, covers, source]`. The first
/// three, the type and both parts of the source are places of texts, levels places in the family, and -1 is nothing.
/// Flags are bits: 1 gates, 2 large, 4 strided, and the authority times 8.
type CaseData = (usize, usize, isize, usize, isize, isize, u8, isize, isize, Vec<usize>, Vec<usize>);

/// What became of a case on a backend. Numbers are places of texts.
#[derive(Default, Serialize)]
struct Detail {
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    derived: Vec<(usize, usize)>,
    /// The texts of requirements by their ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    requirements: Vec<(usize, usize)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<GivenData>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<DifferenceData>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    observed: Vec<(usize, usize)>,
    /// Reason, link, the outcome had it not been expected, and whether the reason explains anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiver: Option<(usize, Option<usize>, &'static str, bool)>,
}

/// What a backend was given: tensors with their descriptors and elements, and attributes with their values.
type GivenData = (Vec<(usize, usize, isize)>, Vec<(usize, usize)>);

#[derive(Serialize)]
struct DifferenceData {
    tensor: usize,
    /// Differing, defined, unwritten.
    counts: (usize, usize, usize),
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Vec<u64>>,
    expected: usize,
    actual: usize,
    /// Why that is expected, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    why: Vec<usize>,
    /// The expected tensor, and the actual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    tensors: Option<(usize, Actual)>,
}

/// The actual tensor beside the expected one: the lines that are other ones, where it has as many of them.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Actual {
    Lines(Vec<(usize, usize)>),
    Text(usize),
}

/// The order of the authorities in a case's flags.
const AUTHORITIES: [&str; 4] = ["stated", "derived", "unspecified", "undefined"];

/// Every text once.
#[derive(Default)]
struct Texts {
    places: BTreeMap<String, usize>,
    list: Vec<String>,
}

impl Texts {
    fn place(&mut self, text: &str) -> usize {
        let text = printable(text);
        if let Some(place) = self.places.get(&*text) {
            return *place;
        }
        let place = self.list.len();
        self.list.push(text.clone().into_owned());
        self.places.insert(text.into_owned(), place);
        place
    }

    fn place_of(&mut self, text: Option<&String>) -> isize {
        text.map_or(NOTHING, |text| self.place(text) as isize)
    }
}

const NOTHING: isize = -1;

impl Data {
    fn of(comparison: &Comparison<'_>) -> Self {
        let mut texts = Texts::default();
        let operators: Vec<(usize, &crate::judge::OperatorInfo)> = comparison
            .families
            .iter()
            .enumerate()
            .flat_map(|(family, compared)| compared.operators.iter().map(move |operator| (family, operator)))
            .collect();
        let (cases, places) = cases(comparison, &operators, &mut texts);
        let outcomes = outcomes(comparison);
        let backends = comparison.backends.iter().zip(&places);
        let backends = backends.map(|(backend, places)| {
            let claimed = claimed(backend, comparison, &operators);
            backend_data(backend, claimed, places, cases.len(), &outcomes, &mut texts)
        });
        let backends = backends.collect();
        let outcomes = outcomes.into_iter().map(|outcome| {
            let appearance = of_outcome(outcome);
            OutcomeData {
                name: outcome.name(),
                sign: appearance.sign,
                class: appearance.class,
                bad: outcome.is_bad(),
                ran: outcome.ran(),
            }
        });
        let families = comparison.families.iter().map(|family| FamilyData {
            levels: printable_all(&family.info.levels),
            types: printable_all(&family.info.types),
        });
        let operators = operators.iter().map(|(family, operator)| OperatorData {
            id: printable(&operator.id).into_owned(),
            title: printable(&operator.title).into_owned(),
            family: *family,
            subject: printable(&operator.subject).into_owned(),
            pages: operator
                .pages
                .iter()
                .map(|(name, page)| (printable(name).into_owned(), printable(page).into_owned()))
                .collect(),
        });
        Self {
            outcomes: outcomes.collect(),
            signs: appearance::ALL.iter().map(|look| (look.class, look.sign)).collect(),
            families: families.collect(),
            operators: operators.collect(),
            backends,
            cases,
            texts: texts.list,
        }
    }
}

fn printable_all(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| printable(text).into_owned()).collect()
}

/// Every case of every log once, and per log the place of each of its cases. Logs of different suites may tell
/// different things of a case; then it stands there as often.
fn cases(
    comparison: &Comparison<'_>,
    operators: &[(usize, &crate::judge::OperatorInfo)],
    texts: &mut Texts,
) -> (Vec<CaseData>, Vec<Vec<usize>>) {
    let mut cases = Vec::new();
    let mut known: BTreeMap<CaseData, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for backend in &comparison.backends {
        let placed = backend.log.cases.iter().map(|event| {
            let operator = operators.iter().position(|(_, operator)| operator.id == event.operator).unwrap_or(0);
            let levels = operators
                .get(operator)
                .and_then(|(family, _)| comparison.families.get(*family))
                .map_or(&[][..], |family| &family.info.levels);
            let case = case_data(event, operator, levels, texts);
            *known.entry(case).or_insert_with_key(|case| {
                cases.push(case.clone());
                cases.len() - 1
            })
        });
        places.push(placed.collect());
    }
    (cases, places)
}

fn case_data(event: &CaseEvent, operator: usize, levels: &[String], texts: &mut Texts) -> CaseData {
    let (folder, name) = event.case.rsplit_once('/').unwrap_or(("", &event.case));
    let level = |name: Option<&String>| {
        name.and_then(|name| levels.iter().position(|level| level == name)).map_or(NOTHING, |place| place as isize)
    };
    let authority = AUTHORITIES.iter().position(|authority| *authority == event.authority).unwrap_or(0) as u8;
    let flags = u8::from(event.gates) | u8::from(event.large) << 1 | u8::from(event.strided) << 2 | authority << 3;
    (
        texts.place(folder),
        texts.place(name),
        texts.place_of(event.title.as_ref()),
        operator,
        level(Some(&event.level)),
        level(event.refused_until.as_ref()),
        flags,
        texts.place_of(event.data_type.as_ref()),
        event.dimensions.map_or(NOTHING, |count| count as isize),
        event.covers.iter().map(|id| texts.place(id)).collect(),
        event.source.iter().flat_map(|(document, section)| [texts.place(document), texts.place(section)]).collect(),
    )
}

fn outcomes(comparison: &Comparison<'_>) -> Vec<Outcome> {
    let events = comparison.backends.iter().flat_map(|backend| &backend.log.cases);
    let mut outcomes: Vec<Outcome> = events.map(|event| event.outcome).collect();
    outcomes.sort_unstable();
    outcomes.dedup();
    outcomes
}

fn claimed(
    backend: &Compared<'_>,
    comparison: &Comparison<'_>,
    operators: &[(usize, &crate::judge::OperatorInfo)],
) -> Vec<isize> {
    let place = |(family, operator): &(usize, &crate::judge::OperatorInfo)| {
        let level = backend.log.header.backend.claimed(&operator.id)?;
        comparison.families.get(*family)?.info.levels.iter().position(|each| each == level)
    };
    operators.iter().map(|operator| place(operator).map_or(NOTHING, |place| place as isize)).collect()
}

fn backend_data(
    backend: &Compared<'_>,
    claimed: Vec<isize>,
    places: &[usize],
    count: usize,
    outcomes: &[Outcome],
    texts: &mut Texts,
) -> BackendData {
    let mut letters = vec!['.'; count];
    let mut details = BTreeMap::new();
    for (event, &place) in backend.log.cases.iter().zip(places) {
        let letter = outcomes.iter().position(|outcome| *outcome == event.outcome).unwrap_or(0) as u8;
        letters[place] = char::from(b'a' + letter);
        if let Some(detail) = detail(event, texts) {
            details.insert(place, detail);
        }
    }
    let header = &backend.log.header;
    BackendData {
        key: backend.key.clone(),
        label: backend.label.clone(),
        repeat: printable(&header.repeat).into_owned(),
        refuses: header.backend.refuses_invalid,
        claimed,
        outcomes: letters.into_iter().collect(),
        details,
    }
}

fn detail(event: &CaseEvent, texts: &mut Texts) -> Option<Detail> {
    let silent = event.reason.is_none()
        && event.derived.is_empty()
        && event.requirements.is_empty()
        && event.given.is_none()
        && event.differences.is_empty()
        && event.observed.is_empty()
        && event.waiver.is_none();
    (!silent).then(|| Detail {
        reason: event.reason.as_ref().map(|reason| texts.place(reason.raw())),
        derived: event.derived.iter().map(|(id, why)| (texts.place(id), texts.place(why))).collect(),
        requirements: event.requirements.iter().map(|(id, said)| (texts.place(id), texts.place(said))).collect(),
        given: event.given.as_ref().map(|given| {
            let tensors = given.tensors.iter().map(|tensor| {
                let elements = texts.place_of(tensor.elements.as_ref());
                (texts.place(&tensor.name), texts.place(&tensor.descriptor), elements)
            });
            let tensors = tensors.collect();
            let attributes = given.attributes.iter().map(|(name, value)| (texts.place(name), texts.place(value)));
            (tensors, attributes.collect())
        }),
        differences: event.differences.iter().map(|each| difference(each, texts)).collect(),
        observed: event.observed.iter().map(|each| (texts.place(&each.tensor), texts.place(&each.value))).collect(),
        waiver: event.waiver.as_ref().map(|waiver| {
            let link = waiver.link.as_ref().map(|link| texts.place(link.raw()));
            (texts.place(waiver.reason.raw()), link, waiver.outcome.name(), waiver.is_explained())
        }),
    })
}

fn difference(difference: &Difference, texts: &mut Texts) -> DifferenceData {
    DifferenceData {
        tensor: texts.place(&difference.tensor),
        counts: (difference.differing, difference.defined, difference.unwritten),
        first: difference.first.clone(),
        expected: texts.place(&difference.expected),
        actual: texts.place(&difference.actual),
        why: difference
            .why
            .iter()
            .flat_map(|why| why.in_words(&difference.expected))
            .map(|line| texts.place(&line))
            .collect(),
        tensors: difference.rendering.as_ref().map(|rendering| {
            let expected = rendering.expected.lines().collect::<Vec<_>>();
            let actual = rendering.actual.lines().collect::<Vec<_>>();
            let written = if expected.len() == actual.len() {
                let lines = expected.iter().zip(&actual).enumerate().filter(|(_, (one, other))| one != other);
                Actual::Lines(lines.map(|(at, (_, other))| (at, texts.place(other))).collect())
            } else {
                Actual::Text(texts.place(&rendering.actual))
            };
            (texts.place(&rendering.expected), written)
        }),
    }
}
