//! Householder reflectors H = I - tau v vᴴ with v's first element 1, and block reflectors in compact WY form, H₁
//! H₂ ... = I - V T Vᴴ (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).

use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::lanes::{Columns, Lanes, STEP, divide};
use super::workspace::{Workspace, columns};
use crate::gemm;
use crate::level1::squares;
use crate::level3::trmm;
use crate::simd::dispatch;
use affinimath_core::division::scale_by;
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// Columns that are factorised one by one.
const LEAF: usize = 8;

/// Generates the reflector with Hᴴ (alpha, x) = (beta, 0) and a real beta (LAPACK: xLARFG). beta overwrites alpha,
/// and the rest of v overwrites x. Returns tau, which is 0 if H is the identity.
///
/// # Safety
/// x must be valid for n elements.
#[inline(always)]
pub(super) unsafe fn larfg<T: Scalar, S: Simd>(lanes: Lanes<T, S>, n: usize, alpha: &mut T, x: *mut T) -> T {
    // SAFETY: x is valid for n elements, by this function's contract.
    let norm = unsafe { norm(lanes, n, x) };
    if norm == 0.0 && alpha.im() == 0.0 {
        return T::ZERO;
    }
    // Vectors are scaled if their norm is inaccurate because of underflow, or if alpha - beta would overflow.
    let (smallest, largest, lift) = if T::KIND.is_double() {
        (f64::MIN_POSITIVE / f64::EPSILON, f64::MAX / 8.0, 2f64.powi(200))
    } else {
        (f64::from(f32::MIN_POSITIVE / f32::EPSILON), f64::from(f32::MAX) / 8.0, 2f64.powi(50))
    };
    let size = alpha.modulus().hypot(norm);
    let lift = if size > largest { lift.recip() } else { lift };
    if size != 0.0 && (size < smallest || size > largest) {
        let factor = T::from_parts(lift, 0.0);
        *alpha = scale_by(factor, *alpha);
        // SAFETY: x is valid for n elements, by this function's contract.
        let tau = unsafe {
            lanes.scale(n, x, factor);
            larfg_in_range(lanes, n, alpha, x, alpha.modulus().hypot(self::norm(lanes, n, x)))
        };
        *alpha = T::from_parts(alpha.re() / lift, 0.0);
        return tau;
    }
    // SAFETY: x is valid for n elements, by this function's contract.
    unsafe { larfg_in_range(lanes, n, alpha, x, size) }
}

/// # Safety
/// x must have n elements.
#[inline(always)]
unsafe fn larfg_in_range<T: Scalar, S: Simd>(lanes: Lanes<T, S>, n: usize, alpha: &mut T, x: *mut T, size: f64) -> T {
    let beta = -size.copysign(alpha.re());
    let tau = T::from_parts((beta - alpha.re()) / beta, -alpha.im() / beta);
    // SAFETY: x is valid for n elements, by this function's contract. Its elements are at most |beta|, and |alpha -
    // beta| is at least that.
    unsafe { divide(lanes, n, x, T::from_parts(alpha.re() - beta, alpha.im())) };
    *alpha = T::from_parts(beta, 0.0);
    tau
}

/// The 2-norm, which neither overflows nor underflows on its way.
///
/// # Safety
/// x must have n elements.
#[inline(always)]
pub(super) unsafe fn norm<T: Scalar, S: Simd>(lanes: Lanes<T, S>, n: usize, x: *mut T) -> f64 {
    let mut plain = 0.0;
    // SAFETY: x is valid for n elements, by this function's contract.
    unsafe { lanes.dot_columns(n, x, Columns { start: x, stride: 0 }, 1, |_, dot| plain = dot.re()) };
    // A sum of squares in this range has lost nothing significant to underflow or overflow.
    let range = if T::KIND.is_double() { 2f64.powi(-960)..2f64.powi(960) } else { 2f64.powi(-90)..2f64.powi(100) };
    if range.contains(&plain) {
        return plain.sqrt();
    }
    // SAFETY: x is valid for n elements, by this function's contract.
    squares::norm(unsafe { std::slice::from_raw_parts(x, n) })
}

