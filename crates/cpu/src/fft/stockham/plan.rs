//! The radices of a length, and their tables.

use std::collections::HashMap;

use super::butterfly::matrix;
use affinimath_core::simd::Parts;

/// Radices that have butterflies of their own, in the order in which those of equal cost are preferred.
const RADICES: [usize; 16] = [8, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 20];

/// The largest of them.
pub(super) const LARGEST_BUTTERFLY: usize = 20;

/// The largest prime that is summed as it is defined: from here on convolutions take less time.
pub(super) const LARGEST_PRIME: usize = 127;

/// What a pass costs beside its butterflies, in real operations for each number.
const PASS: f64 = 8.0;

/// One pass.
#[derive(Debug)]
pub(super) struct Stage<T> {
    pub(super) radix: usize,
    /// The product of the radices before.
    pub(super) stride: usize,
    pub(super) twiddles: Vec<T>,
    pub(super) matrix: Vec<T>,
}

/// Whether a radix need not be summed as it is defined; so has 1, of which there is nothing to do.
const fn has_butterfly(radix: usize) -> bool {
    radix <= 16 || radix == LARGEST_BUTTERFLY
}

/// The largest prime factor; 1 of 1.
pub(in crate::fft) fn largest_prime(n: usize) -> usize {
    let (mut rest, mut p) = (n, 2);
    while p * p <= rest {
        if rest.is_multiple_of(p) { rest /= p } else { p += 1 }
    }
    rest
}

/// The radices of least work, the largest one first; [`LARGEST_PRIME`] bounds the prime factors.
pub(super) fn radices(n: usize) -> Vec<usize> {
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

/// About how many real operations a butterfly takes for each of its numbers.
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

/// The passes of a length; `root` tells e^(-2 pi i m / n), or its conjugate.
pub(super) fn stages<T: Parts>(n: usize, root: impl Fn(usize, usize) -> T) -> Vec<Stage<T>> {
    let mut stride = 1;
    let stage = |radix: usize| {
        let place = |j: usize| (0..stride).map(move |q| j * q);
        let twiddled = if stride == 1 { 0..0 } else { 1..radix };
        let twiddles = twiddled.flat_map(place).map(|m| root(m, stride * radix)).collect();
        let matrix = if has_butterfly(radix) { Vec::new() } else { matrix(radix) };
        let stage = Stage { radix, stride, twiddles, matrix };
        stride *= radix;
        stage
    };
    radices(n).into_iter().map(stage).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radices_make_up_the_length_and_fill_vectors_of_doubles() {
        for n in (1..=5000).filter(|n| largest_prime(*n) <= LARGEST_PRIME) {
            let radices = radices(n);
            assert_eq!(radices.iter().product::<usize>(), n);
            assert!(radices.len() <= 1 || radices[0] >= 4, "{n}: {radices:?}");
        }
        assert!(radices(1).is_empty());
        assert_eq!(radices(4096), [16, 16, 16]);
        assert_eq!(radices(20), [20]);
        assert_eq!(radices(2 * 127), [127, 2]);
    }
}
