//! What searches found: a line for each, and the plot.

use std::path::{Path, PathBuf};

use affinimath::DeviceFacts;
use affinimath::tuning::exchange::Invalidity;
use serde_json::{Value, json};

use super::plot::{self, Curve};
use super::search::{Found, Settings};
use crate::failure::Failure;
use crate::print;

/// The lines so far.
pub struct Report {
    device: String,
    as_json: bool,
    rows: Vec<Value>,
    curves: Vec<Curve>,
}

impl Report {
    pub fn new(facts: &DeviceFacts, as_json: bool) -> Self {
        Report { device: facts.name.clone(), as_json, rows: Vec::new(), curves: Vec::new() }
    }

    /// A search, and the file in which its result is kept.
    pub fn add(&mut self, found: &Found, file: Option<PathBuf>) -> Result<(), Failure> {
        let subject = found.results.subject;
        let trials = &found.results.trials;
        let failed = trials.iter().filter(|(_, outcome)| outcome.invalidity != Invalidity::Correct).count();
        self.curves.push(Curve::of_search(subject.to_string(), &found.results));
        if self.as_json {
            self.rows.push(json!({
                "subject": subject,
                "points": found.space.len(),
                "evaluations": trials.len(),
                "measured_now": found.measured,
                "failed": failed,
                "gain": found.gain,
                "record": found.record,
                "file": file,
            }));
            return Ok(());
        }
        let mut text = format!(
            "{subject}: {} of {} points measured, {failed} of them wrong or failing\n",
            trials.len(),
            found.space.len()
        );
        match (&found.record, file) {
            (None, _) => text += "  the default parameters are as fast as any: nothing is kept\n",
            (Some(record), file) => {
                text += &format!(
                    "  {:.2} times as fast as by default: {:.3} ms, not {:.3} ms\n  {}\n",
                    record.gain(),
                    record.seconds * 1e3,
                    record.default_seconds * 1e3,
                    record.configuration
                );
                text += &file.map_or_else(String::new, |file| format!("  kept in {}\n", file.display()));
            }
        }
        print(&text)
    }

    /// The end: JSON, and the plot, if they are wanted.
    pub fn finish(self, settings: &Settings, plot: Option<&Path>) -> Result<(), Failure> {
        if self.as_json {
            let seed = settings.seed;
            let report = json!({ "device": self.device, "strategy": settings.strategy.name(), "seed": seed, "searches": self.rows });
            print(&format!("{report:#}\n"))?;
        }
        match plot {
            Some(path) => {
                let title = format!("Speed against the default parameters' on {}", self.device);
                plot::write(path, &[plot::Panel { title, curves: self.curves }])
            }
            None => Ok(()),
        }
    }
}
