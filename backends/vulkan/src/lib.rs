//! The Vulkan backend of opcert: one-hot, nonzero coordinates, argmax, argmin and the extremes themselves, elements that are
//! moved, and what is worked out element by element, as compute shaders.
//!
//! Compiling checks a descriptor against every requirement that can be read off it ([`opcert_refusals`]). Dispatching
//! makes a program of it: regions of memory and passes of shaders over them, which is data (`program`). The device
//! (`device`) lays the regions out, records the passes and waits for them in one submission. Everything `unsafe` is in
//! there.
//!
//! | operator | program | source document |
//! |---|---|---|
//! | `directml/one_hot` | `one_hot` | `000_257a17ba323924f1.txt`, `004_2f0448eeeaeae8b3.txt` |
//! | `directml/nonzero_coordinates` | `nonzero_coordinates` | `001_3a78d9feca2f1488.txt` |
//! | `directml/argmax` | `argmax` | `003_b0ebd827180f1e7d.txt` |
//! | `directml/argmin` | `argmax` | the page of DML_ARGMIN_OPERATOR_DESC |
//! | `directml/reduce_argmax`, `reduce_argmin`, `reduce_max`, `reduce_min` | `argmax` | the page of DML_REDUCE_OPERATOR_DESC |
//! | `directml/gather`, `gather_elements`, `gather_nd1` | `gather` | the pages of DML_GATHER_OPERATOR_DESC, DML_GATHER_ELEMENTS_OPERATOR_DESC and DML_GATHER_ND1_OPERATOR_DESC |
//! | `directml/scatter_elements` | `scatter` | the page of DML_SCATTER_OPERATOR_DESC |
//! | `directml/scatter_nd` | `scatter` | the page of DML_SCATTER_ND_OPERATOR_DESC |
//! | `directml/reverse_subsequences` | `reverse` | the page of DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC |
//! | `directml/tile` | `tile` | the page of DML_TILE_OPERATOR_DESC |
//! | `directml/slice1` | `slice` | the page of DML_SLICE1_OPERATOR_DESC |
//! | `directml/padding`, `padding1` | `padding` | the pages of DML_PADDING_OPERATOR_DESC and DML_PADDING1_OPERATOR_DESC |
//! | `directml/diagonal_matrix1` | `diagonal` | the page of DML_DIAGONAL_MATRIX1_OPERATOR_DESC |
//! | `directml/depth_to_space1`, `space_to_depth1` | `depth_space` | the pages of DML_DEPTH_TO_SPACE1_OPERATOR_DESC and DML_SPACE_TO_DEPTH1_OPERATOR_DESC |
//! | `directml/bit_…`, `element_wise_…`, `is_…`, `logical_…` | `elementwise` | the pages of DML_ELEMENT_WISE_…_OPERATOR_DESC |
//! | `directml/fill_value_constant` | `elementwise` | the page of DML_FILL_VALUE_CONSTANT_OPERATOR_DESC |
//! | `onnx/arg_max`, `onnx/arg_min` | `argmax` | onnx/defs/reduction/defs.cc and old.cc |
//! | `onnx/non_zero` | `non_zero` | onnx/defs/tensor/defs.cc and old.cc |
//! | `onnx/one_hot` | `one_hot` | onnx/defs/tensor/defs.cc and old.cc |
//! | `openvino/non_zero_3` | `non_zero` | the page of NonZero-3 |
//! | `openvino/one_hot_1`, `openvino/one_hot_16` | `one_hot` | `002_be2dbc40a5d5f474.txt`, the page of OneHot-16 |
//! | `tosa/argmax` | `argmax` | TOSA 1.0.1: chapters/tensor_ops.adoc, tosa.xml, pseudocode/operators/ARGMAX.tosac |
//! | `webnn/arg_max`, `webnn/arg_min` | `argmax` | Web Neural Network API, argMin/argMax operations |
//!
//! Both programs that look for what is not zero take the search from `listing`.
//!
//! Shaders work on words of 32 bits and on bit patterns, and use nothing that a device may lack: no 8-, 16- or 64-bit
//! types, no comparison of floats, no subgroup operations, no memory shared within a workgroup. One-hot, nonzero and argmax of
//! a small tensor of any layout are one pass. All else is brought into packed words first where it is not (`relayout`), and what
//! is larger than a binding may be is done window by window.

