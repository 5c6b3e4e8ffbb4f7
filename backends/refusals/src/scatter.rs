//! The rules of `directml/scatter_elements` and `directml/scatter_nd` (the pages of DML_SCATTER_OPERATOR_DESC and
//! DML_SCATTER_ND_OPERATOR_DESC).

use opcert_backend::DataType::U32;
use opcert_backend::operators::{ScatterElements, ScatterNd};
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::addressing::Addressing;
use crate::level::Level;
use crate::support::{
    FLOATS_TO_32_BITS, INDEX_TYPES, Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, axis_in_range, dimensions_counted,
    same_dimension_count, same_sizes, same_type,
};
use crate::tensor::{self, Tensor};

/// Which elements of a copy are overwritten, and with what.
#[derive(Clone, Debug)]
pub struct Scattering<'a> {
    /// What stays where nothing is written.
    pub input: &'a TensorDescriptor,
    /// Where to write.
    pub indices: &'a TensorDescriptor,
    /// What is written.
    pub updates: &'a TensorDescriptor,
    /// The result, with the sizes of the input.
    pub output: &'a TensorDescriptor,
    /// The element of the output that each update is for.
    pub addressing: Addressing,
}

/// The parts of a valid `directml/scatter_elements`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn scatter_elements(descriptor: &Descriptor) -> Result<Scattering<'_>, CompileError> {
    let level = Level::of(descriptor, ("1_0", Level::L1_0), "directml/scatter_elements/tensor-support")?;
    let view = ScatterElements::try_from(descriptor)?;
    let tensors @ [input, indices, updates, output] = [view.input, view.indices, view.updates, view.output];
    let count = checked(descriptor, tensors, level)?;
    let axis = axis_in_range("directml/scatter_elements/axis-in-range", view.axis, count)?;
    let [input_tensor, indices_tensor, updates_tensor, output_tensor] = named(tensors);
    same_sizes("directml/scatter_elements/indices-sizes", &input_tensor, &indices_tensor, Some(axis))?;
    same_sizes("directml/scatter_elements/updates-sizes", &indices_tensor, &updates_tensor, None)?;
    same_sizes("directml/scatter_elements/output-sizes", &input_tensor, &output_tensor, None)?;
    Ok(Scattering { input, indices, updates, output, addressing: Addressing::along(axis, count) })
}

/// The parts of a valid `directml/scatter_nd`.
///
/// Whether dimensions that do not count may have another size than 1 is open, and they are let pass.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn scatter_nd(descriptor: &Descriptor) -> Result<Scattering<'_>, CompileError> {
    let level = Level::of(descriptor, ("2_1", Level::L2_1), "directml/scatter_nd/introduced")?;
    let view = ScatterNd::try_from(descriptor)?;
    let tensors @ [input, indices, updates, output] = [view.input, view.indices, view.updates, view.output];
    let count = checked(descriptor, tensors, level)?;
    let of_input = (view.input_dimensions, "directml/scatter_nd/input-dimensions", "InputDimensionCount");
    let of_input = dimensions_counted(of_input, 1..=count)?;
    let of_indices = (view.indices_dimensions, "directml/scatter_nd/indices-dimensions", "IndicesDimensionCount");
    let of_indices = dimensions_counted(of_indices, 1..=count)?;
    let addressing =
        Addressing::of_tuples("directml/scatter_nd/tuple-size", [input, indices], [of_input, of_indices], 0)?;
    let addressing =
        addressing.filled_up("directml/scatter_nd/updates-sizes", [input, indices], ("UpdatesTensor", updates))?;
    let [input_tensor, .., output_tensor] = named(tensors);
    same_sizes("directml/scatter_nd/output-sizes", &input_tensor, &output_tensor, None)?;
    Ok(Scattering { input, indices, updates, output, addressing })
}

fn named<'a>([input, indices, updates, output]: [&'a TensorDescriptor; 4]) -> [Tensor<'a>; 4] {
    [
        Tensor::input("InputTensor", input),
        Tensor::input("IndicesTensor", indices),
        Tensor::input("UpdatesTensor", updates),
        Tensor::output("OutputTensor", output),
    ]
}

/// Checks what both operators ask of their tensors, and tells how many dimensions each has.
fn checked(descriptor: &Descriptor, tensors: [&TensorDescriptor; 4], level: Level) -> Result<usize, CompileError> {
    let id = |name: &str| format!("{}/{name}", descriptor.operator);
    let [input, indices, updates, output] = named(tensors);
    tensor::check(&[input, indices, updates, output], level)?;
    let (index_row, value_row) = support(level);
    value_row.check(&id("tensor-support"), &input)?;
    index_row.check(&id("tensor-support"), &indices)?;
    value_row.check(&id("tensor-support"), &updates)?;
    value_row.check(&id("tensor-support"), &output)?;
    for other in [&indices, &updates, &output] {
        same_dimension_count(&id("same-dimension-count"), &input, other)?;
    }
    for other in [&updates, &output] {
        same_type(&id("same-type"), &input, other)?;
    }
    Ok(input.descriptor.sizes.len())
}

/// The rows for Indices, and for all else.
fn support(level: Level) -> (Row, Row) {
    let (dimensions, indices, values): (_, &[_], _) = if level >= Level::L4_1 {
        (1..=8, INDEX_TYPES, VALUES_TO_64_BITS)
    } else if level >= Level::L3_0 {
        (1..=8, INDEX_TYPES, VALUES_TO_32_BITS)
    } else if level >= Level::L2_1 {
        (4..=4, &[U32], VALUES_TO_32_BITS)
    } else {
        (4..=4, &[U32], FLOATS_TO_32_BITS)
    };
    (Row { dimensions: dimensions.clone(), types: indices }, Row { dimensions, types: values })
}
