// The further levels of argmax: an invocation reduces a segment of candidates.
// include: candidates

@group(0) @binding(0) var<storage, read> found: array<u32>;

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
    let piece = number / parameters.inner;
    let column = number - piece * parameters.inner;
    let outer = piece / parameters.segments;
    let first = (piece - outer * parameters.segments) * parameters.segment_rows;
    let end = min(first + parameters.segment_rows, parameters.rows);
    let is_last = parameters.last == 1u;
    var best = Candidate(Key(0, 0u), NOWHERE);
    var place = parameters.base + outer * parameters.outer_stride + first * parameters.inner + column;
    for (var row = first; row < end; row += 1u) {
        let at = place * CANDIDATE_WORDS;
        var candidate = Candidate(Key(bitcast<i32>(found[at]), 0u), found[at + CANDIDATE_WORDS - 1u]);
        if WIDE {
            candidate.key.low = found[at + 1u];
        }
        if beats(candidate, best, is_last) {
            best = candidate;
        }
        place += parameters.inner;
    }
    hand_on(number, best);
}
