//! Singular values and vectors of a matrix on a device, by products and factorisations of matrices.
//!
//! ```text
//!   A = Q₁ R₁,  R₁ᴴ = Q₂ R₂        geqrf, twice     A = Q₁ L Q₂ᴴ for L = R₂ᴴ
//!   L = W H                        polar            W unitary, H Hermitian
//!   H = V diag(w) Vᴴ               heevd            L = (W V) diag(w) Vᴴ
//! ```
//!
//! (Nakatsukasa and Higham, SIAM J. Sci. Comput. 35, 2013.) Two QR factorisations order the columns of L by their size
//! (Stewart's QLP decomposition, SIAM J. Sci. Comput. 20, 1999): so the QR factorisations of the polar decomposition
//! need no pivots. W and H are checked, and the host does what fails.

mod least;
mod polar;

use affinimath_macros::instances;
use std::time::Instant;

use super::eigen::{EigenPlan, heevd_of_block, scaled};
use super::norm::norm_of_block;
use super::qr::{QrPlan, apply_reflectors, form_q, geqrf_block};
use super::{Block, DeviceSlice, Executor, check_rows, device_info};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, Target};
use crate::blas::movement::{Term, enqueue_sum};
use crate::context::{BufferParts, ContextParts, DeviceBuffer, Queue, QueueParts};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Norm, Op, Triangle};
use crate::pattern::Pattern;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, View};

pub(crate) use least::gelsd_on_device;
#[cfg(test)]
pub(super) use least::gelsd_with_plan;

/// Work-items of a group that stores a part of a column.
const THREADS: usize = 256;
/// Columns of a launch at most: groups share others.
const MAX_GROUPS: usize = 1 << 15;

/// Norm of L - W H as a part of that of L, and of I - Wᴴ W, in units of n times the precision: rounding leaves half of
/// one.
const MAX_ERROR: f64 = 2.0;
/// Orders below this one have its unit.
const MIN_UNITS: usize = 8;

/// Singular values of an m x n A on its device in descending order, and singular vectors (LAPACK: xGESDD). Left ones
/// are U's columns, right ones VT's rows, min(m, n) of them or all. A is not changed, unless it is U's or VT's memory.
/// False where the host is faster, memory is short, or an element is not finite: only `s` was changed.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// [`Error::MixedMemory`], [`Error::PrecisionNotSupported`], [`Error::ShapeMismatch`]: nothing was changed.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: the vectors are undefined.
#[instances]
pub(crate) fn gesdd_on_device<T: Scalar>(
    queue: &Queue,
    a: &MatrixMut<'_, T>,
    s: &mut [T::RealScalar],
    u: Option<&MatrixMut<'_, T>>,
    vt: Option<&MatrixMut<'_, T>>,
) -> Result<bool> {
    let device = device_info(queue);
    match EigenPlan::choose(T::KIND, a.rows().min(a.columns()), device) {
        Some(plan) => gesdd_with_plan(queue, a, s, [u, vt], (&plan, device)),
        None => Ok(false),
    }
}

/// [`gesdd_on_device`] by a given plan, as on a device with these facts. Any plan is right for any matrix.
pub(super) fn gesdd_with_plan<T: Scalar>(
    queue: &Queue,
    a: &MatrixMut<'_, T>,
    s: &mut [T::RealScalar],
    [u, vt]: [Option<&MatrixMut<'_, T>>; 2],
    (plan, device): (&EigenPlan, &DeviceInfo),
) -> Result<bool> {
    let (m, n) = (a.rows(), a.columns());
    check_rows(m.max(n))?;
    let a = block_of(queue, "A", a)?;
    let u = u.map(|u| block_of(queue, "U", u).map(|block| (block, u.columns()))).transpose()?;
    let vt = vt.map(|vt| block_of(queue, "VT", vt).map(|block| (block, vt.rows()))).transpose()?;
    if m.min(n) == 0 {
        return Ok(false);
    }
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device)?;
    let start = Instant::now();
    tracing::debug!(m, n, ?plan, device = device.name, "gesdd");
    // A wide A has the singular vectors of Aᴴ, exchanged: VT's columns are the conjugates of that one's left ones.
    let (rows, columns, source, left, right) = match m >= n {
        true => (m, n, a, u, vt.map(adjoint)),
        false => (n, m, a.with(Op::ConjTrans), vt.map(adjoint), u),
    };
    let problem = Problem { executor: &executor, plan, m: rows, n: columns };
    let wanted = [left.is_some(), right.is_some()];
    let found = match problem.solve::<T>(source, s, wanted) {
        // Nothing is written before the vectors are in workspace.
        Err(Error::OutOfDeviceMemory { .. }) => None,
        found => found?,
    };
    let Some(found) = found else { return Ok(false) };
    problem.store_all::<T>(&found, left, right)?;
    queue.finish()?;
    tracing::debug!(m, n, took = ?start.elapsed(), "gesdd");
    Ok(true)
}

