//! `AFFINIMATH_ARRAY=fused|eager`: few kernels, or one for each operation.

use std::sync::LazyLock;

use affinimath_array::plan::Limits;

use crate::error::{Error, Result};

const VARIABLE: &str = "AFFINIMATH_ARRAY";

/// The limits of kernels, by the setting at its first use.
///
/// # Errors
/// [`Error::InvalidSetting`] for any other text.
pub(super) fn limits() -> Result<Limits> {
    static TEXT: LazyLock<Option<String>> =
        LazyLock::new(|| std::env::var_os(VARIABLE).map(|text| text.to_string_lossy().into_owned()));
    of_text(TEXT.as_deref())
}

fn of_text(text: Option<&str>) -> Result<Limits> {
    let text = text.unwrap_or_default();
    let is_eager = match text.trim().to_ascii_lowercase().as_str() {
        "" | "fused" => false,
        "eager" => true,
        _ => {
            let value = text.to_owned();
            return Err(Error::InvalidSetting { variable: VARIABLE, value, expected: "it may be fused or eager" });
        }
    };
    Ok(Limits { is_eager, ..Limits::default() })
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn the_setting_is_fused_or_eager() {
        for text in [None, Some(""), Some("fused"), Some(" fused ")] {
            assert_eq!(of_text(text).unwrap(), Limits::default());
        }
        for text in ["eager", "Eager", " EAGER "] {
            assert!(of_text(Some(text)).unwrap().is_eager);
        }
        for text in ["lazy", "eager,fused"] {
            let error = of_text(Some(text)).unwrap_err();
            assert!(matches!(&error, Error::InvalidSetting { value, .. } if value == text), "{error}");
            assert!(error.to_string().contains(VARIABLE), "{error}");
        }
    }
}
