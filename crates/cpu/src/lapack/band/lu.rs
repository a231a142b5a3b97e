//! LU of band matrices with partial pivoting, and solutions with the factors.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::super::lanes::{Columns, Lanes, divide};
use super::super::lu::getrf;
use super::super::workspace::{Workspace, with_columns, with_columns_of};
use super::super::{Info, among_threads};
use super::triangle::BandTriangle;
use super::{BLOCKED_MIN, PANEL, in_groups};
use crate::simd::dispatch;
use crate::{gemm, trsm};
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// A band matrix in the layout of gbtrf.
#[derive(Clone, Copy)]
struct Band<T> {
    /// The matrix.
    a: Columns<T>,
    m: usize,
    n: usize,
    /// Diagonals below and above the main one.
    kl: usize,
    ku: usize,
}

// SAFETY: one thread at a time works on it.
unsafe impl<T: Send> Send for Band<T> {}

/// P A = L U with partial pivoting of an m x n band matrix, in place (LAPACK: xGBTRF).
///
/// `ab` has 2 kl + ku + 1 rows: element (i, j) is in row kl + ku + i - j. Its first kl rows need not be set: U has kl +
/// ku diagonals above the main one. Multipliers take the place of what they eliminate, and are not interchanged. The
/// info is the first zero on U's diagonal.
#[instances]
pub fn gbtrf<T: Scalar>(m: usize, [kl, ku]: [usize; 2], ab: MatMut<'_, T>, pivots: &mut [i32]) -> Info {
    let n = ab.ncols();
    let order = m.min(n);
    assert!(ab.nrows() > 2 * kl + ku && pivots.len() >= order, "checked by the callers");
    if order == 0 {
        return None;
    }
    // Diagonals beyond the matrix do not exist.
    let worth = kl.min(m - 1).saturating_mul(2);
    with_columns(ab, |array| {
        let band = Band { a: array.matrix(kl + ku), m, n, kl, ku };
        // SAFETY: the array has the band's elements.
        unsafe { band.clear_fill() };
        let pivots = &mut pivots[..order];
        if kl.min(ku + kl) >= BLOCKED_MIN && order > PANEL {
            among_threads(worth, move || band.by_panels(pivots))
        } else {
            dispatch(ByColumns { band, pivots })
        }
    })
}

impl<T: Scalar> Band<T> {
    /// Zeros where U fills in.
    ///
    /// # Safety
    /// The array must have the band's elements.
    unsafe fn clear_fill(&self) {
        for j in self.ku + 1..self.n {
            for i in j.saturating_sub(self.kl + self.ku)..(j - self.ku).min(self.m) {
                // SAFETY: (i, j) is within the band, by this function's contract.
                unsafe { *self.a.at(i, j) = T::ZERO };
            }
        }
    }

