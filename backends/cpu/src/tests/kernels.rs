//! Every kernel with every set of instructions on random tensors: lengths around the widths of vectors and blocks,
//! alignments, tails, layouts, threads.
//!
//! Expected values are worked out one logical position after the other, from coordinates and numbers.

use half::{bf16, f16};
use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, AXIS_DIRECTION_INCREASING};
use opcert_backend::{DataType, Descriptor, Input, Operator, Output, Role, TensorDescriptor};
use opcert_refusals::{Extreme, Nan, Reduction, Tie};

use super::{POISON, argmax, non_zero, nonzero, one_hot, packed, strided, tosa_argmax};
use crate::argmax::ArgMaxOperator;
use crate::instructions::Instructions;
use crate::nonzero_coordinates::{NonZeroOperator, NonzeroCoordinatesOperator};
use crate::one_hot::OneHotOperator;

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Up to four sizes with about as many elements as `limit` at most.
    fn sizes(&mut self, limit: u64) -> Vec<u64> {
        let lengths =
            [1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 129, 255, 257, 1000, 2049, 5000];
        let mut sizes = Vec::new();
        let mut elements = 1;
        for _ in 0..=self.below(4) {
            let size = self.pick(&lengths);
            let size = if elements * size > limit { self.pick(&[1, 2, 3]) } else { size };
            elements *= size;
            sizes.push(size);
        }
        for last in (1..sizes.len()).rev() {
            sizes.swap(last, self.below(last as u64 + 1) as usize);
        }
        sizes
    }

    /// Packed, padded or transposed.
    fn tensor(&mut self, data_type: DataType, sizes: &[u64]) -> TensorDescriptor {
        if self.below(2) == 0 {
            return packed(data_type, sizes);
        }
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        if self.below(2) == 0 {
            let (one, other) = (self.below(sizes.len() as u64) as usize, self.below(sizes.len() as u64) as usize);
            order.swap(one, other);
        }
        let mut strides = vec![0; sizes.len()];
        let mut stride = 1;
        for dimension in order.into_iter().rev() {
            strides[dimension] = stride;
            stride = stride * sizes[dimension] + self.pick(&[0, 0, 0, 1, 3]);
        }
        strided(data_type, sizes, &strides)
    }
}

/// Memory that begins at any address.
struct Memory {
    bytes: Vec<u8>,
    start: usize,
}

impl Memory {
    fn new(length: usize, start: u64, fill: u8) -> Self {
        let start = start as usize;
        Self { bytes: vec![fill; start + length + 64], start }
    }

    fn span(&mut self, length: usize) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + length]
    }
}

/// Dispatches on memory of random alignment; the outputs' memory.
fn dispatch(
    operator: &mut dyn Operator,
    descriptor: &Descriptor,
    inputs: &[Vec<u8>],
    numbers: &mut Numbers,
) -> Vec<Vec<u8>> {
    let of = |role| descriptor.tensors.iter().filter(move |entry| entry.role == role);
    let mut input_memory: Vec<Memory> = inputs
        .iter()
        .map(|bytes| {
            let mut memory = Memory::new(bytes.len(), numbers.below(64), 0);
            memory.span(bytes.len()).copy_from_slice(bytes);
            memory
        })
        .collect();
    let spans: Vec<usize> = of(Role::Output).map(|entry| entry.tensor.span_bytes().unwrap() as usize).collect();
    let mut output_memory: Vec<Memory> =
        spans.iter().map(|span| Memory::new(*span, numbers.below(64), POISON)).collect();
    let bound: Vec<Input<'_>> = of(Role::Input)
        .zip(input_memory.iter_mut().zip(inputs))
        .map(|(entry, (memory, bytes))| Input {
            name: &entry.name,
            tensor: &entry.tensor,
            bytes: memory.span(bytes.len()),
        })
        .collect();
    let mut outputs: Vec<Output<'_>> = of(Role::Output)
        .zip(output_memory.iter_mut().zip(&spans))
        .map(|(entry, (memory, span))| Output {
            name: &entry.name,
            tensor: &entry.tensor,
            bytes: memory.span(*span),
            poison: POISON,
        })
        .collect();
    operator.dispatch(&bound, &mut outputs).unwrap();
    for memory in &output_memory {
        let length = memory.bytes.len() - 64;
        let outside = memory.bytes[..memory.start].iter().chain(&memory.bytes[length..]);
        assert!(outside.into_iter().all(|byte| *byte == POISON), "memory outside of an output was written");
    }
    output_memory.iter_mut().zip(spans).map(|(memory, span)| memory.span(span).to_vec()).collect()
}

