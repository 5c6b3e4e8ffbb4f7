//! The rules of `directml/padding` and of `directml/padding1` (the pages of DML_PADDING_OPERATOR_DESC and of DML_PADDING1_OPERATOR_DESC),
//! and which element stands where around a tensor.

use opcert_backend::operators::{self, Padding1};
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::level::Level;
use crate::number::cast;
use crate::rejection::{broken, malformed};
use crate::support::{
    FLOATS_TO_32_BITS, Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, has_sizes, numbers_from, one_per_dimension,
    same_dimension_count, same_type,
};
use crate::tensor::{self, Tensor};

/// What stands around a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surrounding {
    /// These bits.
    Constant(u64),
    /// The nearest element.
    Edge,
    /// The elements back and forth, the first and the last one once a turn.
    Reflection,
    /// The elements back and forth, the first and the last one twice in a row.
    Symmetric,
}

/// The parts of a valid operator that puts something around a tensor.
#[derive(Clone, Debug)]
pub struct Padding<'a> {
    /// What stands within.
    pub input: &'a TensorDescriptor,
    /// The result.
    pub output: &'a TensorDescriptor,
    /// What stands around.
    pub surrounding: Surrounding,
    /// How many places there are before the input along each dimension.
    pub before: Vec<u64>,
}

impl Surrounding {
    /// Which of so many elements along a dimension stands at a place of the output, whose first one is so many places before
    /// them; none where it is a constant.
    ///
    /// What a reflection of a single element gives is open; it is that element.
    #[must_use]
    pub fn element_at(self, place: u64, before: u64, size: u64) -> Option<u64> {
        if let Some(within) = place.checked_sub(before).filter(|&within| within < size) {
            return Some(within);
        }
        // Back and forth is the same in both directions from the first element, but that a symmetric one counts it twice. What is so
        // far from that one on the way forth and on the way back is the same.
        let (distance, is_before) = (place.abs_diff(before), place < before);
        let turned = |forth_and_back: u64, period: u64, from: u64| {
            let at = from % period;
            at.min(forth_and_back - at)
        };
        match self {
            Self::Constant(_) => None,
            Self::Edge => Some(if is_before { 0 } else { size - 1 }),
            Self::Reflection if size == 1 => Some(0),
            Self::Reflection => Some(turned(2 * size - 2, 2 * size - 2, distance)),
            Self::Symmetric => Some(turned(2 * size - 1, 2 * size, if is_before { distance - 1 } else { distance })),
        }
    }
}

/// The parts of a valid `directml/padding1`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn padding1(descriptor: &Descriptor) -> Result<Padding<'_>, CompileError> {
    let level = Level::of(descriptor, ("5_0", Level::L5_0), "directml/padding1/introduced")?;
    let view = Padding1::try_from(descriptor)?;
    let row = Row { dimensions: 1..=8, types: VALUES_TO_64_BITS };
    let lists = Lists { count: view.dimension_count, start: view.start, end: view.end };
    let before = valid(descriptor, [view.input, view.output], lists, (level, &row))?;
    let (found, expected) = (view.value.data_type(), view.output.data_type);
    if found != expected {
        let reason = format!("`PaddingValue` is {found}, expected {expected} as `OutputTensor`");
        return Err(broken("directml/padding1/value-type", reason));
    }
    let surrounding = surrounding(view.mode, view.value.bits())?;
    Ok(Padding { input: view.input, output: view.output, surrounding, before })
}

/// The parts of a valid `directml/padding`. Where the type lacks the padding value, its fraction is dropped, and it is the nearest end
/// of the type.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn padding(descriptor: &Descriptor) -> Result<Padding<'_>, CompileError> {
    let level = Level::of(descriptor, ("1_0", Level::L1_0), "directml/padding/introduced")?;
    let view = operators::Padding::try_from(descriptor)?;
    let (dimensions, types) = match level {
        _ if level < Level::L2_1 => (4..=5, FLOATS_TO_32_BITS),
        _ if level < Level::L3_1 => (4..=5, VALUES_TO_32_BITS),
        _ if level < Level::L5_0 => (1..=8, VALUES_TO_32_BITS),
        _ => (1..=8, VALUES_TO_64_BITS),
    };
    let lists = Lists { count: view.dimension_count, start: view.start, end: view.end };
    let before = valid(descriptor, [view.input, view.output], lists, (level, &Row { dimensions, types }))?;
    let surrounding = surrounding(view.mode, cast(view.value, view.output.data_type))?;
    if surrounding == Surrounding::Symmetric && level < Level::L3_0 {
        let reason = format!("`PaddingMode` is `{}`, which comes with level 3_0", view.mode);
        return Err(broken("directml/padding/symmetric-introduced", reason));
    }
    Ok(Padding { input: view.input, output: view.output, surrounding, before })
}

