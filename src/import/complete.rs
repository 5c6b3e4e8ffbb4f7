//! From a foreign test to a case that says of itself what the validator and the operator's definition say of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use opcert_backend::foreign::is_unseen;
use opcert_backend::{AttributeValue, DataType, NamedAttribute, Role, Scalar};

use super::{Foreign, ForeignTensor, MOST_DIMENSIONS, MOST_ELEMENTS};
use crate::case::{Case, CaseTensor, Data, Elements, Expectation, ExpectedTensor};
use crate::check::{CheckedCase, breakpoints, covered, least_level, refusal, violations};
use crate::element;
use crate::expected::{Expected, NothingExpected, as_expected, expected_of};
use crate::layout::coordinates;
use crate::render;
use crate::spec::{Attribute, AttributeValues, Level, Operator, Specs, Tensor};

/// The name of the file of imported cases, without its ending.
pub const FILE: &str = "imported";

/// A case, and how what was expected of it where it comes from compares.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The case.
    pub case: Case,
    /// Where the file expects something else than follows from the specification.
    pub disagreements: Vec<Disagreement>,
    /// Whether the file expects anything with which what follows could be compared.
    pub compared: bool,
    /// What the file expects of outputs, by their names.
    stated: Vec<(String, Vec<u8>)>,
}

/// An output of which a file expects something else than follows from the specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{tensor}` at {place:?} is {stated} in the file, and follows from the specification as {defined}")]
pub struct Disagreement {
    /// The output.
    pub tensor: String,
    /// The coordinates of the first element that differs.
    pub place: Vec<u64>,
    /// What the file expects there.
    pub stated: String,
    /// What follows from the specification.
    pub defined: String,
}

