//! Expert drivers of tridiagonal matrices (LAPACK: xGTRFS, xGTSVX, xPTRFS, xPTSVX).

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::condition::{gtcon, ptcon};
use super::drivers::Expert;
use super::refine::{Equations, refine};
use super::{larger, size};
use crate::lapack::{TridiagonalFactors, gttrf, gttrs, pttrf, pttrs};
use affinimath_core::options::{Norm, Op, Triangle};
use affinimath_core::scalar::Scalar;

/// A tridiagonal matrix: the diagonals below, on and above the main one.
#[derive(Clone, Copy)]
pub struct Tridiagonal<'a, T> {
    /// n - 1 elements.
    pub dl: &'a [T],
    /// n elements.
    pub d: &'a [T],
    /// n - 1 elements.
    pub du: &'a [T],
}

impl<T: Scalar> Tridiagonal<'_, T> {
    /// Calls `each` with the row, the column and the value of each element.
    fn elements(&self, mut each: impl FnMut(usize, usize, T)) {
        let n = self.d.len();
        for i in 0..n {
            each(i, i, self.d[i]);
            if i + 1 < n {
                each(i + 1, i, self.dl[i]);
                each(i, i + 1, self.du[i]);
            }
        }
    }

    /// The 1-norm or the infinity norm (LAPACK: xLANGT).
    fn norm(&self, norm: Norm) -> f64 {
        let mut sums = vec![0.0; self.d.len()];
        self.elements(|i, j, value| sums[if norm == Norm::Infinity { i } else { j }] += value.modulus());
        sums.into_iter().fold(0.0, larger)
    }
}

struct ByLu<'a, T> {
    a: Tridiagonal<'a, T>,
    factors: TridiagonalFactors<'a, T>,
}

impl<T: Scalar> Equations<T> for ByLu<'_, T> {
    fn row_elements(&self) -> usize {
        3
    }

    fn subtract(&self, op: Op, x: &[T], r: &mut [T], bound: &mut [f64]) {
        self.a.elements(|i, j, value| {
            let (i, j) = if op.transposes() { (j, i) } else { (i, j) };
            let value = if op.conjugates() { value.conjugate() } else { value };
            r[i] -= value * x[j];
            bound[i] += size(value) * size(x[j]);
        });
    }

    fn solve(&self, op: Op, x: MatMut<'_, T>) {
        gttrs(op, self.factors, x);
    }
}

/// Refines solutions of op(A) X = B by [`gttrs`] (LAPACK: xGTRFS).
#[instances]
pub fn gtrfs<T: Scalar>(
    op: Op,
    a: Tridiagonal<'_, T>,
    factors: TridiagonalFactors<'_, T>,
    b: MatRef<'_, T>,
    x: MatMut<'_, T>,
    ferr: &mut [T::RealScalar],
    berr: &mut [T::RealScalar],
) {
    refine(&ByLu { a, factors }, op, b, x, ferr, berr);
}

/// Solves op(A) X = B of a tridiagonal A, with refinement and error bounds (LAPACK: xGTSVX). The factors are computed
/// where `factored` is false; the five slices are those of [`TridiagonalFactors`].
#[instances]
pub fn gtsvx<T: Scalar>(
    op: Op,
    factored: bool,
    a: Tridiagonal<'_, T>,
    factors: (&mut [T], &mut [T], &mut [T], &mut [T], &mut [i32]),
    b: MatRef<'_, T>,
    mut x: MatMut<'_, T>,
    ferr: &mut [T::RealScalar],
    berr: &mut [T::RealScalar],
) -> Expert {
    let (dl, d, du, du2, pivots) = factors;
    let n = a.d.len();
    if !factored {
        dl.copy_from_slice(a.dl);
        d.copy_from_slice(a.d);
        du.copy_from_slice(a.du);
        let info = gttrf(dl, d, du, du2, pivots);
        if info.is_some() {
            return Expert { info, rcond: 0.0, growth: 1.0 };
        }
    }
    let factors = TridiagonalFactors { dl, d, du, du2, pivots };
    let kind = if op.transposes() { Norm::Infinity } else { Norm::One };
    let rcond = gtcon(kind, factors, a.norm(kind));
    x.copy_from(b);
    if n > 0 {
        gttrs(op, factors, x.as_mut());
    }
    refine(&ByLu { a, factors }, op, b, x, ferr, berr);
    Expert::solved::<T>(n, rcond, 1.0)
}

