//! Comparison of arrays: exact, in units in the last place, or relative to the largest element.

use std::fmt;
use std::str::FromStr;

use half::f16;

use super::element::ElementKind;

/// How far values may be from the expected ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// The same bits.
    Exact,
    /// Units in the last place of each number; of integers, the difference.
    Ulps(u64),
    /// Relative to the largest modulus among the expected elements of the array.
    Relative(f64),
}

impl fmt::Display for Tolerance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tolerance::Exact => formatter.write_str("exact"),
            Tolerance::Ulps(ulps) => write!(formatter, "{ulps}ulp"),
            Tolerance::Relative(relative) => write!(formatter, "{relative:e}"),
        }
    }
}

impl FromStr for Tolerance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "exact" {
            return Ok(Tolerance::Exact);
        }
        let ulps = text.strip_suffix("ulps").or_else(|| text.strip_suffix("ulp"));
        let tolerance = match ulps {
            Some(number) => number.trim().parse().ok().map(Tolerance::Ulps),
            None => text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0).map(Tolerance::Relative),
        };
        tolerance.ok_or_else(|| format!("'{text}' is no tolerance: exact, 2ulp or 1e-12"))
    }
}

/// One element that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Index of the element in the array.
    pub index: usize,
    /// True for the imaginary part of a complex element.
    pub is_imaginary: bool,
    /// Expected number.
    pub expected: String,
    /// Number that was found.
    pub found: String,
    /// Units in the last place between them; `u64::MAX` where one is NaN.
    pub ulps: u64,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = if self.is_imaginary { " (imaginary part)" } else { "" };
        write!(formatter, "element {}{part} is {} instead of {}", self.index, self.found, self.expected)?;
        match self.ulps {
            u64::MAX => Ok(()),
            1 => formatter.write_str(", 1 ulp"),
            ulps => write!(formatter, ", {ulps} ulps"),
        }
    }
}

/// Comparison of two arrays of one type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Elements of each.
    pub elements: usize,
    /// Elements with other bits.
    pub different: usize,
    /// First of them.
    pub first: Option<Difference>,
    /// The one with the most units in the last place.
    pub worst: Option<Difference>,
    /// Largest difference relative to the largest expected modulus; infinite where NaN meets a number.
    pub relative: f64,
}

impl Comparison {
    /// True if no element is farther away than the tolerance says.
    pub fn within(&self, tolerance: Tolerance) -> bool {
        match tolerance {
            Tolerance::Exact => self.different == 0,
            Tolerance::Ulps(ulps) => self.worst.as_ref().is_none_or(|worst| worst.ulps <= ulps),
            Tolerance::Relative(relative) => self.relative <= relative,
        }
    }
}

/// Compares two arrays of as many bytes.
///
/// # Panics
/// For arrays of different lengths.
pub fn compare(kind: ElementKind, expected: &[u8], found: &[u8]) -> Comparison {
    assert_eq!(expected.len(), found.len(), "arrays of one length");
    let mut comparison = Comparison { elements: expected.len() / kind.bytes(), ..Comparison::default() };
    if expected == found {
        return comparison;
    }
    let size = kind.part().bytes();
    let (mut largest, mut farthest) = (0.0_f64, 0.0_f64);
    let mut last = usize::MAX;
    for (number, (a, b)) in expected.chunks_exact(size).zip(found.chunks_exact(size)).enumerate() {
        let (x, y) = (kind.real(a), kind.real(b));
        if x.is_finite() {
            largest = largest.max(x.abs());
        }
        if a == b {
            continue;
        }
        let (index, part) = (number / kind.parts(), number % kind.parts());
        comparison.different += usize::from(index != last);
        last = index;
        let ulps = ulps(kind.part(), a, b);
        // Of infinities of one sign and of two NaN the difference is none, too.
        farthest = farthest.max(if ulps == 0 { 0.0 } else { distance(x, y) });
        let difference =
            || Difference { index, is_imaginary: part == 1, expected: kind.text(a), found: kind.text(b), ulps };
        comparison.first.get_or_insert_with(difference);
        if comparison.worst.as_ref().is_none_or(|worst| worst.ulps < ulps) {
            comparison.worst = Some(difference());
        }
    }
    comparison.relative = if farthest == 0.0 { 0.0 } else { farthest / largest };
    comparison
}

