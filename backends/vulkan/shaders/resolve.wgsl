// Turns packed tuples of indices into distances from the first element, each index counting along a dimension of its own. One
// that points at nothing there is taken for the first.
// include: invocation, element, index

struct Parameters {
    count: u32,                 // tuples
    kind: u32,                  // how an index is read
    coordinates: u32,           // indices of a tuple
    source_base: u32,           // what is bound of the indices and of the distances before the first of them
    distance_base: u32,
    sizes: array<u32, 8>,       // elements along the dimension of each index
    strides: array<u32, 8>,     // from one of them to the next
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> distances: array<u32>;

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
    let width = select(4u, 8u, (parameters.kind & INDEX_WIDE) != 0u);
    var distance = 0u;
    for (var at = 0u; at < parameters.coordinates; at += 1u) {
        let index = load_element(parameters.source_base + number * parameters.coordinates + at, width);
        let place = place_of(index, parameters.kind, parameters.sizes[at]);
        distance += select(place * parameters.strides[at], 0u, place == parameters.sizes[at]);
    }
    distances[parameters.distance_base + number] = distance;
}
