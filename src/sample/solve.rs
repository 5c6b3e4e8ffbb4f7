//! Descriptors that no check speaks against: each check is solved, as others evaluate it.
//!
//! What is drawn first are the dimension counts and the data types, each as far as the checks leave them free, then the sizes
//! of the operator's subject and the attributes. From there one check after the other gives the tensors that it speaks of
//! the sizes that it asks for.

use std::cmp::Reverse;
use std::ops::RangeInclusive;

use opcert_backend::{AttributeValue, DataType, Role, Scalar};

use super::draw::Draw;
use super::values;
use crate::check::breakpoints;
use crate::kind::{Drawing, Known, MOST_DIMENSIONS, Sizes, Solution, Solved, Turn};
use crate::spec::{Attribute, AttributeValues, Check, Level, Operator, Requirement};

/// So often attributes are drawn until there are sizes that follow from them.
const MOST_TRIES: usize = 256;

/// By how much numbers are greater than the least there may be, where there is one for each dimension.
const MORE: [(u64, i64); 4] = [(4, 0), (3, 1), (2, 2), (1, 3)];
/// All of them together are by so much greater at most: they may be factors of sizes.
const MOST_MORE: i64 = 4;

/// Numbers other than 0, forwards and backwards.
const STEPS: [(u64, i64); 8] = [(6, 1), (3, -1), (3, 2), (3, -2), (1, 3), (1, -3), (1, 70_000), (1, -70_000)];

/// Numbers of which the checks say nothing, so that they may be negative: mostly such as count a few elements.
const ANY: [(u64, i64); 11] = [
    (6, 0),
    (4, 1),
    (4, -1),
    (3, 2),
    (3, -2),
    (2, 3),
    (2, -3),
    (1, 6),
    (1, -6),
    (1, i32::MAX as i64),
    (1, i32::MIN as i64),
];

/// A tensor of a sample has at most so many elements.
const MOST_ELEMENTS: u64 = 1 << 26;

/// A subject that has other sizes beside its axes than are wished for has no more elements than are wished for, or than these.
const MOST_BESIDE: u64 = 1 << 16;

/// How the checks of an operator are solved, by level.
#[derive(Debug)]
pub(crate) struct Solver {
    /// What a descriptor may leave out.
    absences: Vec<Absence>,
    /// From which level on, the lowest first.
    stretches: Vec<(Level, Stretch)>,
}

/// Tensors that a descriptor may leave out: one, or of a list all behind some.
#[derive(Debug)]
pub(crate) struct Absence {
    /// Those that may be, in their order. Of a list those behind one that is left out are as well.
    tensors: Vec<usize>,
    /// Whether they are of a list, so that others of it have data all the same.
    pub(crate) is_of_list: bool,
}

/// Of a list mostly so many are there beside those that always are.
const MORE_OF_A_LIST: [usize; 4] = [1, 0, 2, 4];

impl Absence {
    /// What is left out at a time: at first as little as is usual, then each other way that is told apart.
    pub(crate) fn choices(&self) -> Vec<Vec<usize>> {
        if !self.is_of_list {
            return vec![Vec::new(), self.tensors.clone()];
        }
        let most = self.tensors.len();
        let usual = MORE_OF_A_LIST.into_iter().filter(|&more| more <= most);
        let counts = usual.chain((!MORE_OF_A_LIST.contains(&most)).then_some(most));
        counts.map(|more| self.tensors[more..].to_vec()).collect()
    }

    fn draw(&self, draw: &mut Draw<'_, '_>) -> Vec<usize> {
        if !self.is_of_list {
            return if draw.choices.once_in(3) { self.tensors.clone() } else { Vec::new() };
        }
        let more = draw.choices.below(self.tensors.len() as u64 + 1) as usize;
        self.tensors[more..].to_vec()
    }
}

/// The tensors that descriptors of an operator may leave out.
fn absences(operator: &Operator) -> Vec<Absence> {
    let mut found: Vec<(Option<&str>, Absence)> = Vec::new();
    for (at, tensor) in operator.tensors.iter().enumerate().filter(|(_, tensor)| tensor.optional) {
        let list = tensor.list_name();
        match found.last_mut().filter(|(before, _)| list.is_some() && *before == list) {
            Some((_, absence)) => absence.tensors.push(at),
            None => found.push((list, Absence { tensors: vec![at], is_of_list: list.is_some() })),
        }
    }
    found.into_iter().map(|(_, absence)| absence).collect()
}

