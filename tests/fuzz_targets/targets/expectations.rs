//! The known failures of a backend: read, applied to ids of cases, brought up to date, and read again.
#![no_main]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use opcert::backend::Identity;
use opcert::expectations::{Expectations, KnownFailures, Update};

/// Ids that look like those of cases.
static IDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let operators = ["directml/argmax", "directml/one_hot", "onnx/arg_max", "openvino/one_hot_1"];
    operators.iter().flat_map(|operator| (0..40).map(move |case| format!("{operator}/by_hand/case_{case}"))).collect()
});

fuzz_target!(|text: &str| {
    let path = Path::new("expectations.yaml");
    let known = match KnownFailures::parse(path, text.to_owned()) {
        Ok(known) => known,
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            return diagnostics.iter().take(9).for_each(|diagnostic| _ = diagnostic.render(false));
        }
    };
    let backend = Identity {
        name: "fuzzed".into(),
        version: "1.2".into(),
        device: Some("none".into()),
        claims: BTreeMap::new(),
        strided: false,
        refuses_invalid: false,
    };
    let ids = || IDS.iter().map(String::as_str);
    _ = Expectations::new(known.clone(), &backend, ids(), true);
    if let Ok(update) = Update::new(&known, &backend, &[], ids()) {
        KnownFailures::parse(path, update.text).expect("what is written is read again");
    }
});
