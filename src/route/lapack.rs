//! LAPACK on any memory, with pivots and factors of reflections in the host's.
//!
//! Every routine returns when it is done. Most run where their matrices lie, or, for the host's memory, where the route decides;
//! `laswp` on the host, for matrices in its memory. What LAPACK tells by a positive info is an error that says what is
//! done and what is not; its status, [`Error::status`], is the info.

use std::cell::RefCell;
use std::ops::Range;

use super::dispatch::{dispatch_lapack, on_host, on_host_mut};
use crate::context::{DeviceBuffer, Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack as host;
pub use crate::host::lapack::PivotOrder;
use crate::lapack as device;
use crate::options::{Diagonal, Op, Side, Triangle};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, Memory, VectorMut, VectorRef, VectorShape};

/// P A = L U with partial pivoting (LAPACK: xGETRF), for any m x n A: L, unit lower trapezoidal, and U, upper trapezoidal, take
/// A's place. Row i was interchanged with row `pivots[i]`, counted from 1, for i from 0 to min(m, n) - 1.
///
/// # Errors
/// [`Error::ZeroPivot`] where an element on U's diagonal is exactly zero: the factorisation is complete, but U is singular.
/// [`Error::ShapeMismatch`] where there is no place for min(m, n) pivots; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixRef, MatrixShape, Op, getrf, getrs};
///
/// let shape = MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?;
/// let mut a = [1.0_f64, 2.0, 4.0, 4.0];
/// let mut pivots = [0; 2];
/// getrf(MatrixMut::from_slice(&mut a, shape)?, &mut pivots)?;
/// assert_eq!((a, pivots), ([4.0, 4.0, 0.25, 1.0], [2, 2]));
///
/// let mut b = [3.0, 8.0];
/// let column = MatrixShape::new(Layout::ColumnMajor, 2, 1, 0, 2)?;
/// getrs(Op::Keep, MatrixRef::from_slice(&a, shape)?, &pivots, MatrixMut::from_slice(&mut b, column)?)?;
/// assert_eq!(b, [1.0, 1.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
pub fn getrf<T: Scalar>(a: MatrixMut<'_, T>, pivots: &mut [i32]) -> Result<()> {
    let order = a.rows().min(a.columns());
    check_length("pivots", pivots.len(), order)?;
    check_pivots_count(&a)?;
    // n² (m - n / 3) multiplications and additions of an m x n matrix that is not wider than high, and so on.
    let (short, long) = (order as u64, a.rows().max(a.columns()) as u64);
    let work = operations::<T>(short.saturating_mul(short).saturating_mul(long.saturating_sub(short / 3)) / 2);
    let found = Indices::new(&mut pivots[..order]);
    dispatch_lapack(
        work,
        (a,),
        |(a,)| found.on_host(|pivots| host::getrf(on_host_mut(a), pivots)),
        |queue, (a,)| found.on_device(queue, |pivots, info| device::getrf_on(queue, a, pivots, info)),
    )?;
    zero_pivot(found.info())
}

/// Solves op(A) X = B with [`getrf`]'s factors of a square A, X in B's place (LAPACK: xGETRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where the sizes do not agree; [`Error::InvalidArgument`] where a pivot is no row of A;
/// [`Error::MixedMemory`] where the matrices do not lie in one memory; and what a device reports.
pub fn getrs<T: Scalar>(op: Op, factors: MatrixRef<'_, T>, pivots: &[i32], b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    rows_agree("the factors", n, &b)?;
    let mut pivots = check_pivots(pivots, n, n)?.to_vec();
    let found = Indices::new(&mut pivots);
    dispatch_lapack(
        solution_operations::<T>(n, b.columns()),
        (factors, b),
        |(factors, b)| {
            found.on_host(|pivots| {
                host::getrs(op, on_host(factors), pivots, on_host_mut(b));
                None
            });
        },
        |queue, (factors, b)| {
            found.on_device(queue, |pivots, _| device::getrs_on(queue, op, factors, device::read_only(&pivots), b))
        },
    )
}

