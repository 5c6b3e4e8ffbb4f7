// One-hot in one pass, for small tensors of any layout: an invocation decides one element of the output.
// include: invocation, element, element_store, index

struct Parameters {
    count: u32,                     // elements of the output
    form: u32,                      // a byte each: dimensions of the output, axis, kind of index, bytes of a value
    on: vec2<u32>,
    off: vec2<u32>,
    sizes: array<u32, 8>,           // of the output, outermost first
    output_strides: array<u32, 8>,
    index_strides: array<u32, 8>,   // 0 along the axis
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var rest = invocation(lane, group, groups);
    if rest >= parameters.count {
        return;
    }
    let dimensions = parameters.form & 0xFFu;
    let axis = (parameters.form >> 8u) & 0xFFu;
    let kind = (parameters.form >> 16u) & 0xFFu;
    var at = 0u;
    var index_at = 0u;
    var coordinate = 0u;
    for (var step = 0u; step < dimensions; step += 1u) {
        let dimension = dimensions - 1u - step;
        let outer = rest / parameters.sizes[dimension];
        let here = rest - outer * parameters.sizes[dimension];
        at += here * parameters.output_strides[dimension];
        index_at += here * parameters.index_strides[dimension];
        coordinate = select(coordinate, here, dimension == axis);
        rest = outer;
    }
    let index = load_element(index_at, select(4u, 8u, (kind & INDEX_WIDE) != 0u));
    let hit = place_of(index, kind, parameters.sizes[axis]) == coordinate;
    store_element(at, select(parameters.off, parameters.on, hit), parameters.form >> 24u);
}
