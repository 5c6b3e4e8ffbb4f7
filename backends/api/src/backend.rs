//! The two steps of every runtime: compile a descriptor, dispatch data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::identity::each_once;
use crate::{Attempt, Attempted, Descriptor, ForeignText, TensorDescriptor, contain};

/// Who a backend is and what it claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// A short name: `cpu`, `vulkan`.
    pub name: ForeignText,
    /// The version of the implementation.
    pub version: ForeignText,
    /// What it runs on, where there is a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<ForeignText>,
    /// The highest feature level claimed, per family with all of its operators (`directml` → `6_4`) or per operator
    /// (`directml/argmax` → `6_4`), and never both of one family. What is missing is not claimed, and does not run.
    #[serde(deserialize_with = "each_once")]
    pub claims: BTreeMap<String, String>,
    /// Whether strided tensors are claimed; otherwise packed ones only, and no other is sent.
    pub strided: bool,
    /// Whether the refusal of invalid descriptors is claimed; otherwise none is sent.
    pub refuses_invalid: bool,
}

impl Identity {
    /// The highest feature level claimed of an operator, which its id names: of itself, or of its family.
    ///
    /// ```
    /// # use opcert_backend::Identity;
    /// # let identity = |key: &str| Identity { name: "mine".into(), version: "1".into(), device: None,
    /// #     claims: [(key.to_owned(), "6_4".to_owned())].into(), strided: false, refuses_invalid: false };
    /// assert_eq!(identity("directml").claimed("directml/argmax"), Some("6_4"));
    /// assert_eq!(identity("directml/argmax").claimed("directml/argmax"), Some("6_4"));
    /// assert_eq!(identity("directml/argmax").claimed("directml/one_hot"), None);
    /// ```
    #[must_use]
    pub fn claimed(&self, operator: &str) -> Option<&str> {
        let of_family = || self.claims.get(operator.split_once('/')?.0);
        self.claims.get(operator).or_else(of_family).map(String::as_str)
    }
}

/// Name, version and device in one line: `cpu 0.1.0`, `vulkan 0.1.0 on llvmpipe`.
impl std::fmt::Display for Identity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}", self.name, self.version)?;
        self.device.as_ref().map_or(Ok(()), |device| write!(formatter, " on {device}"))
    }
}

/// A backend's answer to whether it can run a descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// It can.
    Yes,
    /// It cannot, for this reason.
    No(String),
    /// The question itself broke: a transport that failed, for instance. An implementation has no use for it.
    Broken(Fault),
}

/// Something went wrong that is neither a refusal nor a missing capability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// The backend reported an error of its own.
    #[error("{0}")]
    Failed(String),
    /// Memory ran out.
    #[error("out of memory: {0}")]
    OutOfMemory(String),
    /// The device was lost.
    #[error("device lost: {0}")]
    DeviceLost(String),
    /// The backend's code panicked, or its process died.
    #[error("crashed: {0}")]
    Crashed(String),
    /// No answer came within the limit.
    #[error("no answer: {0}")]
    Hung(String),
    /// The answer does not follow the protocol.
    #[error("protocol broken: {0}")]
    Protocol(String),
    /// Memory outside an output's binding, or an input, was written.
    #[error("wrote where it must not: {0}")]
    GuardViolated(String),
    /// An output comes out in other sizes than the descriptor says.
    #[error("`{tensor}` comes out with the sizes {sizes:?}")]
    OtherSizes {
        /// The output's name in the specification.
        tensor: String,
        /// The sizes that it has.
        sizes: Vec<u64>,
    },
}

impl Fault {
    /// The same in other words, where it has any.
    #[must_use]
    pub fn reworded(self, word: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Failed(text) => Self::Failed(word(text)),
            Self::OutOfMemory(text) => Self::OutOfMemory(word(text)),
            Self::DeviceLost(text) => Self::DeviceLost(word(text)),
            Self::Crashed(text) => Self::Crashed(word(text)),
            Self::Hung(text) => Self::Hung(word(text)),
            Self::Protocol(text) => Self::Protocol(word(text)),
            Self::GuardViolated(text) => Self::GuardViolated(word(text)),
            Self::OtherSizes { .. } => self,
        }
    }
}

