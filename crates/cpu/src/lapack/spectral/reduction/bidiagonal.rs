//! The bidiagonal form of a matrix: gebrd, orgbr and ormbr.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};

use super::super::super::among_threads;
use super::super::super::qr::{orgqr, ormqr};
use super::super::real;
use super::{Block, PANEL, Slab, reflect, shift_to_right};
use crate::gemm;
use affinimath_core::options::{Op, Side};
use affinimath_core::scalar::Scalar;

/// A factor of the bidiagonal form, LAPACK's `vect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BidiagonalFactor {
    /// Q, whose reflectors are below the diagonal.
    Q,
    /// P, whose reflectors are above it: orgbr forms Pᴴ.
    P,
}

/// Qᴴ A P = B with a real bidiagonal B (LAPACK: xGEBRD): upper if m >= n, else lower. A gets B and the vectors of the
/// reflectors, `tauq` and `taup` their min(m, n) factors; `d` gets B's diagonal, `e` the min(m, n) - 1 off-diagonal
/// elements.
///
/// Rows and columns are reduced by products with a vector, panels of them subtracted by one of matrices (Dongarra,
/// Hammarling and Sorensen, J. Comput. Appl. Math. 27, 1989).
#[instances]
pub fn gebrd<T: Scalar>(
    a: MatMut<'_, T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    tauq: &mut [T],
    taup: &mut [T],
) {
    let tall = a.nrows() >= a.ncols();
    // The lower form of A is the upper one of its transpose, with conjugate factors.
    let mut a = if tall { a } else { a.transpose_mut() };
    let n = a.ncols();
    if n == 0 {
        return;
    }
    let (tauq, taup) = (&mut tauq[..n], &mut taup[..n]);
    let (tau_columns, tau_rows) = if tall { (&mut *tauq, &mut *taup) } else { (&mut *taup, &mut *tauq) };
    let mut copy = Slab::copy_of(a.as_ref());
    among_threads(n, || reduce(&mut copy, &mut d[..n], &mut e[..n - 1], tau_columns, tau_rows));
    a.copy_from(copy.block(Block { at: (0, 0), sizes: (a.nrows(), n) }));
    if !tall {
        tauq.iter_mut().chain(taup).for_each(|tau| *tau = tau.conjugate());
    }
}

/// The upper form of a matrix with at least as many rows as columns, by panels (LAPACK: xLABRD).
fn reduce<T: Scalar>(
    a: &mut Slab<T>,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    tauq: &mut [T],
    taup: &mut [T],
) {
    let (m, n) = (a.rows, d.len());
    // A - V Yᴴ - X Uᴴ: columns 2 k and 2 k + 1 belong to the panel's k-th column and row.
    let mut panel = Panel { left: Slab::zeros(m, 2 * PANEL), right: Slab::zeros(n, 2 * PANEL) };
    for first in (0..n).step_by(PANEL) {
        let width = PANEL.min(n - first);
        for k in 0..width {
            let j = first + k;
            panel.update_column(a, j, 2 * k);
            let column = a.column(j, j);
            tauq[j] = reflect(column);
            d[j] = real::<T>(column[0].re());
            panel.load_left(column, j, 2 * k);
            if j + 1 == n {
                taup[j] = T::ZERO;
                continue;
            }
            panel.finish_y(a, (j, n), 2 * k, tauq[j]);
            let mut row: Vec<T> = (j + 1..n).map(|i| a.get(j, i)).collect();
            panel.update_row(&mut row, j, 2 * k + 1);
            taup[j] = reflect(&mut row);
            e[j] = real::<T>(row[0].re());
            for (i, x) in row.iter().enumerate() {
                *a.at(j, j + 1 + i) = x.conjugate();
            }
            row[0] = T::ONE;
            panel.load_right(&row, j, 2 * k + 1);
            panel.finish_x(a, (j, n), &row, 2 * k + 1, taup[j]);
        }
        let at = first + width;
        if at < n {
            let left = panel.left.block(Block { at: (at, 0), sizes: (m - at, 2 * width) });
            let right = panel.right.block(Block { at: (at, 0), sizes: (n - at, 2 * width) });
            let trailing = a.block_mut(Block { at: (at, at), sizes: (m - at, n - at) });
            gemm(Op::NoTrans, Op::ConjTrans, -T::ONE, left, right, T::ONE, trailing);
        }
    }
}

/// The update of a panel: left has V's and X's columns, right Y's and U's.
struct Panel<T> {
    left: Slab<T>,
    right: Slab<T>,
}

impl<T: Scalar> Panel<T> {
    /// Brings column j, from the diagonal on, up to date with `count` columns of the update.
    fn update_column(&self, a: &mut Slab<T>, j: usize, count: usize) {
        let factors: Vec<T> = (0..count).map(|s| self.right.get(j, s).conjugate()).collect();
        let rows = Block { at: (j, 0), sizes: (a.rows - j, count) };
        self.left.multiply(rows, Op::NoTrans, (-T::ONE, &factors), T::ONE, a.column(j, j));
    }

    /// Brings row j, after the diagonal, up to date, and conjugates it.
    fn update_row(&self, row: &mut [T], j: usize, count: usize) {
        row.iter_mut().for_each(|x| *x = x.conjugate());
        let factors: Vec<T> = (0..count).map(|s| self.left.get(j, s).conjugate()).collect();
        let rows = Block { at: (j + 1, 0), sizes: (row.len(), count) };
        self.right.multiply(rows, Op::NoTrans, (-T::ONE, &factors), T::ONE, row);
    }

