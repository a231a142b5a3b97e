//! QR by Householder reflectors on a device: geqrf, forming or applying Q, and least squares.
//!
//! Each block of columns is factorised recursively (Elmroth and Gustavson, IBM J. Res. Dev. 44, 2000) down to panels,
//! which have kernels of their own. Then its block reflector is applied to the columns right of it (larfb). The vectors
//! V are read in place below the diagonal, as a unit lower trapezoid.

mod least_squares;
mod panel;
mod plan;
mod range;
mod reflectors;
mod tsqr;

use affinimath_macros::instances;
use std::ops::Range;

use faer::MatMut;

use super::native::Backend;
use super::{Block, DeviceSlice, Executor, check_rows, check_rows_of, device_info, read_only, with_second_queue};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, multiplies_doubles};
use crate::context::{Event, Queue, QueueParts, Workspace};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::host::lapack as host;
use crate::options::{Op, Side};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut, VectorRef, View};

pub use least_squares::gels_on;
#[cfg(test)]
pub(crate) use least_squares::gels_with_plan;
pub(crate) use least_squares::keep_or_adjoint;
use panel::PanelOperands;
#[cfg(test)]
pub(crate) use plan::Panels;
pub(crate) use plan::QrPlan;
#[cfg(test)]
pub(crate) use plan::{TensorGroup, TsqrPlan};
use range::InRange;
use reflectors::{Products, QrWorkspace, Reflectors};
use tsqr::Tsqr;

/// A = Q R on a device, for any m x n A (LAPACK: xGEQRF). R overwrites the diagonal of A and the elements above it, and
/// its diagonal is real. Q is the product of min(m, n) reflectors I - tau v vᴴ. Their vectors v are stored below the
/// diagonal without their first elements, which are 1; their factors are in `tau`. On a CPU whose driver runs the
/// host's routines, the factors are NaN if one panicked.
///
/// It returns as soon as the work is enqueued. On a GPU it takes workspace for a block of 128 columns of A, and
/// twice as many rows.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::InvalidArgument`] (factors that are not adjacent), [`Error::MixedMemory`],
/// [`Error::PrecisionNotSupported`]: nothing was enqueued. [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`],
/// [`Error::OpenCl`]: A and the factors are undefined.
#[instances]
pub fn geqrf_on<T: Scalar>(queue: &Queue, a: MatrixMut<'_, T>, tau: VectorMut<'_, T>) -> Result<Event> {
    let plan = QrPlan::on_queue::<T>((queue, device_info(queue)), [a.rows(), a.columns()]);
    geqrf_with_plan(queue, a, &tau, (&plan, device_info(queue)))
}

impl QrPlan {
    /// Plan for a `size` matrix on a queue's device. A failed gemm probe of the tensor cores also excludes them from
    /// panels.
    pub(super) fn on_queue<T: Scalar>((queue, device): (&Queue, &DeviceInfo), size: [usize; 2]) -> Self {
        let plan = QrPlan::choose(T::KIND, size, device);
        if plan.tensor.is_some() && !multiplies_doubles(queue) { plan.without_tensor_cores() } else { plan }
    }
}

/// [`geqrf_on`] by a given plan, as on a device with these facts. Any plan is right for any matrix.
pub(super) fn geqrf_with_plan<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    tau: &VectorMut<'_, T>,
    (plan, device): (&QrPlan, &DeviceInfo),
) -> Result<Event> {
    let (rows, columns) = (a.rows(), a.columns());
    check_rows_of(rows, columns)?;
    let order = rows.min(columns);
    let tau = DeviceSlice::tau(queue, &read_only(tau), order)?;
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device)?;
    tracing::debug!(rows, columns, ?plan, device = device.name, "geqrf");
    geqrf_block::<T>(&executor, plan, a, [rows, columns], tau)?;
    executor.finish()
}

/// Forms the first n columns of Q on a device, in place (LAPACK: xORGQR, xUNGQR). The first k columns of the m x n
/// matrix A hold [`geqrf_on`]'s reflectors, and `tau` their k factors; m >= n >= k. It returns as soon as the work is
/// enqueued.
///
/// # Errors
/// Those of [`geqrf_on`].
#[instances]
pub fn orgqr_on<T: Scalar>(queue: &Queue, a: MatrixMut<'_, T>, tau: VectorRef<'_, T>) -> Result<Event> {
    orgqr_with_plan(queue, a, tau, (&QrPlan::for_kernels(T::KIND, device_info(queue)), device_info(queue)))
}

