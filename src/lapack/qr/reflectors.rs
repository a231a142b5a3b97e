//! Block reflectors in compact WY form, H₁ H₂ ... = I - V T Vᴴ (Schreiber and Van Loan, SIAM J. Sci. Stat.
//! Comput. 10, 1989).

use std::ops::Range;

use super::plan::QrPlan;
use crate::blas::level3::gemm::{Operand, Structure, Target, Trapezoid};
use crate::context::{ContextParts, Workspace};
use crate::device::DeviceClass;
use crate::error::Result;
use crate::lapack::{Block, DeviceSlice, Executor};
use crate::launch::Launch;
use crate::options::{Diag, Op, Triangle};
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;

/// Work-items of a group that writes a column.
const UNIT_THREADS: usize = 64;
/// Rows of vectors that a group copies.
const COPY_ROWS: usize = 256;
/// Rows of T that a group finds.
const TRIANGLE_ROWS: usize = 8;
/// Elements that a copy's columns begin at multiples of, so that they are read by wide loads.
const ALIGNED: usize = 4;

/// Workspace for a block reflector and its products.
pub(super) struct QrWorkspace<'q> {
    max_reflectors: usize,
    t: Workspace<'q>,
    products: Products<'q>,
    /// Copy of V with explicit ones and zeros, and its column stride; only where work-groups factorise panels.
    vectors: Option<(Workspace<'q>, usize)>,
}

impl<'q> QrWorkspace<'q> {
    /// For blocks of the plan's width, `order` reflectors in all, applied to a `rows` x `columns` matrix.
    pub(super) fn new<T: Scalar>(
        executor: &Executor<'q>,
        plan: &QrPlan,
        order: usize,
        [rows, columns]: [usize; 2],
    ) -> Result<Self> {
        let max_reflectors = plan.block.min(order);
        let column_bytes = (max_reflectors * size_of::<T>()) as u64;
        let products = Products::new::<T>(executor, plan, max_reflectors, columns)?;
        let t = Workspace::borrow(executor.queue, max_reflectors as u64 * column_bytes)?;
        let vectors = if plan.by_groups() {
            let stride = rows.next_multiple_of(ALIGNED);
            Some((Workspace::borrow(executor.queue, stride as u64 * column_bytes)?, stride))
        } else {
            None
        };
        Ok(QrWorkspace { max_reflectors, t, products, vectors })
    }

    /// Destination of the copy of V, if there is one.
    pub(super) fn vectors(&self) -> Option<Block<'_>> {
        self.vectors.as_ref().map(|(memory, stride)| Block::new(memory, Operand::general(0, 1, *stride)))
    }

    /// The block reflector whose vectors are below the diagonal of `a`. Its T is not formed yet.
    pub(super) fn reflectors<'r, T: Scalar>(
        &'r self,
        executor: &Executor<'_>,
        size: [usize; 2],
        a: Block<'r>,
    ) -> Result<Reflectors<'r>> {
        let Some(copy) = self.vectors() else { return Ok(Reflectors::new(a, size, self.t())) };
        executor.copy_vectors::<T>(size, 0, a, copy)?;
        Ok(Reflectors::explicit(copy, size, self.t()))
    }

    /// T, upper triangular; elements below its diagonal are undefined.
    pub(super) fn t(&self) -> Block<'_> {
        let structure = Structure::Triangular(Trapezoid::of(Triangle::Upper), Diag::NonUnit);
        Block::new(&self.t, Operand { structure, ..Operand::general(0, 1, self.max_reflectors) })
    }

    pub(super) const fn products(&self) -> &Products<'q> {
        &self.products
    }
}

/// Workspace of larfb: Vᴴ C, and op(T) times that.
pub(super) struct Products<'q> {
    /// Maximum columns of C at a time.
    columns: usize,
    memory: [Workspace<'q>; 2],
}

impl<'q> Products<'q> {
    /// For `max_reflectors` reflectors, applied to `columns` columns.
    pub(super) fn new<T: Scalar>(
        executor: &Executor<'q>,
        plan: &QrPlan,
        max_reflectors: usize,
        columns: usize,
    ) -> Result<Self> {
        let column_bytes = (max_reflectors * size_of::<T>()) as u64;
        // Half of the workspace stays for the kernels of the products.
        let max_columns = (executor.limits.workspace_bytes / (4 * column_bytes)).min(plan.slab as u64) as usize;
        let columns = columns.min(max_columns).max(max_reflectors);
        let memory = || Workspace::borrow(executor.queue, columns as u64 * column_bytes);
        Ok(Products { columns, memory: [memory()?, memory()?] })
    }

    fn of(&self, width: usize) -> [Block<'_>; 2] {
        self.memory.each_ref().map(|memory| Block::new(memory, Operand::general(0, 1, width)))
    }
}

