//! Files of lines of JSON that are only ever appended to. A line that is damaged, or that another version of the
//! library wrote in another form, is passed over.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use affinimath_core::private_files;

/// The lines of a file that make sense, the oldest first; none, if it cannot be read or others may write to it.
pub fn read<R: DeserializeOwned>(path: &Path, is_sound: impl Fn(&R) -> bool) -> Vec<R> {
    match private_files::read(path) {
        // A file with damaged text in it has sound lines too.
        Ok((_, bytes)) => parse(&String::from_utf8_lossy(&bytes), is_sound),
        Err(error) => {
            private_files::warn_once(path, &error);
            Vec::new()
        }
    }
}

/// The lines of a text that make sense.
pub fn parse<R: DeserializeOwned>(text: &str, is_sound: impl Fn(&R) -> bool) -> Vec<R> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let sound = lines.filter_map(|line| match serde_json::from_str::<R>(line) {
        Ok(record) if is_sound(&record) => Some(record),
        _ => {
            tracing::warn!("a damaged line in the tuning database is passed over");
            None
        }
    });
    sound.collect()
}

/// Appends a line, which is on the disk when this returns. The file and its folder are made where there are none.
///
/// # Errors
/// Errors of the file system; [`io::ErrorKind::PermissionDenied`] where others may write to the folder or the file.
pub fn append(path: &Path, record: &impl Serialize) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    let mut file = private_files::creating().read(true).append(true).open(path)?;
    private_files::check(&file.metadata()?)?;
    append_to(&mut file, record)
}

/// Appends a line to a file that is open for reading and appending. It is on the disk when this returns.
///
/// # Errors
/// Errors of the file system.
pub fn append_to(file: &mut File, record: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_string(record)?;
    line.push('\n');
    if !ends_a_line(file)? {
        // An interrupted write stays a damaged line of its own.
        line.insert(0, '\n');
    }
    file.write_all(line.as_bytes())?;
    file.sync_all()
}

fn ends_a_line(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == [b'\n'])
}

#[cfg(test)]
mod tests;
