//! Compiles the shaders.

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

#[path = "shaders/compile.rs"]
mod compile;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=shaders");
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), String> {
    let target = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let read = compile::read_from(Path::new("shaders"));
    for (name, file, constants) in compile::SHADERS {
        let text = compile::compose(file, constants, &read)?;
        let words = compile::compile(&text).map_err(|error| format!("shaders/{file}.wgsl: {error}"))?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let path = Path::new(&target).join(format!("{name}.spv"));
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
