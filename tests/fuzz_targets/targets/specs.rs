//! Specifications: a family and its operator. The input is one text that takes the place of a file of the suite; its
//! first line says which.
#![no_main]

use libfuzzer_sys::fuzz_target;
use opcert::source::Source;
use opcert::spec::Specs;

const FAMILY: &str = include_str!("../../../specs/openvino/family.yaml");
const OPERATOR: &str = include_str!("../../../specs/openvino/one_hot_1.yaml");

fuzz_target!(|text: &str| {
    let is_family = text.trim_start().starts_with("family:");
    let (family, operator) = if is_family { (text, OPERATOR) } else { (FAMILY, text) };
    let files = [("openvino/family", family), ("openvino/one_hot_1", operator)];
    let held = files.map(|(stem, text)| (stem.to_owned(), text.to_owned()));
    match Specs::load(&Source::Held(held.into())) {
        Ok(specs) => {
            for operator in &specs.operators {
                operator.all_requirements().for_each(|requirement| _ = requirement.name().len());
            }
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            diagnostics.iter().for_each(|diagnostic| _ = diagnostic.to_string());
        }
    }
});
