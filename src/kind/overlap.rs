//! Whether two elements of a tensor share a place in memory.
//!
//! Two elements do if the steps between them, each times its stride, add up to 0. Strides are gone through from the
//! longest to the shortest; a number of steps is tried only if the shorter strides can make up for it, by their length
//! and by their common divisors. That settles usual layouts in a few steps, and any layout of two dimensions in one. The
//! question is as hard as finding a sum among numbers, so that the search gives up after [`MOST_STEPS`].

use std::iter::zip;

use opcert_backend::TensorDescriptor;

/// What became of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Overlap {
    /// Two elements share a place: which.
    Found(String),
    /// No two do.
    None,
    /// The search took too long.
    Undecided,
}

/// How many numbers of steps are tried.
const MOST_STEPS: u32 = 1 << 16;
/// Beyond this reach, in elements, sums may not fit.
const MOST_REACH: i128 = 1 << 62;

/// Looks for two elements in one place.
pub(crate) fn overlap(tensor: &TensorDescriptor) -> Overlap {
    let Some(strides) = &tensor.strides else { return Overlap::None };
    let mut dimensions: Vec<Dimension> = zip(strides, &tensor.sizes)
        .enumerate()
        .filter(|(_, (_, size))| **size > 1)
        .map(|(number, (&stride, &size))| Dimension { number, stride: stride.into(), most: i128::from(size) - 1 })
        .collect();
    dimensions.sort_unstable_by_key(|dimension| (std::cmp::Reverse(dimension.stride), dimension.number));
    let mut search =
        Search { behind: vec![(0, 0); dimensions.len() + 1], dimensions, steps: Vec::new(), left: MOST_STEPS };
    for (at, dimension) in search.dimensions.iter().enumerate().rev() {
        let (reach, divisor) = search.behind[at + 1];
        let Some(further) = dimension.most.checked_mul(dimension.stride).filter(|further| *further <= MOST_REACH)
        else {
            return Overlap::Undecided;
        };
        search.behind[at] = (reach + further, gcd(divisor, dimension.stride));
    }
    match search.find(0, 0) {
        Some(true) => Overlap::Found(search.shown(tensor.sizes.len())),
        Some(false) => Overlap::None,
        None => Overlap::Undecided,
    }
}

struct Dimension {
    number: usize,
    stride: i128,
    /// The most steps between two elements.
    most: i128,
}

struct Search {
    /// Those with more than one element, the longest stride first.
    dimensions: Vec<Dimension>,
    /// From each dimension on, how far all strides reach together, and their greatest common divisor.
    behind: Vec<(i128, i128)>,
    /// The steps that are being tried.
    steps: Vec<i128>,
    left: u32,
}

impl Search {
    /// Whether steps from this dimension on can undo a distance, which is that of the steps so far. `None` when it takes
    /// too long.
    fn find(&mut self, at: usize, distance: i128) -> Option<bool> {
        let Some(&Dimension { stride, most, .. }) = self.dimensions.get(at) else {
            return Some(distance == 0 && self.steps.iter().any(|&steps| steps != 0));
        };
        let (reach, divisor) = self.behind[at + 1];
        // Of two elements either may be the first one, so that the first steps can be taken forwards.
        let least = if self.steps.iter().all(|&steps| steps == 0) { 0 } else { -most };
        let (low, high) = match stride {
            0 => (least, most),
            _ => (least.max(-(reach + distance).div_euclid(stride)), most.min((reach - distance).div_euclid(stride))),
        };
        let Some((first, period)) = fitting(stride, distance, divisor) else { return Some(false) };
        let mut steps = low + (first - low).rem_euclid(period);
        while steps <= high {
            self.left = self.left.checked_sub(1)?;
            self.steps.push(steps);
            if self.find(at + 1, distance + steps * stride)? {
                return Some(true);
            }
            self.steps.pop();
            steps += period;
        }
        Some(false)
    }

