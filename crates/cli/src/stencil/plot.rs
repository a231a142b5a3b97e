//! The picture of a grid: a line along one axis, or a map of the plane in the middle of further axes.

use std::path::Path;

use affinimath::stencil::definition::AXES;
use affinimath::stencil::{Bound, Field, Outcome};
use affinimath_bench::Failure;
use affinimath_bench::drawing::{Area, Drawn, TEXT, line_style};
use affinimath_bench::replace::replace_text;
use plotters::prelude::*;

use super::report::counted;

/// Points of the longer side of a plane.
const SIDE: usize = 560;
/// Space around the plane: for the axis and its numbers, and for the scale of colours.
const LEFT: usize = 80;
const RIGHT: usize = 120;
const ABOVE: usize = 40;
const BELOW: usize = 60;
/// Cells of an axis at most: of longer ones some points are drawn.
const CELLS: usize = 128;
/// Steps of the scale of colours.
const STEPS: usize = 64;

/// The newest level of a grid's first component.
pub struct Picture<'a> {
    bound: &'a Bound,
    field: &'a Field,
    grid: usize,
    level: usize,
    title: String,
}

/// Numbers of a plane, the last row first, with the coordinates of its edges.
struct Plane {
    rows: Vec<Vec<f64>>,
    x: (i64, i64),
    y: (i64, i64),
}

impl<'a> Picture<'a> {
    /// The picture of the first grid that changes, or of a named one.
    pub fn new(bound: &'a Bound, fields: &'a [Field], outcome: &Outcome, name: Option<&str>) -> Result<Self, Failure> {
        let grids = bound.stencil().grids();
        let is_it = |&grid: &usize| match name {
            Some(name) => grids[grid].name == name,
            None => bound.facts().grids[grid].is_written,
        };
        let missing = || match name {
            Some(name) => Failure(format!("--plot: there is no grid {name}")),
            None => Failure("--plot: no grid changes".to_owned()),
        };
        let grid = (0..grids.len()).find(is_it).ok_or_else(missing)?;
        let component = if grids[grid].components.is_empty() { "" } else { ", component 0" };
        let steps = counted(outcome.steps as usize, "step", "steps");
        let title = format!("{}: {}{component} after {steps}", bound.stencil().name(), grids[grid].name);
        Ok(Picture { bound, field: &fields[grid], grid, level: outcome.newest[grid], title })
    }

