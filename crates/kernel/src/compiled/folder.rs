//! Temporary folders.

use std::fs::DirBuilder;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Attempts at a new name.
const ATTEMPTS: u64 = 1000;

static NEXT: AtomicU64 = AtomicU64::new(0);

/// A folder that nobody else writes, removed with its files when it is dropped.
pub(super) struct Folder {
    pub(super) path: PathBuf,
}

impl Folder {
    /// A new folder among the temporary files.
    pub(super) fn new() -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        for _ in 0..ATTEMPTS {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            // Compilers and loaders get the full path.
            let folder = std::path::absolute(std::env::temp_dir())?;
            let path = folder.join(format!("affinimath-kernel-{}-{number}", std::process::id()));
            match builder.create(&path) {
                Ok(()) => return Ok(Folder { path }),
                // Left by another process of that id.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, "all names of temporary folders are taken"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed stays.
        drop(std::fs::remove_dir_all(&self.path));
    }
}
