//! The files under `specs/`, key by key.

use super::check::{Check, Invariant, Literal};
use super::range::DimensionRange;
use super::tested::Tested;
use crate::yaml::{Entries, OneOrMany, choice, record};

record! {
    /// `specs/<family>/family.yaml`: what all operators of a family share.
    pub struct FamilyFile {
        /// The first part of every id: `directml`.
        "family" => family: String,
        /// The name as people write it.
        "title" => title: String,
        /// The feature levels, lowest first; each includes all earlier ones. A family without levels has the one `"1"`.
        "levels" => levels: Vec<String>,
        /// How the family spells each data type: `FLOAT32: f32`.
        "types" => types: Entries<String>,
        /// Whether a tensor may have strides, flags, an alignment and a stated size in bytes.
        "layouts" => layouts: bool,
        /// The flags that a tensor may have.
        "flags" => flags: Option<Vec<String>>,
        /// The memory of a tensor is a multiple of this many bytes: a power of two up to 4096.
        "granularity" => granularity: u64,
        /// The documents that the shared requirements come from.
        "documents" => documents: Entries<DocumentEntry>,
        /// Requirements on every tensor, with ids `<family>/tensor/<name>`.
        "tensor" => tensor: Option<Entries<RequirementEntry>>,
        /// Requirements on every operator, with ids `<family>/operator/<name>`.
        "operator" => operator: Entries<RequirementEntry>,
    }
}

record! {
    /// `specs/<family>/<operator>.yaml`: one operator.
    pub struct OperatorFile {
        /// `family/operator`.
        "operator" => operator: String,
        /// The name in the documents.
        "title" => title: String,
        /// One sentence on what it computes.
        "summary" => summary: String,
        /// The documents, by a short name that requirements and cases use.
        "documents" => documents: Entries<DocumentEntry>,
        /// The first feature level that has the operator. Left out where the family has one level.
        "introduced" => introduced: Option<String>,
        /// The tensor whose data type and dimension count index the second table of a report.
        "subject" => subject: String,
        /// The tensors, in the order in which backends get them.
        "tensors" => tensors: Entries<TensorEntry>,
        /// The attributes.
        "attributes" => attributes: Entries<AttributeEntry>,
        /// Dimension counts and data types per tensor, from a level on. The newest row not above a level applies.
        "support" => support: Option<Entries<Entries<SupportEntry>>>,
        /// What the operator means: the elements of its outputs, in the language that specs/README.md describes. A literal
        /// block (`definition: |`).
        "definition" => definition: String,
        /// The requirements, with ids `<family>/<operator>/<name>`.
        "requirements" => requirements: Entries<RequirementEntry>,
    }
}

record! {
    /// A document that requirements are taken from.
    pub struct DocumentEntry {
        /// The file's name, where the document is a file.
        "file" => file: Option<String>,
        /// Which revision it is, in words.
        "revision" => revision: String,
        /// The BLAKE3 digest of the file.
        "digest" => digest: Option<String>,
        /// The address of the public page, where there is one: `https://…`.
        "url" => url: Option<String>,
        /// The other document that gives way where the two differ.
        "supersedes" => supersedes: Option<SupersedesEntry>,
    }
}

record! {
    /// A document that gives way to another one, and why.
    pub struct SupersedesEntry {
        /// The short name of the one that gives way.
        "document" => document: String,
        /// Why.
        "reason" => reason: String,
    }
}

record! {
    /// A tensor of an operator.
    pub struct TensorEntry {
        /// Read or written.
        "role" => role: RoleEntry,
        /// Whether the value is part of the descriptor.
        "constant" => constant: Option<bool>,
        /// Whether a valid descriptor may leave it out.
        "optional" => optional: Option<bool>,
        /// How many there are of it, where it is a list: `1-8`. The first one is `name[0]`, as elsewhere.
        "list" => list: Option<DimensionRange>,
        /// The member of the documents' structure that says how many a list has. It is no attribute: the list has its length.
        "count" => count: Option<String>,
        /// For an output whose sizes follow from values: the name at the top of the definition that lists them.
        "sizes" => sizes: Option<String>,
    }
}

choice! {
    /// Whether a tensor is read or written.
    pub enum RoleEntry {
        /// Read.
        "input" => Input,
        /// Written.
        "output" => Output,
    }
}

