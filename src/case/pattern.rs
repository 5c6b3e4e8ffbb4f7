//! Elements that a formula describes. They are computed where they are needed, since there may be billions of them.

use std::collections::BTreeMap;

use opcert_backend::DataType;

use super::elements;
use super::format::{PatternEntry, PatternKind, Value};
use super::sequences::{self, Sequence, Sequences, exceptions};
use crate::element;
use crate::yaml::{FromNode, Node, Problems};

/// Tensors larger than this many bytes are refused rather than described.
const LARGEST: u64 = 1 << 36;

/// A formula with its parameters.
#[derive(Clone, Debug)]
pub struct Pattern {
    formula: Formula,
    data_type: DataType,
    count: u64,
}

#[derive(Clone, Debug)]
enum Formula {
    Constant(Sequence),
    Ramp { start: i64, step: i64, period: u64 },
    Bits { seed: u64 },
    Sequences(Sequences),
}

impl Pattern {
    /// `count` times one element, but for those at the positions in `except`.
    #[must_use]
    pub const fn constant(element: Vec<u8>, except: BTreeMap<u64, Vec<u8>>, data_type: DataType, count: u64) -> Self {
        Self { formula: Formula::Constant(Sequence { element, except }), data_type, count }
    }

    /// `count` integers from `start` in steps of `step`, again from the start after `period` of them.
    #[must_use]
    pub const fn ramp(start: i64, step: i64, period: u64, data_type: DataType, count: u64) -> Self {
        Self { formula: Formula::Ramp { start, step, period }, data_type, count }
    }

    /// `count` elements of pseudo-random bits.
    #[must_use]
    pub const fn bits(seed: u64, data_type: DataType, count: u64) -> Self {
        Self { formula: Formula::Bits { seed }, data_type, count }
    }

    /// Sequences along some dimensions, each of which is described by itself.
    #[must_use]
    pub fn sequences(sequences: Sequences, data_type: DataType) -> Self {
        let count = sequences.sizes.iter().product();
        Self { formula: Formula::Sequences(sequences), data_type, count }
    }

    /// The formula as a case file has it.
    pub(super) fn in_a_file(&self) -> String {
        match &self.formula {
            Formula::Constant(sequence) => format!("{{pattern: constant, {}}}", sequence.keys(self.data_type)),
            Formula::Ramp { start, step, period } => {
                let given = [
                    (*start != 0).then(|| format!(", start: {start}")),
                    (*step != 1).then(|| format!(", step: {step}")),
                    (*period != u64::MAX).then(|| format!(", period: {period}")),
                ];
                format!("{{pattern: ramp{}}}", given.into_iter().flatten().collect::<String>())
            }
            Formula::Bits { seed: 0 } => "{pattern: bits}".to_owned(),
            Formula::Bits { seed } => format!("{{pattern: bits, seed: {seed}}}"),
            Formula::Sequences(sequences) => sequences.in_a_file(self.data_type),
        }
    }

