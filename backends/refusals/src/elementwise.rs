//! The rules of the operators that work each element out by itself: comparisons, logic, extremes, bits, tests of floats,
//! selection and one value for all (the pages of DML_ELEMENT_WISE_…_OPERATOR_DESC and of DML_FILL_VALUE_CONSTANT_OPERATOR_DESC). What they have is the same but for tensors, types and levels.

use std::iter::zip;

use opcert_backend::DataType::{F16, U8, U16, U32, U64};
use opcert_backend::{CompileError, DataType, Descriptor, Scalar, TensorDescriptor};

use crate::level::Level;
use crate::number::cast;
use crate::rejection::{broken, malformed};
use crate::support::{
    FLOATS_TO_32_BITS, Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, VALUES_WITH_64_BIT_INTEGERS, same_dimension_count,
    same_type,
};
use crate::tensor::{self, Tensor};

/// What comes out where elements of all inputs stand in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Whether the first equals the second.
    Equals,
    /// Whether the first is greater.
    Greater,
    /// Whether the first is less.
    Less,
    /// Whether the first is greater or equal.
    GreaterOrEqual,
    /// Whether the first is less or equal.
    LessOrEqual,
    /// Whether neither is 0.
    And,
    /// Whether one is not 0, or both.
    Or,
    /// Whether just one is not 0.
    Xor,
    /// Whether it is 0.
    Not,
    /// Whether it is NaN.
    IsNan,
    /// Whether it is an infinity, of one of these signs.
    IsInfinity {
        /// Whether the one above 0 counts.
        positive: bool,
        /// Whether the one below 0 counts.
        negative: bool,
    },
    /// The second where the first is not 0, else the third.
    If,
    /// The greater of the two.
    Max,
    /// The lesser of the two.
    Min,
    /// The bits that both have.
    BitAnd,
    /// The bits that one has, or both.
    BitOr,
    /// The bits that just one has.
    BitXor,
    /// The bits that it has not.
    BitNot,
    /// How many bits it has.
    BitCount,
    /// The first, its bits shifted upwards by the second.
    ShiftLeft,
    /// The first, its bits shifted downwards by the second.
    ShiftRight,
    /// The lesser of it and the upper bound, or the lower bound if that is greater.
    Clip {
        /// The bits of the lower bound.
        min: u64,
        /// The bits of the upper bound.
        max: u64,
    },
    /// These bits, whatever stands anywhere.
    Fill(u64),
}

/// A valid operator that works each element out by itself.
#[derive(Clone, Debug)]
pub struct Elementwise<'a> {
    /// What it works out.
    pub function: Function,
    /// The inputs by name, in the order of the specification.
    pub inputs: Vec<(&'static str, &'a TensorDescriptor)>,
    /// `OutputTensor`, which has their sizes.
    pub output: &'a TensorDescriptor,
}

const OUTPUT: &str = "OutputTensor";
const TRUTH: &[DataType] = &[U32, U8];

/// What a page says of its operator.
struct Page {
    function: Function,
    introduced: (&'static str, Level),
    inputs: &'static [&'static str],
    /// The tensors that have one data type.
    alike: &'static [&'static str],
    /// The rows of the inputs and of the output at a level.
    rows: fn(Level) -> Vec<Row>,
    /// The scalars that have the type of the output, and the requirement that says so.
    scalars: (&'static [&'static str], &'static str),
}

/// The parts of a valid operator that works each element out by itself.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn elementwise(descriptor: &Descriptor) -> Result<Elementwise<'_>, CompileError> {
    let operator = &descriptor.operator;
    let page = page(descriptor)?;
    let level = Level::of(descriptor, page.introduced, &format!("{operator}/introduced"))?;
    let find = |name: &'static str| {
        let found = descriptor.tensor(name).map(|tensor| (name, tensor));
        found.ok_or_else(|| malformed(format!("`{operator}` is given without `{name}`")))
    };
    let inputs = page.inputs.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
    let (_, output) = find(OUTPUT)?;
    let mut tensors: Vec<Tensor<'_>> = inputs.iter().map(|&(name, tensor)| Tensor::input(name, tensor)).collect();
    tensors.push(Tensor::output(OUTPUT, output));
    tensor::check(&tensors, level)?;

    let support = format!("{operator}/tensor-support");
    zip((page.rows)(level), &tensors).try_for_each(|(row, tensor)| row.check(&support, tensor))?;
    let [first, others @ ..] = &tensors[..] else { return Err(malformed(format!("`{operator}` has no tensors"))) };
    let dimensions = format!("{operator}/same-dimension-count");
    others.iter().try_for_each(|tensor| same_dimension_count(&dimensions, first, tensor))?;
    let mut alike = tensors.iter().filter(|tensor| page.alike.contains(&tensor.name));
    if let Some(first) = alike.next() {
        let requirement = format!("{operator}/same-type");
        alike.try_for_each(|tensor| same_type(&requirement, first, tensor))?;
    }
    if let Some(tensor) = others.iter().find(|tensor| tensor.descriptor.sizes != first.descriptor.sizes) {
        let [found, expected] = [tensor, first].map(|tensor| &tensor.descriptor.sizes);
        let reason = format!("`{}` has the sizes {found:?}, expected {expected:?} as `{}`", tensor.name, first.name);
        return Err(broken(&format!("{operator}/same-sizes"), reason));
    }
    let (scalars, requirement) = page.scalars;
    for name in scalars {
        let (found, expected) = (scalar(descriptor, name)?.data_type(), output.data_type);
        if found != expected {
            let reason = format!("`{name}` is {found}, expected {expected} as `{OUTPUT}`");
            return Err(broken(&format!("{operator}/{requirement}"), reason));
        }
    }
    Ok(Elementwise { function: page.function, inputs, output })
}

