//! Householder reflections as LAPACK has them, H = I - tau v vᴴ with v's first element 1, and blocks of them in compact WY form,
//! H₁ H₂ ... = I - V T Vᴴ (R. Schreiber and C. Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).

use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::lanes::{Columns, Lanes, STEP, divide};
use super::scratch::{Scratch, columns};
use crate::gemm;
use crate::level1::squares;
use crate::level3::trmm;
use crate::simd::dispatch;
use affinimath_core::division::scale_by;
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;

/// Columns that are factorised one by one.
const LEAF: usize = 8;

/// Makes the reflection with Hᴴ (alpha, x) = (beta, 0), beta real (LAPACK: xLARFG): beta takes alpha's place and the rest of v x's.
/// Gives tau, which is zero where there is nothing to do.
///
/// # Safety
/// x must have n elements.
#[inline(always)]
pub(super) unsafe fn reflect<T: Scalar, S: Simd>(lanes: Lanes<T, S>, n: usize, alpha: &mut T, x: *mut T) -> T {
    // SAFETY: the caller vouches for x.
    let norm = unsafe { norm(lanes, n, x) };
    if norm == 0.0 && alpha.im() == 0.0 {
        return T::ZERO;
    }
    // Numbers so small that their norm is not known to full precision are scaled up before, and those down that are so large that
    // alpha - beta would overflow.
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
        // SAFETY: as above.
        let tau = unsafe {
            lanes.scale(n, x, factor);
            reflect_in_range(lanes, n, alpha, x, alpha.modulus().hypot(self::norm(lanes, n, x)))
        };
        *alpha = T::from_parts(alpha.re() / lift, 0.0);
        return tau;
    }
    // SAFETY: as above.
    unsafe { reflect_in_range(lanes, n, alpha, x, size) }
}

/// # Safety
/// x must have n elements.
#[inline(always)]
unsafe fn reflect_in_range<T: Scalar, S: Simd>(lanes: Lanes<T, S>, n: usize, alpha: &mut T, x: *mut T, size: f64) -> T {
    let beta = -size.copysign(alpha.re());
    let tau = T::from_parts((beta - alpha.re()) / beta, -alpha.im() / beta);
    // SAFETY: the caller vouches for x, whose elements are no larger than |beta|, which alpha - beta is not below.
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
    // SAFETY: the caller vouches for x.
    unsafe { lanes.dot_columns(n, x, Columns { start: x, stride: 0 }, 1, |_, dot| plain = dot.re()) };
    // A plain sum of squares in here has lost nothing to underflow or overflow that counts.
    let range = if T::KIND.is_double() { 2f64.powi(-960)..2f64.powi(960) } else { 2f64.powi(-90)..2f64.powi(100) };
    if range.contains(&plain) {
        return plain.sqrt();
    }
    // SAFETY: as above.
    squares::norm(unsafe { std::slice::from_raw_parts(x, n) })
}

/// A panel no wider than high on its way to being factorised.
pub(super) struct Panel<'a, T> {
    /// Its columns, contiguous, which become V: with its ones, and zeros above them.
    pub(super) v: MatMut<'a, T>,
    /// Where R goes, on the diagonal and above.
    pub(super) r: MatMut<'a, T>,
    /// Where the upper triangle T goes; what is below it does not matter.
    pub(super) t: MatMut<'a, T>,
    /// The reflections' factors.
    pub(super) tau: &'a mut [T],
}

impl<T: Scalar> Panel<'_, T> {
    /// Factorises it by halves (E. Elmroth and F. Gustavson, *Applying recursion to serial and parallel QR factorization leads
    /// to better performance*, IBM J. Res. Dev. 44, 2000).
    pub(super) fn factor(self) {
        let Panel { mut v, mut r, t, tau } = self;
        let (m, n) = (v.nrows(), v.ncols());
        if n <= LEAF {
            dispatch(Leaf { columns: columns(&mut v), rows: m, tau, t });
            return take_triangle(v, r);
        }
        let middle = (n / 2).next_multiple_of(LEAF);
        let (mut v1, mut v2) = v.split_at_col_mut(middle);
        let (r1, mut r2) = r.as_mut().split_at_col_mut(middle);
        let (mut t1, mut t12, _, mut t2) = t.split_at_mut(middle, middle);
        let (tau1, tau2) = tau.split_at_mut(middle);
        Panel { v: v1.as_mut(), r: r1, t: t1.as_mut(), tau: tau1 }.factor();
        let block = Block { v: v1.as_ref(), t: t1.as_ref() };
        block.apply(Op::ConjTrans, v2.as_mut(), &mut Scratch::new(middle, n - middle));
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
        connect(t1.as_ref(), t12, t2.as_ref());
    }
}

/// Moves R away from above V, which gets its ones and zeros.
fn take_triangle<T: Scalar>(mut v: MatMut<'_, T>, mut r: MatMut<'_, T>) {
    for j in 0..v.ncols() {
        for i in 0..=j {
            r[(i, j)] = std::mem::replace(&mut v[(i, j)], if i == j { T::ONE } else { T::ZERO });
        }
    }
}

