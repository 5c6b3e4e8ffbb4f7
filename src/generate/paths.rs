//! Values that mistakes confuse, on every path that implementations branch on.
//!
//! A mistake lives in one branch: in rows of 16 and more, in what vectors leave over, in columns, over several axes, above
//! four dimensions, in one layout, for one type. So every pair of such factors has a case, with telling data in many places.
//! Nothing here knows an operator: sizes are those of its subject, axes those that its checks speak of.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use opcert_backend::{AttributeValue, Role};

use super::Group;
use super::sketch::Sketch;
use crate::case::splitmix64;
use crate::check::breakpoints;
use crate::expected::{Expected, expected};
use crate::render::counted;
use crate::sample::{Choices, Draw, Sample, Sampler, Strides, Wish};
use crate::spec::{AttributeValues, Level, Operator};

const COMMENT: &str = "Every pair of: a length, a number of sequences, a place of the axis, a dimension count, a layout of \
    a tensor, each data type, each level at which something changes; with values that are easily confused at the ends of \
    sequences, around powers of two and in between.";

/// Lengths below and above the widths in which vectors, blocks and grids come, with what is left over.
const LENGTHS: [u64; 16] = [1, 2, 8, 15, 16, 17, 33, 64, 66, 128, 130, 256, 300, 1030, 4097, 65537];
/// How many sequences there are beside each other.
const SEQUENCES: [u64; 9] = [1, 7, 16, 33, 65, 130, 260, 1030, 65537];
/// A subject of several sequences has at most so many elements, unless one of its sizes alone is larger.
const MOST_ELEMENTS: u64 = 1 << 14;
/// A subject of more elements has at most so many beside each of the larger size.
const BESIDE_LARGE: u64 = 3;
/// A tensor whose elements share memory, and which is written out, has at most so many.
const MOST_WRITTEN_OUT: u64 = 1 << 10;
/// So many samples are drawn for a case until the documents say what comes out.
const TRIES: u64 = 8;
/// Of so many combinations the one that has the most new pairs is taken.
const CANDIDATES: usize = 24;

/// Where the long dimension lies, and with it the axis, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Last,
    First,
    Middle,
    /// Two axes beside each other.
    Neighbours,
    /// The first and the last axis.
    Ends,
    /// All axes.
    All,
}

/// What may be chosen of each factor, and what was.
type Combination = Vec<usize>;

/// The factors of an operator.
struct Factors {
    places: Vec<Place>,
    /// Which tensor is laid out in which way.
    layouts: Vec<Option<(usize, Strides)>>,
    levels: Vec<Level>,
    /// How many of each there are: lengths, sequences, places, dimension counts, layouts, levels, and then data types of each
    /// group of tensors that have one.
    counts: Vec<usize>,
}

const LENGTH: usize = 0;
const BESIDE: usize = 1;
const PLACE: usize = 2;
const DIMENSIONS: usize = 3;
const LAYOUT: usize = 4;
const LEVEL: usize = 5;
const TYPES: usize = 6;

impl Factors {
    fn of(operator: &Operator, sampler: &Sampler) -> Self {
        let highest = operator.family.highest();
        let named = sampler.solver().named(highest);
        let lists = operator.attributes.iter().zip(&named);
        let several = lists
            .into_iter()
            .any(|(attribute, named)| named.is_some() && matches!(attribute.values, AttributeValues::Integers));
        let mut places = vec![Place::Last, Place::First, Place::Middle];
        if several {
            places.extend([Place::Neighbours, Place::Ends, Place::All]);
        }
        let mut layouts = vec![None];
        if operator.family.layouts {
            for (at, tensor) in operator.tensors.iter().enumerate() {
                layouts.extend([Strides::Padded, Strides::Permuted].map(|kind| Some((at, kind))));
                layouts.extend((tensor.role == Role::Input).then_some(Some((at, Strides::Repeated))));
            }
        }
        let mut levels: Vec<Level> =
            breakpoints(operator).into_iter().filter(|level| *level >= operator.introduced).collect();
        levels.reverse();
        let types = sampler.solver().types(highest).iter().map(|(_, types)| types.len());
        let counts = [LENGTHS.len(), SEQUENCES.len(), places.len(), 8, layouts.len(), levels.len()];
        let counts = counts.into_iter().chain(types).collect();
        Self { places, layouts, levels, counts }
    }