    /// The number of bytes of all elements.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.count as usize * self.data_type.bytes()
    }

    /// Writes all elements, packed, to the beginning of `memory`, as many as fit.
    pub fn fill(&self, memory: &mut [u8]) {
        match self.data_type.bytes() {
            1 => self.fill_elements::<1>(memory),
            2 => self.fill_elements::<2>(memory),
            4 => self.fill_elements::<4>(memory),
            _ => self.fill_elements::<8>(memory),
        }
    }

    /// As `fill`, with the width of an element known at compile time.
    fn fill_elements<const WIDTH: usize>(&self, memory: &mut [u8]) {
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let elements = memory.as_chunks_mut::<WIDTH>().0;
        let fitting = elements.len().min(count);
        let elements = &mut elements[..fitting];
        let low = |bits: u64| *bits.to_le_bytes().first_chunk::<WIDTH>().unwrap_or(&[0; WIDTH]);
        match &self.formula {
            Formula::Constant(sequence) => {
                let bytes = |element: &[u8]| *element.first_chunk::<WIDTH>().unwrap_or(&[0; WIDTH]);
                elements.fill(bytes(&sequence.element));
                for (position, element) in &sequence.except {
                    let place = usize::try_from(*position).ok().and_then(|position| elements.get_mut(position));
                    if let Some(place) = place {
                        *place = bytes(element);
                    }
                }
            }
            Formula::Ramp { start, step, period } => {
                let mut position = 0;
                for place in elements {
                    let value = start.wrapping_add((position as i64).wrapping_mul(*step));
                    *place = low(element::from_integer(value, self.data_type));
                    position = if position + 1 == *period { 0 } else { position + 1 };
                }
            }
            Formula::Bits { seed } => {
                let mask = if self.data_type == DataType::Bool { 1 } else { u64::MAX };
                for (place, i) in elements.iter_mut().zip(0..) {
                    *place = low(splitmix64(seed.wrapping_add(i)) & mask);
                }
            }
            Formula::Sequences(sequences) => sequences.fill(elements),
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.count;
        match &self.formula {
            Formula::Constant(sequence) => write!(formatter, "{count} times {}", sequence.in_words(self.data_type)),
            Formula::Ramp { start, step, period } if *period == u64::MAX => {
                write!(formatter, "{count} elements from {start} in steps of {step}")
            }
            Formula::Ramp { start, step, period } => {
                write!(formatter, "{count} elements from {start} in steps of {step}, again after {period}")
            }
            Formula::Bits { seed } => write!(formatter, "{count} elements of pseudo-random bits, seed {seed}"),
            Formula::Sequences(sequences) => {
                write!(formatter, "{count} elements, {}", sequences.in_words(self.data_type))
            }
        }
    }
}

/// Decodes a pattern; `None` after at least one problem was reported.
pub(super) fn decode(node: &Node, data_type: DataType, sizes: &[u64], problems: &mut Problems) -> Option<Pattern> {
    let before = problems.count();
    let entry = PatternEntry::from_node(node.clone(), problems)?;
    let mut foreign = |given: bool, name: &str, kind: PatternKind| {
        if given && entry.pattern != kind {
            problems.add(node.locate(&[name]), format!("`{name}` does not belong to `{}`", entry.pattern.key()));
        }
    };
    foreign(entry.value.is_some(), "value", PatternKind::Constant);
    foreign(entry.except.is_some(), "except", PatternKind::Constant);
    foreign(entry.start.is_some(), "start", PatternKind::Ramp);
    foreign(entry.step.is_some(), "step", PatternKind::Ramp);
    foreign(entry.period.is_some(), "period", PatternKind::Ramp);
    foreign(entry.seed.is_some(), "seed", PatternKind::Bits);
    foreign(entry.along.is_some(), "along", PatternKind::Sequences);
    foreign(entry.of.is_some(), "of", PatternKind::Sequences);
    if entry.period == Some(0) {
        problems.add(node.locate(&["period"]), "a `period` is at least 1");
    }
    let width = data_type.bytes() as u64;
    let bytes = sizes.iter().try_fold(width, |bytes, &size| bytes.checked_mul(size));
    let Some(bytes) = bytes.filter(|&bytes| bytes <= LARGEST) else {
        problems.add(node.position(), format!("a pattern for sizes {sizes:?} has more than {LARGEST} bytes"));
        return None;
    };
    let formula = match (entry.pattern, &entry.value) {
        (PatternKind::Constant, Some(Value(value))) => Formula::Constant(Sequence {
            element: elements::decode(value, data_type, &[], false, problems)?.bytes,
            except: exceptions(entry.except.as_ref(), (node, "except"), (data_type, bytes / width), problems),
        }),
        (PatternKind::Constant, None) => {
            problems.add(node.position(), "`value` is missing");
            return None;
        }
        (PatternKind::Ramp, _) => Formula::Ramp {
            start: entry.start.unwrap_or(0),
            step: entry.step.unwrap_or(1),
            period: entry.period.unwrap_or(u64::MAX),
        },
        (PatternKind::Bits, _) => Formula::Bits { seed: entry.seed.unwrap_or(0) },
        (PatternKind::Sequences, _) => {
            Formula::Sequences(sequences::decode(&entry, node, (data_type, sizes), problems)?)
        }
    };
    (problems.count() == before).then_some(Pattern { formula, data_type, count: bytes / width })
}