/// [`orgqr_on`] by a given plan.
pub(super) fn orgqr_with_plan<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    tau: VectorRef<'_, T>,
    (plan, device): (&QrPlan, &DeviceInfo),
) -> Result<Event> {
    let (m, n, order) = (a.rows(), a.columns(), tau.length());
    check_rows(m)?;
    if n > m || order > n {
        return Err(Error::ShapeMismatch(format!(
            "{n} columns of Q have {m} rows and are made of {order} reflections"
        )));
    }
    let tau = DeviceSlice::tau(queue, &tau, order)?;
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device)?;
    form_q::<T>(&executor, plan, a, [m, n], order, tau)?;
    executor.finish()
}

/// C := op(Q) C (left) or C op(Q) (right) on a device (LAPACK: xORMQR, xUNMQR). Q is the product of [`geqrf_on`]'s
/// reflectors in A's columns; `tau` has one factor for each. All four operations are allowed. It returns as soon as the
/// work is enqueued.
///
/// # Errors
/// Those of [`geqrf_on`].
#[instances]
pub fn ormqr_on<T: Scalar>(
    queue: &Queue,
    side: Side,
    op: Op,
    a: MatrixRef<'_, T>,
    tau: VectorRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    ormqr_with_plan(
        queue,
        (side, op),
        a,
        tau,
        c,
        (&QrPlan::for_kernels(T::KIND, device_info(queue)), device_info(queue)),
    )
}

/// [`ormqr_on`] by a given plan.
pub(super) fn ormqr_with_plan<T: Scalar>(
    queue: &Queue,
    (side, op): (Side, Op),
    a: MatrixRef<'_, T>,
    tau: VectorRef<'_, T>,
    c: MatrixMut<'_, T>,
    (plan, device): (&QrPlan, &DeviceInfo),
) -> Result<Event> {
    let (m, order) = (a.rows(), tau.length());
    check_rows(m)?;
    let (rows, columns) = (c.rows(), c.columns());
    let (height, others) = if side == Side::Left { (rows, columns) } else { (columns, rows) };
    if m != height || order > m || order > a.columns() {
        let sizes =
            format!("{order} reflections in a {m} x {} matrix, applied to a {rows} x {columns} one", a.columns());
        return Err(Error::ShapeMismatch(sizes));
    }
    let tau = DeviceSlice::tau(queue, &tau, order)?;
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    // C op(Q) is op(Q)ᵀ Cᵀ, transposed.
    let (op, c_op) = if side == Side::Left { (op, Op::NoTrans) } else { (op.transposed(), Op::Trans) };
    let c = Block::new(device_buffer(queue, c.memory(), "C")?, Operand::whole(c_op, c.shape()));
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device)?;
    apply_reflectors::<T>(&executor, plan, op, (a, [m, order], tau), others, c)?;
    executor.finish()
}

/// Overwrites the m x n matrix A with the first n columns of Q, made of the `order` reflectors in its columns.
pub(super) fn form_q<T: Scalar>(
    executor: &Executor<'_>,
    plan: &QrPlan,
    a: Block<'_>,
    [m, n]: [usize; 2],
    order: usize,
    tau: DeviceSlice<'_>,
) -> Result<()> {
    executor.unit_columns::<T>(m, order..n, a)?;
    if order > 0 {
        let width = plan.block.min(order);
        let workspace = QrWorkspace::new::<T>(executor, plan, order, [m, n])?;
        let memory = match workspace.vectors() {
            Some(_) => None,
            None => Some(Workspace::borrow(executor.queue, (m * width * size_of::<T>()) as u64)?),
        };
        for first in (0..order).step_by(plan.block).rev() {
            let (rows, width) = (m - first, plan.block.min(order - first));
            let reflectors = match &memory {
                Some(memory) => {
                    let copy = Block::new(memory, a.operand.packed(rows, width));
                    executor.copy::<T>([rows, width], a.at(first, first), copy)?;
                    Reflectors::new(copy, [rows, width], workspace.t())
                }
                None => workspace.reflectors::<T>(executor, [rows, width], a.at(first, first))?,
            };
            executor.unit_columns::<T>(m, first..first + width, a)?;
            reflectors.larft::<T>(executor, plan, tau.from(first), &workspace)?;
            reflectors.apply::<T>(executor, Op::NoTrans, n - first, a.at(first, first), workspace.products())?;
        }
    }
    Ok(())
}

