//! Products of a sparse matrix and a dense one.

mod plan;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::plan::THREADS;
use crate::blas::device_buffer;
use crate::blas::movement::omatcopy_on;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, Event, Queue, QueueParts, Workspace};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Layout, Op};
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;
use crate::sparse::product::MatrixArguments;
use crate::sparse::{CsrRef, RowPointer, RowStatistics};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, View};
use plan::{DensePlan, MergeShape, segment_length};

/// Work-items of a group that has a row, or a few columns of it, for each.
const ROW_THREADS: usize = 64;

use affinimath_core::sparse::CsrDenseProduct;

/// Starts of the segments of a matrix with uneven rows, computed once for all products.
#[derive(Debug)]
pub(crate) struct Segments {
    starts: DeviceBuffer,
    count: usize,
    /// Entries and ends of rows of each.
    length: usize,
}

impl Segments {
    /// Those of a matrix. `queue` is to be waited for before another queue's product.
    pub(crate) fn new<T: Scalar, P: RowPointer>(queue: &Queue, matrix: &CsrRef<'_, T, P>) -> Result<Self> {
        let items = matrix.rows + matrix.nnz();
        let length = segment_length(items, queue.context().device().info().compute_units);
        let count = items.div_ceil(length).max(1);
        let starts =
            DeviceBuffer::new(queue.context(), 8 * (count + 1), "where the segments of a sparse matrix begin")?;
        let program = merge_program::<T, P>(queue, MergeShape::for_columns(2, T::KIND), length, false)?;
        let row_ptr = device_buffer(queue, matrix.row_ptr.memory(), "pointers")?;
        let launch = Launch::new(queue, &program, "dense_starts").index(matrix.rows);
        let launch = launch.buffer(row_ptr).index(matrix.row_ptr.shape().first()).index(count).buffer(&starts);
        launch.enqueue_step([(count + 1).div_ceil(THREADS), 1, 1], [THREADS, 1, 1])?;
        Ok(Segments { starts, count, length })
    }
}

/// The product on a device, of operands that it changes: returns as soon as the work is enqueued. `segments` gives the
/// matrix's segments, where its rows need them.
///
/// # Errors
/// The errors of [`super::product_on`].
pub(crate) fn dense_product_on<'s, T: Scalar, P: RowPointer>(
    queue: &Queue,
    product: &CsrDenseProduct<'_, T, P>,
    rows: &RowStatistics,
    segments: impl FnOnce() -> Result<&'s Segments>,
) -> Result<Event> {
    let device = queue.context().device().info();
    device.require(T::KIND)?;
    let adjacent = product.b.shape().strides().1 == 1;
    let plan = match DensePlan::choose(rows, T::KIND, product.c.columns(), adjacent, device) {
        // BLAS: with alpha = 0 A and B are not read, and C is scaled.
        DensePlan::Merge(_) if product.alpha == T::ZERO => DensePlan::Rows { columns: 1, rows_first: !adjacent },
        plan => plan,
    };
    let segments = if matches!(plan, DensePlan::Merge(_)) { Some(segments()?) } else { None };
    let pays = [gathers_pay_for_a_copy(product), scattering_pays_for_a_copy(product)];
    if segments.is_none() || pays == [false; 2] {
        return product_with_plan(queue, product, plan, segments);
    }
    match RowCopies::new(queue, product, pays) {
        Err(Error::OutOfDeviceMemory { .. }) => product_with_plan(queue, product, plan, segments),
        copies => copies?.product(queue, product, plan, segments),
    }
}

/// True if elements of a row of B are so far apart, and asked for so often, that a copy by rows takes less time: a
/// GPU's memory gives 32 bytes for each of them.
fn gathers_pay_for_a_copy<T: Scalar, P: RowPointer>(product: &CsrDenseProduct<'_, T, P>) -> bool {
    /// Few columns of a B that caches hold are gathered in the time of one more launch.
    const FEW: usize = 4;
    const CACHED_BYTES: usize = 8 << 20;
    let (rows, columns) = (product.b.rows(), product.b.columns());
    let is_gathered = columns <= FEW && rows * columns * size_of::<T>() <= CACHED_BYTES;
    product.b.shape().strides().1 != 1 && product.matrix.nnz() >= 2 * rows && !is_gathered
}

