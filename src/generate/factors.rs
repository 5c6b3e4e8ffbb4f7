//! What implementations branch on, and the combinations of it that cases are made of.
//!
//! Sizes are those of an operator's subject, axes those that its checks speak of.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use opcert_backend::{DataType, Role};

use crate::check::breakpoints;
use crate::sample::{Boldness, Choices, Sampler, Strides, Wish};
use crate::spec::{AttributeValues, Level, Operator};

/// Lengths below and above the widths in which vectors, blocks and grids come, with what is left over.
const LENGTHS: [u64; 16] = [1, 2, 8, 15, 16, 17, 33, 64, 66, 128, 130, 256, 300, 1030, 4097, 65537];
/// The first length of each class of them.
const CLASSES: [u64; 8] = [1, 8, 16, 64, 256, 1030, 4097, 65537];
/// How many sequences there are beside each other; 0 stands for two along each dimension that is free, and [`CUBE`] for as many
/// along each as the length.
const SEQUENCES: [u64; 12] = [0, CUBE, 1, 7, 13, 33, 41, 65, 130, 260, 1030, 65600];
/// All sizes are the same.
const CUBE: u64 = u64::MAX;
/// The numbers of sequences that are taken where no other one is asked for.
const USUAL_SEQUENCES: [u64; 4] = [0, 33, 41, 41];
/// The most dimensions.
const DIMENSIONS: usize = 8;
/// Implementations have other code for more dimensions than this.
const FEW_DIMENSIONS: usize = 4;
/// What is large comes together with every place for each of at most so many data types.
const FEW_TYPES: usize = 4;
/// A subject of several sequences has at most so many elements, unless one of its sizes alone is larger.
const MOST_ELEMENTS: u64 = 1 << 16;
/// A subject of more elements has at most so many beside each of the larger size.
const BESIDE_LARGE: u64 = 3;
/// A tensor whose elements share memory, and which is written out, has at most so many.
const MOST_WRITTEN_OUT: u64 = 1 << 10;
/// Of so many combinations the one that fills the most cells is taken.
const CANDIDATES: usize = 24;

/// Where the long dimension lies, and with it the axis, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// There is no other one.
    Only,
    Last,
    First,
    Middle,
    /// The last two axes.
    Trailing,
    /// Two axes beside each other, and another dimension behind them.
    Neighbours,
    /// The first and the last axis.
    Ends,
    /// All axes.
    All,
}

/// What was chosen of each factor.
pub(super) type Combination = Vec<usize>;

/// How many combinations of two or three factors there are.
pub(super) struct Filled {
    pub(super) there: usize,
    pub(super) wanted: usize,
}

/// The factors of an operator.
pub(super) struct Factors {
    places: Vec<Place>,
    /// Which tensor is laid out in which way.
    layouts: Vec<Option<(usize, Strides)>>,
    levels: Vec<Level>,
    /// The data types of each group of tensors that have one.
    types: Vec<Vec<DataType>>,
    /// How many there are of each factor: lengths, sequences, places, dimension counts, layouts, levels, turns of the data,
    /// then the names of each attribute that is one, then the data types of each group.
    counts: Vec<usize>,
    /// Whether all turns of the data are in a tensor of several sequences.
    all_turns_in_several: bool,
}

const LENGTH: usize = 0;
const BESIDE: usize = 1;
const PLACE: usize = 2;
const RANK: usize = 3;
const LAYOUT: usize = 4;
const LEVEL: usize = 5;
const TURN: usize = 6;
const NAMES: usize = 7;

/// Up to three factors, each with what is chosen of it.
type Cell = Vec<(usize, usize)>;

/// What stands for a factor in a cell: itself, or a class of what may be chosen of it.
#[derive(Clone, Copy)]
enum Part {
    Factor(usize),
    /// The class of the length.
    LengthClass,
    /// Whether all is one sequence.
    OneSequence,
    /// Whether there are many dimensions.
    ManyDimensions,
}

impl Part {
    /// Its number in a cell.
    const fn number(self) -> usize {
        match self {
            Self::Factor(factor) => factor,
            Self::LengthClass => usize::MAX,
            Self::OneSequence => usize::MAX - 1,
            Self::ManyDimensions => usize::MAX - 2,
        }
    }
}

