//! The result of `tune exec`: a table, JSON and a plot.

use std::fmt::Write;
use std::path::Path;

use affinimath_bench::Failure;
use affinimath_tuner::exchange::{Invalidity, Outcome};
use affinimath_tuner::space::{Configuration, Space, Value};
use affinimath_tuner::tuner::Found;
use serde_json::json;

use super::Arguments;
use super::ranges::Template;
use crate::tune::plot;

/// Candidates in the table, and lines of the best one's output.
const ROWS: usize = 10;
const LINES: usize = 12;

/// Kinds of failures, and their names in the text.
pub const FAILURES: [(Invalidity, &str); 3] = [
    (Invalidity::Correctness, "wrong"),
    (Invalidity::Runtime, "crashed"),
    (Invalidity::Timeout, "over the time limit"),
];

/// A search that has ended.
pub struct Report<'a> {
    pub arguments: &'a Arguments,
    pub template: &'a Template,
    pub space: &'a Space,
    pub found: &'a Found,
    /// The standard output of the best run, if it was made now.
    pub output: Option<&'a str>,
}

impl Report<'_> {
    /// Prints the text or JSON, and draws the plot.
    pub fn give(&self, plot: Option<&Path>) -> Result<(), Failure> {
        self.arguments.json.give("tune-exec", self.json(), &self.text())?;
        if let Some(path) = plot {
            let title = format!("{}: the best so far, the first candidate's being 1", self.arguments.program);
            plot::best_so_far(path, title, self.speeds())?;
        }
        match &self.found.best {
            Some(_) => Ok(()),
            None => Err(Failure(format!("no candidate of {} works", self.arguments.program))),
        }
    }

    /// The command line of a candidate, as a shell takes it.
    fn command(&self, point: &Configuration) -> String {
        let words = [vec![self.arguments.program.clone()], self.template.fill(point)].concat();
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    fn is_better(&self, a: f64, b: f64) -> bool {
        if self.arguments.maximize { a > b } else { a < b }
    }

    /// After each run, the best value so far; `None` before the first that works.
    fn best_so_far(&self) -> Vec<Option<f64>> {
        let mut best: Option<f64> = None;
        let runs = self.found.runs.iter().map(|(_, outcome)| {
            if let Some(value) = outcome.seconds
                && best.is_none_or(|best| self.is_better(value, best))
            {
                best = Some(value);
            }
            best
        });
        runs.collect()
    }

    /// The same as multiples of the first candidate's speed.
    fn speeds(&self) -> Vec<f64> {
        let best = self.best_so_far();
        let first = best.iter().flatten().next().copied().unwrap_or(1.0);
        let speed = |value: f64| if self.arguments.maximize { value / first } else { first / value };
        best.into_iter().map(|value| value.map_or(0.0, speed)).collect()
    }

    /// The candidates that work, the best first.
    fn ranking(&self) -> Vec<(&Configuration, f64)> {
        let runs = self.found.runs.iter();
        let mut right: Vec<_> = runs.filter_map(|(point, outcome)| Some((point, outcome.seconds?))).collect();
        // A better one of an earlier search, which the file of runs has.
        if let Some((best, value)) = &self.found.best
            && !right.iter().any(|(point, _)| *point == best)
        {
            right.push((best, *value));
        }
        let order = |a: f64, b: f64| if self.arguments.maximize { b.total_cmp(&a) } else { a.total_cmp(&b) };
        right.sort_by(|a, b| order(a.1, b.1));
        right
    }

    fn text(&self) -> String {
        let Found { runs, measured, .. } = self.found;
        let points = match self.space.known_len() {
            Some(points) => format!("{points} points"),
            None => format!("{} combinations", self.space.combinations()),
        };
        let mut text = format!("{}: {} of {points} run, {measured} of them now\n", self.arguments.program, runs.len());
        for (kind, name) in FAILURES {
            let mut failed = runs.iter().filter(|(_, outcome)| outcome.invalidity == kind);
            if let Some((point, outcome)) = failed.next() {
                let (count, why) = (1 + failed.count(), outcome.message.as_deref().unwrap_or(name));
                text += &format!("{count} {name}, the first: {}: {why}\n", self.command(point));
            }
        }
        text += &self.table();
        if let Some((best, _)) = &self.found.best {
            text += &format!("best: {}\n", self.command(best));
        }
        if let Some(output) = self.output.filter(|output| output.lines().count() > 1) {
            let lines: Vec<&str> = output.trim_end().lines().collect();
            text += "output of the best run:\n";
            lines[lines.len().saturating_sub(LINES)..].iter().for_each(|line| text += &format!("  {line}\n"));
        }
        text
    }

    /// The best candidates with their values, and ratios to the best one.
    fn table(&self) -> String {
        let ranking = self.ranking();
        let Some((_, best)) = ranking.first().copied() else { return String::new() };
        let names: Vec<&str> = self.template.parameters().map(|(name, _)| name).collect();
        let cell = |point: &Configuration, name: &str| point.value(name).map(Value::to_string).unwrap_or_default();
        let shown = &ranking[..ranking.len().min(ROWS)];
        let width = |name: &&str| {
            let cells = shown.iter().map(|(point, _)| cell(point, name).chars().count());
            cells.max().unwrap_or(0).max(name.chars().count()) + 2
        };
        let widths: Vec<usize> = names.iter().map(width).collect();
        let mut text = String::new();
        for (name, width) in names.iter().zip(&widths) {
            write!(text, "{name:>width$}").expect("a String takes every write");
        }
        text += &format!("{:>14}{:>8}\n", if self.arguments.maximize { "rate" } else { "time" }, "ratio");
        for (point, value) in shown {
            for (name, width) in names.iter().zip(&widths) {
                write!(text, "{:>width$}", cell(point, name)).expect("a String takes every write");
            }
            writeln!(text, "{:>14}{:>8.3}", significant(*value), value / best).expect("a String takes every write");
        }
        text
    }

    fn json(&self) -> serde_json::Value {
        let run = |(point, outcome): &(Configuration, Outcome)| {
            json!({
                "configuration": point, "value": outcome.seconds, "invalidity": outcome.invalidity,
                "message": outcome.message,
            })
        };
        let best = self.found.best.as_ref().map(|(point, value)| {
            let command = [vec![self.arguments.program.clone()], self.template.fill(point)].concat();
            json!({ "configuration": point, "value": value, "command": command })
        });
        let failed = self.found.runs.iter().filter(|(_, outcome)| outcome.seconds.is_none()).count();
        json!({
            "program": self.arguments.program,
            "arguments": self.arguments.ranges,
            "constraints": self.arguments.constraints,
            "strategy": self.arguments.strategy.name(),
            "seed": self.arguments.seed,
            "combinations": self.space.combinations(),
            "points": self.space.known_len(),
            "best": best,
            "evaluations": self.found.runs.len(),
            "measured_now": self.found.measured,
            "failed": failed,
            "best_so_far": self.best_so_far(),
            "runs": self.found.runs.iter().map(run).collect::<Vec<_>>(),
        })
    }
}

/// Five significant digits.
fn significant(value: f64) -> String {
    if (1e-3..1e6).contains(&value) {
        let digits = (4 - value.log10().floor() as i32).max(0) as usize;
        return format!("{value:.digits$}");
    }
    format!("{value:.4e}")
}

/// A word in the quotes that a shell needs.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=+./:,@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_five_digits_and_words_the_quotes_of_a_shell() {
        for (value, text) in [(1.5e-4, "1.5000e-4"), (0.0123456, "0.012346"), (1234.5678, "1234.6"), (2e7, "2.0000e7")]
        {
            assert_eq!(significant(value), text);
        }
        for (word, text) in [("--tile=4", "--tile=4"), ("a b", "'a b'"), ("", "''"), ("it's", "'it'\\''s'")] {
            assert_eq!(quoted(word), text);
        }
    }
}
