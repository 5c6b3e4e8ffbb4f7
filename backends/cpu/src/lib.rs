//! The CPU backend of opcert: one-hot, nonzero coordinates, argmax, the extremes themselves, elements that are moved, running sums, and
//! what is worked out element by element, on plain memory.
//!
//! Compiling checks a descriptor against every requirement that can be read off it ([`opcert_refusals`]) and yields an
//! operator that knows its sizes, strides and types; dispatching walks the bytes. The rules and the kernels are derived
//! from the source documents alone and share nothing with the code that judges them.
//!
//! | operator | module | source document |
//! |---|---|---|
//! | `directml/one_hot` | `one_hot` | `000_257a17ba323924f1.txt`, `004_2f0448eeeaeae8b3.txt` |
//! | `directml/nonzero_coordinates` | `nonzero_coordinates` | `001_3a78d9feca2f1488.txt` |
//! | `directml/argmax` | `argmax` | `003_b0ebd827180f1e7d.txt` |
//! | `directml/argmin` | `argmax` | the page of DML_ARGMIN_OPERATOR_DESC |
//! | `directml/reduce_argmax`, `reduce_argmin`, `reduce_max`, `reduce_min` | `argmax` | the page of DML_REDUCE_OPERATOR_DESC |
//! | `directml/gather` | `gather` | the page of DML_GATHER_OPERATOR_DESC |
//! | `directml/gather_elements` | `gather` | the page of DML_GATHER_ELEMENTS_OPERATOR_DESC |
//! | `directml/gather_nd1` | `gather` | the page of DML_GATHER_ND1_OPERATOR_DESC |
//! | `directml/scatter_elements` | `scatter` | the page of DML_SCATTER_OPERATOR_DESC |
//! | `directml/scatter_nd` | `scatter` | the page of DML_SCATTER_ND_OPERATOR_DESC |
//! | `directml/top_k1` | `top_k` | the page of DML_TOP_K1_OPERATOR_DESC |
//! | `directml/reverse_subsequences` | `reverse` | the page of DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC |
//! | `directml/tile` | `tile` | the page of DML_TILE_OPERATOR_DESC |
//! | `directml/slice1` | `index_map` | the page of DML_SLICE1_OPERATOR_DESC |
//! | `directml/padding`, `padding1` | `index_map` | the pages of DML_PADDING_OPERATOR_DESC and DML_PADDING1_OPERATOR_DESC |
//! | `directml/cumulative_summation` | `cumulative` | the page of DML_CUMULATIVE_SUMMATION_OPERATOR_DESC |
//! | `directml/diagonal_matrix1` | `diagonal` | the page of DML_DIAGONAL_MATRIX1_OPERATOR_DESC |
//! | `directml/depth_to_space1`, `space_to_depth1` | `depth_space` | the pages of DML_DEPTH_TO_SPACE1_OPERATOR_DESC and DML_SPACE_TO_DEPTH1_OPERATOR_DESC |
//! | `directml/logical_…`, `bit_…`, `element_wise_…`, `is_nan`, `is_infinity` | `elementwise` | the pages of DML_ELEMENT_WISE_…_OPERATOR_DESC |
//! | `directml/fill_value_constant` | `elementwise` | the page of DML_FILL_VALUE_CONSTANT_OPERATOR_DESC |
//! | `openvino/one_hot_1`, `openvino/one_hot_16` | `one_hot` | `002_be2dbc40a5d5f474.txt`, the page of OneHot-16 |
//! | `openvino/non_zero_3` | `nonzero_coordinates` | the page of NonZero-3 |
//! | `onnx/arg_max`, `onnx/arg_min` | `argmax` | the schemas in onnx/defs/reduction |
//! | `onnx/non_zero` | `nonzero_coordinates` | the schemas in onnx/defs/tensor |
//! | `onnx/one_hot` | `one_hot` | the schemas in onnx/defs/tensor |
//! | `tosa/argmax` | `argmax` | TOSA 1.0.1: chapters/tensor_ops.adoc, tosa.xml, pseudocode/operators/ARGMAX.tosac |
//! | `webnn/arg_max`, `webnn/arg_min` | `argmax` | Web Neural Network API, argMin/argMax operations |
//!
//! Each of these modules has a plain loop for every layout, and those of one-hot, nonzero and argmax have kernels for layouts in which neighbours
//! lie side by side.
//! A kernel knows the width of an element and how its bits compare, nothing more; it is written once and compiled for
//! several sets of vector instructions (`instructions`). Tensors from about 1 MiB on are shared among the threads of the
//! current `rayon` pool (`sharing`), and large outputs are written past the caches (`streaming`).
//!
//! Deliberately absent: kernels per element type, and intrinsics other than streaming stores, prefetching and the
//! gathering of bits.

mod addressing;
mod argmax;
mod cumulative;
mod depth_space;
mod diagonal;
mod element;
mod elementwise;
mod gather;
mod index_map;
mod index_type;
mod instructions;
mod memory;
mod nonzero_coordinates;
mod one_hot;
mod prefetching;
mod rearrange;
mod reverse;
mod scatter;
mod sharing;
mod streaming;
mod strided;
mod tile;
mod top_k;

