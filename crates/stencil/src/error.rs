//! Errors, with their location where they come from a text.

use std::fmt;

/// A stencil that is not legal, or operands that do not fit one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The reason, with the names and numbers that it concerns.
    pub reason: String,
    /// The location in the text, where there is one.
    pub location: Option<Location>,
    device: Option<Box<DeviceError>>,
}

/// An error of a device, equal to those with the same message.
#[derive(Clone, Debug)]
struct DeviceError(affinimath_core::error::Error);

impl PartialEq for DeviceError {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}

impl Eq for DeviceError {}

/// A location in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The line, from 1 on.
    pub line: usize,
    /// The column, from 1 on, in characters.
    pub column: usize,
    /// The whole line.
    pub source: String,
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// Characters of a line that are shown on each side of the caret.
const SHOWN: usize = 60;

impl Error {
    /// An error without a location.
    pub fn new(reason: impl Into<String>) -> Self {
        Error { reason: reason.into(), location: None, device: None }
    }

    /// The report of a device, or of its memory.
    pub(crate) fn device(error: affinimath_core::error::Error) -> Self {
        Error { reason: error.to_string(), location: None, device: Some(Box::new(DeviceError(error))) }
    }

    /// The error of the device or of memory that is the reason, where there is one.
    pub fn device_error(&self) -> Option<&affinimath_core::error::Error> {
        self.device.as_ref().map(|error| &error.0)
    }

    /// An error at a byte of a text.
    pub(crate) fn at(text: &str, position: usize, reason: impl Into<String>) -> Self {
        let position = (0..=position.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let before = &text[..position];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let location = Location {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            source: text[start..end].to_owned(),
        };
        Error { reason: reason.into(), location: Some(location), device: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(location) = &self.location else { return f.write_str(&self.reason) };
        let first = location.column.saturating_sub(1 + SHOWN);
        let shown: String =
            location.source.chars().skip(first).take(2 * SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(f, "{}:{}: {}", location.line, location.column, self.reason)?;
        writeln!(f, "    {shown}")?;
        write!(f, "    {}^", " ".repeat(location.column - 1 - first))
    }
}

impl std::error::Error for Error {}

impl Error {
    /// The library's error: that of the device, or one of the argument with this name.
    pub fn of_argument(self, name: &'static str) -> affinimath_core::Error {
        match self.device {
            Some(error) => error.0,
            None => affinimath_core::Error::argument(name, self.to_string()),
        }
    }
}

impl From<Error> for affinimath_core::Error {
    fn from(error: Error) -> Self {
        error.of_argument("stencil")
    }
}
