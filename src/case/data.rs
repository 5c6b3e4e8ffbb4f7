//! Elements: from nested lists or a formula to packed bytes.

use opcert_backend::DataType;

use super::format::{PatternEntry, PatternKind, Value};
use super::model::Elements;
use crate::element;
use crate::yaml::{Content, FromNode, Node, Problems};

/// Described data larger than this is refused rather than built.
const LARGEST: u64 = 1 << 36;

/// Decodes the elements of a tensor. With `may_be_undefined`, `~` stands for an undefined element or part.
pub(super) fn decode(
    node: &Node,
    data_type: DataType,
    sizes: &[u64],
    may_be_undefined: bool,
    problems: &mut Problems,
) -> Option<Elements> {
    if let Content::Mapping(_) = node.content
        && node.get("bits").is_none()
    {
        return decode_pattern(node, data_type, sizes, problems);
    }
    let mut decoder = Decoder { data_type, may_be_undefined, elements: Elements::default(), count: 0, problems };
    let before = decoder.problems.count();
    match &node.content {
        Content::Sequence(items) if sizes.len() > 1 && items.iter().all(|item| !is_list(item)) => {
            let count = sizes.iter().try_fold(1u64, |count, &size| count.checked_mul(size));
            if count == Some(items.len() as u64) {
                items.iter().for_each(|item| decoder.element(item));
            } else if items.iter().any(Node::is_null) {
                decoder.part(node, sizes, &mut Vec::new());
            } else {
                let expected = count.map_or_else(|| "more than 2^64".to_owned(), |count| count.to_string());
                let message = format!("{} elements in one list, expected {expected} for sizes {sizes:?}", items.len());
                decoder.problems.add(node.position, message);
            }
        }
        _ => decoder.part(node, sizes, &mut Vec::new()),
    }
    let Decoder { elements, .. } = decoder;
    (problems.count() == before).then_some(elements)
}

fn is_list(node: &Node) -> bool {
    matches!(node.content, Content::Sequence(_))
}

struct Decoder<'a> {
    data_type: DataType,
    may_be_undefined: bool,
    elements: Elements,
    count: usize,
    problems: &'a mut Problems,
}

impl Decoder<'_> {
    /// Decodes the part with the given remaining sizes.
    fn part(&mut self, node: &Node, sizes: &[u64], place: &mut Vec<usize>) {
        let Some((&size, inner)) = sizes.split_first() else { return self.element(node) };
        if node.is_null() && self.may_be_undefined {
            let count = sizes.iter().try_fold(1u64, |count, &size| count.checked_mul(size));
            return self.undefined(count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0));
        }
        let dimension = place.len();
        let Content::Sequence(items) = &node.content else {
            let at = render_place(place);
            self.problems.add(
                node.position,
                format!("expected a list of {size} along dimension {dimension}{at}, found {}", node.kind()),
            );
            return;
        };
        if items.len() as u64 != size {
            let at = render_place(place);
            self.problems.add(
                node.position,
                format!("{} elements along dimension {dimension}{at}, expected {size}", items.len()),
            );
            return;
        }
        for (index, item) in items.iter().enumerate() {
            place.push(index);
            self.part(item, inner, place);
            place.pop();
        }
    }

    fn element(&mut self, node: &Node) {
        if node.is_null() && self.may_be_undefined {
            return self.undefined(1);
        }
        self.count += 1;
        if !self.elements.undefined.is_empty() {
            self.elements.undefined.push(false);
        }
        let bits = node.get("bits");
        let result = match (&node.content, bits.and_then(Node::plain)) {
            (Content::Scalar { text, quoted: false }, _) => {
                element::parse(text, self.data_type, &mut self.elements.bytes)
                    .map_err(|reason| format!("`{text}` {reason} (as {})", self.data_type))
            }
            (Content::Mapping(entries), Some(text)) if entries.len() == 1 => {
                element::parse_bits(text, self.data_type, &mut self.elements.bytes)
                    .map_err(|reason| format!("`{text}` {reason}"))
            }
            _ => Err(format!("expected one element of {}, found {}", self.data_type, node.kind())),
        };
        if let Err(message) = result {
            self.problems.add(node.position, message);
        }
    }

    fn undefined(&mut self, count: usize) {
        self.elements.undefined.resize(self.count, false);
        self.count += count;
        self.elements.undefined.resize(self.count, true);
        self.elements.bytes.resize(self.count * self.data_type.bytes(), 0);
    }
}

