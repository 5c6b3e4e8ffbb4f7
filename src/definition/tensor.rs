//! Tensors as a definition sees them: sizes, places, and elements at places.

use std::cell::OnceCell;
use std::rc::Rc;

use opcert_backend::{DataType, TensorDescriptor};

use super::column::{Column, Data, List, Shape, Value};
use super::number::{Element, Number};
use super::numbers::Numbers;
use super::operations::{Evaluated, MOST_ITEMS, fault, place_of};
use crate::diagnostic::Position;

/// A tensor in logical order; where it lies in memory is none of a definition's business.
pub(super) struct TensorView<'a> {
    pub(super) data_type: DataType,
    pub(super) shape: Rc<Shape>,
    sizes: OnceCell<Value>,
    strides: OnceCell<Value>,
    descriptor: &'a TensorDescriptor,
    bytes: Option<&'a [u8]>,
}

impl<'a> TensorView<'a> {
    pub(super) fn new(
        descriptor: &'a TensorDescriptor,
        number: usize,
        bytes: Option<&'a [u8]>,
    ) -> Result<Self, &'static str> {
        let shape = Shape::new(number, &descriptor.sizes);
        if bytes.is_some_and(|bytes| Some(bytes.len()) != shape.count.checked_mul(descriptor.data_type.bytes())) {
            return Err("has data of another length than its sizes and type");
        }
        let (sizes, strides) = (OnceCell::new(), OnceCell::new());
        Ok(Self { data_type: descriptor.data_type, shape: Rc::new(shape), sizes, strides, descriptor, bytes })
    }

    pub(super) fn sizes(&self) -> Value {
        self.sizes.get_or_init(|| integers(&self.shape.sizes)).clone()
    }

    pub(super) fn strides(&self) -> Option<Value> {
        if self.strides.get().is_none() {
            let strides = self.descriptor.effective_strides()?;
            return Some(self.strides.get_or_init(|| integers(&strides)).clone());
        }
        self.strides.get().cloned()
    }

    pub(super) fn rank(&self) -> usize {
        self.shape.sizes.len()
    }

    /// The elements at places that there are.
    fn elements(&self, bytes: &[u8], places: impl Iterator<Item = usize>) -> Data {
        fn wide<const WIDTH: usize>(bytes: &[u8], at: usize) -> u64 {
            let mut wide = [0; 8];
            wide[..WIDTH].copy_from_slice(&bytes[at * WIDTH..(at + 1) * WIDTH]);
            u64::from_le_bytes(wide)
        }
        // Each width has a loop of its own.
        let bits = match self.data_type.bytes() {
            1 => places.map(|at| bytes[at].into()).collect(),
            2 => places.map(|at| wide::<2>(bytes, at)).collect(),
            4 => places.map(|at| wide::<4>(bytes, at)).collect(),
            _ => places.map(|at| wide::<8>(bytes, at)).collect(),
        };
        Data::Elements(self.data_type, bits)
    }

    /// The element at a place in every lane; `name` is for what is said of a place that there is not.
    pub(super) fn element(&self, name: &str, place: &Column, position: Position) -> Evaluated<Column> {
        let no_data = || fault(position, format!("`{name}` has no data"));
        let shape = &self.shape;
        shape.fault().map_err(|what| fault(position, format!("`{name}` {what}")))?;
        let outside = |coordinates: &Value| match coordinates {
            Value::List(list) => {
                for item in list.iter() {
                    if item.integer().is_none() {
                        return fault(position, format!("{} where a coordinate is needed", item.kind()));
                    }
                }
                let coordinates: Vec<i128> = list.iter().filter_map(|item| item.integer()).collect();
                let sizes = &shape.sizes;
                fault(position, format!("{coordinates:?} is no place in `{name}`, whose sizes are {sizes:?}"))
            }
            other => fault(position, format!("{} where a list is needed", other.kind())),
        };
        match place {
            Column::Same(value) => {
                let Value::List(list) = value else { return Err(outside(value)) };
                let mut index = 0;
                let inside = list.len() == self.rank()
                    && list.iter().enumerate().all(|(dimension, coordinate)| {
                        let coordinate = coordinate.integer().and_then(|value| u64::try_from(value).ok());
                        let coordinate = coordinate.filter(|&value| value < shape.sizes[dimension]);
                        index += coordinate.unwrap_or(0) * shape.steps[dimension];
                        coordinate.is_some()
                    });
                if !inside {
                    return Err(outside(value));
                }
                let bytes = self.bytes.ok_or_else(no_data)?;
                match self.elements(bytes, std::iter::once(index as usize)) {
                    Data::Elements(data_type, bits) => {
                        Ok(Column::Same(Value::Element(Element { bits: bits[0], data_type })))
                    }
                    other => Ok(Column::Same(other.get(0))),
                }
            }
            Column::Lanes(data) => {
                if let Data::Places(of, places) = &**data
                    && of.tensor == shape.tensor
                {
                    let bytes = self.bytes.ok_or_else(no_data)?;
                    return Ok(Column::Lanes(Rc::new(self.elements(bytes, places.iter().map(|&at| at as usize)))));
                }
                let lanes = data.len();
                let of_lane = |lane: usize| outside(&place.get(lane));
                let Some(columns) = place.rows().filter(|columns| columns.len() == self.rank()) else {
                    let fits = |value: &Value| matches!(value, Value::List(list) if list.len() == self.rank());
                    let odd = (0..lanes).find(|&lane| !fits(&place.get(lane)));
                    return Err(of_lane(odd.unwrap_or(0)));
                };
                let mut index = vec![0u64; lanes];
                for (dimension, column) in columns.iter().enumerate() {
                    let (size, step) = (shape.sizes[dimension], shape.steps[dimension]);
                    let numbers = Numbers::of(column);
                    for (lane, index) in index.iter_mut().enumerate() {
                        let coordinate = coordinate_of(numbers.as_ref(), lane, size).ok_or_else(|| of_lane(lane))?;
                        *index += coordinate * step;
                    }
                }
                let bytes = self.bytes.ok_or_else(no_data)?;
                Ok(Column::Lanes(Rc::new(self.elements(bytes, index.iter().map(|&at| at as usize)))))
            }
        }
    }
}

