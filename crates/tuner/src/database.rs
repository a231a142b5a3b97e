//! Costs of calls in the tuning database: lines of JSON in files of the user's, each a measurement, of which the last
//! one that fits counts. `crossovers.jsonl` has what `tune crossovers` measured, `machines.jsonl` the rates that were
//! measured at a device's first use. What is known of devices that others have comes with the library.

use std::io;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use super::lines;
use super::machine::Machine;
use super::model::{Bus, Family, Line, Model};
use affinimath_core::error::{Error, Result};
use affinimath_core::scalar::ScalarKind;
use affinimath_core::threads::threads;
use affinimath_opencl::device::DeviceInfo;

/// Measurements of devices that are known to the library.
const SHIPPED: &str = include_str!("crossovers.jsonl");
/// The files in the folder.
const FILE: &str = "crossovers.jsonl";
const MACHINES: &str = "machines.jsonl";

/// Key of a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The library's version.
    pub library: String,
    /// The device's name.
    pub device: String,
    /// Its driver's version.
    pub driver: String,
    /// Backend of calls off the device: `host`, or a vendor's library.
    pub baseline: String,
    /// The host's threads.
    pub threads: usize,
}

impl Key {
    /// The key for a device now.
    pub fn of(device: &DeviceInfo, baseline: &str) -> Self {
        Key {
            library: env!("CARGO_PKG_VERSION").to_owned(),
            device: device.name.clone(),
            driver: device.driver.clone(),
            baseline: baseline.to_owned(),
            threads: threads(),
        }
    }

    /// True if what is known of another machine's device holds here: the device is the same, whatever the driver, and
    /// the host is not much larger.
    fn resembles(&self, other: &Key) -> bool {
        self.device == other.device && self.threads <= 2 * other.threads && other.threads <= 2 * self.threads
    }
}

/// The lines of a family and a type.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// The family.
    pub family: Family,
    /// The type.
    pub kind: ScalarKind,
    /// On the host.
    pub host: Line,
    /// On the device: each operation for operands that are there, and the fixed part with what it takes to bring small
    /// ones.
    pub device: Line,
}

/// A measurement: a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Key of the measurement.
    pub key: Key,
    /// Seconds for each byte to the device, and back.
    pub per_byte: [f64; 2],
    /// The lines that were measured; others are assumed.
    pub lines: Vec<Lines>,
}

impl Record {
    /// The model with what was measured in place of what is assumed.
    pub fn model(&self, device: &DeviceInfo) -> Model {
        self.model_on(&Machine::assumed(device, threads()))
    }

    /// The model with what was measured in place of what the machine's rates give.
    fn model_on(&self, machine: &Machine) -> Model {
        let mut model = Model::of_machine(machine);
        model.bus = Bus::of_rates(self.per_byte);
        for lines in &self.lines {
            model.set_lines(lines.family, lines.kind, [lines.host, lines.device]);
        }
        model
    }

    /// With the lines of the last of the `earlier` records of the same key, for what this one has not measured.
    pub fn completed(mut self, earlier: &[Record]) -> Self {
        if let Some(last) = earlier.iter().rev().find(|record| record.key == self.key) {
            let is_new =
                |lines: &&Lines| !self.lines.iter().any(|own| own.family == lines.family && own.kind == lines.kind);
            let missing: Vec<Lines> = last.lines.iter().filter(is_new).copied().collect();
            self.lines.extend(missing);
        }
        self
    }

    /// True if all numbers are times.
    fn is_sound(&self) -> bool {
        let sound = |value: f64| value.is_finite() && value >= 0.0;
        let line = |line: Line| sound(line.fixed) && sound(line.per_step) && sound(line.per_operation);
        self.per_byte.into_iter().all(sound) && self.lines.iter().all(|lines| line(lines.host) && line(lines.device))
    }
}

