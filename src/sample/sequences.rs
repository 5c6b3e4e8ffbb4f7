//! Data that tells mistakes apart wherever an implementation branches.
//!
//! Each sequence of a tensor, along the dimensions that are looked at together, has values of its own: one that comes first
//! among those that a mistake puts before it, in places at the ends, around powers of two and in between. So one case holds
//! as many mistakes as it has sequences.

use std::collections::{BTreeMap, BTreeSet};

use opcert_backend::{DataType, NamedTensor};

use super::choices::Choices;
use super::data::{Doubtful, from_landmark, is_copied, is_index};
use super::draw::{Draw, input_data};
use super::solve::Boldness;
use super::telling::{self, Rivals};
use super::values;
use crate::case::{Data, Pattern, Sequence, Sequences};
use crate::check::InputData;
use crate::definition::{Landmarks, Use};
use crate::element;

/// Numbers of different sequences. From 7 on they share no factor with most sizes, nor with 2^16 and 2^16 - 1: what is by
/// turns in one dimension moves in all others, and what is counted in 16 bits is another one.
const COUNTS: [usize; 16] = [1, 2, 3, 5, 7, 11, 13, 19, 23, 29, 31, 37, 41, 47, 61, 83];
/// Up to so many elements are written out.
const WRITTEN_OUT: usize = 41;
/// So many places in a sequence have a value of their own, if it is long enough.
const PLACES: usize = 6;
/// So often another place is looked for.
const ROOM: usize = 4;
/// Sequences of so many elements have room for two different ones.
const SHORT: usize = 3;
/// So many others stand between what all are told from, in a tensor that has few sequences.
const MOST_OTHERS: usize = 48;
/// Up to the least of these a half has all whole numbers; 16 bits hold those below the next one, and FLOAT32 has those up to the
/// last one.
const FAR: [usize; 3] = [LEAST_FAR, 1 << 16, BEYOND_FLOAT32];
const LEAST_FAR: usize = 1 << 11;
/// Up to this number FLOAT32 has all whole ones, and not the one above it.
const BEYOND_FLOAT32: usize = 1 << 24;
/// Of so many indices half lie within what they count.
const FEW_INDICES: usize = 7;
/// So many indices are written out where several in a row name a place together.
const MOST_IN_TUPLES: usize = 256;
/// So many sequences have others between what all are told from.
const DIFFERENT: usize = 13;

/// So many pairs of values stand beside each other in two tensors.
const PAIRS: usize = 23;

/// Numbers that are added to each other.
const SUMMANDS: [i64; 13] = [1, 5, -2, 3, 7, -1, 4, 9, -6, 2, -3, 8, 6];

/// How full of what they are told from tensors are: mostly, hardly, all of it, nothing of it.
const FILLINGS: usize = 4;

/// What is looked at together in a tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looked<'a> {
    /// Along these dimensions elements are looked at together.
    pub(crate) along: &'a [i64],
    /// Whether each output element follows from the elements in its own place alone.
    pub(crate) pointwise: bool,
    /// Which values there are first: others in another turn.
    pub(crate) turn: usize,
    /// Which index stands where there is only one.
    pub(crate) alone: Option<usize>,
    /// Which values there may be.
    pub(crate) boldness: Boldness,
}

/// How many turns there are until all values were there: where elements are returned they are few, and where they are
/// compared those of a tensor that is one sequence.
pub(crate) fn turns(used: &Use, data_type: DataType, pointwise: bool) -> usize {
    if is_index(used) {
        return 2;
    }
    if !used.compared && used.has_landmarks() {
        return FILLINGS;
    }
    if pointwise && used.compared {
        return telling::pairs(data_type, used.greatest).len().div_ceil(PAIRS);
    }
    if used.added {
        return 2;
    }
    if is_copied(used) {
        return if used.copied { telling::copied(data_type).len() + 1 } else { 1 };
    }
    telling::rivals(data_type, used.greatest).len()
}

