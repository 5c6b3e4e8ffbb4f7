//! NumPy's files. What is read is written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use opcert::npy;

fuzz_target!(|bytes: &[u8]| {
    let sizes = npy::sizes(bytes);
    let Ok((data_type, found, elements)) = npy::read_any(bytes) else { return };
    assert_eq!(sizes.ok().as_deref(), Some(&*found));
    let again = npy::write(data_type, &found, &elements);
    assert_eq!(npy::read(&again, data_type, &found).ok(), Some(elements));
});
