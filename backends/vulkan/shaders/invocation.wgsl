// The number of an invocation. Grids are folded into two dimensions where one is not long enough.
const WORKGROUP = 64u;

fn invocation(lane: u32, group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return (group.y * groups.x + group.x) * WORKGROUP + lane;
}
