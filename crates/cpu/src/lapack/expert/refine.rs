//! Iterative refinement with error bounds (LAPACK: xGERFS, xPORFS, xSYRFS, xHERFS).
//!
//! M. Arioli, J. W. Demmel and I. S. Duff, *Solving sparse linear systems with sparse backward error*, SIAM J. Matrix
//! Anal. Appl. 10 (1989), 165-190: the backward error of a component is |b - A x| / (|A| |x| + |b|), and the forward
//! error is bounded by the norm of |A⁻¹| (|r| + nz eps (|A| |x| + |b|)).

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::{larger, real, roundoff, safe_minimum, size};
use crate::lapack::indefinite::Permuted;
use crate::lapack::{getrs, potrs};
use crate::solve::inverse_one_norm;
use affinimath_core::options::{Op, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// Maximum count of corrections (LAPACK's ITMAX).
const CORRECTIONS: usize = 5;

/// A system that is refined: A, and its factors.
pub(super) trait Equations<T: Scalar> {
    /// Elements of a row that may differ from zero.
    fn row_elements(&self) -> usize;
    /// r := r - op(A) x, and bound := bound + |op(A)| |x|.
    fn subtract(&self, op: Op, x: &[T], r: &mut [T], bound: &mut [f64]);
    /// x := op(A)⁻¹ x.
    fn solve(&self, op: Op, x: MatMut<'_, T>);
}

fn conjugate_if<T: Scalar>(conjugates: bool, x: T) -> T {
    if conjugates { x.conjugate() } else { x }
}

/// r := r - op(A) x of a general A.
fn subtract_general<T: Scalar>(a: MatRef<'_, T>, op: Op, x: &[T], r: &mut [T], bound: &mut [f64]) {
    let conjugates = op.conjugates();
    // Columns are walked where they are contiguous.
    let (a, op) = if a.row_stride() == 1 || a.ncols() <= 1 { (a, op) } else { (a.transpose(), op.transposed()) };
    for (j, column) in a.col_iter().enumerate() {
        if op.transposes() {
            for (element, x) in column.iter().zip(x) {
                r[j] -= conjugate_if(conjugates, *element) * *x;
                bound[j] += size(*element) * size(*x);
            }
        } else {
            let (x, size_x) = (x[j], size(x[j]));
            for (i, element) in column.iter().enumerate() {
                r[i] -= conjugate_if(conjugates, *element) * x;
                bound[i] += size(*element) * size_x;
            }
        }
    }
}

/// r := r - A x of a symmetric or Hermitian A, of which a triangle is read.
fn subtract_mirrored<T: Scalar>(
    (a, triangle, symmetry): (MatRef<'_, T>, Triangle, Symmetry),
    x: &[T],
    r: &mut [T],
    bound: &mut [f64],
) {
    let hermitian = symmetry == Symmetry::Hermitian;
    // The stored triangle is the lower one of the matrix or of its transpose. Of the latter the elements are the
    // mirrored ones.
    let (a, mirrored) = if triangle == Triangle::Lower { (a, false) } else { (a.transpose(), true) };
    let n = a.nrows();
    for j in 0..n {
        let diagonal = if hermitian { T::from_parts(a[(j, j)].re(), 0.0) } else { a[(j, j)] };
        r[j] -= diagonal * x[j];
        bound[j] += size(diagonal) * size(x[j]);
        for i in j + 1..n {
            let below = conjugate_if(hermitian && mirrored, a[(i, j)]);
            let magnitude = size(below);
            r[i] -= below * x[j];
            bound[i] += magnitude * size(x[j]);
            r[j] -= conjugate_if(hermitian, below) * x[i];
            bound[j] += magnitude * size(x[i]);
        }
    }
}

/// A general matrix with getrf's factors.
pub(super) struct ByLu<'a, T> {
    pub(super) a: MatRef<'a, T>,
    pub(super) factors: MatRef<'a, T>,
    pub(super) pivots: &'a [i32],
}

impl<T: Scalar> Equations<T> for ByLu<'_, T> {
    fn row_elements(&self) -> usize {
        self.a.nrows()
    }

    fn subtract(&self, op: Op, x: &[T], r: &mut [T], bound: &mut [f64]) {
        subtract_general(self.a, op, x, r, bound);
    }

    fn solve(&self, op: Op, x: MatMut<'_, T>) {
        getrs(op, self.factors, self.pivots, x);
    }
}

/// A Hermitian matrix with potrf's factor.
pub(super) struct ByCholesky<'a, T> {
    pub(super) triangle: Triangle,
    pub(super) a: MatRef<'a, T>,
    pub(super) factor: MatRef<'a, T>,
}

