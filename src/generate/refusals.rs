//! Descriptors that are broken on purpose: since a check is data, it can be violated as well as evaluated.

use std::sync::Arc;

use opcert_backend::{AttributeValue, DataType, NamedAttribute, Role, TensorDescriptor};

use super::plain::Plain;
use super::sketch::Sketch;
use super::{Step, Work};
use crate::case::{Case, CaseTensor, Data, Expectation};
use crate::check::refusal;
use crate::element;
use crate::spec::{Check, Level, Requirement};

pub(super) const COMMENT: &str = "Each check of the specification is violated in several ways, on plain \
    cases; each refusal is one edit of a valid case and names all that it breaks.";

type Change = Box<dyn FnOnce(&mut Case) + Send>;

/// A refused case: an edit of a valid one.
pub(super) struct Edit {
    pub(super) name: String,
    title: String,
    twin: String,
    /// The requirement that is broken on purpose; the validator says what else is.
    intended: String,
    level: Option<Level>,
    changes: Vec<Change>,
}

impl Edit {
    pub(super) fn new(name: impl Into<String>, title: impl Into<String>, twin: &str) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            twin: twin.to_owned(),
            intended: String::new(),
            level: None,
            changes: Vec::new(),
        }
    }

    /// The requirement that the edit breaks on purpose, by the last part of its id or more.
    pub(super) fn breaks(mut self, reference: &str) -> Self {
        reference.clone_into(&mut self.intended);
        self
    }

    /// Asks at another level than the twin's.
    pub(super) fn at(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Edits a tensor's descriptor.
    pub(super) fn tensor(self, name: &str, change: impl FnOnce(&mut TensorDescriptor) + Send + 'static) -> Self {
        let name = name.to_owned();
        self.case(move |case| {
            if let Some(tensor) = case.tensors.iter_mut().find(|tensor| tensor.name == name) {
                change(&mut tensor.descriptor);
            }
        })
    }

    fn case(mut self, change: impl FnOnce(&mut Case) + Send + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    fn attribute(self, name: &str, value: AttributeValue) -> Self {
        let name = name.to_owned();
        self.case(move |case| {
            if let Some(attribute) = case.attributes.iter_mut().find(|attribute| attribute.name == name) {
                attribute.value = value;
            }
        })
    }

    /// The refused case, with everything that it breaks and the levels at which it does.
    pub(super) fn complete(self, cases: &[Case]) -> Result<Case, String> {
        let Self { name, title, twin, intended, level, changes } = self;
        let valid = cases.iter().find(|case| case.name == twin && case.twin.is_none());
        let valid = valid.ok_or_else(|| format!("there is no valid case `{twin}`"))?;
        let mut case = valid.clone();
        changes.into_iter().for_each(|change| change(&mut case));
        std::iter::zip(&valid.tensors, &mut case.tensors).for_each(|(before, after)| keep_constant(before, after));
        let operator = Arc::clone(&case.operator);
        let intended = operator.resolve(&intended).ok_or_else(|| format!("`{intended}` is no requirement"))?;
        let intended = operator.original(intended).id.clone();
        let anchor = level.or(case.level).unwrap_or(operator.introduced);
        let found = refusal(&operator, &case.descriptor(anchor), anchor);
        let (broken, interval) = found.ok_or("the edit leaves the descriptor valid")?;
        if !broken.contains(&intended) {
            return Err(format!("meant to break {intended}, and breaks {}", broken.join(", ")));
        }
        let several = operator.family.levels.len() > 1;
        Ok(Case {
            name,
            title: Some(title),
            covers: vec![intended],
            // An interval says more than a level; the level is written where it is the edit.
            level: if level.is_some_and(|level| valid.level.is_some_and(|least| level < least)) {
                level
            } else {
                case.level
            },
            refused_at: several.then_some(interval),
            expectation: Expectation::Refuses(broken),
            invariants: Vec::new(),
            twin: Some(twin),
            ..case
        })
    }
}

/// A constant whose data type was edited keeps its value.
fn keep_constant(before: &CaseTensor, after: &mut CaseTensor) {
    let (old, new) = (before.descriptor.data_type, after.descriptor.data_type);
    if let (Some(Data::Elements(bytes)), true) =
        (&before.data, before.constant && old != new && before.name == after.name)
    {
        let mut elements = Vec::new();
        let parsed = element::parse(&element::render(bytes, old), new, &mut elements);
        after.data = parsed.ok().map(|()| Data::Elements(elements));
    }
}

/// The plain cases of an operator, each followed by its refusals.
pub(super) fn cases(plain: &Plain<'_>) -> Work {
    let mut work = Work::new();
    for sketch in plain.bases() {
        let mut edits: Vec<Edit> = Vec::new();
        if let Ok(base) = sketch.clone().complete() {
            let level = base.level.unwrap_or(plain.operator.introduced);
            let holding = plain.operator.all_requirements().filter(|each| each.gates() && each.holds_at(level));
            for (requirement, check) in holding.filter_map(|each| Some((each, each.check.as_ref()?))) {
                for edit in violations(&base, requirement, check) {
                    // Two requirements may ask the same of a tensor, and one edit then breaks both.
                    if !edits.iter().any(|other| other.name == edit.name) {
                        edits.push(edit);
                    }
                }
            }
        }
        let twin: Sketch = sketch.accepts();
        work.push(Step::Valid(Box::new(twin)));
        work.extend(edits.into_iter().map(Step::Refused));
    }
    work
}

/// The ways to violate a check, starting from a valid case. What cannot be violated in this case is left out.
fn violations(base: &Case, requirement: &Requirement, check: &Check) -> Vec<Edit> {
    let maker = Maker { base, requirement };
    match check {
        // The cells of the support table violate the first two; on the others the documents leave open what holds.
        Check::Introduced
        | Check::TensorSupport
        | Check::Distinct { .. }
        | Check::NotEmpty { .. }
        | Check::OutputStridesNest => Vec::new(),
        Check::AttributePresent { attribute } => vec![maker.without_attribute(attribute)],
        Check::TensorsPresent { tensors } => tensors.iter().map(|name| maker.without_tensor(name)).collect(),
        Check::SameDimensionCount { tensors } => maker.each_tensor(
            tensors,
            &[
                ("with_a_dimension_more", "has a dimension more", |tensor| tensor.sizes.insert(0, 1)),
                ("with_a_dimension_fewer", "has a dimension fewer", |tensor| _ = tensor.sizes.pop()),
            ],
        ),
        Check::SameType { tensors } => maker.other_types(tensors),
        Check::DataTypes { tensors, types } => maker.types_outside(tensors, types),
        Check::DimensionCount { tensors, .. } => {
            let mut edits = maker.each_tensor(
                tensors,
                &[
                    ("of_one_dimension", "has one dimension of size 1", |tensor| tensor.sizes = vec![1]),
                    ("of_two_dimensions", "has two dimensions of size 1", |tensor| tensor.sizes = vec![1, 1]),
                ],
            );
            if tensors.len() > 1 {
                let of = |name: &str| tensors.iter().any(|each| each == name).then(|| vec![1]);
                let sizes = base.tensors.iter();
                let sizes = sizes.map(|each| of(&each.name).unwrap_or_else(|| each.descriptor.sizes.clone())).collect();
                let title = format!("{} have one dimension of size 1 each", tensors.join(", "));
                edits.extend(maker.alone("together_of_one_dimension", title, sizes));
            }
            edits
        }
        Check::AxisInRange { attribute, tensor, inserted, from_end } => {
            let count = maker.dimensions(tensor) as i64 + i64::from(inserted.unwrap_or(false));
            let least = if from_end.unwrap_or(false) { -count } else { 0 };
            maker.numbers(
                attribute,
                &[
                    ("at_the_dimension_count", count),
                    ("beyond_the_dimension_count", count + 1),
                    ("below_the_least", least - 1),
                    ("at_2_to_the_31", 1 << 31),
                    ("at_2_to_the_32_minus_1", (1 << 32) - 1),
                ],
            )
        }
        Check::SizeAtAxis { tensor, axis, size } => {
            let axis = maker.number(axis).unwrap_or(0) as usize;
            maker.sizes(tensor, axis, &[("two", size + 1), ("seven", size + 6)])
        }
        Check::SizesEqualExceptAxis { tensor, other, axis } => {
            let axis = maker.number(axis).unwrap_or(0) as usize;
            let others = (0..maker.dimensions(tensor)).filter(|&at| at != axis);
            let mut edits: Vec<Edit> = others.flat_map(|at| maker.one_up_and_down(tensor, at)).collect();
            edits.extend(maker.swapped(other, Some(axis)));
            edits
        }
        Check::SizesReduced { output, .. } => {
            let every = 0..maker.dimensions(output);
            let mut edits: Vec<Edit> = every.flat_map(|at| maker.one_up_and_down(output, at)).collect();
            edits.extend(maker.swapped(output, None));
            edits
        }
        Check::SizeInserted { output, .. } => {
            (0..maker.dimensions(output)).flat_map(|at| maker.one_up_and_down(output, at)).collect()
        }
        Check::AllSizesOne { tensor } => {
            (0..maker.dimensions(tensor)).flat_map(|at| maker.sizes(tensor, at, &[("two", 2)])).collect()
        }
        Check::LeadingSizesOne { tensor, free } => {
            let bound = maker.dimensions(tensor).saturating_sub(*free as usize);
            (0..bound).flat_map(|at| maker.sizes(tensor, at, &[("two", 2)])).collect()
        }
        Check::ElementCountAtLeast { tensor, .. } => maker.each_tensor(
            std::slice::from_ref(tensor),
            &[("of_one_element", "has one element", |tensor| {
                tensor.sizes.fill(1);
            })],
        ),
        Check::SizeIsElementCount { tensor, dimension, .. } => {
            let at = maker.dimensions(tensor).saturating_sub(*dimension as usize);
            let mut edits = maker.one_up_and_down(tensor, at);
            edits.extend(maker.sizes(tensor, at, &[("one", 1), ("a_thousand", 1000)]));
            edits
        }
        Check::SizeWithinRank { tensor, dimension, of } => {
            let at = maker.dimensions(tensor).saturating_sub(*dimension as usize);
            let sizes = maker.descriptor(of).map(|tensor| tensor.sizes.clone()).unwrap_or_default();
            let rank = sizes.iter().skip_while(|&&size| size == 1).count() as u64;
            let below = if rank > 1 { vec![("below_the_rank", rank - 1)] } else { Vec::new() };
            let mut edits = maker.sizes(tensor, at, &below);
            edits.extend(maker.sizes(tensor, at, &[("above_the_dimension_count", sizes.len() as u64 + 1)]));
            edits
        }
        Check::SizeAtLeast { tensor, dimension, .. } => {
            let at = maker.dimensions(tensor).saturating_sub(*dimension as usize);
            maker.sizes(tensor, at, &[("none", 0)])
        }
        Check::ConstantAtLeast { tensor, value } => {
            maker.constants(tensor, &[("one_below", value - 1), ("negative", -1), ("far_below", i64::from(i32::MIN))])
        }
        Check::SizesPositive { tensors } => {
            let names = maker.names().filter(|name| tensors.as_ref().is_none_or(|tensors| tensors.contains(name)));
            let places = names.flat_map(|name| (0..maker.dimensions(&name)).map(move |at| (name.clone(), at)));
            places.flat_map(|(name, at)| maker.sizes(&name, at, &[("zero", 0)])).collect()
        }
        Check::DimensionCountByLevel { .. } => {
            let mut edits = maker.all_tensors(&[
                ("of_nine_dimensions", "has nine dimensions", |tensor| {
                    let missing = 9usize.saturating_sub(tensor.sizes.len());
                    tensor.sizes.splice(0..0, std::iter::repeat_n(1, missing));
                }),
                ("of_no_dimension", "has no dimension", |tensor| tensor.sizes.clear()),
            ]);
            let mut sizes: Vec<Vec<u64>> = base.tensors.iter().map(|tensor| tensor.descriptor.sizes.clone()).collect();
            sizes.iter_mut().for_each(|sizes| sizes.resize(9.max(sizes.len()), 1));
            edits.extend(maker.alone("all_of_nine_dimensions", "Every tensor has nine dimensions".to_owned(), sizes));
            edits
        }
        Check::ElementCountAtMost { count, .. } => maker.oversized(*count),
        Check::TotalSize => maker.all_tensors(&[
            ("with_4_bytes_fewer", "states four bytes fewer than it takes", |tensor| {
                tensor.total_bytes = Some(implied(tensor) - 4);
            }),
            ("with_1_byte_fewer", "states one byte fewer than it takes, which is no multiple of 4 either", |tensor| {
                tensor.total_bytes = Some(implied(tensor) - 1);
            }),
            ("with_no_bytes", "states no bytes at all", |tensor| tensor.total_bytes = Some(0)),
            ("with_gaps_forgotten", "has gaps between its elements, and states bytes without them", |tensor| {
                if is_one_element(tensor) {
                    return;
                }
                tensor.total_bytes = Some(implied(tensor));
                tensor.strides = Some(packed(tensor).iter().map(|stride| stride * 9).collect());
            }),
        ]),
        Check::Alignment => maker.all_tensors(&[
            ("aligned_to_3", "promises an alignment of 3 bytes", |tensor| tensor.alignment = 3),
            ("aligned_to_24", "promises an alignment of 24 bytes, which is no power of two", |tensor| {
                tensor.alignment = 24;
            }),
            ("aligned_to_half", "promises an alignment below the size of an element", |tensor| {
                tensor.alignment = if tensor.data_type.bytes() == 1 { 5 } else { tensor.data_type.bytes() as u64 / 2 };
            }),
        ]),
        Check::FlagOnInputsOnly { flag } => maker.flagged(flag),
        Check::OutputsDoNotOverlap => maker.overlapping(),
    }
}

fn packed(tensor: &TensorDescriptor) -> Vec<u64> {
    tensor.packed_strides().unwrap_or_default()
}

/// Whether no stride matters.
fn is_one_element(tensor: &TensorDescriptor) -> bool {
    tensor.sizes.iter().all(|&size| size == 1)
}

/// The bytes that a packed tensor takes, in whole groups of four.
fn implied(tensor: &TensorDescriptor) -> u64 {
    tensor.span_bytes().unwrap_or(0).next_multiple_of(4)
}

type TensorChange = (&'static str, &'static str, fn(&mut TensorDescriptor));

/// Makes edits of one case that break one requirement.
struct Maker<'a> {
    base: &'a Case,
    requirement: &'a Requirement,
}

