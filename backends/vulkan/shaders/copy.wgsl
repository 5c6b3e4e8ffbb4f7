// Copies blocks of 16 bytes: what memory costs.
// include: invocation

struct Parameters {
    count: u32,             // blocks
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> target_blocks: array<vec4<u32>>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = invocation(lane, group, groups);
    if number < parameters.count {
        target_blocks[number] = source[number];
    }
}
