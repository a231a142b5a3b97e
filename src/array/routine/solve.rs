//! Linear systems: X of A X = B by the method that the structure of A allows.

use affinimath_array::library::SolveMethod;
use affinimath_array::plan::Operand;

use super::stack::{Stack, batch, last_two};
use crate::array::product::Matrices;
use crate::array::steps::Run;
use crate::error::{Error, Result};
use crate::host::solve::{MatrixProperties, Method, SolvePlan};
use crate::options::{Diag, Op, Triangle};
use crate::route::lapack::{gels, gesv, gesv_batched, posv, trtrs};
use crate::scalar::Scalar;

/// Solves A X = B for each matrix of the batch.
pub(super) fn run<T: Scalar>(run: &Run<'_>, method: SolveMethod, a: &Operand, b: &Operand, x: &Operand) -> Result<()> {
    if x.extents.contains(&0) {
        return Ok(());
    }
    let [m, n] = last_two(a);
    if m != n {
        return least_squares::<T>(run, a, b, x);
    }
    let mut solution = Stack::<T>::of(run, b)?;
    match method {
        SolveMethod::Triangular(triangle, diagonal) => triangular(run, triangle, diagonal, a, &mut solution)?,
        SolveMethod::Cholesky(triangle) => {
            let mut factors = Stack::of(run, a)?;
            for index in 0..solution.count {
                posv(triangle, factors.matrix(index)?, solution.matrix(index)?)?;
            }
        }
        SolveMethod::CholeskyOrLu => cholesky_or_lu(run, a, &mut solution)?,
        SolveMethod::Any if is_definite_by_values::<T>(run, a)? => cholesky_or_lu(run, a, &mut solution)?,
        SolveMethod::Any | SolveMethod::Lu => lu(&mut Stack::of(run, a)?, &mut solution)?,
    }
    solution.store(run, x)
}

/// Substitution, where the matrices lie if BLAS has a form for their strides.
fn triangular<T: Scalar>(
    run: &Run<'_>,
    triangle: Triangle,
    diagonal: Diag,
    a: &Operand,
    solution: &mut Stack<T>,
) -> Result<()> {
    let matrices = Matrices::new(run, a)?;
    for index in 0..solution.count {
        let matrix = matrices.matrix::<T>(matrices.shape(index)?)?;
        trtrs(triangle, Op::NoTrans, diagonal, matrix, solution.matrix(index)?)?;
    }
    Ok(())
}

/// Cholesky of Hermitian matrices; LU of those that are not positive definite.
fn cholesky_or_lu<T: Scalar>(run: &Run<'_>, a: &Operand, solution: &mut Stack<T>) -> Result<()> {
    let (mut factors, mut copies) = (Stack::of(run, a)?, None);
    for index in 0..solution.count {
        match posv(Triangle::Lower, factors.matrix(index)?, solution.matrix(index)?) {
            // The right sides are as they were; the matrix is not.
            Err(Error::NotPositiveDefinite { .. }) => {
                let copies = match &mut copies {
                    Some(copies) => copies,
                    none => none.insert(Stack::of(run, a)?),
                };
                let mut pivots = vec![0; copies.rows];
                gesv(copies.matrix(index)?, &mut pivots, solution.matrix(index)?)?;
            }
            result => result?,
        }
    }
    Ok(())
}

fn lu<T: Scalar>(factors: &mut Stack<T>, solution: &mut Stack<T>) -> Result<()> {
    let (n, count) = (factors.rows, factors.count);
    let mut pivots = vec![0; n * count];
    if count == 1 {
        return gesv(factors.matrix(0)?, &mut pivots, solution.matrix(0)?);
    }
    let mut info = vec![0; count];
    gesv_batched(factors.all()?, &mut pivots, n, solution.all()?, &mut info)?;
    match info.iter().find(|info| **info > 0) {
        Some(index) => Err(Error::ZeroPivot { index: *index as usize }),
        None => Ok(()),
    }
}

/// True for one matrix in the host's memory that is Hermitian with a positive diagonal.
fn is_definite_by_values<T: Scalar>(run: &Run<'_>, a: &Operand) -> Result<bool> {
    if run.is_on_device() || batch(a).iter().product::<usize>() != 1 {
        return Ok(false);
    }
    let stack = Stack::<T>::of(run, a)?;
    let is_definite = |matrix| SolvePlan::choose(&MatrixProperties::of::<T>(matrix)).method == Method::Cholesky;
    Ok(stack.on_host(0).is_some_and(is_definite))
}

fn least_squares<T: Scalar>(run: &Run<'_>, a: &Operand, b: &Operand, x: &Operand) -> Result<()> {
    let [m, n] = last_two(a);
    let mut factors = Stack::<T>::of(run, a)?;
    let mut solution = Stack::<T>::with_rows(run, b, m.max(n))?;
    for index in 0..solution.count {
        gels(Op::NoTrans, factors.matrix(index)?, solution.matrix(index)?)?;
    }
    solution.store(run, x)
}
