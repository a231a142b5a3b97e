//! From which size on a device is chosen.

use std::fmt::Write;

use affinimath::route::{ChosenDevice, Family};
use affinimath::{Device, ScalarKind};
use serde_json::{Value, json};

use crate::failure::Failure;

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
    let entry = |family: Family, kind: ScalarKind| facts.supports(kind).then(|| chosen.model().crossover(family, kind));
    Ok(Family::ALL.into_iter().map(|family| (family, ScalarKind::ALL.map(|kind| entry(family, kind)))).collect())
}
