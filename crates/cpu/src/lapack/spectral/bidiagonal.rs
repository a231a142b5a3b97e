//! Singular values and vectors of real bidiagonal matrices: bdsqr.

mod pair;

use affinimath_macros::instances;
use faer::MatMut;

use super::super::Info;
use super::super::workspace::with_columns;
use super::rotations::{Rotation, Rotations, givens};
use super::{real, spoil};
use affinimath_core::options::Triangle;
use affinimath_core::scalar::Scalar;
use pair::{Pair, smaller};

/// Iterations for each pair of singular values (LAPACK: 6).
const MAX_ITERATIONS: usize = 6;

/// Singular values of a bidiagonal B = Q diag(s) Pᵀ in descending order, in place of its diagonal `d`, by implicit
/// zero-shift QR iteration (LAPACK: xBDSQR; Demmel and Kahan 1990): each to high relative accuracy. The n - 1 elements
/// of `e` are above the diagonal if `triangle` is upper, else below it.
///
/// Vᴴ, with n rows, is multiplied from the left by Pᵀ, U, with n columns, from the right by Q, and C, with n rows, from
/// the left by Qᵀ. An info is the count of elements of `e` that have not become zero; results of elements that are not
/// finite are NaN.
#[instances]
pub fn bdsqr<T: Scalar>(
    triangle: Triangle,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    vt: Option<MatMut<'_, T>>,
    u: Option<MatMut<'_, T>>,
    c: Option<MatMut<'_, T>>,
) -> Info {
    let n = d.len();
    if n == 0 {
        return None;
    }
    let e = &mut e[..n - 1];
    // Vectors of each kind are columns.
    let mut vectors = [vt.map(|vt| vt.transpose_mut()), u, c.map(|c| c.transpose_mut())];
    if !d.iter().chain(&*e).all(|x| x.re().is_finite()) {
        d.fill(real::<T>(f64::NAN));
        vectors.into_iter().flatten().for_each(|matrix| spoil(matrix));
        return Some((n - 1).max(1));
    }
    let mut wide = [&*d, &*e].map(|values| values.iter().map(|x| x.re()).collect::<Vec<f64>>());
    let [wide_d, wide_e] = &mut wide;
    let mut matrix = Bidiagonal {
        d: wide_d,
        e: wide_e,
        epsilon: T::EPSILON / 2.0,
        least: if T::KIND.is_double() { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE.into() },
        rotations: [None, None, None],
    };
    let info = with_rotations(&mut vectors, &mut matrix, 0, &mut |matrix| {
        if triangle == Triangle::Lower {
            matrix.turn();
        }
        matrix.iterate()
    });
    let [mut wide_d, wide_e] = wide;
    if info.is_none() {
        sort(&mut wide_d, &mut vectors);
    }
    d.iter_mut().zip(&wide_d).for_each(|(d, wide)| *d = real::<T>(*wide));
    e.iter_mut().zip(&wide_e).for_each(|(e, wide)| *e = real::<T>(*wide));
    info
}

