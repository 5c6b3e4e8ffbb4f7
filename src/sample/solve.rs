//! Descriptors that no check speaks against: each check is solved, as others evaluate it.
//!
//! What is drawn first are the dimension counts and the data types, each as far as the checks leave them free, then the sizes
//! of the operator's subject and the attributes. From there one check after the other gives the tensors that it speaks of
//! the sizes that it asks for.

use std::cmp::Reverse;
use std::ops::RangeInclusive;

use opcert_backend::{AttributeValue, DataType};

use super::draw::Draw;
use super::layout::MOST_DIMENSIONS;
use crate::check::breakpoints;
use crate::spec::{AttributeValues, Check, Level, Operator, Requirement};

/// How the checks of an operator are solved, by level.
#[derive(Debug)]
pub(crate) struct Solver {
    /// From which level on, the lowest first.
    stretches: Vec<(Level, Stretch)>,
}

/// How checks are solved at levels between which nothing changes.
#[derive(Debug)]
struct Stretch {
    /// The tensors that have one dimension count, with those that it may be.
    counts: Vec<(Vec<usize>, RangeInclusive<usize>)>,
    /// Tensors that have one dimension count at lower levels alone, where the documents leave it open, and what each of
    /// them may have there.
    once_one_count: Vec<Vec<(usize, RangeInclusive<usize>)>>,
    /// The tensors that have one data type, with those that it may be, plainest first.
    types: Vec<(Vec<usize>, Vec<DataType>)>,
    /// The checks that give sizes, in the order in which they are solved.
    steps: Vec<Step>,
    /// The tensors whose sizes are free: neither the subject nor given by a check.
    free: Vec<bool>,
    /// For each attribute the dimensions that it may name: those of a tensor, with so many more, from the end as well.
    axes: Vec<Option<(usize, usize, bool)>>,
}

/// A check that gives sizes, with tensors and attributes by their numbers.
#[derive(Clone, Debug)]
enum Step {
    SizeAtAxis { tensor: usize, axis: usize, size: u64 },
    CopyExceptAxis { from: usize, to: usize, axis: usize },
    Reduce { input: usize, output: usize, axes: usize },
    Expand { input: usize, output: usize, axes: usize },
    Insert { input: usize, output: usize, axis: usize, size: usize },
    TakeOut { input: usize, output: usize, axis: usize, size: usize },
    Ones { tensor: usize, free: usize },
    AtLeast { tensor: usize, elements: u64 },
    ElementCount { tensor: usize, from_end: usize, of: usize },
    WithinRank { tensor: usize, from_end: usize, of: usize },
    SizeAtLeast { tensor: usize, from_end: usize, size: u64 },
    ConstantAtLeast { tensor: usize, value: i64 },
}

/// The parts of a descriptor that checks speak of, in the order of the specification.
#[derive(Debug, Default)]
pub(crate) struct Solved {
    pub(crate) types: Vec<DataType>,
    pub(crate) sizes: Vec<Vec<u64>>,
    pub(crate) attributes: Vec<AttributeValue>,
    /// The values of tensors that are part of the descriptor.
    pub(crate) constants: Vec<Option<i64>>,
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
    /// For each group of tensors with one data type that type.
    pub(crate) types: Vec<DataType>,
    /// For each attribute that is one of some names a number, by which one of them is taken.
    pub(crate) names: Vec<usize>,
    /// Which telling values there are first.
    pub(crate) turn: usize,
    /// Which index stands where there is only one; any that lies within if nothing is said.
    pub(crate) alone: Option<usize>,
    /// Which telling values there may be.
    pub(crate) boldness: Boldness,
}

impl Solver {
    pub(crate) fn new(operator: &Operator) -> Self {
        let from = breakpoints(operator).into_iter().filter(|level| *level >= operator.introduced);
        Self { stretches: from.map(|level| (level, Stretch::new(operator, level))).collect() }
    }

