// Keys of elements: integers whose order is the order of the values.
//
// Sign and magnitude of a float become one signed number, so that both zeros are 0 and infinities are values like any
// other. Where the order of NaN is left open, it follows from its bits, beyond the infinity of its sign. Where it is not,
// NaN are moved: all of them have one key, beyond all others.

const KEY_FLOAT = 0u;
const KEY_SIGNED = 1u;
const KEY_UNSIGNED = 2u;
const KEY_KIND = 3u;
// Set beside the kind where keys are in the opposite order.
const KEY_REVERSED = 4u;
// Set where that of NaN is below all others, in the order that is not the opposite one.
const KEY_NAN_LEAST = 8u;
// From this bit on: of how many bits an exponent is, of floats whose NaN are moved. Of all others 0.
const KEY_EXPONENT = 4u;

struct Key {
    high: i32,
    low: u32,
}

// The magnitude of infinity where NaN are moved: what is above is NaN. Nothing is above what it is of other kinds.
fn infinity_of(kind: u32) -> u32 {
    let exponent_bits = kind >> KEY_EXPONENT;
    return select(0x7FFFFFFFu & ~(0x7FFFFFFFu >> exponent_bits), 0xFFFFFFFFu, exponent_bits == 0u);
}

// The high word of the key of a NaN that is moved, in the order that is not the opposite one.
fn nan_of(kind: u32) -> u32 {
    return select(0x7FFFFFFFu, 0x80000000u, (kind & KEY_NAN_LEAST) != 0u);
}

// The key of an element as (low, high) words that is raised to the upper end.
fn key_of(element: vec2<u32>, kind: u32) -> Key {
    let magnitude = element.y & 0x7FFFFFFFu;
    let infinity = infinity_of(kind);
    let is_nan = (magnitude > infinity) | ((magnitude == infinity) & (element.x != 0u));
    let is_negative = (kind & KEY_KIND) == KEY_FLOAT && (element.y >> 31u) == 1u;
    // The magnitude of two words, negated: the low one borrows from the high one.
    let borrow = select(0u, 1u, element.x != 0u);
    let high = select(select(element.y, 0u - magnitude - borrow, is_negative), nan_of(kind), is_nan);
    let low = select(select(element.x, 0u - element.x, is_negative), 0u, is_nan);
    let reverse = select(0u, 0xFFFFFFFFu, (kind & KEY_REVERSED) != 0u);
    let flip = reverse ^ select(0u, 0x80000000u, (kind & KEY_KIND) == KEY_UNSIGNED);
    return Key(bitcast<i32>(high ^ flip), low ^ reverse);
}

// A candidate for the greatest key and where it was found; `NOWHERE` is less than anything.
struct Candidate {
    key: Key,
    index: u32,
}

const NOWHERE = 0xFFFFFFFFu;

// Whether the first candidate is to be preferred: for its key, or for its index where keys are equal.
fn beats(one: Candidate, other: Candidate, last: bool) -> bool {
    if one.index == NOWHERE || other.index == NOWHERE {
        return one.index != NOWHERE;
    }
    if one.key.high != other.key.high {
        return one.key.high > other.key.high;
    }
    if one.key.low != other.key.low {
        return one.key.low > other.key.low;
    }
    return (one.index > other.index) == last;
}
