//! Shaders that are wrong on purpose: the suite has to notice each of them. What no case can notice, such as writing
//! where drivers drop it, is not here.

#[path = "../shaders/compile.rs"]
mod compile;
mod support;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use opcert::judge::Outcome;
use opcert::plan::Planned;
use opcert_vulkan::{Lowered, Options};

use support::{all_go_right, event, memory_of, open, run_on_a_device, suite};

/// Where the shaders are.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");

/// A shader, or a file that shaders include, with an alteration that makes it wrong.
struct WrongShader {
    name: &'static str,
    /// What comes out wrong.
    about: &'static str,
    file: &'static str,
    /// What is replaced. It occurs once in the file.
    right: &'static str,
    wrong: &'static str,
    way: &'static Way,
    /// The operator whose cases have to notice.
    operator: &'static str,
}

/// Limits under which tensors take the way to the shaders that are wrong, and up to how much memory cases may have
/// that go it.
struct Way {
    name: &'static str,
    limits: Lowered,
    most_memory: u64,
}

const AS_USUAL: Lowered =
    Lowered { binding_bytes: None, workgroups: None, allocation_bytes: None, subgroup: None, direct_elements: None };
const STAGED: Lowered = Lowered { direct_elements: Some(0), ..AS_USUAL };

static IN_ONE_PASS: Way = Way { name: "in_one_pass", limits: AS_USUAL, most_memory: 1 << 16 };
static IN_SEVERAL_PASSES: Way = Way { name: "in_several_passes", limits: STAGED, most_memory: 1 << 16 };
static IN_WINDOWS: Way =
    Way { name: "in_windows", limits: Lowered { binding_bytes: Some(1 << 10), ..STAGED }, most_memory: 80 << 10 };
static WITH_LANES: Way =
    Way { name: "with_lanes", limits: Lowered { subgroup: Some(32), ..STAGED }, most_memory: 1 << 16 };
static IN_WINDOWS_WITH_LANES: Way = Way {
    name: "in_windows_with_lanes",
    limits: Lowered { binding_bytes: Some(1 << 10), subgroup: Some(32), ..STAGED },
    most_memory: 1 << 16,
};
static IN_FOLDED_GRIDS: Way =
    Way { name: "in_folded_grids", limits: Lowered { workgroups: Some(3), ..STAGED }, most_memory: 1 << 18 };

static WAYS: [&Way; 6] =
    [&IN_ONE_PASS, &IN_SEVERAL_PASSES, &IN_WINDOWS, &WITH_LANES, &IN_WINDOWS_WITH_LANES, &IN_FOLDED_GRIDS];

const ARGMAX: &str = "directml/argmax";
const ARGMIN: &str = "directml/argmin";
const NONZERO: &str = "directml/nonzero_coordinates";
const ONE_HOT: &str = "directml/one_hot";
const REDUCE_MAX: &str = "directml/reduce_max";
const REDUCE_MIN: &str = "directml/reduce_min";
const ONNX_NON_ZERO: &str = "onnx/non_zero";
const ONNX_ONE_HOT: &str = "onnx/one_hot";
const OPENVINO_NON_ZERO: &str = "openvino/non_zero_3";
const OPENVINO_ONE_HOT: &str = "openvino/one_hot_1";
const TOSA_ARGMAX: &str = "tosa/argmax";

