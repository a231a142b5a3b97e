//! How exactly products are computed where a device has faster ways.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::{Error, Result};

/// How exactly matrix products are computed on devices with tensor cores. Elsewhere all modes are the same.
///
/// The first time one is needed `AFFINIMATH_MATH_MODE` is read (`default`, `strict` or `fast`); [`set_math_mode`]
/// changes it. It is the whole process', and products that are enqueued later have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MathMode {
    /// Single precision by tensor cores too, within the error bound of multiply-adds: each number is split in
    /// two halves. Numbers too large or too small for that are computed with multiply-adds.
    #[default]
    Default,
    /// Single precision with multiply-adds alone, each of them rounded once.
    Strict,
    /// Single precision with numbers that are rounded to 11 bits (tf32) before they are multiplied, so that a product's
    /// relative error is up to 2^-10 where it is else 2^-24. Double precision is as by default.
    Fast,
}

impl MathMode {
    /// All of them.
    pub const ALL: [MathMode; 3] = [MathMode::Default, MathMode::Strict, MathMode::Fast];

    /// The mode that a text means, in any case.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        MathMode::ALL
            .into_iter()
            .find(|mode| mode.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| Error::argument("mode", format!("is '{text}', and none of default, strict and fast")))
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            MathMode::Default => "default",
            MathMode::Strict => "strict",
            MathMode::Fast => "fast",
        }
    }
}

impl fmt::Display for MathMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A mode's number, or this while nobody has said anything.
const UNKNOWN: u8 = u8::MAX;
static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// The mode of products that are enqueued from now on, in the whole process.
pub fn set_math_mode(mode: MathMode) {
    MODE.store(mode as u8, Ordering::Relaxed);
}

/// The mode in force.
pub fn math_mode() -> MathMode {
    let known = MODE.load(Ordering::Relaxed);
    if let Some(mode) = MathMode::ALL.into_iter().find(|mode| *mode as u8 == known) {
        return mode;
    }
    let mode = from_environment(std::env::var("AFFINIMATH_MATH_MODE").ok().as_deref());
    // Whoever has set one meanwhile is right.
    let _ = MODE.compare_exchange(UNKNOWN, mode as u8, Ordering::Relaxed, Ordering::Relaxed);
    mode
}

fn from_environment(text: Option<&str>) -> MathMode {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return MathMode::Default };
    MathMode::parse(text).unwrap_or_else(|error| {
        tracing::warn!("AFFINIMATH_MATH_MODE: {error}: the default is used");
        MathMode::Default
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_names() {
        for mode in MathMode::ALL {
            assert_eq!(MathMode::parse(mode.name()).unwrap(), mode);
            assert_eq!(MathMode::parse(&format!(" {} ", mode.name().to_uppercase())).unwrap(), mode);
        }
        let error = MathMode::parse("exact").unwrap_err().to_string();
        assert!(error.contains("'exact'") && error.contains("strict"), "{error}");
    }

    #[test]
    fn the_environment_is_taken_where_it_makes_sense() {
        assert_eq!(from_environment(None), MathMode::Default);
        assert_eq!(from_environment(Some("")), MathMode::Default);
        assert_eq!(from_environment(Some("fast")), MathMode::Fast);
        assert_eq!(from_environment(Some("quick")), MathMode::Default);
    }
}
