//! Sizes that follow from others.

use opcert_backend::{AttributeValue, Role, TensorDescriptor};

use super::edit::Edit;
use super::solution::{Known, MOST_DIMENSIONS, Sizes, Solution, Solved};
use super::subject::{Finding, Subject};
use super::violations::Violations;
use super::{Bearing, Kind, Misreadings, Names, axes_of, axis_of, dimension_of};
use crate::element;
use crate::render::counted;
use crate::spec::check::{
    AllSizesOne, Free, LeadingSizesOne, SameSizes, SizeAtAxis, SizeInserted, SizesAtMost, SizesDefined,
    SizesEqualExceptAxis, SizesPositive, SizesReduced, Taken,
};
use crate::spec::{Check, Operator};

impl Kind for SizeAtAxis {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [(&self.axis, Taken::Number)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensor: name, axis, size } = self;
        let sizes = &subject.tensor(name)?.sizes;
        let axis = dimension_of(subject.number(axis)?, sizes.len())?;
        let found = *sizes.get(axis)?;
        let message = || format!("`{name}.sizes[{axis}]` is {found}, expected {size}: dimension {axis} is the axis");
        Some(super::only_if(found != *size, || Finding::new(&["tensors", name, "sizes", &axis.to_string()], message())))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let axis = of.number(&self.axis).unwrap_or(0) as usize;
        of.sizes(&self.tensor, axis, &[("two", self.size.saturating_add(1)), ("seven", self.size.saturating_add(6))])
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (tensor, axis, size) = (known.tensor(&self.tensor)?, known.attribute(&self.axis)?, self.size);
        Some(Solution::Sizes(Sizes::within(move |_, solved| {
            if let Some(axis) = axis_of(&solved.attributes[axis], solved.sizes[tensor].len()) {
                solved.sizes[tensor][axis] = size;
            }
        })))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let size = self.size.saturating_add(1);
        let said = format!("the size {size} will do");
        Misreadings::default().looser("loosened", said, Check::SizeAtAxis(Self { size, ..self.clone() }))
    }
}

impl Kind for SameSizes {
    fn names(&self) -> Names<'_> {
        Names::listed(&self.tensors)
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let mut present = self.tensors.iter().filter_map(|name| Some((name, &subject.tensor(name)?.sizes)));
        let (first, expected) = present.next()?;
        let compare = |(name, sizes): (&String, &Vec<u64>)| {
            compare_sizes(name, sizes, expected, |dimension| Some(format!("`{first}.sizes[{dimension}]` is")))
        };
        Some(present.flat_map(compare).collect())
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let mut edits: Vec<Edit> = self.tensors.iter().flat_map(|name| of.each_size_up_and_down(name)).collect();
        edits.extend(self.tensors.iter().filter_map(|name| of.swapped(name, None)));
        edits
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let tensors = known.tensors(&self.tensors);
        let from = *tensors.iter().find(|tensor| known.given[**tensor]).or(tensors.first())?;
        let to: Vec<usize> = tensors.into_iter().filter(|tensor| *tensor != from && !known.given[*tensor]).collect();
        let counted = to.clone();
        let sizes = Sizes::of_all(&to.clone(), move |_, solved| {
            let sizes = solved.sizes[from].clone();
            to.iter().for_each(|&tensor| solved.sizes[tensor].clone_from(&sizes));
        });
        Some(Solution::Sizes(sizes.counting(move |counts| {
            let count = counts[from];
            counted.iter().for_each(|&tensor| counts[tensor] = count);
        })))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        // What is compared with the first one.
        Misreadings::each(self.tensors.iter().skip(1))
    }
}

impl SizesEqualExceptAxis {
    /// The tensors that are compared with the other one: one, or all of a list.
    fn compared(&self, operator: &Operator) -> Vec<String> {
        operator.meant_by(&self.tensor).into_iter().filter(|name| *name != self.other).collect()
    }
}

