//! The rules of `directml/scatter_elements` and `directml/scatter_nd` (the pages of DML_SCATTER_OPERATOR_DESC and
//! DML_SCATTER_ND_OPERATOR_DESC).

use opcert_backend::operators::{ScatterElements, ScatterNd};
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::addressing::{Addressing, checked};
use crate::level::Level;
use crate::support::{axis_in_range, dimensions_counted, same_sizes};
use crate::tensor::Tensor;

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
    let count = checked(descriptor, &named(tensors), level)?;
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
    let count = checked(descriptor, &named(tensors), level)?;
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
