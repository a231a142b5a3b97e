//! QR by Householder reflections on a device: geqrf, Q made of them or applied, and least squares.
//!
//! A block of columns is factorised by halves (E. Elmroth and F. Gustavson, IBM J. Res. Dev. 44, 2000) down to panels, which are
//! a kernel's work; then its reflections are applied together to what is right of it. Their vectors are read where geqrf leaves
//! them, as a triangle with ones on its diagonal.

mod least_squares;
mod panel;
mod plan;
mod range;
mod reflectors;
mod tree;

use affinimath_macros::instances;
use std::ops::Range;

use faer::MatMut;

use super::native::Backend;
use super::{Block, Entries, Parts, check_rows, check_rows_of, device_info, joined, read_only};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::{Operand, multiplies_doubles};
use crate::context::{Event, Queue, QueueParts, Scratch};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::host::lapack as host;
use crate::options::{Op, Side};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut, VectorRef, View};

#[cfg(test)]
pub(crate) use least_squares::gels_by;
pub use least_squares::gels_on;
pub(crate) use least_squares::keep_or_adjoint;
use panel::PanelOperands;
#[cfg(test)]
pub(crate) use plan::Panels;
pub(crate) use plan::QrPlan;
#[cfg(test)]
pub(crate) use plan::{TensorGroup, TreePlan};
use range::InRange;
pub(super) use range::RANGE;
use reflectors::{Products, Reflectors, Room};
use tree::Tree;

/// A = Q R on a device, for any m x n A (LAPACK: xGEQRF): R takes the place of A's diagonal and of what is above it. Below it are
/// the vectors v of reflections I - tau v vᴴ, whose first elements are 1 and not stored, and whose product Q is; their factors are
/// in `tau`, min(m, n) of them. R's diagonal is real. On a CPU whose driver runs the host's routines the factors are NaN where one
/// ended by a panic.
///
/// It returns as soon as the work is enqueued. On a GPU a block of columns (128) of A, and two times as many rows, are needed as
/// scratch memory.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::InvalidArgument`] (factors that are not adjacent), [`Error::MixedMemory`],
/// [`Error::PrecisionNotSupported`]: nothing was enqueued. [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`],
/// [`Error::OpenCl`]: A and the factors are not to be used.
#[instances]
pub fn geqrf_on<T: Scalar>(queue: &Queue, a: MatrixMut<'_, T>, tau: VectorMut<'_, T>) -> Result<Event> {
    let plan = plan_for::<T>(queue, [a.rows(), a.columns()]);
    geqrf_by(queue, a, &tau, (&plan, device_info(queue)))
}

/// The plan for a matrix of a size on a queue's device. What a trial product has shown of tensor cores holds for panels, too.
fn plan_for<T: Scalar>(queue: &Queue, size: [usize; 2]) -> QrPlan {
    let plan = QrPlan::choose(T::KIND, size, device_info(queue));
    if plan.tensor.is_some() && !multiplies_doubles(queue) { plan.without_tensor_cores() } else { plan }
}

/// The same by a given plan, as on a device with these facts: any plan is right for any matrix.
pub(super) fn geqrf_by<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    tau: &VectorMut<'_, T>,
    (plan, device): (&QrPlan, &DeviceInfo),
) -> Result<Event> {
    let (rows, columns) = (a.rows(), a.columns());
    check_rows_of(rows, columns)?;
    let order = rows.min(columns);
    let tau = Entries::tau(queue, &read_only(tau), order)?;
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    let queue = &queue.for_steps()?;
    let parts = Parts::new::<T>(queue, device)?;
    tracing::debug!(rows, columns, ?plan, device = device.name, "geqrf");
    factorise::<T>(&parts, plan, a, [rows, columns], tau)?;
    parts.finish()
}

/// The first n columns of the Q of k reflections that [`geqrf_on`] left in the first k columns of an m x n A, in A's place, on a
/// device (LAPACK: xORGQR, xUNGQR). `tau` holds their k factors; m >= n >= k. It returns as soon as the work is enqueued.
///
/// # Errors
/// As [`geqrf_on`].
#[instances]
pub fn orgqr_on<T: Scalar>(queue: &Queue, a: MatrixMut<'_, T>, tau: VectorRef<'_, T>) -> Result<Event> {
    orgqr_by(queue, a, tau, (&QrPlan::by_kernels(T::KIND, device_info(queue)), device_info(queue)))
}

