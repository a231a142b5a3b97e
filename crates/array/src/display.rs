//! Arrays as text, in the form in which NumPy prints them.

use super::element::HostSlice;
use super::shape::{Axes, Shape};
use std::fmt::{Display, LowerExp};

/// Elements up to which an array is printed whole.
pub const THRESHOLD: usize = 1000;

/// Elements at each end of an axis that a larger array prints.
pub const EDGE: usize = 3;

/// Digits after the point at most.
const PRECISION: usize = 8;

/// Characters of a line.
const LINE_WIDTH: usize = 75;

/// The elements, in row-major order, as text. Along the axes of `cut` there are the first and the last [`EDGE`] ones,
/// and dots stand between them.
///
/// Columns are aligned. Floating-point numbers have their shortest digits that round to the element, at most 8 after
/// the point; all have an exponent if one is 1e8 or more, below 1e-4, or 1000 times another one.
///
/// ```
/// use affinimath_array::{display, element::HostSlice, shape::{Axes, Shape}};
///
/// let text = display::format(HostSlice::F64(&[1.0, 2.5, -3.0, 0.25]), &Shape::new(&[2, 2]).unwrap(), Axes::default());
/// assert_eq!(text, "[[ 1.    2.5 ]\n [-3.    0.25]]");
/// ```
pub fn format(elements: HostSlice<'_>, shape: &Shape, cut: Axes) -> String {
    if shape.rank() == 0 {
        return single(elements);
    }
    if shape.is_empty() {
        return "[]".to_owned();
    }
    let words = words(elements);
    let writer = Writer { words: &words, shape, cut };
    writer.axis(0, 0, words.len(), " ", LINE_WIDTH)
}

/// The only element, with all its digits.
fn single(elements: HostSlice<'_>) -> String {
    match elements {
        HostSlice::Bool(x) => x.iter().map(bool::to_string).collect(),
        HostSlice::U8(x) => x.iter().map(u8::to_string).collect(),
        HostSlice::I32(x) => x.iter().map(i32::to_string).collect(),
        HostSlice::U32(x) => x.iter().map(u32::to_string).collect(),
        HostSlice::I64(x) => x.iter().map(i64::to_string).collect(),
        HostSlice::F32(x) => x.iter().map(|x| format!("{x:?}")).collect(),
        HostSlice::F64(x) => x.iter().map(|x| format!("{x:?}")).collect(),
        HostSlice::C32(x) => x.iter().map(|x| format!("{:?}{:+?}i", x.re, x.im)).collect(),
        HostSlice::C64(x) => x.iter().map(|x| format!("{:?}{:+?}i", x.re, x.im)).collect(),
    }
}

/// The elements, padded to one width.
fn words(elements: HostSlice<'_>) -> Vec<String> {
    match elements {
        HostSlice::Bool(x) => aligned(x),
        HostSlice::U8(x) => aligned(x),
        HostSlice::I32(x) => aligned(x),
        HostSlice::U32(x) => aligned(x),
        HostSlice::I64(x) => aligned(x),
        HostSlice::F32(x) => floats(x, false),
        HostSlice::F64(x) => floats(x, false),
        HostSlice::C32(x) => complex(x.iter().map(|x| x.re).collect(), x.iter().map(|x| x.im).collect()),
        HostSlice::C64(x) => complex(x.iter().map(|x| x.re).collect(), x.iter().map(|x| x.im).collect()),
    }
}

fn aligned<T: Display>(elements: &[T]) -> Vec<String> {
    let words: Vec<String> = elements.iter().map(T::to_string).collect();
    let width = words.iter().map(String::len).max().unwrap_or(0);
    words.into_iter().map(|word| format!("{word:>width$}")).collect()
}

fn complex<T: Float>(re: Vec<T>, im: Vec<T>) -> Vec<String> {
    let parts = floats(&re, false).into_iter().zip(floats(&im, true));
    parts
        .map(|(re, im)| {
            // The padding of the imaginary part stands behind its unit.
            let digits = im.trim_end();
            format!("{re}{digits}i{}", &im[digits.len()..])
        })
        .collect()
}

/// `f32` or `f64`.
trait Float: Copy + Display + LowerExp + Into<f64> {}

impl Float for f32 {}
impl Float for f64 {}

/// A number cut at the point.
struct Parts {
    /// Sign and digits before the point.
    whole: String,
    /// Digits after it.
    fraction: String,
    /// Sign and digits of the exponent, without the `e`.
    exponent: String,
}