mod argmax;
mod binding;
mod depth_space;
mod device;
mod diagonal;
mod elementwise;
mod gather;
mod index;
mod kernel;
mod key;
mod layout;
mod listing;
mod non_zero;
mod nonzero_coordinates;
mod one_hot;
mod options;
mod padding;
mod picking;
mod program;
mod relayout;
mod reverse;
mod scatter;
mod shader;
mod slice;
mod tile;
mod yardstick;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opcert_backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support};

use argmax::ArgMaxKernel;
use depth_space::DepthSpaceKernel;
use device::{Device, Facts, Instance};
use diagonal::DiagonalKernel;
use elementwise::ElementwiseKernel;
use gather::GatherKernel;
use kernel::Kernel;
use non_zero::NonZeroKernel;
use nonzero_coordinates::NonzeroCoordinatesKernel;
use one_hot::OneHotKernel;
use padding::PaddingKernel;
use reverse::ReverseKernel;
use scatter::ScatterKernel;
use slice::SliceKernel;
use tile::TileKernel;

pub use options::{Lowered, Options, Rehearsal, RehearsedEnd};
pub use yardstick::Yardstick;

type Compile = fn(&Descriptor) -> Result<Box<dyn Kernel>, CompileError>;

/// The operators on offer with what compiles them.
const OPERATORS: [(&str, Compile); 55] = [
    ("directml/one_hot", |descriptor| {
        let (view, axis) = opcert_refusals::one_hot(descriptor)?;
        Ok(Box::new(OneHotKernel::directml(&view, axis)))
    }),
    ("directml/nonzero_coordinates", |descriptor| {
        let view = opcert_refusals::nonzero_coordinates(descriptor)?;
        Ok(Box::new(NonzeroCoordinatesKernel::new(&view)))
    }),
    ("directml/argmax", search),
    ("directml/argmin", search),
    ("directml/reduce_argmax", search),
    ("directml/reduce_argmin", search),
    ("directml/reduce_max", search),
    ("directml/reduce_min", search),
    ("directml/gather", |descriptor| Ok(Box::new(GatherKernel::new(&opcert_refusals::gather(descriptor)?)))),
    ("directml/gather_elements", |descriptor| {
        Ok(Box::new(GatherKernel::new(&opcert_refusals::gather_elements(descriptor)?)))
    }),
    ("directml/gather_nd1", |descriptor| Ok(Box::new(GatherKernel::new(&opcert_refusals::gather_nd1(descriptor)?)))),
    ("directml/scatter_elements", |descriptor| {
        Ok(Box::new(ScatterKernel::new(&opcert_refusals::scatter_elements(descriptor)?)))
    }),
    ("directml/scatter_nd", |descriptor| Ok(Box::new(ScatterKernel::new(&opcert_refusals::scatter_nd(descriptor)?)))),
    ("directml/reverse_subsequences", |descriptor| {
        let (view, axis) = opcert_refusals::reverse_subsequences(descriptor)?;
        Ok(Box::new(ReverseKernel::new(&view, axis)))
    }),
    ("directml/tile", |descriptor| Ok(Box::new(TileKernel::new(&opcert_refusals::tile(descriptor)?)))),
    ("directml/slice1", |descriptor| Ok(Box::new(SliceKernel::new(&opcert_refusals::slice1(descriptor)?)))),
    ("directml/padding", |descriptor| Ok(Box::new(PaddingKernel::new(&opcert_refusals::padding(descriptor)?)))),
    ("directml/padding1", |descriptor| Ok(Box::new(PaddingKernel::new(&opcert_refusals::padding1(descriptor)?)))),
    ("directml/diagonal_matrix1", |descriptor| {
        Ok(Box::new(DiagonalKernel::new(&opcert_refusals::diagonal_matrix1(descriptor)?)))
    }),
    ("directml/depth_to_space1", depth_space),
    ("directml/space_to_depth1", depth_space),
    ("directml/bit_and", elementwise),
    ("directml/bit_count", elementwise),
    ("directml/bit_not", elementwise),
    ("directml/bit_or", elementwise),
    ("directml/bit_shift_left", elementwise),
    ("directml/bit_shift_right", elementwise),
    ("directml/bit_xor", elementwise),
    ("directml/element_wise_clip", elementwise),
    ("directml/element_wise_clip1", elementwise),
    ("directml/element_wise_if", elementwise),
    ("directml/element_wise_max", elementwise),
    ("directml/element_wise_min", elementwise),
    ("directml/fill_value_constant", elementwise),
    ("directml/is_infinity", elementwise),
    ("directml/is_nan", elementwise),
    ("directml/logical_and", elementwise),
    ("directml/logical_equals", elementwise),
    ("directml/logical_greater_than", elementwise),
    ("directml/logical_greater_than_or_equal", elementwise),
    ("directml/logical_less_than", elementwise),
    ("directml/logical_less_than_or_equal", elementwise),
    ("directml/logical_not", elementwise),
    ("directml/logical_or", elementwise),
    ("directml/logical_xor", elementwise),
    ("onnx/arg_max", search),
    ("onnx/arg_min", search),
    ("onnx/non_zero", non_zero),
    ("onnx/one_hot", |descriptor| Ok(Box::new(OneHotKernel::onnx(&opcert_refusals::onnx_one_hot(descriptor)?)))),
    ("tosa/argmax", search),
    ("webnn/arg_max", search),
    ("webnn/arg_min", search),
    ("openvino/non_zero_3", non_zero),
    ("openvino/one_hot_1", openvino_one_hot),
    ("openvino/one_hot_16", openvino_one_hot),
];

