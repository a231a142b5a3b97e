//! The report of `affinimath bench all`, as plain data: `report.json` is this, and the page is drawn from it.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use affinimath::{DeviceInfo, ScalarKind};
use serde::Serialize;

use super::machine::Machine;
use super::plan::{Effort, Family};
use super::summary::{Comparison, Shortfall};
use crate::error::BenchError;
use crate::options::PeerSpec;
use crate::plot::Rates;
use crate::report::{Report, Roof};

/// Everything.
#[derive(Clone, Debug, Serialize)]
pub struct BenchReport {
    /// `affinimath-bench-all`.
    pub schema: &'static str,
    /// Our library's version.
    pub affinimath: String,
    /// The command that made the report, word by word.
    pub command: Vec<String>,
    /// When it began: seconds since 1970 (UTC).
    pub started: u64,
    /// Duration.
    pub seconds: f64,
    /// Scope of the run.
    pub effort: Effort,
    /// True if it was stopped before its end.
    pub interrupted: bool,
    /// The machine.
    pub machine: Machine,
    /// The other libraries: their names and the loaded files.
    pub peers: Vec<PeerFile>,
    /// Targets of our library.
    pub backends: Vec<BackendReport>,
    /// Our rate divided by each peer's, for each family on each place.
    pub comparisons: Vec<Comparison>,
    /// Cases in which a peer is faster, the worst first.
    pub shortfalls: Vec<Shortfall>,
    /// A family on a place each, in the order that they ran.
    pub runs: Vec<RunReport>,
}

/// Another library.
#[derive(Clone, Debug, Serialize)]
pub struct PeerFile {
    /// Name in the report.
    pub name: String,
    /// Its file, and those that it needs; none for what is built in.
    pub paths: Vec<String>,
    /// Version that the loaded library reports.
    pub version: Option<String>,
}

impl PeerFile {
    /// One that was found or named.
    pub fn new(spec: &PeerSpec) -> Self {
        let paths = spec.paths.iter().map(|path| path.display().to_string()).collect();
        PeerFile { name: spec.name.clone(), paths, version: None }
    }
}

/// The host or a device.
#[derive(Clone, Debug, Serialize)]
pub struct BackendReport {
    /// Name for readers.
    pub name: String,
    /// Facts of the device; null for the host.
    pub device: Option<DeviceInfo>,
    /// Measured limits.
    pub limits: Limits,
}

/// The measured limits of a place; null where they were not measured, or not right.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Limits {
    /// Bytes read and written by a copy, in GB/s.
    pub copy: Option<f64>,
    /// Bytes read, in GB/s.
    pub read: Option<f64>,
    /// Operations of multiply-adds in floats, in GFLOP/s.
    pub fma_single: Option<f64>,
    /// Operations of multiply-adds in doubles, in GFLOP/s.
    pub fma_double: Option<f64>,
}

impl Limits {
    /// Takes what a run of the family `limits` came to.
    pub fn of(report: &Report) -> Self {
        let rate = |routine: &str, kind: ScalarKind| {
            let mut cases = report.cases.iter().filter(|case| case.routine == routine && case.kind == kind);
            // The fastest round: nothing is faster.
            cases.find(|case| case.is_right(0))?.results[0].outcome.as_ref().map(|outcome| outcome.rate_max)
        };
        Limits {
            copy: rate("copy", ScalarKind::S),
            read: rate("read", ScalarKind::S),
            fma_single: rate("fma", ScalarKind::S),
            fma_double: rate("fma", ScalarKind::D),
        }
    }

    /// The lines in a plot of rates in this unit, for a type.
    pub fn lines(&self, unit: &str, kind: ScalarKind) -> Vec<Roof> {
        let fma = if kind.is_double() { self.fma_double } else { self.fma_single };
        let lines = match unit {
            "GB/s" => vec![("copying from memory", self.copy), ("reading from memory", self.read)],
            "GFLOP/s" => vec![("multiply-adds in registers", fma)],
            _ => Vec::new(),
        };
        lines.into_iter().filter_map(|(name, rate)| Some(Roof { name: name.to_owned(), rate: rate? })).collect()
    }
}

/// Prefix of the reason if a family runs out of time.
pub const OUT_OF_TIME: &str = "the time was up";

