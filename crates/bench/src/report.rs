//! Measurements as plain data: the content of the JSON file, and the source of table and plot.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use affinimath::ScalarKind;
use affinimath_cpu as host;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::BenchError;
use super::runner::Measurement;
use super::target::{MemoryChoice, Target};
use crate::json;

/// A whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The JSON document's schema.
    pub schema: String,
    /// Our library's version.
    pub affinimath: String,
    /// Subject of the run: a routine, `gemm`, or a level of the BLAS, such as `level1`.
    pub operation: String,
    /// The unit of all rates, such as `GFLOP/s`.
    pub unit: String,
    /// The device that our library ran on; null for the host.
    pub device: Option<serde_json::Value>,
    /// Target of our library, in one line.
    pub target: String,
    /// Memory of our library's operands.
    pub memory: MemoryChoice,
    /// Threads that our host route uses.
    pub host_threads: usize,
    /// Runnable programs of the machine over the minute before the run, where the system tells: those beside which
    /// everybody was measured.
    pub host_load: Option<f64>,
    /// Those that were measured, in the order of each case's results; ours is the first.
    pub contenders: Vec<ContenderFacts>,
    /// Libraries that were looked for and not measured, with the reason of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The cases, in the order they ran.
    pub cases: Vec<CaseReport>,
}

impl Report {
    /// A report without cases yet; `peers` are the contenders except ours.
    pub fn new(operation: &str, unit: &str, target: &Target, peers: Vec<ContenderFacts>) -> Self {
        let ours = ContenderFacts {
            name: "affinimath".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            threads: Some(target.info().map_or_else(host::threads, |facts| facts.compute_units)),
            path: None,
            memory: target.memory,
        };
        Report {
            schema: json::schema(&format!("bench-{operation}")),
            affinimath: env!("CARGO_PKG_VERSION").to_owned(),
            operation: operation.to_owned(),
            unit: unit.to_owned(),
            device: target.info().and_then(|facts| serde_json::to_value(facts).ok()),
            target: target.describe(),
            memory: target.memory,
            host_threads: host::threads(),
            host_load: load(),
            contenders: std::iter::once(ours).chain(peers).collect(),
            notes: Vec::new(),
            cases: Vec::new(),
        }
    }

    /// The command, as its schema names it.
    pub fn command(&self) -> String {
        format!("bench-{}", self.operation)
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// [`BenchError::Failed`].
    pub fn json(&self) -> Result<serde_json::Value, BenchError> {
        serde_json::to_value(self).map_err(|error| BenchError::Failed(error.to_string()))
    }

    /// Failures and wrong results of our library, one line each.
    pub fn own_failures(&self) -> Vec<String> {
        let ours = self.cases.iter().filter_map(|case| {
            let result = case.results.first()?;
            let complaint = match (&result.outcome, &result.failure) {
                (_, Some(failure)) => failure.clone(),
                (Some(outcome), None) if !outcome.correct => {
                    format!("the result is wrong: error {:.1e}, bound {:.1e}", outcome.error, outcome.error_bound)
                }
                _ => return None,
            };
            Some(format!("{}: {complaint}", case.describe()))
        });
        ours.collect()
    }
}

/// A library that was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContenderFacts {
    /// Name in the run.
    pub name: String,
    /// Version that it reports, if any.
    pub version: Option<String>,
    /// Threads (or a device's compute units) that it uses, where known.
    pub threads: Option<usize>,
    /// The file that it was loaded from; null for what is built in.
    pub path: Option<PathBuf>,
    /// Memory of its operands.
    pub memory: MemoryChoice,
}

/// One case, and what every contender did on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaseReport {
    /// The element type: S, D, C or Z.
    #[serde(rename = "type")]
    pub kind: ScalarKind,
    /// The routine, such as `axpy`.
    pub routine: String,
    /// The variant of the routine: for gemm, `nt` is A B^T; empty where there is only one.
    pub variant: String,
    /// The sizes by name.
    #[serde(serialize_with = "as_map", deserialize_with = "from_map")]
    pub sizes: Vec<(Cow<'static, str>, usize)>,
    /// Transforms of a batch.
    pub batch: Option<usize>,
    /// The size of the case for plots: n when all sizes are equal, else their geometric mean.
    pub size: f64,
    /// Amount of the unit in one operation: real operations for GFLOP/s.
    pub work: f64,
    /// The least bytes that one operation reads and writes, where these are counted beside the unit's.
    pub traffic: Option<f64>,
    /// Rates that no contender goes beyond, in the report's unit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roofs: Vec<Roof>,
    /// One for each contender, in their order.
    pub results: Vec<ResultReport>,
}

/// A rate that memory or arithmetic does not go beyond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roof {
    /// Name of the limit.
    pub name: String,
    /// The rate, in the report's unit.
    pub rate: f64,
}

