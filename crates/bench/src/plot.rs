//! The plot: rates against the size, a panel for each element type and variant, a line for each contender.

use std::collections::BTreeSet;
use std::error::Error;
use std::ops::Range;
use std::path::Path;

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::{Deserialize, Serialize};

use super::error::BenchError;
use super::report::{CaseReport, Outcome, Report, Roof};
use crate::drawing::{Area, COLOURS, Drawn, Heading, TEXT, decimal_ticks, line_style, marker};

/// The size of a panel, for so many panels at most in a row.
struct Grid {
    columns: usize,
    panel: (i32, i32),
}

impl Grid {
    /// Number of columns such that the plots of one routine share a row.
    fn columns_for(&self, report: &Report) -> usize {
        let kinds: BTreeSet<_> = report.cases.iter().map(|case| case.kind).collect();
        self.columns / kinds.len().clamp(1, self.columns) * kinds.len().clamp(1, self.columns)
    }
}

const LARGE: Grid = Grid { columns: 2, panel: (560, 380) };
const SMALL: Grid = Grid { columns: 4, panel: (350, 270) };

/// Panels that are drawn large.
const FEW: usize = 6;

const MIN_WIDTH: i32 = 720;

/// The axis of the rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rates {
    /// From zero.
    Linear,
    /// For rates that differ in their powers of ten.
    Logarithmic,
}

/// Draws the report into an SVG file.
///
/// # Errors
/// [`BenchError::Write`].
pub fn write(report: &Report, rates: Rates, path: &Path) -> Result<(), BenchError> {
    let failed = |reason: String| BenchError::Write { path: path.to_owned(), reason };
    let svg = draw(report, rates, &[]).map_err(failed)?;
    std::fs::write(path, svg).map_err(|error| failed(error.to_string()))
}

/// True if a roof is close enough to the rates to share their axis.
fn is_near(roof: &Roof, measured: &Range<f64>, rates: Rates) -> bool {
    let factor = if rates == Rates::Linear { 2.5 } else { 30.0 };
    roof.rate <= measured.end * factor && roof.rate * factor >= measured.start
}

/// The report as SVG, or why it cannot be drawn. Roofs are lines in every panel, beside those of its cases.
pub fn draw(report: &Report, rates: Rates, limits: &[Roof]) -> Result<String, String> {
    draw_panels(report, rates, limits).map_err(|error| error.to_string())
}

fn draw_panels(report: &Report, rates: Rates, limits: &[Roof]) -> Result<String, Box<dyn Error>> {
    let panels = panels(report);
    let grid = if panels.len() <= FEW { LARGE } else { SMALL };
    let columns = grid.columns_for(report).min(panels.len()).max(1);
    let rows = panels.len().div_ceil(columns).max(1);
    let width = MIN_WIDTH.max(columns as i32 * grid.panel.0);
    let heading = heading(report, width);
    let height = heading.height + rows as i32 * grid.panel.1;
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (width as u32, height as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        heading.draw(&root)?;
        let (_, below) = root.split_vertically(heading.height);
        for (panel, area) in panels.iter().zip(below.split_evenly((rows, columns))) {
            panel.draw(&area, report, rates, limits)?;
        }
        root.present()?;
    }
    Ok(svg)
}

/// Operation, target and contenders.
fn heading(report: &Report, width: i32) -> Heading {
    let memory = match report.memory {
        super::target::MemoryChoice::Host => "host's",
        super::target::MemoryChoice::Device => "device's",
    };
    let title = format!("{} in {}, operands in the {memory} memory", report.operation, report.unit);
    let facts = format!("affinimath {} on {}", report.affinimath, report.target);
    Heading::new(title, &facts, report.contenders.iter().map(|contender| contender.name.as_str()), width)
}

/// The cases of one element type and variant.
struct Panel<'a> {
    title: String,
    cases: Vec<&'a CaseReport>,
}

