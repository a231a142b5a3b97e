//! Files that commands read: `-` is standard input.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use crate::failure::Failure;

/// Opens a file, or standard input for `-`.
///
/// # Errors
/// A file that cannot be opened.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(stdin().lock()));
    }
    let file = File::open(path).map_err(|error| Failure::file("cannot open", path, error))?;
    Ok(Box::new(file))
}

/// The text of a file, or of standard input for `-`.
///
/// # Errors
/// A file that cannot be read, or is no text.
pub fn text(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    match open(path)?.read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Failure::file("cannot read", path, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_and_one_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(text(&path).unwrap(), "abc");
        assert!(text(&folder.path().join("b.txt")).unwrap_err().0.contains("b.txt"));
    }
}
