//! Built programs on disk, so that a process's first call need not wait for the compiler.
//!
//! A file holds a mark, the SHA-256 of the binary, and the binary. It is written under another name, synced and renamed,
//! so that a reader sees a whole file or none; one that does not fit its checksum is as good as none. What a process leaves behind
//! that is killed in the middle, a later one removes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

const MARK: &[u8; 16] = b"affinimath prog1";
/// The extension of files that are not written to their end yet.
const TEMPORARY: &str = "tmp";
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
    read_from(&directory()?, key)
}

fn read_from(folder: &Path, key: &str) -> Option<Vec<u8>> {
    let bytes = fs::read(path(folder, key)).ok()?;
    let content = unwrap(&bytes);
    if content.is_none() {
        tracing::warn!(key, "a damaged file in the program cache is built again");
    }
    content.map(<[u8]>::to_vec)
}

/// Keeps a binary under `key`. A cache that cannot be written costs time only: it is said in the log.
pub(super) fn write(key: &str, binary: &[u8]) {
    static SWEPT: Once = Once::new();
    let Some(folder) = directory() else { return };
    if let Err(error) = write_into(&folder, key, binary) {
        tracing::warn!("the program cache in {} cannot be written: {error}", folder.display());
    }
    SWEPT.call_once(|| sweep(&folder));
}

/// How long nobody has written to a temporary file whose writer is gone: writing one takes a moment.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Removes the temporary files of processes that were killed while they wrote.
fn sweep(folder: &Path) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = file.path();
        let written = file.metadata().and_then(|data| data.modified());
        let age = written.ok().and_then(|time| time.elapsed().ok()).unwrap_or_default();
        if path.extension().is_some_and(|extension| extension == TEMPORARY) && age > ABANDONED {
            // Somebody else may sweep, too.
            let _ = fs::remove_file(path);
        }
    }
}

fn write_into(folder: &Path, key: &str, binary: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    fs::create_dir_all(folder)?;
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!("{key}.{}.{number}.{TEMPORARY}", std::process::id()));
    let result = File::create(&temporary).and_then(|mut file| {
        file.write_all(&wrap(binary))?;
        file.sync_all()?;
        fs::rename(&temporary, path(folder, key))
    });
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// What a file holds.
pub fn wrap(binary: &[u8]) -> Vec<u8> {
    [MARK, Sha256::digest(binary).as_slice(), binary].concat()
}

/// A file's content, if it is whole.
pub fn unwrap(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(MARK)?;
    let (checksum, binary) = rest.split_at_checked(CHECKSUM_BYTES)?;
    (Sha256::digest(binary).as_slice() == checksum).then_some(binary)
}

#[cfg(test)]
mod tests;