/// Why a test is no case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotImported {
    /// The operator is not specified.
    #[error("`{0}` is not specified here")]
    Operator(String),
    /// The operator has no such tensor or attribute.
    #[error("`{operator}` has no {kind} `{name}`")]
    Part {
        /// The operator.
        operator: String,
        /// `tensor` or `attribute`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// An attribute has a value that is none of its own.
    #[error("the attribute `{attribute}` of `{operator}` is {value}, expected {expected}")]
    Value {
        /// The operator.
        operator: String,
        /// The attribute.
        attribute: String,
        /// Its value.
        value: String,
        /// What its values are.
        expected: String,
    },
    /// The test lacks a tensor or an attribute that the operator cannot do without.
    #[error("the {kind} `{name}` of `{operator}` is missing")]
    Missing {
        /// The operator.
        operator: String,
        /// `tensor` or `attribute`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// Some inputs have data and others do not.
    #[error("the input `{0}` has no data, and others have")]
    Data(String),
    /// The data of a tensor does not fit its sizes.
    #[error("`{tensor}` has {found} bytes of data, and its type and sizes say {expected}")]
    Length {
        /// The tensor.
        tensor: String,
        /// How many bytes there should be.
        expected: u64,
        /// How many there are.
        found: usize,
    },
    /// A tensor has more dimensions than are written as lists in each other.
    #[error("`{tensor}` has {count} dimensions, expected {MOST_DIMENSIONS} at most")]
    Dimensions {
        /// The tensor.
        tensor: String,
        /// How many it has.
        count: usize,
    },
    /// A test is meant for a level at which no case can ask for it.
    #[error("it is meant for {meant}, and a case of it can be asked for from {least} on")]
    Level {
        /// The name of the level that it is meant for.
        meant: String,
        /// The name of the first level.
        least: String,
    },
    /// A tensor is too large.
    #[error("`{tensor}` has the sizes {sizes:?}, expected {MOST_ELEMENTS} elements at most")]
    Size {
        /// The tensor.
        tensor: String,
        /// Its sizes.
        sizes: Vec<u64>,
    },
    /// A scalar is no element of the data type that it is said to have.
    #[error("`{attribute}` of `{operator}` is {value}, which is no {expected}")]
    Scalar {
        /// The operator.
        operator: String,
        /// The attribute.
        attribute: String,
        /// What it is.
        value: String,
        /// The data type.
        expected: String,
    },
    /// The definition has no answer.
    #[error(transparent)]
    Nothing(#[from] NothingExpected),
    /// The file has values for what is refused.
    #[error("the file has values of `{output}`, and `{operator}` is refused at {level}: {broken}")]
    Refused {
        /// The operator.
        operator: String,
        /// The name of the level.
        level: String,
        /// The output.
        output: String,
        /// What is broken, with the requirements.
        broken: String,
    },
    /// The validator has something against the case.
    #[error("{0}")]
    Invalid(String),
}

impl NotImported {
    /// An attribute has a value that is none of these. What is longer than anything that a person reads is cut.
    fn value(operator: String, given: &NamedAttribute, values: &AttributeValues) -> Self {
        let value = said(&given.value);
        let expected = match (values, &given.value) {
            (AttributeValues::Enumerators(known), _) => format!("one of {}", known.join(", ")),
            (AttributeValues::Integer, AttributeValue::Scalar(_)) => "a whole number of 32 bits".to_owned(),
            (AttributeValues::Floats, AttributeValue::Scalar(_)) => "a number of 32 bits".to_owned(),
            (other, _) => other.to_string(),
        };
        Self::Value { operator, attribute: given.name.clone(), value: super::cut(value), expected }
    }
}

impl Foreign {
    /// The case that the test comes to.
    ///
    /// A valid descriptor with data expects what the definition says, one without data to be accepted, and an invalid one
    /// to be refused for what the validator finds, unless the file has values for it. Where the documents leave something
    /// open, the case is observed, and nothing that the file has is compared.
    ///
    /// # Errors
    ///
    /// When the specification knows nothing of what the test has, or has no answer.
    pub fn complete(mut self, specs: &Specs) -> Result<Imported, NotImported> {
        let operator = Arc::clone(self.operator(specs)?);
        let operator = &operator;
        let mut case = self.case(operator)?;
        let meant = self.level.unwrap_or_else(|| operator.family.highest());
        let descriptor = case.descriptor(meant);
        if let Some((requirements, interval)) = refusal(operator, &descriptor, meant) {
            // Those of inputs are the case's now.
            if let Some(output) = self.tensors.iter().find(|tensor| tensor.elements.is_some()) {
                let broken = violations(operator, &descriptor, meant).into_iter().filter(|each| each.gates);
                let broken = broken.map(|each| format!("{} [{}]", each.message, each.requirement));
                return Err(NotImported::Refused {
                    operator: operator.id.clone(),
                    level: operator.family.level_name(meant).to_owned(),
                    output: output.name.clone(),
                    broken: broken.collect::<Vec<_>>().join("; "),
                });
            }
            case.tensors.iter_mut().filter(|tensor| !tensor.constant).for_each(|tensor| tensor.data = None);
            case.expectation = Expectation::Refuses(requirements);
            case.refused_at = Some(interval);
            return checked(Imported::uncompared(case));
        }
        if violations(operator, &descriptor, meant).iter().any(|each| !each.gates) {
            case.expectation = Expectation::Observe;
            case.level = Some(meant);
            add_covered(&mut case)?;
            set_open_level(&mut case, self.level)?;
            return checked(Imported::uncompared(case));
        }
        let inputs = || case.tensors.iter().filter(|tensor| tensor.role == Role::Input && !tensor.constant);
        if inputs().all(|tensor| tensor.data.is_none()) {
            with_covered(&mut case, self.level)?;
            return checked(Imported::uncompared(case));
        }
        if let Some(tensor) = inputs().find(|tensor| tensor.data.is_none()) {
            return Err(NotImported::Data(tensor.name.clone()));
        }
        let large = |tensor: &&CaseTensor| tensor.descriptor.element_count().is_none_or(|count| count > MOST_ELEMENTS);
        if let Some(CaseTensor { name, descriptor, .. }) = case.tensors.iter().find(large) {
            return Err(NotImported::Size { tensor: name.clone(), sizes: descriptor.sizes.clone() });
        }
        case.expectation = Expectation::Values(Vec::new());
        let level = with_covered(&mut case, self.level)?;
        let defined = match expected_of(&case, level)? {
            Expected::Values(values) => values,
            Expected::Open { questions, invariants } => {
                (case.covers, case.invariants) = (questions, invariants);
                case.expectation = Expectation::Observe;
                set_open_level(&mut case, self.level)?;
                return checked(Imported::uncompared(case));
            }
        };
        let compared = self.tensors.iter().filter_map(|tensor| {
            let (_, defined) = defined.iter().find(|(name, _)| *name == tensor.name)?;
            Some((tensor, tensor.elements.as_ref()?, defined))
        });
        let disagreements: Vec<Disagreement> =
            compared.clone().filter_map(|(tensor, stated, defined)| disagreement(tensor, stated, defined)).collect();
        let compared = compared.count() > 0;
        case.expectation = Expectation::Values(as_expected(defined, &case).map_err(NotImported::Invalid)?);
        let stated = self.tensors.into_iter().filter_map(|tensor| Some((tensor.name, tensor.elements?))).collect();
        checked(Imported { case, disagreements, compared, stated })
    }

    /// The operator by its id or title. What the documents call one may be several here, one for each enumerator of an
    /// attribute.
    fn operator<'a>(&self, specs: &'a Specs) -> Result<&'a Arc<Operator>, NotImported> {
        let named = |operator: &&Arc<Operator>| [&operator.id, &operator.title].contains(&&self.operator);
        let named: Vec<&Arc<Operator>> = specs.operators.iter().filter(named).collect();
        match named.as_slice() {
            [] => Err(NotImported::Operator(self.operator.clone())),
            [only] => Ok(only),
            several => several.iter().find(|operator| self.names_one_of(operator)).copied().ok_or_else(|| {
                let first = several.iter().flat_map(|operator| enumerated(operator)).next();
                let attribute = first.map(|(name, _)| name).unwrap_or_default();
                let all =
                    several.iter().flat_map(|operator| enumerated(operator)).filter(|(name, _)| *name == attribute);
                let known: Vec<String> = all.flat_map(|(_, known)| known).cloned().collect();
                let (operator, kind) = (self.operator.clone(), "attribute");
                match self.attributes.iter().find(|given| given.name == attribute) {
                    None => NotImported::Missing { operator, kind, name: attribute.to_owned() },
                    Some(given) => NotImported::value(operator, given, &AttributeValues::Enumerators(known)),
                }
            }),
        }
    }

    /// Whether each enumerator of an operator's attributes that has to be there is one that it knows.
    fn names_one_of(&self, operator: &Operator) -> bool {
        enumerated(operator).all(|(name, known)| match self.attributes.iter().find(|given| given.name == name) {
            Some(NamedAttribute { value: AttributeValue::Enumerator(word), .. }) => {
                in_full(name, word, known).is_some()
            }
            Some(_) => false,
            None => operator.attribute(name).is_some_and(|attribute| attribute.may_be_missing),
        })
    }

    /// Gives enumerators their names in full. No value may be of another kind than its attribute's.
    fn settle_values(&mut self, operator: &Operator) -> Result<(), NotImported> {
        for given in &mut self.attributes {
            let Some(Attribute { values, is_signed, .. }) = operator.attribute(&given.name) else { continue };
            if let (AttributeValue::Enumerator(word), AttributeValues::Enumerators(known)) = (&mut given.value, values)
                && let Some(full) = in_full(&given.name, word, known)
            {
                word.clone_from(full);
            }
            // What is whole is written as an integer is, and what is not has as many bits as there are.
            let float = match (&given.value, values) {
                (AttributeValue::Integer(number), AttributeValues::Floats) => Some(*number as f32),
                (AttributeValue::Scalar(number), AttributeValues::Floats) => match number.data_type() {
                    DataType::F64 => Some(f64::from_bits(number.bits()) as f32).filter(|number| number.is_finite()),
                    DataType::I64 => Some(number.bits().cast_signed() as f32),
                    DataType::U64 => Some(number.bits() as f32),
                    _ => None,
                },
                _ => None,
            };
            if let Some(float) = float {
                given.value = AttributeValue::Float32(float.into());
            }
            if !values.allow(&given.value) {
                return Err(NotImported::value(operator.id.clone(), given, values));
            }
            let (least, most) = if *is_signed { (i32::MIN.into(), i32::MAX.into()) } else { (0, i64::from(u32::MAX)) };
            if let AttributeValue::Integers(numbers) = &given.value
                && !numbers.iter().all(|number| (least..=most).contains(number))
            {
                let (operator, attribute) = (operator.id.clone(), given.name.clone());
                let expected = format!("whole numbers from {least} to {most}");
                return Err(NotImported::Value {
                    operator,
                    attribute,
                    value: super::cut(said(&given.value)),
                    expected,
                });
            }
        }
        Ok(())
    }

    /// Gives scalars the data types that members of their own say, which are no attributes then.
    fn settle_scalars(&mut self, operator: &Operator) -> Result<(), NotImported> {
        let scalars =
            operator.attributes.iter().filter_map(|attribute| Some((attribute, attribute.data_type.as_ref()?)));
        let mut members = BTreeSet::new();
        for (attribute, member) in scalars {
            let Some(at) = self.attributes.iter().position(|given| given.name == attribute.name) else { continue };
            let Some(named) = self.attributes.iter().find(|given| given.name == *member) else {
                let (operator, kind) = (operator.id.clone(), "attribute");
                return Err(NotImported::Missing { operator, kind, name: member.clone() });
            };
            let types = &operator.family.types;
            let data_type = match &named.value {
                AttributeValue::Enumerator(word) => types.iter().find(|(spelling, _)| ends_in(word, spelling)),
                _ => None,
            };
            let Some(&(_, data_type)) = data_type else {
                let known = types.iter().map(|(spelling, _)| spelling.clone()).collect();
                return Err(NotImported::value(operator.id.clone(), named, &AttributeValues::Enumerators(known)));
            };
            let given = &mut self.attributes[at];
            let scalar = scalar(&given.value, data_type).ok_or_else(|| NotImported::Scalar {
                operator: operator.id.clone(),
                attribute: attribute.name.clone(),
                value: super::cut(said(&given.value)),
                expected: operator.family.spelling(data_type).to_owned(),
            })?;
            given.value = AttributeValue::Scalar(scalar);
            members.insert(member.as_str());
        }
        self.attributes.retain(|given| !members.contains(given.name.as_str()));
        Ok(())
    }

    /// Compares what is said to be the length of a list of tensors, which is no attribute then. An empty list has no tensors.
    fn settle_lists(&mut self, operator: &Operator) -> Result<(), NotImported> {
        for place in operator.tensors.iter().filter_map(|tensor| tensor.list.as_ref()).filter(|place| place.at == 0) {
            let of_list = |tensor: &&ForeignTensor| {
                operator.tensor(&tensor.name).and_then(Tensor::list_name) == Some(place.list.as_str())
            };
            let length = self.tensors.iter().filter(of_list).count();
            let stated = self.attributes.iter().find(|given| Some(&given.name) == place.count.as_ref());
            if let Some(stated) = stated.filter(|stated| stated.value != AttributeValue::Integer(length as i64)) {
                return Err(NotImported::Value {
                    operator: operator.id.clone(),
                    attribute: stated.name.clone(),
                    value: super::cut(said(&stated.value)),
                    expected: format!("{length}: the length of `{}`", place.list),
                });
            }
            let is_list = |given: &NamedAttribute| {
                given.name == place.list && given.value == AttributeValue::Integers(Vec::new())
            };
            self.attributes.retain(|given| Some(&given.name) != place.count.as_ref() && !is_list(given));
        }
        Ok(())
    }

    /// Whether every attribute that is the length of a list is that.
    fn check_lengths(&self, operator: &Operator) -> Result<(), NotImported> {
        let value = |name: &str| self.attributes.iter().find(|each| each.name == name).map(|each| &each.value);
        for attribute in &operator.attributes {
            let Some(list) = &attribute.length_of else { continue };
            if let (Some(AttributeValue::Integer(stated)), Some(AttributeValue::Integers(of))) =
                (value(&attribute.name), value(list))
                && usize::try_from(*stated) != Ok(of.len())
            {
                let length = of.len();
                let reason = format!("`{}` is {stated}, expected {length}: the length of `{list}`", attribute.name);
                return Err(NotImported::Invalid(reason));
            }
        }
        Ok(())
    }

    /// The case with the data of its inputs, which the test has no more then.
    fn case(&mut self, operator: &Arc<Operator>) -> Result<Case, NotImported> {
        let no = |kind, name: &str| NotImported::Part { operator: operator.id.clone(), kind, name: name.to_owned() };
        if let Some(tensor) = self.tensors.iter().find(|tensor| operator.tensor(&tensor.name).is_none()) {
            if !operator.meant_by(&tensor.name).is_empty() {
                return Err(NotImported::Invalid(format!("`{}` is one tensor, expected a list of them", tensor.name)));
            }
            return Err(no("tensor", &tensor.name));
        }
        self.settle_scalars(operator)?;
        self.settle_lists(operator)?;
        let known = |name: &str| operator.attributes.iter().any(|attribute| attribute.name == name);
        if let Some(attribute) = self.attributes.iter().find(|attribute| !known(&attribute.name)) {
            return Err(no("attribute", &attribute.name));
        }
        self.settle_values(operator)?;
        let missing = |kind, name: &str| {
            let (operator, name) = (operator.id.clone(), name.to_owned());
            Err(NotImported::Missing { operator, kind, name })
        };
        let has_tensor = |name: &str| self.tensors.iter().any(|tensor| tensor.name == name);
        if let Some(tensor) = operator.tensors.iter().find(|each| !each.may_be_missing && !has_tensor(&each.name)) {
            return missing("tensor", &tensor.name);
        }
        // The length of a list follows from the list.
        let is_needed = |each: &&Attribute| !each.may_be_missing && each.length_of.is_none();
        let has_attribute = |name: &str| self.attributes.iter().any(|attribute| attribute.name == name);
        let needed = operator.attributes.iter().filter(is_needed);
        if let Some(attribute) = needed.into_iter().find(|each| !has_attribute(&each.name)) {
            return missing("attribute", &attribute.name);
        }
        for ForeignTensor { name, descriptor, elements } in &self.tensors {
            let count = descriptor.sizes.len();
            if count > MOST_DIMENSIONS {
                return Err(NotImported::Dimensions { tensor: name.clone(), count });
            }
            let expected =
                descriptor.element_count().and_then(|count| count.checked_mul(descriptor.data_type.bytes() as u64));
            if let (Some(found), Some(expected)) = (elements.as_ref().map(Vec::len), expected)
                && found as u64 != expected
            {
                return Err(NotImported::Length { tensor: name.clone(), expected, found });
            }
        }
        self.check_lengths(operator)?;
        // In the specification's order.
        let tensors = operator.tensors.iter().filter_map(|specified| {
            let tensor = self.tensors.iter_mut().find(|tensor| tensor.name == specified.name)?;
            let is_input = specified.role == Role::Input;
            let data = if is_input { tensor.elements.take().map(Data::Elements) } else { None };
            Some(CaseTensor {
                name: tensor.name.clone(),
                role: specified.role,
                constant: specified.constant,
                descriptor: tensor.descriptor.clone(),
                data,
            })
        });
        let attributes = operator
            .attributes
            .iter()
            .filter_map(|specified| self.attributes.iter().find(|attribute| attribute.name == specified.name).cloned());
        let name = name(&self.name);
        Ok(Case {
            id: format!("{}/{FILE}/{name}", operator.id),
            title: Some(self.name.clone()).filter(|title| name != *title && is_readable(title)),
            name,
            file: Arc::new(PathBuf::from(format!("{FILE}.yaml"))),
            operator: Arc::clone(operator),
            source: None,
            level: None,
            refused_at: None,
            covers: Vec::new(),
            tensors: tensors.collect(),
            attributes: attributes.collect(),
            expectation: Expectation::Accepts,
            invariants: Vec::new(),
            large: false,
            twin: None,
        })
    }
}