/// True if a product by rows and a copy of it to C take less time than writing elements of a row that are far apart.
fn scattering_pays_for_a_copy<T: Scalar, P: RowPointer>(product: &CsrDenseProduct<'_, T, P>) -> bool {
    /// Columns from which on they do: fewer are written in the time of a launch.
    const COLUMNS: usize = 16;
    product.c.shape().strides().1 != 1 && product.c.columns() >= COLUMNS && product.beta == T::ZERO
}

/// Memory for B and C by rows, where they lie by columns.
struct RowCopies {
    b: Option<DeviceBuffer>,
    c: Option<DeviceBuffer>,
}

impl RowCopies {
    /// Workspace for those of B and C that pay.
    fn new<T: Scalar, P: RowPointer>(
        queue: &Queue,
        product: &CsrDenseProduct<'_, T, P>,
        [b, c]: [bool; 2],
    ) -> Result<Self> {
        let copy = |pays: bool, shape: &MatrixShape| {
            let bytes = shape.rows() * shape.columns() * size_of::<T>();
            pays.then(|| DeviceBuffer::for_step(queue, bytes)).transpose()
        };
        Ok(RowCopies { b: copy(b, product.b.shape())?, c: copy(c, product.c.shape())? })
    }

    /// The product through the copies: B is copied before, C after it.
    fn product<T: Scalar, P: RowPointer>(
        &self,
        queue: &Queue,
        product: &CsrDenseProduct<'_, T, P>,
        plan: DensePlan,
        segments: Option<&Segments>,
    ) -> Result<Event> {
        let steps = queue.for_steps()?;
        let by_rows = |of: &MatrixShape| MatrixShape::new(Layout::RowMajor, of.rows(), of.columns(), 0, of.columns());
        let CsrDenseProduct { matrix, conjugate, alpha, mut b, beta, ref c } = *product;
        if let Some(copy) = &self.b {
            let shape = by_rows(b.shape())?;
            let target = MatrixMut::from_device(copy, shape, "B by rows")?;
            drop(omatcopy_on(&steps, Op::NoTrans, T::ONE, b, target)?);
            b = MatrixRef::from_device(copy, shape, "B by rows")?;
        }
        let c = MatrixMut::from_parts(c.memory(), *c.shape());
        let Some(copy) = &self.c else {
            return product_with_plan(queue, &CsrDenseProduct { matrix, conjugate, alpha, b, beta, c }, plan, segments);
        };
        let shape = by_rows(c.shape())?;
        let target = MatrixMut::from_device(copy, shape, "C by rows")?;
        let inner = CsrDenseProduct { matrix, conjugate, alpha, b, beta, c: target };
        drop(product_with_plan(&steps, &inner, plan, segments)?);
        omatcopy_on(queue, Op::NoTrans, T::ONE, MatrixRef::from_device(copy, shape, "C by rows")?, c)
    }
}

/// [`dense_product_on`] with a plan of the caller's, and with segments where it is to merge.
fn product_with_plan<T: Scalar, P: RowPointer>(
    queue: &Queue,
    product: &CsrDenseProduct<'_, T, P>,
    plan: DensePlan,
    segments: Option<&Segments>,
) -> Result<Event> {
    tracing::debug!(?plan, "sparse product with a dense matrix");
    let event = match (plan, segments) {
        (DensePlan::Rows { columns, rows_first }, _) => by_rows(queue, product, columns, rows_first)?,
        (DensePlan::Merge(shape), Some(segments)) => by_segments(queue, product, shape, segments)?,
        (DensePlan::Merge(_), None) => return Err(Error::Internal("a plan to merge lacks its segments".to_owned())),
    };
    queue.flush_events()?;
    Ok(event)
}

