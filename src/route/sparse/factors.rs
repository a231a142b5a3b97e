//! Sparse direct solvers: factors on the host, of matrices wherever they lie.

#[cfg(test)]
mod tests;

use std::fmt;

use faer::sparse::{SparseColMat, SymbolicSparseColMat};

use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::on_living_thread;
use crate::host::solve::{self as host, SparseAnalysis, SparseMethod};
use crate::memory::Context;
use crate::options::Op;
use crate::route::lapack::with_copies;
use crate::scalar::Scalar;
use crate::sparse::{CsrMatrix, RowPointer};
use crate::view::{MatrixMut, MatrixRef};

/// The factors of a sparse matrix, which solve systems with it: Cholesky, LDLᴴ, LU or QR, with an ordering that reduces
/// fill.
///
/// Factors lie in the host's memory, and solves run there. A solution is refined until its backward error is a rounding
/// error.
///
/// ```
/// use affinimath::sparse::{CsrMatrix, SparseMethod};
/// use affinimath::{Context, Layout, MatrixMut, MatrixRef, MatrixShape, Op};
///
/// // [ 4 -1  0 ]
/// // [-1  4 -1 ]
/// // [ 0 -1  4 ]
/// let (row_ptr, columns) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
/// let a = CsrMatrix::new(&Context::host(), 3, 3, &row_ptr, &columns, &[4.0, -1.0, -1.0, 4.0, -1.0, -1.0, 4.0])?;
/// let factors = a.factorize()?;
/// assert_eq!(factors.method(), SparseMethod::Cholesky);
///
/// let shape = MatrixShape::new(Layout::ColumnMajor, 3, 1, 0, 3)?;
/// let mut x = [0.0; 3];
/// let b = MatrixRef::from_slice(&[2.0, 4.0, 10.0], shape)?;
/// factors.solve(Op::NoTrans, b, MatrixMut::from_slice(&mut x, shape)?)?;
/// assert!(x.iter().zip([1.0, 2.0, 3.0]).all(|(x, exact)| f64::abs(x - exact) < 1e-14));
/// # Ok::<(), affinimath::Error>(())
/// ```
pub struct SparseFactors<T: Scalar> {
    factors: host::SparseFactors<T>,
    analysis: SparseAnalysis,
}

impl<T: Scalar> fmt::Debug for SparseFactors<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = &mut f.debug_struct("SparseFactors");
        parts.field("method", &self.method()).field("shape", &(self.rows(), self.columns())).field("nnz", &self.nnz());
        parts.finish_non_exhaustive()
    }
}

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// Sparse factors by the method that suits the matrix: Cholesky for a Hermitian one with a positive diagonal, LDLᴴ
    /// if that fails, LU if that fails too and for others; QR of a matrix with more rows than columns.
    ///
    /// # Errors
    /// [`Error::ZeroPivot`] or [`Error::Singular`] for a singular matrix, [`Error::RankDeficient`] for dependent
    /// columns; [`Error::NotFinite`]; [`Error::ShapeMismatch`] for a matrix with more columns than rows;
    /// [`Error::OutOfHostMemory`]; and what a device reports.
    pub fn factorize(&self) -> Result<SparseFactors<T>> {
        self.check_not_wide()?;
        let a = self.to_faer()?;
        let (factors, analysis) = computed(|| host::SparseFactors::choose(a.as_ref(), None))?;
        Ok(SparseFactors { factors, analysis })
    }

    /// Sparse factors by a method.
    ///
    /// # Errors
    /// Those of [`Self::factorize`]; [`Error::NotPositiveDefinite`] for Cholesky; [`Error::InvalidArgument`] for
    /// Cholesky and LDLᴴ of a matrix that is not Hermitian; [`Error::ShapeMismatch`] if it is not square, but for QR.
    pub fn factorize_by(&self, method: SparseMethod) -> Result<SparseFactors<T>> {
        self.check_not_wide()?;
        if method != SparseMethod::Qr && self.rows() != self.columns() {
            let (rows, columns) = (self.rows(), self.columns());
            let name = method.name();
            return Err(Error::ShapeMismatch(format!("{name} is of square matrices, and A is {rows} x {columns}")));
        }
        let a = self.to_faer()?;
        computed(|| {
            host::check_sparse_finite(a.as_ref())?;
            let analysis = SparseAnalysis::of(method, a.symbolic())?;
            let factors = host::SparseFactors::new(method, &analysis, a.as_ref(), None)?;
            Ok(SparseFactors { factors, analysis })
        })
    }

    /// The matrix by columns, on the host, with one entry in each place.
    ///
    /// # Errors
    /// [`Error::OutOfHostMemory`], and what a device reports.
    pub fn to_faer(&self) -> Result<SparseColMat<usize, T>> {
        let on_host = match self.context().on_device() {
            Some(_) => &self.to_context(&Context::host())?,
            None => self,
        };
        // Rows of the transpose are A's columns, with entries in the order of A's rows.
        let arrays = on_host.sorted()?.transpose()?.download()?;
        let starts = arrays.row_ptr.iter().map(|start| start.count()).collect();
        let indices = arrays.col_indices.iter().map(|row| *row as usize).collect();
        let pattern = SymbolicSparseColMat::new_checked(self.rows(), self.columns(), starts, None, indices);
        Ok(SparseColMat::new(pattern, arrays.values))
    }

    fn check_not_wide(&self) -> Result<()> {
        if self.rows() >= self.columns() {
            return Ok(());
        }
        let (rows, columns) = (self.rows(), self.columns());
        Err(Error::ShapeMismatch(format!("A is {rows} x {columns}; sparse factors take no wide A")))
    }
}

