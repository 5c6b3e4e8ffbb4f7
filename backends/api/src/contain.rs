//! Calls a backend's code so that a panic ends the call and nothing else.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use crate::Fault;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a backend's code; a panic becomes [`Fault::Crashed`] with its message and place, and prints nothing.
///
/// # Errors
///
/// When the code panics. An abort cannot be contained this way: that takes a process of its own.
pub fn contain<T>(code: impl FnOnce() -> T) -> Result<T, Fault> {
    keep_panics_quiet();
    DEPTH.set(DEPTH.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(code));
    DEPTH.set(DEPTH.get() - 1);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message");
        let place = PLACE.take().map(|place| format!(" ({place})")).unwrap_or_default();
        Fault::Crashed(format!("panicked: {text}{place}"))
    })
}

/// Panics of contained code are reported by whoever contains it; all others are printed as before.
fn keep_panics_quiet() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |information| {
            if DEPTH.get() == 0 {
                return before(information);
            }
            let place = information.location();
            let place = place.map(|place| format!("{}:{}", below_its_crate(place.file()), place.line()));
            PLACE.set(place);
        }));
    });
}

/// The path of a source file without what belongs to the machine: those of other crates and of the toolchain are
/// absolute, and the crate's folder is enough to find them. Relative ones are short.
fn below_its_crate(file: &str) -> &str {
    if !Path::new(file).is_absolute() {
        return file;
    }
    let folder = file.rfind("/src/").and_then(|sources| file[..sources].rfind('/'));
    &file[folder.or_else(|| file.rfind('/')).map_or(0, |slash| slash + 1)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_fault_with_its_message_and_place() {
        let fault = contain(|| panic!("index {} is out of bounds", 7)).unwrap_err();
        let Fault::Crashed(message) = fault else { panic!("{fault:?}") };
        assert!(message.starts_with("panicked: index 7 is out of bounds (") && message.contains("contain.rs:"));
        assert_eq!(contain(|| 5), Ok(5));
    }

    #[test]
    fn a_place_in_another_crate_says_nothing_of_the_machine() {
        for (file, place) in [
            ("backends/cpu/src/argmax.rs", "backends/cpu/src/argmax.rs"),
            (
                "/home/a/.cargo/registry/src/index-1949/ndarray-0.17.2/src/arraytraits.rs",
                "ndarray-0.17.2/src/arraytraits.rs",
            ),
            ("/rustc/59807616/library/core/src/option.rs", "core/src/option.rs"),
            ("/home/a/project/target/out/tables.rs", "tables.rs"),
        ] {
            assert_eq!(below_its_crate(file), place);
        }
    }
}
