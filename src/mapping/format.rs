//! The files under `mappings/`, key by key.

use crate::yaml::{Entries, record};

record! {
    /// `mappings/<from>/<to>.yaml`: how a descriptor of one operator is said as one of another, and its outputs back. Expressions
    /// are those of definitions, in the names of `from`; `at` is a place, and `since` asks for a level of `from`.
    pub struct MappingFile {
        /// The operator whose descriptors are said otherwise: `family/operator`.
        "from" => from: String,
        /// The operator by which they are said.
        "to" => to: String,
        /// What a person has to know who goes from one to the other.
        "note" => note: Option<String>,
        /// By full ids of requirements of either side what to do before, so that the answers are the same where they differ for
        /// them.
        "fix" => fix: Option<Entries<String>>,
        /// Names and functions for all that follows, as at the top of a definition. A literal block.
        "let" => names: Option<String>,
        /// For which descriptors and data there is a way: a truth value.
        "when" => when: Option<String>,
        /// The attributes of `to`, each with an expression.
        "attributes" => attributes: Option<Entries<String>>,
        /// The tensors of `to`.
        "tensors" => tensors: Entries<TensorEntry>,
        /// The outputs of `from`.
        "outputs" => outputs: Entries<OutputEntry>,
    }
}

record! {
    /// A tensor of `to`.
    pub struct TensorEntry {
        /// The tensor of `from` from which it has its type, and its sizes and elements unless they are given.
        "of" => of: Option<String>,
        /// Its type, in the spelling of the family of `to`.
        "type" => data_type: Option<String>,
        /// Its sizes: a list.
        "sizes" => sizes: Option<String>,
        /// Its element at the place `at`; an input alone has them.
        "elements" => elements: Option<String>,
    }
}

record! {
    /// An output of `from`.
    pub struct OutputEntry {
        /// The output of `to` whose elements it has, one after the other in row-major order.
        "of" => of: Option<String>,
        /// Its element at the place `at`, in the names of the outputs of `to` and the attributes of `from`.
        "elements" => elements: Option<String>,
    }
}
