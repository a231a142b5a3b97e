//! Auxiliaries that LAPACK's own programs call, on matrices behind pointers (LAPACK: xLACPY, xLASET, xLASCL, xLARFG,
//! xLARF, xLARFT, xLARFB, xLARTG, xLAMCH).

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use crate::gemm;
use affinimath_core::division::quotient;
use affinimath_core::options::Op;
use affinimath_core::scalar::Scalar;

/// A matrix behind a pointer, with the distances between rows and between columns.
pub struct Block<T> {
    /// The element of the first row and column.
    pub start: *mut T,
    /// Elements between rows.
    pub row: isize,
    /// Elements between columns.
    pub column: isize,
}

impl<T> Clone for Block<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Block<T> {}

impl<T: Scalar> Block<T> {
    /// # Safety
    /// The element must be in the matrix.
    unsafe fn at(self, i: usize, j: usize) -> *mut T {
        self.start.wrapping_offset(i as isize * self.row + j as isize * self.column)
    }

    /// # Safety
    /// The matrix must have these sizes, and nothing else may access it.
    pub(super) unsafe fn view_mut<'a>(self, rows: usize, columns: usize) -> MatMut<'a, T> {
        // SAFETY: this function has the same contract.
        unsafe { MatMut::from_raw_parts_mut(self.start, rows, columns, self.row, self.column) }
    }

    /// # Safety
    /// The matrix must have these sizes.
    unsafe fn view<'a>(self, rows: usize, columns: usize) -> MatRef<'a, T> {
        // SAFETY: this function has the same contract.
        unsafe { MatRef::from_raw_parts(self.start.cast_const(), rows, columns, self.row, self.column) }
    }
}

/// Rows of column j that a letter names: an upper or a lower trapezoid, or all.
fn rows_of(uplo: u8, m: usize, j: usize) -> std::ops::Range<usize> {
    match uplo {
        b'U' => 0..m.min(j + 1),
        b'L' => j.min(m)..m,
        _ => 0..m,
    }
}

/// B := A in a trapezoid, or all of it (LAPACK: xLACPY).
///
/// # Safety
/// Both matrices must have these sizes.
#[instances]
pub unsafe fn lacpy<T: Scalar>(uplo: u8, m: usize, n: usize, a: Block<T>, b: Block<T>) {
    for j in 0..n {
        for i in rows_of(uplo, m, j) {
            // SAFETY: the element is in both matrices.
            unsafe { b.at(i, j).write(a.at(i, j).read()) };
        }
    }
}

/// Sets a trapezoid without its diagonal to alpha, and the diagonal to beta (LAPACK: xLASET).
///
/// # Safety
/// The matrix must have these sizes.
#[instances]
pub unsafe fn laset<T: Scalar>(uplo: u8, m: usize, n: usize, alpha: T, beta: T, a: Block<T>) {
    for j in 0..n {
        for i in rows_of(uplo, m, j) {
            // SAFETY: the element is in the matrix.
            unsafe { a.at(i, j).write(if i == j { beta } else { alpha }) };
        }
    }
}

/// A := A to / from, without overflow of the quotient (LAPACK: xLASCL). The letter is the kind of the matrix.
///
/// # Safety
/// The matrix must have these sizes, stored as the kind says.
#[instances]
pub unsafe fn lascl<T: Scalar>(kind: u8, [kl, ku]: [usize; 2], [from, to]: [f64; 2], [m, n]: [usize; 2], a: Block<T>) {
    let small = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE.into() };
    let large = 1.0 / small;
    let (mut from, mut to) = (from, to);
    loop {
        let from_next = from * small;
        let to_next = to / large;
        let (factor, done) = if from_next == from {
            // An infinite divisor.
            (to / from, true)
        } else if to_next == to {
            // Zero or infinity.
            from = 1.0;
            (to, true)
        } else if from_next.abs() > to.abs() && to != 0.0 {
            from = from_next;
            (small, false)
        } else if to_next.abs() > from.abs() {
            to = to_next;
            (large, false)
        } else {
            (to / from, true)
        };
        let factor = T::RealScalar::from_parts(factor, 0.0);
        for j in 0..n {
            let rows = match kind {
                b'L' => j.min(m)..m,
                b'U' => 0..m.min(j + 1),
                b'H' => 0..m.min(j + 2),
                b'B' => 0..(kl + 1).min(n - j),
                b'Q' => ku.saturating_sub(j)..ku + 1,
                b'Z' => (kl + ku).saturating_sub(j).max(kl)..(2 * kl + ku + 1).min((kl + ku + m).saturating_sub(j)),
                _ => 0..m,
            };
            for i in rows {
                // SAFETY: the element is in the matrix.
                unsafe {
                    let element = a.at(i, j);
                    element.write(element.read().scaled(factor));
                }
            }
        }
        if done {
            return;
        }
    }
}

