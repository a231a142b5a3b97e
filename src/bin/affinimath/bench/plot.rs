//! The plot: rates against the size, a panel for each element type and variant, a line for each contender.

use std::collections::BTreeSet;
use std::error::Error;
use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::error::BenchError;
use super::report::{CaseReport, Outcome, Report};

/// Colours that colour-blind readers tell apart too (Okabe and Ito), ours first.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// The size of a panel, for so many panels at most in a row.
struct Grid {
    columns: usize,
    panel: (i32, i32),
}

impl Grid {
    /// As many columns as there is room for with those of one routine in the same row.
    fn columns_for(&self, report: &Report) -> usize {
        let kinds: BTreeSet<_> = report.cases.iter().map(|case| case.kind).collect();
        self.columns / kinds.len().clamp(1, self.columns) * kinds.len().clamp(1, self.columns)
    }
}

const LARGE: Grid = Grid { columns: 2, panel: (560, 380) };
const SMALL: Grid = Grid { columns: 4, panel: (350, 270) };

/// Panels that are drawn large.
const FEW: usize = 6;

const LEAST_WIDTH: i32 = 720;
const MARGIN: i32 = 20;
const TITLE: i32 = 20;
const TEXT: i32 = 13;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// The axis of the rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    let svg = draw(report, rates).map_err(|error| failed(error.to_string()))?;
    std::fs::write(path, svg).map_err(|error| failed(error.to_string()))
}

fn draw(report: &Report, rates: Rates) -> Result<String, Box<dyn Error>> {
    let panels = panels(report);
    let grid = if panels.len() <= FEW { LARGE } else { SMALL };
    let columns = grid.columns_for(report).min(panels.len()).max(1);
    let rows = panels.len().div_ceil(columns).max(1);
    let width = LEAST_WIDTH.max(columns as i32 * grid.panel.0);
    let heading = Heading::new(report, width);
    let height = heading.height + rows as i32 * grid.panel.1;
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (width as u32, height as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        heading.draw(&root)?;
        let (_, below) = root.split_vertically(heading.height);
        for (panel, area) in panels.iter().zip(below.split_evenly((rows, columns))) {
            panel.draw(&area, report, rates)?;
        }
        root.present()?;
    }
    Ok(svg)
}

/// The width of a line of text, about: this backend does not measure fonts.
fn text_width(text: &str, size: i32) -> i32 {
    (text.chars().count() as f64 * f64::from(size) * 0.58) as i32
}

/// What the picture shows, and the legend.
struct Heading {
    title: String,
    facts: Vec<String>,
    /// Each contender's place, by its left end and line, and its name.
    legend: Vec<(i32, i32, String)>,
    height: i32,
}

impl Heading {
    fn new(report: &Report, width: i32) -> Self {
        let facts = wrap(&format!("affinimath {} on {}", report.affinimath, report.target), width - 2 * MARGIN, TEXT);
        let mut legend = Vec::new();
        let mut top = MARGIN + TITLE + 10 + facts.len() as i32 * (TEXT + 4) + 14;
        let mut left = MARGIN;
        for contender in &report.contenders {
            let room = 44 + text_width(&contender.name, TEXT);
            if left > MARGIN && left + room > width - MARGIN {
                (left, top) = (MARGIN, top + TEXT + 9);
            }
            legend.push((left, top, contender.name.clone()));
            left += room + 14;
        }
        let title = format!(
            "{} in {}, operands in the {} memory",
            report.operation,
            report.unit,
            match report.memory {
                super::target::MemoryChoice::Host => "host's",
                super::target::MemoryChoice::Device => "device's",
            }
        );
        Heading { title, facts, legend, height: top + TEXT + 12 }
    }

    fn draw(&self, root: &Area<'_>) -> Drawn {
        let title = ("sans-serif", TITLE).into_font().style(FontStyle::Bold);
        root.draw(&Text::new(self.title.clone(), (MARGIN, MARGIN - 6), title))?;
        for (line, text) in self.facts.iter().enumerate() {
            let top = MARGIN + TITLE + 6 + line as i32 * (TEXT + 4);
            root.draw(&Text::new(
                text.clone(),
                (MARGIN, top),
                ("sans-serif", TEXT).into_font().color(&BLACK.mix(0.7)),
            ))?;
        }
        for (index, (left, top, name)) in self.legend.iter().enumerate() {
            let style = line_style(index);
            root.draw(&PathElement::new(vec![(*left, *top), (left + 30, *top)], style))?;
            root.draw(&marker(index, (left + 15, *top)))?;
            let text = ("sans-serif", TEXT).into_font().into_text_style(root).pos(Pos::new(HPos::Left, VPos::Center));
            root.draw(&Text::new(name.clone(), (left + 38, *top), text))?;
        }
        Ok(())
    }
}

/// Words in lines of at most this width.
fn wrap(text: &str, width: i32, size: i32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line, size) + text_width(word, size) + size <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn line_style(index: usize) -> ShapeStyle {
    // Ours is the line that the eye should find first.
    COLOURS[index % COLOURS.len()].stroke_width(if index == 0 { 3 } else { 2 })
}

