//! The loops around a kernel.
//!
//! Subsets lie along the kept dimensions, and the elements of one along the reduced ones. Of both, the innermost
//! dimension is the kernel's: it gets a tile of neighbouring subsets and a run of elements. Threads share the tiles, or
//! the elements of each tile where tiles are few.

use std::ops::Range;

use opcert_refusals::Tie;
use rayon::prelude::*;

use crate::argmax::across::Across;
use crate::argmax::along::Along;
use crate::argmax::operator::{Best, Places, in_order};
use crate::argmax::short_rows::{self, ShortRows};
use crate::element::{KeyOf, Order};
use crate::instructions::Instructions;
use crate::sharing::{Shared, for_each_part, parts, threads_for};
use crate::strided::{Dimension, offsets_at, positions};

/// The bytes of a tile's rows, where each has many elements.
const TILE_BYTES: usize = 256 << 10;

/// The bytes of a tile's columns.
const TILE_COLUMN_BYTES: usize = 8192;

/// The most subsets of a tile.
const TILE: usize = 4096;

/// A tensor's dimensions by what is done along them.
#[derive(Clone, Debug)]
pub(super) struct Nest {
    kernel: Kernel,
    kept: Vec<Dimension<2>>,
    /// The innermost of the kept dimensions.
    subsets: Dimension<2>,
    reduced: Vec<Dimension<1>>,
    /// The innermost of the reduced dimensions.
    members: Dimension<1>,
    /// The subsets of a tile.
    tile: usize,
}

#[derive(Clone, Copy, Debug)]
enum Kernel {
    Along,
    ShortRows,
    Across,
}

/// Neighbouring subsets.
#[derive(Clone, Copy, Debug)]
struct Tile {
    /// Where the first one begins in the input and in the output.
    start: [usize; 2],
    size: usize,
}

/// Some of the elements of each subset.
#[derive(Clone, Debug)]
struct Part {
    /// Positions in the reduced dimensions but the innermost one.
    outer: Range<usize>,
    /// Positions in the innermost one.
    members: Range<usize>,
}

/// What is reduced and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduction<O> {
    pub(super) order: O,
    pub(super) tie: Tie,
    pub(super) instructions: Instructions,
    pub(super) places: Places,
}

impl Nest {
    /// The loops for merged dimensions, none of them empty; `None` where no kernel fits the strides.
    pub(super) fn new(width: usize, mut kept: Vec<Dimension<2>>, mut reduced: Vec<Dimension<1>>) -> Option<Self> {
        let members = reduced.pop()?;
        let subsets = kept.pop().unwrap_or(Dimension { size: 1, strides: [0, 0] });
        let (kernel, tile) = if members.strides == [width] {
            let kernel = if members.size <= short_rows::LONGEST { Kernel::ShortRows } else { Kernel::Along };
            (kernel, (TILE_BYTES / (members.size * width)).clamp(8, TILE))
        } else if subsets.strides[0] == width {
            (Kernel::Across, (TILE_COLUMN_BYTES / width).min(TILE))
        } else {
            return None;
        };
        Some(Self { kernel, kept, subsets, reduced, members, tile: tile.min(subsets.size) })
    }

    /// Finds the index of the greatest element of each subset.
    pub(super) fn reduce<O: Order>(&self, reduction: &Reduction<O>, input: &[u8], output: &mut [u8]) {
        let output = Shared::new(output);
        let tiles = positions(&self.kept) * self.subsets.size.div_ceil(self.tile);
        let all = Part { outer: 0..positions(&self.reduced), members: 0..self.members.size };
        let threads = threads_for(input.len());
        if threads == 1 || tiles >= 2 * threads {
            for_each_part(tiles, input.len(), |tiles| {
                let mut best = Best::default();
                for tile in tiles {
                    let tile = self.tile(tile);
                    self.fold(reduction, input, tile, &all, &mut best);
                    self.store(reduction.places, &output, tile, &best);
                }
            });
        } else {
            for tile in (0..tiles).map(|tile| self.tile(tile)) {
                let best = self.fold_shared(reduction, input, tile, &all, threads);
                self.store(reduction.places, &output, tile, &best);
            }
        }
    }

    fn tile(&self, tile: usize) -> Tile {
        let tiles = self.subsets.size.div_ceil(self.tile);
        let first = tile % tiles * self.tile;
        let [input, output] = offsets_at(&self.kept, tile / tiles);
        let [stride, places] = self.subsets.strides;
        Tile {
            start: [input + first * stride, output + first * places],
            size: self.tile.min(self.subsets.size - first),
        }
    }

    /// The elements of one tile, shared among threads.
    fn fold_shared<O: Order>(
        &self,
        reduction: &Reduction<O>,
        input: &[u8],
        tile: Tile,
        all: &Part,
        threads: usize,
    ) -> Best<KeyOf<O>> {
        let fold = |part: Part| {
            let mut best = Best::default();
            self.fold(reduction, input, tile, &part, &mut best);
            best
        };
        let found: Vec<_> = if all.outer.len() >= threads {
            let part = |outer| Part { outer, ..all.clone() };
            parts(all.outer.len(), threads).map(part).map(fold).collect()
        } else {
            let part = |members| Part { members, ..all.clone() };
            parts(all.members.len(), threads).map(part).map(fold).collect()
        };
        let mut best = Best::default();
        best.clear(tile.size, self.first_of_equal(reduction.tie));
        for part in in_order(0..found.len(), reduction.tie) {
            best.merge(&found[part]);
        }
        best
    }

    /// Reduces some of the elements of one tile.
    fn fold<O: Order>(
        &self,
        reduction: &Reduction<O>,
        input: &[u8],
        tile: Tile,
        part: &Part,
        best: &mut Best<KeyOf<O>>,
    ) {
        let Reduction { order, tie, instructions, .. } = *reduction;
        best.clear(tile.size, self.first_of_equal(tie));
        for outer in in_order(part.outer.clone(), tie) {
            let [offset] = offsets_at(&self.reduced, outer);
            let first = part.members.start;
            let input = &input[tile.start[0] + offset + first * self.members.strides[0]..];
            let index = (outer * self.members.size + first) as u64;
            let length = part.members.len();
            let stride = self.subsets.strides[0];
            match self.kernel {
                Kernel::Along => instructions.run(Along { order, tie, input, stride, length, index, best }),
                Kernel::ShortRows => instructions.run(ShortRows { order, tie, input, stride, length, index, best }),
                Kernel::Across => {
                    let stride = self.members.strides[0];
                    instructions.run(Across { order, tie, input, stride, rows: length, index, best });
                }
            }
        }
    }

    /// The index that counts where all elements of a subset are equal.
    fn first_of_equal(&self, tie: Tie) -> u64 {
        match tie {
            Tie::First => 0,
            Tie::Last => (positions(&self.reduced) * self.members.size - 1) as u64,
        }
    }

    fn store<K>(&self, places: Places, output: &Shared<'_>, tile: Tile, best: &Best<K>) {
        let [_, stride] = self.subsets.strides;
        let [_, start] = tile.start;
        let bytes = places.bytes();
        let part = |place: usize, count: usize| {
            #[expect(unsafe_code, reason = "threads write to elements of their own")]
            // SAFETY: each subset is in one tile, each tile is one thread's, and no two subsets have the same place:
            // an operator whose output elements overlap has no nest.
            unsafe {
                output.part(place..place + count * bytes)
            }
        };
        if stride == bytes {
            return places.store_all(part(start, best.at.len()), &best.at);
        }
        for (subset, &at) in best.at.iter().enumerate() {
            places.store(part(start + subset * stride, 1), 0, at);
        }
    }
}
