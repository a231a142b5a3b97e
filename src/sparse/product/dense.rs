//! Products of a sparse matrix and a dense one.

use super::run::MATRIX;
use crate::blas::device_buffer;
use crate::context::{Event, Queue};
use crate::device::DeviceClass;
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::Scalar;
use crate::sparse::{CsrRef, RowPointer};
use crate::view::{MatrixMut, MatrixRef, MatrixShape};

const FILES: &[&str] = &[MATRIX, include_str!("../../../cl/sparse/product/product_dense.cl")];
/// Work-items of a group.
const THREADS: usize = 64;

/// C := alpha A B + beta C, with sizes that agree. What transposes A has been taken care of.
#[derive(Debug)]
pub(crate) struct CsrDenseProduct<'a, T, P> {
    pub(crate) matrix: CsrRef<'a, T, P>,
    /// Whether it is conj(A).
    pub(crate) conjugate: bool,
    pub(crate) alpha: T,
    pub(crate) b: MatrixRef<'a, T>,
    pub(crate) beta: T,
    pub(crate) c: MatrixMut<'a, T>,
}

impl<'a, T: Scalar, P: RowPointer> CsrDenseProduct<'a, T, P> {
    /// The product of these operands.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`].
    pub(crate) fn new(
        matrix: CsrRef<'a, T, P>,
        conjugate: bool,
        alpha: T,
        b: MatrixRef<'a, T>,
        beta: T,
        c: MatrixMut<'a, T>,
    ) -> Result<Self> {
        let CsrRef { rows, columns, .. } = matrix;
        if b.rows() != columns || c.rows() != rows || b.columns() != c.columns() {
            let sizes = [b.rows(), b.columns(), c.rows(), c.columns()].map(|size| size.to_string());
            let [b_rows, b_columns, c_rows, c_columns] = sizes;
            return Err(Error::ShapeMismatch(format!(
                "op(A) is {rows} x {columns}, B is {b_rows} x {b_columns}, C is {c_rows} x {c_columns}"
            )));
        }
        Ok(CsrDenseProduct { matrix, conjugate: conjugate && T::KIND.is_complex(), alpha, b, beta, c })
    }

    /// Whether C stays as it is.
    pub(crate) fn changes_nothing(&self) -> bool {
        self.matrix.rows == 0 || self.c.columns() == 0 || (self.alpha == T::ZERO && self.beta == T::ONE)
    }
}

/// The product on a device, of operands that it changes: returns as soon as the work is enqueued.
///
/// # Errors
/// As [`super::product_on`].
pub(crate) fn dense_product_on<T: Scalar, P: RowPointer>(
    queue: &Queue,
    product: &CsrDenseProduct<'_, T, P>,
) -> Result<Event> {
    let context = queue.context();
    let device = context.device().facts();
    device.require(T::KIND)?;
    let (b, c) = (device_buffer(queue, product.b.memory, "B")?, device_buffer(queue, product.c.memory, "C")?);
    // Work-items of a GPU read neighbouring elements of B where those of a row are adjacent. On a CPU one work-item does.
    let rows_adjacent = product.b.shape.strides().1 == 1;
    let (columns, rows_first) = match (device.class == DeviceClass::Cpu, rows_adjacent) {
        (true, _) => (8, true),
        (false, true) => (1, false),
        (false, false) => (4, true),
    };
    let definitions = vec![
        ("POINTER_IS_LONG", i64::from(P::LONG)),
        ("CONJUGATED", i64::from(product.conjugate)),
        ("COLUMNS", columns as i64),
        ("ROWS_FIRST", i64::from(rows_first)),
    ];
    let source = ProgramSource { name: "sparse product dense", kind: T::KIND, files: FILES, definitions };
    let program = context.programs().get(context, &source)?;
    let launch = Launch::new(queue, &program, "product_dense").matrix(queue, &product.matrix)?;
    let launch = launch.index(product.c.columns()).scalar(product.alpha).buffer(b).strided(&product.b.shape);
    let launch = launch.scalar(product.beta).buffer(c).strided(&product.c.shape);
    let (rows, blocks) = (product.matrix.rows, product.c.columns().div_ceil(columns));
    let (local, items) = if rows_first {
        ([THREADS, 1], [rows, blocks])
    } else {
        let across = blocks.next_power_of_two().min(THREADS);
        ([across, THREADS / across], [blocks, rows])
    };
    let groups = [items[0].div_ceil(local[0]), items[1].div_ceil(local[1]), 1];
    let event = launch.enqueue(groups, [local[0], local[1], 1])?;
    queue.flush()?;
    Ok(event)
}

impl Launch<'_> {
    /// How a dense matrix lies in its memory.
    pub(in crate::sparse) fn strided(self, shape: &MatrixShape) -> Self {
        let (row_stride, column_stride) = shape.strides();
        self.index(shape.offset()).index(row_stride).index(column_stride)
    }
}
