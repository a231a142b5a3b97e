//! Condition estimates of eigenvalues and eigenvectors of a Schur form (LAPACK: xTRSNA).

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::reorder::{Conditions, eigenvalues};
use super::vectors;
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_decompositions::condition::inverse_one_norm;
use affinimath_decompositions::schur::exchange::{block_order, move_block};

/// Reciprocal condition numbers of all eigenvalues, |uᴴ v| for vectors of length 1, and estimates of the separations of
/// each from the others, which are those of eigenvectors (LAPACK: xTRSNA). T is read only.
#[instances]
pub fn trsna<T: Scalar>(
    t: MatRef<'_, T>,
    wanted: Conditions,
    of_values: &mut [T::RealScalar],
    of_vectors: &mut [T::RealScalar],
) {
    let n = t.nrows();
    if wanted.values {
        let (right, left) = (vectors::right(t), vectors::left(t));
        let mut k = 0;
        while k < n {
            let order = block_order(t, k);
            let column = |v: &Mat<T>| -> Vec<Complex64> {
                let part = |x: T| Complex64::new(x.re(), x.im());
                let imaginary = |i: usize| if order == 2 { v[(i, k + 1)].re() } else { 0.0 };
                (0..n).map(|i| part(v[(i, k)]) + Complex64::I * imaginary(i)).collect()
            };
            let (u, v) = (column(&left), column(&right));
            let length = |x: &[Complex64]| x.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
            let product: Complex64 = u.iter().zip(&v).map(|(u, v)| u.conj() * v).sum();
            let s = product.norm() / length(&u) / length(&v);
            of_values[k..k + order].fill(super::real::<T>(s));
            k += order;
        }
    }
    if wanted.subspace {
        let triangle = triangular(t);
        let mut values = vec![Complex64::ZERO; n];
        eigenvalues(t, &mut values);
        for (k, to) in of_vectors.iter_mut().enumerate().take(n) {
            *to = super::real::<T>(separation(&triangle, k));
        }
    }
}

/// A complex Schur form: blocks of order 2 made triangular.
fn triangular<T: Scalar>(t: MatRef<'_, T>) -> Mat<Complex64> {
    let n = t.nrows();
    let mut c = Mat::from_fn(n, n, |i, j| Complex64::new(t[(i, j)].re(), t[(i, j)].im()));
    for k in 0..n.saturating_sub(1) {
        if t[(k + 1, k)] == T::ZERO {
            continue;
        }
        // Of a standard block [a, b; c, a] an eigenvector is (i sqrt|b|, sign(b) (-sqrt|c|)), up to a sign.
        let (b, below) = (t[(k, k + 1)].re(), t[(k + 1, k)].re());
        let im = b.abs().sqrt() * below.abs().sqrt();
        let (x, y) = (Complex64::new(b, 0.0), Complex64::new(0.0, im));
        let length = x.norm().hypot(y.norm());
        let (x, y) = (x / length, y / length);
        // The unitary matrix [x, -conj(y); y, conj(x)] has the eigenvector as its first column.
        for j in 0..n {
            let (upper, lower) = (c[(k, j)], c[(k + 1, j)]);
            c[(k, j)] = x.conj() * upper + y.conj() * lower;
            c[(k + 1, j)] = x * lower - y * upper;
        }
        for i in 0..n {
            let (left, right) = (c[(i, k)], c[(i, k + 1)]);
            c[(i, k)] = left * x + right * y;
            c[(i, k + 1)] = right * x.conj() - left * y.conj();
        }
        c[(k + 1, k)] = Complex64::ZERO;
    }
    c
}

/// An estimate of the smallest singular value of the other eigenvalues' block less this eigenvalue.
fn separation(t: &Mat<Complex64>, k: usize) -> f64 {
    let n = t.nrows();
    if n == 1 {
        return t[(0, 0)].norm();
    }
    let mut moved = t.clone();
    // Complex eigenvalues are always exchanged.
    let _ = move_block(moved.as_mut(), None, k, 0);
    let value = moved[(0, 0)];
    let mut rest = moved.as_ref().submatrix(1, 1, n - 1, n - 1).to_owned();
    let size = rest.col_iter().flat_map(|column| column.iter()).map(|x| x.norm()).fold(0.0, f64::max);
    let smallest = (f64::EPSILON * (size + value.norm())).max(f64::MIN_POSITIVE / f64::EPSILON);
    for i in 0..n - 1 {
        rest[(i, i)] -= value;
        if rest[(i, i)].norm() < smallest * f64::EPSILON {
            rest[(i, i)] = Complex64::new(smallest * f64::EPSILON, 0.0);
        }
    }
    let inverse = inverse_one_norm::<Complex64>(n - 1, |x| solve(&rest, x), |x| solve_adjoint(&rest, x));
    inverse.recip()
}

fn solve(t: &Mat<Complex64>, mut x: MatMut<'_, Complex64>) {
    for j in (0..t.nrows()).rev() {
        x[(j, 0)] = super::quotient(x[(j, 0)], t[(j, j)]);
        let factor = x[(j, 0)];
        (0..j).for_each(|i| x[(i, 0)] -= t[(i, j)] * factor);
    }
}

fn solve_adjoint(t: &Mat<Complex64>, mut x: MatMut<'_, Complex64>) {
    for j in 0..t.nrows() {
        let sum: Complex64 = (0..j).map(|i| t[(i, j)].conj() * x[(i, 0)]).sum();
        x[(j, 0)] = super::quotient(x[(j, 0)] - sum, t[(j, j)].conj());
    }
}
