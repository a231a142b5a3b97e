//! The picture of a grid: a line along one axis, or a map of the plane in the middle of further axes.

mod image;

use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

use affinimath::stencil::definition::AXES;
use affinimath::stencil::{Bound, Field, Outcome};
use affinimath_bench::Failure;
use affinimath_bench::drawing::{Area, line_style};
use affinimath_bench::replace::replace_text;
use plotters::prelude::*;

use super::report::counted;

/// Points of the longer side of a plane.
const SIDE: usize = 560;
/// Space around the plane: for the axis and its numbers, and for the scale of colours.
const LEFT: usize = 72;
const RIGHT: usize = 124;
const ABOVE: usize = 40;
const BELOW: usize = 56;
/// Sizes of the title, the names of axes, and numbers.
const TITLE: i32 = 19;
const NAME: i32 = 17;
const NUMBER: i32 = 15;
/// Cells of an axis at most: of longer ones some points are drawn.
const CELLS: usize = 192;
/// Cells of a map of rectangles at most. A larger one is an image: a twentieth of the rectangles' size.
const RECTANGLES: usize = 1024;
/// Points of a line at most.
const POINTS: usize = 1024;
/// Steps of the scale of colours: an odd number, so that 0 has one of its own.
const STEPS: usize = 65;

/// SVG of the values, which goes on top of axes.
type Overlay = Result<String, Box<dyn std::error::Error>>;

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
        let mut picture =
            Picture { bound, field: &fields[grid], grid, level: outcome.newest[grid], title: String::new() };
        let plane: Vec<String> = picture
            .middle()
            .iter()
            .enumerate()
            .skip(2)
            .map(|(axis, at)| format!("{} = {at}", picture.axis(axis)))
            .collect();
        let plane = if plane.is_empty() { String::new() } else { format!(" at {}", plane.join(", ")) };
        picture.title = format!("{}: {}{component} after {steps}{plane}", bound.stencil().name(), grids[grid].name);
        Ok(picture)
    }

    /// Draws it into an SVG file.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
            return Err(Failure(format!("--plot: '{}' does not end with .svg: plots are SVG files", path.display())));
        }
        let failed = |reason: String| Failure::file("cannot write the plot to", path, reason);
        let svg = self.draw().map_err(|error| failed(error.to_string()))?;
        replace_text(path, &svg).map_err(|error| failed(error.to_string()))
    }

    fn draw(&self) -> Overlay {
        let lengths = &self.field.layout().lengths;
        let longest = lengths.iter().take(2).copied().max().unwrap_or(1).max(1);
        let side = |axis: usize| (SIDE * lengths[axis] / longest).max(SIDE / 8);
        let (width, height) = if lengths.len() > 1 { (side(0), side(1)) } else { (SIDE, SIDE / 2) };
        let right = if lengths.len() > 1 { RIGHT } else { 24 };
        let size = ((LEFT + width + right) as u32, (ABOVE + height + BELOW) as u32);
        let mut svg = String::new();
        let overlay = {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            root.fill(&WHITE)?;
            root.draw_text(&self.title, &("sans-serif", TITLE).into_text_style(&root), (LEFT as i32, 14))?;
            let area = root.margin(ABOVE as i32, 4, 8, 4);
            let overlay = if lengths.len() > 1 { self.draw_plane(&area)? } else { self.draw_line(&area)? };
            root.present()?;
            overlay
        };
        let end = svg.rfind("</svg>").unwrap_or(svg.len());
        svg.insert_str(end, &overlay);
        Ok(svg)
    }

    /// The number at coordinates in memory.
    fn at(&self, cell: &[i64]) -> f64 {
        self.field.get(0, self.level, cell).map_or(f64::NAN, affinimath::stencil::Value::as_f64)
    }

    fn axis(&self, position: usize) -> &'static str {
        AXES[self.bound.stencil().grids()[self.grid].axes[position]]
    }

    /// The point in the middle of memory.
    fn middle(&self) -> Vec<i64> {
        let layout = self.field.layout();
        layout.lower.iter().zip(&layout.lengths).map(|(lower, length)| lower + *length as i64 / 2).collect()
    }

    fn draw_line(&self, area: &Area<'_>) -> Overlay {
        let layout = self.field.layout();
        let (first, count) = (layout.lower[0], layout.lengths[0]);
        let last = (first + count as i64 - 1).max(first + 1);
        let step = count.div_ceil(POINTS).max(1);
        let points: Vec<(i64, f64)> =
            (0..count).step_by(step).map(|index| first + index as i64).map(|x| (x, self.at(&[x]))).collect();
        let (min, max) = range(points.iter().map(|at| at.1));
        let (min, max) = (min - 0.04 * (max - min), max + 0.04 * (max - min));
        let mut chart = ChartBuilder::on(area)
            .margin_right(16)
            .x_label_area_size(BELOW as i32 - 8)
            .y_label_area_size(LEFT as i32 - 4)
            .build_cartesian_2d(first as f64..last as f64, min..max)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.12))
            .axis_desc_style(("sans-serif", NAME))
            .label_style(("sans-serif", NUMBER))
            .y_labels(7)
            .x_desc(self.axis(0))
            .y_desc(&self.bound.stencil().grids()[self.grid].name)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|value| shown(*value, max - min))
            .draw()?;
        let (columns, rows) = chart.plotting_area().get_pixel_range();
        let pixel = |x: i64, value: f64| {
            let across = (x - first) as f64 / (last - first) as f64;
            (along(&columns, across), along(&rows, (max - value) / (max - min)))
        };
        let style = line_style(0);
        let (r, g, b) = style.color.rgb();
        let mut svg = String::new();
        // A value that is no number interrupts the line.
        for part in points.split(|(_, value)| !value.is_finite()).filter(|part| !part.is_empty()) {
            svg += "<polyline points=\"";
            for &(x, value) in part {
                let (x, y) = pixel(x, value);
                write!(svg, "{x:.1},{y:.1} ")?;
            }
            writeln!(
                svg,
                "\" fill=\"none\" stroke=\"#{r:02x}{g:02x}{b:02x}\" stroke-width=\"{}\"/>",
                style.stroke_width
            )?;
        }
        Ok(svg)
    }

    /// The plane of the first two axes, in the middle of the others.
    fn plane(&self) -> Plane {
        let layout = self.field.layout();
        let mut cell = self.middle();
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

    fn draw_plane(&self, area: &Area<'_>) -> Overlay {
        let Plane { rows, x, y } = self.plane();
        let scale = Scale::new(range(rows.iter().flatten().copied()));
        let (map, bar) = area.split_horizontally(area.dim_in_pixel().0 as i32 - RIGHT as i32);
        let mut chart = ChartBuilder::on(&map)
            .x_label_area_size(BELOW as i32 - 8)
            .y_label_area_size(LEFT as i32 - 4)
            .build_cartesian_2d(x.0 as f64..x.1 as f64, y.0 as f64..y.1 as f64)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_desc_style(("sans-serif", NAME))
            .label_style(("sans-serif", NUMBER))
            .x_desc(self.axis(0))
            .y_desc(self.axis(1))
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .draw()?;
        let (across, down) = chart.plotting_area().get_pixel_range();
        let mut svg = scale.map(&rows, &across, &down)?;
        let (min, max) = (scale.min, scale.max);
        let mut chart = ChartBuilder::on(&bar)
            .margin_left(24)
            .x_label_area_size(BELOW as i32 - 8)
            .right_y_label_area_size(80)
            .build_cartesian_2d(0.0..1.0, min..max)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .disable_x_axis()
            .set_tick_mark_size(LabelAreaPosition::Right, 5)
            .label_style(("sans-serif", NUMBER))
            .y_labels(6)
            .y_label_formatter(&|value| shown(*value, max - min))
            .draw()?;
        let (across, down) = chart.plotting_area().get_pixel_range();
        let steps: Vec<Vec<f64>> =
            (0..STEPS).map(|step| vec![min + (max - min) * (step as f64 + 0.5) / STEPS as f64]).collect();
        svg += &scale.rectangles(&steps, &across, &down)?;
        Ok(svg)
    }
}

