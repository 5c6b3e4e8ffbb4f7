//! Copies of a tensor side by side: a copy in the order of the output, in which the dimension of copies is one along which nothing
//! of the input changes.

use opcert_backend::operators::Tile;
use opcert_backend::{Fault, Input, Output};

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::{Dimension, Layout, MOST_DIMENSIONS, coalesced};
use crate::options::Limits;
use crate::program::{Program, RegionId, TooLarge, Transfer};
use crate::relayout::{move_in_order, output_region, packed_region, unpack};

/// A compiled `directml/tile`.
#[derive(Debug)]
pub(crate) struct TileKernel {
    input: Named,
    output: Named,
    /// The number of copies along each dimension, none of which is greater than a size of the output.
    repeats: Vec<u64>,
}

impl TileKernel {
    pub(crate) fn new(tile: &Tile<'_>) -> Self {
        Self {
            input: ("InputTensor", tile.input.clone()),
            output: ("OutputTensor", tile.output.clone()),
            repeats: tile.repeats.iter().map(|repeats| repeats.unsigned_abs()).collect(),
        }
    }

    fn program(&self, limits: Limits) -> Result<(Program, RegionId, RegionId), TooLarge> {
        let input = Layout::new(self.input.0, &self.input.1)?;
        let output = Layout::new(self.output.0, &self.output.1)?;
        let mut program = Program::new(limits);
        let source = program.region(input.span * input.width, Transfer::Upload)?;
        let target = output_region(&mut program, &output)?;
        let packed = packed_region(&mut program, target, &output)?;
        let all = copies(&input, |at| self.repeats[at]);
        if coalesced(all.iter().copied()).len() <= MOST_DIMENSIONS {
            move_in_order(&mut program, source, &input, &all, packed)?;
        } else {
            self.one_after_the_other(&mut program, source, input, packed)?;
        }
        unpack(&mut program, packed, target, &output)?;
        Ok((program, source, target))
    }

    /// Copies along one dimension after the other, where all of them are more than a shader walks.
    fn one_after_the_other(
        &self,
        program: &mut Program,
        source: RegionId,
        input: Layout,
        target: RegionId,
    ) -> Result<(), TooLarge> {
        let scratch =
            |program: &mut Program, layout: &Layout| program.region(layout.elements * layout.width, Transfer::Scratch);
        let (mut region, mut layout) = (source, input);
        if !layout.is_packed() {
            region = scratch(program, &layout)?;
            move_in_order(program, source, &layout, &layout.dimensions, region)?;
            layout = layout.packed(layout.width);
        }
        let mut along: Vec<usize> = (0..self.repeats.len()).filter(|&at| self.repeats[at] > 1).collect();
        while let Some(at) = along.pop() {
            let dimensions = copies(&layout, |other| if other == at { self.repeats[at] } else { 1 });
            let mut next = layout.clone();
            next.dimensions[at].size *= self.repeats[at] as u32;
            next.elements *= self.repeats[at];
            let next = next.packed(layout.width);
            let to = if along.is_empty() { target } else { scratch(program, &next)? };
            move_in_order(program, region, &layout, &dimensions, to)?;
            (region, layout) = (to, next);
        }
        Ok(())
    }
}

/// The dimensions of copies of a tensor, with the distances that they mean in it.
fn copies(tensor: &Layout, repeats: impl Fn(usize) -> u64) -> Vec<Dimension<1>> {
    let each = tensor.dimensions.iter().enumerate();
    each.flat_map(|(at, dimension)| [Dimension { size: repeats(at) as u32, strides: [0] }, *dimension]).collect()
}

impl Kernel for TileKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, source, target) = self.program(device.limits()).map_err(too_large)?;
        let input = input_of(inputs, &self.input)?;
        run(device, &program, &[(source, input)], (target, output_of(outputs, &self.output)?))
    }
}
