//! Settings of array expressions, read at their first use.

use std::sync::OnceLock;

use affinimath_array::lower::Functions;
use affinimath_array::plan::Limits;

use crate::error::{Error, Result};

/// A setting with two values, of which the first one is the default.
struct Setting {
    variable: &'static str,
    values: [&'static str; 2],
    expected: &'static str,
}

/// Few kernels, or one for each operation.
const ARRAY: Setting =
    Setting { variable: "AFFINIMATH_ARRAY", values: ["fused", "eager"], expected: "it may be fused or eager" };
/// Elementary functions with the same bits everywhere, or the device's.
const FUNCTIONS: Setting =
    Setting { variable: "AFFINIMATH_FUNCTIONS", values: ["own", "library"], expected: "it may be own or library" };

impl Setting {
    fn text(&self) -> Option<String> {
        std::env::var_os(self.variable).map(|text| text.to_string_lossy().into_owned())
    }

    /// True if the text is the second value.
    fn is_second(&self, text: Option<&str>) -> Result<bool> {
        let text = text.unwrap_or_default();
        match text.trim().to_ascii_lowercase().as_str() {
            "" => Ok(false),
            value if value == self.values[0] => Ok(false),
            value if value == self.values[1] => Ok(true),
            _ => {
                let (variable, expected) = (self.variable, self.expected);
                Err(Error::InvalidSetting { variable, value: text.to_owned(), expected })
            }
        }
    }
}

/// True if a setting has its second value, by its text at the first use.
fn cached(setting: &Setting, value: &OnceLock<bool>) -> Result<bool> {
    match value.get() {
        Some(value) => Ok(*value),
        // A text that is not understood is read again: each call reports it.
        None => setting.is_second(setting.text().as_deref()).map(|second| *value.get_or_init(|| second)),
    }
}

/// The limits of kernels.
///
/// # Errors
/// [`Error::InvalidSetting`] for a text that is not understood.
pub(super) fn limits() -> Result<Limits> {
    static VALUE: OnceLock<bool> = OnceLock::new();
    Ok(Limits { is_eager: cached(&ARRAY, &VALUE)?, ..Limits::default() })
}

/// The elementary functions of kernels.
///
/// # Errors
/// [`Error::InvalidSetting`] for a text that is not understood.
pub(super) fn functions() -> Result<Functions> {
    static VALUE: OnceLock<bool> = OnceLock::new();
    Ok(if cached(&FUNCTIONS, &VALUE)? { Functions::Library } else { Functions::Own })
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn settings_have_two_values() {
        for setting in [ARRAY, FUNCTIONS] {
            let [first, second] = setting.values;
            for text in [None, Some(""), Some(first), Some(&*format!(" {first} "))] {
                assert!(!setting.is_second(text).unwrap());
            }
            for text in [second, &second.to_uppercase(), &format!(" {second}")] {
                assert!(setting.is_second(Some(text)).unwrap());
            }
            for text in ["lazy", &format!("{first},{second}")] {
                let error = setting.is_second(Some(text)).unwrap_err();
                assert!(matches!(&error, Error::InvalidSetting { value, .. } if value == text), "{error}");
                assert!(error.to_string().contains(setting.variable), "{error}");
            }
        }
    }
}
