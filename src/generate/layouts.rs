//! The ways in which a tensor may lie in memory.

use opcert_backend::{Role, TensorDescriptor};

use super::sketch::Sketch;
use crate::layout::conflict;

/// A layout: its name, what it is in words, and the strides that it gives to sizes.
type Layout = (&'static str, &'static str, fn(&[u64]) -> Vec<u64>);

/// The layout whose strides move nothing.
const IDLE: &str = "with_idle_strides";

/// About how many bytes a tensor spans at least that is to leave a window of 4 KiB.
const LONG_SPAN: u64 = 6000;

/// Layouts in which every element has memory of its own.
const LAYOUTS: [Layout; 6] = [
    ("padded", "rows are longer in memory than they are wide", |sizes| {
        let last = sizes.len().saturating_sub(1);
        nested(sizes, (0..sizes.len()).rev(), 1, |at| if at == last { 3 } else { 0 })
    }),
    ("spread", "between any two elements lie others that belong to nobody", |sizes| {
        nested(sizes, (0..sizes.len()).rev(), 2, |_| 0)
    }),
    ("transposed", "the first dimension is the fastest in memory", |sizes| nested(sizes, 0..sizes.len(), 1, |_| 0)),
    ("transposed_and_padded", "the first dimension is the fastest in memory, and columns are padded", |sizes| {
        nested(sizes, 0..sizes.len(), 1, |_| 1)
    }),
    ("rotated", "the last dimension is the slowest in memory, the others keep their order", |sizes| {
        let last = sizes.len().saturating_sub(1);
        nested(sizes, (0..last).rev().chain([last]), 1, |_| 0)
    }),
    (IDLE, "dimensions of size 1 have strides that mean nothing", |sizes| {
        let packed = nested(sizes, (0..sizes.len()).rev(), 1, |_| 0);
        std::iter::zip(packed, sizes).map(|(stride, &size)| if size == 1 { 977 } else { stride }).collect()
    }),
];

/// Strides that nest in an order of the dimensions, the fastest first: that one has the stride `shortest`, and each
/// other steps over all before it, and over the padding of each.
fn nested(
    sizes: &[u64],
    order: impl IntoIterator<Item = usize>,
    shortest: u64,
    padding: impl Fn(usize) -> u64,
) -> Vec<u64> {
    let mut strides = vec![0; sizes.len()];
    let mut next = shortest;
    for at in order.into_iter().filter(|&at| at < sizes.len()) {
        strides[at] = next;
        next *= sizes[at] + padding(at);
    }
    strides
}

/// The layouts of these sizes, each once: those in which elements lie elsewhere than packed ones, and strides that mean
/// nothing.
pub(super) fn of(sizes: &[u64]) -> Vec<(&'static str, &'static str, Vec<u64>)> {
    let matter = |strides: &[u64]| -> Vec<u64> {
        std::iter::zip(strides, sizes).filter(|(_, size)| **size > 1).map(|(stride, _)| *stride).collect()
    };
    let packed = nested(sizes, (0..sizes.len()).rev(), 1, |_| 0);
    let mut seen = vec![matter(&packed)];
    let mut layouts = Vec::new();
    for (name, words, strides) in LAYOUTS {
        let strides = strides(sizes);
        let (idle, moved) = (name == IDLE && strides != packed, !seen.contains(&matter(&strides)));
        if idle || moved {
            seen.push(matter(&strides));
            layouts.push((name, words, strides));
        }
    }
    layouts
}

/// The sketch with one tensor that spans more than 4 KiB: rows that are padded, and columns that are fast.
pub(super) fn long_spans(sketch: &Sketch, tensor: &str) -> Vec<Sketch> {
    let Some((_, descriptor)) = sketch.tensor_of(tensor) else { return Vec::new() };
    let (sizes, width) = (&descriptor.sizes, descriptor.data_type.bytes() as u64);
    let short = tensor.trim_end_matches("Tensor").to_lowercase();
    let named = |what: &str, words: &str, strides: Vec<u64>| {
        let name = format!("{}_{short}_{what}_beyond_4_kib", sketch.name());
        let title = format!("{tensor}: more than 4 KiB, {words}");
        sketch.clone().named(name, title).strides(tensor, &strides)
    };
    let (rows, columns) = long_strides(sizes, width);
    vec![
        named("padded", "and rows are longer in memory than they are wide", rows),
        named("transposed", "and the first dimension is the fastest in memory", columns),
    ]
}

