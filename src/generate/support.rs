//! The cells of a support table: each accepted at its first level, and refused one level below or one step outside.

use std::sync::Arc;

use opcert_backend::DataType;

use super::refusals::Edit;
use super::{Plan, Step, Work, values};
use crate::render::counted;
use crate::spec::{Check, Level, Operator, Requirement, SupportRow};

pub(super) const COMMENT: &str = "Each cell of a tensor's support table (data type and dimension count) runs at the \
    first level that has it and is refused one level below; what no level has is refused from the newest row on.";

/// A tensor of an operator with a data type and a dimension count that the support table has at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) tensor: String,
    pub(super) data_type: DataType,
    pub(super) dimensions: usize,
    /// A number that differs from cell to cell, for plans that let other types take turns.
    pub(super) turn: usize,
}

/// A case for each cell of a tensor and its refusal, then what lies outside the newest row.
pub(super) fn cases(operator: &Arc<Operator>, plan: &dyn Plan, tensor: &str) -> Work {
    let mut work = Work::new();
    let mut taken = Vec::new();
    for (index, row) in operator.support.iter().enumerate() {
        for (data_type, dimensions) in cells_of(row, tensor) {
            let cell = Cell { tensor: tensor.to_owned(), data_type, dimensions, turn: taken.len() };
            if operator.support[..index].iter().any(|earlier| has(earlier, &cell)) {
                continue;
            }
            let name = name(operator, &cell);
            let title = title(operator, &cell, operator.family.level_name(row.from));
            let sketch = plan.plain(&cell).named(&name, title);
            work.push(Step::Valid(Box::new(sketch)));
            let below = Level(row.from.0 - 1);
            let refused = if below < operator.introduced { "introduced" } else { "tensor-support" };
            let what = format!("{} with {}", operator.family.spelling(data_type), counted(dimensions, "dimension"));
            let title = format!("{} does not have {what}", operator.family.level_name(below));
            let edit = Edit::new(format!("{name}_below"), title, &name);
            work.push(Step::Refused(edit.at(below).breaks(limit(operator, below, dimensions, refused))));
            taken.push((name, cell));
        }
    }
    work.extend(outside(operator, tensor, &taken));
    work
}

/// The data types and dimension counts that a row has of a tensor.
fn cells_of(row: &SupportRow, tensor: &str) -> Vec<(DataType, usize)> {
    let of_tensor = row.tensors.iter().filter(|(name, ..)| name == tensor);
    let pairs = of_tensor.flat_map(|(_, dimensions, types)| {
        let counts = (0..16).filter(|&count| dimensions.contains(count));
        types.iter().flat_map(move |&data_type| counts.clone().map(move |count| (data_type, count)))
    });
    pairs.collect()
}

/// The requirement that limits the dimension count of every tensor of the family.
fn limit_of_all(operator: &Operator) -> &str {
    let limits = |requirement: &&Requirement| matches!(requirement.check, Some(Check::DimensionCountByLevel { .. }));
    operator.family.requirements.iter().find(limits).map_or("", |requirement| &requirement.id)
}

/// What a dimension count breaks one level below: the limit of all tensors comes before that of the table.
fn limit<'a>(operator: &'a Operator, below: Level, count: usize, otherwise: &'a str) -> &'a str {
    let rule = operator.family.requirements.iter().find_map(|requirement| match &requirement.check {
        Some(Check::DimensionCountByLevel { from }) => Some(from),
        _ => None,
    });
    let rows = rule.map(|from| from.0.as_slice()).unwrap_or_default();
    let row = rows.iter().rev().find(|(level, _)| operator.family.level(level).is_some_and(|level| level <= below));
    let fits = row.is_none_or(|(_, range)| range.contains(count));
    if fits || otherwise == "introduced" { otherwise } else { limit_of_all(operator) }
}

fn has(row: &SupportRow, cell: &Cell) -> bool {
    cells_of(row, &cell.tensor).contains(&(cell.data_type, cell.dimensions))
}

fn name(operator: &Operator, cell: &Cell) -> String {
    format!("{}_{}d", values::spelled(operator, cell.data_type), cell.dimensions)
}

fn title(operator: &Operator, cell: &Cell, level: &str) -> String {
    let data_type = operator.family.spelling(cell.data_type);
    format!("{level} has {} of {data_type} with {}", cell.tensor, counted(cell.dimensions, "dimension"))
}

/// One step outside the newest row: every data type that it lacks, one dimension fewer and one more than it has.
fn outside(operator: &Operator, tensor: &str, taken: &[(String, Cell)]) -> Work {
    let mut work = Work::new();
    let newest = operator.support.last().and_then(|row| {
        let (_, dimensions, types) = row.tensors.iter().find(|(name, ..)| name == tensor)?;
        Some((row.from, dimensions, types))
    });
    let (Some((from, dimensions, types)), Some((plainest, _))) = (newest, taken.first()) else { return work };
    for (spelling, data_type) in operator.family.types.iter().filter(|(_, data_type)| !types.contains(data_type)) {
        let name = format!("never_{}", spelling.to_lowercase());
        let edit = Edit::new(name, format!("No level has {tensor} of {spelling}"), plainest).breaks("tensor-support");
        let data_type = *data_type;
        work.push(Step::Refused(edit.at(from).tensor(tensor, move |tensor| tensor.data_type = data_type)));
    }
    let least = (0..16).find(|&count| dimensions.contains(count)).unwrap_or(0);
    let most = (0..16).rfind(|&count| dimensions.contains(count)).unwrap_or(0);
    for (count, nearest) in [(least.wrapping_sub(1), least), (most + 1, most)] {
        let Some((twin, _)) = taken.iter().find(|(_, cell)| cell.dimensions == nearest) else { continue };
        let title = format!("No level has {tensor} with {}", counted(count, "dimension"));
        let edit = Edit::new(format!("never_{count}d"), title, twin);
        let edit = edit.breaks(limit(operator, from, count, "tensor-support")).at(from);
        work.push(Step::Refused(edit.tensor(tensor, move |tensor| {
            if tensor.sizes.len() > count {
                tensor.sizes.remove(0);
            } else {
                tensor.sizes.insert(0, 1);
            }
        })));
    }
    work
}