/// Every position of some sizes in row-major order.
fn positions(sizes: &[u64]) -> impl Iterator<Item = Vec<u64>> {
    let count: u64 = sizes.iter().product();
    let sizes = sizes.to_vec();
    (0..count).map(move |mut element| {
        let mut position = vec![0; sizes.len()];
        for (coordinate, size) in position.iter_mut().zip(&sizes).rev() {
            *coordinate = element % size;
            element /= size;
        }
        position
    })
}

/// Where the element at a position begins.
fn offset(tensor: &TensorDescriptor, position: &[u64]) -> usize {
    let strides = tensor.effective_strides().unwrap();
    let elements: u64 = position.iter().zip(strides).map(|(coordinate, stride)| coordinate * stride).sum();
    elements as usize * tensor.data_type.bytes()
}

/// A number that compares as an element does: NaN above all, the zeros equal.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Number {
    Integer(i128),
    Float(f64),
    Nan,
}

fn number(data_type: DataType, bytes: &[u8]) -> Number {
    let float = |value: f64| if value.is_nan() { Number::Nan } else { Number::Float(value) };
    macro_rules! of {
        ($number:ty) => {
            <$number>::from_le_bytes(bytes[..size_of::<$number>()].try_into().unwrap())
        };
    }
    match data_type {
        DataType::F64 => float(of!(f64)),
        DataType::F32 => float(of!(f32).into()),
        DataType::F16 => float(of!(f16).into()),
        DataType::BF16 => float(of!(bf16).into()),
        DataType::I64 => Number::Integer(of!(i64).into()),
        DataType::I32 => Number::Integer(of!(i32).into()),
        DataType::I16 => Number::Integer(of!(i16).into()),
        DataType::I8 => Number::Integer(of!(i8).into()),
        DataType::U64 => Number::Integer(of!(u64).into()),
        DataType::U32 => Number::Integer(of!(u32).into()),
        DataType::U16 => Number::Integer(of!(u16).into()),
        DataType::U8 => Number::Integer(of!(u8).into()),
        other => panic!("{other} has no numbers here"),
    }
}

const TYPES: [DataType; 11] = [
    DataType::F32,
    DataType::F16,
    DataType::I64,
    DataType::I32,
    DataType::I16,
    DataType::I8,
    DataType::U64,
    DataType::U32,
    DataType::U16,
    DataType::U8,
    DataType::F32,
];

/// Elements of which many are equal, and some are extreme.
fn elements(numbers: &mut Numbers, tensor: &TensorDescriptor) -> Vec<u8> {
    let width = tensor.data_type.bytes();
    let kind = numbers.below(4);
    let mut bytes = vec![0; tensor.span_bytes().unwrap() as usize];
    for (at, element) in bytes.chunks_exact_mut(width).enumerate() {
        let bits = match kind {
            // Any bits at all: NaNs and infinities among the floats.
            0 => numbers.next(),
            // Few different ones, of both signs.
            1 => numbers.below(3) << (8 * width - 2),
            // All the same but a few.
            2 => u64::from(numbers.below(200) == 0),
            // Ascending, mostly.
            _ => at as u64 / 3,
        };
        element.copy_from_slice(&bits.to_le_bytes()[..width]);
    }
    bytes
}

fn instructions(numbers: &mut Numbers) -> Instructions {
    numbers.pick(&Instructions::all())
}

#[test]
fn argmax_agrees_with_a_search_in_order() {
    let mut numbers = Numbers(1);
    for round in 0..600 {
        // A few are large enough for several threads.
        let limit = if round % 100 == 99 { 600_000 } else { 6_000 };
        let sizes = numbers.sizes(limit);
        let axes: Vec<usize> = (0..sizes.len()).filter(|_| numbers.below(2) == 0).collect();
        let axes = if axes.is_empty() { vec![sizes.len() - 1] } else { axes };
        let mut reduced = sizes.clone();
        axes.iter().for_each(|&axis| reduced[axis] = 1);
        let data_type = numbers.pick(&TYPES);
        let input = numbers.tensor(data_type, &sizes);
        let output_type = numbers.pick(&[DataType::U32, DataType::I64]);
        let output = numbers.tensor(output_type, &reduced);
        let tie = numbers.pick(&[Tie::First, Tie::Last]);
        let instructions = instructions(&mut numbers);
        assert_argmax_agrees(&mut numbers, &input, &output, &axes, tie, instructions);
    }
}