impl<T: Scalar> Equations<T> for ByCholesky<'_, T> {
    fn row_elements(&self) -> usize {
        self.a.nrows()
    }

    fn subtract(&self, _: Op, x: &[T], r: &mut [T], bound: &mut [f64]) {
        subtract_mirrored((self.a, self.triangle, Symmetry::Hermitian), x, r, bound);
    }

    fn solve(&self, _: Op, x: MatMut<'_, T>) {
        potrs(self.triangle, self.factor, x);
    }
}

/// A symmetric or Hermitian matrix with sytrf's or hetrf's factors.
pub(super) struct ByPivoting<'a, T> {
    pub(super) triangle: Triangle,
    pub(super) symmetry: Symmetry,
    pub(super) a: MatRef<'a, T>,
    pub(super) factors: Permuted<T>,
}

impl<T: Scalar> Equations<T> for ByPivoting<'_, T> {
    fn row_elements(&self) -> usize {
        self.a.nrows()
    }

    fn subtract(&self, _: Op, x: &[T], r: &mut [T], bound: &mut [f64]) {
        subtract_mirrored((self.a, self.triangle, self.symmetry), x, r, bound);
    }

    fn solve(&self, op: Op, x: MatMut<'_, T>) {
        // A symmetric A⁻ᴴ is the conjugate of A⁻¹.
        let conjugates = op.conjugates() && self.symmetry == Symmetry::Symmetric;
        solve_conjugated(conjugates, x, |x| self.factors.solve(self.triangle, x));
    }
}

/// x := solve(x), or the conjugate of what it makes of the conjugate.
pub(super) fn solve_conjugated<T: Scalar>(conjugates: bool, mut x: MatMut<'_, T>, solve: impl FnOnce(MatMut<'_, T>)) {
    let conjugate = |mut x: MatMut<'_, T>| {
        if conjugates && T::KIND.is_complex() {
            for j in 0..x.ncols() {
                x.as_mut().col_mut(j).iter_mut().for_each(|x| *x = x.conjugate());
            }
        }
    };
    conjugate(x.as_mut());
    solve(x.as_mut());
    conjugate(x);
}

/// Refines the solutions of op(A) X = B, with a bound of the relative forward error of each, and its componentwise
/// backward error.
pub(super) fn refine<T: Scalar>(
    system: &impl Equations<T>,
    op: Op,
    b: MatRef<'_, T>,
    mut x: MatMut<'_, T>,
    ferr: &mut [T::RealScalar],
    berr: &mut [T::RealScalar],
) {
    let n = b.nrows();
    let nz = (system.row_elements() + 1) as f64;
    let eps = roundoff::<T>();
    let safe1 = nz * safe_minimum::<T>();
    let safe2 = safe1 / eps;
    for j in 0..b.ncols() {
        let mut solution: Vec<T> = (0..n).map(|i| x[(i, j)]).collect();
        let (mut residual, mut bound) = (Mat::<T>::zeros(n, 1), vec![0.0; n]);
        let (mut count, mut last) = (1, 3.0);
        let backward = loop {
            for i in 0..n {
                residual[(i, 0)] = b[(i, j)];
                bound[i] = size(b[(i, j)]);
            }
            system.subtract(op, &solution, residual.col_as_slice_mut(0), &mut bound);
            let ratio = |i: usize| {
                let (r, bound) = (size(residual[(i, 0)]), bound[i]);
                if bound > safe2 { r / bound } else { (r + safe1) / (bound + safe1) }
            };
            let backward = (0..n).map(ratio).fold(0.0, larger);
            let goes_on = backward > eps && 2.0 * backward <= last && count <= CORRECTIONS;
            if !goes_on {
                break backward;
            }
            system.solve(op, residual.as_mut());
            solution.iter_mut().enumerate().for_each(|(i, x)| *x += residual[(i, 0)]);
            (last, count) = (backward, count + 1);
        };
        let mut weights: Vec<f64> = (0..n).map(|i| size(residual[(i, 0)]) + nz * eps * bound[i]).collect();
        for (weight, bound) in weights.iter_mut().zip(&bound) {
            *weight += if *bound > safe2 { 0.0 } else { safe1 };
        }
        let largest = weights.iter().copied().fold(0.0, larger);
        let scale = if largest > 0.0 && largest.is_finite() { largest } else { 1.0 };
        let weigh = |mut x: MatMut<'_, T>| {
            for (i, weight) in weights.iter().enumerate() {
                let value = x[(i, 0)];
                x[(i, 0)] = value.scaled(real::<T>(weight / scale));
            }
        };
        // The infinity norm of op(A)⁻¹ diag(w) is the 1-norm of its adjoint.
        let estimate = inverse_one_norm::<T>(
            n,
            |mut y| {
                system.solve(op.adjoint(), y.as_mut());
                weigh(y);
            },
            |mut y| {
                weigh(y.as_mut());
                system.solve(op, y);
            },
        );
        let norm = solution.iter().map(|x| size(*x)).fold(0.0, larger);
        let forward = if norm == 0.0 { estimate * scale } else { estimate / norm * scale };
        (ferr[j], berr[j]) = (real::<T>(forward), real::<T>(backward));
        solution.iter().enumerate().for_each(|(i, value)| x[(i, j)] = *value);
    }
}

