// Writes what stands beside the diagonals of packed matrices that are filled: elements in the same places of a packed input, or zeros.
// include: invocation, element, element_store

struct Parameters {
    count: u32,             // elements
    first: u32,             // the number of the first one
    width: u32,             // bytes of an element
    base: u32,              // what is bound of both tensors before their first element
    has_input: u32,
    rows: u32,
    columns: u32,
    begin: u32,             // diagonals as their columns less their rows, and the number of rows more
    end: u32,
    is_reversed: u32,       // whether those outside are filled
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
    let at = parameters.first + number;
    let row = at / parameters.columns % parameters.rows;
    let diagonal = at % parameters.columns + (parameters.rows - row);
    let from_begin = diagonal >= parameters.begin;
    let before_end = diagonal < parameters.end;
    let is_reversed = parameters.is_reversed == 1u;
    if select(from_begin && before_end, from_begin || before_end, is_reversed) {
        return;
    }
    var element = vec2<u32>(0u, 0u);
    if parameters.has_input == 1u {
        element = load_element(parameters.base + number, parameters.width);
    }
    store_element(parameters.base + number, element, parameters.width);
}