fn openvino_one_hot(descriptor: &Descriptor) -> Result<Box<dyn Kernel>, CompileError> {
    let (view, axis) = opcert_refusals::openvino_one_hot(descriptor)?;
    Ok(Box::new(OneHotKernel::openvino(&view, axis)))
}

fn non_zero(descriptor: &Descriptor) -> Result<Box<dyn Kernel>, CompileError> {
    Ok(Box::new(NonZeroKernel::new(&opcert_refusals::non_zero(descriptor)?)))
}

fn depth_space(descriptor: &Descriptor) -> Result<Box<dyn Kernel>, CompileError> {
    Ok(Box::new(DepthSpaceKernel::new(&opcert_refusals::depth_space(descriptor)?)))
}

fn elementwise(descriptor: &Descriptor) -> Result<Box<dyn Kernel>, CompileError> {
    Ok(Box::new(ElementwiseKernel::new(&opcert_refusals::elementwise(descriptor)?)))
}

fn search(descriptor: &Descriptor) -> Result<Box<dyn Kernel>, CompileError> {
    Ok(Box::new(ArgMaxKernel::new(opcert_refusals::reduction(descriptor)?)))
}

/// There is no device to run on, or not the one that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    reason: String,
}

impl std::fmt::Display for Unavailable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for Unavailable {}

/// Runs the bundled operators on a Vulkan device, with any strides.
///
/// Claims DirectML at every feature level up to 6_4, ONNX's operator sets up to 13,
/// OpenVINO's OneHot-1, OneHot-16 and NonZero-3, TOSA 1.0's ARGMAX, and WebNN's argMin and argMax. Every invalid
/// descriptor is refused with the full id of the requirement that it breaks. Where there is no Vulkan, it supports nothing
/// and says why.
///
/// ```
/// use opcert_backend::Backend;
///
/// let backend = opcert_vulkan::VulkanBackend::new();
/// assert_eq!(backend.identity().name, "vulkan");
/// ```
pub struct VulkanBackend {
    /// Why nothing can be run, if so.
    unavailable: Option<String>,
    device_name: Option<String>,
    shared: Arc<Mutex<Shared>>,
}

/// The device with what is needed to open it again.
struct Shared {
    options: Options,
    /// `None` after it was lost, until it is needed.
    device: Option<Box<Device>>,
    /// The device that the backend says that it is. No other one answers for it.
    chosen: Option<Facts>,
}

impl Shared {
    /// The device, opened anew if it was lost.
    fn device(&mut self) -> Result<&mut Device, Fault> {
        let device = match self.device.take() {
            Some(device) => device,
            None => {
                let opened = Device::open(&self.options, self.chosen.as_ref());
                Box::new(
                    opened.map_err(|reason| Fault::DeviceLost(format!("and it cannot be opened again: {reason}")))?,
                )
            }
        };
        Ok(self.device.insert(device))
    }
}