/// Does work with the rotations of all kinds of vectors.
fn with_rotations<T: Scalar>(
    vectors: &mut [Option<MatMut<'_, T>>; 3],
    matrix: &mut Bidiagonal<'_, T>,
    kind: usize,
    work: &mut dyn FnMut(&mut Bidiagonal<'_, T>) -> Info,
) -> Info {
    let Some(slot) = vectors.get_mut(kind) else { return work(matrix) };
    let Some(mut own) = slot.take() else { return with_rotations(vectors, matrix, kind + 1, work) };
    let rows = own.nrows();
    let info = with_columns(own.as_mut(), |columns| {
        // SAFETY: the matrix has n columns of these rows, and is borrowed.
        matrix.rotations[kind] = Some(unsafe { Rotations::new(columns, rows) });
        let info = with_rotations(vectors, matrix, kind + 1, work);
        matrix.rotations[kind] = None;
        info
    });
    vectors[kind] = Some(own);
    info
}

/// Makes values positive, by Vᴴ's rows, and brings them and their vectors into descending order.
fn sort<T: Scalar>(d: &mut [f64], vectors: &mut [Option<MatMut<'_, T>>; 3]) {
    for (j, value) in d.iter_mut().enumerate() {
        if value.is_sign_negative() {
            *value = -*value;
            if let Some(v) = &mut vectors[0] {
                (0..v.nrows()).for_each(|i| v[(i, j)] = -v[(i, j)]);
            }
        }
    }
    for i in 0..d.len() {
        let rest = d[i..].iter().enumerate();
        let largest = i + rest.fold(0, |best, (k, value)| if *value > d[i + best] { k } else { best });
        if largest > i {
            d.swap(i, largest);
            for matrix in vectors.iter_mut().flatten() {
                let (left, right) = matrix.as_mut().split_at_col_mut(largest);
                let (mut one, mut other) = (left.col_mut(i), right.col_mut(0));
                (0..one.nrows()).for_each(|row| std::mem::swap(&mut one[row], &mut other[row]));
            }
        }
    }
}

struct Bidiagonal<'a, T> {
    d: &'a mut [f64],
    e: &'a mut [f64],
    epsilon: f64,
    /// The smallest normal number of the results' type.
    least: f64,
    /// Of V, U and C.
    rotations: [Option<Rotations<T>>; 3],
}

/// Rows first to last, or the same from the other end: the flipped transpose, whose U is V.
#[derive(Clone, Copy)]
struct Block {
    first: usize,
    last: usize,
    flipped: bool,
}

impl Block {
    const fn at(self, i: usize) -> usize {
        if self.flipped { self.last - i } else { self.first + i }
    }

    const fn off_diagonal(self, i: usize) -> usize {
        if self.flipped { self.last - 1 - i } else { self.first + i }
    }

    const fn order(self) -> usize {
        self.last - self.first
    }
}

impl<T: Scalar> Bidiagonal<'_, T> {
    fn push(&mut self, right: bool, rotation: Rotation) {
        let kinds = if right { 0..1 } else { 1..3 };
        self.rotations[kinds].iter_mut().flatten().for_each(|rotations| rotations.push(rotation));
    }

    /// A lower bidiagonal matrix becomes an upper one.
    fn turn(&mut self) {
        for i in 0..self.e.len() {
            let (c, s, r) = givens(self.d[i], self.e[i]);
            self.d[i] = r;
            self.e[i] = s * self.d[i + 1];
            self.d[i + 1] *= c;
            self.push(false, Rotation { p: i, q: i + 1, c, s });
        }
    }

    fn iterate(&mut self) -> Info {
        let n = self.d.len();
        let tolerance = self.epsilon * self.epsilon.powf(-0.125).clamp(10.0, 100.0);
        let threshold = self.threshold(tolerance);
        let mut left = MAX_ITERATIONS.saturating_mul(n).saturating_mul(n);
        let (mut last, mut previous) = (n - 1, None::<Block>);
        while last > 0 {
            // The unreduced block that ends in this row.
            let mut first = last;
            while first > 0 && self.e[first - 1].abs() > threshold {
                first -= 1;
            }
            if first > 0 {
                self.e[first - 1] = 0.0;
            }
            if first == last {
                last -= 1;
                continue;
            }
            if first + 1 == last {
                self.diagonalise_pair(first);
                last -= 1;
                continue;
            }
            // The direction is kept as long as the block is a part of the one before it.
            let flipped = match previous {
                Some(block) if first >= block.first && last <= block.last => block.flipped,
                _ => self.d[first].abs() < self.d[last].abs(),
            };
            let block = Block { first, last, flipped };
            previous = Some(block);
            let Some(smallest) = self.deflate(block, tolerance) else { continue };
            if left == 0 {
                break;
            }
            left -= 1;
            let shift = self.shift(block, smallest, tolerance);
            if shift == 0.0 {
                self.sweep_without_shift(block)
            } else {
                self.sweep(block, shift)
            }
            let end = block.off_diagonal(block.order() - 1);
            if self.e[end].abs() <= threshold {
                self.e[end] = 0.0;
            }
        }
        self.rotations.iter_mut().flatten().for_each(Rotations::flush);
        Some(self.e.iter().filter(|e| **e != 0.0).count()).filter(|count| *count > 0)
    }

    /// Size of negligible off-diagonal elements, from a bound of the smallest singular value.
    fn threshold(&self, tolerance: f64) -> f64 {
        let n = self.d.len() as f64;
        let mut mu = self.d[0].abs();
        let mut smallest = mu;
        for (d, e) in self.d[1..].iter().zip(&*self.e) {
            if smallest == 0.0 {
                break;
            }
            mu = d.abs() * (mu / (mu + e.abs()));
            smallest = smallest.min(mu);
        }
        (tolerance * (smallest / n.sqrt())).max(MAX_ITERATIONS as f64 * n * n * self.least)
    }

    /// Sets an element to zero that is negligible by Demmel and Kahan's criterion: none then; else a bound of the
    /// smallest singular value.
    fn deflate(&mut self, block: Block, tolerance: f64) -> Option<f64> {
        let order = block.order();
        if self.e[block.off_diagonal(order - 1)].abs() <= tolerance * self.d[block.at(order)].abs() {
            self.e[block.off_diagonal(order - 1)] = 0.0;
            return None;
        }
        let mut mu = self.d[block.at(0)].abs();
        let mut smallest = mu;
        for i in 0..order {
            let e = self.e[block.off_diagonal(i)].abs();
            if e <= tolerance * mu {
                self.e[block.off_diagonal(i)] = 0.0;
                return None;
            }
            mu = self.d[block.at(i + 1)].abs() * (mu / (mu + e));
            smallest = smallest.min(mu);
        }
        Some(smallest)
    }

    /// The shift, or 0 where it would spoil the relative accuracy.
    fn shift(&self, block: Block, smallest: f64, tolerance: f64) -> f64 {
        let order = block.order();
        let of_d = self.d[block.first..=block.last].iter();
        let largest = of_d.chain(&self.e[block.first..block.last]).fold(0.0, |a: f64, x| a.max(x.abs()));
        let n = self.d.len() as f64;
        if n * tolerance * (smallest / largest) <= self.epsilon.max(0.01 * tolerance) {
            return 0.0;
        }
        let shift =
            smaller(self.d[block.at(order - 1)], self.e[block.off_diagonal(order - 1)], self.d[block.at(order)]);
        let start = self.d[block.at(0)].abs();
        if start > 0.0 && (shift / start).powi(2) < self.epsilon { 0.0 } else { shift }
    }

    /// Demmel and Kahan's sweep with a zero shift.
    fn sweep_without_shift(&mut self, block: Block) {
        let order = block.order();
        let (mut c, mut old_c, mut old_s) = (1.0, 1.0, 0.0);
        for i in 0..order {
            let (p, q) = (block.at(i), block.at(i + 1));
            let (s, r);
            (c, s, r) = givens(self.d[p] * c, self.e[block.off_diagonal(i)]);
            if i > 0 {
                self.e[block.off_diagonal(i - 1)] = old_s * r;
            }
            (old_c, old_s, self.d[p]) = givens(old_c * r, self.d[q] * s);
            self.push(!block.flipped, Rotation { p, q, c, s });
            self.push(block.flipped, Rotation { p, q, c: old_c, s: old_s });
        }
        let h = self.d[block.at(order)] * c;
        self.d[block.at(order)] = h * old_c;
        self.e[block.off_diagonal(order - 1)] = h * old_s;
    }

    /// A sweep of the implicit QR iteration.
    fn sweep(&mut self, block: Block, shift: f64) {
        let order = block.order();
        let start = self.d[block.at(0)];
        let mut f = (start.abs() - shift) * (1f64.copysign(start) + shift / start);
        let mut g = self.e[block.off_diagonal(0)];
        for i in 0..order {
            let (p, q, k) = (block.at(i), block.at(i + 1), block.off_diagonal(i));
            let (c, s, r) = givens(f, g);
            if i > 0 {
                self.e[block.off_diagonal(i - 1)] = r;
            }
            f = c * self.d[p] + s * self.e[k];
            self.e[k] = c * self.e[k] - s * self.d[p];
            g = s * self.d[q];
            self.d[q] *= c;
            self.push(!block.flipped, Rotation { p, q, c, s });
            let (c, s, r) = givens(f, g);
            self.d[p] = r;
            f = c * self.e[k] + s * self.d[q];
            self.d[q] = c * self.d[q] - s * self.e[k];
            if i + 1 < order {
                let next = block.off_diagonal(i + 1);
                g = s * self.e[next];
                self.e[next] *= c;
            }
            self.push(block.flipped, Rotation { p, q, c, s });
        }
        self.e[block.off_diagonal(order - 1)] = f;
    }

    fn diagonalise_pair(&mut self, i: usize) {
        let pair = Pair::of(self.d[i], self.e[i], self.d[i + 1]);
        (self.d[i], self.d[i + 1], self.e[i]) = (pair.larger, pair.smaller, 0.0);
        let rotation = |(c, s): (f64, f64)| Rotation { p: i, q: i + 1, c, s };
        self.push(true, rotation(pair.right));
        self.push(false, rotation(pair.left));
    }
}
