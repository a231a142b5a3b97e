//! Spaces and results in the formats that autotuning frameworks exchange: T1 for spaces and T4 for results
//! (<https://github.com/odgaard/TuningSchema>), as Kernel Tuner, KTT and others read and write them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::probe::Reading;
use super::space::{self, Configuration, Constraint, Space};
use super::tuned::Subject;
use super::tuner::Objective;
use affinimath_opencl::device::DeviceInfo;

/// The version of T4 that is written.
const SCHEMA: &str = "1.0.0";

/// Validity of a configuration, in T4's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Invalidity {
    /// It did not end in time.
    Timeout,
    /// Its program could not be built.
    Compile,
    /// It could not be run, or ended the process.
    Runtime,
    /// Its result was wrong.
    Correctness,
    /// The device's properties forbid it.
    Constraints,
    /// It was right.
    Correct,
}

/// Measurement of a configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// True if it worked.
    pub invalidity: Invalidity,
    /// Value of the objective, if it was right: seconds, unless the search has another one.
    pub seconds: Option<f64>,
    /// Seconds of each round.
    pub runtimes: Vec<f64>,
    /// Seconds that its programs took to be built, with the first run of them.
    pub compilation: f64,
    /// Seconds that it took to look at its results.
    pub validation: f64,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When it was measured: seconds since 1970.
    #[serde(default)]
    pub timestamp: u64,
    /// Values of a run that probes measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

impl Outcome {
    /// A failure.
    pub fn failed(invalidity: Invalidity, message: impl Into<String>) -> Self {
        Outcome {
            invalidity,
            seconds: None,
            runtimes: Vec::new(),
            compilation: 0.0,
            validation: 0.0,
            message: Some(message.into()),
            timestamp: now(),
            reading: None,
        }
    }

    /// A right result, with its value.
    pub fn right(value: f64, reading: Option<Reading>) -> Self {
        Outcome {
            invalidity: Invalidity::Correct,
            seconds: Some(value),
            runtimes: vec![value],
            compilation: 0.0,
            validation: 0.0,
            message: None,
            timestamp: now(),
            reading,
        }
    }

    /// Value that the search minimises; infinity for a failure.
    pub fn score(&self) -> f64 {
        self.seconds.unwrap_or(f64::INFINITY)
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

/// A search's results, with what they are of.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The library's version.
    pub library: String,
    /// The device's name.
    pub device: String,
    /// Its driver's version.
    pub driver: String,
    /// Routine, type and size that were tuned.
    pub subject: Subject,
    /// Seconds with the default parameters.
    pub default_seconds: f64,
    /// Every configuration, in the order of the measurements.
    pub trials: Vec<(Configuration, Outcome)>,
}

impl Results {
    /// The results in the format T4. The subject goes into `metadata`, which the format leaves free.
    pub fn to_t4(&self) -> Value {
        let metadata = json!({
            "library": self.library,
            "device": self.device,
            "driver": self.driver,
            "subject": self.subject,
            "default_seconds": self.default_seconds,
        });
        to_t4(&metadata, &self.trials, Objective::Time)
    }

