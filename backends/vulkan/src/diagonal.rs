//! Matrices of which diagonals are filled: with the value first, and then all that stands beside them is written.

use opcert_backend::{Fault, Input, Output};
use opcert_refusals::Diagonal;

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::elementwise::halves;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::Layout;
use crate::options::Limits;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::relayout::{fill, move_in_order, output_region, packed_region, pattern, unpack};
use crate::shader::Shader;

/// A compiled `directml/diagonal_matrix1`.
#[derive(Debug)]
pub(crate) struct DiagonalKernel {
    input: Option<Named>,
    output: Named,
    value: u64,
    /// As the shader has them: the sizes of a matrix, the first diagonal and the one behind the last, and whether those outside are
    /// filled.
    span: [u32; 5],
}

impl DiagonalKernel {
    pub(crate) fn new(diagonal: &Diagonal<'_>) -> Self {
        let sizes = &diagonal.output.sizes;
        let [rows, columns] = [2, 1].map(|from_end| sizes[sizes.len() - from_end]);
        // Sizes of more than 32 bits come to no device. A bound beyond the matrix is as good as one at its corner, and no sum of both
        // sizes is more than one above their product.
        let (signed_rows, signed_columns) = (rows.cast_signed(), columns.cast_signed());
        let bounds = [diagonal.span.begin, diagonal.span.end];
        let [begin, end] = bounds.map(|bound| (bound.clamp(-signed_rows, signed_columns) + signed_rows) as u32);
        Self {
            input: diagonal.input.map(|input| ("InputTensor", input.clone())),
            output: ("OutputTensor", diagonal.output.clone()),
            value: diagonal.value,
            span: [rows as u32, columns as u32, begin, end, u32::from(diagonal.span.is_reversed())],
        }
    }

    /// The program with the regions of the input, if there is one, and of the output.
    fn program(&self, limits: Limits) -> Result<(Program, Option<RegionId>, RegionId), TooLarge> {
        let output = Layout::new(self.output.0, &self.output.1)?;
        let mut program = Program::new(limits);
        let target = output_region(&mut program, &output)?;
        let packed = packed_region(&mut program, target, &output)?;
        let input = self.input.as_ref().map(|(name, tensor)| Layout::new(name, tensor)).transpose()?;
        let source = input.as_ref().map(|input| program.region(input.span * input.width, Transfer::Upload));
        let source = source.transpose()?;
        let mut beside = source;
        if let (Some(source), Some(input)) = (source, input.filter(|input| !input.is_packed())) {
            let moved = program.region(input.elements * input.width, Transfer::Scratch)?;
            move_in_order(&mut program, source, &input, &input.dimensions, moved)?;
            beside = Some(moved);
        }
        fill(&mut program, packed, &output, pattern(&output, halves(self.value)))?;
        self.write_beside(&mut program, beside, packed, &output)?;
        unpack(&mut program, packed, target, &output)?;
        Ok((program, source, target))
    }

    /// Adds passes that write what stands beside the diagonals.
    fn write_beside(
        &self,
        program: &mut Program,
        beside: Option<RegionId>,
        packed: RegionId,
        output: &Layout,
    ) -> Result<(), TooLarge> {
        // Where there is nothing to read, anything may be bound.
        let region = beside.map_or_else(|| program.region(WORD, Transfer::Scratch), Ok)?;
        let most = program.bindable_anywhere() / output.width;
        for first in (0..output.elements).step_by(most as usize) {
            let range = first..(first + most).min(output.elements);
            let (stored, stored_base) = program.part_of(packed, &range, output.width);
            let source = match beside {
                Some(region) => program.part_of(region, &range, output.width).0,
                None => program.whole(region),
            };
            let count = range.end - range.start;
            let mut constants = vec![word(count), word(first), word(output.width), stored_base];
            constants.push(u32::from(beside.is_some()));
            constants.extend(self.span);
            program.pass(Shader::Diagonal, vec![(0, source), (1, stored)], constants, count)?;
        }
        Ok(())
    }
}

impl Kernel for DiagonalKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, source, target) = self.program(device.limits()).map_err(too_large)?;
        let mut uploads = Vec::new();
        if let (Some(region), Some(input)) = (source, &self.input) {
            uploads.push((region, input_of(inputs, input)?));
        }
        run(device, &program, &uploads, (target, output_of(outputs, &self.output)?))
    }
}