static WRONG_SHADERS: &[WrongShader] = &[
    WrongShader {
        name: "later-lines-of-a-grid-do-the-work-of-the-first",
        about: "Where a grid is folded, what its later lines are for is never worked on.",
        file: "invocation",
        right: "group.y * groups.x + group.x",
        wrong: "group.x",
        way: &IN_FOLDED_GRIDS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "narrow-elements-are-not-raised",
        about: "The sign of a narrow element is not where signs are looked for.",
        file: "element",
        right: "element.x << ((32u - 8u * width) & 31u)",
        wrong: "element.x",
        way: &IN_ONE_PASS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "parts-of-words-are-not-stored-atomically",
        about: "Of neighbours that are stored at the same time some are lost.",
        file: "element_store",
        right: "atomicXor(&stored[word], ((before ^ bits) & mask) << shift);",
        wrong: "atomicStore(&stored[word], atomicLoad(&stored[word]) ^ (((before ^ bits) & mask) << shift));",
        way: &IN_ONE_PASS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "the-high-word-is-not-stored",
        about: "Of an element of eight bytes the upper ones are not stored.",
        file: "element_store",
        right: "atomicStore(&stored[2u * at + 1u], element.y);",
        wrong: "",
        way: &IN_ONE_PASS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "indices-are-truncated-to-32-bits",
        about: "An index of 2^32 or more points into the sequence.",
        file: "index",
        right: "high == 0u && low < depth",
        wrong: "low < depth",
        way: &IN_ONE_PASS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "indices-of-openvino-are-truncated-to-32-bits",
        about: "An index of 2^32 or more points into the sequence.",
        file: "index",
        right: "high == 0u && low < depth",
        wrong: "low < depth",
        way: &IN_ONE_PASS,
        operator: OPENVINO_ONE_HOT,
    },
    WrongShader {
        name: "indices-of-onnx-are-truncated-to-32-bits",
        about: "An index of 2^32 or more points into the sequence.",
        file: "index",
        right: "high == 0u && low < depth",
        wrong: "low < depth",
        way: &IN_ONE_PASS,
        operator: ONNX_ONE_HOT,
    },
    WrongShader {
        name: "four-indices-of-onnx-point-one-further",
        about: "A negative index counts from behind the end.",
        file: "index",
        right: "(is_moved & vec4<u32>(depth))",
        wrong: "(is_moved & vec4<u32>(depth + 1u))",
        way: &IN_SEVERAL_PASSES,
        operator: ONNX_ONE_HOT,
    },
    WrongShader {
        name: "four-indices-point-one-further",
        about: "A negative index counts from behind the end.",
        file: "index",
        right: "(is_moved & vec4<u32>(depth))",
        wrong: "(is_moved & vec4<u32>(depth + 1u))",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "four-indices-are-truncated-to-32-bits",
        about: "An index of 2^32 or more points into the sequence.",
        file: "index",
        right: "(high + carried == vec4<u32>(0u)) & (low < vec4<u32>(depth))",
        wrong: "low < vec4<u32>(depth)",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "on-fills-its-word",
        about: "Where elements share a word, On takes all of it.",
        file: "one_hot_rows",
        right: "((1u << ((8u * width) & 31u)) - 1u) << ((at & 3u) * 8u)",
        wrong: "0xFFFFFFFFu",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "on-of-8-bytes-is-one-word",
        about: "Of an On of 8 bytes one half is written.",
        file: "one_hot_rows",
        right: "let words = vec4<u32>(0u, 4u, 8u, 12u) & vec4<u32>(select(12u, 8u, width == 8u));",
        wrong: "let words = vec4<u32>(0u, 4u, 8u, 12u);",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "an-index-out-of-range-is-on-in-the-next-row",
        about: "Out of range, the row still has an On, or the block behind it.",
        file: "one_hot_rows",
        right: "place == parameters.depth);",
        wrong: "false) % parameters.row_blocks;",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "rows-begin-at-what-is-bound",
        about: "Rows that begin within what is bound are written before their place.",
        file: "one_hot_rows",
        right: "parameters.base + row * parameters.row_blocks",
        wrong: "row * parameters.row_blocks",
        way: &IN_WINDOWS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "planes-swap-on-and-off",
        about: "On stands where Off should.",
        file: "one_hot_planes",
        right: "blocks[at + 7u] = select(off, on,",
        wrong: "blocks[at + 7u] = select(on, off,",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "planes-of-a-window-count-from-0",
        about: "The rows of a later window are taken for the first ones.",
        file: "one_hot_planes",
        right: "parameters.first_row + row",
        wrong: "row",
        way: &IN_WINDOWS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "negative-zeros-are-less-than-zeros-four-at-a-time",
        about: "-0.0 and +0.0 are no tie.",
        file: "keys",
        right: "^ sign) - sign;",
        wrong: "^ sign);",
        way: &IN_SEVERAL_PASSES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "a-later-window-of-an-output-is-taken-for-the-first",
        about: "Elements of a later window are written where those of the first one belong.",
        file: "scatter",
        right: "position(parameters.first + number) - parameters.window_first",
        wrong: "position(parameters.first + number)",
        way: &IN_WINDOWS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "later-elements-are-scattered-like-the-first",
        about: "Elements of a later pass go where those of the first one belong.",
        file: "scatter",
        right: "position(parameters.first + number)",
        wrong: "position(number)",
        way: &IN_WINDOWS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "unsigned-indices-turn-negative",
        about: "Large unsigned indices count from the end.",
        file: "index",
        right: "var low = index.x;\n    let is_signed = (kind & INDEX_SIGNED) != 0u;",
        wrong: "var low = index.x;\n    let is_signed = true;",
        way: &IN_ONE_PASS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "negative-indices-point-nowhere",
        about: "Negative indices do not count from the end.",
        file: "index",
        right: "(high >> 31u) == 1u && (kind & INDEX_FROM_END) != 0u",
        wrong: "false",
        way: &IN_ONE_PASS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "negative-indices-lose-their-high-word",
        about: "A negative index below -2^32 points into the sequence.",
        file: "index",
        right: "high += select(0u, 1u, low < depth)",
        wrong: "high = 0u",
        way: &IN_ONE_PASS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "the-last-place-is-out-of-range",
        about: "The last index of a sequence points at nothing.",
        file: "index",
        right: "low < depth);\n}",
        wrong: "low < depth - 1u);\n}",
        way: &IN_ONE_PASS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "indices-beyond-the-end-point-at-the-last",
        about: "An index out of range points at the last element.",
        file: "index",
        right: "select(depth, low,",
        wrong: "select(depth - 1u, low,",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "the-last-dimension-is-the-axis",
        about: "The axis of a small tensor is ignored.",
        file: "one_hot_direct",
        right: "dimension == axis",
        wrong: "dimension == dimensions - 1u",
        way: &IN_ONE_PASS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "the-first-of-equals-is-always-taken",
        about: "The first of equal maxima is taken where the last is wanted.",
        file: "argmax_direct",
        right: "(parameters.result >> 8u) != 0u",
        wrong: "false",
        way: &IN_ONE_PASS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "negative-elements-lose-to-nothing",
        about: "A maximum below zero does not become the first candidate.",
        file: "argmax_direct",
        right: "Candidate(Key(0, 0u), NOWHERE)",
        wrong: "Candidate(Key(0, 0u), 0u)",
        way: &IN_ONE_PASS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "an-index-stands-in-both-words",
        about: "The upper half of an index of eight bytes repeats the lower one.",
        file: "argmax_direct",
        right: "indices[2u * at + 1u] = 0u;",
        wrong: "indices[2u * at + 1u] = best.index;",
        way: &IN_ONE_PASS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "negative-zero-is-less-than-zero",
        about: "-0.0 and +0.0 are no tie.",
        file: "key",
        right: "0u - magnitude",
        wrong: "~magnitude",
        way: &IN_ONE_PASS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "low-words-borrow-nothing",
        about: "Of negative floats of eight bytes the halves are negated one by one.",
        file: "key",
        right: "select(0u, 1u, element.x != 0u)",
        wrong: "0u",
        way: &IN_ONE_PASS,
        operator: "onnx/arg_max",
    },
    WrongShader {
        name: "unsigned-elements-compare-as-signed",
        about: "The upper half of the unsigned elements counts as negative.",
        file: "key",
        right: "select(0u, 0x80000000u, (kind & KEY_KIND) == KEY_UNSIGNED)",
        wrong: "0u",
        way: &IN_ONE_PASS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "low-words-do-not-count",
        about: "Of elements of eight bytes only the upper four are compared.",
        file: "key",
        right: "one.key.low != other.key.low",
        wrong: "false",
        way: &IN_ONE_PASS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "the-order-of-candidates-decides-between-equals",
        about: "Of equal candidates that several invocations found, the index does not decide.",
        file: "key",
        right: "(one.index > other.index) == last",
        wrong: "last",
        way: &WITH_LANES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "nowhere-beats-somewhere",
        about: "A candidate that was found nowhere replaces one that was found.",
        file: "key",
        right: "return one.index != NOWHERE;",
        wrong: "return true;",
        way: &IN_WINDOWS_WITH_LANES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "nan-are-not-moved",
        about: "A NaN without a sign is above everything where it should be below.",
        file: "key",
        right: "(magnitude > infinity)",
        wrong: "false",
        way: &IN_ONE_PASS,
        operator: TOSA_ARGMAX,
    },
    WrongShader {
        name: "infinities-are-nan",
        about: "An infinity is moved with NaN.",
        file: "key",
        right: "magnitude > infinity",
        wrong: "magnitude >= infinity",
        way: &IN_ONE_PASS,
        operator: TOSA_ARGMAX,
    },
    WrongShader {
        name: "exponents-have-eight-bits",
        about: "NaN of half precision are taken for numbers.",
        file: "key",
        right: "0x7FFFFFFFu >> exponent_bits",
        wrong: "0x7FFFFFFFu >> 8u",
        way: &IN_ONE_PASS,
        operator: TOSA_ARGMAX,
    },
    WrongShader {
        name: "exponents-have-five-bits",
        about: "Large numbers and infinities of single precision are taken for NaN.",
        file: "key",
        right: "0x7FFFFFFFu >> exponent_bits",
        wrong: "0x7FFFFFFFu >> 5u",
        way: &IN_ONE_PASS,
        operator: TOSA_ARGMAX,
    },
    WrongShader {
        name: "nan-are-always-greatest",
        about: "A NaN is above everything where it should be below.",
        file: "key",
        right: "(kind & KEY_NAN_LEAST) != 0u",
        wrong: "false",
        way: &IN_SEVERAL_PASSES,
        operator: TOSA_ARGMAX,
    },
    WrongShader {
        name: "nan-are-always-least",
        about: "A NaN is below everything where it should be above.",
        file: "key",
        right: "(kind & KEY_NAN_LEAST) != 0u",
        wrong: "true",
        way: &IN_SEVERAL_PASSES,
        operator: TOSA_ARGMAX,
    },
    WrongShader {
        name: "nan-are-not-moved-four-at-a-time",
        about: "A NaN without a sign is above everything where it should be below.",
        file: "keys",
        right: "magnitudes > vec4<u32>(infinity_of(kind))",
        wrong: "vec4<bool>()",
        way: &IN_SEVERAL_PASSES,
        operator: TOSA_ARGMAX,
    },
    WrongShader {
        name: "infinities-are-nan-four-at-a-time",
        about: "An infinity is moved with NaN.",
        file: "keys",
        right: "magnitudes > vec4<u32>(infinity_of(kind))",
        wrong: "magnitudes >= vec4<u32>(infinity_of(kind))",
        way: &IN_SEVERAL_PASSES,
        operator: TOSA_ARGMAX,
    },
    WrongShader {
        name: "unsigned-elements-compare-as-signed-four-at-a-time",
        about: "The upper half of the unsigned elements counts as negative.",
        file: "keys",
        right: "select(0, -2147483647 - 1, (kind & KEY_KIND) == KEY_UNSIGNED)",
        wrong: "0",
        way: &IN_SEVERAL_PASSES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "greatest-where-the-least-is-wanted",
        about: "Keys of the opposite order are those of the other one.",
        file: "key",
        right: "(kind & KEY_REVERSED) != 0u",
        wrong: "false",
        way: &IN_ONE_PASS,
        operator: ARGMIN,
    },
    WrongShader {
        name: "low-words-are-not-reversed",
        about: "Where keys are of the opposite order, the lower four of eight bytes are not.",
        file: "key",
        right: "low ^ reverse",
        wrong: "low",
        way: &IN_ONE_PASS,
        operator: ARGMIN,
    },
    WrongShader {
        name: "greatest-where-the-least-is-wanted-four-at-a-time",
        about: "Keys of the opposite order are those of the other one.",
        file: "keys",
        right: "(kind & KEY_REVERSED) != 0u",
        wrong: "false",
        way: &IN_SEVERAL_PASSES,
        operator: ARGMIN,
    },
    WrongShader {
        name: "negative-floats-are-in-reverse",
        about: "Of negative floats the one of greatest magnitude is the greatest.",
        file: "keys",
        right: "select(0, -1, is_float)",
        wrong: "0",
        way: &IN_SEVERAL_PASSES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "carried-candidates-are-less-than-equals",
        about: "Where keys are of the opposite order, a candidate from before loses against an equal one.",
        file: "reduce",
        right: "Key(bitcast<i32>(candidates[at]), best.low)",
        wrong: "Key(bitcast<i32>(candidates[at]), 0u)",
        way: &IN_WINDOWS,
        operator: ARGMIN,
    },
    WrongShader {
        name: "carried-candidates-are-ignored",
        about: "Of a row that is too long for a window only the last piece counts.",
        file: "reduce",
        right: "parameters.carried == 1u",
        wrong: "false",
        way: &IN_WINDOWS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "carried-low-words-are-ignored",
        about: "A candidate carried on from the rows before loses the lower half of its key.",
        file: "reduce",
        right: "before.key.low = candidates[at + 1u];",
        wrong: "",
        way: &IN_WINDOWS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "rows-of-a-piece-count-from-0",
        about: "An index counts from the first row of a pass instead of the first of the tensor.",
        file: "reduce",
        right: "parameters.first_row + first + row",
        wrong: "first + row",
        way: &IN_WINDOWS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "steps-from-the-end-count-from-the-beginning",
        about: "Where the search began at the end, the index is mirrored.",
        file: "reduce_columns",
        right: "vec4<u32>(rows - 1u) - best_step",
        wrong: "best_step",
        way: &IN_SEVERAL_PASSES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "segments-of-columns-count-from-0",
        about: "An index counts from the first row of a segment.",
        file: "reduce_columns",
        right: "parameters.first_row + first)",
        wrong: "parameters.first_row)",
        way: &IN_SEVERAL_PASSES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "equals-in-two-pairs-go-to-the-left-one",
        about: "Of equal maxima in the two halves of four elements, the index does not decide.",
        file: "reduce_rows",
        right: " | ((right == left) & (right_rank < left_rank))",
        wrong: "",
        way: &IN_SEVERAL_PASSES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "lanes-leave-the-last-turns-out",
        about: "What is left after as many turns as every invocation takes is never looked at.",
        file: "reduce_rows",
        right: "(blocks + stride - 1u - turn) >>",
        wrong: "blocks >>",
        way: &WITH_LANES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "lanes-without-elements-claim-index-0",
        about: "An invocation that has no element to look at finds a zero at index 0.",
        file: "reduce_rows",
        right: "Candidate(Key(0, 0u), NOWHERE)",
        wrong: "Candidate(Key(0, 0u), 0u)",
        way: &IN_WINDOWS_WITH_LANES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "segments-of-rows-count-from-0",
        about: "An index counts from the first element of a pass instead of the first of the row.",
        file: "reduce_rows",
        right: " + vec4<u32>(parameters.first_row)",
        wrong: "",
        way: &IN_WINDOWS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "invocations-hand-on-their-number",
        about: "The number of an invocation is handed on for an index.",
        file: "candidates",
        right: "CANDIDATE_WORDS - 1u] = candidate.index",
        wrong: "CANDIDATE_WORDS - 1u] = number",
        way: &WITH_LANES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "candidates-begin-at-what-is-bound",
        about: "Candidates that begin within what is bound are written before their place.",
        file: "candidates",
        right: "parameters.candidate_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "the-first-of-equal-candidates-is-always-taken",
        about: "The first of equal maxima is taken where the last is wanted.",
        file: "combine",
        right: "parameters.last == 1u",
        wrong: "false",
        way: &WITH_LANES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "low-words-of-candidates-are-not-read",
        about: "Candidates that differ in the lower half of their keys are a tie.",
        file: "combine",
        right: "candidate.key.low = found[at + 1u];",
        wrong: "",
        way: &IN_WINDOWS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "the-last-candidate-is-left-out",
        about: "What the last segment found does not count.",
        file: "combine",
        right: "first + parameters.segment_rows, parameters.rows",
        wrong: "first + parameters.segment_rows, parameters.rows - 1u",
        way: &WITH_LANES,
        operator: ARGMAX,
    },
    WrongShader {
        name: "the-last-block-is-not-filled",
        about: "The end of the output is left as it was.",
        file: "fill",
        right: "WORKGROUP * BLOCKS, parameters.count)",
        wrong: "WORKGROUP * BLOCKS, parameters.count - 1u)",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "the-first-word-is-the-whole-pattern",
        about: "The upper half of an Off of eight bytes repeats the lower one.",
        file: "fill",
        right: "blocks[block] = pattern;",
        wrong: "blocks[block] = pattern.xxxx;",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "later-lines-of-a-grid-fill-what-the-first-does",
        about: "Where a grid is folded, most of the output is left as it was.",
        file: "fill",
        right: "group.y * groups.x + group.x",
        wrong: "group.x",
        way: &IN_FOLDED_GRIDS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "elements-are-read-as-if-the-window-began-at-0",
        about: "Elements beyond the first window of a tensor are never read.",
        file: "gather",
        right: " - parameters.window_first",
        wrong: "",
        way: &IN_WINDOWS,
        operator: ARGMAX,
    },
    WrongShader {
        name: "invocations-without-elements-are-not-stopped",
        about: "What lies behind the packed elements is written into the tensor.",
        file: "scatter",
        right: "if number >= parameters.count {\n        return;\n    }\n",
        wrong: "",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "the-space-behind-an-element-is-written-too",
        about: "What stands between the elements of a tensor is overwritten.",
        file: "scatter",
        right: "store_element(at, load",
        wrong: "store_element(at + 1u, vec2<u32>(), parameters.width);\n    store_element(at, load",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "the-outermost-stride-is-1",
        about: "The stride of the first dimension is ignored.",
        file: "strided",
        right: "rest * parameters.tensor.strides[0]",
        wrong: "rest",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "each-window-is-taken-for-the-first",
        about: "Beyond the first window nothing is placed.",
        file: "place",
        right: " - parameters.window_first",
        wrong: "",
        way: &IN_WINDOWS,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "a-placed-byte-takes-its-word",
        about: "A byte that is placed overwrites its neighbours.",
        file: "place",
        right: "atomicXor(&stored[at >> 2u], parameters.change",
        wrong: "atomicStore(&stored[at >> 2u], parameters.on.x",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "sequences-lie-one-behind-the-other",
        about: "The dimensions behind the axis are ignored.",
        file: "place",
        right: "(outer * parameters.depth + place) * parameters.inner + inner",
        wrong: "(parameters.first + number) * parameters.depth + place",
        way: &IN_SEVERAL_PASSES,
        operator: ONE_HOT,
    },
    WrongShader {
        name: "negative-zero-is-marked",
        about: "-0.0 counts as an element that is not zero.",
        file: "mark",
        right: "return elements[block] & significant;",
        wrong: "return elements[block];",
        way: &IN_SEVERAL_PASSES,
        operator: NONZERO,
    },
    WrongShader {
        name: "negative-zero-of-two-words-is-marked",
        about: "-0.0 of eight bytes counts as an element that is not zero.",
        file: "mark",
        right: "(vec4<u32>(first.yw, second.yw) & significant)",
        wrong: "vec4<u32>(first.yw, second.yw)",
        way: &IN_SEVERAL_PASSES,
        operator: ONNX_NON_ZERO,
    },
    WrongShader {
        name: "low-words-are-not-marked",
        about: "An element of eight bytes counts as zero where its upper half is.",
        file: "mark",
        right: "vec4<u32>(first.xz, second.xz) | ",
        wrong: "",
        way: &IN_SEVERAL_PASSES,
        operator: OPENVINO_NON_ZERO,
    },
    WrongShader {
        name: "marks-go-on-behind-the-last-element",
        about: "What lies behind the last element is searched too.",
        file: "mark",
        right: "word & (0xFFFFFFFFu >> (32u - here))",
        wrong: "word",
        way: &IN_SEVERAL_PASSES,
        operator: NONZERO,
    },
    WrongShader {
        name: "marks-begin-at-what-is-bound",
        about: "Marks that begin within what is bound are written before their place.",
        file: "mark",
        right: "parameters.mark_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: NONZERO,
    },
    WrongShader {
        name: "sums-include-their-own-entry",
        about: "Rows begin as many places later as a word has marks.",
        file: "scan_up",
        right: "before[at] = sum;\n        sum += select(entry, countOneBits(entry), are_marks);",
        wrong: "sum += select(entry, countOneBits(entry), are_marks);\n        before[at] = sum;",
        way: &IN_SEVERAL_PASSES,
        operator: NONZERO,
    },
    WrongShader {
        name: "totals-begin-at-what-is-bound",
        about: "Totals that begin within what is bound are written before their place.",
        file: "scan_up",
        right: "parameters.total_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: NONZERO,
    },
    WrongShader {
        name: "what-lies-before-a-group-is-not-added",
        about: "Rows of every group begin at the first place.",
        file: "scan_down",
        right: "before[number] += above[parameters.above_base + number / 64u];",
        wrong: "before[number] += 0u;",
        way: &IN_SEVERAL_PASSES,
        operator: NONZERO,
    },
    WrongShader {
        name: "sums-before-a-window-are-taken-for-the-first",
        about: "Groups beyond the first window begin where the first ones do.",
        file: "scan_down",
        right: "parameters.above_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: NONZERO,
    },
    WrongShader {
        name: "a-line-has-an-element-more",
        about: "The first element of a line counts as one behind the end of the line before.",
        file: "list",
        right: "let left = size - start;",
        wrong: "let left = size - start + 1u;",
        way: &IN_SEVERAL_PASSES,
        operator: NONZERO,
    },
    WrongShader {
        name: "a-word-has-one-end-of-a-line",
        about: "Of several ends of lines in a word of marks one counts.",
        file: "list",
        right: "let lines = innermost / size;",
        wrong: "let lines = 1u;",
        way: &IN_SEVERAL_PASSES,
        operator: NONZERO,
    },
    WrongShader {
        name: "rows-are-in-descending-order",
        about: "The coordinates of a word of marks are listed in descending order.",
        file: "list",
        right: "write(at, start + firstTrailingBit(word));\n        if !is_single {\n            write(at - column_stride, outer);\n        }\n        at += row_stride;\n        word &= word - 1u;",
        wrong: "let bit = firstLeadingBit(word);\n        write(at, start + bit);\n        if !is_single {\n            write(at - column_stride, outer);\n        }\n        at += row_stride;\n        word &= ~(1u << bit);",
        way: &IN_SEVERAL_PASSES,
        operator: NONZERO,
    },
    WrongShader {
        name: "rows-are-listed-as-if-the-window-began-at-0",
        about: "Rows beyond the first window are never listed.",
        file: "list",
        right: " - parameters.window_first",
        wrong: "",
        way: &IN_WINDOWS,
        operator: NONZERO,
    },
    WrongShader {
        name: "each-window-of-marks-is-taken-for-the-first",
        about: "Coordinates beyond the first window of marks count from 0 again.",
        file: "list",
        right: "parameters.first + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: NONZERO,
    },
    WrongShader {
        name: "the-first-element-is-picked",
        about: "Of each subset the first element comes out, whatever was found.",
        file: "pick",
        right: "found[parameters.found_base + number]",
        wrong: "0u",
        way: &IN_ONE_PASS,
        operator: REDUCE_MAX,
    },
    WrongShader {
        name: "only-the-innermost-reduced-dimension-is-walked",
        about: "Where several dimensions are reduced, what is picked stands elsewhere.",
        file: "pick",
        right: "kept, all);",
        wrong: "all - 1u, all);",
        way: &IN_ONE_PASS,
        operator: REDUCE_MIN,
    },
    WrongShader {
        name: "picks-of-a-window-count-from-0",
        about: "Subsets behind the first window get the elements of the first ones.",
        file: "pick",
        right: "parameters.first + number, 0u",
        wrong: "number, 0u",
        way: &IN_WINDOWS,
        operator: REDUCE_MAX,
    },
    WrongShader {
        name: "picks-are-stored-where-what-is-bound-begins",
        about: "Answers of a later window stand before their place.",
        file: "pick",
        right: "parameters.stored_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: REDUCE_MIN,
    },
    WrongShader {
        name: "indices-are-read-where-what-is-bound-begins",
        about: "Indices of a later window are those of other subsets.",
        file: "pick",
        right: "parameters.found_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: REDUCE_MAX,
    },
    WrongShader {
        name: "picks-beyond-the-first-window-of-the-input-are-lost",
        about: "Elements beyond the first window are never picked.",
        file: "pick",
        right: " - parameters.window_first",
        wrong: "",
        way: &IN_WINDOWS,
        operator: REDUCE_MIN,
    },
    WrongShader {
        name: "a-share-counts-its-first-element-twice",
        about: "Rows are listed a place too late.",
        file: "nonzero_direct",
        right: "element < first;",
        wrong: "element <= first;",
        way: &IN_ONE_PASS,
        operator: NONZERO,
    },
    WrongShader {
        name: "low-words-are-not-searched",
        about: "An element of eight bytes counts as zero where its upper half is.",
        file: "nonzero_direct",
        right: " | bits.x",
        wrong: "",
        way: &IN_ONE_PASS,
        operator: ONNX_NON_ZERO,
    },
    WrongShader {
        name: "positions-are-taken-for-coordinates",
        about: "Elements are told by their position in the whole tensor.",
        file: "coordinates",
        right: " / parameters.inner % parameters.size",
        wrong: "",
        way: &IN_ONE_PASS,
        operator: ONNX_NON_ZERO,
    },
    WrongShader {
        name: "coordinates-go-on-behind-their-dimension",
        about: "A coordinate counts the places of the dimensions before as well.",
        file: "coordinates",
        right: " % parameters.size",
        wrong: "",
        way: &IN_SEVERAL_PASSES,
        operator: OPENVINO_NON_ZERO,
    },
    WrongShader {
        name: "a-coordinate-stands-in-both-words",
        about: "The upper half of a coordinate of eight bytes repeats the lower one.",
        file: "coordinates",
        right: "coordinates[2u * at + 1u] = 0u;",
        wrong: "coordinates[2u * at + 1u] = coordinate;",
        way: &IN_ONE_PASS,
        operator: ONNX_NON_ZERO,
    },
    WrongShader {
        name: "coordinates-are-one-word-each",
        about: "Coordinates of eight bytes are written as if they had four.",
        file: "coordinates",
        right: "parameters.words == 1u",
        wrong: "true",
        way: &IN_SEVERAL_PASSES,
        operator: OPENVINO_NON_ZERO,
    },
    WrongShader {
        name: "rows-of-coordinates-begin-at-what-is-bound",
        about: "The coordinates in a later dimension are written where those in one before belong.",
        file: "coordinates",
        right: "parameters.coordinate_base + number",
        wrong: "number",
        way: &IN_ONE_PASS,
        operator: OPENVINO_NON_ZERO,
    },
    WrongShader {
        name: "positions-begin-at-what-is-bound",
        about: "Columns of a later window are those of other elements.",
        file: "coordinates",
        right: "parameters.position_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: ONNX_NON_ZERO,
    },
    WrongShader {
        name: "a-gathered-index-counts-single-elements",
        about: "Along an axis that is not the innermost, the wrong neighbours are picked.",
        file: "resolve",
        right: "place * parameters.strides[at]",
        wrong: "place",
        way: &IN_ONE_PASS,
        operator: "directml/gather",
    },
    WrongShader {
        name: "distances-begin-at-what-is-bound",
        about: "Distances of a later window stand before their place.",
        file: "resolve",
        right: "parameters.distance_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: "directml/gather_elements",
    },
    WrongShader {
        name: "gathered-indices-have-4-bytes",
        about: "An index of eight bytes is read as two.",
        file: "resolve",
        right: "select(4u, 8u, (parameters.kind & INDEX_WIDE) != 0u)",
        wrong: "4u",
        way: &IN_ONE_PASS,
        operator: "directml/gather_elements",
    },
    WrongShader {
        name: "gathered-indices-from-the-end-are-one-too-far",
        about: "A negative index counts from behind the end.",
        file: "index",
        right: "low += depth;",
        wrong: "low += depth + 1u;",
        way: &IN_ONE_PASS,
        operator: "directml/gather",
    },
    WrongShader {
        name: "a-distance-is-lost",
        about: "What an index means as a distance is dropped.",
        file: "pick",
        right: "return at + rest;",
        wrong: "return at;",
        way: &IN_ONE_PASS,
        operator: "directml/gather_elements",
    },
    WrongShader {
        name: "moved-elements-of-a-later-window-are-the-first",
        about: "Elements of a later part are those of the first one.",
        file: "move",
        right: "position(parameters.first + number)",
        wrong: "position(number)",
        way: &IN_WINDOWS,
        operator: "directml/depth_to_space1",
    },
    WrongShader {
        name: "moved-elements-have-a-word",
        about: "Elements of eight bytes are read as words.",
        file: "move",
        right: "load_element(at, parameters.width)",
        wrong: "load_element(at, min(parameters.width, 4u))",
        way: &IN_ONE_PASS,
        operator: "directml/depth_to_space1",
    },
    WrongShader {
        name: "updates-go-to-the-first-place",
        about: "The index of an update is not looked at.",
        file: "update",
        right: "position(parameters.first + number) + distance",
        wrong: "position(parameters.first + number)",
        way: &IN_ONE_PASS,
        operator: "directml/scatter_elements",
    },
    WrongShader {
        name: "later-updates-are-the-first-ones",
        about: "Updates of a later part are those of the first one.",
        file: "update",
        right: "parameters.source_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: "directml/scatter_elements",
    },
    WrongShader {
        name: "the-indices-of-later-updates-are-the-first-ones",
        about: "Distances of a later part are those of the first one.",
        file: "update",
        right: "parameters.found_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: "directml/scatter_elements",
    },
    WrongShader {
        name: "a-later-window-is-updated-like-the-first",
        about: "Updates of a later window go where those of the first one belong.",
        file: "update",
        right: " + distance - parameters.window_first",
        wrong: " + distance",
        way: &IN_WINDOWS,
        operator: "directml/scatter_elements",
    },
    WrongShader {
        name: "lengths-have-4-bytes",
        about: "The upper half of a length is not looked at.",
        file: "turn",
        right: "select(min(stated.x, parameters.depth), parameters.depth, stated.y != 0u)",
        wrong: "min(stated.x, parameters.depth)",
        way: &IN_ONE_PASS,
        operator: "directml/reverse_subsequences",
    },
    WrongShader {
        name: "the-last-of-a-length-stays",
        about: "One element less than the length is turned around.",
        file: "turn",
        right: "at < length",
        wrong: "at + 1u < length",
        way: &IN_ONE_PASS,
        operator: "directml/reverse_subsequences",
    },
    WrongShader {
        name: "sequences-lie-side-by-side",
        about: "Along another axis than the last one, the wrong elements are turned around.",
        file: "turn",
        right: " / parameters.inner % parameters.depth",
        wrong: " % parameters.depth",
        way: &IN_ONE_PASS,
        operator: "directml/reverse_subsequences",
    },
    WrongShader {
        name: "turned-elements-of-a-later-window-are-the-first",
        about: "Elements of a later part are counted from its beginning.",
        file: "turn",
        right: "(parameters.first + number) / parameters.inner",
        wrong: "number / parameters.inner",
        way: &IN_WINDOWS,
        operator: "directml/reverse_subsequences",
    },
    WrongShader {
        name: "low-words-do-not-order",
        about: "Integers of eight bytes are compared by their upper half.",
        file: "elementwise",
        right: "(keys[0].high == keys[1].high && keys[0].low < keys[1].low)",
        wrong: "false",
        way: &IN_ONE_PASS,
        operator: "directml/logical_less_than",
    },
    WrongShader {
        name: "low-words-do-not-differ",
        about: "Integers of eight bytes are equal when their upper halves are.",
        file: "elementwise",
        right: " && keys[0].low == keys[1].low",
        wrong: "",
        way: &IN_ONE_PASS,
        operator: "directml/logical_equals",
    },
    WrongShader {
        name: "equals-are-no-less-or-equal",
        about: "Equal elements are not less or equal.",
        file: "elementwise",
        right: "order_of(a, b).is_less || order_of(a, b).is_equal",
        wrong: "order_of(a, b).is_less",
        way: &IN_ONE_PASS,
        operator: "directml/logical_less_than_or_equal",
    },
    WrongShader {
        name: "equals-are-no-greater-or-equal",
        about: "Equal elements are not greater or equal.",
        file: "elementwise",
        right: "order_of(a, b).is_greater || order_of(a, b).is_equal",
        wrong: "order_of(a, b).is_greater",
        way: &IN_ONE_PASS,
        operator: "directml/logical_greater_than_or_equal",
    },
    WrongShader {
        name: "less-is-greater",
        about: "The greater one counts as the less.",
        file: "elementwise",
        right: "holds = order_of(a, b).is_less; }",
        wrong: "holds = order_of(a, b).is_greater; }",
        way: &IN_ONE_PASS,
        operator: "directml/logical_less_than",
    },
    WrongShader {
        name: "any-bit-in-common-is-true",
        about: "Truth is read bit by bit.",
        file: "elementwise",
        right: "is_true(a) && is_true(b)",
        wrong: "(a.y & b.y) != 0u",
        way: &IN_ONE_PASS,
        operator: "directml/logical_and",
    },
    WrongShader {
        name: "both-or-none-is-true",
        about: "One that is not 0 is not enough.",
        file: "elementwise",
        right: "is_true(a) || is_true(b)",
        wrong: "is_true(a) && is_true(b)",
        way: &IN_ONE_PASS,
        operator: "directml/logical_or",
    },
    WrongShader {
        name: "different-bits-are-true",
        about: "Two different ones that are not 0 count as one of them.",
        file: "elementwise",
        right: "is_true(a) != is_true(b)",
        wrong: "any(a != b)",
        way: &IN_ONE_PASS,
        operator: "directml/logical_xor",
    },
    WrongShader {
        name: "not-is-of-bits",
        about: "Whether the bits are not all set.",
        file: "elementwise",
        right: "holds = !is_true(a);",
        wrong: "holds = any(a != vec2<u32>(0u, 0xFFFFFFFFu));",
        way: &IN_ONE_PASS,
        operator: "directml/logical_not",
    },
    WrongShader {
        name: "infinities-are-not-numbers",
        about: "Infinities count as NaN.",
        file: "elementwise",
        right: "return magnitude > infinity",
        wrong: "return magnitude >= infinity",
        way: &IN_ONE_PASS,
        operator: "directml/is_nan",
    },
    WrongShader {
        name: "the-sign-of-an-infinity-is-ignored",
        about: "Either infinity counts where the one above 0 should.",
        file: "elementwise",
        right: "is_infinity(a) && !is_negative(a)",
        wrong: "is_infinity(a)",
        way: &IN_ONE_PASS,
        operator: "directml/is_infinity",
    },
    WrongShader {
        name: "the-negative-infinity-is-any-negative-one",
        about: "Negative numbers count as the infinity below 0.",
        file: "elementwise",
        right: "is_infinity(a) && is_negative(a)",
        wrong: "is_negative(a)",
        way: &IN_ONE_PASS,
        operator: "directml/is_infinity",
    },
    WrongShader {
        name: "not-a-number-is-infinite",
        about: "The mantissa is ignored.",
        file: "elementwise",
        right: "(element.y & 0x7FFFFFFFu) == infinity_of",
        wrong: "(element.y & 0x7FFFFFFFu) >= infinity_of",
        way: &IN_ONE_PASS,
        operator: "directml/is_infinity",
    },
    WrongShader {
        name: "a-condition-is-1",
        about: "A condition of another value than 1 counts as 0.",
        file: "elementwise",
        right: "b, is_true(a)); }",
        wrong: "b, (a.y >> 24u) == 1u); }",
        way: &IN_ONE_PASS,
        operator: "directml/element_wise_if",
    },
    WrongShader {
        name: "branches-are-swapped",
        about: "Where the condition holds, the second one comes.",
        file: "elementwise",
        right: "b, is_true(a)); }",
        wrong: "b, !is_true(a)); }",
        way: &IN_SEVERAL_PASSES,
        operator: "directml/element_wise_if",
    },
    WrongShader {
        name: "the-lesser-is-the-greater",
        about: "The greater one is lost.",
        file: "elementwise",
        right: "select(a, b, order_of(a, b).is_less)",
        wrong: "select(b, a, order_of(a, b).is_less)",
        way: &IN_ONE_PASS,
        operator: "directml/element_wise_max",
    },
    WrongShader {
        name: "the-first-is-the-lesser",
        about: "The second one never comes.",
        file: "elementwise",
        right: "element = select(a, b, order_of(a, b).is_greater);",
        wrong: "element = a;",
        way: &IN_ONE_PASS,
        operator: "directml/element_wise_min",
    },
    WrongShader {
        name: "bits-of-either",
        about: "AND takes the bits of either.",
        file: "elementwise",
        right: "element = a & b;",
        wrong: "element = a | b;",
        way: &IN_ONE_PASS,
        operator: "directml/bit_and",
    },
    WrongShader {
        name: "bits-of-just-one",
        about: "OR leaves out the bits of both.",
        file: "elementwise",
        right: "element = a | b;",
        wrong: "element = a ^ b;",
        way: &IN_ONE_PASS,
        operator: "directml/bit_or",
    },
    WrongShader {
        name: "bits-of-both-too",
        about: "XOR takes the bits of both.",
        file: "elementwise",
        right: "element = a ^ b;",
        wrong: "element = a | b;",
        way: &IN_ONE_PASS,
        operator: "directml/bit_xor",
    },
    WrongShader {
        name: "low-words-keep-their-bits",
        about: "The low word of eight bytes is not inverted.",
        file: "elementwise",
        right: "element = ~a;",
        wrong: "element = vec2<u32>(a.x, ~a.y);",
        way: &IN_ONE_PASS,
        operator: "directml/bit_not",
    },
    WrongShader {
        name: "low-words-are-not-counted",
        about: "Of eight bytes the bits of four are counted.",
        file: "elementwise",
        right: "countOneBits(a.x) + countOneBits(a.y)",
        wrong: "countOneBits(a.y)",
        way: &IN_ONE_PASS,
        operator: "directml/bit_count",
    },
    WrongShader {
        name: "no-bit-is-carried-upwards",
        about: "Between the words of eight bytes no bit is carried.",
        file: "elementwise",
        right: "(bits.y << by.x) | carried",
        wrong: "bits.y << by.x",
        way: &IN_ONE_PASS,
        operator: "directml/bit_shift_left",
    },
    WrongShader {
        name: "shifts-wrap",
        about: "A shift by the width of a word or more wraps around.",
        file: "elementwise",
        right: "return vec2<u32>(0u, bits.x << (by.x - 32u));",
        wrong: "return vec2<u32>(0u, bits.y << (by.x - 32u));",
        way: &IN_ONE_PASS,
        operator: "directml/bit_shift_left",
    },
    WrongShader {
        name: "no-bit-is-carried-downwards",
        about: "Between the words of eight bytes no bit is carried.",
        file: "elementwise",
        right: "(bits.x >> by.x) | carried",
        wrong: "bits.x >> by.x",
        way: &IN_ONE_PASS,
        operator: "directml/bit_shift_right",
    },
    WrongShader {
        name: "a-long-shift-loses-the-high-word",
        about: "A shift by 32 or more leaves nothing.",
        file: "elementwise",
        right: "return vec2<u32>(bits.y >> (by.x - 32u), 0u);",
        wrong: "return vec2<u32>(0u, 0u);",
        way: &IN_ONE_PASS,
        operator: "directml/bit_shift_right",
    },
    WrongShader {
        name: "the-first-input-of-a-window-is-that-of-the-first",
        about: "Elements of a later window are those of another.",
        file: "elementwise",
        right: "parameters.first_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: "directml/element_wise_if",
    },
    WrongShader {
        name: "the-second-input-of-a-window-is-that-of-the-first",
        about: "Elements of a later window are those of another.",
        file: "elementwise",
        right: "parameters.second_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: "directml/element_wise_max",
    },
    WrongShader {
        name: "the-third-input-of-a-window-is-that-of-the-first",
        about: "Elements of a later window are those of another.",
        file: "elementwise",
        right: "parameters.third_base + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: "directml/element_wise_if",
    },
    WrongShader {
        name: "results-begin-at-what-is-bound",
        about: "Results of a later window stand before their place.",
        file: "elementwise",
        right: "word_of(parameters.stored_base, width) + number",
        wrong: "number",
        way: &IN_WINDOWS,
        operator: "directml/logical_equals",
    },
    WrongShader {
        name: "the-second-input-has-one-word",
        about: "Of the second input eight bytes are read as four.",
        file: "elementwise",
        right: "parameters.second_width == 8u",
        wrong: "false",
        way: &IN_ONE_PASS,
        operator: "directml/bit_and",
    },
    WrongShader {
        name: "the-third-input-has-one-word",
        about: "Of the third input eight bytes are read as four.",
        file: "elementwise",
        right: "parameters.third_width == 8u",
        wrong: "false",
        way: &IN_ONE_PASS,
        operator: "directml/element_wise_if",
    },
    WrongShader {
        name: "elements-that-share-a-word-are-the-first",
        about: "Of the elements that share a word each is the first one.",
        file: "elementwise",
        right: "worked_out(begin + at)",
        wrong: "worked_out(begin)",
        way: &IN_ONE_PASS,
        operator: "directml/is_nan",
    },
    WrongShader {
        name: "the-last-word-is-not-filled",
        about: "Of the elements in the last word one is missing.",
        file: "elementwise",
        right: "parameters.count - begin);",
        wrong: "max(parameters.count - begin, 2u) - 1u);",
        way: &IN_ONE_PASS,
        operator: "directml/bit_not",
    },
    WrongShader {
        name: "narrow-elements-are-read-from-the-lowest-part",
        about: "Of the elements that share a word of an input each is the first one.",
        file: "elementwise",
        right: "let shift = ((at * width) & 3u) * 8u;",
        wrong: "let shift = 0u;",
        way: &IN_ONE_PASS,
        operator: "directml/logical_not",
    },
    WrongShader {
        name: "shifts-count-above-their-type",
        about: "How far to shift is read where a raised element stands.",
        file: "elementwise",
        right: "shifted_right(a, lowered(b, parameters.stored_width))",
        wrong: "shifted_right(a, b)",
        way: &IN_ONE_PASS,
        operator: "directml/bit_shift_right",
    },
];