/// A panel with at least as many rows as columns, and the destinations of its factors.
pub(super) struct Panel<'a, T> {
    /// Its columns, contiguous, which become V: with its ones, and zeros above them.
    pub(super) v: MatMut<'a, T>,
    /// Receives R, on the diagonal and above.
    pub(super) r: MatMut<'a, T>,
    /// Receives T; elements below its diagonal are undefined.
    pub(super) t: MatMut<'a, T>,
    /// Factors of the reflectors.
    pub(super) tau: &'a mut [T],
}

impl<T: Scalar> Panel<'_, T> {
    /// Recursive QR (Elmroth and Gustavson, *Applying recursion to serial and parallel QR factorization leads to better
    /// performance*, IBM J. Res. Dev. 44, 2000).
    pub(super) fn factor(self) {
        let Panel { mut v, mut r, t, tau } = self;
        let (m, n) = (v.nrows(), v.ncols());
        if n <= LEAF {
            dispatch(Leaf { columns: columns(&mut v), rows: m, tau, t });
            return extract_r(v, r);
        }
        let middle = (n / 2).next_multiple_of(LEAF);
        let (mut v1, mut v2) = v.split_at_col_mut(middle);
        let (r1, mut r2) = r.as_mut().split_at_col_mut(middle);
        let (mut t1, mut t12, _, mut t2) = t.split_at_mut(middle, middle);
        let (tau1, tau2) = tau.split_at_mut(middle);
        Panel { v: v1.as_mut(), r: r1, t: t1.as_mut(), tau: tau1 }.factor();
        let block = Block { v: v1.as_ref(), t: t1.as_ref() };
        block.apply(Op::ConjTrans, v2.as_mut(), &mut Workspace::new(middle, n - middle));
        let (mut above, mut v2) = v2.split_at_row_mut(middle);
        let (mut r12, r2) = r2.as_mut().split_at_row_mut(middle);
        r12.copy_from(above.as_ref());
        above.fill(T::ZERO);
        Panel { v: v2.as_mut(), r: r2, t: t2.as_mut(), tau: tau2 }.factor();
        gemm(
            Op::ConjTrans,
            Op::NoTrans,
            T::ONE,
            v1.as_ref().subrows(middle, m - middle),
            v2.as_ref(),
            T::ZERO,
            t12.as_mut(),
        );
        larft_merge(t1.as_ref(), t12, t2.as_ref());
    }
}

/// Moves R away from above V, which gets its ones and zeros.
fn extract_r<T: Scalar>(mut v: MatMut<'_, T>, mut r: MatMut<'_, T>) {
    for j in 0..v.ncols() {
        for i in 0..=j {
            r[(i, j)] = std::mem::replace(&mut v[(i, j)], if i == j { T::ONE } else { T::ZERO });
        }
    }
}

/// T12 := -T11 (V1ᴴ V2) T22, with V1ᴴ V2 in place of T12.
fn larft_merge<T: Scalar>(t1: MatRef<'_, T>, mut t12: MatMut<'_, T>, t2: MatRef<'_, T>) {
    let upper = Triangle::Upper;
    trmm(Side::Left, upper, Op::NoTrans, Diag::NonUnit, -T::ONE, t1, t12.as_mut());
    trmm(Side::Right, upper, Op::NoTrans, Diag::NonUnit, T::ONE, t2, t12);
}

/// Column j of T: -tau T Vᴴ vⱼ above the diagonal, with Vᴴ vⱼ in its place, and tau on it.
#[inline(always)]
fn larft_column<T: Scalar>(t: &mut MatMut<'_, T>, j: usize, tau: T) {
    for i in 0..j {
        let mut sum = T::ZERO;
        (i..j).for_each(|k| sum += t[(i, k)] * t[(k, j)]);
        t[(i, j)] = -tau * sum;
    }
    t[(j, j)] = tau;
}

