//! A file of wrong backends, key by key.

use crate::yaml::{Entries, OneOrMany, record};

record! {
    /// Wrong backends of one operator.
    pub struct WrongFile {
        /// `family/operator`.
        "operator" => operator: String,
        /// Another wording of the operator's definition, in which lines are replaced; the operator's own where there is none.
        "definition" => definition: Option<String>,
        /// The wrong backends.
        "wrong" => wrong: Vec<WrongEntry>,
    }
}

record! {
    /// A backend that answers by the operator's definition, some of whose lines are replaced.
    pub struct WrongEntry {
        /// What it is called: letters, digits and hyphens, once in all files.
        "name" => name: String,
        /// The requirement that it breaks, by the last part of its id or more; or several.
        "breaks" => breaks: OneOrMany<String>,
        /// What it does wrong, as a sentence.
        "about" => about: String,
        /// Where an implementation did this.
        "seen" => seen: Option<String>,
        /// An expression of the definitions' language that is true where it is wrong; it may use `at`, the place in the output.
        "where" => only: Option<String>,
        /// It is wrong only where each of these tensors has one of its types.
        "types" => types: Option<Entries<Vec<String>>>,
        /// It is wrong only at these levels.
        "levels" => levels: Option<Vec<String>>,
        /// What stands in the definition instead of its lines.
        "instead" => instead: Vec<InsteadEntry>,
    }
}

record! {
    /// A line of the definition, and what takes its place.
    pub struct InsteadEntry {
        /// The line as it stands there, without indentation and without the comment behind it.
        "line" => line: String,
        /// Which one, from 1, where several lines read the same.
        "nth" => nth: Option<u64>,
        /// One line or several, indented relative to the one that is replaced.
        "by" => by: String,
    }
}
