//! The tensors of a case that went wrong, as a safetensors file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use opcert_backend::protocol::Payload;
use opcert_backend::{Role, TensorDescriptor};

use crate::case::{Expectation, ExpectedTensor};
use crate::check::CheckedCase;
use crate::file;
use crate::layout::gather;
use crate::run::OutputMemory;

/// Writes inputs, `expected.NAME` and `actual.NAME`, all packed, to `<folder>/<case id>.safetensors`; where dispatches
/// gave different outputs, also `actual.2.NAME` and so on.
///
/// # Errors
///
/// The file that could not be written, and why.
pub fn write(folder: &Path, case: &CheckedCase, dispatches: &[OutputMemory]) -> Result<(), (PathBuf, io::Error)> {
    let CheckedCase::Valid(case) = case else { return Ok(()) };
    let mut tensors: Vec<(String, TensorDescriptor, Vec<u8>)> = Vec::new();
    let packed = |tensor: &TensorDescriptor| TensorDescriptor::packed(tensor.data_type, tensor.sizes.clone());
    for input in &case.inputs {
        tensors.extend(
            case.descriptor
                .tensor(&input.name)
                .map(|tensor| (input.name.clone(), packed(tensor), input.data.elements().into_owned())),
        );
    }
    let expected = match &case.expectation {
        Expectation::Values(values) => values.as_slice(),
        _ => &[],
    };
    let entries = case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    for (index, entry) in entries.enumerate() {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        for memory in dispatches.iter().filter_map(|memory| memory.get(index)) {
            let elements = gather(&entry.tensor, memory).into_owned();
            if seen.contains(&elements) {
                continue;
            }
            let again = if seen.is_empty() { String::new() } else { format!("{}.", seen.len() + 1) };
            tensors.push((format!("actual.{again}{}", entry.name), packed(&entry.tensor), elements.clone()));
            seen.push(elements);
        }
        if let Some((_, ExpectedTensor::Elements(elements))) = expected.iter().find(|(name, _)| *name == entry.name) {
            tensors.push((format!("expected.{}", entry.name), packed(&entry.tensor), elements.bytes.clone()));
        }
    }
    let path = folder.join(format!("{}.safetensors", case.about.id));
    let views = tensors.iter().map(|(name, tensor, bytes)| (name.as_str(), tensor, bytes.as_slice()));
    let payload = Payload::new(views).map_err(|error| (path.clone(), io::Error::other(error)))?;
    let parent = path.parent().unwrap_or(folder);
    let write = || payload.write(&mut file::create(&path)?);
    fs::create_dir_all(parent).and_then(|()| write()).map_err(|error| (path.clone(), error))
}