impl VulkanBackend {
    /// The backend on the first discrete device, else on the first integrated one, else on the first of any other
    /// kind. Without a device it supports nothing, for a reason.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Options::default()).unwrap_or_else(|Unavailable { reason }| Self {
            unavailable: Some(reason),
            device_name: None,
            shared: Arc::new(Mutex::new(Shared { options: Options::default(), device: None, chosen: None })),
        })
    }

    /// The backend with other options than usual.
    ///
    /// # Errors
    ///
    /// When there is no such device, or it cannot be opened.
    pub fn with(options: Options) -> Result<Self, Unavailable> {
        let device = Device::open(&options, None).map_err(|reason| Unavailable { reason })?;
        // What follows in brackets is about the machine.
        let name = device.facts().name.split(" (").next().map(str::to_owned);
        let chosen = Some(device.facts().clone());
        let shared = Shared { options, device: Some(Box::new(device)), chosen };
        Ok(Self { unavailable: None, device_name: name, shared: Arc::new(Mutex::new(shared)) })
    }

    /// Does work of known size on the device, and says how long its submission took.
    ///
    /// # Errors
    ///
    /// When there is no device, or it fails.
    pub fn measure(&self, yardstick: Yardstick) -> Result<Duration, Fault> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        yardstick.measure(shared.device()?)
    }

    /// How long the submission of the last dispatch took, from handing it over to its end: without copying tensors to
    /// and fro. Zero without a device.
    #[must_use]
    pub fn last_submission(&self) -> Duration {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.device.as_ref().map_or(Duration::ZERO, |device| device.submitted())
    }

    /// A description of each device, the preferred one first, in several lines: name and kind, driver and version,
    /// limits.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn devices() -> Result<Vec<String>, Unavailable> {
        let devices = Instance::open(&Options::default()).and_then(|instance| instance.devices());
        let devices = devices.map_err(|reason| Unavailable { reason })?;
        if devices.is_empty() {
            return Err(Unavailable { reason: "no Vulkan device".to_owned() });
        }
        Ok(devices.iter().map(|device| device.facts.describe().join("\n")).collect())
    }
}

impl Default for VulkanBackend {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for VulkanBackend {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.unavailable.as_ref().or(self.device_name.as_ref());
        formatter.debug_tuple("VulkanBackend").field(&state).finish()
    }
}

/// The highest level of each family: of all its operators, and of DirectML, which has others, of those that there are.
fn claims() -> BTreeMap<String, String> {
    let of_directml = OPERATORS.iter().map(|(id, _)| *id).filter(|id| id.starts_with("directml/"));
    let of_families = [("onnx", "13"), ("openvino", "1"), ("tosa", "1.0"), ("webnn", "1")];
    let claims = of_directml.map(|id| (id, "6_4")).chain(of_families);
    claims.map(|(name, level)| (name.to_owned(), level.to_owned())).collect()
}

impl Backend for VulkanBackend {
    fn identity(&self) -> Identity {
        Identity {
            name: "vulkan".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            device: self.device_name.clone().map(Into::into),
            claims: claims(),
            strided: true,
            refuses_invalid: true,
        }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        match (&self.unavailable, find(&descriptor.operator)) {
            (Some(reason), _) => Support::No(reason.clone()),
            (None, Some(_)) => Support::Yes,
            (None, None) => Support::No(not_implemented(&descriptor.operator)),
        }
    }

    fn operators(&self) -> Option<Vec<String>> {
        Some(OPERATORS.iter().map(|(name, _)| (*name).to_owned()).collect())
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        if let Some(reason) = &self.unavailable {
            return Err(CompileError::Unsupported { reason: reason.clone() });
        }
        let compile = find(&descriptor.operator)
            .ok_or_else(|| CompileError::Unsupported { reason: not_implemented(&descriptor.operator) })?;
        Ok(Box::new(VulkanOperator { kernel: compile(descriptor)?, shared: Arc::clone(&self.shared) }))
    }
}

fn find(operator: &str) -> Option<Compile> {
    OPERATORS.iter().find(|(name, _)| *name == operator).map(|(_, compile)| *compile)
}

fn not_implemented(operator: &str) -> String {
    format!("the operator `{operator}` is not implemented")
}

/// A compiled operator.
struct VulkanOperator {
    kernel: Box<dyn Kernel>,
    shared: Arc<Mutex<Shared>>,
}

impl Operator for VulkanOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let result = self.kernel.run(shared.device()?, inputs, outputs);
        let is_abandoned = shared.device.as_ref().is_some_and(|device| device.is_abandoned());
        if is_abandoned || matches!(result, Err(Fault::DeviceLost(_))) {
            // It is opened anew when it is needed. What was rehearsed has happened.
            shared.device = None;
            shared.options.rehearsed = None;
        }
        result
    }
}
