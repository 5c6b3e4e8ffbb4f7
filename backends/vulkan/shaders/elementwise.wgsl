// Works out what stands in one place of packed output from what stands there in up to three inputs, each packed, or words as
// `gather.wgsl` writes them: an invocation stores a word of the output, or an element of 8 bytes. Where there is no second or
// third input, another is bound. Of each function there is a shader of its own, whose `FUNCTION` it is.
// include: invocation, key

struct Parameters {
    count: u32,             // elements
    kind: u32,              // of the keys of the first input
    first_width: u32,       // bytes from one element of each input to the next
    second_width: u32,
    third_width: u32,
    first_base: u32,        // what is bound of each input before its first element
    second_base: u32,
    third_base: u32,
    stored_width: u32,      // bytes of an element of the output
    stored_base: u32,       // what is bound of it before its first element: whole words
    min: vec2<u32>,         // the bounds of `CLIP`, as elements that are raised
    max: vec2<u32>,
}

// Up to `IF` what comes out is whether something holds.
const EQUALS = 0u;
const GREATER = 1u;
const LESS = 2u;
const GREATER_OR_EQUAL = 3u;
const LESS_OR_EQUAL = 4u;
const AND = 5u;
const OR = 6u;
const XOR = 7u;
const NOT = 8u;
const IS_NAN = 9u;
const IS_INFINITY = 10u;
const IS_POSITIVE_INFINITY = 11u;
const IS_NEGATIVE_INFINITY = 12u;
const IF = 13u;
const MAX = 14u;
const MIN = 15u;
const BIT_AND = 16u;
const BIT_OR = 17u;
const BIT_XOR = 18u;
const BIT_NOT = 19u;
const BIT_COUNT = 20u;
const SHIFT_LEFT = 21u;
const SHIFT_RIGHT = 22u;
const CLIP = 23u;

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> first: array<u32>;
@group(0) @binding(1) var<storage, read_write> stored: array<u32>;
@group(0) @binding(2) var<storage, read> second: array<u32>;
@group(0) @binding(3) var<storage, read> third: array<u32>;

// How two elements compare.
struct Order {
    is_less: bool,
    is_equal: bool,
    is_greater: bool,
}

// The order of the values of two elements. Where one of them is NaN, none of these holds.
fn order_of(one: vec2<u32>, other: vec2<u32>) -> Order {
    let keys = array<Key, 2>(key_of(one, parameters.kind), key_of(other, parameters.kind));
    let is_ordered = !is_nan(one) && !is_nan(other);
    let is_equal = keys[0].high == keys[1].high && keys[0].low == keys[1].low;
    let is_less = keys[0].high < keys[1].high || (keys[0].high == keys[1].high && keys[0].low < keys[1].low);
    return Order(is_ordered && is_less, is_ordered && is_equal, is_ordered && !is_less && !is_equal);
}

fn is_nan(element: vec2<u32>) -> bool {
    let magnitude = element.y & 0x7FFFFFFFu;
    let infinity = infinity_of(parameters.kind);
    return magnitude > infinity || (magnitude == infinity && element.x != 0u);
}

fn is_infinity(element: vec2<u32>) -> bool {
    return (element.y & 0x7FFFFFFFu) == infinity_of(parameters.kind) && element.x == 0u;
}

fn is_negative(element: vec2<u32>) -> bool {
    return (element.y >> 31u) == 1u;
}

fn is_true(element: vec2<u32>) -> bool {
    return (element.x | element.y) != 0u;
}

// A raised element as the number that it is, or in the form in which it is stored.
fn lowered(element: vec2<u32>, width: u32) -> vec2<u32> {
    return select(vec2<u32>(element.y >> ((32u - 8u * width) & 31u), 0u), element, width == 8u);
}

// 64 bits, moved upwards. By 64 or more nothing is left of them.
fn shifted_left(bits: vec2<u32>, by: vec2<u32>) -> vec2<u32> {
    if by.y != 0u || by.x >= 64u {
        return vec2<u32>(0u, 0u);
    }
    if by.x >= 32u {
        return vec2<u32>(0u, bits.x << (by.x - 32u));
    }
    let carried = select(bits.x >> ((32u - by.x) & 31u), 0u, by.x == 0u);
    return vec2<u32>(bits.x << by.x, (bits.y << by.x) | carried);
}

// 64 bits, moved downwards. What is below a raised element of a word or less is not of it.
fn shifted_right(bits: vec2<u32>, by: vec2<u32>) -> vec2<u32> {
    if by.y != 0u || by.x >= 64u {
        return vec2<u32>(0u, 0u);
    }
    if by.x >= 32u {
        return vec2<u32>(bits.y >> (by.x - 32u), 0u);
    }
    let carried = select(bits.y << ((32u - by.x) & 31u), 0u, by.x == 0u);
    return vec2<u32>((bits.x >> by.x) | carried, bits.y >> by.x);
}

