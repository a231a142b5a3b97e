//! The plot: the best so far against the measurements.

use std::error::Error;
use std::path::Path;

use affinimath_bench::Failure;
use affinimath_bench::drawing::{TEXT, line_style, marker};
use affinimath_tuner::exchange::Results;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A line: after each measurement, how fast the best so far is.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub name: String,
    pub values: Vec<f64>,
    /// The final result, if it is measured in another way: a dashed line at this height.
    pub result: Option<f64>,
}

impl Curve {
    /// The speedup of the best parameters so far over the default ones.
    pub fn of_search(name: String, results: &Results) -> Self {
        let mut best = results.default_seconds;
        let values = results.trials.iter().map(|(_, outcome)| {
            best = best.min(outcome.score());
            results.default_seconds / best
        });
        Curve { name, values: values.collect(), result: None }
    }
}

/// Lines in one system of axes.
pub struct Panel {
    pub title: String,
    pub curves: Vec<Curve>,
}

impl Panel {
    fn axis(&self) -> &'static str {
        match self.curves.iter().any(|curve| curve.result.is_some()) {
            true => "measurements (dashes: the result, in rounds with the default parameters)",
            false => "measurements",
        }
    }
}

/// The plot of one search: after each run, the best so far.
pub fn best_so_far(path: &Path, title: String, values: Vec<f64>) -> Result<(), Failure> {
    let curve = Curve { name: "best so far".to_owned(), values, result: None };
    write(path, &[Panel { title, curves: vec![curve] }])
}

const PANEL: (u32, u32) = (720, 380);
const LEGEND: i32 = 26;

/// Draws panels below each other into an SVG file, with a legend for the first one's lines.
pub fn write(path: &Path, panels: &[Panel]) -> Result<(), Failure> {
    let svg = draw(panels).map_err(|error| Failure::file("cannot draw", path, error))?;
    std::fs::write(path, svg).map_err(|error| Failure::file("cannot write", path, error))
}

fn draw(panels: &[Panel]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    let names: Vec<&String> =
        panels.first().map(|panel| &panel.curves).into_iter().flatten().map(|c| &c.name).collect();
    let rows = names.len().div_ceil(4) as i32;
    let legend = rows * LEGEND + 10;
    {
        let size = (PANEL.0, PANEL.1 * panels.len().max(1) as u32 + legend as u32);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        for (index, name) in names.iter().enumerate() {
            let (left, top) = (20 + (index % 4) as i32 * 172, 18 + (index / 4) as i32 * LEGEND);
            root.draw(&PathElement::new(vec![(left, top), (left + 30, top)], line_style(index)))?;
            root.draw(&marker(index, (left + 15, top)))?;
            let text = ("sans-serif", TEXT).into_font().into_text_style(&root).pos(Pos::new(HPos::Left, VPos::Center));
            root.draw(&Text::new((*name).clone(), (left + 38, top), text))?;
        }
        let (_, below) = root.split_vertically(legend);
        for (panel, area) in panels.iter().zip(below.split_evenly((panels.len().max(1), 1))) {
            let values =
                || panel.curves.iter().flat_map(|c| c.values.iter().copied().chain(c.result)).filter(|v| v.is_finite());
            let (low, high) = values().fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
            let (low, high) = if high > 0.0 { (low, high) } else { (0.0, 1.0) };
            let room = ((high - low) * 0.06).max(high * 0.01);
            let longest = panel.curves.iter().map(|curve| curve.values.len()).max().unwrap_or(0).max(2);
            let mut chart = ChartBuilder::on(&area)
                .margin(10)
                .margin_right(24)
                .caption(&panel.title, ("sans-serif", 16))
                .x_label_area_size(46)
                .y_label_area_size(66)
                .build_cartesian_2d(1.0..longest as f64, low - room..high + room)?;
            chart
                .configure_mesh()
                .light_line_style(WHITE)
                .bold_line_style(BLACK.mix(0.12))
                .axis_desc_style(("sans-serif", TEXT))
                .label_style(("sans-serif", 12))
                .x_desc(panel.axis())
                .y_labels(6)
                .x_labels((longest - 1).min(10))
                .x_label_formatter(&|count| if count.fract() == 0.0 { format!("{count:.0}") } else { String::new() })
                .y_label_formatter(&|value| format!("{value:.2}"))
                .draw()?;
            for (index, curve) in panel.curves.iter().enumerate().rev() {
                let points: Vec<(f64, f64)> =
                    curve.values.iter().enumerate().map(|(i, value)| ((i + 1) as f64, *value)).collect();
                let every = points.len().div_ceil(12).max(1);
                chart.draw_series(LineSeries::new(points.iter().copied(), line_style(index)))?;
                if let Some(result) = curve.result.filter(|result| result.is_finite()) {
                    let ends = [(1.0, result), (longest as f64, result)];
                    chart.draw_series(DashedLineSeries::new(ends, 6, 6, line_style(index)))?;
                }
                let marked = points.iter().skip(index % every).step_by(every);
                chart.draw_series(marked.map(|point| EmptyElement::at(*point) + marker(index, (0, 0))))?;
            }
        }
        root.present()?;
    }
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_names_its_lines_and_takes_anything() {
        let curve = |name: &str, values: &[f64]| Curve {
            name: name.to_owned(),
            values: values.to_vec(),
            result: values.last().copied(),
        };
        let curves = vec![curve("refine", &[0.5, 0.75, 1.0]), curve("random", &[0.25]), curve("empty", &[])];
        let svg = draw(&[Panel { title: "gemm".to_owned(), curves }]).unwrap();
        for text in ["gemm", "refine", "random", "empty", "measurements"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(draw(&[]).is_ok());
        assert!(draw(&[Panel { title: String::new(), curves: Vec::new() }]).is_ok());
    }
}
