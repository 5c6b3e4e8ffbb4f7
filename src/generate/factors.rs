//! What implementations branch on.
//!
//! Sizes are those of an operator's subject, axes those that its checks speak of.

use opcert_backend::{DataType, Role};

use crate::check::breakpoints;
use crate::sample::{Boldness, Sampler, Strides, Wish, values};
use crate::spec::check::Check;
use crate::spec::{Level, Operator};

/// Lengths below and above the widths in which vectors, blocks and grids come, with what is left over.
pub(super) const LENGTHS: [u64; 16] = [1, 2, 8, 15, 16, 17, 33, 64, 66, 128, 130, 256, 300, 1030, 4097, 65537];
/// A length of which FLOAT32 has neither all places nor itself.
pub(super) const BEYOND_FLOAT32: u64 = (1 << 24) + 101;
/// The first length of each class of them.
pub(super) const CLASSES: [u64; 8] = [1, 8, 16, 64, 256, 1030, 4097, 65537];
/// How many sequences there are beside each other; 0 stands for two along each dimension that is free, and [`CUBE`] for as many
/// along each as the length.
const SEQUENCES: [u64; 13] = [0, CUBE, 1, 2, 7, 13, 33, 41, 65, 130, 260, 1030, MANY];
/// Where each element is worked out by itself, they are no more than another dimension.
const SEQUENCES_OF_ELEMENTS: [u64; 3] = [1, 2, 41];
/// So many sequences that neither 16 bits nor a grid hold them.
pub(super) const MANY: u64 = 65603;
/// All sizes are the same.
pub(super) const CUBE: u64 = u64::MAX;
/// The most dimensions.
pub(super) const DIMENSIONS: usize = 8;
/// Implementations have other code for more dimensions than this.
pub(super) const FEW_DIMENSIONS: usize = 4;
/// A subject of several sequences has at most so many elements, unless one of its sizes alone is larger.
pub(super) const MOST_ELEMENTS: u64 = 1 << 16;
/// A subject of more elements has at most so many beside each of the larger size.
const BESIDE_LARGE: u64 = 3;
/// A tensor whose elements share memory, and which is written out, has at most so many.
pub(super) const MOST_WRITTEN_OUT: u64 = 1 << 10;

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

/// The factors of an operator.
pub(super) struct Factors {
    /// Whether an output element follows from the elements in its own place alone: then no place of a dimension is special.
    pub(super) pointwise: bool,
    /// The numbers of sequences.
    pub(super) sequences: &'static [u64],
    pub(super) places: Vec<Place>,
    /// Which tensor is laid out in which way.
    layouts: Vec<Option<(usize, Strides)>>,
    levels: Vec<AtLevel>,
    /// The data types of each group of tensors that have one.
    types: Vec<Vec<DataType>>,
    /// Whether such a group holds indices.
    pub(super) indices: Vec<bool>,
    /// Whether such a group holds a constant, of which not every type has every size.
    pub(super) constants: Vec<bool>,
    /// How many dimensions the subject has at least.
    fewest_dimensions: usize,
    /// Whether no check asks the sizes of the subject to follow from the definition, so that there may be others.
    has_free_sizes: bool,
    /// How many there are of each factor: lengths, sequences, places, dimension counts, layouts, levels, turns of the data,
    /// sides of the sequences, single indices, then the values of each attribute that is one of some, whether each tensor is there
    /// that may be left out, then the data types of each group.
    pub(super) counts: Vec<usize>,
    /// What is left out by each choice of each factor that leaves something out, and whether all that has data is then.
    absences: Vec<(Vec<Vec<usize>>, bool)>,
    /// Whether all turns of the data are in a tensor of several sequences.
    pub(super) all_turns_in_several: bool,
}

pub(super) const LENGTH: usize = 0;
pub(super) const BESIDE: usize = 1;
pub(super) const PLACE: usize = 2;
pub(super) const RANK: usize = 3;
pub(super) const LAYOUT: usize = 4;
pub(super) const LEVEL: usize = 5;
pub(super) const TURN: usize = 6;
/// Whether most sequences lie beside each other along an outer dimension.
pub(super) const OUTER: usize = 7;
/// Which index stands where there is only one; the last choice is one that lies within.
pub(super) const ALONE: usize = 8;
pub(super) const NAMES: usize = 9;

/// A level at which something changes.
struct AtLevel {
    level: Level,
    /// The data types that each group of tensors may have there.
    types: Vec<Vec<DataType>>,
}

