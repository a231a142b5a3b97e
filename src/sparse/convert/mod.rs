//! Other forms of matrices, and other matrices made of them, on a device.
//!
//! Most of it is lists of entries that are sorted: an entry's place follows from a stable sort by columns and then by
//! rows, and entries in the same place are added in the order of the list. No data goes by way of the host; only the
//! number of entries of a result does, which memory is taken for.

mod order;

use std::sync::Arc;

use super::coo::check_count;
use super::{CooMatrix, CsrMatrix, Mirror, RowPointer, RowStatistics};
use crate::blas::device_buffer;
use crate::context::{BufferParts, ContextParts, Queue, QueueParts};
use crate::error::Result;
use crate::launch::Launch;
use crate::memory::{Buffer, Context};
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;
use crate::sparse::product::{DenseArguments, MatrixArguments};
use crate::view::{MatrixMut, MatrixRef, VectorRef, View};

use order::{Keys, Order, device, each};

/// A device at work on conversions of matrices with elements `T` and pointers `P`.
struct Converter<'a> {
    context: &'a Context,
    queue: &'a Queue,
    order: Order<'a>,
    program: Arc<Program>,
}

/// The device's own queue.
fn queue(context: &Context) -> Result<Queue> {
    Queue::new(context.on_device().expect("the matrix lies on a device"))
}

impl<'a> Converter<'a> {
    fn new<T: Scalar, P: RowPointer>(context: &'a Context, queue: &'a Queue) -> Result<Self> {
        let definitions = vec![("POINTER_IS_LONG", i64::from(P::LONG))];
        let source = ProgramSource {
            name: "sparse entries",
            kind: T::KIND,
            root: source("sparse/convert/entries.cl"),
            definitions,
        };
        let program = queue.context().program(&source)?;
        Ok(Converter { context, queue, order: Order::new::<P>(context, queue)?, program })
    }