    /// Right-looking LU by panels. A panel is factorised in a copy, whose corner below the band is zero; so are the
    /// rows of U right of it, whose corner is above the band.
    fn by_panels(self, pivots: &mut [i32]) -> Info {
        let (order, wide) = (pivots.len(), self.kl + self.ku);
        let mut copy = Workspace::new(PANEL + self.kl, PANEL);
        let mut above = Workspace::new(PANEL, wide);
        let (mut info, mut reach) = (None, 0);
        for j in (0..order).step_by(PANEL) {
            let width = PANEL.min(order - j);
            let rows = (self.m - j).min(width + self.kl);
            let mut panel = copy.block(rows, width);
            let found = &mut pivots[j..j + width];
            // SAFETY: all elements that are named are in the band, and in the copies.
            unsafe {
                self.copy_panel(j, panel.as_mut());
                info = info.or(getrf(panel.as_mut(), found).map(|index| j + index));
                reach = self.interchange(j, found, reach);
                let right = (reach + 1).saturating_sub(j + width);
                if right > 0 {
                    let (upper, lower) = panel.as_ref().split_at_row(width);
                    let mut u = above.block(width, right);
                    self.copy_above(j, u.as_mut());
                    trsm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::Unit, T::ONE, upper, u.as_mut());
                    let below = self.a.block((j + width, j + width), rows - width, right);
                    gemm(Op::NoTrans, Op::NoTrans, -T::ONE, lower, u.as_ref(), T::ONE, below);
                    self.write_above(j, u.as_ref());
                }
                undo_interchanges(panel.as_mut(), found);
                self.write_panel(j, panel.as_ref());
            }
            found.iter_mut().for_each(|pivot| *pivot += j as i32);
        }
        info
    }

    /// Rows of a panel's column within the band.
    fn height(&self, column: usize, rows: usize) -> usize {
        rows.min(column + self.kl + 1)
    }

    /// # Safety
    /// The panel must be in the matrix.
    unsafe fn copy_panel(&self, j: usize, mut panel: MatMut<'_, T>) {
        let rows = panel.nrows();
        for c in 0..panel.ncols() {
            for i in 0..rows {
                let inside = i < self.height(c, rows);
                // SAFETY: (i, c) is within the band where it is read.
                panel[(i, c)] = if inside { unsafe { *self.a.at(j + i, j + c) } } else { T::ZERO };
            }
        }
    }

    /// # Safety
    /// The panel must be in the matrix.
    unsafe fn write_panel(&self, j: usize, panel: MatRef<'_, T>) {
        for c in 0..panel.ncols() {
            for i in 0..self.height(c, panel.nrows()) {
                // SAFETY: (i, c) is within the band.
                unsafe { *self.a.at(j + i, j + c) = panel[(i, c)] };
            }
        }
    }

    /// Interchanges rows right of a panel, whose pivots count from its first row, in the columns that are not zero;
    /// gives the last of these.
    ///
    /// # Safety
    /// The panel must be in the matrix.
    unsafe fn interchange(&self, j: usize, pivots: &[i32], mut reach: usize) -> usize {
        let first = j + pivots.len();
        for (step, pivot) in pivots.iter().enumerate() {
            let pivot = *pivot as usize - 1;
            reach = reach.max((j + pivot + self.ku).min(self.n - 1));
            if pivot != step {
                for c in first..=reach {
                    // SAFETY: row j + step has its elements up to `reach` within the band, and so has the lower row.
                    unsafe { self.a.at(j + step, c).swap(self.a.at(j + pivot, c)) };
                }
            }
        }
        reach
    }

    /// Rows of U right of a panel; zeros above the band.
    ///
    /// # Safety
    /// The rows must be in the matrix.
    unsafe fn copy_above(&self, j: usize, mut u: MatMut<'_, T>) {
        let first = j + u.nrows();
        for c in 0..u.ncols() {
            for i in 0..u.nrows() {
                let inside = first + c <= j + i + self.kl + self.ku;
                // SAFETY: (i, c) is within the band where it is read.
                u[(i, c)] = if inside { unsafe { *self.a.at(j + i, first + c) } } else { T::ZERO };
            }
        }
    }

    /// # Safety
    /// The rows must be in the matrix.
    unsafe fn write_above(&self, j: usize, u: MatRef<'_, T>) {
        let first = j + u.nrows();
        for c in 0..u.ncols() {
            for i in (first + c).saturating_sub(j + self.kl + self.ku)..u.nrows() {
                // SAFETY: (i, c) is within the band.
                unsafe { *self.a.at(j + i, first + c) = u[(i, c)] };
            }
        }
    }
}

/// Puts multipliers back where they eliminated: getrf interchanged them with later pivots' rows.
fn undo_interchanges<T: Scalar>(mut panel: MatMut<'_, T>, pivots: &[i32]) {
    for (step, pivot) in pivots.iter().enumerate().rev() {
        let pivot = *pivot as usize - 1;
        if pivot != step {
            for c in 0..step {
                let (a, b) = (panel[(step, c)], panel[(pivot, c)]);
                (panel[(step, c)], panel[(pivot, c)]) = (b, a);
            }
        }
    }
}

/// Right-looking LU column by column, with the window of the band in cache (LAPACK: xGBTF2).
struct ByColumns<'p, T> {
    band: Band<T>,
    pivots: &'p mut [i32],
}

impl<T: Scalar> WithSimd for ByColumns<'_, T> {
    type Output = Info;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Info {
        let lanes = Lanes::<T, S>::new(simd);
        let Band { a, m, n, kl, ku } = self.band;
        let (mut info, mut reach) = (None, 0);
        for (j, slot) in self.pivots.iter_mut().enumerate() {
            let below = kl.min(m - 1 - j);
            // SAFETY: elements are within the band: a pivot is at most kl rows below the diagonal, and U's row j ends
            // at most kl + ku columns right of it. Column j is not among those that change.
            unsafe {
                let (mut pivot, mut largest) = (0, (*a.at(j, j)).sum_of_moduli());
                for i in 1..=below {
                    let size = (*a.at(j + i, j)).sum_of_moduli();
                    if size > largest {
                        (pivot, largest) = (i, size);
                    }
                }
                *slot = (j + pivot + 1) as i32;
                if *a.at(j + pivot, j) == T::ZERO {
                    info = info.or(Some(j + 1));
                    continue;
                }
                reach = reach.max((j + ku + pivot).min(n - 1));
                if pivot > 0 {
                    (j..=reach).for_each(|c| a.at(j, c).swap(a.at(j + pivot, c)));
                }
                if below > 0 {
                    divide(lanes, below, a.at(j + 1, j), *a.at(j, j));
                    for c in j + 1..=reach {
                        let u = *a.at(j, c);
                        lanes.add_columns(below, a.at(j + 1, c), a.from(j + 1, j), 1, |_| -u);
                    }
                }
            }
        }
        info
    }
}

