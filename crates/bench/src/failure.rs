//! Why a command failed, in one message.

use std::path::Path;

/// A message for a person, without the program's name in front.
#[derive(Debug)]
pub struct Failure(pub String);

impl Failure {
    /// Something that could not be done with a file.
    pub fn file(what: &str, path: &Path, error: impl std::fmt::Display) -> Self {
        Failure(format!("{what} '{}': {error}", path.display()))
    }
}

impl From<affinimath::Error> for Failure {
    fn from(error: affinimath::Error) -> Self {
        Failure(error.to_string())
    }
}
