//! From a text to tokens.

use crate::error::{Error, Result};

/// The longest text, in bytes.
const MAX_LENGTH: usize = 1 << 20;

/// A token, borrowed from its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Name(&'a str),
    Number(f64),
    /// An operator or a bracket.
    Symbol(&'static str),
    End,
}

/// A token and the byte at which it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located<'a> {
    pub(crate) token: Token<'a>,
    pub(crate) at: usize,
}

/// Longer ones first.
const SYMBOLS: [&str; 33] = [
    "...", "..", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "+", "-", "*", "/", "^", "%", "<", ">",
    "!", "=", "?", ":", ";", ",", "(", ")", "[", "]", "{", "}", "\u{2026}",
];

/// The tokens of a text, the end included.
pub(crate) fn tokens(text: &str) -> Result<Vec<Located<'_>>> {
    read(text, false)
}

/// The same where points stand between owners and properties.
pub(crate) fn tokens_with_points(text: &str) -> Result<Vec<Located<'_>>> {
    read(text, true)
}

fn read(text: &str, has_points: bool) -> Result<Vec<Located<'_>>> {
    if text.len() > MAX_LENGTH {
        return Err(Error::new(format!("the text has {} bytes; {MAX_LENGTH} are the most", text.len())));
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = skip_blanks(text, at)? {
        let rest = &text[start..];
        let first = rest.as_bytes()[0];
        let (token, length) = if first.is_ascii_alphabetic() || first == b'_' {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            (Token::Name(&rest[..length]), length)
        } else if first.is_ascii_digit() || is_fraction(rest.as_bytes()) {
            number(text, start)?
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            let meaning = if matches!(symbol, "..." | "\u{2026}") { ".." } else { symbol };
            (Token::Symbol(meaning), symbol.len())
        } else if has_points && first == b'.' {
            (Token::Symbol("."), 1)
        } else {
            let character = rest.chars().next().unwrap_or(' ');
            return Err(Error::at(text, start, format!("unexpected character '{}'", character.escape_debug())));
        };
        found.push(Located { token, at: start });
        at = start + length;
    }
    found.push(Located { token: Token::End, at: text.len() });
    Ok(found)
}

/// A number that begins with its point, unless that begins a range.
fn is_fraction(rest: &[u8]) -> bool {
    rest[0] == b'.' && rest.get(1).is_some_and(u8::is_ascii_digit)
}

/// The next byte of a token, behind blanks and comments.
fn skip_blanks(text: &str, mut at: usize) -> Result<Option<usize>> {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if trimmed.starts_with("/*") {
            let end = trimmed.find("*/").ok_or_else(|| Error::at(text, at, "the comment has no end"))?;
            at += end + 2;
        } else {
            return Ok((!trimmed.is_empty()).then_some(at));
        }
    }
}

/// A number: digits, a point that begins no range, an exponent, and C's suffix `f`.
fn number(text: &str, start: usize) -> Result<(Token<'_>, usize)> {
    let bytes = &text.as_bytes()[start..];
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') && bytes.get(length + 1) != Some(&b'.') {
        length += 1;
        length += digits(length);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    let value: f64 =
        text[start..start + length].parse().map_err(|_| Error::at(text, start, "the number is not legal"))?;
    if !value.is_finite() {
        return Err(Error::at(text, start, "the number is too large"));
    }
    length += usize::from(matches!(bytes.get(length), Some(b'f' | b'F')));
    if bytes.get(length).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        return Err(Error::at(text, start, "a name cannot begin with a digit"));
    }
    Ok((Token::Number(value), length))
}