impl Maker<'_> {
    fn edit(&self, what: &str, title: impl Into<String>) -> Edit {
        let name = format!("{}_{what}", self.base.name).to_lowercase();
        Edit::new(name, title, &self.base.name).breaks(&self.requirement.id)
    }

    /// A tensor's name as a part of a case's name.
    fn short(name: &str) -> String {
        name.trim_start_matches("Output").trim_end_matches("Tensor").to_lowercase()
    }

    fn part(name: &str) -> String {
        let short = Self::short(name);
        if short.is_empty() { "output".to_owned() } else { short }
    }

    fn names(&self) -> impl Iterator<Item = String> + use<'_> {
        self.base.tensors.iter().map(|tensor| tensor.name.clone())
    }

    fn descriptor(&self, name: &str) -> Option<&TensorDescriptor> {
        self.base.tensors.iter().find(|tensor| tensor.name == name).map(|tensor| &tensor.descriptor)
    }

    fn dimensions(&self, name: &str) -> usize {
        self.descriptor(name).map_or(0, TensorDescriptor::dimension_count)
    }

    fn value(&self, name: &str) -> Option<&AttributeValue> {
        let found: Option<&NamedAttribute> = self.base.attributes.iter().find(|attribute| attribute.name == name);
        found.map(|attribute| &attribute.value)
    }

    fn number(&self, name: &str) -> Option<i64> {
        match self.value(name)? {
            AttributeValue::Integer(number) => Some(*number),
            _ => None,
        }
    }

    fn list(&self, name: &str) -> Vec<i64> {
        match self.value(name) {
            Some(AttributeValue::Integers(numbers)) => numbers.clone(),
            _ => Vec::new(),
        }
    }

    fn without_attribute(&self, name: &str) -> Edit {
        let gone = name.to_owned();
        let edit = self.edit(&format!("without_{name}"), format!("{name} is left out"));
        edit.case(move |case| case.attributes.retain(|attribute| attribute.name != gone))
    }

    fn without_tensor(&self, name: &str) -> Edit {
        let gone = name.to_owned();
        let edit = self.edit(&format!("without_{}", Self::part(name)), format!("{name} is left out"));
        edit.case(move |case| case.tensors.retain(|tensor| tensor.name != gone))
    }

    /// The changes to each of the tensors, where they change anything.
    fn each_tensor(&self, names: &[String], changes: &[TensorChange]) -> Vec<Edit> {
        let mut edits = Vec::new();
        for name in names {
            let Some(before) = self.descriptor(name) else { continue };
            for &(what, title, change) in changes {
                let mut after = before.clone();
                change(&mut after);
                if after == *before {
                    continue;
                }
                let edit = self.edit(&format!("{}_{what}", Self::part(name)), format!("{name} {title}"));
                edits.push(edit.tensor(name, change));
            }
        }
        edits
    }

    fn all_tensors(&self, changes: &[TensorChange]) -> Vec<Edit> {
        self.each_tensor(&self.names().collect::<Vec<_>>(), changes)
    }

    /// A size of a tensor set to each of these values.
    fn sizes(&self, name: &str, at: usize, sizes: &[(&str, u64)]) -> Vec<Edit> {
        let Some(before) = self.descriptor(name).and_then(|tensor| tensor.sizes.get(at)) else { return Vec::new() };
        let other = sizes.iter().filter(|(_, size)| size != before);
        other
            .map(|&(what, size)| {
                let title = format!("Size {at} of {name} is {size} instead of {before}");
                let edit = self.edit(&format!("{}_{at}_{what}", Self::part(name)), title);
                edit.tensor(name, move |tensor| tensor.sizes[at] = size)
            })
            .collect()
    }

    /// Two neighbouring unequal sizes exchanged, so that their product stays; those beside an axis.
    fn swapped(&self, name: &str, axis: Option<usize>) -> Option<Edit> {
        let sizes = &self.descriptor(name)?.sizes;
        let others: Vec<usize> = (0..sizes.len()).filter(|&at| Some(at) != axis).collect();
        let (&one, &other) = others.windows(2).find_map(|pair| match pair {
            [one, other] if sizes[*one] != sizes[*other] => Some((one, other)),
            _ => None,
        })?;
        let title = format!("Sizes {one} and {other} of {name} are exchanged");
        let edit = self.edit(&format!("{}_{one}_and_{other}_exchanged", Self::part(name)), title);
        Some(edit.tensor(name, move |tensor| tensor.sizes.swap(one, other)))
    }

    fn one_up_and_down(&self, name: &str, at: usize) -> Vec<Edit> {
        let size = self.descriptor(name).and_then(|tensor| tensor.sizes.get(at)).copied().unwrap_or(0);
        let mut sizes = vec![("larger", size + 1)];
        if size > 1 {
            sizes.push(("smaller", size - 1));
        }
        self.sizes(name, at, &sizes)
    }

    /// A number, or the first and the last number of a list, set to each of these values.
    fn numbers(&self, name: &str, values: &[(&str, i64)]) -> Vec<Edit> {
        let list = self.list(name);
        let mut places: Vec<usize> = (0..list.len()).collect();
        if places.len() > 2 {
            places = vec![0, list.len() - 1];
        }
        let mut edits = Vec::new();
        for (what, value) in values {
            if self.number(name).is_some() {
                let edit = self.edit(&format!("{name}_{what}"), format!("{name} is {value}"));
                edits.push(edit.attribute(name, AttributeValue::Integer(*value)));
            }
            for &place in &places {
                let mut list = list.clone();
                list[place] = *value;
                let edit = self.edit(&format!("{name}_{place}_{what}"), format!("Number {place} of {name} is {value}"));
                edits.push(edit.attribute(name, AttributeValue::Integers(list)));
            }
        }
        edits
    }

    /// Each tensor with a type that another of the tensors does not have, of another width and of the same.
    fn other_types(&self, names: &[String]) -> Vec<Edit> {
        let mut edits = Vec::new();
        for name in names {
            let Some(before) = self.descriptor(name).map(|tensor| tensor.data_type) else { continue };
            let level = self.base.level.unwrap_or(self.base.operator.introduced);
            let row = self.base.operator.support_at(level);
            let supported = row.and_then(|row| row.tensors.iter().find(|(tensor, ..)| tensor == name));
            let known: Vec<DataType> = match supported {
                Some((.., types)) => types.clone(),
                None => self.base.operator.family.types.iter().map(|(_, data_type)| *data_type).collect(),
            };
            for data_type in known.into_iter().filter(|&data_type| data_type != before) {
                let spelling = self.base.operator.family.spelling(data_type).to_owned();
                let edit =
                    self.edit(&format!("{}_of_{spelling}", Self::part(name)), format!("{name} alone is {spelling}"));
                edits.push(edit.tensor(name, move |tensor| tensor.data_type = data_type));
            }
        }
        edits
    }

    fn types_outside(&self, names: &[String], types: &[String]) -> Vec<Edit> {
        let others = self.base.operator.family.types.iter().filter(|(spelling, _)| !types.contains(spelling));
        let pairs = others.flat_map(|(spelling, data_type)| names.iter().map(move |name| (name, spelling, *data_type)));
        pairs
            .map(|(name, spelling, data_type)| {
                let edit = self.edit(&format!("{}_of_{spelling}", Self::part(name)), format!("{name} is {spelling}"));
                edit.tensor(name, move |tensor| tensor.data_type = data_type)
            })
            .collect()
    }

    /// A constant tensor with each of these values.
    fn constants(&self, name: &str, values: &[(&str, i64)]) -> Vec<Edit> {
        let width = self.descriptor(name).map_or(8, |tensor| tensor.data_type.bytes());
        values
            .iter()
            .map(|&(what, value)| {
                let edit = self.edit(&format!("{}_{what}", Self::part(name)), format!("{name} is {value}"));
                let name = name.to_owned();
                edit.case(move |case| {
                    if let Some(tensor) = case.tensors.iter_mut().find(|tensor| tensor.name == name) {
                        tensor.data = Some(Data::Elements(value.to_le_bytes()[..width].to_vec()));
                    }
                })
            })
            .collect()
    }

    /// All sizes but one stay, and that one makes the elements one too many; or far too many for 64 bits.
    fn oversized(&self, most: u64) -> Vec<Edit> {
        let mut edits = Vec::new();
        for name in self.names() {
            let Some(tensor) = self.descriptor(&name).filter(|tensor| tensor.dimension_count() > 1) else { continue };
            let last = tensor.dimension_count() - 1;
            for (what, first, size) in
                [("one_element_too_many", 1 << 16, (most >> 16) + 1), ("2_to_the_64_elements", 1 << 32, 1 << 32)]
            {
                let title = format!("{name} has {first} times {size} elements");
                let what = format!("{}_of_{what}", Self::part(&name));
                let mut sizes = vec![1; last + 1];
                (sizes[0], sizes[last]) = (first, size);
                // The others follow where they had the same size.
                let follow = |other: &CaseTensor| {
                    let old = &other.descriptor.sizes;
                    let is_followed = |at: usize| old.len() == sizes.len() && old[at] == tensor.sizes[at];
                    (0..old.len()).map(|at| if is_followed(at) { sizes[at] } else { old[at] }).collect()
                };
                let all = self.base.tensors.iter().map(follow).collect();
                let edit = self.edit(&what, title.clone()).tensor(&name, |tensor| tensor.sizes = sizes);
                edits.push(edit);
                edits.extend(self.alone(
                    &format!("{what}_with_the_others"),
                    format!("{title}, and the others fit"),
                    all,
                ));
            }
        }
        edits
    }

    /// Other sizes of all tensors, which break nothing but the requirement; nothing where they break more.
    fn alone(&self, what: &str, title: String, sizes: Vec<Vec<u64>>) -> Option<Edit> {
        let change = move |case: &mut Case| {
            std::iter::zip(&mut case.tensors, sizes).for_each(|(tensor, sizes)| tensor.descriptor.sizes = sizes);
        };
        let mut changed = self.base.clone();
        change.clone()(&mut changed);
        let operator = &self.base.operator;
        let level = self.base.level.unwrap_or(operator.introduced);
        let (broken, _) = refusal(operator, &changed.descriptor(level), level)?;
        (broken == [operator.original(self.requirement).id.clone()]).then(|| self.edit(what, title).case(change))
    }

    fn flagged(&self, flag: &str) -> Vec<Edit> {
        let outputs = self.base.tensors.iter().filter(|tensor| tensor.role == Role::Output);
        outputs
            .map(|tensor| {
                let edit = self.edit(
                    &format!("{}_flagged", Self::part(&tensor.name)),
                    format!("The output {} has the flag {flag}", tensor.name),
                );
                let flag = flag.to_owned();
                edit.tensor(&tensor.name, move |tensor| tensor.flags.push(flag))
            })
            .collect()
    }

    /// Outputs whose strides make two elements one, or come one short of keeping them apart.
    fn overlapping(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for tensor in self.base.tensors.iter().filter(|tensor| tensor.role == Role::Output) {
            let sizes = &tensor.descriptor.sizes;
            let wide: Vec<usize> = (0..sizes.len()).filter(|&at| sizes[at] > 1).collect();
            let name = &tensor.name;
            let mut add = |what: String, title: String, strides: Vec<u64>| {
                let edit = self.edit(&format!("{}_{what}", Self::part(name)), title);
                edits.push(edit.tensor(name, move |tensor| tensor.strides = Some(strides)));
            };
            for &at in &wide {
                let mut strides = packed(&tensor.descriptor);
                strides[at] = 0;
                add(format!("repeated_along_{at}"), format!("{name} has the stride 0 along dimension {at}"), strides);
            }
            if let [.., outer, middle, inner] = wide[..] {
                let mut strides = packed(&tensor.descriptor);
                strides[outer] = strides[middle] * (sizes[middle] - 1) + strides[inner];
                let title = format!("{name} has strides that pass over the next shorter one, and not over both");
                add("within_two_dimensions".to_owned(), title, strides);
            }
            if let [.., outer, inner] = wide[..] {
                let mut strides = packed(&tensor.descriptor);
                strides[outer] = strides[inner] * (sizes[inner] - 1);
                add(
                    "one_element_short".to_owned(),
                    format!("{name} has rows that begin one element too early"),
                    strides,
                );
                let mut strides = packed(&tensor.descriptor);
                strides[outer] = strides[inner];
                add("with_one_stride_twice".to_owned(), format!("{name} has one stride for two dimensions"), strides);
            }
        }
        edits
    }
}
