//! Products and solvers with local parts on the ranks' devices.
//!
//! A product packs the elements that other ranks read, on the device, and reads them into pinned host memory on a
//! second queue, while the first one computes the interior. Nothing assumes an MPI library that knows devices.

use std::cell::RefCell;
use std::ops::Range;

use affinimath::sparse::{AllReduce, CsrArrays, CsrMatrix, LinearOperator, Outcome};
use affinimath::{Buffer, Context, DeviceVector, Op, Pinned, Queue, Scalar, VectorMut, VectorRef, VectorShape};
use affinimath_core::view::View;
use affinimath_opencl::context::{BufferParts, QueueParts, SecondQueue};

use super::csr::DistCsr;
use super::ghosts::Ghosts;
use super::solve::{SolveOptions, agree};
use super::vector::DistVector;
use crate::comm::{Communicator, Tag, Transfer};
use crate::error::{Error, Result};
use crate::memory::Memory;

/// Rows without ghosts that part two segments of the rows with ghosts.
const GAP: usize = 1024;
/// The most segments: each of them is a product of its own.
const SEGMENTS: usize = 8;

/// Vectors of an exchange in pinned memory: elements of other ranks' ghosts, and this rank's ghosts.
const OWN: usize = 0;
const GHOSTS: usize = 1;

/// The rows with ghosts and the exchange of ghosts, on a device.
pub(super) struct DeviceGhosts<T> {
    queue: Queue,
    /// Reads and writes ghosts while the first queue computes the interior.
    second: SecondQueue,
    /// A row with a one for each element that other ranks read, in the order of the messages.
    selection: CsrMatrix<T>,
    /// First rows of segments, and their entries in columns of ghosts.
    segments: Vec<(usize, CsrMatrix<T>)>,
    buffers: RefCell<Buffers<T>>,
    /// Ranks that read own elements, and ranks that own ghosts, with their parts of the vectors of an exchange.
    parts: [Vec<(usize, Range<usize>)>; 2],
}

/// Vectors of an exchange.
struct Buffers<T> {
    own: Buffer<T>,
    ghosts: Buffer<T>,
    /// None while messages have them.
    pinned: Option<[Pinned<T>; 2]>,
}

impl<T> std::fmt::Debug for DeviceGhosts<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceGhosts").field("segments", &self.segments.len()).finish_non_exhaustive()
    }
}

impl<T: Scalar> DeviceGhosts<T> {
    /// Brings the rows with ghosts to a device.
    pub(super) fn new(context: &Context, boundary: &CsrMatrix<T>, ghosts: &Ghosts, own: usize) -> Result<Self> {
        let Some(queue) = context.own_queue()? else {
            return Err(Error::Local("ghosts on a device need a device".to_owned()));
        };
        let second = Queue::second(queue.context())?;
        let arrays = boundary.download()?;
        let segments = segments(&arrays.row_ptr);
        let segments = segments.into_iter().map(|rows| Ok((rows.start, part(context, &arrays, boundary, rows)?)));
        let segments = segments.collect::<Result<Vec<_>>>()?;
        let (mut selected, mut readers) = (Vec::new(), Vec::new());
        for (rank, list) in ghosts.readers() {
            readers.push((*rank, selected.len()..selected.len() + list.len()));
            selected.extend(list.iter().map(|index| *index as i32));
        }
        let count = selected.len();
        let row_ptr: Vec<i32> = (0..=count as i32).collect();
        let selection = CsrMatrix::new(context, count, own, &row_ptr, &selected, &vec![T::ONE; count])?;
        let buffers = Buffers {
            own: context.zeros(count)?,
            ghosts: context.zeros(ghosts.len())?,
            pinned: Some([context.pinned(count)?, context.pinned(ghosts.len())?]),
        };
        let parts = [readers, ghosts.owners().to_vec()];
        Ok(DeviceGhosts { queue, second, selection, segments, buffers: RefCell::new(buffers), parts })
    }

