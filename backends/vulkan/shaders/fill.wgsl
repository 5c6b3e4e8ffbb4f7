// Fills words with a pattern of 16 bytes.
// include: invocation

const BLOCKS = 16u;         // of 16 bytes, per invocation

struct Parameters {
    pattern: vec4<u32>,
    count: u32,             // blocks
}

var<immediate> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> blocks: array<vec4<u32>>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let first = (group.y * groups.x + group.x) * (WORKGROUP * BLOCKS) + lane;
    let end = min(first - lane + WORKGROUP * BLOCKS, parameters.count);
    let pattern = parameters.pattern;
    for (var block = first; block < end; block += WORKGROUP) {
        blocks[block] = pattern;
    }
}