/// How checks are solved at levels between which nothing changes.
#[derive(Debug)]
struct Stretch {
    /// The tensors that have one dimension count, with those that it may be.
    counts: Vec<(Vec<usize>, RangeInclusive<usize>)>,
    /// The fewest dimensions that a check asks for, by tensor.
    least: Vec<usize>,
    /// Tensors that have one dimension count at lower levels alone, where the documents leave it open, and what each of
    /// them may have there.
    once_one_count: Vec<Vec<(usize, RangeInclusive<usize>)>>,
    /// The tensors that have one data type, with those that it may be, plainest first.
    types: Vec<(Vec<usize>, Vec<DataType>)>,
    /// What sets sizes, in the order in which it does.
    sizes: Vec<Sizes>,
    /// The numbers of those that do so once more behind all others.
    again: Vec<usize>,
    /// The tensors whose sizes are free: neither the subject, nor given by a check, nor by values.
    free: Vec<bool>,
    /// For each attribute the dimensions that it may name: those of a tensor, with so many more, from the end as well.
    axes: Vec<Option<(usize, usize, bool)>>,
    /// For each attribute the values among which there is a choice, if there are such.
    choices: Vec<Vec<AttributeValue>>,
    /// For each attribute the tensors of which it counts dimensions, with the least number of them, and how many are left.
    counted: Vec<Vec<(usize, usize, usize)>>,
    /// For each attribute the tensor for each dimension of which it has a number.
    one_per_dimension: Vec<Option<usize>>,
    /// For each attribute the least number that there may be in it.
    least_number: Vec<i64>,
    /// For each attribute whether its numbers have a sign and no check asks for a least one.
    any_number: Vec<bool>,
    /// The attributes that have any number but 0.
    not_zero: Vec<usize>,
    /// The attributes that what fits of the sizes of an input follows from.
    within: Vec<usize>,
    /// The attributes that name the data type of a tensor: attribute and tensor.
    type_names: Vec<(usize, usize)>,
    /// The attributes that are left out.
    absent: Vec<usize>,
}

/// Which telling values there may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Boldness {
    /// Those of which documents speak in plain words: indices of places that there are, numbers of a moderate size.
    Plain,
    /// Those at the edges of their types as well.
    #[default]
    Usual,
    /// Such as well that leave the answer open in other places.
    Bold,
}

/// What is asked of a descriptor beyond that it is valid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wish {
    /// The sizes of the operator's subject.
    pub(crate) sizes: Option<Vec<u64>>,
    /// The dimensions that the attribute names which names some.
    pub(crate) axes: Option<Vec<i64>>,
    /// The dimension counts of some tensors. All others then have as few counts as there may be.
    pub(crate) counts: Vec<(usize, usize)>,
    /// For each group of tensors with one data type that type, if any is asked for.
    pub(crate) types: Vec<Option<DataType>>,
    /// For each attribute that is one of some values a number, by which one of them is taken.
    pub(crate) names: Vec<usize>,
    /// The tensors that are left out; drawn if nothing is said.
    pub(crate) left_out: Option<Vec<usize>>,
    /// Which telling values there are first.
    pub(crate) turn: usize,
    /// Which index stands where there is only one; any that lies within if nothing is said.
    pub(crate) alone: Option<usize>,
    /// Which telling values there may be.
    pub(crate) boldness: Boldness,
    /// Whether the subject has just these sizes. Where attributes ask for others, such as whole blocks, those along the axes are
    /// as wished all the same, and the others only then.
    pub(crate) exactly: bool,
}

impl Wish {
    /// Whether the sizes that the subject has in the end are such as are wished for.
    fn suits(&self, found: &[u64]) -> bool {
        let Some(wished) = self.sizes.as_ref().filter(|wished| *wished != found) else { return true };
        let axes = self.axes.as_ref().filter(|_| !self.exactly && wished.len() == found.len());
        let elements = |sizes: &[u64]| sizes.iter().fold(1, |all: u64, &size| all.saturating_mul(size));
        let same = |&axis: &i64| usize::try_from(axis).is_ok_and(|axis| wished.get(axis) == found.get(axis));
        elements(found) <= elements(wished).max(MOST_BESIDE) && axes.is_some_and(|axes| axes.iter().all(same))
    }
}

impl Solver {
    pub(crate) fn new(operator: &Operator) -> Self {
        let from = breakpoints(operator).into_iter().filter(|level| *level >= operator.introduced);
        Self {
            absences: absences(operator),
            stretches: from.map(|level| (level, Stretch::new(operator, level))).collect(),
        }
    }

    /// What a descriptor may leave out.
    pub(crate) fn absences(&self) -> &[Absence] {
        &self.absences
    }

    fn at(&self, level: Level) -> Option<&Stretch> {
        let stretch = self.stretches.iter().rev().find(|(from, _)| *from <= level).or(self.stretches.first());
        stretch.map(|(_, stretch)| stretch)
    }

