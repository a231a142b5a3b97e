//! Results of searches: a line for each, and the plot.

use std::path::{Path, PathBuf};

use affinimath::DeviceInfo;
use affinimath_bench::Failure;
use affinimath_bench::json::JsonOption;
use affinimath_bench::stdout::print;
use affinimath_tuner::exchange::Invalidity;
use affinimath_tuner::tuned::{Record, Subject};
use serde_json::{Value, json};

use super::plot::{self, Curve};
use super::search::{Found, Settings};

/// One search as it is shown: the data of the text, the JSON and the plot.
struct Row {
    subject: Subject,
    /// Points of the space.
    points: usize,
    /// Points that were measured, the default parameters among them; failures of these; and those measured in this run.
    evaluations: usize,
    failed: usize,
    measured_now: usize,
    /// The speed of the best so far after each measurement, the default parameters' being 1; each is measured by
    /// itself.
    curve: Curve,
    /// The same of the fastest ones, in rounds with the default parameters: the result.
    gain: f64,
    record: Option<Record>,
    file: Option<PathBuf>,
}

impl Row {
    fn of(found: &Found, file: Option<PathBuf>) -> Self {
        let trials = &found.results.trials;
        let failed = trials.iter().filter(|(_, outcome)| outcome.invalidity != Invalidity::Correct).count();
        let subject = found.results.subject;
        let mut curve = Curve::of_search(subject.to_string(), &found.results);
        curve.result = Some(found.gain);
        Row {
            subject,
            points: found.space.len(),
            evaluations: trials.len(),
            failed,
            measured_now: found.measured,
            curve,
            gain: found.gain,
            record: found.record.clone(),
            file,
        }
    }

    fn json(&self) -> Value {
        json!({
            "subject": self.subject,
            "points": self.points,
            "evaluations": self.evaluations,
            "measured_now": self.measured_now,
            "failed": self.failed,
            "best_so_far": self.curve.values,
            "gain": self.gain,
            "record": self.record,
            "file": self.file,
        })
    }

    fn text(&self) -> String {
        let Row { subject, points, evaluations, failed, gain, .. } = self;
        let mut text =
            format!("{subject}: {evaluations} of {points} points measured, {failed} of them wrong or failing\n");
        if let Some(best) = self.curve.values.last() {
            text +=
                &format!("  {best:.2} times the default parameters' speed by single measurements (the plot's line)\n");
        }
        match &self.record {
            None => {
                text +=
                    &format!("  {gain:.2} times in rounds of both (the plot's dashes): the default parameters stay\n");
            }
            Some(record) => {
                text += &format!(
                    "  {gain:.2} times in rounds of both (the plot's dashes): {:.3} ms, not {:.3} ms\n  {}\n",
                    record.seconds * 1e3,
                    record.default_seconds * 1e3,
                    record.configuration
                );
                text +=
                    &self.file.as_ref().map_or_else(String::new, |file| format!("  recorded in {}\n", file.display()));
            }
        }
        text
    }
}

/// The searches so far.
pub struct Report<'a> {
    device: String,
    json: &'a JsonOption,
    rows: Vec<Row>,
}

impl<'a> Report<'a> {
    pub fn new(device_info: &DeviceInfo, json: &'a JsonOption) -> Self {
        Report { device: device_info.name.clone(), json, rows: Vec::new() }
    }

    /// A search, and the file of its result.
    pub fn add(&mut self, found: &Found, file: Option<PathBuf>) -> Result<(), Failure> {
        let row = Row::of(found, file);
        if !self.json.replaces_text() {
            print(&row.text())?;
        }
        self.rows.push(row);
        Ok(())
    }

    /// The end: JSON, and the plot, if they are wanted.
    pub fn finish(self, settings: &Settings, plot: Option<&Path>) -> Result<(), Failure> {
        let searches: Vec<Value> = self.rows.iter().map(Row::json).collect();
        let (strategy, seed) = (settings.strategy.name(), settings.seed);
        let report = json!({ "device": self.device, "strategy": strategy, "seed": seed, "searches": searches });
        self.json.document("tune", report)?;
        let Some(path) = plot else { return Ok(()) };
        let title = format!("Speed on {}, the default parameters' being 1", self.device);
        plot::write(path, &[plot::Panel { title, curves: self.rows.into_iter().map(|row| row.curve).collect() }])
    }
}

#[cfg(test)]
mod tests {
    use affinimath::ScalarKind;
    use affinimath_tuner::exchange::{Outcome, Results};
    use affinimath_tuner::space::{Configuration, Space};
    use affinimath_tuner::tuned::{KernelFamily, ShapeClass};

    use super::*;

    #[test]
    fn text_json_and_plot_have_the_same_numbers() {
        let subject = Subject { family: KernelFamily::GemmPacked, kind: ScalarKind::S, class: ShapeClass::Large };
        let trial = |x: usize, seconds: Option<f64>| {
            let invalidity = if seconds.is_some() { Invalidity::Correct } else { Invalidity::Compile };
            (Configuration::new([("x", x)]), Outcome { seconds, ..Outcome::failed(invalidity, "") })
        };
        let trials = vec![trial(0, Some(3.0)), trial(1, None), trial(2, Some(2.0)), trial(3, Some(4.0))];
        let space = Space::of_configurations(trials.iter().map(|(configuration, _)| configuration));
        let results = Results {
            library: String::new(),
            device: "example".to_owned(),
            driver: String::new(),
            subject,
            default_seconds: 3.0,
            trials,
        };
        let row = Row::of(&Found { space, results, record: None, measured: 4, gain: 1.01 }, None);
        let (text, json) = (row.text(), row.json());
        assert_eq!(json["best_so_far"], json!([1.0, 1.0, 1.5, 1.5]));
        assert_eq!((&json["evaluations"], &json["failed"], &json["gain"]), (&4.into(), &1.into(), &json!(1.01)));
        for told in ["4 of 4 points measured, 1 of them", "1.50 times", "1.01 times", "parameters stay"] {
            assert!(text.contains(told), "{told}: {text}");
        }
        // The plot has as many points as the text has measurements, ends at its best, and shows the result.
        assert_eq!(row.curve.values.len(), row.evaluations);
        assert_eq!((row.curve.values.last(), row.curve.result), (Some(&1.5), Some(1.01)));
    }
}
