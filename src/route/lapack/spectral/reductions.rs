//! Tridiagonal and bidiagonal forms, their factors, and the iterations on them.

use affinimath_macros::instances;

use super::*;
use crate::context::Event;
use crate::options::{Op, Side, Triangle};
use crate::route::lapack::staged::{Adjacent, DeviceInfo, adjacent, adjacent_of};
use crate::view::VectorRef;
use host::{BidiagonalFactor, Spectrum};

/// A vector of a device's memory with its copy on the host.
struct Copied<'a, V> {
    memory: Adjacent<'a>,
    values: Vec<V>,
}

impl<'a, V: Element> Copied<'a, V> {
    fn of(queue: &Queue, name: &'static str, vector: &VectorMut<'a, V>, length: usize) -> Result<Self> {
        check_vector(name, vector, length)?;
        let memory = adjacent(queue, vector, name)?;
        Ok(Copied { values: memory.read(queue, length)?, memory })
    }

    fn write(&self, queue: &Queue) -> Result<()> {
        self.memory.write(queue, &self.values)
    }
}

/// The elements of a vector that is read.
fn read_of<T: Element>(queue: &Queue, vector: &VectorRef<'_, T>, length: usize) -> Result<Vec<T>> {
    check_length("tau", vector.length(), length)?;
    adjacent_of(queue, vector, "tau")?.read(queue, length)
}

const fn off_diagonal(n: usize) -> usize {
    n.saturating_sub(1)
}

/// The tridiagonal form of a symmetric or Hermitian matrix, Qᴴ A Q = T with a real T (LAPACK: xSYTRD, xHETRD). One
/// triangle is read and gets T and the vectors of Q's reflectors. `d` gets the n elements of T's diagonal, `e` the
/// n - 1 beside it, `tau` the n - 1 factors of the reflectors.
///
/// # Errors
/// [`Error::ShapeMismatch`] where A is not square, or a vector is too short; and what a device reports.
#[instances]
pub fn hetrd<T: Scalar>(
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    tau: &mut [T],
) -> Result<()> {
    tridiagonal_form(None, triangle, a, d, e, tau)
}

/// The same for operands in a device's memory.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`hetrd`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn hetrd_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T::RealScalar>,
    tau: VectorMut<'_, T>,
) -> Result<Event> {
    let n = square("A", a.rows(), a.columns())?;
    let (mut d, mut e) = (Copied::of(queue, "d", &d, n)?, Copied::of(queue, "e", &e, off_diagonal(n))?);
    let mut tau = Copied::of(queue, "tau", &tau, off_diagonal(n))?;
    tridiagonal_form(Some(queue), triangle, a, &mut d.values, &mut e.values, &mut tau.values)?;
    d.write(queue)?;
    e.write(queue)?;
    tau.write(queue)?;
    Ok(Event::Complete)
}

fn tridiagonal_form<T: Scalar>(
    queue: Option<&Queue>,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    tau: &mut [T],
) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    check_length("d", d.len(), n)?;
    check_length("e", e.len(), off_diagonal(n))?;
    check_length("tau", tau.len(), off_diagonal(n))?;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|a| host::hetrd(triangle, a, d, e, tau)));
    })
}

/// The Q of [`hetrd`] in place of its reflectors (LAPACK: xORGTR, xUNGTR).
///
/// # Errors
/// [`Error::ShapeMismatch`] where A is not square, or `tau` has fewer than n - 1 elements; and what a device reports.
#[instances]
pub fn orgtr<T: Scalar>(triangle: Triangle, a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    form_q(None, triangle, a, tau)
}

/// The same for operands in a device's memory. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`orgtr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn orgtr_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: MatrixMut<'_, T>,
    tau: VectorRef<'_, T>,
) -> Result<Event> {
    let tau = read_of(queue, &tau, off_diagonal(a.rows()))?;
    form_q(Some(queue), triangle, a, &tau)?;
    Ok(Event::Complete)
}

fn form_q<T: Scalar>(queue: Option<&Queue>, triangle: Triangle, a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    let n = square("A", a.rows(), a.columns())?;
    check_length("tau", tau.len(), off_diagonal(n))?;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|a| host::orgtr(triangle, a, tau)));
    })
}

