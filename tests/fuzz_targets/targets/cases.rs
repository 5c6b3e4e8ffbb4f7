//! Cases: read, checked, written and read again.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::source::Source;
use opcert::spec::Specs;

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::load(&Source::embedded_specs()).expect("they load"));

/// The place of the file: that of the operator that it is of.
fn stem(text: &str) -> String {
    let id = text.lines().find_map(|line| line.strip_prefix("operator: ")).unwrap_or("directml/argmax");
    format!("{id}/fuzzed")
}

fn load(text: &str) -> Option<Suite> {
    let held = vec![(stem(text), text.to_owned())];
    match Suite::load(&CaseSource(Source::Held(held)), &SPECS, |_| true) {
        Ok(suite) => Some(suite),
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            diagnostics.iter().for_each(|diagnostic| _ = diagnostic.to_string());
            None
        }
    }
}

fuzz_target!(|text: &str| {
    let Some(suite) = load(text) else { return };
    for case in &suite.cases {
        let CheckedCase::Valid(_) = case else { continue };
        assert!(!case.about().id.is_empty());
    }
});
