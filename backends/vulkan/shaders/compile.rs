//! WGSL to SPIR-V. Part of the build script, and of the tests that build wrong shaders.

use std::collections::BTreeSet;
use std::path::Path;

use naga::ShaderStage;
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The shaders: name, file, and for files of which there are several, what makes this one of them: the width of its elements, or
/// its function. Drivers without much of an optimiser work out all that a shader could do.
pub const SHADERS: &[(&str, &str, &str)] = &[
    ("argmax_direct", "argmax_direct", ""),
    ("around", "around", ""),
    ("combine", "combine", "const WIDE = false;"),
    ("combine_wide", "combine", "const WIDE = true;"),
    ("coordinates", "coordinates", ""),
    ("copy", "copy", ""),
    ("diagonal", "diagonal", ""),
    ("elementwise_and", "elementwise", "const FUNCTION = AND;"),
    ("elementwise_bit_and", "elementwise", "const FUNCTION = BIT_AND;"),
    ("elementwise_bit_count", "elementwise", "const FUNCTION = BIT_COUNT;"),
    ("elementwise_bit_not", "elementwise", "const FUNCTION = BIT_NOT;"),
    ("elementwise_bit_or", "elementwise", "const FUNCTION = BIT_OR;"),
    ("elementwise_bit_xor", "elementwise", "const FUNCTION = BIT_XOR;"),
    ("elementwise_clip", "elementwise", "const FUNCTION = CLIP;"),
    ("elementwise_equals", "elementwise", "const FUNCTION = EQUALS;"),
    ("elementwise_greater", "elementwise", "const FUNCTION = GREATER;"),
    ("elementwise_greater_or_equal", "elementwise", "const FUNCTION = GREATER_OR_EQUAL;"),
    ("elementwise_if", "elementwise", "const FUNCTION = IF;"),
    ("elementwise_is_infinity", "elementwise", "const FUNCTION = IS_INFINITY;"),
    ("elementwise_is_nan", "elementwise", "const FUNCTION = IS_NAN;"),
    ("elementwise_is_negative_infinity", "elementwise", "const FUNCTION = IS_NEGATIVE_INFINITY;"),
    ("elementwise_is_positive_infinity", "elementwise", "const FUNCTION = IS_POSITIVE_INFINITY;"),
    ("elementwise_less", "elementwise", "const FUNCTION = LESS;"),
    ("elementwise_less_or_equal", "elementwise", "const FUNCTION = LESS_OR_EQUAL;"),
    ("elementwise_max", "elementwise", "const FUNCTION = MAX;"),
    ("elementwise_min", "elementwise", "const FUNCTION = MIN;"),
    ("elementwise_not", "elementwise", "const FUNCTION = NOT;"),
    ("elementwise_or", "elementwise", "const FUNCTION = OR;"),
    ("elementwise_shift_left", "elementwise", "const FUNCTION = SHIFT_LEFT;"),
    ("elementwise_shift_right", "elementwise", "const FUNCTION = SHIFT_RIGHT;"),
    ("elementwise_xor", "elementwise", "const FUNCTION = XOR;"),
    ("empty", "empty", ""),
    ("fill", "fill", ""),
    ("gather", "gather", ""),
    ("list", "list", ""),
    ("mark", "mark", "const WIDE = false;"),
    ("mark_wide", "mark", "const WIDE = true;"),
    ("move", "move", ""),
    ("nonzero_direct", "nonzero_direct", ""),
    ("one_hot_direct", "one_hot_direct", ""),
    ("one_hot_planes", "one_hot_planes", ""),
    ("one_hot_rows", "one_hot_rows", ""),
    ("pick", "pick", ""),
    ("place", "place", ""),
    ("reduce", "reduce", "const WIDE = false;"),
    ("reduce_columns", "reduce_columns", "const WIDE = false;"),
    ("reduce_rows", "reduce_rows", "const WIDE = false;"),
    ("reduce_wide", "reduce", "const WIDE = true;"),
    ("resolve", "resolve", ""),
    ("scan_down", "scan_down", ""),
    ("scan_up", "scan_up", ""),
    ("scatter", "scatter", ""),
    ("turn", "turn", ""),
    ("update", "update", ""),
];

/// The text of a shader with all that it includes, each once and before what includes it.
pub fn compose(file: &str, constants: &str, read: &dyn Fn(&str) -> Result<String, String>) -> Result<String, String> {
    let mut text = format!("{constants}\n");
    include(file, read, &mut BTreeSet::new(), &mut text)?;
    Ok(text)
}

fn include(
    file: &str,
    read: &dyn Fn(&str) -> Result<String, String>,
    seen: &mut BTreeSet<String>,
    text: &mut String,
) -> Result<(), String> {
    if !seen.insert(file.to_owned()) {
        return Ok(());
    }
    let own = read(file)?;
    for names in own.lines().filter_map(|line| line.strip_prefix("// include: ")) {
        for name in names.split(", ") {
            include(name, read, seen, text)?;
        }
    }
    text.push_str(&own);
    Ok(())
}

/// Reads a file of a folder of shaders.
pub fn read_from(folder: &Path) -> impl Fn(&str) -> Result<String, String> {
    move |file| {
        let path = folder.join(format!("{file}.wgsl"));
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Compiles a shader for Vulkan 1.1.
pub fn compile(text: &str) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::IMMEDIATES);
    let information = validator.validate(&module).map_err(|error| error.emit_to_string(text))?;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::empty(),
        // Positions are computed from descriptors that were checked, and buffers are bound whole.
        bounds_check_policies: naga::proc::BoundsCheckPolicies::default(),
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    let pipeline = spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: "main".to_owned() };
    spv::write_vec(&module, &information, &options, Some(&pipeline)).map_err(|error| error.to_string())
}
