//! Iterative refinement on a device: factors in single precision, solution in double (LAPACK: xSGESV, xCGESV, xSPOSV,
//! xCPOSV).
//!
//! Each refinement step is enqueued at once. The host reads three integers after it to decide on another step or on the
//! fallback to double precision. No other LAPACK routine waits on the host.

use affinimath_macros::instances;

use super::cholesky::{self, Cholesky, CholeskyPlan};
use super::lu::{self, Factors, Lu, LuPlan};
use super::{Block, DeviceSlice, Executor, check_right_hand_sides, check_rows, device_info, norm, read_only};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, Structure, Target, Trapezoid};
use crate::blas::level3::square;
use crate::context::{ContextParts, DeviceMemory, Event, Queue, Workspace};
use crate::device::DeviceClass;
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Layout, Norm, Op, Symmetry, Triangle};
use crate::pattern::Pattern;
use crate::program::{ProgramSource, source};
use crate::refinement::{Refinement, Verdict, refine, tolerance};
use crate::scalar::{Double, Scalar};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, View};

/// Work-items of a group that has a column.
const THREADS: usize = 64;

/// Solves A X = B for a square A on a device by LU in single precision, refined to double (LAPACK: xSGESV, xCGESV); see
/// [`crate::gesv_mixed`].
///
/// It waits for the result of each refinement step. It returns the outcome, and an event for work still running: the
/// fallback to factors in double precision. `info`, one integer, becomes 0, or the 1-based index of the first pivot of
/// the fallback that is exactly zero; X is then undefined.
///
/// # Errors
/// Those of [`crate::getrf_on`]; after those of the second kind A, the pivots, X and the info are undefined.
#[instances]
pub fn gesv_mixed_on<T: Double>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    b: MatrixRef<'_, T>,
    x: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<(Event, Refinement)> {
    let mixed = Mixed::new(queue, &a, &b, &x)?;
    let system = System::General(DeviceSlice::pivots(queue, &read_only(&pivots), mixed.n)?);
    let refinement = mixed.run::<T>(&system, DeviceSlice::info(queue, &info)?)?;
    let event = match refinement {
        Refinement::Converged { .. } => mixed.executor.finish()?,
        _ => lu::gesv_on(queue, a, pivots, x, info)?,
    };
    Ok((event, refinement))
}

/// Solves A X = B by a Cholesky factorisation in single precision, refined to double, for a symmetric or Hermitian
/// positive definite A (LAPACK: xSPOSV, xCPOSV); see [`crate::posv_mixed`]. Only the stored triangle is read. `info`
/// becomes the order of the first leading minor that is not positive.
///
/// # Errors
/// Those of [`gesv_mixed_on`].
#[instances]
pub fn posv_mixed_on<T: Double>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    b: MatrixRef<'_, T>,
    x: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<(Event, Refinement)> {
    let mixed = Mixed::new(queue, &a, &b, &x)?;
    let refinement = mixed.run::<T>(&System::Definite(triangle), DeviceSlice::info(queue, &info)?)?;
    let event = match refinement {
        Refinement::Converged { .. } => mixed.executor.finish()?,
        _ => cholesky::posv_on(queue, triangle, a, x, info)?,
    };
    Ok((event, refinement))
}

/// Factorisation of a system.
enum System<'a> {
    /// By LU; the slice receives the pivots.
    General(DeviceSlice<'a>),
    /// By Cholesky's factorisation, of the triangle that is stored.
    Definite(Triangle),
}

impl System<'_> {
    const fn triangle(&self) -> Option<Triangle> {
        match self {
            System::General(_) => None,
            System::Definite(triangle) => Some(*triangle),
        }
    }

    /// Factorises a square matrix in place.
    fn factor<S: Scalar>(
        &self,
        executor: Executor<'_>,
        (memory, shape): (&dyn DeviceMemory, &MatrixShape),
        info: DeviceSlice<'_>,
    ) -> Result<()> {
        let (n, a) = (shape.rows(), Operand::whole(Op::NoTrans, shape));
        match *self {
            System::General(pivots) => {
                let plan = &LuPlan::choose(S::KIND, [n, n], executor.device);
                Lu { executor, plan, a: Block::new(memory, a), rows: n, columns: n, pivots, info }.run::<S>()
            }
            System::Definite(triangle) => {
                let plan = &CholeskyPlan::choose(S::KIND, n, executor.device);
                let a = if triangle == Triangle::Lower { a } else { a.transposed() };
                Cholesky { executor, plan, a: Block::new(memory, a), order: n, info }.run::<S>()
            }
        }
    }

    /// B := A⁻¹ B.
    fn solve<S: Scalar>(
        &self,
        executor: &Executor<'_>,
        (memory, shape): (&dyn DeviceMemory, &MatrixShape),
        columns: usize,
        b: Block<'_>,
    ) -> Result<()> {
        match *self {
            System::General(pivots) => Factors { memory, shape, pivots }.solve::<S>(executor, Op::NoTrans, columns, b),
            System::Definite(triangle) => cholesky::solve::<S>(executor, triangle, (memory, shape), columns, b),
        }
    }
}

