//! Reductions on the host: dot, asum, nrm2, iamax, iamin.
//!
//! Vectors are processed in runs. A run has as many accumulators as fill SIMD vectors; runs and chunks are added in
//! order, so that results do not depend on the number of threads.

use affinimath_macros::instances;
use std::ops::Range;

use super::adjacent::{self, Asum, First, Largest};
use super::raw_vector::{RawVector, SUM_CHUNK, parts_results};
use super::squares::{self, Squares};
use crate::simd::dispatch;
use affinimath_core::scalar::Scalar;

/// Elements of a run. Vectors with an increment other than 1 are gathered first.
const RUN: usize = 512;

/// Independent accumulators.
const LANES: usize = 32;

/// Gathered elements of a vector.
struct Gathered<T>([T; RUN]);

impl<T: Scalar> Gathered<T> {
    const fn new() -> Self {
        Gathered([T::ZERO; RUN])
    }

    /// At most [`RUN`] elements of a vector, gathered if its increment is not 1.
    fn run<'a>(&'a mut self, part: &'a RawVector<T>) -> &'a [T] {
        if part.as_slice().is_none() {
            for (i, slot) in self.0[..part.length()].iter_mut().enumerate() {
                // SAFETY: i is below the part's length.
                *slot = unsafe { *part.at(i) };
            }
            return &self.0[..part.length()];
        }
        part.as_slice().unwrap_or_default()
    }
}

/// Calls `f` with the first index and the elements of each run of a range.
fn for_each_run<T: Scalar>(x: &RawVector<T>, range: Range<usize>, mut f: impl FnMut(usize, &[T])) {
    let mut gathered = Gathered::new();
    for begin in range.clone().step_by(RUN) {
        f(begin, gathered.run(&x.part(&(begin..range.end.min(begin + RUN)))));
    }
}

/// Sum of `run` over all pairs of runs.
fn sum_of_runs<T: Scalar, S: Scalar>(x: RawVector<T>, y: RawVector<T>, run: impl Fn(&[T], &[T]) -> S + Sync) -> S {
    let parts = parts_results(x.length(), 2 * size_of::<T>(), |range| {
        let mut gathered = Gathered::new();
        let mut sum = S::ZERO;
        for_each_run(&x, range, |begin, x_run| {
            let y_part = y.part(&(begin..begin + x_run.len()));
            sum += run(x_run, gathered.run(&y_part));
        });
        sum
    });
    parts.into_iter().fold(S::ZERO, |sum, part| sum + part)
}

/// Sum of f(x_i, y_i) over a run.
fn products<T: Scalar, S: Scalar>(x: &[T], y: &[T], f: impl Fn(T, T) -> S) -> S {
    let mut lanes = [S::ZERO; LANES];
    let (x_chunks, x_rest) = x.as_chunks::<LANES>();
    let (y_chunks, y_rest) = y.as_chunks::<LANES>();
    for (x, y) in x_chunks.iter().zip(y_chunks) {
        for lane in 0..LANES {
            lanes[lane] += f(x[lane], y[lane]);
        }
    }
    for (lane, (x, y)) in x_rest.iter().zip(y_rest).enumerate() {
        lanes[lane] += f(*x, *y);
    }
    fold(lanes)
}

