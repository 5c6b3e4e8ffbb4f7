//! What comes together in a combination of factors: the factors themselves, and classes of what may be chosen of them.

use super::factors::{
    ALONE, BESIDE, CUBE, Combination, FEW_DIMENSIONS, Factors, LAYOUT, LENGTH, LEVEL, MOST_ELEMENTS, OUTER, PLACE,
    Place, RANK, TURN, class_of, sequences_class,
};
use crate::sample::Wish;

/// A sequence of so many elements is not short.
pub(super) const LONG: u64 = 8;
/// The lengths of rows that are neither short nor long.
pub(super) const ROWS: std::ops::RangeInclusive<u64> = 8..=33;

/// What is chosen of each part of what comes together.
pub(super) type Cell = Vec<(Part, usize)>;

/// What stands for a factor in a cell: itself, or a class of what may be chosen of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Factor(usize),
    /// The class of the length.
    LengthClass,
    /// Whether all is one sequence.
    OneSequence,
    /// Whether all is one sequence, and not a short one.
    OneLongSequence,
    /// Whether there are many dimensions.
    ManyDimensions,
    /// Whether there is one element in all.
    OneElement,
    /// Whether there are few sequences, some or many.
    SequencesClass,
    /// Whether there is a single sequence along one of several dimensions.
    NothingBeside,
    /// Whether there are two dimensions of one size.
    Square,
    /// Whether there are many rows, or columns, that are neither short nor long.
    ManyRows,
}

impl Part {
    /// Whether it tells how many sequences there are.
    pub(super) const fn counts_sequences(self) -> bool {
        match self {
            Self::Factor(factor) => factor == BESIDE,
            Self::OneElement | Self::SequencesClass | Self::NothingBeside | Self::Square | Self::ManyRows => true,
            Self::LengthClass | Self::OneSequence | Self::OneLongSequence | Self::ManyDimensions => false,
        }
    }
}

/// Whether a cell tells how many sequences there are.
pub(super) fn counts_sequences(cell: &Cell) -> bool {
    cell.iter().any(|(part, _)| part.counts_sequences())
}

impl Factors {
    /// What fills a cell asks for, however large: types of constants only that the cell names.
    pub(super) fn wish_of_cell(&self, chosen: &Combination, cell: &Cell) -> Option<Wish> {
        let mut wish = self.wish_of_any_size(chosen)?;
        wish.exactly = counts_sequences(cell);
        for (at, data_type) in wish.types.iter_mut().enumerate().filter(|(at, _)| self.constants[*at]) {
            let factor = Part::Factor(self.first_type() + at);
            *data_type = data_type.filter(|_| cell.iter().any(|(part, _)| *part == factor));
        }
        Some(wish)
    }

    /// Whether a part tells which descriptors there are, and not only what they are filled with.
    pub(super) fn is_of_descriptor(&self, part: Part) -> bool {
        match part {
            Part::Factor(LENGTH | BESIDE | PLACE | RANK | OUTER | LAYOUT | LEVEL) => true,
            Part::Factor(factor) if self.leaves_out(factor) => true,
            Part::Factor(factor) => factor.checked_sub(self.first_type()).is_some_and(|at| self.constants[at]),
            _ => true,
        }
    }

    /// What is chosen of a part; nothing where the part is about something else.
    pub(super) fn chosen(&self, part: Part, of: &Combination) -> Option<usize> {
        match part {
            // What is left out has no data.
            Part::Factor(TURN | ALONE) if (0..of.len()).any(|each| self.lacks_data(each, of[each])) => None,
            Part::Factor(factor) => Some(of[factor]),
            Part::LengthClass => Some(class_of(self.length(of))),
            Part::OneSequence => matches!(self.place(of), Place::Only | Place::All).then_some(0),
            Part::OneLongSequence => {
                self.chosen(Part::OneSequence, of).filter(|_| (LONG..=MOST_ELEMENTS).contains(&self.length(of)))
            }
            Part::ManyDimensions => Some(usize::from(of[RANK] >= FEW_DIMENSIONS)),
            Part::SequencesClass => sequences_class(self.beside(of)),
            Part::ManyRows => {
                let place = [Place::Last, Place::First].iter().position(|place| *place == self.place(of));
                let many = sequences_class(self.beside(of)) == Some(1) && self.layout(of).is_none();
                place.filter(|_| many && ROWS.contains(&self.length(of)))
            }
            Part::NothingBeside => (of[RANK] > 0 && self.length(of) > 1 && self.beside(of) == 1).then_some(0),
            Part::Square => (of[RANK] == 1 && self.beside(of) == CUBE && self.length(of) > 1).then_some(0),
            Part::OneElement => (self.length(of) == 1 && self.beside(of) == 1).then_some(0),
        }
    }
}