#[test]
fn argmax_agrees_along_rows_of_every_short_length() {
    let mut numbers = Numbers(4);
    for length in 1..=66u64 {
        for (data_type, instructions) in
            TYPES.into_iter().flat_map(|of| Instructions::all().into_iter().map(move |set| (of, set)))
        {
            // A few rows, some, and more than a kernel takes at once; in front of, beside and upon each other.
            let rows = numbers.pick(&[64 / length + 1, 40, 300]);
            let stride = numbers.pick(&[0, 1, length - 1, length, length, length + 1, length.next_power_of_two()]);
            let input = strided(data_type, &[rows, length], &[stride, 1]);
            let output = packed(DataType::U32, &[rows, 1]);
            let tie = numbers.pick(&[Tie::First, Tie::Last]);
            assert_argmax_agrees(&mut numbers, &input, &output, &[1], tie, instructions);
        }
    }
}

#[test]
fn argmax_agrees_along_short_rows_where_others_are_asked_for_ahead() {
    let mut numbers = Numbers(9);
    for instructions in Instructions::all() {
        for data_type in TYPES {
            // Some 40 and 80 KiB: streams end behind the input, and in the middle of a batch.
            for bytes in [40_000, 80_000] {
                let length = 3 + numbers.below(62);
                let stride = length + numbers.below(3);
                let rows = bytes / stride / data_type.bytes() as u64;
                let input = strided(data_type, &[rows, length], &[stride, 1]);
                let output = packed(DataType::U32, &[rows, 1]);
                let tie = numbers.pick(&[Tie::First, Tie::Last]);
                assert_argmax_agrees(&mut numbers, &input, &output, &[1], tie, instructions);
            }
        }
    }
}

/// Compares the kernels with a search from one position to the next, on random elements.
fn assert_argmax_agrees(
    numbers: &mut Numbers,
    input: &TensorDescriptor,
    output: &TensorDescriptor,
    axes: &[usize],
    tie: Tie,
    instructions: Instructions,
) {
    let direction = if tie == Tie::First { AXIS_DIRECTION_INCREASING } else { AXIS_DIRECTION_DECREASING };
    let signed: Vec<i64> = axes.iter().map(|&axis| axis as i64).collect();
    let descriptor = argmax("6_4", input.clone(), output.clone(), &signed, direction);
    let bytes = elements(numbers, input);

    let mut expected = vec![POISON; output.span_bytes().unwrap() as usize];
    let width = output.data_type.bytes();
    let inner: Vec<u64> = axes.iter().map(|&axis| input.sizes[axis]).collect();
    for subset in positions(&output.sizes) {
        let mut best: Option<(Number, u64)> = None;
        for (index, member) in (0..).zip(positions(&inner)) {
            let mut position = subset.clone();
            axes.iter().zip(&member).for_each(|(&axis, coordinate)| position[axis] = *coordinate);
            let candidate = number(input.data_type, &bytes[offset(input, &position)..]);
            let wins = best.is_none_or(|(best, _)| candidate > best || tie == Tie::Last && candidate == best);
            if wins {
                best = Some((candidate, index));
            }
        }
        let place = offset(output, &subset);
        expected[place..place + width].copy_from_slice(&best.unwrap().1.to_le_bytes()[..width]);
    }

    let reduction = opcert_refusals::reduction(&descriptor).unwrap();
    let mut operator = ArgMaxOperator::new(&descriptor, &reduction, instructions).unwrap();
    let found = dispatch(&mut operator, &descriptor, &[bytes], numbers);
    assert_eq!(found, [expected], "{input} {axes:?} {tie:?} {instructions:?}");
}

/// The types of TOSA's ARGMAX.
const TYPES_WITH_MODES: [DataType; 5] = [DataType::F32, DataType::F16, DataType::BF16, DataType::I16, DataType::I8];

#[test]
fn argmax_agrees_where_nan_have_a_place() {
    let mut numbers = Numbers(10);
    for round in 0..600 {
        // A few are large enough for several threads.
        let limit = if round % 100 == 99 { 600_000 } else { 6_000 };
        let sizes = numbers.sizes(limit);
        let axis = numbers.below(sizes.len() as u64) as usize;
        let data_type = numbers.pick(&TYPES_WITH_MODES);
        let input = numbers.tensor(data_type, &sizes);
        let instructions = instructions(&mut numbers);
        assert_argmax_agrees_on_nan(&mut numbers, &input, axis, instructions);
    }
}