record! {
    /// An attribute of an operator.
    pub struct AttributeEntry {
        /// What its values are.
        "type" => kind: AttributeKind,
        /// The enumerators, for `ENUM`; the texts that mean something, for `STRING`.
        "values" => values: Option<Vec<String>>,
        /// What it is where a case leaves it out. Without a default it may be left out only if a requirement speaks of that.
        "default" => default: Option<Literal>,
        /// The list whose length this is; then it may be left out of a case.
        "length_of" => length_of: Option<String>,
        /// What the documents call the member that holds its data type, for `SCALAR`.
        "data_type" => data_type: Option<String>,
    }
}

choice! {
    /// What the values of an attribute are.
    pub enum AttributeKind {
        /// A number that may not be negative.
        "UINT" => Unsigned,
        /// A number.
        "INT" => Signed,
        /// A list of numbers that may not be negative.
        "UINT[]" => UnsignedList,
        /// A list of numbers.
        "INT[]" => SignedList,
        /// One of several names.
        "ENUM" => Enumeration,
        /// A truth value.
        "BOOL" => Boolean,
        /// A text, of which some mean something. A case may have any other, to be refused.
        "STRING" => Text,
        /// A number in floating point of 32 bits.
        "FLOAT" => Float,
        /// One element of a data type, which comes with it.
        "SCALAR" => Scalar,
    }
}

record! {
    /// What a level supports for one tensor.
    pub struct SupportEntry {
        /// A dimension count, or a range of them: `4`, `1-8`.
        "dimensions" => dimensions: DimensionRange,
        /// Data types in the family's spelling.
        "types" => types: Vec<String>,
    }
}

record! {
    /// A requirement: one thing that the documents oblige an implementation to do.
    pub struct RequirementEntry {
        /// What is required, in our own words.
        "text" => text: String,
        /// How far the documents stand behind it.
        "authority" => authority: Authority,
        /// Why it follows, or why it is open: needed for everything that is not stated.
        "reason" => reason: Option<String>,
        /// What else there is to know of its sources, such as where documents contradict each other.
        "note" => note: Option<String>,
        /// How much is undefined: needed for the authority `undefined`.
        "scope" => scope: Option<Scope>,
        /// What it is about.
        "kind" => kind: Kind,
        /// Where the documents say it.
        "source" => source: OneOrMany<SourceEntry>,
        /// The first feature level at which it holds; from the beginning when left out.
        "since" => since: Option<String>,
        /// The last feature level at which it holds; for ever when left out.
        "until" => until: Option<String>,
        /// How a descriptor is checked: kind `descriptor` only.
        "check" => check: Option<Check>,
        /// What holds of the outputs whatever the answer: judged in observed cases that name the requirement.
        "invariant" => invariant: Option<OneOrMany<Invariant>>,
        /// Requirements that must hold before the check means anything.
        "needs" => needs: Option<Vec<String>>,
        /// When a valid case puts it to the test: needed where neither a check nor a line of the definition stands for it.
        "tested" => tested: Option<Tested>,
        /// Whether it follows from the examples alone that its sources name. A case that is such an example shows what the
        /// document prints, and is not weakened by it.
        "by_example" => by_example: Option<bool>,
        /// Only a notion that others use.
        "definition" => definition: Option<bool>,
        /// The requirement of which this is another wording.
        "restates" => restates: Option<String>,
        /// Why no case can show it.
        "untestable" => untestable: Option<String>,
    }
}

record! {
    /// A place in a document.
    pub struct SourceEntry {
        /// The document's short name in the specification.
        "document" => document: String,
        /// The section.
        "section" => section: String,
    }
}

choice! {
    /// How far the documents stand behind a requirement.
    // In this order: a case has the greatest, which is the weakest, of all that it covers.
    #[derive(Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Authority {
        /// The document says it. It gates a verdict.
        "stated" => Stated,
        /// It follows from the documents and their examples. It gates a verdict; the reason is recorded.
        "derived" => Derived,
        /// The documents are silent or contradict each other. It never gates; what a backend does is recorded.
        "unspecified" => Unspecified,
        /// The document says that it is undefined. It never gates.
        "undefined" => Undefined,
    }
}

choice! {
    /// How much is undefined.
    #[derive(Copy, PartialEq, Eq)]
    pub enum Scope {
        /// Some elements of an output: they are never compared.
        "value" => Value,
        /// Everything: the whole case is never compared, and a refusal or a crash does not gate.
        "behaviour" => Behaviour,
    }
}

choice! {
    /// What a requirement is about.
    #[derive(Copy, PartialEq, Eq)]
    pub enum Kind {
        /// The descriptor alone.
        "descriptor" => Descriptor,
        /// The values of the outputs.
        "semantics" => Semantics,
        /// The order in which they stand.
        "order" => Order,
        /// The memory that is written.
        "region" => Region,
    }
}
