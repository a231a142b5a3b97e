//! Plane rotations of rows and columns.

use std::ops::Range;

use faer::MatMut;
use pulp::Arch;

use affinimath_core::scalar::{Complex64, Scalar};

/// The matrix [cos, sin; -conj(sin), cos].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rotation {
    pub(crate) cos: f64,
    pub(crate) sin: Complex64,
}

impl Rotation {
    /// Turns (x, y) into (r, 0).
    pub(crate) fn of(x: Complex64, y: Complex64) -> Self {
        let largest = [x.re, x.im, y.re, y.im].iter().fold(0.0, |largest: f64, part| largest.max(part.abs()));
        if largest == 0.0 || y == Complex64::ZERO {
            return Rotation { cos: 1.0, sin: Complex64::ZERO };
        }
        // Squares neither overflow nor underflow.
        let (x, y) = (x.unscale(largest), y.unscale(largest));
        let (of_x, of_y) = (x.norm(), y.norm());
        if of_x == 0.0 {
            return Rotation { cos: 0.0, sin: y.conj().unscale(of_y) };
        }
        let length = of_x.hypot(of_y);
        let (x, y) = (x.unscale(of_x), y.unscale(length));
        Rotation { cos: of_x / length, sin: x * y.conj() }
    }

    /// A column rotation that turns elements (left, right) of a row into (0, r).
    pub(crate) fn of_row(left: Complex64, right: Complex64) -> Self {
        let turn = Rotation::of(right, left);
        Rotation { sin: -turn.sin, ..turn }
    }

    /// Multiplies rows k and k + 1 by the rotation.
    pub(crate) fn rows<T: Scalar>(&self, mut a: MatMut<'_, T>, columns: Range<usize>, k: usize) {
        if columns.is_empty() {
            return;
        }
        let (cos, sin) = self.parts::<T>();
        let part = a.as_mut().submatrix_mut(k, columns.start, 2, columns.len());
        assert_eq!(part.row_stride(), 1, "columns are contiguous");
        let (start, stride) = (part.as_ptr_mut(), part.col_stride());
        Arch::new().dispatch(|| {
            for j in 0..columns.len() as isize {
                // SAFETY: column j of the part has two contiguous elements, and no other reference to them is there.
                let x = unsafe { std::slice::from_raw_parts_mut(start.offset(j * stride), 2) };
                let (upper, lower) = (x[0], x[1]);
                x[0] = upper.scaled(cos) + sin * lower;
                x[1] = lower.scaled(cos) - sin.conjugate() * upper;
            }
        });
    }

    /// Multiplies columns k and k + 1 by the rotation's adjoint.
    pub(crate) fn columns<T: Scalar>(&self, a: MatMut<'_, T>, rows: Range<usize>, k: usize) {
        let part = a.submatrix_mut(rows.start, k, rows.len(), 2);
        let (left, right) = part.split_at_col_mut(1);
        self.both(left, right);
    }

    /// Multiplies two columns by the rotation's adjoint.
    pub(crate) fn both<T: Scalar>(&self, left: MatMut<'_, T>, right: MatMut<'_, T>) {
        let (cos, sin) = self.parts::<T>();
        let (left, right) = (contiguous(left), contiguous(right));
        Arch::new().dispatch(|| {
            for (x, y) in left.iter_mut().zip(right) {
                let (left, right) = (*x, *y);
                *x = left.scaled(cos) + sin.conjugate() * right;
                *y = right.scaled(cos) - sin * left;
            }
        });
    }

    /// Cosine and sine of the type.
    pub(crate) fn parts<T: Scalar>(&self) -> (T::RealScalar, T) {
        let cos = <T::RealScalar as Scalar>::from_parts(self.cos, 0.0);
        (cos, T::from_parts(self.sin.re, self.sin.im))
    }
}

/// The elements of a matrix of one column.
fn contiguous<T>(a: MatMut<'_, T>) -> &mut [T] {
    a.col_mut(0).try_as_col_major_mut().expect("columns are contiguous").as_slice_mut()
}