    /// Draws it into an SVG file.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let failed = |reason: String| Failure::file("cannot write the plot to", path, reason);
        let svg = self.draw().map_err(|error| failed(error.to_string()))?;
        replace_text(path, &svg).map_err(|error| failed(error.to_string()))
    }

    fn draw(&self) -> Result<String, Box<dyn std::error::Error>> {
        let lengths = &self.field.layout().lengths;
        let longest = lengths.iter().take(2).copied().max().unwrap_or(1).max(1);
        let side = |axis: usize| (SIDE * lengths[axis] / longest).max(SIDE / 8);
        let (width, height) = if lengths.len() > 1 { (side(0), side(1)) } else { (SIDE, SIDE / 2) };
        let size = ((LEFT + width + RIGHT) as u32, (ABOVE + height + BELOW) as u32);
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            root.fill(&WHITE)?;
            root.draw_text(&self.title, &("sans-serif", 16).into_text_style(&root), (LEFT as i32, 12))?;
            let area = root.margin(ABOVE as i32, 4, 4, 4);
            if lengths.len() > 1 {
                self.draw_plane(&area)?
            } else {
                self.draw_line(&area)?
            }
            root.present()?;
        }
        Ok(svg)
    }

    /// The number at coordinates in memory.
    fn at(&self, cell: &[i64]) -> f64 {
        self.field.get(0, self.level, cell).map_or(f64::NAN, affinimath::stencil::Value::as_f64)
    }

    fn draw_line(&self, area: &Area<'_>) -> Drawn {
        let layout = self.field.layout();
        let (first, count) = (layout.lower[0], layout.lengths[0]);
        let step = count.div_ceil(8 * CELLS).max(1);
        let points = (0..count).step_by(step).map(|index| first + index as i64);
        let points: Vec<(f64, f64)> = points.map(|x| (x as f64, self.at(&[x]))).filter(|at| at.1.is_finite()).collect();
        let (min, max) = range(points.iter().map(|at| at.1));
        let last = first + count as i64 - 1;
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .x_label_area_size(46)
            .y_label_area_size(LEFT as i32)
            .build_cartesian_2d(first as f64..last.max(first + 1) as f64, min..max)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.12))
            .axis_desc_style(("sans-serif", TEXT))
            .label_style(("sans-serif", 12))
            .x_desc(self.axis(0))
            .x_label_formatter(&|x| format!("{x:.0}"))
            .draw()?;
        chart.draw_series(LineSeries::new(points, line_style(0)))?;
        Ok(())
    }

    fn axis(&self, position: usize) -> &'static str {
        AXES[self.bound.stencil().grids()[self.grid].axes[position]]
    }

    /// The plane of the first two axes, in the middle of the others.
    fn plane(&self) -> Plane {
        let layout = self.field.layout();
        let mut cell: Vec<i64> =
            layout.lower.iter().zip(&layout.lengths).map(|(lower, length)| lower + *length as i64 / 2).collect();
        let edges = |axis: usize| (layout.lower[axis], layout.lower[axis] + layout.lengths[axis] as i64);
        let picked = |axis: usize| {
            let (length, cells) = (layout.lengths[axis], layout.lengths[axis].min(CELLS));
            (0..cells).map(move |index| (index * length + length / 2) / cells).collect::<Vec<_>>()
        };
        let (columns, rows) = (picked(0), picked(1));
        let rows = rows.into_iter().map(|row| {
            cell[1] = layout.lower[1] + row as i64;
            let column = |column: &usize| {
                cell[0] = layout.lower[0] + *column as i64;
                self.at(&cell)
            };
            columns.iter().map(column).collect()
        });
        Plane { rows: rows.collect(), x: edges(0), y: edges(1) }
    }

    fn draw_plane(&self, area: &Area<'_>) -> Drawn {
        let Plane { rows, x, y } = self.plane();
        let (min, max) = range(rows.iter().flatten().copied());
        let (map, scale) = area.split_horizontally(area.dim_in_pixel().0 as i32 - RIGHT as i32);
        let mut chart = ChartBuilder::on(&map)
            .x_label_area_size(BELOW as i32 - 10)
            .y_label_area_size(LEFT as i32 - 10)
            .build_cartesian_2d(x.0 as f64..x.1 as f64, y.0 as f64..y.1 as f64)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_desc_style(("sans-serif", TEXT))
            .label_style(("sans-serif", 12))
            .x_desc(self.axis(0))
            .y_desc(self.axis(1))
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .draw()?;
        let edge = |(low, high): (i64, i64), index: usize, count: usize| {
            low as f64 + (high - low) as f64 * index as f64 / count as f64
        };
        for (row, values) in rows.iter().enumerate() {
            let cells = values.iter().enumerate().map(|(column, value)| {
                let from = (edge(x, column, values.len()), edge(y, row, rows.len()));
                let to = (edge(x, column + 1, values.len()), edge(y, row + 1, rows.len()));
                Rectangle::new([from, to], colour((value - min) / (max - min)).filled())
            });
            chart.draw_series(cells)?;
        }
        let mut scale = ChartBuilder::on(&scale)
            .margin_left(24)
            .x_label_area_size(BELOW as i32 - 10)
            .right_y_label_area_size(70)
            .build_cartesian_2d(0.0..1.0, min..max)?;
        scale
            .configure_mesh()
            .disable_mesh()
            .disable_x_axis()
            .label_style(("sans-serif", 12))
            .y_labels(6)
            .y_label_formatter(&|value| shown(*value, max - min))
            .draw()?;
        let height = (max - min) / STEPS as f64;
        scale.draw_series((0..STEPS).map(|step| {
            let low = min + height * step as f64;
            Rectangle::new([(0.0, low), (1.0, low + height)], colour((step as f64 + 0.5) / STEPS as f64).filled())
        }))?;
        Ok(())
    }
}

/// The smallest and the largest finite number, apart.
fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = numbers.filter(|number| number.is_finite());
    let (min, max) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
    match min < max {
        true => (min, max),
        false if min.is_finite() => (min - min.abs().max(1.0) / 2.0, min + min.abs().max(1.0) / 2.0),
        false => (0.0, 1.0),
    }
}

/// A number of a scale: numbers far below its extent are 0.
fn shown(number: f64, extent: f64) -> String {
    let number = if number.abs() < 1e-9 * extent { 0.0 } else { number };
    if number == 0.0 || (1e-3..1e5).contains(&number.abs()) {
        let text = format!("{number:.4}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    format!("{number:.3e}")
}

/// A colour from dark blue to yellow, as lightness grows evenly; grey for no number.
fn colour(part: f64) -> RGBColor {
    const COLOURS: [[f64; 3]; 5] =
        [[48.0, 18.0, 90.0], [40.0, 80.0, 140.0], [30.0, 145.0, 140.0], [110.0, 200.0, 90.0], [250.0, 230.0, 40.0]];
    if part.is_nan() {
        return RGBColor(160, 160, 160);
    }
    let at = part.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let index = (at as usize).min(COLOURS.len() - 2);
    let [r, g, b] = [0, 1, 2].map(|channel| {
        let (from, to) = (COLOURS[index][channel], COLOURS[index + 1][channel]);
        (from + (to - from) * (at - index as f64)).round() as u8
    });
    RGBColor(r, g, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_range_and_colours() {
        assert_eq!(range([1.0, f64::NAN, -2.0, f64::INFINITY].into_iter()), (-2.0, 1.0));
        assert_eq!(range([4.0; 3].into_iter()), (2.0, 6.0));
        assert_eq!(range(std::iter::empty()), (0.0, 1.0));
        assert_eq!([0.05, -2.0, 1e-17, 120.5, 1e-5].map(|x| shown(x, 0.1)), ["0.05", "-2", "0", "120.5", "1.000e-5"]);
        assert_eq!((colour(0.0), colour(1.0)), (RGBColor(48, 18, 90), RGBColor(250, 230, 40)));
        assert_eq!((colour(f64::NAN), colour(2.0)), (RGBColor(160, 160, 160), colour(1.0)));
    }
}
