//! Systems solved on a device by factors in single precision and refined to double (LAPACK: xSGESV, xCGESV, xSPOSV, xCPOSV).
//!
//! All of a refinement is enqueued at once. Whether another one is to follow, or the factorisation in double precision, is the
//! host's decision, which reads three numbers for it: these are the only routines of LAPACK's that wait on the host.

use affinimath_macros::instances;

use super::cholesky::{self, Cholesky, CholeskyPlan};
use super::lu::{self, Factors, Lu, LuPlan};
use super::{Block, Entries, Parts, check_rights, check_rows, device_info, norm, read_only};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, Structure, Target, Trapezoid};
use crate::blas::level3::square;
use crate::context::{ContextParts, DeviceMemory, Event, Queue, Scratch};
use crate::device::DeviceClass;
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Layout, Norm, Op, Symmetry, Triangle};
use crate::pattern::Pattern;
use crate::program::ProgramSource;
use crate::refinement::{Refinement, Verdict, refine, tolerance};
use crate::scalar::{Double, Scalar};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, VectorMut, View};

const FILES: &[&str] = &[include_str!("../../cl/lapack/mixed.cl")];

/// Work-items of a group that has a column.
const THREADS: usize = 64;

/// Solves A X = B for a square A on a device by LU in single precision, refined to double (LAPACK: xSGESV, xCGESV), as
/// [`crate::gesv_mixed`].
///
/// It waits after each refinement for the decision whether another one is to follow. Then it returns what it came to, and an event
/// for what may still be running: the solution by factors in double precision. `info`, one number, becomes 0, or the number of the
/// first pivot of these that is exactly zero: then X is not to be used.
///
/// # Errors
/// As [`crate::getrf_on`]; after those of the second kind A, the pivots, X and the info are not to be used.
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
    let system = System::General(Entries::pivots(queue, &read_only(&pivots), mixed.n)?);
    let refinement = mixed.run::<T>(&system, Entries::info(queue, &info)?)?;
    let event = match refinement {
        Refinement::Converged { .. } => mixed.parts.finish()?,
        _ => lu::gesv_on(queue, a, pivots, x, info)?,
    };
    Ok((event, refinement))
}

/// The same by Cholesky's factorisation, for a symmetric or Hermitian positive definite A, of which the triangle named is read
/// (LAPACK: xSPOSV, xCPOSV), as [`crate::posv_mixed`]. `info` becomes the order of the first leading minor that is not positive.
///
/// # Errors
/// As [`gesv_mixed_on`].
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
    let refinement = mixed.run::<T>(&System::Definite(triangle), Entries::info(queue, &info)?)?;
    let event = match refinement {
        Refinement::Converged { .. } => mixed.parts.finish()?,
        _ => cholesky::posv_on(queue, triangle, a, x, info)?,
    };
    Ok((event, refinement))
}

/// How a matrix is factorised.
enum System<'a> {
    /// By LU, with places for the pivots.
    General(Entries<'a>),
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

    /// Factorises a square matrix in its place.
    fn factor<S: Scalar>(
        &self,
        parts: Parts<'_>,
        (memory, shape): (&dyn DeviceMemory, &MatrixShape),
        info: Entries<'_>,
    ) -> Result<()> {
        let (n, a) = (shape.rows(), Operand::whole(Op::NoTrans, shape));
        match *self {
            System::General(pivots) => {
                let plan = &LuPlan::choose(S::KIND, [n, n], parts.device);
                Lu { parts, plan, a: Block::new(memory, a), rows: n, columns: n, pivots, info }.run::<S>()
            }
            System::Definite(triangle) => {
                let plan = &CholeskyPlan::choose(S::KIND, n, parts.device);
                let a = if triangle == Triangle::Lower { a } else { a.transposed() };
                Cholesky { parts, plan, a: Block::new(memory, a), order: n, info }.run::<S>()
            }
        }
    }

    /// B := A⁻¹ B.
    fn solve<S: Scalar>(
        &self,
        parts: &Parts<'_>,
        (memory, shape): (&dyn DeviceMemory, &MatrixShape),
        columns: usize,
        b: Block<'_>,
    ) -> Result<()> {
        match *self {
            System::General(pivots) => Factors { memory, shape, pivots }.solve::<S>(parts, Op::NoTrans, columns, b),
            System::Definite(triangle) => cholesky::solve::<S>(parts, triangle, (memory, shape), columns, b),
        }
    }
}

