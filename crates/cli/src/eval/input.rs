//! The operands of a text: arrays in files, read as far as the text names them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use affinimath::Context;
use affinimath::array::AnyArray;
use affinimath_bench::Failure;
use zip::ZipArchive;

use super::npy;

/// The beginning of an archive, and of one without files.
const ARCHIVES: [&[u8; 4]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// Names of arrays that an error lists.
const LISTED: usize = 20;

/// A `--array` of the command line.
#[derive(Debug, PartialEq)]
struct Source {
    name: Option<String>,
    path: PathBuf,
    key: Option<String>,
}

/// True of a name that a text can have.
pub fn is_name(text: &str) -> bool {
    let letters = |(index, c): (usize, char)| c == '_' || c.is_ascii_alphabetic() || index > 0 && c.is_ascii_digit();
    !text.is_empty() && text.chars().enumerate().all(letters)
}

impl Source {
    /// The parts of `[NAME=]FILE[:KEY]`. A colon of a file's own name begins no key.
    fn parse(given: &str, exists: impl Fn(&Path) -> bool) -> Self {
        let (name, file) = match given.split_once('=') {
            Some((name, file)) if is_name(name) => (Some(name.to_owned()), file),
            _ => (None, given),
        };
        let (path, key) = match file.rsplit_once(':') {
            Some((path, key)) if !exists(Path::new(file)) && exists(Path::new(path)) => (path, Some(key.to_owned())),
            _ => (file, None),
        };
        Source { name, path: path.into(), key }
    }
}

/// The arrays that a text names, by their names.
pub fn arrays(context: &Context, given: &[String], wanted: &[String]) -> Result<Vec<(String, AnyArray)>, Failure> {
    let mut found: BTreeMap<String, AnyArray> = BTreeMap::new();
    for given in given {
        let source = Source::parse(given, Path::is_file);
        let mut file = Opened::new(&source.path)?;
        for (name, key) in file.contents(&source)? {
            if !wanted.contains(&name) {
                continue;
            }
            let array = file.read(context, key.as_deref())?;
            if found.insert(name.clone(), array).is_some() {
                return Err(Failure(format!("{name} is given twice, the second time by --array {given}")));
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// A file with one array, or an archive of several.
enum Kind {
    Array(BufReader<File>, u64),
    Archive(ZipArchive<BufReader<File>>),
}

struct Opened {
    path: PathBuf,
    kind: Kind,
}

impl Opened {
    fn new(path: &Path) -> Result<Self, Failure> {
        let cannot_open = |error| Failure::file("cannot open", path, error);
        let file = File::open(path).map_err(cannot_open)?;
        let length = file.metadata().map_err(cannot_open)?.len();
        let mut file = BufReader::new(file);
        let mut start = [0; 4];
        let is_archive = file.read_exact(&mut start).is_ok() && ARCHIVES.contains(&&start);
        file.rewind().map_err(cannot_open)?;
        let kind = match is_archive {
            true => Kind::Archive(ZipArchive::new(file).map_err(|error| failure(path, None, &error))?),
            false => Kind::Array(file, length),
        };
        Ok(Opened { path: path.into(), kind })
    }

    /// The arrays' names in the text, with their keys in the archive.
    fn contents(&self, source: &Source) -> Result<Vec<(String, Option<String>)>, Failure> {
        let path = self.path.display();
        let Kind::Archive(archive) = &self.kind else {
            return match (&source.name, &source.key) {
                (_, Some(key)) => Err(Failure(format!("{path}: it is one array, and no archive with a {key}"))),
                (Some(name), None) => Ok(vec![(name.clone(), None)]),
                (None, None) => Err(Failure(format!("{path}: the array has no name: --array NAME={path}"))),
            };
        };
        let entries = archive.file_names().map(|name| name.map(|name| name.trim_end_matches(".npy").to_owned()));
        let keys = entries.collect::<Result<Vec<String>, _>>().map_err(|error| failure(&self.path, None, &error))?;
        let list = || keys.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        match (&source.name, &source.key) {
            (_, Some(key)) if !keys.contains(key) => {
                Err(Failure(format!("{path}: no {key} among its arrays {}", list())))
            }
            (name, Some(key)) => Ok(vec![(name.as_ref().unwrap_or(key).clone(), Some(key.clone()))]),
            (Some(name), None) => match &keys[..] {
                [key] => Ok(vec![(name.clone(), Some(key.clone()))]),
                _ => Err(Failure(format!("{path}: which of its arrays {}? --array {name}={path}:KEY", list()))),
            },
            (None, None) => Ok(keys.into_iter().map(|key| (key.clone(), Some(key))).collect()),
        }
    }

    fn read(&mut self, context: &Context, key: Option<&str>) -> Result<AnyArray, Failure> {
        match (&mut self.kind, key) {
            (Kind::Archive(archive), Some(key)) => {
                let index = archive.index_for_name(&format!("{key}.npy")).or_else(|| archive.index_for_name(key));
                let missing = || Failure(format!("{}: no array {key}", self.path.display()));
                let entry = archive.by_index(index.ok_or_else(missing)?);
                let mut entry = entry.map_err(|error| failure(&self.path, Some(key), &error))?;
                let length = entry.size();
                npy::read(context, &mut entry, Some(length)).map_err(|error| failure(&self.path, Some(key), &error))
            }
            (Kind::Array(file, length), _) => {
                // Of a pipe the length is not known.
                let available = (*length > 0).then_some(*length);
                npy::read(context, file, available).map_err(|error| failure(&self.path, None, &error))
            }
            (Kind::Archive(_), None) => Err(Failure(format!("{}: it is an archive", self.path.display()))),
        }
    }
}

fn failure(path: &Path, key: Option<&str>, error: &dyn std::fmt::Display) -> Failure {
    let key = key.map(|key| format!(":{key}")).unwrap_or_default();
    Failure(format!("{}{key}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_has_a_name_a_file_and_a_key() {
        let parse = |given| {
            let Source { name, path, key } = Source::parse(given, |path| !path.to_string_lossy().contains(".npz:"));
            (name, path.display().to_string(), key)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(parse("a=x.npy"), (some("a"), "x.npy".into(), None));
        assert_eq!(parse("x.npz"), (None, "x.npz".into(), None));
        assert_eq!(parse("a=x.npz:b"), (some("a"), "x.npz".into(), some("b")));
        assert_eq!(parse("x.npz:b"), (None, "x.npz".into(), some("b")));
        assert_eq!(parse("./n=1/x.npy"), (None, "./n=1/x.npy".into(), None));
        assert_eq!(parse("a=b:c.npy"), (some("a"), "b:c.npy".into(), None));
    }
}