fn distance(x: f64, y: f64) -> f64 {
    let distance = (x - y).abs();
    if distance.is_nan() { f64::INFINITY } else { distance }
}

/// Units in the last place between two numbers, or the difference of integers.
fn ulps(kind: ElementKind, a: &[u8], b: &[u8]) -> u64 {
    let (x, y) = (kind.real(a), kind.real(b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => return 0,
        (false, false) => {}
        _ => return u64::MAX,
    }
    let steps = |bytes: &[u8]| steps(kind, bytes);
    u64::try_from((steps(a) - steps(b)).unsigned_abs()).unwrap_or(u64::MAX).min(u64::MAX - 1)
}

/// Position of a number among all of its type, in order; both zeros have position 0.
fn steps(kind: ElementKind, bytes: &[u8]) -> i128 {
    fn ordered(bits: u64, sign: u64) -> i128 {
        let modulus = i128::from(bits & !sign);
        if bits & sign != 0 { -modulus } else { modulus }
    }
    match kind {
        ElementKind::F16 => ordered(f16::from_le_bytes([bytes[0], bytes[1]]).to_bits().into(), 1 << 15),
        ElementKind::F32 => {
            let bits = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
            ordered(bits.into(), 1 << 31)
        }
        ElementKind::F64 => ordered(u64::from_le_bytes(bytes.try_into().expect("eight bytes")), 1 << 63),
        _ => kind.text(bytes).parse().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    #[test]
    fn ulps_are_counted_across_zero_and_for_nan() {
        let tiny = f32::from_bits(1);
        let cases = [(1.0, 1.0 + f32::EPSILON, 1), (0.0, -0.0, 0), (-tiny, tiny, 2), (f32::MAX, f32::INFINITY, 1)];
        for (a, b, ulps) in cases {
            let found = compare(ElementKind::F32, &bytes(&[a]), &bytes(&[b]));
            assert_eq!(found.worst.as_ref().unwrap().ulps, ulps, "{a} {b}");
            assert!(found.within(Tolerance::Ulps(ulps)) && !found.within(Tolerance::Exact));
        }
        let found = compare(ElementKind::F32, &bytes(&[f32::NAN, 1.0]), &bytes(&[-f32::NAN, f32::NAN]));
        assert_eq!((found.different, found.worst.as_ref().unwrap().index), (2, 1));
        assert!(!found.within(Tolerance::Ulps(1 << 60)) && !found.within(Tolerance::Relative(1e30)));
        assert!(compare(ElementKind::F32, &bytes(&[f32::NAN]), &bytes(&[f32::NAN])).within(Tolerance::Exact));
    }

    #[test]
    fn the_first_and_the_worst_element_are_named() {
        let (a, b) = (bytes(&[1.0, 2.0, 3.0, 100.0]), bytes(&[1.0, 2.5, 3.0, 99.0]));
        let found = compare(ElementKind::F32, &a, &b);
        assert_eq!((found.elements, found.different, found.first.unwrap().index), (4, 2, 1));
        assert_eq!(found.relative, 0.01);
        let found = compare(ElementKind::C32, &a, &b);
        let first = found.first.unwrap();
        assert_eq!((found.different, first.index, first.is_imaginary), (2, 0, true));
        assert_eq!(first.to_string(), "element 0 (imaginary part) is 2.5 instead of 2.0, 2097152 ulps");
    }

    #[test]
    fn integers_differ_by_their_difference() {
        let (a, b) = (i64::MIN.to_le_bytes(), i64::MAX.to_le_bytes());
        let found = compare(ElementKind::I64, &a, &b);
        assert_eq!(found.worst.unwrap().ulps, u64::MAX - 1);
        let found = compare(ElementKind::U8, &[1, 2], &[1, 9]);
        assert!(found.within(Tolerance::Ulps(7)) && !found.within(Tolerance::Ulps(6)));
    }

    #[test]
    fn tolerances_are_read_and_written() {
        for text in ["exact", "2ulp", "1e-12", "0e0"] {
            assert_eq!(text.parse::<Tolerance>().unwrap().to_string(), text);
        }
        assert_eq!("3ulps".parse(), Ok(Tolerance::Ulps(3)));
        for text in ["", "ulp", "-1", "nan", "inf", "1.5ulp", "some"] {
            assert!(text.parse::<Tolerance>().is_err(), "{text}");
        }
    }
}
