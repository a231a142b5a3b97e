//! Files that only the user can have written.
//!
//! Built programs run as the user's own code, and tuning data decide what is built. A file or folder therefore counts
//! only if it belongs to the user or to root, and neither its group nor others may write to it. What is created here is
//! the user's alone (mode 0700 and 0600). Systems without owners and modes skip the checks.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Creates a folder with mode 0700, and its missing parents likewise. An existing one is checked.
///
/// # Errors
/// Errors of the file system and of [`check_folder`].
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    check_folder(folder)
}

/// Fails where somebody else could have put files into the folder.
///
/// # Errors
/// Errors of the file system; [`io::ErrorKind::PermissionDenied`] with the reason for a folder that is not private.
pub fn check_folder(folder: &Path) -> io::Result<()> {
    check(&fs::metadata(folder)?)
}

/// Reads a file that nobody else can have written. The opened file is checked, so that it cannot be exchanged
/// meanwhile.
///
/// # Errors
/// The errors of [`check_folder`], for the file's folder and the file.
pub fn read(path: &Path) -> io::Result<(File, Vec<u8>)> {
    if let Some(folder) = path.parent() {
        check_folder(folder)?;
    }
    let mut file = File::open(path)?;
    check(&file.metadata()?)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok((file, bytes))
}

/// Options that create files with mode 0600.
pub fn creating() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Fails where a file or folder belongs to somebody else, or others may write to it.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] with the reason.
pub fn check(data: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // SAFETY: geteuid takes nothing and always succeeds.
        let user = unsafe { libc::geteuid() };
        let reason = match (data.uid(), data.mode()) {
            (owner, _) if owner != user && owner != 0 => format!("it belongs to another user ({owner})"),
            (_, mode) if mode & 0o022 != 0 => format!("others may write to it (mode {:04o})", mode & 0o7777),
            _ => return Ok(()),
        };
        Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
    }
    #[cfg(not(unix))]
    {
        let _ = data;
        Ok(())
    }
}

/// Warns in the log that a file or folder is passed over: once for each path. A missing one is no reason to warn.
pub fn warn_once(path: &Path, error: &io::Error) {
    static WARNED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    if error.kind() == io::ErrorKind::NotFound {
        return;
    }
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if warned.get_or_insert_default().insert(path.to_owned()) {
        tracing::warn!("{} is passed over: {error}", path.display());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn folders_and_files_that_are_created_are_the_users_alone() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("a/b");
        create_folder(&folder).unwrap();
        assert_eq!((mode(&folder), mode(folder.parent().unwrap())), (0o700, 0o700));
        let file = folder.join("file");
        drop(creating().write(true).open(&file).unwrap());
        assert_eq!(mode(&file), 0o600);
        assert_eq!(read(&file).unwrap().1, b"");
    }

    #[test]
    fn files_and_folders_that_others_may_write_to_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "content").unwrap();
        for (folder_mode, file_mode, counts) in [
            (0o700, 0o600, true),
            (0o755, 0o644, true),
            (0o777, 0o644, false),
            (0o1777, 0o644, false),
            (0o770, 0o644, false),
            (0o755, 0o666, false),
            (0o755, 0o664, false),
        ] {
            set_mode(folder.path(), folder_mode);
            set_mode(&file, file_mode);
            let read = read(&file);
            assert_eq!(read.is_ok(), counts, "modes {folder_mode:o} and {file_mode:o}");
            if let Err(error) = read {
                assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
                assert!(error.to_string().contains("others may write to it"), "{error}");
            }
            assert_eq!(create_folder(folder.path()).is_ok(), folder_mode & 0o022 == 0);
        }
    }

    #[test]
    fn files_of_another_user_do_not_count() {
        // SAFETY: geteuid takes nothing and always succeeds.
        if unsafe { libc::geteuid() } != 0 {
            return; // Only root can give a file away.
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "content").unwrap();
        set_mode(&file, 0o644);
        std::os::unix::fs::chown(&file, Some(12345), None).unwrap();
        assert!(read(&file).unwrap_err().to_string().contains("another user (12345)"));
    }
}
