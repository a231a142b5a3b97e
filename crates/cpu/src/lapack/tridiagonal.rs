//! Tridiagonal systems: LU with partial pivoting, and L D Lᴴ of positive definite matrices.
//!
//! `dl`, `d` and `du` are the diagonals below, on and above the main one, of n - 1, n and n - 1 elements.

use affinimath_macros::instances;
use faer::MatMut;

use super::Info;
use super::groups::{Group, OnGroup, on_groups};
use affinimath_core::division::quotient;
use affinimath_core::options::{Op, Triangle};
use affinimath_core::scalar::Scalar;

/// P A = L U with partial pivoting, in place (LAPACK: xGTTRF): `dl` gets the multipliers, `d`, `du` and `du2` the
/// three diagonals of U. Row i was interchanged with row `pivots[i]`, which is i + 1 or i + 2 counted from 1. The info
/// is the first zero on U's diagonal.
#[instances]
pub fn gttrf<T: Scalar>(dl: &mut [T], d: &mut [T], du: &mut [T], du2: &mut [T], pivots: &mut [i32]) -> Info {
    let n = d.len();
    if n == 0 {
        return None;
    }
    let (dl, du, du2) = (&mut dl[..n - 1], &mut du[..n - 1], &mut du2[..n.saturating_sub(2)]);
    du2.fill(T::ZERO);
    pivots[n - 1] = n as i32;
    for i in 0..n - 1 {
        if d[i].sum_of_moduli() >= dl[i].sum_of_moduli() {
            pivots[i] = (i + 1) as i32;
            // Of two zeros there is nothing to eliminate.
            if d[i] != T::ZERO {
                dl[i] = quotient(dl[i], d[i]);
                d[i + 1] -= dl[i] * du[i];
            }
        } else {
            pivots[i] = (i + 2) as i32;
            let factor = quotient(d[i], dl[i]);
            d[i] = dl[i];
            dl[i] = factor;
            let above = du[i];
            du[i] = d[i + 1];
            d[i + 1] = above - factor * d[i + 1];
            if i + 2 < n {
                du2[i] = du[i + 1];
                du[i + 1] = -(factor * du[i + 1]);
            }
        }
    }
    d.iter().position(|pivot| *pivot == T::ZERO).map(|index| index + 1)
}

/// The factors of [`gttrf`].
#[derive(Clone, Copy)]
pub struct Factors<'a, T> {
    /// Multipliers.
    pub dl: &'a [T],
    /// U's diagonals.
    pub d: &'a [T],
    pub du: &'a [T],
    pub du2: &'a [T],
    /// Rows, from 1.
    pub pivots: &'a [i32],
}

/// Solves op(A) X = B with [`gttrf`]'s factors (LAPACK: xGTTRS). X overwrites B. Every pivot i is i + 1 or i + 2.
#[instances]
pub fn gttrs<T: Scalar>(op: Op, factors: Factors<'_, T>, b: MatMut<'_, T>) {
    let n = factors.d.len();
    assert!(b.nrows() == n && factors.pivots.len() >= n, "checked by the callers");
    assert!(factors.dl.len() + 1 >= n && factors.du.len() + 1 >= n && factors.du2.len() + 2 >= n);
    match (op.transposes(), op.conjugates()) {
        (false, false) => on_groups(b, &Solve::<T, false, false>(factors)),
        (false, true) => on_groups(b, &Solve::<T, false, true>(factors)),
        (true, false) => on_groups(b, &Solve::<T, true, false>(factors)),
        (true, true) => on_groups(b, &Solve::<T, true, true>(factors)),
    }
}

struct Solve<'a, T, const TRANSPOSES: bool, const CONJUGATES: bool>(Factors<'a, T>);