#[test]
fn argmax_agrees_where_nan_have_a_place_in_rows_and_columns() {
    let mut numbers = Numbers(11);
    for length in (1..=66).chain([129, 255, 1000, 1030]) {
        for data_type in TYPES_WITH_MODES {
            for instructions in Instructions::all() {
                let others = numbers.pick(&[1, 3, 8, 40, 130]);
                let rows = packed(data_type, &[others, length]);
                assert_argmax_agrees_on_nan(&mut numbers, &rows, 1, instructions);
                let columns = packed(data_type, &[length, others]);
                assert_argmax_agrees_on_nan(&mut numbers, &columns, 0, instructions);
            }
        }
    }
}

/// Elements some of which are NaN and infinities of both signs; of integers the same bits.
fn elements_with_nan(numbers: &mut Numbers, tensor: &TensorDescriptor) -> Vec<u8> {
    let width = tensor.data_type.bytes();
    let (infinity, fraction) = match tensor.data_type {
        DataType::F32 => (0x7F80_0000, 0x007F_FFFF),
        DataType::BF16 => (0x7F80, 0x007F),
        _ => (0x7C00, 0x03FF),
    };
    let mut bytes = elements(numbers, tensor);
    let share = numbers.pick(&[0, 1, 30, 95, 100]);
    for element in bytes.chunks_exact_mut(width) {
        if numbers.below(100) < share {
            let any = numbers.next() & fraction;
            let payload = numbers.pick(&[1, fraction, fraction.div_ceil(2), any]);
            let payload = if share < 100 && numbers.below(8) == 0 { 0 } else { payload };
            let bits = infinity | payload | numbers.below(2) << (8 * width - 1);
            element.copy_from_slice(&bits.to_le_bytes()[..width]);
        }
    }
    bytes
}

/// Compares the kernels with a search from one position to the next, on random elements, with each order of NaN.
fn assert_argmax_agrees_on_nan(
    numbers: &mut Numbers,
    input: &TensorDescriptor,
    axis: usize,
    instructions: Instructions,
) {
    let mut dropped = input.sizes.clone();
    dropped.remove(axis);
    let output = packed(DataType::I32, &dropped);
    let bytes = elements_with_nan(numbers, input);
    let mut kept = input.sizes.clone();
    kept[axis] = 1;

    for (nan, nan_mode) in [(Nan::Greatest, "PROPAGATE"), (Nan::Least, "IGNORE")] {
        let descriptor = tosa_argmax(input.clone(), output.clone(), axis as i64, Some(nan_mode));
        let mut reduction = opcert_refusals::reduction(&descriptor).unwrap();
        assert_eq!(reduction.nan, nan);
        // What TOSA never asks for as well.
        reduction.tie = numbers.pick(&[Tie::First, Tie::First, Tie::Last]);
        reduction.extreme = numbers.pick(&[Extreme::Greatest, Extreme::Greatest, Extreme::Least]);

        let mut expected: Vec<u8> = Vec::new();
        for subset in positions(&kept) {
            let value = |index: u64| {
                let mut position = subset.clone();
                position[axis] = index;
                let value = number(input.data_type, &bytes[offset(input, &position)..]);
                // Nothing is less than something.
                (nan == Nan::Greatest || value != Number::Nan).then_some(value)
            };
            let mut best = (value(0), 0);
            for index in 1..input.sizes[axis] {
                let candidate = value(index);
                let wins = match reduction.extreme {
                    Extreme::Greatest => candidate > best.0,
                    Extreme::Least => candidate < best.0,
                };
                if wins || reduction.tie == Tie::Last && candidate == best.0 {
                    best = (candidate, index);
                }
            }
            expected.extend((best.1 as i32).to_le_bytes());
        }

        let mut operator = ArgMaxOperator::new(&descriptor, &reduction, instructions).unwrap();
        let found = dispatch(&mut operator, &descriptor, std::slice::from_ref(&bytes), numbers);
        let Reduction { tie, extreme, .. } = reduction;
        assert!(found == [expected], "{input} {axis} {nan:?} {extreme:?} {tie:?} {instructions:?}: other indices");
    }
}

