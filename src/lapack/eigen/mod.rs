//! Eigenvalues and eigenvectors of symmetric and Hermitian matrices on a device.
//!
//! A is reduced to tridiagonal form (hetrd). Eigenvalues alone are found by multisection, all at a time. With
//! eigenvectors, divide and conquer has its products on the device, and the reflectors are applied in blocks (ormtr).

mod bisect;
mod columns;
mod merge;
mod panels;
mod pencil;
mod plan;
mod reduce;
mod roots;
mod secular;

use affinimath_macros::instances;
use std::time::Instant;

use super::norm::norm_of_block;
use super::qr::{QrPlan, apply_reflectors};
use super::{Block, DeviceSlice, Executor, check_rows, device_info};
use crate::blas::device_buffer;
use crate::blas::level3::gemm::Operand;
use crate::blas::level3::square;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, Queue, QueueParts};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::options::{Norm, Op, Symmetry, Triangle};
use crate::pattern::Pattern;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, View};

use merge::Eigenvectors;
pub(crate) use pencil::{heevr_on_device, hegvd_on_device};
#[cfg(test)]
pub(super) use pencil::{heevr_with_plan, hegvd_with_plan};
#[cfg(test)]
pub(super) use plan::Cooperative;
pub(crate) use plan::{EigenPlan, MIN_ORDER};
use reduce::{LowerTriangle, Tridiagonal};

/// Work-items of a group that stores a part of a column.
const THREADS: usize = 256;

/// Eigenvalues of a symmetric or Hermitian A on its device in ascending order, and orthonormal eigenvectors in A's
/// columns where they are wanted (LAPACK: xSYEVD, xHEEVD). One triangle of A is read; without eigenvectors A stays as
/// it is. False where the host is faster, memory is short, or an element is not finite: nothing was changed.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was changed.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: A is undefined.
#[instances]
pub(crate) fn heevd_on_device<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: &MatrixMut<'_, T>,
    w: &mut [T::RealScalar],
    vectors: bool,
) -> Result<bool> {
    let device = device_info(queue);
    match EigenPlan::choose(T::KIND, a.rows(), device) {
        Some(plan) => heevd_with_plan(queue, triangle, a, w, vectors, (&plan, device)),
        None => Ok(false),
    }
}

/// [`heevd_on_device`] by a given plan, as on a device with these facts. Any plan is right for any matrix.
pub(super) fn heevd_with_plan<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: &MatrixMut<'_, T>,
    w: &mut [T::RealScalar],
    vectors: bool,
    (plan, device): (&EigenPlan, &DeviceInfo),
) -> Result<bool> {
    let n = square(a.shape(), "A")?;
    check_rows(n)?;
    let whole = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    if n == 0 {
        return Ok(true);
    }
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device)?;
    tracing::debug!(n, vectors, ?plan, device = device.name, "heevd");
    heevd_of_block::<T>(&executor, plan, triangle, (whole, n), w, vectors)
}

/// [`heevd_on_device`] for an n x n block.
pub(super) fn heevd_of_block<T: Scalar>(
    executor: &Executor<'_>,
    plan: &EigenPlan,
    triangle: Triangle,
    (a, n): (Block<'_>, usize),
    w: &mut [T::RealScalar],
    vectors: bool,
) -> Result<bool> {
    let problem = Problem { executor, plan, n, triangle, a };
    let found = match problem.solve::<T>(w, vectors) {
        // A is not written before all memory is there.
        Err(Error::OutOfDeviceMemory { .. }) => None,
        found => found?,
    };
    let Some(found) = found else { return Ok(false) };
    if let Solution::Vectors(found) = found {
        let (form, vectors) = *found;
        let start = Instant::now();
        problem.store::<T>(&form, &vectors)?;
        executor.queue.finish()?;
        tracing::debug!(n, took = ?start.elapsed(), "heevd: last products, and reflectors applied");
    }
    Ok(true)
}

/// Reduction of a symmetric or Hermitian A on its device to a real tridiagonal matrix (LAPACK: xSYTRD, xHETRD), with n
/// elements of its diagonal, n - 1 beside it, and n - 1 factors of the reflectors. False as [`heevd_on_device`].
///
/// # Errors
/// Those of [`heevd_on_device`].
#[instances]
pub(crate) fn hetrd_on_device<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: &MatrixMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    tau: &mut [T],
) -> Result<bool> {
    let device = device_info(queue);
    match EigenPlan::choose(T::KIND, a.rows(), device) {
        Some(plan) => hetrd_with_plan(queue, triangle, a, (d, e, tau), (&plan, device)),
        None => Ok(false),
    }
}

