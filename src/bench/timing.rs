//! What is made of the seconds of many rounds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Seconds, over all rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// The median.
    pub median: f64,
    /// A quarter of the rounds took less.
    pub lower_quartile: f64,
    /// A quarter of the rounds took more.
    pub upper_quartile: f64,
}

impl Timing {
    /// Of the seconds of each round.
    #[must_use]
    pub fn of(mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        let at = |quarter: usize| six_digits(seconds.get(seconds.len() * quarter / 4).copied().unwrap_or(0.0));
        Self { median: at(2), lower_quartile: at(1), upper_quartile: at(3) }
    }
}

/// A number with as many digits as mean something, and more: so written, it is read as the same number.
pub(super) fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// The median of the quotients of each round.
pub(super) fn ratio(above: &[f64], below: &[f64]) -> f64 {
    Timing::of(std::iter::zip(above, below).map(|(above, below)| above / below).collect()).median
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timing_is_the_middle_of_the_rounds_and_their_quarters() {
        let timing = Timing::of(vec![9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0]);
        assert_eq!(timing, Timing { median: 5.0, lower_quartile: 3.0, upper_quartile: 7.0 });
        assert_eq!(Timing::of(vec![2.0]), Timing { median: 2.0, lower_quartile: 2.0, upper_quartile: 2.0 });
        assert_eq!(Timing::of(Vec::new()).median, 0.0);
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        // The machine was slower in the third round, for both.
        assert_eq!(ratio(&[2.0, 2.0, 40.0], &[1.0, 1.0, 10.0]), 2.0);
        assert_eq!(ratio(&[3.0, 1.0, 2.0], &[1.0, 1.0, 1.0]), 2.0);
    }
}
