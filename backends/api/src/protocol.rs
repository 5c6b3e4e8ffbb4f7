//! The protocol between opcert and a backend that runs as a program of its own, version 1.
//!
//! Both directions carry messages over the program's standard input and output: one line of JSON, and, where the line
//! says `"payload": N`, N bytes in the safetensors format behind it. A packed tensor travels with its own type and
//! shape; a strided one as the raw bytes of its memory (type `U8`, one dimension). Each request but `stop` gets
//! exactly one response, in order, with the request's `id`. Several requests may be sent before the first is answered.

use std::io::{self, BufRead, Read};

use serde::{Serialize, de::DeserializeOwned};

pub use crate::payload::{LONGEST_HEAD, NamedBytes, NamedPlace, Payload, read_payload};
use crate::{CompileError, Descriptor, Fault, Identity, Support};

/// The version of the protocol that this crate speaks.
pub const PROTOCOL_VERSION: u32 = 1;

/// Few lines are longer than this.
const USUAL_LINE: usize = 1024;

/// A message's JSON line is at most this long, in bytes.
pub const LONGEST_LINE: u64 = 64 << 20;

/// What a backend says of a refusal or a fault is kept up to this many bytes: reasons of a whole run then fit into a log.
pub const LONGEST_TEXT: usize = 1 << 13;

/// No output comes out with more dimensions than this.
const MOST_SIZES: usize = 1 << 8;

/// What opcert asks. Descriptors may be borrowed where it is only written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Request"))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request<D = Descriptor> {
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
        descriptor: D,
    },
    /// Check and prepare this.
    Compile {
        /// Repeated in the response.
        id: u64,
        /// What is to be compiled; it may be invalid.
        descriptor: D,
    },
    /// Compile this, if need be, and dispatch it on the inputs in the payload.
    Run {
        /// Repeated in the response.
        id: u64,
        /// What is to be run.
        descriptor: D,
        /// The byte that the outputs are to be filled with beforehand.
        poison: u8,
        /// The length of the payload in bytes: the inputs.
        payload: u64,
    },
    /// The last message; the program ends.
    Stop,
}

/// What the backend answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        /// The ids of the operators that it has code for, where it keeps a list of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        operators: Option<Vec<String>>,
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

impl Response {
    /// The same with bounded texts: what is longer than [`LONGEST_TEXT`] is cut, and says how much is gone.
    #[must_use]
    pub fn shortened(self) -> Self {
        match self {
            Self::Supports { id, support } => {
                let support = match support {
                    Support::Yes => Support::Yes,
                    Support::No(reason) => Support::No(shortened(reason)),
                    Support::Broken(fault) => Support::Broken(fault.shortened()),
                };
                Self::Supports { id, support }
            }
            Self::Refused { id, error } => Self::Refused { id, error: error.shortened() },
            Self::Fault { id, fault } => Self::Fault { id, fault: fault.shortened() },
            Self::Started { .. } | Self::Compiled { .. } | Self::Ran { .. } => self,
        }
    }

    /// The fault that it tells of, if it tells of one.
    #[must_use]
    pub const fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Supports { support: Support::Broken(fault), .. }
            | Self::Refused { error: CompileError::Fault(fault), .. }
            | Self::Fault { fault, .. } => Some(fault),
            _ => None,
        }
    }
}

impl CompileError {
    /// The same with bounded texts, as [`Response::shortened`].
    #[must_use]
    pub fn shortened(self) -> Self {
        match self {
            Self::Rejected { requirement, reason } => {
                Self::Rejected { requirement: requirement.map(shortened), reason: shortened(reason) }
            }
            Self::Unsupported { reason } => Self::Unsupported { reason: shortened(reason) },
            Self::Fault(fault) => Self::Fault(fault.shortened()),
        }
    }
}

impl Fault {
    /// The same with bounded texts, as [`Response::shortened`]. Sizes are not cut: without the rest of them they would be others.
    #[must_use]
    pub fn shortened(self) -> Self {
        match self {
            Self::OtherSizes { tensor, sizes } if tensor.len() > LONGEST_TEXT || sizes.len() > MOST_SIZES => {
                let (tensor, count) = (shortened(tensor), sizes.len());
                Self::Protocol(format!("`{tensor}` comes out with {count} sizes, expected at most {MOST_SIZES}"))
            }
            fault => fault.reworded(shortened),
        }
    }
}

/// The first [`LONGEST_TEXT`] bytes of a text, whole characters of it, and how many more there were.
fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        let kept = (0..=LONGEST_TEXT).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
        let gone = text.len() - kept;
        text.truncate(kept);
        text.push_str(&format!(" … and {gone} more bytes, which are not kept"));
        text.shrink_to_fit();
    }
    text
}

/// Any message: what the schema of the protocol describes.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
pub enum Message {
    /// To the backend.
    Request(Request),
    /// From the backend.
    Response(Response),
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

/// The JSON line of a message.
///
/// # Errors
///
/// Never for the messages of this protocol.
pub fn line<M: Serialize>(message: &M) -> serde_json::Result<Vec<u8>> {
    let mut line = Vec::with_capacity(USUAL_LINE);
    serde_json::to_writer(&mut line, message)?;
    line.push(b'\n');
    Ok(line)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters_and_sizes_are_not_cut() {
        let long = "ä".repeat(LONGEST_TEXT);
        let refused = CompileError::Rejected { requirement: Some(format!("x{long}")), reason: long.clone() };
        let CompileError::Rejected { requirement: Some(requirement), reason } = refused.shortened() else { panic!() };
        let gone =
            |kept: usize, bytes: usize| format!("{} … and {bytes} more bytes, which are not kept", "ä".repeat(kept));
        assert_eq!(reason, gone(LONGEST_TEXT / 2, LONGEST_TEXT));
        assert_eq!(requirement, format!("x{}", gone(LONGEST_TEXT / 2 - 1, LONGEST_TEXT + 2)));
        let fits = "a".repeat(LONGEST_TEXT);
        assert_eq!(Fault::Failed(fits.clone()).shortened(), Fault::Failed(fits));
        let sizes = |count: usize| Fault::OtherSizes { tensor: "Y".to_owned(), sizes: vec![1; count] };
        assert_eq!(sizes(MOST_SIZES).shortened(), sizes(MOST_SIZES));
        let said = "`Y` comes out with 257 sizes, expected at most 256";
        assert_eq!(sizes(MOST_SIZES + 1).shortened(), Fault::Protocol(said.to_owned()));
    }
}
