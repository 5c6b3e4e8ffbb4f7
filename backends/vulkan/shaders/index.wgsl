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

// The same for four indices, as their low and their high words.
fn places_of(indices_low: vec4<u32>, indices_high: vec4<u32>, kind: u32, depth: u32) -> vec4<u32> {
    let is_signed = (kind & INDEX_SIGNED) != 0u;
    let signed = vec4<u32>(select(0u, 0xFFFFFFFFu, is_signed));
    let signs = bitcast<vec4<u32>>(bitcast<vec4<i32>>(indices_low) >> vec4<u32>(31u)) & signed;
    let high = select(signs, indices_high, (kind & INDEX_WIDE) != 0u);
    let from_end = vec4<u32>(select(0u, 0xFFFFFFFFu, is_signed && (kind & INDEX_FROM_END) != 0u));
    let is_moved = bitcast<vec4<u32>>(bitcast<vec4<i32>>(high) >> vec4<u32>(31u)) & from_end;
    let low = indices_low + (is_moved & vec4<u32>(depth));
    let carried = select(vec4<u32>(0u), vec4<u32>(1u), low < vec4<u32>(depth)) & is_moved;
    return select(vec4<u32>(depth), low, (high + carried == vec4<u32>(0u)) & (low < vec4<u32>(depth)));
}
