//! What the inputs hold: a function of the seed, the position and the data type alone.

use half::{bf16, f16};
use opcert_backend::DataType;
use rayon::prelude::*;

use crate::case::splitmix64;

/// What an input holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fill {
    /// These bytes.
    Elements(Vec<u8>),
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
    /// Fills the memory of a packed tensor on all threads, and says how many elements are not zero of those that are
    /// sparse; 0 for others.
    #[must_use]
    pub fn fill(&self, data_type: DataType, seed: u64, memory: &mut [u8]) -> u64 {
        if let Self::Elements(bytes) = self {
            memory.copy_from_slice(bytes);
            return 0;
        }
        let width = data_type.bytes();
        let chunks = memory.par_chunks_mut(CHUNK * width).enumerate();
        let found = chunks.map(|(chunk, memory)| {
            let elements = memory.chunks_exact_mut(width).zip((chunk * CHUNK) as u64..);
            elements.map(|(place, index)| self.element(data_type, splitmix64(seed ^ index), place)).sum::<u64>()
        });
        found.sum()
    }

    fn element(&self, data_type: DataType, random: u64, place: &mut [u8]) -> u64 {
        let (element, found) = match self {
            Self::Elements(_) => return 0,
            Self::Numbers => (number(random, data_type), 0),
            Self::Below(bound) => (random % bound, 0),
            // The upper bits say whether it is zero, the lower ones what it is if it is not.
            Self::Sparse { percent } if (random >> 32) % 100 < *percent => (nonzero(random, data_type), 1),
            Self::Sparse { .. } => (0, 0),
        };
        place.copy_from_slice(&element.to_le_bytes()[..place.len()]);
        found
    }
}

/// Off and On, as elements of a type.
pub(super) fn off_and_on(data_type: DataType) -> [Vec<u8>; 2] {
    let element = |value: f64| {
        let bits = if data_type.is_float() { float(value, data_type) } else { value as u64 };
        bits.to_le_bytes()[..data_type.bytes()].to_vec()
    };
    [element(0.0), element(1.0)]
}

fn number(random: u64, data_type: DataType) -> u64 {
    match data_type {
        DataType::Bool => random & 1,
        _ if data_type.is_float() => float(fraction(random, data_type), data_type),
        _ => random,
    }
}

fn nonzero(random: u64, data_type: DataType) -> u64 {
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

    fn filled(fill: &Fill, data_type: DataType, count: usize) -> (Vec<u8>, u64) {
        let mut memory = vec![0xEE; count * data_type.bytes()];
        let found = fill.fill(data_type, 7, &mut memory);
        (memory, found)
    }

    #[test]
    fn as_many_are_found_as_are_not_zero() {
        for data_type in DataType::ALL {
            let (memory, found) = filled(&Fill::Sparse { percent: 50 }, data_type, 100_000);
            let there = memory.chunks_exact(data_type.bytes()).filter(|element| element.iter().any(|&byte| byte != 0));
            assert_eq!(found, there.count() as u64, "{data_type}");
            assert!((49_000..51_000).contains(&found), "{data_type}: {found}");
        }
        assert_eq!(filled(&Fill::Sparse { percent: 100 }, DataType::I8, 70_000).1, 70_000);
        assert_eq!(filled(&Fill::Sparse { percent: 0 }, DataType::I8, 70_000), (vec![0; 70_000], 0));
    }

    #[test]
    fn numbers_are_ordinary_and_many() {
        let (memory, _) = filled(&Fill::Numbers, DataType::F32, 100_000);
        let mut numbers: Vec<f32> =
            memory.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
        assert!(numbers.iter().all(|number| (-1.0..1.0).contains(number) && (*number == 0.0 || number.is_normal())));
        numbers.sort_by(f32::total_cmp);
        numbers.dedup();
        assert!(numbers.len() > 99_000, "{}", numbers.len());
        let (memory, _) = filled(&Fill::Numbers, DataType::F16, 1000);
        let halves = memory.chunks_exact(2).map(|bytes| f16::from_le_bytes(bytes.try_into().unwrap()));
        assert!(halves.into_iter().all(|number| (f16::NEG_ONE..f16::ONE).contains(&number)));
    }

    #[test]
    fn indices_stay_below_their_bound_and_follow_from_the_seed() {
        let (memory, _) = filled(&Fill::Below(128), DataType::U32, 100_000);
        let indices: Vec<u32> =
            memory.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect();
        assert!((0..128).all(|index| indices.contains(&index)) && indices.iter().all(|&index| index < 128));
        assert_eq!(filled(&Fill::Below(128), DataType::U32, 100_000).0, memory);
        assert_eq!(off_and_on(DataType::F16), [vec![0, 0], vec![0, 0x3C]]);
        assert_eq!(off_and_on(DataType::I64), [vec![0; 8], vec![1, 0, 0, 0, 0, 0, 0, 0]]);
    }
}
