//! The combinations of factors that cases are made of: each cell of what comes together is filled, if anything fills it.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::factors::{
    ALONE, BESIDE, CLASSES, CUBE, Combination, FEW_DIMENSIONS, Factors, LAYOUT, LENGTH, LENGTHS, LEVEL, MANY,
    MOST_ELEMENTS, NAMES, OUTER, PLACE, Place, RANK, TURN, class_of, sequences_class,
};
use super::parts::{Cell, LONG, Part, ROWS, counts_sequences};
use super::reach::{self, OfShape, Reach, Reaches};
use crate::sample::Choices;

/// The numbers of sequences that are taken where no other one is asked for.
const USUAL_SEQUENCES: [u64; 4] = [0, 33, 41, 41];
/// What is large comes together with every place for each of at most so many data types.
const FEW_TYPES: usize = 4;
/// Where nothing else is asked for, values are mostly those of so many turns.
const FIRST_TURNS: usize = 4;
/// Of so many lengths there are squares.
const SQUARES: u64 = 9;
/// In longer sequences a single index lies within.
const WITHIN: u64 = 1 << 11;
/// Of so many combinations the one that fills the most cells is taken.
const CANDIDATES: usize = 24;

/// So many more combinations are made of what can fill a cell before it is given up.
const FURTHER: usize = 64;

/// What was made of a combination.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// Nothing.
    Nothing,
    /// A case with other numbers of sequences than are asked for.
    WithOtherSequences,
    /// A case of just what is asked for.
    Exactly,
}

/// How many cells there are.
#[derive(Default)]
pub(super) struct Filled {
    /// Those that cases fill.
    pub(super) there: usize,
    /// Those of which all that there is would be large.
    pub(super) large: usize,
    /// Those that a descriptor could fill, of which none was found that the documents answer.
    pub(super) missing: usize,
}

/// The first combination of which something is made.
fn first(
    mut combinations: impl Iterator<Item = Combination>,
    mut makes: impl FnMut(&Combination) -> Made,
) -> Option<(Combination, Made)> {
    combinations.find_map(|combination| match makes(&combination) {
        Made::Nothing => None,
        made => Some((combination, made)),
    })
}

impl Factors {
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
        if self.pointwise {
            return self.together_by_elements();
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
            // Of several attributes each comes with less: together they would be most of the cases.
            let names = NAMES..types.start;
            if names.len() > 1 {
                together.extend(names.clone().map(|name| vec![Part::Factor(name), Part::Factor(each)]));
            }
            for name in names.filter(|_| types.start - NAMES == 1) {
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
        for name in (NAMES..types.start).filter(|_| types.start - NAMES > 1) {
            together.push(vec![Part::Factor(PLACE), Part::Factor(name), Part::ManyDimensions]);
            together.push(vec![Part::ManyRows, Part::Factor(name)]);
            together.push(vec![Part::Factor(PLACE), Part::LengthClass, Part::Factor(name)]);
            together.push(vec![Part::OneSequence, Part::Factor(TURN), Part::Factor(name)]);
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

    /// What comes together where each element is worked out by itself: any two factors, of most of which a class of lengths is
    /// enough.
    fn together_by_elements(&self) -> Vec<Vec<Part>> {
        let mut together = vec![vec![Part::Factor(PLACE), Part::Factor(LENGTH)]];
        let parts = (0..self.counts.len()).map(|factor| match factor {
            LENGTH => Part::LengthClass,
            _ => Part::Factor(factor),
        });
        let parts: Vec<Part> = parts.collect();
        for (at, &one) in parts.iter().enumerate() {
            together.extend(parts[at + 1..].iter().map(|&other| vec![one, other]));
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
                (0..count).map(move |choice| [&cell[..], &[(*part, choice)]].concat())
            };
            cells = cells.iter().flat_map(more).collect();
        }
        // What is large comes together with every place and data type and no more: it takes time.
        let types = self.first_type();
        cells.retain(|cell| {
            let has = |is: &dyn Fn(usize, usize) -> bool| {
                cell.iter().any(|&(part, at)| matches!(part, Part::Factor(factor) if is(factor, at)))
            };
            let is_large = |at: usize| self.sequences[at] > MOST_ELEMENTS && self.sequences[at] != CUBE;
            let large_length = has(&|factor, at| factor == LENGTH && LENGTHS[at] > MOST_ELEMENTS);
            let large_beside = has(&|factor, at| factor == BESIDE && is_large(at));
            let with_place = has(&|factor, _| factor == PLACE);
            let with_type = has(&|factor, _| factor >= types);
            let large_class = cell.contains(&(Part::LengthClass, CLASSES.len() - 1));
            let many_types = has(&|factor, _| factor >= types && self.counts[factor] > FEW_TYPES);
            let only = cell.contains(&(Part::Factor(PLACE), 0));
            let of_data = has(&|factor, _| factor == TURN || factor == ALONE);
            let lacks_data = of_data && has(&|factor, at| self.lacks_data(factor, at));
            let is_too_much = large_class && many_types && !only;
            let has_large = large_length || large_beside;
            !lacks_data && !is_too_much && (!has_large || with_place || large_length && with_type)
        });
        cells
    }

    /// The cells that a combination fills.
    fn filled<'a>(&'a self, together: &'a [Vec<Part>], of: &'a Combination) -> impl Iterator<Item = Cell> + 'a {
        together.iter().filter_map(move |parts| {
            parts.iter().map(|&part| Some((part, self.chosen(part, of)?))).collect::<Option<Cell>>()
        })
    }

