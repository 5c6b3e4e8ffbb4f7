// Elements of 1, 2, 4 or 8 bytes stored next to elements that other invocations store.

@group(0) @binding(1) var<storage, read_write> stored: array<atomic<u32>>;

// Stores an element at position `at`. A part of a word is changed by exchanging the bits that differ: no other
// invocation changes these, and no other bits are touched.
fn store_element(at: u32, element: vec2<u32>, width: u32) {
    switch width {
        case 1u: { store_bits(at >> 2u, (at & 3u) * 8u, 0xFFu, element.x); }
        case 2u: { store_bits(at >> 1u, (at & 1u) * 16u, 0xFFFFu, element.x); }
        case 4u: { atomicStore(&stored[at], element.x); }
        default: {
            atomicStore(&stored[2u * at], element.x);
            atomicStore(&stored[2u * at + 1u], element.y);
        }
    }
}

fn store_bits(word: u32, shift: u32, mask: u32, bits: u32) {
    let before = atomicLoad(&stored[word]) >> shift;
    atomicXor(&stored[word], ((before ^ bits) & mask) << shift);
}
