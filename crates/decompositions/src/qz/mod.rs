//! Generalised Schur forms of pencils A - lambda B: the QZ iteration of Moler and Stewart (1973; LAPACK: xHGEQZ), with
//! single shifts, and double shifts for complex pairs of real pencils.
//!
//! Shifts, rotations and reflectors are computed in doubles for every element type. Columns are contiguous.

mod deflation;
mod double_shift;
pub mod exchange;
mod pair;
mod reduction;
mod single_shift;
pub mod vectors;

use std::ops::Range;

use faer::MatMut;

use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_macros::instances;

pub use pair::eigenvalues;
pub use reduction::reduce;

use crate::rotation::Rotation;
use deflation::Found;

/// Sweeps for each eigenvalue, on average.
const SWEEPS: usize = 30;

/// Sweeps without a deflation from which on an element of the subdiagonal is compared with A's norm.
const NORMWISE_FROM: usize = 12;

/// An eigenvalue alpha / beta; infinite where beta is zero. Beta is not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Eigenvalue {
    /// The numerator.
    pub alpha: Complex64,
    /// The denominator.
    pub beta: f64,
}

/// A pencil in the course of its iteration, Qᴴ (A - lambda B) Z.
pub struct Pencil<'a, T> {
    /// Upper Hessenberg, and then (quasi-)triangular.
    pub a: MatMut<'a, T>,
    /// Upper triangular.
    pub b: MatMut<'a, T>,
    /// Multiplied by the left transformations.
    pub q: Option<MatMut<'a, T>>,
    /// Multiplied by the right transformations.
    pub z: Option<MatMut<'a, T>>,
}

impl<T: Scalar> Pencil<'_, T> {
    /// The same pencil, for a shorter time.
    pub fn as_mut(&mut self) -> Pencil<'_, T> {
        Pencil {
            a: self.a.as_mut(),
            b: self.b.as_mut(),
            q: self.q.as_mut().map(|q| q.as_mut()),
            z: self.z.as_mut().map(|z| z.as_mut()),
        }
    }

    /// Multiplies rows k and k + 1 by a rotation, in these columns of A and B, and Q by its adjoint.
    fn rotate_rows(&mut self, k: usize, turn: Rotation, of_a: Range<usize>, of_b: Range<usize>) {
        turn.rows(self.a.as_mut(), of_a, k);
        turn.rows(self.b.as_mut(), of_b, k);
        if let Some(q) = &mut self.q {
            let rows = 0..q.nrows();
            turn.columns(q.as_mut(), rows, k);
        }
    }

    /// Multiplies columns k and k + 1 by a rotation's adjoint, in these rows of A and B, and Z.
    fn rotate_columns(&mut self, k: usize, turn: Rotation, of_a: Range<usize>, of_b: Range<usize>) {
        turn.columns(self.a.as_mut(), of_a, k);
        turn.columns(self.b.as_mut(), of_b, k);
        if let Some(z) = &mut self.z {
            let rows = 0..z.nrows();
            turn.columns(z.as_mut(), rows, k);
        }
    }
}

/// Generalised Schur form of the rows and columns in a range of a pencil with an upper Hessenberg A and an upper
/// triangular B, in its place, and Q and Z times the transformations. Outside of the range A is upper triangular, too.
/// `values` gets the eigenvalues in the order of the diagonal.
///
/// B's diagonal is real and not negative. Of real types, A has blocks of order 2 where B is diagonal, for pairs of
/// complex eigenvalues, the one with the positive imaginary part first.
///
/// `whole` transforms all rows and columns; without it only eigenvalues are computed.
///
/// If the iteration does not converge, it returns an i from which on eigenvalues of the range are right.
///
/// # Panics
/// If sizes or the range do not fit, or if columns are not contiguous.
#[instances]
pub fn iterate<T: Scalar>(
    pencil: Pencil<'_, T>,
    range: Range<usize>,
    whole: bool,
    values: &mut [Eigenvalue],
) -> Option<usize> {
    let n = pencil.a.nrows();
    let mut iteration = Iteration::new(pencil, range.clone(), whole);
    for k in (0..range.start).chain(range.end..n) {
        iteration.rows_from = 0;
        values[k] = iteration.standardise(k);
    }
    iteration.rows_from = if whole { 0 } else { range.start };
    iteration.run(values)
}

/// The iteration's state.
struct Iteration<'a, T> {
    pencil: Pencil<'a, T>,
    range: Range<usize>,
    whole: bool,
    /// First row whose elements are transformed, and the end of such columns.
    rows_from: usize,
    columns_to: usize,
    /// Powers of two near the reciprocal norms of A and B in the range.
    scale_a: f64,
    scale_b: f64,
    /// Negligible elements of A and B are at most of these sizes.
    small_a: f64,
    small_b: f64,
    min_normal: f64,
    /// The sum of exceptional shifts.
    exceptional: Complex64,
}

