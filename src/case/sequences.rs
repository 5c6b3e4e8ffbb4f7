//! Elements that are described sequence by sequence: along some dimensions each sequence has one element, with exceptions.

use std::collections::BTreeMap;

use opcert_backend::DataType;

use super::elements;
use super::format::{PatternEntry, SequenceEntry, Value};
use crate::element;
use crate::layout::Offsets;
use crate::render::counted;
use crate::yaml::{Entries, Node, Problems};

/// One element again and again, but for those at some positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The element, as bytes.
    pub element: Vec<u8>,
    /// Those that differ, by position.
    pub except: BTreeMap<u64, Vec<u8>>,
}

/// A tensor of sequences along some of its dimensions.
#[derive(Clone, Debug)]
pub struct Sequences {
    /// The size of each dimension.
    pub sizes: Vec<u64>,
    /// The dimensions along which a sequence lies, ascending; without one each element is a sequence.
    pub along: Vec<usize>,
    /// What the sequences are, one after the other in row-major order, and again from the first one on. At least one.
    pub of: Vec<Sequence>,
}

/// So many sequences are shown one by one.
const SHOWN: usize = 4;

impl Sequences {
    /// Writes all elements, packed, as many as there is room for: what each sequence has everywhere, in the order of memory,
    /// and then what it has at single positions.
    pub(super) fn fill<const WIDTH: usize>(&self, elements: &mut [[u8; WIDTH]]) {
        let bytes = |element: &[u8]| *element.first_chunk::<WIDTH>().unwrap_or(&[0; WIDTH]);
        let everywhere: Vec<[u8; WIDTH]> = self.of.iter().map(|sequence| bytes(&sequence.element)).collect();
        let is_along = |dimension: usize| self.along.contains(&dimension);
        // From one element to the next along a dimension: so many sequences on.
        let mut next = self.steps(|dimension| !is_along(dimension));
        let (length, step) = (self.sizes.last().copied().unwrap_or(1), next.pop().unwrap_or(0));
        let outer = self.sizes[..next.len()].to_vec();
        let rows = elements.chunks_mut(length.max(1) as usize);
        for (row, first) in rows.zip(Offsets::new(outer, next)) {
            let mut turn = first % everywhere.len();
            if step == 0 {
                row.fill(everywhere[turn]);
                continue;
            }
            for element in row {
                *element = everywhere[turn];
                turn = if turn + 1 == everywhere.len() { 0 } else { turn + 1 };
            }
        }
        if self.of.iter().all(|sequence| sequence.except.is_empty()) {
            return;
        }
        // So many elements of memory on.
        let steps = self.steps(|_| true);
        let place = |position: u64| {
            let mut rest = position;
            let along = self.along.iter().rev().map(|&dimension| {
                let index = rest % self.sizes[dimension];
                rest /= self.sizes[dimension];
                index.wrapping_mul(steps[dimension])
            });
            along.fold(0, u64::wrapping_add) as usize
        };
        let single = |sequence: &Sequence| {
            sequence.except.iter().map(|(position, element)| (place(*position), bytes(element))).collect()
        };
        let single: Vec<Vec<(usize, [u8; WIDTH])>> = self.of.iter().map(single).collect();
        let across = (0..self.sizes.len()).filter(|&dimension| !is_along(dimension));
        let (sizes, strides) = across.map(|dimension| (self.sizes[dimension], steps[dimension])).unzip();
        for (first, single) in Offsets::new(sizes, strides).zip(single.iter().cycle()) {
            for (place, element) in single {
                if let Some(written) = elements.get_mut(first + place) {
                    *written = *element;
                }
            }
        }
    }

    /// How far apart neighbours along each dimension are, where only some dimensions count; 0 along the others.
    fn steps(&self, counts: impl Fn(usize) -> bool) -> Vec<u64> {
        let mut step = 1u64;
        let mut steps = vec![0; self.sizes.len()];
        for dimension in (0..self.sizes.len()).rev().filter(|&dimension| counts(dimension)) {
            steps[dimension] = step;
            step = step.wrapping_mul(self.sizes[dimension]);
        }
        steps
    }

    /// The formula as a case file has it.
    pub(super) fn in_a_file(&self, data_type: DataType) -> String {
        let along: Vec<String> = self.along.iter().map(usize::to_string).collect();
        let of: Vec<String> = self.of.iter().map(|sequence| format!("{{{}}}", sequence.keys(data_type))).collect();
        format!("{{pattern: sequences, along: [{}], of: [{}]}}", along.join(", "), of.join(", "))
    }