/// Solves A X = B for a square A, by [`getrf`] and [`getrs`]: the factors take A's place and X takes B's (LAPACK: xGESV).
///
/// # Errors
/// [`Error::ZeroPivot`] where A is singular: it is factorised, and B is as it was. Others as for [`getrf`] and [`getrs`].
pub fn gesv<T: Scalar>(a: MatrixMut<'_, T>, pivots: &mut [i32], b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    rows_agree("A", n, &b)?;
    check_length("pivots", pivots.len(), n)?;
    check_pivots_count(&a)?;
    let work = operations::<T>(cube(n) / 3).saturating_add(solution_operations::<T>(n, b.columns()));
    let found = Indices::new(&mut pivots[..n]);
    dispatch_lapack(
        work,
        (a, b),
        |(a, b)| found.on_host(|pivots| host::gesv(on_host_mut(a), pivots, on_host_mut(b))),
        |queue, (a, b)| found.on_device(queue, |pivots, info| device::gesv_on(queue, a, pivots, b, info)),
    )?;
    zero_pivot(found.info())
}

/// The inverse of a square matrix from [`getrf`]'s factors, in their place (LAPACK: xGETRI).
///
/// # Errors
/// [`Error::ZeroPivot`] where the matrix is singular: the factors are as they were. Others as for [`getrs`].
pub fn getri<T: Scalar>(factors: MatrixMut<'_, T>, pivots: &[i32]) -> Result<()> {
    let n = square("the factors", factors.rows(), factors.columns())?;
    let mut pivots = check_pivots(pivots, n, n)?.to_vec();
    let found = Indices::new(&mut pivots);
    dispatch_lapack(
        operations::<T>(cube(n).saturating_mul(2) / 3),
        (factors,),
        |(a,)| found.on_host(|pivots| host::getri(on_host_mut(a), pivots)),
        |queue, (a,)| {
            found.on_device(queue, |pivots, info| device::getri_on(queue, a, device::read_only(&pivots), info))
        },
    )?;
    zero_pivot(found.info())
}

/// Interchanges each of some rows of A with row `pivots[row]`, counted from 1, one after another (LAPACK: xLASWP).
///
/// # Errors
/// [`Error::ShapeMismatch`] where there are fewer rows or pivots; [`Error::InvalidArgument`] where a pivot is no row of A, or A does
/// not lie in the host's memory.
pub fn laswp<T: Scalar>(a: MatrixMut<'_, T>, rows: Range<usize>, pivots: &[i32], order: PivotOrder) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    if rows.end > a.rows() {
        return Err(Error::ShapeMismatch(format!("rows up to {} of A, which has {}", rows.end, a.rows())));
    }
    check_length("pivots", pivots.len(), rows.end)?;
    check_pivots(&pivots[rows.start..], rows.len(), a.rows())?;
    host::laswp(on_the_host_mut("a", a)?, rows.start, &pivots[rows], order);
    Ok(())
}

/// A = L Lᴴ or Uᴴ U for a symmetric or Hermitian positive definite A, of which the triangle named is read, and overwritten by
/// its factor; the other one is not touched (LAPACK: xPOTRF).
///
/// # Errors
/// [`Error::NotPositiveDefinite`] where a leading minor is not positive: the triangle is partly overwritten. Others as for
/// [`getrf`].
pub fn potrf<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    let found = Indices::new(&mut []);
    dispatch_lapack(
        operations::<T>(cube(n) / 6),
        (a,),
        |(a,)| found.on_host(|_| host::potrf(triangle, on_host_mut(a))),
        |queue, (a,)| found.on_device(queue, |_, info| device::potrf_on(queue, triangle, a, info)),
    )?;
    not_positive(found.info())
}