    /// The tensors that have one data type at a level, with those that it may be.
    pub(crate) fn types(&self, level: Level) -> &[(Vec<usize>, Vec<DataType>)] {
        self.at(level).map_or(&[], |stretch| &stretch.types)
    }

    /// How many dimensions a tensor may have.
    pub(crate) fn dimensions(&self, level: Level, tensor: usize) -> RangeInclusive<usize> {
        let counts = self.at(level).map_or(&[][..], |stretch| &stretch.counts);
        let of = counts.iter().find(|(group, _)| group.contains(&tensor));
        of.map_or(1..=MOST_DIMENSIONS, |(_, range)| range.clone())
    }

    /// For each attribute whether it names dimensions, and if it does whether they may count from the end.
    pub(crate) fn named(&self, level: Level) -> Vec<Option<bool>> {
        let axes = self.at(level).map_or(&[][..], |stretch| &stretch.axes);
        axes.iter().map(|axes| axes.map(|(_, _, from_end)| from_end)).collect()
    }

    /// The attributes that are left out at a level.
    pub(crate) fn absent(&self, level: Level) -> &[usize] {
        self.at(level).map_or(&[], |stretch| &stretch.absent)
    }

    /// For each attribute how many values there are, if it is one of some; 0 otherwise.
    pub(crate) fn choices(&self, level: Level) -> impl Iterator<Item = usize> {
        self.at(level).map_or(&[][..], |stretch| &stretch.choices).iter().map(Vec::len)
    }

    /// For each tensor whether its sizes are free: neither those of the subject, nor given by a check, nor by values.
    pub(crate) fn free(&self, level: Level) -> &[bool] {
        self.at(level).map_or(&[], |stretch| &stretch.free)
    }

    /// Whether an attribute has a number for each dimension.
    pub(crate) fn has_numbers_by_dimension(&self, level: Level) -> bool {
        self.at(level).is_some_and(|stretch| stretch.one_per_dimension.iter().any(Option::is_some))
    }

    /// Whether an attribute names several dimensions.
    pub(crate) fn names_several(&self, operator: &Operator, level: Level) -> bool {
        let lists = operator.attributes.iter().map(|attribute| matches!(attribute.values, AttributeValues::Integers));
        self.named(level).iter().zip(lists).any(|(named, list)| named.is_some() && list)
    }

    /// The parts of a valid descriptor at the level that is drawn for; nothing where there is none as is wished. A tensor
    /// that has to be larger than a sample may be is small all the same, and breaks the check that asks for more.
    pub(crate) fn draw(&self, draw: &mut Draw<'_, '_>, wish: &Wish) -> Option<Solved> {
        let stretch = self.at(draw.level)?;
        let operator = draw.operator;
        let mut solved = Solved {
            types: vec![DataType::F32; operator.tensors.len()],
            sizes: vec![Vec::new(); operator.tensors.len()],
            attributes: Vec::with_capacity(operator.attributes.len()),
            constants: vec![None; operator.tensors.len()],
            present: vec![true; operator.tensors.len()],
        };
        for absence in &self.absences {
            let drawn = absence.draw(draw);
            let left_out = wish.left_out.as_ref().unwrap_or(&drawn);
            left_out.iter().for_each(|&tensor| solved.present[tensor] = false);
        }
        stretch.draw(draw, wish, &mut solved)?;
        let is_too_large = |sizes: &&mut Vec<u64>| {
            let count = sizes.iter().try_fold(1u64, |count, &size| count.checked_mul(size));
            count.is_none_or(|count| count > MOST_ELEMENTS)
        };
        solved.sizes.iter_mut().filter(is_too_large).for_each(|sizes| sizes.fill(1));
        Some(solved)
    }
}

/// Puts tensors that have something in common into one group.
fn joined(groups: &mut Vec<Vec<usize>>, tensors: &[usize]) {
    let (mut one, others): (Vec<_>, Vec<_>) =
        std::mem::take(groups).into_iter().partition(|group| group.iter().any(|each| tensors.contains(each)));
    *groups = others;
    let mut group: Vec<usize> = one.drain(..).flatten().chain(tensors.iter().copied()).collect();
    group.sort_unstable();
    group.dedup();
    groups.push(group);
    groups.sort();
}

