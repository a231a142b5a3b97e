//! Sums of squares in doubles without overflow or underflow.

use std::ops::{Add, RangeInclusive};

use super::reduction::{fold, reals};
use crate::simd::dispatch;
use affinimath_core::scalar::{Real, Scalar};

/// Blue's three accumulators of squares, with the constants of Anderson (Algorithm 978, 2017): ordinary values, small
/// ones scaled up, and large ones scaled down. NaN counts as ordinary, Inf as large.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Squares {
    small: f64,
    ordinary: f64,
    large: f64,
}

const MIN_ORDINARY: f64 = power_of_two(-511);
const MAX_ORDINARY: f64 = power_of_two(486);
const SCALE_UP: f64 = power_of_two(537);
const SCALE_DOWN: f64 = power_of_two(-538);

/// 2^k as a normal double.
pub(super) const fn power_of_two(k: i32) -> f64 {
    assert!(-1022 <= k && k <= 1023);
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// Independent accumulators.
const LANES: usize = 32;

/// Independent accumulators for short vectors, and maximum elements that are added sequentially.
const SCALAR_ELEMENTS: usize = 8;

/// A sum of a run's squares in this range has lost nothing significant to underflow, and the sum of many runs does not
/// overflow.
const PLAIN: RangeInclusive<f64> = power_of_two(-960)..=power_of_two(960);

/// Square root of the sum of the squared moduli of contiguous elements.
#[inline]
pub(crate) fn norm<T: Scalar>(elements: &[T]) -> f64 {
    let reals = reals(elements);
    let plain = plain_sum(reals);
    if is_exact::<T>(plain) { plain.sqrt() } else { three_sums(reals.iter().copied()).square_root() }
}

/// Square root of the sum of the squared moduli of elements.
#[inline]
pub(crate) fn norm_of<T: Scalar>(elements: impl Iterator<Item = T> + Clone) -> f64 {
    let plain: f64 = elements.clone().map(|v| v.re() * v.re() + v.im() * v.im()).sum();
    if is_exact::<T>(plain) {
        return plain.sqrt();
    }
    three_sums(elements.flat_map(|v| [v.re(), v.im()])).square_root()
}

/// True if a plain sum of squares is exact enough: always for floats, whose squares are ordinary doubles.
#[inline]
fn is_exact<T: Scalar>(plain: f64) -> bool {
    !T::KIND.is_double() || PLAIN.contains(&plain)
}

/// Squares of a run of real numbers.
pub(crate) fn of_run<R: Real>(reals: &[R]) -> Squares {
    let plain = plain_sum(reals);
    if is_exact::<R>(plain) {
        return Squares { ordinary: plain, ..Squares::default() };
    }
    three_sums(reals.iter().copied())
}

#[inline]
fn plain_sum<R: Real>(reals: &[R]) -> f64 {
    if reals.len() < SCALAR_ELEMENTS {
        reals.iter().map(|v| v.re() * v.re()).sum()
    } else if reals.len() < LANES {
        dispatch(|| sum_in_lanes::<R, SCALAR_ELEMENTS>(reals))
    } else {
        dispatch(|| sum_in_lanes::<R, LANES>(reals))
    }
}

/// Sum of the squares in independent accumulators, added by pairwise reduction.
#[inline(always)]
fn sum_in_lanes<R: Real, const SUMS: usize>(reals: &[R]) -> f64 {
    let mut accumulators = [0.0; SUMS];
    let (chunks, rest) = reals.as_chunks::<SUMS>();
    for chunk in chunks {
        for lane in 0..SUMS {
            let v: f64 = chunk[lane].into();
            accumulators[lane] += v * v;
        }
    }
    for (sum, v) in accumulators.iter_mut().zip(rest) {
        let v: f64 = (*v).into();
        *sum += v * v;
    }
    fold(accumulators)
}

#[cold]
fn three_sums<R: Real>(reals: impl Iterator<Item = R>) -> Squares {
    let mut accumulators = Squares::default();
    for v in reals {
        let v: f64 = v.into();
        let (size, up, down) = (v.abs(), v * SCALE_UP, v * SCALE_DOWN);
        let (is_small, is_large) = (size < MIN_ORDINARY, size > MAX_ORDINARY);
        accumulators.small += if is_small { up * up } else { 0.0 };
        accumulators.large += if is_large { down * down } else { 0.0 };
        accumulators.ordinary += if is_small || is_large { 0.0 } else { v * v };
    }
    accumulators
}

impl Add for Squares {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Squares {
            small: self.small + other.small,
            ordinary: self.ordinary + other.ordinary,
            large: self.large + other.large,
        }
    }
}

impl Squares {
    /// Square root of the total.
    pub(crate) fn square_root(self) -> f64 {
        if self.large > 0.0 {
            // The small ones do not count.
            return (self.large + self.ordinary * SCALE_DOWN * SCALE_DOWN).sqrt() / SCALE_DOWN;
        }
        let (ordinary, small) = (self.ordinary.sqrt(), self.small.sqrt() / SCALE_UP);
        // hypot answers to NaN and to either being 0.
        ordinary.hypot(small)
    }
}
