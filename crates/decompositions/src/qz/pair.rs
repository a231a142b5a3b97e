//! Blocks of order 2 of real pencils: their eigenvalues, and a diagonal block of B for complex ones.

use faer::MatRef;

use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_macros::instances;

use super::{Eigenvalue, Iteration, near_reciprocal};
use crate::rotation::Rotation;

/// A real pencil of order 2: A's elements, row by row, and those of an upper triangular B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) a: [f64; 4],
    pub(super) b: [f64; 3],
}

impl Block {
    /// Eigenvalues, the one with the positive imaginary part first. B is not singular (LAPACK: xLAG2).
    pub(super) fn eigenvalues(&self) -> [Complex64; 2] {
        let ([a11, a12, a21, a22], [b11, b12, b22]) = (self.a, self.b);
        let (s1, s2) = (a11 / b11, a22 / b22);
        let below = a21 / b11 / b22;
        // The smaller quotient is the shift: less is cancelled.
        let (shift, half, product) = if s1.abs() <= s2.abs() {
            let diagonal = (a22 - s1 * b22) / b22 - below * b12;
            (s1, diagonal / 2.0, below * (a12 - s1 * b12))
        } else {
            let diagonal = (a11 - s2 * b11) / b11 - below * b12;
            (s2, diagonal / 2.0, below * (a12 - s2 * b12))
        };
        let discriminant = half * half + product;
        if discriminant < 0.0 {
            let im = (-discriminant).sqrt();
            return [Complex64::new(shift + half, im), Complex64::new(shift + half, -im)];
        }
        let root = discriminant.sqrt().copysign(half);
        let (large, mut small) = (shift + (half + root), shift + (half - root));
        if large.abs() > 2.0 * small.abs() {
            small = (a11 * a22 - a12 * a21) / b11 / b22 / large;
        }
        [Complex64::new(large, 0.0), Complex64::new(small, 0.0)]
    }

    /// The pair of complex eigenvalues of a block with a diagonal B, with the denominators of its complex Schur form.
    fn pair(&self, lambda: Complex64) -> [Eigenvalue; 2] {
        let ([a11, a12, a21, a22], [b11, _, b22]) = (self.a, self.b);
        let (upper, lower) = (a11 - lambda * b11, a22 - lambda * b22);
        // The null vector of the larger row.
        let (x, y) = if upper.norm().max(a12.abs()) >= lower.norm().max(a21.abs()) {
            (Complex64::new(-a12, 0.0), upper)
        } else {
            (lower, Complex64::new(-a21, 0.0))
        };
        let length = x.norm().hypot(y.norm());
        let beta = (b11 * (x.norm() / length)).hypot(b22 * (y.norm() / length));
        let other = b11 * (b22 / beta);
        [Eigenvalue { alpha: lambda * beta, beta }, Eigenvalue { alpha: lambda.conj() * other, beta: other }]
    }
}

impl<T: Scalar> Iteration<'_, T> {
    /// The block in rows k and k + 1 of the scaled pencil.
    pub(super) fn block(&self, k: usize) -> Block {
        let (a, b) = (|i, j| self.alpha(k + i, k + j).re, |i, j| self.beta(k + i, k + j).re);
        Block { a: [a(0, 0), a(0, 1), a(1, 0), a(1, 1)], b: [b(0, 0), b(0, 1), b(1, 1)] }
    }

    /// Diagonalises B in rows k and k + 1. Returns the block's eigenvalues, unless rounding has made them real.
    pub(super) fn pair(&mut self, k: usize) -> Option<[Eigenvalue; 2]> {
        self.diagonalise(k);
        let block = self.block(k);
        let [lambda, _] = block.eigenvalues();
        if lambda.im == 0.0 {
            return None;
        }
        Some(
            block
                .pair(lambda)
                .map(|value| Eigenvalue { alpha: value.alpha / self.scale_a, beta: value.beta / self.scale_b }),
        )
    }

    /// The singular value decomposition of B's block, by a Jacobi rotation of its columns.
    fn diagonalise(&mut self, k: usize) {
        let [f, g, h] = self.block(k).b;
        let largest = f.abs().max(g.abs()).max(h.abs());
        let [f, g, h] = [f, g, h].map(|x| x / largest);
        if g != 0.0 {
            let zeta = (g * g + h * h - f * f) / (2.0 * f * g);
            let tangent = 1f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0));
            let cos = tangent.hypot(1.0).recip();
            let sin = cos * tangent;
            let turn = Rotation { cos, sin: Complex64::new(-sin, 0.0) };
            self.pencil.rotate_columns(k, turn, self.rows_from..k + 2, self.rows_from..k + 2);
            // Rows are turned so that the longer column is on the diagonal.
            let (x, y) = ([cos * f - sin * g, -sin * h], [sin * f + cos * g, cos * h]);
            let real = |x: f64| Complex64::new(x, 0.0);
            let turn = if x[0].hypot(x[1]) >= y[0].hypot(y[1]) {
                Rotation::of(real(x[0]), real(x[1]))
            } else {
                Rotation::of_row(real(y[0]), real(y[1]))
            };
            self.pencil.rotate_rows(k, turn, k..self.columns_to, k..self.columns_to);
            self.pencil.b[(k, k + 1)] = T::ZERO;
            self.pencil.b[(k + 1, k)] = T::ZERO;
        }
        for j in [k, k + 1] {
            if self.b(j, j).re < 0.0 {
                self.scale_column(j, -T::ONE);
            }
        }
    }
}

/// Eigenvalues of a generalised Schur form, in the order of its diagonal.
#[instances]
pub fn eigenvalues<T: Scalar>(s: MatRef<'_, T>, p: MatRef<'_, T>, values: &mut [Eigenvalue]) {
    let n = s.nrows();
    let mut k = 0;
    while k < n {
        if k + 1 < n && s[(k + 1, k)] != T::ZERO {
            let (block, scale_a, scale_b) = scaled_block(s, p, k);
            let [lambda, _] = block.eigenvalues();
            let pair = block.pair(lambda);
            values[k..k + 2].copy_from_slice(
                &pair.map(|value| Eigenvalue { alpha: value.alpha / scale_a, beta: value.beta / scale_b }),
            );
            k += 2;
            continue;
        }
        values[k] = Eigenvalue { alpha: Complex64::new(s[(k, k)].re(), s[(k, k)].im()), beta: p[(k, k)].re() };
        k += 1;
    }
}

/// A block of a real Schur form, of a norm near 1, and the factors of A and B.
pub(super) fn scaled_block<T: Scalar>(s: MatRef<'_, T>, p: MatRef<'_, T>, k: usize) -> (Block, f64, f64) {
    let (a, b) = (|i, j| s[(k + i, k + j)].re(), |i, j| p[(k + i, k + j)].re());
    let (a, b) = ([a(0, 0), a(0, 1), a(1, 0), a(1, 1)], [b(0, 0), b(0, 1), b(1, 1)]);
    let factor = |x: &[f64]| {
        let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        near_reciprocal(largest)
    };
    let (scale_a, scale_b) = (factor(&a), factor(&b));
    (Block { a: a.map(|x| x * scale_a), b: b.map(|x| x * scale_b) }, scale_a, scale_b)
}
