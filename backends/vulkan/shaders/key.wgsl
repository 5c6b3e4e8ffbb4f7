// Keys of elements: integers whose order is the order of the values.
//
// Sign and magnitude of a float become one signed number, so that both zeros are 0 and infinities are values like any
// other. The order of NaN is left open: here it follows from its bits, beyond the infinity of its sign.

const KEY_FLOAT = 0u;
const KEY_SIGNED = 1u;
const KEY_UNSIGNED = 2u;

struct Key {
    high: i32,
    low: u32,
}

// The key of an element as (low, high) words that is raised to the upper end.
fn key_of(element: vec2<u32>, kind: u32) -> Key {
    if kind == KEY_UNSIGNED {
        return Key(bitcast<i32>(element.y ^ 0x80000000u), element.x);
    }
    if kind == KEY_SIGNED || (element.y >> 31u) == 0u {
        return Key(bitcast<i32>(element.y), element.x);
    }
    let high = ~(element.y & 0x7FFFFFFFu) + select(0u, 1u, element.x == 0u);
    return Key(bitcast<i32>(high), ~element.x + 1u);
}

// A candidate for the maximum and where it was found; `NOWHERE` is less than anything.
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
