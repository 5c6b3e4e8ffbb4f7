//! Embeds `specs/`, `cases/`, `workloads/` and `mappings/`: one static list of paths and texts each, sorted by path.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut code = String::new();
    for (name, folder) in [("SPECS", "specs"), ("CASES", "cases"), ("WORKLOADS", "workloads"), ("MAPPINGS", "mappings")]
    {
        println!("cargo::rerun-if-changed={folder}");
        let mut files = Vec::new();
        collect(&root.join(folder), &mut files)?;
        files.sort();
        let _ = writeln!(code, "pub(super) static {name}: &[(&str, &str)] = &[");
        for file in files {
            let relative = file.strip_prefix(root.join(folder)).map_err(io::Error::other)?;
            let relative = relative.to_string_lossy().replace('\\', "/");
            let _ = writeln!(code, "    ({relative:?}, include_str!({:?})),", file.display().to_string());
        }
        code.push_str("];\n");
    }
    fs::write(out.join("embedded.rs"), code)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    Ok(())
}
