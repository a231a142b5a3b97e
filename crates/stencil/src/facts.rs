//! Facts about a device as plain data: kernels are chosen and printed for devices that are not here.

use affinimath_opencl::device::{DeviceClass, DeviceInfo};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::executor::form;
use crate::lower::Abilities;

/// Facts about a device on which kernels and strategies depend, and the name under which people know it.
///
/// ```
/// use affinimath_stencil::DeviceProfile;
///
/// let facts = DeviceProfile::from_json(
///     r#"{ "name": "a card", "class": "gpu", "compute_units": 60, "max_work_group_size": 1024,
///          "local_memory_bytes": 49152, "fp64": true, "correctly_rounded_divide_sqrt": true }"#,
/// )?;
/// assert_eq!(facts.compute_units, 60);
/// assert_eq!(DeviceProfile::from_json(&facts.to_json())?, facts);
/// # Ok::<(), affinimath_stencil::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceProfile {
    /// The device's name.
    pub name: String,
    /// Its class, which selects the form of kernels.
    pub class: Class,
    /// Compute units (cores, multiprocessors).
    pub compute_units: usize,
    /// Work-items in a work-group, at most.
    pub max_work_group_size: usize,
    /// Local memory of a work-group, in bytes.
    pub local_memory_bytes: u64,
    /// It computes in double precision.
    pub fp64: bool,
    /// Quotients and roots of `float` can be rounded correctly, by a build option.
    pub correctly_rounded_divide_sqrt: bool,
    /// The measured rate of a copy within the device's memory: bytes that are read and written per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_bytes_per_second: Option<f64>,
}

/// Classes of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A GPU: a work-item for each point, or tiles.
    Gpu,
    /// Neither a GPU nor a CPU: as a GPU.
    Accelerator,
    /// A CPU: rows in vectors.
    Cpu,
}

impl DeviceProfile {
    /// Facts about an OpenCL device. Its copy rate is not measured.
    pub fn of(info: &DeviceInfo) -> Self {
        DeviceProfile {
            name: info.name.clone(),
            class: match info.class {
                DeviceClass::Gpu => Class::Gpu,
                DeviceClass::Accelerator => Class::Accelerator,
                DeviceClass::Cpu => Class::Cpu,
            },
            compute_units: info.compute_units,
            max_work_group_size: info.max_work_group_size,
            local_memory_bytes: info.local_memory_bytes,
            fp64: info.fp64,
            correctly_rounded_divide_sqrt: info.correctly_rounded_divide_sqrt,
            copy_bytes_per_second: None,
        }
    }

    /// The facts of a JSON object.
    ///
    /// # Errors
    /// The text is no JSON; a key is missing, unknown or given twice; a value has another type or is out of range.
    pub fn from_json(text: &str) -> Result<Self> {
        let facts: DeviceProfile = serde_json::from_str(text).map_err(|error| Error::new(error.to_string()))?;
        facts.check()?;
        Ok(facts)
    }

    /// The facts as a JSON object, a key in each line.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and texts are JSON")
    }

    fn check(&self) -> Result<()> {
        for (key, value) in [("compute_units", self.compute_units), ("max_work_group_size", self.max_work_group_size)] {
            if value == 0 {
                return Err(Error::new(format!("'{key}' is 0: a device has at least 1")));
            }
        }
        match self.copy_bytes_per_second {
            Some(rate) if !(rate.is_finite() && rate > 0.0) => {
                Err(Error::new(format!("'copy_bytes_per_second' is {rate}: a rate is above 0")))
            }
            _ => Ok(()),
        }
    }

    /// Abilities that kernels depend on.
    pub(crate) fn abilities(&self) -> Abilities {
        Abilities {
            form: form(self.class == Class::Cpu),
            has_doubles: self.fp64,
            rounds_divisions: self.correctly_rounded_divide_sqrt,
            local_bytes: usize::try_from(self.local_memory_bytes).unwrap_or(usize::MAX),
            max_items: self.max_work_group_size,
            units: self.compute_units,
        }
    }
}

impl Default for DeviceProfile {
    /// A GPU of common size: the one that the host's texts of kernels are for.
    fn default() -> Self {
        DeviceProfile {
            name: "a GPU".to_owned(),
            class: Class::Gpu,
            compute_units: 128,
            max_work_group_size: 1024,
            local_memory_bytes: 48 << 10,
            fp64: true,
            correctly_rounded_divide_sqrt: true,
            copy_bytes_per_second: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARD: &str = r#"{ "name": "a card", "class": "gpu", "compute_units": 60, "max_work_group_size": 1024,
        "local_memory_bytes": 49152, "fp64": true, "correctly_rounded_divide_sqrt": true }"#;

    #[test]
    fn facts_are_read_as_they_are_written() {
        let card = DeviceProfile::from_json(CARD).expect("facts");
        let measured = DeviceProfile { copy_bytes_per_second: Some(2.97e12), class: Class::Cpu, ..card.clone() };
        for facts in [card, measured, DeviceProfile::default()] {
            assert_eq!(DeviceProfile::from_json(&facts.to_json()), Ok(facts));
        }
    }

    #[test]
    fn wrong_facts_are_told() {
        for (from, to, reason) in [
            ("\"fp64\": true,", "", "missing field `fp64`"),
            ("\"fp64\": true", "\"fp64\": 1", "invalid type: integer `1`, expected a boolean at line 2"),
            ("\"fp64\": true", "\"fp64\": true, \"fp64\": true", "duplicate field `fp64`"),
            ("\"fp64\"", "\"fp46\"", "unknown field `fp46`, expected one of `name`, `class`"),
            ("\"gpu\"", "\"tpu\"", "unknown variant `tpu`, expected one of `gpu`, `accelerator`, `cpu`"),
            ("60", "-60", "invalid value: integer `-60`"),
            ("60", "6.5", "invalid type: floating point `6.5`"),
            ("60", "0", "'compute_units' is 0"),
            ("1024", "0", "'max_work_group_size' is 0"),
            ("true }", "true, \"copy_bytes_per_second\": -1 }", "'copy_bytes_per_second' is -1: a rate is above 0"),
            ("true }", "true", "EOF"),
        ] {
            let text = CARD.replacen(from, to, 1);
            assert_ne!(text, CARD);
            let error = DeviceProfile::from_json(&text).expect_err(to);
            assert!(error.reason.contains(reason), "{error}");
        }
    }
}