/// The folder: `AFFINIMATH_TUNING_DIR`, else `affinimath` in the user's data folder; `None` when no such folder is
/// known.
pub fn directory() -> Option<PathBuf> {
    match std::env::var_os("AFFINIMATH_TUNING_DIR") {
        Some(folder) if !folder.is_empty() => Some(folder.into()),
        _ => Some(etcetera::choose_base_strategy().ok()?.data_dir().join("affinimath")),
    }
}

/// Every sound measurement of the user's, the oldest first.
pub fn records() -> Vec<Record> {
    directory().map(|folder| read(&folder)).unwrap_or_default()
}

/// Appends a measurement, and says to which file.
///
/// # Errors
/// [`Error::Tuning`] when the file cannot be written.
pub fn append(record: &Record) -> Result<PathBuf> {
    let folder = known_directory()?;
    append_to(&folder, record).map_err(|error| failed(&folder, &error))
}

/// [`directory`], where something is to be written.
///
/// # Errors
/// [`Error::Tuning`] when no folder is known.
pub fn known_directory() -> Result<PathBuf> {
    directory().ok_or_else(|| Error::Tuning {
        path: PathBuf::new(),
        reason: "no folder for the user's data is known: AFFINIMATH_TUNING_DIR names one".to_owned(),
    })
}

/// The error for a file that cannot be written.
pub(super) fn failed(path: &Path, error: &io::Error) -> Error {
    Error::Tuning { path: path.to_owned(), reason: error.to_string() }
}

/// The rates of a machine: a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct MachineRecord {
    key: Key,
    machine: Machine,
}

impl MachineRecord {
    fn is_sound(&self) -> bool {
        self.machine.is_sound()
    }
}

/// Appends the rates that were measured at a device's first use.
///
/// # Errors
/// The errors of [`append`].
pub fn append_machine(key: &Key, machine: &Machine) -> Result<()> {
    let path = known_directory()?.join(MACHINES);
    let record = MachineRecord { key: key.clone(), machine: *machine };
    lines::append(&path, &record).map_err(|error| failed(&path, &error))
}

/// The rates that were measured with this device.
fn machine_in(folder: &Path, key: &Key) -> Option<Machine> {
    let records: Vec<MachineRecord> = lines::read(&folder.join(MACHINES), MachineRecord::is_sound);
    records.into_iter().rev().find(|record| record.key == *key).map(|record| record.machine)
}

/// Records that ship with the library.
fn shipped() -> Vec<Record> {
    lines::parse(SHIPPED, Record::is_sound)
}

/// Cost model of this device from measurements: line by line, or by the machine's rates.
pub fn known_model(device: &DeviceInfo, baseline: &str) -> Option<Model> {
    let (key, folder) = (Key::of(device, baseline), directory()?);
    let machine = machine_in(&folder, &key);
    let tuned = read(&folder).into_iter().rev().find(|record| record.key == key);
    match (tuned, machine) {
        (Some(record), machine) => {
            Some(record.model_on(&machine.unwrap_or_else(|| Machine::assumed(device, threads()))))
        }
        (None, machine) => machine.map(|machine| Model::of_machine(&machine)),
    }
}

/// Cost model without measurements: the library's record of the device, else a default.
pub fn assumed_model(device: &DeviceInfo, baseline: &str) -> Model {
    let (key, machine) = (Key::of(device, baseline), Machine::assumed(device, threads()));
    match shipped().into_iter().rev().find(|record| record.key.resembles(&key)) {
        Some(record) => record.model_on(&machine),
        None => Model::of_machine(&machine),
    }
}

fn read(folder: &Path) -> Vec<Record> {
    lines::read(&folder.join(FILE), Record::is_sound)
}

