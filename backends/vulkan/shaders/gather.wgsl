// Reads a tensor of any layout and element width into words, in logical order: two words, low and high, for an element
// of 8 bytes, and one for any other, at whose upper end it lies.
//
// Elements outside the bound part of the source are left to another pass.
// include: invocation, element, strided

struct Parameters {
    count: u32,             // elements
    first: u32,             // the logical index of the first one, whose words are bound first
    width: u32,             // bytes of an element
    window_first: u32,      // the bound part of the source, in elements
    window_count: u32,
    tensor: Layout,
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;

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
    let element = raise(load_element(at, parameters.width), parameters.width);
    if parameters.width == 8u {
        words[2u * number] = element.x;
        words[2u * number + 1u] = element.y;
    } else {
        words[number] = element.y;
    }
}
