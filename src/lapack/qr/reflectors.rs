//! Blocks of reflections in compact WY form, H₁ H₂ ... = I - V T Vᴴ (R. Schreiber and C. Van Loan, SIAM J. Sci. Stat. Comput. 10,
//! 1989).

use std::ops::Range;

use super::plan::QrPlan;
use crate::blas::level3::gemm::{Operand, Structure, Target, Trapezoid};
use crate::context::{ContextParts, Scratch};
use crate::device::DeviceClass;
use crate::error::Result;
use crate::lapack::{Block, Entries, Parts};
use crate::launch::Launch;
use crate::options::{Diag, Op, Triangle};
use crate::program::ProgramSource;
use crate::scalar::Scalar;

pub(super) const DIVIDE: &str = include_str!("../../../cl/common/divide.cl");
const CONNECT: &[&str] = &[include_str!("../../../cl/lapack/qr/connect.cl")];
const TRIANGLE: &[&str] = &[include_str!("../../../cl/lapack/qr/triangle.cl")];
const VECTORS: &[&str] = &[include_str!("../../../cl/lapack/qr/vectors.cl")];
const UNIT: &[&str] = &[DIVIDE, include_str!("../../../cl/lapack/qr/unit.cl")];

/// Work-items of a group that writes a column.
const WRITERS: usize = 64;
/// Rows of vectors that a group copies.
const COPIED_ROWS: usize = 256;
/// Rows of T that a group finds.
const TRIANGLE_ROWS: usize = 8;
/// Elements that a copy's columns begin at multiples of, so that they are read by wide loads.
const ALIGNED: usize = 4;

/// Scratch memory for blocks of up to so many reflections.
pub(super) struct Room<'q> {
    reflections: usize,
    triangle: Scratch<'q>,
    products: Products<'q>,
    /// Where groups of work-items are fast, a block's vectors, and the elements from one to the next.
    vectors: Option<(Scratch<'q>, usize)>,
}

impl<'q> Room<'q> {
    /// For blocks of as many reflections as the plan has, of `order` in all, applied to a matrix of so many rows and columns.
    pub(super) fn new<T: Scalar>(
        parts: &Parts<'q>,
        plan: &QrPlan,
        order: usize,
        [rows, columns]: [usize; 2],
    ) -> Result<Self> {
        let reflections = plan.block.min(order);
        let column_bytes = (reflections * size_of::<T>()) as u64;
        let products = Products::new::<T>(parts, plan, reflections, columns)?;
        let triangle = Scratch::borrow(parts.queue, reflections as u64 * column_bytes)?;
        let vectors = if plan.by_groups() {
            let stride = rows.next_multiple_of(ALIGNED);
            Some((Scratch::borrow(parts.queue, stride as u64 * column_bytes)?, stride))
        } else {
            None
        };
        Ok(Room { reflections, triangle, products, vectors })
    }

    /// Where a block's vectors are copied to, if they are.
    pub(super) fn vectors(&self) -> Option<Block<'_>> {
        self.vectors.as_ref().map(|(memory, stride)| Block::new(memory, Operand::general(0, 1, *stride)))
    }

    /// A block of reflections whose vectors are below the diagonal of `a`. It has no T yet.
    pub(super) fn reflectors<'r, T: Scalar>(
        &'r self,
        parts: &Parts<'_>,
        size: [usize; 2],
        a: Block<'r>,
    ) -> Result<Reflectors<'r>> {
        let Some(copy) = self.vectors() else { return Ok(Reflectors::new(a, size, self.triangle())) };
        parts.copy_vectors::<T>(size, 0, a, copy)?;
        Ok(Reflectors::whole(copy, size, self.triangle()))
    }

    /// T, with any numbers below its diagonal.
    pub(super) fn triangle(&self) -> Block<'_> {
        let structure = Structure::Triangular(Trapezoid::of(Triangle::Upper), Diag::NonUnit);
        Block::new(&self.triangle, Operand { structure, ..Operand::general(0, 1, self.reflections) })
    }

    /// Where products of the reflections stand.
    pub(super) const fn products(&self) -> &Products<'q> {
        &self.products
    }
}

/// Scratch memory for products of reflections with a matrix: those with Vᴴ, and with T.
pub(super) struct Products<'q> {
    /// Columns of a matrix that reflections are applied to at a time.
    columns: usize,
    memory: [Scratch<'q>; 2],
}

