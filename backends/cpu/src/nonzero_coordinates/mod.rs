//! NONZERO_COORDINATES of DirectML, and NonZero of ONNX and OpenVINO.
//!
//! Whether an element is zero is decided by its bits: NaN and subnormals are non-zero, and -0.0 is zero.
//! NONZERO_COORDINATES writes rows, as many as there are elements; those from the count on are undefined and are not
//! written. NonZero writes columns, as many as are not zero, and nothing where another number is expected.
//!
//! | file | does |
//! |---|---|
//! | `operator` | what is compiled for DirectML |
//! | `columns` | what is compiled for ONNX and OpenVINO |
//! | `search` | what both search with, and which of the loops below it runs |
//! | `packed` | the loop over the chunks of a packed input, shared among threads |
//! | `masks` | elements to one bit each, and bits to positions |
//! | `coordinates` | positions to coordinates |
//! | `plain` | one element after the other, for every layout |

mod columns;
mod coordinates;
mod masks;
mod operator;
mod packed;
mod plain;
mod search;

pub(crate) use columns::NonZeroOperator;
pub(crate) use operator::NonzeroCoordinatesOperator;
