//! What an operator means: the language in which specifications say it, and its evaluator.
//!
//! A definition is text in a strict subset of Python's syntax ([specs/README.md] has the grammar). It is read once
//! ([`Definition::read`]): names become numbers, and whatever can be known to be wrong is an error with its place. Evaluating it
//! ([`Definition::evaluate`]) gives the elements of every output, each with the line that decided it.
//!
//! A definition always ends: there are comprehensions over finite lists, and functions that call functions above them.
//!
//! [specs/README.md]: https://github.com/opcert/opcert

mod alterations;
mod builtins;
mod cast;
mod column;
mod evaluate;
mod number;
mod numbers;
mod operations;
mod parser;
mod program;
mod resolve;
mod syntax;
mod tensor;
#[cfg(test)]
mod tests;
mod tokens;
mod uses;
mod written;

use opcert_backend::{AttributeValue, Descriptor, Role};

pub use tokens::Citation;
pub use uses::{Landmarks, Use, Uses};

use crate::diagnostic::{Position, Problem};
use builtins::OfTensor;
use program::{Function, Global, Node, Operation};

/// The names that a definition may use, beside its own and the builtins.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The operator's tensors.
    pub tensors: Vec<(String, Role)>,
    /// For each tensor the list that it is of, if any.
    pub lists: Vec<Option<String>>,
    /// Its attributes, each with its default if it has one.
    pub attributes: Vec<(String, Option<AttributeValue>)>,
    /// The values of attributes that are one of several names.
    pub enumerators: Vec<String>,
    /// The values of attributes that are one of several texts.
    pub texts: Vec<String>,
    /// The feature levels of the family, lowest first.
    pub levels: Vec<String>,
    /// The outputs whose sizes follow from values, each with the name at the top of the definition that gives them.
    pub sizes: Vec<(String, String)>,
    /// The tensors whose sizes a check asks to follow from the descriptor, likewise.
    pub sizes_by_descriptor: Vec<(String, String)>,
}

impl Names {
    /// The number of a name or of a text.
    fn symbol(&self, value: &AttributeValue) -> Option<usize> {
        match value {
            AttributeValue::Enumerator(name) => self.enumerators.iter().position(|each| each == name),
            AttributeValue::String(text) => self.text(text),
            _ => None,
        }
    }

    /// The number of a text, behind those of all names.
    fn text(&self, text: &str) -> Option<usize> {
        self.texts.iter().position(|each| each == text).map(|at| self.enumerators.len() + at)
    }

    /// The name or the text of a number, as an attribute has it.
    fn value(&self, symbol: usize) -> Option<AttributeValue> {
        let text = self.spelled(symbol)?.to_owned();
        let is_name = symbol < self.enumerators.len();
        Some(if is_name { AttributeValue::Enumerator(text) } else { AttributeValue::String(text) })
    }

    /// The name or the text of a number.
    fn spelled(&self, symbol: usize) -> Option<&str> {
        self.enumerators.iter().chain(&self.texts).nth(symbol).map(String::as_str)
    }
}

/// What an operator means.
#[derive(Debug, Default)]
pub struct Definition {
    /// The text.
    pub text: String,
    /// The lines that give values and decide, in their order.
    pub lines: Vec<Line>,
    names: Names,
    globals: Vec<Global>,
    functions: Vec<Function>,
    /// For each output its tensor, its function, and its place where it is one of a list.
    outputs: Vec<(usize, usize, Option<usize>)>,
    /// For each output whose sizes follow from values its tensor, and the global name that gives them.
    sized: Vec<(usize, usize)>,
    /// The same of tensors whose sizes a check asks to follow from the descriptor.
    sized_by_descriptor: Vec<(usize, usize)>,
}

/// A line of a definition that gives a value, asks or decides. It may go on over several lines of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The first line of the text, from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// The requirements that it cites.
    pub citations: Vec<Citation>,
}

/// Why an element has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// The document says that it may be anything.
    Undefined,
    /// The documents do not say what it is.
    Unspecified,
}

/// An output, worked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The tensor's name.
    pub name: String,
    /// All elements, packed, little-endian, in logical order; zeros where there is no value.
    pub bytes: Vec<u8>,
    /// For each element why it has no value, if it has none; nothing at all where every one has.
    pub open: Vec<Option<Open>>,
    /// For each element the line that decided it: an index into [`Definition::lines`].
    pub decided: Vec<usize>,
}

