//! Negligible elements of A's subdiagonal and of B's diagonal. A zero of the latter is an infinite eigenvalue, which is
//! chased to the end of its block.

use affinimath_core::scalar::Scalar;

use super::{Iteration, size};
use crate::rotation::Rotation;

/// The end of the active part.
pub(super) enum Found {
    /// Its last eigenvalue.
    Deflated,
    /// A block without negligible elements, that begins here.
    Block(usize),
}

impl<T: Scalar> Iteration<'_, T> {
    /// True if the element left of A's diagonal in row k is negligible.
    fn negligible(&self, k: usize, normwise: bool) -> bool {
        let around = size(self.a(k, k)) + size(self.a(k - 1, k - 1));
        let limit = self.min_normal.max(T::EPSILON * around);
        size(self.a(k, k - 1)) <= if normwise { limit.max(self.small_a) } else { limit }
    }

    /// Looks for an eigenvalue, or a block to iterate on, that ends in row `last`.
    pub(super) fn search(&mut self, last: usize, normwise: bool) -> Found {
        let low = self.range.start;
        if last == low {
            return Found::Deflated;
        }
        if self.negligible(last, normwise) {
            return Found::Deflated;
        }
        if self.b(last, last).norm() <= self.small_b {
            self.pencil.b[(last, last)] = T::ZERO;
            self.split_last(last);
            return Found::Deflated;
        }
        for j in (low..last).rev() {
            let begins = j == low || self.negligible(j, normwise);
            if begins && j > low {
                self.pencil.a[(j, j - 1)] = T::ZERO;
            }
            if self.b(j, j).norm() <= self.small_b {
                self.pencil.b[(j, j)] = T::ZERO;
                return self.infinite(j, begins, last);
            }
            if begins {
                return Found::Block(j);
            }
        }
        Found::Block(low)
    }

    /// B has a zero in row j of its diagonal.
    fn infinite(&mut self, j: usize, begins: bool, last: usize) -> Found {
        let product = |x: f64, y: f64| x * (self.scale_a * y);
        let products_vanish = !begins && {
            let (left, below, diagonal) = (size(self.a(j, j - 1)), size(self.a(j + 1, j)), size(self.a(j, j)));
            product(left, below) <= product(diagonal, self.small_a)
        };
        if begins || products_vanish {
            return self.split_first(j, last, products_vanish);
        }
        for k in j..last {
            let turn = Rotation::of(self.b(k, k + 1), self.b(k + 1, k + 1));
            self.pencil.rotate_rows(k, turn, k - 1..self.columns_to, k + 1..self.columns_to);
            self.pencil.b[(k + 1, k + 1)] = T::ZERO;
            let turn = Rotation::of_row(self.a(k + 1, k - 1), self.a(k + 1, k));
            self.pencil.rotate_columns(k - 1, turn, self.rows_from..k + 2, self.rows_from..k);
            self.pencil.a[(k + 1, k - 1)] = T::ZERO;
        }
        self.split_last(last);
        Found::Deflated
    }

    /// Splits eigenvalues off the front of a block whose first elements of B's diagonal vanish.
    fn split_first(&mut self, j: usize, last: usize, mut has_left: bool) -> Found {
        for k in j..last {
            let turn = Rotation::of(self.a(k, k), self.a(k + 1, k));
            self.pencil.rotate_rows(k, turn, k..self.columns_to, k + 1..self.columns_to);
            self.pencil.a[(k + 1, k)] = T::ZERO;
            if has_left {
                self.pencil.a[(k, k - 1)] *= T::from_parts(turn.cos, 0.0);
                has_left = false;
            }
            if self.b(k + 1, k + 1).norm() > self.small_b {
                return if k + 1 == last { Found::Deflated } else { Found::Block(k + 1) };
            }
            self.pencil.b[(k + 1, k + 1)] = T::ZERO;
        }
        self.split_last(last);
        Found::Deflated
    }

    /// Splits the last eigenvalue off, where the last element of B's diagonal is zero.
    fn split_last(&mut self, last: usize) {
        let turn = Rotation::of_row(self.a(last, last - 1), self.a(last, last));
        self.pencil.rotate_columns(last - 1, turn, self.rows_from..last + 1, self.rows_from..last);
        self.pencil.a[(last, last - 1)] = T::ZERO;
    }
}
