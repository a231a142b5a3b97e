//! Sweeps with both eigenvalues of the last block of order 2 of a real pencil as shifts.

use affinimath_core::scalar::{Complex64, Scalar};

use super::{Iteration, size};
use crate::rotation::Rotation;
use crate::schur::reflector::Reflector;

impl<T: Scalar> Iteration<'_, T> {
    /// One double QZ step on rows and columns from `start` to `last`, at least three.
    pub(super) fn double_sweep(&mut self, start: usize, last: usize) {
        let mut v = self.double_column(start, last);
        for k in start..last - 1 {
            if k > start {
                v = std::array::from_fn(|i| self.a(k + i, k - 1).re);
            }
            let reflector = Reflector::<T>::new(v.map(|x| Complex64::new(x, 0.0)));
            reflector.left(&mut self.pencil.a, k, 3, k..self.columns_to);
            reflector.left(&mut self.pencil.b, k, 3, k..self.columns_to);
            if let Some(q) = &mut self.pencil.q {
                let rows = 0..q.nrows();
                reflector.right(q, k, 3, rows);
            }
            if k > start {
                self.pencil.a[(k, k - 1)] = reflector.beta;
                (1..3).for_each(|i| self.pencil.a[(k + i, k - 1)] = T::ZERO);
            }
            self.restore_triangle(k, last);
        }
        let k = last - 1;
        let turn = Rotation::of(self.a(k, k - 1), self.a(k + 1, k - 1));
        self.pencil.rotate_rows(k, turn, k - 1..self.columns_to, k..self.columns_to);
        self.pencil.a[(k + 1, k - 1)] = T::ZERO;
        self.eliminate_below(k, last);
    }

    /// First column of (A B⁻¹ - s1)(A B⁻¹ - s2), scaled, with the eigenvalues of the last block of order 2.
    fn double_column(&self, start: usize, last: usize) -> [f64; 3] {
        let over = |i: usize, j: usize| self.alpha(i, j).re / self.beta(j, j).re;
        let (i, j) = (last - 1, last);
        let (a11, a21, a12, a22) = (over(i, i), over(j, i), over(i, j), over(j, j));
        let u = self.beta(i, j).re / self.beta(j, j).re;
        let (k, l) = (start, start + 1);
        let (c11, c21, c12, c22, c32) = (over(k, k), over(l, k), over(k, l), over(l, l), over(l + 1, l));
        let w = self.beta(k, l).re / self.beta(l, l).re;
        let v = [
            (a11 - c11) * (a22 - c11) - a12 * a21 + a21 * u * c11 + (c12 - c11 * w) * c21,
            ((c22 - c11) - c21 * w - (a11 - c11) - (a22 - c11) + a21 * u) * c21,
            c32 * c21,
        ];
        let largest = v.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        if largest > 0.0 { v.map(|x| x / largest) } else { v }
    }

    /// Makes rows k + 1 and k + 2 of B triangular again, from the right.
    fn restore_triangle(&mut self, k: usize, last: usize) {
        let row: [Complex64; 3] = std::array::from_fn(|j| self.b(k + 2, k + 2 - j));
        if size(row[1]) + size(row[2]) > 0.0 {
            let reflector = Reflector::<T>::new(row);
            let rows = self.rows_from..(k + 3).min(last) + 1;
            reflector.right_reversed(&mut self.pencil.a, k, rows);
            reflector.right_reversed(&mut self.pencil.b, k, self.rows_from..k + 3);
            if let Some(z) = &mut self.pencil.z {
                let rows = 0..z.nrows();
                reflector.right_reversed(z, k, rows);
            }
            self.pencil.b[(k + 2, k + 2)] = reflector.beta;
            (k..k + 2).for_each(|j| self.pencil.b[(k + 2, j)] = T::ZERO);
        }
        let turn = Rotation::of_row(self.b(k + 1, k), self.b(k + 1, k + 1));
        let rows = self.rows_from..(k + 3).min(last) + 1;
        self.pencil.rotate_columns(k, turn, rows, self.rows_from..k + 2);
        self.pencil.b[(k + 1, k)] = T::ZERO;
    }
}
