//! What can be chosen about the backend, and what it has to keep to.

use std::path::PathBuf;
use std::time::Duration;

/// What can be chosen about the backend. The default is right for every use but tests.
#[derive(Clone, Debug)]
pub struct Options {
    /// A part of the name of the device or of its driver, in any case; `None` takes the first discrete device, else
    /// the first integrated one, else the first of any other kind.
    pub device: Option<String>,
    /// The Vulkan loader's file, where the system's own is not wanted.
    pub loader: Option<PathBuf>,
    /// Whether the Khronos validation layer watches. A message of it fails the dispatch that brought it about.
    pub validation: bool,
    /// Whether host and device memory are kept apart even where one memory serves both.
    pub separate_memory: bool,
    /// Limits lower than the device's own, so that small tensors take the paths of large ones.
    pub limits: Lowered,
    /// How long a submission may take before it counts as hung.
    pub patience: Duration,
    /// SPIR-V to use in place of the shaders of these names.
    pub replaced: Vec<(String, Vec<u32>)>,
    /// An end of one submission that the driver does not really come to.
    pub rehearsed: Option<Rehearsal>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            device: None,
            loader: None,
            validation: false,
            separate_memory: false,
            limits: Lowered::default(),
            patience: Duration::from_secs(60),
            replaced: Vec::new(),
            rehearsed: None,
        }
    }
}

/// Limits to lower; what is `None` stays as the device has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lowered {
    /// The bytes of a buffer that a shader sees at a time (`maxStorageBufferRange`); at least 1024.
    pub binding_bytes: Option<u64>,
    /// The workgroups of a dispatch in one dimension (`maxComputeWorkGroupCount`).
    pub workgroups: Option<u32>,
    /// The bytes of one allocation (`maxMemoryAllocationSize`).
    pub allocation_bytes: Option<u64>,
    /// How many invocations share a row (the subgroup size); a power of two.
    pub subgroup: Option<u32>,
    /// Up to how many elements a tensor is small enough for one pass.
    pub direct_elements: Option<u64>,
}

/// An end of a submission that is hard to bring about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rehearsal {
    /// The number of the submission, from 0.
    pub submission: u64,
    /// What it ends in.
    pub end: RehearsedEnd,
}

/// What a rehearsed submission ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RehearsedEnd {
    /// The device is lost.
    DeviceLost,
    /// Memory runs out.
    OutOfMemory,
    /// The process dies.
    Crash,
}

/// What a program of passes has to keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The bytes of a buffer that a shader sees at a time; a multiple of [`crate::program::ALIGNMENT`].
    pub(crate) binding_bytes: u64,
    /// The workgroups of a dispatch in one dimension.
    pub(crate) workgroups: u32,
    /// The bytes of one allocation.
    pub(crate) allocation_bytes: u64,
    /// How many invocations share a row: as many as run together, so that they read neighbours; 1 where each of them
    /// has a cache of its own.
    pub(crate) row_lanes: u32,
    /// Up to how many elements a tensor is small enough for one pass.
    pub(crate) direct_elements: u64,
}
