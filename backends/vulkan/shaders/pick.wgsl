// Picks the elements at indices that a search found, or that a tensor holds: an invocation copies the element of one subset,
// bit for bit.
//
// Elements outside the bound part of the source are left to another pass.
// include: invocation, element, element_store

struct Parameters {
    count: u32,                 // subsets
    first: u32,                 // the number of the first one
    found_base: u32,            // what is bound of the indices and of the answers before those of the first one
    stored_base: u32,
    form: u32,                  // a byte each: dimensions kept, dimensions reduced, bytes of an element
    window_first: u32,          // the bound part of the source, in elements
    window_count: u32,
    sizes: array<u32, 8>,       // the kept dimensions, then the reduced ones, each outermost first
    strides: array<u32, 8>,
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<u32>;

// The distance, in elements, of the position `number` in the dimensions from `begin` to `end`. Where there are none, it is
// the distance itself.
fn distance_of(number: u32, begin: u32, end: u32) -> u32 {
    var rest = number;
    var at = 0u;
    for (var dimension = end; dimension > begin; dimension -= 1u) {
        let outer = rest / parameters.sizes[dimension - 1u];
        at += (rest - outer * parameters.sizes[dimension - 1u]) * parameters.strides[dimension - 1u];
        rest = outer;
    }
    return at + rest;
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
    let kept = parameters.form & 0xFFu;
    let all = kept + ((parameters.form >> 8u) & 0xFFu);
    let width = parameters.form >> 16u;
    let subset = distance_of(parameters.first + number, 0u, kept);
    let member = distance_of(found[parameters.found_base + number], kept, all);
    let at = subset + member - parameters.window_first;
    if at >= parameters.window_count {
        return;
    }
    store_element(parameters.stored_base + number, load_element(at, width), width);
}