fn append_to(folder: &Path, record: &Record) -> io::Result<PathBuf> {
    let path = folder.join(FILE);
    lines::append(&path, record)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::model::Work;
    use super::*;
    use affinimath_opencl::device::DeviceClass;

    fn record(seconds: f64) -> Record {
        let device = affinimath_opencl::device::example(DeviceClass::Gpu);
        let line = Line { fixed: seconds, per_step: seconds, per_operation: seconds };
        let lines = vec![Lines { family: Family::Product, kind: ScalarKind::D, host: line, device: line }];
        Record { key: Key::of(&device, "host"), per_byte: [1e-11, 2e-11], lines }
    }

    #[test]
    fn measurements_come_back_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("new");
        append_to(&folder, &record(1.0)).unwrap();
        append_to(&folder, &record(2.0)).unwrap();
        assert_eq!(read(&folder), [record(1.0), record(2.0)]);
    }

    #[test]
    fn damaged_lines_are_passed_over_wherever_the_damage_is() {
        let folder = tempfile::tempdir().unwrap();
        append_to(folder.path(), &record(1.0)).unwrap();
        let path = folder.path().join(FILE);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            append_to(folder.path(), &record(2.0)).unwrap();
            let records = read(folder.path());
            assert_eq!(records.last(), Some(&record(2.0)), "cut to {length} bytes");
        }
        let strange = "not json\n{}\n\u{fffd}\n[1]\n";
        fs::write(&path, [strange.as_bytes(), b"\xff\xfe\n", &whole].concat()).unwrap();
        assert_eq!(read(folder.path()), [record(1.0)]);
        let mut negative = record(1.0);
        negative.per_byte[0] = -1.0;
        append_to(folder.path(), &negative).unwrap();
        assert_eq!(read(folder.path()), [record(1.0)], "a time is not less than 0");
    }

    #[test]
    fn a_measurement_takes_the_place_of_what_is_assumed() {
        let device = affinimath_opencl::device::example(DeviceClass::Gpu);
        let model = record(3.0).model(&device);
        let seconds = |model: &Model, kind| model.seconds(&Work { bytes_to: 1000, ..Family::Product.work(kind, 0) });
        assert_eq!(seconds(&model, ScalarKind::D), [3.0, 3.0 + 1000.0 * 1e-11]);
        let assumed = Model::assumed(&device, threads());
        assert_eq!(seconds(&model, ScalarKind::S)[0], seconds(&assumed, ScalarKind::S)[0]);
    }

    #[test]
    fn the_last_rates_of_a_machine_count() {
        let folder = tempfile::tempdir().unwrap();
        let (path, key) = (folder.path().join(MACHINES), record(1.0).key);
        let machine = |call: f64| Machine { call, ..Machine::of_units(true, 100, 16) };
        assert_eq!(machine_in(folder.path(), &key), None);
        for call in [1.0, 2.0, f64::INFINITY] {
            lines::append(&path, &MachineRecord { key: key.clone(), machine: machine(call) }).unwrap();
        }
        assert_eq!(machine_in(folder.path(), &key), Some(machine(2.0)), "a time is finite");
        assert_eq!(machine_in(folder.path(), &Key { threads: key.threads + 1, ..key }), None);
    }

    #[test]
    fn types_that_are_not_measured_again_stay_as_they_were() {
        let mut of_s = record(5.0);
        of_s.lines[0].kind = ScalarKind::S;
        let completed = of_s.clone().completed(&[record(1.0), record(2.0)]);
        assert_eq!(completed.lines, [of_s.lines[0], record(2.0).lines[0]]);
        assert_eq!(record(3.0).completed(&[record(1.0)]), record(3.0), "what is measured anew replaces the old");
        let other = Record { key: Key { threads: 99, ..record(1.0).key }, ..record(1.0) };
        assert_eq!(of_s.clone().completed(&[other]), of_s);
    }

    #[test]
    fn what_is_known_of_a_device_holds_for_hosts_of_about_its_size() {
        let key = |threads| Key { threads, ..record(1.0).key };
        assert!(key(8).resembles(&key(16)) && key(16).resembles(&key(8)));
        assert!(!key(8).resembles(&key(64)) && !key(64).resembles(&key(8)));
        assert!(shipped().iter().all(Record::is_sound));
        assert_eq!(shipped().len(), SHIPPED.lines().count());
    }
}