/// [`hetrd_on_device`] by a given plan.
pub(super) fn hetrd_with_plan<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: &MatrixMut<'_, T>,
    (d, e, tau): (&mut [T::RealScalar], &mut [T::RealScalar], &mut [T]),
    (plan, device): (&EigenPlan, &DeviceInfo),
) -> Result<bool> {
    let n = square(a.shape(), "A")?;
    check_rows(n)?;
    let whole = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    if n == 0 {
        return Ok(true);
    }
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device)?;
    tracing::debug!(n, ?plan, device = device.name, "hetrd");
    Problem { executor: &executor, plan, n, triangle, a: whole }.reduce::<T>(d, e, &mut tau[..n - 1])
}

/// A number times a power of two.
pub(super) fn scaled<R: Scalar + Into<f64>>(value: R, exponent: i32) -> R {
    let (half, rest) = (exponent / 2, exponent - exponent / 2);
    R::from_parts(value.into() * 2_f64.powi(half) * 2_f64.powi(rest), 0.0)
}

/// A matrix on a device, and how it is decomposed.
struct Problem<'p> {
    executor: &'p Executor<'p>,
    plan: &'p EigenPlan,
    n: usize,
    triangle: Triangle,
    a: Block<'p>,
}

/// Triangle that is read, as the lower one of a matrix: of A's transpose, which is conj(A), where it is the upper one.
const fn lower(a: Block<'_>, triangle: Triangle) -> Block<'_> {
    match triangle {
        Triangle::Lower => a,
        Triangle::Upper => a.with(Op::Trans),
    }
}

/// Results besides the eigenvalues.
enum Solution<R> {
    Values,
    Vectors(Box<(Tridiagonal, Eigenvectors<R>)>),
}

impl Problem<'_> {
    /// Eigenvalues, and the vectors of the tridiagonal form; `None` where the host has to do the work.
    fn solve<T: Scalar>(&self, w: &mut [T::RealScalar], vectors: bool) -> Result<Option<Solution<T::RealScalar>>> {
        let lower = self.lower();
        let Some(exponent) = self.exponent::<T>(lower)? else { return Ok(None) };
        let form = reduce::reduce::<T>(self.executor, self.plan, self.n, LowerTriangle::of(lower), exponent)?;
        let unscaled = |value: &T::RealScalar| scaled(*value, -exponent);
        if !vectors {
            let values = bisect::eigenvalues::<T>(self.executor, &form)?;
            w.iter_mut().zip(&values).for_each(|(w, value)| *w = unscaled(value));
            return Ok(Some(Solution::Values));
        }
        let start = Instant::now();
        let [d, e] = form.download::<T>(self.executor)?;
        tracing::debug!(n = self.n, waited = ?start.elapsed(), "heevd: reduced to tridiagonal form");
        let found = merge::eigenvectors::<T::RealScalar>(self.executor, self.plan, &d, &e)?;
        Ok(found.map(|found| {
            w.iter_mut().zip(&found.values).for_each(|(w, value)| *w = unscaled(value));
            Solution::Vectors(Box::new((form, found)))
        }))
    }

    fn lower(&self) -> Block<'_> {
        lower(self.a, self.triangle)
    }

    /// Exponent of a power of two that brings the largest element near 1, so that no square of a column's elements
    /// overflows or underflows; `None` where an element is not finite.
    fn exponent<T: Scalar>(&self, lower: Block<'_>) -> Result<Option<i32>> {
        let Executor { queue, device, .. } = *self.executor;
        let result = DeviceBuffer::for_step(queue, size_of::<T::RealScalar>())?;
        let pattern = Pattern::Mirrored(Triangle::Lower, Symmetry::Hermitian);
        let slice = DeviceSlice { memory: &result, offset: 0 };
        norm_of_block::<T>((queue, device), Norm::Max, pattern, [self.n; 2], lower, slice).map(drop)?;
        let mut size = [T::RealScalar::ZERO];
        result.read(queue, &mut size)?;
        let size: f64 = size[0].into();
        let exponent = if size > 0.0 { -(size.log2().floor() as i32) } else { 0 };
        Ok(size.is_finite().then_some(exponent))
    }

    /// Reduces A in place, and gives the tridiagonal matrix and the factors of the reflectors; false where the host has
    /// to do the work.
    fn reduce<T: Scalar>(&self, d: &mut [T::RealScalar], e: &mut [T::RealScalar], tau: &mut [T]) -> Result<bool> {
        let Some(exponent) = self.exponent::<T>(self.lower())? else { return Ok(false) };
        let triangle = match self.triangle {
            Triangle::Lower => LowerTriangle::of(self.a),
            // LAPACK's reflectors of an upper triangle begin with the last column.
            Triangle::Upper => LowerTriangle::reversed(self.a, self.n),
        };
        let form = match reduce::reduce::<T>(self.executor, self.plan, self.n, triangle, exponent) {
            // A is not written before all memory is there.
            Err(Error::OutOfDeviceMemory { .. }) => return Ok(false),
            form => form?,
        };
        form.store::<T>(self.executor, triangle, exponent)?;
        let [diagonal, beside] = form.download::<T>(self.executor)?;
        form.tau.read(self.executor.queue, tau)?;
        d.iter_mut().zip(&diagonal).for_each(|(d, value)| *d = scaled(*value, -exponent));
        e.iter_mut().zip(&beside).for_each(|(e, value)| *e = scaled(*value, -exponent));
        if self.triangle == Triangle::Upper {
            d.reverse();
            e.reverse();
            tau.reverse();
        }
        Ok(true)
    }

    /// A := Q Z for the Q of the reduction and the vectors Z of its tridiagonal form (LAPACK: xORMTR).
    fn store<T: Scalar>(&self, form: &Tridiagonal, vectors: &Eigenvectors<T::RealScalar>) -> Result<()> {
        let Executor { queue, device, .. } = *self.executor;
        let (n, operand) = (self.n, self.a.operand);
        let order = DeviceBuffer::for_step(queue, n * size_of::<i32>())?;
        order.write(queue, &vectors.order)?;
        let root = source("lapack/eigen/stedc_store.cl");
        let source = ProgramSource { name: "eigen store", kind: T::KIND, root, definitions: Vec::new() };
        let program = queue.context().program(&source)?;
        Launch::new(queue, &program, "stedc_store")
            .count(n)
            .buffer(&order)
            .buffer(&vectors.q)
            .index(vectors.stride)
            .buffer(self.a.memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .enqueue_step([n.div_ceil(THREADS), n, 1], [THREADS, 1, 1])?;
        // The upper triangle's reduction is that of conj(A), whose vectors are the conjugate ones.
        let op = if self.triangle == Triangle::Lower { Op::NoTrans } else { Op::ConjNoTrans };
        let plan = QrPlan::for_kernels(T::KIND, device);
        let tau = DeviceSlice { memory: &form.tau, offset: 0 };
        let reflectors = (form.reflectors().at(1, 0), [n - 1, n - 1], tau);
        apply_reflectors::<T>(self.executor, &plan, op, reflectors, n, self.a.at(1, 0))
    }
}
