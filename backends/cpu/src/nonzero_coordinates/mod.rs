//! NONZERO_COORDINATES.
//!
//! Whether an element is zero is decided by its bits: NaN and subnormals are non-zero, and -0.0 is zero. Rows from the
//! count on are undefined and are not written.
//!
//! | file | does |
//! |---|---|
//! | `operator` | what is compiled, and which of the loops below it runs |
//! | `packed` | the loop over the chunks of a packed input, shared among threads |
//! | `masks` | elements to one bit each, and bits to positions |
//! | `coordinates` | positions to coordinates |
//! | `plain` | one element after the other, for every layout |

mod coordinates;
mod masks;
mod operator;
mod packed;
mod plain;

pub(crate) use operator::NonzeroCoordinatesOperator;