    fn launch(&self, kernel: &'static str) -> Launch<'_> {
        Launch::new(self.queue, &self.program, kernel)
    }

    /// The row of each entry.
    fn entry_rows<T: Scalar, P: RowPointer>(&self, matrix: &CsrMatrix<T, P>) -> Result<Buffer<i32>> {
        let n = matrix.nnz();
        let rows = self.context.unwritten::<i32>(n)?;
        if n > 0 {
            let (chunk, chunks) = self.order.chunks(n);
            let launch = self.order.launch("entry_rows", n).index(chunk).index(matrix.rows());
            let launch = launch.buffer(device(matrix.row_ptr())).index(0).buffer(device(&rows));
            self.order.enqueue_chunks(launch, chunks)?;
        }
        Ok(rows)
    }

    fn gather_values<T: Scalar, P: RowPointer>(&self, order: &Buffer<P>, from: &Buffer<T>) -> Result<Buffer<T>> {
        let (n, to) = (order.len(), self.context.unwritten::<T>(order.len())?);
        let launch = self.launch("gather_values").index(n).buffer(device(order)).buffer(device(from)).index(0);
        each(launch.buffer(device(&to)), n)?;
        Ok(to)
    }

    /// The last of pointers: read by the host, which waits for it.
    fn last<P: RowPointer>(&self, row_ptr: &Buffer<P>) -> Result<usize> {
        let mut last = [P::default()];
        let at = row_ptr.len() - 1;
        device(row_ptr).read_at(self.queue, at, &mut last)?;
        Ok(last[0].count())
    }

    /// The matrix of a list of entries: sorted, with one entry in each place.
    fn compress<T: Scalar, P: RowPointer>(&self, list: &CooMatrix<T>) -> Result<CsrMatrix<T, P>> {
        let (rows, columns, n) = (list.rows(), list.columns(), list.nnz());
        check_count::<P>(n)?;
        let order = &self.order;
        let (_, by_columns) = order.sort::<P>(Keys::of(list.col_indices()), columns, None)?;
        let row_keys = order.gather(&by_columns, Keys::of(list.row_indices()))?;
        let (sorted_rows, sorted) = order.sort(Keys::of(&row_keys), rows, Some(by_columns))?;
        let sorted_columns = order.gather(&sorted, Keys::of(list.col_indices()))?;
        let slots = self.context.unwritten::<P>(n + 1)?;
        let launch = order.launch("is_not_duplicate", n).buffer(device(&sorted_rows)).buffer(device(&sorted_columns));
        each(launch.buffer(device(&slots)), n + 1)?;
        order.running_sums(&slots, n + 1)?;
        let entries = self.last(&slots)?;
        let (col_indices, values) = (self.context.unwritten::<i32>(entries)?, self.context.unwritten::<T>(entries)?);
        let launch = self.launch("add_duplicates").index(n).buffer(device(&sorted_columns)).buffer(device(&sorted));
        let launch = launch.buffer(device(list.values())).index(0).buffer(device(&slots));
        each(launch.buffer(device(&col_indices)).buffer(device(&values)), n)?;
        let row_ptr = order.row_ptr(rows, &sorted_rows, Some(&slots))?;
        self.queue.flush()?;
        Ok(CsrMatrix::from_buffers(self.context, rows, columns, (row_ptr, col_indices, values)))
    }

    fn list<T: Scalar>(&self, rows: usize, columns: usize, entries: usize) -> Result<CooMatrix<T>> {
        let indices = || self.context.unwritten::<i32>(entries);
        let buffers = (indices()?, indices()?, self.context.unwritten::<T>(entries)?);
        Ok(CooMatrix::from_buffers(self.context, rows, columns, buffers))
    }

    /// Puts alpha times a matrix's entries into a list, from a place on.
    fn append<T: Scalar, P: RowPointer>(
        &self,
        alpha: T,
        matrix: &CsrMatrix<T, P>,
        list: &CooMatrix<T>,
        to: usize,
    ) -> Result<()> {
        let rows = self.entry_rows(matrix)?;
        let launch = self.launch("append").index(matrix.nnz()).scalar(alpha).buffer(device(&rows));
        let launch =
            launch.buffer(device(matrix.col_indices())).index(0).buffer(device(matrix.values())).index(0).index(to);
        each(launch.list(list), matrix.nnz())
    }
}

/// Lists of entries as arguments.
trait ListArguments: Sized {
    /// A list of entries, as kernels take it.
    fn list<T: Scalar>(self, list: &CooMatrix<T>) -> Self;
}

impl ListArguments for Launch<'_> {
    fn list<T: Scalar>(self, list: &CooMatrix<T>) -> Self {
        let launch = self.buffer(device(list.row_indices())).buffer(device(list.col_indices()));
        launch.buffer(device(list.values()))
    }
}

/// The matrix of a list of entries.
pub(crate) fn compress_on<T: Scalar, P: RowPointer>(list: &CooMatrix<T>) -> Result<CsrMatrix<T, P>> {
    let queue = queue(list.context())?;
    Converter::new::<T, P>(list.context(), &queue)?.compress(list)
}

/// The list of a matrix's entries, by rows.
pub(crate) fn list_on<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>) -> Result<CooMatrix<T>> {
    let queue = queue(matrix.context())?;
    let converter = Converter::new::<T, P>(matrix.context(), &queue)?;
    let list = converter.list(matrix.rows(), matrix.columns(), matrix.nnz())?;
    converter.append(T::ONE, matrix, &list, 0)?;
    queue.flush()?;
    Ok(list)
}

/// How many entries rows have: the host reads a few numbers, and waits for them.
pub(crate) fn row_statistics_on<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>) -> Result<RowStatistics> {
    let (rows, entries) = (matrix.rows(), matrix.nnz());
    if rows == 0 {
        return Ok(RowStatistics { rows, entries, longest: 0, empty: 0 });
    }
    let queue = queue(matrix.context())?;
    let order = Order::new::<P>(matrix.context(), &queue)?;
    let (chunk, chunks) = order.chunks(rows);
    let found = matrix.context().unwritten::<P>(2 * chunks)?;
    let launch = order.launch("row_statistics", rows).index(chunk).index(chunks).buffer(device(matrix.row_ptr()));
    order.enqueue_chunks(launch.index(0).buffer(device(&found)), chunks)?;
    let found = found.download()?;
    let (longest, empty) = found.split_at(chunks);
    let longest = longest.iter().map(|longest| longest.count()).max().unwrap_or(0);
    Ok(RowStatistics { rows, entries, longest, empty: empty.iter().map(|empty| empty.count()).sum() })
}

