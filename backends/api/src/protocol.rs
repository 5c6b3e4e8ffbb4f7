//! The protocol between opcert and a backend that runs as a program of its own, version 1.
//!
//! Both directions carry messages over the program's standard input and output: one line of JSON, and, where the line
//! says `"payload": N`, N bytes in the safetensors format behind it. A packed tensor travels with its own type and
//! shape; a strided one as the raw bytes of its memory (type `U8`, one dimension). Each request but `stop` gets
//! exactly one response, in order, with the request's `id`.

use std::io::{self, BufRead, Read, Write};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{CompileError, DataType, Descriptor, Fault, Identity, Support, TensorDescriptor};

/// The version of the protocol that this crate speaks.
pub const PROTOCOL_VERSION: u32 = 1;

/// A message's JSON line is at most this long, in bytes.
pub const LONGEST_LINE: u64 = 64 << 20;

/// What opcert asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The first message.
    Start {
        /// The protocol's version.
        protocol: u32,
    },
    /// Can you run this?
    Supports {
        /// Repeated in the response.
        id: u64,
        /// What would be run.
        descriptor: Descriptor,
    },
    /// Check and prepare this.
    Compile {
        /// Repeated in the response.
        id: u64,
        /// What is to be compiled; it may be invalid.
        descriptor: Descriptor,
    },
    /// Compile this, if need be, and dispatch it on the inputs in the payload.
    Run {
        /// Repeated in the response.
        id: u64,
        /// What is to be run.
        descriptor: Descriptor,
        /// The byte that the outputs are to be filled with beforehand.
        poison: u8,
        /// The length of the payload in bytes: the inputs.
        payload: u64,
    },
    /// The last message; the program ends.
    Stop,
}

/// What the backend answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Response {
    /// To `start`.
    Started {
        /// The protocol's version.
        protocol: u32,
        /// Who answers.
        identity: Identity,
        /// Whether the outputs lie between guard zones, whose state is reported as a fault.
        guards: bool,
    },
    /// To `supports`.
    Supports {
        /// The request's.
        id: u64,
        /// The answer.
        support: Support,
    },
    /// To `compile`: it compiled.
    Compiled {
        /// The request's.
        id: u64,
    },
    /// To `run`: the outputs are in the payload.
    Ran {
        /// The request's.
        id: u64,
        /// The length of the payload in bytes: the outputs.
        payload: u64,
    },
    /// To `compile` or `run`: it did not compile.
    Refused {
        /// The request's.
        id: u64,
        /// Why.
        error: CompileError,
    },
    /// To `run`: the dispatch broke.
    Fault {
        /// The request's.
        id: u64,
        /// How.
        fault: Fault,
    },
}

/// Why a message could not be read.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// The stream ended where a message should begin.
    #[error("the stream ended")]
    Ended,
    /// The stream broke.
    #[error("the stream broke: {0}")]
    Stream(#[from] io::Error),
    /// The line is no message.
    #[error("`{line}` is no message: {reason}")]
    Malformed {
        /// The line, shortened.
        line: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The payload is no safetensors file, or not the one that was promised.
    #[error("the payload is malformed: {0}")]
    Payload(String),
}

/// Writes a message, with its payload if it has one, and flushes.
///
/// # Errors
///
/// When the stream breaks.
pub fn write_message<M: Serialize>(stream: &mut impl Write, message: &M, payload: &[u8]) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    stream.write_all(payload)?;
    stream.flush()
}

/// Reads the JSON line of a message.
///
/// # Errors
///
/// When the stream ends or breaks, or the line is no message.
pub fn read_message<M: DeserializeOwned>(stream: &mut impl BufRead) -> Result<M, MessageError> {
    let mut line = Vec::new();
    stream.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Err(MessageError::Ended);
    }
    let malformed = |reason: String| MessageError::Malformed {
        line: String::from_utf8_lossy(&line).trim_end().chars().take(120).collect(),
        reason,
    };
    if line.last() != Some(&b'\n') {
        return Err(malformed("the line does not end".to_owned()));
    }
    serde_json::from_slice(&line).map_err(|error| malformed(error.to_string()))
}

