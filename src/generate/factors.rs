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
/// A length of which FLOAT32 has neither all places nor itself.
pub(super) const BEYOND_FLOAT32: u64 = (1 << 24) + 101;
/// The first length of each class of them.
const CLASSES: [u64; 8] = [1, 8, 16, 64, 256, 1030, 4097, 65537];
/// How many sequences there are beside each other; 0 stands for two along each dimension that is free, and [`CUBE`] for as many
/// along each as the length.
const SEQUENCES: [u64; 13] = [0, CUBE, 1, 2, 7, 13, 33, 41, 65, 130, 260, 1030, MANY];
/// So many sequences that neither 16 bits nor a grid hold them.
const MANY: u64 = 65603;
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
/// Where nothing else is asked for, values are mostly those of so many turns.
const FIRST_TURNS: usize = 4;
/// Of so many lengths there are squares.
const SQUARES: u64 = 9;
/// In longer sequences a single index lies within.
const WITHIN: u64 = 1 << 11;
/// A sequence of so many elements is not short.
const LONG: u64 = 8;
/// The lengths of rows that are neither short nor long.
const ROWS: std::ops::RangeInclusive<u64> = 8..=33;
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
    /// Whether such a group holds indices.
    indices: Vec<bool>,
    /// How many there are of each factor: lengths, sequences, places, dimension counts, layouts, levels, turns of the data,
    /// sides of the sequences, single indices, then the names of each attribute that is one, then the data types of each group.
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
/// Whether most sequences lie beside each other along an outer dimension.
const OUTER: usize = 7;
/// Which index stands where there is only one; the last choice is one that lies within.
const ALONE: usize = 8;
const NAMES: usize = 9;

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
    /// Its number in a cell.
    const fn number(self) -> usize {
        match self {
            Self::Factor(factor) => factor,
            Self::LengthClass => usize::MAX,
            Self::OneSequence => usize::MAX - 1,
            Self::ManyDimensions => usize::MAX - 2,
            Self::OneElement => usize::MAX - 3,
            Self::SequencesClass => usize::MAX - 4,
            Self::NothingBeside => usize::MAX - 5,
            Self::ManyRows => usize::MAX - 6,
            Self::OneLongSequence => usize::MAX - 7,
            Self::Square => usize::MAX - 8,
        }
    }
}

