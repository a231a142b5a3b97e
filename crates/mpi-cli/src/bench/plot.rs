//! Efficiencies against the number of ranks, a panel for each routine.

use std::error::Error;
use std::path::Path;

use affinimath_bench::Failure;
use affinimath_bench::drawing::{Heading, TEXT, line_style, marker};
use plotters::prelude::*;

use super::scale::{Measured, OURS};

const PANEL: (i32, i32) = (420, 300);

/// A line's name, and the points of a routine on it.
type Line<'m> = (String, Box<dyn Fn(&Measured) -> Option<f64> + 'm>);

/// Draws into an SVG file.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, measured: &[Measured]) -> Result<(), Failure> {
    let svg = draw(measured).map_err(|error| Failure::file("cannot draw", path, error))?;
    std::fs::write(path, svg).map_err(|error| Failure::file("cannot write the plot to", path, error))
}

/// Lines of all panels: our efficiencies, those of the model, and those of other libraries.
fn lines(measured: &[Measured]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for is_weak in [false, true] {
        let scaling = if is_weak { "weak" } else { "strong" };
        let fits = move |each: &Measured| each.library == OURS && (each.is_weak == is_weak || each.ranks == 1);
        lines.push((scaling.to_owned(), Box::new(move |each| fits(each).then_some(each.efficiency))));
        if measured.iter().any(|each| each.predicted.is_some()) {
            let predicted = move |each: &Measured| each.predicted.filter(|_| fits(each)).map(|(_, part)| part);
            lines.push((format!("{scaling}, model"), Box::new(predicted)));
        }
    }
    let mut libraries: Vec<&str> = measured.iter().map(|each| each.library).filter(|name| *name != OURS).collect();
    libraries.sort_unstable();
    libraries.dedup();
    for library in libraries {
        let own = move |each: &Measured| (each.library == library && !each.is_weak).then_some(each.efficiency);
        lines.push((format!("{library}, strong"), Box::new(own)));
    }
    lines
}

fn draw(measured: &[Measured]) -> Result<String, Box<dyn Error>> {
    let mut routines: Vec<&str> = Vec::new();
    for each in measured {
        if !routines.contains(&each.routine.name()) {
            routines.push(each.routine.name());
        }
    }
    let columns = routines.len().clamp(1, 3);
    let rows = routines.len().div_ceil(columns).max(1);
    let width = columns as i32 * PANEL.0;
    let lines = lines(measured);
    let names: Vec<&str> = lines.iter().map(|(name, _)| name.as_str()).collect();
    let facts = format!("affinimath {}, rate of a rank over that of one rank alone", env!("CARGO_PKG_VERSION"));
    let heading = Heading::new("Efficiency by ranks".to_owned(), &facts, names, width);
    let height = heading.height + rows as i32 * PANEL.1;
    let most = measured.iter().map(|each| each.ranks).max().unwrap_or(1).max(2);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (width as u32, height as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        heading.draw(&root)?;
        let (_, below) = root.split_vertically(heading.height);
        for (routine, area) in routines.iter().zip(below.split_evenly((rows, columns))) {
            let mut chart = ChartBuilder::on(&area)
                .caption(*routine, ("sans-serif", TEXT + 2))
                .margin(12)
                .x_label_area_size(32)
                .y_label_area_size(44)
                .build_cartesian_2d((1.0..most as f64).log_scale().base(2.0), 0.0..1.2)?;
            let mesh =
                chart.configure_mesh().x_desc("ranks").y_desc("efficiency").label_style(("sans-serif", TEXT)).draw();
            mesh?;
            for (number, (_, value)) in lines.iter().enumerate() {
                let own = measured.iter().filter(|each| each.routine.name() == *routine);
                let mut points: Vec<(f64, f64)> =
                    own.filter_map(|each| Some((each.ranks as f64, value(each)?.min(1.2)))).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                chart.draw_series(LineSeries::new(points.iter().copied(), line_style(number)))?;
                chart.draw_series(points.iter().map(|point| EmptyElement::at(*point) + marker(number, (0, 0))))?;
            }
        }
        root.present()?;
    }
    Ok(svg)
}