impl Kind for SizesEqualExceptAxis {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor, &self.other], [(&self.axis, Taken::Number)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { other, axis, .. } = self;
        let others = &subject.tensor(other)?.sizes;
        let axis = dimension_of(subject.number(axis)?, others.len())?;
        let compared = self.compared(subject.operator);
        let present = compared.iter().filter_map(|tensor| Some((tensor, &subject.tensor(tensor)?.sizes)));
        let found = present.flat_map(|(tensor, sizes)| {
            compare_sizes(other, others, sizes, |dimension| {
                (dimension != axis).then(|| format!("`{tensor}.sizes[{dimension}]` is"))
            })
        });
        Some(found.collect())
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let axis = of.number(&self.axis).unwrap_or(0) as usize;
        let of_each = |tensor: &String| {
            let others = (0..of.dimensions(tensor)).filter(|&at| at != axis);
            others.flat_map(|at| of.one_up_and_down(tensor, at)).collect::<Vec<_>>()
        };
        let mut edits: Vec<Edit> = self.compared(&of.base.operator).iter().flat_map(of_each).collect();
        edits.extend(of.swapped(&self.other, Some(axis)));
        edits
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (compared, other) = (known.tensors(&self.compared(known.operator)), known.tensor(&self.other)?);
        let axis = known.attribute(&self.axis)?;
        let given = compared.iter().copied().find(|&tensor| known.given[tensor]);
        let from = given.unwrap_or(other);
        let to: Vec<usize> = compared.into_iter().chain([other]).filter(|&tensor| tensor != from).collect();
        // Where no other check says how large it is along the axis, that is free.
        let checks = known.operator.all_requirements().filter_map(|requirement| requirement.check.as_ref());
        let checks: Vec<&Check> = checks.collect();
        let is_free = |&tensor: &usize| {
            let set = &known.operator.tensors[tensor].name;
            let is_said =
                |check: &&Check| matches!(check, Check::SizeAtAxis(of) if of.axis == self.axis && of.tensor == *set);
            !checks.iter().any(is_said)
        };
        let to: Vec<(usize, bool)> = to.into_iter().map(|tensor| (tensor, is_free(&tensor))).collect();
        let gives: Vec<usize> = to.iter().map(|(tensor, _)| *tensor).collect();
        Some(Solution::Sizes(Sizes::of_all(&gives, move |draw, solved| {
            let sizes = &mut solved.sizes;
            for &(to, is_free) in &to {
                let kept = axis_of(&solved.attributes[axis], sizes[to].len());
                if let (Some(kept), true) = (kept, is_free) {
                    sizes[to][kept] = draw.sizes(1).first().copied().unwrap_or(1);
                }
                for dimension in (0..sizes[to].len().min(sizes[from].len())).filter(|each| Some(*each) != kept) {
                    sizes[to][dimension] = sizes[from][dimension];
                }
            }
        })))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl SizesReduced {
    /// Whether the output always has the dimensions of the input.
    fn are_always_kept(&self) -> bool {
        self.kept_if.is_none() && self.dropped != Some(true)
    }

    /// Whether the reduced dimensions are kept, where an attribute decides it that has this value.
    fn are_kept(&self, value: Option<&AttributeValue>) -> Option<bool> {
        match (&self.kept_if, value) {
            _ if self.dropped == Some(true) => Some(false),
            (None, _) => Some(true),
            (Some(_), Some(AttributeValue::Boolean(kept))) => Some(*kept),
            (Some(_), Some(AttributeValue::Integer(number))) => Some(*number != 0),
            (Some(_), _) => None,
        }
    }
}

/// For each of so many dimensions whether it is reduced.
fn reduced(axes: &[i64], count: usize) -> Vec<bool> {
    let mut reduced = vec![false; count];
    for at in axes.iter().filter_map(|&axis| dimension_of(axis, count)).filter(|&at| at < count) {
        reduced[at] = true;
    }
    reduced
}

impl Kind for SizesReduced {
    fn names(&self) -> Names<'_> {
        let mut names = Names::of([&self.input, &self.output], [(&self.axes, Taken::Numbers)]);
        names.attributes.extend(self.kept_if.as_deref().map(|name| (name, Taken::Truth)));
        names
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { input, output, axes, kept_if, .. } = self;
        let sizes = &subject.tensor(input)?.sizes;
        let reduced = reduced(&subject.numbers(axes)?, sizes.len());
        let found = &subject.tensor(output)?.sizes;
        if self.are_kept(kept_if.as_ref().and_then(|name| subject.attribute(name)))? {
            let expected: Vec<u64> = sizes.iter().zip(&reduced).map(|(&size, is)| if *is { 1 } else { size }).collect();
            // Where they are kept always, that is for a check of the dimension counts to say.
            if found.len() != expected.len() && !self.are_always_kept() {
                return Some(vec![other_count(output, found.len(), expected.len(), "the reduced ones are kept")]);
            }
            return Some(compare_sizes(output, found, &expected, |dimension| {
                Some(if reduced[dimension] {
                    format!("dimension {dimension} is reduced:")
                } else {
                    format!("`{input}.sizes[{dimension}]` is")
                })
            }));
        }
        let left: Vec<usize> = (0..sizes.len()).filter(|&at| !reduced[at]).collect();
        if found.len() != left.len() {
            return Some(vec![other_count(output, found.len(), left.len(), "the reduced ones are dropped")]);
        }
        let expected: Vec<u64> = left.iter().map(|&at| sizes[at]).collect();
        Some(compare_sizes(output, found, &expected, |dimension| {
            Some(format!("`{input}.sizes[{}]` is", left[dimension]))
        }))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let mut edits = of.each_size_up_and_down(&self.output);
        edits.extend(of.swapped(&self.output, None));
        if !self.are_always_kept() {
            edits.extend(of.one_dimension_more_and_less(&self.output));
        }
        edits
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (input, output) = (known.tensor(&self.input)?, known.tensor(&self.output)?);
        let axes = known.attribute(&self.axes)?;
        let kept_if = match &self.kept_if {
            Some(name) => Some(known.attribute(name)?),
            None => None,
        };
        if known.given[output] && !known.given[input] {
            // From an output without its reduced dimensions there is no way back to the input.
            return self.are_always_kept().then(|| {
                Solution::Sizes(Sizes::of(input, move |draw, solved| {
                    let kept = &solved.sizes[output];
                    let reduced = reduced(axes_of(&solved.attributes[axes]), kept.len());
                    let each = kept.iter().zip(draw.sizes(kept.len())).zip(reduced);
                    solved.sizes[input] = each.map(|((&kept, drawn), is)| if is { drawn } else { kept }).collect();
                }))
            });
        }
        let check = self.clone();
        let are_kept = move |solved: &Solved| check.are_kept(kept_if.map(|at| &solved.attributes[at]));
        Some(Solution::Sizes(Sizes::of(output, move |_, solved| {
            let sizes = solved.sizes[input].clone();
            let reduced = reduced(axes_of(&solved.attributes[axes]), sizes.len());
            let each = sizes.into_iter().zip(reduced);
            solved.sizes[output] = if are_kept(solved) == Some(false) {
                each.filter(|(_, is)| !is).map(|(size, _)| size).collect()
            } else {
                each.map(|(size, is)| if is { 1 } else { size }).collect()
            };
        })))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for SizeInserted {
    fn names(&self) -> Names<'_> {
        Names::of([&self.input, &self.output, &self.size], [(&self.axis, Taken::Number)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { input, output, axis, size } = self;
        let depth = element::truncated(subject.descriptor.constant(size)?, subject.tensor(size)?.data_type)?;
        let axis = subject.number(axis)?;
        let (sizes, tensor) = (&subject.tensor(input)?.sizes, subject.tensor(output)?);
        let (found, count) = (tensor.dimension_count(), sizes.len() + 1);
        if found != count {
            let message =
                format!("`{output}` has {}, expected {count}: one more than `{input}`", counted(found, "dimension"));
            return Some(vec![Finding::new(&["tensors", output, "sizes"], message)]);
        }
        let mut expected: Vec<i128> = sizes.iter().map(|&size| size.into()).collect();
        let axis = dimension_of(axis, count).filter(|&axis| axis < count)?;
        expected.insert(axis, depth);
        let pairs = std::iter::zip(&tensor.sizes, &expected).enumerate();
        let wrong = pairs.filter(|(_, (found, expected))| i128::from(**found) != **expected);
        let finding = |(dimension, (found, expected)): (usize, (&u64, &i128))| {
            let reason = if dimension == axis { size } else { input };
            let message =
                format!("`{output}.sizes[{dimension}]` is {found}, expected {expected}: that is what `{reason}` gives");
            Finding::new(&["tensors", output, "sizes", &dimension.to_string()], message)
        };
        Some(wrong.map(finding).collect())
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.each_size_up_and_down(&self.output)
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (input, output) = (known.tensor(&self.input)?, known.tensor(&self.output)?);
        let (axis, size) = (known.attribute(&self.axis)?, known.tensor(&self.size)?);
        Some(Solution::Sizes(if known.given[output] && !known.given[input] {
            let without = Sizes::of(input, move |_, solved| {
                let mut without = solved.sizes[output].clone();
                if let Some(axis) = axis_of(&solved.attributes[axis], without.len()) {
                    solved.constants[size] = Some(without.remove(axis) as i64);
                }
                solved.sizes[input] = without;
            });
            without.counting(move |counts| counts[input] = counts[output].saturating_sub(1))
        } else {
            let with = Sizes::of(output, move |draw, solved| {
                let depth = *solved.constants[size].get_or_insert_with(|| 1 + draw.below(4) as i64);
                let mut with = solved.sizes[input].clone();
                if let Some(axis) = axis_of(&solved.attributes[axis], with.len() + 1) {
                    with.insert(axis, depth.unsigned_abs());
                }
                solved.sizes[output] = with;
            });
            with.counting(move |counts| {
                counts[input] = counts[input].min(MOST_DIMENSIONS - 1);
                counts[output] = counts[input] + 1;
            })
        }))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for AllSizesOne {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        Some(sizes_one(&self.tensor, subject.tensor(&self.tensor)?, 0))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.sizes_of_two(&self.tensor, 0)
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        ones(known, &self.tensor, 0)
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl LeadingSizesOne {
    /// How many of the last sizes are free.
    fn free<'a>(&self, attribute: impl FnOnce(&str) -> Option<&'a AttributeValue>) -> Option<usize> {
        match &self.free {
            Free::Number(number) => usize::try_from(*number).ok(),
            Free::Attribute(name) => free_by(attribute(name)?),
        }
    }
}

/// How many sizes are free by the value of an attribute.
fn free_by(value: &AttributeValue) -> Option<usize> {
    match value {
        AttributeValue::Integer(number) => usize::try_from(*number).ok(),
        _ => None,
    }
}

impl Kind for LeadingSizesOne {
    fn names(&self) -> Names<'_> {
        let mut names = Names::of([&self.tensor], []);
        if let Free::Attribute(name) = &self.free {
            names.attributes.push((name, Taken::Number));
        }
        names
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let free = self.free(|name| subject.attribute(name))?;
        Some(sizes_one(&self.tensor, subject.tensor(&self.tensor)?, free))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        self.free(|name| of.value(name)).map_or_else(Vec::new, |free| of.sizes_of_two(&self.tensor, free))
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        match &self.free {
            Free::Number(number) => ones(known, &self.tensor, usize::try_from(*number).ok()?),
            Free::Attribute(name) => {
                let (tensor, attribute) = (known.tensor(&self.tensor)?, known.attribute(name)?);
                let is_given = known.given[tensor];
                let ones = Sizes::of(tensor, move |draw, solved| {
                    if !is_given {
                        solved.sizes[tensor] = draw.sizes(solved.sizes[tensor].len());
                    }
                    fill_ones(&mut solved.sizes[tensor], free_by(&solved.attributes[attribute]).unwrap_or(0));
                });
                Some(Solution::Sizes(ones.first()))
            }
        }
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let Free::Number(number) = self.free else { return Misreadings::default() };
        let free = Free::Number(number.saturating_add(1));
        let check = Check::LeadingSizesOne(Self { free, ..self.clone() });
        Misreadings::default().looser("loosened", "one size more is free", check)
    }
}

impl Kind for SizesDefined {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [])
    }

    /// What the definition cannot work out is for no descriptor to have.
    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensor, by } = self;
        let found = &subject.tensor(tensor)?.sizes;
        let Subject { operator, definition, descriptor, .. } = subject;
        let has_all = operator.tensors.iter().all(|each| each.may_be_missing || subject.tensor(&each.name).is_some())
            && operator.attributes.iter().all(|each| subject.attribute(&each.name).is_some());
        if !has_all {
            return None;
        }
        Some(match definition.sizes_by_descriptor(by, descriptor) {
            Ok(expected) if found.len() != expected.len() => {
                vec![other_count(tensor, found.len(), expected.len(), &format!("as `{by}` has"))]
            }
            Ok(expected) if self.fits_its_own(operator) => {
                let pairs =
                    std::iter::zip(found, &expected).enumerate().filter(|(_, (found, expected))| found != expected);
                let finding = |(at, (found, expected)): (usize, (&u64, &u64))| {
                    let message = format!("`{tensor}.sizes[{at}]` is {found}, and what fits is {expected} by `{by}`");
                    Finding::new(&["tensors", tensor, "sizes", &at.to_string()], message)
                };
                pairs.map(finding).collect()
            }
            Ok(expected) => compare_sizes(tensor, found, &expected, |_| Some(format!("`{by}` gives"))),
            Err(fault) => vec![Finding::new(&["tensors", tensor, "sizes"], fault.to_string())],
        })
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let role = of.base.operator.tensor(&self.tensor).map(|tensor| tensor.role);
        if role == Some(Role::Input) || self.fits_its_own(&of.base.operator) {
            return of.each_size_that_breaks(&self.tensor);
        }
        let mut edits = of.each_size_up_and_down(&self.tensor);
        edits.extend(of.swapped(&self.tensor, None));
        // Where another check says how many dimensions there are, it is the one that is broken then.
        let mut checks = of.base.operator.all_requirements().filter_map(|requirement| requirement.check.as_ref());
        let supported = of.base.operator.support.iter().flat_map(|row| &row.tensors);
        let mut supported = supported.filter(|(name, ..)| *name == self.tensor);
        let has_one_count = supported.all(|(_, range, _)| range.least == range.greatest);
        let is_counted = |check: &Check| match check {
            Check::SameDimensionCount(same) => same.tensors.contains(&self.tensor),
            Check::TensorSupport => has_one_count,
            _ => false,
        };
        if !checks.any(is_counted) {
            edits.extend(of.one_dimension_more_and_less(&self.tensor));
        }
        edits
    }

    /// As many dimensions as were drawn, where a check asks for a number of them: where the definition gives others, other
    /// attributes may do. An input has some sizes before, of which the definition says what fits; an output of which it says that
    /// has those of the subject, or others, where no other check gives it some before.
    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (tensor, by) = (known.tensor(&self.tensor)?, self.by.clone());
        let fits_given = known.given[tensor] && self.fits_its_own(known.operator);
        let gives = (known.operator.tensors[tensor].role == Role::Output && !fits_given).then_some(tensor);
        let of = gives.filter(|_| self.fits_its_own(known.operator)).and(known.tensor(&known.operator.subject));
        let gives_count = !self.fits_its_own(known.operator) && self.gives_count(known.operator);
        Some(Solution::Sizes(Sizes::if_any(gives, move |draw, solved| {
            if let Some(subject) = of {
                let count = solved.sizes[tensor].len();
                let others = draw.sizes(count);
                let is_like = draw.below(2) == 0 && solved.sizes[subject].len() == count;
                solved.sizes[tensor] = if is_like { solved.sizes[subject].clone() } else { others };
            }
            let Some(sizes) = draw.defined(solved, &by) else { return false };
            let fits = gives_count || sizes.len() == solved.sizes[tensor].len();
            solved.sizes[tensor] = sizes;
            fits
        })))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl SizesDefined {
    /// Whether the definition says what fits of the sizes that the tensor has, and a line of it has a say in that.
    pub(crate) fn fits_by_line(&self, operator: &Operator, line: usize) -> bool {
        self.fits_its_own(operator) && operator.definition.follows_from_line(&self.by, line)
    }

    /// Whether no other check has a say in how many dimensions the tensor has.
    fn gives_count(&self, operator: &Operator) -> bool {
        let mut checks = operator.all_requirements().filter_map(|requirement| requirement.check.as_ref());
        !checks.any(|check| match check {
            Check::SameDimensionCount(same) => same.tensors.contains(&self.tensor),
            Check::DimensionCount(count) => count.tensors.contains(&self.tensor),
            Check::DimensionCountByLevel(_) | Check::TensorSupport => true,
            _ => false,
        })
    }

    /// Whether the definition says what fits of the sizes that the tensor has.
    fn fits_its_own(&self, operator: &Operator) -> bool {
        operator.definition.follows_from_sizes(&self.by, &self.tensor)
    }
}

impl Kind for SizesPositive {
    fn names(&self) -> Names<'_> {
        Names::listed(self.tensors.as_deref().unwrap_or_default())
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let asked = |name: &String| self.tensors.as_ref().is_none_or(|names| names.contains(name));
        let tensors = subject.descriptor.tensors.iter().filter(|entry| asked(&entry.name));
        let empty = tensors.filter_map(|entry| {
            let (name, at) = (&entry.name, entry.tensor.sizes.iter().position(|&size| size == 0)?);
            let message = format!("`{name}.sizes[{at}]` is 0, expected at least 1");
            Some(Finding::new(&["tensors", name, "sizes", &at.to_string()], message))
        });
        Some(empty.collect())
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let names = of.names().filter(|name| self.tensors.as_ref().is_none_or(|tensors| tensors.contains(name)));
        let places = names.flat_map(|name| (0..of.dimensions(&name)).map(move |at| (name.clone(), at)));
        places.flat_map(|(name, at)| of.sizes(&name, at, &[("zero", 0)])).collect()
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, operator: &'c Operator) -> Misreadings<'c> {
        self.tensors.as_ref().map_or_else(|| Misreadings::each_of(operator), Misreadings::each)
    }
}

fn other_count(name: &str, found: usize, expected: usize, reason: &str) -> Finding {
    let found = counted(found, "dimension");
    Finding::new(&["tensors", name, "sizes"], format!("`{name}` has {found}, expected {expected}: {reason}"))
}

impl Kind for SizesAtMost {
    fn names(&self) -> Names<'_> {
        Names::default()
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let most = self.size;
        let too_large = subject.descriptor.tensors.iter().filter_map(|entry| {
            let at = entry.tensor.sizes.iter().position(|&size| size > most)?;
            let (name, size) = (&entry.name, entry.tensor.sizes[at]);
            let message = format!("`{name}.sizes[{at}]` is {size}, expected {most} at most");
            Some(Finding::new(&["tensors", name, "sizes", &at.to_string()], message))
        });
        Some(too_large.collect())
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let places = of.names().flat_map(|name| (0..of.dimensions(&name)).map(move |at| (name.clone(), at)));
        places.flat_map(|(name, at)| of.sizes(&name, at, &[("one_too_large", self.size.saturating_add(1))])).collect()
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let size = self.size.saturating_add(1);
        Misreadings::default().loosened(size, Check::SizesAtMost(Self { size }))
    }
}

