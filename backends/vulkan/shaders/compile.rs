//! WGSL to SPIR-V. Part of the build script, and of the tests that build wrong shaders.

use std::collections::BTreeSet;
use std::path::Path;

use naga::ShaderStage;
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The shaders: name, file, and for files that know elements of two widths, which one.
pub const SHADERS: &[(&str, &str, Option<bool>)] = &[
    ("argmax_direct", "argmax_direct", None),
    ("combine", "combine", Some(false)),
    ("combine_wide", "combine", Some(true)),
    ("coordinates", "coordinates", None),
    ("copy", "copy", None),
    ("empty", "empty", None),
    ("fill", "fill", None),
    ("gather", "gather", None),
    ("list", "list", None),
    ("mark", "mark", Some(false)),
    ("mark_wide", "mark", Some(true)),
    ("nonzero_direct", "nonzero_direct", None),
    ("one_hot_direct", "one_hot_direct", None),
    ("one_hot_planes", "one_hot_planes", None),
    ("one_hot_rows", "one_hot_rows", None),
    ("pick", "pick", None),
    ("place", "place", None),
    ("reduce", "reduce", Some(false)),
    ("reduce_columns", "reduce_columns", Some(false)),
    ("reduce_rows", "reduce_rows", Some(false)),
    ("reduce_wide", "reduce", Some(true)),
    ("scan_down", "scan_down", None),
    ("scan_up", "scan_up", None),
    ("scatter", "scatter", None),
];

/// The text of a shader with all that it includes, each once and before what includes it.
pub fn compose(
    file: &str,
    wide: Option<bool>,
    read: &dyn Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let mut text = wide.map(|wide| format!("const WIDE = {wide};\n")).unwrap_or_default();
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
