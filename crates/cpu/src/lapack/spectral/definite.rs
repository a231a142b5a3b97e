//! The symmetric-definite generalised eigenvalue problem, by B's Cholesky factor.

use affinimath_macros::instances;
use faer::{Mat, MatMut};

use super::super::Info;
use super::super::cholesky::potrf;
use super::hermitian::decompose;
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
    if let Some(minor) = potrf(triangle, b.as_mut()) {
        return Some(n + minor);
    }
    let b = b.as_ref();
    // B = L Lᴴ.
    let (l, adjoint) =
        if triangle == Triangle::Lower { (Op::NoTrans, Op::ConjTrans) } else { (Op::ConjTrans, Op::NoTrans) };
    let mut c = mirrored(triangle, a.as_ref());
    let (one, stored) = (T::ONE, Diag::NonUnit);
    if pencil == Pencil::Quotient {
        trsm(Side::Left, triangle, l, stored, one, b, c.as_mut());
        trsm(Side::Right, triangle, adjoint, stored, one, b, c.as_mut());
    } else {
        trmm(Side::Left, triangle, adjoint, stored, one, b, c.as_mut());
        trmm(Side::Right, triangle, l, stored, one, b, c.as_mut());
    }
    let mut u = vectors.then(|| Mat::<T>::zeros(n, n));
    let info = decompose(Triangle::Lower, c.as_ref(), w, u.as_mut().map(|u| u.as_mut()));
    let Some(mut u) = u else { return info };
    if info.is_none() {
        match pencil {
            Pencil::ReversedProduct => trmm(Side::Left, triangle, l, stored, one, b, u.as_mut()),
            _ => trsm(Side::Left, triangle, adjoint, stored, one, b, u.as_mut()),
        }
    }
    a.copy_from(u);
    info
}

/// A Hermitian matrix in full, from a triangle.
fn mirrored<T: Scalar>(triangle: Triangle, a: faer::MatRef<'_, T>) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.nrows(), |i, j| {
        let stored = if triangle == Triangle::Lower { i > j } else { i < j };
        match (i == j, stored) {
            (true, _) => T::from_parts(a[(i, i)].re(), 0.0),
            (_, true) => a[(i, j)],
            _ => a[(j, i)].conjugate(),
        }
    })
}