impl Stretch {
    fn new(operator: &Operator, level: Level) -> Self {
        let solutions = solutions_at(operator, level);
        let free = free(operator, &solutions);
        let mut counts: Vec<Vec<usize>> = (0..operator.tensors.len()).map(|tensor| vec![tensor]).collect();
        let mut types = counts.clone();
        for solution in &solutions {
            match solution {
                Solution::OneDimensionCount(tensors) => joined(&mut counts, tensors),
                Solution::OneType(tensors) => joined(&mut types, tensors),
                _ => {}
            }
        }
        let once = operator.all_requirements().filter(|each| !each.gates() && !each.holds_at(level));
        let once_one_count = once.filter_map(|each| {
            let (check, until) = (each.check.as_ref()?, each.until.filter(|until| *until < level)?);
            let Solution::OneDimensionCount(tensors) = check.kind().solution(&known(operator, level, &[]))? else {
                return None;
            };
            let then = solutions_at(operator, until);
            Some(tensors.into_iter().map(|at| (at, counts_of(operator, &then, until, at))).collect())
        });
        let once_one_count = once_one_count.collect();
        let ranges = counts.into_iter().map(|group| {
            let ranges = group.iter().map(|&at| counts_of(operator, &solutions, level, at));
            let range = ranges.reduce(both);
            (group, range.unwrap_or(1..=1))
        });
        let counts = ranges.collect();
        let asked = |tensor: usize| {
            let counts = solutions.iter().filter_map(|solution| match solution {
                Solution::DimensionCounts { tensors, counts } => tensors.contains(&tensor).then_some(*counts.start()),
                _ => None,
            });
            counts.max().unwrap_or(0)
        };
        let least = (0..operator.tensors.len()).map(asked).collect();
        let types = types.into_iter().map(|group| {
            let allowed = types_of(operator, &solutions, level, &group);
            (group, allowed)
        });
        let types = types.collect();
        let axes = axes(operator, &solutions);
        let counted = |at: usize| {
            let counted = solutions.iter().filter_map(|solution| match *solution {
                Solution::Counted { attribute, tensor, least, left } if attribute == at => Some((tensor, least, left)),
                _ => None,
            });
            counted.collect()
        };
        let counted = (0..operator.attributes.len()).map(counted).collect();
        let one_per_dimension = |at: usize| {
            solutions.iter().find_map(|solution| match *solution {
                Solution::OnePerDimension { attribute, tensor } if attribute == at => Some(tensor),
                _ => None,
            })
        };
        let one_per_dimension = (0..operator.attributes.len()).map(one_per_dimension).collect();
        let least_number = |at: usize| {
            let least = solutions.iter().filter_map(|solution| match *solution {
                Solution::NumbersAtLeast { attribute, least } if attribute == at => Some(least),
                _ => None,
            });
            least.max()
        };
        let any_number = |(at, attribute): (usize, &Attribute)| attribute.is_signed && least_number(at).is_none();
        let any_number = operator.attributes.iter().enumerate().map(any_number).collect();
        let least_number = (0..operator.attributes.len()).map(|at| least_number(at).unwrap_or(0)).collect();
        let not_zero = solutions.iter().filter_map(|solution| match *solution {
            Solution::NumbersNotZero { attribute } => Some(attribute),
            _ => None,
        });
        let not_zero = not_zero.collect();
        let bounds = |at: usize| {
            let checks = operator.requirements.iter().filter_map(|requirement| requirement.check.as_ref());
            let mut lists = checks.filter_map(|check| match check {
                Check::SizesDefined(check) => Some(check),
                _ => None,
            });
            let is_input = |name: &str| operator.tensor(name).is_some_and(|tensor| tensor.role == Role::Input);
            let follows = |by: &str| operator.definition.follows_from_attribute(by, &operator.attributes[at].name);
            lists.any(|check| is_input(&check.tensor) && follows(&check.by))
        };
        let within = (0..operator.attributes.len()).filter(|&at| bounds(at)).collect();
        let type_names = type_names(&solutions);
        let follows_a_type = |at: usize| type_names.iter().any(|(attribute, _)| *attribute == at);
        let choices =
            operator.attributes.iter().enumerate().map(|(at, attribute)| {
                if follows_a_type(at) { Vec::new() } else { operator.choices(attribute, level) }
            });
        let choices = choices.collect();
        let absent = solutions.iter().filter_map(|solution| match solution {
            Solution::Absent { attribute } => Some(*attribute),
            _ => None,
        });
        let absent = absent.collect();
        let sizes = solutions.into_iter().filter_map(|solution| match solution {
            Solution::Sizes(sizes) => Some(sizes),
            _ => None,
        });
        let mut sizes: Vec<Sizes> = sizes.collect();
        sizes.sort_by_key(|sizes| sizes.turn != Turn::First);
        let again = (0..sizes.len()).filter(|&at| sizes[at].turn == Turn::Again).collect();
        Self {
            counts,
            least,
            once_one_count,
            types,
            sizes,
            again,
            free,
            axes,
            choices,
            counted,
            one_per_dimension,
            least_number,
            any_number,
            not_zero,
            within,
            type_names,
            absent,
        }
    }

