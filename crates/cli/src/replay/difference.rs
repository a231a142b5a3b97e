//! `affinimath replay --diff`: two traces.

use std::path::PathBuf;
use std::process::ExitCode;

use affinimath_bench::json::JsonOption;
use affinimath_trace::{Divergence, Trace, diff};
use serde_json::{Value, json};

use super::{Problem, sources};

/// Compares two traces; exit code 1 where they differ.
pub(super) fn run(traces: &[PathBuf], option: &JsonOption) -> Result<ExitCode, Problem> {
    option.check_folder()?;
    let [first, second] = traces else { unreachable!("the option takes two") };
    let files = [sources::open(first)?, sources::open(second)?];
    let read = |index: usize| {
        let path = traces[index].display();
        Trace::load(&*files[index]).map_err(|error| Problem::Malformed(format!("{path}: {error}")))
    };
    let (a, b) = (read(0)?, read(1)?);
    let report = diff([&a, &b], [&*files[0], &*files[1]]);
    let document = json!({
        "compared": report.compared,
        "first": report.first.as_ref().map(divergence),
        "inputs": report.inputs.as_ref().map(divergence),
        "alone": report.alone.iter().map(|(trace, launch, kernel)| {
            json!({ "trace": trace, "launch": launch, "kernel": kernel })
        }).collect::<Vec<_>>(),
    });
    option.give("replay-diff", document, &report.to_string())?;
    Ok(if report.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn divergence(found: &Divergence) -> Value {
    json!({
        "kernel": found.kernel,
        "launches": found.launches,
        "argument": found.argument,
        "reason": found.reason,
        "notes": found.notes,
    })
}
