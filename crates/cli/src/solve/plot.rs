//! The plot of a solve by iterations: relative residuals against iterations, a line for each method that was tried.

use std::ops::Range;
use std::path::Path;

use affinimath_bench::Failure;
use affinimath_bench::drawing::{Area, Drawn, Heading, TEXT, decimal_ticks, line_style, marker};
use plotters::prelude::*;

use super::iterative::Attempt;

const SIZE: (i32, i32) = (860, 520);
/// The most ticks of the residuals' axis.
const TICKS: usize = 20;
/// Of more iterations than these, only some become points.
const POINTS: usize = 1200;
/// The smallest part of ||b|| that is drawn: what is less is exact in double precision.
const MIN_RESIDUAL: f64 = 1e-18;

/// The residuals of one solve.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// ||b - A x|| / ||b|| after each iteration as the recurrence has it, from 0 iterations on.
    pub residuals: Vec<f64>,
    /// The iterations at the end, and the residual that was then computed from x.
    pub end: (usize, f64),
}

impl Curve {
    /// The points that a logarithmic axis can show: iteration and residual.
    fn points(&self) -> Vec<(f64, f64)> {
        let step = self.residuals.len().div_ceil(POINTS).max(1);
        let all = self.residuals.iter().enumerate().map(|(iteration, residual)| (iteration as f64, *residual));
        let last = all.clone().next_back();
        all.step_by(step).chain(last).filter_map(drawable).collect()
    }
}

fn drawable((iteration, residual): (f64, f64)) -> Option<(f64, f64)> {
    residual.is_finite().then_some((iteration, residual.max(MIN_RESIDUAL)))
}

pub struct Convergence<'a> {
    /// The matrix, and what is solved.
    pub title: String,
    pub properties: String,
    pub attempts: &'a [Attempt],
    /// The requested tolerance, relative to ||b||.
    pub tolerance: f64,
}

impl Convergence<'_> {
    /// Draws it into an SVG file.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let failed = |reason: String| Failure::file("cannot write the plot to", path, reason);
        let svg = self.draw().map_err(|error| failed(error.to_string()))?;
        std::fs::write(path, svg).map_err(|error| failed(error.to_string()))
    }

    fn draw(&self) -> Result<String, Box<dyn std::error::Error>> {
        let names: Vec<String> = self.attempts.iter().map(Attempt::legend).collect();
        let heading = Heading::new(self.title.clone(), &self.properties, names.iter().map(String::as_str), SIZE.0);
        let mut svg = String::new();
        {
            let size = (SIZE.0 as u32, (heading.height + SIZE.1) as u32);
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            root.fill(&WHITE)?;
            heading.draw(&root)?;
            self.draw_chart(&root.split_vertically(heading.height).1)?;
            root.present()?;
        }
        Ok(svg)
    }

    fn draw_chart(&self, area: &Area<'_>) -> Drawn {
        let (iterations, residuals) = (self.iterations(), self.residuals());
        let ticks = decimal_ticks(&residuals);
        let every = ticks.len().div_ceil(TICKS).max(1);
        let ticks: Vec<f64> = ticks.into_iter().step_by(every).collect();
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(24)
            .x_label_area_size(46)
            .y_label_area_size(76)
            .build_cartesian_2d(0.0..iterations, residuals.log_scale().with_key_points(ticks))?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.12))
            .axis_desc_style(("sans-serif", TEXT))
            .label_style(("sans-serif", 12))
            .x_desc("iteration")
            .y_desc("||b - A x|| / ||b||")
            .y_labels(12)
            .x_label_formatter(&|iteration| format!("{iteration:.0}"))
            .y_label_formatter(&|residual| format!("{residual:.0e}"))
            .draw()?;
        if self.tolerance > 0.0 {
            let line = [(0.0, self.tolerance), (iterations, self.tolerance)];
            chart.draw_series(DashedLineSeries::new(line, 6, 4, BLACK.mix(0.6).stroke_width(1)))?;
            let text = format!("tolerance {:e}", self.tolerance);
            let point = (iterations * 0.01, self.tolerance);
            let label = EmptyElement::at(point) + Text::new(text, (0, -16), ("sans-serif", 12).into_font());
            chart.draw_series([label])?;
        }
        for (index, attempt) in self.attempts.iter().enumerate() {
            for curve in &attempt.curves {
                chart.draw_series(LineSeries::new(curve.points(), line_style(index)))?;
                let end = drawable((curve.end.0 as f64, curve.end.1));
                chart.draw_series(end.map(|end| EmptyElement::at(end) + marker(index, (0, 0))))?;
            }
        }
        Ok(())
    }

    /// The end of the axis of iterations.
    fn iterations(&self) -> f64 {
        let ends = self.attempts.iter().flat_map(|attempt| &attempt.curves).map(|curve| curve.end.0);
        1.04 * ends.max().unwrap_or(0).max(1) as f64
    }

    /// All residuals, with margins, and the tolerance.
    fn residuals(&self) -> Range<f64> {
        let curves = self.attempts.iter().flat_map(|attempt| &attempt.curves);
        let end = |curve: &Curve| drawable((0.0, curve.end.1));
        let all = curves.flat_map(|curve| curve.points().into_iter().chain(end(curve))).map(|(_, residual)| residual);
        let asked = (self.tolerance > 0.0).then_some(self.tolerance.max(MIN_RESIDUAL));
        let extremes = |(low, high): (f64, f64), residual: f64| (low.min(residual), high.max(residual));
        let (low, high) = all.chain(asked).fold((1.0, 1.0), extremes);
        low / 4.0..high * 4.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convergence(residuals: Vec<f64>, tolerance: f64) -> String {
        let end = (residuals.len() - 1, *residuals.last().unwrap());
        let attempts = [Attempt::example(Curve { residuals, end })];
        let (title, properties) = ("Convergence: a.mtx".into(), "4 x 4".into());
        Convergence { title, properties, attempts: &attempts, tolerance }.draw().unwrap()
    }

    #[test]
    fn a_plot_says_what_it_shows() {
        let svg = convergence(vec![1.0, 0.5, 1e-3, 1e-9], 1e-8);
        for text in ["Convergence: a.mtx", "4 x 4", "CG", "iteration", "||b - A x|| / ||b||", "tolerance 1e-8", "1e-6"]
        {
            assert!(svg.contains(text), "'{text}' is missing");
        }
    }

    #[test]
    fn whatever_residuals_are_there_is_a_plot() {
        for residuals in [vec![0.0], vec![1.0, f64::NAN, f64::INFINITY], vec![1.0, 1e300], vec![0.5; 50_000]] {
            assert!(convergence(residuals, 0.0).contains("iteration"));
        }
        let points = Curve { residuals: vec![0.5; 50_000], end: (49_999, 0.5) }.points();
        assert!(points.len() <= POINTS + 1 && points.last().unwrap().0 == 49_999.0);
    }
}