/// Reads the `length` bytes of a payload.
///
/// # Errors
///
/// When the stream ends before them or breaks.
pub fn read_payload(stream: &mut impl Read, length: u64) -> Result<Vec<u8>, MessageError> {
    let mut payload = Vec::new();
    stream.take(length).read_to_end(&mut payload)?;
    if payload.len() as u64 == length {
        Ok(payload)
    } else {
        Err(MessageError::Payload(format!("{} bytes of {length} arrived", payload.len())))
    }
}

/// Packs tensors into a payload.
///
/// # Errors
///
/// When a tensor's memory is shorter than its descriptor says.
pub fn encode_payload<'a>(
    tensors: impl IntoIterator<Item = (&'a str, &'a TensorDescriptor, &'a [u8])>,
) -> Result<Vec<u8>, MessageError> {
    let views = tensors
        .into_iter()
        .map(|(name, tensor, bytes)| Ok((name, view(name, tensor, bytes)?)))
        .collect::<Result<Vec<_>, MessageError>>()?;
    safetensors::serialize(views, None).map_err(|error| MessageError::Payload(error.to_string()))
}

fn view<'a>(name: &str, tensor: &TensorDescriptor, bytes: &'a [u8]) -> Result<TensorView<'a>, MessageError> {
    let (dtype, shape, bytes) = travelling_form(name, tensor, bytes)?;
    TensorView::new(dtype, shape, bytes).map_err(|error| MessageError::Payload(format!("`{name}`: {error}")))
}

fn travelling_form<'a>(
    name: &str,
    tensor: &TensorDescriptor,
    bytes: &'a [u8],
) -> Result<(Dtype, Vec<usize>, &'a [u8]), MessageError> {
    if !tensor.is_packed() {
        return Ok((Dtype::U8, vec![bytes.len()], bytes));
    }
    let span = tensor.span_bytes().and_then(|span| bytes.get(..usize::try_from(span).ok()?));
    let span = span.ok_or_else(|| MessageError::Payload(format!("`{name}` has {} bytes: too few", bytes.len())))?;
    let shape = tensor.sizes.iter().map(|&size| size as usize).collect();
    Ok((dtype(tensor.data_type), shape, span))
}

/// Copies the tensors of a payload into memory.
///
/// # Errors
///
/// When the payload is no safetensors file, or a tensor is missing, of another type, another shape or another length.
pub fn decode_payload<'a>(
    payload: &[u8],
    tensors: impl IntoIterator<Item = (&'a str, &'a TensorDescriptor, &'a mut [u8])>,
) -> Result<(), MessageError> {
    let file = SafeTensors::deserialize(payload).map_err(|error| MessageError::Payload(error.to_string()))?;
    for (name, tensor, bytes) in tensors {
        let found = file.tensor(name).map_err(|_| MessageError::Payload(format!("`{name}` is missing")))?;
        let (dtype, shape, expected) = travelling_form(name, tensor, bytes)?;
        if found.dtype() != dtype || found.shape() != shape {
            return Err(MessageError::Payload(format!(
                "`{name}` is {:?}{:?}, expected {dtype:?}{shape:?}",
                found.dtype(),
                found.shape()
            )));
        }
        let length = expected.len();
        bytes[..length].copy_from_slice(found.data());
    }
    Ok(())
}

const fn dtype(data_type: DataType) -> Dtype {
    match data_type {
        DataType::F64 => Dtype::F64,
        DataType::F32 => Dtype::F32,
        DataType::F16 => Dtype::F16,
        DataType::BF16 => Dtype::BF16,
        DataType::I64 => Dtype::I64,
        DataType::I32 => Dtype::I32,
        DataType::I16 => Dtype::I16,
        DataType::I8 => Dtype::I8,
        DataType::U64 => Dtype::U64,
        DataType::U32 => Dtype::U32,
        DataType::U16 => Dtype::U16,
        DataType::U8 => Dtype::U8,
        DataType::Bool => Dtype::BOOL,
    }
}