fn main() -> ExitCode {
    let controls = WAYS.iter().map(|way| Trial::test(format!("right_{}", way.name), || right(way)));
    let wrong = WRONG_SHADERS.iter().map(|wrong| Trial::test(wrong.name, || noticed(wrong)));
    let mut trials: Vec<Trial> = controls.chain(wrong).collect();
    trials.push(Trial::test("every_file_has_a_wrong_shader", every_file_has_a_wrong_shader));
    run_on_a_device(trials)
}

/// Each shader, and each file of functions that shaders include, is altered at least once. No operator uses the
/// yardsticks.
fn every_file_has_a_wrong_shader() -> Result<(), Failed> {
    for entry in fs::read_dir(FOLDER)? {
        let path = entry?.path();
        let is_altered = |file: &OsStr| WRONG_SHADERS.iter().any(|wrong| file == wrong.file);
        let is_yardstick = |file: &OsStr| file == "copy" || file == "empty";
        if path.extension() == Some(OsStr::new("wgsl"))
            && fs::read_to_string(&path)?.contains("fn ")
            && !path.file_stem().is_some_and(|file| is_altered(file) || is_yardstick(file))
        {
            return Err(format!("no wrong shader: {}", path.display()).into());
        }
    }
    Ok(())
}

/// Nothing is noticed about shaders without an alteration that are compiled like those with one. One pass is enough: `paths.rs`
/// sends the suite these ways, which takes minutes where memory is cut into windows.
fn right(way: &Way) -> Result<(), Failed> {
    let backend = open(options(way, compiled(&texts(&read)?)?))?;
    all_go_right(cases(way, |_| true).into_iter().step_by(PASSES), &backend)
}

