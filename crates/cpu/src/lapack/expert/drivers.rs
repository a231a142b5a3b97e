//! Expert drivers (LAPACK: xGESVX, xPOSVX, xSYSVX, xHESVX).

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::condition::{of_factors, reciprocal_condition};
use super::equilibrate::{Equed, Equilibration, geequ, laqge, laqsy, poequ, scale_rows};
use super::refine::{ByCholesky, ByLu, ByPivoting, Equations, refine};
use super::{real, roundoff, safe_minimum};
use crate::lapack::indefinite::Permuted;
use crate::lapack::{Info, getrf, getrs, hetrf, norm, potrf, potrs, sytrf};
use affinimath_core::options::{Diag, Norm, Op, Symmetry, Triangle};
use affinimath_core::pattern::Pattern;
use affinimath_core::scalar::Scalar;

/// Results of an expert driver beyond X.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expert {
    /// The index of a pivot that is zero or of a minor that is not positive: then there is no solution. n + 1 where
    /// `rcond` is below the unit roundoff: the solution is computed.
    pub info: Info,
    /// The estimated reciprocal condition number of A as equilibrated.
    pub rcond: f64,
    /// ||A|| / ||U|| of the largest elements, the reciprocal pivot growth; of the columns that were factorised.
    pub growth: f64,
}

impl Expert {
    pub(super) fn solved<T: Scalar>(n: usize, rcond: f64, growth: f64) -> Self {
        Expert { info: (rcond < roundoff::<T>()).then_some(n + 1), rcond, growth }
    }
}

/// Operands of [`gesvx`].
pub struct General<'a, T: Scalar> {
    /// op(A) X = B.
    pub op: Op,
    /// True if `factors`, `pivots` and, by `equed`, `r` and `c` are given.
    pub factored: bool,
    /// True if A is equilibrated first.
    pub equilibrate: bool,
    /// A, which is scaled.
    pub a: MatMut<'a, T>,
    /// getrf's factors of A as scaled.
    pub factors: MatMut<'a, T>,
    /// Its pivots.
    pub pivots: &'a mut [i32],
    /// Scalings of A.
    pub equed: &'a mut Equed,
    /// Factors of rows.
    pub r: &'a mut [T::RealScalar],
    /// Factors of columns.
    pub c: &'a mut [T::RealScalar],
    /// B, which is scaled.
    pub b: MatMut<'a, T>,
    /// Gets X.
    pub x: MatMut<'a, T>,
    /// Gets bounds of forward errors.
    pub ferr: &'a mut [T::RealScalar],
    /// Gets backward errors.
    pub berr: &'a mut [T::RealScalar],
}

/// The ratio of the smallest to the largest factor.
fn ratio<T: Scalar>(factors: &[T::RealScalar]) -> f64 {
    let (low, high) = (safe_minimum::<T>(), 1.0 / safe_minimum::<T>());
    let smallest = factors.iter().map(|x| x.re()).fold(high, f64::min);
    let largest = factors.iter().map(|x| x.re()).fold(0.0, f64::max);
    if factors.is_empty() { 1.0 } else { smallest.max(low) / largest.min(high) }
}

/// The reciprocal pivot growth in the first columns.
fn growth<T: Scalar>(a: &MatMut<'_, T>, factors: &MatMut<'_, T>, columns: usize) -> f64 {
    let upper = factors.as_ref().submatrix(0, 0, columns, columns);
    let of_factor = norm(Norm::Max, Pattern::Triangular(Triangle::Upper, Diag::NonUnit), upper);
    let of_matrix = norm(Norm::Max, Pattern::General, a.as_ref().subcols(0, columns));
    if of_factor == 0.0 { 1.0 } else { of_matrix / of_factor }
}

/// Divides error bounds by the ratio of the factors that scaled X.
fn undo_bounds<T: Scalar>(ferr: &mut [T::RealScalar], ratio: f64) {
    ferr.iter_mut().for_each(|bound| *bound = real::<T>(bound.re() / ratio));
}

