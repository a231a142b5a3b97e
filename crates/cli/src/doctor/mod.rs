//! `affinimath doctor`: whether the library is right on this machine, what decides where calls run, and what that is
//! based on.

mod checks;
mod crossovers;
mod features;
mod sparse;

use std::fmt::Write;
use std::time::Instant;

use affinimath::ScalarKind;
use affinimath::route::{self, Family};
use affinimath_bench::Failure;
use affinimath_bench::json::JsonOption;
use affinimath_bench::stdout::print;
use affinimath_tuner::database;
use serde_json::json;

use self::checks::Findings;
pub use self::crossovers::{crossovers, crossovers_json};
use crate::info;

/// The end of the `--help` text.
pub const HELP: &str = "
Every routine is called once, for each type, on the host, on each device (with operands in its memory, and in the \
host's), and in the
vendors' libraries that are in force. The table has the largest error of each family divided by its bound: \
up to 1 is
right. The first time, devices build their programs, which takes minutes. The exit code is 1 where a check failed.
A WARNING names a feature of a device that gemm does without, because a probe of it failed: results are right, but
slower.

Examples:
  affinimath doctor
  affinimath doctor --device host,nvidia --types s,d --details
  affinimath doctor --json > report.json";

/// The arguments of `affinimath doctor`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    checks: checks::Selection,
    #[command(flatten)]
    json: JsonOption,
}

/// Prints what `affinimath info` does, the vendors' libraries, the tuning database, the table of crossovers, and what
/// came out of a call of every routine.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    // The settings in force: checks change them.
    let chosen = route::settings().and_then(|settings| settings.device()).ok().flatten();
    let folder = database::directory();
    let measurements = database::records().len();
    arguments.json.check_folder()?;
    let mut document = serde_json::Value::Null;
    if arguments.json.is_asked() {
        let crossovers = chosen.map(|chosen| crossovers_json(chosen.index, chosen.model())).transpose()?;
        document = json!({
            "info": info::json(),
            "vendor": vendor_line(),
            "tuning": { "folder": folder, "measurements": measurements },
            "decision_nanoseconds": decision_nanoseconds(),
            "crossovers": crossovers,
        });
    }
    if arguments.json.replaces_text() {
        let findings = checks::run(arguments.checks.backends()?, &arguments.checks, |_| Ok(()))?;
        add_findings(&findings, &mut document);
        arguments.json.document("doctor", document)?;
        return verdict(&findings);
    }
    let mut text = info::text();
    let folder = folder.map_or("no folder for it is known".into(), |path| path.display().to_string());
    let lines = [
        ("vendor", vendor_line()),
        ("tuning", format!("{folder}: {measurements} measurements")),
        ("decision", decision_nanoseconds().map_or("none".into(), |time| format!("{time:.0} ns for each call"))),
    ];
    for (label, value) in lines {
        writeln!(text, "{label:<11} {value}").expect("a String takes every write");
    }
    match chosen {
        Some(chosen) => text += &format!("\n{}", crossovers(chosen.index, chosen.model())?),
        None => text += "\nno device is used, so that there is no crossover\n",
    }
    // After the text, which has the settings in force, and before its printing: a missing device is an error alone.
    let backends = arguments.checks.backends()?;
    print(&text)?;
    let findings = checks::run(backends, &arguments.checks, |backend| print(&format!("\n{backend}")))?;
    print(&summary(&findings))?;
    if arguments.json.is_asked() {
        add_findings(&findings, &mut document);
        arguments.json.document("doctor", document)?;
    }
    verdict(&findings)
}

/// The last lines of the text.
fn summary(findings: &Findings) -> String {
    let warnings = match findings.warnings() {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        several => format!(", {several} warnings"),
    };
    let trace = match findings.failed() {
        0 => "",
        _ => {
            "a failed check on a device: AFFINIMATH_TRACE=DIR has the program write its launches, and `affinimath \
              replay` runs them again and packs them\n"
        }
    };
    format!(
        "\n{} checks, {} failed, {} not done{warnings}\na bug report needs the output of `affinimath doctor --json`, \
         the call, and its output with AFFINIMATH_LOG=debug\n{trace}",
        findings.count(),
        findings.failed(),
        findings.not_done()
    )
}

fn add_findings(findings: &Findings, document: &mut serde_json::Value) {
    document["checks"] = findings.json();
    document["warnings"] = findings.warnings_json();
}

/// A check that failed makes the command fail; a warning does not.
fn verdict(findings: &Findings) -> Result<(), Failure> {
    match findings.failed() {
        0 => Ok(()),
        failed => Err(Failure(format!("{failed} of {} checks failed", findings.count()))),
    }
}

/// The vendors' libraries in force.
fn vendor_line() -> String {
    let vendors = match route::settings().and_then(|settings| settings.vendors()) {
        Err(error) => return error.to_string(),
        Ok(vendors) => vendors,
    };
    let line = |vendor: &affinimath::vendor::Vendor| {
        let version = vendor.version().unwrap_or_else(|| "of unknown version".to_owned());
        format!("{}: {version}", vendor.path().display())
    };
    match vendors.is_empty() {
        true => "none (AFFINIMATH_CBLAS and AFFINIMATH_CUBLAS name them)".to_owned(),
        false => vendors.iter().map(line).collect::<Vec<_>>().join("; "),
    }
}

/// Time of the route decision for a call that is too small for any device.
fn decision_nanoseconds() -> Option<f64> {
    const CALLS: u32 = 10_000;
    let work = Family::Product.work(ScalarKind::D, 8);
    route::decide(&work).ok()?;
    let run = || {
        let start = Instant::now();
        for _ in 0..CALLS {
            let route = std::hint::black_box(route::decide(std::hint::black_box(&work)));
            drop(route);
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
    };
    (0..5).map(|_| run()).reduce(f64::min)
}
