// The first level of argmax across rows of words, four columns at a time, where their number is a multiple of four.
// include: reduction, keys

@group(0) @binding(0) var<storage, read> elements: array<vec4<u32>>;

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
    let row_blocks = parameters.inner >> 2u;
    let piece = number / row_blocks;
    let block = number - piece * row_blocks;
    let outer = piece / parameters.segments;
    let first = (piece - outer * parameters.segments) * parameters.segment_rows;
    let rows = min(first + parameters.segment_rows, parameters.rows) - first;
    // From the end where the last of equal maxima is wanted, so that the first one seen is the one to keep.
    let backwards = parameters.last == 1u;
    let begin = ((parameters.base + outer * parameters.outer_stride) >> 2u) + first * row_blocks + block;
    var at = select(begin, begin + (rows - 1u) * row_blocks, backwards);
    let advance = select(row_blocks, 0u - row_blocks, backwards);
    let kind = parameters.kind;
    var best = keys_of(elements[at], kind);
    var best_step = vec4<u32>(0u);
    for (var step = 1u; step < rows; step += 1u) {
        at += advance;
        let keys = keys_of(elements[at], kind);
        let wins = keys > best;
        best = max(best, keys);
        best_step = select(best_step, vec4<u32>(step), wins);
    }
    let row = select(best_step, vec4<u32>(rows - 1u) - best_step, vec4<bool>(backwards));
    let index = row + vec4<u32>(parameters.first_row + first);
    let place = piece * parameters.inner + block * 4u;
    hand_on(place, Candidate(Key(best.x, 0u), index.x));
    hand_on(place + 1u, Candidate(Key(best.y, 0u), index.y));
    hand_on(place + 2u, Candidate(Key(best.z, 0u), index.z));
    hand_on(place + 3u, Candidate(Key(best.w, 0u), index.w));
}
