//! Eigenvalues of Hermitian matrices, and singular values.

use affinimath_array::library::SingularVectors as Wanted;
use affinimath_array::plan::Operand;

use super::stack::Stack;
use super::write_values;
use crate::array::steps::Run;
use crate::error::{Error, Result};
use crate::options::Triangle;
use crate::route::lapack::{SingularVectors, gesvd, gesvd_batched, heev, heev_batched};
use crate::scalar::Scalar;

/// Ascending eigenvalues, and orthonormal eigenvectors in columns.
pub(super) fn eigh<T: Scalar>(
    run: &Run<'_>,
    triangle: Triangle,
    a: &Operand,
    values: &Operand,
    vectors: Option<&Operand>,
) -> Result<()> {
    let mut stack = Stack::<T>::of(run, a)?;
    let (count, n) = (stack.count, stack.rows);
    if count == 0 || n == 0 {
        return Ok(());
    }
    let mut w = vec![T::RealScalar::ZERO; count * n];
    if count == 1 {
        heev(triangle, stack.matrix(0)?, &mut w, vectors.is_some())?;
    } else {
        let mut info = vec![0; count];
        heev_batched(triangle, stack.all()?, &mut w, n, vectors.is_some(), &mut info)?;
        converged(&info)?;
    }
    write_values(run, &w, values)?;
    vectors.map_or(Ok(()), |vectors| stack.store(run, vectors))
}

/// Descending singular values, and U and Vᴴ where they are wanted.
pub(super) fn svd<T: Scalar>(
    run: &Run<'_>,
    wanted: Wanted,
    a: &Operand,
    values: &Operand,
    vectors: Option<[&Operand; 2]>,
) -> Result<()> {
    let mut stack = Stack::<T>::of(run, a)?;
    let (count, m, n) = (stack.count, stack.rows, stack.columns);
    let order = m.min(n);
    if count == 0 {
        return Ok(());
    }
    let columns = if wanted == Wanted::All { [m, n] } else { [order; 2] };
    let mut s = vec![T::RealScalar::ZERO; count * order];
    let Some([u, vt]) = vectors else {
        if order > 0 {
            decompose(&mut stack, &mut s, None)?;
        }
        return write_values(run, &s, values);
    };
    if order == 0 {
        write_values(run, &identities::<T>(count, columns[0]), u)?;
        return write_values(run, &identities::<T>(count, columns[1]), vt);
    }
    let mut of_u = Stack::<T>::new(run, u, [count, m, columns[0]])?;
    let mut of_vt = Stack::<T>::new(run, vt, [count, columns[1], n])?;
    decompose(&mut stack, &mut s, Some([&mut of_u, &mut of_vt]))?;
    write_values(run, &s, values)?;
    of_u.store(run, u)?;
    of_vt.store(run, vt)
}

/// Singular values of matrices that are overwritten, and vectors in their own matrices.
fn decompose<T: Scalar>(a: &mut Stack<T>, s: &mut [T::RealScalar], vectors: Option<[&mut Stack<T>; 2]>) -> Result<()> {
    if a.count == 1 {
        let (u, vt) = match vectors {
            Some([u, vt]) => (SingularVectors::Into(u.matrix(0)?), SingularVectors::Into(vt.matrix(0)?)),
            None => (SingularVectors::None, SingularVectors::None),
        };
        return gesvd(a.matrix(0)?, s, u, vt);
    }
    let (order, mut info) = (a.rows.min(a.columns), vec![0; a.count]);
    let vectors = match vectors {
        Some([u, vt]) => Some((u.all()?, vt.all()?)),
        None => None,
    };
    gesvd_batched(a.all_ref()?, s, order, vectors, &mut info)?;
    converged(&info)
}

/// All vectors of matrices without elements.
fn identities<T: Scalar>(count: usize, n: usize) -> Vec<T> {
    (0..count * n * n).map(|k| if (k % (n * n)).is_multiple_of(n + 1) { T::ONE } else { T::ZERO }).collect()
}

fn converged(info: &[i32]) -> Result<()> {
    match info.iter().find(|info| **info != 0) {
        None => Ok(()),
        Some(info) => Err(Error::NoConvergence { index: *info as usize }),
    }
}