/// A block reflector I - V T Vᴴ.
#[derive(Clone, Copy)]
pub(super) struct Reflectors<'a> {
    /// Their vectors, below the diagonal, or with the ones on it and the zeros above it.
    v: Block<'a>,
    rows: usize,
    width: usize,
    t: Block<'a>,
}

impl<'a> Reflectors<'a> {
    /// V is the unit lower trapezoid of a `rows` x `width` matrix.
    pub(super) const fn new(vectors: Block<'a>, [rows, width]: [usize; 2], t: Block<'a>) -> Self {
        let structure = Structure::Triangular(Trapezoid::of(Triangle::Lower), Diag::Unit);
        let operand = Operand { structure, ..vectors.operand };
        Reflectors { v: Block { operand, ..vectors }, rows, width, t }
    }

    /// V is a matrix with explicit ones and zeros, so that larfb uses general products, the fastest ones.
    pub(super) const fn explicit(vectors: Block<'a>, [rows, width]: [usize; 2], t: Block<'a>) -> Self {
        Reflectors { v: vectors, rows, width, t }
    }

    /// C := op(I - V T Vᴴ) C for a C of `columns` columns (LAPACK: xLARFB).
    pub(super) fn apply<T: Scalar>(
        self,
        executor: &Executor<'_>,
        op: Op,
        columns: usize,
        c: Block<'_>,
        products: &Products<'_>,
    ) -> Result<()> {
        let Reflectors { v, rows, width, t } = self;
        // The transpose and the conjugate are I - conj(V) op(T) Vᵀ.
        let conjugate = matches!(op, Op::Trans | Op::ConjNoTrans);
        let (inner, outer) = if conjugate { (Op::Trans, Op::ConjNoTrans) } else { (Op::ConjTrans, Op::NoTrans) };
        let [w, x] = products.of(width);
        for first in (0..columns).step_by(products.columns) {
            let count = products.columns.min(columns - first);
            let c = c.at(0, first);
            executor.product([width, count, rows], T::ONE, v.with(inner), c, T::ZERO, w, Target::Whole)?;
            executor.product([width, count, width], T::ONE, t.with(op), w, T::ZERO, x, Target::Whole)?;
            executor.subtract::<T>([rows, count, width], v.with(outer), x, c, Target::Whole)?;
        }
        Ok(())
    }

    /// Merges T of two halves (Elmroth and Gustavson 2000): T12 := -T11 (V1ᴴ V2) T22.
    pub(super) fn larft_merge<T: Scalar>(
        self,
        executor: &Executor<'_>,
        left: usize,
        workspace: &QrWorkspace<'_>,
    ) -> Result<()> {
        let right = self.width - left;
        let [g, x] = workspace.products.of(left);
        // Off-diagonal blocks of T are general matrices.
        let general =
            |block: Block<'a>| Block { operand: Operand { structure: Structure::General, ..block.operand }, ..block };
        let v1 = general(self.v.at(left, 0));
        let v2 = self.v.at(left, left);
        executor.product(
            [left, right, self.rows - left],
            T::ONE,
            v1.with(Op::ConjTrans),
            v2,
            T::ZERO,
            g,
            Target::Whole,
        )?;
        let t12 = general(self.t.at(0, left));
        executor.product([left, right, right], T::ONE, g, self.t.at(left, left), T::ZERO, x, Target::Whole)?;
        executor.product([left, right, left], -T::ONE, self.t, x, T::ZERO, t12, Target::Whole)
    }

    /// T from the vectors and the factors (LAPACK: xLARFT).
    pub(super) fn larft<T: Scalar>(
        self,
        executor: &Executor<'_>,
        plan: &QrPlan,
        tau: DeviceSlice<'_>,
        workspace: &QrWorkspace<'_>,
    ) -> Result<()> {
        if self.width > plan.panel && !plan.by_groups() {
            let left = (self.width / 2).next_multiple_of(plan.panel);
            let part = |first: usize, width| {
                let (v, t) = (self.v.at(first, first), self.t.at(first, first));
                Reflectors::new(v, [self.rows - first, width], t).larft::<T>(executor, plan, tau.from(first), workspace)
            };
            part(0, left)?;
            part(left, self.width - left)?;
            return self.larft_merge::<T>(executor, left, workspace);
        }
        let g = self.gram::<T>(executor, workspace)?;
        let threads = if plan.by_groups() { plan.panel } else { 1 };
        let definitions = vec![("THREADS", threads as i64), ("PANEL", plan.panel as i64)];
        let source = ProgramSource { name: "qr larft", kind: T::KIND, root: source("lapack/qr/larft.cl"), definitions };
        let context = executor.queue.context();
        let program = context.program(&source)?;
        let launch = by_columns(Launch::new(executor.queue, &program, "qr_larft").count(self.width), g);
        let launch = by_columns(launch.buffer(tau.memory).index(tau.offset), self.t);
        launch.enqueue_step([self.width.div_ceil(plan.panel), 1, 1], [threads, 1, 1])?;
        self.larft_off_diagonal::<T>(executor, plan, g)
    }