/// Runs work of the host's library, on another thread if this one is ending.
fn computed<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    let mut result = Err(Error::Internal("nothing was computed".to_owned()));
    on_living_thread(|| result = work());
    result
}

impl<T: Scalar> SparseFactors<T> {
    /// The factorisation.
    pub fn method(&self) -> SparseMethod {
        self.factors.method()
    }

    /// Rows of A.
    pub fn rows(&self) -> usize {
        self.factors.shape().0
    }

    /// Columns of A.
    pub fn columns(&self) -> usize {
        self.factors.shape().1
    }

    /// Stored entries of the factors; of LU an upper bound that is known before pivoting (George and Ng 1987).
    pub fn nnz(&self) -> usize {
        self.factors.nnz()
    }

    /// Estimated condition of A in the 1-norm (Higham 1988); for QR of R, with A's columns scaled to like size.
    ///
    /// # Errors
    /// [`Error::RankDeficient`] if the condition of QR's triangular factor exceeds the precision.
    pub fn condition(&self) -> Result<f64> {
        computed(|| self.factors.condition())
    }

    /// Factorises a matrix with the same entries and other values, without a new ordering. If it fails, the old factors
    /// stay.
    ///
    /// # Errors
    /// Those of [`CsrMatrix::factorize_by`]; [`Error::ShapeMismatch`] if the entries are others.
    pub fn refactorize<P: RowPointer>(&mut self, a: &CsrMatrix<T, P>) -> Result<()> {
        let a = a.to_faer()?;
        let (new, old) = (a.symbolic(), self.factors.pattern());
        let shapes_agree = (new.nrows(), new.ncols()) == (old.nrows(), old.ncols());
        if !shapes_agree || new.col_ptr() != old.col_ptr() || new.row_idx() != old.row_idx() {
            return Err(Error::ShapeMismatch("A's entries are not those of the factorised matrix".to_owned()));
        }
        self.factors = computed(|| {
            host::check_sparse_finite(a.as_ref())?;
            host::SparseFactors::new(self.method(), &self.analysis, a.as_ref(), None)
        })?;
        Ok(())
    }

    /// Solves `op(A) X = B`, or by QR minimises `||A x - b||` for each column: B has op(A)'s rows, X its columns. Both
    /// lie in the host's memory, or in a device's.
    ///
    /// # Errors
    /// [`Error::Singular`] if X is not finite; [`Error::InvalidArgument`] for QR of a transposed A;
    /// [`Error::ShapeMismatch`], [`Error::MixedMemory`], and what a device reports.
    pub fn solve(&self, op: Op, b: MatrixRef<'_, T>, x: MatrixMut<'_, T>) -> Result<()> {
        self.solve_with(None, op, b, x)
    }

    /// The same for operands in a device's memory. It waits for what is before it in the queue, and is done when it
    /// returns.
    ///
    /// # Errors
    /// Those of [`Self::solve`]; [`Error::MixedMemory`] if an operand lies in the host's memory.
    pub fn solve_on(&self, queue: &Queue, op: Op, b: MatrixRef<'_, T>, x: MatrixMut<'_, T>) -> Result<Event> {
        self.solve_with(Some(queue), op, b, x)?;
        Ok(Event::Complete)
    }

    fn solve_with(&self, queue: Option<&Queue>, op: Op, b: MatrixRef<'_, T>, x: MatrixMut<'_, T>) -> Result<()> {
        let (rows, columns) = (self.rows(), self.columns());
        let (rows, columns) = if op.transposes() { (columns, rows) } else { (rows, columns) };
        let found = (b.rows(), x.rows(), x.columns());
        if found != (rows, columns, b.columns()) {
            return Err(Error::ShapeMismatch(format!(
                "op(A) is {rows} x {columns}, B {} x {} and X {} x {}",
                found.0,
                b.columns(),
                found.1,
                found.2
            )));
        }
        let mut outcome = Ok(());
        with_copies(queue, vec![b], vec![x], |read, written| {
            let (Some(b), Some(mut x)) = (read.into_iter().next(), written.into_iter().next()) else { return };
            outcome = computed(|| {
                host::check_finite("B", b)?;
                x.copy_from(self.factors.solve_op(op, b)?);
                Ok(())
            });
        })?;
        outcome
    }
}
