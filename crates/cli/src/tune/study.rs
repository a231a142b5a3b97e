//! Strategies compared on complete searches: the best of each after every count of measurements.

use std::path::{Path, PathBuf};

use affinimath_bench::json::JsonOption;
use affinimath_bench::{Failure, input};
use affinimath_tuner::exchange::Results;
use affinimath_tuner::search::{Budget, StrategyKind};
use affinimath_tuner::space::{Configuration, Space};
use affinimath_tuner::tuner::{Measurement, Tuner};

use serde_json::{Value, json};

use super::plot::{self, Curve, Panel};

/// Searches with different seeds over which results are averaged.
const SEEDS: u64 = 100;
/// Measurements at which the table looks.
const CHECKPOINTS: [usize; 4] = [10, 20, 40, 80];
/// Measurements that the plot shows.
const LONGEST: usize = 80;

/// A landscape: the time of each point of a space, infinity where it failed.
struct Landscape {
    title: String,
    space: Space,
    seconds: Vec<f64>,
}

impl Landscape {
    fn read(path: &Path) -> Result<Self, Failure> {
        let unfit = |reason: String| Failure::file("cannot study", path, reason);
        let text = input::text(path)?;
        let value = serde_json::from_str(&text).map_err(|error| unfit(error.to_string()))?;
        let results = Results::from_t4(&value).map_err(unfit)?;
        Self::new(&results).ok_or_else(|| unfit("it has no right result".to_owned()))
    }

    fn new(results: &Results) -> Option<Self> {
        let space = Space::of_configurations(results.trials.iter().map(|(configuration, _)| configuration));
        let mut seconds = vec![f64::INFINITY; space.len()];
        for (configuration, outcome) in &results.trials {
            if let Some(point) = space.find(configuration) {
                seconds[point] = seconds[point].min(outcome.score());
            }
        }
        let title = format!("{} on {}, {} points", results.subject, results.device, space.len());
        seconds.iter().any(|seconds| seconds.is_finite()).then_some(Landscape { title, space, seconds })
    }

    /// The recorded time of a point.
    fn measure(&self, point: &Configuration) -> Measurement {
        match self.space.find(point).map(|point| self.seconds[point]) {
            Some(seconds) if seconds.is_finite() => Measurement::Value(seconds),
            _ => Measurement::Crashed("the recording has no time".to_owned()),
        }
    }

    /// After each measurement, the mean over all seeds of the best speed so far as a part of the best there is.
    fn score(&self, kind: StrategyKind) -> Vec<f64> {
        let optimum = self.seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let length = LONGEST.min(self.space.len());
        let mut sums = vec![0.0; length];
        for seed in 0..SEEDS {
            let tuner = Tuner::new(&self.space).strategy(kind).seed(seed).budget(Budget::Evaluations(length));
            let runs = tuner.run(&mut |point: &Configuration| self.measure(point)).map(|found| found.runs);
            let mut runs = runs.unwrap_or_default().into_iter();
            let mut best = f64::INFINITY;
            for sum in &mut sums {
                best = runs.next().map_or(best, |(_, outcome)| best.min(outcome.score()));
                *sum += optimum / best;
            }
        }
        sums.into_iter().map(|sum| sum / SEEDS as f64).collect()
    }
}

/// Prints a table in Markdown, and draws the plot.
pub fn run(paths: &[PathBuf], plot: Option<&Path>, json: &JsonOption) -> Result<(), Failure> {
    let landscapes = paths.iter().map(|path| Landscape::read(path)).collect::<Result<Vec<_>, _>>()?;
    let mut panels = Vec::new();
    for landscape in &landscapes {
        let curve = |kind: StrategyKind| Curve { name: kind.to_string(), values: landscape.score(kind), result: None };
        let curves: Vec<Curve> = StrategyKind::ALL.into_iter().map(curve).collect();
        panels.push(Panel { title: landscape.title.clone(), curves });
    }
    json.give("tune-study", document(&panels), &table(&panels))?;
    plot.map_or(Ok(()), |path| plot::write(path, &panels))
}

