//! Householder reflectors of order 2 and 3, which chase bulges.

use std::ops::Range;

use faer::MatMut;
use pulp::Arch;

use affinimath_core::scalar::{Complex64, Scalar};

/// Elements below this power of two are scaled by its reciprocal.
pub(crate) const TINY: f64 = f64::from_bits(0x0C80_0000_0000_0000);

/// A reflector I - tau v vᴴ with v[0] = 1, whose adjoint turns a vector into beta times the first unit vector (LAPACK:
/// xLARFG). Beta is real.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reflector<T> {
    pub(crate) tau: T,
    pub(crate) v: [T; 3],
    pub(crate) beta: T,
}

impl<T: Scalar> Reflector<T> {
    /// The reflector of a vector, whose third element is zero for order 2.
    pub(crate) fn new(x: [Complex64; 3]) -> Self {
        // Subnormal numbers would lose the reflector's unitarity.
        let largest = x.iter().map(|x| x.re.abs().max(x.im.abs())).fold(0.0, f64::max);
        let scale = if largest < TINY { TINY.recip() } else { 1.0 };
        let x = x.map(|x| x * scale);
        let rest = x[1].norm().hypot(x[2].norm());
        let whole = |x: Complex64| T::from_parts(x.re, x.im);
        if rest == 0.0 && x[0].im == 0.0 {
            return Reflector { tau: T::ZERO, v: [T::ONE, T::ZERO, T::ZERO], beta: whole(x[0] / scale) };
        }
        let beta = -x[0].norm().hypot(rest).copysign(x[0].re);
        let divisor = x[0] - beta;
        let over = |x: Complex64| whole(super::quotient(x, divisor));
        let tau = Complex64::new((beta - x[0].re) / beta, -x[0].im / beta);
        Reflector { tau: whole(tau), v: [T::ONE, over(x[1]), over(x[2])], beta: T::from_parts(beta / scale, 0.0) }
    }

    /// Multiplies rows k to k + order by the adjoint, in these columns.
    pub(crate) fn left(&self, a: &mut MatMut<'_, T>, k: usize, order: usize, columns: Range<usize>) {
        let tau = self.tau.conjugate();
        let [_, v1, v2] = self.v;
        let (c1, c2) = (v1.conjugate(), v2.conjugate());
        let part = a.as_mut().submatrix_mut(k, columns.start, order, columns.len());
        assert_eq!(part.row_stride(), 1, "columns are contiguous");
        let (start, stride) = (part.as_ptr_mut(), part.col_stride());
        Arch::new().dispatch(|| {
            for j in 0..columns.len() as isize {
                // SAFETY: column j of the part has `order` contiguous elements, and no other slice of it is there.
                let x = unsafe { std::slice::from_raw_parts_mut(start.offset(j * stride), order) };
                if let [x, y, z] = x {
                    let sum = (*x + c1 * *y + c2 * *z) * tau;
                    *x -= sum;
                    *y -= sum * v1;
                    *z -= sum * v2;
                } else if let [x, y] = x {
                    let sum = (*x + c1 * *y) * tau;
                    *x -= sum;
                    *y -= sum * v1;
                }
            }
        });
    }

    /// Multiplies columns k to k + order by the reflector, in these rows.
    pub(crate) fn right(&self, a: &mut MatMut<'_, T>, k: usize, order: usize, rows: Range<usize>) {
        let part = a.as_mut().submatrix_mut(rows.start, k, rows.len(), order);
        let (x, rest) = part.split_at_col_mut(1);
        let (y, z) = rest.split_at_col_mut(1);
        let (x, y) = (contiguous(x), contiguous(y));
        let (tau, [_, v1, v2]) = (self.tau, self.v);
        let (c1, c2) = (v1.conjugate(), v2.conjugate());
        if order == 2 {
            Arch::new().dispatch(|| {
                for (x, y) in x.iter_mut().zip(y) {
                    let sum = (*x + v1 * *y) * tau;
                    *x -= sum;
                    *y -= sum * c1;
                }
            });
            return;
        }
        let z = contiguous(z);
        Arch::new().dispatch(|| {
            for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
                let sum = (*x + v1 * *y + v2 * *z) * tau;
                *x -= sum;
                *y -= sum * c1;
                *z -= sum * c2;
            }
        });
    }

    /// Multiplies columns k + 2, k + 1 and k by the reflector, of order 3, in these rows.
    pub(crate) fn right_reversed(&self, a: &mut MatMut<'_, T>, k: usize, rows: Range<usize>) {
        let part = a.as_mut().submatrix_mut(rows.start, k, rows.len(), 3);
        let (x, rest) = part.split_at_col_mut(1);
        let (y, z) = rest.split_at_col_mut(1);
        let (x, y, z) = (contiguous(x), contiguous(y), contiguous(z));
        let (tau, [_, v1, v2]) = (self.tau, self.v);
        let (c1, c2) = (v1.conjugate(), v2.conjugate());
        Arch::new().dispatch(|| {
            for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
                let sum = (*z + v1 * *y + v2 * *x) * tau;
                *z -= sum;
                *y -= sum * c1;
                *x -= sum * c2;
            }
        });
    }
}

/// The elements of a matrix of one column.
fn contiguous<T>(a: MatMut<'_, T>) -> &mut [T] {
    let column = a.col_mut(0).try_as_col_major_mut().expect("columns are contiguous");
    column.as_slice_mut()
}
