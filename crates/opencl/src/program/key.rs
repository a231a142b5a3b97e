//! The name of a built program in the cache: a digest of everything that its binary depends on.

use sha2::{Digest, Sha256};

use crate::device::DeviceInfo;

/// SHA-256 of the source, the options, the device, its driver and this library's version, in hexadecimal.
pub(super) fn digest(text: &str, options: &str, device_info: &DeviceInfo) -> String {
    let fields = [
        text,
        options,
        &device_info.platform,
        &device_info.platform_version,
        &device_info.name,
        &device_info.vendor,
        &device_info.version,
        &device_info.driver,
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
