//! Files that are replaced once the new ones are complete: a program that is killed leaves the old ones.

use std::fs::{self, File};
use std::io::{Error, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Writes a file's new content into a temporary file beside it, which then takes its place. What is no regular file,
/// such as a pipe or a terminal, is written at once.
///
/// # Errors
/// Those of `write`, or a folder that nobody may write in. A file that was there stays as it was.
pub fn replace(path: &Path, write: impl FnOnce(File) -> Result<(), Error>) -> Result<(), Error> {
    let known = fs::metadata(path).ok();
    if known.as_ref().is_some_and(|known| !known.is_file() && !known.is_dir()) {
        return write(File::options().write(true).open(path)?);
    }
    // A link stays one: the file that it names is replaced.
    let target = if known.is_some() { path.canonicalize()? } else { path.to_owned() };
    let part = temporary(&target);
    let file = File::create_new(&part)?;
    let permissions = known.map_or(Ok(()), |known| file.set_permissions(known.permissions()));
    let written = permissions.and_then(|()| write(file)).and_then(|()| fs::rename(&part, &target));
    written.inspect_err(|_| {
        // The first error is the one to report.
        let _ = fs::remove_file(&part);
    })
}

/// Writes a text as [`replace`] does.
///
/// # Errors
/// Those of [`replace`].
pub fn replace_text(path: &Path, text: &str) -> Result<(), Error> {
    replace(path, |mut file| file.write_all(text.as_bytes()).and_then(|()| sync(&file)))
}

/// Checks that a file's folder is there, before time is spent on what the file will hold.
///
/// # Errors
/// A folder that is not there.
pub fn check_folder(path: &Path) -> Result<(), Failure> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        None => Ok(()),
        Some(folder) => Err(Failure::file("cannot write", path, format!("there is no folder '{}'", folder.display()))),
    }
}

/// The content reaches the disk before the name does. Pipes have no disk.
///
/// # Errors
/// Those of the disk.
pub fn sync(file: &File) -> Result<(), Error> {
    if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
}

/// A file in the folder of the one that it replaces.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_old_one_or_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let content = || fs::read_to_string(&path).unwrap();
        replace_text(&path, "old").unwrap();
        let failed = replace(&path, |mut file| {
            file.write_all(b"half")?;
            assert_eq!(content(), "old");
            Err(Error::other("the disk is full"))
        });
        assert_eq!((failed.unwrap_err().to_string().as_str(), content().as_str()), ("the disk is full", "old"));
        replace_text(&path, "new").unwrap();
        assert_eq!(content(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files are left");
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(replace_text(folder.path(), "text").is_err());
        assert!(replace_text(&folder.path().join("absent/a.txt"), "text").is_err());
        assert!(folder.path().is_dir());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        replace_text(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        replace_text(&link, "new").unwrap();
        assert!(link.is_symlink() && fs::read_to_string(&file).unwrap() == "new");
        replace_text(Path::new("/dev/null"), "text").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}
