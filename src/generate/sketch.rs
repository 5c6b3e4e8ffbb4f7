//! A case before it is complete: a descriptor with data, and what is to be asked of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use opcert_backend::{AttributeValue, DataType, NamedAttribute, Role, TensorDescriptor};

use super::values;
use crate::case::{Case, CaseTensor, Data, Digest, Elements, Expectation, ExpectedTensor, Pattern};
use crate::check::{least_level, violations, worked_out};
use crate::definition::Evaluation;
use crate::expected::{Expected, as_expected, expected_of, of_evaluation, stands_for};
use crate::spec::{Level, Operator};

/// What is asked of a case.
#[derive(Clone, Debug)]
enum Question {
    /// Which values come out.
    Values,
    /// Whether the descriptor compiles.
    Accepts,
    /// What the backend does where the documents leave it open; these requirements hold anyway.
    Observe(Vec<String>),
}

/// A valid descriptor with data, whose expectation is not worked out yet.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    case: Case,
    question: Question,
    /// What comes out by a formula of the plan.
    formula: Option<Vec<(String, ExpectedTensor)>>,
    problem: Option<String>,
}

impl Sketch {
    /// An empty case of an operator.
    pub(super) fn new(operator: &Arc<Operator>, name: impl Into<String>, title: impl Into<String>) -> Self {
        let case = Case {
            id: String::new(),
            name: name.into(),
            file: Arc::new(PathBuf::new()),
            operator: Arc::clone(operator),
            title: Some(title.into()),
            source: None,
            level: None,
            refused_at: None,
            covers: Vec::new(),
            tensors: Vec::new(),
            attributes: Vec::new(),
            expectation: Expectation::Accepts,
            invariants: Vec::new(),
            large: false,
            twin: None,
        };
        Self { case, question: Question::Values, formula: None, problem: None }
    }

    pub(super) fn name(&self) -> &str {
        &self.case.name
    }

    /// The same under another name and title.
    pub(super) fn named(mut self, name: impl Into<String>, title: impl Into<String>) -> Self {
        self.case.name = name.into();
        self.case.title = Some(title.into());
        self
    }

    /// What a case of the large tier covers, which is too large to work it out: references as in a case file, separated by
    /// spaces. Of the same case made small they must be so.
    pub(super) fn claims(mut self, references: &str) -> Self {
        self.case.covers = references.split_whitespace().filter_map(|name| self.resolve(name)).collect();
        self
    }

    fn resolve(&mut self, reference: &str) -> Option<String> {
        let found = self.case.operator.resolve(reference).map(|requirement| requirement.id.clone());
        if found.is_none() {
            self.problem = Some(format!("`{reference}` is no requirement"));
        }
        found
    }

    /// Adds an input with its elements as texts between spaces, as in a case file.
    pub(super) fn input(self, name: &str, data_type: DataType, sizes: &[u64], elements: &str) -> Self {
        match values::elements(data_type, elements) {
            Ok(bytes) => self.input_of(name, data_type, sizes, Data::Elements(bytes)),
            Err(problem) => Self { problem: Some(format!("`{name}`: {problem}")), ..self },
        }
    }

    /// Adds an input.
    pub(super) fn input_of(self, name: &str, data_type: DataType, sizes: &[u64], data: Data) -> Self {
        let count = sizes.iter().product::<u64>() as usize * data_type.bytes();
        let given = match &data {
            Data::Elements(bytes) => bytes.len(),
            Data::Pattern(pattern) => pattern.bytes(),
        };
        let problem =
            (given != count).then(|| format!("`{name}` has {given} bytes of data, and its sizes say {count}"));
        let mut sketch = self.tensor(name, data_type, sizes, Some(data));
        sketch.problem = sketch.problem.or(problem);
        sketch
    }

    /// Adds an output.
    pub(super) fn output(self, name: &str, data_type: DataType, sizes: &[u64]) -> Self {
        self.tensor(name, data_type, sizes, None)
    }

    fn tensor(mut self, name: &str, data_type: DataType, sizes: &[u64], data: Option<Data>) -> Self {
        match self.case.operator.tensor(name) {
            Some(tensor) => {
                let (role, constant) = (tensor.role, tensor.constant);
                let descriptor = TensorDescriptor::packed(data_type, sizes);
                self.case.tensors.push(CaseTensor { name: name.to_owned(), role, constant, descriptor, data });
            }
            None => self.problem = Some(format!("`{name}` is no tensor")),
        }
        self
    }