/// Solves op(A) X = B by LU, with equilibration, refinement and error bounds (LAPACK: xGESVX).
#[instances]
pub fn gesvx<T: Scalar>(call: General<'_, T>) -> Expert {
    let General { op, factored, equilibrate, mut a, mut factors, pivots, equed, r, c, mut b, mut x, ferr, berr } = call;
    let n = a.nrows();
    let mut found = Equilibration::EMPTY;
    if factored {
        found.rows = if equed.rows() { ratio::<T>(r) } else { 1.0 };
        found.columns = if equed.columns() { ratio::<T>(c) } else { 1.0 };
    } else {
        *equed = Equed::None;
        if equilibrate && geequ(a.as_ref(), r, c, &mut found).is_none() {
            *equed = laqge(a.as_mut(), r, c, &found);
        }
    }
    match (op.transposes(), equed.rows(), equed.columns()) {
        (false, true, _) => scale_rows(b.as_mut(), r),
        (true, _, true) => scale_rows(b.as_mut(), c),
        _ => {}
    }
    if !factored {
        factors.copy_from(a.as_ref());
        if let Some(info) = getrf(factors.as_mut(), pivots) {
            return Expert { info: Some(info), rcond: 0.0, growth: growth(&a, &factors, info) };
        }
    }
    let growth = growth(&a, &factors, n);
    let kind = if op.transposes() { Norm::Infinity } else { Norm::One };
    let anorm = norm(kind, Pattern::General, a.as_ref());
    let system = ByLu { a: a.as_ref(), factors: factors.as_ref(), pivots };
    let rcond = reciprocal_condition(n, kind, anorm, |op, x: MatMut<'_, T>| system.solve(op, x));
    x.copy_from(b.as_ref());
    getrs(op, factors.as_ref(), pivots, x.as_mut());
    refine(&ByLu { a: a.as_ref(), factors: factors.as_ref(), pivots }, op, b.as_ref(), x.as_mut(), ferr, berr);
    match (op.transposes(), equed.rows(), equed.columns()) {
        (false, _, true) => {
            scale_rows(x, c);
            undo_bounds::<T>(ferr, found.columns);
        }
        (true, true, _) => {
            scale_rows(x, r);
            undo_bounds::<T>(ferr, found.rows);
        }
        _ => {}
    }
    Expert::solved::<T>(n, rcond, growth)
}

/// Operands of [`posvx`].
pub struct Definite<'a, T: Scalar> {
    /// The triangle of A that is stored.
    pub triangle: Triangle,
    /// True if the factor and, where `scaled` is true, `s` are given.
    pub factored: bool,
    /// True if A is equilibrated first.
    pub equilibrate: bool,
    /// A, which is scaled.
    pub a: MatMut<'a, T>,
    /// potrf's factor of A as scaled.
    pub factor: MatMut<'a, T>,
    /// True if A is scaled.
    pub scaled: &'a mut bool,
    /// Factors of rows and columns.
    pub s: &'a mut [T::RealScalar],
    /// B, which is scaled.
    pub b: MatMut<'a, T>,
    /// Gets X.
    pub x: MatMut<'a, T>,
    /// Gets bounds of forward errors.
    pub ferr: &'a mut [T::RealScalar],
    /// Gets backward errors.
    pub berr: &'a mut [T::RealScalar],
}

/// Copies a triangle.
fn copy_triangle<T: Scalar>(triangle: Triangle, from: &MatMut<'_, T>, mut to: MatMut<'_, T>) {
    let n = from.nrows();
    for j in 0..n {
        for i in if triangle == Triangle::Lower { j..n } else { 0..j + 1 } {
            to[(i, j)] = from[(i, j)];
        }
    }
}