/// The reflector H = I - tau (1, v) (1, v)ᴴ with Hᴴ (alpha, x) = (beta, 0): v overwrites x, beta, which is real,
/// alpha. Returns tau (LAPACK: xLARFG).
///
/// # Safety
/// x must have n - 1 elements, `increment` apart.
#[instances]
pub unsafe fn larfg<T: Scalar>(n: usize, alpha: &mut T, x: *mut T, increment: isize) -> T {
    if n == 0 {
        return T::ZERO;
    }
    let element = |i: usize| x.wrapping_offset(i as isize * increment);
    // SAFETY: x has n - 1 elements.
    let read = |i: usize| unsafe { element(i).read() };
    let largest = (0..n - 1).map(|i| read(i).re().abs().max(read(i).im().abs())).fold(0.0, f64::max);
    let nan = (0..n - 1).any(|i| read(i).re().is_nan() || read(i).im().is_nan());
    if !nan && largest == 0.0 && alpha.im() == 0.0 {
        return T::ZERO;
    }
    // Powers of two bring the numbers near one.
    let reach = largest.max(alpha.re().abs()).max(alpha.im().abs());
    let scale = if reach > 0.0 && reach.is_finite() {
        2f64.powi(-(reach.log2().floor() as i32).clamp(-1000, 1000))
    } else {
        1.0
    };
    let squares: f64 = (0..n - 1).map(|i| (read(i).re() * scale).powi(2) + (read(i).im() * scale).powi(2)).sum();
    let (re, im) = (alpha.re() * scale, alpha.im() * scale);
    let norm = (squares + re * re + im * im).sqrt();
    let beta = if re >= 0.0 { -norm } else { norm };
    let tau = T::from_parts((beta - re) / beta, -im / beta);
    // The divisor alpha - beta, scaled as x is.
    let (divisor, scaling) = (T::from_parts(re - beta, im), T::RealScalar::from_parts(scale, 0.0));
    for i in 0..n - 1 {
        // SAFETY: x has n - 1 elements.
        unsafe { element(i).write(quotient(read(i).scaled(scaling), divisor)) };
    }
    *alpha = T::from_parts(beta / scale, 0.0);
    tau
}

/// C := H C or C H of a reflector H = I - tau v vᴴ (LAPACK: xLARF).
///
/// # Safety
/// C must have these sizes, v its rows or columns, `increment` apart: from its end on if it is negative.
#[instances]
pub unsafe fn larf<T: Scalar>(left: bool, m: usize, n: usize, (v, increment): (*const T, isize), tau: T, c: Block<T>) {
    let length = if left { m } else { n };
    if tau == T::ZERO || m == 0 || n == 0 {
        return;
    }
    let first = if increment < 0 { (1 - length as isize) * increment } else { 0 };
    // SAFETY: v has these elements.
    let v: Vec<T> = (0..length).map(|i| unsafe { v.wrapping_offset(first + i as isize * increment).read() }).collect();
    // SAFETY: C has these sizes.
    let mut c = unsafe { c.view_mut(m, n) };
    let v = MatRef::from_column_major_slice(&v, length, 1);
    if left {
        let mut w = Mat::zeros(n, 1);
        gemm(Op::ConjTrans, Op::NoTrans, T::ONE, c.as_ref(), v, T::ZERO, w.as_mut());
        gemm(Op::NoTrans, Op::ConjTrans, -tau, v, w.as_ref(), T::ONE, c.as_mut());
    } else {
        let mut w = Mat::zeros(m, 1);
        gemm(Op::NoTrans, Op::NoTrans, T::ONE, c.as_ref(), v, T::ZERO, w.as_mut());
        gemm(Op::NoTrans, Op::ConjTrans, -tau, w.as_ref(), v, T::ONE, c.as_mut());
    }
}