/// Solves op(A) X = B with [`gbtrf`]'s factors of a square A (LAPACK: xGBTRS). X overwrites B. Pivot i is between i + 1
/// and i + kl + 1, and at most n.
#[instances]
pub fn gbtrs<T: Scalar>(op: Op, [kl, ku]: [usize; 2], ab: MatRef<'_, T>, pivots: &[i32], b: MatMut<'_, T>) {
    let (n, columns) = (ab.ncols(), b.ncols());
    assert!(ab.nrows() > 2 * kl + ku && b.nrows() == n && pivots.len() >= n, "checked by the callers");
    for (i, pivot) in pivots[..n].iter().enumerate() {
        let fits = (i + 1..=n.min(i + kl + 1)).contains(&(*pivot as usize));
        assert!(fits, "checked by the callers");
    }
    if n == 0 || columns == 0 {
        return;
    }
    let work = n.saturating_mul(2 * kl + ku).saturating_mul(columns);
    with_columns_of(ab, |array| {
        let a = array.matrix(kl + ku);
        let upper = BandTriangle { a, triangle: Triangle::Upper, order: n, width: kl + ku };
        let solve = Shared(Solve { op, upper, kl, pivots });
        with_columns(b, |b| {
            in_groups(b, columns, work, |b, count| {
                let whole = &solve;
                dispatch(OnGroup { solve: &whole.0, b, count });
            });
        });
    });
}

/// Factors that threads read.
struct Shared<T>(T);

// SAFETY: the factors are only read.
unsafe impl<T> Sync for Shared<T> {}

struct Solve<'p, T> {
    op: Op,
    upper: BandTriangle<T>,
    kl: usize,
    pivots: &'p [i32],
}

struct OnGroup<'s, 'p, T> {
    solve: &'s Solve<'p, T>,
    b: Columns<T>,
    count: usize,
}

impl<T: Scalar> WithSimd for OnGroup<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = Lanes::<T, S>::new(simd);
        let OnGroup { solve, b, count } = self;
        // Products are with A or its adjoint: of the other two ops, the system is conjugated.
        let conjugates = T::KIND.is_complex() && solve.op.transposes() != solve.op.conjugates();
        // SAFETY: B has the matrix's rows, and pivots are rows.
        unsafe {
            if conjugates {
                conjugate(b, solve.upper.order, count);
            }
            if solve.op.transposes() {
                solve.upper.solve_adjoint(lanes, b, count);
                solve.lower_adjoint(lanes, b, count);
            } else {
                solve.lower(lanes, b, count);
                solve.upper.solve(lanes, b, count);
            }
            if conjugates {
                conjugate(b, solve.upper.order, count);
            }
        }
    }
}

/// # Safety
/// The columns must have this count of rows.
#[inline(always)]
unsafe fn conjugate<T: Scalar>(b: Columns<T>, rows: usize, count: usize) {
    for k in 0..count {
        for i in 0..rows {
            // SAFETY: the element exists, by this function's contract.
            unsafe { *b.at(i, k) = (*b.at(i, k)).conjugate() };
        }
    }
}

impl<T: Scalar> Solve<'_, T> {
    /// L X = P B: an interchange and an elimination for each column.
    ///
    /// # Safety
    /// B must have the matrix's rows.
    #[inline(always)]
    unsafe fn lower<S: Simd>(&self, lanes: Lanes<T, S>, b: Columns<T>, count: usize) {
        let n = self.upper.order;
        for j in 0..if self.kl == 0 { 0 } else { n - 1 } {
            let (below, pivot) = (self.kl.min(n - 1 - j), self.pivots[j] as usize - 1);
            for k in 0..count {
                // SAFETY: rows are below n, and the pivots were checked.
                unsafe {
                    b.at(j, k).swap(b.at(pivot, k));
                    let x = *b.at(j, k);
                    lanes.add_columns(below, b.at(j + 1, k), self.upper.a.from(j + 1, j), 1, |_| -x);
                }
            }
        }
    }

    /// X := Pᵀ L⁻ᴴ B.
    ///
    /// # Safety
    /// The contract of [`Solve::lower`].
    #[inline(always)]
    unsafe fn lower_adjoint<S: Simd>(&self, lanes: Lanes<T, S>, b: Columns<T>, count: usize) {
        let n = self.upper.order;
        for j in (0..if self.kl == 0 { 0 } else { n - 1 }).rev() {
            let (below, pivot) = (self.kl.min(n - 1 - j), self.pivots[j] as usize - 1);
            for k in 0..count {
                // SAFETY: rows are below n, and the pivots were checked.
                unsafe {
                    let dot = lanes.dots(below, b.at(j + 1, k), self.upper.a.from(j + 1, j), 1)[0];
                    *b.at(j, k) = *b.at(j, k) - dot;
                    b.at(j, k).swap(b.at(pivot, k));
                }
            }
        }
    }
}

/// Solves A X = B by [`gbtrf`] and, if that succeeds, [`gbtrs`] (LAPACK: xGBSV).
#[instances]
pub fn gbsv<T: Scalar>(diagonals: [usize; 2], mut ab: MatMut<'_, T>, pivots: &mut [i32], b: MatMut<'_, T>) -> Info {
    let info = gbtrf(ab.ncols(), diagonals, ab.as_mut(), pivots);
    if info.is_none() {
        gbtrs(Op::NoTrans, diagonals, ab.as_ref(), pivots, b);
    }
    info
}
