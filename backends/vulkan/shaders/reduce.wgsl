// The first level of argmax for elements of any width in any number: an invocation reduces a segment of a column.
// include: reduction

@group(0) @binding(0) var<storage, read> elements: array<u32>;

fn load(at: u32) -> vec2<u32> {
    if WIDE {
        return vec2<u32>(elements[2u * at], elements[2u * at + 1u]);
    }
    return vec2<u32>(0u, elements[at]);
}

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
    if parameters.carried == 1u {
        let at = (parameters.candidate_base + number) * CANDIDATE_WORDS;
        best.key.high = bitcast<i32>(candidates[at]);
        if WIDE {
            best.key.low = candidates[at + 1u];
        }
        best.index = candidates[at + CANDIDATE_WORDS - 1u];
    }
    var at = parameters.base + outer * parameters.outer_stride + first * parameters.inner + column;
    for (var row = first; row < end; row += 1u) {
        let candidate = Candidate(key_of(load(at), parameters.kind), parameters.first_row + row);
        if beats(candidate, best, is_last) {
            best = candidate;
        }
        at += parameters.inner;
    }
    hand_on(number, best);
}