/// Solves A X = B with [`potrf`]'s factor of A, X in B's place (LAPACK: xPOTRS).
///
/// # Errors
/// [`Error::ShapeMismatch`] where the sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one memory; and
/// what a device reports.
pub fn potrs<T: Scalar>(triangle: Triangle, factor: MatrixRef<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("the factor", factor.rows(), factor.columns())?;
    rows_agree("the factor", n, &b)?;
    dispatch_lapack(
        solution_operations::<T>(n, b.columns()),
        (factor, b),
        |(factor, b)| host::potrs(triangle, on_host(factor), on_host_mut(b)),
        |queue, (factor, b)| device::potrs_on(queue, triangle, factor, b),
    )
}

/// Solves A X = B for a symmetric or Hermitian positive definite A, by [`potrf`] and [`potrs`] (LAPACK: xPOSV).
///
/// # Errors
/// As for [`potrf`]; then B is as it was.
pub fn posv<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    rows_agree("A", n, &b)?;
    let work = operations::<T>(cube(n) / 6).saturating_add(solution_operations::<T>(n, b.columns()));
    let found = Indices::new(&mut []);
    dispatch_lapack(
        work,
        (a, b),
        |(a, b)| found.on_host(|_| host::posv(triangle, on_host_mut(a), on_host_mut(b))),
        |queue, (a, b)| found.on_device(queue, |_, info| device::posv_on(queue, triangle, a, b, info)),
    )?;
    not_positive(found.info())
}

/// The triangle named of the inverse, from [`potrf`]'s factor in it (LAPACK: xPOTRI).
///
/// # Errors
/// [`Error::ZeroPivot`] where an element of the factor's diagonal is zero: nothing is changed. Others as for [`potrf`].
pub fn potri<T: Scalar>(triangle: Triangle, factor: MatrixMut<'_, T>) -> Result<()> {
    let n = square("the factor", factor.rows(), factor.columns())?;
    let found = Indices::new(&mut []);
    dispatch_lapack(
        operations::<T>(cube(n) / 3),
        (factor,),
        |(a,)| found.on_host(|_| host::potri(triangle, on_host_mut(a))),
        |queue, (a,)| found.on_device(queue, |_, info| device::potri_on(queue, triangle, a, info)),
    )?;
    zero_pivot(found.info())
}

/// A = Q R for any m x n A (LAPACK: xGEQRF): R takes the place of A's diagonal and of what is above it. Below it are the vectors
/// v of reflections I - tau v vᴴ, whose first elements are 1 and not stored, and whose product Q is; their factors are in `tau`,
/// min(m, n) of them. R's diagonal is real.
///
/// # Errors
/// [`Error::ShapeMismatch`] where there is no place for min(m, n) factors; and what a device reports.
pub fn geqrf<T: Scalar>(a: MatrixMut<'_, T>, tau: &mut [T]) -> Result<()> {
    let (rows, columns) = (a.rows(), a.columns());
    let order = rows.min(columns);
    check_length("tau", tau.len(), order)?;
    if order == 0 {
        return Ok(());
    }
    let work = factor_operations::<T>(rows, columns, order);
    let factors = RefCell::new(&mut tau[..order]);
    dispatch_lapack(
        work,
        (a,),
        |(a,)| host::geqrf(on_host_mut(a), *factors.borrow_mut()),
        |queue, (a,)| {
            let factors = &mut **factors.borrow_mut();
            let memory = DeviceBuffer::new(queue.context(), size_of_val(factors), "factors of reflections")?;
            let view = VectorMut::from_device(&memory, VectorShape::new(order, 0, 1)?, "tau")?;
            device::geqrf_on(queue, a, view)?.wait()?;
            memory.read(queue, factors)?;
            Ok(Event::Complete)
        },
    )
}

