//! LU with partial pivoting, `P A = L U`.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::Perm;
use faer::{Conj, Mat, MatMut};

use super::condition::inverse_one_norm;
use super::factor_parallelism;
use affinimath_core::{Error, Result, Scalar};
use affinimath_macros::instances;

/// The factors of a square matrix. LAPACK's xGETRF and xGETRS.
#[derive(Debug)]
pub struct Lu<T> {
    /// L below the diagonal, with an implicit unit diagonal; U on and above it.
    factors: Mat<T>,
    rows: Perm<usize>,
}

impl<T: Scalar> Lu<T> {
    /// # Errors
    /// [`Error::ZeroPivot`] with the first pivot that is exactly zero, or has overflowed: the matrix is singular.
    ///
    /// # Panics
    /// If the matrix is not square.
    pub fn factor(a: Mat<T>) -> Result<Self> {
        factor(a)
    }

    /// Overwrites B with `A⁻¹ B`.
    pub fn solve_in_place(&self, b: MatMut<'_, T>) {
        solve_in_place(self, b)
    }

    /// Overwrites B with `A⁻ᴴ B`.
    pub fn solve_adjoint_in_place(&self, b: MatMut<'_, T>) {
        solve_adjoint_in_place(self, b)
    }

    /// An estimate of A's condition in the 1-norm, for A's 1-norm. LAPACK's xGECON.
    pub fn condition(&self, norm: f64) -> f64 {
        let n = self.factors.nrows();
        norm * inverse_one_norm(n, |x| self.solve_in_place(x), |x| self.solve_adjoint_in_place(x))
    }
}

#[instances]
fn factor<T: Scalar>(mut a: Mat<T>) -> Result<Lu<T>> {
    let n = a.nrows();
    assert_eq!(n, a.ncols(), "a system to be solved by LU is square");
    let par = factor_parallelism(n, n);
    let (mut forward, mut inverse) = (vec![0usize; n], vec![0usize; n]);
    let mut memory = MemBuffer::new(factor::lu_in_place_scratch::<usize, T>(n, n, par, Default::default()));
    let stack = MemStack::new(&mut memory);
    factor::lu_in_place(a.as_mut(), &mut forward, &mut inverse, par, stack, Default::default());
    // After a zero pivot, later elements are divided by zero: the first pivot that is zero or not finite is the one
    // to report.
    if let Some(index) = (0..n).find(|i| a[(*i, *i)] == T::ZERO || !a[(*i, *i)].finite()) {
        return Err(Error::ZeroPivot { index: index + 1 });
    }
    let rows = Perm::new_checked(forward.into_boxed_slice(), inverse.into_boxed_slice(), n);
    Ok(Lu { factors: a, rows })
}

#[instances]
fn solve_in_place<T: Scalar>(factors: &Lu<T>, b: MatMut<'_, T>) {
    let (lu, par) = (factors.factors.as_ref(), factor_parallelism(b.nrows(), b.ncols()));
    let mut memory = MemBuffer::new(solve::solve_in_place_scratch::<usize, T>(b.nrows(), b.ncols(), par));
    solve::solve_in_place_with_conj(lu, lu, factors.rows.as_ref(), Conj::No, b, par, MemStack::new(&mut memory));
}

#[instances]
fn solve_adjoint_in_place<T: Scalar>(factors: &Lu<T>, b: MatMut<'_, T>) {
    let (lu, par) = (factors.factors.as_ref(), factor_parallelism(b.nrows(), b.ncols()));
    let mut memory = MemBuffer::new(solve::solve_transpose_in_place_scratch::<usize, T>(b.nrows(), b.ncols(), par));
    let stack = MemStack::new(&mut memory);
    solve::solve_transpose_in_place_with_conj(lu, lu, factors.rows.as_ref(), Conj::Yes, b, par, stack);
}
