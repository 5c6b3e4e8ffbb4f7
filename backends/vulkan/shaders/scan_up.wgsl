// One level up of a prefix sum: an invocation takes 64 entries, writes for each the sum of those before it, and hands
// the sum of all on to the level above.
// include: invocation

struct Parameters {
    count: u32,             // entries
    total_base: u32,        // where the first sum handed on stands among the bound ones
    are_marks: u32,         // 1: an entry counts the bits that are set in it
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> entries: array<u32>;
@group(0) @binding(1) var<storage, read_write> before: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = invocation(lane, group, groups);
    let first = number * 64u;
    if first >= parameters.count {
        return;
    }
    let end = min(first + 64u, parameters.count);
    let are_marks = parameters.are_marks == 1u;
    var sum = 0u;
    for (var at = first; at < end; at += 1u) {
        let entry = entries[at];
        before[at] = sum;
        sum += select(entry, countOneBits(entry), are_marks);
    }
    totals[parameters.total_base + number] = sum;
}
