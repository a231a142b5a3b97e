//! Built programs on disk, so that a process's first call need not wait for the compiler.
//!
//! A file holds a mark, the SHA-256 of the binary, and the binary. It is written under another name, synced and renamed,
//! so that a reader sees a whole file or none; one that does not fit its checksum is as good as none.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

const MARK: &[u8; 16] = b"affinimath prog1";
const CHECKSUM_BYTES: usize = 32;

/// The folder of built programs: `AFFINIMATH_CACHE_DIR`, else `affinimath` in the user's cache folder. `None` when the
/// cache is off (`AFFINIMATH_CACHE=off`) or no such folder is known.
pub fn directory() -> Option<PathBuf> {
    if std::env::var_os("AFFINIMATH_CACHE").is_some_and(|value| value.eq_ignore_ascii_case("off")) {
        return None;
    }
    match std::env::var_os("AFFINIMATH_CACHE_DIR") {
        Some(folder) if !folder.is_empty() => Some(folder.into()),
        _ => Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("affinimath")),
    }
}

/// The number of programs in the cache, and their bytes.
pub fn entries() -> (usize, u64) {
    let files = directory().and_then(|folder| fs::read_dir(folder).ok());
    files
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| is_program(&entry.path()))
        .fold((0, 0), |(count, bytes), entry| (count + 1, bytes + entry.metadata().map(|data| data.len()).unwrap_or(0)))
}

fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "program")
}

fn path(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}.program"))
}

/// The binary kept under `key`, if there is one and it is whole.
pub(super) fn read(key: &str) -> Option<Vec<u8>> {
    let bytes = fs::read(path(&directory()?, key)).ok()?;
    let content = unwrap(&bytes);
    if content.is_none() {
        tracing::warn!(key, "a damaged file in the program cache is built again");
    }
    content.map(<[u8]>::to_vec)
}

/// Keeps a binary under `key`. A cache that cannot be written costs time only: it is said in the log.
pub(super) fn write(key: &str, binary: &[u8]) {
    let Some(folder) = directory() else { return };
    if let Err(error) = write_into(&folder, key, binary) {
        tracing::warn!("the program cache in {} cannot be written: {error}", folder.display());
    }
}

fn write_into(folder: &Path, key: &str, binary: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    fs::create_dir_all(folder)?;
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!("{key}.{}.{number}.tmp", std::process::id()));
    let result = File::create(&temporary).and_then(|mut file| {
        file.write_all(MARK)?;
        file.write_all(&Sha256::digest(binary))?;
        file.write_all(binary)?;
        file.sync_all()?;
        fs::rename(&temporary, path(folder, key))
    });
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn unwrap(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(MARK)?;
    let (checksum, binary) = rest.split_at_checked(CHECKSUM_BYTES)?;
    (Sha256::digest(binary).as_slice() == checksum).then_some(binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        write_into(folder.path(), "key", b"binary").unwrap();
        let bytes = fs::read(path(folder.path(), "key")).unwrap();
        assert_eq!(unwrap(&bytes), Some(&b"binary"[..]));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_damaged_file_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        write_into(folder.path(), "key", b"binary").unwrap();
        let whole = fs::read(path(folder.path(), "key")).unwrap();
        for length in 0..whole.len() {
            assert_eq!(unwrap(&whole[..length]), None, "cut to {length} bytes");
        }
        for index in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[index] ^= 1;
            assert_eq!(unwrap(&damaged), None, "byte {index} changed");
        }
    }
}