    /// Completes T from the triangles of its panels, which are on its diagonal.
    pub(super) fn larft_merge_panels<T: Scalar>(
        self,
        executor: &Executor<'_>,
        plan: &QrPlan,
        workspace: &QrWorkspace<'_>,
    ) -> Result<()> {
        if self.width <= plan.panel {
            return Ok(());
        }
        let g = self.gram::<T>(executor, workspace)?;
        self.larft_off_diagonal::<T>(executor, plan, g)
    }

    /// Vᴴ V.
    fn gram<'r, T: Scalar>(self, executor: &Executor<'_>, workspace: &'r QrWorkspace<'_>) -> Result<Block<'r>> {
        let [g, _] = workspace.products.of(self.width);
        let size = [self.width, self.width, self.rows];
        executor.product(size, T::ONE, self.v.with(Op::ConjTrans), self.v, T::ZERO, g, Target::Whole)?;
        Ok(g)
    }

    /// T's blocks off the diagonal, from the triangles of its panels and Vᴴ V.
    fn larft_off_diagonal<T: Scalar>(self, executor: &Executor<'_>, plan: &QrPlan, g: Block<'_>) -> Result<()> {
        if self.width <= plan.panel {
            return Ok(());
        }
        let rows = if plan.panel.is_multiple_of(TRIANGLE_ROWS) { TRIANGLE_ROWS } else { 1 };
        let columns = plan.block.next_multiple_of(plan.panel);
        let sizes = [("PANEL", plan.panel), ("ROWS", rows), ("COLUMNS", columns)];
        let definitions = sizes.map(|(name, size)| (name, size as i64)).to_vec();
        let source =
            ProgramSource { name: "qr triangle", kind: T::KIND, root: source("lapack/qr/larft_merge.cl"), definitions };
        let context = executor.queue.context();
        let program = context.program(&source)?;
        let launch = by_columns(Launch::new(executor.queue, &program, "qr_larft_merge").count(self.width), g);
        by_columns(launch, self.t)
            .enqueue_step([self.width.div_ceil(plan.panel) * (plan.panel / rows), 1, 1], [plan.panel * rows, 1, 1])
    }
}

/// Memory, offset and column stride of a block with contiguous columns, as arguments.
pub(super) fn by_columns<'l>(launch: Launch<'l>, Block { memory, operand }: Block<'_>) -> Launch<'l> {
    launch.buffer(memory).index(operand.offset).index(operand.column_stride)
}

impl Executor<'_> {
    /// Copies V with explicit ones and zeros, below `above` rows of zeros.
    pub(super) fn copy_vectors<T: Scalar>(
        &self,
        [rows, width]: [usize; 2],
        above: usize,
        a: Block<'_>,
        vectors: Block<'_>,
    ) -> Result<()> {
        let source = ProgramSource {
            name: "qr vectors",
            kind: T::KIND,
            root: source("lapack/qr/copy_v.cl"),
            definitions: Vec::new(),
        };
        let context = self.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(self.queue, &program, "qr_copy_v")
            .index(above + rows)
            .index(above)
            .buffer(a.memory)
            .index(a.operand.offset)
            .index(a.operand.row_stride)
            .index(a.operand.column_stride);
        by_columns(launch, vectors).enqueue_step([(above + rows).div_ceil(COPY_ROWS), width, 1], [COPY_ROWS, 1, 1])
    }

    /// Overwrites columns of A, of `rows` rows, with those of the identity matrix.
    pub(in crate::lapack) fn unit_columns<T: Scalar>(
        &self,
        rows: usize,
        columns: Range<usize>,
        a: Block<'_>,
    ) -> Result<()> {
        if rows == 0 || columns.is_empty() {
            return Ok(());
        }
        let writers =
            if self.device.class == DeviceClass::Cpu { 1 } else { UNIT_THREADS.min(self.device.max_work_group_size) };
        let source = ProgramSource {
            name: "qr unit",
            kind: T::KIND,
            root: source("lapack/qr/laset.cl"),
            definitions: Vec::new(),
        };
        let context = self.queue.context();
        let program = context.program(&source)?;
        Launch::new(self.queue, &program, "qr_laset")
            .index(rows)
            .index(columns.start)
            .buffer(a.memory)
            .index(a.operand.offset)
            .index(a.operand.row_stride)
            .index(a.operand.column_stride)
            .enqueue_step([columns.len(), 1, 1], [writers, 1, 1])
    }
}