/// In so many passes a wrong shader meets the cases.
const PASSES: usize = 16;

/// A case of the operator goes wrong, and what is wrong is the answer.
fn noticed(wrong: &WrongShader) -> Result<(), Failed> {
    let unaltered = texts(&read)?;
    let mut altered = texts(&|file| if file == wrong.file { alter(wrong) } else { read(file) })?;
    altered.retain(|shader| !unaltered.contains(shader));
    let backend = open(options(wrong.way, compiled(&altered)?))?;
    let cases = cases(wrong.way, |operator| operator == wrong.operator);
    // Some of each size at a time: most alterations show in many cases, and the first ones are all alike.
    for planned in (0..PASSES).flat_map(|pass| cases.iter().skip(pass).step_by(PASSES)) {
        let event = event(planned, &backend);
        match event.outcome {
            Outcome::Fail | Outcome::Nondeterministic | Outcome::GuardViolation => return Ok(()),
            outcome if outcome.is_bad() => {
                let failure = opcert::report::explain_failure(&event, "", false, 80);
                return Err(format!("{}: {outcome} is no wrong answer: {failure}", event.case).into());
            }
            _ => {}
        }
    }
    Err(format!("survives: {}", wrong.about).into())
}

/// The cases that go a way, small ones first: those of some operators, by id, that dispatch.
fn cases(way: &Way, is_wanted: impl Fn(&str) -> bool) -> Vec<&'static Planned> {
    let wanted = suite().iter().filter(|planned| is_wanted(&planned.case.about().operator.id));
    let mut cases: Vec<_> = wanted.filter(|planned| (1..=way.most_memory).contains(&memory_of(planned))).collect();
    cases.sort_by_key(|planned| memory_of(planned));
    cases
}

fn options(way: &Way, replaced: Vec<(String, Vec<u32>)>) -> Options {
    Options { limits: way.limits, patience: Duration::from_secs(10), replaced, ..Options::default() }
}

fn read(file: &str) -> Result<String, String> {
    compile::read_from(Path::new(FOLDER))(file)
}

fn alter(wrong: &WrongShader) -> Result<String, String> {
    let text = read(wrong.file)?;
    match text.matches(wrong.right).count() {
        1 => Ok(text.replace(wrong.right, wrong.wrong)),
        count => Err(format!("{}.wgsl has {count} times what is to be replaced once: {}", wrong.file, wrong.right)),
    }
}

/// The name and the whole text of every shader.
fn texts(read: &dyn Fn(&str) -> Result<String, String>) -> Result<Vec<(&'static str, String)>, String> {
    let shaders = compile::SHADERS.iter();
    shaders.map(|(name, file, constants)| Ok((*name, compile::compose(file, constants, read)?))).collect()
}

fn compiled(texts: &[(&str, String)]) -> Result<Vec<(String, Vec<u32>)>, String> {
    texts.iter().map(|(name, text)| Ok(((*name).to_owned(), compile::compile(text)?))).collect()
}