/// Aᵀ, with entries in the order of A's rows.
pub(crate) fn transpose_on<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>) -> Result<CsrMatrix<T, P>> {
    let queue = queue(matrix.context())?;
    let converter = Converter::new::<T, P>(matrix.context(), &queue)?;
    let rows = converter.entry_rows(matrix)?;
    let (keys, order) = converter.order.sort::<P>(Keys::of(matrix.col_indices()), matrix.columns(), None)?;
    let col_indices = converter.order.gather(&order, Keys::of(&rows))?;
    let values = converter.gather_values(&order, matrix.values())?;
    let row_ptr = converter.order.row_ptr::<P>(matrix.columns(), &keys, None)?;
    queue.flush()?;
    Ok(CsrMatrix::from_buffers(matrix.context(), matrix.columns(), matrix.rows(), (row_ptr, col_indices, values)))
}

/// alpha A + beta B, sorted, with one entry in each place.
pub(crate) fn sum_on<T: Scalar, P: RowPointer>(
    alpha: T,
    a: &CsrMatrix<T, P>,
    beta: T,
    b: &CsrMatrix<T, P>,
) -> Result<CsrMatrix<T, P>> {
    let queue = queue(a.context())?;
    let converter = Converter::new::<T, P>(a.context(), &queue)?;
    let list = converter.list(a.rows(), a.columns(), a.nnz() + b.nnz())?;
    converter.append(alpha, a, &list, 0)?;
    converter.append(beta, b, &list, a.nnz())?;
    converter.compress(&list)
}

/// A matrix of which a triangle is stored, with the other one.
pub(crate) fn mirror_on<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>, mirror: Mirror) -> Result<CsrMatrix<T, P>> {
    let queue = queue(matrix.context())?;
    let converter = Converter::new::<T, P>(matrix.context(), &queue)?;
    let n = matrix.nnz();
    let rows = converter.entry_rows(matrix)?;
    let slots = matrix.context().unwritten::<P>(n + 1)?;
    let launch =
        converter.launch("off_diagonal").index(n).buffer(device(&rows)).buffer(device(matrix.col_indices())).index(0);
    each(launch.buffer(device(&slots)), n + 1)?;
    converter.order.running_sums(&slots, n + 1)?;
    let list = converter.list(matrix.rows(), matrix.columns(), n + converter.last(&slots)?)?;
    converter.append(T::ONE, matrix, &list, 0)?;
    let (conjugated, negated) = (mirror == Mirror::Hermitian, mirror == Mirror::SkewSymmetric);
    let launch = converter.launch("append_mirrored").index(n).flag(conjugated).flag(negated).buffer(device(&rows));
    let launch = launch.buffer(device(matrix.col_indices())).index(0).buffer(device(matrix.values())).index(0);
    each(launch.buffer(device(&slots)).list(&list), n)?;
    converter.compress(&list)
}

/// A B, sorted, with one entry in each place. First the products that it consists of are counted, then listed, then
/// added up.
pub(crate) fn multiply_sparse_on<T: Scalar, P: RowPointer>(
    a: &CsrMatrix<T, P>,
    b: &CsrMatrix<T, P>,
) -> Result<CsrMatrix<T, P>> {
    let queue = queue(a.context())?;
    let converter = Converter::new::<T, P>(a.context(), &queue)?;
    let n = a.nnz();
    let rows = converter.entry_rows(a)?;
    let slots = a.context().unwritten::<P>(n + 1)?;
    let launch = converter.launch("count_products").index(n).buffer(device(a.col_indices())).index(0);
    each(launch.buffer(device(b.row_ptr())).index(0).buffer(device(&slots)), n + 1)?;
    converter.order.running_sums(&slots, n + 1)?;
    let list = converter.list(a.rows(), b.columns(), converter.last(&slots)?)?;
    let launch = converter.launch("expand_products").matrix(&queue, &b.view()?)?.index(n).buffer(device(&rows));
    let launch = launch.buffer(device(a.col_indices())).index(0).buffer(device(a.values())).index(0);
    each(launch.buffer(device(&slots)).list(&list), n)?;
    converter.compress(&list)
}

