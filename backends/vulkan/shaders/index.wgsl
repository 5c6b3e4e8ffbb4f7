// Where an index of a one-hot operator points.

const INDEX_WIDE = 1u;          // 8 bytes instead of 4
const INDEX_SIGNED = 2u;
const INDEX_FROM_END = 4u;      // a negative one counts from the end

// The place in a sequence of `depth` elements that an index, as (low, high) words, points at; `depth` when it points
// at none. All 64 bits count: nothing is truncated, and no unsigned index turns negative.
fn place_of(index: vec2<u32>, kind: u32, depth: u32) -> u32 {
    var low = index.x;
    let is_signed = (kind & INDEX_SIGNED) != 0u;
    var high = select(select(0u, 0xFFFFFFFFu, is_signed && (low >> 31u) == 1u), index.y, (kind & INDEX_WIDE) != 0u);
    if is_signed && (high >> 31u) == 1u && (kind & INDEX_FROM_END) != 0u {
        low += depth;
        high += select(0u, 1u, low < depth);
    }
    return select(depth, low, high == 0u && low < depth);
}
