//! From which size on a device is chosen.

use std::fmt::Write;

use affinimath::route::{Family, Model};
use affinimath::{Device, ScalarKind};
use affinimath_bench::Failure;
use serde_json::{Value, json};

/// The table of crossovers of a device with these costs, as text.
pub fn crossovers(index: usize, model: &Model) -> Result<String, Failure> {
    let mut text = format!("device {index} is chosen from this n on:\n{:<15}", "");
    for kind in ScalarKind::ALL {
        write!(text, "{:>10}", kind.letter()).expect("a String takes every write");
    }
    text.push('\n');
    for (family, entries) in table(index, model)? {
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
pub fn crossovers_json(index: usize, model: &Model) -> Result<Value, Failure> {
    let rows = table(index, model)?.into_iter().map(|(family, entries)| {
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
fn table(index: usize, model: &Model) -> affinimath::Result<Vec<Row>> {
    let device_info = Device::all()?[index].info();
    let entry = |family: Family, kind: ScalarKind| device_info.supports(kind).then(|| model.crossover(family, kind));
    Ok(Family::ALL.into_iter().map(|family| (family, ScalarKind::ALL.map(|kind| entry(family, kind)))).collect())
}
