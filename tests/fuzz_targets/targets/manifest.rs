//! `backend.yaml`: what a folder with a backend in it says of itself.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use opcert::run::Manifest;

fuzz_target!(|text: &str| {
    match Manifest::parse(Path::new("mine/backend.yaml"), text) {
        Ok(manifest) => {
            assert!(!manifest.command.is_empty());
            _ = (manifest.through(), manifest.program(Path::new("mine")));
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            diagnostics.iter().take(9).for_each(|diagnostic| _ = diagnostic.render(false));
        }
    }
});
