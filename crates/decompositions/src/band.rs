//! The tridiagonal form of a Hermitian band matrix, by rotations that chase bulges off its end (Schwarz 1968; Kaufman
//! 1984; LAPACK: xSBTRD, xHBTRD).

use faer::{Mat, MatMut};

use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_macros::instances;

use crate::rotation::Rotation;

/// Qᴴ A Q = T with a real symmetric tridiagonal T, whose off-diagonal elements are not negative.
///
/// Element (i, j) of A's lower triangle is in row i - j, column j of `band`, which has kd + 2 rows: the last one, and
/// elements below A's last row, are zero. It is overwritten: its first rows get T. Q is multiplied by the
/// transformations from the right.
///
/// # Panics
/// If `band` has fewer than kd + 2 rows, Q has fewer columns, or columns are not contiguous.
#[instances]
pub fn tridiagonalise<T: Scalar>(kd: usize, band: MatMut<'_, T>, q: Option<MatMut<'_, T>>) {
    let mut band = Band { kd, n: band.ncols(), a: band };
    let (mut q, n) = (q, band.n);
    for j in 0..n.saturating_sub(2) {
        for i in (j + 2..n.min(j + kd + 1)).rev() {
            // The element of row `row` and column `column`, and then its bulge.
            let (mut row, mut column) = (i, j);
            while row < n {
                let (x, y) = (band.element(row - 1, column), band.element(row, column));
                if y == Complex64::ZERO {
                    break;
                }
                let turn = Rotation::of(x, y);
                band.rotate(row - 1, &turn);
                band.a[(row - column, column)] = T::ZERO;
                if let Some(q) = &mut q {
                    let rows = 0..q.nrows();
                    turn.columns(q.as_mut(), rows, row - 1);
                }
                (row, column) = (row + kd, row - 1);
            }
        }
    }
    if kd > 0 && n > 0 {
        band.make_real(q);
    }
}

/// A Hermitian band matrix's lower triangle.
struct Band<'a, T> {
    kd: usize,
    n: usize,
    a: MatMut<'a, T>,
}

impl<T: Scalar> Band<'_, T> {
    fn element(&self, i: usize, j: usize) -> Complex64 {
        Complex64::new(self.a[(i - j, j)].re(), self.a[(i - j, j)].im())
    }

    /// Multiplies rows p and p + 1 by a rotation, and columns by its adjoint.
    fn rotate(&mut self, p: usize, turn: &Rotation) {
        let (kd, n) = (self.kd, self.n);
        let (cos, sin) = turn.parts::<T>();
        for j in p.saturating_sub(kd)..p {
            let (upper, lower) = (self.a[(p - j, j)], self.a[(p + 1 - j, j)]);
            self.a[(p - j, j)] = upper.scaled(cos) + sin * lower;
            self.a[(p + 1 - j, j)] = lower.scaled(cos) - sin.conjugate() * upper;
        }
        self.rotate_diagonal(p, turn);
        let end = n.min(p + kd + 2);
        if end > p + 2 {
            let rows = end - p - 2;
            let (left, right) = self.a.as_mut().split_at_col_mut(p + 1);
            let left = left.subcols_mut(p, 1).subrows_mut(2, rows);
            turn.both(left, right.subcols_mut(0, 1).subrows_mut(1, rows));
        }
    }

    fn rotate_diagonal(&mut self, p: usize, turn: &Rotation) {
        let (cos, sin) = (turn.cos, turn.sin);
        let (a, b, d) = (self.element(p, p).re, self.element(p + 1, p), self.element(p + 1, p + 1).re);
        // G M, and then G M Gᴴ, for M = [a, conj(b); b, d].
        let (upper, lower) = (
            [cos * a + sin * b, cos * b.conj() + sin * d],
            [cos * b - sin.conj() * a, cos * d - sin.conj() * b.conj()],
        );
        let first = upper[0] * cos + upper[1] * sin.conj();
        let below = lower[0] * cos + lower[1] * sin.conj();
        let second = lower[1] * cos - lower[0] * sin;
        self.a[(0, p)] = T::from_parts(first.re, 0.0);
        self.a[(1, p)] = T::from_parts(below.re, below.im);
        self.a[(0, p + 1)] = T::from_parts(second.re, 0.0);
    }

    /// Makes the off-diagonal elements real, by a diagonal matrix of numbers of modulus 1.
    fn make_real(&mut self, q: Option<MatMut<'_, T>>) {
        let mut q = q;
        let mut phase = Complex64::ONE;
        for j in 0..self.n - 1 {
            let below = self.element(j + 1, j) * phase;
            let size = below.norm();
            self.a[(1, j)] = T::from_parts(size, 0.0);
            phase = if size > 0.0 { unit(below) } else { Complex64::ONE };
            if phase != Complex64::ONE
                && let Some(q) = &mut q
            {
                let factor = T::from_parts(phase.re, phase.im);
                (0..q.nrows()).for_each(|i| q[(i, j + 1)] *= factor);
            }
        }
    }
}

/// x / |x|, of subnormal numbers too.
fn unit(x: Complex64) -> Complex64 {
    let x = x.unscale(x.re.abs().max(x.im.abs()));
    x.unscale(x.norm())
}

/// A copy of a Hermitian band matrix's triangle as [`tridiagonalise`] takes it. Element (i, j) is in row i - j of a
/// lower triangle, and kd + i - j of an upper one, in column j of `ab`.
pub fn lower_band<T: Scalar>(lower: bool, kd: usize, ab: faer::MatRef<'_, T>, factor: f64) -> Mat<T> {
    let n = ab.ncols();
    Mat::from_fn(kd + 2, n, |d, j| {
        if d > kd || j + d >= n {
            return T::ZERO;
        }
        let element = if lower { ab[(d, j)] } else { ab[(kd - d, j + d)].conjugate() };
        T::from_parts(element.re() * factor, if d == 0 { 0.0 } else { element.im() * factor })
    })
}
