//! Payloads in the safetensors format. The first byte says which tensors are asked for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use opcert_backend::protocol::{NamedPlace, Payload, read_payload};
use opcert_backend::{DataType, TensorDescriptor};

/// The tensors that are asked for: several, one, a strided one, an empty one, a scalar.
fn asked(choice: u8) -> Vec<(&'static str, TensorDescriptor, usize)> {
    let packed = |name, data_type: DataType, sizes: &[u64]| {
        let count = sizes.iter().product::<u64>() as usize;
        (name, TensorDescriptor::packed(data_type, sizes), count * data_type.bytes())
    };
    match choice % 5 {
        0 => vec![packed("OutputTensor", DataType::U32, &[2, 3]), packed("OutputCountTensor", DataType::U32, &[1])],
        1 => vec![packed("output", DataType::F16, &[1, 2, 3])],
        2 => {
            let mut strided = TensorDescriptor::packed(DataType::U8, [2, 2]);
            strided.strides = Some(vec![4, 1]);
            vec![("OutputTensor", strided, 6)]
        }
        3 => vec![packed("OutputTensor", DataType::I64, &[0, 3])],
        _ => vec![packed("ValuesTensor", DataType::Bool, &[])],
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, file)) = bytes.split_first() else { return };
    let asked = asked(choice);
    let mut memory: Vec<Vec<u8>> = asked.iter().map(|(.., bytes)| vec![0; *bytes]).collect();
    let named = asked.iter().zip(&mut memory);
    let places: Vec<NamedPlace<'_>> = named.map(|((name, tensor, _), bytes)| (*name, tensor, &mut bytes[..])).collect();
    let mut stream = file;
    if read_payload(&mut stream, file.len() as u64, places).is_err() {
        return;
    }
    assert!(stream.is_empty());
    let named = asked.iter().zip(&memory);
    let payload = Payload::new(named.map(|((name, tensor, _), bytes)| (*name, tensor, &bytes[..]))).expect("it fits");
    assert!(payload.bytes() > 8);
});