/// Sizes or strides as a list.
pub(super) fn integers(values: &[u64]) -> Value {
    match values.iter().map(|&value| i64::try_from(value)).collect::<Result<Vec<_>, _>>() {
        Ok(values) => Value::integers(values.into_iter()),
        Err(_) => Value::List(List::of(Data::of(values.iter().map(|&value| Value::Integer(value.into())).collect()))),
    }
}

/// The coordinate in a dimension, if it is one.
fn coordinate_of(numbers: Option<&Numbers<'_>>, lane: usize, size: u64) -> Option<u64> {
    let Number::Integer(value) = numbers?.at(lane) else { return None };
    u64::try_from(value).ok().filter(|&value| value < size)
}

/// The places of a tensor that differ from a place in some dimensions only.
pub(super) fn subset(
    shape: &Rc<Shape>,
    place: &Column,
    (dimensions, of_dimensions): &(Column, Position),
    lanes: usize,
    position: Position,
) -> Evaluated<Column> {
    let Column::Same(dimensions) = dimensions else {
        return Err(fault(*of_dimensions, "dimensions that are not the same for all places"));
    };
    let Value::List(dimensions) = dimensions else {
        return Err(fault(*of_dimensions, format!("{} where a list is needed", dimensions.kind())));
    };
    let rank = shape.sizes.len();
    let mut listed = vec![false; rank];
    for dimension in dimensions.iter() {
        let number = dimension.integer();
        let number =
            number.ok_or_else(|| fault(*of_dimensions, format!("{} where an integer is needed", dimension.kind())))?;
        let at = place_of(number, rank).ok_or_else(|| fault(position, format!("there is no dimension {number}")))?;
        listed[at] = true;
    }
    // The places of the block, counted from its first one.
    let mut block = vec![0u64];
    for dimension in (0..rank).filter(|&dimension| listed[dimension]) {
        let (size, step) = (shape.sizes[dimension], shape.steps[dimension]);
        if u128::from(size) * block.len() as u128 > MOST_ITEMS as u128 {
            return Err(fault(position, format!("a list of more than {MOST_ITEMS} items")));
        }
        block = block.iter().flat_map(|&at| (0..size).map(move |coordinate| at + coordinate * step)).collect();
    }
    let columns = place.rows().filter(|columns| columns.len() == rank);
    let columns = columns.ok_or_else(|| {
        let len = if let Value::List(list) = place.get(0) { list.len() } else { 0 };
        fault(position, format!("a place of {len} coordinates in {rank} dimensions"))
    })?;
    let same = matches!(place, Column::Same(_));
    let mut first = vec![0u64; if same { 1 } else { lanes }];
    for dimension in (0..rank).filter(|&dimension| !listed[dimension]) {
        let (size, step) = (shape.sizes[dimension], shape.steps[dimension]);
        let numbers = Numbers::of(&columns[dimension]);
        for (lane, first) in first.iter_mut().enumerate() {
            let coordinate = coordinate_of(numbers.as_ref(), lane, size);
            let outside =
                || fault(position, format!("a place that is none of the tensor's, whose sizes are {:?}", shape.sizes));
            *first += coordinate.ok_or_else(outside)? * step;
        }
    }
    if first.len().checked_mul(block.len()).is_none_or(|count| count > MOST_ITEMS) {
        return Err(fault(position, format!("more than {MOST_ITEMS} places at once")));
    }
    let places = first.iter().flat_map(|first| block.iter().map(move |at| first + at)).collect();
    let items = Rc::new(Data::Places(Rc::clone(shape), places));
    if same {
        return Ok(Column::Same(Value::List(List { first: 0, end: items.len(), items })));
    }
    let bounds = (0..lanes).map(|lane| (lane * block.len(), (lane + 1) * block.len())).collect();
    Ok(Column::Lanes(Rc::new(Data::Lists { items, bounds })))
}
