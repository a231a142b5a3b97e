//! Checksums of memory.

use sha2::{Digest, Sha256};

/// First 16 hexadecimal digits of the bytes' SHA-256.
pub fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
