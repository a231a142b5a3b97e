//! Solutions with Bunch and Kaufman's factors: X = Pᵀ L⁻ᴴ D⁻¹ L⁻¹ P B, with L's interchanges all made in a copy.

use super::{Lower, block_of, program, reversed};
use crate::blas::level3::gemm::Operand;
use crate::blas::level3::trsm::TrsmProblem;
use crate::context::{BufferParts, DeviceBuffer, Queue};
use crate::error::Result;
use crate::lapack::{Block, Executor, device_info};
use crate::launch::Launch;
use crate::options::{Diag, Op, Symmetry, Triangle};
use crate::program::Program;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, View};

/// Work-items of a group, along columns of adjacent elements.
const GROUP: usize = 64;

/// A factorisation's permutation and the orders of D's blocks, for the lower triangle.
struct Interchanges {
    pivots: Vec<i32>,
    /// 1 for a block of order 1; 2 and 0 for the columns of one of order 2.
    orders: Vec<i32>,
    /// Row i of P A is row `rows[i]` of A, of an upper triangle too.
    rows: Vec<i32>,
}

impl Interchanges {
    /// Those of pivots that fit the triangle.
    fn new(triangle: Triangle, pivots: &[i32]) -> Self {
        let n = pivots.len();
        let own = if triangle == Triangle::Lower { pivots.to_vec() } else { reversed(pivots) };
        let (mut orders, mut rows) = (vec![1; n], (0..n as i32).collect::<Vec<_>>());
        let mut k = 0;
        while k < n {
            let order = if own[k] > 0 { 1 } else { 2 };
            if order == 2 {
                (orders[k], orders[k + 1]) = (2, 0);
            }
            rows.swap(k + order - 1, own[k].unsigned_abs() as usize - 1);
            k += order;
        }
        if triangle == Triangle::Upper {
            rows.iter_mut().for_each(|row| *row = n as i32 - 1 - *row);
        }
        Interchanges { pivots: own, orders, rows }
    }
}

/// Solves A X = B with the factors of a square A on a device, X in B's place. The n pivots fit the triangle. It returns
/// as soon as the work is enqueued.
pub(crate) fn solve<T: Scalar>(
    queue: &Queue,
    (symmetry, triangle): (Symmetry, Triangle),
    factors: &MatrixRef<'_, T>,
    pivots: &[i32],
    b: &MatrixMut<'_, T>,
) -> Result<()> {
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let (n, columns) = (b.rows(), b.columns());
    let a = block_of(queue, factors)?;
    let b = block_of(queue, &MatrixRef::from_parts(b.memory(), *b.shape()))?;
    if n == 0 || columns == 0 {
        return Ok(());
    }
    let solver = Solver::new::<T>(
        executor,
        symmetry,
        (Lower::new(triangle, a, [n; 2]), n),
        &Interchanges::new(triangle, pivots),
    )?;
    solver.copy_factor()?;
    solver.solve::<T>(symmetry, b, columns)
}

/// The memory of a solution.
struct Solver<'q> {
    executor: Executor<'q>,
    program: std::sync::Arc<Program>,
    a: Lower<'q>,
    n: usize,
    /// L with its interchanges, by columns.
    l: DeviceBuffer,
    pivots: DeviceBuffer,
    orders: DeviceBuffer,
    rows: DeviceBuffer,
}

impl<'q> Solver<'q> {
    fn new<T: Scalar>(
        executor: Executor<'q>,
        symmetry: Symmetry,
        (a, n): (Lower<'q>, usize),
        interchanges: &Interchanges,
    ) -> Result<Self> {
        let queue = executor.queue;
        let integers = |values: &[i32]| -> Result<DeviceBuffer> {
            let memory = DeviceBuffer::for_step(queue, size_of_val(values))?;
            memory.write(queue, values)?;
            Ok(memory)
        };
        let file = ("lapack indefinite solutions", "lapack/indefinite/solve.cl");
        Ok(Solver {
            executor,
            program: program::<T>(queue, file, symmetry, GROUP)?,
            a,
            n,
            l: DeviceBuffer::for_step(queue, n * n * size_of::<T>())?,
            pivots: integers(&interchanges.pivots)?,
            orders: integers(&interchanges.orders)?,
            rows: integers(&interchanges.rows)?,
        })
    }

    fn launch(&self, kernel: &'static str) -> Launch<'_> {
        Launch::new(self.executor.queue, &self.program, kernel).count(self.n)
    }

    /// Runs a kernel for all rows of some columns.
    fn enqueue(&self, launch: Launch<'_>, columns: usize) -> Result<()> {
        let group = GROUP.min(self.executor.device.max_work_group_size);
        launch.enqueue_step([self.n.div_ceil(group), columns, 1], [group, 1, 1])
    }

    fn copy_factor(&self) -> Result<()> {
        let launch = self.a.arguments(self.launch("copy_factor")).buffer(&self.orders).buffer(&self.l);
        self.enqueue(launch, self.n)?;
        self.enqueue(self.launch("interchange").buffer(&self.pivots).buffer(&self.l), 1)
    }

    fn solve<T: Scalar>(&self, symmetry: Symmetry, b: Block<'_>, columns: usize) -> Result<()> {
        let x = DeviceBuffer::for_step(self.executor.queue, self.n * columns * size_of::<T>())?;
        self.enqueue(self.permutation("gather", b, &x), columns)?;
        self.substitute::<T>(Op::NoTrans, &x, columns)?;
        let launch = self.a.arguments(self.launch("divide_by_blocks")).buffer(&self.orders).buffer(&x);
        self.enqueue(launch, columns)?;
        let adjoint = if symmetry == Symmetry::Hermitian { Op::ConjTrans } else { Op::Trans };
        self.substitute::<T>(adjoint, &x, columns)?;
        self.enqueue(self.permutation("scatter", b, &x), columns)
    }

    /// Between the rows of B and those of X.
    fn permutation(&self, kernel: &'static str, b: Block<'_>, x: &DeviceBuffer) -> Launch<'_> {
        let Operand { offset, row_stride, column_stride, .. } = b.operand;
        let launch = self.launch(kernel).buffer(&self.rows).buffer(b.memory);
        launch.index(offset).index(row_stride).index(column_stride).buffer(x)
    }

    /// X := op(L)⁻¹ X.
    fn substitute<T: Scalar>(&self, op: Op, x: &DeviceBuffer, columns: usize) -> Result<()> {
        let l = Block::new(&self.l, Operand::general(0, 1, self.n)).with(op);
        let triangle = if op.transposes() { Triangle::Upper } else { Triangle::Lower };
        let b = Operand::general(0, 1, self.n);
        let problem =
            TrsmProblem { kind: T::KIND, n: self.n, columns, a: l.operand, triangle, diagonal: Diag::Unit, b };
        self.executor.solve::<T>(&problem, &self.l, x)
    }
}