    /// Edits the descriptor of a tensor.
    pub(super) fn with(mut self, name: &str, edit: impl FnOnce(&mut TensorDescriptor)) -> Self {
        match self.case.tensors.iter_mut().find(|tensor| tensor.name == name) {
            Some(tensor) => edit(&mut tensor.descriptor),
            None => self.problem = Some(format!("`{name}` is not there yet")),
        }
        self
    }

    /// Gives a tensor strides.
    pub(super) fn strides(self, name: &str, strides: &[u64]) -> Self {
        self.with(name, |tensor| tensor.strides = Some(strides.to_vec()))
    }

    /// The role and the descriptor of a tensor.
    pub(super) fn tensor_of(&self, name: &str) -> Option<(Role, &TensorDescriptor)> {
        let tensor = self.case.tensors.iter().find(|tensor| tensor.name == name)?;
        Some((tensor.role, &tensor.descriptor))
    }

    /// The elements of an input.
    pub(super) fn elements_of(&self, name: &str) -> Option<Vec<u8>> {
        let tensor = self.case.tensors.iter().find(|tensor| tensor.name == name)?;
        Some(tensor.data.as_ref()?.elements().into_owned())
    }

    /// Replaces the data of an input.
    pub(super) fn data(mut self, name: &str, data: Data) -> Self {
        match self.case.tensors.iter_mut().find(|tensor| tensor.name == name) {
            Some(tensor) => tensor.data = Some(data),
            None => self.problem = Some(format!("`{name}` is not there yet")),
        }
        self
    }

    /// Sets an attribute that is a number.
    pub(super) fn integer(self, name: &str, value: i64) -> Self {
        self.attribute(name, AttributeValue::Integer(value))
    }

    /// Sets an attribute that is a list, and the attribute that is its length.
    pub(super) fn integers(self, name: &str, values: &[i64]) -> Self {
        let length = self.case.operator.attributes.iter().find(|each| each.length_of.as_deref() == Some(name));
        let length = length.map(|each| each.name.clone());
        let sketch = match length {
            Some(length) => self.integer(&length, values.len() as i64),
            None => self,
        };
        sketch.attribute(name, AttributeValue::Integers(values.to_vec()))
    }

    /// Sets an attribute that is a name.
    pub(super) fn enumerator(self, name: &str, value: &str) -> Self {
        self.attribute(name, AttributeValue::Enumerator(value.to_owned()))
    }

    fn attribute(mut self, name: &str, value: AttributeValue) -> Self {
        self.case.attributes.push(NamedAttribute { name: name.to_owned(), value });
        self
    }

    /// Asks for no more than a descriptor that compiles.
    pub(super) fn accepts(mut self) -> Self {
        self.question = Question::Accepts;
        self
    }

    /// Asks what the backend does where the documents leave it open. The requirements whose invariants hold anyway are
    /// references between spaces.
    pub(super) fn observe(mut self, invariants: &str) -> Self {
        let invariants = invariants.split_whitespace().filter_map(|name| self.resolve(name)).collect();
        self.question = Question::Observe(invariants);
        self
    }

    /// Says by a formula what comes out. The definition must agree with it, except in the large tier: that has too many
    /// elements to work out, and so a plan makes the same case small as well, with the same formula.
    pub(super) fn formula(mut self, expected: Vec<(String, ExpectedTensor)>) -> Self {
        self.formula = Some(expected);
        self
    }

    /// Puts the case into the large tier.
    pub(super) fn large(mut self) -> Self {
        self.case.large = true;
        self
    }

    /// The case with its level and its expectation.
    pub(super) fn complete(self) -> Result<Case, Incomplete> {
        let Self { mut case, question, formula, problem } = self;
        if let Some(problem) = problem {
            return Err(problem.into());
        }
        case.expectation = match question {
            Question::Accepts => Expectation::Accepts,
            Question::Observe(_) => Expectation::Observe,
            Question::Values => Expectation::Values(Vec::new()),
        };
        let found;
        (case, found) = worked_out(case).map_err(|problems| {
            let messages: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
            messages.join("; ")
        })?;
        let level = least_level(&case)?;
        case.level = (case.operator.family.levels.len() > 1).then_some(level);
        match question {
            Question::Accepts => {
                case.tensors.iter_mut().filter(|tensor| !tensor.constant).for_each(|tensor| tensor.data = None);
                case.expectation = Expectation::Accepts;
            }
            Question::Observe(invariants) => {
                leaves_open(&case, level, found)?;
                case.expectation = Expectation::Observe;
                case.invariants = invariants;
            }
            Question::Values => {
                let defined = if case.large { None } else { Some(values_of(&case, level, found)?) };
                if let (Some(defined), Some(formula)) = (&defined, &formula)
                    && !formula.iter().all(|(name, given)| fits(given, name, defined, &case))
                {
                    return Err(format!("the formula gives {formula:?}, and the definition {defined:?}").into());
                }
                let expected = match defined {
                    Some(defined) => as_expected(defined, &case)?,
                    None => formula.ok_or("a case of the large tier needs a formula")?,
                };
                case.expectation = Expectation::Values(expected);
            }
        }
        Ok(case)
    }
}