    fn draw(&self, draw: &mut Draw<'_, '_>, wish: &Wish, solved: &mut Solved) -> Option<()> {
        let operator = draw.operator;
        let subject = operator.tensors.iter().position(|tensor| tensor.name == operator.subject).unwrap_or(0);
        let wished: Vec<(usize, usize)> =
            wish.sizes.iter().map(|sizes| (subject, sizes.len())).chain(wish.counts.iter().copied()).collect();
        let counts = self.dimension_counts(draw, &wished, !wish.counts.is_empty())?;
        solved.sizes[subject] = match &wish.sizes {
            Some(sizes) => sizes.clone(),
            None => {
                let sizes = draw.sizes(counts[subject]);
                draw.with_leading_ones(sizes)
            }
        };
        for tensor in (0..counts.len()).filter(|tensor| *tensor != subject) {
            let free = self.free[tensor] && draw.choices.once_in(3);
            let sizes = if free { draw.sizes(counts[tensor]) } else { vec![1; counts[tensor]] };
            solved.sizes[tensor] = sizes;
        }
        for (at, (group, types)) in self.types.iter().enumerate() {
            let drawn = draw.choices.below(types.len() as u64) as usize;
            let data_type = match wish.types.get(at).copied().flatten() {
                Some(wished) if !types.contains(&wished) => return None,
                Some(wished) => wished,
                None => types.get(drawn).copied().unwrap_or(DataType::F32),
            };
            group.iter().for_each(|&tensor| solved.types[tensor] = data_type);
        }
        self.attributes_and_sizes(draw, &counts, wish, (subject, solved))?;
        for (tensor, constant) in solved.constants.iter_mut().enumerate() {
            if operator.tensors[tensor].constant && constant.is_none() {
                *constant = Some(draw.choices.below(4) as i64);
            }
        }
        self.fit_constants(wish, solved)
    }

    /// Draws the attributes, and gives the sizes that follow from them and from those that are there. Nothing where no attributes
    /// that were drawn have any.
    fn attributes_and_sizes(
        &self,
        draw: &mut Draw<'_, '_>,
        counts: &[usize],
        wish: &Wish,
        (subject, solved): (usize, &mut Solved),
    ) -> Option<()> {
        let drawn = solved.sizes.clone();
        for _ in 0..MOST_TRIES {
            solved.attributes.clear();
            self.attributes(draw, counts, wish, solved);
            let mut sizes = self.sizes.iter().chain(self.again.iter().map(|&at| &self.sizes[at]));
            let is_solved = sizes.all(|sizes| sizes.solve(draw, solved));
            // Attributes may make a check give the subject itself other sizes, and another tensor as many as it has.
            let has_counts = wish.counts.iter().all(|&(tensor, count)| solved.sizes[tensor].len() == count);
            if is_solved && has_counts && wish.suits(&solved.sizes[subject]) {
                return Some(());
            }
            solved.sizes.clone_from(&drawn);
        }
        None
    }

    /// Gives each constant a type that has its value, unless another is wished for.
    fn fit_constants(&self, wish: &Wish, solved: &mut Solved) -> Option<()> {
        for (tensor, constant) in solved.constants.iter().enumerate() {
            let Some(value) = constant else { continue };
            let has = |data_type: DataType| values::has_index((*value).into(), data_type);
            let group = self.types.iter().enumerate().find(|(_, (group, _))| group.contains(&tensor));
            let Some((at, (group, types))) = group.filter(|_| !has(solved.types[tensor])) else { continue };
            let is_wished = wish.types.get(at).is_some_and(Option::is_some);
            let data_type = *types.iter().find(|data_type| has(**data_type) && !is_wished)?;
            group.iter().for_each(|&tensor| solved.types[tensor] = data_type);
        }
        Some(())
    }

