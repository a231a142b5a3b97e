//! Polynomials with constant coefficients, lowest power first.

use crate::lanes::Lanes;

/// Horner's scheme: the fewest operations, each waiting for the one before.
#[inline(always)]
pub fn horner<L: Lanes, const N: usize>(l: L, x: L::F, coefficients: &[L::Real; N]) -> L::F {
    let mut value = l.splat(coefficients[N - 1]);
    for &coefficient in coefficients[..N - 1].iter().rev() {
        value = l.fma(value, x, l.splat(coefficient));
    }
    value
}

/// Horner's scheme for even and odd powers apart, in half the latency. `square` is x², which most callers have.
///
/// The two lowest terms are added last, so that the result is as accurate as by [`horner`].
#[inline(always)]
pub fn even_odd<L: Lanes, const N: usize>(l: L, x: L::F, square: L::F, coefficients: &[L::Real; N]) -> L::F {
    if N < 5 {
        return horner(l, x, coefficients);
    }
    let mut parts = [l.splat(coefficients[N - 1]), l.splat(coefficients[N - 2])];
    for power in (2..N - 2).rev() {
        let part = &mut parts[(N - 1 - power) % 2];
        *part = l.fma(*part, square, l.splat(coefficients[power]));
    }
    let (even, odd) = if N % 2 == 1 { (parts[0], parts[1]) } else { (parts[1], parts[0]) };
    let upper = l.fma(odd, x, even);
    l.fma(l.fma(upper, x, l.splat(coefficients[1])), x, l.splat(coefficients[0]))
}