/// A value as a message shows it.
fn said(value: &AttributeValue) -> String {
    match value {
        AttributeValue::Enumerator(word) | AttributeValue::String(word) => format!("{word:?}"),
        // Its type is what the reader made of it.
        AttributeValue::Scalar(number) => element::render(&number.bytes(), number.data_type()),
        other => render::attribute_value(other),
    }
}

/// Whether a name is this spelling of a data type, by itself or behind what DirectML's begin with.
fn ends_in(word: &str, spelling: &str) -> bool {
    word.strip_suffix(spelling).is_some_and(|before| before.is_empty() || before.ends_with("DATA_TYPE_"))
}

/// A number that may be of any type as an element of this one; none where it is no such element.
fn scalar(value: &AttributeValue, data_type: DataType) -> Option<Scalar> {
    let text = match value {
        AttributeValue::Integer(number) => number.to_string(),
        AttributeValue::Scalar(number) => element::render(&number.bytes(), number.data_type()),
        _ => return None,
    };
    let mut bytes = Vec::new();
    element::parse(&text, data_type, &mut bytes).ok()?;
    Scalar::from_bytes(data_type, &bytes)
}

/// The attributes of an operator that are one of several names, with these.
fn enumerated(operator: &Operator) -> impl Iterator<Item = (&str, &Vec<String>)> {
    operator.attributes.iter().filter_map(|attribute| match &attribute.values {
        AttributeValues::Enumerators(known) => Some((attribute.name.as_str(), known)),
        _ => None,
    })
}

