//! Sweeps with a single shift, and the shifts.

use affinimath_core::scalar::{Complex64, Scalar};

use super::{Iteration, size};
use crate::rotation::Rotation;

impl<T: Scalar> Iteration<'_, T> {
    /// Eigenvalue of the last block of order 2 that is nearer to its last element; exceptional after 10 sweeps.
    pub(super) fn complex_shift(&mut self, last: usize, stalled: usize) -> Complex64 {
        if stalled.is_multiple_of(10) {
            return self.exceptional_shift(last, stalled);
        }
        let (i, j) = (last - 1, last);
        let (b11, b22) = (self.beta(i, i), self.beta(j, j));
        let ratio = self.beta(i, j) / b22;
        let (a11, a21) = (self.alpha(i, i) / b11, self.alpha(j, i) / b11);
        let (a12, a22) = (self.alpha(i, j) / b22, self.alpha(j, j) / b22);
        let (corner, upper) = (a22 - ratio * a21, a12 - ratio * a11);
        let u = upper.sqrt() * a21.sqrt();
        if size(u) == 0.0 {
            return corner;
        }
        let x = 0.5 * (a11 - corner);
        let scale = size(u).max(size(x));
        let (x, u) = (x / scale, u / scale);
        let mut y = (x * x + u * u).sqrt();
        if x.re * y.re + x.im * y.im < 0.0 {
            y = -y;
        }
        corner - u * (u / (x + y)) * scale
    }

    /// A shift off the block's eigenvalues.
    pub(super) fn exceptional_shift(&mut self, last: usize, stalled: usize) -> Complex64 {
        let (a, b) = if stalled.is_multiple_of(20) && self.beta(last, last) != Complex64::ZERO {
            (self.alpha(last, last), self.beta(last, last))
        } else {
            (self.alpha(last, last - 1), self.beta(last - 1, last - 1))
        };
        self.exceptional += a / b;
        self.exceptional
    }

    /// One QZ step with a shift of the scaled pencil.
    pub(super) fn sweep(&mut self, start: usize, last: usize, shift: Complex64) {
        let first_column = |this: &Self, k: usize| this.alpha(k, k) - shift * this.beta(k, k);
        // Two consecutive small elements of the subdiagonal let the step begin below them.
        let mut first = last - 1;
        let mut x = first_column(self, first);
        while first > start {
            let (top, below) = (size(x), size(self.alpha(first + 1, first)));
            let largest = top.max(below);
            let (top, below) =
                if largest > 0.0 && largest < 1.0 { (top / largest, below / largest) } else { (top, below) };
            if size(self.a(first, first - 1)) * below <= top * self.small_a {
                break;
            }
            first -= 1;
            x = first_column(self, first);
        }
        let mut y = self.alpha(first + 1, first);
        for k in first..last {
            if k > first {
                (x, y) = (self.a(k, k - 1), self.a(k + 1, k - 1));
            }
            let turn = Rotation::of(x, y);
            let from = if k > first { k - 1 } else { k };
            self.pencil.rotate_rows(k, turn, from..self.columns_to, k..self.columns_to);
            if k > first {
                self.pencil.a[(k + 1, k - 1)] = T::ZERO;
            } else if k > start {
                // The other element of this column is negligible.
                self.pencil.a[(k, k - 1)] *= T::from_parts(turn.cos, 0.0);
            }
            self.eliminate_below(k, last);
        }
    }

    /// Eliminates the element of B below row k of its diagonal, by a rotation of columns.
    pub(super) fn eliminate_below(&mut self, k: usize, last: usize) {
        let turn = Rotation::of_row(self.b(k + 1, k), self.b(k + 1, k + 1));
        let rows = self.rows_from..(k + 2).min(last) + 1;
        self.pencil.rotate_columns(k, turn, rows, self.rows_from..k + 2);
        self.pencil.b[(k + 1, k)] = T::ZERO;
    }
}
