//! Boundary conditions beside loops over arrays: values outside follow the definition of each condition, at sizes about
//! the radius, the length of vectors and the length of strips.

mod common;

use affinimath_stencil::{STRIP, Span};
use common::{Case, noise, parse, points};

/// The radius on x and y, before and behind.
const RADIUS: [[i64; 2]; 2] = [[3, 2], [1, 2]];

/// Taps and their weights: neighbours on the axes, and corners.
const TAPS: [([i64; 2], i64); 7] =
    [([-3, 0], 1), ([2, 0], 2), ([0, -1], -1), ([0, 2], 1), ([-1, -1], -1), ([2, 2], 1), ([-3, 2], -1)];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Keep,
    Value,
    Periodic,
    Neumann,
    Reflect,
    Symmetric,
    Antireflect,
    Clamp,
}

const KINDS: [Kind; 8] = [
    Kind::Keep,
    Kind::Value,
    Kind::Periodic,
    Kind::Neumann,
    Kind::Reflect,
    Kind::Symmetric,
    Kind::Antireflect,
    Kind::Clamp,
];

/// The derivative of `neumann`.
const SLOPE: i64 = 2;

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Kind::Keep => "keep",
            Kind::Value => "3 * t + x - 2 * y",
            Kind::Periodic => "periodic",
            Kind::Neumann => "neumann(2)",
            Kind::Reflect => "reflect",
            Kind::Symmetric => "symmetric",
            Kind::Antireflect => "antireflect",
            Kind::Clamp => "clamp",
        }
    }

    /// Points of the domain that it reads at least, on an axis.
    fn needs(self, axis: usize) -> i64 {
        let reach = RADIUS[axis][0].max(RADIUS[axis][1]);
        match self {
            Kind::Keep | Kind::Value | Kind::Periodic | Kind::Clamp => 1,
            Kind::Neumann | Kind::Symmetric => reach,
            Kind::Reflect | Kind::Antireflect => reach + 1,
        }
    }
}

/// The first values, in the domain and on the border.
fn start(cell: [i64; 2]) -> i64 {
    (2.9 * noise(11, &cell)) as i64
}

/// A level of the loop: the domain's values, and those outside by their definition.
struct Level {
    lengths: [i64; 2],
    kinds: [Kind; 2],
    time: i64,
    inside: Vec<i64>,
}

impl Level {
    fn at(&self, cell: [i64; 2]) -> i64 {
        // The last axis on which a point is outside decides.
        match [1, 0].into_iter().find(|&axis| !(1..=self.lengths[axis]).contains(&cell[axis])) {
            Some(axis) => self.outside(cell, axis),
            None => self.inside[(cell[0] - 1 + self.lengths[0] * (cell[1] - 1)) as usize],
        }
    }

    fn outside(&self, cell: [i64; 2], axis: usize) -> i64 {
        let (at, length) = (cell[axis], self.lengths[axis]);
        let (face, inwards, k) = if at < 1 { (1, 1, 1 - at) } else { (length, -1, at - length) };
        let moved = |to: i64| {
            let mut other = cell;
            other[axis] = to;
            self.at(other)
        };
        match self.kinds[axis] {
            Kind::Keep => start(cell),
            Kind::Value => 3 * self.time + cell[0] - 2 * cell[1],
            Kind::Periodic => moved((at - 1).rem_euclid(length) + 1),
            Kind::Neumann => moved(face + (k - 1) * inwards) + (2 * k - 1) * SLOPE,
            Kind::Reflect => moved(face + k * inwards),
            Kind::Symmetric => moved(face + (k - 1) * inwards),
            Kind::Antireflect => 2 * moved(face) - moved(face + k * inwards),
            Kind::Clamp => moved(face),
        }
    }

    fn next(&self) -> Self {
        let [nx, ny] = self.lengths;
        let value = |x: i64, y: i64| TAPS.iter().map(|(by, weight)| weight * self.at([x + by[0], y + by[1]])).sum();
        let inside = (1..=ny).flat_map(|y| (1..=nx).map(move |x| (x, y))).map(|(x, y)| value(x, y)).collect();
        Level { time: self.time + 1, inside, ..*self }
    }
}

fn text(kind: &str, kinds: [Kind; 2]) -> String {
    let terms = TAPS.iter().map(|([x, y], weight)| format!("{weight} * u[x{x:+},y{y:+}; t]"));
    format!(
        "stencil loops {{
           domainsize = (1 .. nx, 1 .. ny);
           operation ({kind} grid u) {{ u[x,y; t+1] = {}; }}
           boundary {{ u: x = {}; y = {}; }}
         }}",
        terms.collect::<Vec<_>>().join(" + "),
        kinds[0].text(),
        kinds[1].text()
    )
}

/// Values are integers below 2^24: exact in all four types.
fn check(kind: &str, kinds: [Kind; 2], lengths: [i64; 2], steps: u64) {
    let what = format!("{kind} {kinds:?} {lengths:?}");
    let mut case = Case::new(&parse(&text(kind, kinds)), &[("nx", lengths[0]), ("ny", lengths[1])]);
    case.fill(0, |cell| start([cell[0], cell[1]]) as f64);
    let span = Span { steps: Some(steps), ..Span::default() };
    let is_large_enough = (0..2).all(|axis| lengths[axis] >= kinds[axis].needs(axis));
    if let Err(error) = case.try_run(&[], span) {
        assert!(!is_large_enough && error.reason.contains("and the boundary of 'u' needs"), "{what}: {error}");
        return;
    }
    assert!(is_large_enough, "{what} is not refused");
    let inside = (1..=lengths[1]).flat_map(|y| (1..=lengths[0]).map(move |x| start([x, y]))).collect();
    let mut level = Level { lengths, kinds, time: 0, inside };
    for _ in 0..steps {
        level = level.next();
    }
    for cell in points(&[1..=lengths[0], 1..=lengths[1]]) {
        let wanted = level.at([cell[0], cell[1]]);
        assert!(wanted.abs() < 1 << 24, "{what}: {wanted} is not exact");
        assert_eq!(case.get(0, &cell), wanted as f64, "{what} at {cell:?}");
    }
}

const TYPES: [&str; 4] = ["int", "long", "float", "double"];

#[test]
fn all_pairs_of_conditions_are_the_loop() {
    for (number, (x, y)) in KINDS.iter().flat_map(|x| KINDS.map(|y| (*x, y))).enumerate() {
        check(TYPES[number % 4], [x, y], [7, 5], 3);
        check(TYPES[(number + 1) % 4], [x, y], [4, 3], 3);
    }
}

/// One point, two, about the radius, a prime, and one more than vectors, blocks and strips have.
#[test]
fn all_sizes_are_the_loop() {
    let strip = STRIP as i64;
    for (number, kind) in KINDS.into_iter().enumerate() {
        let other = KINDS[(number + 3) % 8];
        for (size, n) in [1, 2, 3, 4, 5, 13, 17, 33, strip - 1, strip + 1].into_iter().enumerate() {
            check(TYPES[(number + size) % 4], [kind, other], [n, 3 + size as i64 % 3], 2);
            check(TYPES[(number + size) % 4], [other, kind], [4 + size as i64 % 2, n], 2);
        }
    }
}

/// The same where a simulator looks for accesses out of bounds and races.
mod device_small {
    use super::*;

    #[test]
    fn conditions_are_the_loop() {
        for (number, kind) in KINDS.into_iter().enumerate() {
            check(TYPES[number % 4], [kind, KINDS[(number + 5) % 8]], [5, 4], 2);
        }
    }
}
