// Nonzero coordinates in one pass, for small tensors of any layout: an invocation lists eight elements, after it has
// counted all those before them again.
// include: invocation, element, strided

const SHARE = 8u;

struct Parameters {
    count: u32,             // elements
    width: u32,             // bytes of an element
    significant: u32,       // the bits of a raised element's high word that count: all but the sign of a float
    columns: u32,           // coordinates of a row, those of the last dimensions; at least 1
    row_stride: u32,        // in words
    column_stride: u32,
    tensor: Layout,
    dimensions: u32,        // for coordinates; at least 1
    shape: array<u32, 8>,   // outermost first
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> total: array<u32>;
@group(0) @binding(2) var<storage, read_write> rows: array<u32>;

fn is_nonzero(element: u32) -> bool {
    let bits = raise(load_element(position(element), parameters.width), parameters.width);
    return ((bits.y & parameters.significant) | bits.x) != 0u;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let first = invocation(lane, group, groups) * SHARE;
    if first >= parameters.count {
        return;
    }
    var row = 0u;
    for (var element = 0u; element < first; element += 1u) {
        row += select(0u, 1u, is_nonzero(element));
    }
    let end = min(first + SHARE, parameters.count);
    for (var element = first; element < end; element += 1u) {
        if !is_nonzero(element) {
            continue;
        }
        var rest = element;
        for (var column = 0u; column < parameters.columns; column += 1u) {
            let dimension = parameters.dimensions - 1u - column;
            var value = rest;
            if dimension > 0u {
                rest = value / parameters.shape[dimension];
                value -= rest * parameters.shape[dimension];
            }
            rows[row * parameters.row_stride + (parameters.columns - 1u - column) * parameters.column_stride] = value;
        }
        row += 1u;
    }
    if end == parameters.count {
        total[0] = row;
    }
}
