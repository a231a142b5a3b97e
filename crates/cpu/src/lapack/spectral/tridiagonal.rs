//! Eigenvalues and eigenvectors of real symmetric tridiagonal matrices: steqr, sterf, stedc, stev and stevr.

use affinimath_macros::instances;
use faer::{Mat, MatMut};

use super::super::workspace::with_columns;
use super::super::{Info, among_threads};
use super::hermitian::{Spectrum, selected};
use super::rotations::{Rotation, Rotations, givens};
use super::{parallelism, real, spoil};
use crate::gemm;
use affinimath_core::options::Op;
use affinimath_core::scalar::Scalar;
use affinimath_decompositions::hermitian::tridiagonal_eigen;

/// Iterations for each eigenvalue (LAPACK: 30).
const MAX_ITERATIONS: usize = 30;

/// Eigenvalues of a tridiagonal matrix in ascending order, in place of its diagonal `d`, by implicit QL or QR iteration
/// (LAPACK: xSTEQR). Z's columns are multiplied from the right by the orthonormal eigenvectors: a Z with the Q of
/// `hetrd` gets A's, the identity the tridiagonal matrix's.
///
/// The n - 1 off-diagonal elements `e` are overwritten. An info is the count of those that have
/// not become zero. Results of elements that are not finite are NaN.
#[instances]
pub fn steqr<T: Scalar>(d: &mut [T::RealScalar], e: &mut [T::RealScalar], z: Option<MatMut<'_, T>>) -> Info {
    let n = d.len();
    if n == 0 {
        return None;
    }
    let e = &mut e[..n - 1];
    if !d.iter().chain(&*e).all(|x| x.re().is_finite()) {
        d.fill(real::<T>(f64::NAN));
        z.into_iter().for_each(|z| spoil(z));
        return Some((n - 1).max(1));
    }
    let mut wide_d: Vec<f64> = d.iter().map(|x| x.re()).collect();
    let mut wide_e: Vec<f64> = e.iter().map(|x| x.re()).collect();
    let mut matrix = Tridiagonal { d: &mut wide_d, e: &mut wide_e, epsilon: T::EPSILON / 2.0, rotations: None };
    let info = match z {
        None => matrix.iterate(),
        Some(mut z) => {
            let rows = z.nrows();
            let info = with_columns(z.as_mut(), |columns| {
                // SAFETY: Z has n columns of these rows, and is borrowed.
                matrix.rotations = Some(unsafe { Rotations::new(columns, rows) });
                matrix.iterate()
            });
            if info.is_none() {
                sort_columns(&mut wide_d, z);
            }
            info
        }
    };
    if info.is_none() {
        wide_d.sort_by(f64::total_cmp);
    }
    d.iter_mut().zip(&wide_d).for_each(|(d, wide)| *d = real::<T>(*wide));
    e.iter_mut().zip(&wide_e).for_each(|(e, wide)| *e = real::<T>(*wide));
    info
}

/// Eigenvalues alone (LAPACK: xSTERF), as [`steqr`].
#[instances]
pub fn sterf<T: Scalar>(d: &mut [T::RealScalar], e: &mut [T::RealScalar]) -> Info {
    steqr::<T>(d, e, None)
}

/// Columns in ascending order of the values.
fn sort_columns<T: Scalar>(values: &mut [f64], mut z: MatMut<'_, T>) {
    for i in 0..values.len() {
        let rest = values[i..].iter().enumerate();
        let min = i + rest.fold(0, |min, (k, value)| if *value < values[i + min] { k } else { min });
        if min > i {
            values.swap(i, min);
            let (left, right) = z.as_mut().split_at_col_mut(min);
            let (mut one, mut other) = (left.col_mut(i), right.col_mut(0));
            (0..one.nrows()).for_each(|row| std::mem::swap(&mut one[row], &mut other[row]));
        }
    }
}

struct Tridiagonal<'a, T> {
    d: &'a mut [f64],
    e: &'a mut [f64],
    epsilon: f64,
    rotations: Option<Rotations<T>>,
}