impl Factors {
    pub(super) fn of(operator: &Operator, sampler: &Sampler) -> Self {
        let highest = operator.family.highest();
        let named = sampler.solver().named(highest);
        let lists = operator.attributes.iter().zip(&named);
        let several = lists
            .into_iter()
            .any(|(attribute, named)| named.is_some() && matches!(attribute.values, AttributeValues::Integers));
        let mut places = vec![Place::Only, Place::Last, Place::First, Place::Middle];
        if several {
            places.extend([Place::Trailing, Place::Neighbours, Place::Ends, Place::All]);
        }
        let mut layouts = vec![None];
        if operator.family.layouts {
            for (at, tensor) in operator.tensors.iter().enumerate() {
                layouts.extend([Strides::Rows, Strides::Padded, Strides::Permuted].map(|kind| Some((at, kind))));
                layouts.extend((tensor.role == Role::Input).then_some(Some((at, Strides::Repeated))));
            }
        }
        let mut levels: Vec<Level> =
            breakpoints(operator).into_iter().filter(|level| *level >= operator.introduced).collect();
        levels.reverse();
        let types: Vec<Vec<DataType>> =
            sampler.solver().types(highest).iter().map(|(_, types)| types.clone()).collect();
        let (turns, all_turns_in_several) = sampler.turns(operator);
        let names = operator.attributes.iter().filter_map(|attribute| match &attribute.values {
            AttributeValues::Enumerators(names) => Some(names.len()),
            AttributeValues::Integer | AttributeValues::Integers => None,
        });
        let counts = [LENGTHS.len(), SEQUENCES.len(), places.len(), DIMENSIONS, layouts.len(), levels.len(), turns];
        let counts = counts.into_iter().chain(names).chain(types.iter().map(Vec::len)).collect();
        Self { places, layouts, levels, types, counts, all_turns_in_several }
    }

    /// The number of the first factor that is a data type.
    const fn first_type(&self) -> usize {
        self.counts.len() - self.types.len()
    }

    pub(super) fn place(&self, chosen: &Combination) -> Place {
        self.places[chosen[PLACE]]
    }

    pub(super) fn length(&self, chosen: &Combination) -> u64 {
        LENGTHS[chosen[LENGTH]]
    }

    pub(super) fn layout(&self, chosen: &Combination) -> Option<(usize, Strides)> {
        self.layouts[chosen[LAYOUT]]
    }

    pub(super) fn level(&self, chosen: &Combination) -> Level {
        self.levels[chosen[LEVEL]]
    }

    /// What is chosen of a part; nothing where the part is about something else.
    fn chosen(&self, part: Part, of: &Combination) -> Option<usize> {
        match part {
            Part::Factor(factor) => Some(of[factor]),
            Part::LengthClass => Some(class_of(self.length(of))),
            Part::OneSequence => matches!(self.place(of), Place::Only | Place::All).then_some(0),
            Part::ManyDimensions => Some(usize::from(of[RANK] >= FEW_DIMENSIONS)),
        }
    }

    /// What comes together: any two factors, and three where a mistake needs all of them. With plain values less does: every
    /// place with every data type, length and layout.
    fn together(&self, plain: bool) -> Vec<Vec<Part>> {
        let mut together = Vec::new();
        let types = self.first_type()..self.counts.len();
        if plain {
            together.extend(types.map(|each| vec![Part::Factor(PLACE), Part::Factor(each)]));
            together.extend([Part::LengthClass, Part::Factor(LAYOUT)].map(|each| vec![Part::Factor(PLACE), each]));
            return together;
        }
        for each in types.clone() {
            together.push(vec![Part::Factor(PLACE), Part::LengthClass, Part::Factor(each)]);
            let place = if self.all_turns_in_several { Part::OneSequence } else { Part::Factor(PLACE) };
            together.push(vec![place, Part::Factor(TURN), Part::Factor(each)]);
            together.push(vec![Part::Factor(PLACE), Part::Factor(LAYOUT), Part::Factor(each)]);
            together.push(vec![Part::Factor(PLACE), Part::ManyDimensions, Part::Factor(each)]);
            for name in NAMES..types.start {
                together.push(vec![Part::Factor(PLACE), Part::Factor(name), Part::Factor(each)]);
            }
        }
        for one in 0..self.counts.len() {
            for other in one + 1..self.counts.len() {
                // One tensor of several sequences has all turns.
                if !self.all_turns_in_several || one != TURN && other != TURN {
                    together.push(vec![Part::Factor(one), Part::Factor(other)]);
                }
            }
        }
        together
    }