/// Compares the sizes that two lists both have; `reason` explains the expected size, or leaves a dimension out.
fn compare_sizes(
    name: &str,
    found: &[u64],
    expected: &[u64],
    reason: impl Fn(usize) -> Option<String>,
) -> Vec<Finding> {
    if found.len() != expected.len() {
        let (found, expected) = (counted(found.len(), "dimension"), expected.len());
        let message = format!("`{name}` has {found}, expected {expected}");
        return vec![Finding::new(&["tensors", name, "sizes"], message)];
    }
    let pairs = std::iter::zip(found, expected).enumerate();
    pairs
        .filter(|(_, (found, expected))| found != expected)
        .filter_map(|(dimension, (found, expected))| {
            let reason = reason(dimension)?;
            let message = format!("`{name}.sizes[{dimension}]` is {found}, expected {expected}: {reason} {expected}");
            Some(Finding::new(&["tensors", name, "sizes", &dimension.to_string()], message))
        })
        .collect()
}

/// The sizes that are not 1, but for the last ones, which are free.
fn sizes_one(name: &str, tensor: &TensorDescriptor, free: usize) -> Vec<Finding> {
    let bound = tensor.sizes.len().saturating_sub(free);
    let larger = tensor.sizes[..bound].iter().enumerate().filter(|(_, size)| **size != 1);
    larger
        .map(|(dimension, size)| {
            let message = format!("`{name}.sizes[{dimension}]` is {size}, expected 1");
            Finding::new(&["tensors", name, "sizes", &dimension.to_string()], message)
        })
        .collect()
}

fn ones(known: &Known<'_>, tensor: &str, free: usize) -> Option<Solution> {
    let tensor = known.tensor(tensor)?;
    let ones = Sizes::of(tensor, move |_, solved| fill_ones(&mut solved.sizes[tensor], free));
    Some(Solution::Sizes(ones.first()))
}

fn fill_ones(sizes: &mut [u64], free: usize) {
    let count = sizes.len().saturating_sub(free);
    sizes[..count].fill(1);
}