impl Factors {
    pub(super) fn of(operator: &Operator, sampler: &Sampler) -> Self {
        let highest = operator.family.highest();
        let mut places = vec![Place::Only, Place::Last, Place::First, Place::Middle];
        if sampler.solver().names_several(operator, highest) {
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
        let indices = sampler.indices(operator);
        let alone = indices.iter().max().unwrap_or(&0) + 1;
        let names = operator.attributes.iter().filter_map(|attribute| match &attribute.values {
            AttributeValues::Enumerators(names) => Some(names.len()),
            AttributeValues::Integer | AttributeValues::Integers => None,
        });
        let counts =
            [LENGTHS.len(), SEQUENCES.len(), places.len(), DIMENSIONS, layouts.len(), levels.len(), turns, 2, alone];
        let counts = counts.into_iter().chain(names).chain(types.iter().map(Vec::len)).collect();
        let indices = indices.into_iter().map(|count| count > 0).collect();
        Self { places, layouts, levels, types, indices, counts, all_turns_in_several }
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
            Part::OneLongSequence => {
                self.chosen(Part::OneSequence, of).filter(|_| (LONG..=MOST_ELEMENTS).contains(&self.length(of)))
            }
            Part::ManyDimensions => Some(usize::from(of[RANK] >= FEW_DIMENSIONS)),
            Part::SequencesClass => sequences_class(SEQUENCES[of[BESIDE]]),
            Part::ManyRows => {
                let place = [Place::Last, Place::First].iter().position(|place| *place == self.place(of));
                let many = sequences_class(SEQUENCES[of[BESIDE]]) == Some(1) && self.layout(of).is_none();
                place.filter(|_| many && ROWS.contains(&self.length(of)))
            }
            Part::NothingBeside => (of[RANK] > 0 && self.length(of) > 1 && SEQUENCES[of[BESIDE]] == 1).then_some(0),
            Part::Square => (of[RANK] == 1 && SEQUENCES[of[BESIDE]] == CUBE && self.length(of) > 1).then_some(0),
            Part::OneElement => (self.length(of) == 1 && SEQUENCES[of[BESIDE]] == 1).then_some(0),
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
            together.push(vec![Part::Factor(PLACE), Part::SequencesClass, Part::Factor(each)]);
            if !self.all_turns_in_several {
                together.push(vec![Part::SequencesClass, Part::Factor(TURN), Part::Factor(each)]);
                together.push(vec![Part::OneLongSequence, Part::Factor(TURN), Part::Factor(each)]);
            }
            together.push(vec![Part::Factor(PLACE), Part::Factor(LAYOUT), Part::Factor(each)]);
            if self.indices[each - types.start] {
                together.push(vec![Part::OneSequence, Part::Factor(ALONE), Part::Factor(each)]);
            }
            together.push(vec![Part::Factor(PLACE), Part::ManyDimensions, Part::Factor(each)]);
            for name in NAMES..types.start {
                together.push(vec![Part::Factor(PLACE), Part::Factor(name), Part::Factor(each)]);
                together.push(vec![Part::ManyRows, Part::Factor(name), Part::Factor(each)]);
                together.push(vec![Part::Factor(LAYOUT), Part::Factor(name), Part::Factor(each)]);
                together.push(vec![Part::LengthClass, Part::Factor(name), Part::Factor(each)]);
                if self.all_turns_in_several {
                    together
                        .push([Part::OneSequence, Part::Factor(TURN), Part::Factor(name), Part::Factor(each)].to_vec());
                }
            }
        }
        together.push(vec![Part::Square, Part::Factor(LAYOUT)]);
        together.push(vec![Part::OneElement, Part::ManyDimensions, Part::Factor(TURN)]);
        together.push(vec![Part::OneSequence, Part::ManyDimensions, Part::Factor(TURN)]);
        together.push([PLACE, BESIDE, OUTER].map(Part::Factor).to_vec());
        together.push(vec![Part::Factor(PLACE), Part::ManyDimensions, Part::Factor(BESIDE)]);
        if self.counts[ALONE] > 1 {
            together.push(vec![Part::NothingBeside, Part::Factor(ALONE)]);
        }
        for one in 0..self.counts.len() {
            for other in one + 1..self.counts.len() {
                // One tensor of several sequences has all turns.
                if [one, other].iter().all(|&each| each != ALONE && (each != TURN || !self.all_turns_in_several)) {
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
            Part::OneSequence | Part::OneLongSequence | Part::Square | Part::OneElement | Part::NothingBeside => 1,
            Part::SequencesClass => 3,
            Part::ManyRows | Part::ManyDimensions => 2,
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
            let only = cell.contains(&(PLACE, 0));
            !(large_class && many_types && !only)
                && (!large_length && !large_beside || with_place || large_length && with_type)
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
        drawn[BESIDE] = position(*choices.pick(&USUAL_SEQUENCES));
        // Many backends take packed tensors alone.
        drawn[LAYOUT] = if choices.once_in(3) { drawn[LAYOUT] } else { 0 };
        // The first values are those that the most mistakes change.
        drawn[TURN] = if choices.once_in(4) { drawn[TURN] } else { drawn[TURN] % FIRST_TURNS };
        let any_index = choices.once_in(2);
        for &(part, choice) in cell {
            if part == Part::LengthClass.number() {
                let in_class = (0..LENGTHS.len()).filter(|&at| class_of(LENGTHS[at]) == choice);
                // With a length of 1 there is little to go wrong.
                let in_class: Vec<usize> = in_class.filter(|&at| LENGTHS[at] > 1 || choices.once_in(4)).collect();
                drawn[LENGTH] = *choices.pick(&in_class);
            } else if part == Part::OneSequence.number() || part == Part::OneLongSequence.number() {
                if part == Part::OneLongSequence.number() {
                    let long = (0..LENGTHS.len()).filter(|&at| (LONG..=MOST_ELEMENTS).contains(&LENGTHS[at]));
                    drawn[LENGTH] = *choices.pick(&long.collect::<Vec<_>>());
                }
                let single: Vec<usize> =
                    (0..self.places.len()).filter(|&at| matches!(self.places[at], Place::Only | Place::All)).collect();
                drawn[PLACE] = *choices.pick(&single);
            } else if part == Part::ManyDimensions.number() {
                let first = if choice == 0 { self.fewest(&drawn) - 1 } else { FEW_DIMENSIONS };
                let last = if choice == 0 { FEW_DIMENSIONS } else { DIMENSIONS };
                drawn[RANK] = first + choices.below((last - first) as u64) as usize;
            } else if part == Part::SequencesClass.number() {
                let in_class = (0..SEQUENCES.len()).filter(|&at| sequences_class(SEQUENCES[at]) == Some(choice));
                drawn[BESIDE] = *choices.pick(&in_class.collect::<Vec<_>>());
            } else if part == Part::ManyRows.number() {
                let rows = (0..LENGTHS.len()).filter(|&at| ROWS.contains(&LENGTHS[at])).collect::<Vec<_>>();
                (drawn[LENGTH], drawn[BESIDE], drawn[LAYOUT]) = (*choices.pick(&rows), position(41), 0);
                let place = [Place::Last, Place::First][choice];
                drawn[PLACE] = self.places.iter().position(|each| *each == place).unwrap_or(0);
            } else if part == Part::NothingBeside.number() {
                drawn[BESIDE] = position(1);
                drawn[LENGTH] = 1 + choices.below(self.counts[LENGTH] as u64 - 2) as usize;
                let any = 1 + choices.below(self.places.len() as u64 - 1) as usize;
                let last = self.places.iter().position(|place| *place == Place::Last);
                drawn[PLACE] = last.filter(|_| choices.once_in(2)).unwrap_or(any);
            } else if part == Part::Square.number() {
                (drawn[RANK], drawn[BESIDE]) = (1, position(CUBE));
                drawn[LENGTH] = 1 + choices.below(SQUARES) as usize;
                let two = (0..self.places.len()).filter(|&at| matches!(self.places[at], Place::Last | Place::First));
                drawn[PLACE] = *choices.pick(&two.collect::<Vec<_>>());
            } else if part == Part::OneElement.number() {
                (drawn[LENGTH], drawn[BESIDE]) = (0, position(1));
                drawn[PLACE] = self.places.iter().position(|place| *place == Place::Last).unwrap_or(0);
            } else {
                drawn[part] = choice;
            }
        }
        let is_given = |factor: usize| cell.iter().any(|(given, _)| *given == factor);
        // Behind what a narrow number counts only an index that lies within shows anything.
        if !is_given(ALONE) && (!any_index || self.length(&drawn) > WITHIN) {
            drawn[ALONE] = self.counts[ALONE] - 1;
        }
        // Of what is large and has many beside it there are two along the axis.
        if SEQUENCES[drawn[BESIDE]] == MANY && !is_given(LENGTH) {
            drawn[LENGTH] = LENGTHS.iter().position(|&length| length == 2).unwrap_or(0);
        }
        // What else there is suits the place, so that most combinations can be made.
        let fewest = self.fewest(&drawn);
        let most = if fewest == 1 { 1 } else { DIMENSIONS };
        if !is_given(RANK) && !is_given(Part::ManyDimensions.number()) && !(fewest..=most).contains(&(drawn[RANK] + 1))
        {
            let more = choices.below((most - fewest + 1) as u64) as usize;
            let few = SEQUENCES[drawn[BESIDE]] == MANY || choices.once_in(2);
            drawn[RANK] = fewest - 1 + if few { 0 } else { more };
        }
        let alone = fewest == 1 || self.place(&drawn) == Place::All || self.length(&drawn) > MOST_ELEMENTS;
        if !is_given(BESIDE) && alone {
            drawn[BESIDE] = position(1);
        }
        drawn
    }

    /// The fewest dimensions for a place.
    fn fewest(&self, chosen: &Combination) -> usize {
        match self.place(chosen) {
            Place::Only => 1,
            Place::Last | Place::First | Place::Trailing => 2,
            Place::Middle | Place::Neighbours | Place::Ends | Place::All => 3,
        }
    }

    /// A vector of some length, in a data type of the fewest bytes.
    pub(super) fn vector(&self, length: u64) -> Wish {
        let least =
            |types: &Vec<DataType>| types.iter().copied().min_by_key(|each| each.bytes()).unwrap_or(DataType::U8);
        Wish {
            sizes: Some(vec![length]),
            axes: Some(vec![0]),
            types: self.types.iter().map(least).collect(),
            turn: 1,
            ..Wish::default()
        }
    }

    /// What a combination asks for; nothing where there is no such thing.
    pub(super) fn wish(&self, chosen: &Combination) -> Option<Wish> {
        let (sizes, axes) = self.shape(chosen)?;
        let first = self.first_type();
        let types = self.types.iter().zip(&chosen[first..]).map(|(types, &at)| types[at]).collect();
        Some(Wish {
            sizes: Some(sizes),
            axes: Some(axes),
            counts: Vec::new(),
            types,
            names: chosen[NAMES..first].to_vec(),
            turn: chosen[TURN],
            alone: Some(chosen[ALONE]).filter(|&alone| alone + 1 < self.counts[ALONE]),
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
        for (&axis, size) in axes.iter().filter(|&&axis| axis != long).zip([2, 3]) {
            sizes[axis] = if beside == CUBE { length } else { size };
        }
        let mut free: Vec<usize> = (0..dimensions).rev().filter(|at| *at != long && !axes.contains(at)).collect();
        // One dimension has the most: the innermost one, so that it is as wide as it can be, or any other.
        let turns = chosen[LENGTH] + chosen[RANK];
        if chosen[OUTER] == 1 && (turns.is_multiple_of(2) || beside == MANY) {
            free.reverse();
        } else if chosen[OUTER] == 1 && !free.is_empty() {
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

/// The class of a number of sequences; nothing for what is large.
const fn sequences_class(sequences: u64) -> Option<usize> {
    match sequences {
        0..16 | CUBE => Some(0),
        16..1024 => Some(1),
        1024..MOST_ELEMENTS => Some(2),
        _ => None,
    }
}

/// The place of a number of sequences among them.
fn position(sequences: u64) -> usize {
    SEQUENCES.iter().position(|&each| each == sequences).unwrap_or(0)
}

/// The class of a length.
fn class_of(length: u64) -> usize {
    CLASSES.iter().rposition(|&first| first <= length).unwrap_or(0)
}
