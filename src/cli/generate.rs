//! `opcert generate`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::input::quoted;
use super::{Failure, Sources, output};
use crate::file;
use crate::generate::{FOLDER, GeneratedFile, generate};
use crate::render;

/// Where the embedded cases come from, in the folder of the project.
const EMBEDDED: &str = "cases";

/// Arguments of `opcert generate`.
#[derive(Debug, Args)]
pub(super) struct GenerateArguments {
    /// The folder of cases to write to; `cases` when none is given, unless `--specs` names other specifications
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Write nothing, and fail when the files there are not those that would be written
    #[arg(long)]
    check: bool,
    /// Read specifications from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
}

pub(super) fn run(arguments: &GenerateArguments) -> Result<u8, Failure> {
    let folder = match (&arguments.folder, &arguments.specs) {
        (Some(folder), _) => folder.as_path(),
        (None, None) => Path::new(EMBEDDED),
        // Nobody wants the cases of other specifications among the embedded ones.
        (None, Some(specs)) => {
            let named = quoted(&specs.display().to_string());
            let message = format!(
                "`--specs {named}` asks for the folder of the cases as well: `opcert generate DIR --specs {named}`"
            );
            return Err(Failure::Usage(message));
        }
    };
    let specs = Sources { cases: None, specs: arguments.specs.clone() }.load_specs()?;
    let files = generate(&specs).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Failure::Usage(format!("nothing was written: {}", lines.join("\n")))
    })?;
    if let Some(file) = files.iter().find(|file| file.text.len() as u64 > file::LONGEST_TEXT) {
        let (path, length, most) = (folder.join(&file.path), file.text.len(), file::LONGEST_TEXT);
        let message = format!(
            "nothing was written: `{}` would have {length} bytes, and no case file is read that has more than {most}",
            path.display()
        );
        return Err(Failure::Usage(message));
    }
    let differing = differing(folder, &files)?;
    let stale = stale(folder, &files)?;
    if arguments.check {
        let mut text = String::new();
        differing.iter().for_each(|file| text.push_str(&format!("differs: {}\n", folder.join(&file.path).display())));
        stale.iter().for_each(|path| text.push_str(&format!("belongs to nothing: {}\n", path.display())));
        output::print(&text)?;
        if !text.is_empty() {
            return Err(Failure::Usage("the generated files are not up to date; `opcert generate` writes them".into()));
        }
    }
    for file in &differing {
        let path = folder.join(&file.path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        output::write_whole(path.parent().unwrap_or(folder), &name, file.text.as_bytes())?;
    }
    for path in &stale {
        fs::remove_file(path)
            .map_err(|error| Failure::Usage(format!("`{}` cannot be removed: {error}", path.display())))?;
    }
    let cases = render::counted(files.iter().map(|file| file.cases).sum(), "case");
    let files = render::counted(files.len(), "file");
    let removed: String = stale.iter().map(|path| format!("removed: {}\n", path.display())).collect();
    let written = if arguments.check { "up to date".to_owned() } else { format!("{} written", differing.len()) };
    output::print(&format!("{removed}{cases} in {files}, {written}\n"))?;
    Ok(super::CONFORMS)
}

/// The files that are missing below a folder, or hold something else.
fn differing<'a>(folder: &Path, files: &'a [GeneratedFile]) -> Result<Vec<&'a GeneratedFile>, Failure> {
    let mut differing = Vec::new();
    for file in files {
        let path = folder.join(&file.path);
        match file::read(&path, file::LONGEST_TEXT) {
            Ok(bytes) if bytes == file.text.as_bytes() => {}
            Ok(_) => differing.push(file),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => differing.push(file),
            Err(error) => return Err(Failure::Usage(format!("`{}` cannot be read: {error}", path.display()))),
        }
    }
    Ok(differing)
}

/// Case files in folders of generated files that nothing generates.
fn stale(folder: &Path, files: &[GeneratedFile]) -> Result<Vec<PathBuf>, Failure> {
    let mut folders: Vec<PathBuf> = files.iter().filter_map(|file| Some(folder.join(file.path.parent()?))).collect();
    folders.dedup();
    let mut stale = Vec::new();
    for place in folders.iter().filter(|place| place.ends_with(FOLDER) && place.is_dir()) {
        let unread = |error: std::io::Error| Failure::Usage(format!("`{}` cannot be read: {error}", place.display()));
        for entry in fs::read_dir(place).map_err(unread)? {
            let path = entry.map_err(unread)?.path();
            let known = files.iter().any(|file| folder.join(&file.path) == path);
            if !known && path.extension().is_some_and(|extension| extension == "yaml") {
                stale.push(path);
            }
        }
    }
    stale.sort();
    Ok(stale)
}
