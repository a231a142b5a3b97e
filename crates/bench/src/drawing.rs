//! Common parts of plots: colours and fonts, heading and legend, ticks of logarithmic axes.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Colours that colour-blind readers tell apart too (Okabe and Ito), ours first.
pub(crate) const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// The margin at the sides.
const MARGIN: i32 = 20;
const TITLE: i32 = 20;
/// The size of letters.
pub const TEXT: i32 = 13;

/// A drawing, or a part of one.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// The result of drawing: nothing, or the backend's error.
pub type Drawn = Result<(), Box<dyn Error>>;

/// The width of a line of text, about: this backend does not measure fonts.
fn text_width(text: &str, size: i32) -> i32 {
    (text.chars().count() as f64 * f64::from(size) * 0.58) as i32
}

/// Heading and legend of a plot.
pub struct Heading {
    title: String,
    facts: Vec<String>,
    /// The place of each name, by its left end and line.
    legend: Vec<(i32, i32, String)>,
    /// In pixels, with a margin below.
    pub height: i32,
}

impl Heading {
    /// For a picture that is so wide, with a line and a marker for each name.
    pub fn new<'a>(title: String, facts: &str, names: impl IntoIterator<Item = &'a str>, width: i32) -> Self {
        let facts = wrap(facts, width - 2 * MARGIN, TEXT);
        let mut legend = Vec::new();
        let mut top = MARGIN + TITLE + 10 + facts.len() as i32 * (TEXT + 4) + 14;
        let mut left = MARGIN;
        for name in names {
            let room = 44 + text_width(name, TEXT);
            if left > MARGIN && left + room > width - MARGIN {
                (left, top) = (MARGIN, top + TEXT + 9);
            }
            legend.push((left, top, name.to_owned()));
            left += room + 14;
        }
        Heading { title, facts, legend, height: top + TEXT + 12 }
    }

    /// Draws it at the top.
    ///
    /// # Errors
    /// The backend's own report.
    pub fn draw(&self, root: &Area<'_>) -> Drawn {
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

/// Style of a line.
pub fn line_style(index: usize) -> ShapeStyle {
    // Ours is the line that the eye should find first.
    COLOURS[index % COLOURS.len()].stroke_width(if index == 0 { 3 } else { 2 })
}

/// 1, 2 and 5 times powers of ten, the powers alone where they are many, or more steps where these are few.
pub fn decimal_ticks(range: &Range<f64>) -> Vec<f64> {
    let decades = range.start.log10().floor() as i32..=range.end.log10().ceil() as i32;
    let steps: &[f64] = match range.end / range.start {
        ratio if ratio > 300.0 => &[1.0],
        ratio if ratio > 5.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
    };
    let all = decades.flat_map(|decade| steps.iter().map(move |step| step * 10.0_f64.powi(decade)));
    all.filter(|rate| range.contains(rate)).collect()
}

/// A line's marker: shapes tell lines apart where colours do not.
pub fn marker<'a>(index: usize, at: (i32, i32)) -> DynElement<'static, SVGBackend<'a>, (i32, i32)> {
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
    use super::*;

    #[test]
    fn rates_have_ticks_in_every_decade() {
        assert_eq!(decimal_ticks(&(8.0..120.0)), [10.0, 20.0, 50.0, 100.0]);
        assert_eq!(decimal_ticks(&(0.5..4000.0)), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(decimal_ticks(&(14.0..42.0)), [15.0, 20.0, 30.0, 40.0]);
    }

    #[test]
    fn long_facts_are_wrapped() {
        let lines = wrap(&"word ".repeat(60), 400, TEXT);
        assert!(lines.len() > 3 && lines.iter().all(|line| text_width(line, TEXT) <= 400));
    }
}