    /// All cells of what comes together.
    fn cells(&self, parts: &[Part]) -> Vec<Cell> {
        let counts = parts.iter().map(|part| match *part {
            Part::Factor(factor) => self.counts[factor],
            Part::LengthClass => CLASSES.len(),
            Part::OneSequence => 1,
            Part::ManyDimensions => 2,
        });
        let mut cells: Vec<Cell> = vec![Vec::new()];
        for (part, count) in parts.iter().zip(counts) {
            let more = |cell: &Cell| {
                let cell = cell.clone();
                (0..count).map(move |choice| [&cell[..], &[(part.number(), choice)]].concat())
            };
            cells = cells.iter().flat_map(more).collect();
        }
        // What is large comes together with every place and data type and no more: it takes time.
        let types = self.first_type();
        cells.retain(|cell| {
            let large_length = cell.iter().any(|&(factor, at)| factor == LENGTH && LENGTHS[at] > MOST_ELEMENTS);
            let is_large = |at: usize| SEQUENCES[at] > MOST_ELEMENTS && SEQUENCES[at] != CUBE;
            let large_beside = cell.iter().any(|&(factor, at)| factor == BESIDE && is_large(at));
            let with_place = cell.iter().any(|&(factor, _)| factor == PLACE);
            let with_type = cell.iter().any(|&(factor, _)| (types..self.counts.len()).contains(&factor));
            let large_class = cell.contains(&(Part::LengthClass.number(), CLASSES.len() - 1));
            let many_types =
                cell.iter().any(|&(factor, _)| factor >= types && self.counts.get(factor) > Some(&FEW_TYPES));
            !(large_class && many_types) && (!large_length && !large_beside || with_place || large_length && with_type)
        });
        cells
    }