/// The enumerator of an attribute that a word names: it is the word, or the only one that ends with the attribute's name in
/// capitals and the word, as `DML_AXIS_DIRECTION_INCREASING` does of `AxisDirection` and `INCREASING`.
fn in_full<'a>(attribute: &str, word: &str, known: &'a [String]) -> Option<&'a String> {
    let mut ending = String::new();
    for letter in attribute.chars() {
        if letter.is_uppercase() {
            ending.push('_');
        }
        ending.extend(letter.to_uppercase());
    }
    ending.extend(["_", word]);
    let mut so_ending = known.iter().filter(|name| name.ends_with(&ending));
    let only = so_ending.next().filter(|_| so_ending.next().is_none());
    known.iter().find(|name| *name == word).or(only)
}

/// Adds what the case covers at the level that it is meant for, and the least level at which it can be asked for that.
fn with_covered(case: &mut Case, meant: Option<Level>) -> Result<Level, NotImported> {
    case.level = meant;
    add_covered(case)?;
    let level = set_level(case, meant)?;
    // What ends before the level that it is meant for is put to the test as well.
    if meant.is_some_and(|meant| meant != level) {
        add_covered(case)?;
    }
    Ok(level)
}

fn add_covered(case: &mut Case) -> Result<(), NotImported> {
    if let Some(covered) = covered(case).map_err(|problem| NotImported::Invalid(problem.message))? {
        case.covers = covered;
    }
    Ok(())
}

