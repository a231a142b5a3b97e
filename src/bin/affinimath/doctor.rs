//! `affinimath doctor`: what decides where calls run, and what it is based on.

use std::fmt::Write;
use std::time::Instant;

use affinimath::route::{self, ChosenDevice, Family};
use affinimath::tuning::database;
use affinimath::{Device, ScalarKind};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::{info, print};

/// The arguments of `affinimath doctor`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints what `affinimath info` does, the vendors' libraries, the tuning database, and the table of crossovers.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let chosen = route::settings().and_then(|settings| settings.device()).ok().flatten();
    if arguments.json {
        let crossovers = chosen.as_ref().map(crossovers_json).transpose()?;
        let folder = database::directory();
        let doctor = json!({
            "info": info::json(),
            "vendor": vendor_line(),
            "tuning": { "folder": folder, "measurements": database::records().len() },
            "decision_nanoseconds": decision_nanoseconds(),
            "crossovers": crossovers,
        });
        return print(&format!("{doctor:#}\n"));
    }
    let mut text = info::text();
    let folder = database::directory().map_or("no folder for it is known".into(), |path| path.display().to_string());
    let lines = [
        ("vendor", vendor_line()),
        ("tuning", format!("{folder}: {} measurements", database::records().len())),
        ("decision", decision_nanoseconds().map_or("none".into(), |time| format!("{time:.0} ns for each call"))),
    ];
    for (label, value) in lines {
        writeln!(text, "{label:<11} {value}").expect("a String takes every write");
    }
    match chosen {
        Some(chosen) => text += &format!("\n{}", crossovers(&chosen)?),
        None => text += "\nno device is used, so that there is no crossover\n",
    }
    print(&text)
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

/// What the decision costs a call that is too small for any device.
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

/// The table of crossovers, as text.
pub fn crossovers(chosen: &ChosenDevice) -> Result<String, Failure> {
    let mut text = format!("device {} is chosen from this n on:\n{:<15}", chosen.index, "");
    for kind in ScalarKind::ALL {
        write!(text, "{:>10}", kind.letter()).expect("a String takes every write");
    }
    text.push('\n');
    for (family, entries) in table(chosen)? {
        write!(text, "{:<15}", family.routine()).expect("a String takes every write");
        for entry in entries {
            let size = match entry {
                None => "no fp64".to_owned(),
                Some(None) => "never".to_owned(),
                Some(Some(n)) => n.to_string(),
            };
            write!(text, "{size:>10}").expect("a String takes every write");
        }
        text.push('\n');
    }
    Ok(text)
}

/// The same as JSON.
pub fn crossovers_json(chosen: &ChosenDevice) -> Result<Value, Failure> {
    let rows = table(chosen)?.into_iter().map(|(family, entries)| {
        let sizes = ScalarKind::ALL.iter().zip(entries);
        let sizes: serde_json::Map<String, Value> =
            sizes.map(|(kind, entry)| (kind.letter().to_string(), json!(entry.flatten()))).collect();
        json!({ "family": family, "routine": family.routine(), "from": sizes })
    });
    Ok(rows.collect())
}

/// A family, and for each type the size from which the device is chosen: `None` for a type that the device lacks, and
/// `Some(None)` where the device is never chosen.
type Row = (Family, [Option<Option<u64>>; ScalarKind::ALL.len()]);

/// The table of crossovers.
fn table(chosen: &ChosenDevice) -> affinimath::Result<Vec<Row>> {
    let facts = Device::all()?[chosen.index].facts();
    let entry = |family: Family, kind: ScalarKind| facts.supports(kind).then(|| chosen.model.crossover(family, kind));
    Ok(Family::ALL.into_iter().map(|family| (family, ScalarKind::ALL.map(|kind| entry(family, kind)))).collect())
}
