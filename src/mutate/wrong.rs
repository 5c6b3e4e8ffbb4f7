//! A backend that is wrong in one way, as data.

use std::sync::Arc;

use opcert_backend::{AttributeValue, Descriptor, NamedAttribute};

use super::condition::Condition;
use crate::definition::Definition;
use crate::spec::{Check, Operator};

/// A backend that deviates in one way from what an operator's specification says.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// What it is called; once per operator.
    pub name: String,
    /// The operator; others are not claimed, but for one that is told apart.
    pub operator: Arc<Operator>,
    /// Of which kind it is.
    pub kind: Kind,
    /// Full ids of the requirements that it may break; none where the specification has no words for it.
    pub breaks: Vec<String>,
    /// What it does, as a sentence.
    pub about: String,
    /// Where an implementation did this, if one is known.
    pub seen: Option<String>,
    /// What it does.
    pub(super) deviation: Deviation,
    /// Where it does it; elsewhere it is right.
    pub(super) condition: Condition,
}

/// Kinds of wrong backends, in the order in which they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The definition is altered in one place.
    Definition,
    /// A check is dropped, or something valid refused.
    Check,
    /// The strides of a tensor are ignored.
    Layout,
    /// Part of an output is not written, or not alone by this dispatch.
    Unwritten,
    /// Something of an earlier dispatch is used again.
    State,
    /// One element is wrong, where an implementation may take a path of its own.
    Path,
    /// A file tells of it.
    Listed,
    /// What the documents leave open is answered in some way, which is allowed.
    Permitted,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Definition,
        Self::Check,
        Self::Layout,
        Self::Unwritten,
        Self::State,
        Self::Path,
        Self::Listed,
        Self::Permitted,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Check => "check",
            Self::Layout => "layout",
            Self::Unwritten => "unwritten",
            Self::State => "state",
            Self::Path => "path",
            Self::Listed => "listed",
            Self::Permitted => "permitted",
        }
    }
}

/// What is done differently.
#[derive(Clone, Debug)]
pub(super) enum Deviation {
    /// Nothing.
    None,
    /// Another definition answers; of its own where it says so, element by element.
    Defined(Arc<Altered>),
    /// What one line leaves open is answered so, or what any line does.
    Open { line: Option<usize>, filling: Filling },
    /// What is left open is zeros, and the number 1 where this other operator is asked for, which is to come to the same.
    Unlike(Arc<Operator>),
    /// A descriptor is accepted although it breaks this requirement in such a way.
    Accepts(String, Loose),
    /// Every descriptor is accepted.
    AcceptsEverything,
    /// Valid descriptors are refused.
    Refuses,
    /// Valid descriptors are refused that put this requirement to the test.
    RefusesTests(String),
    /// Valid descriptors are refused for which this check does not hold.
    RefusesUnless(Check),
    /// An attribute that is left out is taken to be this.
    Default(String, AttributeValue),
    /// A tensor is read or written as if it were packed.
    Packed(String),
    /// Elements of outputs keep what the memory held.
    Unwritten(Part),
    /// Outputs are written on top of what the memory held.
    Mixed,
    /// The lowest bit of an element is wrong.
    Spoiled(Part),
    /// The inputs of this name of the first dispatch on a descriptor are used in every later one.
    KeptInput(String),
    /// The outputs of the first dispatch on a descriptor are those of every later one, whatever its data.
    KeptOutputs,
    /// The outputs of the first dispatch of a compiled operator are those of its later ones.
    KeptByOperator,
    /// From the second dispatch of a compiled operator on, the lowest bit of an element is wrong.
    ChangesItsMind,
    /// From the second dispatch of a compiled operator on, nothing is written.
    RunsOnce,
}

impl Wrong {
    /// The descriptor as a backend takes it that assumes another default for what is left out; nothing where it assumes none.
    pub(super) fn assuming(&self, descriptor: &Descriptor) -> Option<Descriptor> {
        let Deviation::Default(name, value) = &self.deviation else { return None };
        let is_left_out = descriptor.operator == self.operator.id && descriptor.attribute(name).is_none();
        (is_left_out && self.condition.holds(descriptor)).then(|| {
            let mut descriptor = descriptor.clone();
            descriptor.attributes.push(NamedAttribute { name: name.clone(), value: value.clone() });
            descriptor
        })
    }
}

/// In which way a requirement may be broken without a refusal.
#[derive(Clone, Debug)]
pub(super) enum Loose {
    /// In any.
    Always,
    /// By this tensor.
    In(String),
    /// So that this check holds.
    Where(Check),
}

/// Another definition, and where it answers.
#[derive(Debug)]
pub(super) struct Altered {
    pub(super) definition: Definition,
    /// Leaves an element `undefined` where the other definition answers and `unspecified` where the original one does;
    /// without it, the other one answers everywhere.
    pub(super) only: Option<Definition>,
    /// The line of the original definition that is altered, where it is one: what does not come by it is right.
    pub(super) line: Option<usize>,
    /// Whether the other definition says as well which sizes fit: whoever has a size wrong that others may have refuses and accepts
    /// other descriptors.
    pub(super) checks: bool,
}

/// What stands where the definition leaves an element open.
#[derive(Clone, Debug)]
pub(super) enum Filling {
    /// The bits 0.
    Zeros,
    /// The bits of the integer 1.
    One,
    /// Bits without a meaning.
    Garbage,
    /// What another definition gives, if it gives anything.
    Of(Arc<Definition>),
}

/// Elements of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    First,
    Last,
    /// All along the last dimension, at the greatest coordinates in the others.
    LastRow,
    /// Those that a block of so many leaves over at the end.
    Rest(u64),
    /// All whose value is zero.
    Zeros,
    All,
}

impl Wrong {
    /// What does everything rightly.
    #[must_use]
    pub fn unaltered(operator: &Arc<Operator>) -> Self {
        Self {
            name: "unaltered".to_owned(),
            operator: Arc::clone(operator),
            kind: Kind::Definition,
            breaks: Vec::new(),
            about: "Nothing is wrong.".to_owned(),
            seen: None,
            deviation: Deviation::None,
            condition: Condition::Always,
        }
    }

    /// The same where a condition holds, and right elsewhere.
    #[must_use]
    pub fn restricted(&self, condition: Condition) -> Self {
        let said = condition.to_string();
        Self {
            name: format!("{}-{}", self.name, condition.name()),
            about: format!("{} Only {said}.", self.about),
            condition: Condition::Both(Box::new(self.condition.clone()), Box::new(condition)),
            ..self.clone()
        }
    }

    /// Whether it does what is allowed.
    #[must_use]
    pub fn is_permitted(&self) -> bool {
        self.kind == Kind::Permitted
    }

    /// Whether it deviates in what descriptors it accepts, and not in what it answers.
    pub(super) const fn is_about_descriptors(&self) -> bool {
        matches!(
            self.deviation,
            Deviation::Accepts(..)
                | Deviation::AcceptsEverything
                | Deviation::Refuses
                | Deviation::RefusesTests(_)
                | Deviation::RefusesUnless(_)
        )
    }
}