/// T's block beside the diagonal: -T₁ (V₁ᴴ V₂) T₂, from V₁ᴴ V₂ in its place.
fn connect<T: Scalar>(t1: MatRef<'_, T>, mut t12: MatMut<'_, T>, t2: MatRef<'_, T>) {
    let upper = Triangle::Upper;
    trmm(Side::Left, upper, Op::NoTrans, Diag::NonUnit, -T::ONE, t1, t12.as_mut());
    trmm(Side::Right, upper, Op::NoTrans, Diag::NonUnit, T::ONE, t2, t12);
}

/// Column j of T: -tau T Vᴴ vⱼ above the diagonal, from Vᴴ vⱼ in its place, and tau on it.
#[inline(always)]
fn connect_column<T: Scalar>(t: &mut MatMut<'_, T>, j: usize, tau: T) {
    for i in 0..j {
        let mut sum = T::ZERO;
        (i..j).for_each(|k| sum += t[(i, k)] * t[(k, j)]);
        t[(i, j)] = -tau * sum;
    }
    t[(j, j)] = tau;
}

/// Factorises a matrix whose columns are contiguous, one by one (LAPACK: xGEQR2): A's first columns, as many as factors in `tau`,
/// are reflected.
pub(super) fn unblocked<T: Scalar>(mut a: MatMut<'_, T>, tau: &mut [T]) {
    let (rows, count) = (a.nrows(), a.ncols());
    dispatch(Unblocked { columns: columns(&mut a), rows, count, tau });
}

/// Columns that are reflected one by one, each reflection being applied to those after it.
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
                *tau = reflect(lanes, length - 1, &mut *v, v.add(1));
                let beta = std::mem::replace(&mut *v, T::ONE);
                let factor = -tau.conjugate();
                let (after, mut k) = (columns.from(j, j + 1), 0);
                while k < count - j - 1 {
                    let few = STEP.min(count - j - 1 - k);
                    let dots = lanes.dots(length, v, after.from(0, k), few);
                    for (s, dot) in dots.iter().enumerate().take(few) {
                        let factor = factor * dot.conjugate();
                        lanes.add_columns(length, after.at(0, k + s), columns.from(j, j), 1, |_| factor);
                    }
                    k += few;
                }
                *v = beta;
            }
        }
    }
}

/// A few columns of a panel: to each the reflections before it are applied as a block, and then it is reflected. So a column
/// is written a few times only, and not once for each reflection.
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
                catch_up(lanes, columns, rows, j, &t);
                tau[j] = reflect(lanes, length - 1, &mut *v, v.add(1));
                let beta = std::mem::replace(&mut *v, T::ONE);
                lanes.dot_columns(length, v, columns.from(j, 0), j, |k, dot| t[(k, j)] = dot);
                *v = beta;
            }
            connect_column(&mut t, j, tau[j]);
        }
    }
}

/// Column j := (I - V Tᴴ Vᴴ) column j, with the reflections of the columns before it. In its first rows V is a unit triangle, under
/// which is R.
///
/// # Safety
/// The panel must have so many rows and column j, at most `LEAF` of them before it.
#[inline(always)]
unsafe fn catch_up<T: Scalar, S: Simd>(
    lanes: Lanes<T, S>,
    columns: Columns<T>,
    rows: usize,
    j: usize,
    t: &MatMut<'_, T>,
) {
    let (mut w, mut y) = ([T::ZERO; LEAF], [T::ZERO; LEAF]);
    let a = columns.at(0, j);
    // SAFETY: the caller vouches for the panel.
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

/// A block of reflections, I - V T Vᴴ.
#[derive(Clone, Copy)]
pub(super) struct Block<'a, T> {
    /// With its ones, and zeros above them.
    pub(super) v: MatRef<'a, T>,
    /// Of which the upper triangle counts.
    pub(super) t: MatRef<'a, T>,
}

impl<T: Scalar> Block<'_, T> {
    /// C := op(I - V T Vᴴ) C (LAPACK: xLARFB). `work` has a row for each reflection and a column for each of C's.
    pub(super) fn apply(self, op: Op, c: MatMut<'_, T>, work: &mut Scratch<T>) {
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

/// Memory for blocks of reflections of up to so many rows and columns.
pub(super) struct BlockMemory<T> {
    pub(super) v: Scratch<T>,
    pub(super) t: Scratch<T>,
}

impl<T: Scalar> BlockMemory<T> {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        BlockMemory { v: Scratch::new(rows, columns), t: Scratch::new(columns, columns) }
    }

    /// The block that is in the memory, of so many rows and columns.
    pub(super) fn block(&self, rows: usize, columns: usize) -> Block<'_, T> {
        Block { v: self.v.block_ref(rows, columns), t: self.t.block_ref(columns, columns) }
    }

    /// The block of reflections whose vectors are stored below the diagonal of `stored` (LAPACK: xLARFT).
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
        connect_all(t, tau);
        self.block(m, n)
    }
}

/// T from Vᴴ V in its place, by halves.
fn connect_all<T: Scalar>(mut t: MatMut<'_, T>, tau: &[T]) {
    let n = tau.len();
    if n <= LEAF {
        return (0..n).for_each(|j| connect_column(&mut t, j, tau[j]));
    }
    let middle = (n / 2).next_multiple_of(LEAF);
    let (mut t1, t12, _, mut t2) = t.split_at_mut(middle, middle);
    connect_all(t1.as_mut(), &tau[..middle]);
    connect_all(t2.as_mut(), &tau[middle..]);
    connect(t1.as_ref(), t12, t2.as_ref());
}