fn scalar(descriptor: &Descriptor, name: &str) -> Result<Scalar, CompileError> {
    let missing = || malformed(format!("`{}` is given without `{name}`", descriptor.operator));
    descriptor.scalar(name).ok_or_else(missing)
}

fn page(descriptor: &Descriptor) -> Result<Page, CompileError> {
    const AB: &[&str] = &["ATensor", "BTensor"];
    const ABO: &[&str] = &["ATensor", "BTensor", OUTPUT];
    const INPUT: &[&str] = &["InputTensor"];
    let first = ("1_0", Level::L1_0);
    let comparison = |function| Page {
        function,
        introduced: first,
        inputs: AB,
        alike: AB,
        rows: rows_of_comparison,
        scalars: (&[], ""),
    };
    let or_equal = |function| Page { introduced: ("3_0", Level::L3_0), ..comparison(function) };
    let extreme = |function| Page { alike: ABO, rows: rows_of_extreme, ..comparison(function) };
    let bits = |function| Page { alike: ABO, rows: rows_of_bits, ..or_equal(function) };
    let shift = |function| Page { introduced: ("2_1", Level::L2_1), rows: rows_of_shift, ..bits(function) };
    let logic = |function| Page { alike: ABO, rows: rows_of_logic, ..comparison(function) };
    Ok(match descriptor.operator.as_str() {
        "directml/logical_equals" => comparison(Function::Equals),
        "directml/logical_greater_than" => comparison(Function::Greater),
        "directml/logical_less_than" => comparison(Function::Less),
        "directml/logical_greater_than_or_equal" => or_equal(Function::GreaterOrEqual),
        "directml/logical_less_than_or_equal" => or_equal(Function::LessOrEqual),
        "directml/logical_and" => logic(Function::And),
        "directml/logical_or" => logic(Function::Or),
        "directml/logical_xor" => logic(Function::Xor),
        "directml/logical_not" => Page { inputs: INPUT, alike: &["InputTensor", OUTPUT], ..logic(Function::Not) },
        "directml/element_wise_max" => extreme(Function::Max),
        "directml/element_wise_min" => extreme(Function::Min),
        "directml/bit_and" => bits(Function::BitAnd),
        "directml/bit_or" => bits(Function::BitOr),
        "directml/bit_xor" => bits(Function::BitXor),
        "directml/bit_not" => Page { inputs: INPUT, alike: &["InputTensor", OUTPUT], ..bits(Function::BitNot) },
        "directml/bit_count" => Page {
            inputs: INPUT,
            alike: &[],
            rows: |level| rows(level, &[types_of_bits(level), TRUTH]),
            ..bits(Function::BitCount)
        },
        "directml/bit_shift_left" => shift(Function::ShiftLeft),
        "directml/bit_shift_right" => shift(Function::ShiftRight),
        "directml/is_nan" => Page {
            introduced: ("2_0", Level::L2_0),
            inputs: INPUT,
            alike: &[],
            rows: |level| rows(level, &[FLOATS_TO_32_BITS, TRUTH]),
            ..comparison(Function::IsNan)
        },
        "directml/is_infinity" => Page {
            introduced: ("2_1", Level::L2_1),
            inputs: INPUT,
            alike: &[],
            rows: |level| rows(level, &[FLOATS_TO_32_BITS, &[U8]]),
            ..comparison(infinity(descriptor)?)
        },
        "directml/element_wise_if" => Page {
            introduced: ("2_0", Level::L2_0),
            inputs: &["ConditionTensor", "ATensor", "BTensor"],
            alike: ABO,
            rows: rows_of_if,
            ..comparison(Function::If)
        },
        "directml/element_wise_clip1" => {
            let [min, max] = ["Min", "Max"].map(|name| scalar(descriptor, name).map(Scalar::bits));
            Page {
                introduced: ("5_0", Level::L5_0),
                inputs: INPUT,
                alike: &["InputTensor", OUTPUT],
                rows: |level| rows(level, &[VALUES_WITH_64_BIT_INTEGERS; 2]),
                scalars: (&["Min", "Max"], "bounds-type"),
                ..comparison(Function::Clip { min: min?, max: max? })
            }
        }
        "directml/element_wise_clip" => {
            Page { inputs: INPUT, alike: &["InputTensor", OUTPUT], ..extreme(clip(descriptor)?) }
        }
        "directml/fill_value_constant" => Page {
            introduced: ("2_1", Level::L2_1),
            inputs: &[],
            alike: &[],
            rows: row_of_fill,
            scalars: (&["Value"], "value-type"),
            ..comparison(Function::Fill(scalar(descriptor, "Value")?.bits()))
        },
        other => return Err(malformed(format!("`{other}` does not work each element out by itself"))),
    })
}

