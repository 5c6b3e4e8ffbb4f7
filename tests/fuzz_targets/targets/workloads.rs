//! Workloads and mappings. The input is a file of either; its keys say of which.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use opcert::bench::Workloads;
use opcert::diagnostic::Diagnostic;
use opcert::mapping::Mappings;
use opcert::source::Source;
use opcert::spec::Specs;

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::load(&Source::embedded_specs()).expect("they load"));

/// What a line with this key says.
fn stated<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}

fn told(diagnostics: &[Diagnostic]) {
    assert!(!diagnostics.is_empty());
    diagnostics.iter().take(9).for_each(|diagnostic| _ = diagnostic.render(false));
}

fuzz_target!(|text: &str| {
    let held = |stem: String| Source::Held(vec![(stem, text.to_owned())]);
    if let Some((from, to)) = stated(text, "from").zip(stated(text, "to")) {
        if let Err(diagnostics) = Mappings::load(&held(format!("{from}/{to}")), &SPECS) {
            told(&diagnostics);
        }
        return;
    }
    let operator = stated(text, "operator").unwrap_or("directml/argmax").to_owned();
    match Workloads::load(&held(operator), &SPECS, |_| true) {
        Ok(workloads) => workloads.all().for_each(|workload| assert!(!workload.name.is_empty())),
        Err(diagnostics) => told(&diagnostics),
    }
});
