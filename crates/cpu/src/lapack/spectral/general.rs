//! Eigenvalues and eigenvectors of general matrices: balancing, Schur form, back substitution (LAPACK: xGEEV).

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::{Info, among_threads};
use super::balance::{Balancing, gebak, gebal};
use super::reorder::Conditions;
use super::sensitivity::trsna;
use super::{into_range, not_finite, real, schur, vectors};
use crate::gemm;
use crate::norm::max_norm;
use affinimath_core::options::Op;
use affinimath_core::scalar::{Complex64, Scalar};

/// Eigenvalues of A, and left and right eigenvectors if they are wanted (LAPACK: xGEEV): uᴴ A = lambda uᴴ and A v =
/// lambda v. A is read only.
///
/// `wr` and `wi` get real and imaginary parts. Of a real type, complex eigenvalues come in adjacent pairs, the one with
/// the positive imaginary part first; its column has the real parts of the vector, the next one the imaginary parts.
/// Vectors have length 1, and their largest element is real.
///
/// If the iteration does not converge, an info i tells that eigenvalues after the i-th are right, and there are no
/// vectors. An element that is not finite makes results NaN.
#[instances]
pub fn geev<T: Scalar>(
    a: MatRef<'_, T>,
    wr: &mut [T::RealScalar],
    wi: &mut [T::RealScalar],
    vl: Option<MatMut<'_, T>>,
    vr: Option<MatMut<'_, T>>,
) -> Info {
    let mut scale = vec![T::RealScalar::default(); a.nrows()];
    geevx(a, Balancing::BOTH, (wr, wi), (vl, vr), &mut scale, None).0
}

/// The balancing of [`geevx`].
#[derive(Clone, Debug, PartialEq)]
pub struct Balanced {
    /// Rows and columns outside of which the balanced matrix is upper triangular.
    pub range: std::ops::Range<usize>,
    /// Its 1-norm.
    pub norm: f64,
}

/// Arrays for condition numbers of n eigenvalues, and of their right eigenvectors.
pub type Sensitivity<'a, R> = (Option<&'a mut [R]>, Option<&'a mut [R]>);

/// [`geev`] with a choice of the balancing, of which it returns the result and `scale` gets [`gebal`]'s factors, and
/// with condition numbers (LAPACK: xGEEVX).
#[instances]
pub fn geevx<T: Scalar>(
    a: MatRef<'_, T>,
    balancing: Balancing,
    values: (&mut [T::RealScalar], &mut [T::RealScalar]),
    vectors: (Option<MatMut<'_, T>>, Option<MatMut<'_, T>>),
    scale: &mut [T::RealScalar],
    conditions: Option<Sensitivity<'_, T::RealScalar>>,
) -> (Info, Balanced) {
    let (n, (wr, wi), (vl, vr)) = (a.nrows(), values, vectors);
    let mut balanced = Balanced { range: 0..n, norm: 0.0 };
    if n == 0 {
        return (None, balanced);
    }
    let size = max_norm(a);
    if !size.is_finite() {
        wi.fill(real::<T>(f64::NAN));
        balanced.norm = size;
        return (not_finite(wr, [vl, vr]), balanced);
    }
    let factor = into_range::<T>(size);
    let mut t = super::scaled_copy(a, factor);
    balanced.range = gebal(t.as_mut(), balancing, scale);
    balanced.norm = (0..n).map(|j| (0..n).map(|i| t[(i, j)].modulus()).sum()).fold(0.0, f64::max) / factor;
    let wanted = vl.is_some() || vr.is_some();
    let whole = wanted || conditions.is_some();
    let mut z = wanted.then(|| Mat::<T>::zeros(n, n));
    let mut values = vec![Complex64::new(f64::NAN, f64::NAN); n];
    let info = schur::reduce(t.as_mut(), z.as_mut().map(|z| z.as_mut()), whole, &mut values);
    for (i, value) in values.iter().enumerate() {
        (wr[i], wi[i]) = (real::<T>(value.re / factor), real::<T>(value.im / factor));
    }
    if info.is_some() {
        return (info, balanced);
    }
    if let Some((of_values, of_vectors)) = conditions {
        let wanted = Conditions { values: of_values.is_some(), subspace: of_vectors.is_some() };
        let of_vectors = of_vectors.unwrap_or_default();
        trsna(t.as_ref(), wanted, of_values.unwrap_or_default(), of_vectors);
        of_vectors.iter_mut().for_each(|sep| *sep = real::<T>(sep.re() / factor));
    }
    let Some(z) = z else { return (None, balanced) };
    let done = (balancing, balanced.range.clone());
    among_threads(n, || {
        if let Some(vr) = vr {
            let x = vectors::right(t.as_ref());
            finish((z.as_ref(), x.as_ref()), (&done, scale), false, &values, vr);
        }
        if let Some(vl) = vl {
            let x = vectors::left(t.as_ref());
            finish((z.as_ref(), x.as_ref()), (&done, scale), true, &values, vl);
        }
    });
    (None, balanced)
}

/// Eigenvectors of the matrix from those of its Schur form.
fn finish<T: Scalar>(
    (z, x): (MatRef<'_, T>, MatRef<'_, T>),
    ((balancing, range), scale): (&(Balancing, std::ops::Range<usize>), &[T::RealScalar]),
    left: bool,
    values: &[Complex64],
    mut to: MatMut<'_, T>,
) {
    let n = z.nrows();
    let mut v = Mat::<T>::zeros(n, n);
    gemm(Op::NoTrans, Op::NoTrans, T::ONE, z, x, T::ZERO, v.as_mut());
    gebak(v.as_mut(), *balancing, range.clone(), scale, left);
    let mut j = 0;
    while j < n {
        let pair = !T::KIND.is_complex() && values[j].im != 0.0;
        let mut column: Vec<Complex64> = (0..n)
            .map(|i| Complex64::new(v[(i, j)].re(), if pair { v[(i, j + 1)].re() } else { v[(i, j)].im() }))
            .collect();
        normalise(&mut column, pair || T::KIND.is_complex());
        for (i, x) in column.iter().enumerate() {
            if pair {
                (to[(i, j)], to[(i, j + 1)]) = (T::from_parts(x.re, 0.0), T::from_parts(x.im, 0.0));
            } else {
                to[(i, j)] = T::from_parts(x.re, x.im);
            }
        }
        j += if pair { 2 } else { 1 };
    }
}

/// Length 1, and a largest element that is real.
fn normalise(x: &mut [Complex64], complex: bool) {
    let size = x.iter().map(|x| x.re.abs().max(x.im.abs())).fold(0.0, f64::max);
    if size == 0.0 {
        return;
    }
    x.iter_mut().for_each(|x| *x /= size);
    let length = x.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
    let largest =
        x.iter().enumerate().fold(0, |best, (i, value)| if value.norm_sqr() > x[best].norm_sqr() { i } else { best });
    let unit = if complex { x[largest].conj() / x[largest].norm() } else { Complex64::ONE };
    x.iter_mut().for_each(|x| *x = *x * unit / length);
    if complex {
        x[largest].im = 0.0;
    }
}
