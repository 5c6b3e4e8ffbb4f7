//! The cells of a support table: each accepted at its first level, and refused one level below or one step outside.

use std::sync::Arc;

use opcert_backend::DataType;

use super::refusals::Edit;
use super::{Plan, Step, Work, values};
use crate::spec::{Check, Level, Operator, Requirement, SupportRow};

pub(super) const COMMENT: &str = "Each cell of the support table (tensor, data type, dimension count) runs at the first \
    level that has it and is refused one level below; what no level has is refused at the highest one.";

/// A tensor of an operator with a data type and a dimension count that the support table has at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) tensor: String,
    pub(super) data_type: DataType,
    pub(super) dimensions: usize,
    /// A number that differs from cell to cell, for plans that let other types take turns.
    pub(super) turn: usize,
}

/// A case for each cell and its refusal, then what lies outside the newest row.
pub(super) fn cases(operator: &Arc<Operator>, plan: &dyn Plan) -> Work {
    let mut work = Work::new();
    let mut taken = Vec::new();
    let mut turn = 0;
    for (index, row) in operator.support.iter().enumerate() {
        let below = Level(row.from.0 - 1);
        for (tensor, dimensions, types) in &row.tensors {
            for &data_type in types {
                for count in (0..16).filter(|&count| dimensions.contains(count)) {
                    let cell = Cell { tensor: tensor.clone(), data_type, dimensions: count, turn };
                    if operator.support[..index].iter().any(|earlier| has(earlier, &cell)) {
                        continue;
                    }
                    turn += 1;
                    let name = name(operator, &cell);
                    let title = title(operator, &cell, operator.family.level_name(row.from));
                    let covers = format!("tensor-support {}", limit_of_all(operator));
                    let sketch = plan.plain(&cell).named(&name, title).covers(&covers);
                    work.push(Step::Valid(Box::new(sketch)));
                    let refused = if below < operator.introduced { "introduced" } else { "tensor-support" };
                    let title = format!("{} does not have it", operator.family.level_name(below));
                    let edit = Edit::new(format!("{name}_below"), title, &name);
                    work.push(Step::Refused(edit.at(below).breaks(limit(operator, below, count, refused))));
                    taken.push((name, cell));
                }
            }
        }
    }
    work.extend(outside(operator, &taken));
    work
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
    row.tensors.iter().any(|(tensor, dimensions, types)| {
        *tensor == cell.tensor && dimensions.contains(cell.dimensions) && types.contains(&cell.data_type)
    })
}

fn name(operator: &Operator, cell: &Cell) -> String {
    let tensor = cell.tensor.trim_end_matches("Tensor").to_lowercase();
    format!("{tensor}_{}_{}d", values::spelled(operator, cell.data_type), cell.dimensions)
}

fn title(operator: &Operator, cell: &Cell, level: &str) -> String {
    let data_type = operator.family.spelling(cell.data_type);
    let plural = if cell.dimensions == 1 { "" } else { "s" };
    format!("{level} has {} of {data_type} with {} dimension{plural}", cell.tensor, cell.dimensions)
}

/// One step outside the newest row: every data type that it lacks, one dimension fewer and one more than it has.
fn outside(operator: &Operator, taken: &[(String, Cell)]) -> Work {
    let mut work = Work::new();
    let Some(newest) = operator.support.last() else { return work };
    for (tensor, dimensions, types) in &newest.tensors {
        // The plainest case in which this tensor decides: its first type, and a dimension count that tables begin with.
        let of_tensor = || taken.iter().filter(|(_, cell)| cell.tensor == *tensor);
        let Some((twin, _)) = of_tensor().find(|(_, cell)| dimensions.contains(cell.dimensions)) else { continue };
        let short = tensor.trim_end_matches("Tensor").to_lowercase();
        for (spelling, data_type) in operator.family.types.iter().filter(|(_, data_type)| !types.contains(data_type)) {
            let name = format!("{short}_never_{}", spelling.to_lowercase());
            let edit = Edit::new(name, format!("No level has {tensor} of {spelling}"), twin).breaks("tensor-support");
            let data_type = *data_type;
            work.push(Step::Refused(edit.at(newest.from).tensor(tensor, move |tensor| tensor.data_type = data_type)));
        }
        let least = (0..16).find(|&count| dimensions.contains(count)).unwrap_or(0);
        let most = (0..16).rfind(|&count| dimensions.contains(count)).unwrap_or(0);
        for (count, from) in [(least.wrapping_sub(1), least), (most + 1, most)] {
            let Some((twin, _)) = of_tensor().find(|(_, cell)| cell.dimensions == from) else { continue };
            let name = format!("{short}_never_{count}d");
            let requirement = limit(operator, newest.from, count, "tensor-support");
            let edit = Edit::new(name, format!("No level has {tensor} with {count} dimensions"), twin);
            let edit = edit.breaks(requirement).at(newest.from);
            work.push(Step::Refused(edit.tensor(tensor, move |tensor| {
                if tensor.sizes.len() > count {
                    tensor.sizes.remove(0);
                } else {
                    tensor.sizes.insert(0, 1);
                }
            })));
        }
    }
    work
}