impl<'q> Products<'q> {
    /// For so many reflections, applied to so many columns.
    pub(super) fn new<T: Scalar>(parts: &Parts<'q>, plan: &QrPlan, reflections: usize, columns: usize) -> Result<Self> {
        let column_bytes = (reflections * size_of::<T>()) as u64;
        // Half of what the products' own kernels may take.
        let most = (parts.limits.scratch_bytes / (4 * column_bytes)).min(plan.slab as u64) as usize;
        let columns = columns.min(most).max(reflections);
        let memory = || Scratch::borrow(parts.queue, columns as u64 * column_bytes);
        Ok(Products { columns, memory: [memory()?, memory()?] })
    }

    fn of(&self, width: usize) -> [Block<'_>; 2] {
        self.memory.each_ref().map(|memory| Block::new(memory, Operand::general(0, 1, width)))
    }
}

/// A block of reflections.
#[derive(Clone, Copy)]
pub(super) struct Reflectors<'a> {
    /// Their vectors, below the diagonal, or with the ones on it and the zeros above it.
    v: Block<'a>,
    rows: usize,
    width: usize,
    t: Block<'a>,
}

impl<'a> Reflectors<'a> {
    /// Those whose vectors are below the diagonal of a matrix of so many rows and columns.
    pub(super) const fn new(vectors: Block<'a>, [rows, width]: [usize; 2], t: Block<'a>) -> Self {
        let structure = Structure::Triangular(Trapezoid::of(Triangle::Lower), Diag::Unit);
        let operand = Operand { structure, ..vectors.operand };
        Reflectors { v: Block { operand, ..vectors }, rows, width, t }
    }

    /// Those whose vectors are the columns of a matrix, with the ones and the zeros that no factorisation stores: what multiplies
    /// whole matrices only, which is fastest, takes them so.
    pub(super) const fn whole(vectors: Block<'a>, [rows, width]: [usize; 2], t: Block<'a>) -> Self {
        Reflectors { v: vectors, rows, width, t }
    }

    /// C := op(I - V T Vᴴ) C for a C of so many columns (LAPACK: xLARFB).
    pub(super) fn apply<T: Scalar>(
        self,
        parts: &Parts<'_>,
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
            parts.product([width, count, rows], T::ONE, v.with(inner), c, T::ZERO, w, Target::Whole)?;
            parts.product([width, count, width], T::ONE, t.with(op), w, T::ZERO, x, Target::Whole)?;
            parts.subtract::<T>([rows, count, width], v.with(outer), x, c, Target::Whole)?;
        }
        Ok(())
    }

    /// T for all of them from those of the first ones and of the rest: beside them is -T₁ (V₁ᴴ V₂) T₂.
    pub(super) fn join<T: Scalar>(self, parts: &Parts<'_>, left: usize, room: &Room<'_>) -> Result<()> {
        let right = self.width - left;
        let [g, x] = room.products.of(left);
        // What is beside a triangle's corner is stored, all of it.
        let general =
            |block: Block<'a>| Block { operand: Operand { structure: Structure::General, ..block.operand }, ..block };
        let v1 = general(self.v.at(left, 0));
        let v2 = self.v.at(left, left);
        parts.product(
            [left, right, self.rows - left],
            T::ONE,
            v1.with(Op::ConjTrans),
            v2,
            T::ZERO,
            g,
            Target::Whole,
        )?;
        let beside = general(self.t.at(0, left));
        parts.product([left, right, right], T::ONE, g, self.t.at(left, left), T::ZERO, x, Target::Whole)?;
        parts.product([left, right, left], -T::ONE, self.t, x, T::ZERO, beside, Target::Whole)
    }

    /// T from the vectors and the factors (LAPACK: xLARFT).
    pub(super) fn connect<T: Scalar>(
        self,
        parts: &Parts<'_>,
        plan: &QrPlan,
        tau: Entries<'_>,
        room: &Room<'_>,
    ) -> Result<()> {
        if self.width > plan.panel && !plan.by_groups() {
            let left = (self.width / 2).next_multiple_of(plan.panel);
            let part = |first: usize, width| {
                let (v, t) = (self.v.at(first, first), self.t.at(first, first));
                Reflectors::new(v, [self.rows - first, width], t).connect::<T>(parts, plan, tau.from(first), room)
            };
            part(0, left)?;
            part(left, self.width - left)?;
            return self.join::<T>(parts, left, room);
        }
        let g = self.gram::<T>(parts, room)?;
        let threads = if plan.by_groups() { plan.panel } else { 1 };
        let definitions = vec![("THREADS", threads as i64), ("PANEL", plan.panel as i64)];
        let source = ProgramSource { name: "qr connect", kind: T::KIND, files: CONNECT, definitions };
        let context = parts.queue.context();
        let program = context.program(&source)?;
        let launch = by_columns(Launch::new(parts.queue, &program, "qr_connect").count(self.width), g);
        let launch = by_columns(launch.buffer(tau.memory).index(tau.offset), self.t);
        launch.enqueue_step([self.width.div_ceil(plan.panel), 1, 1], [threads, 1, 1])?;
        self.join_panels::<T>(parts, plan, g)
    }

    /// T where those of the panels are on its diagonal.
    pub(super) fn join_all<T: Scalar>(self, parts: &Parts<'_>, plan: &QrPlan, room: &Room<'_>) -> Result<()> {
        if self.width <= plan.panel {
            return Ok(());
        }
        let g = self.gram::<T>(parts, room)?;
        self.join_panels::<T>(parts, plan, g)
    }

    /// Vᴴ V.
    fn gram<'r, T: Scalar>(self, parts: &Parts<'_>, room: &'r Room<'_>) -> Result<Block<'r>> {
        let [g, _] = room.products.of(self.width);
        let size = [self.width, self.width, self.rows];
        parts.product(size, T::ONE, self.v.with(Op::ConjTrans), self.v, T::ZERO, g, Target::Whole)?;
        Ok(g)
    }

    /// What of T is beside its panels' triangles, from those and Vᴴ V.
    fn join_panels<T: Scalar>(self, parts: &Parts<'_>, plan: &QrPlan, g: Block<'_>) -> Result<()> {
        if self.width <= plan.panel {
            return Ok(());
        }
        let rows = if plan.panel.is_multiple_of(TRIANGLE_ROWS) { TRIANGLE_ROWS } else { 1 };
        let columns = plan.block.next_multiple_of(plan.panel);
        let sizes = [("PANEL", plan.panel), ("ROWS", rows), ("COLUMNS", columns)];
        let definitions = sizes.map(|(name, size)| (name, size as i64)).to_vec();
        let source = ProgramSource { name: "qr triangle", kind: T::KIND, files: TRIANGLE, definitions };
        let context = parts.queue.context();
        let program = context.program(&source)?;
        let launch = by_columns(Launch::new(parts.queue, &program, "qr_triangle").count(self.width), g);
        by_columns(launch, self.t)
            .enqueue_step([self.width.div_ceil(plan.panel) * (plan.panel / rows), 1, 1], [plan.panel * rows, 1, 1])
    }
}

