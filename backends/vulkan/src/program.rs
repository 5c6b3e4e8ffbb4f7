//! What a dispatch does, as data: regions of memory, and passes of shaders over them.

use std::ops::Range;

use crate::options::Limits;
use crate::shader::Shader;

/// Regions begin, and what is bound begins, at multiples of this many bytes: no device may ask for more
/// (`minStorageBufferOffsetAlignment`).
pub(crate) const ALIGNMENT: u64 = 256;

/// A word of memory in bytes.
pub(crate) const WORD: u64 = 4;

/// More passes than this are not recorded: their windows are too small for the tensors.
const MOST_PASSES: usize = 1 << 20;

/// A tensor is more than shaders or the device can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge(pub(crate) String);

/// A region by its number in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegionId(pub(crate) usize);

/// A piece of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// Its length, a multiple of [`ALIGNMENT`].
    pub(crate) bytes: u64,
    /// Whether the host writes it before, and reads it after.
    pub(crate) transfer: Transfer,
}

/// What the host does with a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// Nothing.
    Scratch,
    /// Writes it beforehand.
    Upload,
    /// Reads it afterwards.
    Download,
    /// Both.
    Both,
}

impl Transfer {
    pub(crate) const fn uploads(self) -> bool {
        matches!(self, Self::Upload | Self::Both)
    }

    pub(crate) const fn downloads(self) -> bool {
        matches!(self, Self::Download | Self::Both)
    }
}

/// The part of a region that a shader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    /// The region.
    pub(crate) region: RegionId,
    /// Where it begins, a multiple of [`ALIGNMENT`].
    pub(crate) offset: u64,
    /// Its length.
    pub(crate) bytes: u64,
}

/// One run of a shader. Each sees what those before it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    /// The shader.
    pub(crate) shader: Shader,
    /// What its bindings are, by their numbers.
    pub(crate) bindings: Vec<(u32, Slice)>,
    /// Its parameters, word by word.
    pub(crate) constants: Vec<u32>,
    /// The number of invocations that have work.
    pub(crate) invocations: u64,
}

/// Everything that a dispatch does on the device.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// What it has to keep to.
    pub(crate) limits: Limits,
    /// Its memory.
    pub(crate) regions: Vec<Region>,
    /// Its passes, in order.
    pub(crate) passes: Vec<Pass>,
}

impl Program {
    pub(crate) const fn new(limits: Limits) -> Self {
        Self { limits, regions: Vec::new(), passes: Vec::new() }
    }

    /// A new region of at least so many bytes.
    ///
    /// # Errors
    ///
    /// When no allocation can hold it.
    pub(crate) fn region(&mut self, bytes: u64, transfer: Transfer) -> Result<RegionId, TooLarge> {
        let bytes = bytes.max(1).next_multiple_of(ALIGNMENT);
        let most = self.limits.allocation_bytes;
        if bytes > most {
            return Err(TooLarge(format!("{bytes} bytes for a tensor, and the device allocates {most} at a time")));
        }
        self.regions.push(Region { bytes, transfer });
        Ok(RegionId(self.regions.len() - 1))
    }

    /// Adds a pass; one without invocations does nothing and is left out.
    ///
    /// # Errors
    ///
    /// When there are too many.
    pub(crate) fn pass(
        &mut self,
        shader: Shader,
        bindings: Vec<(u32, Slice)>,
        constants: Vec<u32>,
        invocations: u64,
    ) -> Result<(), TooLarge> {
        if self.passes.len() == MOST_PASSES {
            let window = self.limits.binding_bytes;
            return Err(TooLarge(format!("more than {MOST_PASSES} passes over windows of {window} bytes")));
        }
        debug_assert!(bindings.iter().all(|(_, slice)| self.is_within(slice)), "{shader:?} sees {bindings:?}");
        debug_assert!(constants.len() <= 32, "{shader:?} has {} parameters", constants.len());
        if invocations > 0 {
            self.passes.push(Pass { shader, bindings, constants, invocations });
        }
        Ok(())
    }

    /// Whether a slice lies in its region, begins where it can be bound and is not too long for that.
    fn is_within(&self, slice: &Slice) -> bool {
        let Slice { region, offset, bytes } = *slice;
        offset.is_multiple_of(ALIGNMENT)
            && bytes <= self.limits.binding_bytes
            && offset + bytes <= self.regions[region.0].bytes
    }

    /// A whole region, which has to fit a binding.
    pub(crate) fn whole(&self, region: RegionId) -> Slice {
        Slice { region, offset: 0, bytes: self.regions[region.0].bytes }
    }

    /// Whether a region can be bound at once.
    pub(crate) fn is_bindable(&self, bytes: u64) -> bool {
        bytes.next_multiple_of(ALIGNMENT) <= self.limits.binding_bytes
    }

    /// Cuts `count` elements of `width` bytes into windows: ranges that can be bound, each from its beginning.
    pub(crate) fn windows(&self, count: u64, width: u64) -> Vec<Range<u64>> {
        let most = self.limits.binding_bytes / width;
        (0..count.div_ceil(most)).map(|window| window * most..((window + 1) * most).min(count)).collect()
    }

    /// A window of a region.
    pub(crate) fn window_of(&self, region: RegionId, window: &Range<u64>, width: u64) -> Slice {
        let (slice, before) = self.part_of(region, window, width);
        debug_assert_eq!(before, 0, "a window begins where it can be bound");
        slice
    }

    /// The part of a region with these elements of `width` bytes, and how many elements of it lie before them: what is
    /// bound begins at a multiple of [`ALIGNMENT`].
    pub(crate) fn part_of(&self, region: RegionId, elements: &Range<u64>, width: u64) -> (Slice, u32) {
        debug_assert!(ALIGNMENT.is_multiple_of(width), "elements of {width} bytes begin where nothing can be bound");
        let begin = elements.start * width;
        let offset = begin - begin % ALIGNMENT;
        let bytes = (elements.end * width).next_multiple_of(ALIGNMENT) - offset;
        (Slice { region, offset, bytes }, ((begin - offset) / width) as u32)
    }

    /// So many bytes can be bound wherever they begin.
    pub(crate) const fn bindable_anywhere(&self) -> u64 {
        self.limits.binding_bytes - ALIGNMENT
    }
}

/// A count as shaders take it; layouts have made sure that it fits.
pub(crate) fn word(count: u64) -> u32 {
    debug_assert!(u32::try_from(count).is_ok(), "{count} does not fit a word");
    count as u32
}
