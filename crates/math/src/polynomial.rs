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

/// Horner's scheme for even and odd powers apart: one product more, in half the latency.
///
/// `square` is x².
#[inline(always)]
pub fn even_odd<L: Lanes, const N: usize>(l: L, x: L::F, square: L::F, coefficients: &[L::Real; N]) -> L::F {
    if N < 3 {
        return horner(l, x, coefficients);
    }
    let mut parts = [l.splat(coefficients[N - 1]), l.splat(coefficients[N - 2])];
    for power in (0..N - 2).rev() {
        let part = &mut parts[(N - 1 - power) % 2];
        *part = l.fma(*part, square, l.splat(coefficients[power]));
    }
    let (even, odd) = if N % 2 == 1 { (parts[0], parts[1]) } else { (parts[1], parts[0]) };
    l.fma(odd, x, even)
}

/// Estrin's scheme: pairs of terms are joined, then pairs of pairs.
#[inline(always)]
pub fn estrin<L: Lanes, const N: usize>(l: L, x: L::F, coefficients: &[L::Real; N]) -> L::F {
    let mut terms = coefficients.map(|coefficient| l.splat(coefficient));
    let (mut count, mut power) = (N, x);
    while count > 1 {
        for i in 0..count / 2 {
            terms[i] = l.fma(terms[2 * i + 1], power, terms[2 * i]);
        }
        if count % 2 == 1 {
            terms[count / 2] = terms[count - 1];
        }
        count = count.div_ceil(2);
        if count > 1 {
            power = l.mul(power, power);
        }
    }
    terms[0]
}
