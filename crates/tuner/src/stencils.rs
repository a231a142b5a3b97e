//! Strategies that stencils were tuned with: lines of JSON in the tuning database.
//!
//! A stencil is known by the digest of its text. A record counts for its device and driver, and for domains of its own
//! size or near it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{database, lines};
use affinimath_core::error::Result;
use affinimath_opencl::context::{ContextParts, DeviceContext};
use affinimath_opencl::device::DeviceInfo;

/// The file in the database's folder.
const FILE: &str = "stencils.jsonl";
/// The largest factor between lengths of an axis for which a record still counts.
const MAX_FACTOR: f64 = 2.0;

/// The outcome of a search: a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The library's version.
    pub library: String,
    /// The device's name.
    pub device: String,
    /// Its driver's version.
    pub driver: String,
    /// The digest of the stencil's text.
    pub definition: String,
    /// The stencil's name, for people.
    pub name: String,
    /// Points of the domain along each axis.
    pub lengths: Vec<usize>,
    /// The text of the fastest strategy.
    pub strategy: String,
    /// Seconds of a step with it, and with the strategy that the model chooses, in the same rounds.
    pub seconds: f64,
    /// See `seconds`.
    pub default_seconds: f64,
    /// Strategies that were measured.
    pub evaluations: usize,
}

impl Record {
    fn is_sound(&self) -> bool {
        let is_time = |seconds: f64| seconds.is_finite() && seconds > 0.0;
        is_time(self.seconds) && is_time(self.default_seconds) && !self.strategy.is_empty()
    }

    /// The distance from its domain to another one: the sum of the logarithms of the lengths' ratios. `None` where an
    /// axis differs too much.
    fn distance(&self, lengths: &[usize]) -> Option<f64> {
        let ratio = |(own, other): (&usize, &usize)| (*own.max(&1) as f64 / *other.max(&1) as f64).log2().abs();
        let ratios: Vec<f64> = self.lengths.iter().zip(lengths).map(ratio).collect();
        let is_near = self.lengths.len() == lengths.len() && ratios.iter().all(|ratio| *ratio < MAX_FACTOR.log2());
        is_near.then(|| ratios.iter().sum())
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
pub struct Stencils {
    records: Vec<Record>,
}

impl Stencils {
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
        Stencils { records: records.into_iter().filter(is_own).collect() }
    }

    /// The texts of strategies for a stencil on a domain: those of the nearest domains first, of equal ones the newest.
    pub fn strategies(&self, definition: &str, lengths: &[usize]) -> Vec<&str> {
        let own = self.records.iter().rev().filter(|record| record.definition == definition);
        let mut near: Vec<(f64, &Record)> = own.filter_map(|it| Some((it.distance(lengths)?, it))).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        near.into_iter().map(|(_, record)| record.strategy.as_str()).collect()
    }

    /// True if nothing is known of any stencil.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinimath_opencl::device::DeviceClass;

    fn record(driver: &str, definition: &str, lengths: &[usize], strategy: &str) -> Record {
        Record {
            library: "0.1.0".to_owned(),
            device: "example".to_owned(),
            driver: driver.to_owned(),
            definition: definition.to_owned(),
            name: "heat".to_owned(),
            lengths: lengths.to_vec(),
            strategy: strategy.to_owned(),
            seconds: 1.0,
            default_seconds: 1.5,
            evaluations: 40,
        }
    }

    #[test]
    fn records_of_the_nearest_domain_come_first() {
        let device = DeviceInfo { driver: "2".to_owned(), ..affinimath_opencl::device::example(DeviceClass::Gpu) };
        let records = vec![
            record("2", "a", &[512, 512], "old"),
            record("2", "a", &[512, 512], "new"),
            record("2", "a", &[300, 512], "narrow"),
            record("2", "a", &[512, 512, 512], "three axes"),
            record("2", "a", &[2000, 512], "far"),
            record("1", "a", &[512, 512], "another driver"),
            record("2", "b", &[512, 512], "another stencil"),
        ];
        let known = Stencils::from_records(&device, records);
        assert_eq!(known.strategies("a", &[512, 512]), ["new", "old", "narrow"]);
        assert_eq!(known.strategies("a", &[310, 500]), ["narrow", "new", "old"]);
        assert_eq!(known.strategies("a", &[1024, 512]), Vec::<&str>::from(["far"]));
        assert!(known.strategies("c", &[512, 512]).is_empty());
    }

    #[test]
    fn damaged_records_are_passed_over() {
        let line = serde_json::to_string(&record("1", "a", &[8], "naive")).unwrap();
        let text = format!("{line}\nnonsense\n{}\n", line.replace("1.5", "-1"));
        assert_eq!(lines::parse(&text, Record::is_sound), [record("1", "a", &[8], "naive")]);
    }
}
