//! Elements picked from a tensor by indices, bit for bit.

use crate::layout::{Dimension, Layout, coalesced, sizes, strides};
use crate::program::{Program, RegionId, TooLarge, WORD, word};
use crate::relayout::{packed_region, unpack};
use crate::shader::Shader;

/// What is picked from. Each element of an output has a subset of a tensor, and of that subset one element.
#[derive(Clone, Debug)]
pub(crate) struct Picking<'a> {
    /// The memory of the tensor.
    pub(crate) source: RegionId,
    /// Its layout.
    pub(crate) from: &'a Layout,
    /// The dimensions of the output, with the distances that they mean in the tensor.
    pub(crate) kept: Vec<Dimension<1>>,
    /// The dimensions of a subset, in which an index counts. Without them an index is a distance itself.
    pub(crate) reduced: Vec<Dimension<1>>,
}

impl Picking<'_> {
    /// Adds passes that write what stands at the indices in `found`, which are words in the order of the output.
    ///
    /// # Errors
    ///
    /// When there are too many dimensions, or the windows are too small for the tensors.
    pub(crate) fn add_to(
        self,
        program: &mut Program,
        found: RegionId,
        target: RegionId,
        output: &Layout,
    ) -> Result<(), TooLarge> {
        let packed = packed_region(program, target, output)?;
        self.pick(program, found, packed, output)?;
        unpack(program, packed, target, output)
    }

    /// The same, one behind the other. Where an index is beyond the tensor, what stands there stays.
    ///
    /// # Errors
    ///
    /// As for [`Picking::add_to`].
    pub(crate) fn pick(
        self,
        program: &mut Program,
        found: RegionId,
        packed: RegionId,
        output: &Layout,
    ) -> Result<(), TooLarge> {
        let Self { source, from, .. } = self;
        let [kept, reduced] = [self.kept, self.reduced].map(|dimensions| {
            // What `coalesced` leaves where there is nothing is no dimension.
            coalesced(dimensions).into_iter().filter(|dimension| dimension.size != 1).collect::<Vec<_>>()
        });
        let form = kept.len() as u32 | (reduced.len() as u32) << 8 | word(from.width) << 16;
        let all = [kept, reduced].concat();
        let (sizes, strides) = (sizes(&all)?, strides(&all, 0)?);
        let most = program.bindable_anywhere() / from.width.max(WORD);
        for first in (0..output.elements).step_by(most as usize) {
            let written = first..(first + most).min(output.elements);
            let (found, found_base) = program.part_of(found, &written, WORD);
            let (stored, stored_base) = program.part_of(packed, &written, from.width);
            for read in program.windows(from.span, from.width) {
                let source = program.window_of(source, &read, from.width);
                let count = written.end - written.start;
                let mut constants = vec![word(count), word(first), found_base, stored_base, form];
                constants.extend([word(read.start), word(read.end - read.start)]);
                constants.extend(sizes.iter().chain(&strides));
                program.pass(Shader::Pick, vec![(0, source), (1, stored), (2, found)], constants, count)?;
            }
        }
        Ok(())
    }
}