/// The order of a product of reflectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// H(1) H(2) ... H(k): T is upper triangular.
    Forward,
    /// H(k) ... H(2) H(1): T is lower triangular.
    Backward,
}

/// Storage of the vectors of reflectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// As columns.
    Columns,
    /// As rows.
    Rows,
}

/// The vectors as columns, with their ones and zeros.
///
/// # Safety
/// V must have n x k elements, or k x n of rows.
unsafe fn vectors<T: Scalar>((direct, storage): (Direction, Storage), n: usize, k: usize, v: Block<T>) -> Mat<T> {
    Mat::from_fn(n, k, |i, j| {
        // Rows of a vector before and after its one.
        let one = if direct == Direction::Forward { j } else { (n + j).wrapping_sub(k) };
        let zero = if direct == Direction::Forward { i < one } else { i > one };
        match (i == one, zero, storage) {
            (true, ..) => T::ONE,
            (_, true, _) => T::ZERO,
            // SAFETY: the element is in V.
            (_, _, Storage::Columns) => unsafe { v.at(i, j).read() },
            // SAFETY: the element is in V.
            (_, _, Storage::Rows) => unsafe { v.at(j, i).read().conjugate() },
        }
    })
}

/// The triangular factor T of a block reflector I - V T Vᴴ (LAPACK: xLARFT). The other triangle is not touched.
///
/// # Safety
/// V must have n x k elements, or k x n of rows, tau k elements and T k x k elements.
#[instances]
pub unsafe fn larft<T: Scalar>(
    kind: (Direction, Storage),
    n: usize,
    k: usize,
    v: Block<T>,
    tau: *const T,
    t: Block<T>,
) {
    if n == 0 || k == 0 {
        return;
    }
    // SAFETY: this function has the same contract.
    let v = unsafe { vectors(kind, n, k, v) };
    let mut products = Mat::zeros(k, k);
    gemm(Op::ConjTrans, Op::NoTrans, T::ONE, v.as_ref(), v.as_ref(), T::ZERO, products.as_mut());
    let forward = kind.0 == Direction::Forward;
    for step in 0..k {
        let i = if forward { step } else { k - 1 - step };
        // SAFETY: tau has k elements.
        let tau = unsafe { tau.add(i).read() };
        let others = if forward { 0..i } else { i + 1..k };
        for row in others.clone() {
            // T(others, i) = -tau T(others, others) V(others)ᴴ v(i).
            let inner = if forward { row..i } else { i + 1..row + 1 };
            // SAFETY: the elements are in T.
            let sum = inner.fold(T::ZERO, |sum, l| sum + unsafe { t.at(row, l).read() } * products[(l, i)]);
            // SAFETY: the element is in T.
            unsafe { t.at(row, i).write(-tau * sum) };
        }
        // SAFETY: the element is in T.
        unsafe { t.at(i, i).write(tau) };
    }
}

