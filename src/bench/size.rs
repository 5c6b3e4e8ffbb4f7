//! How many elements are asked for.

use std::str::FromStr;

/// The most that can be asked for: DirectML counts elements in 32 bits.
const MOST: u64 = 1 << 32;

/// A number of elements, or all powers of two times the first one up to the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(Vec<u64>);

/// Why a text is no number of elements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// It is no number in any way of writing it.
    #[error("`{0}` is no number of elements, such as `1048576`, `2^20`, `1M` or `2^10..2^28`")]
    Malformed(String),
    /// It is 0 or too large.
    #[error("`{0}` is not between 1 and 2^32 elements")]
    OutOfRange(String),
    /// A range goes downwards.
    #[error("`{0}` goes downwards: the smaller number comes first")]
    Downwards(String),
}

impl Sizes {
    /// The numbers, ascending.
    #[must_use]
    pub fn elements(&self) -> &[u64] {
        &self.0
    }

    /// Whether there is more than one.
    #[must_use]
    pub fn is_range(&self) -> bool {
        self.0.len() > 1
    }
}

/// Digits, with `K`, `M` or `G` behind them for 2^10, 2^20 or 2^30; a power such as `2^20`; or two of these with `..`
/// between them.
impl FromStr for Sizes {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let Some((first, last)) = text.split_once("..") else { return Ok(Self(vec![number(text)?])) };
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(SizeError::Downwards(text.to_owned()));
        }
        Ok(Self(std::iter::successors(Some(first), |size| Some(size * 2)).take_while(|&size| size <= last).collect()))
    }
}

pub(super) fn number(text: &str) -> Result<u64, SizeError> {
    let malformed = || SizeError::Malformed(text.to_owned());
    let plain = |digits: &str| {
        let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_plain.then(|| digits.parse::<u64>().unwrap_or(u64::MAX)).ok_or_else(malformed)
    };
    let found = if let Some((base, exponent)) = text.split_once('^') {
        let exponent = u32::try_from(plain(exponent)?).unwrap_or(u32::MAX);
        plain(base)?.saturating_pow(exponent)
    } else {
        let units = [('K', 10), ('M', 20), ('G', 30)];
        let unit = units.into_iter().find_map(|(letter, bits)| Some((text.strip_suffix(letter)?, bits)));
        let (digits, bits) = unit.unwrap_or((text, 0));
        plain(digits)?.saturating_mul(1 << bits)
    };
    (1..=MOST).contains(&found).then_some(found).ok_or_else(|| SizeError::OutOfRange(text.to_owned()))
}

/// A number of elements, as short as it can be written so that it is read again.
pub(super) fn written(elements: u64) -> String {
    match elements {
        _ if elements.is_power_of_two() && elements >= 1024 => format!("2^{}", elements.ilog2()),
        _ => elements.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Result<Vec<u64>, SizeError> {
        text.parse().map(|Sizes(sizes)| sizes)
    }

    #[test]
    fn one_size_can_be_written_in_four_ways() {
        for text in ["1048576", "2^20", "1M", "1024K"] {
            assert_eq!(sizes(text), Ok(vec![1_048_576]), "{text}");
        }
        assert_eq!(sizes("4G"), Ok(vec![4_294_967_296]));
        assert_eq!(sizes("10^6"), Ok(vec![1_000_000]));
        assert_eq!(sizes("1"), Ok(vec![1]));
    }

    #[test]
    fn a_range_doubles() {
        assert_eq!(sizes("2^10..2^13"), Ok(vec![1024, 2048, 4096, 8192]));
        assert_eq!(sizes("3..13"), Ok(vec![3, 6, 12]));
        assert_eq!(sizes("2^10..2^28").unwrap().len(), 19);
        assert_eq!(sizes("5..5"), Ok(vec![5]));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "M", "1m", "2^", "^3", "1.5M", "-1", "+1", "1..", "..", "0x10", "2^2^2", "1 M", "1...3"] {
            let error = sizes(text).unwrap_err();
            assert!(matches!(error, SizeError::Malformed(_)), "{text}: {error}");
        }
        for text in ["0", "5G", "2^33", "2^4294967296", "99999999999999999999999", "0..1"] {
            let error = sizes(text).unwrap_err();
            assert!(matches!(error, SizeError::OutOfRange(_)), "{text}: {error}");
        }
        assert_eq!(
            sizes("2^20..2^10").unwrap_err().to_string(),
            "`2^20..2^10` goes downwards: the smaller number comes first"
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        for elements in [1, 4, 1000, 1024, 1 << 24, 1_000_000] {
            assert_eq!(sizes(&written(elements)), Ok(vec![elements]));
        }
        assert_eq!(written(1 << 24), "2^24");
    }
}
