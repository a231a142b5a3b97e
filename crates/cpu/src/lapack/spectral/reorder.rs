//! Schur forms with their eigenvalues in another order (LAPACK: xTREXC, xTRSEN).

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::sylvester::trsyl;
use super::vectors::selected_pairs;
use affinimath_core::options::Op;
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_decompositions::condition::inverse_one_norm;
use affinimath_decompositions::schur::exchange::{block_order, move_block};

/// Condition estimates that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Of eigenvalues.
    pub values: bool,
    /// Of their invariant subspace, or eigenvectors.
    pub subspace: bool,
}

impl Conditions {
    /// None.
    pub const NONE: Conditions = Conditions { values: false, subspace: false };
}

/// The result of [`trsen`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Selected eigenvalues.
    pub count: usize,
    /// Some eigenvalues were too close to be exchanged: the order is incomplete.
    pub failed: bool,
    /// The reciprocal condition of the selected eigenvalues' mean.
    pub mean: f64,
    /// An estimate of the separation from the other eigenvalues, in the 1-norm: the subspace's reciprocal condition.
    pub subspace: f64,
}

/// Moves the block with row `from` to row `to` (LAPACK: xTREXC), and multiplies Q by the transformation. Returns its
/// first row.
///
/// # Errors
/// The row where it stands if a neighbour is too close to be exchanged.
pub fn trexc<T: Scalar>(t: MatMut<'_, T>, q: Option<MatMut<'_, T>>, from: usize, to: usize) -> Result<usize, usize> {
    move_block(t, q, from, to)
}

/// Eigenvalues of a Schur form, in the order of its diagonal.
pub(super) fn eigenvalues<T: Scalar>(t: MatRef<'_, T>, values: &mut [Complex64]) {
    let mut k = 0;
    while k < t.nrows() {
        values[k] = Complex64::new(t[(k, k)].re(), t[(k, k)].im());
        if block_order(t, k) == 2 {
            values[k].im = t[(k, k + 1)].re().abs().sqrt() * t[(k + 1, k)].re().abs().sqrt();
            values[k + 1] = values[k].conj();
            k += 1;
        }
        k += 1;
    }
}

/// Moves selected eigenvalues to the front (LAPACK: xTRSEN); of a real type both of a pair, if one is selected.
/// `values` gets all eigenvalues in their order.
#[instances]
pub fn trsen<T: Scalar>(
    t: MatMut<'_, T>,
    q: Option<MatMut<'_, T>>,
    select: &[bool],
    values: &mut [Complex64],
    wanted: Conditions,
) -> Order {
    let (mut t, mut q, n) = (t, q, select.len());
    let chosen = selected_pairs(t.as_ref(), select);
    let mut order = Order { count: chosen.iter().filter(|x| **x).count(), failed: false, mean: 1.0, subspace: 0.0 };
    let (mut k, mut front) = (0, 0);
    while k < n {
        let size = block_order(t.as_ref(), k);
        if chosen[k] {
            let moved = move_block(t.as_mut(), q.as_mut().map(|q| q.as_mut()), k, front);
            order.failed |= moved.is_err();
            if order.failed {
                break;
            }
            front += size;
        }
        k += size;
    }
    eigenvalues(t.as_ref(), values);
    if order.failed {
        order.mean = 0.0;
    } else {
        conditions(t.as_ref(), &mut order, wanted);
    }
    order
}

fn conditions<T: Scalar>(t: MatRef<'_, T>, order: &mut Order, wanted: Conditions) {
    let (n, m) = (t.nrows(), order.count);
    if m == 0 || m == n {
        let sum = |j: usize| (0..n).map(|i| t[(i, j)].modulus()).sum::<f64>();
        order.subspace = (0..n).map(sum).fold(0.0, f64::max);
        return;
    }
    let first = t.submatrix(0, 0, m, m);
    let second = t.submatrix(m, m, n - m, n - m);
    if wanted.values {
        let mut r = t.submatrix(0, m, m, n - m).to_owned();
        let (scale, _) = trsyl([Op::NoTrans, Op::NoTrans], -1.0, first, second, r.as_mut());
        let norm = r.col_iter().flat_map(|column| column.iter()).fold(0.0, |sum: f64, x| sum.hypot(x.modulus()));
        order.mean = if norm == 0.0 { 1.0 } else { scale / scale.hypot(norm) };
    }
    if wanted.subspace {
        let solve = |ops: [Op; 2], x: MatMut<'_, T>| {
            let mut x = x;
            let mut c = Mat::from_fn(m, n - m, |i, j| x[(i + j * m, 0)]);
            let (scale, _) = trsyl(ops, -1.0, first, second, c.as_mut());
            (0..n - m).for_each(|j| {
                (0..m).for_each(|i| x[(i + j * m, 0)] = super::scaled(c[(i, j)], scale.recip()));
            });
        };
        let norm = inverse_one_norm::<T>(m * (n - m), |x| solve([Op::NoTrans; 2], x), |x| solve([Op::ConjTrans; 2], x));
        order.subspace = norm.recip();
    }
}
