//! The rules of `directml/gather`, `directml/gather_elements` and `directml/gather_nd1` (the pages of DML_GATHER_OPERATOR_DESC,
//! DML_GATHER_ELEMENTS_OPERATOR_DESC and DML_GATHER_ND1_OPERATOR_DESC).

use opcert_backend::operators::{Gather, GatherElements, GatherNd1};
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::addressing::{Addressing, checked};
use crate::level::Level;
use crate::rejection::broken;
use crate::support::{axis_in_range, dimensions_counted, same_sizes};
use crate::tensor::Tensor;

/// Which element of an input each element of an output is.
#[derive(Clone, Debug)]
pub struct Gathering<'a> {
    /// What is picked from.
    pub input: &'a TensorDescriptor,
    /// What is picked.
    pub indices: &'a TensorDescriptor,
    /// The result.
    pub output: &'a TensorDescriptor,
    /// The element of the input that each one of the output is.
    pub addressing: Addressing,
}

/// The parts of a valid `directml/gather`.
///
/// Whether dimensions of indices that do not count may have another size than 1 is open; they are let pass.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn gather(descriptor: &Descriptor) -> Result<Gathering<'_>, CompileError> {
    let level = Level::of(descriptor, ("1_0", Level::L1_0), "directml/gather/tensor-support")?;
    let view = Gather::try_from(descriptor)?;
    let tensors @ [input, indices, output] = [view.input, view.indices, view.output];
    let count = checked(descriptor, &named(tensors), level)?;
    let axis = axis_in_range("directml/gather/axis-in-range", view.axis, count)?;
    let index_dimensions = (view.index_dimensions, "directml/gather/index-dimensions", "IndexDimensions");
    let index_dimensions = dimensions_counted(index_dimensions, 0..=count)?;
    let crowded_out = index_dimensions.saturating_sub(1);
    if crowded_out > axis || input.sizes[..crowded_out].iter().any(|&size| size != 1) {
        let reason = format!(
            "`IndexDimensions` is {index_dimensions}, which crowds {crowded_out} sizes of `InputTensor` out, expected ones \
             before the axis {axis}"
        );
        return Err(broken("directml/gather/output-sizes", reason));
    }
    let before = (crowded_out..axis).map(|at| [Some(at), None]);
    let picked = (count - index_dimensions..count).map(|at| [None, Some(at)]);
    let behind = (axis + 1..count).map(|at| [Some(at), None]);
    let kept: Vec<_> = before.chain(picked).chain(behind).collect();
    let addressing = Addressing { kept, indexed: axis..axis + 1, has_tuples: false };
    let addressing =
        addressing.filled_up("directml/gather/output-sizes", [input, indices], ("OutputTensor", output))?;
    Ok(Gathering { input, indices, output, addressing })
}

/// The parts of a valid `directml/gather_elements`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn gather_elements(descriptor: &Descriptor) -> Result<Gathering<'_>, CompileError> {
    let level = Level::of(descriptor, ("2_1", Level::L2_1), "directml/gather_elements/introduced")?;
    let view = GatherElements::try_from(descriptor)?;
    let tensors @ [input, indices, output] = [view.input, view.indices, view.output];
    let count = checked(descriptor, &named(tensors), level)?;
    let axis = axis_in_range("directml/gather_elements/axis-in-range", view.axis, count)?;
    let [input_tensor, indices_tensor, output_tensor] = named(tensors);
    same_sizes("directml/gather_elements/indices-sizes", &input_tensor, &indices_tensor, Some(axis))?;
    same_sizes("directml/gather_elements/output-sizes", &indices_tensor, &output_tensor, None)?;
    Ok(Gathering { input, indices, output, addressing: Addressing::along(axis, count) })
}

/// The parts of a valid `directml/gather_nd1`.
///
/// Whether dimensions that do not count may have another size than 1 is open, and they are let pass. Whether the batches of both
/// inputs may differ is open too; there is no such output here.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn gather_nd1(descriptor: &Descriptor) -> Result<Gathering<'_>, CompileError> {
    let level = Level::of(descriptor, ("3_0", Level::L3_0), "directml/gather_nd1/introduced")?;
    let view = GatherNd1::try_from(descriptor)?;
    let tensors @ [input, indices, output] = [view.input, view.indices, view.output];
    let count = checked(descriptor, &named(tensors), level)?;
    let of_input = (view.input_dimensions, "directml/gather_nd1/input-dimensions", "InputDimensionCount");
    let of_input = dimensions_counted(of_input, 1..=count)?;
    let of_indices = (view.indices_dimensions, "directml/gather_nd1/indices-dimensions", "IndicesDimensionCount");
    let of_indices = dimensions_counted(of_indices, 1..=count)?;
    let batches = (view.batch_dimensions, "directml/gather_nd1/batch-dimensions", "BatchDimensionCount");
    let batches = dimensions_counted(batches, 0..=count - 1)?;
    let counted = [of_input, of_indices];
    let addressing = Addressing::of_tuples("directml/gather_nd1/tuple-size", [input, indices], counted, batches)?;
    let [in_input, in_indices] =
        [(input, of_input), (indices, of_indices)].map(|(tensor, counted)| &tensor.sizes[count - counted..][..batches]);
    if in_input != in_indices {
        let reason =
            format!("`InputTensor` has batches of the sizes {in_input:?}, and `IndicesTensor` of {in_indices:?}");
        return Err(broken("directml/gather_nd1/batch-sizes", reason));
    }
    let addressing =
        addressing.filled_up("directml/gather_nd1/output-sizes", [input, indices], ("OutputTensor", output))?;
    Ok(Gathering { input, indices, output, addressing })
}

fn named<'a>([input, indices, output]: [&'a TensorDescriptor; 3]) -> [Tensor<'a>; 3] {
    [
        Tensor::input("InputTensor", input),
        Tensor::input("IndicesTensor", indices),
        Tensor::output("OutputTensor", output),
    ]
}
