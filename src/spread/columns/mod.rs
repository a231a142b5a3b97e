//! Factorisations on several devices by columns of blocks, right-looking with look-ahead.
//!
//! The matrix is cut into block columns of one width. A device takes a column, brings it, subtracts the part of a
//! factorised panel, and keeps the column while its memory lasts, so that most columns travel once in each direction.
//! The device that subtracts the last part of a column factorises it at once, and a thread brings it back while others
//! still work on the panel before. Panels are sent to each device once. ([`board`]: who does what; [`worker`]: how.)
//!
//! ```text
//!   panel k        column j > k            a task: (k, j)
//!   +----+   +----+----+----+
//!   |    |   |    |    |    |   LU:       interchange rows, solve with L11, subtract L21 U12
//!   |    |   |    |    |    |   Cholesky: subtract L L_jᴴ from the diagonal block on
//!   |    |   |    |    |    |   QR:       apply the block reflector
//!   +----+   +----+----+----+
//! ```

mod board;
mod cholesky;
mod lu;
mod memory;
mod qr;
mod worker;

pub(crate) use cholesky::potrf;
pub(crate) use lu::getrf;
pub(crate) use qr::geqrf;

use crate::context::{Event, Queue, TransferLimits};
use crate::error::Result;
use crate::scalar::{Element, Scalar};
use crate::transfer::{HostRuns, Span, block};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, VectorRef};

/// A factorisation by block columns.
trait Method<T: Scalar>: Sync {
    /// Numbers that belong to a panel, apart from its elements: pivots, or factors of reflectors.
    type Number: Element;

    /// Factorises a panel with `numbers`, one for each of its columns with a pivot, and LAPACK's info.
    fn factor(
        &self,
        queue: &Queue,
        panel: MatrixMut<'_, T>,
        numbers: VectorMut<'_, Self::Number>,
        info: VectorMut<'_, i32>,
    ) -> Result<Event>;

    /// Subtracts a panel's part from a column. Both begin with the same row, but for Cholesky's column, which begins
    /// with its diagonal block.
    fn update(
        &self,
        queue: &Queue,
        panel: MatrixRef<'_, T>,
        numbers: VectorRef<'_, Self::Number>,
        column: MatrixMut<'_, T>,
    ) -> Result<()>;

    /// True if a column begins with its diagonal block, and not with its first row.
    const FROM_DIAGONAL: bool;
    /// True if a positive info ends the factorisation.
    const ENDS: bool;
}

/// A matrix in the host's memory, cut into block columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut<T> {
    start: *mut T,
    shape: MatrixShape,
    width: usize,
}

// SAFETY: an address and numbers: the memory is accessed by unsafe functions alone, which state its validity.
unsafe impl<T: Send> Send for Cut<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Cut<T> {}

impl<T: Scalar> Cut<T> {
    pub(crate) fn new(start: *mut T, shape: MatrixShape, width: usize) -> Self {
        Cut { start, shape, width: width.max(1) }
    }

    fn order(&self) -> usize {
        self.shape.rows().min(self.shape.columns())
    }

    fn panels(&self) -> usize {
        self.order().div_ceil(self.width)
    }

    fn columns(&self) -> usize {
        self.shape.columns().div_ceil(self.width)
    }

    /// First row of a panel, and first column of a block column.
    const fn first(&self, index: usize) -> usize {
        index * self.width
    }

    /// Columns of a block column.
    fn span(&self, column: usize) -> Span {
        super::tile::span(column, self.width, self.shape.columns())
    }

    /// Pivots of a panel.
    fn pivots(&self, panel: usize) -> usize {
        self.width.min(self.order() - self.first(panel))
    }

    /// A block column from a row on, and its shape on a device.
    fn column(&self, column: usize, first_row: usize) -> Result<(HostRuns, MatrixShape)> {
        block(self.start, &self.shape, (first_row, self.shape.rows() - first_row), self.span(column))
    }

    /// Bytes of the largest block column.
    fn column_bytes(&self) -> usize {
        self.shape.rows() * self.width.min(self.shape.columns()) * size_of::<T>()
    }
}

/// Columns that a device's memory holds: two panels, one that is worked on, and two on their way to the host.
const NEEDED: usize = 5;
/// Width of a block column: at least, so that the update hides its transfers, and at most.
const NARROWEST: usize = 128;
const WIDEST: usize = 1024;
/// Block columns of a matrix.
const PARTS: usize = 32;

/// Width of a block column of an m x n matrix for an element's size in bytes, on devices with these limits. It does
/// not depend on the number of devices, but on the smallest memory.
pub(crate) fn width<'a>(
    [rows, columns]: [usize; 2],
    element: usize,
    limits: impl IntoIterator<Item = &'a TransferLimits>,
) -> usize {
    let bytes = limits.into_iter().map(|limits| (limits.operand_bytes / (NEEDED as u64 + 1)).min(limits.matrix_bytes));
    let fitting = bytes.min().unwrap_or(u64::MAX) / (rows.max(1) * element) as u64;
    let fitting = usize::try_from(fitting).unwrap_or(WIDEST).max(1);
    let wanted = rows.min(columns).div_ceil(PARTS).next_multiple_of(NARROWEST).clamp(NARROWEST, WIDEST);
    wanted.min(fitting)
}

/// Numbers of all panels, and the first positive info with the panel's first row added.
struct Outcome<N> {
    numbers: Vec<Vec<N>>,
    info: Option<usize>,
}