/// Solves A X = B of a positive definite A, with equilibration, refinement and error bounds (LAPACK: xPOSVX). The
/// growth is 1.
#[instances]
pub fn posvx<T: Scalar>(call: Definite<'_, T>) -> Expert {
    let Definite { triangle, factored, equilibrate, mut a, mut factor, scaled, s, mut b, mut x, ferr, berr } = call;
    let n = a.nrows();
    let mut found = Equilibration::EMPTY;
    if factored {
        found.rows = if *scaled { ratio::<T>(s) } else { 1.0 };
    } else {
        *scaled = equilibrate && poequ(a.as_ref(), s, &mut found).is_none() && laqsy(triangle, a.as_mut(), s, &found);
    }
    if *scaled {
        scale_rows(b.as_mut(), s);
    }
    if !factored {
        copy_triangle(triangle, &a, factor.as_mut());
        if let Some(info) = potrf(triangle, factor.as_mut()) {
            return Expert { info: Some(info), rcond: 0.0, growth: 1.0 };
        }
    }
    let anorm = norm(Norm::One, Pattern::Mirrored(triangle, Symmetry::Hermitian), a.as_ref());
    let solve = |_: Op, x: MatMut<'_, T>| potrs(triangle, factor.as_ref(), x);
    let rcond = reciprocal_condition(n, Norm::One, anorm, solve);
    x.copy_from(b.as_ref());
    potrs(triangle, factor.as_ref(), x.as_mut());
    let system = ByCholesky { triangle, a: a.as_ref(), factor: factor.as_ref() };
    refine(&system, Op::NoTrans, b.as_ref(), x.as_mut(), ferr, berr);
    if *scaled {
        scale_rows(x, s);
        undo_bounds::<T>(ferr, found.rows);
    }
    Expert::solved::<T>(n, rcond, 1.0)
}

/// Operands of [`sysvx`].
pub struct Indefinite<'a, T: Scalar> {
    /// A is symmetric or Hermitian.
    pub symmetry: Symmetry,
    /// The triangle of A that is stored.
    pub triangle: Triangle,
    /// True if `factors` and `pivots` are given, and fit.
    pub factored: bool,
    /// A, which is not changed.
    pub a: MatRef<'a, T>,
    /// sytrf's or hetrf's factors.
    pub factors: MatMut<'a, T>,
    /// Its pivots.
    pub pivots: &'a mut [i32],
    /// B.
    pub b: MatRef<'a, T>,
    /// Gets X.
    pub x: MatMut<'a, T>,
    /// Gets bounds of forward errors.
    pub ferr: &'a mut [T::RealScalar],
    /// Gets backward errors.
    pub berr: &'a mut [T::RealScalar],
}

/// Solves A X = B of a symmetric or Hermitian A by Bunch and Kaufman's factorisation, with refinement and error bounds
/// (LAPACK: xSYSVX, xHESVX). The growth is 1.
#[instances]
pub fn sysvx<T: Scalar>(call: Indefinite<'_, T>) -> Expert {
    let Indefinite { symmetry, triangle, factored, a, mut factors, pivots, b, mut x, ferr, berr } = call;
    let n = a.nrows();
    let hermitian = symmetry == Symmetry::Hermitian;
    if !factored {
        for j in 0..n {
            for i in if triangle == Triangle::Lower { j..n } else { 0..j + 1 } {
                factors[(i, j)] = a[(i, j)];
            }
        }
        let info = if hermitian {
            hetrf(triangle, factors.as_mut(), pivots)
        } else {
            sytrf(triangle, factors.as_mut(), pivots)
        };
        if info.is_some() {
            return Expert { info, rcond: 0.0, growth: 1.0 };
        }
    }
    let anorm = norm(Norm::Infinity, Pattern::Mirrored(triangle, symmetry), a);
    let permuted = Permuted::new(triangle, factors.as_ref(), pivots, hermitian);
    let rcond = of_factors(triangle, &permuted, anorm);
    x.copy_from(b);
    permuted.solve(triangle, x.as_mut());
    refine(&ByPivoting { triangle, symmetry, a, factors: permuted }, Op::NoTrans, b, x, ferr, berr);
    Expert::solved::<T>(n, rcond, 1.0)
}
