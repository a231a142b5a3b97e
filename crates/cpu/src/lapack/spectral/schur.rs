//! Schur forms of general matrices (LAPACK: xGEES, xGEESX, xHSEQR).

use std::ops::Range;

use affinimath_macros::instances;
use faer::{Mat, MatMut};

use super::super::{Info, among_threads};
use super::reorder::{Conditions, trsen};
use super::{into_range, not_finite, parallelism, real, scaled};
use crate::norm::max_norm;
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_decompositions::{hessenberg, schur};

/// Decides whether an eigenvalue, given by its real and imaginary part, is one of the leading ones.
pub type Select<'a> = &'a mut (dyn FnMut(f64, f64) -> bool + Send);

/// Leading eigenvalues of a Schur form.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Leading {
    /// Eigenvalues that are selected, and come first. Of a real type, both of a pair are if one is.
    pub count: usize,
    /// LAPACK's info after an iteration that has converged: n + 1 if some could not be exchanged, n + 2 if rounding
    /// has changed selected ones.
    pub info: Info,
    /// The reciprocal condition of their mean, where it is wanted.
    pub mean: f64,
    /// That of their invariant subspace.
    pub subspace: f64,
}

/// The Schur form T of A, in its place, with A = Z T Zᴴ, and Z if it is wanted (LAPACK: xGEES without a selection). Of
/// real types, T is quasi-triangular, with blocks of order 2 in LAPACK's standard form. `wr` and `wi` get the
/// eigenvalues in the order of T's diagonal; those of a pair are adjacent, the one with the positive imaginary part
/// first.
///
/// If the iteration does not converge, an info i tells that eigenvalues after the i-th are right. An element that is
/// not finite makes results NaN.
#[instances]
pub fn gees<T: Scalar>(
    a: MatMut<'_, T>,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
) -> Info {
    let (info, _) = compute(a, wr, wi, z, None, Conditions::NONE);
    info
}

/// [`gees`] with the selected eigenvalues first, and their condition estimates (LAPACK: xGEES, xGEESX).
///
/// The info is that of the iteration, which leaves the order as it is; else [`Leading::info`] has one.
#[instances]
pub fn geesx<T: Scalar>(
    a: MatMut<'_, T>,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
    select: Select<'_>,
    wanted: Conditions,
) -> (Info, Leading) {
    compute(a, wr, wi, z, Some(select), wanted)
}

fn compute<T: Scalar>(
    mut a: MatMut<'_, T>,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
    select: Option<Select<'_>>,
    wanted: Conditions,
) -> (Info, Leading) {
    let (n, mut leading) = (a.nrows(), Leading { mean: 1.0, ..Leading::default() });
    if n == 0 {
        return (None, leading);
    }
    let size = max_norm(a.as_ref());
    if !size.is_finite() {
        wi.fill(real::<T>(f64::NAN));
        return (not_finite(wr, [Some(a), z]), leading);
    }
    let factor = into_range::<T>(size);
    let mut t = super::scaled_copy(a.as_ref(), factor);
    let mut own = z.is_some().then(|| Mat::<T>::zeros(n, n));
    let mut values = vec![Complex64::ZERO; n];
    let info = reduce(t.as_mut(), own.as_mut().map(|z| z.as_mut()), true, &mut values);
    if let (None, Some(select)) = (info, select) {
        values.iter_mut().for_each(|value| *value = round::<T>(*value / factor) * factor);
        let mut chosen = |value: &Complex64| {
            let value = round::<T>(*value / factor);
            select(value.re, value.im)
        };
        let selected: Vec<bool> = values.iter().map(&mut chosen).collect();
        let order = trsen(t.as_mut(), own.as_mut().map(|z| z.as_mut()), &selected, &mut values, wanted);
        leading = Leading {
            count: order.count,
            info: order.failed.then_some(n + 1),
            mean: order.mean,
            subspace: order.subspace / factor,
        };
        let pairs = |i: usize| !T::KIND.is_complex() && values[i].im != 0.0;
        let now: Vec<bool> = values.iter().map(&mut chosen).collect();
        let both = |i: usize| now[i] || (pairs(i) && if values[i].im > 0.0 { now[i + 1] } else { now[i - 1] });
        let count = (0..n).filter(|i| both(*i)).count();
        let scattered = (0..n).any(|i| both(i) != (i < count));
        if leading.info.is_none() && scattered {
            leading.info = Some(n + 2);
        }
        leading.count = count;
    }
    for (i, value) in values.iter().enumerate() {
        (wr[i], wi[i]) = (real::<T>(value.re / factor), real::<T>(value.im / factor));
    }
    for j in 0..n {
        (0..n).for_each(|i| a[(i, j)] = scaled(t[(i, j)], factor.recip()));
    }
    if let (Some(mut z), Some(own)) = (z, own) {
        z.copy_from(own);
    }
    (info, leading)
}

/// A value of the type's precision.
fn round<T: Scalar>(value: Complex64) -> Complex64 {
    Complex64::new(real::<T>(value.re).re(), real::<T>(value.im).re())
}

/// Schur form of a matrix with contiguous columns, in its place, or only its eigenvalues; Z is overwritten.
pub(super) fn reduce<T: Scalar>(
    t: MatMut<'_, T>,
    z: Option<MatMut<'_, T>>,
    whole: bool,
    values: &mut [Complex64],
) -> Info {
    let (mut t, mut z, n) = (t, z, values.len());
    among_threads(n, || {
        hessenberg::reduce(t.as_mut(), z.as_mut().map(|z| z.as_mut()), parallelism(n));
        schur::iterate(t, z, 0..n, whole, values, parallelism(n))
    })
}

/// Eigenvalues of an upper Hessenberg matrix, which is triangular outside of a range, and its Schur form in its place
/// if `whole` (LAPACK: xHSEQR). Z is multiplied by the transformations. Without `whole` H is read only.
///
/// The info is that of [`gees`]. An element that is not finite makes eigenvalues NaN, and leaves matrices.
#[instances]
pub fn hseqr<T: Scalar>(
    h: MatMut<'_, T>,
    z: Option<MatMut<'_, T>>,
    range: Range<usize>,
    whole: bool,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
) -> Info {
    let (mut h, n) = (h, wr.len());
    if n == 0 {
        return None;
    }
    let below = |i: usize, j: usize| if i > j + 1 { T::ZERO } else { h[(i, j)] };
    let mut t = Mat::from_fn(n, n, below);
    let size = max_norm(t.as_ref());
    if !size.is_finite() || z.as_ref().is_some_and(|z| !max_norm(z.as_ref()).is_finite()) {
        wr.fill(real::<T>(f64::NAN));
        wi.fill(real::<T>(f64::NAN));
        return Some(range.end.max(1));
    }
    let factor = into_range::<T>(size);
    if factor != 1.0 {
        t = super::scaled_copy(t.as_ref(), factor);
    }
    let mut own = z.as_ref().map(|z| z.to_owned());
    let mut values = vec![Complex64::ZERO; n];
    let info = among_threads(n, || {
        schur::iterate(t.as_mut(), own.as_mut().map(|z| z.as_mut()), range, whole, &mut values, parallelism(n))
    });
    for (i, value) in values.iter().enumerate() {
        (wr[i], wi[i]) = (real::<T>(value.re / factor), real::<T>(value.im / factor));
    }
    if whole {
        h.copy_from(super::scaled_copy(t.as_ref(), factor.recip()));
    }
    if let (Some(mut z), Some(own)) = (z, own) {
        z.copy_from(own);
    }
    info
}