/// The first n columns of the Q of k reflections that [`geqrf`] left in the first k columns of an m x n A, in A's place (LAPACK:
/// xORGQR, xUNGQR). `tau` holds their k factors; m >= n >= k.
///
/// # Errors
/// As for [`geqrf`], and [`Error::ShapeMismatch`] where the sizes do not agree.
pub fn orgqr<T: Scalar>(a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    let (m, n, k) = (a.rows(), a.columns(), tau.len());
    if n > m || k > n {
        return Err(Error::ShapeMismatch(format!("{n} columns of Q have {m} rows and are made of {k} reflections")));
    }
    dispatch_lapack(
        factor_operations::<T>(m, n, k),
        (a,),
        |(a,)| host::orgqr(on_host_mut(a), tau),
        |queue, (a,)| with_factors(queue, tau, |tau| device::orgqr_on(queue, a, tau)),
    )
}

/// C := op(Q) C (left) or C op(Q) (right) for the Q of the reflections that [`geqrf`] left in A's columns, of which there are as
/// many as factors in `tau` (LAPACK: xORMQR, xUNMQR). All four operations are allowed.
///
/// # Errors
/// As for [`orgqr`].
pub fn ormqr<T: Scalar>(side: Side, op: Op, a: MatrixRef<'_, T>, tau: &[T], c: MatrixMut<'_, T>) -> Result<()> {
    let order = if side == Side::Left { c.rows() } else { c.columns() };
    let (m, k) = (a.rows(), tau.len());
    if m != order || k > m || k > a.columns() {
        let (rows, columns) = (c.rows(), c.columns());
        let sizes = format!("{k} reflections in a {m} x {} matrix, applied to a {rows} x {columns} one", a.columns());
        return Err(Error::ShapeMismatch(sizes));
    }
    let others = if side == Side::Left { c.columns() } else { c.rows() };
    dispatch_lapack(
        reflected_operations::<T>(m, others, k),
        (a, c),
        |(a, c)| host::ormqr(side, op, on_host(a), tau, on_host_mut(c)),
        |queue, (a, c)| with_factors(queue, tau, |tau| device::ormqr_on(queue, side, op, a, tau, c)),
    )
}

/// For each column b of B, the x that minimises ||b - op(A) x||; where that is zero for many x, the one of least norm (LAPACK:
/// xGELS). A has full rank; it is overwritten by its factors, those of geqrf or, where it is wider than high, of gelqf. B has
/// max(m, n) rows: b in the first ones, and then x.
///
/// `op` is [`Op::Keep`] or [`Op::Adjoint`]; for the real types [`Op::Transpose`] is the same.
///
/// # Errors
/// [`Error::RankDeficient`] where the triangular factor has a zero on its diagonal: A and B are overwritten.
/// [`Error::ShapeMismatch`] where the sizes do not agree; [`Error::InvalidArgument`] where another operation is asked for;
/// [`Error::MixedMemory`] where the matrices do not lie in one memory; and what a device reports.
pub fn gels<T: Scalar>(op: Op, a: MatrixMut<'_, T>, b: MatrixMut<'_, T>) -> Result<()> {
    let op = device::keep_or_adjoint::<T>(op)?;
    let (rows, order) = (a.rows().max(a.columns()), a.rows().min(a.columns()));
    rows_agree("the longer side of A", rows, &b)?;
    let (factors, solution) =
        (factor_operations::<T>(rows, order, order), reflected_operations::<T>(rows, b.columns(), order));
    let work = factors.saturating_add(solution);
    let found = Indices::new(&mut []);
    dispatch_lapack(
        work,
        (a, b),
        |(a, b)| found.on_host(|_| host::gels(op, on_host_mut(a), on_host_mut(b))),
        |queue, (a, b)| found.on_device(queue, |_, info| device::gels_on(queue, op, a, b, info)),
    )?;
    found.info().map_or(Ok(()), |index| Err(Error::RankDeficient { rank: index - 1, full: order }))
}