/// How much there is to be around a tensor, and the length that is given for that.
struct Lists<'a> {
    count: i64,
    start: &'a [i64],
    end: &'a [i64],
}

/// How many places there are before the input along each dimension, if the tensors and the lists are valid.
fn valid(
    descriptor: &Descriptor,
    [input, output]: [&TensorDescriptor; 2],
    Lists { count, start, end }: Lists<'_>,
    (level, row): (Level, &Row),
) -> Result<Vec<u64>, CompileError> {
    let rule = |name: &str| format!("{}/{name}", descriptor.operator);
    let (from, to) = (Tensor::input("InputTensor", input), Tensor::output("OutputTensor", output));
    tensor::check(&[from, to], level)?;
    row.check(&rule("tensor-support"), &from)?;
    row.check(&rule("tensor-support"), &to)?;
    same_type(&rule("same-type"), &from, &to)?;
    same_dimension_count(&rule("same-dimension-count"), &from, &to)?;
    if usize::try_from(count) != Ok(start.len()) {
        return Err(malformed(format!("`DimensionCount` is {count}, expected {}", start.len())));
    }
    let (start, end) = (("StartPadding", start), ("EndPadding", end));
    one_per_dimension(&rule("start-count"), start, input.dimension_count())?;
    one_per_dimension(&rule("end-count"), end, input.dimension_count())?;
    let before = numbers_from(0, &rule("start-not-negative"), start)?;
    let after = numbers_from(0, &rule("end-not-negative"), end)?;
    let sizes = input.sizes.iter().zip(before.iter().zip(&after));
    let sizes = sizes.map(|(size, (before, after))| size.checked_add(*before)?.checked_add(*after));
    let Some(expected) = sizes.collect::<Option<Vec<u64>>>() else {
        return Err(broken(&rule("output-sizes"), "no tensor has a size beyond 64 bits".to_owned()));
    };
    has_sizes(&rule("output-sizes"), &expected, ("OutputTensor", output))?;
    Ok(before)
}

/// What a mode puts around a tensor. The bits are those of the constant.
fn surrounding(mode: &str, constant: u64) -> Result<Surrounding, CompileError> {
    Ok(match mode {
        "DML_PADDING_MODE_CONSTANT" => Surrounding::Constant(constant),
        "DML_PADDING_MODE_EDGE" => Surrounding::Edge,
        "DML_PADDING_MODE_REFLECTION" => Surrounding::Reflection,
        "DML_PADDING_MODE_SYMMETRIC" => Surrounding::Symmetric,
        other => return Err(malformed(format!("`PaddingMode` is `{other}`, which is no mode"))),
    })
}

#[cfg(test)]
mod tests {
    use super::Surrounding::{Constant, Edge, Reflection, Symmetric};

    #[test]
    fn each_place_has_its_element() {
        let along = |surrounding: super::Surrounding, before: u64, size: u64, length: u64| {
            (0..length).map(|place| surrounding.element_at(place, before, size)).collect::<Vec<_>>()
        };
        let some = |elements: &[u64]| elements.iter().copied().map(Some).collect::<Vec<_>>();
        assert_eq!(along(Constant(7), 1, 2, 4), [None, Some(0), Some(1), None]);
        assert_eq!(along(Edge, 2, 3, 7), some(&[0, 0, 0, 1, 2, 2, 2]));
        assert_eq!(along(Reflection, 5, 3, 15), some(&[1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1]));
        assert_eq!(along(Reflection, 3, 2, 7), some(&[1, 0, 1, 0, 1, 0, 1]));
        assert_eq!(along(Symmetric, 5, 2, 11), some(&[0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1]));
        assert_eq!(along(Symmetric, 1, 1, 3), some(&[0, 0, 0]));
    }
}
