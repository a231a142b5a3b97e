//! Pencils of general matrices.

use affinimath_macros::instances;

use super::{Error, Queue, Result, check_length, check_matrix, check_vector, no_convergence, with_copies};
use crate::context::Event;
use crate::host::lapack::{self as host, Info, LeadingQuotients, SelectPencil};
use crate::host::on_living_thread;
use crate::route::lapack::square;
use crate::route::lapack::staged::{Adjacent, DeviceInfo, adjacent};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut};

/// Eigenvalues alpha / beta in the host's memory, n of each: real and imaginary parts of alpha, and beta.
pub struct Quotients<'a, R> {
    /// Gets the real parts of alpha.
    pub alphar: &'a mut [R],
    /// Gets the imaginary parts of alpha.
    pub alphai: &'a mut [R],
    /// Gets beta, which is real and not negative.
    pub beta: &'a mut [R],
}

impl<R> Quotients<'_, R> {
    fn check(&self, n: usize) -> Result<()> {
        check_length("alphar", self.alphar.len(), n)?;
        check_length("alphai", self.alphai.len(), n)?;
        check_length("beta", self.beta.len(), n)
    }
}

/// Eigenvalues alpha / beta in a device's memory, n of each.
pub enum DeviceQuotients<'a, T: Scalar> {
    /// Real parts and imaginary parts of alpha, and beta.
    Parts(VectorMut<'a, T::RealScalar>, VectorMut<'a, T::RealScalar>, VectorMut<'a, T::RealScalar>),
    /// Alpha and beta as elements of the matrices' type, which is complex.
    Elements(VectorMut<'a, T>, VectorMut<'a, T>),
}

