//! A model of one node, and the way of tensors into tract and out of it.

use std::sync::Arc;

use opcert_backend::{CompileError, DataType, Fault, Output};
use tract_core::internal::*;

/// A model of one operation on one tensor.
pub struct Model {
    plan: Arc<TypedRunnableModel>,
    data_type: DatumType,
    sizes: Vec<usize>,
}

impl Model {
    /// The model for an input of this type and these sizes, optimised as tract advises.
    ///
    /// # Errors
    ///
    /// What tract says to it.
    pub fn new(
        data_type: DatumType,
        sizes: &[usize],
        node: impl FnOnce(&TypedModel) -> Box<dyn TypedOp>,
    ) -> TractResult<Self> {
        let mut model = TypedModel::default();
        let input = model.add_source("input", data_type.fact(sizes))?;
        let node = node(&model);
        let output = model.wire_node("output", node, &[input])?;
        model.select_output_outlets(&output)?;
        Ok(Self { plan: model.into_optimized()?.into_runnable()?, data_type, sizes: sizes.to_vec() })
    }

    /// The output for the elements in `bytes`, packed; bytes behind them are not looked at.
    ///
    /// # Errors
    ///
    /// What tract says to it.
    pub fn run(&self, bytes: &[u8]) -> TractResult<TValue> {
        let input = tensor(self.data_type, &self.sizes, bytes)?;
        Ok(self.plan.run(tvec!(input.into()))?.remove(0))
    }
}

/// Tries an operation on a tensor whose sizes are all 1, which is how tract says whether it has code for its type.
///
/// # Errors
///
/// [`CompileError::Unsupported`] with tract's reason.
pub fn probe(
    data_type: DatumType,
    dimension_count: usize,
    node: impl FnOnce(&TypedModel) -> Box<dyn TypedOp>,
) -> Result<(), CompileError> {
    let model = Model::new(data_type, &vec![1; dimension_count], node);
    // No element is wider.
    let tried = model.and_then(|model| model.run(&[0; size_of::<u64>()]));
    tried.map(drop).map_err(|error| CompileError::Unsupported { reason: error.root_cause().to_string() })
}

/// A tensor of the elements in `bytes`, packed; bytes behind them are not looked at.
///
/// # Errors
///
/// What tract says to it.
pub fn tensor(data_type: DatumType, sizes: &[usize], bytes: &[u8]) -> TractResult<Tensor> {
    let mut tensor = Tensor::zero_dt(data_type, sizes)?;
    let elements = tensor.as_bytes_mut();
    let given = bytes.get(..elements.len()).ok_or_else(|| format_err!("{} bytes for {sizes:?}", bytes.len()))?;
    elements.copy_from_slice(given);
    Ok(tensor)
}

/// tract's name of a type.
///
/// # Errors
///
/// [`CompileError::Unsupported`] where it has none.
pub fn datum_type(data_type: DataType) -> Result<DatumType, CompileError> {
    Ok(match data_type {
        DataType::F64 => DatumType::F64,
        DataType::F32 => DatumType::F32,
        DataType::F16 => DatumType::F16,
        DataType::BF16 => return Err(CompileError::Unsupported { reason: "tract has no type for bf16".to_owned() }),
        DataType::I64 => DatumType::I64,
        DataType::I32 => DatumType::I32,
        DataType::I16 => DatumType::I16,
        DataType::I8 => DatumType::I8,
        DataType::U64 => DatumType::U64,
        DataType::U32 => DatumType::U32,
        DataType::U16 => DatumType::U16,
        DataType::U8 => DatumType::U8,
        DataType::Bool => DatumType::Bool,
    })
}

/// The sizes of a tensor as tract counts them.
pub fn sizes(sizes: &[u64]) -> Vec<usize> {
    sizes.iter().map(|&size| size as usize).collect()
}

/// Writes integers that tract counted as i64 to the beginning of an output, in its type.
///
/// # Errors
///
/// When there are more than the output has room for, or one does not fit its type: none is left out or changed.
pub fn write_integers(output: &mut Output<'_>, integers: impl ExactSizeIterator<Item = i64>) -> Result<(), Fault> {
    let room = output.tensor.element_count().unwrap_or(0);
    if integers.len() as u64 > room {
        return Err(Fault::Failed(format!("{} integers where `{}` has room for {room}", integers.len(), output.name)));
    }
    let data_type = output.tensor.data_type;
    for (integer, bytes) in integers.zip(output.bytes.chunks_exact_mut(data_type.bytes())) {
        let fits = match data_type {
            DataType::U32 => u32::try_from(integer).is_ok(),
            DataType::I32 => i32::try_from(integer).is_ok(),
            DataType::U64 => u64::try_from(integer).is_ok(),
            DataType::I64 => true,
            _ => false,
        };
        if !fits {
            return Err(Fault::Failed(format!("{integer} does not fit {data_type}, the type of `{}`", output.name)));
        }
        // Little-endian: the bytes left out are those of the sign.
        bytes.copy_from_slice(&integer.to_le_bytes()[..bytes.len()]);
    }
    Ok(())
}

/// An error of tract's with all that it says.
pub fn failed(error: TractError) -> Fault {
    Fault::Failed(format!("{error:#}"))
}