/// A block whose columns are contiguous: its memory, offset, and the elements from a column to the next.
pub(super) fn by_columns<'l>(launch: Launch<'l>, Block { memory, operand }: Block<'_>) -> Launch<'l> {
    launch.buffer(memory).index(operand.offset).index(operand.column_stride)
}

impl Parts<'_> {
    /// Copies the vectors of reflections from below the diagonal of A, and above them `above` rows of zeros.
    pub(super) fn copy_vectors<T: Scalar>(
        &self,
        [rows, width]: [usize; 2],
        above: usize,
        a: Block<'_>,
        vectors: Block<'_>,
    ) -> Result<()> {
        let source = ProgramSource { name: "qr vectors", kind: T::KIND, files: VECTORS, definitions: Vec::new() };
        let context = self.queue.context();
        let program = context.program(&source)?;
        let launch = Launch::new(self.queue, &program, "qr_vectors")
            .index(above + rows)
            .index(above)
            .buffer(a.memory)
            .index(a.operand.offset)
            .index(a.operand.row_stride)
            .index(a.operand.column_stride);
        by_columns(launch, vectors).enqueue_step([(above + rows).div_ceil(COPIED_ROWS), width, 1], [COPIED_ROWS, 1, 1])
    }

    /// Makes columns of A, which has so many rows, those of the unit matrix.
    pub(super) fn unit_columns<T: Scalar>(&self, rows: usize, columns: Range<usize>, a: Block<'_>) -> Result<()> {
        if rows == 0 || columns.is_empty() {
            return Ok(());
        }
        let writers =
            if self.device.class == DeviceClass::Cpu { 1 } else { WRITERS.min(self.device.max_work_group_size) };
        let source = ProgramSource { name: "qr unit", kind: T::KIND, files: UNIT, definitions: Vec::new() };
        let context = self.queue.context();
        let program = context.program(&source)?;
        Launch::new(self.queue, &program, "qr_unit")
            .index(rows)
            .index(columns.start)
            .buffer(a.memory)
            .index(a.operand.offset)
            .index(a.operand.row_stride)
            .index(a.operand.column_stride)
            .enqueue_step([columns.len(), 1, 1], [writers, 1, 1])
    }
}