fn block_of<'a, T: Scalar>(queue: &Queue, name: &'static str, matrix: &MatrixMut<'a, T>) -> Result<Block<'a>> {
    let operand = Operand::whole(Op::NoTrans, matrix.shape());
    Ok(Block::new(device_buffer(queue, matrix.memory(), name)?, operand))
}

/// Columns of the adjoint, and their number.
const fn adjoint((block, count): (Block<'_>, usize)) -> (Block<'_>, usize) {
    (block.with(Op::ConjTrans), count)
}

/// A real factor times a matrix.
fn term<T: Scalar>(factor: f64, block: Block<'_>) -> Term<'_, T> {
    Term { factor: T::from_parts(factor, 0.0), memory: block.memory, operand: block.operand }
}

/// A column-major matrix in workspace.
struct Owned {
    memory: DeviceBuffer,
    rows: usize,
}

impl Owned {
    fn new<T: Scalar>(executor: &Executor<'_>, rows: usize, columns: usize) -> Result<Self> {
        let memory = DeviceBuffer::for_step(executor.queue, rows * columns * size_of::<T>())?;
        Ok(Owned { memory, rows })
    }

    fn block(&self) -> Block<'_> {
        Block::new(&self.memory, Operand::general(0, 1, self.rows))
    }

    /// The same memory as an n x n matrix.
    fn packed(self, n: usize) -> Self {
        Owned { rows: n, ..self }
    }

    fn slice(&self) -> DeviceSlice<'_> {
        DeviceSlice { memory: &self.memory, offset: 0 }
    }
}

/// A = Q₁ R₁ and R₁ᴴ = Q₂ R₂: reflectors and their factors.
struct Factors {
    outer: [Owned; 2],
    inner: [Owned; 2],
}

/// Columns of an n x n matrix in an order, with signs.
struct Columns<R> {
    matrix: Owned,
    order: Vec<i32>,
    signs: Vec<R>,
}

/// Left and right singular vectors of L, where they are wanted, and what brings them to those of A.
struct Found<R> {
    factors: Factors,
    /// Singular values of A 2^exponent, in descending order.
    sizes: Vec<f64>,
    exponent: i32,
    left: Option<Columns<R>>,
    right: Option<Columns<R>>,
}

fn sign<R: Scalar>(value: f64) -> R {
    R::from_parts(if value < 0.0 { -1.0 } else { 1.0 }, 0.0)
}

/// Singular vectors that are wanted as columns, and their number.
type Wanted<'a> = Option<(Block<'a>, usize)>;

/// An m x n matrix, m >= n.
struct Problem<'p> {
    executor: &'p Executor<'p>,
    plan: &'p EigenPlan,
    m: usize,
    n: usize,
}