#[test]
fn one_hot_agrees_with_a_selection_in_order() {
    let mut numbers = Numbers(2);
    for round in 0..600 {
        let limit = if round % 60 == 59 { 40_000 } else { 600 };
        let mut sizes = numbers.sizes(limit);
        let axis = numbers.below(sizes.len() as u64) as usize;
        let depth = numbers.pick(&[1, 2, 3, 5, 16, 17, 64, 100, 1000]);
        sizes[axis] = 1;
        let index_type = numbers.pick(&[DataType::U32, DataType::I32, DataType::U64, DataType::I64]);
        let indices = numbers.tensor(index_type, &sizes);
        let mut output_sizes = sizes.clone();
        output_sizes[axis] = depth;
        let value_type = numbers.pick(&TYPES);
        let output = numbers.tensor(value_type, &output_sizes);
        let instructions = instructions(&mut numbers);
        assert_one_hot_agrees(&mut numbers, &indices, &output, axis, instructions);
    }
}

#[test]
fn one_hot_agrees_in_rows_of_many_columns() {
    let mut numbers = Numbers(5);
    for value_type in [DataType::U8, DataType::F16, DataType::F32, DataType::I64] {
        for instructions in Instructions::all() {
            // Around the bytes of a row and of a piece from which on another loop runs or takes a turn more, and more
            // rows than are taken at once.
            for bytes in [600, 2048, 2100, 16 << 10, 16500, 40_000] {
                let columns = bytes / value_type.bytes() as u64 + numbers.below(3);
                let depth = numbers.pick(&[1, 2, 31, 33, 70]);
                let outer = numbers.pick(&[1, 1, 3]);
                let index_type = numbers.pick(&[DataType::U32, DataType::I64]);
                let indices = packed(index_type, &[outer, 1, columns]);
                let output = packed(value_type, &[outer, depth, columns]);
                assert_one_hot_agrees(&mut numbers, &indices, &output, 1, instructions);
            }
        }
    }
}

#[test]
fn one_hot_agrees_where_the_output_is_streamed() {
    let mut numbers = Numbers(6);
    for instructions in Instructions::all() {
        // More than 8 MiB each: sequences one behind the other, in short and in long rows.
        for (outer, depth, inner) in [(27_000, 40, 1), (200, 40, 140), (1, 40, 27_000)] {
            let indices = packed(DataType::U32, &[outer, 1, inner]);
            let output = packed(DataType::I64, &[outer, depth, inner]);
            assert_one_hot_agrees(&mut numbers, &indices, &output, 1, instructions);
        }
    }
}

/// Compares the kernels with a selection from one position to the next, on random indices.
fn assert_one_hot_agrees(
    numbers: &mut Numbers,
    indices: &TensorDescriptor,
    output: &TensorDescriptor,
    axis: usize,
    instructions: Instructions,
) {
    let (index_type, value_type, depth) = (indices.data_type, output.data_type, output.sizes[axis]);
    let sizes = &indices.sizes;
    let mut value_sizes = vec![1; sizes.len()];
    *value_sizes.last_mut().unwrap() = 2;
    let values = packed(value_type, &value_sizes);
    let descriptor = one_hot("6_4", indices.clone(), values, output.clone(), axis as i64);

    let mut index_bytes = vec![0; indices.span_bytes().unwrap() as usize];
    let around = depth + 2;
    for element in index_bytes.chunks_exact_mut(index_type.bytes()) {
        // Most in range or near it, from either end; some anywhere.
        let index = match numbers.below(8) {
            0 => numbers.next(),
            1 => 0u64.wrapping_sub(numbers.below(around)),
            2 => 1 << numbers.below(64),
            _ => numbers.below(around),
        };
        element.copy_from_slice(&index.to_le_bytes()[..element.len()]);
    }
    let width = value_type.bytes();
    let (off, on) = (numbers.next().to_le_bytes(), numbers.next().to_le_bytes());
    let value_bytes = [&off[..width], &on[..width]].concat();

    let mut expected = vec![POISON; output.span_bytes().unwrap() as usize];
    for position in positions(&output.sizes) {
        let mut at = position.clone();
        at[axis] = 0;
        let Number::Integer(index) = number(index_type, &index_bytes[offset(indices, &at)..]) else { unreachable!() };
        let from_start = if index < 0 { index + i128::from(depth) } else { index };
        let value = if from_start == i128::from(position[axis]) { on } else { off };
        let place = offset(output, &position);
        expected[place..place + width].copy_from_slice(&value[..width]);
    }

    let (view, dimension) = opcert_refusals::one_hot(&descriptor).unwrap();
    let mut operator = OneHotOperator::directml(&descriptor, &view, dimension, instructions).unwrap();
    let found = dispatch(&mut operator, &descriptor, &[index_bytes, value_bytes], numbers);
    assert!(found == [expected], "{indices} {output} {axis} {instructions:?}: other values");
}

