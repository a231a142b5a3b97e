//! Every routine on every device and route, compared with a reference.

use std::fmt::{self, Write};
use std::io::IsTerminal;

use affinimath::route::{self, DeviceChoice, RouteChoice};
use affinimath::{Device, Error, ScalarKind};
use affinimath_bench::checks::{Check, Family};
use affinimath_bench::{BenchError, Failure, MemoryChoice, Target, TypeLetter};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::features::Warning;
use super::sparse;

#[derive(clap::Args)]
pub struct Selection {
    /// Backends, by default all: host, vendor, or a device by its index or part of its name
    #[arg(long = "device", alias = "on", value_delimiter = ',', value_name = "DEVICE")]
    on: Vec<String>,
    /// Element types, by default all that a device has
    #[arg(long, value_delimiter = ',', value_name = "s,d,c,z")]
    types: Vec<TypeLetter>,
    /// Show each routine, not only the families
    #[arg(long, alias = "routines")]
    details: bool,
}

impl Selection {
    /// The backends of `--device`. Naming a device chooses it in the settings.
    ///
    /// # Errors
    /// A device or a vendor's library that is missing.
    pub fn backends(&self) -> Result<Vec<Backend>, Failure> {
        Backend::asked(&self.on)
    }
}

/// Checks that share a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Dense(Family),
    Sparse,
}

impl Group {
    fn all() -> impl Iterator<Item = Group> {
        Family::ALL.into_iter().map(Group::Dense).chain([Group::Sparse])
    }

    fn name(self) -> String {
        match self {
            Group::Dense(family) => family.name(),
            Group::Sparse => "sparse".to_owned(),
        }
    }
}

/// A route, a device, and the memory that holds the operands.
pub struct Backend {
    name: String,
    route: RouteChoice,
    device: DeviceChoice,
    target: Target,
}

impl Backend {
    fn host() -> Self {
        let target = Target { device: None, memory: MemoryChoice::Host, automatic: false };
        Backend { name: "the host".to_owned(), route: RouteChoice::Host, device: DeviceChoice::Host, target }
    }

    fn vendor() -> Self {
        Backend { name: "vendors' libraries".to_owned(), route: RouteChoice::Vendor, ..Backend::host() }
    }

    /// A device, with operands in its own memory and in the host's.
    fn device(index: usize, device: &'static Device) -> [Self; 2] {
        [(MemoryChoice::Device, "operands in its memory"), (MemoryChoice::Host, "operands in the host's memory")].map(
            |(memory, operands)| Backend {
                name: format!("device {index}, {}, {operands}", device.info().name),
                route: RouteChoice::Device,
                device: DeviceChoice::Index(index),
                target: Target { device: Some(device), memory, automatic: false },
            },
        )
    }

    /// The backends that are named, or all.
    fn asked(names: &[String]) -> Result<Vec<Self>, Failure> {
        if names.is_empty() {
            let mut backends = vec![Backend::host()];
            // Why there are none stands above.
            let devices = Device::all().unwrap_or_default();
            backends.extend(devices.iter().enumerate().flat_map(|(index, device)| Backend::device(index, device)));
            let vendors = route::settings().and_then(|settings| settings.vendors());
            backends.extend(vendors.is_ok_and(|vendors| !vendors.is_empty()).then(Backend::vendor));
            return Ok(backends);
        }
        let mut backends = Vec::new();
        for name in names {
            match name.to_ascii_lowercase().as_str() {
                "host" => backends.push(Backend::host()),
                "vendor" if route::settings()?.vendors()?.is_empty() => {
                    let problem = "no vendor's library is in force: AFFINIMATH_CBLAS and AFFINIMATH_CUBLAS name them";
                    return Err(Failure(problem.to_owned()));
                }
                "vendor" => backends.push(Backend::vendor()),
                "auto" => return Err(Failure("--device takes a backend: host, vendor, or a device".to_owned())),
                _ => {
                    affinimath_bench::device::choose(name)?;
                    let chosen =
                        route::settings()?.device()?.ok_or_else(|| Failure(format!("there is no device '{name}'")))?;
                    backends.extend(Backend::device(chosen.index, &Device::all()?[chosen.index]));
                }
            }
        }
        Ok(backends)
    }