/// The panels, those of one routine and variant side by side.
fn panels(report: &Report) -> Vec<Panel<'_>> {
    let mut panels: Vec<Panel<'_>> = Vec::new();
    for case in &report.cases {
        let title = case.title();
        match panels.iter_mut().find(|panel| panel.title == title) {
            Some(panel) => panel.cases.push(case),
            None => panels.push(Panel { title, cases: vec![case] }),
        }
    }
    // A routine may have another name for complex types: its place among those of its type is the same.
    let kinds: Vec<_> = panels.iter().map(|panel| panel.cases[0].kind).collect();
    let mut placed: Vec<_> = panels.into_iter().enumerate().collect();
    placed.sort_by_key(|(index, _)| kinds[..*index].iter().filter(|kind| **kind == kinds[*index]).count());
    placed.into_iter().map(|(_, panel)| panel).collect()
}

impl Panel<'_> {
    fn draw(&self, area: &Area<'_>, report: &Report, rates: Rates, limits: &[Roof]) -> Drawn {
        let measured = self.rates();
        let own = self.roofs();
        let limits: Vec<&Roof> = limits.iter().chain(&own).filter(|roof| is_near(roof, &measured, rates)).collect();
        let highest = limits.iter().fold(measured.end, |highest, limit| highest.max(limit.rate));
        let lowest = limits.iter().fold(measured.start, |lowest, limit| lowest.min(limit.rate));
        match rates {
            Rates::Linear => self.draw_on(area, report, 0.0..highest * 1.08, &limits),
            Rates::Logarithmic => {
                let range = lowest / 1.3..highest * 1.3;
                let ticks = decimal_ticks(&range);
                self.draw_on(area, report, range.log_scale().with_key_points(ticks), &limits)
            }
        }
    }

    fn draw_on<V>(&self, area: &Area<'_>, report: &Report, vertical: V, limits: &[&Roof]) -> Drawn
    where
        V: AsRangedCoord<Value = f64>,
        V::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let sizes = self.sizes();
        let (first, last) = (sizes.start, sizes.end);
        let ticks = ticks(&sizes);
        let horizontal = sizes.log_scale().base(2.0).with_key_points(ticks);
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(24)
            .caption(&self.title, ("sans-serif", 16))
            .x_label_area_size(46)
            .y_label_area_size(66)
            .build_cartesian_2d(horizontal, vertical)?;
        let equal = self.cases.iter().all(|case| case.sizes.iter().all(|(_, size)| *size == case.sizes[0].1));
        let names: String = self.cases[0].sizes.iter().map(|(name, _)| name.as_ref()).collect::<Vec<_>>().join(" = ");
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.12))
            .axis_desc_style(("sans-serif", TEXT))
            .label_style(("sans-serif", 12))
            .x_desc(match &self.cases[0].sizes[0] {
                _ if equal => names,
                (name, _) if self.cases.iter().all(|case| case.sizes[0].1 as f64 == case.size) => name.to_string(),
                _ => "geometric mean of the sizes".to_owned(),
            })
            .y_desc(report.unit.as_str())
            .y_labels(6)
            .x_label_formatter(&|size| size_label(*size))
            .y_label_formatter(&|rate| tick_label(*rate))
            .draw()?;
        for (number, limit) in limits.iter().enumerate() {
            let ends = [(first, limit.rate), (last, limit.rate)];
            chart.draw_series(DashedLineSeries::new(ends, 6, 5, BLACK.mix(0.55).stroke_width(1)))?;
            // Names at either end: two limits may be near each other.
            let (end, side) = if number % 2 == 0 { (first, HPos::Left) } else { (last, HPos::Right) };
            let style = ("sans-serif", 11).into_font().color(&BLACK.mix(0.7)).pos(Pos::new(side, VPos::Bottom));
            chart.draw_series([Text::new(limit.name.clone(), (end, limit.rate), style)])?;
        }
        // Ours is drawn last, over the others.
        for index in (0..report.contenders.len()).rev() {
            let points = self.points(index);
            let colour = COLOURS[index % COLOURS.len()];
            let extent = |(size, o): &(f64, &Outcome)| vec![(*size, o.rate_min), (*size, o.rate_max)];
            chart.draw_series(
                points.iter().map(|point| PathElement::new(extent(point), colour.mix(0.35).stroke_width(2))),
            )?;
            chart.draw_series(LineSeries::new(points.iter().map(|(size, o)| (*size, o.rate)), line_style(index)))?;
            chart.draw_series(
                points.iter().map(|(size, o)| EmptyElement::at((*size, o.rate)) + marker(index, (0, 0))),
            )?;
        }
        Ok(())
    }

    /// A contender's points, by size.
    fn points(&self, contender: usize) -> Vec<(f64, &Outcome)> {
        let mut points: Vec<(f64, &Outcome)> = Vec::new();
        for case in &self.cases {
            let outcome = case.results.get(contender).and_then(|result| result.outcome.as_ref());
            points.extend(outcome.map(|outcome| (case.size, outcome)));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }

    fn sizes(&self) -> Range<f64> {
        let sizes = self.cases.iter().map(|case| case.size);
        let (min, max) = sizes.fold((f64::INFINITY, 0.0_f64), |(l, m), size| (l.min(size), m.max(size)));
        // A margin around the outermost points, and an axis also where there is one size only.
        let room = if max < min * 1.5 { 1.5 } else { 1.1 };
        min / room..max * room
    }

    /// The roofs of all cases: the highest one of each name.
    fn roofs(&self) -> Vec<Roof> {
        let mut roofs: Vec<Roof> = Vec::new();
        for roof in self.cases.iter().flat_map(|case| &case.roofs) {
            match roofs.iter_mut().find(|known| known.name == roof.name) {
                Some(known) => known.rate = known.rate.max(roof.rate),
                None => roofs.push(roof.clone()),
            }
        }
        roofs
    }

    /// The lowest and the highest rate.
    fn rates(&self) -> Range<f64> {
        let outcomes = self.cases.iter().flat_map(|case| &case.results).filter_map(|result| result.outcome.as_ref());
        let extremes =
            |(low, high): (f64, f64), outcome: &Outcome| (low.min(outcome.rate_min), high.max(outcome.rate_max));
        let (lowest, highest) = outcomes.fold((f64::INFINITY, 0.0), extremes);
        // An axis also where nothing could be measured.
        if highest > 0.0 { lowest..highest } else { 1.0..1.0 }
    }
}