/// Elements of which some share is not zero.
fn sparse(numbers: &mut Numbers, tensor: &TensorDescriptor) -> Vec<u8> {
    let width = tensor.data_type.bytes();
    let share = numbers.pick(&[0, 1, 50, 99, 100]);
    let mut bytes = vec![0; tensor.span_bytes().unwrap() as usize];
    for element in bytes.chunks_exact_mut(width) {
        // The sign alone is a zero of a float and a number of an integer.
        let bits = if numbers.below(100) < share { numbers.next() | 1 } else { numbers.below(2) << (8 * width - 1) };
        element.copy_from_slice(&bits.to_le_bytes()[..width]);
    }
    bytes
}

/// The positions of what is not zero, in order.
fn not_zero(tensor: &TensorDescriptor, bytes: &[u8]) -> Vec<Vec<u64>> {
    let is_zero = |position: &[u64]| {
        let value = number(tensor.data_type, &bytes[offset(tensor, position)..]);
        value == Number::Integer(0) || value == Number::Float(0.0)
    };
    positions(&tensor.sizes).filter(|position| !is_zero(position)).collect()
}

#[test]
fn nonzero_coordinates_agree_with_a_walk_in_order() {
    let mut numbers = Numbers(3);
    for round in 0..400 {
        let limit = if round % 50 == 49 { 600_000 } else { 20_000 };
        let sizes = numbers.sizes(limit);
        let data_type =
            numbers.pick(&[DataType::F32, DataType::F16, DataType::I32, DataType::I16, DataType::I8, DataType::U8]);
        let input = numbers.tensor(data_type, &sizes);
        let count: u64 = sizes.iter().product();
        let coordinates = packed(DataType::U32, &[count, sizes.len() as u64]);
        let descriptor = nonzero("6_4", input.clone(), packed(DataType::U32, &[1]), coordinates);
        let bytes = sparse(&mut numbers, &input);

        let rows = not_zero(&input, &bytes);
        let found_count = rows.len();
        let mut expected: Vec<u8> =
            rows.into_iter().flatten().flat_map(|coordinate| (coordinate as u32).to_le_bytes()).collect();
        expected.resize(count as usize * sizes.len() * 4, POISON);

        let view = opcert_refusals::nonzero_coordinates(&descriptor).unwrap();
        let instructions = instructions(&mut numbers);
        let mut operator = NonzeroCoordinatesOperator::new(&descriptor, &view, instructions).unwrap();
        let found = dispatch(&mut operator, &descriptor, &[bytes], &mut numbers);
        assert_eq!(found[0], (found_count as u32).to_le_bytes(), "{input} {instructions:?}");
        assert!(found[1] == expected, "{input} {instructions:?}: other coordinates");
    }
}

#[test]
fn non_zero_agrees_with_a_walk_in_order() {
    let mut numbers = Numbers(7);
    for round in 0..400 {
        let limit = if round % 50 == 49 { 600_000 } else { 6_000 };
        let sizes = numbers.sizes(limit);
        let data_type =
            numbers.pick(&[DataType::F64, DataType::F32, DataType::BF16, DataType::I64, DataType::U32, DataType::U8]);
        let input = numbers.tensor(data_type, &sizes);
        let bytes = sparse(&mut numbers, &input);

        let columns = not_zero(&input, &bytes);
        let output = numbers.tensor(DataType::I64, &[sizes.len() as u64, columns.len() as u64]);
        let mut expected = vec![POISON; output.span_bytes().unwrap() as usize];
        for (column, position) in columns.iter().enumerate() {
            for (dimension, coordinate) in position.iter().enumerate() {
                let place = offset(&output, &[dimension as u64, column as u64]);
                expected[place..place + 8].copy_from_slice(&coordinate.to_le_bytes());
            }
        }

        let descriptor = non_zero(input.clone(), output.clone());
        let view = opcert_refusals::non_zero(&descriptor).unwrap();
        let instructions = instructions(&mut numbers);
        let mut operator = NonZeroOperator::new(&descriptor, &view, instructions).unwrap();
        let found = dispatch(&mut operator, &descriptor, &[bytes], &mut numbers);
        assert!(found == [expected], "{input} {output} {instructions:?}: other coordinates");
    }
}
