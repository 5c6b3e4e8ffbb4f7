// Where each element of a tensor with something around it comes from: the distance that one dimension adds to those that others
// did, or nowhere where a constant stands.
// include: invocation

// What stands around elements along the dimension.
const EDGE = 1u;            // the nearest of them
const REFLECTION = 2u;      // all of them back and forth, the first and the last one once a turn
const SYMMETRIC = 3u;       // the same, these twice in a row

const NOWHERE = 0xFFFFFFFFu;

struct Parameters {
    count: u32,             // elements
    first: u32,             // the number of the first one
    distance_base: u32,     // what is bound of the distances before that of the first one
    surrounding: u32,
    length: u32,            // how many there are along the dimension
    inner: u32,             // elements from one of them to the next
    size: u32,              // how many come from the input, at least one
    before: u32,            // how many stand before these
    stride: u32,            // from one of these to the next in the input
    is_first: u32,          // whether nothing was added before
}

var<immediate> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> distances: array<u32>;

// Which of the elements stands at a place.
fn element_at(place: u32) -> u32 {
    let is_before = place < parameters.before;
    let distance = select(place - parameters.before, parameters.before - place, is_before);
    let size = parameters.size;
    if !is_before && distance < size {
        return distance;
    }
    switch parameters.surrounding {
        case EDGE: { return select(size - 1u, 0u, is_before); }
        case REFLECTION: {
            let half = max(size - 1u, 1u);
            let rest = distance % half;
            let turned = select(rest, half - rest, (distance / half & 1u) == 1u);
            return select(turned, 0u, size == 1u);
        }
        case SYMMETRIC: {
            let counted = select(distance, distance - 1u, is_before);
            let rest = counted % size;
            return select(rest, size - 1u - rest, (counted / size & 1u) == 1u);
        }
        default: { return NOWHERE; }
    }
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
    let at = parameters.distance_base + number;
    let added = select(distances[at], 0u, parameters.is_first == 1u);
    let element = element_at((parameters.first + number) / parameters.inner % parameters.length);
    let is_nowhere = added == NOWHERE || element == NOWHERE;
    distances[at] = select(added + element * parameters.stride, NOWHERE, is_nowhere);
}