impl<T: Scalar> Tridiagonal<'_, T> {
    /// Each unreduced block by itself, scaled into a range without overflow.
    fn iterate(&mut self) -> Info {
        let (n, mut first) = (self.d.len(), 0);
        let mut left = n.saturating_mul(MAX_ITERATIONS);
        while first < n {
            let mut last = first;
            while last + 1 < n && !self.is_negligible(last) {
                last += 1;
            }
            if last + 1 < n {
                self.e[last] = 0.0;
            }
            if last > first {
                let size =
                    self.d[first..=last].iter().chain(&self.e[first..last]).fold(0.0, |a: f64, x| a.max(x.abs()));
                let factor = super::into_range::<f64>(size);
                let scale = |matrix: &mut Self, factor: f64| {
                    matrix.d[first..=last].iter_mut().for_each(|d| *d *= factor);
                    matrix.e[first..last].iter_mut().for_each(|e| *e *= factor);
                };
                if factor != 1.0 {
                    scale(self, factor);
                }
                // QR from the other end where the matrix is graded that way.
                let flipped = self.d[last].abs() < self.d[first].abs();
                self.solve(first, last, flipped, &mut left);
                if factor != 1.0 {
                    scale(self, factor.recip());
                }
            }
            first = last + 1;
        }
        if let Some(rotations) = &mut self.rotations {
            rotations.flush();
        }
        Some(self.e.iter().filter(|e| **e != 0.0).count()).filter(|count| *count > 0)
    }

    fn is_negligible(&self, i: usize) -> bool {
        let (size, product) = (self.e[i].abs(), self.d[i].abs().sqrt() * self.d[i + 1].abs().sqrt());
        size == 0.0 || size <= self.epsilon * product
    }

    fn push(&mut self, p: usize, q: usize, c: f64, s: f64) {
        if let Some(rotations) = &mut self.rotations {
            rotations.push(Rotation { p, q, c, s });
        }
    }

    /// QL iteration with Wilkinson's shift on rows first to last, or QR: QL from the other end.
    fn solve(&mut self, first: usize, last: usize, flipped: bool, left: &mut usize) {
        let at = |i: usize| if flipped { last - i } else { first + i };
        let off_diagonal = |i: usize| if flipped { last - 1 - i } else { first + i };
        let (order, mut l) = (last - first, 0);
        while l <= order {
            let mut m = l;
            while m < order {
                let (size, d) = (self.e[off_diagonal(m)].abs(), [m, m + 1].map(|i| self.d[at(i)].abs()));
                if size * size <= self.epsilon * self.epsilon * d[0] * d[1] + f64::MIN_POSITIVE {
                    self.e[off_diagonal(m)] = 0.0;
                    break;
                }
                m += 1;
            }
            if m == l {
                l += 1;
                continue;
            }
            if m == l + 1 {
                self.diagonalise_pair((at(l), at(m)), off_diagonal(l));
                l += 2;
                continue;
            }
            if *left == 0 {
                return;
            }
            *left -= 1;
            let p = self.d[at(l)];
            let g = (self.d[at(l + 1)] - p) / (2.0 * self.e[off_diagonal(l)]);
            let r = g.hypot(1.0);
            let mut g = self.d[at(m)] - p + self.e[off_diagonal(l)] / (g + r.copysign(g));
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            for i in (l..m).rev() {
                let (f, b) = (s * self.e[off_diagonal(i)], c * self.e[off_diagonal(i)]);
                let r;
                (c, s, r) = givens(g, f);
                if i + 1 != m {
                    self.e[off_diagonal(i + 1)] = r;
                }
                g = self.d[at(i + 1)] - p;
                let r = (self.d[at(i)] - g) * s + 2.0 * c * b;
                p = s * r;
                self.d[at(i + 1)] = g + p;
                g = c * r - b;
                self.push(at(i), at(i + 1), c, -s);
            }
            self.d[at(l)] -= p;
            self.e[off_diagonal(l)] = g;
        }
    }

    /// Jacobi's rotation of a block of order 2.
    fn diagonalise_pair(&mut self, (i, j): (usize, usize), k: usize) {
        let b = self.e[k];
        let zeta = (self.d[j] - self.d[i]) / (2.0 * b);
        let t = (zeta.abs() + zeta.hypot(1.0)).recip().copysign(zeta);
        let c = t.hypot(1.0).recip();
        self.d[i] -= t * b;
        self.d[j] += t * b;
        self.e[k] = 0.0;
        self.push(i, j, c, -c * t);
    }
}

