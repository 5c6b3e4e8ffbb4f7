//! What a program implements to be certified by opcert.
//!
//! A [`Backend`] compiles a [`Descriptor`] into an [`Operator`], which is dispatched on buffers of bytes. It can be
//! handed to opcert in process, or put behind [`serve`] as a program of its own. Backends never judge themselves.
//!
//! Deliberately absent: expectations, case files, arrays. Tensors are bytes with a descriptor, and a backend walks
//! them itself: it shares no code with the side that judges it. With the feature `ndarray` the bytes are seen as arrays of
//! that crate too: `Input::view` and `Output::view_mut`.

mod attempt;
mod backend;
mod checksum;
mod contain;
mod data_type;
mod descriptor;
mod dispatch;
mod float32;
pub mod foreign;
mod guarded;
mod identity;
mod message;
pub mod operators;
mod payload;
pub mod protocol;
mod scalar;
mod serve;
#[cfg(feature = "ndarray")]
mod views;

pub use attempt::{Attempt, Attempted, broke};
pub use backend::{Backend, CompileError, Fault, Identity, Input, Operator, Output, Support};
pub use contain::contain;
pub use data_type::DataType;
pub use descriptor::{AttributeValue, Constant, Descriptor, NamedAttribute, NamedTensor, Role, TensorDescriptor};
pub use dispatch::{BoundInput, guarded_dispatch, guarded_memory, input_fill, memory_bytes};
pub use float32::Float32;
pub use foreign::ForeignText;
pub use guarded::{GUARD_BYTES, GuardedBuffer};
pub use scalar::Scalar;
pub use serve::{ServeError, serve};
#[cfg(feature = "ndarray")]
pub use views::{Element, ViewError};