/// Powers of two, or round numbers where there are too few of them.
fn ticks(range: &Range<f64>) -> Vec<f64> {
    let powers: Vec<f64> = (0..62).map(|power| 2.0_f64.powi(power)).filter(|size| range.contains(size)).collect();
    if powers.len() >= 2 {
        let every = powers.len().div_ceil(9);
        return powers.into_iter().step_by(every).collect();
    }
    let step = 10.0_f64.powf((range.end - range.start).log10().floor()).max(1.0);
    let first = (range.start / step).ceil() as u64;
    (first..first + 20).map(|tick| tick as f64 * step).take_while(|size| range.contains(size)).collect()
}

/// A size; from 16384 on, a round one in units of 2^10 and 2^20.
fn size_label(size: f64) -> String {
    let units = [(2.0_f64.powi(30), "Gi"), (2.0_f64.powi(20), "Mi"), (2.0_f64.powi(10), "Ki")];
    let round = units.iter().find(|(unit, _)| size >= 16384.0 && (size / unit).fract() == 0.0);
    round.map_or_else(|| format!("{size:.0}"), |(unit, letters)| format!("{:.0}{letters}", size / unit))
}

/// A decimal number without trailing zeros.
fn tick_label(rate: f64) -> String {
    if rate == rate.trunc() { format!("{rate:.0}") } else { format!("{rate:.3}").trim_end_matches('0').to_owned() }
}

