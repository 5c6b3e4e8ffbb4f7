//! Small cases of every shape: each axis of each dimension count, some sets of axes, or where there are no axes each number
//! of leading ones.

use std::collections::BTreeSet;

use opcert_backend::{AttributeValue, DataType};

use super::plain::Plain;
use super::{Step, Work};
use crate::kind::MOST_DIMENSIONS;
use crate::render::counted;
use crate::sample::{Boldness, Sample, Wish};

pub(super) const COMMENT: &str = "Each axis of each dimension count, counted from both ends where that is allowed, and \
    each set of axes of up to four dimensions, cubes among them, with plain values and with others; without axes each \
    number of leading ones, with each size that is left free.";

/// So many samples are drawn of a shape: each that differs in what the checks leave free is kept.
const SAMPLES: u64 = 48;
/// So many of them where there is a number for each dimension, of which all together would be too many.
const MOST_OF_NUMBERS: u64 = 4;
/// Up to so many dimensions there is every set of axes.
const MOST_SETS: usize = 4;

/// A shape: the sizes of the operator's subject, and the axes.
type Shape = (Vec<u64>, Vec<usize>);

pub(super) fn cases(plain: &Plain<'_>) -> Work {
    let (operator, level) = (plain.operator, plain.operator.family.highest());
    let solver = plain.sampler.solver();
    let has_axes = solver.named(level).iter().any(Option::is_some);
    let shapes: Vec<Shape> = (1..=MOST_DIMENSIONS)
        .flat_map(|count| match has_axes {
            true => along(count, solver.names_several(operator, level)),
            // Nothing but the sizes themselves depends on them.
            false if plain.sampler.is_pointwise(operator) => vec![(after_ones(count, 0), Vec::new())],
            false => (0..=count).map(|leading| (after_ones(count, leading), Vec::new())).collect(),
        })
        .collect();
    let (mut work, mut names, mut turn) = (Work::new(), BTreeSet::new(), 0);
    for (sizes, axes) in shapes {
        let mut seen = BTreeSet::new();
        let most = if solver.has_numbers_by_dimension(level) { MOST_OF_NUMBERS } else { SAMPLES };
        for number in 0..SAMPLES {
            if seen.len() as u64 == most {
                break;
            }
            let boldness = if number % 2 == 0 { Boldness::Plain } else { Boldness::Usual };
            let in_turn = |(_, types): &(Vec<usize>, Vec<DataType>)| types.get(turn % types.len().max(1)).copied();
            let Some(types) = solver.types(level).iter().map(|each| in_turn(each).map(Some)).collect() else {
                continue;
            };
            let wish = Wish {
                sizes: Some(sizes.clone()),
                axes: has_axes.then(|| axes.iter().map(|&axis| axis as i64).collect()),
                counts: vec![(plain.subject(), sizes.len())],
                types,
                names: vec![turn; operator.attributes.len()],
                left_out: Some(plain.left_out(turn)),
                turn,
                boldness,
                exactly: true,
                ..Wish::default()
            };
            let Some((sample, sketch)) = plain.sketch(&wish, level, number.wrapping_add(SAMPLES * turn as u64)) else {
                continue;
            };
            if !seen.insert((has_axes && number % 2 == 1, free(plain, &sample))) {
                continue;
            }
            let (name, title) = about(plain, &sample, &sizes, &axes);
            let unused = (1..).map(|at| if at == 1 { name.clone() } else { format!("{name}_{at}") });
            let name = unused.into_iter().find(|name| names.insert(name.clone())).unwrap_or_default();
            work.push(Step::Valid(Box::new(sketch.named(name, title))));
            turn += 1;
        }
    }
    work
}