    fn dimension_counts(&self, draw: &mut Draw<'_, '_>, wished: &[(usize, usize)], alike: bool) -> Option<Vec<usize>> {
        let mut counts = vec![0; draw.operator.tensors.len()];
        for (group, range) in &self.counts {
            let count = match wished.iter().find(|(tensor, _)| group.contains(tensor)) {
                Some((_, count)) if !range.contains(count) => return None,
                Some((_, count)) => *count,
                None => {
                    range.start() + draw.choices.below((range.end() + 1).saturating_sub(*range.start()) as u64) as usize
                }
            };
            group.iter().for_each(|&tensor| counts[tensor] = count);
        }
        for group in &self.once_one_count {
            // A case is valid from its least level on: where lower levels take all tensors, they have to be alike there.
            let taken = group.iter().all(|(tensor, range)| range.contains(&counts[*tensor]));
            let same = draw.choices.once_in(2) || taken || alike;
            let subject = draw.operator.tensors.iter().position(|tensor| tensor.name == draw.operator.subject);
            let first = subject.filter(|subject| group.iter().any(|(tensor, _)| tensor == subject));
            let Some(count) = first.or(group.first().map(|(tensor, _)| *tensor)).map(|tensor| counts[tensor]) else {
                continue;
            };
            let allowed =
                |tensor: usize| self.counts.iter().any(|(of, range)| of.contains(&tensor) && range.contains(&count));
            if same && group.iter().all(|(tensor, _)| allowed(*tensor)) {
                group.iter().for_each(|(tensor, _)| counts[*tensor] = count);
            }
        }
        self.sizes.iter().for_each(|sizes| sizes.count(&mut counts));
        // What another tensor's count gives may be too few: then there are more of the subject's.
        let lacking = self.least.iter().zip(&counts).map(|(least, count)| least.saturating_sub(*count));
        let lacking = lacking.max().unwrap_or(0);
        if lacking > 0 {
            let subject = draw.operator.tensors.iter().position(|tensor| tensor.name == draw.operator.subject);
            counts[subject.unwrap_or(0)] += lacking;
            self.sizes.iter().for_each(|sizes| sizes.count(&mut counts));
        }
        wished.iter().all(|&(tensor, count)| counts[tensor] == count).then_some(counts)
    }

    fn attributes(&self, draw: &mut Draw<'_, '_>, counts: &[usize], wish: &Wish, solved: &mut Solved) {
        let mut wished_names = wish.names.iter();
        let kinds = self.axes.iter().zip(&self.counted).zip(&self.choices).enumerate();
        for (attribute, (at, ((axes, counted), choices))) in draw.operator.attributes.iter().zip(kinds) {
            let least_number = self.least_number[at];
            let named = axes.map(|(tensor, more, from_end)| (counts[tensor] + more, from_end));
            let end = counted.iter().map(|(tensor, _, left)| (counts[*tensor] + 1).saturating_sub(*left)).min();
            if !choices.is_empty() {
                let drawn = draw.choices.pick(choices);
                let wished = wished_names.next().and_then(|number| choices.get(number % choices.len()));
                solved.attributes.push(wished.unwrap_or(drawn).clone());
                continue;
            }
            solved.attributes.push(match &attribute.values {
                AttributeValues::Integer => AttributeValue::Integer(match named {
                    Some((count, from_end)) => {
                        let wished = wish.axes.as_ref().and_then(|axes| axes.first().copied());
                        let axis = wished.unwrap_or_else(|| draw.choices.below(count as u64) as i64);
                        let back = from_end && draw.choices.once_in(2);
                        if back { axis - count as i64 } else { axis }
                    }
                    None => match end {
                        Some(end) => {
                            let least = counted.iter().map(|(_, least, _)| *least).max().unwrap_or(0);
                            (least + draw.choices.below(end.saturating_sub(least) as u64) as usize) as i64
                        }
                        None if self.any_number[at] => draw.choices.weighted(&ANY),
                        None => least_number + draw.choices.below(4) as i64,
                    },
                }),
                AttributeValues::Integers => AttributeValue::Integers(match named {
                    Some((count, _)) => wish.axes.clone().unwrap_or_else(|| some_axes(draw, count)),
                    None => match self.one_per_dimension[at] {
                        Some(tensor) if self.not_zero.contains(&at) => {
                            (0..counts[tensor]).map(|_| draw.choices.weighted(&STEPS)).collect()
                        }
                        Some(tensor) if self.within.contains(&at) => {
                            numbers_within(draw, &solved.sizes[tensor], least_number)
                        }
                        Some(tensor) => numbers(draw, (counts[tensor], &solved.sizes[tensor]), least_number),
                        None => {
                            let length = 1 + draw.choices.below(3);
                            (0..length).map(|_| least_number + draw.choices.below(4) as i64).collect()
                        }
                    },
                }),
                AttributeValues::Enumerators(_) => AttributeValue::Enumerator(String::new()),
                AttributeValues::Texts(_) => AttributeValue::String(String::new()),
                AttributeValues::Booleans => AttributeValue::Boolean(false),
                AttributeValues::Scalars => {
                    // What one member names is named for all scalars of that member.
                    let member = |other: usize| draw.operator.attributes[other].data_type == attribute.data_type;
                    let of = self.type_names.iter().find(|(other, _)| member(*other)).map(|(_, tensor)| *tensor);
                    let data_type = of.map_or(DataType::F32, |tensor| solved.types[tensor]);
                    AttributeValue::Scalar(Scalar::new(data_type, values::value(draw.choices, data_type, 1)))
                }
                AttributeValues::Floats => {
                    let drawn = AttributeValue::Float32(values::float32(draw.choices));
                    // One that may be left out is drawn so often that it is.
                    let default = attribute.default.as_ref().filter(|_| draw.choices.once_in(3));
                    default.cloned().unwrap_or(drawn)
                }
            });
        }
        for &attribute in &self.absent {
            if let Some(default) = &draw.operator.attributes[attribute].default {
                solved.attributes[attribute].clone_from(default);
            }
        }
        for &(attribute, tensor) in &self.type_names {
            let spelling = draw.operator.family.spelling(solved.types[tensor]).to_owned();
            match &mut solved.attributes[attribute] {
                AttributeValue::Enumerator(name) | AttributeValue::String(name) => *name = spelling,
                AttributeValue::Integer(_)
                | AttributeValue::Integers(_)
                | AttributeValue::Boolean(_)
                | AttributeValue::Float32(_)
                | AttributeValue::Scalar(_) => {}
            }
        }
        for (at, attribute) in draw.operator.attributes.iter().enumerate() {
            let list = attribute.length_of.as_ref();
            let list = list.and_then(|list| draw.operator.attributes.iter().position(|each| each.name == *list));
            if let Some(AttributeValue::Integers(list)) = list.map(|list| &solved.attributes[list]) {
                solved.attributes[at] = AttributeValue::Integer(list.len() as i64);
            }
        }
    }
}

