//! Parameters that users' kernels were tuned with: lines of JSON in the tuning database.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::space::Configuration;
use super::tuner::Objective;
use super::{database, lines};
use affinimath_core::error::Result;
use affinimath_opencl::context::{ContextParts, DeviceContext};
use affinimath_opencl::device::DeviceInfo;

/// The file in the database's folder.
const FILE: &str = "kernels.jsonl";

/// The outcome of a search: a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The library's version.
    pub library: String,
    /// The device's name.
    pub device: String,
    /// Its driver's version.
    pub driver: String,
    /// The kernel's name, by which programs ask.
    pub kernel: String,
    /// Work-groups and work-items of a group in the launch that was tuned.
    pub groups: [usize; 3],
    /// See `groups`.
    pub items: [usize; 3],
    /// The fastest parameters.
    pub configuration: Configuration,
    /// Value of the objective for a launch with them, and for the recorded launch, in the same rounds: seconds, unless
    /// there is another objective.
    pub seconds: f64,
    /// See `seconds`.
    pub default_seconds: f64,
    /// Points that were measured.
    pub evaluations: usize,
    /// Value that was searched for.
    #[serde(default = "time")]
    pub objective: Objective,
}

/// Objective of records without one.
const fn time() -> Objective {
    Objective::Time
}

impl Record {
    fn is_sound(&self) -> bool {
        let is_time = |seconds: f64| seconds.is_finite() && seconds > 0.0;
        is_time(self.seconds) && is_time(self.default_seconds) && !self.configuration.0.is_empty()
    }
}

/// Appends a record, and says to which file. Contexts that are made from now on use it.
///
/// # Errors
/// [`affinimath_core::Error::Tuning`] when the file cannot be written.
pub fn append(record: &Record) -> Result<PathBuf> {
    let path = database::known_directory()?.join(FILE);
    lines::append(&path, record).map_err(|error| database::failed(&path, &error))?;
    Ok(path)
}

/// The records of a context's device.
#[derive(Debug)]
pub struct Kernels {
    records: Vec<Record>,
}

impl Kernels {
    /// Those of a context's device, read at the first use in the context.
    pub fn of_context(context: &DeviceContext) -> &Self {
        context.extension(|| {
            let folder = database::directory();
            let records = folder.map(|folder| lines::read(&folder.join(FILE), Record::is_sound)).unwrap_or_default();
            Self::from_records(context.device().info(), records)
        })
    }

    fn from_records(device: &DeviceInfo, records: Vec<Record>) -> Self {
        let is_own = |record: &Record| record.device == device.name && record.driver == device.driver;
        Kernels { records: records.into_iter().filter(is_own).collect() }
    }

    /// The parameters of a kernel that were found last.
    pub fn configuration(&self, kernel: &str) -> Option<&Configuration> {
        let own = self.records.iter().rev().find(|record| record.kernel == kernel);
        own.map(|record| &record.configuration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinimath_opencl::device::DeviceClass;

    fn record(driver: &str, kernel: &str, block: i64) -> Record {
        Record {
            library: "0.1.0".to_owned(),
            device: "example".to_owned(),
            driver: driver.to_owned(),
            kernel: kernel.to_owned(),
            groups: [8, 1, 1],
            items: [64, 1, 1],
            configuration: Configuration::new([("block", block)]),
            seconds: 1.0,
            default_seconds: 1.5,
            evaluations: 40,
            objective: Objective::Time,
        }
    }

    #[test]
    fn the_newest_record_of_the_device_counts() {
        let device = DeviceInfo { driver: "2".to_owned(), ..affinimath_opencl::device::example(DeviceClass::Gpu) };
        let records = vec![record("2", "a", 16), record("2", "a", 32), record("1", "a", 64), record("2", "b", 128)];
        let known = Kernels::from_records(&device, records);
        assert_eq!(known.configuration("a"), Some(&Configuration::new([("block", 32)])));
        assert_eq!(known.configuration("b"), Some(&Configuration::new([("block", 128)])));
        assert_eq!(known.configuration("c"), None);
    }

    #[test]
    fn damaged_records_are_passed_over() {
        let line = serde_json::to_string(&record("1", "a", 8)).unwrap();
        let text = format!("{line}\nnonsense\n{}\n", line.replace("1.5", "-1"));
        assert_eq!(lines::parse(&text, Record::is_sound), [record("1", "a", 8)]);
        let old = line.replace(",\"objective\":\"time\"", "");
        assert!(old != line && serde_json::from_str::<Record>(&old).unwrap() == record("1", "a", 8));
    }
}