    /// Makes combinations until each cell is filled that there is: just what is asked for, where it is told so. `is_there` tells
    /// whether there is a descriptor of one that fills a cell.
    pub(super) fn cover(
        &self,
        choices: &mut Choices<'_>,
        plain: bool,
        mut makes: impl FnMut(&Combination, bool) -> Made,
        is_there: impl Fn(&Combination, &Cell) -> bool,
    ) -> Filled {
        let together = self.together(plain);
        let in_turn: Vec<Cell> = together.iter().flat_map(|parts| self.cells(parts)).collect();
        let mut open: BTreeSet<Cell> = in_turn.iter().cloned().collect();
        let mut filled = Filled::default();
        let mut left: BTreeSet<Cell> = BTreeSet::new();
        let mut fill = |open: &mut BTreeSet<Cell>, left: &mut BTreeSet<Cell>, made: &Combination, how: Made| {
            let cells = self.filled(&together, made);
            let cells = cells.filter(|cell| how == Made::Exactly || !counts_sequences(cell));
            filled.there += cells.filter(|cell| open.remove(cell) || left.remove(cell)).count();
        };
        for cell in &in_turn {
            if !open.contains(cell) {
                continue;
            }
            let mut candidates: Vec<(usize, Combination)> = Vec::with_capacity(CANDIDATES);
            for _ in 0..CANDIDATES {
                let candidate = self.candidate(choices, cell);
                if self.wish(&candidate).is_some() {
                    let new = self.filled(&together, &candidate).filter(|cell| open.contains(cell)).count();
                    candidates.push((new, candidate));
                }
            }
            // Those that fill the most come first.
            candidates.sort_by_key(|(new, _)| Reverse(*new));
            candidates.dedup();
            let candidates = candidates.into_iter().map(|(_, candidate)| candidate);
            let made = first(candidates, |candidate| makes(candidate, counts_sequences(cell)));
            if let Some((made, how)) = made {
                fill(&mut open, &mut left, &made, how);
            }
            left.extend(open.take(cell));
        }
        // What chance did not fill is looked for among all that there is; what follows does not depend on how long.
        let mut choices = Choices::random(in_turn.len() as u64);
        let mut reaches = Reaches::new(self);
        let (mut large, mut missing) = (0, 0);
        for cell in in_turn {
            if !left.contains(&cell) {
                continue;
            }
            match reaches.of(&cell, &is_there) {
                Reach::Nothing => {}
                Reach::Large => large += 1,
                Reach::Shapes(shapes) => {
                    let further = (0..FURTHER).map(|_| self.further(&mut choices, &cell, &shapes));
                    let made = first(further, |further| makes(further, counts_sequences(&cell)));
                    if let Some((made, how)) = made {
                        fill(&mut open, &mut left, &made, how);
                    }
                    missing += usize::from(left.contains(&cell));
                }
            }
        }
        Filled { large, missing, ..filled }
    }

    /// A combination that fills a cell, of one of the shapes that do.
    fn further(&self, choices: &mut Choices<'_>, cell: &Cell, shapes: &[OfShape]) -> Combination {
        let mut of = self.candidate(choices, cell);
        reach::set(&mut of, choices.pick(shapes));
        // All else suits the shape.
        let given = |factor| cell.iter().find(|(part, _)| *part == Part::Factor(factor)).map(|(_, choice)| *choice);
        (of[LAYOUT], of[LEVEL]) = (given(LAYOUT).unwrap_or(0), given(LEVEL).unwrap_or(0));
        self.with_types_of_level(&mut of);
        of
    }