/// A = Q R in place.
pub(super) fn geqrf_block<T: Scalar>(
    executor: &Executor<'_>,
    plan: &QrPlan,
    a: Block<'_>,
    [rows, columns]: [usize; 2],
    tau: DeviceSlice<'_>,
) -> Result<()> {
    let order = rows.min(columns);
    if order == 0 {
        return Ok(());
    }
    if plan.backend == Backend::Host {
        let unfinished = T::from_parts(f64::NAN, f64::NAN);
        let routine = |a: MatMut<'_, T>, tau: &mut [T]| {
            host::geqrf(a, tau);
            None
        };
        if executor.on_host_with((a, [rows, columns]), (tau, order, Some(unfinished)), None, routine)? {
            return Ok(());
        }
    }
    let range = InRange::begin::<T>(executor, [rows, columns], a)?;
    geqrf_in_range::<T>(executor, plan, a, [rows, columns], tau)?;
    range.finish(executor, [rows, columns], a)
}

/// A = Q R in place by kernels, for columns scaled so that no product with a reflector overflows.
fn geqrf_in_range<T: Scalar>(
    executor: &Executor<'_>,
    plan: &QrPlan,
    a: Block<'_>,
    [rows, columns]: [usize; 2],
    tau: DeviceSlice<'_>,
) -> Result<()> {
    let order = rows.min(columns);
    let tsqr = Tsqr::new::<T>(executor, plan, [rows, order])?;
    let applied = if plan.look_ahead.is_some() { plan.block.min(columns) } else { columns };
    let workspace = QrWorkspace::new::<T>(executor, plan, order, [rows, applied])?;
    let qr = Qr { executor, plan, a, rows, columns, tau, workspace: &workspace, tsqr: tsqr.as_ref() };
    if let Some(units) = plan.look_ahead {
        return qr.factor_with_look_ahead::<T>(order, units);
    }
    for first in (0..order).step_by(plan.block) {
        let middle = order.min(first + plan.block);
        qr.factor_block::<T>(first..middle)?.apply::<T>(
            executor,
            Op::ConjTrans,
            columns - middle,
            a.at(first, middle),
            workspace.products(),
        )?;
    }
    Ok(())
}

/// C := op(Q) C for a C of `columns` columns, and `order` reflectors in the columns of `a`.
pub(super) fn apply_reflectors<T: Scalar>(
    executor: &Executor<'_>,
    plan: &QrPlan,
    op: Op,
    (a, [rows, order], tau): (Block<'_>, [usize; 2], DeviceSlice<'_>),
    columns: usize,
    c: Block<'_>,
) -> Result<()> {
    if order == 0 || columns == 0 {
        return Ok(());
    }
    let workspace = QrWorkspace::new::<T>(executor, plan, order, [rows, columns])?;
    let blocks = order.div_ceil(plan.block);
    for index in 0..blocks {
        // Q = H₁ H₂ ...: the last is applied first, unless Q is transposed.
        let first = plan.block * if op.transposes() { index } else { blocks - 1 - index };
        let size = [rows - first, plan.block.min(order - first)];
        let reflectors = workspace.reflectors::<T>(executor, size, a.at(first, first))?;
        reflectors.larft::<T>(executor, plan, tau.from(first), &workspace)?;
        reflectors.apply::<T>(executor, op, columns, c.at(first, 0), workspace.products())?;
    }
    Ok(())
}

/// State of one factorisation, shared by all levels of the recursion.
#[derive(Clone, Copy)]
struct Qr<'a> {
    executor: &'a Executor<'a>,
    plan: &'a QrPlan,
    a: Block<'a>,
    rows: usize,
    columns: usize,
    tau: DeviceSlice<'a>,
    workspace: &'a QrWorkspace<'a>,
    tsqr: Option<&'a Tsqr<'a>>,
}

