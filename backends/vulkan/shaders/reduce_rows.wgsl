// The first level of argmax along rows of words, four at a time, where rows begin at multiples of four: invocations
// that share a segment take turns.
// include: candidates, keys

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
    let stride = 1u << parameters.lanes;
    let turn = number & (stride - 1u);
    let piece = number >> parameters.lanes;
    var outer = piece;
    var first = 0u;
    if parameters.segments > 1u {
        outer = piece / parameters.segments;
        first = (piece - outer * parameters.segments) * parameters.segment_rows;
    }
    let blocks = (min(first + parameters.segment_rows, parameters.rows) - first) >> 2u;
    let steps = (blocks + stride - 1u - turn) >> parameters.lanes;
    if steps == 0u {
        hand_on(number, Candidate(Key(0, 0u), NOWHERE));
        return;
    }
    // From the end where the last of equal extremes is wanted, so that the first one seen is the one to keep.
    let origin = (parameters.base + outer * parameters.outer_stride) >> 2u;
    let begin = origin + (first >> 2u) + turn;
    let backwards = parameters.last == 1u;
    var at = select(begin, begin + (steps - 1u) * stride, backwards);
    let advance = select(stride, 0u - stride, backwards);
    let kind = parameters.kind;
    var best = keys_of(elements[at], kind);
    var best_at = vec4<u32>(at);
    for (var step = 1u; step < steps; step += 1u) {
        at += advance;
        let keys = keys_of(elements[at], kind);
        let wins = keys > best;
        best = max(best, keys);
        best_at = select(best_at, vec4<u32>(at), wins);
    }
    let index = (best_at - vec4<u32>(origin)) * 4u + vec4<u32>(0u, 1u, 2u, 3u) + vec4<u32>(parameters.first_row);
    // Equal keys go by their index, which is complemented for the last one.
    let rank = select(index, ~index, vec4<bool>(backwards));
    let second = (best.y > best.x) | ((best.y == best.x) & (rank.y < rank.x));
    let fourth = (best.w > best.z) | ((best.w == best.z) & (rank.w < rank.z));
    let left = max(best.x, best.y);
    let right = max(best.z, best.w);
    let left_rank = select(rank.x, rank.y, second);
    let right_rank = select(rank.z, rank.w, fourth);
    let is_right = (right > left) | ((right == left) & (right_rank < left_rank));
    let winner = select(left_rank, right_rank, is_right);
    hand_on(number, Candidate(Key(max(left, right), 0u), select(winner, ~winner, backwards)));
}
