//! Cases and traces of the command line: folders, and packed ones.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use affinimath_trace::{Files, Folder, MemoryFiles};
use zip::ZipArchive;

use super::Problem;

/// Bytes of all files of a packed trace, at most: they are held in memory.
const MAX_UNPACKED: u64 = 16 << 30;
/// Files of a packed trace, at most.
const MAX_FILES: usize = 1 << 20;

/// One recorded launch of the command line.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) files: Box<dyn Files>,
}

/// Opens a folder, or unpacks a file.
pub(super) fn open(path: &Path) -> Result<Box<dyn Files>, Problem> {
    let malformed = |reason: String| Problem::Malformed(format!("{}: {reason}", path.display()));
    if path.is_dir() {
        return Ok(Box::new(Folder(path.to_owned())));
    }
    let file = File::open(path).map_err(|error| malformed(error.to_string()))?;
    unpack(file).map(|files| Box::new(files) as Box<dyn Files>).map_err(malformed)
}

/// Reads a packed trace. Sizes are bounded and names are confined before anything is kept.
fn unpack(file: impl Read + Seek) -> Result<MemoryFiles, String> {
    let mut archive = ZipArchive::new(file).map_err(|error| format!("it is neither a folder nor packed: {error}"))?;
    if archive.len() > MAX_FILES {
        return Err(format!("it has {} files, more than {MAX_FILES}", archive.len()));
    }
    let (mut files, mut total) = (MemoryFiles::default(), 0_u64);
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| error.to_string())?;
        if entry.is_dir() {
            continue;
        }
        let name = entry.name().map_err(|error| error.to_string())?.to_string();
        let length = entry.size();
        total = total.saturating_add(length);
        if total > MAX_UNPACKED {
            return Err(format!("its files have more than {MAX_UNPACKED} bytes"));
        }
        let mut content = Vec::new();
        entry.by_ref().take(length).read_to_end(&mut content).map_err(|error| format!("{name}: {error}"))?;
        if content.len() as u64 != length {
            return Err(format!("{name} has {} of {length} bytes", content.len()));
        }
        if !files.insert(&name, content) {
            return Err(format!("{name:?} is no name of a file in a trace"));
        }
    }
    Ok(files)
}

/// The recorded launches of a path: itself, or those of a trace in their order.
pub(super) fn cases(path: &Path) -> Result<Vec<Named>, Problem> {
    let files = open(path)?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    if files.has("launch.json") {
        return Ok(vec![Named { name, files }]);
    }
    let malformed = |reason: String| Problem::Malformed(format!("{}: {reason}", path.display()));
    let folders = files.folders().map_err(|error| malformed(error.to_string()))?;
    let mut cases = Vec::new();
    for name in folders {
        let files = files.folder(&name).map_err(|error| malformed(error.to_string()))?;
        if files.has("launch.json") {
            cases.push(Named { name, files });
        }
    }
    if cases.is_empty() {
        return Err(malformed("it has no launch.json, and no folder with one".to_owned()));
    }
    Ok(cases)
}
