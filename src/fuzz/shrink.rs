//! Makes a sequence of choices as short and as small as it can be while something stays true of it.
//!
//! General: it knows numbers, and neither samples nor operators. What it tries is given to a function that makes the
//! sample anew and says whether it still fails in the same way.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::case::splitmix64;
use crate::sample::Choices;

/// The lengths of the pieces that are taken out at once.
const PIECES: [usize; 9] = [32, 16, 8, 6, 5, 4, 3, 2, 1];
/// The lengths of the pieces that are taken out, or repeated, together with lowering an earlier number.
const PAIRED: [usize; 2] = [1, 2];
/// The longest piece that is taken out together with lowering an earlier number by which so many fewer are drawn.
const LONGEST: usize = 64;
/// A number is raised to less than this, where lowering an earlier one asks for it.
const RAISED: u64 = 64;
/// So many different pieces are tried elsewhere at most.
const MOST_COPIED: usize = 16;

/// So many sequences are tried that have nothing to do with the one that is shrunk.
const OTHERS: u64 = 1_000;
/// Their numbers are less than this.
const SMALL: u64 = 16;

/// One of so many candidates is left for what is drawn anew, when nothing else is found to be smaller.
const DRAWN_LATER: usize = 4;
/// So often what stands behind a lowered number is drawn anew.
const DRAWN_ANEW: u64 = 100;