/// A family on a place.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// The place's number among the places.
    pub backend: usize,
    /// The family.
    pub family: Family,
    /// The command that measures the same.
    pub command: String,
    /// Cases that were planned; 0 when it did not come to that.
    pub planned: usize,
    /// Why not everything was measured; null when it was.
    pub ended: Option<String>,
    /// Notes: omitted peers, cases that could not be prepared.
    pub notes: Vec<String>,
    /// Seconds that it took.
    pub seconds: f64,
    /// Kind of plot of the rates.
    pub rates: Rates,
    /// Measurements as in the family's `--json`; null if there are none.
    pub report: Option<Report>,
}

impl BenchReport {
    /// Writes it as JSON.
    ///
    /// # Errors
    /// [`BenchError::Write`].
    pub fn write_json(&self, path: &Path) -> Result<(), BenchError> {
        let failed = |reason: String| BenchError::Write { path: path.to_owned(), reason };
        let mut text = serde_json::to_string_pretty(self).map_err(|error| failed(error.to_string()))?;
        text.push('\n');
        std::fs::write(path, text).map_err(|error| failed(error.to_string()))
    }

    /// Failures and wrong results of our library, one line each.
    pub fn own_failures(&self) -> Vec<String> {
        self.runs.iter().filter_map(|run| run.report.as_ref()).flat_map(Report::own_failures).collect()
    }

    /// The reports of a place, with their families.
    pub fn runs_at(&self, backend: usize) -> impl Iterator<Item = &RunReport> {
        self.runs.iter().filter(move |run| run.backend == backend)
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A moment as people write it, by days since March of the year 0 (Hinnant, *chrono-compatible low-level date
/// algorithms*).
pub fn date(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", second / 3600, second / 60 % 60)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::tests::example as family;

    /// A report with one family, and names that would break a page that does not escape them.
    pub fn example() -> BenchReport {
        let run = RunReport {
            backend: 0,
            family: Family::Gemm,
            command: "affinimath bench gemm --against \"<odd>=/a&b.so\"".to_owned(),
            planned: 4,
            ended: Some(OUT_OF_TIME.to_owned()),
            notes: vec!["<script>alert('x')</script>".to_owned()],
            seconds: 1.5,
            rates: Rates::Linear,
            report: Some(family()),
        };
        let mut report = BenchReport {
            schema: "affinimath/bench-all/1",
            affinimath: "0.1.0".to_owned(),
            command: vec!["affinimath".to_owned(), "bench".to_owned(), "all".to_owned()],
            started: 1_700_000_000,
            seconds: 12.0,
            effort: Effort::Smoke,
            interrupted: false,
            machine: Machine::this(),
            peers: vec![PeerFile { name: "<odd>".to_owned(), paths: vec!["/a&b.so".to_owned()], version: None }],
            backends: vec![BackendReport {
                name: "a <device> & more".to_owned(),
                device: None,
                limits: Limits { fma_single: Some(120.0), ..Limits::default() },
            }],
            comparisons: Vec::new(),
            shortfalls: Vec::new(),
            runs: vec![run],
        };
        (report.comparisons, report.shortfalls) = super::super::summary::of(&report.runs);
        report
    }

    #[test]
    fn the_schema_has_the_fields_that_are_documented() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        example().write_json(&path).unwrap();
        let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(json["schema"], "affinimath/bench-all/1");
        for field in ["affinimath", "command", "started", "seconds", "effort", "interrupted", "machine", "peers"] {
            assert!(!json[field].is_null(), "{field}");
        }
        assert_eq!(json["backends"][0]["limits"]["fma_single"], 120.0);
        let run = &json["runs"][0];
        assert_eq!((&run["family"], &run["backend"], &run["planned"]), (&"gemm".into(), &0.into(), &4.into()));
        assert_eq!(run["report"]["cases"].as_array().unwrap().len(), 3);
        assert!(run["report"]["cases"][0]["results"][0]["median_seconds"].as_f64().unwrap() > 0.0);
    }

    #[test]
    fn moments_are_dates() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_700_000_000), "2023-11-14 22:13 UTC");
    }

    #[test]
    fn limits_are_lines_where_their_unit_is() {
        let limits = Limits { copy: Some(10.0), read: None, fma_single: Some(100.0), fma_double: Some(50.0) };
        let rates = |unit: &str, kind: ScalarKind| -> Vec<f64> {
            limits.lines(unit, kind).iter().map(|line| line.rate).collect()
        };
        assert_eq!(rates("GB/s", ScalarKind::S), [10.0]);
        assert_eq!((rates("GFLOP/s", ScalarKind::C), rates("GFLOP/s", ScalarKind::Z)), (vec![100.0], vec![50.0]));
        assert!(rates("kcalls/s", ScalarKind::S).is_empty());
    }
}