/// Bounds of 32 bits, cast to the type of the tensors.
fn clip(descriptor: &Descriptor) -> Result<Function, CompileError> {
    let missing = |name: &str| malformed(format!("`{}` is given without `{name}`", descriptor.operator));
    let data_type = descriptor.tensor(OUTPUT).ok_or_else(|| missing(OUTPUT))?.data_type;
    let bound = |name: &str| {
        let bound = descriptor.float32(name).ok_or_else(|| missing(name));
        bound.map(|bound| cast(bound, data_type))
    };
    Ok(Function::Clip { min: bound("Min")?, max: bound("Max")? })
}

fn infinity(descriptor: &Descriptor) -> Result<Function, CompileError> {
    let (positive, negative) = match descriptor.enumerator("InfinityMode") {
        Some("DML_IS_INFINITY_MODE_EITHER") => (true, true),
        Some("DML_IS_INFINITY_MODE_POSITIVE") => (true, false),
        Some("DML_IS_INFINITY_MODE_NEGATIVE") => (false, true),
        other => return Err(malformed(format!("`InfinityMode` is {other:?}, which names no mode"))),
    };
    Ok(Function::IsInfinity { positive, negative })
}

/// Rows of four dimensions, and of one to eight from 3_0 on.
fn rows(level: Level, types: &[&'static [DataType]]) -> Vec<Row> {
    let dimensions = if level < Level::L3_0 { 4..=4 } else { 1..=8 };
    types.iter().map(|types| Row { dimensions: dimensions.clone(), types }).collect()
}

/// The table of a comparison. Those that came with 3_0 have no rows before it.
fn rows_of_comparison(level: Level) -> Vec<Row> {
    let (values, truth): (_, &[_]) = match level {
        _ if level < Level::L2_0 => (FLOATS_TO_32_BITS, &[U32]),
        _ if level < Level::L2_1 => (FLOATS_TO_32_BITS, TRUTH),
        _ if level < Level::L4_1 => (VALUES_TO_32_BITS, TRUTH),
        _ => (VALUES_WITH_64_BIT_INTEGERS, TRUTH),
    };
    rows(level, &[values, values, truth])
}

/// The table of AND, OR, XOR, and of NOT, which has one tensor less.
fn rows_of_logic(level: Level) -> Vec<Row> {
    rows(level, &[if level < Level::L2_0 { &[U32] } else { TRUTH }; 3])
}

fn rows_of_extreme(level: Level) -> Vec<Row> {
    let values = match level {
        _ if level < Level::L2_1 => FLOATS_TO_32_BITS,
        _ if level < Level::L5_0 => VALUES_TO_32_BITS,
        _ => VALUES_WITH_64_BIT_INTEGERS,
    };
    rows(level, &[values; 3])
}

/// The table of AND, OR, XOR, and of NOT, which has one tensor less.
fn rows_of_bits(level: Level) -> Vec<Row> {
    rows(level, &[types_of_bits(level); 3])
}

fn types_of_bits(level: Level) -> &'static [DataType] {
    if level < Level::L4_1 { &[U32, U16, U8] } else { VALUES_TO_64_BITS }
}

fn rows_of_shift(level: Level) -> Vec<Row> {
    rows(level, &[if level < Level::L4_1 { &[U32, U16, U8][..] } else { &[U64, U32, U16, U8] }; 3])
}

fn row_of_fill(level: Level) -> Vec<Row> {
    let dimensions = if level < Level::L4_0 { 4..=4 } else { 1..=8 };
    vec![Row { dimensions, types: if level < Level::L4_1 { VALUES_TO_32_BITS } else { VALUES_TO_64_BITS } }]
}

fn rows_of_if(level: Level) -> Vec<Row> {
    let values: &[_] = match level {
        _ if level < Level::L3_0 => &[F16],
        _ if level < Level::L5_0 => VALUES_TO_32_BITS,
        _ => VALUES_TO_64_BITS,
    };
    rows(level, &[&[U8], values, values, values])
}
