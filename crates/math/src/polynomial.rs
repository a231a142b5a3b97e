//! Polynomials with constant coefficients, lowest power first.

use crate::lanes::Lanes;

/// Horner's scheme: the fewest operations, each waiting for the one before.
#[inline(always)]
pub(crate) fn horner<L: Lanes>(l: L, x: L::F, coefficients: &'static [L::Real]) -> L::F {
    let mut value = l.splat(coefficients[coefficients.len() - 1]);
    for &coefficient in coefficients[..coefficients.len() - 1].iter().rev() {
        value = l.fma(value, x, l.splat(coefficient));
    }
    value
}

/// Horner's scheme for even and odd powers apart, in half the latency. `square` is x², which most callers have.
///
/// The two lowest terms are added last, so that the result is as accurate as by [`horner`].
#[inline(always)]
pub(crate) fn even_odd<L: Lanes>(l: L, x: L::F, square: L::F, coefficients: &'static [L::Real]) -> L::F {
    let n = coefficients.len();
    if n < 5 {
        return horner(l, x, coefficients);
    }
    let mut parts = [l.splat(coefficients[n - 1]), l.splat(coefficients[n - 2])];
    for power in (2..n - 2).rev() {
        let part = &mut parts[(n - 1 - power) % 2];
        *part = l.fma(*part, square, l.splat(coefficients[power]));
    }
    let (even, odd) = if n % 2 == 1 { (parts[0], parts[1]) } else { (parts[1], parts[0]) };
    let upper = l.fma(odd, x, even);
    l.fma(l.fma(upper, x, l.splat(coefficients[1])), x, l.splat(coefficients[0]))
}