/// The data of the plot's lines.
fn document(panels: &[Panel]) -> Value {
    let curves = |panel: &Panel| -> serde_json::Map<String, Value> {
        panel.curves.iter().map(|curve| (curve.name.clone(), json!(curve.values))).collect()
    };
    let studies = panels.iter().map(|panel| json!({ "search": panel.title, "scores": curves(panel) }));
    json!({ "seeds": SEEDS, "studies": studies.collect::<Vec<_>>() })
}

/// For each strategy and landscape, the score at the checkpoints in percent, and the mean of all.
fn table(panels: &[Panel]) -> String {
    let counts = |panel: &Panel| -> Vec<usize> {
        let length = panel.curves.first().map_or(0, |curve| curve.values.len());
        CHECKPOINTS.into_iter().filter(|count| *count <= length).collect()
    };
    let mut text = String::from("| strategy |");
    for panel in panels {
        let counts: Vec<String> = counts(panel).iter().map(usize::to_string).collect();
        text += &format!(" {}: after {} |", panel.title, counts.join(" / "));
    }
    text += " mean |\n|---|";
    text += &"---|".repeat(panels.len() + 1);
    text.push('\n');
    for (index, kind) in StrategyKind::ALL.into_iter().enumerate() {
        text += &format!("| {kind} |");
        let mut all = Vec::new();
        for panel in panels {
            let values: Vec<f64> =
                counts(panel).into_iter().map(|count| 100.0 * panel.curves[index].values[count - 1]).collect();
            let texts: Vec<String> = values.iter().map(|value| format!("{value:.1}")).collect();
            text += &format!(" {} |", texts.join(" / "));
            all.extend(values);
        }
        text += &format!(" {:.1} |\n", all.iter().sum::<f64>() / all.len().max(1) as f64);
    }
    text
}

#[cfg(test)]
mod tests {
    use affinimath::ScalarKind;
    use affinimath_tuner::exchange::{Invalidity, Outcome};
    use affinimath_tuner::tuned::{KernelFamily, ShapeClass, Subject};

    use super::*;

    fn landscape() -> Landscape {
        let trial = |x: usize, y: usize| {
            let seconds = (x != y).then_some(1.0 + (x * 3 + y) as f64);
            let invalidity = if seconds.is_some() { Invalidity::Correct } else { Invalidity::Compile };
            let outcome = Outcome { seconds, ..Outcome::failed(invalidity, "") };
            (Configuration::new([("x", x), ("y", y)]), outcome)
        };
        let results = Results {
            library: String::new(),
            device: "example".to_owned(),
            driver: String::new(),
            subject: Subject { family: KernelFamily::GemmPacked, kind: ScalarKind::S, class: ShapeClass::Large },
            default_seconds: 9.0,
            trials: (0..16).map(|index| trial(index / 4, index % 4)).collect(),
        };
        Landscape::new(&results).unwrap()
    }

    #[test]
    fn scores_rise_to_the_optimum() {
        let landscape = landscape();
        for kind in StrategyKind::ALL {
            let scores = landscape.score(kind);
            assert!(scores.is_sorted() && scores.iter().all(|score| (0.0..=1.0).contains(score)), "{kind}: {scores:?}");
        }
        assert_eq!(landscape.score(StrategyKind::Exhaustive)[15], 1.0);
    }

    #[test]
    fn the_table_has_a_line_for_each_strategy() {
        let curves = StrategyKind::ALL.map(|kind| Curve {
            name: kind.to_string(),
            values: landscape().score(kind),
            result: None,
        });
        let table = table(&[Panel { title: "example".to_owned(), curves: curves.to_vec() }]);
        assert_eq!(table.lines().count(), 2 + StrategyKind::ALL.len());
        assert!(table.starts_with("| strategy | example: after 10 | mean |"), "{table}");
    }
}
