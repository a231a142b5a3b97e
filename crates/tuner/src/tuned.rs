//! Parameters that a device was tuned with: lines of JSON beside the crossovers, and what a context makes of them.
//!
//! Plans ask for the parameters of a [`Subject`]. They get those that were measured here for this device and driver,
//! else those that the library knows of the device, each only if the device's properties allow it; else what the facts
//! suggest.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Serialize};

use super::space::Configuration;
use super::{database, lines};
use affinimath_core::error::Result;
use affinimath_core::scalar::ScalarKind;
use affinimath_opencl::context::{ContextParts, DeviceContext};
use affinimath_opencl::device::DeviceInfo;

/// Parameters of devices that are known to the library: `cargo xtask merge-tuning` adds to them.
const SHIPPED: &str = include_str!("parameters.jsonl");
/// The file in the database's folder.
const FILE: &str = "parameters.jsonl";

/// Kernels that have their parameters in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelFamily {
    /// gemm on CPUs.
    GemmPacked,
    /// gemm on GPUs.
    GemmTiled,
    /// gemm on tensor cores.
    GemmTensor,
    /// Products of a sparse matrix and a vector on CPUs.
    SpmvSegments,
    /// Products of a sparse matrix and a vector on GPUs.
    SpmvGroups,
    /// Fourier transforms on CPUs.
    FftLanes,
    /// Fourier transforms on GPUs.
    FftGroups,
}

impl KernelFamily {
    /// All of them.
    pub const ALL: [KernelFamily; 7] = [
        KernelFamily::GemmPacked,
        KernelFamily::GemmTiled,
        KernelFamily::GemmTensor,
        KernelFamily::SpmvSegments,
        KernelFamily::SpmvGroups,
        KernelFamily::FftLanes,
        KernelFamily::FftGroups,
    ];

    /// Its name in the database.
    pub const fn name(self) -> &'static str {
        match self {
            KernelFamily::GemmPacked => "gemm-packed",
            KernelFamily::GemmTiled => "gemm-tiled",
            KernelFamily::GemmTensor => "gemm-tensor",
            KernelFamily::SpmvSegments => "spmv-segments",
            KernelFamily::SpmvGroups => "spmv-groups",
            KernelFamily::FftLanes => "fft-lanes",
            KernelFamily::FftGroups => "fft-groups",
        }
    }
}

impl fmt::Display for KernelFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Problems that are tuned together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeClass {
    /// gemm: up to 2^24 multiply-adds, as many as two matrices of order 256 take. Sparse products: up to 2^20 entries.
    /// Fourier transforms: up to 4096 points along the longest axis.
    Small,
    /// More than that.
    Large,
}

impl ShapeClass {
    /// All of them.
    pub const ALL: [ShapeClass; 2] = [ShapeClass::Small, ShapeClass::Large];

    /// The class of a problem of so much work, of which `most` is still small.
    pub const fn of(work: u64, most: u64) -> Self {
        if work <= most { ShapeClass::Small } else { ShapeClass::Large }
    }

    /// Its name in the database.
    pub const fn name(self) -> &'static str {
        match self {
            ShapeClass::Small => "small",
            ShapeClass::Large => "large",
        }
    }
}

impl fmt::Display for ShapeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Subject of tuning: family, type and size class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The kernels.
    pub family: KernelFamily,
    /// The element type.
    pub kind: ScalarKind,
    /// The problems.
    pub class: ShapeClass,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.family, self.kind.letter(), self.class)
    }
}

/// The outcome of a search: a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The library's version.
    pub library: String,
    /// The device's name.
    pub device: String,
    /// Its driver's version.
    pub driver: String,
    /// Subject of the record.
    #[serde(flatten)]
    pub subject: Subject,
    /// The fastest parameters.
    pub configuration: Configuration,
    /// Seconds of the measured problems with these, and with the parameters that the facts suggest, in the same rounds.
    pub seconds: f64,
    /// See `seconds`.
    pub default_seconds: f64,
    /// Configurations that were measured.
    pub evaluations: usize,
}

impl Record {
    fn is_sound(&self) -> bool {
        let is_time = |seconds: f64| seconds.is_finite() && seconds > 0.0;
        is_time(self.seconds) && is_time(self.default_seconds) && !self.configuration.0.is_empty()
    }

    /// How many times as fast as with the default parameters.
    pub fn gain(&self) -> f64 {
        self.default_seconds / self.seconds
    }

    /// A text's sound lines.
    pub fn parse(text: &str) -> Vec<Self> {
        lines::parse(text, Record::is_sound)
    }
}

/// The sound records of the user's, the oldest first.
pub fn records() -> Vec<Record> {
    database::directory().map(|folder| lines::read(&folder.join(FILE), Record::is_sound)).unwrap_or_default()
}

/// Appends a record, and says to which file. Contexts whose parameters are read from now on use it.
///
/// # Errors
/// [`affinimath_core::Error::Tuning`] when the file cannot be written.
pub fn append(record: &Record) -> Result<PathBuf> {
    let path = database::known_directory()?.join(FILE);
    lines::append(&path, record).map_err(|error| database::failed(&path, &error))?;
    Ok(path)
}

