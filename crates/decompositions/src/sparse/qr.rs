//! Sparse QR by Householder reflectors, `A P = Q R`, for matrices of full column rank.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::qr::{QrRef, SymbolicQr};
use faer::{Conj, Mat, MatMut};

use super::{QrPattern, check_memory, exhausted, sparse_parallelism, zeros};
use crate::condition::inverse_one_norm;
use affinimath_core::{Error, Result, Scalar};
use affinimath_macros::instances;

/// The factors of a matrix of full column rank, ordered by COLAMD.
pub struct Qr<T> {
    symbolic: Arc<SymbolicQr<usize>>,
    indices: Vec<usize>,
    values: Vec<T>,
    /// Columns of R: the diagonal element, then the elements above it.
    columns: Vec<(T, Vec<(usize, T)>)>,
    rows: usize,
}

impl<T: Scalar> Qr<T> {
    /// Factorises a matrix of this pattern, with at least as many rows as columns.
    ///
    /// # Errors
    /// [`Error::RankDeficient`] if a pivot is at rounding level, [`Error::OutOfHostMemory`] with the bytes.
    pub fn factor(pattern: &QrPattern, a: SparseColMatRef<'_, usize, T>, memory: Option<u64>) -> Result<Self> {
        factor(pattern, a, memory)
    }

    /// Stored entries of the factors.
    pub fn nnz(&self) -> usize {
        self.symbolic.len_val()
    }

    /// The x that minimises `||A x - b||` for each column of B.
    pub fn solve(&self, b: Mat<T>) -> Mat<T> {
        solve(self, b)
    }

    /// R's condition in the 1-norm.
    ///
    /// # Errors
    /// [`Error::RankDeficient`] if it exceeds the precision.
    pub fn condition(&self) -> Result<f64> {
        let n = self.columns.len();
        let of_column = |(pivot, above): &(T, Vec<(usize, T)>)| {
            pivot.modulus() + above.iter().map(|(_, r)| r.modulus()).sum::<f64>()
        };
        let norm = self.columns.iter().map(of_column).fold(0.0, f64::max);
        let condition = norm * inverse_one_norm(n, |x| self.solve_r(x), |x| self.solve_r_adjoint(x));
        if condition * T::EPSILON * (self.rows as f64).sqrt() < 1.0 {
            Ok(condition)
        } else {
            Err(Error::RankDeficient { rank: n.saturating_sub(1), full: n })
        }
    }

    fn solve_r(&self, mut x: MatMut<'_, T>) {
        for (j, (pivot, above)) in self.columns.iter().enumerate().rev() {
            let value = x[(j, 0)] / *pivot;
            x[(j, 0)] = value;
            above.iter().for_each(|(i, r)| x[(*i, 0)] -= *r * value);
        }
    }

    fn solve_r_adjoint(&self, mut x: MatMut<'_, T>) {
        for (j, (pivot, above)) in self.columns.iter().enumerate() {
            let sum = above.iter().fold(x[(j, 0)], |sum, (i, r)| sum - r.conjugate() * x[(*i, 0)]);
            x[(j, 0)] = sum / pivot.conjugate();
        }
    }
}

#[instances]
fn factor<T: Scalar>(pattern: &QrPattern, a: SparseColMatRef<'_, usize, T>, memory: Option<u64>) -> Result<Qr<T>> {
    let symbolic = Arc::clone(&pattern.0);
    let par = sparse_parallelism(symbolic.len_val());
    let workspace = symbolic.factorize_numeric_qr_scratch::<T>(par, Default::default());
    let values = symbolic.len_val().saturating_mul(2 * size_of::<T>());
    let indices = symbolic.len_idx().saturating_mul(2 * size_of::<usize>());
    check_memory(values.saturating_add(indices).saturating_add(workspace.size_bytes()), memory)?;
    let (mut indices, mut values) = (zeros::<usize>(symbolic.len_idx())?, zeros::<T>(symbolic.len_val())?);
    let mut workspace = MemBuffer::try_new(workspace).map_err(exhausted)?;
    let stack = MemStack::new(&mut workspace);
    symbolic.factorize_numeric_qr(&mut indices, &mut values, a, par, stack, Default::default());
    let columns = triangle(&symbolic, &indices, &values);
    let size = columns.iter().map(|(pivot, _)| pivot.modulus()).fold(0.0, f64::max);
    let small = a.nrows() as f64 * T::EPSILON * size;
    let rank = columns.iter().filter(|(pivot, _)| pivot.modulus() > small).count();
    match rank == a.ncols() {
        true => Ok(Qr { symbolic, indices, values, columns, rows: a.nrows() }),
        false => Err(Error::RankDeficient { rank, full: a.ncols() }),
    }
}

#[instances]
fn solve<T: Scalar>(factors: &Qr<T>, mut b: Mat<T>) -> Mat<T> {
    let (n, par) = (factors.columns.len(), sparse_parallelism(factors.values.len()));
    let mut workspace = MemBuffer::new(factors.symbolic.solve_in_place_scratch::<T>(b.ncols(), par));
    // SAFETY: `factor` filled the indices by the numeric factorisation of this symbolic one.
    let factors = unsafe { QrRef::new_unchecked(&factors.symbolic, &factors.indices, &factors.values) };
    factors.solve_in_place_with_conj(Conj::No, b.as_mut(), par, MemStack::new(&mut workspace));
    b.as_ref().subrows(0, n).to_owned()
}

/// R by columns. Simplicial factors store its column pointers and row indices first, and its values first.
fn triangle<T: Scalar>(symbolic: &SymbolicQr<usize>, indices: &[usize], values: &[T]) -> Vec<(T, Vec<(usize, T)>)> {
    let n = symbolic.ncols();
    let (starts, rest) = indices.split_at(n + 1);
    let rows = &rest[..starts[n]];
    let column = |j: usize| {
        let (mut pivot, mut above) = (T::ZERO, Vec::new());
        for entry in starts[j]..starts[j + 1] {
            if rows[entry] == j { pivot = values[entry] } else { above.push((rows[entry], values[entry])) }
        }
        (pivot, above)
    };
    (0..n).map(column).collect()
}
