// One level down of a prefix sum: adds to each entry what lies before its 64.
// include: invocation

struct Parameters {
    count: u32,             // entries
    above_base: u32,        // where the sum for the first 64 stands among the bound ones
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> above: array<u32>;
@group(0) @binding(1) var<storage, read_write> before: array<u32>;

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
    before[number] += above[parameters.above_base + number / 64u];
}