    fn at(&self, level: Level) -> Option<&Stretch> {
        let stretch = self.stretches.iter().rev().find(|(from, _)| *from <= level).or(self.stretches.first());
        stretch.map(|(_, stretch)| stretch)
    }

    /// The tensors that have one data type at a level, with those that it may be.
    pub(crate) fn types(&self, level: Level) -> &[(Vec<usize>, Vec<DataType>)] {
        self.at(level).map_or(&[], |stretch| &stretch.types)
    }

    /// For each attribute whether it names dimensions, and if it does whether they may count from the end.
    pub(crate) fn named(&self, level: Level) -> Vec<Option<bool>> {
        let axes = self.at(level).map_or(&[][..], |stretch| &stretch.axes);
        axes.iter().map(|axes| axes.map(|(_, _, from_end)| from_end)).collect()
    }

    /// For each tensor whether its sizes are free: neither those of the subject nor given by a check.
    pub(crate) fn free(&self, level: Level) -> &[bool] {
        self.at(level).map_or(&[], |stretch| &stretch.free)
    }

    /// Whether an attribute names several dimensions.
    pub(crate) fn names_several(&self, operator: &Operator, level: Level) -> bool {
        let lists = operator.attributes.iter().map(|attribute| matches!(attribute.values, AttributeValues::Integers));
        self.named(level).iter().zip(lists).any(|(named, list)| named.is_some() && list)
    }

