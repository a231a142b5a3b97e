//! `affinimath tune crossovers --check`: the route `auto` against the host and the device, for every family and over
//! sizes.

use std::fmt::Write;

use affinimath::route::{self, ChosenDevice, DeviceChoice, Family, RouteChoice};
use affinimath::{Context, Device, Result, ScalarKind};
use serde_json::{Value, json};

use super::calls::{has_type, seconds};

/// A family's call of one size, in seconds.
struct Row {
    family: Family,
    kind: ScalarKind,
    n: usize,
    host: f64,
    device: f64,
    auto: f64,
    /// Seconds that the cost model predicts for host and device.
    expected: [f64; 2],
}

impl Row {
    /// The time of `auto` as a multiple of the better one's.
    fn ratio(&self) -> f64 {
        self.auto / self.host.min(self.device)
    }

    /// The time of the route that the model chooses, as a multiple of the better one's: without the noise of measuring
    /// it once more.
    fn regret(&self) -> f64 {
        let chosen = if self.goes_to_device() { self.device } else { self.host };
        chosen / self.host.min(self.device)
    }

    const fn goes_to_device(&self) -> bool {
        route::PAYS_BELOW * self.expected[0] > self.expected[1]
    }
}

/// Measures, from sizes `sizes` on; a size that would take longer than `limit` seconds, by what its half took, is left
/// out. Afterwards the route is `auto` with the device.
///
/// # Errors
/// What the device reports, and as [`route::configure`].
pub fn check(chosen: &ChosenDevice, kinds: &[ScalarKind], sizes: &[usize], limit: f64) -> Result<Check> {
    let device = &Device::all()?[chosen.index];
    let host = Context::host();
    let model = chosen.model();
    let mut rows = Vec::new();
    let device_choice = DeviceChoice::Index(chosen.index);
    for &kind in kinds {
        for family in Family::ALL.into_iter().filter(|family| has_type(*family, kind)) {
            let mut last: Option<f64> = None;
            for &n in sizes {
                // Eight times the work, and three calls of each of three kinds.
                if last.is_some_and(|slowest| slowest * 8.0 > limit) || !fits(device, family, kind, n) {
                    break;
                }
                let timed = |route: RouteChoice| {
                    let device = if route == RouteChoice::Host { &DeviceChoice::Host } else { &device_choice };
                    route::configure(route, device)?;
                    seconds(&host, family, kind, n)
                };
                let (on_host, on_device) = (timed(RouteChoice::Host)?, timed(RouteChoice::Device)?);
                let auto = timed(RouteChoice::Auto)?;
                let expected = model.seconds(&family.work(kind, n as u64));
                rows.push(Row { family, kind, n, host: on_host, device: on_device, auto, expected });
                last = Some(on_host.max(on_device).max(auto));
            }
        }
    }
    route::configure(RouteChoice::Auto, &device_choice)?;
    Ok(Check { device: device.info().name.clone(), rows })
}

/// True if the operands take at most a quarter of the device's memory.
fn fits(device: &Device, family: Family, kind: ScalarKind, n: usize) -> bool {
    let work = family.work(kind, n as u64);
    work.bytes_to.saturating_add(work.bytes_from) <= device.info().global_memory_bytes / 4
}

pub struct Check {
    device: String,
    rows: Vec<Row>,
}

impl Check {
    /// A line for each call, and the worst ratios.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}; times in microseconds\n{:<15}{:>3}{:>6}{:>12}{:>12}{:>12}{:>12}{:>12}  {:<7}{:>6}\n",
            self.device, "", "", "n", "host", "expected", "device", "expected", "auto", "route", "ratio"
        );
        for row in &self.rows {
            let times = [row.host, row.expected[0], row.device, row.expected[1], row.auto].map(|seconds| 1e6 * seconds);
            let (name, letter, route) =
                (row.family.routine(), row.kind.letter(), if row.goes_to_device() { "device" } else { "host" });
            write!(text, "{name:<15}{letter:>3}{:>6}", row.n).expect("a String takes every write");
            times.iter().for_each(|time| write!(text, "{time:>12.1}").expect("a String takes every write"));
            let mark = if row.ratio() > ACCEPTED { " *" } else { "" };
            writeln!(text, "  {route:<7}{:>6.2}{mark}", row.ratio()).expect("a String takes every write");
        }
        let worst = |ratio: fn(&Row) -> f64| self.rows.iter().map(ratio).fold(0.0, f64::max);
        let over = self.rows.iter().filter(|row| row.ratio() > ACCEPTED).count();
        writeln!(
            text,
            "auto takes at most {:.2} times the better one's time, by the routes chosen {:.2}; over {ACCEPTED}: {over} \
             of {} calls",
            worst(Row::ratio),
            worst(Row::regret),
            self.rows.len()
        )
        .expect("a String takes every write");
        text
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            json!({
                "family": row.family, "routine": row.family.routine(), "kind": row.kind, "n": row.n,
                "host": row.host, "device": row.device, "auto": row.auto,
                "expected_host": row.expected[0], "expected_device": row.expected[1], "ratio": row.ratio(),
            })
        });
        json!({ "device": self.device, "calls": rows.collect::<Vec<_>>() })
    }
}

/// The largest ratio that counts as a good decision.
const ACCEPTED: f64 = 1.2;