impl Output {
    /// An output whose elements came from elsewhere: all of them have values, and no line decided them.
    #[must_use]
    pub fn known(name: &str, bytes: Vec<u8>) -> Self {
        Self { name: name.to_owned(), bytes, open: Vec::new(), decided: Vec::new() }
    }

    /// Why an element has no value, if it has none.
    #[must_use]
    pub fn open_at(&self, index: usize) -> Option<Open> {
        self.open.get(index).copied().flatten()
    }
}

/// All outputs of a descriptor with its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The outputs, in the order of the specification.
    pub outputs: Vec<Output>,
    /// For each of [`Definition::lines`] whether it was come by.
    pub passed: Vec<bool>,
}

/// Why an element is what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The element as text, or `undefined` or `unspecified`.
    pub gives: String,
    /// The line that decides it: an index into [`Definition::lines`].
    pub line: usize,
    /// The names that stand in this line, and in the condition under which it is come by, with their values as text.
    pub values: Vec<(String, String)>,
}

/// A definition that is altered in one place.
#[derive(Debug)]
pub struct Alteration {
    /// A name that follows from the line and from what is altered in it.
    pub name: String,
    /// What is wrong, as a sentence.
    pub about: String,
    /// The altered line: an index into [`Definition::lines`].
    pub line: usize,
    /// Itself if it cites requirements, otherwise the nearest lines that do and rest on it.
    pub rests: Vec<usize>,
    /// The altered definition. Its lines are those of the original one.
    pub definition: Definition,
}

/// A descriptor or data of which a definition can make nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {} of the definition: {message}", position.line, position.column)]
pub struct Fault {
    /// Where in the text.
    pub position: Position,
    /// What cannot be worked out.
    pub message: String,
    /// The output that has other sizes than the descriptor says, and those that it has, if that is what is wrong.
    pub other_sizes: Option<(String, Vec<u64>)>,
}

impl Definition {
    /// Reads a text.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, with places whose lines and columns count within the text.
    pub fn read(text: &str, names: Names) -> Result<Self, Vec<Problem>> {
        let (items, problems) = parser::parse(tokens::tokens(text));
        if !problems.is_empty() {
            return Err(problems);
        }
        resolve::resolve(text, &items, names)
    }

    /// What is wrong with the form of a text, whatever its names mean.
    pub(crate) fn malformed(text: &str) -> Vec<Problem> {
        parser::parse(tokens::tokens(text)).1
    }

    /// Reads another text with the names of this one.
    ///
    /// # Errors
    ///
    /// As for [`Definition::read`].
    pub fn reread(&self, text: &str) -> Result<Self, Vec<Problem>> {
        Self::read(text, self.names.clone())
    }

    /// Every alteration in one place, in the order of the lines.
    #[must_use]
    pub fn alterations(&self) -> Vec<Alteration> {
        alterations::alterations(self)
    }