/// The parameters of a context's device that are known: the ones that count first.
#[derive(Debug)]
pub struct Tuned {
    entries: RwLock<Vec<(Subject, Configuration)>>,
    version: AtomicU64,
}

impl Default for Tuned {
    fn default() -> Self {
        Tuned { entries: RwLock::default(), version: AtomicU64::new(next_version()) }
    }
}

/// A number that no parameters had before.
fn next_version() -> u64 {
    static VERSIONS: AtomicU64 = AtomicU64::new(0);
    VERSIONS.fetch_add(1, Ordering::Relaxed)
}

impl Tuned {
    /// Records of a device: the user's measurements of it with this driver, the newest first, then the library's
    /// own.
    pub fn of(device: &DeviceInfo) -> Self {
        Self::from_records(device, &records(), &Record::parse(SHIPPED))
    }

    /// Those of a context's device, read at the first use in the context.
    pub fn of_context(context: &DeviceContext) -> &Self {
        context.extension(|| Tuned::of(context.device().info()))
    }

    fn from_records(device: &DeviceInfo, users: &[Record], shipped: &[Record]) -> Self {
        let here = users.iter().rev().filter(|record| record.device == device.name && record.driver == device.driver);
        let known = shipped.iter().rev().filter(|record| record.device == device.name);
        let entries = here.chain(known).map(|record| (record.subject, record.configuration.clone()));
        Tuned { entries: RwLock::new(entries.collect()), ..Tuned::default() }
    }

    /// The first parameters of a subject that `read` makes something of: it gives nothing where a value is missing, or
    /// the device's properties forbid one.
    pub fn get<P>(&self, subject: Subject, read: impl Fn(&Configuration) -> Option<P>) -> Option<P> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.iter().filter(|(of, _)| *of == subject).find_map(|(_, configuration)| read(configuration))
    }

    /// A number that stands for these parameters of this context: another one's are different, and so are these after a
    /// change.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Takes these parameters for a subject from now on, or, without any, those that the facts suggest, in place of
    /// what was known. What was planned before stays as it is.
    pub fn set(&self, subject: Subject, configuration: Option<Configuration>) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|(of, _)| *of != subject);
        entries.extend(configuration.map(|configuration| (subject, configuration)));
        self.version.store(next_version(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinimath_opencl::device::DeviceClass;

    const SUBJECT: Subject = Subject { family: KernelFamily::GemmTiled, kind: ScalarKind::S, class: ShapeClass::Large };

    fn record(device: &str, driver: &str, tile: usize) -> Record {
        Record {
            library: "0.1.0".to_owned(),
            device: device.to_owned(),
            driver: driver.to_owned(),
            subject: SUBJECT,
            configuration: Configuration::new([("tile_m", tile)]),
            seconds: 1.0,
            default_seconds: 1.5,
            evaluations: 10,
        }
    }

    fn tile(tuned: &Tuned) -> Option<usize> {
        tuned.get(SUBJECT, |configuration| configuration.get("tile_m").filter(|tile| *tile < 1000))
    }

    #[test]
    fn what_was_measured_here_counts_before_what_is_shipped() {
        let device = DeviceInfo { driver: "2".to_owned(), ..affinimath_opencl::device::example(DeviceClass::Gpu) };
        let shipped = [record("example", "1", 16), record("another", "2", 17)];
        let known = |users: &[Record]| tile(&Tuned::from_records(&device, users, &shipped));
        assert_eq!(known(&[]), Some(16), "whatever the driver");
        assert_eq!(known(&[record("example", "2", 32), record("example", "2", 48)]), Some(48), "the newest");
        assert_eq!(known(&[record("example", "1", 32)]), Some(16), "another driver's measurement");
        assert_eq!(
            known(&[record("example", "2", 32), record("example", "2", 4096)]),
            Some(32),
            "the device forbids it"
        );
    }

    #[test]
    fn what_is_set_takes_the_place_of_what_was_known() {
        let device = affinimath_opencl::device::example(DeviceClass::Gpu);
        let tuned = Tuned::from_records(&device, &[], &[record("example", "", 16)]);
        tuned.set(SUBJECT, Some(Configuration::new([("tile_m", 64)])));
        assert_eq!(tile(&tuned), Some(64));
        assert_eq!(tuned.get(Subject { kind: ScalarKind::D, ..SUBJECT }, |_| Some(())), None);
        tuned.set(SUBJECT, None);
        assert_eq!(tile(&tuned), None);
    }

    #[test]
    fn records_are_lines_that_can_be_read_again() {
        let line = serde_json::to_string(&record("example", "1", 16)).unwrap();
        assert!(
            line.contains(r#""family":"gemm-tiled","kind":"S","class":"large","configuration":{"tile_m":16}"#),
            "{line}"
        );
        let wrong = line.replace("1.5", "-1");
        assert_eq!(Record::parse(&format!("{line}\nnonsense\n{wrong}\n")), [record("example", "1", 16)]);
    }

    #[test]
    fn what_is_shipped_is_sound() {
        assert_eq!(Record::parse(SHIPPED).len(), SHIPPED.lines().count());
    }
}
