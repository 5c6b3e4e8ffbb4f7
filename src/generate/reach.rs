//! Which cells there can be at all: every shape is looked at before one is given up.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::factors::{BESIDE, Combination, Factors, LAYOUT, LENGTH, LEVEL, OUTER, PLACE, RANK};
use super::parts::{Cell, Part};
use crate::case::splitmix64;

/// The factors that make a shape.
const OF_SHAPE: [usize; 5] = [LENGTH, BESIDE, PLACE, RANK, OUTER];
/// A shape of more elements takes time.
const SMALL: u64 = 1 << 12;
/// So many shapes that fill a cell are enough to choose from.
const ENOUGH: usize = 64;

/// The sizes of a subject, with what was chosen of the factors that make it.
struct Shape {
    chosen: OfShape,
    sizes: Vec<u64>,
}

/// What was chosen of each factor that makes a shape.
pub(super) type OfShape = [usize; OF_SHAPE.len()];

/// What can fill a cell.
#[derive(Clone)]
pub(super) enum Reach {
    /// No descriptor: no such sizes, no tensor that can lie so, no such type or dimension count at the level.
    Nothing,
    /// Only descriptors that are larger than cases are made.
    Large,
    /// Any of these shapes.
    Shapes(Rc<[OfShape]>),
}

/// All shapes that there are, and what is known of what each fills.
pub(super) struct Reaches<'a> {
    factors: &'a Factors,
    shapes: Vec<Shape>,
    known: BTreeMap<Cell, Reach>,
}

impl<'a> Reaches<'a> {
    pub(super) fn new(factors: &'a Factors) -> Self {
        let mut chosen: Combination = vec![0; factors.counts.len()];
        let all: usize = OF_SHAPE.iter().map(|&factor| factors.counts[factor]).product();
        let mut shapes = Vec::new();
        for number in 0..all {
            let mut left = number;
            for factor in OF_SHAPE {
                chosen[factor] = left % factors.counts[factor];
                left /= factors.counts[factor];
            }
            if let Some((sizes, _)) = factors.shape(&chosen) {
                shapes.push(Shape { chosen: OF_SHAPE.map(|factor| chosen[factor]), sizes });
            }
        }
        // What is small comes first. Neighbours have little in common, so that the first ones differ in everything.
        shapes.sort_by_cached_key(|Shape { chosen, sizes }| {
            let elements = sizes.iter().fold(1, |all: u64, &size| all.saturating_mul(size));
            (elements > SMALL, chosen.iter().fold(1, |key, &each| splitmix64(key ^ each as u64)))
        });
        Self { factors, shapes, known: BTreeMap::new() }
    }

    /// What can fill a cell; `is_there` tells whether there is a descriptor of a combination that fills it.
    pub(super) fn of(&mut self, cell: &Cell, is_there: impl Fn(&Combination, &Cell) -> bool) -> Reach {
        let chosen = |wanted: usize| cell.iter().find(|(part, _)| *part == Part::Factor(wanted)).map(|(_, at)| *at);
        let level = chosen(LEVEL).unwrap_or(0);
        if cell.iter().any(|&(part, at)| matches!(part, Part::Factor(each) if !self.factors.has_type(level, each, at)))
        {
            return Reach::Nothing;
        }
        let decisive: Cell = cell.iter().copied().filter(|(part, _)| self.factors.is_of_descriptor(*part)).collect();
        if let Some(known) = self.known.get(&decisive) {
            return known.clone();
        }
        let mut of: Combination = vec![0; self.factors.counts.len()];
        (of[LAYOUT], of[LEVEL]) = (chosen(LAYOUT).unwrap_or(0), level);
        self.factors.with_types_of_level(&mut of);
        // What a cell names of types decides as well, where it is that of a constant.
        for &(part, choice) in &decisive {
            if let Part::Factor(factor) = part {
                of[factor] = choice;
            }
        }
        let is_certain = of[LAYOUT] == 0 && level == 0 && self.factors.has_all_sizes();
        let (mut nothing, mut large, mut fitting) = (true, false, Vec::new());
        for shape in &self.shapes {
            set(&mut of, &shape.chosen);
            if !decisive.iter().all(|&(part, choice)| self.factors.chosen(part, &of) == Some(choice)) {
                continue;
            }
            let fits = self.factors.fits(&of, &shape.sizes);
            if (fits || !large) && (is_certain || is_there(&of, cell)) {
                nothing = false;
                if fits { fitting.push(shape.chosen) } else { large = true }
            }
            if fitting.len() == ENOUGH {
                break;
            }
        }
        let reach = match (nothing, fitting.is_empty()) {
            (true, _) => Reach::Nothing,
            (false, true) => Reach::Large,
            (false, false) => Reach::Shapes(fitting.into()),
        };
        self.known.insert(decisive, reach.clone());
        reach
    }
}

/// Chooses a shape.
pub(super) fn set(of: &mut Combination, shape: &OfShape) {
    for (factor, &choice) in OF_SHAPE.into_iter().zip(shape) {
        of[factor] = choice;
    }
}

#[cfg(test)]
mod tests {
    use super::super::factors::{CLASSES, LENGTHS};
    use super::*;
    use crate::sample::{Choices, Draw, Sampler};
    use crate::source::Source;
    use crate::spec::Specs;

    #[test]
    fn of_a_constant_not_every_type_has_every_length() {
        let specs = Specs::load(&Source::embedded_specs()).unwrap();
        let operator = specs.operators.iter().find(|operator| {
            let is_constant = |at: usize| operator.tensors[at].constant;
            let sampler = Sampler::new(operator);
            let types = sampler.solver().types(operator.family.highest());
            types.iter().any(|(group, types)| group.iter().any(|&at| is_constant(at)) && types.len() > 2)
        });
        let operator = operator.unwrap();
        let sampler = Sampler::new(operator);
        let factors = Factors::of(operator, &sampler);
        let mut reaches = Reaches::new(&factors);
        let is_there = |chosen: &Combination, cell: &Cell| {
            let wish = factors.wish_of_cell(chosen, cell).unwrap();
            let choices = &mut Choices::random(1);
            let level = factors.level(chosen);
            sampler.is_there(
                &mut Draw { choices, operator, level, strided: false, data: true, empty: false },
                &wish,
                None,
            )
        };
        let groups = sampler.solver().types(operator.family.highest());
        let at = groups.iter().position(|(group, _)| group.iter().any(|&at| operator.tensors[at].constant)).unwrap();
        let of_type = Part::Factor(factors.first_type() + at);
        let mut lengths_of = |bytes: usize| {
            let choice = groups[at].1.iter().rposition(|each| each.bytes() == bytes && !each.is_float()).unwrap();
            let reached = (0..LENGTHS.len())
                .map(|length| reaches.of(&vec![(Part::Factor(LENGTH), length), (of_type, choice)], is_there));
            reached.map(|reach| matches!(reach, Reach::Shapes(_))).filter(|there| *there).count()
        };
        // An integer of one byte has the lengths up to 130 at most, and one of eight bytes all.
        assert_eq!(lengths_of(8), LENGTHS.len());
        let short = LENGTHS.iter().filter(|&&length| length <= u64::from(u8::MAX)).count();
        assert!(lengths_of(1) <= short && lengths_of(1) > CLASSES.len() / 2);
        // Unless the cell names a type, some type has it.
        assert!(matches!(reaches.of(&vec![(Part::Factor(LENGTH), LENGTHS.len() - 1)], is_there), Reach::Shapes(_)));
    }
}