/// Unblocked QR of a matrix with contiguous columns (LAPACK: xGEQR2), with as many reflectors as `tau` has elements.
pub(super) fn unblocked<T: Scalar>(mut a: MatMut<'_, T>, tau: &mut [T]) {
    let (rows, count) = (a.nrows(), a.ncols());
    dispatch(Unblocked { columns: columns(&mut a), rows, count, tau });
}

/// Columns whose reflectors are generated one by one, each applied to the columns after it.
struct Unblocked<'a, T> {
    columns: Columns<T>,
    rows: usize,
    count: usize,
    tau: &'a mut [T],
}

impl<T: Scalar> WithSimd for Unblocked<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = Lanes::<T, S>::new(simd);
        let Unblocked { columns, rows, count, tau } = self;
        for (j, tau) in tau.iter_mut().enumerate() {
            let length = rows - j;
            let v = columns.at(j, j);
            // SAFETY: rows and columns are the matrix's; column j is not among those that are written with it.
            unsafe {
                *tau = larfg(lanes, length - 1, &mut *v, v.add(1));
                let beta = std::mem::replace(&mut *v, T::ONE);
                let factor = -tau.conjugate();
                let (after, mut k) = (columns.from(j, j + 1), 0);
                while k < count - j - 1 {
                    let group = STEP.min(count - j - 1 - k);
                    let dots = lanes.dots(length, v, after.from(0, k), group);
                    for (s, dot) in dots.iter().enumerate().take(group) {
                        let factor = factor * dot.conjugate();
                        lanes.add_columns(length, after.at(0, k + s), columns.from(j, j), 1, |_| factor);
                    }
                    k += group;
                }
                *v = beta;
            }
        }
    }
}

/// A few columns of a panel, factorised left-looking: each gets the reflectors before it as a block, then its own. A
/// column is written a few times only, instead of once per reflector.
struct Leaf<'a, T> {
    columns: Columns<T>,
    rows: usize,
    tau: &'a mut [T],
    t: MatMut<'a, T>,
}

impl<T: Scalar> WithSimd for Leaf<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = Lanes::<T, S>::new(simd);
        let Leaf { columns, rows, tau, mut t } = self;
        for j in 0..tau.len() {
            let (length, v) = (rows - j, columns.at(j, j));
            // SAFETY: rows and columns are the panel's; column j is not among those before it.
            unsafe {
                apply_updates(lanes, columns, rows, j, &t);
                tau[j] = larfg(lanes, length - 1, &mut *v, v.add(1));
                let beta = std::mem::replace(&mut *v, T::ONE);
                lanes.dot_columns(length, v, columns.from(j, 0), j, |k, dot| t[(k, j)] = dot);
                *v = beta;
            }
            larft_column(&mut t, j, tau[j]);
        }
    }
}

/// Column j := (I - V Tᴴ Vᴴ) column j, with the reflectors of the columns before it. V's first rows are a unit
/// lower triangle, stored below R.
///
/// # Safety
/// The panel must have `rows` rows and column j, with at most `LEAF` columns before it.
#[inline(always)]
unsafe fn apply_updates<T: Scalar, S: Simd>(
    lanes: Lanes<T, S>,
    columns: Columns<T>,
    rows: usize,
    j: usize,
    t: &MatMut<'_, T>,
) {
    let (mut w, mut y) = ([T::ZERO; LEAF], [T::ZERO; LEAF]);
    let a = columns.at(0, j);
    // SAFETY: the panel has these rows and columns, by this function's contract.
    unsafe {
        lanes.dot_columns(rows - j, a.add(j), columns.from(j, 0), j, |k, dot| w[k] = dot);
        for (k, w) in w.iter_mut().enumerate().take(j) {
            *w += *a.add(k);
            (k + 1..j).for_each(|i| *w += (*columns.at(i, k)).conjugate() * *a.add(i));
        }
        for k in 0..j {
            (0..=k).for_each(|i| y[k] += t[(i, k)].conjugate() * w[i]);
        }
        for i in 0..j {
            *a.add(i) -= y[i];
            (0..i).for_each(|k| *a.add(i) -= *columns.at(i, k) * y[k]);
        }
        lanes.add_columns(rows - j, a.add(j), columns.from(j, 0), j, |k| -y[k]);
    }
}

