//! When a valid case puts a requirement to the test for which neither a check nor a line of a definition stands.

use crate::yaml::choice;

choice! {
    /// When a valid case puts a requirement to the test that has no check, and that no line of a definition fulfils.
    pub enum Tested {
        /// Every valid case does. It is what a case asks that is compiled and no more.
        "accepted" => Accepted,
        /// Every case does that is dispatched.
        "dispatched" => Dispatched,
        /// A tensor has strides.
        "strides_given" => StridesGiven,
        /// A tensor has another dimension count than the operator's subject, and not for the support table's sake: it could
        /// have one that is nearer.
        "dimension_counts_differ" => DimensionCountsDiffer,
        /// An attribute is left out that has a default.
        "left_out" => LeftOut {
            /// The attribute.
            attribute: String,
        },
        /// The memory of a tensor has at least so many bytes, by its sizes and strides.
        "bytes_at_least" => BytesAtLeast {
            /// The number of bytes.
            bytes: u64,
        },
    }
}

impl std::fmt::Display for Tested {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Accepted => formatter.write_str("by every valid case"),
            Self::Dispatched => formatter.write_str("by every valid case that is dispatched"),
            Self::StridesGiven => formatter.write_str("by valid cases in which a tensor has strides"),
            Self::DimensionCountsDiffer => formatter.write_str(
                "by valid cases in which a tensor has another dimension count than the operator's subject, though it could have a nearer one",
            ),
            Self::LeftOut(LeftOut { attribute }) => write!(formatter, "by valid cases that leave out `{attribute}`"),
            Self::BytesAtLeast(BytesAtLeast { bytes }) => {
                write!(formatter, "by valid cases in which a tensor takes at least {bytes} bytes of memory")
            }
        }
    }
}
