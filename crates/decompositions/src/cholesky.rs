//! Cholesky's factorisation, `A = L Lᴴ`.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor, solve};
use faer::{Conj, Mat, MatMut};

use super::condition::inverse_one_norm;
use super::factor_parallelism;
use affinimath_core::{Error, Result, Scalar};
use affinimath_macros::instances;

/// The factor of a Hermitian positive definite matrix. LAPACK's xPOTRF and xPOTRS.
#[derive(Debug)]
pub struct Cholesky<T> {
    /// L in the lower triangle; elements above it are undefined.
    lower: Mat<T>,
}

impl<T: Scalar> Cholesky<T> {
    /// Factorises a matrix, of which the lower triangle is read.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`] with the order of the first leading minor that is not positive.
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

    /// An estimate of A's condition in the 1-norm, for A's 1-norm. LAPACK's xPOCON.
    pub fn condition(&self, norm: f64) -> f64 {
        let n = self.lower.nrows();
        norm * inverse_one_norm(n, |x| self.solve_in_place(x), |x| self.solve_in_place(x))
    }
}

#[instances]
fn factor<T: Scalar>(mut a: Mat<T>) -> Result<Cholesky<T>> {
    let n = a.nrows();
    assert_eq!(n, a.ncols(), "Cholesky's factorisation is of square matrices");
    let par = factor_parallelism(n, n);
    let mut memory = MemBuffer::new(factor::cholesky_in_place_scratch::<T>(n, par, Default::default()));
    let stack = MemStack::new(&mut memory);
    let done = factor::cholesky_in_place(a.as_mut(), Default::default(), par, stack, Default::default());
    let failed = match done {
        Err(factor::LltError::NonPositivePivot { index }) => Some(index),
        // An overflow leaves a NaN, for which the comparison is false.
        Ok(_) => (0..n).find(|i| !a[(*i, *i)].finite()),
    };
    match failed {
        Some(index) => Err(Error::NotPositiveDefinite { index: index + 1 }),
        None => Ok(Cholesky { lower: a }),
    }
}

#[instances]
fn solve_in_place<T: Scalar>(factors: &Cholesky<T>, b: MatMut<'_, T>) {
    let par = factor_parallelism(b.nrows(), b.ncols());
    let mut memory = MemBuffer::new(solve::solve_in_place_scratch::<T>(b.nrows(), b.ncols(), par));
    solve::solve_in_place_with_conj(factors.lower.as_ref(), Conj::No, b, par, MemStack::new(&mut memory));
}
