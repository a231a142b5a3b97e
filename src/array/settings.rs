//! Settings of array expressions, read at their first use.

use std::sync::LazyLock;

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

/// The limits of kernels.
///
/// # Errors
/// [`Error::InvalidSetting`] for a text that is not understood.
pub(super) fn limits() -> Result<Limits> {
    static TEXT: LazyLock<Option<String>> = LazyLock::new(|| ARRAY.text());
    Ok(Limits { is_eager: ARRAY.is_second(TEXT.as_deref())?, ..Limits::default() })
}

/// The elementary functions of kernels.
///
/// # Errors
/// [`Error::InvalidSetting`] for a text that is not understood.
pub(super) fn functions() -> Result<Functions> {
    static TEXT: LazyLock<Option<String>> = LazyLock::new(|| FUNCTIONS.text());
    Ok(if FUNCTIONS.is_second(TEXT.as_deref())? { Functions::Library } else { Functions::Own })
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