/// Why a descriptor did not compile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CompileError {
    /// The descriptor is invalid.
    #[error("rejected: {reason}")]
    Rejected {
        /// The id of the broken requirement (`directml/one_hot/axis-in-range`), where the backend can name it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        requirement: Option<String>,
        /// The values that break it, in words.
        reason: String,
    },
    /// The descriptor is valid as far as the backend knows, and it cannot do it.
    #[error("unsupported: {reason}")]
    Unsupported {
        /// What is missing.
        reason: String,
    },
    /// Compilation broke.
    #[error(transparent)]
    Fault(Fault),
}

/// The memory of an input during a dispatch.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The tensor's name in the specification.
    pub name: &'a str,
    /// Its shape, type and layout.
    pub tensor: &'a TensorDescriptor,
    /// Its memory, at least [`TensorDescriptor::span_bytes`] long.
    pub bytes: &'a [u8],
}

/// The memory of an output during a dispatch.
#[derive(Debug)]
pub struct Output<'a> {
    /// The tensor's name in the specification.
    pub name: &'a str,
    /// Its shape, type and layout.
    pub tensor: &'a TensorDescriptor,
    /// Its memory, at least [`TensorDescriptor::span_bytes`] long. Its contents before the dispatch mean nothing.
    pub bytes: &'a mut [u8],
    /// The byte that the memory was filled with. Only a transport that carries a dispatch elsewhere needs it, to fill
    /// the memory there alike.
    pub poison: u8,
}

/// A compiled operator.
pub trait Operator: Send {
    /// Runs once. Inputs and outputs come in the descriptor's order, constant inputs included.
    ///
    /// # Errors
    ///
    /// A [`Fault`] when the outputs could not be computed.
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault>;
}

/// An implementation of operators.
pub trait Backend: Send + Sync {
    /// Who this is and what it claims. The same at every call.
    fn identity(&self) -> Identity;

    /// The ids of the operators that it has code for, where it keeps a list of them. Each has to be specified and
    /// claimed, and what is claimed has to be among them; otherwise nothing is run, and it is said why. Without a list,
    /// [`Backend::supports`] alone tells what is there.
    fn operators(&self) -> Option<Vec<String>> {
        None
    }

    /// Whether the backend can run a descriptor. Asked before anything is compiled, about invalid descriptors too
    /// where refusing them is claimed; a *no* is reported as unsupported, and then neither is asked for.
    fn supports(&self, descriptor: &Descriptor) -> Support;

    /// Checks and prepares a descriptor. Invalid descriptors reach this function and nothing after it.
    ///
    /// # Errors
    ///
    /// [`CompileError::Rejected`] for an invalid descriptor, [`CompileError::Unsupported`] for a capability that is
    /// missing, [`CompileError::Fault`] when compilation broke.
    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError>;

    /// Asks [`Backend::supports`] of each descriptor. Only a transport has reason to do so in another way: all at once.
    fn supports_each(&self, descriptors: &[Descriptor]) -> Vec<Support> {
        let ask = |descriptor| contain(|| self.supports(descriptor)).unwrap_or_else(Support::Broken);
        descriptors.iter().map(ask).collect()
    }

    /// Makes attempts one after the other, up to the first one that breaks at a dispatch. Only a transport has
    /// reason to do so in another way: all at once.
    fn attempt_each(&self, attempts: &[Attempt<'_>]) -> Vec<Attempted> {
        let mut attempted = Vec::with_capacity(attempts.len());
        for attempt in attempts {
            let made = attempt.make(self);
            let is_broken = attempt.is_broken(&made);
            attempted.push(made);
            if is_broken {
                break;
            }
        }
        attempted
    }
}
