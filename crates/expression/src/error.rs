//! Errors with their place in the text.

use std::fmt;

/// A text that is no expression, or an operation in it that is not legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The reason.
    pub reason: String,
    /// The line, from 1 on.
    pub line: usize,
    /// The column, from 1 on, in characters.
    pub column: usize,
    source: String,
}

/// Characters of a line that are shown on each side of the place.
const SHOWN: usize = 60;

impl TextError {
    /// An error at a byte of the text.
    pub(crate) fn at(text: &str, position: usize, reason: impl Into<String>) -> Self {
        let before = &text[..floor_boundary(text, position)];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        TextError {
            reason: reason.into(),
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            source: text[start..end].to_owned(),
        }
    }
}

/// The last boundary of characters that is not after a byte.
fn floor_boundary(text: &str, position: usize) -> usize {
    (0..=position.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.column.saturating_sub(1 + SHOWN);
        let shown: String =
            self.source.chars().skip(first).take(2 * SHOWN).map(|c| if c == '\t' { ' ' } else { c }).collect();
        writeln!(f, "{} (line {}, column {})", self.reason, self.line, self.column)?;
        writeln!(f, "    {shown}")?;
        write!(f, "    {}^", " ".repeat(self.column - 1 - first))
    }
}

impl std::error::Error for TextError {}

impl From<TextError> for affinimath_core::Error {
    fn from(error: TextError) -> Self {
        affinimath_core::Error::argument("text", error.to_string())
    }
}