    /// y := alpha A x + beta y for the ranks' parts: the interior while ghosts travel.
    pub(super) fn product(
        &self,
        comm: &Communicator,
        interior: &CsrMatrix<T>,
        op: Op,
        (alpha, x): (T, VectorRef<'_, T>),
        (beta, mut y): (T, VectorMut<'_, T>),
    ) -> Result<()> {
        if self.is_alone() {
            let _ = interior.multiply(op, alpha, x, beta, y)?;
            return Ok(());
        }
        let mut buffers = self.buffers.borrow_mut();
        let buffers = &mut *buffers;
        if !buffers.own.is_empty() {
            let _ = self.selection.multiply(Op::NoTrans, T::ONE, x, T::ZERO, buffers.own.vector_mut()?)?;
        }
        // Also for the ghosts, which the rows of the product before may still read.
        self.second.wait_for_queue(&self.queue)?;
        let _ = interior.multiply(op, alpha, x, beta, reborrow(&mut y, 0..interior.rows())?)?;
        self.queue.flush()?;
        self.exchange(comm, (OWN, GHOSTS), buffers)?;
        for (first, rows) in &self.segments {
            let part = reborrow(&mut y, *first..first + rows.rows())?;
            let _ = rows.multiply(op, alpha, buffers.ghosts.vector()?, T::ONE, part)?;
        }
        Ok(())
    }

    /// y := alpha A^T x + beta y: contributions to other ranks' elements travel while the interior is computed.
    pub(super) fn transpose_product(
        &self,
        comm: &Communicator,
        interior: &CsrMatrix<T>,
        op: Op,
        (alpha, x): (T, VectorRef<'_, T>),
        (beta, mut y): (T, VectorMut<'_, T>),
    ) -> Result<()> {
        if self.is_alone() {
            let _ = interior.multiply(op, alpha, x, beta, y)?;
            return Ok(());
        }
        let mut buffers = self.buffers.borrow_mut();
        let buffers = &mut *buffers;
        for (number, (first, rows)) in self.segments.iter().enumerate() {
            let shape = VectorShape::new(rows.rows(), x.shape().offset() + first, 1)?;
            let part = VectorRef::from_parts(x.memory(), shape);
            let before = if number == 0 { T::ZERO } else { T::ONE };
            let _ = rows.multiply(op, alpha, part, before, buffers.ghosts.vector_mut()?)?;
        }
        self.second.wait_for_queue(&self.queue)?;
        let _ = interior.multiply(op, alpha, x, beta, reborrow(&mut y, 0..interior.columns())?)?;
        self.queue.flush()?;
        self.exchange(comm, (GHOSTS, OWN), buffers)?;
        if !buffers.own.is_empty() {
            // Contributions of one element are added in the order of the ranks.
            let _ = self.selection.multiply(Op::Trans, T::ONE, buffers.own.vector()?, T::ONE, y)?;
        }
        Ok(())
    }

    /// True if the rank exchanges nothing with others.
    fn is_alone(&self) -> bool {
        self.parts.iter().all(Vec::is_empty)
    }

    /// Sends one of the vectors of an exchange, and receives the other one, on the second queue.
    fn exchange(&self, comm: &Communicator, (from, to): (usize, usize), buffers: &mut Buffers<T>) -> Result<()> {
        let taken = || Error::Local("an exchange of ghosts has failed before".to_owned());
        let mut pinned = buffers.pinned.take().ok_or_else(taken)?;
        let [source, target] =
            if from == OWN { [&buffers.own, &buffers.ghosts] } else { [&buffers.ghosts, &buffers.own] };
        if let (Some(memory), false) = (source.vector()?.device_memory(), source.is_empty()) {
            memory.read(&self.second, &mut pinned[from])?;
        }
        let mut transfer = Transfer::new(comm, Tag::Ghosts, pinned);
        let mut arrivals = Vec::with_capacity(self.parts[to].len());
        for (rank, part) in &self.parts[to] {
            arrivals.push(transfer.receive(*rank, to, part.clone())?);
        }
        for (rank, part) in &self.parts[from] {
            transfer.send(*rank, from, part.clone())?;
        }
        arrivals.into_iter().try_for_each(|arrival| transfer.wait(arrival))?;
        let pinned = transfer.finish()?;
        if let (Some(memory), false) = (target.vector()?.device_memory(), target.is_empty()) {
            memory.write(&self.second, &pinned[to])?;
        }
        buffers.pinned = Some(pinned);
        Ok(())
    }
}

/// A part of a vector of adjacent elements, to write.
fn reborrow<'v, T: Scalar>(y: &'v mut VectorMut<'_, T>, part: Range<usize>) -> Result<VectorMut<'v, T>> {
    let shape = VectorShape::new(part.len(), y.shape().offset() + part.start, 1)?;
    Ok(VectorMut::from_parts(y.memory(), shape))
}

/// Ranges of rows that have all entries: as few rows without entries as [`SEGMENTS`] ranges allow.
fn segments(row_ptr: &[i32]) -> Vec<Range<usize>> {
    let rows: Vec<usize> = (0..row_ptr.len() - 1).filter(|row| row_ptr[*row] < row_ptr[row + 1]).collect();
    let mut gaps: Vec<usize> = (1..rows.len()).filter(|next| rows[*next] - rows[next - 1] > GAP).collect();
    gaps.sort_by_key(|next| std::cmp::Reverse(rows[*next] - rows[next - 1]));
    gaps.truncate(SEGMENTS - 1);
    gaps.sort_unstable();
    let (mut ranges, mut first) = (Vec::new(), 0);
    for next in gaps.into_iter().chain([rows.len()]).filter(|next| *next > 0) {
        ranges.push(rows[first]..rows[next - 1] + 1);
        first = next;
    }
    ranges
}

/// Rows of a matrix, on a device.
fn part<T: Scalar>(
    context: &Context,
    arrays: &CsrArrays<T>,
    matrix: &CsrMatrix<T>,
    rows: Range<usize>,
) -> Result<CsrMatrix<T>> {
    let begin = arrays.row_ptr[rows.start];
    let row_ptr: Vec<i32> = arrays.row_ptr[rows.start..=rows.end].iter().map(|end| end - begin).collect();
    let entries = begin as usize..arrays.row_ptr[rows.end] as usize;
    let (indices, values) = (&arrays.col_indices[entries.clone()], &arrays.values[entries]);
    Ok(CsrMatrix::new(context, rows.len(), matrix.columns(), &row_ptr, indices, values)?)
}

/// A solver of one process.
pub(super) type Solver<T> = fn(
    &dyn LinearOperator<T>,
    VectorRef<'_, T>,
    VectorMut<'_, T>,
    &affinimath::sparse::SolveOptions<'_, T>,
) -> affinimath::Result<Outcome>;

/// Solves A x = b where A lies on the ranks' devices, by the solver of one process, whose sums are made over all ranks.
/// Vectors in host memory are copied to the devices, and x is copied back.
pub(super) fn solve<T: Scalar>(
    name: &'static str,
    solver: Solver<T>,
    a: &DistCsr<T>,
    b: &DistVector<T>,
    x: &mut DistVector<T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    let max_iterations = agree(name, a, b, x, options)?;
    let kind = preconditioning(a, options)?;
    a.grid().together(|| {
        let diagonal = (kind == Kind::Diagonal).then(|| a.interior().context().zeros(0)).transpose()?;
        let no_rows = NoRows { context: a.interior().context(), diagonal };
        let options = match options.has_preconditioner() && a.interior().rows() == 0 {
            true => options.preconditioner(&no_rows),
            false => *options,
        };
        let staged = |vector: &DistVector<T>| vector.local_part().to_memory(a.grid(), Memory::Device);
        let b = staged(b)?;
        let operator = Operator { a, error: RefCell::new(None) };
        let own = options.of_one_process(max_iterations);
        let run = |x: VectorMut<'_, T>| {
            solver(&operator, b.view()?, x, &own).map_err(|error| operator.error.take().unwrap_or_else(|| error.into()))
        };
        if x.memory() == Memory::Device {
            return run(x.view_mut()?);
        }
        let mut copy = staged(x)?;
        let outcome = run(copy.view_mut()?)?;
        x.local_mut().copy_from_slice(&copy.download()?);
        Ok(outcome)
    })
}

/// Kind of the ranks' preconditioners: solvers have other passes for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    NoneOrOperator,
    Diagonal,
}

/// The kind that all ranks with rows have.
fn preconditioning<T: Scalar>(a: &DistCsr<T>, options: &SolveOptions<'_, T>) -> Result<Kind> {
    let counts = a.interior().rows() > 0;
    let flag = |is: bool| if counts && is { 1.0 } else { 0.0 };
    let is_diagonal = options.has_diagonal();
    let mine = [flag(is_diagonal), flag(!is_diagonal)];
    let found = a.grid().together(|| a.grid().all().maximum(&mine))?;
    match (found[0] > 0.0, found[1] > 0.0) {
        // The same on all ranks.
        (true, true) => Err(Error::argument("preconditioner", "some ranks have a diagonal one, and others have not")),
        (true, false) => Ok(Kind::Diagonal),
        (false, _) => Ok(Kind::NoneOrOperator),
    }
}

/// Preconditioner of a rank without rows, of the kind that the other ranks have.
struct NoRows<'a, T> {
    context: &'a Context,
    diagonal: Option<Buffer<T>>,
}

impl<T: Scalar> LinearOperator<T> for NoRows<'_, T> {
    fn context(&self) -> &Context {
        self.context
    }

