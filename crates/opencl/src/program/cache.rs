//! Built programs on disk, so that a process's first call need not wait for the compiler.
//!
//! A file holds a mark, the SHA-256 of the binary, and the binary. It is written under another name, synced and
//! renamed, so that a reader sees a whole file or none; one that does not fit its checksum is as good as none. What a
//! process leaves behind that is killed in the middle, a later one removes. Files and folders count only if nobody else
//! can have written them ([`private_files`]), and the least recently used programs are evicted at a limit
//! ([`eviction`]).

mod eviction;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

pub use self::eviction::{Entries, limit, parse_size};
use crate::private_files;

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

/// The programs in the cache, and their bytes.
pub fn entries() -> Entries {
    directory().map(|folder| eviction::entries(&folder)).unwrap_or_default()
}

/// The reason why the cache's folder is passed over: it belongs to another user, or others may write to it.
pub fn fault() -> Option<String> {
    let error = private_files::check_folder(&directory()?).err()?;
    (error.kind() != io::ErrorKind::NotFound).then(|| error.to_string())
}

/// Removes the least recently used programs until at most `limit` bytes are left, and says what it removed.
pub fn prune(limit: u64) -> Entries {
    let Some(folder) = directory() else { return Entries::default() };
    sweep(&folder, ABANDONED);
    eviction::evict(&folder, limit)
}

/// Removes all programs, and what interrupted processes left.
pub fn clear() -> Entries {
    let Some(folder) = directory() else { return Entries::default() };
    sweep(&folder, Duration::ZERO);
    eviction::evict(&folder, 0)
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
    let path = path(folder, key);
    let (file, bytes) = match private_files::read(&path) {
        Ok(read) => read,
        Err(error) => {
            let at_fault = if private_files::check_folder(folder).is_err() { folder } else { &path };
            private_files::warn_once(at_fault, &error);
            return None;
        }
    };
    let content = unwrap(&bytes);
    match content {
        Some(_) => eviction::mark_used(&file),
        None => tracing::warn!(key, "a damaged file in the program cache is built again"),
    }
    content.map(<[u8]>::to_vec)
}

/// Keeps a binary under `key`. A cache that cannot be written costs time only: it is said in the log.
pub(super) fn write(key: &str, binary: &[u8]) {
    static SWEPT: Once = Once::new();
    /// Bytes that this process has written since it last looked at the folder's size.
    static WRITTEN: AtomicU64 = AtomicU64::new(u64::MAX / 2);
    let Some(folder) = directory() else { return };
    if let Err(error) = write_into(&folder, key, binary) {
        private_files::warn_once(&folder, &error);
        return;
    }
    SWEPT.call_once(|| sweep(&folder, ABANDONED));
    let limit = limit().unwrap_or(u64::MAX);
    let written = WRITTEN.fetch_add(binary.len() as u64, Ordering::Relaxed);
    if written > limit / LOOKS_PER_LIMIT {
        WRITTEN.store(0, Ordering::Relaxed);
        eviction::keep_below(&folder, limit);
    }
}

/// How often a process that fills the cache looks at the folder's size; the first write looks too.
const LOOKS_PER_LIMIT: u64 = 16;

/// How long nobody has written to a temporary file whose writer is gone: writing one takes a moment.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Removes the temporary files of processes that were killed while they wrote, older than `abandoned`.
fn sweep(folder: &Path, abandoned: Duration) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = file.path();
        let written = file.metadata().and_then(|data| data.modified());
        let age = written.ok().and_then(|time| time.elapsed().ok()).unwrap_or_default();
        if path.extension().is_some_and(|extension| extension == TEMPORARY) && age >= abandoned {
            // Somebody else may sweep, too.
            let _ = fs::remove_file(path);
        }
    }
}

fn write_into(folder: &Path, key: &str, binary: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    private_files::create_folder(folder)?;
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!("{key}.{}.{number}.{TEMPORARY}", std::process::id()));
    let result = private_files::creating().write(true).truncate(true).open(&temporary).and_then(|mut file| {
        file.write_all(&wrap(binary))?;
        file.sync_all()?;
        fs::rename(&temporary, path(folder, key))
    });
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Contents of a cache file: a mark, a digest and the binary.
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