/// Sum of all lanes, a power of two of them, by pairwise reduction.
#[inline(always)]
pub(super) fn fold<S: Scalar, const COUNT: usize>(mut lanes: [S; COUNT]) -> S {
    let mut half = COUNT / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// Sum of x_i y_i, or of conj(x_i) y_i.
#[instances]
pub fn dot<T: Scalar>(conjugate: bool, x: RawVector<T>, y: RawVector<T>) -> T {
    let (Some(x), Some(y)) = (x.as_slice(), y.as_slice()) else {
        return sum_of_runs(x, y, |x, y| adjacent::dot(conjugate, x, y));
    };
    if x.len() <= SUM_CHUNK {
        return adjacent::dot(conjugate, x, y);
    }
    let part = |range: Range<usize>| adjacent::dot(conjugate, &x[range.clone()], &y[range]);
    parts_results(x.len(), 2 * size_of::<T>(), part).into_iter().fold(T::ZERO, |sum, part| sum + part)
}

/// `start` plus the sum of x_i y_i, floats accumulated in doubles.
pub fn dsdot(start: f64, x: RawVector<f32>, y: RawVector<f32>) -> f64 {
    start + sum_of_runs(x, y, |x, y| products(x, y, |x, y| f64::from(x) * f64::from(y)))
}

/// Sum of |re(x_i)| + |im(x_i)|.
#[instances]
pub fn asum<T: Scalar>(x: RawVector<T>) -> T::RealScalar {
    let parts = parts_results(x.length(), size_of::<T>(), |range| {
        let mut sum = T::RealScalar::ZERO;
        for_each_run(&x, range, |_, run| sum += asum_of_run(run));
        sum
    });
    parts.into_iter().fold(T::RealScalar::ZERO, |sum, part| sum + part)
}

/// Sum of |re(x_i)| + |im(x_i)| of contiguous elements.
pub(crate) fn asum_of_run<T: Scalar>(run: &[T]) -> T::RealScalar {
    let reals = reals(run);
    dispatch(&Asum { n: reals.len(), x: reals.as_ptr() })
}

/// Square root of the sum of |x_i|^2.
#[instances]
pub fn nrm2<T: Scalar>(x: RawVector<T>) -> T::RealScalar {
    let parts = parts_results(x.length(), size_of::<T>(), |range| {
        let mut sum = Squares::default();
        for_each_run(&x, range, |_, run| sum = sum + squares::of_run(reals(run)));
        sum
    });
    let total = parts.into_iter().fold(Squares::default(), |sum, part| sum + part);
    T::RealScalar::from_parts(total.square_root(), 0.0)
}

/// Real and imaginary parts of the elements.
pub(crate) fn reals<T: Scalar>(elements: &[T]) -> &[T::RealScalar] {
    let parts = size_of::<T>() / size_of::<T::RealScalar>();
    // SAFETY: an element is one real number or a pair of them, as in C.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), parts * elements.len()) }
}

/// Index of the first element with the largest, or smallest, |re(x_i)| + |im(x_i)|; 0 for an empty vector.
///
/// Comparisons with NaN are false, like in the sequential reference: a NaN counts only in the first element, which
/// nothing replaces.
#[instances]
pub fn index<T: Scalar>(smallest: bool, x: RawVector<T>) -> usize {
    let sign = T::RealScalar::from_parts(if smallest { -1.0 } else { 1.0 }, 0.0);
    let lowest = T::RealScalar::from_parts(f64::NEG_INFINITY, 0.0);
    // SAFETY: the vector is not empty.
    if x.length() == 0 || unsafe { *x.at(0) }.sum_of_moduli().re().is_nan() {
        return 0;
    }
    // If no key is above the lowest possible one, the first element is the result.
    if let Some(run) = x.as_slice().filter(|run| run.len() <= SUM_CHUNK) {
        return index_of_run(smallest, run);
    }
    let parts = parts_results(x.length(), size_of::<T>(), |range| {
        let mut best = (lowest, 0);
        for_each_run(&x, range, |begin, run| {
            let key = largest_key(run, sign, lowest);
            if key > best.0 {
                let index = run.iter().position(|x| sign * x.sum_of_moduli() == key).unwrap_or(0);
                best = (key, begin + index);
            }
        });
        best
    });
    // Of equal keys the first counts.
    parts.into_iter().fold((lowest, 0), |best, part| if part.0 > best.0 { part } else { best }).1
}

/// The index within contiguous elements.
pub(crate) fn index_of_run<T: Scalar>(smallest: bool, x: &[T]) -> usize {
    let sign = T::RealScalar::from_parts(if smallest { -1.0 } else { 1.0 }, 0.0);
    let lowest = T::RealScalar::from_parts(f64::NEG_INFINITY, 0.0);
    if x.is_empty() || x[0].sum_of_moduli().re().is_nan() {
        return 0;
    }
    if !smallest {
        let (n, x) = (x.len(), x.as_ptr());
        let modulus = dispatch(&Largest { n, x });
        return dispatch(&First { n, x, modulus });
    }
    let mut best = (lowest, 0);
    for (number, run) in x.chunks(RUN).enumerate() {
        let key = dispatch(|| largest_key(run, sign, lowest));
        if key > best.0 {
            let index = dispatch(|| position(run, sign * key));
            best = (key, number * RUN + index);
        }
    }
    best.1
}

/// First index with this |re(x_i)| + |im(x_i)|; 0 if there is none. Whole chunks are compared in SIMD vectors.
#[inline(always)]
fn position<T: Scalar>(run: &[T], size: T::RealScalar) -> usize {
    let is = |x: &T| x.sum_of_moduli() == size;
    let chunk = run.chunks(LANES).position(|chunk| chunk.iter().fold(false, |found, x| found | is(x))).unwrap_or(0);
    let begin = chunk * LANES;
    begin + run[begin..].iter().position(is).unwrap_or(0)
}

/// The largest sign * (|re(x_i)| + |im(x_i)|) of a run that is above `lowest`; a NaN is not.
#[inline(always)]
fn largest_key<T: Scalar>(run: &[T], sign: T::RealScalar, lowest: T::RealScalar) -> T::RealScalar {
    let mut lanes = [lowest; LANES];
    let larger = |x: &T, best: T::RealScalar| {
        let key = sign * x.sum_of_moduli();
        if key > best { key } else { best }
    };
    let (chunks, rest) = run.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = larger(&chunk[lane], lanes[lane]);
        }
    }
    rest.iter().enumerate().for_each(|(lane, x)| lanes[lane] = larger(x, lanes[lane]));
    lanes.into_iter().fold(lowest, |best, key| if key > best { key } else { best })
}
