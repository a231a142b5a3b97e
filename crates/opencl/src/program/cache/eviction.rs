//! The bound on the cache's size: the least recently used programs go first.
//!
//! A program's time of modification is its last use, to the hour: [`mark_used`] sets it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use super::is_program;
use crate::error::{Error, Result};

/// The cache's size in bytes where `AFFINIMATH_CACHE_SIZE` gives none.
const DEFAULT_LIMIT: u64 = 1 << 30;
/// The part of the limit that eviction leaves, in eighths, so that not every write evicts.
const LEFT_EIGHTHS: u64 = 7;
/// Times of use within this are not told apart, which saves a change of metadata for each read.
const RESOLUTION: Duration = Duration::from_secs(3600);

/// The largest size of the cache in bytes: `AFFINIMATH_CACHE_SIZE`, such as 512M or 2G, else 1 GiB.
///
/// # Errors
/// [`Error::InvalidSetting`] when the variable is not a size.
pub fn limit() -> Result<u64> {
    static LIMIT: OnceLock<Result<u64>> = OnceLock::new();
    let limit = LIMIT.get_or_init(|| match std::env::var_os("AFFINIMATH_CACHE_SIZE") {
        Some(text) if !text.is_empty() => parse_size(&text.to_string_lossy()).ok_or_else(|| Error::InvalidSetting {
            variable: "AFFINIMATH_CACHE_SIZE",
            value: text.to_string_lossy().into_owned(),
            expected: "it may be a number of bytes, or of units, as in 512M and 2G",
        }),
        _ => Ok(DEFAULT_LIMIT),
    });
    limit.clone()
}

/// The bytes that a text such as `4096`, `100K`, `512M`, `512MiB` or `2G` means; units are powers of 1024.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_uppercase();
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Notes that a program was used just now.
pub(super) fn mark_used(file: &File) {
    let now = SystemTime::now();
    let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|time| now.duration_since(time).ok());
    if age.is_some_and(|age| age > RESOLUTION) {
        // On a file system that is mounted read-only nothing is evicted either.
        let _ = file.set_modified(now);
    }
}

/// Programs and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Entries {
    /// The number of programs.
    pub programs: u64,
    /// The sum of their files' sizes.
    pub bytes: u64,
}

/// The programs of a folder: last use, bytes, path.
fn programs(folder: &Path) -> Vec<(SystemTime, u64, PathBuf)> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let program = |file: fs::DirEntry| {
        let data = file.metadata().ok().filter(|data| data.is_file())?;
        is_program(&file.path()).then(|| (data.modified().unwrap_or(SystemTime::UNIX_EPOCH), data.len(), file.path()))
    };
    files.filter_map(program).collect()
}

/// Count and size of the programs in a folder.
pub(super) fn entries(folder: &Path) -> Entries {
    programs(folder)
        .iter()
        .fold(Entries::default(), |sum, (_, bytes, _)| Entries { programs: sum.programs + 1, bytes: sum.bytes + bytes })
}

/// Removes the least recently used programs until at most `limit` bytes are left, and says what it removed.
pub(super) fn evict(folder: &Path, limit: u64) -> Entries {
    let mut programs = programs(folder);
    programs.sort_unstable();
    let mut bytes: u64 = programs.iter().map(|(_, bytes, _)| bytes).sum();
    let mut removed = Entries::default();
    for (_, size, path) in programs {
        if bytes <= limit {
            break;
        }
        // Another process may have removed it already.
        if fs::remove_file(path).is_ok() {
            removed = Entries { programs: removed.programs + 1, bytes: removed.bytes + size };
        }
        bytes -= size;
    }
    removed
}

/// [`evict`] with some space to spare, where the folder is larger than the limit.
pub(super) fn keep_below(folder: &Path, limit: u64) {
    if entries(folder).bytes > limit {
        let removed = evict(folder, limit / 8 * LEFT_EIGHTHS);
        tracing::info!(removed.programs, removed.bytes, "the program cache had reached its limit");
    }
}

#[cfg(test)]
mod host {
    use std::fs::FileTimes;

    use super::super::{path, read_from, write_into};
    use super::*;

    /// Programs `0.program`, `1.program`, ... of 1000 bytes and more, used a day after another.
    fn folder_of(count: u32) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..count {
            write_into(folder.path(), &number.to_string(), &[0; 1000]).unwrap();
            let used = SystemTime::now() - Duration::from_secs(86_400) * (count - number);
            let file = File::open(path(folder.path(), &number.to_string())).unwrap();
            file.set_times(FileTimes::new().set_modified(used)).unwrap();
        }
        folder
    }

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [("0", 0), ("4096", 4096), (" 2k", 2048), ("512M", 1 << 29), ("1 GiB", 1 << 30)] {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for text in ["", "M", "-1", "1.5G", "1X", "99999999999999999999", "99999999T"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }

    #[test]
    fn the_least_recently_used_programs_go_first() {
        let folder = folder_of(5);
        let size = entries(folder.path()).bytes / 5;
        // A read is a use: the oldest becomes the newest.
        assert!(read_from(folder.path(), "0").is_some());
        assert_eq!(evict(folder.path(), 2 * size + 1), Entries { programs: 3, bytes: 3 * size });
        let left = |key: &str| path(folder.path(), key).exists();
        assert_eq!(["0", "1", "2", "3", "4"].map(left), [true, false, false, false, true]);
        assert_eq!(evict(folder.path(), 0).programs, 2);
        assert_eq!(entries(folder.path()), Entries::default());
    }

    #[test]
    fn a_folder_below_the_limit_stays_as_it_is() {
        let folder = folder_of(8);
        let all = entries(folder.path());
        keep_below(folder.path(), all.bytes);
        assert_eq!(entries(folder.path()), all);
        keep_below(folder.path(), all.bytes - 1);
        assert_eq!(entries(folder.path()).programs, 6, "an eighth and a bit is evicted");
    }
}