/// The same by a given plan.
pub(super) fn orgqr_by<T: Scalar>(
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
    let tau = Entries::tau(queue, &tau, order)?;
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    let queue = &queue.for_steps()?;
    let parts = Parts::new::<T>(queue, device)?;
    parts.unit_columns::<T>(m, order..n, a)?;
    if order > 0 {
        let width = plan.block.min(order);
        let room = Room::new::<T>(&parts, plan, order, [m, n])?;
        let memory = match room.vectors() {
            Some(_) => None,
            None => Some(Scratch::borrow(queue, (m * width * size_of::<T>()) as u64)?),
        };
        for first in (0..order).step_by(plan.block).rev() {
            let (rows, width) = (m - first, plan.block.min(order - first));
            let reflectors = match &memory {
                Some(memory) => {
                    let copy = Block::new(memory, a.operand.packed(rows, width));
                    parts.copy::<T>([rows, width], a.at(first, first), copy)?;
                    Reflectors::new(copy, [rows, width], room.triangle())
                }
                None => room.reflectors::<T>(&parts, [rows, width], a.at(first, first))?,
            };
            parts.unit_columns::<T>(m, first..first + width, a)?;
            reflectors.connect::<T>(&parts, plan, tau.from(first), &room)?;
            reflectors.apply::<T>(&parts, Op::NoTrans, n - first, a.at(first, first), room.products())?;
        }
    }
    parts.finish()
}

/// C := op(Q) C (left) or C op(Q) (right) on a device, for the Q of the reflections that [`geqrf_on`] left in A's columns, of which
/// there are as many as factors in `tau` (LAPACK: xORMQR, xUNMQR). All four operations are allowed. It returns as soon as the work
/// is enqueued.
///
/// # Errors
/// As [`geqrf_on`].
#[instances]
pub fn ormqr_on<T: Scalar>(
    queue: &Queue,
    side: Side,
    op: Op,
    a: MatrixRef<'_, T>,
    tau: VectorRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    ormqr_by(queue, (side, op), a, tau, c, (&QrPlan::by_kernels(T::KIND, device_info(queue)), device_info(queue)))
}

/// The same by a given plan.
pub(super) fn ormqr_by<T: Scalar>(
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
    let tau = Entries::tau(queue, &tau, order)?;
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    // C op(Q) is op(Q)ᵀ Cᵀ, transposed.
    let (op, c_op) = if side == Side::Left { (op, Op::NoTrans) } else { (op.transposed(), Op::Trans) };
    let c = Block::new(device_buffer(queue, c.memory(), "C")?, Operand::whole(c_op, c.shape()));
    let queue = &queue.for_steps()?;
    let parts = Parts::new::<T>(queue, device)?;
    multiply::<T>(&parts, plan, op, (a, [m, order], tau), others, c)?;
    parts.finish()
}

/// A = Q R in A's place.
fn factorise<T: Scalar>(
    parts: &Parts<'_>,
    plan: &QrPlan,
    a: Block<'_>,
    [rows, columns]: [usize; 2],
    tau: Entries<'_>,
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
        if parts.on_host_with((a, [rows, columns]), (tau, order, Some(unfinished)), None, routine)? {
            return Ok(());
        }
    }
    let range = InRange::begin::<T>(parts, [rows, columns], a)?;
    factorise_in_range::<T>(parts, plan, a, [rows, columns], tau)?;
    range.finish(parts, [rows, columns], a)
}

/// The same by kernels, where no product with a reflection's vector overflows.
fn factorise_in_range<T: Scalar>(
    parts: &Parts<'_>,
    plan: &QrPlan,
    a: Block<'_>,
    [rows, columns]: [usize; 2],
    tau: Entries<'_>,
) -> Result<()> {
    let order = rows.min(columns);
    let tree = Tree::new::<T>(parts, plan, [rows, order])?;
    let applied = if plan.ahead.is_some() { plan.block.min(columns) } else { columns };
    let room = Room::new::<T>(parts, plan, order, [rows, applied])?;
    let qr = Qr { parts, plan, a, rows, columns, tau, room: &room, tree: tree.as_ref() };
    if let Some(units) = plan.ahead {
        return qr.factor_ahead::<T>(order, units);
    }
    for first in (0..order).step_by(plan.block) {
        let middle = order.min(first + plan.block);
        qr.factor_block::<T>(first..middle)?.apply::<T>(
            parts,
            Op::ConjTrans,
            columns - middle,
            a.at(first, middle),
            room.products(),
        )?;
    }
    Ok(())
}

/// C := op(Q) C for a C of so many columns, and the reflections in the columns of `a`, of which there are `order`.
fn multiply<T: Scalar>(
    parts: &Parts<'_>,
    plan: &QrPlan,
    op: Op,
    (a, [rows, order], tau): (Block<'_>, [usize; 2], Entries<'_>),
    columns: usize,
    c: Block<'_>,
) -> Result<()> {
    if order == 0 || columns == 0 {
        return Ok(());
    }
    let room = Room::new::<T>(parts, plan, order, [rows, columns])?;
    let blocks = order.div_ceil(plan.block);
    for index in 0..blocks {
        // Q = H₁ H₂ ...: the last is applied first, unless Q is transposed.
        let first = plan.block * if op.transposes() { index } else { blocks - 1 - index };
        let size = [rows - first, plan.block.min(order - first)];
        let reflectors = room.reflectors::<T>(parts, size, a.at(first, first))?;
        reflectors.connect::<T>(parts, plan, tau.from(first), &room)?;
        reflectors.apply::<T>(parts, op, columns, c.at(first, 0), room.products())?;
    }
    Ok(())
}