    fn rows(&self) -> usize {
        0
    }

    fn columns(&self) -> usize {
        0
    }

    fn apply(&self, _: Op, _: VectorRef<'_, T>, _: VectorMut<'_, T>) -> affinimath::Result<()> {
        Ok(())
    }

    fn diagonal(&self) -> Option<&Buffer<T>> {
        self.diagonal.as_ref()
    }
}

/// A matrix as a solver of one process sees it.
struct Operator<'a, T> {
    a: &'a DistCsr<T>,
    /// The error of an exchange, which the solver cannot hand on.
    error: RefCell<Option<Error>>,
}

impl<T> Operator<'_, T> {
    fn keep<R>(&self, result: Result<R>) -> affinimath::Result<R> {
        result.map_err(|error| {
            let text = error.to_string();
            self.error.replace(Some(error));
            affinimath::Error::Internal(text)
        })
    }
}

impl<T: Scalar> LinearOperator<T> for Operator<'_, T> {
    fn context(&self) -> &Context {
        self.a.interior().context()
    }

    fn rows(&self) -> usize {
        self.a.interior().rows()
    }

    fn columns(&self) -> usize {
        self.a.interior().columns()
    }

    fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> affinimath::Result<()> {
        self.keep(self.a.product_of_views(op, T::ONE, x, T::ZERO, y))
    }

    fn all_reduce(&self) -> Option<&dyn AllReduce> {
        (self.a.grid().size() > 1).then_some(self as _)
    }
}

