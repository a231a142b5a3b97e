//! Systems solved by factors in single precision and refined to double (LAPACK: xSGESV, xCGESV, xSPOSV, xCPOSV).

use affinimath_macros::instances;
use std::convert::Infallible;
use std::ops::Range;

use faer::{MatMut, MatRef};

use super::workspace::Workspace;
use super::{Info, getrf, getrs, norm, potrf, potrs};
use crate::level3::symm;
use crate::small::{self, Strided};
use crate::{gemm, threads};
use affinimath_core::options::{Norm, Op, Side, Symmetry, Triangle};
use affinimath_core::pattern::Pattern;
use affinimath_core::refinement::{Refinement, Verdict, refine, tolerance};
use affinimath_core::scalar::{Double, Scalar};

/// Factorisation of a system.
pub enum System<'p> {
    /// By LU; the slice receives the pivots.
    General(&'p mut [i32]),
    /// By Cholesky's factorisation, of the triangle that is stored.
    Definite(Triangle),
}

impl System<'_> {
    const fn triangle(&self) -> Option<Triangle> {
        match self {
            System::General(_) => None,
            System::Definite(triangle) => Some(*triangle),
        }
    }

    fn factor<T: Scalar>(&mut self, a: MatMut<'_, T>) -> Info {
        match self {
            System::General(pivots) => getrf(a, pivots),
            System::Definite(triangle) => potrf(*triangle, a),
        }
    }

    fn solve<T: Scalar>(&self, factors: MatRef<'_, T>, b: MatMut<'_, T>) {
        match self {
            System::General(pivots) => getrs(Op::NoTrans, factors, pivots, b),
            System::Definite(triangle) => potrs(*triangle, factors, b),
        }
    }

    fn infinity_norm<T: Scalar>(&self, a: MatRef<'_, T>) -> f64 {
        let pattern = match *self {
            System::General(_) => Pattern::General,
            System::Definite(triangle) => Pattern::Mirrored(triangle, Symmetry::Hermitian),
        };
        norm(Norm::Infinity, pattern, a)
    }

    /// R := B - A X.
    fn residual<T: Scalar>(&self, a: MatRef<'_, T>, x: MatRef<'_, T>, b: MatRef<'_, T>, mut r: MatMut<'_, T>) {
        r.copy_from(b);
        match *self {
            System::General(_) if subtract_small(a, x, r.as_mut()) => {}
            System::General(_) => gemm(Op::NoTrans, Op::NoTrans, -T::ONE, a, x, T::ONE, r),
            System::Definite(triangle) => symm(Symmetry::Hermitian, Side::Left, triangle, -T::ONE, a, x, T::ONE, r),
        }
    }
}

/// R := R - A X for small operands, with the same rounding as the small path of gemm: a caller that computes a residual
/// by gemm gets the one found here. Returns false, and does nothing, for larger ones.
fn subtract_small<T: Scalar>(a: MatRef<'_, T>, x: MatRef<'_, T>, r: MatMut<'_, T>) -> bool {
    let (n, columns) = (r.nrows(), r.ncols());
    if n == 0 || columns == 0 {
        return false;
    }
    let factors = [a, x].map(|matrix| Strided::of(matrix, false));
    let ([Some(a), Some(x)], Some(r)) = (factors, Strided::of(r.as_ref(), false)) else { return false };
    // SAFETY: the views hold their elements, and R is borrowed for writing.
    unsafe { small::gemm([n, columns, n], -T::ONE, a, x, T::ONE, r) }
}

/// Solves A X = B by factors in single precision, which leave A unchanged, or by factors in double precision, which
/// overwrite it. If the latter have an info, X is undefined.
#[instances]
pub fn solve_mixed<T: Double>(
    mut system: System<'_>,
    mut a: MatMut<'_, T>,
    b: MatRef<'_, T>,
    mut x: MatMut<'_, T>,
) -> (Refinement, Info) {
    let refinement = by_single_factors(&mut system, a.as_ref(), b, x.as_mut());
    if refinement.converged() {
        return (refinement, None);
    }
    let info = system.factor(a.as_mut());
    if info.is_none() {
        x.copy_from(b);
        system.solve(a.as_ref(), x);
    }
    (refinement, info)
}

