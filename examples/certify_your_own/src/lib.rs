//! A backend that can do little, says so, and does that much right: `directml/argmax` of packed FLOAT32 tensors along
//! one axis, first maximum, UINT32 indices.
//!
//! `tests/conformance.rs` certifies it. What it does not support shows up there as ignored tests with the reason.

use std::collections::BTreeMap;

use opcert_backend::operators::{AXIS_DIRECTION_INCREASING, ArgMax};
use opcert_backend::{Backend, CompileError, DataType, Descriptor, Fault, Identity, Input, Operator, Output, Support};

/// The backend.
#[derive(Clone, Copy, Debug)]
pub struct SmallBackend;

impl Backend for SmallBackend {
    fn identity(&self) -> Identity {
        Identity {
            name: "small".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            device: None,
            claims: BTreeMap::from([("directml".to_owned(), "3_0".to_owned())]),
            strided: false,
            refuses_invalid: false,
        }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        if descriptor.operator != "directml/argmax" {
            return Support::No(format!("`{}` is not implemented", descriptor.operator));
        }
        match ArgMax::try_from(descriptor) {
            Err(error) => Support::No(error.to_string()),
            Ok(view) if view.input.data_type != DataType::F32 => Support::No("input other than FLOAT32".to_owned()),
            Ok(view) if view.output.data_type != DataType::U32 => Support::No("output other than UINT32".to_owned()),
            Ok(view) if view.axes.len() != 1 => Support::No("other than one axis".to_owned()),
            Ok(view) if view.axis_direction != AXIS_DIRECTION_INCREASING => Support::No("last maximum".to_owned()),
            Ok(_) => Support::Yes,
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        if let Support::No(reason) = self.supports(descriptor) {
            return Err(CompileError::Unsupported { reason });
        }
        let view = ArgMax::try_from(descriptor)?;
        let rejected = |reason: &str| CompileError::Rejected { requirement: None, reason: reason.to_owned() };
        let sizes: Vec<usize> = view.input.sizes.iter().map(|&size| size as usize).collect();
        let axis = usize::try_from(view.axes[0]).ok().filter(|&axis| axis < sizes.len());
        let axis = axis.ok_or_else(|| rejected("the axis names no dimension"))?;
        Ok(Box::new(ArgMaxAlongAxis { length: sizes[axis], inner: sizes[axis + 1..].iter().product() }))
    }
}

/// The tensor seen as `[outer, length, inner]`.
struct ArgMaxAlongAxis {
    length: usize,
    inner: usize,
}

impl Operator for ArgMaxAlongAxis {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let ([input], [output]) = (inputs, outputs) else {
            return Err(Fault::Failed("expected one input and one output".to_owned()));
        };
        let value = |position: usize| {
            let bytes = &input.bytes[4 * position..4 * position + 4];
            f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        };
        // The memory may be larger than the elements.
        let results = output.tensor.element_count().unwrap_or(0) as usize;
        for (index, result) in output.bytes.chunks_exact_mut(4).take(results).enumerate() {
            let (outer, inner) = (index / self.inner, index % self.inner);
            let at = |step: usize| value((outer * self.length + step) * self.inner + inner);
            let best = (1..self.length).fold(0, |best, step| if at(step) > at(best) { step } else { best });
            result.copy_from_slice(&(best as u32).to_le_bytes());
        }
        Ok(())
    }
}
