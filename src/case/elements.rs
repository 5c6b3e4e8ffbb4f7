//! Elements: from nested or flat lists to packed bytes.

use opcert_backend::DataType;

use crate::element;
use crate::yaml::{Content, Node, Problems};

/// Elements of which some may be undefined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    /// All elements, packed, little-endian, in logical order; zeros where undefined.
    pub bytes: Vec<u8>,
    /// For each element whether it is undefined; empty when none is.
    pub undefined: Vec<bool>,
}

impl Elements {
    /// Whether the element at a position is defined.
    #[must_use]
    pub fn is_defined(&self, index: usize) -> bool {
        !self.undefined.get(index).copied().unwrap_or(false)
    }
}

/// An element as a case file has it, so that [`decode`] gives the same bits.
pub(super) fn in_a_file(element: &[u8], data_type: DataType) -> String {
    let text = element::render(element, data_type);
    let text = match text.as_str() {
        "inf" => ".inf".to_owned(),
        "-inf" => "-.inf".to_owned(),
        _ if text.starts_with("nan") => ".nan".to_owned(),
        _ => text,
    };
    let mut again = Vec::new();
    match element::parse(&text, data_type, &mut again) {
        Ok(()) if again == element => text,
        _ => format!("{{bits: 0x{}}}", element.iter().rev().map(|byte| format!("{byte:02X}")).collect::<String>()),
    }
}

/// One `~` stands for at most so many elements.
const MOST_UNDEFINED: u64 = 1 << 27;

/// Decodes the elements of a tensor. With `may_be_undefined`, `~` stands for an undefined element or part.
pub(super) fn decode(
    node: &Node,
    data_type: DataType,
    sizes: &[u64],
    may_be_undefined: bool,
    problems: &mut Problems,
) -> Option<Elements> {
    let mut decoder = Decoder { data_type, may_be_undefined, elements: Elements::default(), count: 0, problems };
    let before = decoder.problems.count();
    match node.content() {
        Content::Sequence(items) if sizes.len() > 1 && !items.clone().any(|item| item.is_list()) => {
            let count = sizes.iter().try_fold(1u64, |count, &size| count.checked_mul(size));
            if count == Some(items.len() as u64) {
                items.for_each(|item| decoder.element(&item));
            } else if items.clone().any(|item| item.is_null()) {
                decoder.part(node, sizes, &mut Vec::new());
            } else {
                let expected = count.map_or_else(|| "more than 2^64".to_owned(), |count| count.to_string());
                let message = format!("{} elements in one list, expected {expected} for sizes {sizes:?}", items.len());
                decoder.problems.add(node.position(), message);
            }
        }
        _ => decoder.part(node, sizes, &mut Vec::new()),
    }
    let Decoder { elements, .. } = decoder;
    (problems.count() == before).then_some(elements)
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
            let Some(count) = count.filter(|&count| count <= MOST_UNDEFINED) else {
                let message = format!("more than {MOST_UNDEFINED} elements for sizes {sizes:?} are too many to expect");
                return self.problems.add(node.position(), message);
            };
            return self.undefined(count as usize);
        }
        let dimension = place.len();
        let Content::Sequence(items) = node.content() else {
            let at = render_place(place);
            self.problems.add(
                node.position(),
                format!("expected a list of {size} along dimension {dimension}{at}, found {}", node.kind()),
            );
            return;
        };
        if items.len() as u64 != size {
            let at = render_place(place);
            self.problems.add(
                node.position(),
                format!("{} elements along dimension {dimension}{at}, expected {size}", items.len()),
            );
            return;
        }
        if inner.is_empty() {
            self.elements.bytes.reserve(items.len() * self.data_type.bytes());
        }
        for (index, item) in items.enumerate() {
            place.push(index);
            self.part(&item, inner, place);
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
        let result = match (node.content(), bits.as_ref().and_then(Node::plain)) {
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
            self.problems.add(node.position(), message);
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
}
