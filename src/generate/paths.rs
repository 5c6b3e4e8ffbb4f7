//! Values that mistakes confuse, on every path that implementations branch on.
//!
//! A mistake lives in one branch: in rows of 16 and more, in what vectors leave over, in columns, over several axes, above
//! four dimensions, in one layout, for one type. The combinations of such factors are in `factors.rs`; here each becomes a
//! case. Nothing here knows an operator.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Step;
use super::cover::Made;
use super::factors::{BEYOND_FLOAT32, Combination, Factors, MOST_WRITTEN_OUT, Place};
use super::parts::Cell;
use super::sketch::{Incomplete, Sketch};
use opcert_backend::TensorDescriptor;

use crate::case::{Case, Expectation, ExpectedTensor, splitmix64};
use crate::render::counted;
use crate::sample::{Boldness, Choices, Draw, Sample, Sampler, Strides, Wish};
use crate::spec::{Level, Operator};

/// So many samples are drawn for a case until the documents say what comes out.
const TRIES: u64 = 4;
/// So often it is tried where what is expected would have to be spelled out at length.
const TRIES_FOR_A_DIGEST: u64 = 16;

/// The cases of an operator.
pub(super) struct Cases {
    /// What they have in common.
    pub(super) comment: String,
    pub(super) made: Vec<Step>,
}

/// The cases of an operator.
pub(super) fn cases(operator: &Arc<Operator>, sampler: &Sampler) -> Cases {
    let factors = Factors::of(operator, sampler);
    let salt = operator.id.bytes().fold(1, |salt, byte| splitmix64(salt ^ u64::from(byte)));
    let mut choices = Choices::random(salt);
    let mut making = Making { operator, sampler, factors: &factors, salt, names: BTreeSet::new(), made: Vec::new() };
    let is_there = |wish: &Wish, level, layout| {
        let mut draw =
            Draw { choices: &mut Choices::random(salt), operator, level, strided: false, data: true, empty: false };
        sampler.is_there(&mut draw, wish, layout)
    };
    let fills = |chosen: &Combination, cell: &Cell| {
        let wish = factors.wish_of_cell(chosen, cell);
        wish.is_some_and(|wish| is_there(&wish, factors.level(chosen), factors.layout(chosen)))
    };
    let filled = factors.cover(&mut choices, false, |chosen, exactly| making.makes(chosen, exactly, false), fills);
    let plain = factors.cover(&mut choices, true, |chosen, exactly| making.makes(chosen, exactly, true), fills);
    let beyond = making.makes_vector(BEYOND_FLOAT32) == Made::Exactly;
    let (there, large) = (filled.there + plain.there + usize::from(beyond), filled.large + plain.large);
    let is_missing = !beyond && is_there(&factors.vector(BEYOND_FLOAT32), operator.family.highest(), None);
    let missing = match filled.missing + plain.missing + usize::from(is_missing) {
        0 => String::new(),
        missing => format!(" For {missing} more none was found."),
    };
    let comment = format!(
        "Values that are easily confused, at the ends of sequences, around powers of two and in between, for: a length, a \
         number of sequences, a place of the axis, a dimension count, a layout of a tensor, each data type, each level at \
         which something changes. All {there} combinations of two or three of these are there that a descriptor can have, \
         but for {large} that only large tensors have.{missing} Plain values stand in some of them, so that the documents \
         alone decide."
    );
    Cases { comment, made: making.made }
}

struct Making<'a> {
    operator: &'a Arc<Operator>,
    sampler: &'a Sampler,
    factors: &'a Factors,
    salt: u64,
    names: BTreeSet<String>,
    made: Vec<Step>,
}