/// How many telling indices there are of a sequence that is not short; 0 where the elements are none.
pub(crate) fn indices(used: &Use, data_type: DataType, doubtful: Doubtful) -> usize {
    if is_index(used) { telling::indices(data_type, LEAST_FAR as u64, 5, doubtful).len() } else { 0 }
}

/// The data of an input, which is the `number`th tensor of its operator. `landmarks` are what its elements are compared with.
pub(crate) fn draw(
    draw: &mut Draw<'_, '_>,
    entry: &NamedTensor,
    number: usize,
    (used, landmarks): (&Use, &Landmarks),
    (doubtful, looked): (Doubtful, Looked<'_>),
) -> InputData {
    let tensor = &entry.tensor;
    let data_type = tensor.data_type;
    // Along a stride of 0 all is one element.
    let strides = tensor.strides.iter().flatten().map(Some).chain(std::iter::repeat(None));
    let in_memory = |(&size, stride): (&u64, Option<&u64>)| if stride == Some(&0) { size.min(1) } else { size };
    let sizes: Vec<u64> = tensor.sizes.iter().zip(strides).map(in_memory).collect();
    let count = sizes.iter().product::<u64>() as usize;
    let mut along: Vec<usize> = looked.along.iter().filter_map(|&axis| usize::try_from(axis).ok()).collect();
    along.retain(|&dimension| dimension < tensor.sizes.len());
    along.sort_unstable();
    along.dedup();
    let length = along.iter().map(|&dimension| sizes[dimension] as usize).product::<usize>().max(1);
    let shape = Shape { length, sequences: count / length, turn: looked.turn };
    let each = Shape { length: 1, sequences: count, turn: looked.turn };
    let mut drawing = Drawing { data_type, doubtful, boldness: looked.boldness, choices: &mut *draw.choices };
    let Landmarks { numbers: landmarks, items } = landmarks;
    let are_apart = items.len() > 1 || doubtful.tie && count > 1;
    if is_index(used) && are_apart && sizes.last() == Some(&(items.len() as u64)) && count <= MOST_IN_TUPLES {
        let tuples = drawing.tuples(items, count / items.len());
        let all = places_in(&sizes, &tensor.sizes).into_iter().map(|place| tuples[place]);
        return input_data(entry, all.collect::<Vec<_>>().into_iter());
    }
    let landmarks = if is_index(used) && !items.is_empty() { items } else { landmarks };
    let of = if is_index(used) && doubtful.tie && !along.is_empty() {
        drawing.indices_apart(landmarks, (&each, &shape), looked.alone)
    } else if is_index(used) {
        along.clear();
        drawing.indices(landmarks, &each, looked.alone)
    } else if used.compared && looked.pointwise {
        along.clear();
        drawing.beside_each_other(used.greatest, &each, number)
    } else if used.added {
        drawing.added(&shape)
    } else if used.compared && !is_copied(used) {
        drawing.compared(used.greatest, &shape)
    } else if used.has_landmarks() && !is_copied(used) {
        drawing.told_from(landmarks, &shape)
    } else if used.copied {
        along.clear();
        drawing.copied(looked.turn, number)
    } else {
        along.clear();
        drawing.told_apart(&each)
    };
    let pattern = Pattern::sequences(Sequences { sizes: sizes.clone(), along, of }, data_type);
    let data = Data::Pattern(pattern);
    if count > WRITTEN_OUT && sizes == tensor.sizes {
        return InputData { name: entry.name.clone(), data };
    }
    let elements = data.elements();
    let bits: Vec<u64> = elements.chunks_exact(data_type.bytes()).map(bits).collect();
    let all: Vec<u64> = places_in(&sizes, &tensor.sizes).into_iter().map(|place| bits[place]).collect();
    input_data(entry, all.into_iter())
}

/// For each element of a tensor the place of the one that stands there where some of its sizes are 1.
fn places_in(sizes: &[u64], of: &[u64]) -> Vec<usize> {
    let mut places = vec![0];
    for (&size, &all) in sizes.iter().zip(of) {
        let step = |place: &usize| {
            let first = place * size as usize;
            (0..all).map(move |at| first + at.min(size - 1) as usize)
        };
        places = places.iter().flat_map(step).collect();
    }
    places
}

fn bits(bytes: &[u8]) -> u64 {
    let mut bits = [0; 8];
    bits[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(bits)
}

/// The sequences of a tensor.
struct Shape {
    length: usize,
    sequences: usize,
    turn: usize,
}

impl Shape {
    /// How many different sequences there are for so many that are wanted.
    fn different(&self, wanted: usize) -> usize {
        let enough = COUNTS.iter().copied().find(|&count| count >= wanted).unwrap_or(wanted);
        enough.min(self.sequences).max(1)
    }
}

struct Drawing<'d, 'c> {
    data_type: DataType,
    doubtful: Doubtful,
    boldness: Boldness,
    choices: &'d mut Choices<'c>,
}

impl Drawing<'_, '_> {
    fn sequence(&self, usual: u64, except: BTreeMap<usize, u64>) -> Sequence {
        let bytes = |bits: u64| {
            let is_bold = self.boldness == Boldness::Bold && values::is_subnormal(bits, self.data_type);
            let settled = if is_bold { bits } else { self.doubtful.settled(bits, self.data_type) };
            settled.to_le_bytes()[..self.data_type.bytes()].to_vec()
        };
        let element = bytes(usual);
        let except = except.into_iter().map(|(place, bits)| (place as u64, bytes(bits)));
        let except = except.filter(|(_, other)| *other != element).collect();
        Sequence { element, except }
    }

    /// Sequences of one element each.
    fn single(&self, elements: Vec<u64>) -> Vec<Sequence> {
        elements.into_iter().map(|bits| self.sequence(bits, BTreeMap::new())).collect()
    }

    /// Indices of every kind, by turns.
    fn indices(&mut self, landmarks: &[i128], shape: &Shape, alone: Option<usize>) -> Vec<Sequence> {
        let (found, data_type) = (self.chosen(landmarks, shape, alone), self.data_type);
        // Of those of a float some have a fraction.
        let parts = if self.boldness == Boldness::Plain { 1 } else { 4 };
        let elements = found.iter().enumerate();
        self.single(elements.map(|(at, &index)| values::index_element(index, data_type, at % parts)).collect())
    }

    /// The same where no two of a sequence may name one place: each of them comes first in one, and those that follow it are
    /// left out where their place is taken. Of more indices than there are places some do all the same.
    fn indices_apart(
        &mut self,
        landmarks: &[i128],
        (each, shape): (&Shape, &Shape),
        alone: Option<usize>,
    ) -> Vec<Sequence> {
        let found = self.chosen(landmarks, each, alone);
        let size = i128::from(least_of(landmarks));
        let sequence = |first: usize| {
            let (before, behind) = found.split_at(first);
            let mut taken = BTreeSet::new();
            let all = behind.iter().chain(before).copied().chain(0..size);
            let free = all.filter(|index| taken.insert(index.rem_euclid(size)));
            let mut indices: Vec<i128> = free.take(shape.length).collect();
            indices.resize(shape.length, found[first]);
            indices.into_iter().map(|index| values::index_element(index, self.data_type, 0))
        };
        let sequences = (0..found.len().min(shape.sequences)).map(|first| {
            let mut indices = sequence(first);
            let usual = indices.next().unwrap_or(0);
            self.sequence(usual, indices.enumerate().map(|(at, index)| (at + 1, index)).collect())
        });
        sequences.collect()
    }

    /// Tuples of indices, each of which counts along a dimension of its own, of these sizes. No two are the same while there are
    /// others; some of their indices count from the end where that leaves nothing open.
    fn tuples(&mut self, sizes: &[i128], count: usize) -> Vec<u64> {
        let all = sizes.iter().fold(1u128, |all, size| all.saturating_mul(size.unsigned_abs().max(1)));
        let all = u64::try_from(all).unwrap_or(u64::MAX);
        // A step that shares no factor with their number comes by all of them, and one of about two thirds by all parts soon.
        let mut step = (all / 3 * 2).max(1);
        while greatest_common_divisor(step, all) != 1 {
            step += 1;
        }
        let first = if self.choices.once_in(2) { all - 1 } else { self.choices.below(all) };
        let signed = self.boldness != Boldness::Plain && self.doubtful.allows_index(-1, 1);
        let signed = signed && values::has_index(-1, self.data_type);
        let mut bits = Vec::with_capacity(count * sizes.len());
        for number in 0..count as u64 {
            let mut rest = ((u128::from(first) + u128::from(number) * u128::from(step)) % u128::from(all)) as i128;
            let mut tuple: Vec<i128> = Vec::with_capacity(sizes.len());
            for size in sizes.iter().rev().map(|size| size.abs().max(1)) {
                let index = rest % size;
                rest /= size;
                tuple.push(if signed && self.choices.once_in(3) { index - size } else { index });
            }
            bits.extend(tuple.into_iter().rev().map(|index| values::index_element(index, self.data_type, 0)));
        }
        bits
    }

    /// Indices of every kind.
    fn chosen(&mut self, landmarks: &[i128], shape: &Shape, alone: Option<usize>) -> Vec<i128> {
        let doubtful = self.doubtful;
        let sizes = landmarks.iter().map(|landmark| u64::try_from(landmark.unsigned_abs()).unwrap_or(u64::MAX).max(1));
        let least = least_of(landmarks);
        let data_type = self.data_type;
        let mut found: Vec<i128> = Vec::new();
        for size in sizes.clone() {
            let near = self.choices.below(size);
            found.extend(telling::indices(data_type, size, near, doubtful));
        }
        found.sort_unstable_by_key(|&index| index as u64 & values::ones(data_type));
        found.dedup();
        let wanted = if shape.sequences > 2 * found.len() { 2 * found.len() } else { found.len() };
        let number = shape.different(wanted);
        if self.boldness == Boldness::Plain {
            return (0..number).map(|_| self.choices.below(least).into()).collect();
        }
        // Where there is room, half of them lie within.
        for size in sizes.cycle().take(number.saturating_sub(found.len())) {
            found.push(self.choices.below(size).into());
        }
        let mut found = shuffled(self.choices, found);
        found.truncate(number);
        // So few that there is no room for all: as many lie within as do not.
        for index in found.iter_mut().filter(|_| number <= FEW_INDICES) {
            let within = match far(self.choices, least as usize) {
                Some(far) => far as i128,
                _ => self.choices.below(least).into(),
            };
            if self.choices.once_in(2) || number == 1 {
                *index = within;
            }
        }
        if let (Some(alone), 1) = (alone, number) {
            let near = self.choices.below(least);
            let telling = telling::indices(data_type, least, near, doubtful);
            found = vec![telling[alone % telling.len()]];
        }
        if least > BEYOND_FLOAT32 as u64 {
            found[0] = BEYOND_FLOAT32 as i128 + 1;
        } else if least > LEAST_FAR as u64 && number > 1 {
            // One that a half has not.
            let beyond = LEAST_FAR as u64 + 1 + 2 * self.choices.below((least - LEAST_FAR as u64) / 2);
            found[0] = beyond.min(least - 1).into();
        }
        // An operator whose indices are compared with nothing has no place that is special.
        found.resize(number, 0);
        // The last one of all lies within: what is left over of tiles and blocks shows.
        if number > 1 {
            let last = (shape.sequences - 1) % number;
            if let Some(within) = (0..number).rev().find(|&at| (0..i128::from(least)).contains(&found[at])) {
                found.swap(last, within);
            }
        }
        found
    }

    /// Values that are returned, others for each tensor; in the last turn all are equal.
    fn copied(&self, turn: usize, number: usize) -> Vec<Sequence> {
        let mut found = match self.boldness {
            Boldness::Plain => telling::plain(self.data_type),
            Boldness::Usual | Boldness::Bold => telling::copied(self.data_type),
        };
        let turn = turn % (found.len() + 1);
        if turn == found.len() {
            found = vec![found[turn / 2]];
        } else {
            let first = (turn + number) % found.len();
            found.rotate_left(first);
        }
        self.single(found)
    }

    /// Numbers that are added up along a sequence: zeros but for a few, so that the sums of the longest one are numbers of every
    /// type. Where that is one of integers, two of them are so great that 16 bits and floats lose something of the sums.
    fn added(&mut self, shape: &Shape) -> Vec<Sequence> {
        let number = shape.different(SUMMANDS.len());
        let each = (0..number).map(|at| {
            let mut summands = SUMMANDS.iter().cycle().skip(at + shape.turn);
            let mut next = || {
                let summand = *summands.next().unwrap_or(&1);
                let bits = element::from_integer(summand.abs(), self.data_type);
                if summand < 0 { values::negative(bits, self.data_type) } else { bits }
            };
            let mut except = BTreeMap::new();
            let first = if shape.length > WRITTEN_OUT { 0 } else { next() };
            for _ in 0..MOST_OTHERS.min(shape.length) {
                except.insert(place_in(self.choices, shape.length), next());
            }
            // What both ends add shows, and what stands where narrower numbers end.
            for place in [Some(0), Some(shape.length - 1), far(self.choices, shape.length)].into_iter().flatten() {
                except.insert(place, next());
            }
            if !self.data_type.is_float() && self.boldness != Boldness::Plain {
                let beyond_bytes = element::from_integer((1 << 16) + 1, self.data_type);
                for great in [beyond_bytes, values::beyond_floats(self.data_type)] {
                    except.insert(place_in(self.choices, shape.length), great);
                }
            }
            self.sequence(first, except)
        });
        each.collect()
    }

    /// Values that are neither returned nor compared with anything: what they are is asked.
    fn told_apart(&self, shape: &Shape) -> Vec<Sequence> {
        let mut found = match self.boldness {
            Boldness::Plain => telling::plain(self.data_type),
            Boldness::Usual | Boldness::Bold => telling::kinds(self.data_type),
        };
        let first = shape.turn % found.len();
        found.rotate_left(first);
        found.truncate(shape.different(found.len()));
        self.single(found)
    }

    /// Values that are compared with those of another tensor in the same places: one side of pairs that mistakes confuse.
    fn beside_each_other(&mut self, greatest: bool, shape: &Shape, number: usize) -> Vec<Sequence> {
        let mut pairs = telling::pairs(self.data_type, greatest);
        pairs.retain(|pair| match self.boldness {
            Boldness::Plain => pair.iter().all(|&bits| telling::is_moderate(bits, self.data_type)),
            Boldness::Usual => pair.iter().all(|&bits| !values::is_subnormal(bits, self.data_type)),
            Boldness::Bold => true,
        });
        // Where there is room for a few, they are any of those that have their turn.
        let room = PAIRS.saturating_sub(shape.sequences) as u64;
        let first = (shape.turn * PAIRS + self.choices.below(room.max(1)) as usize) % pairs.len().max(1);
        pairs.rotate_left(first);
        pairs.truncate(shape.different(PAIRS));
        self.single(pairs.into_iter().map(|pair| pair[number % pair.len()]).collect())
    }

    /// Sequences in which one value comes before all others.
    fn compared(&mut self, greatest: bool, shape: &Shape) -> Vec<Sequence> {
        let mut rivals = telling::rivals(self.data_type, greatest);
        rivals.retain(|each| match self.boldness {
            Boldness::Plain => each.is_plain(self.data_type),
            Boldness::Usual => !each.is_tiny(self.data_type),
            Boldness::Bold => true,
        });
        // What is alike throughout ties, but for a sequence of one.
        rivals.retain(|each| !self.doubtful.tie || shape.length == 1 || !each.losers.is_empty());
        if shape.length <= SHORT {
            rivals = rivals.iter().flat_map(Rivals::in_pairs).collect();
        }
        let first = shape.turn.wrapping_mul(shape.sequences);
        let kind = self.choices.below(TIES as u64) as usize;
        // Each of them twice, if there is room: at the end of a sequence and elsewhere.
        let turns = (0..shape.different(2 * rivals.len())).map(|at| first.wrapping_add(at));
        let each = turns.map(|turn| {
            let at_end = match shape.sequences > rivals.len() {
                true => (turn / rivals.len()).is_multiple_of(2),
                false => self.choices.once_in(2),
            };
            // In the next round each of them has another kind of tie.
            let tie = kind.wrapping_add(turn).wrapping_add(turn / rivals.len());
            self.contest(&rivals[turn % rivals.len()], shape.length, at_end, tie)
        });
        each.collect()
    }

    /// A sequence in which one value comes before all others, once or several times.
    fn contest(
        &mut self,
        Rivals { winner, alike, losers }: &Rivals,
        length: usize,
        at_end: bool,
        kind: usize,
    ) -> Sequence {
        let mut except = BTreeMap::new();
        if losers.is_empty() {
            return self.sequence(*winner, except);
        }
        // Of two that are equal either may come later.
        let (winner, alike) = if self.choices.once_in(2) { (winner, alike) } else { (alike, winner) };
        let losers = shuffled(self.choices, losers.clone());
        for place in 0..PLACES.min(length / 2) {
            except.insert(place_in(self.choices, length), losers[place % losers.len()]);
        }
        let may_tie = !self.doubtful.tie;
        let place = match at_end {
            true => (length - 1).saturating_sub(self.choices.below(3) as usize),
            false => place_in(self.choices, length),
        };
        let far = far(self.choices, length);
        let (place, equal) = match far {
            // What is far off comes first alone, or nobody knows that it does.
            Some(far) if length > BEYOND_FLOAT32 || !self.choices.once_in(4) => (far, Vec::new()),
            // Of equal ones that look different one stands between two others, so that each order shows.
            _ if alike != winner => between(self.choices, length),
            _ => ties(self.choices, kind, place, length),
        };
        for other in equal.into_iter().filter(|_| may_tie) {
            except.insert(other, *alike);
        }
        except.insert(place, *winner);
        self.sequence(losers[0], except)
    }

    /// Sequences of what elements are told from, with others in between; and in some the other way round.
    fn told_from(&mut self, landmarks: &[i128], shape: &Shape) -> Vec<Sequence> {
        let mut hits: Vec<u64> = landmarks.iter().map(|&landmark| from_landmark(landmark, self.data_type)).collect();
        if hits.is_empty() {
            hits.push(0);
        }
        let zero = values::negative_zero(self.data_type);
        let (mut others, zero) = match self.boldness {
            Boldness::Plain => (telling::plain(self.data_type), 0),
            Boldness::Usual | Boldness::Bold => (telling::other(self.data_type), zero),
        };
        others.retain(|&bits| !hits.contains(&self.doubtful.settled(bits, self.data_type)));
        let mut others = shuffled(self.choices, others).into_iter().cycle();
        let number = shape.different(DIFFERENT);
        let places = (MOST_OTHERS / number).max(PLACES).min(shape.length);
        let mut found = Vec::with_capacity(number);
        for at in 0..number {
            let hit = hits[at % hits.len()];
            let other = others.next().unwrap_or(1);
            let filling = (at + shape.turn) % FILLINGS;
            let is_dense = filling % 2 == 1;
            let mut except = BTreeMap::new();
            for place in (0..places).filter(|_| filling < 2) {
                let another = if hit == 0 && place % 3 == 2 { zero } else { hit };
                let bits =
                    if place % 3 == 2 || is_dense && place % 3 == 1 { another } else { others.next().unwrap_or(other) };
                // Where there is room, none takes the place of another.
                let tried = [(); ROOM].map(|()| place_in(self.choices, shape.length));
                let free = tried.into_iter().find(|place| !except.contains_key(place));
                except.insert(free.unwrap_or(tried[0]), bits);
            }
            found.push(self.sequence(if is_dense { other } else { hit }, except));
        }
        found
    }
}

/// How many places there are of which indices name one: the least of the numbers that they are compared with.
fn least_of(landmarks: &[i128]) -> u64 {
    // What is below 0 is no place.
    let counted = landmarks.iter().filter(|landmark| **landmark != 0);
    let counted = counted.map(|landmark| u64::try_from(landmark.unsigned_abs()).unwrap_or(u64::MAX));
    counted.min().unwrap_or(1)
}

/// The greatest number that divides both.
const fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

/// The same in another order.
fn shuffled<T>(choices: &mut Choices<'_>, mut all: Vec<T>) -> Vec<T> {
    for last in (1..all.len()).rev() {
        all.swap(last, choices.below(last as u64 + 1) as usize);
    }
    all
}

/// In most long sequences a place that some narrower number does not have, if there is one: the first one is its power of two.
fn far(choices: &mut Choices<'_>, length: usize) -> Option<usize> {
    let (drawn, seldom) = (choices.bits() as usize, choices.once_in(4));
    let first = FAR.iter().copied().rfind(|first| *first < length)?;
    if first == LEAST_FAR && seldom {
        return None;
    }
    // Whole numbers of floats are even ones behind it.
    let behind = (length - first).div_ceil(2);
    Some((first + 2 * (drawn % behind) + 1).min(length - 1))
}

/// How many kinds of ties there are.
const TIES: usize = 8;

/// A place for what comes first in a sequence, and places for what equals it: at one end or both, beside it, further off,
/// several between the ends, or nowhere.
fn ties(choices: &mut Choices<'_>, kind: usize, place: usize, length: usize) -> (usize, Vec<usize>) {
    let (last, between) = (length - 1, length.saturating_sub(2));
    let one = inner(choices, length);
    // Not beside it, if there is room.
    let distance = 2 + choices.below(between.saturating_sub(3).max(1) as u64) as usize;
    let further = |distance: usize| if between < 4 { one } else { 1 + (one - 1 + distance) % between };
    match kind % TIES {
        0 => (place, vec![place.saturating_sub(1)]),
        1 => (one, vec![0]),
        2 => (one, vec![last]),
        3 => (0, vec![last]),
        4 => (one, vec![(one + 1).min(last)]),
        5 => (one, vec![further(1), further(distance)]),
        6 => (one, vec![further(distance)]),
        _ => (place, Vec::new()),
    }
}

/// A place in a sequence, and one on each side of it, if there is room; the last one is at the end in some.
fn between(choices: &mut Choices<'_>, length: usize) -> (usize, Vec<usize>) {
    let mut places = [0; 3].map(|_| choices.below(length as u64) as usize);
    if choices.once_in(2) {
        places[2] = length - 1;
    }
    places.sort_unstable();
    (places[1], vec![places[0], places[2]])
}

/// A place between the ends of a sequence, if there is one.
fn inner(choices: &mut Choices<'_>, length: usize) -> usize {
    let between = length.saturating_sub(2).max(1);
    (1 + choices.below(between as u64) as usize).min(length - 1)
}

/// A place in a sequence: at its ends, around powers of two, or anywhere.
fn place_in(choices: &mut Choices<'_>, length: usize) -> usize {
    let (kind, power, any) = (choices.below(6), choices.below(17), choices.below(length as u64) as usize);
    let place = match kind {
        0 => any % 3,
        1 => (length - 1).saturating_sub(any % 3),
        2 => (length - 1).saturating_sub(any % 130),
        3 => (1 << power) - 1,
        4 => 1 << power,
        _ => any,
    };
    if place < length { place } else { any }
}