    /// Reads the output of [`Results::to_t4`].
    ///
    /// # Errors
    /// The missing part, as a text.
    pub fn from_t4(value: &Value) -> Result<Self, String> {
        let metadata: Metadata = serde_json::from_value(value["metadata"].clone())
            .map_err(|error| format!("'metadata' does not say what was tuned where: {error}"))?;
        let results: Vec<T4Result> = serde_json::from_value(value["results"].clone())
            .map_err(|error| format!("'results' is not a list of results: {error}"))?;
        let trials = results.into_iter().map(|result| {
            let time = result.measurements.iter().find(|measurement| measurement.name == "time");
            let outcome = Outcome {
                invalidity: result.invalidity,
                seconds: time.map(|time| time.value).filter(|_| result.invalidity == Invalidity::Correct),
                runtimes: result.times.runtimes,
                compilation: result.times.compilation_time,
                validation: result.times.validation,
                message: None,
                timestamp: 0,
                reading: None,
            };
            (result.configuration, outcome)
        });
        let Metadata { library, device, driver, subject, default_seconds } = metadata;
        Ok(Results { library, device, driver, subject, default_seconds, trials: trials.collect() })
    }
}

/// Results of any search in the format T4, with metadata of any form.
pub fn to_t4(metadata: &Value, trials: &[(Configuration, Outcome)], objective: Objective) -> Value {
    let result = |(configuration, outcome): &(Configuration, Outcome)| result(configuration, outcome, objective);
    let results: Vec<Value> = trials.iter().map(result).collect();
    json!({ "schema_version": SCHEMA, "metadata": metadata, "results": results })
}

#[derive(Deserialize)]
struct Metadata {
    library: String,
    device: String,
    driver: String,
    subject: Subject,
    default_seconds: f64,
}

#[derive(Deserialize)]
struct T4Result {
    configuration: Configuration,
    times: Times,
    invalidity: Invalidity,
    measurements: Vec<Measurement>,
}

#[derive(Deserialize)]
struct Times {
    #[serde(default)]
    compilation_time: f64,
    #[serde(default)]
    runtimes: Vec<f64>,
    #[serde(default)]
    validation: f64,
}

#[derive(Deserialize)]
struct Measurement {
    name: String,
    value: f64,
}

fn result(configuration: &Configuration, outcome: &Outcome, objective: Objective) -> Value {
    let correct = outcome.invalidity == Invalidity::Correct;
    let (name, unit) = match objective {
        Objective::Minimize | Objective::Maximize | Objective::Time => ("time".to_owned(), "seconds"),
        Objective::DeviceTime => (objective.to_string(), "seconds"),
        Objective::Energy => (objective.to_string(), "joules"),
        Objective::EnergyDelay => (objective.to_string(), "joule-seconds"),
    };
    let value = outcome.seconds.map(|value| json!({ "name": name, "value": value, "unit": unit }));
    let reading = outcome.reading.unwrap_or_default();
    let others = [
        ("time", outcome.reading.map(|reading| reading.wall_seconds), "seconds"),
        ("device-time", reading.device_seconds, "seconds"),
        ("cycles", reading.cycles, ""),
        ("instructions", reading.instructions, ""),
        ("cache-misses", reading.cache_misses, ""),
        ("energy", reading.joules, "joules"),
    ];
    let others = others.into_iter().filter(|(other, ..)| *other != name);
    let others = others.filter_map(|(name, value, unit)| Some(json!({ "name": name, "value": value?, "unit": unit })));
    json!({
        "timestamp": outcome.timestamp.to_string(),
        "configuration": configuration,
        "objectives": [name],
        "times": {
            "compilation_time": outcome.compilation,
            "runtimes": outcome.runtimes,
            "validation": outcome.validation,
        },
        "invalidity": outcome.invalidity,
        "correctness": if correct { 1 } else { 0 },
        "measurements": value.into_iter().chain(others).collect::<Vec<_>>(),
    })
}

/// The kernel of a space, as T1 names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelText {
    /// The kernel's function.
    pub name: &'static str,
    /// Its file in the repository.
    pub file: &'static str,
    /// Work-items of a group, as an expression of the parameters.
    pub local_size: &'static str,
}

/// The type of values and the values, as expressions of Python.
fn python(values: &[space::Value]) -> (&'static str, Vec<String>) {
    use space::Value;
    let kind = match values.first() {
        Some(Value::Boolean(_)) => "bool",
        Some(Value::Name(_)) => "string",
        Some(Value::Integer(_)) | None => "int",
    };
    let text = |value: &Value| match value {
        Value::Boolean(value) => (if *value { "True" } else { "False" }).to_owned(),
        Value::Integer(value) => value.to_string(),
        Value::Name(name) => format!("{name:?}"),
    };
    (kind, values.iter().map(text).collect())
}