/// Why a sketch is no case.
#[derive(Debug, thiserror::Error)]
pub(super) enum Incomplete {
    /// The definition leaves open what comes out.
    #[error("the case asks for values, and the definition leaves them open: {}", .0.join(", "))]
    Open(Vec<String>),
    /// Anything else.
    #[error("{0}")]
    Wrong(String),
}

impl From<String> for Incomplete {
    fn from(reason: String) -> Self {
        Self::Wrong(reason)
    }
}

impl From<&str> for Incomplete {
    fn from(reason: &str) -> Self {
        Self::Wrong(reason.to_owned())
    }
}

/// What comes out of a case: that of an evaluation, if there was one.
fn outcome(case: &Case, level: Level, found: Option<Evaluation>) -> Result<Expected, Incomplete> {
    let outcome = match found {
        Some(found) => of_evaluation(&case.operator, &case.descriptor(level), found),
        None => expected_of(case, level),
    };
    outcome.map_err(|error| error.to_string().into())
}

/// The values of a case, none of which the definition may leave open.
fn values_of(case: &Case, level: Level, found: Option<Evaluation>) -> Result<Vec<(String, Elements)>, Incomplete> {
    match outcome(case, level, found)? {
        Expected::Values(values) => Ok(values),
        Expected::Open { questions, .. } => Err(Incomplete::Open(questions)),
    }
}

/// Refuses a case that observes what is not open: neither an element of its outputs nor whether the descriptor is valid.
fn leaves_open(case: &Case, level: Level, found: Option<Evaluation>) -> Result<(), Incomplete> {
    let inputs = case.tensors.iter().filter(|tensor| tensor.role == Role::Input);
    let has_data = inputs.clone().all(|tensor| tensor.data.is_some());
    let is_open = !violations(&case.operator, &case.descriptor(level), level).is_empty();
    if is_open || !has_data || case.large {
        return Ok(());
    }
    match outcome(case, level, found)? {
        Expected::Open { .. } => Ok(()),
        Expected::Values(_) => Err("the case observes, and the definition leaves nothing open".into()),
    }
}

/// Whether what a formula gives of an output is what the definition gives.
fn fits(given: &ExpectedTensor, name: &str, defined: &[(String, Elements)], case: &Case) -> bool {
    let elements = defined.iter().find(|(output, _)| output == name).map(|(_, elements)| elements);
    let data_type = case.tensor(name).map(|tensor| tensor.descriptor.data_type);
    elements.zip(data_type).is_some_and(|(elements, data_type)| stands_for(given, elements, data_type))
}

/// A pattern of one element with exceptions, all of them as texts.
pub(super) fn constant(data_type: DataType, count: u64, value: &str, except: &[(u64, &str)]) -> Data {
    let element = |text: &str| values::elements(data_type, text).unwrap_or_default();
    let except: BTreeMap<u64, Vec<u8>> = except.iter().map(|(at, text)| (*at, element(text))).collect();
    Data::Pattern(Pattern::constant(element(value), except, data_type, count))
}

/// A pattern that counts.
pub(super) fn ramp(data_type: DataType, count: u64, start: i64, step: i64, period: u64) -> Data {
    Data::Pattern(Pattern::ramp(start, step, period, data_type, count))
}

/// The digest of a tensor in which one element, in bytes, stands again and again.
pub(super) fn digest_of_repeated(element: &[u8], count: u64) -> ExpectedTensor {
    let mut hasher = blake3::Hasher::new();
    let chunk = element.repeat(1 << 16);
    let whole = count >> 16;
    for _ in 0..whole {
        hasher.update(&chunk);
    }
    hasher.update(&chunk[..(count - (whole << 16)) as usize * element.len()]);
    ExpectedTensor::Digest(Digest { blake3: hasher.finalize().to_hex().to_string(), defined: None })
}
