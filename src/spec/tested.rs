//! When a valid case puts a requirement to the test for which neither a check nor a line of a definition stands.

use crate::yaml::choice;

choice! {
    /// When a valid case puts a requirement to the test that has no check, and that no line of a definition fulfils.
    #[derive(PartialEq, Eq)]
    pub enum Tested {
        /// Every valid case does. It is what a case asks that is compiled and no more.
        "accepted" => Accepted,
        /// Every case does that is dispatched.
        "dispatched" => Dispatched,
        /// A tensor has strides.
        "strides_given" => StridesGiven,
        /// A tensor has another dimension count than the operator's subject, and the support table does not force it to.
        "dimension_counts_differ" => DimensionCountsDiffer,
        /// The memory of a tensor has at least so many bytes, by its sizes and strides.
        "bytes_at_least" => BytesAtLeast {
            /// The number of bytes.
            bytes: u64,
        },
    }
}
