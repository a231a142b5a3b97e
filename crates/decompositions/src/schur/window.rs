//! Unitary transformations of a window on the diagonal, applied to the rest of the matrix by products.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

use affinimath_core::scalar::Scalar;

/// A matrix in the course of its iteration.
pub(super) struct Target<'a, T> {
    pub(super) h: MatMut<'a, T>,
    pub(super) z: Option<MatMut<'a, T>>,
    /// All rows and columns are transformed, not only those of the active block.
    pub(super) whole: bool,
    pub(super) par: Par,
}

impl<T: Scalar> Target<'_, T> {
    /// A copy of a window on the diagonal.
    pub(super) fn copy(&self, window: Range<usize>) -> Mat<T> {
        self.h.as_ref().submatrix(window.start, window.start, window.len(), window.len()).to_owned()
    }

    /// Puts a transformed window back: W = Uᴴ H U. Rows right of it, columns above it and those of Z are multiplied by
    /// U, inside the active block or everywhere.
    pub(super) fn put(&mut self, window: Range<usize>, active: Range<usize>, w: MatRef<'_, T>, u: MatRef<'_, T>) {
        let (n, m, par) = (self.h.nrows(), window.len(), self.par);
        self.h.as_mut().submatrix_mut(window.start, window.start, m, m).copy_from(w);
        let outer = if self.whole { 0..n } else { active };
        let right = outer.end - window.end;
        if right > 0 {
            let mut rows = self.h.as_mut().submatrix_mut(window.start, window.end, m, right);
            let old = rows.to_owned();
            matmul(rows.as_mut(), Accum::Replace, u.adjoint(), old.as_ref(), T::ONE, par);
        }
        let above = window.start - outer.start;
        if above > 0 {
            let columns = self.h.as_mut().submatrix_mut(outer.start, window.start, above, m);
            multiply_columns(columns, u, par);
        }
        if let Some(z) = &mut self.z {
            multiply_columns(z.as_mut().subcols_mut(window.start, m), u, par);
        }
    }
}

/// A := A U.
pub(super) fn multiply_columns<T: Scalar>(mut a: MatMut<'_, T>, u: MatRef<'_, T>, par: Par) {
    let old = a.to_owned();
    matmul(a.as_mut(), Accum::Replace, old.as_ref(), u, T::ONE, par);
}