/// Memory of eigenvalues, checked before they are computed.
enum Target<'a> {
    Parts([Adjacent<'a>; 3]),
    Elements([Adjacent<'a>; 2]),
}

/// Eigenvalues on the host, on their way to a device.
struct Staged<R> {
    alphar: Vec<R>,
    alphai: Vec<R>,
    beta: Vec<R>,
}

impl<R: Scalar> Staged<R> {
    fn new(n: usize) -> Self {
        let zeros = || vec![R::ZERO; n];
        Staged { alphar: zeros(), alphai: zeros(), beta: zeros() }
    }

    fn view(&mut self) -> Quotients<'_, R> {
        Quotients { alphar: &mut self.alphar, alphai: &mut self.alphai, beta: &mut self.beta }
    }
}

impl<'a> Target<'a> {
    fn of<T: Scalar>(queue: &Queue, values: &DeviceQuotients<'a, T>, n: usize) -> Result<Self> {
        match values {
            DeviceQuotients::Parts(alphar, alphai, beta) => {
                for (name, part) in [("alphar", alphar), ("alphai", alphai), ("beta", beta)] {
                    check_vector(name, part, n)?;
                }
                Ok(Target::Parts([
                    adjacent(queue, alphar, "alphar")?,
                    adjacent(queue, alphai, "alphai")?,
                    adjacent(queue, beta, "beta")?,
                ]))
            }
            DeviceQuotients::Elements(..) if !T::KIND.is_complex() => {
                Err(Error::argument("alpha", "eigenvalues of real matrices are complex: give two vectors"))
            }
            DeviceQuotients::Elements(alpha, beta) => {
                check_vector("alpha", alpha, n)?;
                check_vector("beta", beta, n)?;
                Ok(Target::Elements([adjacent(queue, alpha, "alpha")?, adjacent(queue, beta, "beta")?]))
            }
        }
    }

    fn write<T: Scalar>(&self, queue: &Queue, values: &Staged<T::RealScalar>) -> Result<()> {
        match self {
            Target::Parts([alphar, alphai, beta]) => {
                alphar.write(queue, &values.alphar)?;
                alphai.write(queue, &values.alphai)?;
                beta.write(queue, &values.beta)
            }
            Target::Elements([alpha, beta]) => {
                let element = |re: f64, im: f64| T::from_parts(re, im);
                let alphas = values.alphar.iter().zip(&values.alphai);
                let alphas: Vec<T> = alphas.map(|(re, im)| element(re.re(), im.re())).collect();
                let betas: Vec<T> = values.beta.iter().map(|x| element(x.re(), 0.0)).collect();
                alpha.write(queue, &alphas)?;
                beta.write(queue, &betas)
            }
        }
    }
}

/// Generalised eigenvalues alpha / beta of general A and B by the QZ iteration (Moler and Stewart 1973; LAPACK: xGGEV,
/// xGGEV3), and left and right eigenvectors where they are wanted: beta uᴴ A = alpha uᴴ B and beta A v = alpha B v.
/// A and B are not changed.
///
/// A beta of zero is that of an infinite eigenvalue; with an alpha of zero, the pencil is singular. Of a real type,
/// complex eigenvalues come in adjacent pairs, the one with the positive imaginary part first; its column has the real
/// parts of the vector, and the next column the imaginary parts. The largest |re| + |im| of a vector is 1.
///
/// # Errors
/// [`Error::NoConvergence`] where an element is not finite, or the iteration does not converge.
/// [`Error::ShapeMismatch`] where sizes do not agree; [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixRef, MatrixShape, Quotients, ggev};
///
/// // An infinite eigenvalue, and 3 / 2.
/// let (a, b) = ([1.0_f64, 0.0, 0.0, 3.0], [0.0, 0.0, 0.0, 2.0]);
/// let shape = MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?;
/// let (mut alphar, mut alphai, mut beta) = ([0.0; 2], [0.0; 2], [0.0; 2]);
/// let values = Quotients { alphar: &mut alphar, alphai: &mut alphai, beta: &mut beta };
/// ggev(MatrixRef::from_slice(&a, shape)?, MatrixRef::from_slice(&b, shape)?, values, None, None)?;
/// assert_eq!((alphar, beta), ([1.0, 3.0], [0.0, 2.0]));
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn ggev<T: Scalar>(
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    values: Quotients<'_, T::RealScalar>,
    vl: Option<MatrixMut<'_, T>>,
    vr: Option<MatrixMut<'_, T>>,
) -> Result<()> {
    no_convergence(eigenvectors(None, (a, b), values, vl, vr)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`ggev`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn ggev_on<T: Scalar>(
    queue: &Queue,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    values: DeviceQuotients<'_, T>,
    vl: Option<MatrixMut<'_, T>>,
    vr: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square("A", a.rows(), a.columns())?;
    let (target, info) = (Target::of(queue, &values, n)?, DeviceInfo::new(queue, &info)?);
    let mut staged = Staged::new(n);
    let found = eigenvectors(Some(queue), (a, b), staged.view(), vl, vr)?;
    target.write::<T>(queue, &staged)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

fn eigenvectors<T: Scalar>(
    queue: Option<&Queue>,
    (a, b): (MatrixRef<'_, T>, MatrixRef<'_, T>),
    values: Quotients<'_, T::RealScalar>,
    vl: Option<MatrixMut<'_, T>>,
    vr: Option<MatrixMut<'_, T>>,
) -> Result<Info> {
    let n = square("A", a.rows(), a.columns())?;
    same_order(n, b.rows(), b.columns())?;
    values.check(n)?;
    for (name, v) in [("VL", &vl), ("VR", &vr)] {
        v.as_ref().map_or(Ok(()), |v| check_matrix(name, v, n, n))?;
    }
    let has_left = vl.is_some();
    let mut info = None;
    with_copies(queue, vec![a, b], [vl, vr].into_iter().flatten().collect(), |read, written| {
        let mut read = read.into_iter();
        let (Some(a), Some(b)) = (read.next(), read.next()) else { return };
        let mut written = written.into_iter();
        let vl = if has_left { written.next() } else { None };
        let vr = written.next();
        let Quotients { alphar, alphai, beta } = values;
        let values = (&mut alphar[..n], &mut alphai[..n], &mut beta[..n]);
        on_living_thread(|| info = host::ggev(a, b, values, vl, vr));
    })?;
    Ok(info)
}

fn same_order(n: usize, rows: usize, columns: usize) -> Result<()> {
    if square("B", rows, columns)? == n {
        return Ok(());
    }
    Err(Error::ShapeMismatch(format!("B: {rows} x {columns}, and not {n} x {n}")))
}

/// Generalised Schur form of general A and B in their places, A = Q S Zᴴ and B = Q P Zᴴ, and the Schur vectors Q and
/// Z where they are wanted (LAPACK: xGGES, xGGES3). P is upper triangular, its diagonal real and not negative. S is
/// upper triangular; of a real type it has blocks of order 2, where P is diagonal.
///
/// Eigenvalues are those of [`ggev`], in the order of the diagonals. [`tgsen`] changes their order.
///
/// # Errors
/// [`Error::NoConvergence`] where an element is not finite, or the iteration does not converge.
/// [`Error::ShapeMismatch`] where sizes do not agree; and what a device reports.
#[instances]
pub fn gges<T: Scalar>(
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    values: Quotients<'_, T::RealScalar>,
    q: Option<MatrixMut<'_, T>>,
    z: Option<MatrixMut<'_, T>>,
) -> Result<()> {
    no_convergence(schur_form(None, (a, b), values, (q, z), None)?.0)
}

/// The same for operands in a device's memory, with the info there, too. It waits as [`ggev_on`].
///
/// # Errors
/// The errors of [`gges`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gges_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    values: DeviceQuotients<'_, T>,
    q: Option<MatrixMut<'_, T>>,
    z: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let n = square("A", a.rows(), a.columns())?;
    let (target, info) = (Target::of(queue, &values, n)?, DeviceInfo::new(queue, &info)?);
    let mut staged = Staged::new(n);
    let (found, _) = schur_form(Some(queue), (a, b), staged.view(), (q, z), None)?;
    target.write::<T>(queue, &staged)?;
    info.write(queue, found)?;
    Ok(Event::Complete)
}

/// [`gges`] with the selected eigenvalues first (LAPACK: xGGES with a selection). `select` gets the real and the
/// imaginary part of an eigenvalue's alpha, and its beta, on the calling thread.
///
/// # Errors
/// The errors of [`gges`]. An order that is incomplete, or a selection that rounding has changed, is in
/// [`LeadingQuotients::info`].
#[instances]
pub fn gges_ordered<T: Scalar>(
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    values: Quotients<'_, T::RealScalar>,
    q: Option<MatrixMut<'_, T>>,
    z: Option<MatrixMut<'_, T>>,
    select: SelectPencil<'_>,
) -> Result<LeadingQuotients> {
    let (info, leading) = schur_form(None, (a, b), values, (q, z), Some(select))?;
    no_convergence(info).map(|()| leading)
}

/// Schur vectors, where they are wanted.
type Pair<'a, T> = (Option<MatrixMut<'a, T>>, Option<MatrixMut<'a, T>>);

fn check_form<T: Scalar>(
    (a, b): (&MatrixMut<'_, T>, &MatrixMut<'_, T>),
    (q, z): (&Option<MatrixMut<'_, T>>, &Option<MatrixMut<'_, T>>),
) -> Result<usize> {
    let n = square("A", a.rows(), a.columns())?;
    same_order(n, b.rows(), b.columns())?;
    for (name, v) in [("Q", q), ("Z", z)] {
        v.as_ref().map_or(Ok(()), |v| check_matrix(name, v, n, n))?;
    }
    Ok(n)
}

fn schur_form<T: Scalar>(
    queue: Option<&Queue>,
    (a, b): (MatrixMut<'_, T>, MatrixMut<'_, T>),
    values: Quotients<'_, T::RealScalar>,
    (q, z): Pair<'_, T>,
    select: Option<SelectPencil<'_>>,
) -> Result<(Info, LeadingQuotients)> {
    let n = check_form((&a, &b), (&q, &z))?;
    values.check(n)?;
    let has_left = q.is_some();
    let mut found = (None, LeadingQuotients::default());
    with_copies(queue, vec![], [Some(a), Some(b), q, z].into_iter().flatten().collect(), |_, matrices| {
        let mut matrices = matrices.into_iter();
        let (Some(a), Some(b)) = (matrices.next(), matrices.next()) else { return };
        let q = if has_left { matrices.next() } else { None };
        let z = matrices.next();
        let Quotients { alphar, alphai, beta } = values;
        let values = (&mut alphar[..n], &mut alphai[..n], &mut beta[..n]);
        on_living_thread(|| found = host::gges(a, b, values, q, z, select));
    })?;
    Ok(found)
}

/// The result of [`tgsen`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotientOrder {
    /// Selected eigenvalues.
    pub count: usize,
    /// Some eigenvalues were too close to be exchanged: the order is incomplete.
    pub failed: bool,
}

/// Moves selected eigenvalues of a generalised Schur form A, B to its front, and multiplies Q and Z by the
/// transformations (LAPACK: xTGSEN without condition numbers). Of a real type both of a pair are moved, if one is
/// selected. Eigenvalues are those of all rows, in their order.
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree; and what a device reports. Eigenvalues that are too close to be
/// exchanged are told by [`QuotientOrder::failed`].
#[instances]
pub fn tgsen<T: Scalar>(
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    select: &[bool],
    values: Quotients<'_, T::RealScalar>,
    q: Option<MatrixMut<'_, T>>,
    z: Option<MatrixMut<'_, T>>,
) -> Result<QuotientOrder> {
    reorder(None, (a, b), select, values, (q, z))
}

/// The same for operands in a device's memory, with LAPACK's info there, too. It waits as [`ggev_on`].
///
/// # Errors
/// The errors of [`tgsen`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[allow(clippy::too_many_arguments, reason = "the operands of LAPACK's tgsen")]
#[instances]
pub fn tgsen_on<T: Scalar>(
    queue: &Queue,
    a: MatrixMut<'_, T>,
    b: MatrixMut<'_, T>,
    select: &[bool],
    values: DeviceQuotients<'_, T>,
    q: Option<MatrixMut<'_, T>>,
    z: Option<MatrixMut<'_, T>>,
    info: VectorMut<'_, i32>,
) -> Result<(Event, QuotientOrder)> {
    let n = square("A", a.rows(), a.columns())?;
    let (target, info) = (Target::of(queue, &values, n)?, DeviceInfo::new(queue, &info)?);
    let mut staged = Staged::new(n);
    let order = reorder(Some(queue), (a, b), select, staged.view(), (q, z))?;
    target.write::<T>(queue, &staged)?;
    info.write(queue, order.failed.then_some(1))?;
    Ok((Event::Complete, order))
}

fn reorder<T: Scalar>(
    queue: Option<&Queue>,
    (a, b): (MatrixMut<'_, T>, MatrixMut<'_, T>),
    select: &[bool],
    values: Quotients<'_, T::RealScalar>,
    (q, z): Pair<'_, T>,
) -> Result<QuotientOrder> {
    let n = check_form((&a, &b), (&q, &z))?;
    check_length("select", select.len(), n)?;
    values.check(n)?;
    let has_left = q.is_some();
    let mut order = QuotientOrder { count: 0, failed: false };
    with_copies(queue, vec![], [Some(a), Some(b), q, z].into_iter().flatten().collect(), |_, matrices| {
        let mut matrices = matrices.into_iter();
        let (Some(a), Some(b)) = (matrices.next(), matrices.next()) else { return };
        let q = if has_left { matrices.next() } else { None };
        let z = matrices.next();
        let Quotients { alphar, alphai, beta } = values;
        let values = (&mut alphar[..n], &mut alphai[..n], &mut beta[..n]);
        on_living_thread(|| {
            let (count, info) = host::tgsen(a, b, values, q, z, &select[..n]);
            order = QuotientOrder { count, failed: info.is_some() };
        });
    })?;
    Ok(order)
}
