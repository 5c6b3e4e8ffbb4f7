//! The outputs of a case, as they came back.

use std::fs;
use std::io;
use std::path::Path;

use opcert_backend::protocol::{LONGEST_HEAD, NamedPlace, read_payload};
use opcert_backend::{Descriptor, Fault, NamedTensor, TensorDescriptor, memory_bytes};

use super::files;
use crate::export::{ArrayForm, Written};
use crate::npy::{self, NpyError};
use crate::run::OutputMemory;

/// The memory of all outputs after a run whose files stand in a folder, `<run>/<name>.npy`, or in one file,
/// `<run>.safetensors`; `None` where there is none of these. An `array` begins with the memory of its tensor.
///
/// # Errors
///
/// A broken protocol: a file that is missing beside others, or is not what it should be. An array of other sizes is an answer
/// of other sizes.
pub(super) fn each(
    array: impl Fn(&TensorDescriptor) -> Result<ArrayForm, Fault>,
    folder: &Path,
    run: &str,
    outputs: &[&NamedTensor],
) -> Option<Result<OutputMemory, Fault>> {
    let together = format!("{run}.safetensors");
    let files: Vec<String> = outputs.iter().map(|entry| format!("{run}/{}.npy", entry.name)).collect();
    let is_there = |file: &String| fs::symlink_metadata(folder.join(file)).is_ok();
    match (is_there(&together), files.iter().find(|file| is_there(file))) {
        (false, None) => return None,
        (true, None) => {
            return Some(of_safetensors(&folder.join(&together), outputs).map_err(|reason| broken(&together, &reason)));
        }
        (true, Some(file)) => {
            return Some(Err(broken(&together, &format!("and `{file}` are both there: which is the answer?"))));
        }
        (false, Some(_)) => {}
    }
    let memory = outputs.iter().zip(files).map(|(entry, file)| of_npy(folder, &file, entry, array(&entry.tensor)?));
    Some(memory.collect())
}

/// The memory of an output whose array stands in a file.
fn of_npy(folder: &Path, file: &str, entry: &NamedTensor, (data_type, sizes): ArrayForm) -> Result<Vec<u8>, Fault> {
    let path = folder.join(file);
    let read = |bytes: &[u8]| {
        npy::read(bytes, data_type, &sizes).map_err(|error| match error {
            NpyError::Other { sizes: Some(other), .. } if sizes == entry.tensor.sizes => {
                Fault::OtherSizes { tensor: entry.name.clone(), sizes: other }
            }
            error => broken(file, &error.to_string()),
        })
    };
    let most = npy::LONGEST_HEAD + memory_bytes(&entry.tensor)? as u64;
    match files::read(&path, most) {
        Ok(bytes) => read(&bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(broken(file, "is not there, and others are")),
        // Of an array that is larger the head says so.
        Err(error) => match files::beginning(&path, npy::LONGEST_HEAD).map(|head| read(&head)) {
            Ok(Err(fault @ Fault::OtherSizes { .. })) => Err(fault),
            _ => Err(broken(file, &error.to_string())),
        },
    }
}

/// The memory of all outputs of a case, from the files of the operator as which it was written, `<run>/<file>` by an output's
/// place and name; `None` where there is none of these.
///
/// # Errors
///
/// A broken protocol: a file that is missing beside others, or is not what it should be. A failure: an answer that is none of
/// the case's outputs.
pub(super) fn of_written(
    mut written: Written,
    file: impl Fn(usize, &str) -> String,
    (folder, run): (&Path, &str),
    descriptor: &Descriptor,
) -> Option<Result<OutputMemory, Fault>> {
    let outputs: Vec<NamedTensor> = written.outputs().cloned().collect();
    let path = |(place, entry): (usize, &NamedTensor)| format!("{run}/{}", file(place, &entry.name));
    let files: Vec<String> = outputs.iter().enumerate().map(path).collect();
    files.iter().find(|file| fs::symlink_metadata(folder.join(file)).is_ok())?;
    let mut read = |(entry, file): (&NamedTensor, &String)| {
        let form = (entry.tensor.data_type, entry.tensor.sizes.clone());
        match of_npy(folder, file, entry, form) {
            // Sizes that follow from values are part of the answer.
            Err(Fault::OtherSizes { sizes, .. })
                if written.is_another() && written.follows(&entry.name) && sizes.len() == entry.tensor.sizes.len() =>
            {
                let tensor = TensorDescriptor::packed(entry.tensor.data_type, sizes.clone());
                written.resize(&entry.name, sizes.clone());
                of_npy(folder, file, &NamedTensor { tensor, ..entry.clone() }, (entry.tensor.data_type, sizes))
            }
            Err(Fault::OtherSizes { sizes, .. }) if written.is_another() => {
                let wanted = &entry.tensor.sizes;
                Err(broken(file, &format!("is an array of the sizes {sizes:?}, expected {wanted:?}")))
            }
            found => found,
        }
    };
    let found = outputs.iter().zip(&files).map(&mut read).collect::<Result<OutputMemory, Fault>>();
    Some(found.and_then(|found| written.back(descriptor, found)))
}

fn broken(file: &str, reason: &str) -> Fault {
    Fault::Protocol(format!("`{file}` {reason}"))
}

fn of_safetensors(path: &Path, outputs: &[&NamedTensor]) -> Result<OutputMemory, String> {
    let bytes = outputs.iter().map(|entry| memory_bytes(&entry.tensor).map_or(0, |bytes| bytes as u64)).sum::<u64>();
    // The head, its length and the outputs: nothing beyond them is read.
    let most = LONGEST_HEAD + size_of::<u64>() as u64 + bytes;
    let (mut file, length) = files::open(path, most).map_err(|error| error.to_string())?;
    let memory = outputs.iter().map(|entry| memory_bytes(&entry.tensor).map(|bytes| vec![0; bytes]));
    let mut memory: OutputMemory = memory.collect::<Result<_, Fault>>().map_err(|fault| fault.to_string())?;
    let named = outputs.iter().zip(&mut memory);
    let places: Vec<NamedPlace<'_>> =
        named.map(|(entry, memory)| (entry.name.as_str(), &entry.tensor, memory.as_mut_slice())).collect();
    read_payload(&mut file, length, places).map_err(|error| format!("is not what it should be: {error}"))?;
    Ok(memory)
}