fn by_single_factors<T: Double>(
    system: &mut System<'_>,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    mut x: MatMut<'_, T>,
) -> Refinement {
    let (n, columns) = (b.nrows(), b.ncols());
    let bound = system.infinity_norm(a) * tolerance::<T>(n);
    let mut factors = Factors::<T::Single>::new(n, a.row_stride() != 1);
    let mut correction = Workspace::<T::Single>::new(n, columns);
    let mut residual = Workspace::<T>::new(n, columns);
    let Ok(refinement) = refine(|step| -> Result<_, Infallible> {
        let right = if step == 0 { b } else { residual.block_ref(n, columns) };
        if !narrow(None, 0, right, correction.block(n, columns)) {
            return Ok(Verdict::Overflow);
        }
        if step == 0 {
            if !factors.narrow(system.triangle(), a) {
                return Ok(Verdict::Overflow);
            }
            if system.factor(factors.matrix()).is_some() {
                return Ok(Verdict::NotFactorised);
            }
        }
        system.solve(factors.matrix().as_ref(), correction.block(n, columns));
        widen(step > 0, correction.block_ref(n, columns), x.as_mut());
        system.residual(a, x.as_ref(), b, residual.block(n, columns));
        Ok(test_convergence(x.as_ref(), residual.block_ref(n, columns), bound))
    });
    refinement
}

/// A square matrix in single precision, in the same layout as the one in double precision.
struct Factors<S> {
    memory: Workspace<S>,
    n: usize,
    by_rows: bool,
}

impl<S: Scalar> Factors<S> {
    fn new(n: usize, by_rows: bool) -> Self {
        Factors { memory: Workspace::new(n, n), n, by_rows }
    }

    fn matrix(&mut self) -> MatMut<'_, S> {
        let columns = self.memory.block(self.n, self.n);
        if self.by_rows { columns.transpose_mut() } else { columns }
    }

    /// Returns false if an element overflows.
    fn narrow<T: Double<Single = S>>(&mut self, triangle: Option<Triangle>, a: MatRef<'_, T>) -> bool {
        let (a, triangle) =
            if self.by_rows { (a.transpose(), triangle.map(Triangle::transposed)) } else { (a, triangle) };
        narrow(triangle, 0, a, self.memory.block(self.n, self.n))
    }
}

/// Elements from which conversions are shared among threads.
const PARALLEL_MIN: usize = 1 << 17;

/// Converts columns, or their part of a triangle, to single precision; `first` is the index of the first column in the
/// matrix. Returns false if an element overflows.
fn narrow<T: Double>(
    triangle: Option<Triangle>,
    first: usize,
    from: MatRef<'_, T>,
    mut to: MatMut<'_, T::Single>,
) -> bool {
    let (rows, columns) = (from.nrows(), from.ncols());
    if columns >= 2 && rows * columns >= PARALLEL_MIN && threads::available() > 1 {
        let middle = columns / 2;
        let ((left, right), (to_left, to_right)) = (from.split_at_col(middle), to.split_at_col_mut(middle));
        let both = threads::join(
            || narrow(triangle, first, left, to_left),
            || narrow(triangle, first + middle, right, to_right),
        );
        return both.0 && both.1;
    }
    let stored = |j: usize| -> Range<usize> {
        match triangle {
            None => 0..rows,
            Some(Triangle::Upper) => 0..first + j + 1,
            Some(Triangle::Lower) => first + j..rows,
        }
    };
    let limit = f64::from(f32::MAX);
    let mut fits = true;
    for j in 0..columns {
        for i in stored(j) {
            let (re, im) = (from[(i, j)].re(), from[(i, j)].im());
            fits &= !(re.abs() > limit || im.abs() > limit);
            to[(i, j)] = <T::Single as Scalar>::from_parts(re, im);
        }
    }
    fits
}

/// Copies a matrix to double precision, or adds it.
fn widen<T: Double>(add: bool, from: MatRef<'_, T::Single>, mut to: MatMut<'_, T>) {
    for j in 0..from.ncols() {
        for i in 0..from.nrows() {
            let value = T::from_parts(from[(i, j)].re(), from[(i, j)].im());
            to[(i, j)] = if add { to[(i, j)] + value } else { value };
        }
    }
}

/// LAPACK's stopping test: the largest component of each residual, by |re| + |im|, against the solution's.
fn test_convergence<T: Double>(x: MatRef<'_, T>, residual: MatRef<'_, T>, bound: f64) -> Verdict {
    let mut verdict = Verdict::Good;
    for j in 0..x.ncols() {
        let size = |a: MatRef<'_, T>, i: usize| a[(i, j)].re().abs() + a[(i, j)].im().abs();
        let largest = |a| (0..x.nrows()).map(|i| size(a, i)).fold(0.0, f64::max);
        // A maximum passes over NaN.
        if (0..x.nrows()).any(|i| !size(residual, i).is_finite()) {
            return Verdict::Overflow;
        }
        if largest(residual) > largest(x) * bound {
            verdict = Verdict::Coarse;
        }
    }
    verdict
}