/// A space as T1 has it, without the rules that functions decide. The library decides on the number of work-groups from
/// the shape of the problem: there, it is 1.
pub fn to_t1(
    subject: &Subject,
    space: &Space,
    default: Option<&Configuration>,
    kernel: KernelText,
    device: &DeviceInfo,
) -> Value {
    let parameter = |parameter: &super::space::Parameter| {
        let (kind, values) = python(&parameter.values);
        let mut text = json!({ "Name": parameter.name, "Type": kind, "Values": format!("[{}]", values.join(", ")) });
        if let Some(value) = default.and_then(|default| default.0.get(&parameter.name)) {
            text["Default"] = json!(value);
        }
        text
    };
    let parameters: Vec<Value> = space.parameters().iter().map(parameter).collect();
    let texts = space.constraints().iter().filter(|constraint| !matches!(constraint, Constraint::Function(_)));
    let conditions =
        texts.map(|constraint| json!({ "Expression": constraint.to_string(), "Parameters": constraint.parameters() }));
    json!({
        "General": {
            "BenchmarkName": subject.to_string(), "FormatVersion": 1, "OutputFormat": "JSON", "TimeUnit": "Seconds"
        },
        "ConfigurationSpace": { "TuningParameters": parameters, "Conditions": conditions.collect::<Vec<_>>() },
        "KernelSpecification": {
            "Device": { "Name": device.name },
            "Language": "OpenCL",
            "KernelName": kernel.name,
            "KernelFile": kernel.file,
            "GlobalSizeType": "CUDA",
            "GlobalSize": { "X": "1" },
            "LocalSize": { "X": kernel.local_size },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Term;
    use crate::tuned::{KernelFamily, ShapeClass};
    use affinimath_core::scalar::ScalarKind;
    use affinimath_opencl::device::DeviceClass;

    const SUBJECT: Subject = Subject { family: KernelFamily::GemmTiled, kind: ScalarKind::S, class: ShapeClass::Large };

    #[test]
    fn results_come_back_from_t4() {
        let right = Outcome {
            invalidity: Invalidity::Correct,
            seconds: Some(0.25),
            runtimes: vec![0.25, 0.5],
            compilation: 1.0,
            validation: 0.125,
            message: None,
            timestamp: 0,
            reading: None,
        };
        let wrong = Outcome { timestamp: 0, message: None, ..Outcome::failed(Invalidity::Timeout, "30 s") };
        let results = Results {
            library: "0.1.0".to_owned(),
            device: "example".to_owned(),
            driver: "1".to_owned(),
            subject: SUBJECT,
            default_seconds: 0.5,
            trials: vec![(Configuration::new([("tile_m", 16)]), right), (Configuration::new([("tile_m", 32)]), wrong)],
        };
        let t4 = results.to_t4();
        assert_eq!(Results::from_t4(&t4), Ok(results));
        // T4 requires these keys of each result.
        for result in t4["results"].as_array().unwrap() {
            assert!(
                ["configuration", "times", "invalidity", "correctness"].iter().all(|key| result.get(key).is_some())
            );
        }
        assert_eq!(t4["results"][1]["invalidity"], "timeout");
        assert!(Results::from_t4(&json!({ "results": [] })).unwrap_err().contains("metadata"));
    }

    #[test]
    fn a_space_names_its_parameters_and_conditions_in_t1() {
        let space = Space::new(
            &[("tile_m", &[16, 32], 0), ("band", &[1, 4], 1)],
            vec![Constraint::AtMost(Term::from("tile_m") * 4, 64.into())],
        );
        let kernel = KernelText { name: "gemm_tiled", file: "cl/blas/level3/gemm/tiled/tiled.cl", local_size: "64" };
        let default = Configuration::new([("tile_m", 16), ("band", 4)]);
        let t1 = to_t1(&SUBJECT, &space, Some(&default), kernel, &affinimath_opencl::device::example(DeviceClass::Gpu));
        let space = &t1["ConfigurationSpace"];
        assert_eq!(
            space["TuningParameters"][0],
            json!({ "Name": "tile_m", "Type": "int", "Values": "[16, 32]", "Default": 16 })
        );
        assert_eq!(space["Conditions"][0], json!({ "Expression": "tile_m * 4 <= 64", "Parameters": ["tile_m"] }));
        let specification = t1["KernelSpecification"].as_object().unwrap();
        assert!(
            ["Language", "KernelName", "KernelFile", "GlobalSize", "LocalSize"]
                .iter()
                .all(|key| specification.contains_key(*key))
        );
    }
}
