// Copies elements of a tensor of any layout one after the other: where an element stands in the tensor follows from its number.
//
// Elements outside the bound part of the source are left to another pass.
// include: invocation, element, element_store, strided

struct Parameters {
    count: u32,             // elements
    first: u32,             // the number of the first one
    width: u32,             // bytes of an element
    window_first: u32,      // the bound part of the source, in elements from the first one that is copied
    window_count: u32,
    tensor: Layout,
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;

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
    let at = position(parameters.first + number) - parameters.window_first;
    if at >= parameters.window_count {
        return;
    }
    store_element(number, load_element(at, parameters.width), parameters.width);
}
