//! The ways to edit one valid case so that it breaks one requirement.

use opcert_backend::{AttributeValue, DataType, Role, TensorDescriptor};

use super::edit::Edit;
use crate::case::{Case, Data};
use crate::element;
use crate::spec::{Attribute, AttributeValues, Requirement};

fn packed(tensor: &TensorDescriptor) -> Vec<u64> {
    tensor.packed_strides().unwrap_or_default()
}

pub(crate) type TensorChange = (&'static str, &'static str, fn(&mut TensorDescriptor));

/// Makes edits of one case that violate one requirement.
pub(crate) struct Violations<'a> {
    pub(crate) base: &'a Case,
    pub(crate) requirement: &'a Requirement,
    /// The requirements that a case breaks.
    pub(crate) broken: &'a dyn Fn(&Case) -> Vec<String>,
}

impl Violations<'_> {
    fn edit(&self, what: &str, title: impl Into<String>) -> Edit {
        let name = format!("{}_{what}", self.base.name).to_lowercase();
        Edit::new(name, title, &self.base.name).breaks(&self.requirement.id)
    }

    /// A tensor's name as a part of a case's name.
    fn short(name: &str) -> String {
        crate::render::short(name.trim_start_matches("Output"))
    }

    fn part(name: &str) -> String {
        let short = Self::short(name);
        if short.is_empty() || short.starts_with('_') { format!("output{short}") } else { short }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = String> + use<'_> {
        self.base.tensors.iter().map(|tensor| tensor.name.clone())
    }

    pub(crate) fn descriptor(&self, name: &str) -> Option<&TensorDescriptor> {
        self.base.tensors.iter().find(|tensor| tensor.name == name).map(|tensor| &tensor.descriptor)
    }

    pub(crate) fn dimensions(&self, name: &str) -> usize {
        self.descriptor(name).map_or(0, TensorDescriptor::dimension_count)
    }

    pub(crate) fn value(&self, name: &str) -> Option<&AttributeValue> {
        self.base.attribute(name).or_else(|| self.base.operator.attribute(name)?.default.as_ref())
    }

    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        match self.value(name)? {
            AttributeValue::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether the values of an attribute are texts, of which a case may have any.
    pub(crate) fn is_text(&self, name: &str) -> bool {
        let attribute = self.base.operator.attribute(name);
        attribute.is_some_and(|attribute| matches!(attribute.values, AttributeValues::Texts(_)))
    }

    /// The values of an attribute that is one of some by its type.
    pub(crate) fn listed(&self, name: &str) -> Vec<AttributeValue> {
        self.base.operator.attribute(name).map_or_else(Vec::new, |attribute| attribute.values.choices())
    }

    /// Whether the values of an attribute are numbers in floating point.
    pub(crate) fn is_float(&self, name: &str) -> bool {
        let attribute = self.base.operator.attribute(name);
        attribute.is_some_and(|attribute| attribute.values == AttributeValues::Floats)
    }

    /// An attribute set to each of these values.
    pub(crate) fn values(&self, name: &str, values: Vec<(String, AttributeValue)>) -> Vec<Edit> {
        let other = values.into_iter().filter(|(_, value)| self.value(name) != Some(value));
        other
            .map(|(what, value)| {
                let title = format!("{name} is {}", crate::render::attribute_value(&value));
                self.edit(&format!("{name}_{what}"), title).attribute(name, value)
            })
            .collect()
    }

    fn list(&self, name: &str) -> Vec<i64> {
        match self.value(name) {
            Some(AttributeValue::Integers(numbers)) => numbers.clone(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn without_attribute(&self, name: &str) -> Edit {
        let gone = name.to_owned();
        let edit = self.edit(&format!("without_{name}"), format!("{name} is left out"));
        edit.case(move |case| case.attributes.retain(|attribute| attribute.name != gone))
    }

    /// An attribute that is left out with each of its values.
    pub(crate) fn with_attribute(&self, name: &str) -> Vec<Edit> {
        let Some(attribute) = self.base.operator.attribute(name).filter(|_| self.base.attribute(name).is_none()) else {
            return Vec::new();
        };
        let values = match self.base.operator.choices(attribute, self.base.operator.family.highest()) {
            choices if choices.is_empty() => attribute.values.examples().into_iter().take(2).collect(),
            choices => choices,
        };
        let each = values.into_iter().map(|value| {
            let said = crate::render::attribute_value(&value).to_lowercase();
            let what = format!("with_{name}_{said}").replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
            self.edit(&what, format!("{name} is given, as {said}")).attribute(name, value)
        });
        each.collect()
    }

    pub(crate) fn without_tensor(&self, name: &str) -> Edit {
        let gone = self.base.operator.left_out_with(name);
        let edit = self.edit(&format!("without_{}", Self::part(name)), format!("{name} is left out"));
        edit.case(move |case| case.tensors.retain(|tensor| !gone.contains(&tensor.name)))
    }

    /// The changes to each of the tensors, where they change anything.
    pub(crate) fn each_tensor(&self, names: &[String], changes: &[TensorChange]) -> Vec<Edit> {
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

    pub(crate) fn all_tensors(&self, changes: &[TensorChange]) -> Vec<Edit> {
        self.each_tensor(&self.names().collect::<Vec<_>>(), changes)
    }

    /// A size of a tensor set to each of these values.
    pub(crate) fn sizes(&self, name: &str, at: usize, sizes: &[(&str, u64)]) -> Vec<Edit> {
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

    /// Each size of a tensor but the last ones set to 2.
    pub(crate) fn sizes_of_two(&self, name: &str, but: usize) -> Vec<Edit> {
        let bound = self.dimensions(name).saturating_sub(but);
        (0..bound).flat_map(|at| self.sizes(name, at, &[("two", 2)])).collect()
    }

    /// Each size of a tensor by one too large and too small.
    pub(crate) fn each_size_up_and_down(&self, name: &str) -> Vec<Edit> {
        (0..self.dimensions(name)).flat_map(|at| self.one_up_and_down(name, at)).collect()
    }

    /// The same where the requirement is broken then: other sizes may do as well.
    pub(crate) fn each_size_that_breaks(&self, name: &str) -> Vec<Edit> {
        let is_broken = |at: usize, size: u64| {
            let mut changed = self.base.clone();
            let tensor = changed.tensors.iter_mut().find(|tensor| tensor.name == name);
            tensor.into_iter().for_each(|tensor| tensor.descriptor.sizes[at] = size);
            (self.broken)(&changed).contains(&self.base.operator.original(self.requirement).id)
        };
        let edits = (0..self.dimensions(name)).flat_map(|at| {
            let mut sizes = self.up_and_down(name, at);
            sizes.retain(|&(_, size)| is_broken(at, size));
            self.sizes(name, at, &sizes)
        });
        edits.collect()
    }

    /// Two neighbouring unequal sizes exchanged, so that their product stays; those beside an axis.
    pub(crate) fn swapped(&self, name: &str, axis: Option<usize>) -> Option<Edit> {
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

    pub(crate) fn one_up_and_down(&self, name: &str, at: usize) -> Vec<Edit> {
        self.sizes(name, at, &self.up_and_down(name, at))
    }

    fn up_and_down(&self, name: &str, at: usize) -> Vec<(&'static str, u64)> {
        let size = self.descriptor(name).and_then(|tensor| tensor.sizes.get(at)).copied().unwrap_or(0);
        let mut sizes = vec![("larger", size + 1)];
        if size > 1 {
            sizes.push(("smaller", size - 1));
        }
        sizes
    }

    /// A tensor with a dimension of size 1 more in front or behind, and with its last one less.
    pub(crate) fn one_dimension_more_and_less(&self, name: &str) -> Vec<Edit> {
        let changes: [TensorChange; 3] = [
            ("one_dimension_more_in_front", "has a dimension of size 1 more in front", |tensor| {
                tensor.sizes.insert(0, 1);
            }),
            ("one_dimension_more_behind", "has a dimension of size 1 more behind", |tensor| tensor.sizes.push(1)),
            ("one_dimension_less", "has its last dimension less", |tensor| _ = tensor.sizes.pop()),
        ];
        self.each_tensor(&[name.to_owned()], &changes)
    }

    /// A list with its last number once more, and without it.
    pub(crate) fn one_number_more_and_less(&self, name: &str) -> Vec<Edit> {
        let list = self.list(name);
        let Some((&last, fewer)) = list.split_last() else { return Vec::new() };
        let others = [
            ("one_number_more", "has its last number once more", [&list[..], &[last]].concat()),
            ("one_number_less", "lacks its last number", fewer.to_vec()),
        ];
        let edits = others.map(|(what, title, numbers)| {
            let edit = self.edit(&format!("{name}_{what}"), format!("{name} {title}"));
            // Its length, where it is stated.
            let counts = |attribute: &&Attribute| attribute.length_of.as_deref() == Some(name);
            let length = self.base.operator.attributes.iter().find(counts).map(|attribute| attribute.name.as_str());
            let length = length.filter(|length| self.base.attribute(length).is_some());
            let length = length.map(|length| (length, AttributeValue::Integer(numbers.len() as i64)));
            let edit = edit.attribute(name, AttributeValue::Integers(numbers));
            length.into_iter().fold(edit, |edit, (length, value)| edit.attribute(length, value))
        });
        edits.into()
    }

    /// A number, or the first and the last number of a list, set to each of these values.
    pub(crate) fn numbers(&self, name: &str, values: &[(&str, i64)]) -> Vec<Edit> {
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
    pub(crate) fn other_types(&self, names: &[String]) -> Vec<Edit> {
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

    pub(crate) fn types_outside(&self, names: &[String], types: &[String]) -> Vec<Edit> {
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
    pub(crate) fn constants(&self, name: &str, values: &[(&str, i64)]) -> Vec<Edit> {
        let data_type = self.descriptor(name).map_or(DataType::I64, |tensor| tensor.data_type);
        values
            .iter()
            .map(|&(what, value)| {
                let edit = self.edit(&format!("{}_{what}", Self::part(name)), format!("{name} is {value}"));
                let name = name.to_owned();
                edit.case(move |case| {
                    if let Some(tensor) = case.tensors.iter_mut().find(|tensor| tensor.name == name) {
                        let bytes = element::from_integer(value, data_type).to_le_bytes();
                        tensor.data = Some(Data::Elements(bytes[..data_type.bytes()].to_vec()));
                    }
                })
            })
            .collect()
    }

    /// All sizes but one stay, and that one makes the elements one too many; or far too many for 64 bits.
    pub(crate) fn oversized(&self, most: u64) -> Vec<Edit> {
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
                let follow = |_: &str, old: &[u64]| {
                    let is_followed = |at: usize| old.len() == sizes.len() && old[at] == tensor.sizes[at];
                    (0..old.len()).map(|at| if is_followed(at) { sizes[at] } else { old[at] }).collect()
                };
                let fitting = format!("{title}, and the others fit");
                let together = self.alone(&format!("{what}_with_the_others"), fitting, follow);
                edits.push(self.edit(&what, title).tensor(&name, |tensor| tensor.sizes = sizes));
                edits.extend(together);
            }
        }
        edits
    }

    /// Other sizes of all tensors, which break nothing but the requirement; nothing where they break more.
    pub(crate) fn alone(&self, what: &str, title: String, sizes: impl Fn(&str, &[u64]) -> Vec<u64>) -> Option<Edit> {
        let sizes: Vec<Vec<u64>> =
            self.base.tensors.iter().map(|tensor| sizes(&tensor.name, &tensor.descriptor.sizes)).collect();
        let change = move |case: &mut Case| {
            std::iter::zip(&mut case.tensors, sizes).for_each(|(tensor, sizes)| tensor.descriptor.sizes = sizes);
        };
        let mut changed = self.base.clone();
        change.clone()(&mut changed);
        let broken = (self.broken)(&changed);
        let intended = &self.base.operator.original(self.requirement).id;
        (broken == [intended.clone()]).then(|| self.edit(what, title).case(change))
    }

    pub(crate) fn flagged(&self, flag: &str) -> Vec<Edit> {
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
    pub(crate) fn overlapping(&self) -> Vec<Edit> {
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
