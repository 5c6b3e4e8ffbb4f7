// Keys of elements: integers whose order is the order of the values.
//
// Sign and magnitude of a float become one signed number, so that both zeros are 0 and infinities are values like any
// other. The order of NaN is left open: here it follows from its bits, beyond the infinity of its sign.

const KEY_FLOAT = 0u;
const KEY_SIGNED = 1u;
const KEY_UNSIGNED = 2u;
const KEY_KIND = 3u;
// Set beside the kind where keys are in the opposite order.
const KEY_REVERSED = 4u;

struct Key {
    high: i32,
    low: u32,
}

// The key of an element as (low, high) words that is raised to the upper end.
fn key_of(element: vec2<u32>, kind: u32) -> Key {
    let is_negative = (kind & KEY_KIND) == KEY_FLOAT && (element.y >> 31u) == 1u;
    // The magnitude of two words, negated: the low one borrows from the high one.
    let borrow = select(0u, 1u, element.x != 0u);
    let high = select(element.y, 0u - (element.y & 0x7FFFFFFFu) - borrow, is_negative);
    let low = select(element.x, 0u - element.x, is_negative);
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