/// Refines solutions of op(A) X = B by [`getrs`] (LAPACK: xGERFS). `ferr` gets bounds of the relative errors of X's
/// columns in the maximum norm, `berr` their componentwise backward errors.
#[instances]
pub fn gerfs<T: Scalar>(
    op: Op,
    a: MatRef<'_, T>,
    factors: MatRef<'_, T>,
    pivots: &[i32],
    b: MatRef<'_, T>,
    x: MatMut<'_, T>,
    ferr: &mut [T::RealScalar],
    berr: &mut [T::RealScalar],
) {
    refine(&ByLu { a, factors, pivots }, op, b, x, ferr, berr);
}

/// Refines solutions by [`potrs`] (LAPACK: xPORFS), as [`gerfs`].
#[instances]
pub fn porfs<T: Scalar>(
    triangle: Triangle,
    a: MatRef<'_, T>,
    factor: MatRef<'_, T>,
    b: MatRef<'_, T>,
    x: MatMut<'_, T>,
    ferr: &mut [T::RealScalar],
    berr: &mut [T::RealScalar],
) {
    refine(&ByCholesky { triangle, a, factor }, Op::NoTrans, b, x, ferr, berr);
}

/// Refines solutions by [`crate::lapack::sytrs`] (LAPACK: xSYRFS), as [`gerfs`]. The pivots fit.
#[instances]
pub fn syrfs<T: Scalar>(
    triangle: Triangle,
    a: MatRef<'_, T>,
    factors: MatRef<'_, T>,
    pivots: &[i32],
    b: MatRef<'_, T>,
    x: MatMut<'_, T>,
    ferr: &mut [T::RealScalar],
    berr: &mut [T::RealScalar],
) {
    let symmetry = Symmetry::Symmetric;
    let factors = Permuted::new(triangle, factors, pivots, false);
    refine(&ByPivoting { triangle, symmetry, a, factors }, Op::NoTrans, b, x, ferr, berr);
}

/// Refines solutions by [`crate::lapack::hetrs`] (LAPACK: xHERFS), as [`gerfs`]. The pivots fit.
#[instances]
pub fn herfs<T: Scalar>(
    triangle: Triangle,
    a: MatRef<'_, T>,
    factors: MatRef<'_, T>,
    pivots: &[i32],
    b: MatRef<'_, T>,
    x: MatMut<'_, T>,
    ferr: &mut [T::RealScalar],
    berr: &mut [T::RealScalar],
) {
    let symmetry = Symmetry::Hermitian;
    let factors = Permuted::new(triangle, factors, pivots, true);
    refine(&ByPivoting { triangle, symmetry, a, factors }, Op::NoTrans, b, x, ferr, berr);
}