/// Numbers with their points in one column; with `is_signed` positive ones have a sign.
fn floats<T: Float>(elements: &[T], is_signed: bool) -> Vec<String> {
    let finite = || elements.iter().copied().filter(|&x| x.into().is_finite());
    let has_exponent = wants_exponent(finite().map(|x| x.into().abs()));
    let parts: Vec<Parts> = finite()
        .map(|x| match has_exponent {
            true => scientific(x, is_signed),
            false => positional(x, is_signed),
        })
        .collect();
    let longest = |part: fn(&Parts) -> &String| parts.iter().map(|parts| part(parts).len()).max().unwrap_or(0);
    let (whole, fraction) = (longest(|parts| &parts.whole), longest(|parts| &parts.fraction));
    let exponent = longest(|parts| &parts.exponent);
    let special = |x: f64| match x {
        _ if x.is_nan() => Some("nan"),
        f64::INFINITY => Some(if is_signed { "+inf" } else { "inf" }),
        f64::NEG_INFINITY => Some("-inf"),
        _ => None,
    };
    let behind = if has_exponent { fraction + 1 + exponent } else { fraction };
    let point = usize::from(!parts.is_empty());
    let widest = elements.iter().filter_map(|&x| special(x.into())).map(str::len).max().unwrap_or(0);
    let whole = whole.max(widest.saturating_sub(behind + point));
    let width = whole + point + behind;
    let mut parts = parts.into_iter();
    let mut number = || {
        let Parts { whole: digits, fraction: behind, exponent: power } =
            parts.next().unwrap_or(Parts { whole: String::new(), fraction: String::new(), exponent: String::new() });
        match has_exponent {
            // With an exponent all have as many digits.
            true => {
                let (sign, power) = power.split_at(power.len().min(1));
                let exponent_digits = exponent.saturating_sub(1);
                format!("{digits:>whole$}.{behind:0<fraction$}e{sign}{power:0>exponent_digits$}")
            }
            false => format!("{digits:>whole$}.{behind:<fraction$}"),
        }
    };
    elements
        .iter()
        .map(|&x| match special(x.into()) {
            Some(word) => format!("{word:>width$}"),
            None => number(),
        })
        .collect()
}

/// True if the magnitudes are written with exponents.
fn wants_exponent(magnitudes: impl Iterator<Item = f64>) -> bool {
    let (mut least, mut greatest) = (f64::INFINITY, 0.0f64);
    for magnitude in magnitudes.filter(|&magnitude| magnitude != 0.0) {
        least = least.min(magnitude);
        greatest = greatest.max(magnitude);
    }
    greatest != 0.0 && (greatest >= 1e8 || least < 1e-4 || greatest / least > 1000.0)
}

/// The shortest digits, rounded where there are more than [`PRECISION`] after the point.
fn positional<T: Float>(x: T, is_signed: bool) -> Parts {
    let shortest = if is_signed { format!("{x:+}") } else { format!("{x}") };
    let (whole, fraction) = shortest.split_once('.').unwrap_or((&shortest, ""));
    if fraction.len() <= PRECISION {
        return Parts { whole: whole.to_owned(), fraction: fraction.to_owned(), exponent: String::new() };
    }
    let rounded = if is_signed { format!("{x:+.PRECISION$}") } else { format!("{x:.PRECISION$}") };
    let (whole, fraction) = rounded.split_once('.').unwrap_or((&rounded, ""));
    let fraction = fraction.trim_end_matches('0').to_owned();
    Parts { whole: whole.to_owned(), fraction, exponent: String::new() }
}

/// The same with an exponent of at least two digits.
fn scientific<T: Float>(x: T, is_signed: bool) -> Parts {
    let cut = |text: &str| {
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let (sign, power) = match exponent.strip_prefix('-') {
            Some(power) => ('-', power),
            None => ('+', exponent),
        };
        Parts { whole: whole.to_owned(), fraction: fraction.to_owned(), exponent: format!("{sign}{power:0>2}") }
    };
    let shortest = cut(&if is_signed { format!("{x:+e}") } else { format!("{x:e}") });
    if shortest.fraction.len() <= PRECISION {
        return shortest;
    }
    let mut rounded = cut(&if is_signed { format!("{x:+.PRECISION$e}") } else { format!("{x:.PRECISION$e}") });
    rounded.fraction.truncate(rounded.fraction.trim_end_matches('0').len());
    rounded
}

/// Words of the elements, to be set in brackets.
struct Writer<'a> {
    words: &'a [String],
    shape: &'a Shape,
    cut: Axes,
}

impl Writer<'_> {
    /// The part of the array from word `first` on, of `count` words along the axes from `axis` on. Lines but the first
    /// one begin with `indent`, and fit `width`.
    fn axis(&self, axis: usize, first: usize, count: usize, indent: &str, width: usize) -> String {
        let extent = self.shape[axis];
        let step = count / extent;
        let dots_before = if self.cut.contains(axis) { Some(EDGE) } else { None };
        if axis + 1 == self.shape.rank() {
            return self.row(first, extent, dots_before, indent, width);
        }
        let separator = "\n".repeat(self.shape.rank() - axis - 1);
        let deeper = format!("{indent} ");
        let mut text = String::from("[");
        for index in 0..extent {
            if index > 0 {
                text.push_str(&separator);
                text.push_str(indent);
            }
            if dots_before == Some(index) {
                text.push_str("...");
                text.push_str(&separator);
                text.push_str(indent);
            }
            text.push_str(&self.axis(axis + 1, first + index * step, step, &deeper, width - 1));
        }
        text.push(']');
        text
    }

    /// The words of a row.
    fn row(&self, first: usize, extent: usize, dots_before: Option<usize>, indent: &str, width: usize) -> String {
        let (mut lines, mut line) = (String::new(), indent.to_owned());
        let mut push = |word: &str, is_last: bool| {
            // The last bracket takes a column too.
            if line.len() + word.len() > width - 1 && line.len() > indent.len() {
                lines.push_str(line.trim_end());
                lines.push('\n');
                line = indent.to_owned();
            }
            line.push_str(word);
            if !is_last {
                line.push(' ');
            }
        };
        for index in 0..extent {
            if dots_before == Some(index) {
                push("...", false);
            }
            push(&self.words[first + index], index + 1 == extent);
        }
        lines.push_str(&line);
        format!("[{}]", &lines[indent.len()..])
    }
}
