// The first level of argmax across rows of words, four columns at a time, where their number is a multiple of four.
// include: reduction, keys

@group(0) @binding(0) var<storage, read> elements: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> candidates: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> results: array<vec4<u32>>;

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
    var outer = piece;
    var first = 0u;
    if parameters.segments > 1u {
        outer = piece / parameters.segments;
        first = (piece - outer * parameters.segments) * parameters.segment_rows;
    }
    let rows = min(first + parameters.segment_rows, parameters.rows) - first;
    // From the end where the last of equal extremes is wanted, so that the first one seen is the one to keep.
    let backwards = parameters.last == 1u;
    let begin = ((parameters.base + outer * parameters.outer_stride) >> 2u) + first * row_blocks + block;
    var at = select(begin, begin + (rows - 1u) * row_blocks, backwards);
    let advance = select(row_blocks, 0u - row_blocks, backwards);
    let kind = parameters.kind;
    var best = keys_of(elements[at], kind);
    var best_step = vec4<u32>(0u);
    var step = 1u;
    // Four at a time: memory answers several questions at once.
    for (; step + 3u < rows; step += 4u) {
        let first_read = elements[at + advance];
        let second_read = elements[at + 2u * advance];
        let third_read = elements[at + 3u * advance];
        at += 4u * advance;
        let fourth_read = elements[at];
        let keys0 = keys_of(first_read, kind);
        best_step = select(best_step, vec4<u32>(step), keys0 > best);
        best = max(best, keys0);
        let keys1 = keys_of(second_read, kind);
        best_step = select(best_step, vec4<u32>(step + 1u), keys1 > best);
        best = max(best, keys1);
        let keys2 = keys_of(third_read, kind);
        best_step = select(best_step, vec4<u32>(step + 2u), keys2 > best);
        best = max(best, keys2);
        let keys3 = keys_of(fourth_read, kind);
        best_step = select(best_step, vec4<u32>(step + 3u), keys3 > best);
        best = max(best, keys3);
    }
    for (; step < rows; step += 1u) {
        at += advance;
        let keys = keys_of(elements[at], kind);
        best_step = select(best_step, vec4<u32>(step), keys > best);
        best = max(best, keys);
    }
    let row = select(best_step, vec4<u32>(rows - 1u) - best_step, vec4<bool>(backwards));
    let index = row + vec4<u32>(parameters.first_row + first);
    let place = (piece * parameters.inner >> 2u) + block;
    // As `candidates.wgsl` has it, four candidates or indices at a time.
    if parameters.result_words == 0u {
        let keys = bitcast<vec4<u32>>(best);
        let pair = (parameters.candidate_base >> 1u) + 2u * place;
        candidates[pair] = vec4<u32>(keys.x, index.x, keys.y, index.y);
        candidates[pair + 1u] = vec4<u32>(keys.z, index.z, keys.w, index.w);
    } else if parameters.result_words == 1u {
        results[(parameters.result_base >> 2u) + place] = index;
    } else {
        let pair = (parameters.result_base >> 1u) + 2u * place;
        results[pair] = vec4<u32>(index.x, 0u, index.y, 0u);
        results[pair + 1u] = vec4<u32>(index.z, 0u, index.w, 0u);
    }
}
