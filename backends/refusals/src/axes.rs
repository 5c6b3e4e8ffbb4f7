//! What DirectML's searches along a list of axes have in common: ARGMAX, ARGMIN and REDUCE.
//!
//! The documents are silent on axes that are unsorted, listed twice, or absent. They are accepted: the axes are taken as
//! a set, and without any each element is a subset of its own.

use std::iter::zip;

use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::level::Level;
use crate::reduction::{Extreme, Nan, Reduction, Tie, Yield};
use crate::rejection::{broken, malformed};
use crate::support::{Row, same_dimension_count, same_type};
use crate::tensor::{self, Tensor};

/// A search as its descriptor asks for it, before any rule.
pub(crate) struct Asked<'a> {
    pub(crate) input: &'a TensorDescriptor,
    pub(crate) output: &'a TensorDescriptor,
    pub(crate) axis_count: i64,
    pub(crate) axes: &'a [i64],
    pub(crate) tie: Tie,
    pub(crate) extreme: Extreme,
    pub(crate) yields: Yield,
    /// The first level that has the operator.
    pub(crate) introduced: (&'static str, Level),
    /// What the two tensors may be.
    pub(crate) rows: fn(Level) -> [Row; 2],
}

impl Asked<'_> {
    /// The search, if it keeps to every rule.
    ///
    /// # Errors
    ///
    /// [`CompileError::Rejected`] for the first rule that is broken.
    pub(crate) fn reduction(&self, descriptor: &Descriptor) -> Result<Reduction, CompileError> {
        // Which of the operators it is stands before a rule of theirs once one is broken.
        self.checked(descriptor).map_err(|error| match error {
            CompileError::Rejected { requirement: Some(rule), reason } if !rule.contains('/') => {
                broken(&format!("{}/{rule}", descriptor.operator), reason)
            }
            other => other,
        })
    }

    fn checked(&self, descriptor: &Descriptor) -> Result<Reduction, CompileError> {
        let level = Level::of(descriptor, self.introduced, "introduced")?;
        let input = Tensor::input("InputTensor", self.input);
        let output = Tensor::output("OutputTensor", self.output);
        tensor::check(&[input, output], level)?;

        let [input_row, output_row] = (self.rows)(level);
        input_row.check("tensor-support", &input)?;
        output_row.check("tensor-support", &output)?;
        if self.yields == Yield::Element {
            same_type("same-type", &input, &output)?;
        }
        same_dimension_count("same-dimension-count", &input, &output)?;
        let reduced = self.reduced_dimensions("axes-in-range")?;
        self.check_output_sizes(&reduced, "output-sizes")?;
        Ok(Reduction {
            input: (input.name, self.input.clone()),
            output: (output.name, self.output.clone()),
            reduced,
            tie: self.tie,
            extreme: self.extreme,
            yields: self.yields,
            nan: Nan::Open,
        })
    }

    fn reduced_dimensions(&self, rule: &str) -> Result<Vec<bool>, CompileError> {
        if usize::try_from(self.axis_count) != Ok(self.axes.len()) {
            let reason =
                format!("`AxisCount` is {}, expected {} for {:?}", self.axis_count, self.axes.len(), self.axes);
            return Err(malformed(reason));
        }
        let count = self.input.sizes.len();
        let mut reduced = vec![false; count];
        for (position, &axis) in self.axes.iter().enumerate() {
            let dimension = usize::try_from(axis).ok().and_then(|axis| reduced.get_mut(axis)).ok_or_else(|| {
                let reason =
                    format!("`Axes[{position}]` is {axis}, expected 0 to {} for {count} dimensions", count - 1);
                broken(rule, reason)
            })?;
            *dimension = true;
        }
        Ok(reduced)
    }

    fn check_output_sizes(&self, reduced: &[bool], rule: &str) -> Result<(), CompileError> {
        let sizes = zip(&self.input.sizes, &self.output.sizes);
        for (dimension, ((&input, &output), &reduced)) in zip(sizes, reduced).enumerate() {
            let expected = if reduced { 1 } else { input };
            if output != expected {
                let why = if reduced { "is reduced" } else { "is not reduced" };
                let reason = format!(
                    "`OutputTensor.sizes[{dimension}]` is {output}, expected {expected}: dimension {dimension} {why}"
                );
                return Err(broken(rule, reason));
            }
        }
        Ok(())
    }
}