/// Each axis of so many dimensions, and each set of them where they are few.
fn along(count: usize, several: bool) -> Vec<Shape> {
    let single = (0..count).map(|axis| vec![axis]);
    let of_set = |set: usize| (0..count).filter(|axis| set >> axis & 1 == 1).collect::<Vec<usize>>();
    let most = if several && count <= MOST_SETS { 1 << count } else { 0 };
    let sets = (0..most).map(of_set).filter(|axes| axes.len() > 1);
    // Sizes above 1 stand around each axis, so that a wrong one shows.
    let sizes = |axes: &[usize]| {
        let size = |at: usize| match axes.iter().any(|axis| axis.abs_diff(at) == 1) {
            _ if axes.contains(&at) => 3,
            true => 2,
            false => 1,
        };
        (0..count).map(size).collect()
    };
    // Where all sizes are the same, nothing but the elements tells an axis from another.
    let cubes = (0..count).filter(|_| (2..=MOST_SETS).contains(&count)).map(|axis| (vec![3; count], vec![axis]));
    single.chain(sets).map(|axes| (sizes(&axes), axes)).chain(cubes).collect()
}

/// So many sizes, of which so many in front are 1 and the next one is not.
fn after_ones(count: usize, leading: usize) -> Vec<u64> {
    (0..count)
        .map(|at| match at.checked_sub(leading) {
            None => 1,
            Some(0) => 2,
            Some(1) => 3,
            Some(behind) => 1 + (behind as u64 + 1) % 2,
        })
        .collect()
}

/// What the checks leave free in a sample beside its types: the sizes of tensors that follow from others, and numbers.
fn free(plain: &Plain<'_>, sample: &Sample) -> (Vec<Vec<u64>>, Vec<i64>) {
    let is_free = plain.sampler.solver().free(plain.operator.family.highest());
    let tensors = plain.operator.tensors.iter().zip(is_free).filter(|(_, free)| !*free);
    let sizes = tensors.filter_map(|(tensor, _)| Some(sample.descriptor.tensor(&tensor.name)?.sizes.clone()));
    // Attributes that are one of some values take turns.
    let choices = plain.sampler.solver().choices(plain.operator.family.highest());
    let free = plain.operator.attributes.iter().zip(choices).filter(|(_, count)| *count == 0);
    let values = free.filter_map(|(attribute, _)| plain.operator.value_of(&sample.descriptor, &attribute.name));
    let numbers = values.filter_map(|value| match value {
        AttributeValue::Integer(number) => Some(*number),
        _ => None,
    });
    (sizes.collect(), numbers.collect())
}

fn about(plain: &Plain<'_>, sample: &Sample, sizes: &[u64], axes: &[usize]) -> (String, String) {
    let count = sizes.len();
    let numbers: Vec<i64> = match axes {
        [axis] => {
            let named = plain.sampler.solver().named(plain.operator.family.highest());
            let given = plain.operator.attributes.iter().zip(named).find_map(|(attribute, named)| {
                match (plain.operator.value_of(&sample.descriptor, &attribute.name)?, named) {
                    (AttributeValue::Integer(number), Some(_)) => Some(*number),
                    _ => None,
                }
            });
            vec![given.unwrap_or(*axis as i64)]
        }
        axes => axes.iter().map(|&axis| axis as i64).collect(),
    };
    let words: Vec<String> = numbers.iter().map(i64::to_string).collect();
    match numbers[..] {
        [] => {
            let leading = sizes.iter().take_while(|&&size| size == 1).count();
            let title = format!("{}, the first {leading} of size 1", counted(count, "dimension"));
            let title = if leading == 0 { counted(count, "dimension") } else { title };
            (format!("ones_{leading}_of_{count}"), title)
        }
        [axis] => {
            let (cube, of_cube) =
                if count > 1 && sizes.iter().all(|&size| size == 3) { ("cube_", " of a cube") } else { ("", "") };
            let sign = if axis < 0 { "minus_" } else { "" };
            let dimensions = counted(count, "dimension");
            let title = format!("Along the axis {axis}{of_cube} of {dimensions}");
            (format!("{cube}axis_{sign}{}_of_{count}", axis.abs()), title)
        }
        _ => (
            format!("axes_{}_of_{count}", words.join("_")),
            format!("Over the axes {} of {count} dimensions", words.join(", ")),
        ),
    }
}
