//! Cholesky's factorisation on several devices.

use std::sync::Arc;

use super::worker::run;
use super::{Cut, Method};
use crate::blas::level3::gemm::gemm_on;
use crate::blas::level3::herk_on;
use crate::blas::level3::trsm::trsm_on;
use crate::context::{DeviceContext, Event, Queue};
use crate::error::Result;
use crate::lapack::potrf_on;
use crate::options::{Diag, Layout, Op, Side, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, VectorRef, View};

struct Cholesky;

impl<T: Scalar> Method<T> for Cholesky {
    /// Of which there are none that count.
    type Number = i32;

    fn factor(
        &self,
        queue: &Queue,
        panel: MatrixMut<'_, T>,
        _: VectorMut<'_, i32>,
        info: VectorMut<'_, i32>,
    ) -> Result<Event> {
        let (shape, memory) = (*panel.shape(), panel.memory());
        let order = shape.columns();
        let diagonal = shape.block((0, order), (0, order));
        let rest = shape.block((order, shape.rows() - order), (0, order));
        let event = potrf_on(queue, Triangle::Lower, MatrixMut::<T>::from_parts(memory, diagonal), info)?;
        if rest.rows() == 0 {
            return Ok(event);
        }
        let (l, below) = (MatrixRef::from_parts(memory, diagonal), MatrixMut::from_parts(memory, rest));
        trsm_on(queue, Side::Right, Triangle::Lower, Op::ConjTrans, Diag::NonUnit, T::ONE, l, below)
    }

    fn update(
        &self,
        queue: &Queue,
        panel: MatrixRef<'_, T>,
        _: VectorRef<'_, i32>,
        column: MatrixMut<'_, T>,
    ) -> Result<()> {
        let (shape, memory) = (*column.shape(), column.memory());
        let (rows, width, k) = (shape.rows(), shape.columns(), panel.columns());
        // The panel begins with an earlier row.
        let first = panel.rows() - rows;
        let part = |row: usize, rows: usize| {
            MatrixRef::<T>::from_parts(panel.memory(), panel.shape().block((first + row, rows), (0, k)))
        };
        let target = |row: usize, rows: usize| MatrixMut::<T>::from_parts(memory, shape.block((row, rows), (0, width)));
        let minus = T::RealScalar::from_parts(-1.0, 0.0);
        let (own, diagonal) = (part(0, width), target(0, width));
        drop(herk_on(queue, Triangle::Lower, Op::NoTrans, minus, own, T::RealScalar::ONE, diagonal)?);
        if rows == width {
            return Ok(());
        }
        let (below, minus) = (rows - width, T::from_parts(-1.0, 0.0));
        let (l, rest) = (part(width, below), target(width, below));
        gemm_on(queue, Op::NoTrans, Op::ConjTrans, minus, l, own, T::ONE, rest).map(drop)
    }

    const FROM_DIAGONAL: bool = true;
    const ENDS: bool = true;
}

/// L Lᴴ or Uᴴ U of a positive definite matrix in the host's memory. The info is that of LAPACK.
///
/// # Safety
/// The matrix must be valid and nobody else's.
pub(crate) unsafe fn potrf<T: Scalar>(
    contexts: &[Arc<DeviceContext>],
    triangle: Triangle,
    (start, shape): (*mut T, MatrixShape),
    width: usize,
) -> Result<Option<usize>> {
    // The memory of U is that of Uᵀ in the other layout, and Uᵀ the lower factor of the transpose.
    let shape = match (triangle, shape.layout()) {
        (Triangle::Lower, _) => shape,
        (Triangle::Upper, Layout::ColumnMajor) => turned(&shape, Layout::RowMajor)?,
        (Triangle::Upper, Layout::RowMajor) => turned(&shape, Layout::ColumnMajor)?,
    };
    // SAFETY: by contract.
    unsafe { run(contexts, Cut::new(start, shape, width), &Cholesky) }.map(|outcome| outcome.info)
}

/// The transpose: the same memory in the other layout.
fn turned(shape: &MatrixShape, layout: Layout) -> Result<MatrixShape> {
    MatrixShape::new(layout, shape.columns(), shape.rows(), shape.offset(), shape.leading_dimension())
}