    /// The two elements, as coordinates.
    fn shown(&self, count: usize) -> String {
        let (mut one, mut other) = (vec![0; count], vec![0; count]);
        for (dimension, &steps) in zip(&self.dimensions, &self.steps) {
            one[dimension.number] = steps.max(0);
            other[dimension.number] = (-steps).max(0);
        }
        format!("its elements at {one:?} and {other:?} share a place")
    }
}

/// Which numbers of steps leave a distance that a divisor divides: the least one that is not negative, and how far the
/// next one is. A divisor of 0 divides 0 alone.
fn fitting(stride: i128, distance: i128, divisor: i128) -> Option<(i128, i128)> {
    if divisor == 0 {
        return Some((0, 1));
    }
    let common = gcd(stride, divisor);
    let period = divisor / common;
    if distance % common != 0 {
        return None;
    }
    let first = (-distance / common).rem_euclid(period) * inverse((stride / common).rem_euclid(period), period);
    Some((first.rem_euclid(period), period))
}

fn gcd(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// The number that makes 1 of another by multiplication, up to multiples of a period that has no divisor in common.
fn inverse(number: i128, period: i128) -> i128 {
    let (mut remainders, mut factors) = ((period, number), (0, 1));
    while remainders.1 != 0 {
        let quotient = remainders.0 / remainders.1;
        remainders = (remainders.1, remainders.0 - quotient * remainders.1);
        factors = (factors.1, factors.0 - quotient * factors.1);
    }
    factors.0.rem_euclid(period)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use opcert_backend::DataType;

    use super::*;

    fn tensor(sizes: &[u64], strides: &[u64]) -> TensorDescriptor {
        TensorDescriptor { strides: Some(strides.to_vec()), ..TensorDescriptor::packed(DataType::U8, sizes) }
    }

    /// Whether two elements share a place, by going through all of them.
    fn shares(sizes: &[u64], strides: &[u64]) -> bool {
        let mut places = vec![0];
        for (&size, &stride) in zip(sizes, strides) {
            places = places.iter().flat_map(|&place| (0..size).map(move |at| place + at * stride)).collect();
        }
        places.iter().collect::<BTreeSet<_>>().len() < places.len()
    }

    #[test]
    fn it_agrees_with_a_list_of_all_places() {
        let sizes: [&[u64]; 5] = [&[2, 3], &[3, 2, 2], &[2, 1, 4], &[4, 3, 2, 2], &[5]];
        for sizes in sizes {
            let mut strides = vec![0; sizes.len()];
            for number in 0..8_u64.pow(sizes.len() as u32) {
                for (at, stride) in strides.iter_mut().enumerate() {
                    *stride = number / 8_u64.pow(at as u32) % 8;
                }
                let found = overlap(&tensor(sizes, &strides));
                assert_eq!(matches!(found, Overlap::Found(_)), shares(sizes, &strides), "{sizes:?} {strides:?}");
                assert_ne!(found, Overlap::Undecided);
            }
        }
    }

    #[test]
    fn it_names_two_elements_in_one_place() {
        let message = "its elements at [1, 0] and [0, 2] share a place".to_owned();
        assert_eq!(overlap(&tensor(&[3, 4], &[6, 3])), Overlap::Found(message));
    }

    #[test]
    fn large_layouts_are_settled_at_once() {
        // Interleaved: 65537 and 65536 have no divisor in common, so that rows meet after as many steps.
        assert_eq!(overlap(&tensor(&[65536, 65537], &[65537, 65536])), Overlap::None);
        assert!(matches!(overlap(&tensor(&[65537, 65538], &[65537, 65536])), Overlap::Found(_)));
        assert_eq!(overlap(&tensor(&[2, 2], &[1 << 62, 1])), Overlap::None);
        assert_eq!(overlap(&tensor(&[u64::MAX, 2], &[u64::MAX, 1])), Overlap::Undecided);
    }

    #[test]
    fn an_inverse_makes_one() {
        for period in 2..40 {
            for number in (1..period).filter(|&number| gcd(number, period) == 1) {
                assert_eq!(number * inverse(number, period) % period, 1, "{number} {period}");
            }
        }
        assert_eq!(fitting(6, 3, 9).unwrap(), (1, 3));
        assert_eq!(fitting(6, 2, 9), None);
    }
}