// In which word an element stands, or in which pair of them.
fn word_of(at: u32, width: u32) -> u32 {
    return select(at, (at * width) >> 2u, width < 4u);
}

// A part of a word as a raised element.
fn raised(word: u32, at: u32, width: u32) -> vec2<u32> {
    let shift = ((at * width) & 3u) * 8u;
    return vec2<u32>(0u, (word >> shift) << ((32u - 8u * width) & 31u));
}

fn first_element(at: u32) -> vec2<u32> {
    if parameters.first_width == 8u {
        return vec2<u32>(first[2u * at], first[2u * at + 1u]);
    }
    return raised(first[word_of(at, parameters.first_width)], at, parameters.first_width);
}

fn second_element(at: u32) -> vec2<u32> {
    if parameters.second_width == 8u {
        return vec2<u32>(second[2u * at], second[2u * at + 1u]);
    }
    return raised(second[word_of(at, parameters.second_width)], at, parameters.second_width);
}

fn third_element(at: u32) -> vec2<u32> {
    if parameters.third_width == 8u {
        return vec2<u32>(third[2u * at], third[2u * at + 1u]);
    }
    return raised(third[word_of(at, parameters.third_width)], at, parameters.third_width);
}

// What is stored of the elements in one place.
fn worked_out(number: u32) -> vec2<u32> {
    // Raised: an element of less than 8 bytes is the upper end of the high word.
    let a = first_element(parameters.first_base + number);
    let b = second_element(parameters.second_base + number);
    var holds = false;
    var element = a;
    switch FUNCTION {
        case EQUALS: { holds = order_of(a, b).is_equal; }
        case GREATER: { holds = order_of(a, b).is_greater; }
        case LESS: { holds = order_of(a, b).is_less; }
        case GREATER_OR_EQUAL: { holds = order_of(a, b).is_greater || order_of(a, b).is_equal; }
        case LESS_OR_EQUAL: { holds = order_of(a, b).is_less || order_of(a, b).is_equal; }
        case AND: { holds = is_true(a) && is_true(b); }
        case OR: { holds = is_true(a) || is_true(b); }
        case XOR: { holds = is_true(a) != is_true(b); }
        case NOT: { holds = !is_true(a); }
        case IS_NAN: { holds = is_nan(a); }
        case IS_INFINITY: { holds = is_infinity(a); }
        case IS_POSITIVE_INFINITY: { holds = is_infinity(a) && !is_negative(a); }
        case IS_NEGATIVE_INFINITY: { holds = is_infinity(a) && is_negative(a); }
        case IF: { element = select(third_element(parameters.third_base + number), b, is_true(a)); }
        case MAX: { element = select(a, b, order_of(a, b).is_less); }
        case MIN: { element = select(a, b, order_of(a, b).is_greater); }
        case BIT_AND: { element = a & b; }
        case BIT_OR: { element = a | b; }
        case BIT_XOR: { element = a ^ b; }
        case BIT_NOT: { element = ~a; }
        case BIT_COUNT: { return vec2<u32>(countOneBits(a.x) + countOneBits(a.y), 0u); }
        // A shift has the type of what is shifted, and so has the output.
        case SHIFT_LEFT: { element = shifted_left(a, lowered(b, parameters.stored_width)); }
        case SHIFT_RIGHT: { element = shifted_right(a, lowered(b, parameters.stored_width)); }
        case CLIP: {
            element = select(a, parameters.max, order_of(a, parameters.max).is_greater);
            element = select(element, parameters.min, order_of(parameters.min, element).is_greater);
        }
        default: {}
    }
    if FUNCTION < IF {
        return vec2<u32>(select(0u, 1u, holds), 0u);
    }
    return lowered(element, parameters.stored_width);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = invocation(lane, group, groups);
    let width = parameters.stored_width;
    let together = select(4u / width, 1u, width >= 4u);
    let begin = number * together;
    if begin >= parameters.count {
        return;
    }
    if width == 8u {
        let element = worked_out(number);
        stored[2u * (parameters.stored_base + number)] = element.x;
        stored[2u * (parameters.stored_base + number) + 1u] = element.y;
        return;
    }
    var word = 0u;
    for (var at = 0u; at < min(together, parameters.count - begin); at += 1u) {
        word |= worked_out(begin + at).x << (8u * width * at);
    }
    stored[word_of(parameters.stored_base, width) + number] = word;
}
