//! Reduces along rows of a few elements, where a loop for each row would cost more than what it does.
//!
//! A row is one vector of the next usual length, folded in halves until one key is left; the lanes with that key are the
//! bits of a number. The lanes behind the row's end hold what follows it in memory, and do not count.

use opcert_refusals::Tie;

use crate::argmax::operator::Best;
use crate::element::{Key, KeyOf, Order, Word};
use crate::instructions::Kernel;

/// Rows of up to as many elements are short.
pub(super) const LONGEST: usize = 64;

/// The rows that are folded before their positions are looked at.
const BATCH: usize = 64;

/// Folds each row into the state of its subset.
pub(super) struct ShortRows<'a, O: Order> {
    pub(super) order: O,
    pub(super) tie: Tie,
    /// From the first element of the first row on.
    pub(super) input: &'a [u8],
    /// The bytes from one row to the next.
    pub(super) stride: usize,
    /// The elements of a row, 1 to [`LONGEST`].
    pub(super) length: usize,
    /// The index of a row's first element in its subset.
    pub(super) index: u64,
    /// The rows, one subset each.
    pub(super) best: &'a mut Best<KeyOf<O>>,
}

impl<O: Order> Kernel for ShortRows<'_, O> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        match self.length {
            0..=4 => self.fold::<4>(),
            5..=8 => self.fold::<8>(),
            9..=16 => self.fold::<16>(),
            17..=32 => self.fold::<32>(),
            _ => self.fold::<LONGEST>(),
        }
    }
}

impl<O: Order> ShortRows<'_, O> {
    #[inline(always)]
    fn fold<const LANES: usize>(&mut self) {
        let Self { order, length, stride, input, tie, .. } = *self;
        let subsets = self.best.keys.len();
        for first in (0..subsets).step_by(BATCH) {
            let rows = BATCH.min(subsets - first);
            let mut greatest: [KeyOf<O>; BATCH] = [Key::LEAST; BATCH];
            let mut equal = [0; BATCH];
            for row in 0..rows {
                let elements = O::Word::elements(&input[(first + row) * stride..]);
                (greatest[row], equal[row]) = match elements.first_chunk::<LANES>() {
                    Some(lanes) if length == LANES => folded(order, lanes, LANES),
                    Some(lanes) => folded(order, lanes, length),
                    None => {
                        let mut lanes = [O::Word::default().to_bytes(); LANES];
                        lanes[..length].copy_from_slice(&elements[..length]);
                        folded(order, &lanes, length)
                    }
                };
            }
            for row in 0..rows {
                let position = match tie {
                    Tie::First => equal[row].trailing_zeros(),
                    Tie::Last => equal[row].ilog2(),
                };
                self.best.fold(first + row, greatest[row], self.index + u64::from(position));
            }
        }
    }
}

/// The greatest key of the first lanes, and the bits of those that have it.
#[inline(always)]
fn folded<O: Order, const LANES: usize>(
    order: O,
    lanes: &[<O::Word as Word>::Bytes; LANES],
    length: usize,
) -> (KeyOf<O>, u64) {
    let mut keys: [KeyOf<O>; LANES] = [Key::LEAST; LANES];
    for (key, bytes) in keys.iter_mut().zip(lanes) {
        *key = order.key(*bytes);
    }
    for key in &mut keys[length..] {
        *key = Key::LEAST;
    }
    let mut greatest = keys;
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            greatest[lane] = greatest[lane].max(greatest[lane + half]);
        }
        half /= 2;
    }
    let mut equal = 0;
    for (lane, key) in keys.iter().enumerate() {
        equal |= u64::from(*key == greatest[0]) << lane;
    }
    (greatest[0], equal & (u64::MAX >> (u64::BITS as usize - length)))
}
