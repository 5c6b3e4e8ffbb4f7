//! DxDispatch's models, and the cases that they become.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use opcert::import::Foreign;
use opcert::source::Source;
use opcert::spec::Specs;

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::load(&Source::embedded_specs()).expect("they load"));

/// What is larger takes its time, and is for other tests.
const MOST_ELEMENTS: u64 = 1 << 12;

fn is_small(foreign: &Foreign) -> bool {
    foreign.tensors.iter().all(|tensor| tensor.descriptor.element_count().is_some_and(|count| count <= MOST_ELEMENTS))
}

/// Whether a number has so many digits that it might ask for much memory.
fn has_long_number(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_digit()).any(|digits| digits.len() > 6)
}

fuzz_target!(|text: &str| {
    if has_long_number(text) {
        return;
    }
    // There is no such folder, so that no model reads a file.
    let path = Path::new("/nonexistent/folder/model.json");
    let tests = opcert::import::of_dxdispatch(text, path).map(|found| found.tests).unwrap_or_default();
    for foreign in tests.into_iter().filter(is_small) {
        _ = foreign.complete(&SPECS);
    }
});