#[cfg(test)]
mod tests;

use opcert_backend::{Backend, CompileError, Descriptor, Fault, Identity, Operator, Support};
use opcert_refusals::Yield;

use argmax::{ArgMaxOperator, ExtremeOperator};
use cumulative::CumulativeOperator;
use diagonal::DiagonalOperator;
use elementwise::ElementwiseOperator;
use gather::GatherOperator;
use index_map::IndexMapOperator;
use instructions::Instructions;
use nonzero_coordinates::{NonZeroOperator, NonzeroCoordinatesOperator};
use one_hot::{CastOneHot, OneHotOperator};
use reverse::ReverseOperator;
use scatter::ScatterOperator;
use top_k::TopKOperator;

type Compile = fn(&Descriptor, Instructions) -> Result<Box<dyn Operator>, CompileError>;

/// The operators on offer with what compiles them.
const OPERATORS: [(&str, Compile); 57] = [
    ("directml/one_hot", |descriptor, instructions| {
        let (view, axis) = opcert_refusals::one_hot(descriptor)?;
        Ok(Box::new(OneHotOperator::directml(descriptor, &view, axis, instructions)?))
    }),
    ("directml/nonzero_coordinates", |descriptor, instructions| {
        let view = opcert_refusals::nonzero_coordinates(descriptor)?;
        Ok(Box::new(NonzeroCoordinatesOperator::new(descriptor, &view, instructions)?))
    }),
    ("directml/gather", |descriptor, _| {
        Ok(Box::new(GatherOperator::new(descriptor, &opcert_refusals::gather(descriptor)?)?))
    }),
    ("directml/gather_elements", |descriptor, _| {
        Ok(Box::new(GatherOperator::new(descriptor, &opcert_refusals::gather_elements(descriptor)?)?))
    }),
    ("directml/gather_nd1", |descriptor, _| {
        Ok(Box::new(GatherOperator::new(descriptor, &opcert_refusals::gather_nd1(descriptor)?)?))
    }),
    ("directml/scatter_elements", |descriptor, _| {
        Ok(Box::new(ScatterOperator::new(descriptor, &opcert_refusals::scatter_elements(descriptor)?)?))
    }),
    ("directml/scatter_nd", |descriptor, _| {
        Ok(Box::new(ScatterOperator::new(descriptor, &opcert_refusals::scatter_nd(descriptor)?)?))
    }),
    ("directml/top_k1", |descriptor, _| {
        Ok(Box::new(TopKOperator::new(descriptor, &opcert_refusals::top_k1(descriptor)?)?))
    }),
    ("directml/reverse_subsequences", |descriptor, _| {
        let (view, axis) = opcert_refusals::reverse_subsequences(descriptor)?;
        Ok(Box::new(ReverseOperator::new(descriptor, &view, axis)?))
    }),
    ("directml/tile", |descriptor, _| Ok(Box::new(tile::tile(descriptor, &opcert_refusals::tile(descriptor)?)?))),
    ("directml/slice1", |descriptor, _| {
        Ok(Box::new(IndexMapOperator::slice(descriptor, &opcert_refusals::slice1(descriptor)?)?))
    }),
    ("directml/padding", |descriptor, _| {
        Ok(Box::new(IndexMapOperator::padding(descriptor, &opcert_refusals::padding(descriptor)?)?))
    }),
    ("directml/padding1", |descriptor, _| {
        Ok(Box::new(IndexMapOperator::padding(descriptor, &opcert_refusals::padding1(descriptor)?)?))
    }),
    ("directml/cumulative_summation", |descriptor, _| {
        Ok(Box::new(CumulativeOperator::new(descriptor, &opcert_refusals::cumulative_summation(descriptor)?)?))
    }),
    ("directml/diagonal_matrix1", |descriptor, _| {
        Ok(Box::new(DiagonalOperator::new(descriptor, &opcert_refusals::diagonal_matrix1(descriptor)?)?))
    }),
    ("directml/depth_to_space1", depth_space),
    ("directml/space_to_depth1", depth_space),
    ("directml/argmax", search),
    ("directml/argmin", search),
    ("directml/reduce_argmax", search),
    ("directml/reduce_argmin", search),
    ("directml/reduce_max", search),
    ("directml/reduce_min", search),
    ("directml/logical_equals", elementwise),
    ("directml/logical_greater_than", elementwise),
    ("directml/logical_less_than", elementwise),
    ("directml/logical_greater_than_or_equal", elementwise),
    ("directml/logical_less_than_or_equal", elementwise),
    ("directml/logical_and", elementwise),
    ("directml/logical_or", elementwise),
    ("directml/logical_xor", elementwise),
    ("directml/logical_not", elementwise),
    ("directml/is_nan", elementwise),
    ("directml/is_infinity", elementwise),
    ("directml/element_wise_clip", elementwise),
    ("directml/element_wise_clip1", elementwise),
    ("directml/element_wise_if", elementwise),
    ("directml/element_wise_max", elementwise),
    ("directml/element_wise_min", elementwise),
    ("directml/fill_value_constant", elementwise),
    ("directml/bit_and", elementwise),
    ("directml/bit_or", elementwise),
    ("directml/bit_xor", elementwise),
    ("directml/bit_not", elementwise),
    ("directml/bit_count", elementwise),
    ("directml/bit_shift_left", elementwise),
    ("directml/bit_shift_right", elementwise),
    ("openvino/one_hot_1", openvino_one_hot),
    ("openvino/one_hot_16", openvino_one_hot),
    ("openvino/non_zero_3", non_zero),
    ("onnx/arg_max", search),
    ("onnx/arg_min", search),
    ("onnx/non_zero", non_zero),
    ("onnx/one_hot", |descriptor, instructions| {
        let view = opcert_refusals::onnx_one_hot(descriptor)?;
        match view.has_wide_indices() {
            true => Ok(Box::new(OneHotOperator::onnx(descriptor, &view, view.indices, instructions)?)),
            false => Ok(Box::new(CastOneHot::new(descriptor, &view, instructions)?)),
        }
    }),
    ("tosa/argmax", search),
    ("webnn/arg_max", search),
    ("webnn/arg_min", search),
];

