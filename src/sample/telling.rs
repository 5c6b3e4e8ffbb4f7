//! Values that tell mistakes apart, by data type: each of them cut to fewer bits, read with the other sign, rounded, flushed
//! or computed with is another one; and values that take the places of others once a comparison goes wrong.

use std::collections::BTreeSet;

use opcert_backend::DataType;

use super::data::Doubtful;
use super::values::{self, INDEX_CLASSES, index_value, ones, power, width};
use crate::element::{self, Float};

/// A value that comes first by an order, and others that a mistake puts in front of it. All are patterns of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rivals {
    /// The one that comes first.
    pub(super) winner: u64,
    /// What equals it.
    pub(super) alike: u64,
    /// Those that come behind it.
    pub(super) losers: Vec<u64>,
}

impl Rivals {
    /// The one that comes first with each of the others alone.
    pub(super) fn in_pairs(&self) -> Vec<Self> {
        if self.losers.is_empty() {
            return vec![self.clone()];
        }
        self.losers.iter().map(|&loser| Self { losers: vec![loser], ..*self }).collect()
    }

    /// Whether all are numbers of a moderate size, no two of which are equal.
    pub(super) fn is_plain(&self, data_type: DataType) -> bool {
        let all = self.losers.iter().chain([&self.winner]).all(|&bits| is_moderate(bits, data_type));
        all && self.winner == self.alike && !self.losers.is_empty()
    }

    /// Whether the first one is a subnormal number, for which there is a 0 in some implementations. It comes first all the same.
    pub(super) fn is_tiny(&self, data_type: DataType) -> bool {
        values::is_subnormal(self.winner, data_type)
    }
}

/// The precisions of floats that integers may pass through on their way, in bits.
const PRECISIONS: [u32; 4] = [8, 11, 24, 53];
/// The widths that wider integers may be cut to or made of, in bits.
const WIDTHS: [u32; 3] = [8, 16, 32];

/// Numbers up to this power of two are of a moderate size, and so are those down to it.
const MODERATE: i64 = 12;

/// Whether it is a number of a moderate size, and 0 only with the sign that documents speak of.
pub(super) fn is_moderate(bits: u64, data_type: DataType) -> bool {
    match Float::of(data_type) {
        Some(float) => {
            let size = bits & !float.sign();
            bits == 0 || size >= power(float, -MODERATE) && size < power(float, MODERATE.min(14))
        }
        None => {
            let integer = element::integer(&bits.to_le_bytes()[..data_type.bytes()], data_type);
            integer.is_none_or(|integer| integer.unsigned_abs() < 1 << MODERATE)
        }
    }
}