/// The operands in double precision.
struct Mixed<'a> {
    executor: Executor<'a>,
    n: usize,
    columns: usize,
    layout: Layout,
    a: Block<'a>,
    b: Block<'a>,
    x: Block<'a>,
}

/// Workspace of the refinements.
struct RefinementWorkspace<'q> {
    /// Three integers that the kernels write.
    status: Workspace<'q>,
    /// ||A||, one element.
    norm: Workspace<'q>,
    /// A's factors in single precision, in A's layout.
    factors: (Workspace<'q>, MatrixShape),
    /// The right-hand sides and the corrections in single precision, by columns.
    correction: Workspace<'q>,
    /// By columns.
    residual: Workspace<'q>,
}

impl<'q> RefinementWorkspace<'q> {
    fn borrow<T: Double>(queue: &'q Queue, layout: Layout, [n, columns]: [usize; 2]) -> Result<Self> {
        let bytes = |elements: usize, size: usize| (elements * size) as u64;
        let single = size_of::<T::Single>();
        Ok(RefinementWorkspace {
            status: Workspace::borrow(queue, bytes(3, size_of::<i32>()))?,
            norm: Workspace::borrow(queue, bytes(1, size_of::<f64>()))?,
            factors: (Workspace::borrow(queue, bytes(n * n, single))?, MatrixShape::new(layout, n, n, 0, n)?),
            correction: Workspace::borrow(queue, bytes(n * columns, single))?,
            residual: Workspace::borrow(queue, bytes(n * columns, size_of::<T>()))?,
        })
    }
}

impl<'a> Mixed<'a> {
    fn new<T: Double>(
        queue: &'a Queue,
        a: &MatrixMut<'a, T>,
        b: &MatrixRef<'a, T>,
        x: &MatrixMut<'a, T>,
    ) -> Result<Self> {
        let n = square(a.shape(), "A")?;
        check_right_hand_sides(n, b.rows())?;
        check_rows(n)?;
        let columns = b.columns();
        if (x.rows(), x.columns()) != (n, columns) {
            let size = format!("X is {} x {}, B is {n} x {columns}", x.rows(), x.columns());
            return Err(Error::ShapeMismatch(size));
        }
        let block = |memory, shape, name| -> Result<_> {
            Ok(Block::new(device_buffer(queue, memory, name)?, Operand::whole(Op::NoTrans, shape)))
        };
        let (a_block, b) = (block(a.memory(), a.shape(), "A")?, block(b.memory(), b.shape(), "B")?);
        let x = block(x.memory(), x.shape(), "X")?;
        let executor = Executor::new::<T>(queue, device_info(queue))?;
        Ok(Mixed { executor, n, columns, layout: a.shape().layout(), a: a_block, b, x })
    }

    /// Solves by factors in single precision. If that fails, X holds a copy of B, and `info` is still to be set.
    fn run<T: Double>(&self, system: &System<'_>, info: DeviceSlice<'_>) -> Result<Refinement> {
        self.executor.clear(info)?;
        if self.n == 0 {
            return Ok(Refinement::default());
        }
        let (queue, size) = (self.executor.queue, [self.n, self.columns]);
        tracing::debug!(order = self.n, columns = self.columns, device = self.executor.device.name, "mixed precision");
        let workspace = RefinementWorkspace::borrow::<T>(queue, self.layout, size)?;
        let pattern = match *system {
            System::General(_) => Pattern::General,
            System::Definite(triangle) => Pattern::Mirrored(triangle, Symmetry::Hermitian),
        };
        let result = DeviceSlice { memory: &workspace.norm, offset: 0 };
        // The queue's order is enough.
        drop(norm::norm_of_block::<T>(
            (queue, self.executor.device),
            Norm::Infinity,
            pattern,
            [self.n; 2],
            self.a,
            result,
        )?);
        let refinement = refine(|step| self.refinement_step::<T>(system, &workspace, step))?;
        if !refinement.converged() {
            self.executor.copy::<T>(size, self.b, self.x)?;
        }
        Ok(refinement)
    }