/// The sums of the entries on the diagonal.
pub(crate) fn diagonal_on<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>) -> Result<Buffer<T>> {
    let queue = queue(matrix.context())?;
    let converter = Converter::new::<T, P>(matrix.context(), &queue)?;
    let count = matrix.rows().min(matrix.columns());
    let diagonal = matrix.context().unwritten::<T>(count)?;
    let launch = converter.launch("diagonal").matrix(&queue, &matrix.view()?)?.index(count);
    each(launch.buffer(device(&diagonal)), count)?;
    queue.flush()?;
    Ok(diagonal)
}

/// The sum of the moduli of each row.
pub(crate) fn row_moduli_on<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>) -> Result<Buffer<T::RealScalar>> {
    let queue = queue(matrix.context())?;
    let converter = Converter::new::<T, P>(matrix.context(), &queue)?;
    let sums = matrix.context().unwritten::<T::RealScalar>(matrix.rows())?;
    let launch = converter.launch("sum_moduli").matrix(&queue, &matrix.view()?)?;
    each(launch.buffer(device(&sums)), matrix.rows())?;
    queue.flush()?;
    Ok(sums)
}

/// All elements, into a dense matrix of the same size.
pub(crate) fn to_dense_on<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>, dense: &MatrixMut<'_, T>) -> Result<()> {
    let queue = queue(matrix.context())?;
    let converter = Converter::new::<T, P>(matrix.context(), &queue)?;
    let memory = device_buffer(&queue, dense.memory(), "dense")?;
    let launch = converter.launch("csr_to_dense").matrix(&queue, &matrix.view()?)?.index(matrix.columns());
    each(launch.buffer(memory).strided(dense.shape()), matrix.rows())?;
    queue.flush()
}

/// The elements of a dense matrix that are not zero.
pub(crate) fn from_dense_on<T: Scalar, P: RowPointer>(
    context: &Context,
    dense: &MatrixRef<'_, T>,
) -> Result<CsrMatrix<T, P>> {
    let queue = queue(context)?;
    let converter = Converter::new::<T, P>(context, &queue)?;
    let (rows, columns) = (dense.rows(), dense.columns());
    let memory = device_buffer(&queue, dense.memory(), "dense")?;
    let launch = |kernel| converter.launch(kernel).index(rows).index(columns).buffer(memory).strided(dense.shape());
    let row_ptr = context.unwritten::<P>(rows + 1)?;
    each(launch("count_nonzero").buffer(device(&row_ptr)), rows + 1)?;
    converter.order.running_sums(&row_ptr, rows + 1)?;
    let entries = converter.last(&row_ptr)?;
    let (col_indices, values) = (context.unwritten::<i32>(entries)?, context.unwritten::<T>(entries)?);
    let take = launch("store_nonzero").buffer(device(&row_ptr)).buffer(device(&col_indices));
    each(take.buffer(device(&values)), rows)?;
    queue.flush()?;
    Ok(CsrMatrix::from_buffers(context, rows, columns, (row_ptr, col_indices, values)))
}

/// The values, each times the factor of its row or of its column.
pub(crate) fn scaled_lines_on<T: Scalar, P: RowPointer>(
    matrix: &CsrMatrix<T, P>,
    by_rows: bool,
    factors: &VectorRef<'_, T>,
) -> Result<Buffer<T>> {
    let queue = queue(matrix.context())?;
    let converter = Converter::new::<T, P>(matrix.context(), &queue)?;
    let memory = device_buffer(&queue, factors.memory(), "factors")?;
    let scaled = matrix.context().unwritten::<T>(matrix.nnz())?;
    let launch = converter.launch("scale_rows_or_columns").matrix(&queue, &matrix.view()?)?.flag(by_rows);
    let launch = launch.buffer(memory).index(factors.shape().first()).step(factors.shape().increment());
    each(launch.buffer(device(&scaled)), matrix.rows())?;
    queue.flush()?;
    Ok(scaled)
}