impl CaseReport {
    /// The case in a few words.
    pub fn describe(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(|(_, size)| size.to_string()).collect();
        format!("{} {}", self.title(), sizes.join("x"))
    }

    /// The routine with its type's letter, and the variant.
    pub fn title(&self) -> String {
        format!("{}{} {}", self.kind.letter(), self.routine, self.variant).trim_end().to_owned()
    }

    /// True if a contender, by its index, did the case, and right.
    pub fn is_right(&self, contender: usize) -> bool {
        let outcome = self.results.get(contender).and_then(|result| result.outcome.as_ref());
        outcome.is_some_and(|outcome| outcome.correct)
    }

    /// The sizes as a table shows them; those of a batch together, and how many there are.
    pub fn size_texts(&self) -> Vec<String> {
        let sizes = self.sizes.iter().map(|(_, size)| size.to_string());
        match self.batch {
            None => sizes.collect(),
            Some(count) => vec![sizes.collect::<Vec<_>>().join("x"), count.to_string()],
        }
    }

    /// Label that distinguishes cases of one type in a report on `operation`.
    pub fn label(&self, operation: &str) -> String {
        if self.routine == operation {
            return self.variant.clone();
        }
        format!("{} {}", self.routine, self.variant).trim_end().to_owned()
    }

    /// Records what the contenders did, in their order.
    pub fn record(&mut self, names: &[ContenderFacts], measured: Vec<Result<Measurement, BenchError>>) {
        let outcomes: Vec<_> =
            measured.into_iter().map(|result| result.map(|m| Outcome::of(m, self.work, self.traffic))).collect();
        let ours = outcomes.first().and_then(|result| result.as_ref().ok()).map(|outcome| outcome.rate);
        let results = names.iter().zip(outcomes).enumerate().map(|(index, (facts, result))| {
            let (outcome, failure) = match result {
                Ok(outcome) => (Some(outcome), None),
                Err(error) => (None, Some(error.to_string())),
            };
            let rate = outcome.as_ref().map(|outcome| outcome.rate).filter(|_| index > 0);
            let ratio = ours.zip(rate).map(|(ours, theirs)| ours / theirs);
            ResultReport { contender: facts.name.clone(), outcome, ratio, failure }
        });
        self.results = results.collect();
    }
}

/// Result of a contender on a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResultReport {
    /// Its name.
    pub contender: String,
    /// Measurements; absent after a failure.
    #[serde(flatten)]
    pub outcome: Option<Outcome>,
    /// Our rate divided by its rate; null for our own.
    pub ratio: Option<f64>,
    /// Why it could not be measured.
    pub failure: Option<String>,
}

/// Measurements of a contender on a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The median rate over the rounds.
    pub rate: f64,
    /// The slowest round's rate.
    pub rate_min: f64,
    /// The fastest round's rate.
    pub rate_max: f64,
    /// Bytes of the case's traffic in a second at the median rate, in GB/s.
    pub bandwidth: Option<f64>,
    /// The rate as a part of that of a copy in the same run, where a copy bounds the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_copy: Option<f64>,
    /// The median time of one operation.
    pub median_seconds: f64,
    /// The time of one operation in each round.
    pub round_seconds: Vec<f64>,
    /// Operations in each round.
    pub repetitions: u32,
    /// The time of the first call on this case.
    pub first_call_seconds: f64,
    /// The largest error found, relative to the operands' magnitude; null where the result is not finite.
    #[serde(deserialize_with = "number_or_null")]
    pub error: f64,
    /// The error analysis's bound on it.
    pub error_bound: f64,
    /// True if the error is within its bound.
    pub correct: bool,
}

impl Outcome {
    fn of(measured: Measurement, work: f64, traffic: Option<f64>) -> Self {
        let median = measured.median();
        let rate = |seconds: f64| work / seconds / 1e9;
        let extreme = |choose: fn(f64, f64) -> f64| measured.rounds.iter().copied().reduce(choose);
        Outcome {
            rate: rate(median),
            rate_min: extreme(f64::max).map_or(f64::NAN, rate),
            rate_max: extreme(f64::min).map_or(f64::NAN, rate),
            bandwidth: traffic.map(|bytes| bytes / median / 1e9),
            of_copy: measured.copy_rate.map(|copy| rate(median) / copy),
            median_seconds: median,
            round_seconds: measured.rounds,
            repetitions: measured.repetitions,
            first_call_seconds: measured.first_call,
            error: measured.accuracy.error,
            error_bound: measured.accuracy.bound,
            correct: measured.accuracy.holds(),
        }
    }
}

fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

