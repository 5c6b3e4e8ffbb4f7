//! The backend's account of itself, and buffers that are not what was compiled for.

use opcert_backend::DataType::{F32, U8, U32};
use opcert_backend::{Backend, CompileError, Fault, Input, Output, Support};

use super::{argmax, bytes, one_hot, packed};
use crate::CpuBackend;

#[test]
fn identity_and_support() {
    let backend = CpuBackend::new();
    let identity = backend.identity();
    assert_eq!(
        identity.claims.iter().map(|(family, level)| (&**family, &**level)).collect::<Vec<_>>(),
        [("directml", "6_4"), ("onnx", "13"), ("openvino", "1"), ("tosa", "1.0"), ("webnn", "1")]
    );
    let mut descriptor = one_hot("2_0", packed(U32, &[1; 4]), packed(F32, &[1, 1, 1, 2]), packed(F32, &[1; 4]), 0);
    assert_eq!(backend.supports(&descriptor), Support::Yes);
    descriptor.operator = "directml/no_operator".to_owned();
    assert!(matches!(backend.supports(&descriptor), Support::No(reason) if reason.contains("directml/no_operator")));
    assert!(matches!(backend.compile(&descriptor), Err(CompileError::Unsupported { .. })));
}

#[test]
fn missing_and_short_buffers_are_faults() {
    let descriptor = argmax("3_0", packed(U8, &[4]), packed(U32, &[1]), &[0], "DML_AXIS_DIRECTION_INCREASING");
    let mut operator = CpuBackend::new().compile(&descriptor).unwrap();
    let (input, output) = (&descriptor.tensors[0].tensor, &descriptor.tensors[1].tensor);
    let memory = bytes(&[1u8, 2, 3, 4]);
    let mut dispatch = |name: &str, length: usize, room: usize| {
        let mut written = vec![0; room];
        let inputs = [Input { name, tensor: input, bytes: &memory[..length] }];
        let mut outputs = [Output { name: "OutputTensor", tensor: output, bytes: &mut written, poison: 0 }];
        operator.dispatch(&inputs, &mut outputs)
    };
    assert_eq!(dispatch("InputTensor", 4, 4), Ok(()));
    assert!(matches!(dispatch("InputTensor", 3, 4), Err(Fault::Failed(reason)) if reason.contains("3 bytes")));
    assert!(matches!(dispatch("InputTensor", 4, 3), Err(Fault::Failed(reason)) if reason.contains("OutputTensor")));
    assert!(matches!(dispatch("Elsewhere", 4, 4), Err(Fault::Failed(reason)) if reason.contains("InputTensor")));
}