    /// Combinations in which every two choices of different factors come together, if anything can come of it.
    fn pairwise(&self, choices: &mut Choices<'_>, mut makes: impl FnMut(&Combination) -> bool) {
        let mut left: BTreeSet<(usize, usize, usize, usize)> = BTreeSet::new();
        for (one, &count) in self.counts.iter().enumerate() {
            for (other, &others) in self.counts.iter().enumerate().skip(one + 1) {
                let pairs = (0..count).flat_map(|a| (0..others).map(move |b| (one, a, other, b)));
                // What is large comes together with every place and no more: it takes time.
                let is_large = |factor, choice| {
                    factor == LENGTH && LENGTHS[choice] > MOST_ELEMENTS
                        || factor == BESIDE && SEQUENCES[choice] > MOST_ELEMENTS
                };
                left.extend(pairs.filter(|&(one, a, other, b)| {
                    !is_large(one, a) && !is_large(other, b) || one == PLACE || other == PLACE
                }));
            }
        }
        while let Some(&(one, a, other, b)) = left.iter().next() {
            let mut candidates: Vec<(usize, Combination)> = Vec::with_capacity(CANDIDATES);
            for _ in 0..CANDIDATES {
                let mut candidate: Combination =
                    self.counts.iter().map(|&count| choices.below(count as u64) as usize).collect();
                // The last one of both is large, and only wanted where it is asked for.
                candidate[LENGTH] = choices.below(self.counts[LENGTH] as u64 - 1) as usize;
                candidate[BESIDE] = choices.below(self.counts[BESIDE] as u64 - 1) as usize;
                (candidate[one], candidate[other]) = (a, b);
                let new = pairs(&candidate).filter(|pair| left.contains(pair)).count();
                candidates.push((new, candidate));
            }
            // Those with the most new pairs first.
            candidates.sort_by_key(|(new, _)| Reverse(*new));
            if let Some((_, made)) = candidates.into_iter().find(|(_, candidate)| makes(candidate)) {
                let filled: BTreeSet<_> = pairs(&made).collect();
                left.retain(|pair| !filled.contains(pair));
            }
            left.remove(&(one, a, other, b));
        }
    }

    /// The sizes and the axes of a combination; nothing where there is none.
    fn shape(&self, chosen: &Combination) -> Option<(Vec<u64>, Vec<i64>)> {
        let (length, dimensions) = (LENGTHS[chosen[LENGTH]], chosen[DIMENSIONS] + 1);
        let beside = SEQUENCES[chosen[BESIDE]];
        let layout = self.layouts[chosen[LAYOUT]];
        let most = if matches!(layout, Some((_, Strides::Repeated))) { MOST_WRITTEN_OUT } else { MOST_ELEMENTS };
        let last = dimensions - 1;
        let (long, axes): (usize, Vec<usize>) = match self.places[chosen[PLACE]] {
            Place::Last => (last, vec![last]),
            Place::First if dimensions > 1 => (0, vec![0]),
            Place::Middle if dimensions > 2 => (dimensions / 2, vec![dimensions / 2]),
            Place::Neighbours if dimensions > 2 => (last - 1, vec![last - 2, last - 1]),
            Place::Ends if dimensions > 2 => (last, vec![0, last]),
            Place::All if dimensions > 1 => (last, (0..dimensions).collect()),
            _ => return None,
        };
        let mut sizes = vec![1; dimensions];
        sizes[long] = length;
        for &axis in axes.iter().filter(|&&axis| axis != long).take(2) {
            sizes[axis] = 2;
        }
        // The innermost dimension that is free has the most, so that it is as wide as it can be.
        let mut rest = beside;
        let fewest = if beside > 1 { 2 } else { 1 };
        let free: Vec<usize> = (0..dimensions).rev().filter(|at| *at != long && !axes.contains(at)).collect();
        for (turn, &at) in free.iter().enumerate() {
            // Another one has two, so that there are planes.
            sizes[at] = match turn {
                0 => std::mem::replace(&mut rest, fewest),
                1 if beside <= 260 => rest,
                _ => 1,
            };
        }
        let elements = sizes.iter().product::<u64>();
        let large = elements / sizes.iter().max().copied().unwrap_or(1).max(1) <= BESIDE_LARGE;
        let fits = elements <= most || large && layout.is_none_or(|(_, kind)| kind != Strides::Repeated);
        (fits && (beside == 1 || !free.is_empty()))
            .then_some((sizes, axes.into_iter().map(|axis| axis as i64).collect()))
    }
}

fn pairs(of: &Combination) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    let each = of.iter().copied().enumerate();
    each.clone().flat_map(move |(one, a)| {
        let others = of.iter().copied().enumerate().skip(one + 1);
        others.map(move |(other, b)| (one, a, other, b))
    })
}