/// The operands in double precision.
struct Mixed<'a> {
    parts: Parts<'a>,
    n: usize,
    columns: usize,
    layout: Layout,
    a: Block<'a>,
    b: Block<'a>,
    x: Block<'a>,
}

/// Scratch memory of the refinements.
struct Room<'q> {
    /// The kernels' three numbers.
    status: Scratch<'q>,
    /// ||A||, a number.
    norm: Scratch<'q>,
    /// A's factors in single precision, in A's layout.
    factors: (Scratch<'q>, MatrixShape),
    /// The right-hand sides and the corrections in single precision, by columns.
    correction: Scratch<'q>,
    /// By columns.
    residual: Scratch<'q>,
}

impl<'q> Room<'q> {
    fn borrow<T: Double>(queue: &'q Queue, layout: Layout, [n, columns]: [usize; 2]) -> Result<Self> {
        let bytes = |elements: usize, size: usize| (elements * size) as u64;
        let single = size_of::<T::Single>();
        Ok(Room {
            status: Scratch::borrow(queue, bytes(3, size_of::<i32>()))?,
            norm: Scratch::borrow(queue, bytes(1, size_of::<f64>()))?,
            factors: (Scratch::borrow(queue, bytes(n * n, single))?, MatrixShape::new(layout, n, n, 0, n)?),
            correction: Scratch::borrow(queue, bytes(n * columns, single))?,
            residual: Scratch::borrow(queue, bytes(n * columns, size_of::<T>()))?,
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
        check_rights(n, b.rows())?;
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
        let parts = Parts::new::<T>(queue, device_info(queue))?;
        Ok(Mixed { parts, n, columns, layout: a.shape().layout(), a: a_block, b, x })
    }

    /// Solves by factors in single precision; where that fails, B is in X's place, and the info is to be set.
    fn run<T: Double>(&self, system: &System<'_>, info: Entries<'_>) -> Result<Refinement> {
        self.parts.clear(info)?;
        if self.n == 0 {
            return Ok(Refinement::default());
        }
        let (queue, size) = (self.parts.queue, [self.n, self.columns]);
        tracing::debug!(order = self.n, columns = self.columns, device = self.parts.device.name, "mixed precision");
        let room = Room::borrow::<T>(queue, self.layout, size)?;
        let pattern = match *system {
            System::General(_) => Pattern::General,
            System::Definite(triangle) => Pattern::Mirrored(triangle, Symmetry::Hermitian),
        };
        let result = Entries { memory: &room.norm, offset: 0 };
        // The queue's order is enough.
        drop(norm::measure::<T>((queue, self.parts.device), Norm::Infinity, pattern, [self.n; 2], self.a, result)?);
        let refinement = refine(|step| self.attempt::<T>(system, &room, step))?;
        if !refinement.converged() {
            self.parts.copy::<T>(size, self.b, self.x)?;
        }
        Ok(refinement)
    }

    /// The first solution, or a refinement.
    fn attempt<T: Double>(&self, system: &System<'_>, room: &Room<'_>, step: usize) -> Result<Verdict> {
        let (n, columns, parts) = (self.n, self.columns, &self.parts);
        let by_columns = Operand::general(0, 1, n);
        let correction = Block::new(&room.correction, by_columns);
        let residual = Block::new(&room.residual, by_columns);
        let factors: (&dyn DeviceMemory, _) = (&room.factors.0, &room.factors.1);
        let clear = |launch: Launch<'_>| launch.buffer(&room.status).enqueue_step([1, 1, 1], [1, 1, 1]);
        self.with_kernel::<T>("clear_status", clear)?;
        self.narrow::<T>(None, [n, columns], if step == 0 { self.b } else { residual }, correction, room)?;
        if step == 0 {
            let a = Block::new(factors.0, Operand::whole(Op::NoTrans, factors.1));
            self.narrow::<T>(system.triangle(), [n, n], self.a, a, room)?;
            system.factor::<T::Single>(*parts, factors, Entries { memory: &room.status, offset: 1 })?;
        }
        system.solve::<T::Single>(parts, factors, columns, correction)?;
        self.widen::<T>(step > 0, correction)?;
        parts.copy::<T>([n, columns], self.b, residual)?;
        let structure = match system.triangle() {
            None => Structure::General,
            Some(triangle) => Structure::Mirrored(Trapezoid::of(triangle), Symmetry::Hermitian),
        };
        let a = Block { operand: Operand { structure, ..self.a.operand }, ..self.a };
        parts.subtract::<T>([n, columns, n], a, self.x, residual, Target::Whole)?;
        self.judge::<T>(residual, room)?;
        let mut status = [0_i32; 3];
        room.status.read(&mut status)?;
        Ok(match status {
            [0, 0, 0] => Verdict::Good,
            [0, 0, 1] => Verdict::Coarse,
            [0, info, _] if info > 0 => Verdict::NotFactorised,
            _ => Verdict::Overflow,
        })
    }

    fn threads(&self) -> usize {
        if self.parts.device.class == DeviceClass::Cpu { 1 } else { THREADS.min(self.parts.device.max_work_group_size) }
    }

    /// Work with one of the program's kernels, whose arguments are still to come.
    fn with_kernel<T: Double>(&self, kernel: &'static str, work: impl FnOnce(Launch<'_>) -> Result<()>) -> Result<()> {
        let definitions = vec![("THREADS", self.threads() as i64)];
        let source = ProgramSource { name: "lapack mixed", kind: T::KIND, files: FILES, definitions };
        let context = self.parts.queue.context();
        let program = context.program(&source)?;
        work(Launch::new(self.parts.queue, &program, kernel))
    }

    /// To := from in single precision, or a triangle of it.
    fn narrow<T: Double>(
        &self,
        triangle: Option<Triangle>,
        [rows, columns]: [usize; 2],
        from: Block<'_>,
        to: Block<'_>,
        room: &Room<'_>,
    ) -> Result<()> {
        if from.operand.row_stride != 1 && columns > 1 {
            let transposed = triangle.map(Triangle::transposed);
            let (from, to) = (from.with(Op::Trans), to.with(Op::Trans));
            return self.narrow_columns::<T>(transposed, [columns, rows], from, to, room);
        }
        self.narrow_columns::<T>(triangle, [rows, columns], from, to, room)
    }

    fn narrow_columns<T: Double>(
        &self,
        triangle: Option<Triangle>,
        [rows, columns]: [usize; 2],
        from: Block<'_>,
        to: Block<'_>,
        room: &Room<'_>,
    ) -> Result<()> {
        if columns == 0 || rows == 0 {
            return Ok(());
        }
        let part = match triangle {
            None => 0,
            Some(Triangle::Lower) => 1,
            Some(Triangle::Upper) => 2,
        };
        self.with_kernel::<T>("narrow", |launch| {
            let launch = block(block(launch.index(rows).count(part), from), to).buffer(&room.status);
            launch.enqueue_step([columns, 1, 1], [self.threads(), 1, 1])
        })
    }

    /// X := the correction in double precision, or X += it.
    fn widen<T: Double>(&self, add: bool, correction: Block<'_>) -> Result<()> {
        if self.columns == 0 {
            return Ok(());
        }
        self.with_kernel::<T>("widen", |launch| {
            let launch = block(block(launch.index(self.n).flag(add), correction), self.x);
            launch.enqueue_step([self.columns, 1, 1], [self.threads(), 1, 1])
        })
    }

    fn judge<T: Double>(&self, residual: Block<'_>, room: &Room<'_>) -> Result<()> {
        if self.columns == 0 {
            return Ok(());
        }
        self.with_kernel::<T>("judge", |launch| {
            block(block(launch.index(self.n), self.x), residual)
                .buffer(&room.norm)
                .scalar(T::from_parts(tolerance::<T>(self.n), 0.0))
                .buffer(&room.status)
                .enqueue_step([self.columns, 1, 1], [self.threads(), 1, 1])
        })
    }
}

/// The arguments that tell where a block lies.
fn block<'l>(launch: Launch<'l>, block: Block<'_>) -> Launch<'l> {
    let Block { memory, operand } = block;
    launch.buffer(memory).index(operand.offset).index(operand.row_stride).index(operand.column_stride)
}
