//! Eigenvalues and singular values of the matrices of a batch, in any memory.
//!
//! A device rotates columns of small matrices in registers (Jacobi). The host computes those of larger ones, and all
//! of a device without fast work-groups, of which it has copies.

use affinimath_macros::instances;
use std::cell::RefCell;

use super::batched::{check_numbers, check_rows, order_of, with_numbers};
use super::staged::{BatchLines, adjacent};
use super::{cube, operations};
use crate::blas::device_buffer;
use crate::context::{DeviceBuffer, Event, MemoryExt, Queue};
use crate::error::{Error, Result};
use crate::host::batched::{self as host, PerMatrix};
use crate::host::on_living_thread;
use crate::lapack as device;
use crate::options::Triangle;
use crate::route::Family;
use crate::route::dispatch::{Cost, dispatch_lapack, used};
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchRef, BatchShape, VectorMut, View};

/// Multiply-adds of a decomposition with vectors, in units of the order cubed.
const WITH_VECTORS: u64 = 9;
/// The same without vectors.
const VALUES_ONLY: u64 = 2;

/// Eigenvalues in ascending order of each symmetric or Hermitian matrix of a batch, and orthonormal eigenvectors in its
/// columns where they are wanted, as [`crate::heev`] does for one.
///
/// The n eigenvalues of neighbouring matrices begin `w_stride` apart. Without eigenvectors the matrices are not
/// changed. `info`, one number for each matrix, becomes 0, or positive where an element is not finite, or the
/// iteration does not converge: results of that matrix are NaN.
///
/// # Errors
/// [`Error::ShapeMismatch`] where matrices are not square, or there is no place for eigenvalues or infos;
/// [`Error::InvalidArgument`] where eigenvalues would overlap; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{BatchMut, BatchShape, Layout, MatrixShape, Triangle, heev_batched};
///
/// let mut a = [2.0_f64, 1.0, 1.0, 2.0, 3.0, 0.0, 0.0, -1.0];
/// let matrix = MatrixShape::new(Layout::ColumnMajor, 2, 2, 0, 2)?;
/// let (mut w, mut info) = ([0.0; 4], [0; 2]);
/// let a = BatchMut::from_slice(&mut a, BatchShape::strided(matrix, 4, 2)?)?;
/// heev_batched(Triangle::Lower, a, &mut w, 2, false, &mut info)?;
/// assert!(w.iter().zip([1.0, 3.0, -1.0, 3.0]).all(|(w, exact)| (w - exact).abs() < 1e-14));
/// assert_eq!(info, [0; 2]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn heev_batched<T: Scalar>(
    triangle: Triangle,
    a: BatchMut<'_, T>,
    w: &mut [T::RealScalar],
    w_stride: usize,
    vectors: bool,
    info: &mut [i32],
) -> Result<()> {
    let (n, count) = (order_of("A", a.shape())?, a.shape().count());
    check_numbers("w", w, (n, w_stride), count)?;
    check_numbers("info", info, (1, 1), count)?;
    check_rows(a.shape())?;
    if count == 0 {
        return Ok(());
    }
    let found = RefCell::new((w, info));
    let on_host = |a: BatchMut<'_, T>| {
        let (w, info) = &mut *found.borrow_mut();
        host::heev_batched(triangle, &a, PerMatrix { values: w, each: n, stride: w_stride }, vectors, info);
    };
    if a.memory().buffer().is_none() && !device::rotates::<T>(n, n, false) {
        on_living_thread(|| on_host(a));
        return Ok(());
    }
    let work = operations::<T>(cube(n).saturating_mul(if vectors { WITH_VECTORS } else { VALUES_ONLY }));
    dispatch_lapack(
        T::KIND,
        Cost { family: Family::BatchFactorization, operations: work.saturating_mul(count as u64), steps: n },
        (used(a, true),),
        |(a,)| on_host(a),
        |queue, (a,)| {
            let (w, info) = &mut *found.borrow_mut();
            with_numbers(queue, w, |w| {
                with_numbers(queue, info, |info| heev_batched_on(queue, triangle, a, w, w_stride, vectors, info))
            })
        },
    )
}