/// Gives a case that is open the first level at which it is so in the way in which it is at the level that it is meant for.
fn set_open_level(case: &mut Case, meant: Option<Level>) -> Result<(), NotImported> {
    let least = set_level(case, meant)?;
    let last = meant.and_then(|meant| breakpoints(&case.operator).into_iter().filter(|level| *level <= meant).max());
    if let Some(last) = last.filter(|last| *last > least) {
        case.level = Some(last);
    }
    Ok(())
}

/// Gives the case the least level at which it can be asked, which is not above the one that it is meant for.
fn set_level(case: &mut Case, meant: Option<Level>) -> Result<Level, NotImported> {
    let level = least_level(case).map_err(NotImported::Invalid)?;
    if let Some(meant) = meant.filter(|meant| *meant < level) {
        let name = |level| case.operator.family.level_name(level).to_owned();
        return Err(NotImported::Level { meant: name(meant), least: name(level) });
    }
    case.level = (case.operator.family.levels.len() > 1).then_some(level);
    Ok(level)
}

impl Imported {
    /// A case with which nothing is compared.
    const fn uncompared(case: Case) -> Self {
        Self { case, disagreements: Vec::new(), compared: false, stated: Vec::new() }
    }

    /// What the file expects: its own values where it has them.
    #[must_use]
    pub fn stated(self) -> Expectation {
        let Expectation::Values(defined) = self.case.expectation else { return self.case.expectation };
        let mut stated = BTreeMap::from_iter(self.stated);
        let each = |(name, defined): (String, ExpectedTensor)| {
            let stated = stated.remove(&name);
            let stated = stated.map(|bytes| ExpectedTensor::Elements(Elements { bytes, undefined: Vec::new() }));
            (name, stated.unwrap_or(defined))
        };
        Expectation::Values(defined.into_iter().map(each).collect())
    }
}