    /// The parts of a valid descriptor at the level that is drawn for; nothing where there is none as is wished.
    pub(crate) fn draw(&self, draw: &mut Draw<'_, '_>, wish: &Wish) -> Option<Solved> {
        let stretch = self.at(draw.level)?;
        let operator = draw.operator;
        let mut solved = Solved {
            types: vec![DataType::F32; operator.tensors.len()],
            sizes: vec![Vec::new(); operator.tensors.len()],
            attributes: Vec::with_capacity(operator.attributes.len()),
            constants: vec![None; operator.tensors.len()],
        };
        stretch.draw(draw, wish, &mut solved)?;
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

/// The checks that hold at a level, each behind those that it needs.
fn in_order(operator: &Operator, level: Level) -> Vec<&Check> {
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
    seen.into_iter().filter(|each| each.holds_at(level)).filter_map(|each| each.check.as_ref()).collect()
}

impl Stretch {
    fn new(operator: &Operator, level: Level) -> Self {
        let checks = in_order(operator, level);
        let tensor = |name: &String| operator.tensors.iter().position(|tensor| tensor.name == *name);
        let tensors = |names: &[String]| names.iter().filter_map(tensor).collect::<Vec<_>>();
        let mut counts: Vec<Vec<usize>> = (0..operator.tensors.len()).map(|tensor| vec![tensor]).collect();
        let mut types = counts.clone();
        for check in &checks {
            match check {
                Check::SameDimensionCount { tensors: names } => joined(&mut counts, &tensors(names)),
                Check::SameType { tensors: names } => joined(&mut types, &tensors(names)),
                _ => {}
            }
        }
        let once = operator.all_requirements().filter(|each| !each.gates() && !each.holds_at(level));
        let once_one_count = once.filter_map(|each| match (&each.check, each.until) {
            (Some(Check::SameDimensionCount { tensors: names }), Some(until)) if until < level => {
                let then = in_order(operator, until);
                Some(tensors(names).into_iter().map(|at| (at, counts_of(operator, &then, until, at))).collect())
            }
            _ => None,
        });
        let once_one_count = once_one_count.collect();
        let (steps, free) = steps(operator, &checks);
        let ranges = counts.into_iter().map(|group| {
            let ranges = group.iter().map(|&at| counts_of(operator, &checks, level, at));
            let range = ranges.reduce(|one, other| *one.start().max(other.start())..=*one.end().min(other.end()));
            (group, range.unwrap_or(1..=1))
        });
        let counts = ranges.collect();
        let types = types.into_iter().map(|group| {
            let allowed = types_of(operator, &checks, level, &group);
            (group, allowed)
        });
        Self { counts, once_one_count, types: types.collect(), steps, free, axes: axes(operator, &checks) }
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
            let data_type = match wish.types.get(at) {
                Some(wished) if !types.contains(wished) => return None,
                Some(wished) => *wished,
                None => types.get(drawn).copied().unwrap_or(DataType::F32),
            };
            group.iter().for_each(|&tensor| solved.types[tensor] = data_type);
        }
        self.attributes(draw, &counts, wish, solved);
        for step in &self.steps {
            step.solve(draw, solved);
        }
        for (tensor, constant) in solved.constants.iter_mut().enumerate() {
            if operator.tensors[tensor].constant && constant.is_none() {
                *constant = Some(draw.choices.below(4) as i64);
            }
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
        for step in &self.steps {
            match *step {
                Step::Insert { input, output, .. } => {
                    counts[input] = counts[input].min(MOST_DIMENSIONS - 1);
                    counts[output] = counts[input] + 1;
                }
                Step::TakeOut { input, output, .. } => counts[input] = counts[output].saturating_sub(1),
                _ => {}
            }
        }
        wished.iter().all(|&(tensor, count)| counts[tensor] == count).then_some(counts)
    }

    fn attributes(&self, draw: &mut Draw<'_, '_>, counts: &[usize], wish: &Wish, solved: &mut Solved) {
        let mut wished_names = wish.names.iter();
        for (attribute, axes) in draw.operator.attributes.iter().zip(&self.axes) {
            let named = axes.map(|(tensor, more, from_end)| (counts[tensor] + more, from_end));
            solved.attributes.push(match &attribute.values {
                AttributeValues::Integer => AttributeValue::Integer(match named {
                    Some((count, from_end)) => {
                        let wished = wish.axes.as_ref().and_then(|axes| axes.first().copied());
                        let axis = wished.unwrap_or_else(|| draw.choices.below(count as u64) as i64);
                        let back = from_end && draw.choices.once_in(2);
                        if back { axis - count as i64 } else { axis }
                    }
                    None => draw.choices.below(4) as i64,
                }),
                AttributeValues::Integers => AttributeValue::Integers(match named {
                    Some((count, _)) => wish.axes.clone().unwrap_or_else(|| some_axes(draw, count)),
                    None => {
                        let length = 1 + draw.choices.below(3);
                        (0..length).map(|_| draw.choices.below(4) as i64).collect()
                    }
                }),
                AttributeValues::Enumerators(names) => {
                    let drawn = draw.choices.pick(names);
                    let wished = wished_names.next().and_then(|number| names.get(number % names.len().max(1)));
                    AttributeValue::Enumerator(wished.unwrap_or(drawn).clone())
                }
            });
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
fn counts_of(operator: &Operator, checks: &[&Check], level: Level, tensor: usize) -> RangeInclusive<usize> {
    let name = &operator.tensors[tensor].name;
    let row = operator.support_at(level).or(operator.support.first());
    let row = row.and_then(|row| row.tensors.iter().find(|(each, ..)| each == name));
    let range = row.map_or(1..=MOST_DIMENSIONS, |(_, range, _)| range.least..=range.greatest.min(MOST_DIMENSIONS));
    checks.iter().fold(range, |range, check| match check {
        Check::DimensionCount { tensors, count } if tensors.contains(name) => *count as usize..=*count as usize,
        Check::DimensionCountByLevel { from } => {
            let at = from.names().filter(|name| operator.family.level(name).is_some_and(|from| from <= level));
            let newest = at.max_by_key(|name| operator.family.level(name));
            match newest.and_then(|name| from.get(name)) {
                Some(allowed) => *range.start().max(&allowed.least)..=*range.end().min(&allowed.greatest),
                None => range,
            }
        }
        _ => range,
    })
}

/// The data types that all of some tensors may have at a level, those of the oldest level first.
fn types_of(operator: &Operator, checks: &[&Check], level: Level, group: &[usize]) -> Vec<DataType> {
    let named = |tensor: usize| &operator.tensors[tensor].name;
    let all = || operator.family.types.iter().map(|(_, data_type)| *data_type).collect::<Vec<_>>();
    let of = |row: Option<&crate::spec::SupportRow>, tensor: usize| {
        let row = row.and_then(|row| row.tensors.iter().find(|(name, ..)| name == named(tensor)));
        row.map_or_else(all, |(.., types)| types.clone())
    };
    let newest = operator.support_at(level).or(operator.support.first());
    let mut types = group.first().map_or_else(Vec::new, |&first| of(newest, first));
    types.retain(|each| group.iter().all(|&tensor| of(newest, tensor).contains(each)));
    for check in checks {
        if let Check::DataTypes { tensors, types: allowed } = check
            && group.iter().any(|&tensor| tensors.contains(named(tensor)))
        {
            types.retain(|each| allowed.iter().any(|name| operator.family.data_type(name) == Some(*each)));
        }
    }
    let oldest = group.first().map_or_else(Vec::new, |&first| of(operator.support.first(), first));
    types.sort_by_key(|each| Reverse(oldest.contains(each)));
    types
}

/// For each attribute the dimensions that it names.
fn axes(operator: &Operator, checks: &[&Check]) -> Vec<Option<(usize, usize, bool)>> {
    let of = |name: &String| {
        checks.iter().find_map(|check| match check {
            Check::AxisInRange { attribute, tensor, inserted, from_end } if attribute == name => {
                let tensor = operator.tensors.iter().position(|each| each.name == *tensor)?;
                Some((tensor, usize::from(inserted.unwrap_or(false)), from_end.unwrap_or(false)))
            }
            _ => None,
        })
    };
    operator.attributes.iter().map(|attribute| of(&attribute.name)).collect()
}

/// The checks that give sizes, in the order in which they are solved, and for each tensor whether its sizes are free.
fn steps(operator: &Operator, checks: &[&Check]) -> (Vec<Step>, Vec<bool>) {
    let tensor = |name: &str| operator.tensors.iter().position(|tensor| tensor.name == name);
    let attribute = |name: &str| operator.attributes.iter().position(|attribute| attribute.name == name);
    let mut given: Vec<bool> = operator.tensors.iter().map(|tensor| tensor.name == operator.subject).collect();
    let mut steps = Vec::new();
    for check in checks {
        let step = step(check, &given, tensor, attribute);
        if let Some(to) = step.as_ref().and_then(Step::gives) {
            given[to] = true;
        }
        steps.extend(step);
    }
    // What asks for something of one tensor alone comes before what carries its sizes over to others.
    steps.sort_by_key(|step| !matches!(step, Step::AtLeast { .. } | Step::Ones { .. }));
    let last: Vec<Step> = steps.iter().filter(|step| matches!(step, Step::SizeAtLeast { .. })).cloned().collect();
    steps.extend(last);
    let free = given.iter().map(|given| !given).collect();
    (steps, free)
}

/// How a check is solved; nothing where it gives no sizes.
fn step(
    check: &Check,
    given: &[bool],
    tensor: impl Fn(&str) -> Option<usize>,
    attribute: impl Fn(&str) -> Option<usize>,
) -> Option<Step> {
    match check {
        Check::SizeAtAxis { tensor: name, axis, size } => {
            Some(Step::SizeAtAxis { tensor: tensor(name)?, axis: attribute(axis)?, size: *size })
        }
        Check::SizesEqualExceptAxis { tensor: one, other, axis } => {
            let (one, other, axis) = (tensor(one)?, tensor(other)?, attribute(axis)?);
            let (from, to) = if given[one] { (one, other) } else { (other, one) };
            Some(Step::CopyExceptAxis { from, to, axis })
        }
        Check::SizesReduced { input, output, axes } => {
            let (input, output, axes) = (tensor(input)?, tensor(output)?, attribute(axes)?);
            Some(match given[output] && !given[input] {
                true => Step::Expand { input, output, axes },
                false => Step::Reduce { input, output, axes },
            })
        }
        Check::SizeInserted { input, output, axis, size } => {
            let (input, output, axis, size) = (tensor(input)?, tensor(output)?, attribute(axis)?, tensor(size)?);
            Some(match given[output] && !given[input] {
                true => Step::TakeOut { input, output, axis, size },
                false => Step::Insert { input, output, axis, size },
            })
        }
        Check::AllSizesOne { tensor: name } => Some(Step::Ones { tensor: tensor(name)?, free: 0 }),
        Check::LeadingSizesOne { tensor: name, free } => {
            Some(Step::Ones { tensor: tensor(name)?, free: *free as usize })
        }
        Check::ElementCountAtLeast { tensor: name, count } => {
            Some(Step::AtLeast { tensor: tensor(name)?, elements: *count })
        }
        Check::SizeIsElementCount { tensor: name, dimension, of } => {
            Some(Step::ElementCount { tensor: tensor(name)?, from_end: *dimension as usize, of: tensor(of)? })
        }
        Check::SizeWithinRank { tensor: name, dimension, of } => {
            Some(Step::WithinRank { tensor: tensor(name)?, from_end: *dimension as usize, of: tensor(of)? })
        }
        Check::SizeAtLeast { tensor: name, dimension, size } => {
            Some(Step::SizeAtLeast { tensor: tensor(name)?, from_end: *dimension as usize, size: *size })
        }
        Check::ConstantAtLeast { tensor: name, value } => {
            Some(Step::ConstantAtLeast { tensor: tensor(name)?, value: *value })
        }
        // Drawn so that it holds: levels, types, dimension counts, attributes and what is said of memory. Each is named, so
        // that a new check cannot go unsolved.
        Check::Introduced
        | Check::TensorSupport
        | Check::AttributePresent { .. }
        | Check::TensorsPresent { .. }
        | Check::SameDimensionCount { .. }
        | Check::SameType { .. }
        | Check::DataTypes { .. }
        | Check::DimensionCount { .. }
        | Check::DimensionCountByLevel { .. }
        | Check::AxisInRange { .. }
        | Check::Distinct { .. }
        | Check::NotEmpty { .. }
        | Check::SizesPositive { .. }
        | Check::ElementCountAtMost { .. }
        | Check::TotalSize
        | Check::Alignment
        | Check::FlagOnInputsOnly { .. }
        | Check::OutputsDoNotOverlap
        | Check::OutputStridesNest => None,
    }
}

impl Step {
    /// The tensor that gets its sizes by it.
    const fn gives(&self) -> Option<usize> {
        match self {
            Self::CopyExceptAxis { to, .. } => Some(*to),
            Self::Reduce { output, .. } | Self::Insert { output, .. } => Some(*output),
            Self::Expand { input, .. } | Self::TakeOut { input, .. } => Some(*input),
            Self::Ones { tensor, .. } => Some(*tensor),
            Self::SizeAtAxis { .. }
            | Self::AtLeast { .. }
            | Self::ElementCount { .. }
            | Self::WithinRank { .. }
            | Self::SizeAtLeast { .. }
            | Self::ConstantAtLeast { .. } => None,
        }
    }

    fn solve(&self, draw: &mut Draw<'_, '_>, solved: &mut Solved) {
        let Solved { sizes, attributes, constants, .. } = solved;
        let place = |axis: usize, count: usize| -> Option<usize> {
            let AttributeValue::Integer(axis) = attributes[axis] else { return None };
            usize::try_from(if axis < 0 { axis + count as i64 } else { axis }).ok().filter(|axis| *axis < count)
        };
        let listed = |axes: usize| match &attributes[axes] {
            AttributeValue::Integers(axes) => axes.as_slice(),
            AttributeValue::Integer(axis) => std::slice::from_ref(axis),
            AttributeValue::Enumerator(_) => &[],
        };
        match *self {
            Self::SizeAtAxis { tensor, axis, size } => {
                if let Some(axis) = place(axis, sizes[tensor].len()) {
                    sizes[tensor][axis] = size;
                }
            }
            Self::CopyExceptAxis { from, to, axis } => {
                let kept = place(axis, sizes[to].len());
                for dimension in (0..sizes[to].len().min(sizes[from].len())).filter(|each| Some(*each) != kept) {
                    sizes[to][dimension] = sizes[from][dimension];
                }
            }
            Self::Reduce { input, output, axes } => {
                sizes[output] = sizes[input].clone();
                let count = sizes[output].len() as i64;
                for &axis in listed(axes) {
                    let axis = usize::try_from(if axis < 0 { axis + count } else { axis }).ok();
                    if let Some(size) = axis.and_then(|axis| sizes[output].get_mut(axis)) {
                        *size = 1;
                    }
                }
            }
            Self::Expand { input, output, axes } => {
                let drawn = draw.sizes(sizes[output].len());
                let reduced = listed(axes);
                let size = |at: usize| if reduced.contains(&(at as i64)) { drawn[at] } else { sizes[output][at] };
                sizes[input] = (0..sizes[output].len()).map(size).collect();
            }
            Self::Insert { input, output, axis, size } => {
                let depth = *constants[size].get_or_insert_with(|| 1 + draw.choices.below(4) as i64);
                let mut with = sizes[input].clone();
                if let Some(axis) = place(axis, with.len() + 1) {
                    with.insert(axis, depth.unsigned_abs());
                }
                sizes[output] = with;
            }
            Self::TakeOut { input, output, axis, size } => {
                let mut without = sizes[output].clone();
                if let Some(axis) = place(axis, without.len()) {
                    constants[size] = Some(without.remove(axis) as i64);
                }
                sizes[input] = without;
            }
            Self::Ones { tensor, free } => {
                let count = sizes[tensor].len().saturating_sub(free);
                sizes[tensor][..count].fill(1);
            }
            Self::AtLeast { tensor, elements } => {
                let count = sizes[tensor].len();
                let dimension = draw.choices.below(count as u64) as usize;
                if sizes[tensor].iter().product::<u64>() < elements && count > 0 {
                    sizes[tensor][count - 1 - dimension] = elements;
                }
            }
            Self::ElementCount { tensor, from_end, of } => {
                let elements = sizes[of].iter().product();
                let at = sizes[tensor].len().checked_sub(from_end);
                if let Some(size) = at.and_then(|at| sizes[tensor].get_mut(at)) {
                    *size = elements;
                }
            }
            Self::WithinRank { tensor, from_end, of } => {
                let count = sizes[of].len() as u64;
                let rank = sizes[of].iter().skip_while(|&&size| size == 1).count().max(1) as u64;
                let fewer = draw.choices.below(count.saturating_sub(rank) + 1);
                let at = sizes[tensor].len().checked_sub(from_end);
                if let Some(size) = at.and_then(|at| sizes[tensor].get_mut(at)) {
                    *size = count - fewer;
                }
            }
            Self::SizeAtLeast { tensor, from_end, size: least } => {
                let at = sizes[tensor].len().checked_sub(from_end);
                if let Some(size) = at.and_then(|at| sizes[tensor].get_mut(at)) {
                    *size = least.max(*size);
                }
            }
            Self::ConstantAtLeast { tensor, value } => {
                let more = draw.choices.below(4) as i64;
                let constant = constants[tensor].get_or_insert(value.saturating_add(more));
                *constant = value.max(*constant);
            }
        }
    }
}