    /// The formula in words.
    pub(super) fn in_words(&self, data_type: DataType) -> String {
        let along: Vec<String> = self.along.iter().map(usize::to_string).collect();
        let of = self.of.iter().take(SHOWN).map(|sequence| sequence.in_words(data_type));
        let more = self.of.len().saturating_sub(SHOWN);
        let of = of.chain((more > 0).then(|| format!("{more} more"))).collect::<Vec<_>>().join("; ");
        match &along[..] {
            [] => format!("by turns {of}"),
            [one] => format!("sequences along dimension {one}, by turns: {of}"),
            several => format!("sequences along the dimensions {}, by turns: {of}", several.join(", ")),
        }
    }
}

impl Sequence {
    /// Its keys as a case file has them.
    pub(super) fn keys(&self, data_type: DataType) -> String {
        let text = |element: &[u8]| elements::in_a_file(element, data_type);
        let except = self.except.iter().map(|(position, element)| format!("{position}: {}", text(element)));
        match except.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => format!("value: {}", text(&self.element)),
            except => format!("value: {}, except: {{{except}}}", text(&self.element)),
        }
    }

    /// What it is made of.
    pub(super) fn in_words(&self, data_type: DataType) -> String {
        let text = |element: &[u8]| element::render(element, data_type);
        let except = self.except.iter().map(|(position, element)| format!(", but {} at {position}", text(element)));
        format!("{}{}", text(&self.element), except.collect::<String>())
    }
}

/// Decodes the sequences of a pattern; `None` after at least one problem was reported.
pub(super) fn decode(
    entry: &PatternEntry,
    node: &Node,
    (data_type, sizes): (DataType, &[u64]),
    problems: &mut Problems,
) -> Option<Sequences> {
    let (Some(along), Some(of)) = (&entry.along, &entry.of) else {
        let missing = if entry.along.is_none() { "along" } else { "of" };
        problems.add(node.position(), format!("`{missing}` is missing"));
        return None;
    };
    let before = problems.count();
    let dimensions: Vec<usize> = along.iter().filter_map(|&each| usize::try_from(each).ok()).collect();
    let ascends = dimensions.is_sorted_by(|one, other| one < other);
    if dimensions.len() < along.len() || !ascends || dimensions.last().is_some_and(|&last| last >= sizes.len()) {
        let of = counted(sizes.len(), "dimension");
        let message =
            format!("`along: {along:?}` is to list some of {of}, counted from 0, each once and in ascending order");
        problems.add(node.locate(&["along"]), message);
        return None;
    }
    if of.is_empty() {
        problems.add(node.locate(&["of"]), "`of` has at least one sequence");
    }
    let length = dimensions.iter().try_fold(1u64, |length, &dimension| length.checked_mul(sizes[dimension]));
    let sequence = |SequenceEntry { value: Value(value), except }: &SequenceEntry, problems: &mut Problems| {
        let element = elements::decode(value, data_type, &[], false, problems)?.bytes;
        let except = exceptions(except.as_ref(), (node, "of"), (data_type, length.unwrap_or(u64::MAX)), problems);
        Some(Sequence { element, except })
    };
    let of: Vec<Sequence> = of.iter().filter_map(|each| sequence(each, problems)).collect();
    (problems.count() == before).then(|| Sequences { sizes: sizes.to_vec(), along: dimensions, of })
}

/// The elements that differ from others, by their position among so many.
pub(super) fn exceptions(
    entries: Option<&Entries<Value>>,
    (node, key): (&Node, &str),
    (data_type, count): (DataType, u64),
    problems: &mut Problems,
) -> BTreeMap<u64, Vec<u8>> {
    let mut exceptions = BTreeMap::new();
    for (position, Value(value)) in entries.iter().flat_map(|entries| &entries.0) {
        let place = position.parse().ok().filter(|&place: &u64| place < count && place.to_string() == *position);
        let element = elements::decode(value, data_type, &[], false, problems);
        match (place, element) {
            (Some(place), Some(element)) => _ = exceptions.insert(place, element.bytes),
            (None, _) => {
                let message = format!("`{position}` is no position among {count} elements, counted from 0");
                problems.add(node.locate(&[key]), message);
            }
            (Some(_), None) => {}
        }
    }
    exceptions
}