/// The same for operands in a device's memory, with the infos there, too.
///
/// It returns as soon as the work is enqueued. Where the host does the work, of orders above 64 (of some types 128)
/// and on devices without fast work-groups, it waits for what is before it in the queue, and is done when it returns.
/// An empty batch is a no-op.
///
/// # Errors
/// The errors of [`heev_batched`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn heev_batched_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: BatchMut<'_, T>,
    w: VectorMut<'_, T::RealScalar>,
    w_stride: usize,
    vectors: bool,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let facts = (None, device::device_info(queue));
    if let Some(event) = device::heev_batched_with_team(queue, triangle, &a, (&w, w_stride), vectors, &info, facts)? {
        return Ok(event);
    }
    let (n, count) = (a.shape().matrix().rows(), a.shape().count());
    let (w, info) = (adjacent(queue, &w, "w")?, adjacent(queue, &info, "info")?);
    let (buffer, lines) = (device_buffer(queue, a.memory(), "A")?, BatchLines::of(a.shape())?);
    let mut copies = lines.read::<T>(queue, buffer)?;
    let (mut values, mut infos) = (vec![T::RealScalar::default(); n * count], vec![0; count]);
    let view = BatchMut::from_slice(&mut copies, lines.copy_shape()?)?;
    on_living_thread(|| {
        let values = PerMatrix { values: &mut values, each: n, stride: n };
        host::heev_batched(triangle, &view, values, vectors, &mut infos);
    });
    if vectors {
        lines.write(queue, buffer, &copies)?;
    }
    w.write_each(queue, &values, (n, w_stride))?;
    info.write(queue, &infos)?;
    Ok(Event::Complete)
}

/// Singular values in descending order of each m x n matrix of a batch, A = U diag(s) Vᴴ, and where there are `vectors`
/// (U, Vᴴ) singular vectors, as [`crate::gesvd`] does for one. A is not changed.
///
/// U has m columns or min(m, n), and Vᴴ n rows or min(m, n). The min(m, n) singular values of neighbouring matrices
/// begin `s_stride` apart. `info`, one number for each matrix, becomes 0, or positive where an element is not finite,
/// or the iteration does not converge: results of that matrix are NaN.
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes or counts do not agree, or there is no place for singular values or infos;
/// [`Error::InvalidArgument`] where singular values would overlap; [`Error::MixedMemory`] where the batches do not lie
/// in one memory; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{BatchRef, BatchShape, Layout, MatrixShape, gesvd_batched};
///
/// // Two 3 x 2 matrices.
/// let a = [3.0_f64, 4.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0];
/// let matrix = MatrixShape::new(Layout::ColumnMajor, 3, 2, 0, 3)?;
/// let (mut s, mut info) = ([0.0; 4], [0; 2]);
/// gesvd_batched(BatchRef::from_slice(&a, BatchShape::strided(matrix, 6, 2)?)?, &mut s, 2, None, &mut info)?;
/// assert!(s.iter().zip([5.0, 1.0, 2.0, 0.0]).all(|(s, exact)| (s - exact).abs() < 1e-14));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn gesvd_batched<T: Scalar>(
    a: BatchRef<'_, T>,
    s: &mut [T::RealScalar],
    s_stride: usize,
    vectors: Option<(BatchMut<'_, T>, BatchMut<'_, T>)>,
    info: &mut [i32],
) -> Result<()> {
    let (matrix, count) = (*a.shape().matrix(), a.shape().count());
    let (m, n) = (matrix.rows(), matrix.columns());
    let order = m.min(n);
    check_vectors(a.shape(), vectors.as_ref().map(|(u, vt)| (u.shape(), vt.shape())))?;
    check_numbers("s", s, (order, s_stride), count)?;
    check_numbers("info", info, (1, 1), count)?;
    check_rows(a.shape())?;
    if count == 0 {
        return Ok(());
    }
    let found = RefCell::new((s, info));
    let on_host = |a: &BatchRef<'_, T>, vectors: Option<(&BatchMut<'_, T>, &BatchMut<'_, T>)>| {
        let (s, info) = &mut *found.borrow_mut();
        host::gesvd_batched(a, PerMatrix { values: s, each: order, stride: s_stride }, vectors, info);
    };
    let of_vectors = vectors.as_ref().is_some_and(|(u, vt)| u.memory().buffer().or(vt.memory().buffer()).is_some());
    let on_device = of_vectors || a.memory().buffer().is_some();
    if !on_device && !device::rotates::<T>(m, n, vectors.is_some()) {
        on_living_thread(|| on_host(&a, vectors.as_ref().map(|(u, vt)| (u, vt))));
        return Ok(());
    }
    let factor = if vectors.is_some() { WITH_VECTORS } else { VALUES_ONLY };
    let products = (m as u64).saturating_mul(n as u64).saturating_mul(order as u64);
    let work = operations::<T>(products.saturating_mul(factor)).saturating_mul(count as u64);
    let cost = Cost { family: Family::BatchFactorization, operations: work, steps: order };
    let enqueue = |queue: &Queue, a: BatchRef<'_, T>, vectors: Option<(BatchMut<'_, T>, BatchMut<'_, T>)>| {
        let (s, info) = &mut *found.borrow_mut();
        with_numbers(queue, s, |s| {
            with_numbers(queue, info, |info| gesvd_batched_on(queue, a, s, s_stride, vectors, info))
        })
    };
    match vectors {
        None => dispatch_lapack(
            T::KIND,
            cost,
            (used(a, true),),
            |(a,)| on_host(&a, None),
            |queue, (a,)| enqueue(queue, a, None),
        ),
        Some((u, vt)) => dispatch_lapack(
            T::KIND,
            cost,
            (used(a, true), used(u, false), used(vt, false)),
            |(a, u, vt)| on_host(&a, Some((&u, &vt))),
            |queue, (a, u, vt)| enqueue(queue, a, Some((u, vt))),
        ),
    }
}