impl Factors {
    pub(super) fn of(operator: &Operator, sampler: &Sampler) -> Self {
        let highest = operator.family.highest();
        let pointwise = sampler.is_pointwise(operator);
        let sequences: &'static [u64] = if pointwise { &SEQUENCES_OF_ELEMENTS } else { &SEQUENCES };
        let mut places = vec![Place::Only, Place::Last];
        if !pointwise {
            places.extend([Place::First, Place::Middle]);
        }
        if sampler.solver().names_several(operator, highest) {
            places.extend([Place::Trailing, Place::Neighbours, Place::Ends, Place::All]);
        }
        let mut layouts = vec![None];
        if operator.family.layouts {
            for (at, tensor) in operator.tensors.iter().enumerate() {
                // Of a list two tensors have all layouts, and the others show that each is read by its own.
                if tensor.list.as_ref().is_some_and(|place| place.at > 1) {
                    layouts.push(Some((at, Strides::Permuted)));
                    continue;
                }
                layouts.extend([Strides::Rows, Strides::Padded, Strides::Permuted].map(|kind| Some((at, kind))));
                layouts.extend((tensor.role == Role::Input).then_some(Some((at, Strides::Repeated))));
            }
        }
        let levels = breakpoints(operator).into_iter().rev().filter(|level| *level >= operator.introduced);
        let of_level = |level| {
            let types = sampler.solver().types(level).iter().map(|(_, types)| types.clone()).collect();
            AtLevel { level, types }
        };
        let levels: Vec<AtLevel> = levels.map(of_level).collect();
        let types: Vec<Vec<DataType>> =
            sampler.solver().types(highest).iter().map(|(_, types)| types.clone()).collect();
        let (turns, all_turns_in_several) = sampler.turns(operator);
        let indices = sampler.indices(operator);
        let alone = indices.iter().max().unwrap_or(&0) + 1;
        let names = sampler.solver().choices(highest).filter(|&count| count > 0);
        let absences = sampler.solver().absences().iter().map(|each| (each.choices(), !each.is_of_list));
        let absences: Vec<(Vec<Vec<usize>>, bool)> = absences.collect();
        let is_there = absences.iter().map(|(choices, _)| choices.len());
        let subject = operator.tensors.iter().position(|tensor| tensor.name == operator.subject).unwrap_or(0);
        let dimensions = sampler.solver().dimensions(highest, subject);
        let (fewest_dimensions, most_dimensions) = (*dimensions.start(), DIMENSIONS.min(*dimensions.end()));
        let follow = |check: &Check| matches!(check, Check::SizesDefined(check) if check.tensor == operator.subject);
        let has_free_sizes = !operator.requirements.iter().filter_map(|each| each.check.as_ref()).any(follow);
        let outer = if pointwise { 1 } else { 2 };
        let counts = [
            LENGTHS.len(),
            sequences.len(),
            places.len(),
            most_dimensions,
            layouts.len(),
            levels.len(),
            turns,
            outer,
            alone,
        ];
        let counts = counts.into_iter().chain(names).chain(is_there).chain(types.iter().map(Vec::len)).collect();
        let indices = indices.into_iter().map(|count| count > 0).collect();
        let groups = sampler.solver().types(highest).iter();
        let constants =
            groups.map(|(group, _)| group.iter().any(|&tensor| operator.tensors[tensor].constant)).collect();
        Self {
            pointwise,
            sequences,
            places,
            layouts,
            levels,
            types,
            indices,
            constants,
            fewest_dimensions,
            has_free_sizes,
            counts,
            absences,
            all_turns_in_several,
        }
    }

    /// The number of the first factor that is a data type.
    pub(super) const fn first_type(&self) -> usize {
        self.counts.len() - self.types.len()
    }

    /// The factors that leave something out.
    fn leaving_out(&self) -> std::ops::Range<usize> {
        self.first_type() - self.absences.len()..self.first_type()
    }

    /// Whether a factor leaves something out.
    pub(super) fn leaves_out(&self, factor: usize) -> bool {
        self.leaving_out().contains(&factor)
    }

    /// Whether a choice leaves out what has data.
    pub(super) fn lacks_data(&self, factor: usize, choice: usize) -> bool {
        let at = factor.checked_sub(self.leaving_out().start).and_then(|at| self.absences.get(at));
        at.is_some_and(|(choices, has_all)| *has_all && choices.get(choice).is_some_and(|left| !left.is_empty()))
    }

    /// The tensors that are left out.
    pub(super) fn left_out(&self, chosen: &Combination) -> Vec<usize> {
        let each = self.leaving_out().zip(&self.absences);
        each.flat_map(|(factor, (choices, _))| choices[chosen[factor]].iter().copied()).collect()
    }

    /// Whether a level has the data type that is chosen of a factor; true where the factor is no data type.
    pub(super) fn has_type(&self, level: usize, factor: usize, choice: usize) -> bool {
        let Some(group) = factor.checked_sub(self.first_type()) else { return true };
        self.levels[level].types[group].contains(&self.types[group][choice])
    }

