//! What the inputs hold: a function of the seed, the position and the data type alone.

use half::{bf16, f16};
use opcert_backend::DataType;
use rayon::prelude::*;

use crate::case::{Data, splitmix64};
use crate::element::from_integer;

/// What an input holds.
#[derive(Clone, Debug)]
pub enum Fill {
    /// What a case has.
    Given(Data),
    /// Random numbers: integers of all bits, floats from -1 on and below 1. None is a NaN or subnormal.
    Numbers,
    /// Random integers from 0 on, below this one.
    Below(u64),
    /// Zeros, and other numbers at random places: so many percent of all.
    Sparse {
        /// About how many of a hundred elements are not zero; 100 are all of them.
        percent: u64,
    },
}

/// So many elements are filled by one thread.
const CHUNK: usize = 1 << 16;

impl Fill {
    /// Fills the memory of a packed tensor, with random elements on all threads.
    pub fn fill(&self, data_type: DataType, seed: u64, memory: &mut [u8]) {
        if let Self::Given(data) = self {
            return data.fill(memory);
        }
        let width = data_type.bytes();
        let chunks = memory.par_chunks_mut(CHUNK * width).enumerate();
        chunks.for_each(|(chunk, memory)| {
            for (place, index) in memory.chunks_exact_mut(width).zip((chunk * CHUNK) as u64..) {
                let element = self.element(data_type, splitmix64(seed ^ index));
                place.copy_from_slice(&element.to_le_bytes()[..width]);
            }
        });
    }

    fn element(&self, data_type: DataType, random: u64) -> u64 {
        match self {
            Self::Numbers => number(random, data_type),
            Self::Below(bound) => from_integer((random % bound).cast_signed(), data_type),
            // The upper bits say whether it is zero, the lower ones what it is if it is not.
            Self::Sparse { percent } if (random >> 32) % 100 < *percent => other_than_zero(random, data_type),
            Self::Sparse { .. } | Self::Given(_) => 0,
        }
    }
}

/// How many elements of packed memory are not zero, of either sign.
pub(super) fn not_zero(data_type: DataType, memory: &[u8]) -> u64 {
    let sign = if data_type.is_float() { 0x80 } else { 0 };
    let is_not_zero = |element: &[u8]| {
        element.split_last().is_some_and(|(last, others)| last & !sign != 0 || others.iter().any(|&byte| byte != 0))
    };
    memory.par_chunks_exact(data_type.bytes()).filter(|element| is_not_zero(element)).count() as u64
}

fn number(random: u64, data_type: DataType) -> u64 {
    match data_type {
        DataType::Bool => random & 1,
        _ if data_type.is_float() => float(fraction(random, data_type), data_type),
        _ => random,
    }
}

fn other_than_zero(random: u64, data_type: DataType) -> u64 {
    match data_type {
        DataType::Bool => 1,
        _ if data_type.is_float() => float(2.0 + fraction(random, data_type), data_type),
        _ => random | 1,
    }
}

/// A number from -1 on, below 1, that the type has exactly: as many as there are steps of one size.
fn fraction(random: u64, data_type: DataType) -> f64 {
    let steps = match data_type {
        DataType::F64 | DataType::F32 => 1u32 << 23,
        DataType::F16 => 1 << 10,
        _ => 1 << 7,
    };
    f64::from(random as u32 % (2 * steps)) / f64::from(steps) - 1.0
}

fn float(value: f64, data_type: DataType) -> u64 {
    match data_type {
        DataType::F64 => value.to_bits(),
        DataType::F16 => f16::from_f64(value).to_bits().into(),
        DataType::BF16 => bf16::from_f64(value).to_bits().into(),
        _ => (value as f32).to_bits().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(fill: &Fill, data_type: DataType, count: usize) -> Vec<u8> {
        let mut memory = vec![0xEE; count * data_type.bytes()];
        fill.fill(data_type, 7, &mut memory);
        memory
    }

    #[test]
    fn about_as_many_are_not_zero_as_are_asked_for() {
        let found = |percent: u64, data_type: DataType| {
            not_zero(data_type, &filled(&Fill::Sparse { percent }, data_type, 100_000))
        };
        for data_type in DataType::ALL {
            assert!((49_000..51_000).contains(&found(50, data_type)), "{data_type}: {}", found(50, data_type));
            assert_eq!((found(0, data_type), found(100, data_type)), (0, 100_000), "{data_type}");
        }
        assert_eq!(not_zero(DataType::F32, &[0, 0, 0, 0x80, 0, 0, 0, 0, 1, 0, 0, 0]), 1);
        assert_eq!(not_zero(DataType::U8, &[0x80, 0, 1]), 2);
    }

    #[test]
    fn numbers_are_ordinary_and_many() {
        let memory = filled(&Fill::Numbers, DataType::F32, 100_000);
        let mut numbers: Vec<f32> =
            memory.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
        assert!(numbers.iter().all(|number| (-1.0..1.0).contains(number) && (*number == 0.0 || number.is_normal())));
        numbers.sort_by(f32::total_cmp);
        numbers.dedup();
        assert!(numbers.len() > 99_000, "{}", numbers.len());
        let memory = filled(&Fill::Numbers, DataType::F16, 1000);
        let halves = memory.chunks_exact(2).map(|bytes| f16::from_le_bytes(bytes.try_into().unwrap()));
        assert!(halves.into_iter().all(|number| (f16::NEG_ONE..f16::ONE).contains(&number)));
    }

    #[test]
    fn indices_stay_below_their_bound_and_follow_from_the_seed() {
        let memory = filled(&Fill::Below(128), DataType::U32, 100_000);
        let indices: Vec<u32> =
            memory.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect();
        assert!((0..128).all(|index| indices.contains(&index)) && indices.iter().all(|&index| index < 128));
        assert_eq!(filled(&Fill::Below(128), DataType::U32, 100_000), memory);
    }
}
