// Elements of 1, 2, 4 or 8 bytes in the words of `source`.

// The element at position `at` as (low, high) words; one of a word or less is the lower end of the low word.
fn load_element(at: u32, width: u32) -> vec2<u32> {
    switch width {
        case 1u: { return vec2<u32>((source[at >> 2u] >> ((at & 3u) * 8u)) & 0xFFu, 0u); }
        case 2u: { return vec2<u32>((source[at >> 1u] >> ((at & 1u) * 16u)) & 0xFFFFu, 0u); }
        case 4u: { return vec2<u32>(source[at], 0u); }
        default: { return vec2<u32>(source[2u * at], source[2u * at + 1u]); }
    }
}

// The same element moved to the upper end of the high word, where its sign is the highest bit whatever its width.
fn raise(element: vec2<u32>, width: u32) -> vec2<u32> {
    return select(vec2<u32>(0u, element.x << ((32u - 8u * width) & 31u)), element, width == 8u);
}