    /// Replaces data types that the chosen level does not have by the first that it has.
    pub(super) fn with_types_of_level(&self, of: &mut Combination) {
        for factor in self.first_type()..self.counts.len() {
            let has = |&choice: &usize| self.has_type(of[LEVEL], factor, choice);
            if !has(&of[factor]) {
                of[factor] = (0..self.counts[factor]).find(has).unwrap_or(0);
            }
        }
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
        self.levels[chosen[LEVEL]].level
    }

    /// How many sequences there are beside each other.
    pub(super) fn beside(&self, chosen: &Combination) -> u64 {
        self.sequences[chosen[BESIDE]]
    }

    /// The place of a number of sequences among them; that of the first one where it is not there.
    pub(super) fn position(&self, sequences: u64) -> usize {
        self.sequences.iter().position(|&each| each == sequences).unwrap_or(0)
    }

    /// The fewest dimensions for a place.
    pub(super) fn fewest(&self, chosen: &Combination) -> usize {
        match self.place(chosen) {
            Place::Only => 1,
            Place::Last | Place::First | Place::Trailing => 2,
            Place::Middle | Place::Neighbours | Place::Ends | Place::All => 3,
        }
    }

    /// A vector of some length, in a data type of the fewest bytes, of which a constant has the length.
    pub(super) fn vector(&self, length: u64) -> Wish {
        let least = |(types, constant): (&Vec<DataType>, &bool)| {
            let has = |each: &DataType| !constant || values::has_index(length.into(), *each);
            types.iter().copied().filter(has).min_by_key(|each| each.bytes())
        };
        Wish {
            sizes: Some(vec![length]),
            axes: Some(vec![0]),
            types: self.types.iter().zip(&self.constants).map(least).collect(),
            left_out: Some(self.absences.iter().flat_map(|(choices, _)| choices[0].clone()).collect()),
            turn: 1,
            ..Wish::default()
        }
    }

    /// What a combination asks for; nothing where there is no such thing.
    pub(super) fn wish(&self, chosen: &Combination) -> Option<Wish> {
        self.wish_of_any_size(chosen).filter(|wish| wish.sizes.as_ref().is_some_and(|sizes| self.fits(chosen, sizes)))
    }

    /// Whether there are descriptors of all sizes, at the highest level and packed.
    pub(super) fn has_all_sizes(&self) -> bool {
        self.fewest_dimensions <= 1 && !self.constants.contains(&true) && self.has_free_sizes
    }

    /// What a combination asks for, however large.
    pub(super) fn wish_of_any_size(&self, chosen: &Combination) -> Option<Wish> {
        let (sizes, axes) = self.shape(chosen)?;
        let first = self.first_type();
        let types = self.types.iter().zip(&chosen[first..]).map(|(types, &at)| Some(types[at])).collect();
        Some(Wish {
            sizes: Some(sizes),
            axes: Some(axes),
            counts: Vec::new(),
            types,
            names: chosen[NAMES..self.leaving_out().start].to_vec(),
            left_out: Some(self.left_out(chosen)),
            turn: chosen[TURN],
            alone: Some(chosen[ALONE]).filter(|&alone| alone + 1 < self.counts[ALONE]),
            boldness: Boldness::Usual,
            exactly: false,
        })
    }

    /// Whether a combination of such sizes is small enough.
    pub(super) fn fits(&self, chosen: &Combination, sizes: &[u64]) -> bool {
        let repeats = matches!(self.layout(chosen), Some((_, Strides::Repeated)));
        let most = if repeats { MOST_WRITTEN_OUT } else { MOST_ELEMENTS };
        let elements = sizes.iter().fold(1, |all: u64, &size| all.saturating_mul(size));
        let large = elements / sizes.iter().max().copied().unwrap_or(1).max(1) <= BESIDE_LARGE;
        elements <= most || large && !repeats
    }

    /// The sizes and the axes of a combination, however large; nothing where there is no such shape.
    pub(super) fn shape(&self, chosen: &Combination) -> Option<(Vec<u64>, Vec<i64>)> {
        let (length, dimensions) = (self.length(chosen), chosen[RANK] + 1);
        let beside = self.beside(chosen);
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
        let has_beside = beside == 1 || !free.is_empty() || beside == CUBE && axes.len() > 1;
        has_beside.then_some((sizes, axes.into_iter().map(|axis| axis as i64).collect()))
    }
}

/// The class of a number of sequences; nothing for what is large.
pub(super) const fn sequences_class(sequences: u64) -> Option<usize> {
    match sequences {
        0..16 | CUBE => Some(0),
        16..1024 => Some(1),
        1024..MOST_ELEMENTS => Some(2),
        _ => None,
    }
}

/// The class of a length.
pub(super) fn class_of(length: u64) -> usize {
    CLASSES.iter().rposition(|&first| first <= length).unwrap_or(0)
}