    fn kinds(&self, letters: &[TypeLetter]) -> Vec<ScalarKind> {
        let has = |kind: &ScalarKind| self.target.info().is_none_or(|device_info| device_info.supports(*kind));
        match letters {
            [] => ScalarKind::ALL.into_iter().filter(has).collect(),
            letters => TypeLetter::kinds(letters, &self.target).into_iter().filter(has).collect(),
        }
    }

    /// The warnings of a device, which has one backend for each memory of operands: the first one tells.
    fn warnings(&self, kinds: &[ScalarKind]) -> Vec<Warning> {
        match (self.target.device, self.target.memory) {
            (Some(device), MemoryChoice::Device) => Warning::of(device, kinds),
            _ => Vec::new(),
        }
    }

    fn checks(&self, group: Group, kind: ScalarKind) -> Vec<Check> {
        match group {
            // Vendors' libraries have no part in these, and a sparse matrix is in the memory of its backend.
            Group::Dense(Family::Fft) | Group::Sparse if self.route == RouteChoice::Vendor => Vec::new(),
            Group::Sparse if self.target.device.is_some() && self.target.memory == MemoryChoice::Host => Vec::new(),
            Group::Dense(family) => {
                let mut checks = family.checks(kind, &self.target);
                // These are computed on the host whatever the route.
                let own = |check: &Check| ["geqp3", "gelsy"].contains(&check.routine.as_str());
                checks.retain(|check| self.route != RouteChoice::Vendor || !own(check));
                checks
            }
            Group::Sparse => sparse::checks(kind, &self.target),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    Wrong,
    /// The vendor's library does not have it.
    NotDone,
}

fn verdict(check: &Check) -> Verdict {
    match &check.outcome {
        Ok(accuracy) if accuracy.holds() => Verdict::Right,
        Err(BenchError::Affinimath(Error::UnsupportedByVendor { .. })) => Verdict::NotDone,
        _ => Verdict::Wrong,
    }
}

/// The error divided by its bound; NaN for a call that failed.
fn share(check: &Check) -> f64 {
    match &check.outcome {
        // What has to be exact, and is.
        Ok(accuracy) if accuracy.error == 0.0 => 0.0,
        Ok(accuracy) => accuracy.error / accuracy.bound,
        Err(_) => f64::NAN,
    }
}

/// The checks of a family and a type.
struct Row {
    group: Group,
    kind: ScalarKind,
    checks: Vec<Check>,
}

/// Results of one backend.
struct Found {
    backend: String,
    rows: Vec<Row>,
    warnings: Vec<Warning>,
}

pub struct Findings(Vec<Found>);

/// Checks the selected types on these backends; each one's table goes to `show` when it is done.
///
/// # Errors
/// Settings that a backend refuses, and errors of `show`. A check that fails is a finding.
pub fn run(
    backends: Vec<Backend>,
    selection: &Selection,
    show: impl Fn(&str) -> Result<(), Failure>,
) -> Result<Findings, Failure> {
    let steps: usize =
        backends.iter().map(|backend| backend.kinds(&selection.types).len() * Group::all().count()).sum();
    let bar = progress_bar(steps);
    let mut findings = Findings(Vec::new());
    for backend in backends {
        route::configure(backend.route, &backend.device)?;
        let mut found = Found { backend: backend.name.clone(), rows: Vec::new(), warnings: Vec::new() };
        let kinds = backend.kinds(&selection.types);
        for &kind in &kinds {
            for group in Group::all() {
                bar.set_message(format!("{}{} on {}", kind.letter(), group.name(), backend.name));
                found.rows.push(Row { group, kind, checks: backend.checks(group, kind) });
                bar.inc(1);
            }
        }
        found.warnings = backend.warnings(&kinds);
        bar.suspend(|| show(&found.table(selection.details)))?;
        findings.0.push(found);
    }
    bar.finish_and_clear();
    Ok(findings)
}

fn progress_bar(steps: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(steps as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}");
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

impl Findings {
    fn checks(&self) -> impl Iterator<Item = (&Found, &Row, &Check)> {
        self.0.iter().flat_map(|found| found.checks().map(move |(row, check)| (found, row, check)))
    }

    fn with(&self, wanted: Verdict) -> usize {
        self.checks().filter(|(_, _, check)| verdict(check) == wanted).count()
    }

    pub fn count(&self) -> usize {
        self.checks().count()
    }

    pub fn failed(&self) -> usize {
        self.with(Verdict::Wrong)
    }

    /// Checks of routines that a vendor's library lacks.
    pub fn not_done(&self) -> usize {
        self.with(Verdict::NotDone)
    }

    /// The number of warnings, which are no failures.
    pub fn warnings(&self) -> usize {
        self.0.iter().map(|found| found.warnings.len()).sum()
    }

    /// All warnings, for programs.
    pub fn warnings_json(&self) -> Value {
        let all = self.0.iter().flat_map(|found| found.warnings.iter().map(move |warning| (found, warning)));
        let named = |(found, warning): (&Found, &Warning)| {
            let mut json = warning.json();
            json["backend"] = found.backend.clone().into();
            json
        };
        all.map(named).collect()
    }

    /// All checks, for programs.
    pub fn json(&self) -> Value {
        let check = |(found, row, check): (&Found, &Row, &Check)| {
            let accuracy = check.outcome.as_ref().ok();
            json!({
                "backend": found.backend,
                "family": row.group.name(),
                "type": row.kind.letter().to_string(),
                "routine": check.routine,
                "error": accuracy.map(|accuracy| accuracy.error),
                "bound": accuracy.map(|accuracy| accuracy.bound),
                "problem": check.outcome.as_ref().err().map(ToString::to_string),
                "verdict": match verdict(check) {
                    Verdict::Right => "right",
                    Verdict::Wrong => "wrong",
                    Verdict::NotDone => "not done",
                },
            })
        };
        self.checks().map(check).collect()
    }
}

impl Found {
    fn checks(&self) -> impl Iterator<Item = (&Row, &Check)> {
        self.rows.iter().flat_map(|row| row.checks.iter().map(move |check| (row, check)))
    }

    /// Families or routines against types, and below them failed checks and warnings.
    fn table(&self, routines: bool) -> String {
        let mut table = format!("{}\n{:<24}", self.backend, "error / bound");
        for kind in ScalarKind::ALL {
            write!(table, "{:>9}", kind.letter()).expect("a String takes every write");
        }
        table.push('\n');
        for group in Group::all() {
            let of_group = |row: &&Row| row.group == group;
            let count = self.rows.iter().filter(of_group).map(|row| row.checks.len()).max().unwrap_or(0);
            if count == 0 {
                continue;
            }
            self.line(&mut table, &format!("{}, {count} calls", group.name()), |row| {
                (row.group == group).then_some(&row.checks[..])
            });
            if routines {
                for index in 0..count {
                    let one = |row: &&Row| row.group == group && index < row.checks.len();
                    let name = self.rows.iter().find(one).map_or("", |row| &row.checks[index].routine);
                    self.line(&mut table, &format!("  {name}"), |row| {
                        (row.group == group).then(|| row.checks.get(index..=index)).flatten()
                    });
                }
            }
        }
        for (row, check) in self.checks().filter(|(_, check)| verdict(check) == Verdict::Wrong) {
            writeln!(table, "WRONG {} {}: {}", row.kind.letter(), check.routine, Problem(check))
                .expect("a String takes every write");
        }
        for warning in &self.warnings {
            writeln!(table, "WARNING {warning}").expect("a String takes every write");
        }
        table
    }

    /// A line of the table: of each type the worst of the checks that `pick` takes.
    fn line<'a>(&'a self, table: &mut String, label: &str, pick: impl Fn(&'a Row) -> Option<&'a [Check]>) {
        write!(table, "{label:<24}").expect("a String takes every write");
        for kind in ScalarKind::ALL {
            let checks = self.rows.iter().filter(|row| row.kind == kind).find_map(&pick);
            write!(table, "{:>9}", checks.map_or("-".to_owned(), summary)).expect("a String takes every write");
        }
        table.push('\n');
    }
}

/// The worst of some checks, in a word.
fn summary(checks: &[Check]) -> String {
    if checks.iter().any(|check| verdict(check) == Verdict::Wrong) {
        return "WRONG".to_owned();
    }
    let done = checks.iter().filter(|check| verdict(check) == Verdict::Right);
    done.map(share).reduce(f64::max).map_or("-".to_owned(), |share| format!("{share:.3}"))
}

/// A failed check, for display.
struct Problem<'a>(&'a Check);

impl fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.outcome {
            Ok(accuracy) => write!(f, "an error of {:.1e}, where {:.1e} is allowed", accuracy.error, accuracy.bound),
            Err(error) => error.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinimath_bench::checks::Accuracy;

    fn found() -> Found {
        let check = |routine: &str, outcome| Check { routine: routine.to_owned(), outcome };
        let row = |kind, checks| Row { group: Group::Dense(Family::Gemm), kind, checks };
        let lacking = Error::UnsupportedByVendor { library: "lib.so".to_owned(), reason: "no dgemm".to_owned() };
        let checks = vec![
            check("gemm nn", Ok(Accuracy { error: 1e-8, bound: 4e-8 })),
            check("gemm nt", Ok(Accuracy { error: 0.0, bound: 0.0 })),
        ];
        let wrong = vec![
            check("gemm nn", Ok(Accuracy { error: f64::NAN, bound: 1e-15 })),
            check("gemm nt", Err(BenchError::Affinimath(lacking))),
        ];
        let rows = vec![row(ScalarKind::S, checks), row(ScalarKind::D, wrong)];
        Found {
            backend: "a backend".to_owned(),
            rows,
            warnings: vec![Warning::NoProbes { error: "a reason".to_owned() }],
        }
    }

    #[test]
    fn a_number_that_is_none_is_wrong_and_a_vendor_may_lack_a_routine() {
        let findings = Findings(vec![found()]);
        assert_eq!((findings.count(), findings.failed(), findings.not_done()), (4, 1, 1));
        let json = findings.json();
        assert_eq!(json[0]["verdict"], "right");
        assert!(json[2]["verdict"] == "wrong" && json[2]["error"].is_null());
        assert_eq!(json[3]["verdict"], "not done");
        assert_eq!(json[3]["backend"], "a backend");
    }

    #[test]
    fn a_warning_is_no_failure() {
        let findings = Findings(vec![found()]);
        assert_eq!((findings.warnings(), findings.failed()), (1, 1));
        assert_eq!(findings.warnings_json()[0]["backend"], "a backend");
        let table = found().table(false);
        assert!(table.ends_with("\nWARNING gemm's kernels could not be probed: a reason\n"), "{table}");
    }

    #[test]
    fn a_table_has_the_worst_of_a_family_and_names_what_is_wrong() {
        let table = found().table(false);
        let line = table.lines().find(|line| line.starts_with("gemm, 2 calls")).unwrap();
        assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["gemm,", "2", "calls", "0.250", "WRONG", "-", "-"]);
        assert!(table.contains("WRONG D gemm nn: an error of NaN, where 1.0e-15 is allowed"), "{table}");
        let each = found().table(true);
        let line = each.lines().find(|line| line.starts_with("  gemm nt")).unwrap();
        assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["gemm", "nt", "0.000", "-", "-", "-"]);
    }
}
