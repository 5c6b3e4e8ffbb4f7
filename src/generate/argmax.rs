//! The plan of this operator.
use super::sketch::Sketch;
use super::support::Cell;
use super::{Group, Plan};
use crate::spec::Operator;
use std::sync::Arc;
pub(super) struct ArgMax {
    pub(super) operator: Arc<Operator>,
}
impl Plan for ArgMax {
    fn plain(&self, _: &Cell) -> Sketch {
        Sketch::new(&self.operator, "", "")
    }
    fn bases(&self) -> Vec<Sketch> {
        Vec::new()
    }
    fn groups(&self) -> Vec<Group> {
        Vec::new()
    }
}
