//! One-hot, which DirectML's ONE_HOT, ONNX's OneHot and OpenVINO's OneHot-1 share.
//!
//! Off and On are selected, never computed, so that every bit pattern arrives unchanged and a kernel only needs to know
//! the width of a value.
//!
//! | file | does |
//! |---|---|
//! | `operator` | what is compiled, and which of the loops below it runs |
//! | `places` | where in its sequence an index points |
//! | `packed` | the loops over a packed output, shared among threads |
//! | `plain` | one element after the other, for every layout |
//! | `cast` | indices that are cast before any of that |

mod cast;
mod operator;
mod packed;
mod places;
mod plain;

pub(crate) use cast::CastOneHot;
pub(crate) use operator::OneHotOperator;
