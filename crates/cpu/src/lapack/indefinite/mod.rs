//! Bunch and Kaufman's factorisation of symmetric and Hermitian indefinite matrices, P A Pᵀ = L D Lᵀ or L D Lᴴ, and
//! what is made of it (J. R. Bunch and L. Kaufman, *Some stable methods for calculating inertia and solving symmetric
//! linear systems*, Math. Comp. 31, 1977).
//!
//! D has blocks of order 1 and 2. A pivot p > 0 is of a block of order 1: rows and columns k and p were interchanged.
//! Two equal pivots -p are of a block of order 2: its second row and column (of an upper triangle its first) were
//! interchanged with p.
//!
//! All routines work on a lower triangle with contiguous columns. An upper triangle is the lower one of the matrix in
//! reverse order: U D Uᴴ, which LAPACK eliminates from the last column on, is L D Lᴴ there, with pivots reversed.

//!
//! The rook variant (C. Ashcraft, R. G. Grimes and J. G. Lewis, *Accurate symmetric indefinite linear equation
//! solvers*, SIAM J. Matrix Anal. Appl. 20, 1998) searches rows and columns in turn for an element that is the largest
//! of both, which bounds L. A block of order 2 then has two interchanges: -ipiv of its first row and column, and of its
//! second.

mod factor;
mod inverse;
mod permuted;
mod rook;
mod solve;

pub use inverse::{hetri, sytri};
pub use rook::{hesv_rook, hetrf_rook, hetri_rook, hetrs_rook, rook_pivots_fit};
pub use rook::{sysv_rook, sytrf_rook, sytri_rook, sytrs_rook};
pub use solve::{hesv, hetrs, sysv, sytrs};

pub(super) use permuted::Permuted;

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::workspace::{Workspace, by_columns, columns, copy_lower};
use super::{Info, among_threads};
use affinimath_core::options::Triangle;
use affinimath_core::scalar::Scalar;

/// The search for pivots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pivoting {
    /// Partial pivoting, of at most two columns.
    BunchKaufman,
    /// Rook pivoting.
    Rook,
}

impl Pivoting {
    /// Rows and columns that are interchanged with the first and the second one of block `k` of a lower triangle, from
    /// 0, and the order of the block.
    fn interchanges(self, pivots: &[i32], k: usize) -> ([usize; 2], usize) {
        let pivot = |k: usize| pivots[k].unsigned_abs() as usize - 1;
        match (pivots[k] > 0, self) {
            (true, _) => ([pivot(k), k + 1], 1),
            (false, Pivoting::BunchKaufman) => ([k, pivot(k)], 2),
            (false, Pivoting::Rook) => ([pivot(k), pivot(k + 1)], 2),
        }
    }
}

/// P A Pᵀ = L D Lᵀ (LAPACK: xSYTRF), in place of a triangle of A; of complex A too it is the transpose. The info is
/// the index of the first block of D that is exactly zero, or NaN: the factorisation is complete.
#[instances]
pub fn sytrf<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>, pivots: &mut [i32]) -> Info {
    among_threads(a.nrows(), || factorised::<T, false, false>(triangle, a, pivots))
}

/// P A Pᵀ = L D Lᴴ (LAPACK: xHETRF). A's diagonal is taken as real.
#[instances]
pub fn hetrf<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>, pivots: &mut [i32]) -> Info {
    among_threads(a.nrows(), || factorised::<T, true, false>(triangle, a, pivots))
}

fn factorised<T: Scalar, const HERMITIAN: bool, const ROOK: bool>(
    triangle: Triangle,
    a: MatMut<'_, T>,
    pivots: &mut [i32],
) -> Info {
    let n = a.nrows();
    let pivots = &mut pivots[..n];
    let mut a = lower_mut(triangle, a);
    let info = if by_columns(&a) {
        factor::factor::<T, HERMITIAN, ROOK>(columns(&mut a), n, pivots)
    } else {
        let mut copy = Workspace::new(n, n);
        copy_lower(copy.block(n, n), a.as_ref());
        let info = factor::factor::<T, HERMITIAN, ROOK>(columns(&mut copy.block(n, n)), n, pivots);
        copy_lower(a, copy.block_ref(n, n));
        info
    };
    if triangle == Triangle::Upper {
        reverse_pivots(pivots);
        return info.map(|index| n + 1 - index);
    }
    info
}

/// The triangle as a lower one: an upper one in reverse order.
fn lower_mut<T>(triangle: Triangle, a: MatMut<'_, T>) -> MatMut<'_, T> {
    if triangle == Triangle::Lower { a } else { a.reverse_rows_and_cols_mut() }
}

fn lower<T>(triangle: Triangle, a: MatRef<'_, T>) -> MatRef<'_, T> {
    if triangle == Triangle::Lower { a } else { a.reverse_rows_and_cols() }
}

/// Pivots of the matrix in reverse order.
fn reverse_pivots(pivots: &mut [i32]) {
    let n = pivots.len() as i32;
    pivots.reverse();
    pivots.iter_mut().for_each(|pivot| *pivot = if *pivot > 0 { n + 1 - *pivot } else { -n - 1 - *pivot });
}

/// True if each pivot is a row from its own on (of an upper triangle up to it), and blocks of order 2 have two equal
/// ones.
pub fn pivots_fit(triangle: Triangle, pivots: &[i32]) -> bool {
    let mut own = pivots.to_vec();
    if pivots.iter().any(|pivot| pivot.unsigned_abs() as usize > pivots.len() || *pivot == 0) {
        return false;
    }
    if triangle == Triangle::Upper {
        reverse_pivots(&mut own);
    }
    let mut k = 0;
    while k < own.len() {
        let step = if own[k] > 0 { 1 } else { 2 };
        let fits = own[k].unsigned_abs() as usize >= k + step;
        if !fits || step == 2 && own.get(k + 1) != Some(&own[k]) {
            return false;
        }
        k += step;
    }
    true
}