    /// The first solution, or a refinement.
    fn refinement_step<T: Double>(
        &self,
        system: &System<'_>,
        workspace: &RefinementWorkspace<'_>,
        step: usize,
    ) -> Result<Verdict> {
        let (n, columns, executor) = (self.n, self.columns, &self.executor);
        let by_columns = Operand::general(0, 1, n);
        let correction = Block::new(&workspace.correction, by_columns);
        let residual = Block::new(&workspace.residual, by_columns);
        let factors: (&dyn DeviceMemory, _) = (&workspace.factors.0, &workspace.factors.1);
        let clear = |launch: Launch<'_>| launch.buffer(&workspace.status).enqueue_step([1, 1, 1], [1, 1, 1]);
        self.with_kernel::<T>("clear_status", clear)?;
        self.narrow::<T>(None, [n, columns], if step == 0 { self.b } else { residual }, correction, workspace)?;
        if step == 0 {
            let a = Block::new(factors.0, Operand::whole(Op::NoTrans, factors.1));
            self.narrow::<T>(system.triangle(), [n, n], self.a, a, workspace)?;
            system.factor::<T::Single>(*executor, factors, DeviceSlice { memory: &workspace.status, offset: 1 })?;
        }
        system.solve::<T::Single>(executor, factors, columns, correction)?;
        self.widen::<T>(step > 0, correction)?;
        executor.copy::<T>([n, columns], self.b, residual)?;
        let structure = match system.triangle() {
            None => Structure::General,
            Some(triangle) => Structure::Mirrored(Trapezoid::of(triangle), Symmetry::Hermitian),
        };
        let a = Block { operand: Operand { structure, ..self.a.operand }, ..self.a };
        executor.subtract::<T>([n, columns, n], a, self.x, residual, Target::Whole)?;
        self.test_convergence::<T>(residual, workspace)?;
        let mut status = [0_i32; 3];
        workspace.status.read(&mut status)?;
        Ok(match status {
            [0, 0, 0] => Verdict::Good,
            [0, 0, 1] => Verdict::Coarse,
            [0, info, _] if info > 0 => Verdict::NotFactorised,
            _ => Verdict::Overflow,
        })
    }

    fn threads(&self) -> usize {
        if self.executor.device.class == DeviceClass::Cpu {
            1
        } else {
            THREADS.min(self.executor.device.max_work_group_size)
        }
    }

    /// Builds the program and starts a launch of one of its kernels; `work` adds the arguments.
    fn with_kernel<T: Double>(&self, kernel: &'static str, work: impl FnOnce(Launch<'_>) -> Result<()>) -> Result<()> {
        let definitions = vec![("THREADS", self.threads() as i64)];
        let source =
            ProgramSource { name: "lapack mixed", kind: T::KIND, root: source("lapack/mixed.cl"), definitions };
        let context = self.executor.queue.context();
        let program = context.program(&source)?;
        work(Launch::new(self.executor.queue, &program, kernel))
    }

    /// To := from in single precision, or a triangle of it.
    fn narrow<T: Double>(
        &self,
        triangle: Option<Triangle>,
        [rows, columns]: [usize; 2],
        from: Block<'_>,
        to: Block<'_>,
        workspace: &RefinementWorkspace<'_>,
    ) -> Result<()> {
        if from.operand.row_stride != 1 && columns > 1 {
            let transposed = triangle.map(Triangle::transposed);
            let (from, to) = (from.with(Op::Trans), to.with(Op::Trans));
            return self.narrow_columns::<T>(transposed, [columns, rows], from, to, workspace);
        }
        self.narrow_columns::<T>(triangle, [rows, columns], from, to, workspace)
    }

    fn narrow_columns<T: Double>(
        &self,
        triangle: Option<Triangle>,
        [rows, columns]: [usize; 2],
        from: Block<'_>,
        to: Block<'_>,
        workspace: &RefinementWorkspace<'_>,
    ) -> Result<()> {
        if columns == 0 || rows == 0 {
            return Ok(());
        }
        let part = match triangle {
            None => 0,
            Some(Triangle::Lower) => 1,
            Some(Triangle::Upper) => 2,
        };
        self.with_kernel::<T>("to_single", |launch| {
            let launch = block(block(launch.index(rows).count(part), from), to).buffer(&workspace.status);
            launch.enqueue_step([columns, 1, 1], [self.threads(), 1, 1])
        })
    }

    /// X := the correction in double precision, or X += it.
    fn widen<T: Double>(&self, add: bool, correction: Block<'_>) -> Result<()> {
        if self.columns == 0 {
            return Ok(());
        }
        self.with_kernel::<T>("to_double", |launch| {
            let launch = block(block(launch.index(self.n).flag(add), correction), self.x);
            launch.enqueue_step([self.columns, 1, 1], [self.threads(), 1, 1])
        })
    }

    fn test_convergence<T: Double>(&self, residual: Block<'_>, workspace: &RefinementWorkspace<'_>) -> Result<()> {
        if self.columns == 0 {
            return Ok(());
        }
        self.with_kernel::<T>("check_residual", |launch| {
            block(block(launch.index(self.n), self.x), residual)
                .buffer(&workspace.norm)
                .scalar(T::from_parts(tolerance::<T>(self.n), 0.0))
                .buffer(&workspace.status)
                .enqueue_step([self.columns, 1, 1], [self.threads(), 1, 1])
        })
    }
}

/// Memory, offset and strides of a block as arguments.
fn block<'l>(launch: Launch<'l>, block: Block<'_>) -> Launch<'l> {
    let Block { memory, operand } = block;
    launch.buffer(memory).index(operand.offset).index(operand.row_stride).index(operand.column_stride)
}
