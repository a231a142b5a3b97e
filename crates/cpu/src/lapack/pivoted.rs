//! QR with column pivoting: geqp3, by panels whose block reflectors are applied to the trailing matrix (Quintana-Ortí,
//! Sun and Bischof, *A BLAS-3 version of the QR factorization with column pivoting*, SIAM J. Sci. Comput. 19, 1998;
//! LAPACK: xLAQPS).
//!
//! Column norms of the trailing matrix are downdated, and recomputed after cancellation (Drmač and Bujanović, ACM
//! Trans. Math. Softw. 35, 2008).

use affinimath_macros::instances;
use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::among_threads;
use super::lanes::{Columns, Lanes};
use super::qr::{geqrf, ormqr};
use super::reflectors::{larfg, norm};
use super::workspace::{Workspace, by_columns, columns};
use crate::gemm;
use crate::simd::dispatch;
use crate::threads::{available, both};
use affinimath_core::options::{Op, Side};
use affinimath_core::scalar::Scalar;

/// Columns of a panel.
const PANEL: usize = 32;

/// Elements of a block of columns whose dot products are worth a second thread: half a megabyte of doubles.
const PARALLEL_ELEMENTS: usize = 1 << 16;

/// A P = Q R in place (LAPACK: xGEQP3): R and the reflectors in geqrf's form. The moduli on R's diagonal do not
/// increase over the free columns. A column with a nonzero element of `jpvt` is an initial one: it moves to the front
/// and is not exchanged. After the call `jpvt[j]` is the index, from 1, of the column of A that is column j of A P.
///
/// `jpvt` has an element for each column, `tau` one for each of the min(m, n) reflectors.
#[instances]
pub fn geqp3<T: Scalar>(mut a: MatMut<'_, T>, jpvt: &mut [i32], tau: &mut [T]) {
    let fixed = move_initial_columns(a.as_mut(), jpvt);
    let (m, n, order) = (a.nrows(), a.ncols(), tau.len());
    if order == 0 {
        return;
    }
    among_threads(order, || {
        let done = fixed.min(m);
        if done > 0 {
            let (mut initial, rest) = a.as_mut().split_at_col_mut(done);
            geqrf(initial.as_mut(), &mut tau[..done]);
            ormqr(Side::Left, Op::ConjTrans, initial.as_ref(), &tau[..done], rest);
        }
        if done == order {
            return;
        }
        if by_columns(&a) {
            return Pivoted::new(a.as_mut(), done, jpvt).factor(tau);
        }
        let mut workspace = Workspace::new(m, n);
        let mut copy = workspace.block(m, n);
        copy.copy_from(a.as_ref());
        Pivoted::new(copy.as_mut(), done, jpvt).factor(tau);
        a.copy_from(copy);
    });
}

/// Moves the initial columns to the front and sets all of `jpvt`. Returns the number of initial columns.
pub(super) fn move_initial_columns<T: Scalar>(mut a: MatMut<'_, T>, jpvt: &mut [i32]) -> usize {
    let mut fixed = 0;
    for j in 0..a.ncols() {
        let initial = jpvt[j] != 0;
        jpvt[j] = one_based(j);
        if initial {
            if j != fixed {
                swap_columns(&mut a, j, fixed);
                jpvt[j] = jpvt[fixed];
                jpvt[fixed] = one_based(j);
            }
            fixed += 1;
        }
    }
    fixed
}

/// Index of a column, from 1. Callers have checked that it fits into an `i32`.
fn one_based(column: usize) -> i32 {
    i32::try_from(column + 1).unwrap_or(i32::MAX)
}

fn swap_columns<T: Scalar>(a: &mut MatMut<'_, T>, i: usize, j: usize) {
    let (first, second) = (i.min(j), i.max(j));
    let (left, right) = a.as_mut().split_at_col_mut(second);
    left.col_mut(first).iter_mut().zip(right.col_mut(0).iter_mut()).for_each(|(x, y)| std::mem::swap(x, y));
}

/// A matrix with contiguous columns in the course of its factorisation. Columns from `first` on are free.
struct Pivoted<'a, T> {
    a: MatMut<'a, T>,
    first: usize,
    jpvt: &'a mut [i32],
    /// Downdated norms of the columns' trailing parts.
    norms: Vec<f64>,
    /// Norms at their last exact computation.
    exact: Vec<f64>,
    /// F: the trailing matrix still needs A := A - V Fᴴ, with the panel's reflectors V. One row for each column from
    /// the panel's first on.
    f: Workspace<T>,
    /// Workspace of one column.
    sums: Vec<T>,
}

impl<'a, T: Scalar> Pivoted<'a, T> {
    fn new(mut a: MatMut<'a, T>, first: usize, jpvt: &'a mut [i32]) -> Self {
        let (rows, n) = (a.nrows() - first, a.ncols());
        let mut norms = vec![0.0; n];
        let lower = columns(&mut a).from(first, 0);
        dispatch(Norms { columns: lower, rows, which: first..n, norms: &mut norms });
        let (exact, f) = (norms.clone(), Workspace::new(n - first, PANEL));
        Pivoted { a, first, jpvt, norms, exact, f, sums: vec![T::ZERO; n] }
    }

