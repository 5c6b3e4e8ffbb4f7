// Argmax in one pass, for small tensors of any layout: an invocation reduces one subset.
// include: invocation, element, key

struct Parameters {
    count: u32,                     // subsets
    length: u32,                    // elements of a subset
    form: u32,                      // a byte each: dimensions kept, dimensions reduced, kind of key, element bytes
    result: u32,                    // a byte each: bytes of an index, whether the last of equal extremes is wanted
    sizes: array<u32, 8>,           // the kept dimensions, then the reduced ones, each outermost first
    input_strides: array<u32, 8>,
    output_strides: array<u32, 8>,  // of the kept dimensions
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> indices: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var rest = invocation(lane, group, groups);
    if rest >= parameters.count {
        return;
    }
    let kept = parameters.form & 0xFFu;
    let reduced = (parameters.form >> 8u) & 0xFFu;
    let kind = (parameters.form >> 16u) & 0xFFu;
    let width = parameters.form >> 24u;
    let last = (parameters.result >> 8u) != 0u;
    var first = 0u;
    var at = 0u;
    for (var step = 0u; step < kept; step += 1u) {
        let dimension = kept - 1u - step;
        let outer = rest / parameters.sizes[dimension];
        let here = rest - outer * parameters.sizes[dimension];
        first += here * parameters.input_strides[dimension];
        at += here * parameters.output_strides[dimension];
        rest = outer;
    }
    var best = Candidate(Key(0, 0u), NOWHERE);
    for (var index = 0u; index < parameters.length; index += 1u) {
        rest = index;
        var element_at = first;
        for (var dimension = kept + reduced - 1u; dimension > kept; dimension -= 1u) {
            let outer = rest / parameters.sizes[dimension];
            element_at += (rest - outer * parameters.sizes[dimension]) * parameters.input_strides[dimension];
            rest = outer;
        }
        element_at += rest * parameters.input_strides[kept];
        let element = raise(load_element(element_at, width), width);
        let candidate = Candidate(key_of(element, kind), index);
        if beats(candidate, best, last) {
            best = candidate;
        }
    }
    if (parameters.result & 0xFFu) == 4u {
        indices[at] = best.index;
    } else {
        indices[2u * at] = best.index;
        indices[2u * at + 1u] = 0u;
    }
}
