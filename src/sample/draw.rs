//! What samples are drawn with: sizes, layouts, data of any length.

use opcert_backend::{Constant, DataType, Descriptor, NamedAttribute, NamedTensor, Role, TensorDescriptor};

use super::choices::Choices;
use super::layout;
use crate::case::Data;
use crate::check::InputData;
use crate::kind::{Drawing, MOST_DIMENSIONS, Solved};
use crate::layout::{gather, lay_out};
use crate::spec::{Level, Operator};

/// A sample is drawn with these.
pub(crate) struct Draw<'a, 'c> {
    /// The source of every decision.
    pub(crate) choices: &'a mut Choices<'c>,
    /// The operator.
    pub(crate) operator: &'a Operator,
    /// The level.
    pub(crate) level: Level,
    /// Whether tensors may have strides.
    pub(crate) strided: bool,
    /// Whether the data matters: it is plain otherwise.
    pub(crate) data: bool,
    /// Whether a dimension of each shape that is drawn has no place. Not every operator takes that.
    pub(crate) empty: bool,
}

/// A valid descriptor with data.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// The descriptor, with sizes in memory only where they are stated.
    pub(crate) descriptor: Descriptor,
    /// The inputs.
    pub(crate) inputs: Vec<InputData>,
}

/// Tensors have about so many elements, unless one dimension is long.
const ELEMENTS: u64 = 32;
/// The sizes of dimensions, the plainest first.
const SIZES: [(u64, u64); 5] = [(6, 1), (4, 2), (3, 3), (1, 4), (1, 5)];
/// The sizes of a long dimension: around the widths in which memory and threads come. The first ones are there for a
/// shape that shrinks.
const LONG: [(u64, u64); 9] = [(1, 2), (1, 3), (8, 17), (8, 33), (4, 64), (4, 65), (2, 128), (1, 257), (1, 1025)];
/// One shape of so many has a long dimension.
const LONG_ONCE_IN: u64 = 44;
/// A tensor with more elements than are usual begins with so many of its own, and repeats some of them behind.
const FIRST: usize = 16;
/// So many elements behind the first ones are exceptions.
const EXCEPTIONS: usize = 8;

impl Drawing for Draw<'_, '_> {
    fn below(&mut self, bound: u64) -> u64 {
        self.choices.below(bound)
    }

    /// The sizes of a small tensor; once in a while one dimension is long.
    fn sizes(&mut self, count: usize) -> Vec<u64> {
        let mut room = ELEMENTS;
        let mut sizes = Vec::with_capacity(count);
        for _ in 0..MOST_DIMENSIONS {
            let size = self.choices.weighted(&SIZES).min(room);
            if sizes.len() < count {
                room /= size;
                sizes.push(size);
            }
        }
        // Drawn last, so that without it the shape is the same but for this dimension.
        let is_long = self.choices.once_in(LONG_ONCE_IN) && count > 0;
        let (dimension, long) = (self.choices.below(count as u64) as usize, self.choices.weighted(&LONG));
        if is_long {
            sizes[dimension] = long;
            let others = sizes.iter_mut().enumerate().filter(|(other, _)| *other != dimension);
            others.filter(|(_, size)| **size > 1).skip(1).for_each(|(_, size)| *size = 1);
        }
        if self.empty && count > 0 {
            sizes[self.choices.below(count as u64) as usize] = 0;
        }
        sizes
    }

    fn defined(&self, solved: &Solved, by: &str) -> Option<Vec<u64>> {
        let operator = self.operator;
        let parts = operator.tensors.iter().zip(&solved.types).zip(&solved.sizes);
        let parts = parts.zip(&solved.present).filter(|(_, given)| **given);
        let tensors = parts.map(|(((tensor, data_type), sizes), _)| NamedTensor {
            name: tensor.name.clone(),
            role: tensor.role,
            tensor: TensorDescriptor::packed(*data_type, sizes.clone()),
        });
        let attributes = operator.attributes.iter().zip(&solved.attributes);
        let attributes =
            attributes.map(|(attribute, value)| NamedAttribute { name: attribute.name.clone(), value: value.clone() });
        let descriptor = self.descriptor(tensors.collect(), attributes.collect());
        operator.definition.sizes_by_descriptor(by, &descriptor).ok()
    }
}

impl Draw<'_, '_> {
    /// The same sizes, or once in a while the first ones are 1. Two numbers are drawn whatever it is.
    pub(crate) fn with_leading_ones(&mut self, mut sizes: Vec<u64>) -> Vec<u64> {
        let (with_ones, ones) = (self.choices.once_in(4), 1 + self.choices.below(sizes.len() as u64) as usize);
        let ones = if with_ones { ones.min(sizes.len()) } else { 0 };
        sizes[..ones].fill(1);
        sizes
    }

    /// A tensor of a type and sizes, somehow laid out.
    pub(crate) fn tensor(&mut self, name: &str, role: Role, data_type: DataType, sizes: Vec<u64>) -> NamedTensor {
        let mut tensor = TensorDescriptor::packed(data_type, sizes);
        if self.operator.family.layouts {
            layout::draw(self.choices, &self.operator.family, self.strided, role, &mut tensor);
        }
        NamedTensor { name: name.to_owned(), role, tensor }
    }

    /// The data of an input, element by element; of a long one only so much is drawn as tells it apart from others.
    pub(crate) fn data(
        &mut self,
        entry: &NamedTensor,
        mut element: impl FnMut(&mut Choices<'_>, usize) -> u64,
    ) -> InputData {
        let count = entry.tensor.element_count().unwrap_or(0) as usize;
        let mut plain = Choices::replay(&[]).unrecorded();
        let choices = if self.data { &mut *self.choices } else { &mut plain };
        if count as u64 <= ELEMENTS {
            return input_data(entry, (0..count).map(|index| element(choices, index)));
        }
        let mut elements: Vec<u64> = (0..FIRST).map(|index| element(choices, index)).collect();
        let period = 1 + choices.below(FIRST as u64) as usize;
        elements.extend((FIRST..count).map(|index| elements[index % period]).collect::<Vec<_>>());
        for _ in 0..EXCEPTIONS {
            let place = FIRST + choices.below((count - FIRST) as u64) as usize;
            elements[place] = element(choices, place);
        }
        input_data(entry, elements.into_iter())
    }

    /// A descriptor of these parts.
    pub(crate) fn descriptor(&self, tensors: Vec<NamedTensor>, attributes: Vec<NamedAttribute>) -> Descriptor {
        Descriptor {
            operator: self.operator.id.clone(),
            level: self.operator.family.level_name(self.level).to_owned(),
            tensors,
            attributes,
            constants: Vec::<Constant>::new(),
        }
    }
}

/// The data of an input that has these elements. Those that share memory are made equal.
pub(crate) fn input_data(entry: &NamedTensor, elements: impl ExactSizeIterator<Item = u64>) -> InputData {
    let tensor = &entry.tensor;
    let mut bytes = Vec::with_capacity(elements.len() * tensor.data_type.bytes());
    elements.for_each(|bits| super::values::push(&mut bytes, bits, tensor.data_type));
    if !tensor.is_packed() {
        let mut memory = vec![0; tensor.span_bytes().unwrap_or(0) as usize];
        lay_out(tensor, &bytes, &mut memory);
        bytes.copy_from_slice(&gather(tensor, &memory));
    }
    InputData { name: entry.name.clone(), data: Data::Elements(bytes) }
}
