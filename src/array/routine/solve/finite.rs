//! Errors that name a NaN or an infinity: looked for where there is no solution, or one that is not finite.

use affinimath_array::element::HostSliceMut;
use affinimath_array::executor::Executor;
use affinimath_array::function::{Reduction, Unary};
use affinimath_array::library::MatrixStructure;
use affinimath_array::plan::Operand;
use affinimath_array::shape::{Axes, Shape};
use faer::MatRef;

use super::properties::to_host;
use crate::array::executor::ContextExecutor;
use crate::array::routine::stack::{Stack, evaluated};
use crate::array::steps::Run;
use crate::error::{Error, Result};
use crate::host::solve::check_finite;
use crate::scalar::Scalar;

/// A solution that is finite. Where there is none, or another one, the error names an element of B, of A as far as it
/// is read, or of the solution.
pub(super) fn checked<T: Scalar>(
    run: &Run<'_>,
    structure: MatrixStructure,
    [a, b]: [&Operand; 2],
    solution: Result<Stack<T>>,
) -> Result<Stack<T>> {
    let is_numerical = |error: &Error| {
        matches!(error, Error::ZeroPivot { .. } | Error::NotPositiveDefinite { .. })
            || matches!(error, Error::RankDeficient { .. } | Error::Singular)
    };
    match solution {
        Ok(solution) if is_finite(run, &solution)? => Ok(solution),
        Ok(solution) => {
            check_operands::<T>(run, structure, [a, b])?;
            check("the solution", [solution.rows, solution.columns], &solution.to_vec()?)?;
            Ok(solution)
        }
        Err(error) if is_numerical(&error) => {
            check_operands::<T>(run, structure, [a, b])?;
            Err(error)
        }
        Err(error) => Err(error),
    }
}

fn is_finite<T: Scalar>(run: &Run<'_>, solution: &Stack<T>) -> Result<bool> {
    if !run.is_on_device() {
        return Ok(solution.on_host()?.iter().all(|element| element.finite()));
    }
    let node = solution.transposed()?.unary(Unary::IsFinite);
    let found = evaluated(run, node.reduce(Reduction::All, Axes::all(node.shape().rank()), false))?;
    let mut is_finite = [false];
    let executor = ContextExecutor::new(run.context().clone());
    executor.download(&found, &Shape::SCALAR, HostSliceMut::Bool(&mut is_finite))?;
    Ok(is_finite[0])
}

fn check_operands<T: Scalar>(run: &Run<'_>, structure: MatrixStructure, [a, b]: [&Operand; 2]) -> Result<()> {
    let (extents, elements) = to_host::<T>(run, b)?;
    check("B", extents, &elements)?;
    let ([rows, columns], mut elements) = to_host::<T>(run, a)?;
    for (position, element) in elements.iter_mut().enumerate() {
        if !structure.reads(position % rows, position / rows % columns) {
            *element = T::ZERO;
        }
    }
    check("A", [rows, columns], &elements)
}

/// An error for the first element that is not finite, of matrices in column-major order.
fn check<T: Scalar>(what: &'static str, [rows, columns]: [usize; 2], elements: &[T]) -> Result<()> {
    if rows * columns == 0 {
        return Ok(());
    }
    let mut matrices = elements.chunks(rows * columns);
    matrices.try_for_each(|matrix| check_finite(what, MatRef::from_column_major_slice(matrix, rows, columns)))
}
