// Writes packed updates over packed elements, each at a distance from where its other coordinates lead. Of several updates of
// one element any may be the last.
//
// Elements outside the bound part of the target are left to another pass.
// include: invocation, element, element_store, strided

struct Parameters {
    count: u32,             // updates
    first: u32,             // the number of the first one
    source_base: u32,       // what is bound of the updates and of the distances before those of the first one
    found_base: u32,
    width: u32,             // bytes of an element
    window_first: u32,      // the bound part of the target, in elements
    window_count: u32,
    tensor: Layout,
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<u32>;

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
    let distance = found[parameters.found_base + number];
    let at = position(parameters.first + number) + distance - parameters.window_first;
    if at >= parameters.window_count {
        return;
    }
    store_element(at, load_element(parameters.source_base + number, parameters.width), parameters.width);
}
