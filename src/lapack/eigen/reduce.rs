//! Reduction of a Hermitian matrix to tridiagonal form on a device (LAPACK: xHETRD).
//!
//! ```text
//!   panel    V and W of some columns: two launches for each column, or one for all of them
//!   update   A := A - V Wᴴ - W Vᴴ, as one product [V W] [W V]ᴴ on the lower triangle
//! ```

use std::sync::Arc;

use super::columns::Columns;
use super::panels::{self, Panels};
use super::plan::{Cooperative, EigenPlan, MAX_PANEL};
use crate::blas::level3::gemm::{Operand, Target, Trapezoid};
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceMemory};
use crate::error::Result;
use crate::lapack::{Block, Executor};
use crate::launch::Launch;
use crate::options::{Op, Symmetry, Triangle};
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;

/// Work-items of a group that copies.
const THREADS: usize = 256;

/// Columns begin at multiples of so many elements.
const ALIGNED: usize = 32;

/// Triangle in device memory, as the lower one of a Hermitian matrix. Strides are negative where it is the upper one of
/// a matrix, from the last row and column on.
#[derive(Clone, Copy)]
pub(super) struct LowerTriangle<'a> {
    memory: &'a dyn DeviceMemory,
    offset: usize,
    row_stride: isize,
    column_stride: isize,
}

impl<'a> LowerTriangle<'a> {
    /// The lower triangle of a block.
    pub(super) const fn of(a: Block<'a>) -> Self {
        let Operand { offset, row_stride, column_stride, .. } = a.operand;
        let (row_stride, column_stride) = (row_stride as isize, column_stride as isize);
        LowerTriangle { memory: a.memory, offset, row_stride, column_stride }
    }

    /// The upper triangle of a block of n >= 1 rows, in reverse order.
    pub(super) const fn reversed(a: Block<'a>, n: usize) -> Self {
        let last = LowerTriangle::of(a.at(n - 1, n - 1));
        LowerTriangle { row_stride: -last.row_stride, column_stride: -last.column_stride, ..last }
    }

    pub(super) fn arguments<'l>(&self, launch: Launch<'l>) -> Launch<'l> {
        launch.buffer(self.memory).index(self.offset).step(self.row_stride).step(self.column_stride)
    }
}

/// A matrix in tridiagonal form in workspace.
pub(super) struct Tridiagonal {
    pub(super) n: usize,
    /// The vectors of the reflectors, below the subdiagonal of an n x n matrix of this column stride.
    pub(super) a: DeviceBuffer,
    pub(super) stride: usize,
    /// n real elements of the diagonal, n - 1 beside it, and n - 1 factors of the reflectors.
    pub(super) d: DeviceBuffer,
    pub(super) e: DeviceBuffer,
    pub(super) tau: DeviceBuffer,
}

impl Tridiagonal {
    /// The elements of T on the host.
    pub(super) fn download<T: Scalar>(&self, executor: &Executor<'_>) -> Result<[Vec<T::RealScalar>; 2]> {
        let mut values = [vec![T::RealScalar::ZERO; self.n], vec![T::RealScalar::ZERO; self.n - 1]];
        self.d.read(executor.queue, &mut values[0])?;
        if self.n > 1 {
            self.e.read(executor.queue, &mut values[1])?;
        }
        Ok(values)
    }

    /// Stores the form of A 2^exponent as LAPACK does: T 2^-exponent on the diagonal and beside it, and the vectors of
    /// the reflectors below.
    pub(super) fn store<T: Scalar>(
        &self,
        executor: &Executor<'_>,
        triangle: LowerTriangle<'_>,
        exponent: i32,
    ) -> Result<()> {
        let program = copy_program::<T>(executor)?;
        let launch = Launch::new(executor.queue, &program, "hetrd_store").count(self.n).raw::<i32>(-exponent);
        let launch = launch.buffer(&self.a).index(self.stride).buffer(&self.d).buffer(&self.e);
        triangle.arguments(launch).enqueue_step([self.n.div_ceil(THREADS), self.n, 1], [THREADS, 1, 1])
    }

    pub(super) fn reflectors(&self) -> Block<'_> {
        Block::new(&self.a, Operand::general(0, 1, self.stride))
    }
}

/// State of a reduction.
struct Reduction<'r> {
    executor: &'r Executor<'r>,
    form: &'r Tridiagonal,
    /// V, W and V again, side by side.
    panel: &'r DeviceBuffer,
}