/// So many numbers, of which few are greater than the least there may be. Where they may be 0 those of dimensions of one element
/// mostly are: much of what becomes of a dimension has no meaning there.
fn numbers(draw: &mut Draw<'_, '_>, (count, sizes): (usize, &[u64]), least: i64) -> Vec<i64> {
    let mut left = MOST_MORE;
    let spares_single = least == 0 && !draw.choices.once_in(4);
    let each = (0..count).map(|at| {
        let most = if spares_single && sizes.get(at) == Some(&1) { 0 } else { left };
        let more = draw.choices.weighted(&MORE).min(most);
        left -= more;
        least + more
    });
    each.collect()
}

/// So many elements of each dimension, or a place in it, if it may be 0: mostly all of them, and the first one. Two numbers are
/// drawn for each whatever it is.
fn numbers_within(draw: &mut Draw<'_, '_>, sizes: &[u64], least: i64) -> Vec<i64> {
    let each = sizes.iter().map(|&size| {
        let size = i64::try_from(size).unwrap_or(i64::MAX).max(least);
        let is_other = draw.choices.below(sizes.len() as u64) < 2;
        let other = least + draw.choices.below((size - least + i64::from(least > 0)).max(1) as u64) as i64;
        if is_other {
            other
        } else if least > 0 {
            size
        } else {
            0
        }
    });
    each.collect()
}

/// One axis, several, or all, in ascending order. Two numbers are drawn whatever it is.
fn some_axes(draw: &mut Draw<'_, '_>, count: usize) -> Vec<i64> {
    let kind = draw.choices.below(4);
    let bound = [count as u64, count as u64, (1 << count.min(32)) - 1, 1][kind as usize];
    let number = draw.choices.below(bound);
    match kind {
        0 | 1 => vec![number as i64],
        2 => (0..count as i64).filter(|axis| (number + 1) >> axis & 1 == 1).collect(),
        _ => (0..count as i64).collect(),
    }
}

/// The dimension counts that a tensor may have at a level.
fn counts_of(operator: &Operator, solutions: &[Solution], level: Level, tensor: usize) -> RangeInclusive<usize> {
    let name = &operator.tensors[tensor].name;
    let row = operator.support_at(level).or(operator.support.first());
    let row = row.and_then(|row| row.tensors.iter().find(|(each, ..)| each == name));
    let of_table = row.map(|(_, range, _)| range.least..=range.greatest);
    let of_checks = solutions.iter().filter_map(|solution| match solution {
        Solution::DimensionCounts { tensors, counts } if tensors.contains(&tensor) => Some(counts.clone()),
        _ => None,
    });
    // What all else follows from may be a scalar, and what follows from values is known behind all else.
    let of = &operator.tensors[tensor];
    let may_be_scalar = of.sizes.is_some() || of.role == Role::Input && of.name == operator.subject;
    let any = usize::from(!may_be_scalar)..=MOST_DIMENSIONS;
    let range = of_table.into_iter().chain(of_checks).reduce(both).unwrap_or(any);
    // Where an axis names one of its dimensions, it has one.
    let named = |solution: &Solution| matches!(solution, Solution::Axes { tensor: of, more: 0, .. } if *of == tensor);
    let least = usize::from(solutions.iter().any(named));
    least.max(*range.start())..=MOST_DIMENSIONS.min(*range.end())
}

