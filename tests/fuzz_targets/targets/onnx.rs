//! ONNX's models and tensors, and the cases that they become. The input is a model and as many tensors as there are,
//! each behind its length in two bytes.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use opcert::import::Foreign;
use opcert::onnx::{DataSet, Node, NodeTest, OnnxTensor};
use opcert::source::Source;
use opcert::spec::Specs;

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::load(&Source::embedded_specs()).expect("they load"));

/// What is larger takes its time, and is for other tests.
const MOST_ELEMENTS: u64 = 1 << 12;

fn parts(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
        let (part, rest) = rest.split_at(rest.len().min(u16::from_le_bytes(*length).into()));
        parts.push(part);
        bytes = rest;
    }
    parts
}

fn is_small(foreign: &Foreign) -> bool {
    foreign.tensors.iter().all(|tensor| tensor.descriptor.element_count().is_some_and(|count| count <= MOST_ELEMENTS))
}

fuzz_target!(|bytes: &[u8]| {
    let parts = parts(bytes);
    let Some((model, files)) = parts.split_first() else { return };
    let tensors = files.iter().map(|file| OnnxTensor::decode(file)).collect::<Vec<_>>();
    for (name, tensor) in tensors.iter().flatten() {
        assert_eq!(OnnxTensor::decode(&tensor.encode(name)).ok().as_ref(), Some(&(name.clone(), tensor.clone())));
    }
    let Ok((node, places)) = Node::decode(model) else { return };
    let mut tensors = tensors.into_iter().filter_map(|tensor| Some(tensor.ok()?.1));
    let inputs = tensors.by_ref().take(places.len()).collect::<Vec<_>>();
    let taken = inputs.iter().zip(&node.inputs).filter(|(tensor, value)| value.takes(tensor)).count();
    if taken != node.inputs.len() {
        return;
    }
    let expected = tensors.next().filter(|tensor| node.output.takes(tensor));
    let set = DataSet { name: "test_data_set_0".to_owned(), inputs, expected };
    let test = NodeTest { node, sets: vec![set] };
    for foreign in opcert::import::of_onnx(&test, "fuzzed", &SPECS).into_iter().flatten().filter(is_small) {
        _ = foreign.complete(&SPECS);
    }
});