/// The case, if the validator says of it what it says of itself.
fn checked(imported: Imported) -> Result<Imported, NotImported> {
    match CheckedCase::of(imported.case.clone()) {
        Ok(_) => Ok(imported),
        Err(problems) => {
            let messages: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
            Err(NotImported::Invalid(messages.join("; ")))
        }
    }
}

/// The first element that a file expects to be another one. What is undefined agrees with anything.
fn disagreement(tensor: &ForeignTensor, stated: &[u8], defined: &Elements) -> Option<Disagreement> {
    let data_type = tensor.descriptor.data_type;
    let width = data_type.bytes();
    let pairs = stated.chunks_exact(width).zip(defined.bytes.chunks_exact(width)).enumerate();
    let mut differing = pairs.filter(|(index, (stated, element))| defined.is_defined(*index) && stated != element);
    let (index, (stated, defined)) = differing.next()?;
    Some(Disagreement {
        tensor: tensor.name.clone(),
        place: coordinates(index, &tensor.descriptor.sizes),
        stated: element::render(stated, data_type),
        defined: element::render(defined, data_type),
    })
}

/// Whether a text may be a title.
fn is_readable(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains(is_unseen)
}

/// A name as cases have it: small letters, digits and underscores.
fn name(foreign: &str) -> String {
    let letters =
        foreign.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' });
    let name: String = letters.collect();
    let name = name.trim_matches('_');
    match name.chars().next() {
        None => "case".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("case_{name}"),
        Some(_) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use opcert_backend::{DataType, TensorDescriptor};

    use super::*;
    use crate::source::Source;

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn tensor(name: &str, data_type: DataType, sizes: &[u64], elements: Option<Vec<u8>>) -> ForeignTensor {
        ForeignTensor { name: name.to_owned(), descriptor: TensorDescriptor::packed(data_type, sizes), elements }
    }

    /// The third example of the one-hot page, its output given.
    fn example(axis: i64, output: Option<Vec<u8>>) -> Foreign {
        let indices = [0u32, 3, 2].iter().flat_map(|index| index.to_le_bytes()).collect();
        Foreign {
            operator: "directml/one_hot".to_owned(),
            name: "Example 3".to_owned(),
            level: None,
            tensors: vec![
                tensor("OutputTensor", DataType::F32, &[1, 1, 3, 4], output),
                tensor("IndicesTensor", DataType::U32, &[1, 1, 3, 1], Some(indices)),
                tensor("ValuesTensor", DataType::F32, &[1, 1, 3, 1], Some(floats(&[4.0, 2.0, 9.0]))),
            ],
            attributes: vec![NamedAttribute { name: "Axis".to_owned(), value: AttributeValue::Integer(axis) }],
        }
    }

    fn specs() -> Specs {
        Specs::load(&Source::embedded_specs()).unwrap()
    }

    const DOCUMENTED: [f32; 12] = [2.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 2.0, 4.0, 4.0, 2.0, 4.0];

    #[test]
    fn a_test_that_agrees_becomes_a_case() {
        let Imported { case, disagreements, compared, .. } =
            example(3, Some(floats(&DOCUMENTED))).complete(&specs()).unwrap();
        assert_eq!((case.name.as_str(), case.title.as_deref()), ("example_3", Some("Example 3")));
        assert!(compared && disagreements.is_empty(), "{disagreements:?}");
        let Expectation::Values(values) = case.expectation else { panic!("{:?}", case.expectation) };
        let documented = Elements { bytes: floats(&DOCUMENTED), undefined: Vec::new() };
        assert_eq!(values, [("OutputTensor".to_owned(), ExpectedTensor::Elements(documented))]);
    }

    #[test]
    fn a_title_is_what_can_be_read_and_written() {
        let title = |name: &str| {
            let foreign = Foreign { name: name.to_owned(), ..example(3, None) };
            foreign.complete(&specs()).unwrap().case.title
        };
        assert_eq!(title("Example 3").as_deref(), Some("Example 3"));
        for name in ["te\u{1b}[31mst", "te\u{200b}st", "", " "] {
            assert_eq!(title(name), None, "{name:?}");
        }
    }

    #[test]
    fn where_a_file_differs_it_is_said_and_the_specification_stands() {
        let mut other = DOCUMENTED;
        other[7] = 9.0;
        let foreign = example(3, Some(floats(&other)));
        let imported = foreign.complete(&specs()).unwrap();
        let message = imported.disagreements[0].to_string();
        assert_eq!(message, "`OutputTensor` at [0, 0, 1, 3] is 9 in the file, and follows from the specification as 2");
        let Expectation::Values(stated) = imported.stated() else { panic!() };
        assert_eq!(stated[0].1, ExpectedTensor::Elements(Elements { bytes: floats(&other), undefined: Vec::new() }));
        assert!(!example(3, None).complete(&specs()).unwrap().compared);
    }

    #[test]
    fn what_is_open_is_observed_and_not_compared() {
        let attribute = |name: &str, value| NamedAttribute { name: name.to_owned(), value };
        let foreign = Foreign {
            operator: "directml/argmax".to_owned(),
            name: "nan".to_owned(),
            level: None,
            tensors: vec![
                tensor("InputTensor", DataType::F32, &[1, 1, 1, 3], Some(floats(&[1.0, f32::NAN, 2.0]))),
                tensor("OutputTensor", DataType::U32, &[1, 1, 1, 1], Some(vec![1, 0, 0, 0])),
            ],
            attributes: vec![
                attribute("AxisCount", AttributeValue::Integer(1)),
                attribute("Axes", AttributeValue::Integers(vec![3])),
                attribute("AxisDirection", AttributeValue::Enumerator("DML_AXIS_DIRECTION_INCREASING".to_owned())),
            ],
        };
        let imported = foreign.complete(&specs()).unwrap();
        let Imported { case, disagreements, compared, .. } = imported.clone();
        assert!(!compared && disagreements.is_empty(), "{disagreements:?}");
        assert!(matches!((&case.expectation, imported.stated()), (Expectation::Observe, Expectation::Observe)));
        assert_eq!(case.covers, ["directml/argmax/nan"]);
        assert_eq!(case.invariants, ["directml/argmax/index-in-range", "directml/argmax/equals-reduce-argmax"]);
    }

    #[test]
    fn an_enumerator_is_known_by_what_tells_it_from_others() {
        let known = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let functions = known(&["DML_REDUCE_FUNCTION_ARGMAX", "DML_REDUCE_FUNCTION_LOG_SUM"]);
        let found = |word: &str| in_full("Function", word, &functions).map(String::as_str);
        assert_eq!(found("ARGMAX"), Some("DML_REDUCE_FUNCTION_ARGMAX"));
        assert_eq!(found("DML_REDUCE_FUNCTION_LOG_SUM"), Some("DML_REDUCE_FUNCTION_LOG_SUM"));
        for word in ["SUM", "MAX", "argmax", "FUNCTION_ARGMAX", "REDUCE_FUNCTION_ARGMAX", ""] {
            assert_eq!(found(word), None, "{word}");
        }
        let alike = known(&["DML_A_FUNCTION_X", "DML_B_FUNCTION_X"]);
        assert_eq!(in_full("Function", "X", &alike), None);
        assert_eq!(in_full("Function", "DML_B_FUNCTION_X", &alike), Some(&alike[1]));
        let directions = known(&["DML_AXIS_DIRECTION_INCREASING"]);
        assert!(in_full("AxisDirection", "INCREASING", &directions).is_some());
        assert!(in_full("AxisDirection", "DIRECTION_INCREASING", &directions).is_none());
    }

    #[test]
    fn an_invalid_descriptor_is_expected_to_be_refused() {
        let case = example(4, None).complete(&specs()).unwrap().case;
        let Expectation::Refuses(requirements) = &case.expectation else { panic!("{:?}", case.expectation) };
        assert_eq!(requirements, &["directml/one_hot/axis-in-range"]);
        assert!(case.tensors.iter().all(|tensor| tensor.data.is_none()));
        let error = example(4, Some(floats(&DOCUMENTED))).complete(&specs()).unwrap_err().to_string();
        let beginning = "the file has values of `OutputTensor`, and `directml/one_hot` is refused at 6_4: ";
        assert!(error.starts_with(beginning) && error.contains("[directml/one_hot/axis-in-range]"), "{error}");
    }

    #[test]
    fn what_the_specification_does_not_know_is_named() {
        let error = |foreign: Foreign| foreign.complete(&specs()).unwrap_err().to_string();
        let good = || example(3, None);
        assert_eq!(
            error(Foreign { operator: "directml/gemm".to_owned(), ..good() }),
            "`directml/gemm` is not specified here"
        );
        let mut other = good();
        other.tensors.push(tensor("BiasTensor", DataType::F32, &[1], None));
        assert_eq!(error(other), "`directml/one_hot` has no tensor `BiasTensor`");
        let mut other = good();
        other.attributes[0].value = AttributeValue::Enumerator("3".to_owned());
        assert_eq!(error(other), "the attribute `Axis` of `directml/one_hot` is \"3\", expected a number");
        let mut other = good();
        other.attributes[0].value = AttributeValue::Enumerator("3".repeat(5000));
        assert!(error(other).len() < 1100);
        let mut other = good();
        other.tensors[1].elements = None;
        assert_eq!(error(other), "the input `IndicesTensor` has no data, and others have");
        let mut other = good();
        other.tensors[1].elements = Some(vec![0; 8]);
        assert_eq!(error(other), "`IndicesTensor` has 8 bytes of data, and its type and sizes say 12");
    }
}