impl Making<'_> {
    /// Makes a case of a combination.
    fn makes(&mut self, chosen: &Combination, exactly: bool, plain: bool) -> Made {
        let Some(wish) = self.factors.wish(chosen) else { return Made::Nothing };
        let wish = Wish { exactly, ..wish };
        let path = Path {
            place: self.factors.place(chosen),
            length: self.factors.length(chosen),
            layout: self.factors.layout(chosen),
            level: self.factors.level(chosen),
        };
        let seed = chosen.iter().fold(self.salt, |seed, &each| splitmix64(seed ^ each as u64));
        self.tries(wish, &path, plain, seed)
    }

    /// Makes a case of one sequence of a length.
    fn makes_vector(&mut self, length: u64) -> Made {
        let level = self.operator.family.highest();
        let path = Path { place: Place::Only, length, layout: None, level };
        self.tries(self.factors.vector(length), &path, false, splitmix64(self.salt ^ length))
    }

    /// Makes a case as it is wished for, on a path.
    fn tries(&mut self, mut wish: Wish, path: &Path, plain: bool, seed: u64) -> Made {
        let mut at_length = None;
        for number in 0..TRIES_FOR_A_DIGEST {
            if number >= TRIES && at_length.is_none() {
                break;
            }
            wish.boldness = match number {
                _ if plain => Boldness::Plain,
                _ if number < TRIES / 2 => Boldness::Bold,
                _ => Boldness::Usual,
            };
            let mut choices = Choices::random(splitmix64(seed.wrapping_add(number)));
            let operator = &**self.operator;
            let mut draw =
                Draw { choices: &mut choices, operator, level: path.level, strided: false, data: true, empty: false };
            let Some(sample) = self.sampler.wished(&mut draw, &wish, path.layout) else {
                return Made::Nothing;
            };
            let subject = sample.descriptor.tensor(&operator.subject);
            let made = match subject.map(|subject| &subject.sizes) == wish.sizes.as_ref() {
                true => Made::Exactly,
                false => Made::WithOtherSequences,
            };
            // Strides that leave the answer open are taken back.
            let is_packed = |at: usize| {
                let laid_out = sample.descriptor.tensor(&operator.tensors[at].name);
                laid_out.is_none_or(TensorDescriptor::is_packed)
            };
            if path.layout.is_some_and(|(at, _)| is_packed(at)) {
                continue;
            }
            let (mut name, mut title) = (path.name(operator, &sample), path.title(operator, &sample));
            if plain {
                name.insert_str(0, "plain_");
                title.push_str("; plain values");
            }
            let name = self.unused(name);
            let sketch = Sketch::of_sample(self.operator, &sample).named(name.clone(), title);
            let step = match sketch.clone().complete() {
                Err(Incomplete::Open(_)) => continue,
                // A definition may have no room for so much.
                Err(Incomplete::Wrong(_)) if path.length >= BEYOND_FLOAT32 => return Made::Nothing,
                Err(Incomplete::Wrong(_)) => Step::Valid(Box::new(sketch)),
                // Elements that may be anything have no digest.
                Ok(case) if is_at_length(&case) => {
                    at_length.get_or_insert((name, Step::Made(Box::new(case)), made));
                    continue;
                }
                Ok(case) => Step::Made(Box::new(case)),
            };
            self.take(name, step);
            return made;
        }
        let Some((name, step, made)) = at_length else { return Made::Nothing };
        self.take(name, step);
        made
    }

    fn take(&mut self, name: String, step: Step) {
        self.names.insert(name);
        self.made.push(step);
    }

    /// A name that no other case has.
    fn unused(&self, name: String) -> String {
        if !self.names.contains(&name) {
            return name;
        }
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        numbered.into_iter().find(|numbered| !self.names.contains(numbered)).unwrap_or(name)
    }
}

/// Whether many elements that a case expects are spelled out.
fn is_at_length(case: &Case) -> bool {
    let Expectation::Values(values) = &case.expectation else { return false };
    let is_spelled_out = |name: &String, expected: &ExpectedTensor| {
        let tensor = case.tensors.iter().find(|tensor| tensor.name == *name);
        let count = tensor.and_then(|tensor| tensor.descriptor.element_count());
        matches!(expected, ExpectedTensor::Elements(_)) && count.is_none_or(|count| count > MOST_WRITTEN_OUT)
    };
    values.iter().any(|(name, expected)| is_spelled_out(name, expected))
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
        Strides::Rows => "in padded rows",
        Strides::Permuted => "permuted",
        Strides::Repeated => "repeated",
        Strides::Overlapping => "overlapping",
    }
}

/// What an implementation branches on.
struct Path {
    place: Place,
    length: u64,
    /// Which tensor is laid out in which way.
    layout: Option<(usize, Strides)>,
    level: Level,
}

impl Path {
    fn name(&self, operator: &Operator, sample: &Sample) -> String {
        let place = match self.place {
            Place::Only => "vector",
            Place::Last => "rows",
            Place::First => "columns",
            Place::Middle => "middle",
            Place::Trailing => "trailing",
            Place::Neighbours => "neighbours",
            Place::Ends => "ends",
            Place::All => "all",
        };
        let types = types(operator, sample).join("_").to_lowercase();
        let layout = self.layout.map(|(at, kind)| {
            let tensor = crate::render::short(&operator.tensors[at].name);
            format!("_{tensor}_{}", kind_of(kind).replace(' ', "_"))
        });
        format!("{place}_of_{}_{types}{}", self.length, layout.unwrap_or_default())
    }

    fn title(&self, operator: &Operator, sample: &Sample) -> String {
        let length = self.length;
        let sizes = sample.descriptor.tensor(&operator.subject).map_or(&[][..], |tensor| &tensor.sizes);
        let dimensions = counted(sizes.len(), "dimension");
        let wide = if sizes.iter().all(|&size| size == length) { length } else { 2 };
        let layout = self.layout.map(|(at, kind)| format!(", {} {}", operator.tensors[at].name, kind_of(kind)));
        let layout = layout.unwrap_or_default();
        let types = types(operator, sample).join(", ");
        let place = match self.place {
            Place::Only => return format!("A vector of {length}: {types}{layout}"),
            Place::Last => format!("Rows of {length}"),
            Place::First => format!("Columns of {length}"),
            Place::Middle => format!("{length} along a dimension in the middle"),
            Place::Trailing => format!("{wide} by {length} over the last two dimensions"),
            Place::Neighbours => format!("{wide} by {length} over two neighbouring dimensions"),
            Place::Ends => format!("{wide} by {length} over the first and the last dimension"),
            Place::All => format!("All dimensions, {length} in the last one"),
        };
        format!("{place}, of {dimensions}: {types}{layout}")
    }
}