impl<T: Scalar> AllReduce for Operator<'_, T> {
    fn sum(&self, values: &mut [f64]) -> affinimath::Result<()> {
        values.copy_from_slice(&self.keep(self.a.grid().all().sum(values))?);
        Ok(())
    }

    fn maximum(&self, values: &mut [f64]) -> affinimath::Result<()> {
        values.copy_from_slice(&self.keep(self.a.grid().all().maximum(values))?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::segments;

    #[test]
    fn segments_have_all_rows_with_entries_and_few_others() {
        assert_eq!(segments(&[0]), []);
        assert_eq!(segments(&[0, 0, 0]), []);
        assert_eq!(segments(&[0, 1, 1, 3]), [0..3]);
        let of = |rows: &[usize], count: usize| {
            let mut row_ptr = vec![0; count + 1];
            rows.iter().for_each(|row| row_ptr[row + 1] = 1);
            (0..count).for_each(|row| row_ptr[row + 1] += row_ptr[row]);
            segments(&row_ptr)
        };
        assert_eq!(of(&[5, 6, 9000, 9001], 10_000), [5..7, 9000..9002]);
        let many: Vec<usize> = (0..20).map(|k| k * (3000 + k)).collect();
        let found = of(&many, 100_000);
        assert_eq!((found.len(), found[0].start, found[7].end), (8, 0, many[19] + 1));
    }
}
