//! Reduction of a Hermitian matrix to tridiagonal form on a device (LAPACK: xHETRD).
//!
//! ```text
//!   column c:  hetrd_product  y := A x, and the products of x with the panel's V and W
//!              hetrd_column   beta, tau, v and w of column c, and x := column c + 1
//!   panel:     A := A - V Wᴴ - W Vᴴ, as one product [V W] [W V]ᴴ on the lower triangle
//! ```

use std::sync::Arc;

use super::plan::{EigenPlan, MAX_PANEL};
use crate::blas::level3::gemm::{Operand, Target, Trapezoid};
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceMemory};
use crate::error::Result;
use crate::lapack::{Block, Executor};
use crate::launch::Launch;
use crate::options::{Op, Symmetry, Triangle};
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;

/// Work-items of a group, those with neighbouring rows, and columns that are on their way together.
pub(super) const THREADS: usize = 256;
pub(super) const LANES: usize = 32;
pub(super) const STEP: usize = 4;

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

    fn arguments<'l>(&self, launch: Launch<'l>) -> Launch<'l> {
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
    plan: &'r EigenPlan,
    form: &'r Tridiagonal,
    column: Arc<Program>,
    /// For small tiles, and for large ones.
    product: [Arc<Program>; 2],
    /// V, W and V again, side by side.
    panel: DeviceBuffer,
    /// A column and the next, and the sums of their squares by work-groups.
    x: [DeviceBuffer; 2],
    squares: [DeviceBuffer; 2],
    parts: DeviceBuffer,
    squares_of_tiles: DeviceBuffer,
    products: DeviceBuffer,
}

/// A column of the panel to be finished, with k columns before it, after a product with so many blocks of rows.
#[derive(Clone, Copy)]
struct Finished {
    k: usize,
    width: usize,
    blocks: usize,
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
    let blocks = n.div_ceil(plan.small_tile.min(plan.large_tile)) + 1;
    let panel = plan.panel.min(MAX_PANEL);
    let reduction = Reduction {
        executor,
        plan,
        form: &form,
        column: program::<T>(executor, "eigen column", "lapack/eigen/hetrd_column.cl", vec![("PANEL", panel as i64)])?,
        product: [plan.small_tile, plan.large_tile]
            .map(|tile| {
                let definitions = vec![("TILE", tile as i64), ("STEP", STEP as i64)];
                program::<T>(executor, "eigen product", "lapack/eigen/hetrd_product.cl", definitions)
            })
            .into_iter()
            .collect::<Result<Vec<_>>>()?
            .try_into()
            .unwrap_or_else(|_| unreachable!("there are two")),
        panel: memory(3 * panel * stride, bytes)?,
        x: [memory(n, bytes)?, memory(n, bytes)?],
        squares: [memory(n.div_ceil(LANES) + 1, real_bytes)?, memory(n.div_ceil(LANES) + 1, real_bytes)?],
        parts: memory(blocks * stride, bytes)?,
        squares_of_tiles: memory(blocks * (blocks + 1) / 2, real_bytes)?,
        products: memory(2 * panel, bytes)?,
    };
    reduction.load::<T>(a, exponent)?;
    reduction.run::<T>(panel)?;
    drop(reduction);
    Ok(form)
}

fn program<T: Scalar>(
    executor: &Executor<'_>,
    name: &'static str,
    path: &'static str,
    definitions: Vec<(&'static str, i64)>,
) -> Result<Arc<Program>> {
    let common = [("THREADS", THREADS as i64), ("LANES", LANES as i64)];
    let definitions = definitions.into_iter().chain(common).collect();
    executor.queue.context().program(&ProgramSource { name, kind: T::KIND, root: source(path), definitions })
}

fn copy_program<T: Scalar>(executor: &Executor<'_>) -> Result<Arc<Program>> {
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

    /// All columns, panel by panel.
    fn run<T: Scalar>(&self, panel: usize) -> Result<()> {
        let reflectors = self.form.n - 1;
        self.begin_and_finish(0, None, true)?;
        for first in (0..reflectors).step_by(panel) {
            let width = panel.min(reflectors - first);
            for k in 0..width {
                let blocks = self.multiply(first + k, k, width)?;
                let is_last = k + 1 == width;
                self.begin_and_finish(first + k + 1, Some(Finished { k, width, blocks }), !is_last)?;
            }
            self.update::<T>(first + width, width)?;
            self.begin_and_finish(first + width, None, true)?;
        }
        Ok(())
    }

    /// Products with column c, of which k columns of the panel are before. Gives the blocks of rows.
    fn multiply(&self, column: usize, k: usize, width: usize) -> Result<usize> {
        let (n, first) = (self.form.n, column + 1);
        let order = n - first / LANES * LANES;
        let tile = self.plan.tile(order);
        let program = &self.product[usize::from(order >= self.plan.large_min_order)];
        let blocks = order.div_ceil(tile);
        Launch::new(self.executor.queue, program, "hetrd_product")
            .count(n)
            .count(first)
            .buffer(&self.form.a)
            .index(self.form.stride)
            .buffer(&self.x[column % 2])
            .buffer(&self.parts)
            .buffer(&self.squares_of_tiles)
            .buffer(&self.panel)
            .count(k)
            .count(width)
            .buffer(&self.products)
            .enqueue_step([blocks * (blocks + 1) / 2 + 2 * k, 1, 1], [THREADS, 1, 1])?;
        Ok(blocks)
    }

    /// Finishes the column before a column, and begins the column.
    fn begin_and_finish(&self, column: usize, finished: Option<Finished>, begin: bool) -> Result<()> {
        let (n, groups_of) = (self.form.n, |column: usize| (self.form.n - column / LANES * LANES).div_ceil(LANES));
        let Finished { k, width, blocks } = finished.unwrap_or(Finished { k: 0, width: 0, blocks: 0 });
        let (new, old) = (column % 2, (column + 1) % 2);
        Launch::new(self.executor.queue, &self.column, "hetrd_column")
            .count(n)
            .count(column)
            .count(k)
            .count(width)
            .flag(finished.is_some())
            .flag(begin)
            .buffer(&self.form.a)
            .index(self.form.stride)
            .buffer(&self.x[old])
            .buffer(&self.x[new])
            .buffer(&self.parts)
            .count(blocks)
            .buffer(&self.squares_of_tiles)
            .count(blocks * (blocks + 1) / 2)
            .buffer(&self.squares[old])
            .count(if finished.is_some() { groups_of(column - 1) } else { 0 })
            .buffer(&self.squares[new])
            .buffer(&self.products)
            .buffer(&self.panel)
            .buffer(&self.form.d)
            .buffer(&self.form.e)
            .buffer(&self.form.tau)
            .enqueue_step([groups_of(column), 1, 1], [THREADS, 1, 1])
    }

    /// A := A - V Wᴴ - W Vᴴ from a row and column on (LAPACK: xHER2K).
    fn update<T: Scalar>(&self, from: usize, width: usize) -> Result<()> {
        let (n, stride) = (self.form.n, self.form.stride);
        let columns = |first: usize| Block::new(&self.panel, Operand::general(first * stride + from, 1, stride));
        let target = Target::Triangle(Trapezoid::of(Triangle::Lower), Symmetry::Hermitian);
        let a = self.form.reflectors().at(from, from);
        let sizes = [n - from, n - from, 2 * width];
        self.executor.subtract::<T>(sizes, columns(0), columns(width).with(Op::ConjTrans), a, target)
    }
}
