//! A source of choices: every random decision of a sample is a number from here, and the numbers are kept.
//!
//! A sample is a function of its sequence of numbers. Replayed, the sequence gives the same sample again; made shorter
//! or smaller, it gives a simpler one, because samplers put the plainest option first. So failures are shrunk without
//! any knowledge of what they are made of (see [`crate::fuzz::shrink`]).

use crate::case::splitmix64;

/// What one number of SplitMix64 adds to its state.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Where numbers come from, and those that were drawn.
#[derive(Debug)]
pub struct Choices<'a> {
    source: Source<'a>,
    /// Nothing where nobody asks for them.
    drawn: Option<Vec<u64>>,
}

#[derive(Debug)]
enum Source<'a> {
    Random {
        state: u64,
    },
    /// Numbers that were drawn before, and the state that others follow from behind them, if any do.
    Replayed {
        before: std::slice::Iter<'a, u64>,
        behind: Option<u64>,
    },
}

impl<'a> Choices<'a> {
    /// Pseudo-random numbers from a state: SplitMix64, so that they are the same everywhere and for ever.
    #[must_use]
    pub fn random(state: u64) -> Self {
        Self { source: Source::Random { state }, drawn: Some(Vec::new()) }
    }

    /// Numbers that were drawn before, perhaps edited. One that is too large becomes the largest that fits, and behind
    /// the last one come zeros.
    #[must_use]
    pub fn replay(numbers: &'a [u64]) -> Self {
        Self { source: Source::Replayed { before: numbers.iter(), behind: None }, drawn: Some(Vec::new()) }
    }

    /// Numbers that were drawn before, perhaps edited, and pseudo-random ones behind the last.
    #[must_use]
    pub(crate) fn replay_and_go_on(numbers: &'a [u64], state: u64) -> Self {
        Self { source: Source::Replayed { before: numbers.iter(), behind: Some(state) }, drawn: Some(Vec::new()) }
    }

    /// The same numbers, of which none is kept.
    #[must_use]
    pub fn unrecorded(self) -> Self {
        Self { drawn: None, ..self }
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        let scaled = |state| ((u128::from(next(state)) * u128::from(bound)) >> 64) as u64;
        let number = match &mut self.source {
            Source::Random { state } => scaled(state),
            Source::Replayed { before, behind } => match (before.next(), behind) {
                (Some(&number), _) => number.min(bound.saturating_sub(1)),
                (None, Some(state)) => scaled(state),
                (None, None) => 0,
            },
        };
        self.keep(number);
        number
    }

    /// Any number of 64 bits.
    pub fn bits(&mut self) -> u64 {
        let number = match &mut self.source {
            Source::Random { state } => next(state),
            Source::Replayed { before, behind } => match (before.next(), behind) {
                (Some(&number), _) => number,
                (None, Some(state)) => next(state),
                (None, None) => 0,
            },
        };
        self.keep(number);
        number
    }

    /// Whether something happens that happens once in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) + 1 == times
    }

    /// One of some options, each as likely as any other. There is at least one.
    pub fn pick<'t, T>(&mut self, options: &'t [T]) -> &'t T {
        let index = self.below(options.len() as u64);
        &options[index as usize]
    }

    /// One of some options with their weights, of which the first one is above 0.
    pub fn weighted<T: Copy>(&mut self, options: &[(u64, T)]) -> T {
        let mut number = self.below(options.iter().map(|(weight, _)| weight).sum());
        for &(weight, option) in options {
            if number < weight {
                return option;
            }
            number -= weight;
        }
        options[0].1
    }

    /// The numbers that were drawn, as far as they are kept.
    #[must_use]
    pub fn drawn(&self) -> &[u64] {
        self.drawn.as_deref().unwrap_or_default()
    }

    /// What was not drawn yet of the numbers that are replayed.
    #[cfg(test)]
    pub(crate) fn rest(&mut self) -> Vec<u64> {
        let Source::Replayed { before, .. } = &mut self.source else { return Vec::new() };
        let rest: Vec<u64> = before.copied().collect();
        rest.iter().for_each(|&number| self.keep(number));
        rest
    }

    fn keep(&mut self, number: u64) {
        if let Some(drawn) = &mut self.drawn {
            drawn.push(number);
        }
    }
}

fn next(state: &mut u64) -> u64 {
    let number = splitmix64(*state);
    *state = state.wrapping_add(STEP);
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_drawn_gives_the_same_again() {
        let mut first = Choices::random(7);
        let numbers: Vec<u64> = (1..50).map(|bound| first.below(bound)).collect();
        let word = first.bits();
        assert!(numbers.iter().zip(1..).all(|(&number, bound)| number < bound));
        let drawn = first.drawn().to_vec();
        let mut second = Choices::replay(&drawn);
        assert_eq!((1..50).map(|bound| second.below(bound)).collect::<Vec<_>>(), numbers);
        assert_eq!(second.bits(), word);
        assert_eq!((second.below(9), second.bits()), (0, 0));
    }

    #[test]
    fn behind_what_is_replayed_come_any_numbers() {
        let drawn = |state| {
            let mut choices = Choices::replay_and_go_on(&[3, 9], state);
            [choices.below(4), choices.bits(), choices.below(1 << 40), choices.bits()]
        };
        let mut random = Choices::random(5);
        assert_eq!(drawn(5), [3, 9, random.below(1 << 40), random.bits()]);
        assert_ne!(drawn(5)[2..], drawn(6)[2..]);
    }

    #[test]
    fn replayed_numbers_are_cut_to_what_is_asked_for() {
        let mut choices = Choices::replay(&[9, 9, 9]);
        assert_eq!((choices.below(4), choices.below(0), choices.bits()), (3, 0, 9));
        assert_eq!(choices.drawn(), [3, 0, 9]);
    }

    #[test]
    fn weights_are_kept_to() {
        let mut choices = Choices::random(1);
        let mut counts = [0; 3];
        for _ in 0..4000 {
            counts[choices.weighted(&[(2, 0usize), (1, 1), (1, 2)])] += 1;
        }
        assert!(
            counts.iter().zip([2000, 1000, 1000]).all(|(&count, expected): (&i32, i32)| (count - expected).abs() < 200)
        );
        assert_eq!(Choices::replay(&[]).weighted(&[(2, 'a'), (1, 'b')]), 'a');
    }
}
