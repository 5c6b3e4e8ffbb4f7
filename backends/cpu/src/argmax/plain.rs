//! One element after the other, whatever the strides are.

use opcert_refusals::Tie;

use crate::argmax::operator::Places;
use crate::element::{Key, Order, Word};
use crate::strided::Walk;

/// The walks over a tensor.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    /// Each subset: its first element in the input, and its place in the output.
    pub(super) subsets: Walk<2>,
    /// The elements of one subset, relative to its first, in row-major order over the reduced dimensions.
    pub(super) members: Walk<1>,
}

impl Plain {
    pub(super) fn reduce<O: Order>(&mut self, order: O, tie: Tie, input: &[u8], output: &mut [u8], places: Places) {
        let key = |offset: usize| order.key(O::Word::elements(&input[offset..])[0]);
        self.subsets.for_each(|[first, place]| {
            let mut best = Key::LEAST;
            let mut at = 0;
            let mut index = 0;
            self.members.for_each(|[offset]| {
                let candidate = key(first + offset);
                let wins = match tie {
                    Tie::First => candidate > best,
                    Tie::Last => candidate >= best,
                };
                if wins {
                    (best, at) = (candidate, index);
                }
                index += 1;
            });
            places.store(output, place, at);
        });
    }
}