/// The cases of one element type and variant.
struct Panel<'a> {
    title: String,
    cases: Vec<&'a CaseReport>,
}

/// The panels, those of one routine and variant beside each other.
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
    fn draw(&self, area: &Area<'_>, report: &Report, rates: Rates) -> Drawn {
        let Range { start: lowest, end: highest } = self.rates();
        match rates {
            Rates::Linear => self.draw_on(area, report, 0.0..highest * 1.08),
            Rates::Logarithmic => {
                let range = lowest / 1.3..highest * 1.3;
                let ticks = decimal_ticks(&range);
                self.draw_on(area, report, range.log_scale().with_key_points(ticks))
            }
        }
    }

    fn draw_on<V>(&self, area: &Area<'_>, report: &Report, vertical: V) -> Drawn
    where
        V: AsRangedCoord<Value = f64>,
        V::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let sizes = self.sizes();
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
        let names: String = self.cases[0].sizes.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" = ");
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.12))
            .axis_desc_style(("sans-serif", TEXT))
            .label_style(("sans-serif", 12))
            .x_desc(if equal { names } else { "geometric mean of the sizes".to_owned() })
            .y_desc(report.unit)
            .y_labels(6)
            .x_label_formatter(&|size| size_label(*size))
            .y_label_formatter(&|rate| tick_label(*rate))
            .draw()?;
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
        let (least, most) = sizes.fold((f64::INFINITY, 0.0_f64), |(l, m), size| (l.min(size), m.max(size)));
        // Room around the outermost points, and an axis also where there is one size only.
        let room = if most < least * 1.5 { 1.5 } else { 1.1 };
        least / room..most * room
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

/// 1, 2 and 5 times powers of ten, or the powers alone where they are many.
fn decimal_ticks(range: &Range<f64>) -> Vec<f64> {
    let decades = range.start.log10().floor() as i32..=range.end.log10().ceil() as i32;
    let steps: &[f64] = if range.end / range.start > 300.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let all = decades.flat_map(|decade| steps.iter().map(move |step| step * 10.0_f64.powi(decade)));
    all.filter(|rate| range.contains(rate)).collect()
}

/// A size; from 16384 on, a round one in units of 2^10 and 2^20.
fn size_label(size: f64) -> String {
    let units = [(2.0_f64.powi(30), "Gi"), (2.0_f64.powi(20), "Mi"), (2.0_f64.powi(10), "Ki")];
    let round = units.iter().find(|(unit, _)| size >= 16384.0 && (size / unit).fract() == 0.0);
    round.map_or_else(|| format!("{size:.0}"), |(unit, letters)| format!("{:.0}{letters}", size / unit))
}

fn tick_label(rate: f64) -> String {
    if rate == rate.trunc() { format!("{rate:.0}") } else { format!("{rate:.3}").trim_end_matches('0').to_owned() }
}

/// A contender's marker: shapes tell lines apart where colours do not.
fn marker<'a>(index: usize, at: (i32, i32)) -> DynElement<'static, SVGBackend<'a>, (i32, i32)> {
    let colour = COLOURS[index % COLOURS.len()];
    match index % 4 {
        0 => Circle::new(at, 4, colour.filled()).into_dyn(),
        1 => TriangleMarker::new(at, 6, colour.filled()).into_dyn(),
        2 => Rectangle::new([(at.0 - 4, at.1 - 4), (at.0 + 4, at.1 + 4)], colour.filled()).into_dyn(),
        _ => Cross::new(at, 5, colour.stroke_width(2)).into_dyn(),
    }
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
        let svg = draw(&report, Rates::Linear).unwrap();
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
        assert!(draw(&report, Rates::Linear).unwrap().contains("geometric mean of the sizes"));
        report.cases[0].results.iter_mut().for_each(|result| result.outcome = None);
        assert!(draw(&report, Rates::Linear).unwrap().contains("Sgemm nn"));
        report.cases.clear();
        assert!(draw(&report, Rates::Linear).is_ok());
    }

    #[test]
    fn ticks_are_powers_of_two_or_round_numbers() {
        assert_eq!(ticks(&(60.0..1100.0)), [64.0, 128.0, 256.0, 512.0, 1024.0]);
        assert_eq!(ticks(&(90.0..140.0)), [90.0, 100.0, 110.0, 120.0, 130.0]);
        assert!(!ticks(&(1.0 / 1.5..1.5)).is_empty());
        assert!(ticks(&(1.0..1e18)).len() <= 9);
    }

    #[test]
    fn rates_have_ticks_in_every_decade() {
        assert_eq!(decimal_ticks(&(8.0..120.0)), [10.0, 20.0, 50.0, 100.0]);
        assert_eq!(decimal_ticks(&(0.5..4000.0)), [1.0, 10.0, 100.0, 1000.0]);
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
        assert!(draw(&report, Rates::Logarithmic).unwrap().contains("Zaxpy"));
    }

    #[test]
    fn long_facts_are_wrapped() {
        let lines = wrap(&"word ".repeat(60), 400, TEXT);
        assert!(lines.len() > 3 && lines.iter().all(|line| text_width(line, TEXT) <= 400));
    }
}