/// The inverse of a triangular matrix, in its place (LAPACK: xTRTRI). The other triangle, and a diagonal of ones, are not
/// touched.
///
/// # Errors
/// [`Error::ZeroPivot`] where an element of the diagonal is zero: nothing is changed. Others as for [`potrf`].
pub fn trtri<T: Scalar>(triangle: Triangle, diagonal: Diagonal, a: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    let found = Indices::new(&mut []);
    dispatch_lapack(
        operations::<T>(cube(n) / 6),
        (a,),
        |(a,)| found.on_host(|_| host::trtri(triangle, diagonal, on_host_mut(a))),
        |queue, (a,)| found.on_device(queue, |_, info| device::trtri_on(queue, triangle, diagonal, a, info)),
    )?;
    zero_pivot(found.info())
}

/// Solves op(A) X = B for a triangular A, X in B's place (LAPACK: xTRTRS).
///
/// # Errors
/// [`Error::ZeroPivot`] where an element of the diagonal is zero: nothing is changed. Others as for [`potrs`].
pub fn trtrs<T: Scalar>(
    triangle: Triangle,
    op: Op,
    diagonal: Diagonal,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    rows_agree("A", n, &b)?;
    let found = Indices::new(&mut []);
    dispatch_lapack(
        solution_operations::<T>(n, b.columns()) / 2,
        (a, b),
        |(a, b)| found.on_host(|_| host::trtrs(triangle, op, diagonal, on_host(a), on_host_mut(b))),
        |queue, (a, b)| found.on_device(queue, |_, info| device::trtrs_on(queue, triangle, op, diagonal, a, b, info)),
    )?;
    zero_pivot(found.info())
}

/// U Uᴴ or Lᴴ L in the place of the triangular factor (LAPACK: xLAUUM). The other triangle is not touched.
///
/// # Errors
/// As for [`potrs`].
pub fn lauum<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    dispatch_lapack(
        operations::<T>(cube(n) / 6),
        (a,),
        |(a,)| host::lauum(triangle, on_host_mut(a)),
        |queue, (a,)| device::lauum_on(queue, triangle, a),
    )
}

/// Pivots in the host's memory, and the info, of work that is done on the host or on a device.
struct Indices<'p> {
    found: RefCell<(&'p mut [i32], host::Info)>,
}

impl<'p> Indices<'p> {
    const fn new(pivots: &'p mut [i32]) -> Self {
        Indices { found: RefCell::new((pivots, None)) }
    }

    fn on_host(&self, work: impl FnOnce(&mut [i32]) -> host::Info) {
        let (pivots, info) = &mut *self.found.borrow_mut();
        *info = work(pivots);
    }

    /// Brings the pivots to the device and back, and waits for the work.
    fn on_device(
        &self,
        queue: &Queue,
        work: impl for<'m> FnOnce(VectorMut<'m, i32>, VectorMut<'m, i32>) -> Result<Event>,
    ) -> Result<Event> {
        let (pivots, info) = &mut *self.found.borrow_mut();
        // The info, and then the pivots.
        let mut numbers = vec![0; pivots.len() + 1];
        numbers[1..].copy_from_slice(pivots);
        let memory = DeviceBuffer::new(queue.context(), size_of_val(numbers.as_slice()), "pivots")?;
        memory.write(queue, &numbers)?;
        let view = |count, offset| VectorMut::from_device(&memory, VectorShape::new(count, offset, 1)?, "pivots");
        work(view(pivots.len(), 1)?, view(1, 0)?)?.wait()?;
        memory.read(queue, &mut numbers)?;
        pivots.copy_from_slice(&numbers[1..]);
        *info = usize::try_from(numbers[0]).ok().filter(|index| *index > 0);
        Ok(Event::Complete)
    }

    fn info(&self) -> host::Info {
        self.found.borrow().1
    }
}

/// Brings factors of reflections to the device, and waits for the work.
fn with_factors<T: Scalar>(
    queue: &Queue,
    tau: &[T],
    work: impl for<'m> FnOnce(VectorRef<'m, T>) -> Result<Event>,
) -> Result<Event> {
    let memory = DeviceBuffer::new(queue.context(), size_of_val(tau).max(1), "factors of reflections")?;
    if !tau.is_empty() {
        memory.write(queue, tau)?;
    }
    work(VectorRef::from_device(&memory, VectorShape::new(tau.len(), 0, 1)?, "tau")?)?.wait()?;
    Ok(Event::Complete)
}

