//! Batches on the host: the matrices are divided among the threads.

mod band;
mod lapack;
mod spectral;
mod tridiagonal;

use affinimath_macros::instances;
pub use band::{gbsv_batched, gbtrf_batched, gbtrs_batched};
pub use lapack::PerMatrix;
pub use lapack::{
    geqrf_batched, gesv_batched, getrf_batched, getrs_batched, posv_batched, potrf_batched, potrs_batched,
};
pub use spectral::{gesvd_batched, heev_batched};
pub use tridiagonal::gtsv_batched;

use super::movement::start;
use super::threads;
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;
use affinimath_core::view::{BatchMut, BatchRef, MatrixShape, View};
use faer::{MatMut, MatRef};

/// Minimum multiply-adds of a batch for which a second thread is worth waking.
const PARALLEL_WORK: usize = 1 << 16;

/// A memory that several threads use, each its own matrices of.
struct Shared<T>(*mut T);

// SAFETY: each matrix is written by one thread only, and matrices of a written batch do not overlap.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: each matrix is written by one thread only, and matrices of a written batch do not overlap.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// # Safety
    /// The memory must have `length` elements from `first` on, which nothing else accesses meanwhile.
    #[allow(clippy::mut_from_ref, reason = "the threads have different parts of the memory")]
    unsafe fn part(&self, first: usize, length: usize) -> &mut [T] {
        // SAFETY: these elements are valid and exclusive, by this function's contract.
        unsafe { std::slice::from_raw_parts_mut(self.0.wrapping_add(first), length) }
    }
}

impl<T: Scalar> Shared<T> {
    /// # Safety
    /// The matrix must lie in the memory, and not be written meanwhile.
    unsafe fn read(&self, shape: &MatrixShape) -> MatRef<'_, T> {
        let (rows, columns) = (shape.rows(), shape.columns());
        let [row_stride, column_stride] = <[usize; 2]>::from(shape.strides()).map(|stride| stride as isize);
        // SAFETY: the matrix is valid, by this function's contract.
        unsafe { MatRef::from_raw_parts(self.0.wrapping_add(shape.offset()), rows, columns, row_stride, column_stride) }
    }

    /// # Safety
    /// The matrix must be within the memory, and nothing else may access it meanwhile.
    unsafe fn write(&self, shape: &MatrixShape) -> MatMut<'_, T> {
        let (rows, columns) = (shape.rows(), shape.columns());
        let [row_stride, column_stride] = <[usize; 2]>::from(shape.strides()).map(|stride| stride as isize);
        // SAFETY: the matrix is valid, by this function's contract.
        unsafe {
            MatMut::from_raw_parts_mut(self.0.wrapping_add(shape.offset()), rows, columns, row_stride, column_stride)
        }
    }
}

/// C := alpha op(A) op(B) + beta C for each matrix of batches in host memory; counts and sizes agree.
#[instances]
pub fn gemm_batched<T: Scalar>(
    [op_a, op_b]: [Op; 2],
    alpha: T,
    a: &BatchRef<'_, T>,
    b: &BatchRef<'_, T>,
    beta: T,
    c: &BatchMut<'_, T>,
) {
    let (a_memory, b_memory, c_memory) =
        (Shared(start(a.memory())), Shared(start(b.memory())), Shared(start(c.memory())));
    let c_matrix = c.shape().matrix();
    let k = if op_a.transposes() { a.shape().matrix().rows() } else { a.shape().matrix().columns() };
    for_each(c.shape().count(), c_matrix.rows() * c_matrix.columns() * k, |i| {
        // SAFETY: the views hold their matrices, and those of C do not overlap.
        let (a, b, c) = unsafe {
            (a_memory.read(&a.shape().one(i)), b_memory.read(&b.shape().one(i)), c_memory.write(&c.shape().one(i)))
        };
        super::gemm(op_a, op_b, alpha, a, b, beta, c);
    });
}

/// op(A) X = alpha B or X op(A) = alpha B for each matrix of batches in host memory; counts and sizes agree.
#[instances]
pub fn trsm_batched<T: Scalar>(
    side: Side,
    (triangle, op, diagonal): (Triangle, Op, Diag),
    alpha: T,
    a: &BatchRef<'_, T>,
    b: &BatchMut<'_, T>,
) {
    let (a_memory, b_memory) = (Shared(start(a.memory())), Shared(start(b.memory())));
    let b_matrix = b.shape().matrix();
    let work = b_matrix.rows() * b_matrix.columns() * a.shape().matrix().rows();
    for_each(b.shape().count(), work, |i| {
        // SAFETY: the views hold their matrices, and those of B do not overlap.
        let (a, b) = unsafe { (a_memory.read(&a.shape().one(i)), b_memory.write(&b.shape().one(i))) };
        super::trsm(side, triangle, op, diagonal, alpha, a, b);
    });
}

/// Calls `work` for each of `count` matrices, on several threads if `operations` per matrix make it worth it.
fn for_each(count: usize, operations: usize, work: impl Fn(usize) + Sync) {
    let available = threads::available();
    if available == 1 || count < 2 || operations.saturating_mul(count) < PARALLEL_WORK {
        return (0..count).for_each(work);
    }
    let length = (count / (4 * available)).max(1);
    let part = |part: usize| (part * length..count.min((part + 1) * length)).for_each(&work);
    threads::for_each(count.div_ceil(length), part);
}