    /// The levels at which the meaning changes: numbers among those of the names it was read with.
    #[must_use]
    pub fn levels(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.globals.iter().for_each(|global| global.value.levels(&mut found));
        let bodies = self.functions.iter().flat_map(|function| &function.body);
        bodies.for_each(|statement| statement.levels(&mut found));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The lines that return nothing but `undefined` or `unspecified`: indices into [`Definition::lines`].
    #[must_use]
    pub fn open(&self) -> Vec<(usize, Open)> {
        alterations::open(self)
    }

    /// For each line that leaves something open the definition that answers all the same: the line is never come by, or gives
    /// the other one of its two values.
    #[must_use]
    pub fn closed(&self) -> Vec<(usize, Self)> {
        alterations::closed(self)
    }

    /// Every output of a valid descriptor, in the order of the specification. Inputs are packed, little-endian, in logical
    /// order, by name.
    ///
    /// # Errors
    ///
    /// The first thing that cannot be worked out: an input that is not there, a place outside of a tensor, a number of more than
    /// 128 bits, a value that is no element of its output, an output whose sizes follow from values and are others.
    pub fn evaluate(&self, descriptor: &Descriptor, inputs: &[(&str, &[u8])]) -> Result<Evaluation, Fault> {
        evaluate::evaluation(self, descriptor, inputs)
    }

    /// For each of some alterations, the altered definition and its line, whether the line comes to another value somewhere on its
    /// way to the outputs of a valid descriptor. Where it does not, the altered definition gives what this one gives.
    ///
    /// # Errors
    ///
    /// As for [`Definition::evaluate`].
    pub fn infected(
        &self,
        altered: &[(&Self, usize)],
        descriptor: &Descriptor,
        inputs: &[(&str, &[u8])],
    ) -> Result<Vec<bool>, Fault> {
        evaluate::infected(self, altered, descriptor, inputs)
    }

    /// The expression of a line, and how many places the names of what it stands in need.
    fn line_of(&self, line: usize) -> Option<(&Node, usize)> {
        let of_global = self.globals.iter().find(|global| global.line == line);
        of_global.map(|global| (&global.value, global.slots)).or_else(|| {
            self.functions.iter().find_map(|function| {
                let value = function.body.iter().find_map(|statement| statement.line_of(line))?;
                Some((value, function.names.len()))
            })
        })
    }

    /// The sizes of the outputs that follow from values, by name. What the descriptor says of them does not matter.
    ///
    /// # Errors
    ///
    /// As for [`Definition::evaluate`]; a list that is none of sizes is an error as well.
    pub fn sizes(&self, descriptor: &Descriptor, inputs: &[(&str, &[u8])]) -> Result<Vec<(String, Vec<u64>)>, Fault> {
        evaluate::sizes(self, descriptor, inputs)
    }

    /// The sizes that a name at the top lists for a check, and that follow from the descriptor. What it says of those of an output
    /// does not matter.
    ///
    /// # Errors
    ///
    /// As for [`Definition::sizes`]; a name that no check names is an error as well.
    pub fn sizes_by_descriptor(&self, by: &str, descriptor: &Descriptor) -> Result<Vec<u64>, Fault> {
        evaluate::sizes_by_descriptor(self, by, descriptor)
    }

    /// Whether a name at the top follows from the sizes of a tensor.
    #[must_use]
    pub fn follows_from_sizes(&self, name: &str, tensor: &str) -> bool {
        let tensor = self.names.tensors.iter().position(|(each, _)| each == tensor);
        self.follows_from(
            name,
            &|operation| matches!(operation, Operation::OfTensor(OfTensor::Sizes, of, _) if Some(*of) == tensor),
        )
    }

    /// Whether a name at the top follows from an attribute.
    #[must_use]
    pub fn follows_from_attribute(&self, name: &str, attribute: &str) -> bool {
        let attribute = self.names.attributes.iter().position(|(each, _)| each == attribute);
        self.follows_from(name, &|operation| matches!(operation, Operation::Attribute(of) if Some(*of) == attribute))
    }

    /// Whether a name at the top follows from a line, a number among [`Definition::lines`], or has its value there.
    #[must_use]
    pub fn follows_from_line(&self, name: &str, line: usize) -> bool {
        let is_there = |operation: &Operation| match operation {
            Operation::Global(global) => self.globals[*global].line == line,
            Operation::Call(function, _) => {
                self.functions[*function].body.iter().any(|each| each.line_of(line).is_some())
            }
            _ => false,
        };
        self.globals.iter().any(|global| global.name == name && global.line == line)
            || self.follows_from(name, &is_there)
    }

    fn follows_from(&self, name: &str, such: &dyn Fn(&Operation) -> bool) -> bool {
        let global = self.globals.iter().find(|global| global.name == name);
        global.is_some_and(|global| resolve::follows_from(&global.value, &self.globals, &self.functions, such))
    }

    /// The value of a name at the top, as an attribute has it.
    ///
    /// # Errors
    ///
    /// As for [`Definition::evaluate`]; a value that no attribute has is an error as well.
    pub fn value(
        &self,
        descriptor: &Descriptor,
        inputs: &[(&str, &[u8])],
        name: &str,
    ) -> Result<AttributeValue, Fault> {
        evaluate::value(self, descriptor, inputs, name)
    }

    /// Why the element of an output at a place is what it is.
    ///
    /// # Errors
    ///
    /// As for [`Definition::evaluate`]; a place or an output that does not exist is an error as well.
    pub fn decision(
        &self,
        descriptor: &Descriptor,
        inputs: &[(&str, &[u8])],
        output: &str,
        place: &[u64],
    ) -> Result<Decision, Fault> {
        evaluate::decision(self, descriptor, inputs, output, place)
    }

    /// A line as it stands in the text, without what is cited behind it; one that goes on over several lines is one here.
    #[must_use]
    pub fn text_of(&self, line: usize) -> String {
        let Some(Line { first, last, .. }) = self.lines.get(line) else { return String::new() };
        let lines = self.text.lines().skip(*first as usize - 1).take((last - first + 1) as usize);
        let code = lines.map(|line| line.split('#').next().unwrap_or_default().trim());
        code.collect::<Vec<_>>().join(" ").trim().to_owned()
    }
}