/// Of k reflections, each beginning a row further down, applied to an m x n matrix.
fn reflected_operations<T: Scalar>(m: usize, n: usize, k: usize) -> u64 {
    let [m, n, k] = [m, n, k].map(|size| size as u64);
    operations::<T>(n.saturating_mul(k).saturating_mul((2 * m).saturating_sub(k)))
}

/// Of k reflections that each begin a row further down and a column further right in an m x n matrix.
pub(super) fn factor_operations<T: Scalar>(m: usize, n: usize, k: usize) -> u64 {
    // The sum of 2 (m - j) (n - j) over j: k (2 m n - (m + n) k + 2 k² / 3).
    let [m, n, k] = [m, n, k].map(|size| size as u128);
    let pairs = k * (2 * m * n + 2 * k * k / 3 - (m + n) * k);
    operations::<T>(u64::try_from(pairs).unwrap_or(u64::MAX))
}

/// n³.
pub(super) const fn cube(n: usize) -> u64 {
    let n = n as u64;
    n.saturating_mul(n).saturating_mul(n)
}

/// Real operations of so many multiplications and additions.
pub(super) const fn operations<T: Scalar>(pairs: u64) -> u64 {
    pairs.saturating_mul(T::KIND.multiply_add_operations())
}

/// Of two triangular systems.
pub(super) const fn solution_operations<T: Scalar>(n: usize, columns: usize) -> u64 {
    operations::<T>((n as u64).saturating_mul(n as u64).saturating_mul(columns as u64))
}

fn zero_pivot(info: host::Info) -> Result<()> {
    info.map_or(Ok(()), |index| Err(Error::ZeroPivot { index }))
}

fn not_positive(info: host::Info) -> Result<()> {
    info.map_or(Ok(()), |index| Err(Error::NotPositiveDefinite { index }))
}

fn on_the_host_mut<'a, T: Scalar>(name: &'static str, a: MatrixMut<'a, T>) -> Result<faer::MatMut<'a, T>> {
    check_memory(name, &a.memory)?;
    Ok(on_host_mut(a))
}

fn check_memory<T>(name: &'static str, memory: &Memory<'_, T>) -> Result<()> {
    match memory {
        Memory::Host(..) => Ok(()),
        Memory::Device(_) => {
            Err(Error::argument(name, "it lies in a device's memory; this routine works in the host's"))
        }
    }
}

pub(super) fn square(name: &str, rows: usize, columns: usize) -> Result<usize> {
    if rows == columns {
        return Ok(rows);
    }
    Err(Error::ShapeMismatch(format!("{name}: {rows} x {columns}, and not square")))
}

fn rows_agree<T: Scalar>(name: &str, rows: usize, b: &MatrixMut<'_, T>) -> Result<()> {
    if b.rows() == rows {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{name}: {rows} rows; B: {}", b.rows())))
}

fn check_length(name: &str, length: usize, needed: usize) -> Result<()> {
    if length >= needed {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{name}: {length} elements, and {needed} are needed")))
}

/// Rows are numbered by `i32`.
fn check_pivots_count<T: Scalar>(a: &MatrixMut<'_, T>) -> Result<()> {
    if a.rows() <= i32::MAX as usize {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("{} rows are more than pivots can number", a.rows())))
}

/// The first `count` pivots, which number rows from 1 to `rows`.
fn check_pivots(pivots: &[i32], count: usize, rows: usize) -> Result<&[i32]> {
    check_length("pivots", pivots.len(), count)?;
    let pivots = &pivots[..count];
    match pivots.iter().find(|pivot| !usize::try_from(**pivot).is_ok_and(|row| (1..=rows).contains(&row))) {
        Some(pivot) => Err(Error::argument("pivots", format!("{pivot} is no row from 1 to {rows}"))),
        None => Ok(pivots),
    }
}
