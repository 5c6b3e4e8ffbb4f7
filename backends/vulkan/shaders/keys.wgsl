// Keys of four elements of a word each at a time; see key.wgsl.

// The keys of elements that are raised to the upper end.
fn keys_of(elements: vec4<u32>, kind: u32) -> vec4<i32> {
    let is_float = (kind & KEY_KIND) == KEY_FLOAT;
    let keep = select(0xFFFFFFFFu, 0x7FFFFFFFu, is_float);
    let negate = select(0, -1, is_float);
    let reverse = select(0, -1, (kind & KEY_REVERSED) != 0u);
    let flip = reverse ^ select(0, -2147483647 - 1, (kind & KEY_KIND) == KEY_UNSIGNED);
    let sign = (bitcast<vec4<i32>>(elements) >> vec4<u32>(31u)) & vec4<i32>(negate);
    let magnitudes = elements & vec4<u32>(keep);
    let is_nan = magnitudes > vec4<u32>(infinity_of(kind));
    let numbers = (bitcast<vec4<i32>>(magnitudes) ^ sign) - sign;
    return select(numbers, vec4<i32>(bitcast<i32>(nan_of(kind))), is_nan) ^ vec4<i32>(flip);
}
