// Turns packed indices into distances from the first element along an axis. One that points at
// none of them is taken for the first.
// include: invocation, element, index

struct Parameters {
    count: u32,             // indices
    kind: u32,              // how an index is read
    depth: u32,             // elements along the axis
    stride: u32,            // from one of them to the next
    distance_base: u32,     // what is bound of the distances before the first of them
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
    let index = load_element(number, select(4u, 8u, (parameters.kind & INDEX_WIDE) != 0u));
    let place = place_of(index, parameters.kind, parameters.depth);
    distances[parameters.distance_base + number] = select(place * parameters.stride, 0u, place == parameters.depth);
}