/// The same for operands in a device's memory, with the infos there, too.
///
/// It returns as soon as the work is enqueued. Where the host does the work, of orders above 64 (of some types and
/// shapes more) and on devices without fast work-groups, it waits for what is before it in the queue, and is done
/// when it returns. An empty batch is a no-op.
///
/// # Errors
/// The errors of [`gesvd_batched`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gesvd_batched_on<T: Scalar>(
    queue: &Queue,
    a: BatchRef<'_, T>,
    s: VectorMut<'_, T::RealScalar>,
    s_stride: usize,
    vectors: Option<(BatchMut<'_, T>, BatchMut<'_, T>)>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let vectors = vectors.as_ref().map(|(u, vt)| (u, vt));
    check_vectors(a.shape(), vectors.map(|(u, vt)| (u.shape(), vt.shape())))?;
    let facts = (None, device::device_info(queue));
    if let Some(event) = device::gesvd_batched_with_team(queue, &a, (&s, s_stride), vectors, &info, facts)? {
        return Ok(event);
    }
    let (matrix, count) = (*a.shape().matrix(), a.shape().count());
    let order = matrix.rows().min(matrix.columns());
    let (s, info) = (adjacent(queue, &s, "s")?, adjacent(queue, &info, "info")?);
    let lines = BatchLines::of(a.shape())?;
    let copies = lines.read::<T>(queue, device_buffer(queue, a.memory(), "A")?)?;
    let read = BatchRef::from_slice(&copies, lines.copy_shape()?)?;
    let (mut values, mut infos) = (vec![T::RealScalar::default(); order * count], vec![0; count]);
    let mut work = |vectors: Option<(&BatchMut<'_, T>, &BatchMut<'_, T>)>| {
        let values = PerMatrix { values: &mut values, each: order, stride: order };
        on_living_thread(|| host::gesvd_batched(&read, values, vectors, &mut infos));
    };
    match vectors {
        None => work(None),
        Some((u, vt)) => {
            let mut of_u = Written::<T>::new(queue, u, "U")?;
            let mut of_vt = Written::<T>::new(queue, vt, "VT")?;
            work(Some((&of_u.view()?, &of_vt.view()?)));
            of_u.write(queue)?;
            of_vt.write(queue)?;
        }
    }
    s.write_each(queue, &values, (order, s_stride))?;
    info.write(queue, &infos)?;
    Ok(Event::Complete)
}

/// Singular vectors of a batch in a device's memory, which the host computes.
struct Written<'a, T> {
    buffer: &'a DeviceBuffer,
    lines: BatchLines,
    copies: Vec<T>,
}

impl<'a, T: Scalar> Written<'a, T> {
    fn new(queue: &Queue, batch: &BatchMut<'a, T>, name: &'static str) -> Result<Self> {
        let (buffer, lines) = (device_buffer(queue, batch.memory(), name)?, BatchLines::of(batch.shape())?);
        let copies = vec![T::ZERO; lines.copy_shape()?.end()];
        Ok(Written { buffer, lines, copies })
    }

    fn view(&mut self) -> Result<BatchMut<'_, T>> {
        BatchMut::from_slice(&mut self.copies, self.lines.copy_shape()?)
    }

    fn write(&self, queue: &Queue) -> Result<()> {
        self.lines.write(queue, self.buffer, &self.copies)
    }
}

/// Refuses batches of singular vectors of other counts or sizes.
fn check_vectors(a: &BatchShape<'_>, vectors: Option<(&BatchShape<'_>, &BatchShape<'_>)>) -> Result<()> {
    let Some((u, vt)) = vectors else { return Ok(()) };
    let (m, n) = (a.matrix().rows(), a.matrix().columns());
    let order = m.min(n);
    if u.count() != a.count() || vt.count() != a.count() {
        let counts = format!("{} matrices A, {} matrices U, {} matrices VT", a.count(), u.count(), vt.count());
        return Err(Error::ShapeMismatch(counts));
    }
    for (name, vectors, side, free) in [
        ("U", u.matrix(), (m, u.matrix().rows()), u.matrix().columns()),
        ("VT", vt.matrix(), (n, vt.matrix().columns()), vt.matrix().rows()),
    ] {
        if side.0 != side.1 || (free != side.0 && free != order) {
            let size = format!("{} x {}", vectors.rows(), vectors.columns());
            return Err(Error::ShapeMismatch(format!("{name}: {size}, of matrices of {m} x {n}")));
        }
    }
    Ok(())
}