/// The cases of an operator.
pub(super) fn group(operator: &Arc<Operator>) -> Group {
    let sampler = Sampler::new(operator, operator.family.layouts);
    let factors = Factors::of(operator, &sampler);
    let salt = operator.id.bytes().fold(0, |salt, byte| splitmix64(salt ^ u64::from(byte)));
    let mut sketches: Vec<Sketch> = Vec::new();
    let mut choices = Choices::random(salt);
    factors.pairwise(&mut choices, |chosen| {
        let Some((sizes, axes)) = factors.shape(chosen) else { return false };
        let seed = chosen.iter().fold(salt, |seed, &each| splitmix64(seed ^ each as u64));
        let wish = Wish { sizes: Some(sizes), axes: Some(axes), types: chosen[TYPES..].to_vec() };
        let layout = factors.layouts[chosen[LAYOUT]];
        let level = factors.levels[chosen[LEVEL]];
        let drawn = (0..TRIES).find_map(|number| {
            let mut choices = Choices::random(splitmix64(seed.wrapping_add(number)));
            let mut draw = Draw { choices: &mut choices, operator, level, strided: false, data: true };
            let sample = sampler.wished(&mut draw, &wish, layout)?;
            let known = expected(operator, &sample.descriptor, &sample.inputs);
            matches!(known, Ok(Expected::Values(_))).then_some(sample)
        });
        let Some(sample) = drawn else { return false };
        let laid_out = layout.filter(|(at, _)| !sample.descriptor.tensors[*at].tensor.is_packed());
        if laid_out.is_none() && layout.is_some() {
            return false;
        }
        let place = factors.places[chosen[PLACE]];
        let mut name = name(operator, &sample, (place, LENGTHS[chosen[LENGTH]]), laid_out);
        let taken = |name: &str| sketches.iter().any(|sketch| sketch.name() == name);
        if taken(&name) {
            let number = (2..).find(|number| !taken(&format!("{name}_{number}"))).unwrap_or(2);
            name = format!("{name}_{number}");
        }
        let title = title(operator, &sample, (place, LENGTHS[chosen[LENGTH]]), laid_out);
        sketches.push(sketch(operator, name, title, &sample));
        true
    });
    Group { name: "paths", comment: COMMENT, sketches }
}

fn sketch(operator: &Arc<Operator>, name: String, title: String, sample: &Sample) -> Sketch {
    let mut sketch = Sketch::new(operator, name, title);
    for entry in &sample.descriptor.tensors {
        let (tensor, data) = (&entry.tensor, sample.inputs.iter().find(|input| input.name == entry.name));
        sketch = match data {
            Some(input) => sketch.input_of(&entry.name, tensor.data_type, &tensor.sizes, input.data.clone()),
            None => sketch.output(&entry.name, tensor.data_type, &tensor.sizes),
        };
        sketch = sketch.with(&entry.name, |drawn| *drawn = tensor.clone());
    }
    for (attribute, spec) in sample.descriptor.attributes.iter().zip(&operator.attributes) {
        sketch = match &attribute.value {
            _ if spec.length_of.is_some() => sketch,
            AttributeValue::Integer(number) => sketch.integer(&attribute.name, *number),
            AttributeValue::Integers(numbers) => sketch.integers(&attribute.name, numbers),
            AttributeValue::Enumerator(value) => sketch.enumerator(&attribute.name, value),
        };
    }
    sketch
}

/// The types of the tensors, each as often as it follows another one.
fn types(operator: &Operator, sample: &Sample) -> Vec<String> {
    let spelled = |data_type| operator.family.spelling(data_type).to_owned();
    let mut types: Vec<String> =
        sample.descriptor.tensors.iter().map(|entry| spelled(entry.tensor.data_type)).collect();
    types.dedup();
    types
}

const fn kind_of(kind: Strides) -> &'static str {
    match kind {
        Strides::None | Strides::Packed => "packed",
        Strides::Padded => "padded",
        Strides::Permuted => "permuted",
        Strides::Repeated => "repeated",
        Strides::Overlapping => "overlapping",
    }
}

fn name(
    operator: &Operator,
    sample: &Sample,
    (place, length): (Place, u64),
    layout: Option<(usize, Strides)>,
) -> String {
    let place = match place {
        Place::Last => "rows",
        Place::First => "columns",
        Place::Middle => "middle",
        Place::Neighbours => "neighbours",
        Place::Ends => "ends",
        Place::All => "all",
    };
    let types = types(operator, sample).join("_").to_lowercase();
    let layout = layout.map(|(at, kind)| {
        let tensor = operator.tensors[at].name.trim_end_matches("Tensor").to_lowercase();
        format!("_{tensor}_{}", kind_of(kind))
    });
    format!("{place}_of_{length}_{types}{}", layout.unwrap_or_default())
}

fn title(
    operator: &Operator,
    sample: &Sample,
    (place, length): (Place, u64),
    layout: Option<(usize, Strides)>,
) -> String {
    let sizes = sample.descriptor.tensor(&operator.subject).map_or(&[][..], |tensor| &tensor.sizes);
    let dimensions = counted(sizes.len(), "dimension");
    let place = match place {
        Place::Last => format!("Rows of {length}"),
        Place::First => format!("Columns of {length}"),
        Place::Middle => format!("{length} along a dimension in the middle"),
        Place::Neighbours => format!("2 by {length} over two neighbouring dimensions"),
        Place::Ends => format!("2 by {length} over the first and the last dimension"),
        Place::All => format!("All dimensions, {length} in the last one"),
    };
    let layout = layout.map(|(at, kind)| format!(", {} {}", operator.tensors[at].name, kind_of(kind)));
    let types = types(operator, sample).join(", ");
    format!("{place}, of {dimensions}: {types}{}", layout.unwrap_or_default())
}
