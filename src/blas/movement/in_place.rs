//! imatcopy: B := alpha op(A), where B overwrites A.

use affinimath_macros::instances;

use super::plan::{Tiles, square_and_tile};
use super::{Term, check_sizes, enqueue_sum};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::Operand;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceMemory, Event, Queue, QueueParts, Workspace};
use crate::device::DeviceClass;
use crate::error::Result;
use crate::launch::Launch;
use crate::options::Op;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{InPlace, View};

pub(crate) use affinimath_core::problem::movement::Way;

/// Refuses a result of another size than op of the matrix.
pub(crate) fn check_in_place<T>(op: Op, matrix: &InPlace<'_, T>) -> Result<()> {
    check_sizes(op, matrix.before(), matrix.after(), "its result")
}

/// B := alpha op(A) on a device, where B overwrites A with a shape and leading dimension of its own. It returns as soon
/// as the work is enqueued. Elements that belong to neither matrix are unchanged. With alpha = 0, A is not read.
///
/// A square matrix that keeps its leading dimension is transposed in place. A result with another arrangement needs
/// device memory of its size.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was
/// enqueued. [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: the matrix
/// is undefined.
#[instances]
pub fn imatcopy_on<T: Scalar>(queue: &Queue, op: Op, alpha: T, matrix: InPlace<'_, T>) -> Result<Event> {
    check_in_place(op, &matrix)?;
    queue.context().device().info().require(T::KIND)?;
    let memory = device_buffer(queue, matrix.memory(), "the matrix")?;
    let (rows, columns) = (matrix.after().rows(), matrix.after().columns());
    let target = Operand::whole(Op::NoTrans, matrix.after());
    let term = Term { factor: alpha, memory, operand: Operand::whole(op, matrix.before()) };
    let way = Way::choose(op, alpha, matrix.before(), matrix.after());
    tracing::debug!(?way, rows, columns, "imatcopy");
    let event = match way {
        Way::Nothing => return Ok(Event::Complete),
        Way::Stay => enqueue_sum(queue, rows, columns, &[term], (memory, target), true)?,
        Way::Exchange => exchange(queue, &term, rows, &target)?,
        Way::Through => through(queue, &term, rows, columns, target)?,
    };
    queue.flush()?;
    Ok(event)
}

fn exchange<T: Scalar>(queue: &Queue, term: &Term<'_, T>, n: usize, target: &Operand) -> Result<Event> {
    let device = queue.context().device().info();
    let mut definitions = vec![("TERMS", 0), ("IN_PLACE", 1)];
    let (name, file, tile, threads) = if device.class == DeviceClass::Cpu {
        let (square, tile) = square_and_tile(T::KIND, device);
        definitions.extend([("PACK_WIDTH", square as i64), ("VECTOR_WIDTH", device.vector_width(T::KIND) as i64)]);
        ("movement exchange cpu", "blas/movement/exchange_cpu.cl", tile, 1)
    } else {
        let Tiles { tile: [tile, _], threads } = Tiles::choose(T::KIND, n, true, device);
        definitions.push(("THREADS", threads as i64));
        ("movement exchange", "blas/movement/exchange_tiles.cl", tile, threads)
    };
    definitions.push(("TILE", tile as i64));
    let source = ProgramSource { name, kind: T::KIND, root: source(file), definitions };
    let program = queue.context().program(&source)?;
    let tiles = n.div_ceil(tile);
    // Square, so that it does not matter which of its directions is contiguous.
    Launch::new(queue, &program, "movement_exchange")
        .index(n)
        .scalar(term.factor)
        .flag(term.operand.conjugate)
        .buffer(term.memory)
        .index(target.offset)
        .index(target.row_stride.max(target.column_stride))
        .enqueue([tiles * tiles, 1, 1], [threads, 1, 1])
}

/// By way of a dense copy.
fn through<T: Scalar>(
    queue: &Queue,
    term: &Term<'_, T>,
    rows: usize,
    columns: usize,
    target: Operand,
) -> Result<Event> {
    let bytes = rows * columns * size_of::<T>();
    // Workspace if its bound allows, else memory of its own, which OpenCL frees after the last command.
    let (workspace, own);
    let copy: &dyn DeviceMemory = if bytes as u64 <= queue.context().workspace_limit() / 2 {
        workspace = Workspace::borrow(queue, bytes as u64)?;
        &workspace
    } else {
        own = DeviceBuffer::new(queue.context(), bytes, "a copy of the matrix")?;
        &own
    };
    // In the direction of the target, so that its second way is straight.
    let dense = if target.row_stride == 1 { Operand::general(0, 1, rows) } else { Operand::general(0, columns, 1) };
    drop(enqueue_sum(queue, rows, columns, &[*term], (copy, dense), false)?);
    let back = Term { factor: T::ONE, memory: copy, operand: dense };
    enqueue_sum(queue, rows, columns, &[back], (term.memory, target), false)
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::options::Layout;
    use crate::scalar::Complex32;
    use crate::view::MatrixShape;

    fn way(op: Op, alpha: f32, [rows, columns]: [usize; 2], [before, after]: [usize; 2]) -> Way {
        let shape = |rows, columns, ld| MatrixShape::new(Layout::ColumnMajor, rows, columns, 2, ld).unwrap();
        let result = if op.transposes() { shape(columns, rows, after) } else { shape(rows, columns, after) };
        Way::choose(op, alpha, &shape(rows, columns, before), &result)
    }

    #[test]
    fn the_way_follows_from_the_shapes() {
        assert_eq!(way(Op::NoTrans, 1.0, [3, 4], [5, 5]), Way::Nothing);
        assert_eq!(way(Op::ConjNoTrans, 1.0, [3, 4], [5, 5]), Way::Nothing);
        assert_eq!(way(Op::NoTrans, 2.0, [3, 4], [5, 5]), Way::Stay);
        assert_eq!(way(Op::NoTrans, 2.0, [3, 4], [5, 6]), Way::Through);
        assert_eq!(way(Op::Trans, 1.0, [4, 4], [5, 5]), Way::Exchange);
        assert_eq!(way(Op::Trans, 1.0, [4, 4], [5, 4]), Way::Through);
        assert_eq!(way(Op::ConjTrans, 1.0, [3, 4], [5, 5]), Way::Through);
        assert_eq!(way(Op::ConjTrans, 0.0, [3, 4], [5, 5]), Way::Stay);
        assert_eq!(way(Op::ConjTrans, 0.0, [0, 4], [5, 5]), Way::Nothing);
    }

    #[test]
    fn a_complex_matrix_is_conjugated_where_it_stays() {
        let shape = MatrixShape::new(Layout::RowMajor, 3, 4, 0, 4).unwrap();
        assert_eq!(Way::choose(Op::ConjNoTrans, Complex32::ONE, &shape, &shape), Way::Stay);
        assert_eq!(Way::choose(Op::NoTrans, Complex32::ONE, &shape, &shape), Way::Nothing);
    }
}