/// A factorisation: what the recursion carries along.
#[derive(Clone, Copy)]
struct Qr<'a> {
    parts: &'a Parts<'a>,
    plan: &'a QrPlan,
    a: Block<'a>,
    rows: usize,
    columns: usize,
    tau: Entries<'a>,
    room: &'a Room<'a>,
    tree: Option<&'a Tree<'a>>,
}

impl<'a> Qr<'a> {
    /// Factorises the first `order` columns, each block while what is right of it is brought up to date with the one before, on a queue
    /// of its own that has so many compute units.
    fn factor_ahead<T: Scalar>(&self, order: usize, units: usize) -> Result<()> {
        let (plan, own) = (self.plan, self.parts.queue);
        let queue = Queue::second(own.context())?.within(units);
        let beside = Parts::new::<T>(&queue, self.parts.device)?;
        let products = Products::new::<T>(&beside, plan, plan.block.min(order), self.columns)?;
        // A block's reflections are still read while the next one's are made.
        let other = Room::new::<T>(self.parts, plan, order, [self.rows, plan.block.min(self.columns)])?;
        joined(own, &queue, || {
            for (index, first) in (0..order).step_by(plan.block).enumerate() {
                let middle = order.min(first + plan.block);
                let next = middle..order.min(middle + plan.block);
                let qr = if index % 2 == 0 { *self } else { Qr { room: &other, ..*self } };
                let reflectors = qr.factor_block::<T>(first..middle)?;
                // The next block is up to date with the one before this one, and the rest waits for this one.
                own.wait_for_queue(&queue)?;
                queue.wait_for_queue(own)?;
                let apply = |parts, columns: Range<usize>, products| {
                    let c = self.a.at(first, columns.start);
                    reflectors.apply::<T>(parts, Op::ConjTrans, columns.len(), c, products)
                };
                apply(self.parts, next.clone(), qr.room.products())?;
                apply(&beside, next.end..self.columns, &products)?;
            }
            Ok(())
        })
    }

    /// Factorises a block, and gives its reflections.
    fn factor_block<T: Scalar>(&self, block: Range<usize>) -> Result<Reflectors<'a>> {
        let (first, width) = (block.start, block.len());
        match self.room.vectors() {
            Some(vectors) => self.factor_panels::<T>(first, [width, self.columns - block.end], vectors),
            None => {
                self.factor::<T>(first, first, width)?;
                Ok(self.reflectors(first, first, width))
            }
        }
    }

    /// The reflections of some columns of the block that begins in column `base`.
    fn reflectors(&self, base: usize, first: usize, width: usize) -> Reflectors<'a> {
        let triangle = self.room.triangle().at(first - base, first - base);
        Reflectors::new(self.a.at(first, first), [self.rows - first, width], triangle)
    }

    /// Factorises a block, panel by panel, and gives its reflections, if there are columns to the right of it.
    fn factor_panels<T: Scalar>(
        &self,
        base: usize,
        [width, right]: [usize; 2],
        vectors: Block<'a>,
    ) -> Result<Reflectors<'a>> {
        let (parts, rows) = (self.parts, self.rows - base);
        for done in (0..width).step_by(self.plan.panel) {
            let (first, count) = (base + done, self.plan.panel.min(width - done));
            let (size, triangle) = ([rows - done, count], self.room.triangle().at(done, done));
            let a = self.a.at(first, first);
            let panel = PanelOperands { a, tau: self.tau.from(first), t: triangle, whole: (done, vectors.at(0, done)) };
            match self.tree.and_then(|tree| Some((tree, tree.parts(size)?))) {
                Some((tree, cut)) => tree.reflect::<T>(parts, self.plan, cut, size[0], panel)?,
                None => parts.reflect_panel::<T>(self.plan, size, panel)?,
            }
            Reflectors::whole(vectors.at(done, done), size, triangle).apply::<T>(
                parts,
                Op::ConjTrans,
                width - done - count,
                a.at(0, count),
                self.room.products(),
            )?;
        }
        let reflectors = Reflectors::whole(vectors, [rows, width], self.room.triangle());
        if right > 0 {
            reflectors.join_all::<T>(parts, self.plan, self.room)?;
        }
        Ok(reflectors)
    }

    /// Factorises columns of the block, and the rows from the diagonal on.
    fn factor<T: Scalar>(&self, base: usize, first: usize, width: usize) -> Result<()> {
        let (a, rows) = (self.a.at(first, first), self.rows - first);
        if width <= self.plan.panel {
            let triangle = self.room.triangle().at(first - base, first - base);
            return self.parts.reflect_in_memory::<T>(self.plan, [rows, width], a, self.tau.from(first), triangle);
        }
        let left = (width / 2).next_multiple_of(self.plan.panel);
        let (middle, right) = (first + left, width - left);
        self.factor::<T>(base, first, left)?;
        let reflectors = self.reflectors(base, first, left);
        reflectors.apply::<T>(self.parts, Op::ConjTrans, right, a.at(0, left), self.room.products())?;
        self.factor::<T>(base, middle, right)?;
        self.reflectors(base, first, width).join::<T>(self.parts, left, self.room)
    }
}
