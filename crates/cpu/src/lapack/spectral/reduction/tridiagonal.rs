//! The tridiagonal form of a Hermitian matrix: hetrd, orgtr and ormtr.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::super::super::among_threads;
use super::super::super::qr::{orgqr, ormqr};
use super::super::real;
use super::{Block, PANEL, Slab, inner, reflect, shift_to_right};
use crate::level3::rank_2k;
use affinimath_core::options::{Op, Side, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// Qᴴ A Q = T with a real symmetric tridiagonal T (LAPACK: xSYTRD, xHETRD). Of A, one triangle is read, and of its
/// diagonal the real parts. The triangle gets T and the vectors of Q's reflectors, `tau` their n - 1 factors, `d` and
/// `e` the n diagonal and the n - 1 off-diagonal elements of T.
///
/// Columns are reduced by products with a vector, panels of them subtracted by one of matrices (Dongarra, Hammarling
/// and Sorensen, J. Comput. Appl. Math. 27, 1989).
#[instances]
pub fn hetrd<T: Scalar>(
    triangle: Triangle,
    a: MatMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    tau: &mut [T],
) {
    let n = a.nrows();
    if n == 0 {
        return;
    }
    let (d, e, tau) = (&mut d[..n], &mut e[..n - 1], &mut tau[..n - 1]);
    // From the last row and column on, an upper triangle is a lower one, and reflectors are in LAPACK's order.
    let mut a = if triangle == Triangle::Lower { a } else { a.reverse_rows_and_cols_mut() };
    let mut copy = Slab::zeros(n, n);
    for j in 0..n {
        *copy.at(j, j) = T::from_parts(a[(j, j)].re(), 0.0);
        (j + 1..n).for_each(|i| *copy.at(i, j) = a[(i, j)]);
    }
    among_threads(n, || reduce(&mut copy, d, e, tau));
    for j in 0..n {
        (j..n).for_each(|i| a[(i, j)] = copy.get(i, j));
    }
    if triangle == Triangle::Upper {
        d.reverse();
        e.reverse();
        tau.reverse();
    }
}

/// The lower triangle's reduction, by panels (LAPACK: xLATRD).
fn reduce<T: Scalar>(a: &mut Slab<T>, d: &mut [T::RealScalar], e: &mut [T::RealScalar], tau: &mut [T]) {
    let n = d.len();
    // Reflectors with their ones and zeros, and the W of A - V Wᴴ - W Vᴴ.
    let (mut v, mut w) = (Slab::zeros(n, PANEL), Slab::zeros(n, PANEL));
    for first in (0..n).step_by(PANEL) {
        let width = PANEL.min(n - first);
        for k in 0..width {
            let j = first + k;
            subtract_panel(a, (&v, &w), j, k);
            d[j] = real::<T>(a.get(j, j).re());
            if j + 1 == n {
                continue;
            }
            let column = a.column(j, j + 1);
            tau[j] = reflect(column);
            e[j] = real::<T>(column[0].re());
            v.column(k, 0)[..=j].fill(T::ZERO);
            v.column(k, j + 1).copy_from_slice(column);
            *v.at(j + 1, k) = T::ONE;
            finish_w(a, &v, &mut w, (j, k), tau[j]);
        }
        let rest = n - first - width;
        if rest > 0 {
            let at = first + width;
            let panel = Block { at: (at, 0), sizes: (rest, width) };
            let trailing = a.block_mut(Block { at: (at, at), sizes: (rest, rest) });
            let target = (Triangle::Lower, Symmetry::Hermitian);
            rank_2k(target, Op::NoTrans, -T::ONE, (v.block(panel), w.block(panel)), T::ONE, trailing);
        }
    }
}

/// Brings column j up to date with the panel's k reflectors before it.
fn subtract_panel<T: Scalar>(a: &mut Slab<T>, (v, w): (&Slab<T>, &Slab<T>), j: usize, k: usize) {
    if k > 0 {
        let rows = Block { at: (j, 0), sizes: (a.rows - j, k) };
        let row_of = |x: &Slab<T>| (0..k).map(|s| x.get(j, s).conjugate()).collect::<Vec<T>>();
        let (of_v, of_w) = (row_of(v), row_of(w));
        let column = a.column(j, j);
        v.multiply(rows, Op::NoTrans, (-T::ONE, &of_w), T::ONE, column);
        w.multiply(rows, Op::NoTrans, (-T::ONE, &of_v), T::ONE, column);
    }
    *a.at(j, j) = T::from_parts(a.get(j, j).re(), 0.0);
}

/// Column k of W: tau (A v - V Wᴴ v - W Vᴴ v), less half of its component along v.
fn finish_w<T: Scalar>(a: &Slab<T>, v: &Slab<T>, w: &mut Slab<T>, (j, k): (usize, usize), tau: T) {
    let mut column = vec![T::ZERO; a.rows - j - 1];
    let reflector = v.column_ref(k, j + 1);
    a.multiply_hermitian(j + 1, reflector, &mut column);
    if k > 0 {
        let rows = Block { at: (j + 1, 0), sizes: (column.len(), k) };
        let mut dots = vec![T::ZERO; k];
        for (left, right) in [(v, &*w), (&*w, v)] {
            right.multiply(rows, Op::ConjTrans, (T::ONE, reflector), T::ZERO, &mut dots);
            left.multiply(rows, Op::NoTrans, (-T::ONE, &dots), T::ONE, &mut column);
        }
    }
    column.iter_mut().for_each(|w| *w *= tau);
    let along = T::from_parts(-0.5, 0.0) * tau * inner(&column, reflector);
    column.iter_mut().zip(reflector).for_each(|(w, v)| *w += along * *v);
    w.column(k, 0)[..=j].fill(T::ZERO);
    w.column(k, j + 1).copy_from_slice(&column);
}

/// Forms the Q of hetrd in place of its reflectors (LAPACK: xORGTR, xUNGTR).
#[instances]
pub fn orgtr<T: Scalar>(triangle: Triangle, a: MatMut<'_, T>, tau: &[T]) {
    let n = a.nrows();
    if n == 0 {
        return;
    }
    let mut order = tau[..n - 1].to_vec();
    let mut a = if triangle == Triangle::Lower {
        a
    } else {
        order.reverse();
        a.reverse_rows_and_cols_mut()
    };
    shift_to_right(a.as_mut());
    orgqr(a.submatrix_mut(1, 1, n - 1, n - 1), &order);
}

/// C := op(Q) C or C op(Q) for the Q of hetrd (LAPACK: xORMTR, xUNMTR), whose reflectors are in A's triangle.
#[instances]
pub fn ormtr<T: Scalar>(side: Side, triangle: Triangle, op: Op, a: MatRef<'_, T>, tau: &[T], c: MatMut<'_, T>) {
    let n = a.nrows();
    if n <= 1 || c.nrows() == 0 || c.ncols() == 0 {
        return;
    }
    let mut order = tau[..n - 1].to_vec();
    let (mut a, mut c) = (a, c);
    if triangle == Triangle::Upper {
        order.reverse();
        a = a.reverse_rows_and_cols();
        c = if side == Side::Left { c.reverse_rows_mut() } else { c.reverse_cols_mut() };
    }
    let c = if side == Side::Left { c.subrows_mut(1, n - 1) } else { c.subcols_mut(1, n - 1) };
    ormqr(side, op, a.submatrix(1, 0, n - 1, n - 1), &order, c);
}