/// As [`steqr`], by divide and conquer (LAPACK: xSTEDC; Cuppen 1981; Gu and Eisenstat 1995). An info is 1.
#[instances]
pub fn stedc<T: Scalar>(d: &mut [T::RealScalar], e: &mut [T::RealScalar], z: Option<MatMut<'_, T>>) -> Info {
    let Some(mut z) = z else { return steqr::<T>(d, e, None) };
    let n = d.len();
    if n == 0 {
        return None;
    }
    let e = &mut e[..n - 1];
    let size = d.iter().chain(&*e).map(|x| x.re().abs()).fold(0.0, |a: f64, x| if x > a || x.is_nan() { x } else { a });
    if !size.is_finite() {
        d.fill(real::<T>(f64::NAN));
        spoil(z);
        return Some(1);
    }
    let factor = super::into_range::<T>(size);
    let scaled = |x: &T::RealScalar| real::<T>(x.re() * factor);
    let (diagonal, off_diagonal): (Vec<_>, Vec<_>) = (d.iter().map(scaled).collect(), e.iter().map(scaled).collect());
    let mut vectors = Mat::<T::RealScalar>::zeros(n, n);
    let given = d.to_vec();
    let solved = among_threads(n, || tridiagonal_eigen(&diagonal, &off_diagonal, d, vectors.as_mut(), parallelism(n)));
    if !solved || d.iter().any(|d| !d.re().is_finite()) {
        // Divide and conquer gives up on some strongly graded matrices, QR iteration does not.
        d.copy_from_slice(&given);
        return steqr::<T>(d, e, Some(z)).map(|_| 1);
    }
    d.iter_mut().for_each(|d| *d = real::<T>(d.re() / factor));
    e.fill(real::<T>(0.0));
    let vectors = Mat::<T>::from_fn(n, n, |i, j| T::from_parts(vectors[(i, j)].re(), 0.0));
    if is_identity(&z) {
        z.copy_from(vectors);
    } else {
        let copy = Mat::<T>::from_fn(z.nrows(), n, |i, j| z[(i, j)]);
        among_threads(n, || gemm(Op::NoTrans, Op::NoTrans, T::ONE, copy.as_ref(), vectors.as_ref(), T::ZERO, z));
    }
    None
}

fn is_identity<T: Scalar>(z: &MatMut<'_, T>) -> bool {
    let unit = |i: usize, j: usize| if i == j { T::ONE } else { T::ZERO };
    z.nrows() == z.ncols() && (0..z.ncols()).all(|j| (0..z.nrows()).all(|i| z[(i, j)] == unit(i, j)))
}

/// Some eigenvalues of a tridiagonal matrix in ascending order, and orthonormal eigenvectors in the first columns of Z
/// (LAPACK: xSTEVR, xSTEVX). Returns their number. `d` and `e` are read only.
///
/// `w` has n elements, and Z a column for each eigenvalue that is found. An info is that of [`stedc`].
#[instances]
pub fn stevr<T: Scalar>(
    spectrum: Spectrum,
    d: &[T::RealScalar],
    e: &[T::RealScalar],
    w: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
) -> (usize, Info) {
    let n = d.len();
    if n == 0 {
        return (0, None);
    }
    w[..n].copy_from_slice(d);
    let mut off_diagonal = e[..n - 1].to_vec();
    let mut u = z.is_some().then(|| Mat::<T>::identity(n, n));
    let info = stedc::<T>(&mut w[..n], &mut off_diagonal, u.as_mut().map(|u| u.as_mut()));
    if info.is_some() {
        return (0, info);
    }
    let (first, count) = selected(spectrum, &w[..n]);
    w.copy_within(first..first + count, 0);
    if let (Some(u), Some(z)) = (u, z) {
        z.subcols_mut(0, count).copy_from(u.as_ref().subcols(first, count));
    }
    (count, None)
}