    /// A combination that fills a cell.
    fn candidate(&self, choices: &mut Choices<'_>, cell: &Cell) -> Combination {
        let mut drawn: Combination = self.counts.iter().map(|&count| choices.below(count as u64) as usize).collect();
        // The last one is large, and only wanted where it is asked for.
        drawn[LENGTH] = choices.below(self.counts[LENGTH] as u64 - 1) as usize;
        drawn[BESIDE] = self.position(*choices.pick(&USUAL_SEQUENCES));
        // Many backends take packed tensors alone.
        drawn[LAYOUT] = if choices.once_in(3) { drawn[LAYOUT] } else { 0 };
        // The first values are those that the most mistakes change.
        drawn[TURN] = if choices.once_in(4) { drawn[TURN] } else { drawn[TURN] % FIRST_TURNS };
        let any_index = choices.once_in(2);
        for &(part, choice) in cell {
            self.steer(choices, &mut drawn, part, choice);
        }
        let is_given = |part: Part| cell.iter().any(|(given, _)| *given == part);
        // Behind what a narrow number counts only an index that lies within shows anything.
        if !is_given(Part::Factor(ALONE)) && (!any_index || self.length(&drawn) > WITHIN) {
            drawn[ALONE] = self.counts[ALONE] - 1;
        }
        // Of what is large and has many beside it there are two along the axis.
        if self.beside(&drawn) == MANY && !is_given(Part::Factor(LENGTH)) {
            drawn[LENGTH] = LENGTHS.iter().position(|&length| length == 2).unwrap_or(0);
        }
        // What else there is suits the place, so that most combinations can be made.
        let fewest = self.fewest(&drawn);
        let most = if fewest == 1 { 1 } else { self.counts[RANK].max(fewest) };
        if !is_given(Part::Factor(RANK))
            && !is_given(Part::ManyDimensions)
            && !(fewest..=most).contains(&(drawn[RANK] + 1))
        {
            let more = choices.below((most - fewest + 1) as u64) as usize;
            let few = self.beside(&drawn) == MANY || choices.once_in(2);
            drawn[RANK] = fewest - 1 + if few { 0 } else { more };
        }
        let alone = fewest == 1 || self.place(&drawn) == Place::All || self.length(&drawn) > MOST_ELEMENTS;
        if !is_given(Part::Factor(BESIDE)) && alone {
            drawn[BESIDE] = self.position(1);
        }
        drawn
    }

    /// Chooses what fills a part of a cell.
    fn steer(&self, choices: &mut Choices<'_>, drawn: &mut Combination, part: Part, choice: usize) {
        let lengths =
            |fits: &dyn Fn(u64) -> bool| (0..LENGTHS.len()).filter(|&at| fits(LENGTHS[at])).collect::<Vec<_>>();
        let places = |wanted: &[Place]| {
            (0..self.places.len()).filter(|&at| wanted.contains(&self.places[at])).collect::<Vec<_>>()
        };
        let place = |wanted: Place| self.places.iter().position(|place| *place == wanted);
        match part {
            Part::Factor(factor) => drawn[factor] = choice,
            Part::LengthClass => {
                let in_class = (0..LENGTHS.len()).filter(|&at| class_of(LENGTHS[at]) == choice);
                // With a length of 1 there is little to go wrong.
                let in_class: Vec<usize> = in_class.filter(|&at| LENGTHS[at] > 1 || choices.once_in(4)).collect();
                drawn[LENGTH] = *choices.pick(&in_class);
            }
            Part::OneSequence => drawn[PLACE] = *choices.pick(&places(&[Place::Only, Place::All])),
            Part::OneLongSequence => {
                drawn[LENGTH] = *choices.pick(&lengths(&|length| (LONG..=MOST_ELEMENTS).contains(&length)));
                drawn[PLACE] = *choices.pick(&places(&[Place::Only, Place::All]));
            }
            Part::ManyDimensions => {
                let first = if choice == 0 { self.fewest(drawn) - 1 } else { FEW_DIMENSIONS };
                let last = if choice == 0 { FEW_DIMENSIONS } else { self.counts[RANK] };
                drawn[RANK] = first + choices.below(last.saturating_sub(first) as u64) as usize;
            }
            Part::SequencesClass => {
                let in_class =
                    (0..self.sequences.len()).filter(|&at| sequences_class(self.sequences[at]) == Some(choice));
                drawn[BESIDE] = *choices.pick(&in_class.collect::<Vec<_>>());
            }
            Part::ManyRows => {
                drawn[LENGTH] = *choices.pick(&lengths(&|length| ROWS.contains(&length)));
                (drawn[BESIDE], drawn[LAYOUT]) = (self.position(41), 0);
                drawn[PLACE] = place([Place::Last, Place::First][choice]).unwrap_or(0);
            }
            Part::NothingBeside => {
                drawn[BESIDE] = self.position(1);
                drawn[LENGTH] = 1 + choices.below(self.counts[LENGTH] as u64 - 2) as usize;
                let any = 1 + choices.below(self.places.len() as u64 - 1) as usize;
                drawn[PLACE] = place(Place::Last).filter(|_| choices.once_in(2)).unwrap_or(any);
            }
            Part::Square => {
                (drawn[RANK], drawn[BESIDE]) = (1, self.position(CUBE));
                drawn[LENGTH] = 1 + choices.below(SQUARES) as usize;
                drawn[PLACE] = *choices.pick(&places(&[Place::Last, Place::First]));
            }
            Part::OneElement => {
                (drawn[LENGTH], drawn[BESIDE]) = (0, self.position(1));
                drawn[PLACE] = place(Place::Last).unwrap_or(0);
            }
        }
    }
}
