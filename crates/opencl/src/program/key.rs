//! The name of a built program in the cache: a digest of everything that its binary depends on.

use sha2::{Digest, Sha256};

use crate::device::DeviceFacts;

/// SHA-256 of the source, the options, the device, its driver and this library's version, in hexadecimal.
pub(super) fn digest(text: &str, options: &str, facts: &DeviceFacts) -> String {
    let fields = [
        text,
        options,
        &facts.platform,
        &facts.platform_version,
        &facts.name,
        &facts.vendor,
        &facts.version,
        &facts.driver,
        env!("CARGO_PKG_VERSION"),
    ];
    let mut hasher = Sha256::new();
    for field in fields {
        // The length keeps ("ab", "c") and ("a", "bc") apart.
        hasher.update((field.len() as u64).to_le_bytes());
        hasher.update(field.as_bytes());
    }
    hex(&hasher.finalize())
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
