//! Least squares by QR with column pivoting.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::qr::col_pivoting::factor;
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::{householder, triangular_solve as triangular};
use faer::{Conj, Mat, MatMut, MatRef, Par};

use super::condition::{inverse_one_norm, one_norm};
use super::factor_parallelism;
use affinimath_core::{Error, Result, Scalar};
use affinimath_macros::instances;

/// Factors of a rectangular matrix of full rank: `A P = Q R`, or `Aᴴ P = Q R` if it has more columns than rows, so
/// that R is square. Similar to LAPACK's xGELSY, which also takes a deficient rank.
#[derive(Debug)]
pub struct LeastSquares<T> {
    /// R on the diagonal and above; Householder vectors below.
    factors: Mat<T>,
    /// Triangular factors T of the block reflectors.
    blocks: Mat<T>,
    /// Column j of the factorised matrix is column `columns[j]` of the given one.
    columns: Vec<usize>,
    /// Aᴴ was factorised.
    adjoint: bool,
}

impl<T: Scalar> LeastSquares<T> {
    /// # Errors
    /// [`Error::RankDeficient`] if a pivot is at rounding level: at most max(m, n) eps times the first one.
    pub fn factor(a: Mat<T>) -> Result<Self> {
        factor(a)
    }

    /// The x that minimises `||A x - b||` for each column of b; the solution of least norm if A has more columns than
    /// rows.
    pub fn solve(&self, b: Mat<T>) -> Mat<T> {
        solve(self, b)
    }

    /// B := `Q B`, or `Qᴴ B` if conjugated.
    fn apply_basis(&self, b: MatMut<'_, T>, conj: Conj, par: Par) {
        let (basis, blocks) = (self.factors.as_ref(), self.blocks.as_ref());
        if blocks.ncols() == 0 || b.ncols() == 0 {
            return;
        }
        let workspace = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(
            basis.nrows(),
            blocks.nrows(),
            b.ncols(),
        );
        let mut memory = MemBuffer::new(workspace);
        let stack = MemStack::new(&mut memory);
        match conj {
            Conj::No => householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
                basis, blocks, conj, b, par, stack,
            ),
            Conj::Yes => householder::apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj(
                basis, blocks, conj, b, par, stack,
            ),
        }
    }

    fn triangle(&self) -> MatRef<'_, T> {
        self.factors.as_ref().subrows(0, self.factors.ncols())
    }

    fn solve_triangle(&self, b: MatMut<'_, T>, par: Par) {
        triangular::solve_upper_triangular_in_place_with_conj(self.triangle(), Conj::No, b, par);
    }

    fn solve_adjoint_triangle(&self, b: MatMut<'_, T>, par: Par) {
        triangular::solve_lower_triangular_in_place_with_conj(self.triangle().transpose(), Conj::Yes, b, par);
    }

    /// An estimate of R's condition in the 1-norm, which is A's but for the change of norm. LAPACK's xTRCON.
    pub fn condition(&self) -> f64 {
        condition(self)
    }
}

#[instances]
fn condition<T: Scalar>(of: &LeastSquares<T>) -> f64 {
    let n = of.factors.ncols();
    let upper = Mat::from_fn(n, n, |i, j| if i <= j { of.factors[(i, j)] } else { T::ZERO });
    let inverse = inverse_one_norm(n, |x| of.solve_triangle(x, Par::Seq), |x| of.solve_adjoint_triangle(x, Par::Seq));
    one_norm(upper.as_ref()) * inverse
}

#[instances]
fn factor<T: Scalar>(a: Mat<T>) -> Result<LeastSquares<T>> {
    let adjoint = a.nrows() < a.ncols();
    let mut factors = if adjoint { a.adjoint().to_owned() } else { a };
    let (m, n) = (factors.nrows(), factors.ncols());
    let block = recommended_block_size::<T>(m, n).max(1);
    let par = factor_parallelism(m, n);
    let mut blocks = Mat::zeros(block, n);
    let (mut columns, mut inverse) = (vec![0usize; n], vec![0usize; n]);
    let workspace = factor::qr_in_place_scratch::<usize, T>(m, n, block, par, Default::default());
    let mut memory = MemBuffer::new(workspace);
    let stack = MemStack::new(&mut memory);
    let (qr, blocks_mut) = (factors.as_mut(), blocks.as_mut());
    factor::qr_in_place(qr, blocks_mut, &mut columns, &mut inverse, par, stack, Default::default());

    let pivot = |i: usize| factors[(i, i)].modulus();
    let threshold = if n == 0 { 0.0 } else { m as f64 * T::EPSILON * pivot(0) };
    // Not `<=`: of a matrix of zeros the factors are NaN.
    match (0..n).find(|i| !matches!(pivot(*i).partial_cmp(&threshold), Some(std::cmp::Ordering::Greater))) {
        Some(rank) => Err(Error::RankDeficient { rank, full: n }),
        None => Ok(LeastSquares { factors, blocks, columns, adjoint }),
    }
}

#[instances]
fn solve<T: Scalar>(of: &LeastSquares<T>, mut b: Mat<T>) -> Mat<T> {
    let (m, n) = (of.factors.nrows(), of.factors.ncols());
    let mut x = Mat::zeros(if of.adjoint { m } else { n }, b.ncols());
    let par = factor_parallelism(m, b.ncols());
    if of.adjoint {
        // Pᵀ A = Rᴴ Qᴴ: Rᴴ y = Pᵀ b, and x = Q y is orthogonal to A's null space.
        for (i, column) in of.columns.iter().enumerate() {
            x.as_mut().row_mut(i).copy_from(b.row(*column));
        }
        of.solve_adjoint_triangle(x.as_mut().subrows_mut(0, n), par);
        of.apply_basis(x.as_mut(), Conj::No, par);
    } else {
        of.apply_basis(b.as_mut(), Conj::Yes, par);
        of.solve_triangle(b.as_mut().subrows_mut(0, n), par);
        for (i, column) in of.columns.iter().enumerate() {
            x.as_mut().row_mut(*column).copy_from(b.row(i));
        }
    }
    x
}
