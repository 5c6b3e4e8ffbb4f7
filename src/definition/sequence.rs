//! Lists, most of which are not written out: numbers in a row, and places of a tensor.

use std::rc::Rc;

use super::value::{Place, Spot, Value};

#[derive(Debug)]
pub(super) enum Sequence {
    Items(Vec<Value>),
    /// So many numbers, from the first one on, each a step further.
    Numbers { first: i128, step: i128, len: usize },
    Places(Places),
}

/// Places of a tensor in row-major order: the coordinates of one, moved by less than a size in each dimension.
#[derive(Debug)]
pub(super) struct Places {
    /// The tensor's number.
    tensor: usize,
    origin: Place,
    sizes: Place,
    /// How many elements of the tensor a step in each dimension passes over.
    strides: Place,
    /// The number of the tensor's element at the origin.
    first: usize,
    len: usize,
}

impl Sequence {
    /// All places of a tensor with these sizes. `None` where there are more than can be counted.
    pub(super) fn places(tensor: usize, sizes: &Place) -> Option<Self> {
        Self::subset(tensor, sizes, sizes.iter().map(|_| 0).collect(), sizes.clone())
    }

    /// The places of a tensor with sizes `whole` that lie in a block of it.
    pub(super) fn subset(tensor: usize, whole: &Place, origin: Place, sizes: Place) -> Option<Self> {
        let product = |sizes: &[i64]| {
            sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(usize::try_from(size).ok()?))
        };
        let (_, len) = (product(whole)?, product(&sizes)?);
        let stride = |dimension: usize| Some(product(&whole[dimension + 1..])? as i64);
        let strides: Place = (0..whole.len()).map(stride).collect::<Option<_>>()?;
        let first = std::iter::zip(&origin, &strides).map(|(at, stride)| at * stride).sum::<i64>() as usize;
        Some(Self::Places(Places { tensor, origin, sizes, strides, first, len }))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Items(items) => items.len(),
            Self::Numbers { len, .. } | Self::Places(Places { len, .. }) => *len,
        }
    }

    /// The item at a position that there is.
    pub(super) fn get(&self, at: usize) -> Value {
        match self {
            Self::Items(items) => items[at].clone(),
            Self::Numbers { first, step, .. } => Value::Integer(first + step * at as i128),
            Self::Places(Places { tensor, origin, sizes, strides, first, .. }) => {
                let (mut place, mut element) = (origin.clone(), *first);
                let mut rest = at as i64;
                for dimension in (0..sizes.len()).rev() {
                    let step = rest % sizes[dimension];
                    place[dimension] += step;
                    element += (step * strides[dimension]) as usize;
                    rest /= sizes[dimension];
                }
                Value::Place(Rc::new(Spot { place, element: Some((*tensor, element)) }))
            }
        }
    }

    /// All items, in order.
    pub(super) fn iter(self: &Rc<Self>) -> Iter {
        let next = match &**self {
            Self::Places(Places { tensor, origin, first, .. }) => {
                Some(Rc::new(Spot { place: origin.clone(), element: Some((*tensor, *first)) }))
            }
            _ => None,
        };
        Iter { sequence: Rc::clone(self), at: 0, next }
    }
}

pub(super) struct Iter {
    sequence: Rc<Sequence>,
    at: usize,
    /// The place that was given last, where the items are places.
    next: Option<Rc<Spot>>,
}

impl Iterator for Iter {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if self.at >= self.sequence.len() {
            return None;
        }
        let item = match (&*self.sequence, &mut self.next) {
            (Sequence::Places(places), Some(spot)) => {
                if self.at > 0 {
                    // In place, unless somebody has kept the one before.
                    places.step(Rc::make_mut(spot));
                }
                Value::Place(Rc::clone(spot))
            }
            (other, _) => other.get(self.at),
        };
        self.at += 1;
        Some(item)
    }
}

impl Places {
    /// From one place to the next.
    fn step(&self, spot: &mut Spot) {
        let mut element = spot.element.map_or(0, |(_, element)| element as i64);
        for dimension in (0..self.sizes.len()).rev() {
            let (at, stride) = (&mut spot.place[dimension], self.strides[dimension]);
            *at += 1;
            element += stride;
            if *at < self.origin[dimension] + self.sizes[dimension] {
                break;
            }
            *at = self.origin[dimension];
            element -= self.sizes[dimension] * stride;
        }
        spot.element = Some((self.tensor, element as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(value: Value) -> (Vec<i64>, Option<(usize, usize)>) {
        match value {
            Value::Place(spot) => (spot.place.to_vec(), spot.element),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn places_come_in_row_major_order_and_know_their_elements() {
        let (whole, origin) = (Place::from_slice(&[2, 7, 3]), Place::from_slice(&[0, 5, 0]));
        let places = Sequence::subset(4, &whole, origin, Place::from_slice(&[2, 1, 3])).unwrap();
        let places = Rc::new(places);
        let expected = (0..2).flat_map(|row| {
            (0..3).map(move |column| (vec![row, 5, column], Some((4, (row * 21 + 15 + column) as usize))))
        });
        let expected: Vec<_> = expected.collect();
        assert_eq!(places.iter().map(spot).collect::<Vec<_>>(), expected);
        assert_eq!((0..6).map(|at| spot(places.get(at))).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_place_that_is_kept_stays_what_it_is() {
        let places = Rc::new(Sequence::places(0, &Place::from_slice(&[3])).unwrap());
        let kept: Vec<Value> = places.iter().collect();
        let kept: Vec<_> = kept.into_iter().map(|value| spot(value).0).collect();
        assert_eq!(kept, [[0], [1], [2]]);
    }

    #[test]
    fn a_tensor_without_dimensions_has_one_place_and_an_empty_one_none() {
        let scalar = Rc::new(Sequence::places(0, &Place::new()).unwrap());
        assert_eq!((scalar.len(), scalar.iter().count()), (1, 1));
        let empty = Rc::new(Sequence::places(0, &Place::from_slice(&[0, 3])).unwrap());
        assert_eq!((empty.len(), empty.iter().count()), (0, 0));
        assert!(Sequence::places(0, &Place::from_slice(&[i64::MAX, 4])).is_none());
    }
}
