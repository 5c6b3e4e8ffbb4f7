//! ARGMAX, and ARGMIN, whose keys are in the opposite order; and MAX and MIN, which copy what these find.
//!
//! | file | does |
//! |---|---|
//! | `operator` | what is compiled, which of the loops below it runs, and the dispatch for indices |
//! | `extreme` | the dispatch for elements: the indices first, then what stands there |
//! | `nest` | the loops around a kernel: subsets in tiles, their elements in parts, both shared among threads |
//! | `along` | a kernel where neighbours are in the same subset: reduces along a row |
//! | `across` | a kernel where neighbours are in different subsets: reduces across rows |
//! | `short_rows` | a kernel for rows of a few elements |
//! | `plain` | one element after the other, for every layout |

mod across;
mod along;
mod extreme;
mod nest;
mod operator;
mod plain;
mod short_rows;

pub(crate) use extreme::ExtremeOperator;
pub(crate) use operator::ArgMaxOperator;