/// C := op(Q) C or C op(Q) for the Q of [`hetrd`] (LAPACK: xORMTR, xUNMTR).
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
#[instances]
pub fn ormtr<T: Scalar>(
    side: Side,
    triangle: Triangle,
    op: Op,
    a: MatrixRef<'_, T>,
    tau: &[T],
    c: MatrixMut<'_, T>,
) -> Result<()> {
    apply_q(None, (side, triangle, op), a, tau, c)
}

/// The same for operands in a device's memory. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`ormtr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn ormtr_on<T: Scalar>(
    queue: &Queue,
    (side, triangle, op): (Side, Triangle, Op),
    a: MatrixRef<'_, T>,
    tau: VectorRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let tau = read_of(queue, &tau, off_diagonal(a.rows()))?;
    apply_q(Some(queue), (side, triangle, op), a, &tau, c)?;
    Ok(Event::Complete)
}

/// The size of C that a factor on this side has.
const fn order_of<T: Scalar>(side: Side, c: &MatrixMut<'_, T>) -> usize {
    match side {
        Side::Left => c.rows(),
        Side::Right => c.columns(),
    }
}

fn apply_q<T: Scalar>(
    queue: Option<&Queue>,
    (side, triangle, op): (Side, Triangle, Op),
    a: MatrixRef<'_, T>,
    tau: &[T],
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let (n, order) = (square("A", a.rows(), a.columns())?, order_of(side, &c));
    if n != order {
        return Err(Error::ShapeMismatch(format!("A has {n} rows, and C's size at its side is {order}")));
    }
    check_length("tau", tau.len(), off_diagonal(n))?;
    with_copies(queue, vec![a], vec![c], |read, written| {
        let (Some(a), Some(c)) = (read.into_iter().next(), written.into_iter().next()) else { return };
        on_living_thread(|| host::ormtr(side, triangle, op, a, tau, c));
    })
}

/// The method for eigenvalues of a tridiagonal matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TridiagonalMethod {
    /// QL and QR iteration (LAPACK: xSTEQR).
    Iteration,
    /// Divide and conquer (LAPACK: xSTEDC).
    DivideAndConquer,
}