    fn factor(mut self, tau: &mut [T]) {
        let order = tau.len();
        let mut first = self.first;
        while first < order {
            let width = PANEL.min(order - first);
            first += self.panel(first, &mut tau[first..first + width]);
        }
    }

    /// Factorises a panel of at most as many columns as `tau` has elements, and applies its block reflector. It ends
    /// early if norms must be recomputed. Returns its number of columns.
    fn panel(&mut self, first: usize, tau: &mut [T]) -> usize {
        let (m, n) = (self.a.nrows(), self.a.ncols());
        let last = m.min(n);
        let mut cancelled = Vec::new();
        let mut width = 0;
        while width < tau.len() && cancelled.is_empty() {
            let (k, column) = (width, first + width);
            self.bring_pivot(first, column);
            let (factor, beta) = self.larfg(first, column);
            tau[k] = factor;
            self.extend(first, column, factor);
            self.update_row(first, column);
            if column + 1 < last {
                self.downdate(column, &mut cancelled);
            }
            self.a[(column, column)] = beta;
            width += 1;
        }
        let done = first + width;
        if done < last {
            let lower = self.a.as_mut().subrows_mut(done, m - done);
            let (left, right) = lower.split_at_col_mut(done);
            let (v, f) = (left.as_ref().subcols(first, width), self.f.block_ref(n - first, width));
            gemm(Op::NoTrans, Op::ConjTrans, -T::ONE, v, f.subrows(width, n - done), T::ONE, right);
        }
        if !cancelled.is_empty() {
            let lower = columns(&mut self.a).from(done, 0);
            let which = cancelled.iter().copied();
            dispatch(Norms { columns: lower, rows: m - done, which, norms: &mut self.norms });
            cancelled.iter().for_each(|j| self.exact[*j] = self.norms[*j]);
        }
        width
    }

    /// Exchanges a column with the one of largest norm. NaN counts as larger than any number, so that it is not
    /// skipped.
    fn bring_pivot(&mut self, first: usize, column: usize) {
        let n = self.a.ncols();
        let more = |x: f64, y: f64| x > y || x.is_nan() && !y.is_nan();
        let pivot =
            (column + 1..n).fold(column, |best, j| if more(self.norms[j], self.norms[best]) { j } else { best });
        if pivot == column {
            return;
        }
        swap_columns(&mut self.a, column, pivot);
        let mut f = self.f.block(n - first, PANEL);
        for i in 0..column - first {
            let saved = f[(column - first, i)];
            f[(column - first, i)] = f[(pivot - first, i)];
            f[(pivot - first, i)] = saved;
        }
        self.jpvt.swap(column, pivot);
        self.norms[pivot] = self.norms[column];
        self.exact[pivot] = self.exact[column];
    }

    /// Applies the panel's reflectors to a column and generates its own, with the leading 1 in the column. Returns tau
    /// and R's diagonal element.
    fn larfg(&mut self, first: usize, column: usize) -> (T, T) {
        let (m, n, k) = (self.a.nrows(), self.a.ncols(), column - first);
        let f = self.f.block_ref(n - first, PANEL);
        (0..k).for_each(|i| self.sums[i] = -f[(k, i)].conjugate());
        let columns = columns(&mut self.a).from(column, first);
        dispatch(Larfg { columns, rows: m - column, before: k, factors: &self.sums[..k] })
    }

    /// F's column for a reflector: tau (Aᴴ v - F Vᴴ v), over the columns after it.
    fn extend(&mut self, first: usize, column: usize, tau: T) {
        let (m, n, k) = (self.a.nrows(), self.a.ncols(), column - first);
        let rest = n - column - 1;
        let lower = self.a.as_ref().subrows(column, m - column);
        let v = lower.subcols(column, 1);
        let mut f = self.f.block(n - first, PANEL);
        let (before, after) = f.as_mut().split_at_col_mut(k);
        let mut new = after.subcols_mut(0, 1);
        new.as_mut().subrows_mut(0, k + 1).fill(T::ZERO);
        let mut new = new.subrows_mut(k + 1, rest);
        dots(lower.subcols(column + 1, rest), v, new.as_mut());
        (0..rest).for_each(|i| new[(i, 0)] *= tau);
        if k > 0 {
            let mut sums = MatMut::from_column_major_slice_mut(&mut self.sums[..k], k, 1);
            dots(lower.subcols(first, k), v, sums.as_mut());
            (0..k).for_each(|i| sums[(i, 0)] *= -tau);
            combine(before.as_ref().subrows(k + 1, rest), sums.as_ref(), new);
        }
    }