impl<'a> Qr<'a> {
    /// Blocked QR with look-ahead: each block is factorised while a second queue, limited to `units` compute units,
    /// applies the previous one to the columns further right.
    fn factor_with_look_ahead<T: Scalar>(&self, order: usize, units: usize) -> Result<()> {
        let (plan, first_queue) = (self.plan, self.executor.queue);
        let queue = Queue::second(first_queue.context())?.within(units);
        let second = Executor::new::<T>(&queue, self.executor.device)?;
        let products = Products::new::<T>(&second, plan, plan.block.min(order), self.columns)?;
        // The second queue still reads a block's reflectors while the next block writes its own.
        let other = QrWorkspace::new::<T>(self.executor, plan, order, [self.rows, plan.block.min(self.columns)])?;
        with_second_queue(first_queue, &queue, || {
            for (index, first) in (0..order).step_by(plan.block).enumerate() {
                let middle = order.min(first + plan.block);
                let next = middle..order.min(middle + plan.block);
                let qr = if index % 2 == 0 { *self } else { Qr { workspace: &other, ..*self } };
                let reflectors = qr.factor_block::<T>(first..middle)?;
                // The second queue's earlier updates of the next block precede its factorisation here, and this block
                // reflector precedes the second queue's next update.
                first_queue.wait_for_queue(&queue)?;
                queue.wait_for_queue(first_queue)?;
                let apply = |executor, columns: Range<usize>, products| {
                    let c = self.a.at(first, columns.start);
                    reflectors.apply::<T>(executor, Op::ConjTrans, columns.len(), c, products)
                };
                apply(self.executor, next.clone(), qr.workspace.products())?;
                apply(&second, next.end..self.columns, &products)?;
            }
            Ok(())
        })
    }

    /// Factorises a block and returns its block reflector.
    fn factor_block<T: Scalar>(&self, block: Range<usize>) -> Result<Reflectors<'a>> {
        let (first, width) = (block.start, block.len());
        match self.workspace.vectors() {
            Some(vectors) => self.factor_panels::<T>(first, [width, self.columns - block.end], vectors),
            None => {
                self.factor::<T>(first, first, width)?;
                Ok(self.reflectors(first, first, width))
            }
        }
    }

    /// Block reflector of some columns of the block that begins in column `base`.
    fn reflectors(&self, base: usize, first: usize, width: usize) -> Reflectors<'a> {
        let t = self.workspace.t().at(first - base, first - base);
        Reflectors::new(self.a.at(first, first), [self.rows - first, width], t)
    }

    /// Factorises a block panel by panel and returns its block reflector, with T if there are columns right of it.
    fn factor_panels<T: Scalar>(
        &self,
        base: usize,
        [width, right]: [usize; 2],
        vectors: Block<'a>,
    ) -> Result<Reflectors<'a>> {
        let (executor, rows) = (self.executor, self.rows - base);
        for done in (0..width).step_by(self.plan.panel) {
            let (first, count) = (base + done, self.plan.panel.min(width - done));
            let (size, t) = ([rows - done, count], self.workspace.t().at(done, done));
            let a = self.a.at(first, first);
            let panel = PanelOperands { a, tau: self.tau.from(first), t, v: (done, vectors.at(0, done)) };
            match self.tsqr.and_then(|tsqr| Some((tsqr, tsqr.split(size)?))) {
                Some((tsqr, split)) => tsqr.factor::<T>(executor, self.plan, split, size[0], panel)?,
                None => executor.factor_panel::<T>(self.plan, size, panel)?,
            }
            Reflectors::explicit(vectors.at(done, done), size, t).apply::<T>(
                executor,
                Op::ConjTrans,
                width - done - count,
                a.at(0, count),
                self.workspace.products(),
            )?;
        }
        let reflectors = Reflectors::explicit(vectors, [rows, width], self.workspace.t());
        if right > 0 {
            reflectors.larft_merge_panels::<T>(executor, self.plan, self.workspace)?;
        }
        Ok(reflectors)
    }

    /// Factorises columns of the block, and the rows from the diagonal on.
    fn factor<T: Scalar>(&self, base: usize, first: usize, width: usize) -> Result<()> {
        let (a, rows) = (self.a.at(first, first), self.rows - first);
        if width <= self.plan.panel {
            let t = self.workspace.t().at(first - base, first - base);
            return self.executor.factor_panel_in_memory::<T>(self.plan, [rows, width], a, self.tau.from(first), t);
        }
        let left = (width / 2).next_multiple_of(self.plan.panel);
        let (middle, right) = (first + left, width - left);
        self.factor::<T>(base, first, left)?;
        let reflectors = self.reflectors(base, first, left);
        reflectors.apply::<T>(self.executor, Op::ConjTrans, right, a.at(0, left), self.workspace.products())?;
        self.factor::<T>(base, middle, right)?;
        self.reflectors(base, first, width).larft_merge::<T>(self.executor, left, self.workspace)
    }
}
