//! The cells of a support table: each accepted at its first level, and refused one level below or one step outside.

use opcert_backend::DataType;

use super::plain::Plain;
use super::{Step, Work};
use crate::kind::Edit;
use crate::render::counted;
use crate::spec::{Check, Level, Operator, SupportRow};

pub(super) const COMMENT: &str = "Each cell of a tensor's support table (data type and dimension count) runs at the \
    first level that has it and is refused one level below; what no level has is refused from the newest row on.";

/// A tensor of an operator with a data type and a dimension count that the support table has at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cell {
    tensor: String,
    data_type: DataType,
    dimensions: usize,
}

/// A case for each cell of a tensor and its refusal, then what lies outside the newest row.
pub(super) fn cases(plain: &Plain<'_>, tensor: &str) -> Work {
    let operator = plain.operator;
    let follows = follows_another(plain, tensor);
    let mut work = Work::new();
    let mut taken = Vec::new();
    for (index, row) in operator.support.iter().enumerate() {
        let all = cells_of(row, tensor);
        let ends = [all.first(), all.iter().rfind(|(data_type, _)| *data_type == all[0].0)];
        for &(data_type, dimensions) in &all {
            let cell = Cell { tensor: tensor.to_owned(), data_type, dimensions };
            let is_shown = !follows || ends.contains(&Some(&(data_type, dimensions)));
            if !is_shown || operator.support[..index].iter().any(|earlier| has(earlier, &cell)) {
                continue;
            }
            let name = name(operator, &cell);
            let title = title(operator, &cell, operator.family.level_name(row.from));
            let sketch = plain.cell(tensor, (data_type, dimensions), row.from, taken.len());
            let Some(sketch) = sketch else {
                work.push(Step::Lacking(name));
                continue;
            };
            work.push(Step::Valid(Box::new(sketch.named(&name, title))));
            // The first level of a family has none below.
            if let Some(below) = row.from.0.checked_sub(1).map(Level) {
                let what = format!("{} with {}", operator.family.spelling(data_type), counted(dimensions, "dimension"));
                let title = format!("{} does not have {what}", operator.family.level_name(below));
                let edit = Edit::new(format!("{name}_below"), title, &name).at(below);
                work.push(unsupported(operator, edit));
            }
            taken.push((name, cell));
        }
    }
    work.extend(outside(operator, tensor, &taken));
    work
}

/// Whether a tensor has the data type and the dimension count of one before it, and the table says the same of both: then the
/// cells of that one are its own, and a few of them are enough.
fn follows_another(plain: &Plain<'_>, tensor: &str) -> bool {
    let operator = plain.operator;
    let agree = |other: &str, is_type: bool| {
        operator.all_requirements().any(|each| {
            let list = match &each.check {
                Some(Check::SameType(same)) if is_type => &same.tensors,
                Some(Check::SameDimensionCount(same)) if !is_type => &same.tensors,
                _ => return false,
            };
            [other, tensor].iter().all(|name| list.iter().any(|each| each == name))
        })
    };
    let mut before = operator.tensors.iter().map(|each| each.name.as_str()).take_while(|name| *name != tensor);
    before.any(|other| {
        let has_its_cells = operator.support.iter().all(|row| cells_of(row, other) == cells_of(row, tensor));
        has_its_cells && agree(other, true) && agree(other, false)
    })
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

/// Breaks what a data type or a dimension count breaks that a level does not have: where there is no such operator, that; the limit
/// of all tensors comes before that of the table.
fn unsupported(operator: &Operator, edit: Edit) -> Step {
    let ranks: [fn(&Check) -> bool; 3] = [
        |check| matches!(check, Check::Introduced),
        |check| matches!(check, Check::DimensionCountByLevel(_)),
        |check| matches!(check, Check::TensorSupport),
    ];
    let of_rank =
        |is: fn(&Check) -> bool| operator.all_requirements().filter(move |each| each.check.as_ref().is_some_and(is));
    Step::Refused(ranks.into_iter().flat_map(of_rank).fold(edit, |edit, each| edit.breaks(&each.id)))
}

fn has(row: &SupportRow, cell: &Cell) -> bool {
    cells_of(row, &cell.tensor).contains(&(cell.data_type, cell.dimensions))
}

fn name(operator: &Operator, cell: &Cell) -> String {
    format!("{}_{}d", operator.family.spelling(cell.data_type).to_lowercase(), cell.dimensions)
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
        let edit = Edit::new(name, format!("No level has {tensor} of {spelling}"), plainest).at(from);
        let data_type = *data_type;
        work.push(unsupported(operator, edit.tensor(tensor, move |tensor| tensor.data_type = data_type)));
    }
    let least = (0..16).find(|&count| dimensions.contains(count)).unwrap_or(0);
    let most = (0..16).rfind(|&count| dimensions.contains(count)).unwrap_or(0);
    for (count, nearest) in [(least.checked_sub(1), least), (Some(most + 1), most)] {
        let twin = taken.iter().find(|(_, cell)| cell.dimensions == nearest);
        let (Some(count), Some((twin, _))) = (count, twin) else { continue };
        let title = format!("No level has {tensor} with {}", counted(count, "dimension"));
        let edit = Edit::new(format!("never_{count}d"), title, twin).at(from).tensor(tensor, move |tensor| {
            if tensor.sizes.len() > count {
                tensor.sizes.remove(0);
            } else {
                tensor.sizes.insert(0, 1);
            }
        });
        work.push(unsupported(operator, edit));
    }
    work
}