    /// Updates row `column` of R right of the diagonal: subtracts V Fᴴ.
    fn update_row(&mut self, first: usize, column: usize) {
        let (n, k) = (self.a.ncols(), column - first);
        let rest = n - column - 1;
        let factors: [T; PANEL] =
            std::array::from_fn(|i| if i <= k { self.a[(column, first + i)].conjugate() } else { T::ZERO });
        let factors = MatRef::from_column_major_slice(&factors[..=k], k + 1, 1);
        let mut sums = MatMut::from_column_major_slice_mut(&mut self.sums[..rest], rest, 1);
        sums.fill(T::ZERO);
        combine(self.f.block_ref(n - first, PANEL).submatrix(k + 1, 0, rest, k + 1), factors, sums.as_mut());
        (0..rest).for_each(|j| self.a[(column, column + 1 + j)] -= sums[(j, 0)].conjugate());
    }

    /// Downdates the norms of the columns after `column` by its row. `cancelled` collects those with too much
    /// cancellation.
    fn downdate(&mut self, column: usize, cancelled: &mut Vec<usize>) {
        // LAPACK: the square root of the unit roundoff.
        let threshold = (T::EPSILON / 2.0).sqrt();
        for j in column + 1..self.a.ncols() {
            if self.norms[j] == 0.0 {
                continue;
            }
            let part = self.a[(column, j)].modulus() / self.norms[j];
            let left = ((1.0 + part) * (1.0 - part)).max(0.0);
            // Of NaN, max gives 0: a column that got one has its norm computed anew, and a norm that is NaN stays so.
            if left * (self.norms[j] / self.exact[j]).powi(2) <= threshold {
                cancelled.push(j);
            } else {
                self.norms[j] *= left.sqrt();
            }
        }
    }
}

/// Norms of some columns.
struct Norms<'a, T, I> {
    columns: Columns<T>,
    rows: usize,
    which: I,
    norms: &'a mut [f64],
}

impl<T: Scalar, I: Iterator<Item = usize>> WithSimd for Norms<'_, T, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = Lanes::<T, S>::new(simd);
        for j in self.which {
            // SAFETY: `columns` has `rows` rows for each column that is recomputed, and j is one of them.
            self.norms[j] = unsafe { norm(lanes, self.rows, self.columns.at(0, j)) };
        }
    }
}

/// The last column of a panel: adds `factors` times the columns before it, then generates its reflector.
struct Larfg<'a, T> {
    columns: Columns<T>,
    rows: usize,
    before: usize,
    factors: &'a [T],
}

impl<T: Scalar> WithSimd for Larfg<'_, T> {
    type Output = (T, T);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (T, T) {
        let lanes = Lanes::<T, S>::new(simd);
        let Larfg { columns, rows, before, factors } = self;
        let v = columns.at(0, before);
        // SAFETY: `Pivoted::larfg` passes at least one row and the panel's columns, and the last column is not among
        // those before it.
        unsafe {
            lanes.add_columns(rows, v, columns, before, |i| factors[i]);
            let tau = larfg(lanes, rows - 1, &mut *v, v.add(1));
            (tau, std::mem::replace(&mut *v, T::ONE))
        }
    }
}

/// y := Aᴴ x for contiguous columns, which are divided among threads.
fn dots<T: Scalar>(a: MatRef<'_, T>, x: MatRef<'_, T>, y: MatMut<'_, T>) {
    let count = a.ncols();
    if a.nrows() * count > PARALLEL_ELEMENTS && count > 8 && available() > 1 {
        let middle = (count / 2).next_multiple_of(4);
        let ((a1, a2), (y1, y2)) = (a.split_at_col(middle), y.split_at_row_mut(middle));
        both(true, || dots(a1, x, y1), || dots(a2, x, y2));
        return;
    }
    dispatch(Dots { a, x, y });
}

struct Dots<'a, T> {
    a: MatRef<'a, T>,
    x: MatRef<'a, T>,
    y: MatMut<'a, T>,
}

impl<T: Scalar> WithSimd for Dots<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = Lanes::<T, S>::new(simd);
        let Dots { a, x, mut y } = self;
        let columns = Columns { start: a.as_ptr().cast_mut(), stride: a.col_stride().unsigned_abs() };
        // SAFETY: the columns are the matrix's and are only read; x has as many rows.
        unsafe { lanes.dot_columns(a.nrows(), x.as_ptr(), columns, a.ncols(), |k, dot| y[(k, 0)] = dot) };
    }
}

/// y += A x for a few contiguous columns A.
fn combine<T: Scalar>(a: MatRef<'_, T>, x: MatRef<'_, T>, y: MatMut<'_, T>) {
    if a.nrows() > 0 {
        dispatch(Combine { a, x, y });
    }
}

struct Combine<'a, T> {
    a: MatRef<'a, T>,
    x: MatRef<'a, T>,
    y: MatMut<'a, T>,
}

impl<T: Scalar> WithSimd for Combine<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = Lanes::<T, S>::new(simd);
        let Combine { a, x, y } = self;
        let columns = Columns { start: a.as_ptr().cast_mut(), stride: a.col_stride().unsigned_abs() };
        // SAFETY: the columns are the matrix's and are only read; y has as many rows and is exclusive.
        unsafe { lanes.add_columns(a.nrows(), y.as_ptr_mut(), columns, a.ncols(), |k| x[(k, 0)]) };
    }
}