#[cfg(test)]
mod tests {
    use affinimath::ScalarKind;

    use super::super::report::tests::example;
    use super::*;

    #[test]
    fn a_plot_names_everybody_and_has_a_panel_for_each_type() {
        let mut report = example();
        let mut doubles = report.cases.clone();
        doubles.iter_mut().for_each(|case| case.kind = ScalarKind::D);
        report.cases.extend(doubles);
        let svg = draw(&report, Rates::Linear, &[]).unwrap();
        for text in ["affinimath", "openblas", "slow", "Sgemm nn", "Dgemm nn", "m = n = k", "GFLOP/s", "512", "1024"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn one_size_unequal_sizes_and_failures_are_drawn_too() {
        let mut report = example();
        report.cases.truncate(1);
        report.cases[0].sizes[0].1 = 7;
        report.cases[0].results[1].outcome = None;
        assert!(draw(&report, Rates::Linear, &[]).unwrap().contains("geometric mean of the sizes"));
        report.cases[0].results.iter_mut().for_each(|result| result.outcome = None);
        assert!(draw(&report, Rates::Linear, &[]).unwrap().contains("Sgemm nn"));
        report.cases.clear();
        assert!(draw(&report, Rates::Linear, &[]).is_ok());
    }

    #[test]
    fn limits_are_lines_where_they_leave_room_for_the_others() {
        let limit = |name: &str, rate: f64| Roof { name: name.to_owned(), rate };
        // The example's rates go up to 110.
        let svg = draw(&example(), Rates::Linear, &[limit("a & b", 200.0), limit("far away", 1000.0)]).unwrap();
        assert!(svg.contains("a &amp; b") && !svg.contains("far away"), "{svg}");
        // They go down to 2.
        let both = [limit("above", 1000.0), limit("below", 0.5), limit("too low", 0.01)];
        let svg = draw(&example(), Rates::Logarithmic, &both).unwrap();
        assert!(svg.contains("above") && svg.contains("below") && !svg.contains("too low"));
    }

    #[test]
    fn ticks_are_powers_of_two_or_round_numbers() {
        assert_eq!(ticks(&(60.0..1100.0)), [64.0, 128.0, 256.0, 512.0, 1024.0]);
        assert_eq!(ticks(&(90.0..140.0)), [90.0, 100.0, 110.0, 120.0, 130.0]);
        assert!(!ticks(&(1.0 / 1.5..1.5)).is_empty());
        assert!(ticks(&(1.0..1e18)).len() <= 9);
    }

    #[test]
    fn large_round_sizes_are_short() {
        let labels = [512.0, 10_000.0, 16_384.0, 1_000_000.0, 16_777_216.0].map(size_label);
        assert_eq!(labels, ["512", "10000", "16Ki", "1000000", "16Mi"]);
    }

    #[test]
    fn many_panels_are_small_and_those_of_one_routine_lie_in_a_row() {
        let mut report = example();
        let case = report.cases[0].clone();
        report.cases.clear();
        for kind in ScalarKind::ALL {
            for routine in ["copy", "swap", "axpy"] {
                report.cases.push(CaseReport {
                    kind,
                    routine: routine.to_owned(),
                    variant: String::new(),
                    ..case.clone()
                });
            }
        }
        let titles: Vec<String> = panels(&report).into_iter().map(|panel| panel.title).collect();
        assert_eq!(titles[..5], ["Scopy", "Dcopy", "Ccopy", "Zcopy", "Sswap"]);
        assert_eq!(SMALL.columns_for(&report), 4);
        report.cases.retain(|case| case.kind != ScalarKind::S);
        assert_eq!((SMALL.columns_for(&report), LARGE.columns_for(&report)), (3, 2));
        assert!(draw(&report, Rates::Logarithmic, &[]).unwrap().contains("Zaxpy"));
    }
}