/// Strides by which elements of some bytes span a good deal more than 4 KiB: in padded rows, and in columns that are
/// padded if they would be too short otherwise.
pub(super) fn long_strides(sizes: &[u64], width: u64) -> (Vec<u64>, Vec<u64>) {
    let last = sizes.len().saturating_sub(1);
    let elements = LONG_SPAN.div_ceil(width);
    let count: u64 = sizes.iter().product();
    // By how much runs of this length have to be padded.
    let padding = |length: u64| (elements * length).div_ceil(count).saturating_sub(length);
    let rows = nested(sizes, (0..sizes.len()).rev(), 1, |at| if at == last { padding(sizes[at]).max(3) } else { 0 });
    let columns = nested(sizes, 0..sizes.len(), 1, |at| if at == 0 { padding(sizes[at]) } else { 0 });
    (rows, columns)
}

/// The sketch with one tensor in each layout, and with everything that a tensor may have beside strides.
pub(super) fn variants(sketch: &Sketch, tensor: &str) -> Vec<Sketch> {
    let Some((role, descriptor)) = sketch.tensor_of(tensor) else { return Vec::new() };
    let short = tensor.trim_end_matches("Tensor").to_lowercase();
    let named = |what: &str, words: &str| {
        let name = format!("{}_{short}_{what}", sketch.name());
        sketch.clone().named(name, format!("{tensor}: {words}"))
    };
    let mut variants: Vec<Sketch> = of(&descriptor.sizes)
        .into_iter()
        .map(|(what, words, strides)| named(what, words).strides(tensor, &strides))
        .collect();
    let bytes = descriptor.span_bytes().unwrap_or(0).next_multiple_of(4);
    let width = descriptor.data_type.bytes() as u64;
    variants.push(
        named("with_room_behind", "more bytes are stated than the elements take")
            .with(tensor, |tensor| tensor.total_bytes = Some(bytes + 64)),
    );
    for (what, alignment) in [("aligned_to_an_element", width), ("aligned_to_256", 256)] {
        let words = format!("an alignment of {alignment} bytes is promised");
        variants.push(named(what, &words).with(tensor, |tensor| tensor.alignment = alignment));
    }
    if role == Role::Input {
        let flagged = named("owned_by_dml", "the flag OWNED_BY_DML, which inputs may have");
        variants.push(flagged.with(tensor, |tensor| tensor.flags.push("OWNED_BY_DML".to_owned())));
    }
    variants
}

/// An input of the sketch broadcast along each dimension along which its data repeats.
pub(super) fn broadcasts(sketch: &Sketch, tensor: &str) -> Vec<Sketch> {
    let Some((_, descriptor)) = sketch.tensor_of(tensor) else { return Vec::new() };
    let Some(elements) = sketch.elements_of(tensor) else { return Vec::new() };
    let short = tensor.trim_end_matches("Tensor").to_lowercase();
    let wide: Vec<usize> = (0..descriptor.sizes.len()).filter(|&at| descriptor.sizes[at] > 1).collect();
    let mut sets: Vec<Vec<usize>> = wide.iter().map(|&at| vec![at]).collect();
    sets.push(wide);
    sets.dedup();
    let mut found = Vec::new();
    for set in sets {
        // Dimensions that are left out of the nesting have the stride 0.
        let others = (0..descriptor.sizes.len()).rev().filter(|at| !set.contains(at));
        let strides = nested(&descriptor.sizes, others, 1, |_| 0);
        let broadcast = TensorDescriptor { strides: Some(strides.clone()), ..descriptor.clone() };
        if conflict(&broadcast, &elements).is_some() {
            continue;
        }
        let along = set.iter().map(usize::to_string).collect::<Vec<_>>().join("_");
        let name = format!("{}_{short}_broadcast_along_{along}", sketch.name());
        let title = format!("{tensor} has the stride 0 along {}", along.replace('_', ", "));
        found.push(sketch.clone().named(name, title).strides(tensor, &strides));
    }
    found
}
