//! The symmetric-definite generalised eigenvalue problem, by B's Cholesky factor.

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::Info;
use super::super::cholesky::potrf;
use super::hermitian::{Spectrum, decompose, heevr};
use crate::level3::trmm;
use crate::trsm;
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// The form of a generalised eigenvalue problem, LAPACK's `itype`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pencil {
    /// A x = lambda B x, type 1.
    Quotient,
    /// A B x = lambda x, type 2.
    Product,
    /// B A x = lambda x, type 3.
    ReversedProduct,
}

/// Eigenvalues of a symmetric or Hermitian A and a positive definite B in ascending order (LAPACK: xSYGV, xHEGV,
/// xSYGVD, xHEGVD), and eigenvectors X in A's columns if they are wanted, with Xᴴ B X = I, or Xᴴ B⁻¹ X = I of type 3.
/// One triangle of each is read. B's triangle gets its Cholesky factor.
///
/// An info i of at most n is that of [`super::heev`]; n + i tells that B's leading minor of order i is not positive.
#[instances]
pub fn hegv<T: Scalar>(
    pencil: Pencil,
    triangle: Triangle,
    mut a: MatMut<'_, T>,
    mut b: MatMut<'_, T>,
    w: &mut [T::RealScalar],
    vectors: bool,
) -> Info {
    let n = a.nrows();
    if n == 0 {
        return None;
    }
    let c = match reduced(pencil, triangle, a.as_ref(), b.as_mut()) {
        Ok(c) => c,
        Err(minor) => return Some(n + minor),
    };
    let mut u = vectors.then(|| Mat::<T>::zeros(n, n));
    let info = decompose(Triangle::Lower, c.as_ref(), w, u.as_mut().map(|u| u.as_mut()));
    let Some(mut u) = u else { return info };
    if info.is_none() {
        transform_back(pencil, triangle, b.as_ref(), u.as_mut());
    }
    a.copy_from(u);
    info
}

/// Some eigenvalues of a symmetric or Hermitian A and a positive definite B in ascending order (LAPACK: xSYGVX,
/// xHEGVX), and eigenvectors in the first columns of Z, as [`hegv`] and [`super::heevr`]. Returns their number. A is
/// read only; B's triangle gets its Cholesky factor.
///
/// # Panics
/// If Z has fewer columns than eigenvalues are found, or other rows than A.
#[instances]
pub fn hegvx<T: Scalar>(
    (pencil, spectrum): (Pencil, Spectrum),
    triangle: Triangle,
    a: MatRef<'_, T>,
    mut b: MatMut<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
) -> (usize, Info) {
    let n = a.nrows();
    if n == 0 {
        return (0, None);
    }
    let c = match reduced(pencil, triangle, a, b.as_mut()) {
        Ok(c) => c,
        Err(minor) => return (0, Some(n + minor)),
    };
    let mut z = z;
    let (count, info) = heevr(spectrum, Triangle::Lower, c.as_ref(), w, z.as_mut().map(|z| z.as_mut()));
    if let (Some(z), None) = (z, info) {
        transform_back(pencil, triangle, b.as_ref(), z.subcols_mut(0, count));
    }
    (count, info)
}

/// B = L Lᴴ in B's place, and the matrix of the standard problem: L⁻¹ A L⁻ᴴ, or Lᴴ A L. An error is the order of B's
/// first leading minor that is not positive.
fn reduced<T: Scalar>(
    pencil: Pencil,
    triangle: Triangle,
    a: MatRef<'_, T>,
    mut b: MatMut<'_, T>,
) -> Result<Mat<T>, usize> {
    if let Some(minor) = potrf(triangle, b.as_mut()) {
        return Err(minor);
    }
    Ok(standard(pencil, triangle, a, b.as_ref()))
}

/// The matrix of the standard problem from B's Cholesky factor, in place of A's triangle (LAPACK: xSYGST, xHEGST).
#[instances]
pub fn hegst<T: Scalar>(pencil: Pencil, triangle: Triangle, mut a: MatMut<'_, T>, b: MatRef<'_, T>) {
    let n = a.nrows();
    if n == 0 {
        return;
    }
    let c = standard(pencil, triangle, a.as_ref(), b);
    for j in 0..n {
        for i in if triangle == Triangle::Lower { j..n } else { 0..j + 1 } {
            a[(i, j)] = if i == j { T::from_parts(c[(i, i)].re(), 0.0) } else { c[(i, j)] };
        }
    }
}

/// L⁻¹ A L⁻ᴴ, or Lᴴ A L, in full.
fn standard<T: Scalar>(pencil: Pencil, triangle: Triangle, a: MatRef<'_, T>, b: MatRef<'_, T>) -> Mat<T> {
    let (l, adjoint) = ops(triangle);
    let mut c = mirrored(triangle, a);
    let (one, stored) = (T::ONE, Diag::NonUnit);
    if pencil == Pencil::Quotient {
        trsm(Side::Left, triangle, l, stored, one, b, c.as_mut());
        trsm(Side::Right, triangle, adjoint, stored, one, b, c.as_mut());
    } else {
        trmm(Side::Left, triangle, adjoint, stored, one, b, c.as_mut());
        trmm(Side::Right, triangle, l, stored, one, b, c.as_mut());
    }
    c
}

/// Of B's triangle, the ops that make L and Lᴴ.
fn ops(triangle: Triangle) -> (Op, Op) {
    if triangle == Triangle::Lower { (Op::NoTrans, Op::ConjTrans) } else { (Op::ConjTrans, Op::NoTrans) }
}

/// Eigenvectors of the standard problem become those of the pencil.
fn transform_back<T: Scalar>(pencil: Pencil, triangle: Triangle, b: MatRef<'_, T>, u: MatMut<'_, T>) {
    let ((l, adjoint), one, stored) = (ops(triangle), T::ONE, Diag::NonUnit);
    match pencil {
        Pencil::ReversedProduct => trmm(Side::Left, triangle, l, stored, one, b, u),
        _ => trsm(Side::Left, triangle, adjoint, stored, one, b, u),
    }
}

/// A Hermitian matrix in full, from a triangle.
fn mirrored<T: Scalar>(triangle: Triangle, a: MatRef<'_, T>) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.nrows(), |i, j| {
        let stored = if triangle == Triangle::Lower { i > j } else { i < j };
        match (i == j, stored) {
            (true, _) => T::from_parts(a[(i, i)].re(), 0.0),
            (_, true) => a[(i, j)],
            _ => a[(j, i)].conjugate(),
        }
    })
}
