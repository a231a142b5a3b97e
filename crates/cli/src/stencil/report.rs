//! Facts about a stencil and its run, as text and as JSON.

use affinimath::Context;
use affinimath::stencil::analysis::{Analysis, Linearity};
use affinimath::stencil::definition::AXES;
use affinimath::stencil::{Bound, Outcome, Stencil, Strategy, Value, description};
use serde_json::json;

use super::check::Checked;

/// A number with its noun.
pub fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// A stencil's shape and work, for people.
pub fn facts(stencil: &Stencil) -> String {
    let facts = Analysis::new(stencil);
    let axes = counted(stencil.dimension(), "axis", "axes");
    let mut text = format!("{}: {axes}, {}\n", stencil.name(), counted(stencil.stages().len(), "stage", "stages"));
    let sizes = if facts.symbols.is_empty() { "none".to_owned() } else { facts.symbols.join(", ") };
    text += &format!("sizes: {sizes}\n");
    for (grid, facts) in stencil.grids().iter().zip(&facts.grids) {
        let reach = grid.axes.iter().map(|&axis| {
            let [below, above] = facts.radius[axis];
            format!("{} -{below} +{above}", AXES[axis])
        });
        let kind = if grid.constant { "constant " } else { "" };
        let components = if grid.components.is_empty() { String::new() } else { format!(" {:?}", grid.components) };
        let levels = counted(facts.levels, "level", "levels");
        let reach = reach.collect::<Vec<_>>().join(", ");
        text += &format!("grid {}{components}: {kind}{}, {levels}, reach {reach}\n", grid.name, grid.kind);
    }
    for parameter in stencil.parameters().iter().filter(|parameter| parameter.values.is_none()) {
        let axes = match parameter.ranges.len() {
            0 => String::new(),
            count => format!(", {}", counted(count, "index", "indices")),
        };
        text += &format!("parameter {}: {}{axes}\n", parameter.name, parameter.kind);
    }
    for result in stencil.results() {
        text += &format!("result {}: {}\n", result.name, result.kind);
    }
    let linearity = match facts.linearity {
        Linearity::Constant => "the new level does not depend on older ones",
        Linearity::Linear => "linear",
        Linearity::Affine => "affine",
        Linearity::Nonlinear => "nonlinear",
    };
    let coefficients = if facts.constant_coefficients { ", constant coefficients" } else { "" };
    text += &format!(
        "per point and step: {} flops, {} elements read, {} written, {} bytes at least\n{linearity}{coefficients}\n",
        facts.flops, facts.elements_read, facts.elements_written, facts.bytes
    );
    text
}

/// The end of a run.
pub struct Report<'a> {
    pub bound: &'a Bound,
    pub context: &'a Context,
    pub outcome: &'a Outcome,
    pub strategy: Strategy,
    pub seconds: f64,
    pub checked: Option<Checked>,
}

fn number(value: Value) -> serde_json::Value {
    match value {
        Value::Bool(value) => json!(value),
        Value::I32(value) => json!(value),
        Value::I64(value) => json!(value),
        Value::F32(_) | Value::F64(_) => match value.as_f64() {
            number if number.is_finite() => json!(number),
            number => json!(number.to_string()),
        },
    }
}

fn shown(value: Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::I32(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        Value::F32(value) => format!("{value:?}"),
        Value::F64(value) => format!("{value:?}"),
    }
}

impl Report<'_> {
    fn device(&self) -> String {
        self.context.device().map_or_else(|| "the host".to_owned(), |device| device.info().name.clone())
    }

    /// Points per second, and bytes per second that cross memory at least.
    fn rates(&self) -> [f64; 2] {
        let updates = self.bound.points() as f64 * self.outcome.steps as f64;
        [updates, updates * self.bound.facts().bytes as f64].map(|work| work / self.seconds.max(1e-12))
    }

    pub fn text(&self, with_rates: bool) -> String {
        let stencil = self.bound.stencil();
        let lengths: Vec<String> = self.bound.lengths().iter().map(usize::to_string).collect();
        let steps = counted(self.outcome.steps as usize, "step", "steps");
        let mut text = format!("{}: {} points, {steps} on {}", stencil.name(), lengths.join(" x "), self.device());
        if self.outcome.has_stopped {
            text += ", ended by its criterion";
        }
        text += &format!(", {:.3} s\n", self.seconds);
        if with_rates {
            let [points, bytes] = self.rates();
            text += &format!("{:.1} million points/s, {:.2} GB/s", points / 1e6, bytes / 1e9);
            text += &format!(", strategy {}\n", self.strategy);
        }
        for (result, value) in stencil.results().iter().zip(&self.outcome.results) {
            let value = value.map_or_else(|| "no step, no value".to_owned(), shown);
            text += &format!("{} = {value}\n", result.name);
        }
        if let Some(Checked { values, different, largest }) = self.checked {
            text += &match different {
                0 => format!("check: all {values} values are those of the reference\n"),
                _ => {
                    format!("check: {different} of {values} values differ from the reference, at most {largest:.1e}\n")
                }
            };
        }
        text
    }

    pub fn json(&self) -> serde_json::Value {
        let stencil = self.bound.stencil();
        let named = stencil.results().iter().zip(&self.outcome.results);
        let results: serde_json::Map<String, serde_json::Value> =
            named.map(|(result, value)| (result.name.clone(), value.map_or(json!(null), number))).collect();
        let [points, bytes] = self.rates();
        let facts: serde_json::Value = serde_json::from_str(&description(stencil)).unwrap_or_default();
        json!({
            "stencil": facts,
            "sizes": self.bound.sizes(),
            "points": self.bound.lengths(),
            "device": self.device(),
            "strategy": self.strategy.to_string(),
            "steps": self.outcome.steps,
            "stopped": self.outcome.has_stopped,
            "results": results,
            "seconds": self.seconds,
            "points_per_second": points,
            "bytes_per_second": bytes,
            "check": self.checked.map(|Checked { values, different, largest }| {
                json!({ "values": values, "different": different, "largest": largest })
            }),
        })
    }
}
