// Where each element of sequences comes from whose first ones are turned around: the distance along the axis, from the first
// element of its sequence.
// include: invocation, element

struct Parameters {
    count: u32,             // elements
    first: u32,             // the number of the first one, whose length is bound first
    width: u32,             // bytes of a length
    depth: u32,             // elements of a sequence
    inner: u32,             // elements from one of a sequence to the next
    stride: u32,            // the same where they come from
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
    // All 64 bits of a length count.
    let stated = load_element(number, parameters.width);
    let length = select(min(stated.x, parameters.depth), parameters.depth, stated.y != 0u);
    let at = (parameters.first + number) / parameters.inner % parameters.depth;
    let place = select(at, length - 1u - at, at < length);
    distances[parameters.distance_base + number] = place * parameters.stride;
}
