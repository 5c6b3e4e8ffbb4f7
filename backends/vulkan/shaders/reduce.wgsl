// The first level of argmax for elements of any width in any number: an invocation reduces a segment of a column.
// include: candidates

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
    let inner = parameters.inner;
    let piece = number / inner;
    let column = number - piece * inner;
    let outer = piece / parameters.segments;
    let first = (piece - outer * parameters.segments) * parameters.segment_rows;
    let rows = min(first + parameters.segment_rows, parameters.rows) - first;
    // From the end where the last of equal extremes is wanted, so that the first one seen is the one to keep.
    let backwards = parameters.last == 1u;
    let begin = parameters.base + outer * parameters.outer_stride + first * inner + column;
    var at = select(begin, begin + (rows - 1u) * inner, backwards);
    let advance = select(inner, 0u - inner, backwards);
    let kind = parameters.kind;
    var best = key_of(load(at), kind);
    var best_step = 0u;
    for (var step = 1u; step < rows; step += 1u) {
        at += advance;
        let key = key_of(load(at), kind);
        let wins = (key.high > best.high) | ((key.high == best.high) & (key.low > best.low));
        best.high = max(best.high, key.high);
        best.low = select(best.low, key.low, wins);
        best_step = select(best_step, step, wins);
    }
    let row = select(best_step, rows - 1u - best_step, backwards);
    let found = Candidate(best, parameters.first_row + first + row);
    if parameters.carried == 1u {
        let at = (parameters.candidate_base + number) * CANDIDATE_WORDS;
        // Of elements of one word the lower one of the key is the same in all.
        var before = Candidate(Key(bitcast<i32>(candidates[at]), best.low), candidates[at + CANDIDATE_WORDS - 1u]);
        if WIDE {
            before.key.low = candidates[at + 1u];
        }
        if beats(before, found, backwards) {
            hand_on(number, before);
            return;
        }
    }
    hand_on(number, found);
}