fn as_map<S: Serializer>(sizes: &[(Cow<'static, str>, usize)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(sizes.iter().map(|(name, size)| (name, size)))
}

/// The sizes in the order of the text.
fn from_map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(Cow<'static, str>, usize)>, D::Error> {
    struct Sizes;
    impl<'de> Visitor<'de> for Sizes {
        type Value = Vec<(Cow<'static, str>, usize)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("sizes by name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut sizes = Vec::new();
            while let Some((name, size)) = map.next_entry::<String, usize>()? {
                sizes.push((name.into(), size));
            }
            Ok(sizes)
        }
    }
    deserializer.deserialize_map(Sizes)
}

/// JSON has no NaN: null is one.
fn number_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::contender::Accuracy;
    use super::*;
    use affinimath_testing::is_close;

    fn measurement(rounds: &[f64], error: f64) -> Measurement {
        let accuracy = Accuracy { error, bound: 1e-4 };
        Measurement { first_call: 0.5, repetitions: 3, rounds: rounds.to_vec(), accuracy, copy_rate: None }
    }

    fn facts(name: &str, version: Option<&str>, memory: MemoryChoice) -> ContenderFacts {
        ContenderFacts {
            name: name.to_owned(),
            version: version.map(str::to_owned),
            threads: Some(2),
            path: None,
            memory,
        }
    }

    /// A report with three contenders: ours, one that is wrong or fails at the second case, and a slow one.
    pub fn example() -> Report {
        let target = Target { device: None, memory: MemoryChoice::Host, automatic: false };
        let peers = vec![
            facts("openblas", Some("OpenBLAS 0.3.21"), MemoryChoice::Host),
            facts("slow", None, MemoryChoice::Device),
        ];
        let mut report = Report::new("gemm", "GFLOP/s", &target, peers);
        for (index, n) in [256, 512, 1024].into_iter().enumerate() {
            let work = 2.0 * (n as f64).powi(3);
            let mut case = CaseReport {
                kind: ScalarKind::S,
                routine: "gemm".to_owned(),
                variant: "nn".to_owned(),
                sizes: vec![("m".into(), n), ("n".into(), n), ("k".into(), n)],
                batch: None,
                size: n as f64,
                work,
                traffic: None,
                roofs: Vec::new(),
                results: Vec::new(),
            };
            let second = match index {
                0 => Ok(measurement(&[work / 5e10, work / 5e10], 1.0)),
                1 => Err(BenchError::Unfit("openblas: not here".to_owned())),
                _ => Ok(measurement(&[work / 8e10], 0.0)),
            };
            let ours = measurement(&[work / 1e11, work / 9e10, work / 1.1e11], 1e-7);
            case.record(&report.contenders, vec![Ok(ours), second, Ok(measurement(&[work / 2e9], 0.0))]);
            report.cases.push(case);
        }
        report
    }

    #[test]
    fn a_record_holds_median_extremes_ratio_and_failure() {
        let report = example();
        let [ours, second, slow] = &report.cases[0].results[..] else { panic!("three contenders") };
        let outcome = ours.outcome.as_ref().unwrap();
        let near = |value: f64, expected: f64| is_close(value / expected, 1.0, 1e-12);
        assert!(near(outcome.rate, 100.0) && near(outcome.rate_min, 90.0) && near(outcome.rate_max, 110.0));
        assert!(outcome.correct && ours.ratio.is_none());
        assert!(!second.outcome.as_ref().unwrap().correct && near(second.ratio.unwrap(), 2.0));
        assert!(near(slow.ratio.unwrap(), 50.0));
        assert_eq!(report.cases[1].results[1].failure.as_deref(), Some("openblas: not here"));
        assert!(report.own_failures().is_empty());
    }

    #[test]
    fn our_own_failures_are_told() {
        let mut report = example();
        let names = report.contenders[..1].to_vec();
        report.cases[0].record(&names, vec![Ok(measurement(&[1.0], f64::NAN))]);
        report.cases[1].record(&names, vec![Err(BenchError::Unfit("no fp64".to_owned()))]);
        let told = report.own_failures();
        assert_eq!(told.len(), 2);
        assert!(told[0].starts_with("Sgemm nn 256x256x256: the result is wrong"), "{}", told[0]);
        assert_eq!(told[1], "Sgemm nn 512x512x512: no fp64");
    }

    #[test]
    fn the_json_file_has_every_field_that_is_documented() {
        let json = example().json().unwrap();
        assert_eq!(json["schema"], "affinimath/bench-gemm/1");
        assert_eq!(json["contenders"][1]["version"], "OpenBLAS 0.3.21");
        let case = &json["cases"][0];
        assert_eq!((&case["type"], &case["routine"], &case["sizes"]["k"]), (&"S".into(), &"gemm".into(), &256.into()));
        assert_eq!(case["results"][0]["round_seconds"].as_array().unwrap().len(), 3);
        assert!(case["results"][0]["rate"].as_f64().unwrap() > 99.0);
        assert!(json["cases"][1]["results"][1]["rate"].is_null());
    }
}
