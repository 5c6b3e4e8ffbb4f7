// Keys of four elements of a word each at a time; see key.wgsl.

// The keys of elements that are raised to the upper end.
fn keys_of(elements: vec4<u32>, kind: u32) -> vec4<i32> {
    let keep = select(0xFFFFFFFFu, 0x7FFFFFFFu, kind == KEY_FLOAT);
    let negate = select(0, -1, kind == KEY_FLOAT);
    let flip = select(0, -2147483647 - 1, kind == KEY_UNSIGNED);
    let sign = (bitcast<vec4<i32>>(elements) >> vec4<u32>(31u)) & vec4<i32>(negate);
    return ((bitcast<vec4<i32>>(elements & vec4<u32>(keep)) ^ sign) - sign) ^ vec4<i32>(flip);
}
