//! YAML, whatever stands in it, and the single elements of data.
#![no_main]

use libfuzzer_sys::fuzz_target;
use opcert::backend::DataType;
use opcert::element;
use opcert::yaml::{Content, Node, parse};

/// Goes through all scalars; each is tried as an element of every type.
fn visit(node: &Node) {
    match node.content() {
        Content::Sequence(items) => items.for_each(|item| visit(&item)),
        Content::Mapping(pairs) => pairs.for_each(|(_, value)| visit(&value)),
        Content::Scalar { text, .. } => DataType::ALL.into_iter().for_each(|data_type| tried(text, data_type)),
    }
}

/// What is read as an element is shown, and what is shown is read as the same.
fn tried(text: &str, data_type: DataType) {
    let mut bytes = Vec::new();
    let read = element::parse(text, data_type, &mut bytes);
    assert_eq!(bytes.len(), if read.is_ok() { data_type.bytes() } else { 0 });
    if read.is_ok() {
        let shown = element::render(&bytes, data_type);
        let mut again = Vec::new();
        let special = shown.contains("nan") || shown.contains("inf");
        assert!(special || element::parse(&shown, data_type, &mut again).is_ok() && again == bytes, "{text} {shown}");
    }
    _ = element::parse_bits(text, data_type, &mut Vec::new());
}

fuzz_target!(|text: &str| {
    match parse(text) {
        Ok(node) => visit(&node),
        Err(problems) => assert!(!problems.is_empty()),
    }
});
