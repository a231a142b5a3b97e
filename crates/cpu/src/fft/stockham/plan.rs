//! Radices of a length, and their twiddles.

use std::collections::HashMap;

use super::butterfly::matrix;
use affinimath_core::simd::Parts;

/// Radices with a butterfly, in the order of preference at equal cost.
const RADICES: [usize; 16] = [8, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 20];

/// The largest radix with a butterfly.
pub(super) const LARGEST_BUTTERFLY: usize = 20;

/// The largest prime with a direct sum. Beyond it Bluestein's algorithm is faster.
pub const LARGEST_PRIME: usize = 127;

/// Cost of a pass beside its butterflies, in real operations for each point.
const PASS: f64 = 8.0;

/// One pass.
#[derive(Debug)]
pub(super) struct Stage<T> {
    pub(super) radix: usize,
    /// Product of the radices before.
    pub(super) stride: usize,
    pub(super) twiddles: Vec<T>,
    pub(super) matrix: Vec<T>,
}

/// True if a radix needs no direct sum.
const fn has_butterfly(radix: usize) -> bool {
    radix <= 16 || radix == LARGEST_BUTTERFLY
}

/// The largest prime factor; 1 of 1.
pub fn largest_prime(n: usize) -> usize {
    let (mut rest, mut p) = (n, 2);
    while p * p <= rest {
        if rest.is_multiple_of(p) { rest /= p } else { p += 1 }
    }
    rest
}

/// The cheapest radices, the largest one first. Prime factors are at most [`LARGEST_PRIME`].
pub fn radices(n: usize) -> Vec<usize> {
    let mut known = HashMap::from([(1, (0.0, 1))]);
    cheapest(n, &mut known);
    let (mut radices, mut rest) = (Vec::new(), n);
    while rest > 1 {
        let radix = known[&rest].1;
        radices.push(radix);
        rest /= radix;
    }
    radices.sort_unstable_by(|a, b| b.cmp(a));
    radices
}

fn cheapest(n: usize, known: &mut HashMap<usize, (f64, usize)>) -> f64 {
    if let Some((cost, _)) = known.get(&n) {
        return *cost;
    }
    let prime = largest_prime(n);
    let candidates = if has_butterfly(prime) { RADICES.to_vec() } else { vec![prime] };
    let mut best = (f64::INFINITY, n);
    for radix in candidates.into_iter().filter(|radix| n.is_multiple_of(*radix)) {
        let cost = cheapest(n / radix, known) + PASS + operations(radix);
        if cost < best.0 {
            best = (cost, radix);
        }
    }
    known.insert(n, best);
    best.0
}

/// Estimated real operations of a butterfly for each point.
fn operations(radix: usize) -> f64 {
    match radix {
        2 => 2.0,
        4 => 4.0,
        6 => 7.0,
        8 => 6.5,
        9 => 11.5,
        10 | 12 | 16 => 9.0,
        14 | 20 => 11.0,
        15 => 12.0,
        prime => prime as f64 + 2.0,
    }
}

/// The passes of a length; `root` computes e^(-2 pi i m / n), or its conjugate.
pub(super) fn stages<T: Parts>(n: usize, root: impl Fn(usize, usize) -> T) -> Vec<Stage<T>> {
    let mut stride = 1;
    let stage = |radix: usize| {
        let exponents = |j: usize| (0..stride).map(move |q| j * q);
        let twiddled = if stride == 1 { 0..0 } else { 1..radix };
        let twiddles = twiddled.flat_map(exponents).map(|m| root(m, stride * radix)).collect();
        let matrix = if has_butterfly(radix) { Vec::new() } else { matrix(radix) };
        let stage = Stage { radix, stride, twiddles, matrix };
        stride *= radix;
        stage
    };
    radices(n).into_iter().map(stage).collect()
}
