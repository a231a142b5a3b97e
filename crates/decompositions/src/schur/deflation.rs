//! Aggressive early deflation (Braman, Byers and Mathias 2002; LAPACK: xLAQR3).

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut};

use super::exchange::{block_order, move_block};
use super::window::{Target, multiply_columns};
use super::{iterate, size, smallest};
use crate::hessenberg;
use affinimath_core::scalar::{Complex64, Scalar};

/// The result of a deflation.
pub(super) struct Deflation {
    /// Eigenvalues found at the end of the block.
    pub(super) deflated: usize,
    /// The window's other eigenvalues.
    pub(super) shifts: Vec<Complex64>,
}

/// Looks for converged eigenvalues in a window at the end of the active block. A window of the whole block deflates all
/// of them, unless its iteration fails.
pub(super) fn deflate<T: Scalar>(
    target: &mut Target<'_, T>,
    active: Range<usize>,
    window: usize,
    values: &mut [Complex64],
) -> Deflation {
    let rows = active.end - window..active.end;
    let has_spike = rows.start > active.start;
    let mut spike = if has_spike { target.h[(rows.start, rows.start - 1)] } else { T::ZERO };
    let mut t = target.copy(rows.clone());
    for j in 0..window {
        (j + 2..window).for_each(|i| t[(i, j)] = T::ZERO);
    }
    let mut v = Mat::<T>::identity(window, window);
    let found = &mut values[rows.clone()];
    let failed = iterate(t.as_mut(), Some(v.as_mut()), 0..window, true, found, target.par).unwrap_or(0);
    let undeflated = if has_spike { test(t.as_mut(), v.as_mut(), spike, failed, target.h.nrows()) } else { failed };
    if undeflated == 0 {
        spike = T::ZERO;
    }
    if undeflated == window && has_spike {
        return Deflation { deflated: 0, shifts: eigenvalues(t.as_mut(), failed..undeflated) };
    }
    let shifts = eigenvalues(t.as_mut(), failed..undeflated);
    let diagonal = eigenvalues(t.as_mut(), failed..window);
    found[failed..].copy_from_slice(&diagonal);
    if undeflated > 0 && spike != T::ZERO {
        restore(&mut t, &mut v, undeflated);
    }
    if has_spike {
        target.h[(rows.start, rows.start - 1)] = spike * v[(0, 0)].conjugate();
    }
    target.put(rows, active, t.as_ref(), v.as_ref());
    Deflation { deflated: window - undeflated, shifts }
}

/// Moves eigenvalues that have not converged to the front, and returns how many they are.
fn test<T: Scalar>(mut t: MatMut<'_, T>, mut v: MatMut<'_, T>, spike: T, failed: usize, n: usize) -> usize {
    let smallest = smallest::<T>(n);
    let tip = |v: &MatMut<'_, T>, j: usize| {
        let (s, x) = (spike, v[(0, j)]);
        size(Complex64::new(s.re(), s.im())) * size(Complex64::new(x.re(), x.im()))
    };
    let (mut undeflated, mut front) = (t.nrows(), failed);
    while front < undeflated {
        let order = if undeflated >= 2 { block_order(t.as_ref(), undeflated - 2) } else { 1 };
        let first = undeflated - order;
        let mut scale = size(super::element(&t, undeflated - 1, undeflated - 1));
        if order == 2 {
            let (b, c) = (t[(first, first + 1)].modulus(), t[(first + 1, first)].modulus());
            scale += b.sqrt() * c.sqrt();
        }
        if scale == 0.0 {
            scale = size(Complex64::new(spike.re(), spike.im()));
        }
        let largest = (first..undeflated).map(|j| tip(&v, j)).fold(0.0, f64::max);
        if largest <= smallest.max(T::EPSILON * scale) {
            undeflated = first;
        } else {
            // A block that is not exchanged stays where it is, and the one that is last now is tested.
            let moved = move_block(t.as_mut(), Some(v.as_mut()), first, front);
            front = moved.unwrap_or_else(|at| at) + order;
        }
    }
    undeflated
}

/// Eigenvalues of a part of a Schur form.
fn eigenvalues<T: Scalar>(t: MatMut<'_, T>, range: Range<usize>) -> Vec<Complex64> {
    let mut values = Vec::with_capacity(range.len());
    let mut k = range.start;
    while k < range.end {
        if block_order(t.as_ref(), k) == 1 {
            values.push(super::element(&t, k, k));
            k += 1;
            continue;
        }
        let (b, c) = (t[(k, k + 1)].re(), t[(k + 1, k)].re());
        let im = b.abs().sqrt() * c.abs().sqrt();
        values.extend([1.0, -1.0].map(|sign| Complex64::new(t[(k, k)].re(), sign * im)));
        k += 2;
    }
    values.truncate(range.len());
    values
}

/// Makes the part that was kept a Hessenberg matrix again: the spike left of it becomes one element.
fn restore<T: Scalar>(t: &mut Mat<T>, v: &mut Mat<T>, undeflated: usize) {
    let window = t.nrows();
    let (q, reduced) = reduction(t, v, undeflated);
    let (mut left, right) = t.as_mut().split_at_col_mut(undeflated);
    left.as_mut().subrows_mut(0, undeflated).copy_from(reduced);
    if window > undeflated {
        let mut rows = right.subrows_mut(0, undeflated);
        let old = rows.to_owned();
        matmul(rows.as_mut(), Accum::Replace, q.adjoint(), old.as_ref(), T::ONE, faer::Par::Seq);
    }
    multiply_columns(v.as_mut().subcols_mut(0, undeflated), q.as_ref(), faer::Par::Seq);
}

/// Q, and the Hessenberg matrix `Qᴴ T Q`, for which the spike has one element.
fn reduction<T: Scalar>(t: &Mat<T>, v: &Mat<T>, undeflated: usize) -> (Mat<T>, Mat<T>) {
    // The bordered matrix has the spike as its first column. Its reduction begins with the spike.
    let mut bordered = Mat::<T>::zeros(undeflated + 1, undeflated + 1);
    for j in 0..undeflated {
        bordered[(j + 1, 0)] = v[(0, j)].conjugate();
        (0..undeflated).for_each(|i| bordered[(i + 1, j + 1)] = t[(i, j)]);
    }
    let mut z = Mat::<T>::zeros(undeflated + 1, undeflated + 1);
    hessenberg::reduce(bordered.as_mut(), Some(z.as_mut()), faer::Par::Seq);
    let part = |a: &Mat<T>| a.as_ref().submatrix(1, 1, undeflated, undeflated).to_owned();
    (part(&z), part(&bordered))
}