impl<T: Scalar, const TRANSPOSES: bool, const CONJUGATES: bool> OnGroup<T> for Solve<'_, T, TRANSPOSES, CONJUGATES> {
    unsafe fn run<const K: usize>(&self, b: Group<T, K>) {
        // SAFETY: B has n rows, which `gttrs` checked.
        unsafe {
            if TRANSPOSES {
                self.upper_transposed(b);
                self.lower_transposed(b);
            } else {
                self.lower(b);
                self.upper(b);
            }
        }
    }
}

impl<T: Scalar, const TRANSPOSES: bool, const CONJUGATES: bool> Solve<'_, T, TRANSPOSES, CONJUGATES> {
    #[inline(always)]
    fn of(x: T) -> T {
        if CONJUGATES { x.conjugate() } else { x }
    }

    /// L X = P B.
    #[inline(always)]
    unsafe fn lower<const K: usize>(&self, b: Group<T, K>) {
        let Factors { dl, d, pivots, .. } = self.0;
        let n = d.len();
        // SAFETY: rows are below n.
        unsafe {
            let mut row = b.row(0);
            for i in 0..n - 1 {
                let (mut next, factor) = (b.row(i + 1), Self::of(dl[i]));
                if pivots[i] != (i + 1) as i32 {
                    std::mem::swap(&mut row, &mut next);
                }
                b.set_row(i, row);
                row = subtract(next, factor, row);
            }
            b.set_row(n - 1, row);
        }
    }

    /// U X = B.
    #[inline(always)]
    unsafe fn upper<const K: usize>(&self, b: Group<T, K>) {
        let Factors { d, du, du2, .. } = self.0;
        let n = d.len();
        let (mut next, mut second) = ([T::ZERO; K], [T::ZERO; K]);
        for i in (0..n).rev() {
            // SAFETY: i is below n.
            unsafe {
                let mut row = b.row(i);
                if i + 2 < n {
                    row = subtract(row, Self::of(du2[i]), second);
                }
                if i + 1 < n {
                    row = subtract(row, Self::of(du[i]), next);
                }
                row = divided(row, Self::of(d[i]));
                b.set_row(i, row);
                (next, second) = (row, next);
            }
        }
    }

    /// Uᵀ X = B.
    #[inline(always)]
    unsafe fn upper_transposed<const K: usize>(&self, b: Group<T, K>) {
        let Factors { d, du, du2, .. } = self.0;
        let (mut before, mut second) = ([T::ZERO; K], [T::ZERO; K]);
        for i in 0..d.len() {
            // SAFETY: i is below n.
            unsafe {
                let mut row = b.row(i);
                if i >= 2 {
                    row = subtract(row, Self::of(du2[i - 2]), second);
                }
                if i >= 1 {
                    row = subtract(row, Self::of(du[i - 1]), before);
                }
                row = divided(row, Self::of(d[i]));
                b.set_row(i, row);
                (before, second) = (row, before);
            }
        }
    }

    /// X := Pᵀ L⁻ᵀ B.
    #[inline(always)]
    unsafe fn lower_transposed<const K: usize>(&self, b: Group<T, K>) {
        let Factors { dl, d, pivots, .. } = self.0;
        let n = d.len();
        // SAFETY: rows are below n.
        unsafe {
            let mut next = b.row(n - 1);
            for i in (0..n - 1).rev() {
                let mut row = subtract(b.row(i), Self::of(dl[i]), next);
                if pivots[i] != (i + 1) as i32 {
                    std::mem::swap(&mut row, &mut next);
                }
                b.set_row(i + 1, next);
                next = row;
            }
            b.set_row(0, next);
        }
    }
}

#[inline(always)]
fn subtract<T: Scalar, const K: usize>(from: [T; K], factor: T, row: [T; K]) -> [T; K] {
    std::array::from_fn(|k| from[k] - factor * row[k])
}

#[inline(always)]
fn divided<T: Scalar, const K: usize>(row: [T; K], divisor: T) -> [T; K] {
    row.map(|value| quotient(value, divisor))
}

