// Writes the coordinates of listed elements in one dimension: an invocation takes one element.
// include: invocation

struct Parameters {
    count: u32,             // elements that are listed
    inner: u32,             // how many elements lie from one place of the dimension to the next
    size: u32,              // of the dimension
    position_base: u32,     // where the first position stands among the bound ones
    coordinate_base: u32,   // where the first coordinate belongs among the bound ones
    words: u32,             // of a coordinate: 1, or 2, of which the upper one is 0
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> positions: array<u32>;
@group(0) @binding(1) var<storage, read_write> coordinates: array<u32>;

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
    let coordinate = positions[parameters.position_base + number] / parameters.inner % parameters.size;
    let at = parameters.coordinate_base + number;
    if parameters.words == 1u {
        coordinates[at] = coordinate;
    } else {
        coordinates[2u * at] = coordinate;
        coordinates[2u * at + 1u] = 0u;
    }
}
