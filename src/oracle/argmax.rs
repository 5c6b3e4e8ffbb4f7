//! `directml/argmax`, from its requirements.

use std::cmp::Ordering;

use half::{bf16, f16};
use opcert_backend::{DataType, operators};

use super::{Question, defined, every_coordinate};
use crate::case::Elements;
use crate::element;

pub(super) fn derive(question: &Question<'_>) -> Option<Vec<(String, Elements)>> {
    let input = question.input("InputTensor")?;
    let (output_type, sizes) = question.output("OutputTensor")?;
    let axes = question.descriptor.integers("Axes")?;
    let last = question.descriptor.enumerator("AxisDirection")? == operators::AXIS_DIRECTION_DECREASING;
    // subset-of-axes. axes-order, axes-duplicate and axes-empty are open: here a dimension is reduced or it is not.
    let reduced = |dimension: usize| axes.contains(&(dimension as i64));
    let subset: Vec<u64> =
        input.sizes.iter().enumerate().map(|(at, &size)| if reduced(at) { size } else { 1 }).collect();
    let mut bytes = Vec::new();
    for start in every_coordinate(sizes) {
        let mut best: Option<(u64, Value)> = None;
        // index-over-reduced-axes, several-axes-row-major: with sizes of 1 elsewhere, the row-major position counts
        // the reduced dimensions alone, in dimension order.
        for (index, step) in (0..).zip(every_coordinate(&subset)) {
            let place: Vec<u64> = std::iter::zip(&start, &step).map(|(start, step)| start + step).collect();
            let value = Value::of(input.at(&place), input.data_type)?;
            let ordering = best.as_ref().map_or(Ordering::Greater, |(_, best)| value.compare(best));
            // maximum-index, tie-increasing, tie-decreasing
            if ordering == Ordering::Greater || (last && ordering == Ordering::Equal) {
                best = Some((index, value));
            }
        }
        // index-in-range, output-type-free; index-overflow keeps the low bits.
        bytes.extend_from_slice(&best?.0.to_le_bytes()[..output_type.bytes()]);
    }
    Some(vec![("OutputTensor".to_owned(), defined(bytes))])
}

/// A value that compares exactly (exact-comparison): no integer passes through a float, and a narrow float fits a wide
/// one.
enum Value {
    Integer(i128),
    Float(f64),
}

impl Value {
    fn of(element: &[u8], data_type: DataType) -> Option<Self> {
        Some(match data_type {
            DataType::F64 => Self::Float(f64::from_le_bytes(element.try_into().ok()?)),
            DataType::F32 => Self::Float(f32::from_le_bytes(element.try_into().ok()?).into()),
            DataType::F16 => Self::Float(f16::from_le_bytes(element.try_into().ok()?).into()),
            DataType::BF16 => Self::Float(bf16::from_le_bytes(element.try_into().ok()?).into()),
            _ => Self::Integer(element::integer(element, data_type)?),
        })
    }

    /// signed-zero-tie and extreme-maximum hold for ordinary comparison. A NaN is taken to be above everything, and
    /// equal to another one (nan is open).
    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one.cmp(other),
            (Self::Float(one), Self::Float(other)) => {
                one.partial_cmp(other).unwrap_or_else(|| one.is_nan().cmp(&other.is_nan()))
            }
            _ => Ordering::Equal,
        }
    }
}