    fn load_left(&mut self, column: &[T], j: usize, at: usize) {
        self.left.column(at, 0)[..j].fill(T::ZERO);
        self.left.column(at, j).copy_from_slice(column);
        *self.left.at(j, at) = T::ONE;
    }

    fn load_right(&mut self, row: &[T], j: usize, at: usize) {
        self.right.column(at, 0)[..=j].fill(T::ZERO);
        self.right.column(at, j + 1).copy_from_slice(row);
    }

    /// y = tau Aᴴ v of the updated A, whose columns after j count.
    fn finish_y(&mut self, a: &Slab<T>, (j, n): (usize, usize), at: usize, tau: T) {
        let rows = a.rows - j;
        let v = self.left.column_ref(at, j);
        let (mut y, mut dots) = (vec![T::ZERO; n - j - 1], vec![T::ZERO; at]);
        a.multiply(Block { at: (j, j + 1), sizes: (rows, y.len()) }, Op::ConjTrans, (T::ONE, v), T::ZERO, &mut y);
        self.left.multiply(Block { at: (j, 0), sizes: (rows, at) }, Op::ConjTrans, (T::ONE, v), T::ZERO, &mut dots);
        let right = Block { at: (j + 1, 0), sizes: (y.len(), at) };
        self.right.multiply(right, Op::NoTrans, (-T::ONE, &dots), T::ONE, &mut y);
        y.iter_mut().for_each(|y| *y *= tau);
        self.load_right(&y, j, at);
    }

    /// x = tau A u of the updated A, whose rows after j count.
    fn finish_x(&mut self, a: &Slab<T>, (j, n): (usize, usize), u: &[T], at: usize, tau: T) {
        let rows = a.rows - j - 1;
        let (mut x, mut dots) = (vec![T::ZERO; rows], vec![T::ZERO; at]);
        a.multiply(Block { at: (j + 1, j + 1), sizes: (rows, n - j - 1) }, Op::NoTrans, (T::ONE, u), T::ZERO, &mut x);
        let right = Block { at: (j + 1, 0), sizes: (u.len(), at) };
        self.right.multiply(right, Op::ConjTrans, (T::ONE, u), T::ZERO, &mut dots);
        let left = Block { at: (j + 1, 0), sizes: (rows, at) };
        self.left.multiply(left, Op::NoTrans, (-T::ONE, &dots), T::ONE, &mut x);
        x.iter_mut().for_each(|x| *x *= tau);
        self.left.column(at, 0)[..=j].fill(T::ZERO);
        self.left.column(at, j + 1).copy_from_slice(&x);
    }
}

/// Forms Q or Pᴴ of gebrd in place of its reflectors (LAPACK: xORGBR, xUNGBR): the first columns of Q, or the first
/// rows of Pᴴ. `other` is gebrd's other size: A's columns for Q, its rows for Pᴴ.
#[instances]
pub fn orgbr<T: Scalar>(factor: BidiagonalFactor, other: usize, a: MatMut<'_, T>, tau: &[T]) {
    // The rows of Pᴴ are reflectors of its transpose, with conjugate factors.
    let (mut a, tau) = match factor {
        BidiagonalFactor::Q => (a, tau.to_vec()),
        BidiagonalFactor::P => (a.transpose_mut(), tau.iter().map(|tau| tau.conjugate()).collect()),
    };
    let (m, n) = (a.nrows(), a.ncols());
    if m == 0 || n == 0 {
        return;
    }
    let whole = match factor {
        BidiagonalFactor::Q => m >= other,
        BidiagonalFactor::P => m > other,
    };
    if whole {
        return orgqr(a, &tau[..other.min(n)]);
    }
    shift_to_right(a.as_mut());
    orgqr(a.submatrix_mut(1, 1, m - 1, n - 1), &tau[..n - 1]);
}

/// C := op(Q) C or C op(Q) for a factor of gebrd (LAPACK: xORMBR, xUNMBR). `other` is gebrd's other size than that of
/// the factor. Q's reflectors are in A's columns, P's in its rows, min(order, `other`) of them.
#[instances]
pub fn ormbr<T: Scalar>(
    factor: BidiagonalFactor,
    (side, op): (Side, Op),
    other: usize,
    a: MatRef<'_, T>,
    tau: &[T],
    c: MatMut<'_, T>,
) {
    let order = if side == Side::Left { c.nrows() } else { c.ncols() };
    if c.nrows() == 0 || c.ncols() == 0 {
        return;
    }
    let (a, op, tau, whole) = match factor {
        BidiagonalFactor::Q => (a, op, tau.to_vec(), order >= other),
        // P is the conjugate of the Q of geqrf's storage in the transpose.
        BidiagonalFactor::P => {
            let op = match op {
                Op::NoTrans => Op::ConjNoTrans,
                Op::ConjNoTrans => Op::NoTrans,
                Op::Trans => Op::ConjTrans,
                Op::ConjTrans => Op::Trans,
            };
            (a.transpose(), op, tau.iter().map(|tau| tau.conjugate()).collect(), order > other)
        }
    };
    if whole {
        return ormqr(side, op, a.subcols(0, other), &tau[..other], c);
    }
    if order > 1 {
        let c = if side == Side::Left { c.subrows_mut(1, order - 1) } else { c.subcols_mut(1, order - 1) };
        ormqr(side, op, a.submatrix(1, 0, order - 1, order - 1), &tau[..order - 1], c);
    }
}