impl Problem<'_> {
    /// Singular values, and vectors in workspace; `None` where the host has to do the work.
    fn solve<T: Scalar>(
        &self,
        a: Block<'_>,
        s: &mut [T::RealScalar],
        wanted: [bool; 2],
    ) -> Result<Option<Found<T::RealScalar>>> {
        let Problem { executor, plan, m, n } = *self;
        let start = Instant::now();
        let Some(exponent) = self.exponent::<T>(a)? else { return Ok(None) };
        let new = |rows, columns| Owned::new::<T>(executor, rows, columns);
        let factors = Factors { outer: [new(m, n)?, new(n, 1)?], inner: [new(n, n)?, new(n, 1)?] };
        let ([outer, inner], l) = ([&factors.outer, &factors.inner], new(n, n)?);
        let (w, tall, square) = (new(n, n)?, new(2 * n, n)?, new(n, n)?);
        self.scaled_copy::<T>([m, n], a, outer[0].block(), exponent)?;
        self.factor::<T>([m, n], outer)?;
        self.adjoint_triangle::<T>(&outer[0], &inner[0])?;
        self.factor::<T>([n, n], inner)?;
        self.adjoint_triangle::<T>(&inner[0], &l)?;

        // A bound of the norm of L as an operator.
        let bound = (self.norm_of::<T>(Norm::One, &l)? * self.norm_of::<T>(Norm::Infinity, &l)?).sqrt();
        let inverse = if bound > 0.0 { 1.0 / bound } else { 1.0 };
        self.sum::<T>(&[(inverse, l.block())], w.block())?;
        polar::polar::<T>(executor, n, &w, &tall, &square)?;
        let h = Owned::packed(tall, n);
        let (residual, deviation) = self.hermitian_factor::<T>(&l, &w, &h, &square)?;
        tracing::debug!(m, n, residual, deviation, took = ?start.elapsed(), "gesdd: polar decomposition");
        // A NaN is not small.
        if !(residual <= MAX_ERROR && deviation.is_finite()) {
            return Ok(None);
        }

        let mut values = vec![T::RealScalar::ZERO; n];
        let vectors = wanted[0] || wanted[1];
        if !heevd_of_block::<T>(executor, plan, Triangle::Lower, (h.block(), n), &mut values, vectors)? {
            return Ok(None);
        }
        let sizes: Vec<f64> = values.iter().map(|value| (*value).into()).map(f64::abs).collect();
        let mut order: Vec<i32> = (0..n as i32).collect();
        order.sort_by(|i, j| sizes[*j as usize].total_cmp(&sizes[*i as usize]));
        for (s, i) in s.iter_mut().zip(&order) {
            *s = scaled(T::RealScalar::from_parts(sizes[*i as usize], 0.0), -exponent);
        }
        let left = match wanted[0] {
            false => None,
            true => {
                let (w, v) = (w.block(), h.block());
                executor.product([n; 3], T::ONE, w, v, T::ZERO, square.block(), Target::Whole)?;
                let signs = order.iter().map(|i| sign(values[*i as usize].into())).collect();
                let left = Columns { matrix: square, order: order.clone(), signs };
                Some(if deviation <= MAX_ERROR { left } else { self.completed::<T>(&left, l)? })
            }
        };
        let sizes = order.iter().map(|i| sizes[*i as usize]).collect();
        let right = Columns { matrix: h, order, signs: vec![T::RealScalar::ONE; n] };
        Ok(Some(Found { factors, sizes, exponent, left, right: wanted[1].then_some(right) }))
    }

    /// H := Wᴴ L, made Hermitian. Gives the norm of L - W H as a part of that of L, and the norm of I - Wᴴ W, both in
    /// units of n times the precision. `square` is workspace.
    fn hermitian_factor<T: Scalar>(&self, l: &Owned, w: &Owned, h: &Owned, square: &Owned) -> Result<(f64, f64)> {
        let (executor, n) = (self.executor, self.n);
        let product =
            |alpha, a, b, beta, c: &Owned| executor.product([n; 3], alpha, a, b, beta, c.block(), Target::Whole);
        let (adjoint, unit) = (w.block().with(Op::ConjTrans), n.max(MIN_UNITS) as f64 * T::EPSILON);
        product(T::ONE, adjoint, l.block(), T::ZERO, square)?;
        self.sum::<T>(&[(0.5, square.block()), (0.5, square.block().with(Op::ConjTrans))], h.block())?;
        self.sum::<T>(&[(1.0, l.block())], square.block())?;
        product(-T::ONE, w.block(), h.block(), T::ONE, square)?;
        let (rest, size) = (self.norm_of::<T>(Norm::Frobenius, square)?, self.norm_of::<T>(Norm::Frobenius, l)?);
        executor.unit_columns::<T>(n, 0..n, square.block())?;
        product(-T::ONE, adjoint, w.block(), T::ONE, square)?;
        let deviation = self.norm_of::<T>(Norm::Frobenius, square)? / unit;
        // 0 of 0 is exact.
        Ok((if rest == 0.0 { 0.0 } else { rest / (size * unit) }, deviation))
    }

    /// The columns, with those of singular values that are zero made orthonormal to the others. `matrix` is their
    /// memory.
    fn completed<T: Scalar>(&self, columns: &Columns<T::RealScalar>, matrix: Owned) -> Result<Columns<T::RealScalar>> {
        let (executor, n) = (self.executor, self.n);
        let reflectors = [matrix, Owned::new::<T>(executor, n, 1)?];
        let [q, tau] = &reflectors;
        self.store::<T>([n, n], columns, q.block())?;
        self.factor::<T>([n, n], &reflectors)?;
        // R's diagonal is that of a unitary matrix but for the columns of zeros: signs.
        let (mut diagonal, copy) = (vec![T::ZERO; n], Owned::new::<T>(executor, n, 1)?);
        executor.copy::<T>([n, 1], Block::new(&q.memory, Operand::general(0, n + 1, 1)), copy.block())?;
        copy.memory.read(executor.queue, &mut diagonal)?;
        let plan = QrPlan::for_kernels(T::KIND, executor.device);
        form_q::<T>(executor, &plan, q.block(), [n, n], n, tau.slice())?;
        let [matrix, _] = reflectors;
        let signs = diagonal.iter().map(|value| sign(value.re())).collect();
        Ok(Columns { matrix, order: (0..n as i32).collect(), signs })
    }

    /// Stores the vectors that are wanted, with A's and R₁'s reflectors applied.
    fn store_all<T: Scalar>(&self, found: &Found<T::RealScalar>, left: Wanted<'_>, right: Wanted<'_>) -> Result<()> {
        let (m, n) = (self.m, self.n);
        if let (Some(columns), Some((right, count))) = (&found.right, right) {
            self.store::<T>([n, count], columns, right)?;
            self.apply::<T>([n, n], &found.factors.inner, count, right)?;
        }
        if let (Some(columns), Some((left, count))) = (&found.left, left) {
            self.store::<T>([m, count], columns, left)?;
            self.apply::<T>([m, n], &found.factors.outer, count, left)?;
        }
        Ok(())
    }

    /// Exponent of a power of two that brings A's largest element near 1; `None` where an element is not finite.
    fn exponent<T: Scalar>(&self, a: Block<'_>) -> Result<Option<i32>> {
        self.exponent_of::<T>([self.m, self.n], a)
    }

    /// The same of another matrix.
    fn exponent_of<T: Scalar>(&self, size: [usize; 2], a: Block<'_>) -> Result<Option<i32>> {
        let size = self.norm::<T>(Norm::Max, size, a)?;
        let exponent = if size > 0.0 { -(size.log2().floor() as i32) } else { 0 };
        Ok(size.is_finite().then_some(exponent))
    }

    /// A norm of an n x n matrix.
    fn norm_of<T: Scalar>(&self, norm: Norm, a: &Owned) -> Result<f64> {
        self.norm::<T>(norm, [self.n; 2], a.block())
    }

    /// A norm of a matrix.
    fn norm<T: Scalar>(&self, norm: Norm, size: [usize; 2], a: Block<'_>) -> Result<f64> {
        let Executor { queue, device, .. } = *self.executor;
        let result = DeviceBuffer::for_step(queue, size_of::<T::RealScalar>())?;
        let slice = DeviceSlice { memory: &result, offset: 0 };
        norm_of_block::<T>((queue, device), norm, Pattern::General, size, a, slice).map(drop)?;
        let mut found = [T::RealScalar::ZERO];
        result.read(queue, &mut found)?;
        Ok(found[0].into())
    }

    /// C := 2^exponent A for m x n matrices, in two steps where the factor is no number of the type.
    fn scaled_copy<T: Scalar>(&self, [m, n]: [usize; 2], a: Block<'_>, c: Block<'_>, exponent: i32) -> Result<()> {
        let queue = self.executor.queue;
        let (first, second) = (exponent / 2, exponent - exponent / 2);
        enqueue_sum::<T>(queue, m, n, &[term(2_f64.powi(first), a)], (c.memory, c.operand), false).map(drop)?;
        if second != 0 {
            enqueue_sum::<T>(queue, m, n, &[term(2_f64.powi(second), c)], (c.memory, c.operand), true).map(drop)?;
        }
        Ok(())
    }

    /// C := the sum of n x n matrices times real factors.
    fn sum<T: Scalar>(&self, terms: &[(f64, Block<'_>)], c: Block<'_>) -> Result<()> {
        let terms: Vec<_> = terms.iter().map(|(factor, block)| term(*factor, *block)).collect();
        enqueue_sum::<T>(self.executor.queue, self.n, self.n, &terms, (c.memory, c.operand), false).map(drop)
    }

    /// A = Q R in place.
    fn factor<T: Scalar>(&self, size: [usize; 2], [a, tau]: &[Owned; 2]) -> Result<()> {
        geqrf_block::<T>(
            self.executor,
            &QrPlan::on_queue::<T>((self.executor.queue, self.executor.device), size),
            a.block(),
            size,
            tau.slice(),
        )
    }

    /// C := diag(Q, I) C for the Q of [`Self::factor`]'s reflectors.
    fn apply<T: Scalar>(&self, size: [usize; 2], [a, tau]: &[Owned; 2], columns: usize, c: Block<'_>) -> Result<()> {
        // Of conj(C), whose elements are stored, the product is with conj(Q).
        let op = if c.operand.conjugate { Op::ConjNoTrans } else { Op::NoTrans };
        let stored = if c.operand.conjugate { c.with(Op::ConjNoTrans) } else { c };
        let plan = QrPlan::for_kernels(T::KIND, self.executor.device);
        apply_reflectors::<T>(self.executor, &plan, op, (a.block(), size, tau.slice()), columns, stored)
    }

    /// L := Rᴴ for the upper triangle of A, with zeros above.
    fn adjoint_triangle<T: Scalar>(&self, a: &Owned, l: &Owned) -> Result<()> {
        let n = self.n;
        self.launch::<T>("adjoint_triangle", "lapack/singular/triangle.cl", [n, n], |launch| {
            launch.count(n).buffer(&a.memory).index(a.rows).buffer(&l.memory)
        })
    }

    /// C := diag(Q P S, I) for n columns, Q in their order P with signs S; C has m rows.
    fn store<T: Scalar>(
        &self,
        [m, columns]: [usize; 2],
        Columns { matrix: q, order, signs }: &Columns<T::RealScalar>,
        c: Block<'_>,
    ) -> Result<()> {
        let queue = self.executor.queue;
        let memory = |bytes| DeviceBuffer::for_step(queue, bytes);
        let (own_order, own_signs) = (memory(size_of_val(&order[..]))?, memory(size_of_val(&signs[..]))?);
        own_order.write(queue, order)?;
        own_signs.write(queue, signs)?;
        self.launch::<T>("store_vectors", "lapack/singular/store.cl", [m, columns], |launch| {
            launch
                .count(m)
                .count(columns)
                .count(self.n)
                .buffer(&own_order)
                .buffer(&own_signs)
                .buffer(&q.memory)
                .buffer(c.memory)
                .index(c.operand.offset)
                .index(c.operand.row_stride)
                .index(c.operand.column_stride)
                .flag(c.operand.conjugate)
        })
    }

    /// Enqueues a kernel whose work-items have elements of a matrix of this size.
    fn launch<T: Scalar>(
        &self,
        kernel: &'static str,
        root: &'static str,
        [rows, columns]: [usize; 2],
        arguments: impl for<'l> FnOnce(Launch<'l>) -> Launch<'l>,
    ) -> Result<()> {
        let queue = self.executor.queue;
        let source = ProgramSource { name: kernel, kind: T::KIND, root: source(root), definitions: Vec::new() };
        let program = queue.context().program(&source)?;
        let threads = THREADS.min(self.executor.device.max_work_group_size);
        let groups = [rows.div_ceil(threads), columns.min(MAX_GROUPS), 1];
        arguments(Launch::new(queue, &program, kernel)).enqueue_step(groups, [threads, 1, 1])
    }
}
