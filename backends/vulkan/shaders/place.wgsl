// Places On in packed output that is filled with Off: an invocation looks at one index.
//
// Elements outside the bound part of the output are left to another pass.
// include: invocation, element, index

struct Parameters {
    count: u32,             // indices
    first: u32,             // number of the first one, which is bound first
    kind: u32,              // how an index is read
    depth: u32,             // elements of a sequence
    inner: u32,             // elements from one of a sequence to the next
    width: u32,             // bytes of a value
    window_first: u32,      // the bound part of the output, in elements
    window_count: u32,
    on: vec2<u32>,
    change: u32,            // the bits in which On and Off differ, for values of less than a word
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> stored: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = invocation(lane, group, groups);
    if number >= parameters.count {
        return;
    }
    let index = load_element(number, select(4u, 8u, (parameters.kind & INDEX_WIDE) != 0u));
    let place = place_of(index, parameters.kind, parameters.depth);
    if place == parameters.depth {
        return;
    }
    var outer = parameters.first + number;
    var inner = 0u;
    if parameters.inner > 1u {
        let sequence = outer;
        outer = sequence / parameters.inner;
        inner = sequence - outer * parameters.inner;
    }
    let at = (outer * parameters.depth + place) * parameters.inner + inner - parameters.window_first;
    if at >= parameters.window_count {
        return;
    }
    // An element is placed once, so that exchanging the bits that differ makes On of Off and touches no neighbour.
    switch parameters.width {
        case 1u: { atomicXor(&stored[at >> 2u], parameters.change << ((at & 3u) * 8u)); }
        case 2u: { atomicXor(&stored[at >> 1u], parameters.change << ((at & 1u) * 16u)); }
        case 4u: { atomicStore(&stored[at], parameters.on.x); }
        default: {
            atomicStore(&stored[2u * at], parameters.on.x);
            atomicStore(&stored[2u * at + 1u], parameters.on.y);
        }
    }
}
