//! The Hessenberg form.

use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_macros::instances;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::hessenberg::{hessenberg_in_place, hessenberg_in_place_scratch};
use faer::linalg::householder;
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, MatMut, MatRef, Par};

/// A = Z H Zᴴ with an upper Hessenberg H in A's place, by Householder reflectors. Z is overwritten.
///
/// # Panics
/// If A is not square, or Z is not of its order.
#[instances]
pub fn reduce<T: Scalar>(a: MatMut<'_, T>, z: Option<MatMut<'_, T>>, par: Par) {
    let (mut a, mut z) = (a, z);
    let n = a.nrows();
    if let Some(z) = &mut z {
        z.fill(T::ZERO);
        (0..n).for_each(|i| z[(i, i)] = T::ONE);
    }
    if n <= 2 {
        return;
    }
    match blocks(a.as_mut(), par) {
        Ok(factors) => {
            if let Some(z) = z {
                multiply(a.as_ref(), factors.as_ref(), z.submatrix_mut(1, 1, n - 1, n - 1), par);
            }
        }
        Err(tau) => {
            if let Some(mut z) = z {
                for (k, tau) in tau.iter().enumerate() {
                    reflect_right(column(a.as_ref(), k), *tau, z.as_mut().subcols_mut(k + 1, n - k - 1));
                }
            }
        }
    }
    for j in 0..n {
        (j + 2..n).for_each(|i| a[(i, j)] = T::ZERO);
    }
}

/// The reduction with LAPACK's result: H on the first subdiagonal and above it, and vectors of reflectors
/// `I - tau v vᴴ` below it, whose first element, 1, is not stored. `tau` gets n - 1 factors (LAPACK: xGEHRD).
///
/// # Panics
/// If A is not square, or there are fewer than n - 1 factors.
#[instances]
pub fn factor<T: Scalar>(a: MatMut<'_, T>, tau: &mut [T], par: Par) {
    let n = a.nrows();
    tau[..n.saturating_sub(1)].fill(T::ZERO);
    if n <= 2 {
        return;
    }
    match blocks(a, par) {
        Ok(factors) => {
            let block = factors.nrows();
            for (k, tau) in tau[..n - 2].iter_mut().enumerate() {
                // An infinite one stands for no reflector.
                let inverse = factors[(k % block, k)];
                *tau = if inverse.finite() { T::ONE / inverse } else { T::ZERO };
            }
        }
        Err(found) => tau[..n - 2].copy_from_slice(&found),
    }
}

/// faer's reduction: the triangular factors of its block reflectors; or, where an underflow has left a NaN, the
/// factors of single reflectors.
fn blocks<T: Scalar>(mut a: MatMut<'_, T>, par: Par) -> Result<Mat<T>, Vec<T>> {
    let n = a.nrows();
    let given = a.to_owned();
    let block = recommended_block_size::<T>(n - 1, n - 1);
    let mut factors = Mat::<T>::zeros(block, n - 1);
    let mut memory = MemBuffer::new(hessenberg_in_place_scratch::<T>(n, block, par, Default::default()));
    hessenberg_in_place(a.as_mut(), factors.as_mut(), par, MemStack::new(&mut memory), Default::default());
    if a.as_ref().col_iter().all(|column| column.iter().all(|x| x.finite())) {
        return Ok(factors);
    }
    a.copy_from(&given);
    Err((0..n - 2).map(|k| eliminate(a.as_mut(), k)).collect())
}

fn multiply<T: Scalar>(a: MatRef<'_, T>, factors: MatRef<'_, T>, z: MatMut<'_, T>, par: Par) {
    let n = a.nrows();
    let workspace =
        householder::apply_block_householder_sequence_on_the_right_in_place_scratch::<T>(n - 1, factors.nrows(), n - 1);
    let mut memory = MemBuffer::new(workspace);
    householder::apply_block_householder_sequence_on_the_right_in_place_with_conj(
        a.submatrix(1, 0, n - 1, n - 1),
        factors,
        Conj::No,
        z,
        par,
        MemStack::new(&mut memory),
    );
}

/// A reflector's vector, with its first element.
fn column<T: Scalar>(a: MatRef<'_, T>, k: usize) -> Vec<T> {
    (k + 1..a.nrows()).map(|i| if i == k + 1 { T::ONE } else { a[(i, k)] }).collect()
}

/// Eliminates a column below the subdiagonal, by a reflector of elements that are scaled first. Returns its factor.
fn eliminate<T: Scalar>(mut a: MatMut<'_, T>, k: usize) -> T {
    let n = a.nrows();
    let size = (k + 1..n).map(|i| a[(i, k)].modulus()).fold(0.0, f64::max);
    if (k + 2..n).all(|i| a[(i, k)] == T::ZERO) {
        return T::ZERO;
    }
    let scaled = |i: usize| Complex64::new(a[(i, k)].re() / size, a[(i, k)].im() / size);
    let head = scaled(k + 1);
    let length = (k + 1..n).map(|i| scaled(i).norm_sqr()).sum::<f64>().sqrt();
    let beta = -length.copysign(head.re);
    let inverse = (head - beta).inv();
    let mut v = vec![T::ONE];
    v.extend((k + 2..n).map(|i| scaled(i) * inverse).map(|x| T::from_parts(x.re, x.im)));
    let tau = T::from_parts((beta - head.re) / beta, -head.im / beta);
    // Hᴴ A H.
    let mut rows = a.as_mut().submatrix_mut(k + 1, k + 1, n - k - 1, n - k - 1);
    for j in 0..rows.ncols() {
        let sum = v.iter().enumerate().fold(T::ZERO, |sum, (i, v)| sum + v.conjugate() * rows[(i, j)]);
        let factor = sum * tau.conjugate();
        v.iter().enumerate().for_each(|(i, v)| rows[(i, j)] -= factor * *v);
    }
    reflect_right(v.clone(), tau, a.as_mut().subcols_mut(k + 1, n - k - 1));
    a[(k + 1, k)] = T::from_parts(beta * size, 0.0);
    v.iter().enumerate().skip(1).for_each(|(i, v)| a[(k + 1 + i, k)] = *v);
    tau
}

/// A := A (I - tau v vᴴ).
fn reflect_right<T: Scalar>(v: Vec<T>, tau: T, mut a: MatMut<'_, T>) {
    for i in 0..a.nrows() {
        let sum = v.iter().enumerate().fold(T::ZERO, |sum, (j, v)| sum + a[(i, j)] * *v);
        let factor = sum * tau;
        v.iter().enumerate().for_each(|(j, v)| a[(i, j)] -= factor * v.conjugate());
    }
}
