//! Files of a trace: in folders, or in memory as of an unpacked archive.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Path, PathBuf};

/// Letters of a file's name, at most.
const MAX_NAME: usize = 128;

/// True for the name of a file inside of a folder: letters, digits, `.`, `_` and `-`, and no leading dot.
pub fn is_file_name(name: &str) -> bool {
    let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !name.is_empty() && name.len() <= MAX_NAME && !name.starts_with('.') && name.chars().all(sound)
}

/// Files of one folder.
pub trait Files {
    /// Bytes of a file.
    ///
    /// # Errors
    /// Errors of the file system; [`ErrorKind::InvalidInput`] for names that leave the folder and for what is no file.
    fn length(&self, name: &str) -> Result<u64>;

    /// Content of a file.
    ///
    /// # Errors
    /// The errors of [`Files::length`].
    fn read(&self, name: &str) -> Result<Vec<u8>>;

    /// Folders in it, sorted by name.
    ///
    /// # Errors
    /// Errors of the file system.
    fn folders(&self) -> Result<Vec<String>>;

    /// Files of a folder in it.
    ///
    /// # Errors
    /// The errors of [`Files::length`].
    fn folder(&self, name: &str) -> Result<Box<dyn Files>>;

    /// True if it has a file of this name.
    fn has(&self, name: &str) -> bool {
        self.length(name).is_ok()
    }

    /// Content of a text file.
    ///
    /// # Errors
    /// The errors of [`Files::read`]; [`ErrorKind::InvalidData`] for other bytes than UTF-8.
    fn text(&self, name: &str) -> Result<String> {
        String::from_utf8(self.read(name)?).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
    }
}

fn checked(name: &str) -> Result<()> {
    if is_file_name(name) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidInput, format!("{name:?} is no name of a file in the folder")))
}

/// Files of a folder on disk. Links are not followed.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    fn path(&self, name: &str) -> Result<PathBuf> {
        checked(name)?;
        Ok(self.0.join(name))
    }
}

impl Files for Folder {
    fn length(&self, name: &str) -> Result<u64> {
        let data = fs::symlink_metadata(self.path(name)?)?;
        if data.is_file() { Ok(data.len()) } else { Err(Error::new(ErrorKind::InvalidInput, "it is no plain file")) }
    }

    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let length = self.length(name)?;
        let mut bytes = Vec::new();
        // One that grows meanwhile is cut.
        File::open(self.path(name)?)?.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn folders(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            if entry.file_type()?.is_dir()
                && let Some(name) = entry.file_name().to_str()
                && is_file_name(name)
            {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    fn folder(&self, name: &str) -> Result<Box<dyn Files>> {
        let path = self.path(name)?;
        if fs::symlink_metadata(&path)?.is_dir() {
            return Ok(Box::new(Folder(path)));
        }
        Err(Error::new(ErrorKind::InvalidInput, "it is no folder"))
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

/// Files in memory, by paths of one or two names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryFiles(BTreeMap<String, Vec<u8>>);

impl MemoryFiles {
    /// Adds a file; false for a path that leaves the folder, or has more than two names.
    pub fn insert(&mut self, path: &str, content: Vec<u8>) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        let sound = names.len() <= 2 && names.iter().all(|name| is_file_name(name));
        if sound {
            self.0.insert(path.to_owned(), content);
        }
        sound
    }

    /// Paths and contents, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(path, content)| (path.as_str(), content.as_slice()))
    }

    fn file(&self, name: &str) -> Result<&Vec<u8>> {
        checked(name)?;
        self.0.get(name).ok_or_else(|| Error::new(ErrorKind::NotFound, format!("there is no file {name}")))
    }
}

impl Files for MemoryFiles {
    fn length(&self, name: &str) -> Result<u64> {
        self.file(name).map(|content| content.len() as u64)
    }

    fn read(&self, name: &str) -> Result<Vec<u8>> {
        self.file(name).cloned()
    }

    fn folders(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> =
            self.0.keys().filter_map(|path| path.split_once('/')).map(|(name, _)| name.to_owned()).collect();
        names.dedup();
        Ok(names)
    }

    fn folder(&self, name: &str) -> Result<Box<dyn Files>> {
        checked(name)?;
        let own = |(path, content): (&String, &Vec<u8>)| {
            path.strip_prefix(name)?.strip_prefix('/').map(|inner| (inner.to_owned(), content.clone()))
        };
        let files: BTreeMap<String, Vec<u8>> = self.0.iter().filter_map(own).collect();
        if files.is_empty() {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no folder {name}")));
        }
        Ok(Box::new(MemoryFiles(files)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder() {
        for name in ["", ".", "..", "a/b", "/etc/passwd", "a\\b", ".hidden", "a b", "ä", &"x".repeat(129)] {
            assert!(!is_file_name(name), "{name}");
            assert!(Folder("/".into()).read(name).is_err());
            assert!(MemoryFiles::default().read(name).is_err());
        }
        assert!(is_file_name("a03-x.in.npy"));
    }

    #[test]
    fn a_folder_has_plain_files_and_no_links() {
        let outer = tempfile::tempdir().unwrap();
        let folder = Folder(outer.path().to_owned());
        fs::write(outer.path().join("a.txt"), "text").unwrap();
        fs::create_dir(outer.path().join("b")).unwrap();
        assert_eq!((folder.length("a.txt").unwrap(), folder.text("a.txt").unwrap()), (4, "text".to_owned()));
        assert!(folder.read("b").is_err() && folder.folder("a.txt").is_err());
        assert_eq!(folder.folders().unwrap(), ["b"]);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", outer.path().join("link")).unwrap();
            assert!(!folder.has("link"));
        }
    }

    #[test]
    fn files_in_memory_have_folders() {
        let mut files = MemoryFiles::default();
        assert!(files.insert("trace.jsonl", b"1".to_vec()) && files.insert("0-a/launch.json", b"2".to_vec()));
        assert!(!files.insert("../a", Vec::new()) && !files.insert("a/b/c", Vec::new()));
        assert_eq!(files.folders().unwrap(), ["0-a"]);
        assert_eq!(files.folder("0-a").unwrap().read("launch.json").unwrap(), b"2");
        assert!(files.folder("1-b").is_err());
    }
}