fn render_place(place: &[usize]) -> String {
    if place.is_empty() { String::new() } else { format!(" at {place:?}") }
}

fn decode_pattern(node: &Node, data_type: DataType, sizes: &[u64], problems: &mut Problems) -> Option<Elements> {
    let entry = PatternEntry::from_node(node.clone(), problems)?;
    let width = data_type.bytes() as u64;
    let count = sizes.iter().try_fold(width, |count, &size| count.checked_mul(size)).filter(|&bytes| bytes <= LARGEST);
    let Some(count) = count.map(|bytes| bytes / width) else {
        problems.add(node.position, format!("a pattern of sizes {sizes:?} is larger than {LARGEST} bytes"));
        return None;
    };
    let foreign = |given: bool, name: &str, problems: &mut Problems| {
        if given {
            problems.add(node.locate(&[name]), format!("`{name}` does not belong to `{}`", entry.pattern.key()));
        }
    };
    let before = problems.count();
    foreign(entry.value.is_some() && entry.pattern != PatternKind::Constant, "value", problems);
    foreign(entry.seed.is_some() && entry.pattern != PatternKind::Bits, "seed", problems);
    for (given, name) in
        [(entry.start.is_some(), "start"), (entry.step.is_some(), "step"), (entry.period.is_some(), "period")]
    {
        foreign(given && entry.pattern != PatternKind::Ramp, name, problems);
    }
    if entry.period == Some(0) {
        problems.add(node.locate(&["period"]), "a `period` is at least 1");
    }
    let bytes = match entry.pattern {
        PatternKind::Constant => {
            let Some(Value(value)) = &entry.value else {
                problems.add(node.position, "`value` is missing");
                return None;
            };
            decode(value, data_type, &[], false, problems)?.bytes.repeat(count as usize)
        }
        PatternKind::Ramp => {
            let (start, step) = (entry.start.unwrap_or(0), entry.step.unwrap_or(1));
            let period = entry.period.unwrap_or(u64::MAX).max(1);
            fill(count, data_type, |i| number(start.wrapping_add(((i % period) as i64).wrapping_mul(step)), data_type))
        }
        PatternKind::Bits => {
            let seed = entry.seed.unwrap_or(0);
            let mask = if data_type == DataType::Bool { 1 } else { u64::MAX };
            fill(count, data_type, |i| splitmix64(seed.wrapping_add(i)) & mask)
        }
    };
    (problems.count() == before).then_some(Elements { bytes, undefined: Vec::new() })
}

fn fill(count: u64, data_type: DataType, element: impl Fn(u64) -> u64) -> Vec<u8> {
    let width = data_type.bytes();
    let mut bytes = Vec::with_capacity(count as usize * width);
    for i in 0..count {
        bytes.extend_from_slice(&element(i).to_le_bytes()[..width]);
    }
    bytes
}

/// The bits of the element nearest to an integer; integers wrap.
fn number(value: i64, data_type: DataType) -> u64 {
    match data_type {
        DataType::F64 => (value as f64).to_bits(),
        DataType::F32 => (value as f32).to_bits().into(),
        DataType::F16 => half::f16::from_f64(value as f64).to_bits().into(),
        DataType::BF16 => half::bf16::from_f64(value as f64).to_bits().into(),
        DataType::Bool => u64::from(value & 1 == 1),
        _ => value as u64,
    }
}