/// A Hermitian tridiagonal matrix: its diagonal, and the one below it, or above it if `triangle` is the upper one.
#[derive(Clone, Copy)]
pub struct DefiniteTridiagonal<'a, T: Scalar> {
    /// Which diagonal e is. Of real types both are the same.
    pub triangle: Triangle,
    /// n elements.
    pub d: &'a [T::RealScalar],
    /// n - 1 elements.
    pub e: &'a [T],
}

struct ByCholesky<'a, T: Scalar> {
    a: DefiniteTridiagonal<'a, T>,
    factors: DefiniteTridiagonal<'a, T>,
}

impl<T: Scalar> Equations<T> for ByCholesky<'_, T> {
    fn row_elements(&self) -> usize {
        3
    }

    fn subtract(&self, _: Op, x: &[T], r: &mut [T], bound: &mut [f64]) {
        let DefiniteTridiagonal { triangle, d, e } = self.a;
        for i in 0..d.len() {
            let diagonal = T::from_parts(d[i].re(), 0.0);
            r[i] -= diagonal * x[i];
            bound[i] += size(diagonal) * size(x[i]);
            if i + 1 < d.len() {
                let below = if triangle == Triangle::Lower { e[i] } else { e[i].conjugate() };
                r[i + 1] -= below * x[i];
                bound[i + 1] += size(below) * size(x[i]);
                r[i] -= below.conjugate() * x[i + 1];
                bound[i] += size(below) * size(x[i + 1]);
            }
        }
    }

    fn solve(&self, _: Op, x: MatMut<'_, T>) {
        let DefiniteTridiagonal { triangle, d, e } = self.factors;
        if !d.is_empty() {
            pttrs(triangle, d, e, x);
        }
    }
}

/// Refines solutions by [`pttrs`] (LAPACK: xPTRFS).
#[instances]
pub fn ptrfs<T: Scalar>(
    a: DefiniteTridiagonal<'_, T>,
    factors: DefiniteTridiagonal<'_, T>,
    b: MatRef<'_, T>,
    x: MatMut<'_, T>,
    ferr: &mut [T::RealScalar],
    berr: &mut [T::RealScalar],
) {
    refine(&ByCholesky { a, factors }, Op::NoTrans, b, x, ferr, berr);
}

/// Solves A X = B of a positive definite tridiagonal A, with refinement and error bounds (LAPACK: xPTSVX). The factors
/// are computed where `factored` is false.
#[instances]
pub fn ptsvx<T: Scalar>(
    factored: bool,
    a: DefiniteTridiagonal<'_, T>,
    factors: (&mut [T::RealScalar], &mut [T]),
    b: MatRef<'_, T>,
    mut x: MatMut<'_, T>,
    ferr: &mut [T::RealScalar],
    berr: &mut [T::RealScalar],
) -> Expert {
    let (d, e) = factors;
    let n = a.d.len();
    if !factored {
        d.copy_from_slice(a.d);
        e.copy_from_slice(a.e);
        let info = pttrf(d, e);
        if info.is_some() {
            return Expert { info, rcond: 0.0, growth: 1.0 };
        }
    }
    let mut sums: Vec<f64> = a.d.iter().map(|d| d.re().abs()).collect();
    for (i, e) in a.e.iter().enumerate() {
        sums[i] += e.modulus();
        sums[i + 1] += e.modulus();
    }
    let rcond = ptcon(d, e, sums.into_iter().fold(0.0, larger));
    let factors = DefiniteTridiagonal { triangle: a.triangle, d, e };
    x.copy_from(b);
    let system = ByCholesky { a, factors };
    system.solve(Op::NoTrans, x.as_mut());
    refine(&system, Op::NoTrans, b, x, ferr, berr);
    Expert::solved::<T>(n, rcond, 1.0)
}