/// Pairs of values whose comparison is easily mistaken: what comes first beside what comes behind it, either way round, and beside
/// what equals it. No pair is there twice.
pub(super) fn pairs(data_type: DataType, greatest: bool) -> Vec<[u64; 2]> {
    let mut pairs: Vec<[u64; 2]> = Vec::new();
    for Rivals { winner, alike, losers } in rivals(data_type, greatest) {
        let with_losers = losers.iter().flat_map(|&loser| [[winner, loser], [loser, winner]]);
        let each = with_losers.chain([[winner, alike], [alike, winner]]);
        for pair in each {
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    pairs
}

/// Values of every kind that a type has: those that show the most when they are copied, and others, infinities among them.
pub(super) fn kinds(data_type: DataType) -> Vec<u64> {
    let mut kinds = copied(data_type);
    kinds.extend(other(data_type));
    let mut seen = BTreeSet::new();
    kinds.retain(|&bits| seen.insert(bits));
    kinds
}

/// Numbers that every type has.
pub(super) fn plain(data_type: DataType) -> Vec<u64> {
    let numbers = if data_type == DataType::Bool { 0..2 } else { 1..8 };
    numbers.map(|number| element::from_integer(number, data_type)).collect()
}

/// Values of which a copy shows every mistake, those first that show the most.
pub(super) fn copied(data_type: DataType) -> Vec<u64> {
    let (high, all) = (1 << (width(data_type) - 1), ones(data_type));
    let Some(float) = Float::of(data_type) else {
        return match data_type {
            DataType::Bool => vec![0, 1],
            // The highest bit with the lowest one, what alternates, what has one half only, all but the highest bit, it alone.
            // Little of 0 shows, or of a small number below it.
            _ => vec![high | 1, 0xA5A5_A5A5_A5A5_A5A5 & all, 1 << (width(data_type) / 2), high - 1, high, all - 1, 0],
        };
    };
    let negative = float.sign();
    let precise = power(float, 9) | 0x55_5555_5555_5555 & ((1 << float.fraction) - 1);
    let subnormal = 1 | 1 << (float.fraction - 1);
    vec![
        subnormal,
        float.nan() | negative | 5,
        precise,
        // The two zeros are neighbours: they are equal, and not the same.
        negative,
        0,
        float.infinity() | 3,
        negative | 1,
        float.infinity() - 1,
        float.infinity() | negative,
    ]
}

/// Values that others are told from, none of them 0: parts of each are. One may stand there twice.
pub(super) fn other(data_type: DataType) -> Vec<u64> {
    let mut values = copied(data_type);
    let width = width(data_type);
    match Float::of(data_type) {
        Some(float) => {
            let one = power(float, 0);
            values.extend([float.infinity(), 1 << float.fraction, one]);
            values.extend([float.sign() | 1 << float.fraction, one | float.sign(), power(float, -3)]);
        }
        // It has one value beside 0.
        None if data_type == DataType::Bool => {}
        None => values.extend(WIDTHS.iter().filter(|each| **each < width).map(|each| 1 << each).chain([1, 2])),
    }
    values.retain(|&bits| bits != 0 && bits != Float::of(data_type).map_or(0, Float::sign));
    values
}

/// Values whose order is easily mistaken; the greatest one comes first, or the least one.
pub(super) fn rivals(data_type: DataType, greatest: bool) -> Vec<Rivals> {
    let (mirror, found) = match Float::of(data_type) {
        Some(float) => (float.sign(), of_floats(float, width(data_type))),
        None if data_type == DataType::Bool => (1, of_integers(data_type)),
        None => (ones(data_type), of_integers(data_type)),
    };
    let turned = |bits: u64| if greatest { bits } else { bits ^ mirror };
    let found = found.into_iter().map(|Rivals { winner, alike, losers }| Rivals {
        winner: turned(winner),
        alike: turned(alike),
        losers: losers.into_iter().map(turned).collect(),
    });
    let mut rivals: Vec<Rivals> = found.collect();
    // The other way round all numbers of an unsigned type are large.
    if !rivals.iter().any(|each| each.is_plain(data_type)) {
        let [least, middle, most] = [4, 7, 9].map(|number| element::from_integer(number, data_type));
        let (winner, loser) = if greatest { (most, least) } else { (least, most) };
        rivals.push(Rivals { winner, alike: winner, losers: vec![middle, loser] });
    }
    rivals
}

fn of_integers(data_type: DataType) -> Vec<Rivals> {
    let width = match data_type {
        DataType::Bool => 1,
        _ => width(data_type),
    };
    let signed = data_type.is_signed_integer();
    let (least, most) = match signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    let half = 1i128 << (width - 1);
    // What begins with 0, or above the least one, finds nothing.
    let mut found =
        vec![(least, vec![]), (least + 1, vec![least]), (most, vec![most - 1, most / 2, most & !0xFF, 0, least])];
    if signed {
        // A sign is no high bit.
        found.extend([(-1, vec![-2, least]), (1, vec![-1, 0, least]), (-0x80, vec![-0x81, least])]);
    } else {
        found.extend([(half, vec![half - 1, 1]), (half + 1, vec![half, 2])]);
    }
    for cut in WIDTHS {
        let (whole, sign) = (1i128 << cut, 1i128 << (cut - 1));
        found.push((whole, vec![whole - 1, 1]));
        // The low parts of equal high ones are unsigned.
        found.push((whole | sign, vec![whole | (sign - 1), whole | 1]));
        found.push((-whole, vec![-whole - 1, -whole - sign]));
    }
    for precision in PRECISIONS {
        let first = 1i128 << precision;
        found.push((first + 1, vec![first, first - 1]));
        found.push((-first, vec![-first - 1, least]));
    }
    let fits = |value: &i128| (least..=most).contains(value);
    let bits = |value: i128| value as u64 & ones(data_type);
    let mut rivals: Vec<Rivals> = Vec::new();
    for (winner, mut losers) in found.into_iter().filter(|(winner, _)| fits(winner)) {
        losers.retain(|loser| fits(loser) && *loser < winner);
        if losers.is_empty() && winner != least {
            continue;
        }
        let losers = losers.into_iter().map(bits).collect();
        let each = Rivals { winner: bits(winner), alike: bits(winner), losers };
        if !rivals.contains(&each) {
            rivals.push(each);
        }
    }
    rivals
}

fn of_floats(float: Float, width: u32) -> Vec<Rivals> {
    let sign = float.sign();
    let negative = |bits: u64| bits | sign;
    let (one, two, infinity) = (power(float, 0), power(float, 1), float.infinity());
    let (greatest, normal) = (infinity - 1, 1 << float.fraction);
    let low = 1 << (width / 2 - 1).min(float.fraction - 1);
    let mut found = vec![
        // What begins with 0, or with the least number, finds nothing.
        (negative(infinity), vec![]),
        (negative(greatest), vec![negative(infinity)]),
        (negative(normal), vec![negative(one), negative(greatest), negative(infinity)]),
        // As patterns of bits the order of negative numbers is the other way round.
        (negative(one), vec![negative(one + 1), negative(two), negative(greatest)]),
        (0, vec![negative(normal), negative(one), negative(infinity)]),
        (normal, vec![0, negative(normal), negative(0)]),
        (infinity, vec![greatest, one, negative(infinity)]),
        (greatest, vec![greatest - 1, power(float, 15), negative(one)]),
        // Narrower fractions lose what tells these apart.
        (one + 1, vec![one, negative(two), negative(one)]),
        (one | low, vec![one | (low - 1), one]),
        (one, vec![one - 1, power(float, -1), negative(two)]),
        // A subnormal number and the 0 in its place come before all of these.
        (5, vec![negative(one), negative(normal), negative(infinity)]),
        (negative(3), vec![negative(normal), negative(one), negative(greatest)]),
        (negative(power(float, -1)), vec![negative(power(float, -1)) + 1, negative(one)]),
    ];
    // Beyond the range of a half, and of a float, everything is infinity or 0.
    for beyond in [16, 128] {
        if beyond < 1 << (float.exponent - 1) {
            let large = power(float, beyond);
            found.push((large + 1, vec![large, power(float, beyond - 1) | 0xF << (float.fraction - 4)]));
            found.push((power(float, 1 - 2 * beyond), vec![power(float, -2 * beyond), 0]));
        }
    }
    let rivals = found.into_iter().map(|(winner, losers)| Rivals {
        winner,
        // The one zero equals the other.
        alike: if winner == 0 { sign } else { winner },
        losers,
    });
    rivals.collect()
}

/// Indices at and beyond the ends of a sequence of some size, and what is cut to such ones, as far as they leave nothing open;
/// `near` is one within it. The type has each of them.
pub(super) fn indices(data_type: DataType, size: u64, near: u64, doubtful: Doubtful) -> Vec<i128> {
    let classes = (0..INDEX_CLASSES as u64).map(|class| index_value(class, size.into(), near.into()));
    let mut found: Vec<i128> = Vec::new();
    // Where a float no longer has all whole numbers, an index is rounded to its neighbour.
    let rounded = PRECISIONS.iter().flat_map(|&bits| [(1i128 << bits) + 1, (1 << bits) + 2]);
    let rounded = rounded.filter(|&index| index < size.into());
    // What is left of these once their high bits are gone lies within.
    let cut = [40, 48, 52, 53].map(|bits| (1i128 << bits) + i128::from(near));
    let (least, most) = values::least_and_most(data_type);
    for index in classes.chain([0, 1, 2 - i128::from(size), least, most]).chain(cut).chain(rounded) {
        if values::has_index(index, data_type) && doubtful.allows_index(index, size) && !found.contains(&index) {
            found.push(index);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of an element as far as its order goes.
    fn number(bits: u64, data_type: DataType) -> (i128, f64) {
        let bytes = &bits.to_le_bytes()[..data_type.bytes()];
        match element::integer(bytes, data_type) {
            Some(integer) => (integer, 0.0),
            None if data_type == DataType::Bool => (bits.into(), 0.0),
            None => (0, element::render(bytes, data_type).parse().unwrap()),
        }
    }

    #[test]
    fn winners_come_first() {
        for data_type in DataType::ALL {
            for greatest in [true, false] {
                let found = rivals(data_type, greatest);
                assert!(found.iter().any(|each| each.losers.is_empty()), "{data_type}");
                assert!(found.iter().any(|each| each.is_plain(data_type)), "{data_type}");
                assert!(found.len() >= if data_type == DataType::Bool { 2 } else { 5 }, "{data_type}");
                for Rivals { winner, alike, losers } in &found {
                    let of = |bits: u64| number(bits, data_type);
                    assert_eq!(of(*winner), of(*alike), "{data_type} {winner:x}");
                    for loser in losers {
                        let behind = if greatest { of(*loser) < of(*winner) } else { of(*loser) > of(*winner) };
                        assert!(behind, "{data_type} {loser:x} {winner:x}");
                    }
                }
            }
        }
    }

    #[test]
    fn truth_values_are_0_and_1() {
        let rivals = [true, false].map(|greatest| rivals(DataType::Bool, greatest)).concat();
        let rivals = rivals.into_iter().flat_map(|each| [vec![each.winner, each.alike], each.losers].concat());
        let all = [plain(DataType::Bool), copied(DataType::Bool), other(DataType::Bool)].concat();
        assert!(all.into_iter().chain(rivals).all(|bits| bits <= 1));
        assert_eq!(other(DataType::Bool), [1]);
    }

    #[test]
    fn values_of_a_type_are_different() {
        for data_type in DataType::ALL {
            for values in [plain(data_type), copied(data_type)] {
                let mut sorted = values.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), values.len(), "{data_type} {values:x?}");
                assert!(values.iter().all(|bits| bits & !ones(data_type) == 0), "{data_type} {values:x?}");
            }
        }
    }
}
