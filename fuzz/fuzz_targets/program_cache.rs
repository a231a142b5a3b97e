//! The program cache's files: bytes of any kind are either refused or hold what was put in them, and a file that
//! differs in anything from one that was written is refused.
#![no_main]

use affinimath::fuzzing::{unwrap_cached, wrap_cached};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Some(content) = unwrap_cached(data) {
        assert_eq!(wrap_cached(content), data, "there is one file of a content");
    }
    let [kind, high, low, value, content @ ..] = data else { return };
    let mut file = wrap_cached(content);
    assert_eq!(unwrap_cached(&file), Some(content));
    let offset = (usize::from(*high) << 8 | usize::from(*low)) % file.len();
    match kind % 3 {
        0 if *value != 0 => file[offset] ^= value,
        1 => file.truncate(offset),
        2 => file.insert(offset, *value),
        _ => return,
    }
    if file != wrap_cached(content) {
        assert_eq!(unwrap_cached(&file), None, "damaged at {offset}");
    }
});
