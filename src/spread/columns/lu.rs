//! LU with partial pivoting on several devices.

use std::sync::Arc;

use super::worker::run;
use super::{Cut, Method};
use crate::blas::level3::gemm::gemm_on;
use crate::blas::level3::trsm::trsm_on;
use crate::context::{DeviceContext, Event, Queue};
use crate::error::Result;
use crate::host::lapack as host;
use crate::lapack::{getrf_on, laswp_on};
use crate::options::{Diag, Op, PivotOrder, Side, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, VectorRef, View};

struct Lu;

impl<T: Scalar> Method<T> for Lu {
    type Number = i32;

    fn factor(
        &self,
        queue: &Queue,
        panel: MatrixMut<'_, T>,
        pivots: VectorMut<'_, i32>,
        info: VectorMut<'_, i32>,
    ) -> Result<Event> {
        getrf_on(queue, panel, pivots, info)
    }

    fn update(
        &self,
        queue: &Queue,
        panel: MatrixRef<'_, T>,
        pivots: VectorRef<'_, i32>,
        column: MatrixMut<'_, T>,
    ) -> Result<()> {
        let (shape, memory) = (*column.shape(), column.memory());
        let (rows, width, k) = (shape.rows(), shape.columns(), panel.columns());
        let part = |row: usize, rows: usize| {
            MatrixRef::<T>::from_parts(panel.memory(), panel.shape().block((row, rows), (0, k)))
        };
        let of_column = |row: usize, rows: usize| shape.block((row, rows), (0, width));
        let target = |row: usize, rows: usize| MatrixMut::<T>::from_parts(memory, of_column(row, rows));
        drop(laswp_on(queue, target(0, rows), 0..k, pivots, PivotOrder::Forward)?);
        let (left, lower, unit) = (Side::Left, Triangle::Lower, Diag::Unit);
        drop(trsm_on(queue, left, lower, Op::NoTrans, unit, T::ONE, part(0, k), target(0, k))?);
        if rows == k {
            return Ok(());
        }
        let (l, u) = (part(k, rows - k), MatrixRef::from_parts(memory, of_column(0, k)));
        let minus = T::from_parts(-1.0, 0.0);
        gemm_on(queue, Op::NoTrans, Op::NoTrans, minus, l, u, T::ONE, target(k, rows - k)).map(drop)
    }

    const FROM_DIAGONAL: bool = false;
    const ENDS: bool = false;
}

/// P A = L U of a matrix in the host's memory, with LAPACK's pivots and info.
///
/// # Safety
/// The matrix must be valid and nobody else's.
pub(crate) unsafe fn getrf<T: Scalar>(
    contexts: &[Arc<DeviceContext>],
    (start, shape): (*mut T, MatrixShape),
    pivots: &mut [i32],
    width: usize,
) -> Result<Option<usize>> {
    let cut = Cut::new(start, shape, width);
    // SAFETY: by contract.
    let outcome = unsafe { run(contexts, cut, &Lu)? };
    for (panel, found) in outcome.numbers.iter().enumerate() {
        let first = cut.first(panel);
        for (to, from) in pivots[first..].iter_mut().zip(found) {
            *to = from + first as i32;
        }
    }
    // The interchanges of later panels, in the columns of earlier ones.
    for panel in 0..outcome.numbers.len().saturating_sub(1) {
        let next = cut.first(panel + 1);
        let block = shape.block((0, shape.rows()), cut.span(panel));
        let (row_stride, column_stride) = block.strides();
        // SAFETY: by contract, the matrix is valid and nobody else's.
        let columns = unsafe {
            faer::MatMut::from_raw_parts_mut(
                start.wrapping_add(block.offset()),
                block.rows(),
                block.columns(),
                row_stride as isize,
                column_stride as isize,
            )
        };
        host::laswp(columns, next, &pivots[next..], PivotOrder::Forward);
    }
    Ok(outcome.info)
}
