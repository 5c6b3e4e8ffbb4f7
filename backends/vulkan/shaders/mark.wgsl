// Marks elements that are not zero: an invocation makes one word of 32 marks, the lowest bit for the first element.
// Zero is decided by bits, so that NaN and subnormals are not zero.
// include: invocation

struct Parameters {
    count: u32,             // words of marks
    elements: u32,          // elements that are bound; the words may hold more
    mark_base: u32,         // where the first word of marks stands among the bound ones
    significant: u32,       // the bits of an element's last word that count: all but the sign of a float
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> elements: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> marks: array<u32>;

// What is 0 for those of four elements that are zero. An element has one word, or two, low and high.
fn bits_of(block: u32, significant: vec4<u32>) -> vec4<u32> {
    if WIDE {
        let first = elements[2u * block];
        let second = elements[2u * block + 1u];
        return vec4<u32>(first.xz, second.xz) | (vec4<u32>(first.yw, second.yw) & significant);
    }
    return elements[block] & significant;
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
    var word = 0u;
    let significant = vec4<u32>(parameters.significant);
    for (var block = 0u; block < 8u; block += 1u) {
        let is_set = bits_of(number * 8u + block, significant) != vec4<u32>(0u);
        let bits = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), is_set);
        word |= (bits.x | bits.y | bits.z | bits.w) << (block * 4u);
    }
    let here = min(parameters.elements - number * 32u, 32u);
    marks[parameters.mark_base + number] = word & (0xFFFFFFFFu >> (32u - here));
}