fn by_rows<T: Scalar, P: RowPointer>(
    queue: &Queue,
    product: &CsrDenseProduct<'_, T, P>,
    columns: usize,
    rows_first: bool,
) -> Result<Event> {
    let definitions = vec![
        ("POINTER_IS_LONG", i64::from(P::LONG)),
        ("CONJUGATED", i64::from(product.conjugate)),
        ("COLUMNS", columns as i64),
        ("ROWS_FIRST", i64::from(rows_first)),
    ];
    let source = ProgramSource {
        name: "sparse product dense",
        kind: T::KIND,
        root: source("sparse/product/product_dense.cl"),
        definitions,
    };
    let program = queue.context().program(&source)?;
    let launch = Launch::new(queue, &program, "product_dense").dense_product(queue, product)?;
    let (rows, blocks) = (product.matrix.rows, product.c.columns().div_ceil(columns));
    let (local, items) = if rows_first {
        ([ROW_THREADS, 1], [rows, blocks])
    } else {
        let across = blocks.next_power_of_two().min(ROW_THREADS);
        ([across, ROW_THREADS / across], [blocks, rows])
    };
    let groups = [items[0].div_ceil(local[0]), items[1].div_ceil(local[1]), 1];
    launch.enqueue(groups, [local[0], local[1], 1])
}

/// Two launches: segments, and the rows that several of them have parts of.
fn by_segments<T: Scalar, P: RowPointer>(
    queue: &Queue,
    product: &CsrDenseProduct<'_, T, P>,
    shape: MergeShape,
    segments: &Segments,
) -> Result<Event> {
    let (columns, count) = (product.c.columns(), segments.count);
    let program = merge_program::<T, P>(queue, shape, segments.length, product.conjugate)?;
    let carried = match Workspace::borrow(queue, (2 * count * columns * size_of::<T>()) as u64) {
        // Nothing was enqueued yet: rows need no memory.
        Err(Error::OutOfDeviceMemory { .. }) => return by_rows(queue, product, 1, product.b.shape().strides().1 != 1),
        carried => carried?,
    };
    let launch = Launch::new(queue, &program, "dense_merge").dense_product(queue, product)?;
    let launch = launch.buffer(&segments.starts).workspace(&carried);
    launch.enqueue_step([count, columns.div_ceil(shape.width()), 1], [THREADS, 1, 1])?;
    let launch = Launch::new(queue, &program, "dense_carried").dense_product(queue, product)?;
    let launch = launch.index(count).buffer(&segments.starts).workspace(&carried);
    launch.enqueue([count, columns.div_ceil(shape.lanes), 1], [THREADS, 1, 1])
}

fn merge_program<T: Scalar, P: RowPointer>(
    queue: &Queue,
    shape: MergeShape,
    segment: usize,
    conjugated: bool,
) -> Result<Arc<Program>> {
    let definitions = vec![
        ("POINTER_IS_LONG", i64::from(P::LONG)),
        ("CONJUGATED", i64::from(conjugated)),
        ("THREADS", THREADS as i64),
        ("LANES", shape.lanes as i64),
        ("COLUMNS", shape.columns as i64),
        ("ITEMS", shape.items as i64),
        ("SHARE", shape.share(segment) as i64),
    ];
    let source = ProgramSource {
        name: "sparse product dense merge",
        kind: T::KIND,
        root: source("sparse/product/product_dense_merge.cl"),
        definitions,
    };
    queue.context().program(&source)
}

/// Dense matrices as arguments.
pub(in crate::sparse) trait DenseArguments: Sized {
    /// The arguments that all kernels of products with dense matrices begin with.
    fn dense_product<T: Scalar, P: RowPointer>(
        self,
        queue: &Queue,
        product: &CsrDenseProduct<'_, T, P>,
    ) -> Result<Self>;

    /// How a dense matrix lies in its memory.
    fn strided(self, shape: &MatrixShape) -> Self;
}

impl DenseArguments for Launch<'_> {
    fn dense_product<T: Scalar, P: RowPointer>(
        self,
        queue: &Queue,
        product: &CsrDenseProduct<'_, T, P>,
    ) -> Result<Self> {
        let (b, c) = (device_buffer(queue, product.b.memory(), "B")?, device_buffer(queue, product.c.memory(), "C")?);
        let launch = self.matrix(queue, &product.matrix)?.index(product.c.columns()).scalar(product.alpha);
        let launch = launch.buffer(b).strided(product.b.shape()).scalar(product.beta);
        Ok(launch.buffer(c).strided(product.c.shape()))
    }

    fn strided(self, shape: &MatrixShape) -> Self {
        let (row_stride, column_stride) = shape.strides();
        self.index(shape.offset()).index(row_stride).index(column_stride)
    }
}