/// A place in a range of pixels.
fn along(pixels: &Range<i32>, part: f64) -> f64 {
    f64::from(pixels.start) + f64::from(pixels.end - pixels.start) * part
}

/// The colours of numbers. Where numbers of both signs matter, they go from blue over white, which is 0, to red.
struct Scale {
    min: f64,
    max: f64,
    is_signed: bool,
}

impl Scale {
    fn new((min, max): (f64, f64)) -> Self {
        Scale { min, max, is_signed: min < 0.0 && max > 0.0 && (-min).min(max) >= 0.1 * (-min).max(max) }
    }

    /// The index of a number in the palette.
    fn index(&self, number: f64) -> u8 {
        if number.is_nan() {
            return STEPS as u8;
        }
        let part = match self.is_signed {
            true => 0.5 + number / (2.0 * self.max.max(-self.min)),
            false => (number - self.min) / (self.max - self.min),
        };
        ((part.clamp(0.0, 1.0) * STEPS as f64) as usize).min(STEPS - 1) as u8
    }

    /// Colours by index; the last one is grey, for no number.
    fn palette(&self) -> Vec<[u8; 3]> {
        let anchors = if self.is_signed { SIGNED } else { RISING };
        let step = |step: usize| {
            let at = (step as f64 + 0.5) / STEPS as f64 * (anchors.len() - 1) as f64;
            let index = (at as usize).min(anchors.len() - 2);
            [0, 1, 2].map(|channel| {
                let (from, to) = (anchors[index][channel], anchors[index + 1][channel]);
                (from + (to - from) * (at - index as f64)).round() as u8
            })
        };
        (0..STEPS).map(step).chain([[160; 3]]).collect()
    }