/// Shrinks a sequence for which something holds. `holds` draws what it needs of a candidate and says whether it does, and is
/// asked at most `budget` times.
///
/// Shorter is simpler, and of equally long sequences the one that is smaller at the first difference.
pub fn shrink(numbers: Vec<u64>, budget: usize, holds: impl FnMut(&mut Choices<'_>) -> bool) -> Vec<u64> {
    let later = budget / DRAWN_LATER;
    let mut shrinking = Shrinking { best: numbers, budget: budget - later, holds };
    shrinking.begin_elsewhere();
    shrinking.settle();
    shrinking.budget += later;
    shrinking.lower_and_draw();
    shrinking.settle();
    shrinking.best
}

struct Shrinking<H> {
    best: Vec<u64>,
    budget: usize,
    holds: H,
}

/// What was done with a candidate.
enum Considered {
    /// It is the best one now.
    Kept,
    /// It is not, and so many fewer numbers were drawn from it.
    Dropped { fewer: usize },
}

impl<H: FnMut(&mut Choices<'_>) -> bool> Shrinking<H> {
    /// Keeps a candidate if it is simpler and still holds.
    fn consider(&mut self, candidate: &[u64]) -> Considered {
        if candidate == self.best { Considered::Dropped { fewer: 0 } } else { self.draw(Choices::replay(candidate)) }
    }

    /// Keeps what is drawn from these choices if it is simpler and still holds.
    fn draw(&mut self, mut choices: Choices<'_>) -> Considered {
        if self.budget == 0 {
            return Considered::Dropped { fewer: 0 };
        }
        self.budget -= 1;
        let holds = (self.holds)(&mut choices);
        let drawn = choices.drawn();
        if holds && (drawn.len(), drawn) < (self.best.len(), &self.best) {
            self.best = drawn.to_vec();
            return Considered::Kept;
        }
        Considered::Dropped { fewer: self.best.len().saturating_sub(drawn.len()) }
    }

    fn keeps(&mut self, candidate: &[u64]) -> bool {
        matches!(self.consider(candidate), Considered::Kept)
    }

    /// Looks for a shorter sequence of any numbers: what goes wrong often does so on small ones. A backend that keeps what it
    /// was given is wrong where it was not asked yet, and no smaller version of what it was asked then leads there.
    fn begin_elsewhere(&mut self) {
        for other in 0..OTHERS {
            let Some(length) = splitmix64(other).checked_rem(self.best.len() as u64) else { return };
            let number = |at: u64| splitmix64(splitmix64(other) ^ at) % SMALL;
            let candidate: Vec<u64> = (1..=length).map(number).collect();
            self.consider(&candidate);
        }
    }

    /// Makes pieces of it smaller in every way until none of them helps.
    fn settle(&mut self) {
        loop {
            let before = self.best.clone();
            self.take_out_pieces();
            self.zero_pieces();
            self.lower_numbers();
            self.lower_and_take_out();
            self.lower_and_raise();
            self.lower_and_copy();
            if self.best == before || self.budget == 0 {
                return;
            }
        }
    }

    /// Lowers a number by which fewer are drawn then, and draws all behind it anew: what belongs together may stand far apart,
    /// as an element and its index, and then no piece that is taken out leaves both.
    fn lower_and_draw(&mut self) {
        let mut index = 0;
        while let Some(&number) = self.best.get(index) {
            let lower: BTreeSet<u64> = [0, number / 2, number.saturating_sub(1)].into();
            lower.range(..number).any(|&lower| self.lowers_and_draws(index, lower));
            index += 1;
        }
    }

    fn lowers_and_draws(&mut self, index: usize, number: u64) -> bool {
        let mut lowered = self.best.clone();
        lowered[index] = number;
        match self.consider(&lowered) {
            Considered::Kept => return true,
            Considered::Dropped { fewer: 0 } => return false,
            Considered::Dropped { .. } => lowered.truncate(index + 1),
        }
        (0..DRAWN_ANEW).any(|state| {
            let drawn = self.draw(Choices::replay_and_go_on(&lowered, splitmix64(state)));
            matches!(drawn, Considered::Kept)
        })
    }

    fn take_out_pieces(&mut self) {
        for length in PIECES {
            let mut end = self.best.len();
            while end >= length {
                let start = end - length;
                if self.best.get(end) != Some(&self.best[start]) {
                    let candidate = without(&self.best, start, length);
                    self.consider(&candidate);
                }
                end = (end - 1).min(self.best.len());
            }
        }
    }

    fn zero_pieces(&mut self) {
        for length in PIECES {
            for start in (0..self.best.len()).rev() {
                let end = start + length;
                if end <= self.best.len() && self.best[start..end].iter().any(|&number| number != 0) {
                    let mut candidate = self.best.clone();
                    candidate[start..end].fill(0);
                    self.consider(&candidate);
                }
            }
        }
    }

    /// Looks for the least value of each number: by halves, then one by one.
    fn lower_numbers(&mut self) {
        for index in 0..self.best.len() {
            let mut least = 0;
            while let Some(&number) = self.best.get(index).filter(|&&number| least < number) {
                let middle = least + (number - least) / 2;
                if !self.lowers(index, middle) {
                    least = middle + 1;
                }
            }
            while self.best.get(index).is_some_and(|&number| number > 0) && self.lowers(index, self.best[index] - 1) {}
        }
    }

    /// Lowers a number. Where fewer numbers are drawn then, as when it is a size, those behind it have moved: so many
    /// or not as many are taken out, wherever that helps.
    fn lowers(&mut self, index: usize, number: u64) -> bool {
        let mut candidate = self.best.clone();
        candidate[index] = number;
        match self.consider(&candidate) {
            Considered::Kept => true,
            Considered::Dropped { fewer: 0 } => false,
            Considered::Dropped { fewer } => {
                (1..=fewer.min(LONGEST)).rev().any(|length| self.takes_out(&candidate, index + 1, length))
            }
        }
    }

    /// Takes a piece out of a candidate, from some place on, if that helps.
    fn takes_out(&mut self, candidate: &[u64], first: usize, length: usize) -> bool {
        let differs = |&start: &usize| start == first || candidate[start - 1] != candidate[start - 1 + length];
        let starts = first..(candidate.len() + 1).saturating_sub(length);
        starts.filter(differs).any(|start| self.keeps(&without(candidate, start, length)))
    }

    /// Lowers a number by one and takes out a piece behind it.
    fn lower_and_take_out(&mut self) {
        let mut index = 0;
        while index < self.best.len() {
            if self.best[index] == 0 || !self.lowers_and_takes_out(index) {
                index += 1;
            }
        }
    }

    fn lowers_and_takes_out(&mut self, index: usize) -> bool {
        let mut lowered = self.best.clone();
        lowered[index] -= 1;
        PAIRED.iter().any(|&length| self.takes_out(&lowered, index + 1, length))
    }

    /// Lowers a number by one and raises another one behind it: where both say how large something is, one may have
    /// to grow for the other to shrink.
    fn lower_and_raise(&mut self) {
        let mut index = 0;
        while index < self.best.len() {
            if self.best[index] == 0 || !self.lowers_and_raises(index) {
                index += 1;
            }
        }
    }

    fn lowers_and_raises(&mut self, index: usize) -> bool {
        let mut candidate = self.best.clone();
        candidate[index] -= 1;
        (index + 1..candidate.len()).any(|other| {
            let number = candidate[other];
            let raised = number != 0
                && (number + 1..RAISED).any(|raised| {
                    candidate[other] = raised;
                    self.keeps(&candidate)
                });
            candidate[other] = number;
            raised
        })
    }

    /// Lowers a number so that fewer are drawn, and repeats a piece that stands behind it: where what is far away has
    /// to be there twice, it may as well be close.
    fn lower_and_copy(&mut self) {
        let mut index = 0;
        while let Some(&number) = self.best.get(index) {
            let lower: BTreeSet<u64> = [0, 1, number / 2, number.saturating_sub(1)].into();
            if !lower.range(..number).any(|&lower| self.lowers_and_copies(index, lower)) {
                index += 1;
            }
        }
    }

    fn lowers_and_copies(&mut self, index: usize, number: u64) -> bool {
        let mut lowered = self.best.clone();
        lowered[index] = number;
        let fewer = match self.consider(&lowered) {
            Considered::Kept => return true,
            Considered::Dropped { fewer } => fewer,
        };
        let end = lowered.len() - fewer;
        fewer > 0 && PAIRED.iter().any(|&length| self.copies(&lowered, index + 1..end, length))
    }

    /// Puts a piece in another place of a candidate, if that helps.
    fn copies(&mut self, candidate: &[u64], places: Range<usize>, length: usize) -> bool {
        let pieces: BTreeSet<&[u64]> = candidate[places.start..].windows(length).collect();
        let pieces = pieces.into_iter().filter(|piece| piece.iter().any(|&number| number != 0)).take(MOST_COPIED);
        pieces.into_iter().any(|piece| {
            (places.start..(places.end + 1).saturating_sub(length)).any(|start| {
                let mut candidate = candidate.to_vec();
                candidate[start..start + length].copy_from_slice(piece);
                self.keeps(&candidate)
            })
        })
    }
}

/// A sequence without some of its numbers.
fn without(numbers: &[u64], start: usize, length: usize) -> Vec<u64> {
    [&numbers[..start], &numbers[start + length..]].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Shrinks with a predicate on the candidate itself.
    fn shrunk(numbers: &[u64], holds: impl Fn(&[u64]) -> bool) -> Vec<u64> {
        shrink(numbers.to_vec(), 100_000, |choices| holds(&choices.rest()))
    }

    #[test]
    fn nothing_remains_of_what_does_not_matter() {
        let numbers: Vec<u64> = (0..60).map(|index| index * 37 % 101).collect();
        assert_eq!(shrunk(&numbers, |_| true), [0; 0]);
        assert_eq!(shrunk(&numbers, |some| some.iter().any(|&number| number >= 70)), [70]);
        let large = |some: &[u64]| some.iter().filter(|&&number| number >= 50).count();
        assert_eq!(shrunk(&numbers, |some| large(some) >= 3), [50; 3]);
        assert_eq!(shrunk(&numbers, |some| some.len() >= 5), [0; 5]);
    }

    #[test]
    fn large_numbers_come_down_to_the_bound() {
        let bound = 0x1234_5678_9ABC_DEF0;
        assert_eq!(shrunk(&[u64::MAX, 3], |some| some.first().is_some_and(|&number| number >= bound)), [bound]);
    }

    #[test]
    fn a_count_shrinks_with_what_it_counts() {
        // A count and exactly as many numbers, of which one is 9.
        let holds = |some: &[u64]| {
            some.split_first().is_some_and(|(&count, rest)| rest.len() as u64 == count && rest.contains(&9))
        };
        assert_eq!(shrunk(&[6, 1, 2, 3, 9, 4, 5], holds), [1, 9]);
    }

    #[test]
    fn a_size_shrinks_with_its_elements_and_what_follows_stays() {
        // Two lists, each behind its length; 7 stands in the second one.
        let holds = |choices: &mut Choices<'_>| {
            let mut list = || (0..choices.below(30)).map(|_| choices.below(10)).collect::<Vec<_>>();
            let (_, second) = (list(), list());
            second.contains(&7)
        };
        let numbers = [vec![20], vec![3; 20], vec![12], vec![5; 11], vec![7]].concat();
        assert_eq!(shrink(numbers, 10_000, holds), [0, 1, 7]);
    }

    #[test]
    fn one_number_grows_so_that_another_one_shrinks() {
        // A product of at least 20 is wanted, and the first number is how many follow.
        let holds = |choices: &mut Choices<'_>| {
            let (first, second) = (choices.below(30), choices.below(30));
            (0..first).for_each(|_| _ = choices.below(2));
            first * second >= 20
        };
        assert_eq!(shrink([vec![4, 5], vec![1; 4]].concat(), 10_000, holds), [1, 20, 0]);
    }

    #[test]
    fn what_has_to_be_there_twice_comes_close() {
        // A long list shows its first element again at its end, and a short one does not.
        let holds = |choices: &mut Choices<'_>| {
            let length = [2, 3, 40][choices.below(3) as usize];
            let list: Vec<u64> = (0..length.min(16)).map(|_| choices.below(10)).collect();
            let twice = length == 40 || list.iter().filter(|&&number| number == 7).count() > 1;
            list[0] == 7 && twice
        };
        assert_eq!(shrink([vec![2, 7], vec![0; 15]].concat(), 10_000, holds), [0, 7, 7]);
    }

    #[test]
    fn what_belongs_together_far_apart_is_drawn_anew() {
        // Two lists of one length; where 5 stands in the first one, 7 does in the second, and nothing else does anywhere.
        let holds = |choices: &mut Choices<'_>| {
            let length = 2 + choices.below(18);
            let mut list = || (0..length).map(|_| choices.below(10)).collect::<Vec<_>>();
            let (first, second) = (list(), list());
            let fives = first.iter().filter(|&&number| number == 5).count();
            fives == 1 && first.iter().zip(&second).any(|pair| pair == (&5, &7))
        };
        let numbers = [vec![18], vec![0; 9], vec![5], vec![0; 19], vec![7], vec![0; 10]].concat();
        assert_eq!(shrink(numbers, 10_000, holds), [0, 0, 5, 0, 7]);
    }

    #[test]
    fn what_is_wrong_where_something_else_was_asked_before_shrinks() {
        // Of each length the first sequence that was asked is right for good, and every other one is wrong.
        let mut first = BTreeMap::from([(12, vec![1; 12])]);
        let mut holds = |some: &[u64]| *first.entry(some.len()).or_insert_with(|| some.to_vec()) != some;
        assert_eq!(shrink(vec![0; 12], 10_000, |choices| holds(&choices.rest())).len(), 1);
    }

    #[test]
    fn the_budget_is_kept_to() {
        let mut asked = 0;
        shrink(vec![5; 100], 17, |_| {
            asked += 1;
            false
        });
        assert_eq!(asked, 17);
    }
}
