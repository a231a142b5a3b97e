//! Cholesky factorisation of Hermitian positive definite band matrices, and solutions with the factor.

use affinimath_macros::instances;
use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

use super::super::cholesky::potrf;
use super::super::lanes::{Columns, Lanes};
use super::super::workspace::{Workspace, with_columns, with_columns_of};
use super::super::{Info, among_threads};
use super::triangle::BandTriangle;
use super::{BLOCKED_MIN, PANEL, in_groups};
use crate::level3::gemmt;
use crate::simd::dispatch;
use crate::{gemm, trsm};
use affinimath_core::options::{Diag, Op, Side, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;

/// A = L Lᴴ or Uᴴ U of a band matrix of half-bandwidth kd, in place (LAPACK: xPBTRF).
///
/// `ab` has kd + 1 rows: element (i, j) is in row i - j of `Lower`, kd + i - j of `Upper`. The info is the order of the
/// first leading minor that is not positive.
#[instances]
pub fn pbtrf<T: Scalar>(triangle: Triangle, kd: usize, ab: MatMut<'_, T>) -> Info {
    let n = ab.ncols();
    assert!(ab.nrows() > kd, "checked by the callers");
    if n == 0 {
        return None;
    }
    let diagonal = if triangle == Triangle::Lower { 0 } else { kd };
    with_columns(ab, |array| {
        let a = array.matrix(diagonal);
        if kd >= BLOCKED_MIN && n > PANEL {
            let strides = [1, a.stride as isize];
            // Of A's transpose, U's is the lower factor.
            let strides = if triangle == Triangle::Lower { strides } else { [strides[1], strides[0]] };
            let lower = Lower { start: a.start, strides, order: n, kd };
            return among_threads(kd, move || lower.by_panels());
        }
        match triangle {
            Triangle::Lower => dispatch(LowerByColumns { a, order: n, kd }),
            Triangle::Upper => dispatch(UpperByColumns { a, order: n, kd }),
        }
    })
}

/// The lower triangle of a band matrix, with any strides.
struct Lower<T> {
    start: *mut T,
    strides: [isize; 2],
    order: usize,
    kd: usize,
}

// SAFETY: one thread at a time works on it.
unsafe impl<T: Send> Send for Lower<T> {}

/// The triangle that is worked on.
const LOWER: (Triangle, Symmetry) = (Triangle::Lower, Symmetry::Hermitian);

impl<T: Scalar> Lower<T> {
    /// A block, of which only elements within the band may be accessed.
    ///
    /// # Safety
    /// Nothing else may access these elements.
    unsafe fn block<'a>(&self, (i, j): (usize, usize), rows: usize, columns: usize) -> MatMut<'a, T> {
        let [row_stride, column_stride] = self.strides;
        let start = self.start.wrapping_offset(i as isize * row_stride + j as isize * column_stride);
        // SAFETY: these elements are exclusive, by this function's contract.
        unsafe { MatMut::from_raw_parts_mut(start, rows, columns, row_stride, column_stride) }
    }

    /// Right-looking factorisation by panels. Of a panel's rows the last ones are an upper triangle, the corner of the
    /// band, which is worked on in a copy.
    fn by_panels(&self) -> Info {
        let (n, kd) = (self.order, self.kd);
        let mut copy = Workspace::new(PANEL, PANEL);
        for j in (0..n).step_by(PANEL) {
            let width = PANEL.min(n - j);
            let (middle, last) = ((kd - width).min(n - j - width), width.min((n - j).saturating_sub(kd)));
            // SAFETY: the blocks are within the band, or its lower triangle is, and do not overlap.
            let info = unsafe {
                let mut diagonal = self.block((j, j), width, width);
                let info = potrf(Triangle::Lower, diagonal.as_mut());
                if info.is_none() {
                    let mut below = self.block((j + width, j), middle, width);
                    let mut corner = copy.block(last, width);
                    self.copy_corner(j, corner.as_mut());
                    for mut rows in [below.as_mut(), corner.as_mut()] {
                        let options = (Triangle::Lower, Op::ConjTrans, Diag::NonUnit);
                        trsm(Side::Right, options.0, options.1, options.2, T::ONE, diagonal.as_ref(), rows.as_mut());
                    }
                    let (l, c) = (below.as_ref(), corner.as_ref());
                    let square = self.block((j + width, j + width), middle, middle);
                    gemmt(LOWER, (Op::NoTrans, l), (Op::ConjTrans, l), -T::ONE, T::ONE, square);
                    let left = self.block((j + kd, j + width), last, middle);
                    gemm(Op::NoTrans, Op::ConjTrans, -T::ONE, c, l, T::ONE, left);
                    let square = self.block((j + kd, j + kd), last, last);
                    gemmt(LOWER, (Op::NoTrans, c), (Op::ConjTrans, c), -T::ONE, T::ONE, square);
                    self.write_corner(j, c);
                }
                info
            };
            if let Some(index) = info {
                return Some(j + index);
            }
        }
        None
    }

    /// # Safety
    /// The corner must be in the matrix.
    unsafe fn copy_corner(&self, j: usize, mut corner: MatMut<'_, T>) {
        // SAFETY: elements on and above the corner's diagonal are within the band.
        let a = unsafe { self.block((j + self.kd, j), corner.nrows(), corner.ncols()) };
        for c in 0..corner.ncols() {
            for i in 0..corner.nrows() {
                corner[(i, c)] = if i <= c { a[(i, c)] } else { T::ZERO };
            }
        }
    }

    /// # Safety
    /// The corner must be in the matrix.
    unsafe fn write_corner(&self, j: usize, corner: MatRef<'_, T>) {
        // SAFETY: elements on and above the corner's diagonal are within the band.
        let mut a = unsafe { self.block((j + self.kd, j), corner.nrows(), corner.ncols()) };
        for c in 0..corner.ncols() {
            for i in 0..corner.nrows().min(c + 1) {
                a[(i, c)] = corner[(i, c)];
            }
        }
    }
}

/// The root of a pivot; none of one that is not positive, or NaN.
#[inline(always)]
fn root<T: Scalar>(pivot: T) -> Option<f64> {
    (pivot.re() > 0.0).then(|| pivot.re().sqrt())
}

/// Right-looking factorisation column by column (LAPACK: xPBTF2).
struct LowerByColumns<T> {
    a: Columns<T>,
    order: usize,
    kd: usize,
}

impl<T: Scalar> WithSimd for LowerByColumns<T> {
    type Output = Info;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Info {
        let lanes = Lanes::<T, S>::new(simd);
        let LowerByColumns { a, order, kd } = self;
        for j in 0..order {
            let below = kd.min(order - 1 - j);
            // SAFETY: rows up to j + kd of columns from j on are within the band.
            unsafe {
                let Some(root) = root(*a.at(j, j)) else { return Some(j + 1) };
                *a.at(j, j) = T::from_parts(root, 0.0);
                lanes.scale(below, a.at(j + 1, j), T::from_parts(root.recip(), 0.0));
                for c in j + 1..=j + below {
                    let factor = (*a.at(c, j)).conjugate();
                    lanes.add_columns(j + below + 1 - c, a.at(c, c), a.from(c, j), 1, |_| -factor);
                }
            }
        }
        None
    }
}

/// Left-looking factorisation column by column: the elements of a column of U are a triangular solution.
struct UpperByColumns<T> {
    a: Columns<T>,
    order: usize,
    kd: usize,
}

impl<T: Scalar> WithSimd for UpperByColumns<T> {
    type Output = Info;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Info {
        let lanes = Lanes::<T, S>::new(simd);
        let UpperByColumns { a, order, kd } = self;
        for j in 0..order {
            let first = j - kd.min(j);
            // SAFETY: rows from j - kd on of columns up to j are within the band.
            unsafe {
                for i in first..j {
                    let dot = lanes.dots(i - first, a.at(first, j), a.from(first, i), 1)[0];
                    let diagonal = T::RealScalar::from_parts((*a.at(i, i)).re().recip(), 0.0);
                    *a.at(i, j) = (*a.at(i, j) - dot).scaled(diagonal);
                }
                let square = lanes.dots(j - first, a.at(first, j), a.from(first, j), 1)[0];
                let Some(root) = root(*a.at(j, j) - square) else { return Some(j + 1) };
                *a.at(j, j) = T::from_parts(root, 0.0);
            }
        }
        None
    }
}

/// Solves A X = B with [`pbtrf`]'s factor (LAPACK: xPBTRS). X overwrites B.
#[instances]
pub fn pbtrs<T: Scalar>(triangle: Triangle, kd: usize, ab: MatRef<'_, T>, b: MatMut<'_, T>) {
    let (n, columns) = (ab.ncols(), b.ncols());
    assert!(ab.nrows() > kd && b.nrows() == n, "checked by the callers");
    if n == 0 || columns == 0 {
        return;
    }
    let diagonal = if triangle == Triangle::Lower { 0 } else { kd };
    let work = n.saturating_mul(2 * kd).saturating_mul(columns);
    with_columns_of(ab, |array| {
        let factor = Shared(BandTriangle { a: array.matrix(diagonal), triangle, order: n, width: kd });
        with_columns(b, |b| {
            in_groups(b, columns, work, |b, count| {
                let whole = &factor;
                dispatch(OnGroup { factor: &whole.0, b, count });
            });
        });
    });
}

/// A factor that threads read.
struct Shared<T>(T);

// SAFETY: the factor is only read.
unsafe impl<T> Sync for Shared<T> {}

struct OnGroup<'f, T> {
    factor: &'f BandTriangle<T>,
    b: Columns<T>,
    count: usize,
}

impl<T: Scalar> WithSimd for OnGroup<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = Lanes::<T, S>::new(simd);
        // SAFETY: B has the matrix's rows.
        unsafe {
            if self.factor.triangle == Triangle::Lower {
                self.factor.solve(lanes, self.b, self.count);
                self.factor.solve_adjoint(lanes, self.b, self.count);
            } else {
                self.factor.solve_adjoint(lanes, self.b, self.count);
                self.factor.solve(lanes, self.b, self.count);
            }
        }
    }
}

/// Solves A X = B by [`pbtrf`] and, if that succeeds, [`pbtrs`] (LAPACK: xPBSV).
#[instances]
pub fn pbsv<T: Scalar>(triangle: Triangle, kd: usize, mut ab: MatMut<'_, T>, b: MatMut<'_, T>) -> Info {
    let info = pbtrf(triangle, kd, ab.as_mut());
    if info.is_none() {
        pbtrs(triangle, kd, ab.as_ref(), b);
    }
    info
}
