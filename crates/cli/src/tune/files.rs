//! Files that go to others and come from them.

use std::path::{Path, PathBuf};

use affinimath::{DeviceInfo, tunable};
use affinimath_bench::json::JsonOption;
use affinimath_bench::{Failure, input};
use affinimath_tuner::exchange::{self, Invalidity, Results};
use affinimath_tuner::tuned::{self, Record, Subject};
use serde_json::{Value, json};

use super::search::Found;

/// The file of a search: with several of them, their subjects are in the names.
pub fn name(path: &Path, subject: &Subject, searches: usize) -> PathBuf {
    if searches == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let letter = subject.kind.letter().to_ascii_lowercase();
    let ending = path.extension().map_or_else(|| "json".to_owned(), |ending| ending.to_string_lossy().into_owned());
    path.with_file_name(format!("{stem}-{}-{letter}-{}.{ending}", subject.family, subject.class))
}

/// Writes the measurements in T4, and the space in T1 to the same name with `.t1.json` at its end.
pub fn export(path: &Path, found: &Found, device_info: &DeviceInfo) -> Result<(), Failure> {
    let subject = &found.results.subject;
    let default = tunable::default_configuration(subject, device_info);
    let kernel = tunable::kernel_text(subject.family);
    let t1 = exchange::to_t1(subject, &tunable::space(subject, device_info), Some(&default), kernel, device_info);
    let write = |path: &Path, text: String| {
        std::fs::write(path, text).map_err(|error| Failure::file("cannot write", path, error))
    };
    write(path, lines_of(&found.results.to_t4()))?;
    write(&path.with_extension("t1.json"), format!("{t1:#}\n"))
}

/// JSON with a line for each result: short, and still fit to be compared by lines.
pub fn lines_of(t4: &Value) -> String {
    let none = Vec::new();
    let results: Vec<String> = t4["results"].as_array().unwrap_or(&none).iter().map(Value::to_string).collect();
    format!(
        "{{\"schema_version\":{},\n\"metadata\":{},\n\"results\":[\n{}\n]}}\n",
        t4["schema_version"],
        t4["metadata"],
        results.join(",\n")
    )
}

/// Takes parameters from a file into the database. They count for devices of the name that stands with them.
pub fn import(path: &Path, json: &JsonOption) -> Result<(), Failure> {
    let text = input::text(path)?;
    let records = match serde_json::from_str::<Value>(&text) {
        Ok(value) if value.get("results").is_some() => {
            let results = Results::from_t4(&value).map_err(|reason| Failure::file("cannot use", path, reason))?;
            vec![best(&results).ok_or_else(|| Failure::file("cannot use", path, "it has no right result"))?]
        }
        _ => Record::parse(&text),
    };
    if records.is_empty() {
        return Err(Failure::file("cannot use", path, "it has neither lines of a tuning database nor results in T4"));
    }
    let (mut text, mut file) = (String::new(), None);
    for record in &records {
        let path = tuned::append(record)?;
        let Record { device, driver, subject, .. } = record;
        text += &format!("{subject} on {device} ({driver}): recorded in {}\n", path.display());
        file = Some(path);
    }
    json.give("tune-import", json!({ "file": file, "records": records }), &text)
}

/// The fastest of the results, as a line of the database.
fn best(results: &Results) -> Option<Record> {
    let right = results.trials.iter().filter(|(_, outcome)| outcome.invalidity == Invalidity::Correct);
    let (configuration, outcome) = right.min_by(|a, b| a.1.score().total_cmp(&b.1.score()))?;
    Some(Record {
        library: results.library.clone(),
        device: results.device.clone(),
        driver: results.driver.clone(),
        subject: results.subject,
        configuration: configuration.clone(),
        seconds: outcome.seconds?,
        default_seconds: results.default_seconds,
        evaluations: results.trials.len(),
    })
}

#[cfg(test)]
mod tests {
    use affinimath::ScalarKind;
    use affinimath_tuner::exchange::Outcome;
    use affinimath_tuner::space::Configuration;
    use affinimath_tuner::tuned::{KernelFamily, ShapeClass};

    use super::*;

    const SUBJECT: Subject =
        Subject { family: KernelFamily::GemmPacked, kind: ScalarKind::D, class: ShapeClass::Small };

    #[test]
    fn searches_have_files_of_their_own() {
        assert_eq!(name(Path::new("a/x.json"), &SUBJECT, 1), Path::new("a/x.json"));
        assert_eq!(name(Path::new("a/x.json"), &SUBJECT, 2), Path::new("a/x-gemm-packed-d-small.json"));
    }

    #[test]
    fn the_fastest_right_result_is_what_is_imported() {
        let outcome = |seconds: Option<f64>| Outcome {
            invalidity: if seconds.is_some() { Invalidity::Correct } else { Invalidity::Correctness },
            seconds,
            ..Outcome::failed(Invalidity::Compile, "")
        };
        let trial = |value: usize, seconds| (Configuration::new([("tile", value)]), outcome(seconds));
        let results = Results {
            library: "0.1.0".to_owned(),
            device: "example".to_owned(),
            driver: "1".to_owned(),
            subject: SUBJECT,
            default_seconds: 2.0,
            trials: vec![trial(1, Some(1.5)), trial(2, None), trial(3, Some(1.0))],
        };
        let text = lines_of(&results.to_t4());
        let read = Results::from_t4(&serde_json::from_str(&text).unwrap()).unwrap();
        let record = best(&read).unwrap();
        assert_eq!((record.configuration.get("tile"), record.gain()), (Some(3), 2.0));
        assert!(best(&Results { trials: vec![trial(2, None)], ..results }).is_none());
    }
}