/// C := H C, Hᴴ C, C H or C Hᴴ of a block reflector H = I - V T Vᴴ (LAPACK: xLARFB).
///
/// # Safety
/// C must have m x n elements, V m x k or n x k, or as many in rows, and T k x k elements.
#[instances]
pub unsafe fn larfb<T: Scalar>(
    (left, adjoint): (bool, bool),
    kind: (Direction, Storage),
    [m, n, k]: [usize; 3],
    v: Block<T>,
    t: Block<T>,
    c: Block<T>,
) {
    if m == 0 || n == 0 || k == 0 {
        return;
    }
    let length = if left { m } else { n };
    // SAFETY: this function has the same contract.
    let (v, t, mut c) = unsafe { (vectors(kind, length, k, v), t.view(k, k), c.view_mut(m, n)) };
    let stored = |i: usize, j: usize| if kind.0 == Direction::Forward { i <= j } else { i >= j };
    let t = Mat::from_fn(k, k, |i, j| if stored(i, j) { t[(i, j)] } else { T::ZERO });
    let op = if adjoint { Op::ConjTrans } else { Op::NoTrans };
    let (rows, columns) = if left { (k, n) } else { (m, k) };
    let (mut w, mut product) = (Mat::zeros(rows, columns), Mat::zeros(rows, columns));
    if left {
        gemm(Op::ConjTrans, Op::NoTrans, T::ONE, v.as_ref(), c.as_ref(), T::ZERO, w.as_mut());
        gemm(op, Op::NoTrans, T::ONE, t.as_ref(), w.as_ref(), T::ZERO, product.as_mut());
        gemm(Op::NoTrans, Op::NoTrans, -T::ONE, v.as_ref(), product.as_ref(), T::ONE, c.as_mut());
    } else {
        gemm(Op::NoTrans, Op::NoTrans, T::ONE, c.as_ref(), v.as_ref(), T::ZERO, w.as_mut());
        gemm(Op::NoTrans, op, T::ONE, w.as_ref(), t.as_ref(), T::ZERO, product.as_mut());
        gemm(Op::NoTrans, Op::ConjTrans, -T::ONE, product.as_ref(), v.as_ref(), T::ONE, c.as_mut());
    }
}

/// c, s and r of the rotation with c f + s g = r and c g - conj(s) f = 0 (LAPACK: xLARTG). c is real, at least 0; r has
/// the direction of f.
///
/// E. Anderson, *Algorithm 978: safe scaling in the level 1 BLAS*, ACM Trans. Math. Softw. 44 (2017).
#[instances]
pub fn lartg<T: Scalar>(f: T, g: T) -> (T::RealScalar, T, T) {
    let real = |x: f64| T::RealScalar::from_parts(x, 0.0);
    if g == T::ZERO {
        return (real(1.0), T::ZERO, f);
    }
    // Powers of two bring both numbers near one.
    let largest = [f.re(), f.im(), g.re(), g.im()].into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let scale = if largest.is_finite() { 2f64.powi(-(largest.log2().floor() as i32).clamp(-1000, 1000)) } else { 1.0 };
    let (fr, fi, gr, gi) = (f.re() * scale, f.im() * scale, g.re() * scale, g.im() * scale);
    let (size_f, size_g) = (fr.hypot(fi), gr.hypot(gi));
    if f == T::ZERO {
        let s = T::from_parts(gr / size_g, -gi / size_g);
        return (real(0.0), s, T::from_parts(size_g / scale, 0.0));
    }
    let length = size_f.hypot(size_g);
    if size_f == 0.0 {
        // f is negligible: its direction alone counts.
        let s = T::from_parts(gr / size_g, -gi / size_g);
        return (real(0.0), s, T::from_parts(length / scale, 0.0));
    }
    let (ur, ui) = (fr / size_f, fi / size_f);
    let s = T::from_parts((gr * ur + gi * ui) / length, (gr * ui - gi * ur) / length);
    (real(size_f / length), s, T::from_parts(ur * (length / scale), ui * (length / scale)))
}

/// Machine constants of a real type (LAPACK: xLAMCH); 0 for another letter.
pub fn machine<T: Scalar>(letter: u8) -> T {
    let double = T::KIND.is_double();
    let pick = |of_double: f64, of_single: f64| if double { of_double } else { of_single };
    let value = match letter {
        b'E' => T::EPSILON / 2.0,
        b'S' | b'U' => pick(f64::MIN_POSITIVE, f32::MIN_POSITIVE.into()),
        b'B' => 2.0,
        b'P' => T::EPSILON,
        b'N' => pick(53.0, 24.0),
        b'R' => 1.0,
        b'M' => pick(-1021.0, -125.0),
        b'L' => pick(1024.0, 128.0),
        b'O' => pick(f64::MAX, f32::MAX.into()),
        _ => 0.0,
    };
    T::from_parts(value, 0.0)
}