/// A matrix for the eigenvectors of a tridiagonal matrix.
pub enum TridiagonalVectors<'a, T> {
    /// They are not computed.
    None,
    /// Its n columns are multiplied by them from the right: the Q of [`hetrd`] gets the eigenvectors of its matrix.
    Product(MatrixMut<'a, T>),
    /// An n x n matrix that they overwrite.
    Into(MatrixMut<'a, T>),
}

/// Eigenvalues of a real symmetric tridiagonal matrix in ascending order, in place of its diagonal `d` (LAPACK: xSTEQR,
/// xSTEDC, xSTERF, xSTEV), and orthonormal eigenvectors where they are wanted. The n - 1 elements of `e` are
/// overwritten.
///
/// # Errors
/// [`Error::NoConvergence`] where an element is not finite, or the iteration does not converge.
/// [`Error::ShapeMismatch`] where `e` has fewer than n - 1 elements or Z other than n columns; and what a device
/// reports.
///
/// # Example
/// ```
/// use affinimath::{TridiagonalMethod, TridiagonalVectors, tridiagonal_eigen};
///
/// let (mut d, mut e) = ([2.0_f64, 2.0], [1.0]);
/// tridiagonal_eigen::<f64>(TridiagonalMethod::Iteration, &mut d, &mut e, TridiagonalVectors::None)?;
/// assert!((d[0] - 1.0).abs() < 1e-15 && (d[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn tridiagonal_eigen<T: Scalar>(
    method: TridiagonalMethod,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    z: TridiagonalVectors<'_, T>,
) -> Result<()> {
    no_convergence(iterate(None, method, d, e, z)?)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`tridiagonal_eigen`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn tridiagonal_eigen_on<T: Scalar>(
    queue: &Queue,
    method: TridiagonalMethod,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T::RealScalar>,
    z: TridiagonalVectors<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = d.length();
    let (mut d, mut e) = (Copied::of(queue, "d", &d, n)?, Copied::of(queue, "e", &e, off_diagonal(n))?);
    let info = DeviceInfo::new(queue, &info)?;
    let found = iterate(Some(queue), method, &mut d.values, &mut e.values, z)?;
    d.write(queue)?;
    e.write(queue)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn iterate<T: Scalar>(
    queue: Option<&Queue>,
    method: TridiagonalMethod,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    z: TridiagonalVectors<'_, T>,
) -> Result<Info> {
    let n = d.len();
    check_length("e", e.len(), off_diagonal(n))?;
    let (z, fresh) = match z {
        TridiagonalVectors::None => (None, false),
        TridiagonalVectors::Product(z) => (Some(z), false),
        TridiagonalVectors::Into(z) => (Some(z), true),
    };
    if let Some(z) = &z {
        check_matrix("Z", z, if fresh { n } else { z.rows() }, n)?;
    }
    let mut info = None;
    with_copies(queue, vec![], z.into_iter().collect(), |_, matrices| {
        on_living_thread(|| {
            let mut z = matrices.into_iter().next();
            if let (true, Some(z)) = (fresh, &mut z) {
                z.fill(T::ZERO);
                (0..n).for_each(|i| z[(i, i)] = T::ONE);
            }
            info = match method {
                TridiagonalMethod::Iteration => host::steqr::<T>(d, e, z),
                TridiagonalMethod::DivideAndConquer => host::stedc::<T>(d, e, z),
            };
        });
    })?;
    Ok(info)
}

/// Some eigenvalues of a real symmetric tridiagonal matrix in ascending order (LAPACK: xSTEVR, xSTEVX), and orthonormal
/// eigenvectors in the first columns of Z. Gives their number. `d` and `e` are not changed; `w` has n elements.
///
/// # Errors
/// The errors of [`tridiagonal_eigen`]; [`Error::InvalidArgument`] where indices are not those of eigenvalues.
#[instances]
pub fn stevr<T: Scalar>(
    spectrum: Spectrum,
    d: &[T::RealScalar],
    e: &[T::RealScalar],
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<usize> {
    let (count, info) = select_of_tridiagonal(None, spectrum, (d, e), w, z)?;
    no_convergence(info).map(|()| count)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`stevr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn stevr_on<T: Scalar>(
    queue: &Queue,
    spectrum: Spectrum,
    [d, e]: [VectorMut<'_, T::RealScalar>; 2],
    w: VectorMut<'_, T::RealScalar>,
    z: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<(Event, usize)> {
    let n = d.length();
    let (d, e) = (Copied::of(queue, "d", &d, n)?, Copied::of(queue, "e", &e, off_diagonal(n))?);
    let (mut w, info) = (Copied::of(queue, "w", &w, n)?, DeviceInfo::new(queue, &info)?);
    let (count, found) = select_of_tridiagonal(Some(queue), spectrum, (&d.values, &e.values), &mut w.values, z)?;
    w.write(queue)?;
    info.write(queue, found)?;
    Ok((Event::Complete, count))
}

fn select_of_tridiagonal<T: Scalar>(
    queue: Option<&Queue>,
    spectrum: Spectrum,
    (d, e): (&[T::RealScalar], &[T::RealScalar]),
    w: &mut [T::RealScalar],
    z: Option<MatrixMut<'_, T>>,
) -> Result<(usize, Info)> {
    let n = d.len();
    check_length("e", e.len(), off_diagonal(n))?;
    check_length("w", w.len(), n)?;
    super::hermitian::check_spectrum(spectrum, n, z.as_ref())?;
    let mut found = (0, None);
    with_copies(queue, vec![], z.into_iter().collect(), |_, matrices| {
        on_living_thread(|| found = host::stevr::<T>(spectrum, d, e, w, matrices.into_iter().next()));
    })?;
    Ok(found)
}

/// The bidiagonal form of a matrix, Qᴴ A P = B with a real B (LAPACK: xGEBRD): upper bidiagonal where m >= n, else
/// lower. A gets B and the vectors of the reflectors; `d` gets the min(m, n) elements of B's diagonal, `e` those beside
/// it, `tauq` and `taup` min(m, n) factors of Q's and P's reflectors.
///
/// # Errors
/// [`Error::ShapeMismatch`] where a vector is too short; and what a device reports.
#[instances]
pub fn gebrd<T: Scalar>(
    a: MatrixMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    tauq: &mut [T],
    taup: &mut [T],
) -> Result<()> {
    bidiagonal_form(None, a, (d, e), (tauq, taup))
}

/// The same for operands in a device's memory; `tau` are Q's factors and P's. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`gebrd`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gebrd_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T::RealScalar>,
    tau: [VectorMut<'_, T>; 2],
) -> Result<Event> {
    let order = a.rows().min(a.columns());
    let (mut d, mut e) = (Copied::of(queue, "d", &d, order)?, Copied::of(queue, "e", &e, off_diagonal(order))?);
    let mut tauq = Copied::of(queue, "tauq", &tau[0], order)?;
    let mut taup = Copied::of(queue, "taup", &tau[1], order)?;
    bidiagonal_form(Some(queue), a, (&mut d.values, &mut e.values), (&mut tauq.values, &mut taup.values))?;
    d.write(queue)?;
    e.write(queue)?;
    tauq.write(queue)?;
    taup.write(queue)?;
    Ok(Event::Complete)
}

fn bidiagonal_form<T: Scalar>(
    queue: Option<&Queue>,
    a: MatrixMut<'_, T>,
    (d, e): (&mut [T::RealScalar], &mut [T::RealScalar]),
    (tauq, taup): (&mut [T], &mut [T]),
) -> Result<()> {
    let order = a.rows().min(a.columns());
    check_length("d", d.len(), order)?;
    check_length("e", e.len(), off_diagonal(order))?;
    check_length("tauq", tauq.len(), order)?;
    check_length("taup", taup.len(), order)?;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|a| host::gebrd(a, d, e, tauq, taup)));
    })
}

/// The first columns of the Q of [`gebrd`], or the first rows of its Pᴴ, in place of the reflectors (LAPACK: xORGBR,
/// xUNGBR). `other` is the reduced matrix's number of columns for Q, of rows for P.
///
/// # Errors
/// [`Error::ShapeMismatch`] where A is not as tall as wide at least for Q, or as wide as tall for P, or does not have
/// all reflectors, or `tau` is too short; and what a device reports.
#[instances]
pub fn orgbr<T: Scalar>(factor: BidiagonalFactor, other: usize, a: MatrixMut<'_, T>, tau: &[T]) -> Result<()> {
    form_factor(None, factor, other, a, tau)
}

/// The same for operands in a device's memory. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`orgbr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn orgbr_on<T: Scalar>(
    queue: &Queue,
    factor: BidiagonalFactor,
    other: usize,
    a: MatrixMut<'_, T>,
    tau: VectorRef<'_, T>,
) -> Result<Event> {
    let tau = read_of(queue, &tau, a.rows().max(a.columns()).min(other))?;
    form_factor(Some(queue), factor, other, a, &tau)?;
    Ok(Event::Complete)
}

fn form_factor<T: Scalar>(
    queue: Option<&Queue>,
    factor: BidiagonalFactor,
    other: usize,
    a: MatrixMut<'_, T>,
    tau: &[T],
) -> Result<()> {
    let (long, short) = match factor {
        BidiagonalFactor::Q => (a.rows(), a.columns()),
        BidiagonalFactor::P => (a.columns(), a.rows()),
    };
    if short > long || short < long.min(other) {
        let min = long.min(other);
        return Err(Error::ShapeMismatch(format!("A's sizes: {long} and {short}, which is not from {min} to {long}")));
    }
    check_length("tau", tau.len(), long.min(other))?;
    with_copies(queue, vec![], vec![a], |_, matrices| {
        on_living_thread(|| matrices.into_iter().for_each(|a| host::orgbr(factor, other, a, tau)));
    })
}

/// C := op(Q) C or C op(Q) for the Q or the P of [`gebrd`] (LAPACK: xORMBR, xUNMBR). `other` is the reduced matrix's
/// number of columns for Q, of rows for P; A has the reflectors in its columns, or in its rows.
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
#[instances]
pub fn ormbr<T: Scalar>(
    factor: BidiagonalFactor,
    (side, op): (Side, Op),
    other: usize,
    a: MatrixRef<'_, T>,
    tau: &[T],
    c: MatrixMut<'_, T>,
) -> Result<()> {
    apply_factor(None, (factor, side, op), other, a, tau, c)
}

/// The same for operands in a device's memory. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`ormbr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn ormbr_on<T: Scalar>(
    queue: &Queue,
    (factor, side, op): (BidiagonalFactor, Side, Op),
    other: usize,
    a: MatrixRef<'_, T>,
    tau: VectorRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let tau = read_of(queue, &tau, order_of(side, &c).min(other))?;
    apply_factor(Some(queue), (factor, side, op), other, a, &tau, c)?;
    Ok(Event::Complete)
}

fn apply_factor<T: Scalar>(
    queue: Option<&Queue>,
    (factor, side, op): (BidiagonalFactor, Side, Op),
    other: usize,
    a: MatrixRef<'_, T>,
    tau: &[T],
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let order = order_of(side, &c);
    let count = order.min(other);
    let needed = if factor == BidiagonalFactor::Q { (order, count) } else { (count, order) };
    if (a.rows(), a.columns()) != needed {
        let (given, (rows, columns)) = ((a.rows(), a.columns()), needed);
        return Err(Error::ShapeMismatch(format!("A: {} x {}, and not {rows} x {columns}", given.0, given.1)));
    }
    check_length("tau", tau.len(), count)?;
    with_copies(queue, vec![a], vec![c], |read, written| {
        let (Some(a), Some(c)) = (read.into_iter().next(), written.into_iter().next()) else { return };
        on_living_thread(|| host::ormbr(factor, (side, op), other, a, tau, c));
    })
}

/// Matrices that the singular vectors of a bidiagonal B = Q diag(s) Pᵀ multiply.
pub struct BidiagonalVectors<'a, T> {
    /// n rows: gets Pᵀ Vᴴ.
    pub vt: Option<MatrixMut<'a, T>>,
    /// n columns: gets U Q.
    pub u: Option<MatrixMut<'a, T>>,
    /// n rows: gets Qᵀ C.
    pub c: Option<MatrixMut<'a, T>>,
}

/// Singular values of a real bidiagonal matrix in descending order, in place of its diagonal `d`, each to high relative
/// accuracy (LAPACK: xBDSQR). `e` has the n - 1 elements above the diagonal, or below it, which are overwritten.
///
/// # Errors
/// [`Error::NoConvergence`] where an element is not finite, or the iteration does not converge.
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
#[instances]
pub fn bdsqr<T: Scalar>(
    triangle: Triangle,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    vectors: BidiagonalVectors<'_, T>,
) -> Result<()> {
    no_convergence(iterate_bidiagonal(None, triangle, d, e, vectors)?)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`hetrd_on`].
///
/// # Errors
/// The errors of [`bdsqr`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn bdsqr_on<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    d: VectorMut<'_, T::RealScalar>,
    e: VectorMut<'_, T::RealScalar>,
    vectors: BidiagonalVectors<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = d.length();
    let (mut d, mut e) = (Copied::of(queue, "d", &d, n)?, Copied::of(queue, "e", &e, off_diagonal(n))?);
    let info = DeviceInfo::new(queue, &info)?;
    let found = iterate_bidiagonal(Some(queue), triangle, &mut d.values, &mut e.values, vectors)?;
    d.write(queue)?;
    e.write(queue)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn iterate_bidiagonal<T: Scalar>(
    queue: Option<&Queue>,
    triangle: Triangle,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    vectors: BidiagonalVectors<'_, T>,
) -> Result<Info> {
    let n = d.len();
    check_length("e", e.len(), off_diagonal(n))?;
    let BidiagonalVectors { vt, u, c } = vectors;
    for (name, matrix) in [("VT", &vt), ("C", &c)] {
        if let Some(matrix) = matrix {
            check_matrix(name, matrix, n, matrix.columns())?;
        }
    }
    if let Some(u) = &u {
        check_matrix("U", u, u.rows(), n)?;
    }
    let has = [vt.is_some(), u.is_some(), c.is_some()];
    let mut info = None;
    with_copies(queue, vec![], [vt, u, c].into_iter().flatten().collect(), |_, matrices| {
        let mut matrices = matrices.into_iter();
        let [vt, u, c] = has.map(|has| if has { matrices.next() } else { None });
        on_living_thread(|| info = host::bdsqr::<T>(triangle, d, e, vt, u, c));
    })?;
    Ok(info)
}
