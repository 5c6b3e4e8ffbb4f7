//! Lists, most of which are not written out: numbers in a row, and the places of a tensor.

use std::rc::Rc;

use super::value::{Place, Value};

#[derive(Debug)]
pub(super) enum Sequence {
    Items(Vec<Value>),
    /// So many numbers, from the first one on, each a step further.
    Numbers { first: i128, step: i128, len: usize },
    /// Places in row-major order: the coordinates of one, moved by less than a size in each dimension.
    Places { origin: Place, sizes: Place, len: usize },
}

impl Sequence {
    /// `None` where there are more than can be counted.
    pub(super) fn places(origin: Place, sizes: Place) -> Option<Self> {
        let len = sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(usize::try_from(size).ok()?))?;
        Some(Self::Places { origin, sizes, len })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Items(items) => items.len(),
            Self::Numbers { len, .. } | Self::Places { len, .. } => *len,
        }
    }

    /// The item at a position that there is.
    pub(super) fn get(&self, at: usize) -> Value {
        match self {
            Self::Items(items) => items[at].clone(),
            Self::Numbers { first, step, .. } => Value::Integer(first + step * at as i128),
            Self::Places { origin, sizes, .. } => {
                let mut place = origin.clone();
                let mut rest = at as i64;
                for (coordinate, &size) in std::iter::zip(&mut place, sizes).rev() {
                    *coordinate += rest % size;
                    rest /= size;
                }
                Value::Place(place)
            }
        }
    }

    /// All items, in order.
    pub(super) fn iter(self: &Rc<Self>) -> Iter {
        let place = match &**self {
            Self::Places { origin, .. } => origin.clone(),
            _ => Place::new(),
        };
        Iter { sequence: Rc::clone(self), at: 0, place }
    }
}

pub(super) struct Iter {
    sequence: Rc<Sequence>,
    at: usize,
    /// The next place, where the items are places.
    place: Place,
}

impl Iterator for Iter {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if self.at >= self.sequence.len() {
            return None;
        }
        let item = match &*self.sequence {
            Sequence::Places { origin, sizes, .. } => {
                let item = Value::Place(self.place.clone());
                for dimension in (0..sizes.len()).rev() {
                    self.place[dimension] += 1;
                    if self.place[dimension] < origin[dimension] + sizes[dimension] {
                        break;
                    }
                    self.place[dimension] = origin[dimension];
                }
                item
            }
            other => other.get(self.at),
        };
        self.at += 1;
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_in_row_major_order() {
        let places = Sequence::places(Place::from_slice(&[0, 5, 0]), Place::from_slice(&[2, 1, 3])).unwrap();
        let places = Rc::new(places);
        let expected: Vec<[i64; 3]> = (0..2).flat_map(|row| (0..3).map(move |column| [row, 5, column])).collect();
        let place = |value: Value| match value {
            Value::Place(place) => place.to_vec(),
            other => panic!("{other:?}"),
        };
        assert_eq!(places.iter().map(place).collect::<Vec<_>>(), expected);
        assert_eq!((0..6).map(|at| place(places.get(at))).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_tensor_without_dimensions_has_one_place_and_an_empty_one_none() {
        let scalar = Rc::new(Sequence::places(Place::new(), Place::new()).unwrap());
        assert_eq!((scalar.len(), scalar.iter().count()), (1, 1));
        let empty = Rc::new(Sequence::places(Place::from_slice(&[0, 0]), Place::from_slice(&[0, 3])).unwrap());
        assert_eq!((empty.len(), empty.iter().count()), (0, 0));
        let huge = Place::from_slice(&[i64::MAX, 4]);
        assert!(Sequence::places(Place::from_slice(&[0, 0]), huge).is_none());
    }
}