impl<'a, T: Scalar> Iteration<'a, T> {
    fn new(pencil: Pencil<'a, T>, range: Range<usize>, whole: bool) -> Self {
        let n = pencil.a.nrows();
        let min_normal = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
        let norm = |a: &MatMut<'_, T>| {
            let column = |j: usize| range.start..range.end.min(j + 2);
            let elements = range.clone().flat_map(|j| column(j).map(move |i| (i, j)));
            let sizes: Vec<f64> = elements.map(|at| a[at].modulus()).collect();
            let largest = sizes.iter().fold(0.0, |largest: f64, x| largest.max(*x));
            if largest == 0.0 {
                return min_normal;
            }
            let sum: f64 = sizes.iter().map(|x| (x / largest) * (x / largest)).sum();
            (largest * sum.sqrt()).max(min_normal)
        };
        let (of_a, of_b) = (norm(&pencil.a), norm(&pencil.b));
        Iteration {
            pencil,
            rows_from: if whole { 0 } else { range.start },
            columns_to: if whole { n } else { range.end },
            range,
            whole,
            scale_a: near_reciprocal(of_a),
            scale_b: near_reciprocal(of_b),
            small_a: (T::EPSILON * of_a).max(min_normal),
            small_b: (T::EPSILON * of_b).max(min_normal),
            min_normal,
            exceptional: Complex64::ZERO,
        }
    }

    fn run(&mut self, values: &mut [Eigenvalue]) -> Option<usize> {
        let low = self.range.start;
        let limit = SWEEPS * self.range.len().max(10);
        let (mut end, mut stalled) = (self.range.end, 0);
        let mut sweeps = 0;
        while end > low {
            let last = end - 1;
            match self.search(last, stalled >= NORMWISE_FROM) {
                Found::Deflated => {
                    if last > low {
                        self.pencil.a[(last, last - 1)] = T::ZERO;
                    }
                    values[last] = self.standardise(last);
                    end = last;
                }
                Found::Block(start) => {
                    sweeps += 1;
                    stalled += 1;
                    if sweeps > limit {
                        return Some(end);
                    }
                    if !self.whole {
                        self.rows_from = start;
                    }
                    let Some(pair) = self.step(start, last, stalled) else { continue };
                    values[start..=last].copy_from_slice(&pair);
                    end = start;
                }
            }
            (stalled, self.exceptional) = (0, Complex64::ZERO);
            if !self.whole {
                (self.rows_from, self.columns_to) = (low, end);
            }
        }
        None
    }

    /// One sweep on a block without negligible elements, or the eigenvalues of one of order 2.
    fn step(&mut self, start: usize, last: usize, stalled: usize) -> Option<[Eigenvalue; 2]> {
        if T::KIND.is_complex() {
            let shift = self.complex_shift(last, stalled);
            self.sweep(start, last, shift);
            return None;
        }
        if stalled.is_multiple_of(10) {
            let shift = self.exceptional_shift(last, stalled);
            self.sweep(start, last, Complex64::new(shift.re, 0.0));
            return None;
        }
        let [first, second] = self.block(last - 1).eigenvalues();
        if first.im == 0.0 {
            let at = |value: Complex64| (value.re * self.beta(last, last).re - self.alpha(last, last).re).abs();
            self.sweep(start, last, if at(first) <= at(second) { first } else { second });
            return None;
        }
        if last - start > 1 {
            self.double_sweep(start, last);
            return None;
        }
        self.pair(start)
    }

    fn a(&self, i: usize, j: usize) -> Complex64 {
        Complex64::new(self.pencil.a[(i, j)].re(), self.pencil.a[(i, j)].im())
    }

    fn b(&self, i: usize, j: usize) -> Complex64 {
        Complex64::new(self.pencil.b[(i, j)].re(), self.pencil.b[(i, j)].im())
    }

    /// An element of A, divided by about A's norm.
    fn alpha(&self, i: usize, j: usize) -> Complex64 {
        self.a(i, j) * self.scale_a
    }

    /// An element of B, divided by about B's norm.
    fn beta(&self, i: usize, j: usize) -> Complex64 {
        self.b(i, j) * self.scale_b
    }

    /// Makes an element of B's diagonal real and not negative, and returns its eigenvalue.
    fn standardise(&mut self, k: usize) -> Eigenvalue {
        let element = self.b(k, k);
        let size = element.norm();
        if size <= self.min_normal {
            self.pencil.b[(k, k)] = T::ZERO;
            return Eigenvalue { alpha: self.a(k, k), beta: 0.0 };
        }
        if element.im != 0.0 || element.re < 0.0 {
            let unit = element.conj() / size;
            self.scale_column(k, T::from_parts(unit.re, unit.im));
            self.pencil.b[(k, k)] = T::from_parts(size, 0.0);
        }
        Eigenvalue { alpha: self.a(k, k), beta: self.b(k, k).re }
    }

    /// Multiplies column k of A, B and Z by a number of modulus 1.
    fn scale_column(&mut self, k: usize, unit: T) {
        let rows = self.rows_from..(k + 2).min(self.pencil.a.nrows());
        rows.clone().for_each(|i| self.pencil.a[(i, k)] *= unit);
        rows.for_each(|i| self.pencil.b[(i, k)] *= unit);
        if let Some(z) = &mut self.pencil.z {
            (0..z.nrows()).for_each(|i| z[(i, k)] *= unit);
        }
    }
}

/// A power of two near a number's reciprocal. A block's eigenvalues are rounded alike then, however it is scaled: of a
/// nearly double one, the eigenvector belongs to the eigenvalue as it was rounded.
fn near_reciprocal(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() { 2f64.powi(-(size.log2() as i32).clamp(-1000, 1000)) } else { 1.0 }
}

/// |re| + |im|.
fn size(x: Complex64) -> f64 {
    x.re.abs() + x.im.abs()
}
