//! Words and numbers of a line.

/// The powers of ten that are exact in a double.
pub(super) const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// The words of a line, parted by blanks.
pub(super) struct Words<'a> {
    line: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a [u8]) -> Self {
        Words { line, rest: line }
    }

    /// The next word, which the message calls `what` where there is none.
    pub(super) fn expect(&mut self, what: &str) -> Result<&'a [u8], String> {
        self.next().ok_or_else(|| format!("{what} is missing in {}", shown(self.line)))
    }

    /// An error where there are more words.
    pub(super) fn expect_end(mut self) -> Result<(), String> {
        match self.next() {
            None => Ok(()),
            Some(more) => Err(format!("{} is more than an entry has", shown(more))),
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let word = self.rest.trim_ascii_start();
        let length = word.iter().position(u8::is_ascii_whitespace).unwrap_or(word.len());
        let (word, rest) = word.split_at(length);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// A word for a message: what can be shown of it, and not too much.
pub(super) fn shown(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    let part = &word[..word.len().min(LONGEST)];
    let more = if word.len() > LONGEST { "..." } else { "" };
    format!("'{}{more}'", part.escape_ascii())
}

/// A number of things or an index: decimal digits that fit.
pub(super) fn natural(word: &[u8]) -> Result<usize, String> {
    let mut value = 0usize;
    for byte in word {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(format!("{} is not a whole number", shown(word)));
        }
        let next = value.checked_mul(10).and_then(|value| value.checked_add(digit.into()));
        value = next.ok_or_else(|| format!("{} is too large a number", shown(word)))?;
    }
    Ok(value)
}

/// An integer, as the nearest double.
pub(super) fn integer(word: &[u8]) -> Result<f64, String> {
    let digits = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(format!("{} is not an integer", shown(word)));
    }
    real(word)
}

/// A real number: C's and Fortran's notations, infinities and NaN.
pub(super) fn real(word: &[u8]) -> Result<f64, String> {
    let value = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(value) if value.is_infinite() && word.iter().any(u8::is_ascii_digit) => {
            Err(format!("{} is beyond the range of a double", shown(word)))
        }
        Some(value) => Ok(value),
        None => unusual(word).ok_or_else(|| format!("{} is not a number", shown(word))),
    }
}

/// Numbers that Rust's parser rejects.
#[cold]
fn unusual(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?.to_ascii_lowercase();
    let (negative, size) = match text.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let size = match size {
        // C's and Fortran's NaN with a payload; what Microsoft's runtimes wrote before 2015.
        _ if size.starts_with("nan(") && size.ends_with(')') => f64::NAN,
        "1.#inf" | "1.#inf00" => f64::INFINITY,
        "1.#ind" | "1.#ind00" | "1.#qnan" | "1.#qnan0" | "1.#snan" | "1.#snan0" => f64::NAN,
        _ => fortran(size)?,
    };
    Some(if negative { -size } else { size })
}

/// Fortran's exponents: `1.0d+00`, `1.0q+00`, and `1.0+100` where the exponent takes three digits.
fn fortran(size: &str) -> Option<f64> {
    let numeric = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let (mantissa, exponent) = match size.split_once(['d', 'q']) {
        Some(parts) => parts,
        None => size.split_at(size.find(['+', '-'])?),
    };
    if !numeric(mantissa) {
        return None;
    }
    let value: f64 = format!("{mantissa}e{exponent}").parse().ok()?;
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn numbers_as_writers_make_them() {
        for (word, value) in [
            ("1", 1.0),
            ("+1.", 1.0),
            ("-.5", -0.5),
            ("1e-3", 1e-3),
            ("1.0D+00", 1.0),
            ("-2.5d-1", -0.25),
            ("1.5Q2", 150.0),
            ("1.25+100", 1.25e100),
            ("-1.25-100", -1.25e-100),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("-1.#INF", f64::NEG_INFINITY),
            ("1e-400", 0.0),
        ] {
            assert_eq!(real(word.as_bytes()), Ok(value), "{word}");
        }
        for word in ["nan", "NaN", "-nan", "nan(ind)", "NAN(0x8000)", "-1.#IND", "1.#QNAN"] {
            assert!(real(word.as_bytes()).unwrap().is_nan(), "{word}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for word in ["", "x", "1.0.0", "1e", "1d", "--1", "0x10", "1,5", "1+", "d5", "infd1", "\u{e9}", "+", "1e400"] {
            assert!(real(word.as_bytes()).is_err(), "{word}");
        }
        for word in ["1.0", "", "-", "1e3", "inf"] {
            assert!(integer(word.as_bytes()).is_err(), "{word}");
        }
        for word in ["-1", "+1", "1.0", "99999999999999999999"] {
            assert!(natural(word.as_bytes()).is_err(), "{word}");
        }
        assert_eq!(natural(usize::MAX.to_string().as_bytes()), Ok(usize::MAX));
    }
}
