//! Cases as tensors and a descriptor, for any program that can read .npy or safetensors files.

use opcert_backend::protocol::Payload;
use opcert_backend::{DataType, Fault, NamedTensor, TensorDescriptor, memory_bytes};

use super::asked::Asked;
use super::{ArrayForm, ExportedFile, Exporter, Made, NotExported};
use crate::case::Data;
use crate::npy;
use crate::run::{POISONS, laid_out};

/// Each input in a file of its own.
pub(super) struct Npy;

/// All inputs in one file.
pub(super) struct Safetensors;

/// The file of the inputs in the safetensors format, and of the outputs.
const INPUTS_FILE: &str = "inputs.safetensors";
const OUTPUTS_FILE: &str = "outputs.safetensors";

/// What holds of every format of tensors, for whoever writes a program that runs them.
const README: &str = concat!(include_str!("tensors.md"), "\n", include_str!("results.md"));

/// The path of an input, from the case's folder.
pub(super) fn input(name: &str) -> String {
    format!("inputs/{name}.npy")
}

impl Exporter for Npy {
    fn made(&self, asked: &Asked<'_>) -> Result<Made, NotExported> {
        let files = asked.inputs().map(|(entry, data)| Ok((input(&entry.name), as_npy(entry, data, POISONS[0])?)));
        Ok(Made::of(asked, files.collect::<Result<_, NotExported>>()?, input))
    }

    fn shared(&self, _: &[String]) -> Vec<ExportedFile> {
        vec![("README.md".to_owned(), README.as_bytes().to_vec())]
    }
}

/// The array of a tensor: a packed one in its type and sizes, a strided one as the bytes of its memory.
pub(super) fn array(tensor: &TensorDescriptor) -> Result<ArrayForm, Fault> {
    Ok(if tensor.is_packed() {
        (tensor.data_type, tensor.sizes.clone())
    } else {
        (DataType::U8, vec![memory_bytes(tensor)? as u64])
    })
}

/// An input as a .npy file. What lies between its elements is what it is in a dispatch onto outputs filled with
/// `poison`.
pub(super) fn as_npy(entry: &NamedTensor, data: &Data, poison: u8) -> Result<Vec<u8>, NotExported> {
    let (data_type, sizes) = array(&entry.tensor)?;
    Ok(if entry.tensor.is_packed() {
        npy::write(data_type, &sizes, &data.elements())
    } else {
        npy::write(data_type, &sizes, &laid_out(entry, data, poison)?.into_bytes())
    })
}

/// The memory of an input; what lies between its elements is what it is in a first dispatch.
fn memory(entry: &NamedTensor, data: &Data) -> Result<Vec<u8>, NotExported> {
    Ok(laid_out(entry, data, POISONS[0])?.into_bytes())
}

impl Exporter for Safetensors {
    fn made(&self, asked: &Asked<'_>) -> Result<Made, NotExported> {
        let mut made = Made::of(asked, Vec::new(), |_| INPUTS_FILE.to_owned());
        made.outputs.values_mut().for_each(|path| OUTPUTS_FILE.clone_into(path));
        let inputs = asked.inputs().map(|(entry, data)| Ok((entry, memory(entry, data)?)));
        let inputs: Vec<(&NamedTensor, Vec<u8>)> = inputs.collect::<Result<_, NotExported>>()?;
        if inputs.is_empty() {
            return Ok(made);
        }
        let named = inputs.iter().map(|(entry, memory)| (entry.name.as_str(), &entry.tensor, memory.as_slice()));
        let payload = Payload::new(named)?;
        made.files.push((INPUTS_FILE.to_owned(), payload.parts().flatten().copied().collect()));
        Ok(made)
    }

    fn shared(&self, folders: &[String]) -> Vec<ExportedFile> {
        Npy.shared(folders)
    }
}
