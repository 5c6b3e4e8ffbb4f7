// One-hot across rows of packed output, for values of 4 or 8 bytes and rows that are multiples of 128 bytes: an
// invocation writes 128 bytes, which are eight blocks, of several rows. So many lie together because memory is slow
// where every row is another page.
// include: invocation, index

struct Parameters {
    off: vec4<u32>,         // a block of Off
    change: vec4<u32>,      // the bits in which On differs
    count: u32,             // invocations
    segments: u32,          // of the rows of an outer position
    segment_rows: u32,      // the last segment may have fewer
    rows: u32,              // of an outer position that are bound
    first_row: u32,         // number of the first of them
    row_blocks: u32,        // 16 bytes each
    base: u32,              // where the first row stands among the bound blocks
    index_base: u32,        // where the first index stands among the bound ones
    kind: u32,              // how an index is read
    depth: u32,             // rows of an outer position
    width: u32,             // bytes of a value
}

const BLOCKS = 8u;

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> blocks: array<vec4<u32>>;

// The rows in which the elements of a block are On, word by word.
fn rows_of(element: u32, is_pair: bool) -> vec4<u32> {
    let words = select(vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(0u, 0u, 1u, 1u), is_pair);
    let at = vec4<u32>(parameters.index_base + element) + words;
    if (parameters.kind & INDEX_WIDE) == 0u {
        let low = vec4<u32>(source[at.x], source[at.y], source[at.z], source[at.w]);
        return places_of(low, vec4<u32>(0u), parameters.kind, parameters.depth);
    }
    let wide = at * 2u;
    let low = vec4<u32>(source[wide.x], source[wide.y], source[wide.z], source[wide.w]);
    let high = vec4<u32>(source[wide.x + 1u], source[wide.y + 1u], source[wide.z + 1u], source[wide.w + 1u]);
    return places_of(low, high, parameters.kind, parameters.depth);
}

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
    let across = parameters.row_blocks / BLOCKS;
    let piece = number / across;
    let block = (number - piece * across) * BLOCKS;
    let outer = piece / parameters.segments;
    let first = (piece - outer * parameters.segments) * parameters.segment_rows;
    let end = min(first + parameters.segment_rows, parameters.rows);
    let is_pair = parameters.width == 8u;
    let elements = select(4u, 2u, is_pair);
    let element = (outer * parameters.row_blocks + block) * elements;
    let rows0 = rows_of(element + 0u * elements, is_pair);
    let rows1 = rows_of(element + 1u * elements, is_pair);
    let rows2 = rows_of(element + 2u * elements, is_pair);
    let rows3 = rows_of(element + 3u * elements, is_pair);
    let rows4 = rows_of(element + 4u * elements, is_pair);
    let rows5 = rows_of(element + 5u * elements, is_pair);
    let rows6 = rows_of(element + 6u * elements, is_pair);
    let rows7 = rows_of(element + 7u * elements, is_pair);
    let off = parameters.off;
    let on = off ^ parameters.change;
    var at = parameters.base + (outer * parameters.rows + first) * parameters.row_blocks + block;
    for (var row = first; row < end; row += 1u) {
        let here = vec4<u32>(parameters.first_row + row);
        blocks[at + 0u] = select(off, on, rows0 == here);
        blocks[at + 1u] = select(off, on, rows1 == here);
        blocks[at + 2u] = select(off, on, rows2 == here);
        blocks[at + 3u] = select(off, on, rows3 == here);
        blocks[at + 4u] = select(off, on, rows4 == here);
        blocks[at + 5u] = select(off, on, rows5 == here);
        blocks[at + 6u] = select(off, on, rows6 == here);
        blocks[at + 7u] = select(off, on, rows7 == here);
        at += parameters.row_blocks;
    }
}