/// The tridiagonal form of A 2^exponent, for the lower triangle of a Hermitian A of order n >= 1. A stays as it is.
pub(super) fn reduce<T: Scalar>(
    executor: &Executor<'_>,
    plan: &EigenPlan,
    n: usize,
    a: LowerTriangle<'_>,
    exponent: i32,
) -> Result<Tridiagonal> {
    let queue = executor.queue;
    let (bytes, real_bytes) = (size_of::<T>(), size_of::<T::RealScalar>());
    let stride = n.next_multiple_of(ALIGNED);
    let memory = |elements: usize, bytes: usize| DeviceBuffer::for_step(queue, elements.max(1) * bytes);
    let form = Tridiagonal {
        n,
        a: memory(stride * n, bytes)?,
        stride,
        d: memory(n, real_bytes)?,
        e: memory(n, real_bytes)?,
        tau: memory(n, bytes)?,
    };
    let width = plan.panel.min(MAX_PANEL);
    let panel = memory(3 * width * stride, bytes)?;
    let reduction = Reduction { executor, form: &form, panel: &panel };
    if let Some(cooperative) = plan.cooperative
        && reduction.run_at_once::<T>(plan, cooperative, a, exponent)?
    {
        return Ok(form);
    }
    let columns = Columns::new::<T>(executor, plan, &form, &panel)?;
    reduction.load::<T>(a, exponent)?;
    reduction.run::<T>(width, |first, width| columns.reduce(first, width))?;
    Ok(form)
}

pub(super) fn copy_program<T: Scalar>(executor: &Executor<'_>) -> Result<Arc<Program>> {
    let root = source("lapack/eigen/hetrd_copy.cl");
    let source = ProgramSource { name: "eigen copy", kind: T::KIND, root, definitions: Vec::new() };
    executor.queue.context().program(&source)
}

impl Reduction<'_> {
    /// Copies the lower triangle to workspace.
    fn load<T: Scalar>(&self, a: LowerTriangle<'_>, exponent: i32) -> Result<()> {
        let (n, program) = (self.form.n, copy_program::<T>(self.executor)?);
        let launch = Launch::new(self.executor.queue, &program, "hetrd_copy").count(n).raw::<i32>(exponent);
        a.arguments(launch)
            .buffer(&self.form.a)
            .index(self.form.stride)
            .enqueue_step([n.div_ceil(THREADS), n, 1], [THREADS, 1, 1])
    }

    /// The reduction by panels of one launch; false where their groups have not run at once.
    fn run_at_once<T: Scalar>(
        &self,
        plan: &EigenPlan,
        cooperative: Cooperative,
        a: LowerTriangle<'_>,
        exponent: i32,
    ) -> Result<bool> {
        let panels = Panels::new::<T>(self.executor, plan, cooperative, self.form, self.panel)?;
        // Two such reductions at a time could hold each other up.
        let mut have_given_up = panels::turn(self.executor.device);
        if *have_given_up {
            return Ok(false);
        }
        self.load::<T>(a, exponent)?;
        let run = self.run::<T>(plan.panel.min(MAX_PANEL), |first, width| panels.reduce(first, width));
        // The turn ends when nothing runs any more, also after an error.
        let at_once = panels.have_run_at_once();
        run?;
        *have_given_up = !at_once?;
        if *have_given_up {
            tracing::warn!(?cooperative, "work-groups have not run at once: reductions have two launches for a column");
        }
        Ok(!*have_given_up)
    }

    /// All columns, panel by panel, by a function of a panel's first column and its width. After the last panel comes
    /// one without columns, for the last element of the diagonal.
    fn run<T: Scalar>(&self, panel: usize, reduce: impl Fn(usize, usize) -> Result<()>) -> Result<()> {
        let reflectors = self.form.n - 1;
        for first in (0..reflectors).step_by(panel) {
            let width = panel.min(reflectors - first);
            reduce(first, width)?;
            self.update::<T>(first + width, width)?;
        }
        reduce(reflectors, 0)
    }

    /// A := A - V Wᴴ - W Vᴴ from a row and column on (LAPACK: xHER2K).
    fn update<T: Scalar>(&self, from: usize, width: usize) -> Result<()> {
        let (n, stride) = (self.form.n, self.form.stride);
        let columns = |first: usize| Block::new(self.panel, Operand::general(first * stride + from, 1, stride));
        let target = Target::Triangle(Trapezoid::of(Triangle::Lower), Symmetry::Hermitian);
        let a = self.form.reflectors().at(from, from);
        let sizes = [n - from, n - from, 2 * width];
        self.executor.subtract::<T>(sizes, columns(0), columns(width).with(Op::ConjTrans), a, target)
    }
}