/// The mixing function of Steele, Lea and Flood's SplitMix64 generator, applied to the state after one step.
fn splitmix64(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    fn elements(text: &str, data_type: DataType, sizes: &[u64]) -> Result<Elements, Vec<String>> {
        let mut problems = Problems::default();
        let node = parse(text).unwrap();
        decode(&node, data_type, sizes, true, &mut problems)
            .ok_or_else(|| problems.into_sorted().into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn nested_and_flat_lists_mean_the_same() {
        let nested = elements("[[1, 2, 3], [4, 5, 6]]", DataType::U8, &[2, 3]).unwrap();
        assert_eq!(nested.bytes, [1, 2, 3, 4, 5, 6]);
        assert_eq!(elements("[1, 2, 3, 4, 5, 6]", DataType::U8, &[2, 3]).unwrap(), nested);
        assert_eq!(elements("7", DataType::U8, &[]).unwrap().bytes, [7]);
    }

    #[test]
    fn undefined_parts_keep_their_place() {
        let rows = elements("[[1, 2], ~]", DataType::U8, &[2, 2]).unwrap();
        assert_eq!((rows.bytes, rows.undefined), (vec![1, 2, 0, 0], vec![false, false, true, true]));
        let middle = elements("[1, ~, 3]", DataType::U8, &[3]).unwrap();
        assert_eq!((middle.bytes, middle.undefined), (vec![1, 0, 3], vec![false, true, false]));
        let all = elements("[~, ~]", DataType::U8, &[2, 2]).unwrap();
        assert_eq!(all.undefined, [true; 4]);
        assert_eq!(elements("~", DataType::U8, &[2, 2]).unwrap().undefined, [true; 4]);
    }

    #[test]
    fn empty_tensors_are_empty_lists() {
        assert!(elements("[]", DataType::U8, &[0, 3]).unwrap().bytes.is_empty());
        assert!(elements("[[], []]", DataType::U8, &[2, 0]).unwrap().bytes.is_empty());
        assert!(elements("[[], [], []]", DataType::U8, &[2, 0]).is_err());
    }

    #[test]
    fn ragged_and_mismatched_lists_name_the_place() {
        for (text, sizes, fragment) in [
            ("[[1, 2], [3]]", vec![2, 2], "1 elements along dimension 1 at [1], expected 2"),
            ("[[1, 2], 3]", vec![2, 2], "expected a list of 2 along dimension 1 at [1], found `3`"),
            ("[1, 2, 3]", vec![2, 2], "3 elements in one list, expected 4"),
            ("[[[1]]]", vec![1, 1], "expected one element of u8, found a list"),
            ("5", vec![1], "expected a list of 1 along dimension 0, found `5`"),
            ("['1']", vec![1], "expected one element of u8, found text"),
            ("[1]", vec![4_294_967_296, 4_294_967_296], "expected more than 2^64"),
        ] {
            let problems = elements(text, DataType::U8, &sizes).unwrap_err();
            assert!(problems[0].contains(fragment), "{text}: {problems:?}");
        }
    }

    #[test]
    fn patterns_follow_their_formulas() {
        assert_eq!(elements("{pattern: constant, value: -1}", DataType::I8, &[3]).unwrap().bytes, [255; 3]);
        let ramp = elements("{pattern: ramp, start: 3, step: -2, period: 3}", DataType::I8, &[5]).unwrap();
        assert_eq!(ramp.bytes, [3, 1, 255, 3, 1]);
        // The first outputs of SplitMix64 seeded with 1234567, as its reference implementation gives them.
        let bits = elements("{pattern: bits, seed: 1234567}", DataType::U64, &[1]).unwrap();
        assert_eq!(bits.bytes, 6_457_827_717_110_365_317u64.to_le_bytes());
        assert!(elements("{pattern: ramp, seed: 1}", DataType::I8, &[5]).is_err());
        assert!(elements("{pattern: constant}", DataType::I8, &[5]).is_err());
    }
}
