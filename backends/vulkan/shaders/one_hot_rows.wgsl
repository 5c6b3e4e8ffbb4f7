// One-hot along rows of packed output that are multiples of 16 bytes: invocations that share a segment of a row take
// turns.
// include: invocation, element, index

struct Parameters {
    off: vec4<u32>,         // 16 bytes of Off
    change: vec4<u32>,      // the bits in which On differs
    count: u32,             // invocations
    segments: u32,          // of a row
    segment_blocks: u32,    // 16 bytes each; the last segment of a row may have fewer
    row_blocks: u32,
    lanes: u32,             // logarithm of how many invocations share a segment
    base: u32,              // where the first row stands among the bound blocks
    index_base: u32,        // where its index stands among the bound ones
    kind: u32,              // how an index is read
    depth: u32,             // elements of a row
    width: u32,             // bytes of an element
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> blocks: array<vec4<u32>>;

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
    let stride = 1u << parameters.lanes;
    var row = number >> parameters.lanes;
    var first = number & (stride - 1u);
    var end = parameters.row_blocks;
    if parameters.segments > 1u {
        let piece = row;
        row = piece / parameters.segments;
        let begin = (piece - row * parameters.segments) * parameters.segment_blocks;
        first += begin;
        end = min(begin + parameters.segment_blocks, end);
    }
    let index = load_element(parameters.index_base + row, select(4u, 8u, (parameters.kind & INDEX_WIDE) != 0u));
    let place = place_of(index, parameters.kind, parameters.depth);
    // On stands in one block, in one of its words or in a pair, and there in these bits.
    let width = parameters.width;
    let at = place * width;
    let bits = select(0xFFFFFFFFu, ((1u << ((8u * width) & 31u)) - 1u) << ((at & 3u) * 8u), width < 4u);
    let words = vec4<u32>(0u, 4u, 8u, 12u) & vec4<u32>(select(12u, 8u, width == 8u));
    let holds = words == vec4<u32>(at & select(12u, 8u, width == 8u));
    let off = parameters.off;
    let on = off ^ select(vec4<u32>(0u), parameters.change & vec4<u32>(bits), holds);
    let marked = select(at >> 4u, 0xFFFFFFFFu, place == parameters.depth);
    let origin = parameters.base + row * parameters.row_blocks;
    for (var block = first; block < end; block += stride) {
        blocks[origin + block] = select(off, on, block == marked);
    }
}