fn openvino_one_hot(descriptor: &Descriptor, instructions: Instructions) -> Result<Box<dyn Operator>, CompileError> {
    let (view, axis) = opcert_refusals::openvino_one_hot(descriptor)?;
    Ok(Box::new(OneHotOperator::openvino(descriptor, &view, axis, instructions)?))
}

fn non_zero(descriptor: &Descriptor, instructions: Instructions) -> Result<Box<dyn Operator>, CompileError> {
    let view = opcert_refusals::non_zero(descriptor)?;
    Ok(Box::new(NonZeroOperator::new(descriptor, &view, instructions)?))
}

fn depth_space(descriptor: &Descriptor, _: Instructions) -> Result<Box<dyn Operator>, CompileError> {
    let blocks = opcert_refusals::depth_space(descriptor)?;
    Ok(Box::new(depth_space::depth_space(descriptor, &blocks)?))
}

fn elementwise(descriptor: &Descriptor, _: Instructions) -> Result<Box<dyn Operator>, CompileError> {
    let view = opcert_refusals::elementwise(descriptor)?;
    Ok(Box::new(ElementwiseOperator::new(descriptor, &view)?))
}

fn search(descriptor: &Descriptor, instructions: Instructions) -> Result<Box<dyn Operator>, CompileError> {
    let reduction = opcert_refusals::reduction(descriptor)?;
    Ok(match reduction.yields {
        Yield::Index => Box::new(ArgMaxOperator::new(descriptor, &reduction, instructions)?),
        Yield::Element => Box::new(ExtremeOperator::new(descriptor, &reduction, instructions)?),
    })
}

/// Runs the bundled operators on the CPU, with any strides.
///
/// Claims every DirectML feature level up to 6_4, ONNX's operator sets up to 13, OpenVINO's OneHot-1, OneHot-16 and
/// NonZero-3, TOSA 1.0's ARGMAX, and WebNN's argMin and argMax. Every invalid descriptor is refused with the full id of
/// the requirement that it breaks, the most basic one where there are several. Where the sizes of an output follow from
/// the elements, a dispatch reports those that it finds if the descriptor has others ([`Fault::OtherSizes`]).
///
/// ```
/// use opcert_backend::Backend;
///
/// let identity = opcert_cpu::CpuBackend::new().identity();
/// assert_eq!(identity.name, "cpu");
/// assert!(identity.strided && identity.refuses_invalid);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuBackend;

impl CpuBackend {
    /// The backend. It holds no state.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }

    /// The backend, unless it is known beforehand that nothing compiles.
    ///
    /// # Errors
    ///
    /// [`Fault::Failed`] when the environment variable `OPCERT_CPU_INSTRUCTIONS` has a value that it does not know.
    pub fn open() -> Result<Self, Fault> {
        Instructions::allowed().map(|_| Self)
    }
}

impl Backend for CpuBackend {
    fn identity(&self) -> Identity {
        Identity {
            name: "cpu".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            device: None,
            claims: [("directml", "6_4"), ("onnx", "13"), ("openvino", "1"), ("tosa", "1.0"), ("webnn", "1")]
                .map(|(family, level)| (family.to_owned(), level.to_owned()))
                .into(),
            strided: true,
            refuses_invalid: true,
        }
    }

    fn operators(&self) -> Option<Vec<String>> {
        Some(OPERATORS.iter().map(|(name, _)| (*name).to_owned()).collect())
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        match find(&descriptor.operator) {
            Some(_) => Support::Yes,
            None => Support::No(not_implemented(&descriptor.operator)),
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        match find(&descriptor.operator) {
            Some(compile) => compile(descriptor, Instructions::allowed().map_err(CompileError::Fault)?),
            None => Err(CompileError::Unsupported { reason: not_implemented(&descriptor.operator) }),
        }
    }
}

fn find(operator: &str) -> Option<Compile> {
    OPERATORS.iter().find(|(name, _)| *name == operator).map(|(_, compile)| *compile)
}

fn not_implemented(operator: &str) -> String {
    format!("the operator `{operator}` is not implemented")
}