    /// The cells that a combination fills.
    fn filled<'a>(&'a self, together: &'a [Vec<Part>], of: &'a Combination) -> impl Iterator<Item = Cell> + 'a {
        together.iter().filter_map(move |parts| {
            parts.iter().map(|&part| Some((part.number(), self.chosen(part, of)?))).collect::<Option<Cell>>()
        })
    }

    /// Makes combinations until each cell is filled of which anything can be made.
    pub(super) fn cover(
        &self,
        choices: &mut Choices<'_>,
        plain: bool,
        mut makes: impl FnMut(&Combination) -> bool,
    ) -> Filled {
        let together = self.together(plain);
        let mut filled = Filled { there: 0, wanted: 0 };
        let mut all: BTreeSet<Cell> = BTreeSet::new();
        let mut in_turn = Vec::new();
        for parts in &together {
            let cells = self.cells(parts);
            all.extend(cells.iter().cloned());
            in_turn.extend(cells);
        }
        filled.wanted = all.len();
        for cell in in_turn {
            if !all.contains(&cell) {
                continue;
            }
            let mut candidates: Vec<(usize, Combination)> = Vec::with_capacity(CANDIDATES);
            for _ in 0..CANDIDATES {
                let candidate = self.candidate(choices, &cell);
                if self.wish(&candidate).is_some() {
                    let new = self.filled(&together, &candidate).filter(|cell| all.contains(cell)).count();
                    candidates.push((new, candidate));
                }
            }
            // Those that fill the most come first.
            candidates.sort_by_key(|(new, _)| Reverse(*new));
            candidates.dedup();
            if let Some((_, made)) = candidates.into_iter().find(|(_, candidate)| makes(candidate)) {
                for cell in self.filled(&together, &made) {
                    filled.there += usize::from(all.remove(&cell));
                }
            }
            all.remove(&cell);
        }
        filled
    }

    /// A combination that fills a cell.
    fn candidate(&self, choices: &mut Choices<'_>, cell: &Cell) -> Combination {
        let mut drawn: Combination = self.counts.iter().map(|&count| choices.below(count as u64) as usize).collect();
        // The last one is large, and only wanted where it is asked for.
        drawn[LENGTH] = choices.below(self.counts[LENGTH] as u64 - 1) as usize;
        let usual = choices.pick(&USUAL_SEQUENCES);
        drawn[BESIDE] = SEQUENCES.iter().position(|each| each == usual).unwrap_or(0);
        for &(part, choice) in cell {
            if part == Part::LengthClass.number() {
                let in_class = (0..LENGTHS.len()).filter(|&at| class_of(LENGTHS[at]) == choice);
                // With a length of 1 there is little to go wrong.
                let in_class: Vec<usize> = in_class.filter(|&at| LENGTHS[at] > 1 || choices.once_in(4)).collect();
                drawn[LENGTH] = *choices.pick(&in_class);
            } else if part == Part::OneSequence.number() {
                let single: Vec<usize> =
                    (0..self.places.len()).filter(|&at| matches!(self.places[at], Place::Only | Place::All)).collect();
                drawn[PLACE] = *choices.pick(&single);
            } else if part == Part::ManyDimensions.number() {
                drawn[RANK] = choice * FEW_DIMENSIONS + choices.below(FEW_DIMENSIONS as u64) as usize;
            } else {
                drawn[part] = choice;
            }
        }
        let is_given = |factor: usize| cell.iter().any(|(given, _)| *given == factor);
        // What else there is suits the place, so that most combinations can be made.
        let fewest = match self.place(&drawn) {
            Place::Only => 1,
            Place::Last | Place::First | Place::Trailing | Place::All => 2,
            Place::Middle | Place::Neighbours | Place::Ends => 3,
        };
        let most = if fewest == 1 { 1 } else { DIMENSIONS };
        if !is_given(RANK) && !is_given(Part::ManyDimensions.number()) && !(fewest..=most).contains(&(drawn[RANK] + 1))
        {
            drawn[RANK] = fewest - 1 + choices.below((most - fewest + 1) as u64) as usize;
        }
        let alone = fewest == 1 || self.place(&drawn) == Place::All || self.length(&drawn) > MOST_ELEMENTS;
        if !is_given(BESIDE) && alone {
            drawn[BESIDE] = SEQUENCES.iter().position(|&each| each == 1).unwrap_or(0);
        }
        drawn
    }

    /// What a combination asks for; nothing where there is no such thing.
    pub(super) fn wish(&self, chosen: &Combination) -> Option<Wish> {
        let (sizes, axes) = self.shape(chosen)?;
        let first = self.first_type();
        let types = self.types.iter().zip(&chosen[first..]).map(|(types, &at)| types[at]).collect();
        Some(Wish {
            sizes: Some(sizes),
            axes: Some(axes),
            types,
            names: chosen[NAMES..first].to_vec(),
            turn: chosen[TURN],
            boldness: Boldness::Usual,
        })
    }

    /// The sizes and the axes of a combination; nothing where there is none.
    fn shape(&self, chosen: &Combination) -> Option<(Vec<u64>, Vec<i64>)> {
        let (length, dimensions) = (self.length(chosen), chosen[RANK] + 1);
        let beside = SEQUENCES[chosen[BESIDE]];
        let repeats = matches!(self.layout(chosen), Some((_, Strides::Repeated)));
        let most = if repeats { MOST_WRITTEN_OUT } else { MOST_ELEMENTS };
        let last = dimensions - 1;
        let (long, axes): (usize, Vec<usize>) = match self.place(chosen) {
            Place::Only if dimensions == 1 => (0, vec![0]),
            Place::Last if dimensions > 1 => (last, vec![last]),
            Place::First if dimensions > 1 => (0, vec![0]),
            Place::Middle if dimensions > 2 => (dimensions / 2, vec![dimensions / 2]),
            Place::Trailing if dimensions > 1 => (last, vec![last - 1, last]),
            Place::Neighbours if dimensions > 2 => (last - 1, vec![last - 2, last - 1]),
            Place::Ends if dimensions > 2 => (last, vec![0, last]),
            Place::All if dimensions > 1 => (last, (0..dimensions).collect()),
            _ => return None,
        };
        let mut sizes = vec![1; dimensions];
        sizes[long] = length;
        for &axis in axes.iter().filter(|&&axis| axis != long).take(2) {
            sizes[axis] = if beside == CUBE { length } else { 2 };
        }
        let mut free: Vec<usize> = (0..dimensions).rev().filter(|at| *at != long && !axes.contains(at)).collect();
        // One dimension has the most: the innermost one, so that it is as wide as it can be, or any other.
        let turns = chosen[LENGTH] + chosen[RANK];
        if beside > MOST_ELEMENTS {
            free.reverse();
        } else if turns % 2 == 1 && !free.is_empty() {
            let first = turns / 2 % free.len();
            free.rotate_left(first);
        }
        // Another one has two, so that there are planes, or all others one.
        let second = if (2..=260).contains(&beside) && !turns.is_multiple_of(3) { 2 } else { 1 };
        for (turn, &at) in free.iter().enumerate() {
            sizes[at] = match (beside, turn) {
                (0, _) => 2,
                (CUBE, _) => length,
                (_, 0) => beside,
                (_, 1) => second,
                _ => 1,
            };
        }
        let elements = sizes.iter().fold(1, |all: u64, &size| all.saturating_mul(size));
        let large = elements / sizes.iter().max().copied().unwrap_or(1).max(1) <= BESIDE_LARGE;
        let fits = elements <= most || large && !repeats;
        let has_beside = beside == 1 || !free.is_empty() || beside == CUBE && axes.len() > 1;
        (fits && has_beside).then_some((sizes, axes.into_iter().map(|axis| axis as i64).collect()))
    }
}

/// The class of a length.
fn class_of(length: u64) -> usize {
    CLASSES.iter().rposition(|&first| first <= length).unwrap_or(0)
}
