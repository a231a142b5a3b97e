//! A panel of a reduction to tridiagonal form, by two launches for each column (LAPACK: xLATRD).
//!
//! ```text
//!   hetrd_product  y := A x for column c, and the products of x with the panel's V and W
//!   hetrd_column   beta, tau, v and w of column c, and x := column c + 1
//! ```

use std::sync::Arc;

use super::plan::{EigenPlan, MAX_PANEL};
use super::reduce::Tridiagonal;
use crate::context::{BufferParts, ContextParts, DeviceBuffer};
use crate::error::Result;
use crate::lapack::Executor;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;

/// Work-items of a group, those with neighbouring rows, and columns that are on their way together.
pub(super) const THREADS: usize = 256;
pub(super) const LANES: usize = 32;
pub(super) const STEP: usize = 4;

/// Kernels and memory of the columns.
pub(super) struct Columns<'r> {
    executor: &'r Executor<'r>,
    plan: &'r EigenPlan,
    form: &'r Tridiagonal,
    column: Arc<Program>,
    /// For small tiles, and for large ones.
    product: [Arc<Program>; 2],
    /// V, W and V again, side by side.
    panel: &'r DeviceBuffer,
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

impl<'r> Columns<'r> {
    pub(super) fn new<T: Scalar>(
        executor: &'r Executor<'r>,
        plan: &'r EigenPlan,
        form: &'r Tridiagonal,
        panel: &'r DeviceBuffer,
    ) -> Result<Self> {
        let (bytes, real_bytes) = (size_of::<T>(), size_of::<T::RealScalar>());
        let memory = |elements: usize, bytes: usize| DeviceBuffer::for_step(executor.queue, elements.max(1) * bytes);
        let n = form.n;
        let blocks = n.div_ceil(plan.small_tile.min(plan.large_tile)) + 1;
        let width = plan.panel.min(MAX_PANEL);
        let product = |tile: usize| {
            let definitions = vec![("TILE", tile as i64), ("STEP", STEP as i64)];
            program::<T>(executor, "eigen product", "lapack/eigen/hetrd_product.cl", definitions)
        };
        Ok(Columns {
            executor,
            plan,
            form,
            column: program::<T>(
                executor,
                "eigen column",
                "lapack/eigen/hetrd_column.cl",
                vec![("PANEL", width as i64)],
            )?,
            product: [product(plan.small_tile)?, product(plan.large_tile)?],
            panel,
            x: [memory(n, bytes)?, memory(n, bytes)?],
            squares: [memory(n.div_ceil(LANES) + 1, real_bytes)?, memory(n.div_ceil(LANES) + 1, real_bytes)?],
            parts: memory(blocks * form.stride, bytes)?,
            squares_of_tiles: memory(blocks * (blocks + 1) / 2, real_bytes)?,
            products: memory(2 * width, bytes)?,
        })
    }

    /// The columns of a panel. Without columns, the first one is begun.
    pub(super) fn reduce(&self, first: usize, width: usize) -> Result<()> {
        self.begin_and_finish(first, None, true)?;
        for k in 0..width {
            let blocks = self.multiply(first + k, k, width)?;
            let is_last = k + 1 == width;
            self.begin_and_finish(first + k + 1, Some(Finished { k, width, blocks }), !is_last)?;
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
            .buffer(self.panel)
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
            .buffer(self.panel)
            .buffer(&self.form.d)
            .buffer(&self.form.e)
            .buffer(&self.form.tau)
            .enqueue_step([groups_of(column), 1, 1], [THREADS, 1, 1])
    }
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
