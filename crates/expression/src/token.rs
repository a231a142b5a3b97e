//! Tokens of a text.

use super::error::TextError;

/// A token with the byte at which it begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spanned {
    pub(crate) token: Token,
    pub(crate) at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Integer(i64),
    Real(f64),
    /// A factor of the imaginary unit.
    Imaginary(f64),
    Name(String),
    /// An operator or a bracket.
    Symbol(&'static str),
    /// The end of a statement.
    End,
}

/// Symbols, longer ones before their beginnings.
const SYMBOLS: [&str; 31] = [
    "...", "**", "//", "<=", ">=", "==", "!=", "<<", ">>", "+", "-", "*", "/", "%", "@", "<", ">", "&", "|", "^", "~",
    "=", "(", ")", "[", "]", ",", ":", ".", ";", "!",
];

/// The tokens of a text, with an end behind the last statement.
pub(crate) fn tokens(text: &str) -> Result<Vec<Spanned>, TextError> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at, mut depth) = (Vec::new(), 0_usize, 0_usize);
    while at < bytes.len() {
        let start = at;
        let token = match bytes[at] {
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'#' => {
                at = text[at..].find('\n').map_or(bytes.len(), |length| at + length);
                continue;
            }
            b'\n' => {
                at += 1;
                // A statement goes on within brackets.
                if depth > 0 {
                    continue;
                }
                Token::End
            }
            b'0'..=b'9' => number(text, &mut at)?,
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => number(text, &mut at)?,
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                while bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
                    at += 1;
                }
                Token::Name(text[start..at].to_owned())
            }
            _ => {
                let Some(symbol) = SYMBOLS.iter().find(|symbol| text[at..].starts_with(**symbol)) else {
                    let character = text[at..].chars().next().unwrap_or(' ');
                    return Err(TextError::at(text, at, format!("{character:?} is no part of an expression")));
                };
                at += symbol.len();
                match *symbol {
                    "(" | "[" => depth += 1,
                    ")" | "]" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if *symbol == ";" { Token::End } else { Token::Symbol(symbol) }
            }
        };
        tokens.push(Spanned { token, at: start });
    }
    tokens.push(Spanned { token: Token::End, at: text.len() });
    Ok(tokens)
}

/// A number: digits with `_` between them, a fraction, an exponent, and `j`; or digits after `0x`.
fn number(text: &str, at: &mut usize) -> Result<Token, TextError> {
    let (bytes, start) = (text.as_bytes(), *at);
    let error = |reason: &str| TextError::at(text, start, format!("{} {reason}", &text[start..start + 1]));
    let digits = |at: &mut usize| {
        while bytes.get(*at).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'_') {
            *at += 1;
        }
    };
    if text[start..].starts_with("0x") || text[start..].starts_with("0X") {
        *at += 2;
        while bytes.get(*at).is_some_and(|byte| byte.is_ascii_hexdigit() || *byte == b'_') {
            *at += 1;
        }
        let value = i64::from_str_radix(&text[start + 2..*at].replace('_', ""), 16);
        return value.map(Token::Integer).map_err(|_| error("begins a number in base 16 that is none of 63 bits"));
    }
    digits(at);
    let mut is_real = false;
    if bytes.get(*at) == Some(&b'.') {
        is_real = true;
        *at += 1;
        digits(at);
    }
    if matches!(bytes.get(*at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(*at + 1), Some(b'+' | b'-')));
        if bytes.get(*at + 1 + sign).is_some_and(u8::is_ascii_digit) {
            is_real = true;
            *at += 1 + sign;
            digits(at);
        }
    }
    let digits = text[start..*at].replace('_', "");
    let is_imaginary = matches!(bytes.get(*at), Some(b'j' | b'J'));
    *at += usize::from(is_imaginary);
    if bytes.get(*at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        return Err(error("begins a number that a letter follows"));
    }
    if is_real || is_imaginary {
        let value: f64 = digits.parse().map_err(|_| error("begins no number"))?;
        return Ok(if is_imaginary { Token::Imaginary(value) } else { Token::Real(value) });
    }
    match digits.parse() {
        Ok(value) => Ok(Token::Integer(value)),
        Err(_) => digits.parse().map(Token::Real).map_err(|_| error("begins no number")),
    }
}