/// A block reflector, I - V T Vᴴ.
#[derive(Clone, Copy)]
pub(super) struct Block<'a, T> {
    /// With its ones, and zeros above them.
    pub(super) v: MatRef<'a, T>,
    /// Of which the upper triangle counts.
    pub(super) t: MatRef<'a, T>,
}

impl<T: Scalar> Block<'_, T> {
    /// C := op(I - V T Vᴴ) C (LAPACK: xLARFB). `work` has a row for each reflector and a column for each of C's.
    pub(super) fn apply(self, op: Op, c: MatMut<'_, T>, work: &mut Workspace<T>) {
        if c.ncols() == 0 {
            return;
        }
        let mut w = work.block(self.v.ncols(), c.ncols());
        // The transpose and the conjugate are I - conj(V) op(T) Vᵀ.
        let conjugate = matches!(op, Op::Trans | Op::ConjNoTrans);
        let (inner, outer) = if conjugate { (Op::Trans, Op::ConjNoTrans) } else { (Op::ConjTrans, Op::NoTrans) };
        gemm(inner, Op::NoTrans, T::ONE, self.v, c.as_ref(), T::ZERO, w.as_mut());
        trmm(Side::Left, Triangle::Upper, op, Diag::NonUnit, T::ONE, self.t, w.as_mut());
        gemm(outer, Op::NoTrans, -T::ONE, self.v, w.as_ref(), T::ONE, c);
    }
}

/// Memory of a block reflector, up to a maximum size.
pub(super) struct BlockMemory<T> {
    pub(super) v: Workspace<T>,
    pub(super) t: Workspace<T>,
}

impl<T: Scalar> BlockMemory<T> {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        BlockMemory { v: Workspace::new(rows, columns), t: Workspace::new(columns, columns) }
    }

    /// The block reflector in the memory, with `rows` rows and `columns` reflectors.
    pub(super) fn block(&self, rows: usize, columns: usize) -> Block<'_, T> {
        Block { v: self.v.block_ref(rows, columns), t: self.t.block_ref(columns, columns) }
    }

    /// The block reflector whose vectors are below the diagonal of `stored` (LAPACK: xLARFT).
    pub(super) fn load(&mut self, stored: MatRef<'_, T>, tau: &[T]) -> Block<'_, T> {
        let (m, n) = (stored.nrows(), stored.ncols());
        let mut v = self.v.block(m, n);
        for j in 0..n {
            (0..j).for_each(|i| v[(i, j)] = T::ZERO);
            v[(j, j)] = T::ONE;
            (j + 1..m).for_each(|i| v[(i, j)] = stored[(i, j)]);
        }
        let mut t = self.t.block(n, n);
        gemm(Op::ConjTrans, Op::NoTrans, T::ONE, v.as_ref(), v.as_ref(), T::ZERO, t.as_mut());
        larft(t, tau);
        self.block(m, n)
    }
}

/// Recursive: T from Vᴴ V in its place.
fn larft<T: Scalar>(mut t: MatMut<'_, T>, tau: &[T]) {
    let n = tau.len();
    if n <= LEAF {
        return (0..n).for_each(|j| larft_column(&mut t, j, tau[j]));
    }
    let middle = (n / 2).next_multiple_of(LEAF);
    let (mut t1, t12, _, mut t2) = t.split_at_mut(middle, middle);
    larft(t1.as_mut(), &tau[..middle]);
    larft(t2.as_mut(), &tau[middle..]);
    larft_merge(t1.as_ref(), t12, t2.as_ref());
}