/// The mixing function of Steele, Lea and Flood's SplitMix64 generator, applied to the state after one step.
pub(crate) fn splitmix64(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    fn elements(text: &str, data_type: DataType, count: u64) -> Option<Vec<u8>> {
        let mut problems = Problems::default();
        let pattern = decode(&parse(text).unwrap(), data_type, &[count], &mut problems)?;
        let mut bytes = vec![0; pattern.bytes()];
        pattern.fill(&mut bytes);
        Some(bytes)
    }

    #[test]
    fn patterns_follow_their_formulas() {
        assert_eq!(elements("{pattern: constant, value: -1}", DataType::I8, 3).unwrap(), [255; 3]);
        let but = elements("{pattern: constant, value: 4, except: {0: 5, 2: -1}}", DataType::I8, 4).unwrap();
        assert_eq!(but, [5, 4, 255, 4]);
        let ramp = elements("{pattern: ramp, start: 3, step: -2, period: 3}", DataType::I8, 5).unwrap();
        assert_eq!(ramp, [3, 1, 255, 3, 1]);
        let floats = elements("{pattern: ramp}", DataType::F16, 3).unwrap();
        assert_eq!(floats, [0x00, 0x00, 0x00, 0x3C, 0x00, 0x40]);
        // The first output of SplitMix64 seeded with 1234567, as its reference implementation gives it.
        let bits = elements("{pattern: bits, seed: 1234567}", DataType::U64, 1).unwrap();
        assert_eq!(bits, 6_457_827_717_110_365_317u64.to_le_bytes());
    }

    #[test]
    fn sequences_lie_along_their_dimensions() {
        let laid_out = |text: &str| {
            let mut problems = Problems::default();
            let pattern = decode(&parse(text).unwrap(), DataType::I8, &[2, 3, 2], &mut problems).unwrap();
            let mut bytes = vec![0; pattern.bytes()];
            pattern.fill(&mut bytes);
            bytes
        };
        let columns =
            laid_out("{pattern: sequences, along: [1], of: [{value: 1, except: {2: 9}}, {value: 2}, {value: 3}]}");
        assert_eq!(columns, [1, 2, 1, 2, 9, 2, 3, 1, 3, 1, 3, 9]);
        let planes =
            laid_out("{pattern: sequences, along: [0, 2], of: [{value: 1, except: {0: 5, 3: 6}}, {value: 2}]}");
        assert_eq!(planes, [5, 1, 2, 2, 5, 1, 1, 6, 2, 2, 1, 6]);
        let each = laid_out(
            "{pattern: sequences, along: [], of: [{value: 1}, {value: 2}, {value: 3}, {value: 4}, {value: 5}]}",
        );
        assert_eq!(each, [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2]);
        let whole = laid_out("{pattern: sequences, along: [0, 1, 2], of: [{value: 0, except: {11: 1}}, {value: 7}]}");
        assert_eq!(whole, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn parameters_of_another_formula_are_refused() {
        for text in [
            "{pattern: ramp, seed: 1}",
            "{pattern: constant}",
            "{pattern: ramp, except: {0: 1}}",
            "{pattern: constant, value: 1, except: {5: 1}}",
            "{pattern: constant, value: 1, except: {-1: 1}}",
            "{pattern: constant, value: 1, except: {01: 1}}",
            "{pattern: constant, value: 1, except: {1: 300}}",
            "{pattern: bits, value: 1}",
            "{pattern: ramp, period: 0}",
            "{pattern: waves}",
            "{pattern: sequences, of: [{value: 1}]}",
            "{pattern: sequences, along: [0]}",
            "{pattern: sequences, along: [1], of: [{value: 1}]}",
            "{pattern: sequences, along: [0, 0], of: [{value: 1}]}",
            "{pattern: sequences, along: [0], of: []}",
            "{pattern: sequences, along: [0], of: [{value: 300}]}",
            "{pattern: sequences, along: [0], of: [{value: 1, except: {5: 2}}]}",
            "{pattern: sequences, along: [], of: [{value: 1, except: {1: 2}}]}",
            "{pattern: sequences, along: [0], value: 1, of: [{value: 1}]}",
            "{pattern: constant, value: 1, along: [0]}",
        ] {
            assert!(elements(text, DataType::I8, 5).is_none(), "{text}");
        }
        assert!(elements("{pattern: bits}", DataType::I8, u64::MAX).is_none());
    }
}