fn both(one: RangeInclusive<usize>, other: RangeInclusive<usize>) -> RangeInclusive<usize> {
    *one.start().max(other.start())..=*one.end().min(other.end())
}

/// The data types that all of some tensors may have at a level, those of the oldest level first.
fn types_of(operator: &Operator, solutions: &[Solution], level: Level, group: &[usize]) -> Vec<DataType> {
    let named = |tensor: usize| &operator.tensors[tensor].name;
    let all = || operator.family.types.iter().map(|(_, data_type)| *data_type).collect::<Vec<_>>();
    let of = |row: Option<&crate::spec::SupportRow>, tensor: usize| {
        let row = row.and_then(|row| row.tensors.iter().find(|(name, ..)| name == named(tensor)));
        row.map_or_else(all, |(.., types)| types.clone())
    };
    let newest = operator.support_at(level).or(operator.support.first());
    let mut types = group.first().map_or_else(Vec::new, |&first| of(newest, first));
    types.retain(|each| group.iter().all(|&tensor| of(newest, tensor).contains(each)));
    for solution in solutions {
        if let Solution::Types { tensors, types: allowed } = solution
            && group.iter().any(|tensor| tensors.contains(tensor))
        {
            types.retain(|each| allowed.contains(each));
        }
    }
    for (attribute, tensor) in type_names(solutions) {
        // A scalar has whatever type is asked of it.
        let values = &operator.attributes[attribute].values;
        if group.contains(&tensor) && *values != AttributeValues::Scalars {
            let names = values.listed();
            types.retain(|each| names.iter().any(|name| name == operator.family.spelling(*each)));
        }
    }
    let oldest = group.first().map_or_else(Vec::new, |&first| of(operator.support.first(), first));
    types.sort_by_key(|each| Reverse(oldest.contains(each)));
    types
}

/// For each attribute the dimensions that it names.
fn axes(operator: &Operator, solutions: &[Solution]) -> Vec<Option<(usize, usize, bool)>> {
    let of = |at: usize| {
        let named = solutions.iter().filter_map(|solution| match *solution {
            Solution::Axes { attribute, tensor, more, from_end } if attribute == at => Some((tensor, more, from_end)),
            _ => None,
        });
        // Of several checks the narrowest decides.
        named.reduce(|(tensor, more, from_end), (_, other, also)| (tensor, more.min(other), from_end && also))
    };
    (0..operator.attributes.len()).map(of).collect()
}

/// The attributes that name the data type of a tensor: attribute and tensor.
fn type_names(solutions: &[Solution]) -> Vec<(usize, usize)> {
    let named = solutions.iter().filter_map(|solution| match *solution {
        Solution::TypeNamed { tensor, attribute } => Some((attribute, tensor)),
        _ => None,
    });
    named.collect()
}

fn known<'a>(operator: &'a Operator, level: Level, given: &'a [bool]) -> Known<'a> {
    Known { operator, level, given }
}

/// For each tensor whether its sizes are free: neither those of the subject, nor given by a solution, nor by values.
fn free(operator: &Operator, solutions: &[Solution]) -> Vec<bool> {
    let gives = |at: usize| {
        solutions.iter().any(|solution| matches!(solution, Solution::Sizes(sizes) if sizes.gives.contains(&at)))
    };
    let tensors = operator.tensors.iter().enumerate();
    tensors.map(|(at, tensor)| tensor.name != operator.subject && tensor.sizes.is_none() && !gives(at)).collect()
}

/// How the checks that hold at a level are solved, each behind those that it needs.
fn solutions_at(operator: &Operator, level: Level) -> Vec<Solution> {
    fn visit<'o>(operator: &'o Operator, requirement: &'o Requirement, seen: &mut Vec<&'o Requirement>) {
        if seen.iter().any(|each| each.id == requirement.id) {
            return;
        }
        for need in requirement.needs.iter().filter_map(|id| operator.requirement(id)) {
            visit(operator, need, seen);
        }
        seen.push(requirement);
    }
    let mut seen = Vec::new();
    operator.all_requirements().for_each(|requirement| visit(operator, requirement, &mut seen));
    let checks = seen.into_iter().filter(|each| each.holds_at(level)).filter_map(|each| each.check.as_ref());
    let mut given: Vec<bool> = operator.tensors.iter().map(|tensor| tensor.name == operator.subject).collect();
    let mut solutions = Vec::new();
    for check in checks {
        let solution = check.kind().solution(&known(operator, level, &given));
        if let Some(Solution::Sizes(sizes)) = &solution {
            sizes.gives.iter().for_each(|&to| given[to] = true);
        }
        solutions.extend(solution);
    }
    solutions
}