    /// The map of rows, the last one first.
    fn map(&self, rows: &[Vec<f64>], across: &Range<i32>, down: &Range<i32>) -> Overlay {
        let columns = rows.first().map_or(0, Vec::len);
        if columns * rows.len() <= RECTANGLES {
            return self.rectangles(rows, across, down);
        }
        let pixels: Vec<u8> = rows.iter().rev().flatten().map(|&value| self.index(value)).collect();
        let png = image::png(columns, &pixels, &self.palette());
        Ok(format!(
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\n",
            across.start,
            down.start,
            across.end - across.start,
            down.end - down.start,
            image::base64(&png)
        ))
    }

    /// A rectangle for each value.
    fn rectangles(&self, rows: &[Vec<f64>], across: &Range<i32>, down: &Range<i32>) -> Overlay {
        let palette = self.palette();
        let mut svg = "<g shape-rendering=\"crispEdges\">\n".to_owned();
        for (row, values) in rows.iter().enumerate() {
            let edge = |row: usize| along(down, 1.0 - row as f64 / rows.len() as f64);
            let (top, bottom) = (edge(row + 1), edge(row));
            for (column, &value) in values.iter().enumerate() {
                let edge = |column: usize| along(across, column as f64 / values.len() as f64);
                let (left, right) = (edge(column), edge(column + 1));
                let [r, g, b] = palette[usize::from(self.index(value))];
                let (width, height) = (right - left, bottom - top);
                write!(svg, "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" ")?;
                writeln!(svg, "fill=\"#{r:02x}{g:02x}{b:02x}\"/>")?;
            }
        }
        svg += "</g>\n";
        Ok(svg)
    }
}

/// From dark blue to yellow, as lightness grows evenly.
const RISING: [[f64; 3]; 5] =
    [[48.0, 18.0, 90.0], [40.0, 80.0, 140.0], [30.0, 145.0, 140.0], [110.0, 200.0, 90.0], [250.0, 230.0, 40.0]];
/// From blue over white to red, as lightness falls evenly on both sides.
const SIGNED: [[f64; 3]; 5] =
    [[20.0, 50.0, 120.0], [100.0, 160.0, 210.0], [248.0, 248.0, 248.0], [235.0, 150.0, 100.0], [140.0, 20.0, 35.0]];

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
    let text = format!("{number:.3e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_range() {
        assert_eq!(range([1.0, f64::NAN, -2.0, f64::INFINITY].into_iter()), (-2.0, 1.0));
        assert_eq!(range([4.0; 3].into_iter()), (2.0, 6.0));
        assert_eq!(range(std::iter::empty()), (0.0, 1.0));
        let texts = [0.05, -2.0, 1e-17, 120.5, 1e-5, 1.25e7].map(|x| shown(x, 0.1));
        assert_eq!(texts, ["0.05", "-2", "0", "120.5", "1e-5", "1.25e7"]);
    }

    #[test]
    fn colours_rise_or_part_at_zero() {
        let rising = Scale::new((0.0, 4.0));
        assert_eq!([0.0, 4.0, 9.0, f64::NAN].map(|number| rising.index(number)), [0, 64, 64, 65]);
        assert_eq!((rising.palette()[0], rising.palette()[65]), ([48, 20, 92], [160; 3]));
        let signed = Scale::new((-1.0, 4.0));
        assert!(signed.is_signed && !Scale::new((-0.1, 4.0)).is_signed);
        assert_eq!([-4.0, 0.0, 4.0].map(|number| signed.index(number)), [0, 32, 64]);
        assert!(signed.palette()[32] == [248; 3]);
    }

    #[test]
    fn large_maps_are_images() {
        let scale = Scale::new((0.0, 1.0));
        let map = |rows: usize| scale.map(&vec![vec![0.5; 64]; rows], &(0..640), &(0..480)).expect("a drawing");
        assert_eq!(map(16).matches("<rect ").count(), 1024);
        assert_eq!(map(17).matches("<image ").count(), 1);
    }
}