/// Solves A X = B by LU with partial pivoting (LAPACK: xGTSV). `d` and `du` get U's diagonal and the first one above
/// it, `dl` its second one, of n - 2 elements. With an info, X is not computed.
#[instances]
pub fn gtsv<T: Scalar>(dl: &mut [T], d: &mut [T], du: &mut [T], b: MatMut<'_, T>) -> Info {
    let n = d.len();
    let (mut du2, mut pivots) = (vec![T::ZERO; n.saturating_sub(2)], vec![0; n]);
    let info = gttrf(dl, d, du, &mut du2, &mut pivots);
    if info.is_none() && n > 0 {
        gttrs(Op::NoTrans, Factors { dl, d, du, du2: &du2, pivots: &pivots }, b);
    }
    dl[..du2.len()].copy_from_slice(&du2);
    info
}

/// A = L D Lᴴ of a positive definite matrix with the diagonal `d` and `e` below it, in place (LAPACK: xPTTRF): `d`
/// gets D, `e` the elements below L's diagonal of ones. With `e` above the diagonal it is Uᴴ D U, and `e` is U's. The
/// info is the order of the first leading minor that is not positive; elements behind it are as they were.
#[instances]
pub fn pttrf<T: Scalar>(d: &mut [T::RealScalar], e: &mut [T]) -> Info {
    let n = d.len();
    for i in 0..n {
        let pivot: f64 = d[i].into();
        if pivot <= 0.0 {
            return Some(i + 1);
        }
        if i + 1 < n {
            let (re, im) = (e[i].re(), e[i].im());
            e[i] = T::from_parts(re / pivot, im / pivot);
            let next: f64 = d[i + 1].into();
            // Rounded to the precision first, as the factor is.
            d[i + 1] = T::RealScalar::from_parts(next - e[i].re() * re - e[i].im() * im, 0.0);
        }
    }
    None
}

/// Solves A X = B with [`pttrf`]'s factors: L D Lᴴ of `Lower`, Uᴴ D U of `Upper` (LAPACK: xPTTRS). X overwrites B.
#[instances]
pub fn pttrs<T: Scalar>(triangle: Triangle, d: &[T::RealScalar], e: &[T], b: MatMut<'_, T>) {
    assert!(b.nrows() == d.len() && e.len() + 1 >= d.len(), "checked by the callers");
    match triangle {
        Triangle::Lower => on_groups(b, &Definite::<T, true> { d, e }),
        Triangle::Upper => on_groups(b, &Definite::<T, false> { d, e }),
    }
}

struct Definite<'a, T: Scalar, const LOWER: bool> {
    d: &'a [T::RealScalar],
    e: &'a [T],
}

impl<T: Scalar, const LOWER: bool> OnGroup<T> for Definite<'_, T, LOWER> {
    unsafe fn run<const K: usize>(&self, b: Group<T, K>) {
        let of = |x: T, adjoint: bool| if adjoint == LOWER { x.conjugate() } else { x };
        let n = self.d.len();
        // SAFETY: B has n rows, which `pttrs` checked.
        unsafe {
            let mut row = b.row(0);
            for i in 1..n {
                row = subtract(b.row(i), of(self.e[i - 1], false), row);
                b.set_row(i, row);
            }
            let mut next = [T::ZERO; K];
            for i in (0..n).rev() {
                let divisor: f64 = self.d[i].into();
                let mut row = b.row(i).map(|x| T::from_parts(x.re() / divisor, x.im() / divisor));
                if i + 1 < n {
                    row = subtract(row, of(self.e[i], true), next);
                }
                b.set_row(i, row);
                next = row;
            }
        }
    }
}

/// Solves A X = B by [`pttrf`] and, if that succeeds, [`pttrs`], with `e` below the diagonal (LAPACK: xPTSV).
#[instances]
pub fn ptsv<T: Scalar>(d: &mut [T::RealScalar], e: &mut [T], b: MatMut<'_, T>) -> Info {
    let info = pttrf(d, e);
    if info.is_none() {
        pttrs(Triangle::Lower, d, e, b);
    }
    info
}
