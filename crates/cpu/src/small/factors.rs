//! LU and Cholesky of small matrices, and solutions with their factors, in copies padded to whole vectors.
//!
//! A matrix is written after its factorisation has succeeded. A matrix that is singular, not definite, or close to
//! overflow or underflow is unchanged and takes the general path.

use affinimath_macros::instances;
use pulp::{Simd, WithSimd};

use super::Strided;
use super::memory::{padded, with_memory};
use super::products::ByColumns;
use super::triangles::{StoredTriangle, triangular};
use super::triangular::{Factor, limit, triangular as with_many_columns};
use super::vectors::{GATHERED_BYTES, StridedVector, with_adjacent};
use crate::simd::dispatch;
use affinimath_core::division::{largest_part, reciprocal};
use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::{Complex64, Scalar};

/// Maximum rows and columns of a small factorisation.
pub const MAX_ORDER: usize = 32;

/// Maximum order of a triangular matrix in a small solution.
pub const MAX_SOLVED_ORDER: usize = GATHERED_BYTES / size_of::<Complex64>();

/// Maximum right-hand sides that are solved one by one.
pub const COLUMNS: usize = 4;

/// Maximum right-hand sides of a small solution; more than COLUMNS only with matrices of order up to [`MAX_ORDER`].
pub const MAX_RIGHT_HAND_SIDES: usize = 64;

/// P A = L U of an m x n matrix with partial pivoting (LAPACK: xGETRF); pivots count from 1. Returns false, and changes
/// nothing, if the small path does not take the matrix.
///
/// # Safety
/// The matrix must be valid, and not accessed by anything else.
pub unsafe fn getrf<T: Scalar>([m, n]: [usize; 2], a: Strided<T>, set_pivot: impl Fn(usize, i32)) -> bool {
    if m.max(n) > MAX_ORDER {
        return false;
    }
    let mut pivots = [0; MAX_ORDER];
    let ld = padded::<T>(m);
    with_memory(ld * n, |copy: *mut T| {
        let own = ByColumns { first: copy, leading_dimension: ld };
        let lu = Lu { a: own, m, n, pivots: pivots.as_mut_ptr() };
        // SAFETY: the matrix is valid, by this function's contract; the memory holds its copy.
        unsafe {
            if !load([m, n], a, own) || !dispatch(&lu) {
                return false;
            }
            store([m, n], |_| 0..m, own, a);
        }
        true
    }) && {
        pivots.iter().take(m.min(n)).enumerate().for_each(|(i, pivot)| set_pivot(i, *pivot as i32 + 1));
        true
    }
}

/// A X = B for n x n A and n x r B, by [`getrf`] (LAPACK: xGESV). Returns false, and changes nothing, if the small path
/// does not take them.
///
/// # Safety
/// The matrices must be valid, and not accessed by anything else.
pub unsafe fn gesv<T: Scalar>(
    [n, r]: [usize; 2],
    a: Strided<T>,
    set_pivot: impl Fn(usize, i32),
    b: Strided<T>,
) -> bool {
    if n > MAX_ORDER || r > MAX_RIGHT_HAND_SIDES {
        return false;
    }
    let mut pivots = [0; MAX_ORDER];
    let ld = padded::<T>(n);
    with_memory(ld * n, |copy: *mut T| {
        let own = ByColumns { first: copy, leading_dimension: ld };
        let lu = Lu { a: own, m: n, n, pivots: pivots.as_mut_ptr() };
        // SAFETY: the matrices are valid, by this function's contract; the memory holds A's copy.
        unsafe {
            if !load([n, n], a, own) || !dispatch(&lu) {
                return false;
            }
            store([n, n], |_| 0..n, own, a);
            (0..n).for_each(|i| swap_rows(r, b, i, pivots[i]));
            let lower = Part { triangle: Triangle::Lower, op: Op::NoTrans, diagonal: Diag::Unit };
            let upper = Part { triangle: Triangle::Upper, op: Op::NoTrans, diagonal: Diag::NonUnit };
            solve(&[lower, upper], (own, false), [n, r], b);
        }
        true
    }) && {
        pivots.iter().take(n).enumerate().for_each(|(i, pivot)| set_pivot(i, *pivot as i32 + 1));
        true
    }
}

/// op(A) X = B with [`getrf`]'s factors, column-major or row-major, for an n x r B (LAPACK: xGETRS). Returns false, and
/// changes nothing, if the small path does not take them, or a pivot, counted from 1, is no row.
///
/// # Safety
/// The matrices must be valid, and B must not be accessed by anything else.
pub unsafe fn getrs<T: Scalar>(
    op: Op,
    [n, r]: [usize; 2],
    a: (ByColumns<T>, bool),
    pivot: impl Fn(usize) -> Option<i64>,
    b: Strided<T>,
) -> bool {
    let row = |i: usize| pivot(i).and_then(|row| usize::try_from(row.wrapping_sub(1)).ok()).filter(|row| *row < n);
    if !is_solved([n, r]) || !(0..n).all(|i| row(i).is_some()) {
        return false;
    }
    let lower = Part { triangle: Triangle::Lower, op, diagonal: Diag::Unit };
    let upper = Part { triangle: Triangle::Upper, op, diagonal: Diag::NonUnit };
    // SAFETY: the matrices are valid, by this function's contract; pivots are rows.
    unsafe {
        let swap = |i: usize| row(i).into_iter().for_each(|pivot| swap_rows(r, b, i, pivot));
        if op.transposes() {
            solve(&[upper, lower], a, [n, r], b);
            (0..n).rev().for_each(swap);
        } else {
            (0..n).for_each(swap);
            solve(&[lower, upper], a, [n, r], b);
        }
    }
    true
}

/// True if the small path takes n x r right-hand sides.
const fn is_solved([n, r]: [usize; 2]) -> bool {
    if r > COLUMNS { n <= MAX_ORDER && r <= MAX_RIGHT_HAND_SIDES } else { n <= MAX_SOLVED_ORDER }
}

/// A triangle of the factors, in one step of a solution.
#[derive(Clone, Copy)]
struct Part {
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
}

/// Solves with several triangles of a matrix for n x r right-hand sides: column by column, or by rows if there are many
/// columns.
///
/// # Safety
/// The matrices must be valid, and B must not be accessed by anything else.
unsafe fn solve<T: Scalar>(parts: &[Part], (a, by_rows): (ByColumns<T>, bool), [n, r]: [usize; 2], b: Strided<T>) {
    // B by columns, or its transpose.
    let (side, sizes) = if b.row == 1 { (Side::Left, [n, r]) } else { (Side::Right, [r, n]) };
    let b_columns = ByColumns { first: b.first, leading_dimension: b.row.max(b.column) };
    for part in parts {
        // A row-major matrix is the transpose of a column-major one, and so is B's equation.
        let transposes = by_rows != (side == Side::Right);
        let op = if transposes { part.op.transposed() } else { part.op };
        let triangle = if by_rows { part.triangle.transposed() } else { part.triangle };
        let factor = Factor { matrix: a, side, triangle, op, diagonal: part.diagonal };
        // SAFETY: the matrices are valid, by this function's contract.
        unsafe {
            if r > COLUMNS && with_many_columns::<T, true>(factor, sizes, T::ONE, b_columns) {
                continue;
            }
            let unit = part.diagonal == Diag::Unit;
            let stored = StoredTriangle::full(a.first, n, a.leading_dimension, by_rows, part.triangle);
            for j in 0..r {
                let column = StridedVector::new(n, b.first.add(j * b.column), b.row as i64);
                with_adjacent::<T, true>(n, column, |x| triangular::<T, true>(part.op, unit, stored, x));
            }
        }
    }
}

/// Exchanges rows of B.
///
/// # Safety
/// It must be valid, and not accessed by anything else.
unsafe fn swap_rows<T: Scalar>(r: usize, b: Strided<T>, i: usize, pivot: usize) {
    if pivot != i {
        let at = |i: usize, j: usize| b.first.wrapping_add(i * b.row + j * b.column);
        // SAFETY: B is valid and exclusive, by this function's contract.
        (0..r).for_each(|j| unsafe { at(i, j).swap(at(pivot, j)) });
    }
}

/// A = L Lᴴ or Uᴴ U in place of the stored triangle (LAPACK: xPOTRF). Returns false, and changes nothing, if the
/// small path does not take the matrix.
///
/// # Safety
/// The matrix must be valid, and not accessed by anything else.
#[instances]
pub unsafe fn potrf<T: Scalar>(triangle: Triangle, n: usize, a: Strided<T>) -> bool {
    if n > MAX_ORDER {
        return false;
    }
    // Of A's transpose, U's is the lower factor.
    let a = if triangle == Triangle::Lower { a } else { a.transposed() };
    let ld = padded::<T>(n);
    let mut roots = [0.0; MAX_ORDER];
    with_memory(ld * n, |copy: *mut T| {
        let own = ByColumns { first: copy, leading_dimension: ld };
        // SAFETY: the matrix is valid, by this function's contract; the memory holds its copy.
        unsafe {
            for j in 0..n {
                (0..j).for_each(|i| own.at(i, j).write(T::ZERO));
                (j..n).for_each(|i| own.at(i, j).write(*a.first.add(i * a.row + j * a.column)));
                (n..ld).for_each(|i| own.at(i, j).write(T::ZERO));
            }
            if !dispatch(&Cholesky { a: own, n, rows: ld, roots: roots.as_mut_ptr() }) {
                return false;
            }
            (0..n).for_each(|j| own.at(j, j).write(T::from_parts(roots[j], 0.0)));
            store([n, n], |j| j..n, own, a);
        }
        true
    })
}

/// A X = B with [`potrf`]'s factor, column-major or row-major, for an n x r B (LAPACK: xPOTRS). Returns false, and
/// changes nothing, if the small path does not take them.
///
/// # Safety
/// The matrices must be valid, and B must not be accessed by anything else.
#[instances]
pub unsafe fn potrs<T: Scalar>(triangle: Triangle, [n, r]: [usize; 2], a: (ByColumns<T>, bool), b: Strided<T>) -> bool {
    if !is_solved([n, r]) {
        return false;
    }
    let part = |op| Part { triangle, op, diagonal: Diag::NonUnit };
    let ops = if triangle == Triangle::Lower { [Op::NoTrans, Op::ConjTrans] } else { [Op::ConjTrans, Op::NoTrans] };
    // SAFETY: the matrices are valid, by this function's contract.
    unsafe { solve(&ops.map(part), a, [n, r], b) };
    true
}

/// A X = B for a positive definite n x n A, column-major or row-major, and n x r B (LAPACK: xPOSV). Returns false, and
/// changes nothing, if the small path does not take them.
///
/// # Safety
/// The matrices must be valid, and not accessed by anything else.
pub unsafe fn posv<T: Scalar>(triangle: Triangle, [n, r]: [usize; 2], a: (ByColumns<T>, bool), b: Strided<T>) -> bool {
    // A factorisation that succeeds changes A: the solution must not be refused after it.
    if n > MAX_ORDER || !is_solved([n, r]) {
        return false;
    }
    let (columns, by_rows) = a;
    let whole = if by_rows { columns.strided().transposed() } else { columns.strided() };
    // SAFETY: the matrices are valid, by this function's contract.
    unsafe { potrf(triangle, n, whole) && potrs(triangle, [n, r], a, b) }
}

/// Copies a matrix to columns of whole vectors, padded with zeros. Returns true if all elements are far from overflow.
///
/// # Safety
/// Both must be valid.
unsafe fn load<T: Scalar>([m, n]: [usize; 2], from: Strided<T>, to: ByColumns<T>) -> bool {
    let limit = limit::<T>();
    let mut ordinary = true;
    for j in 0..n {
        // SAFETY: the matrices are valid, by this function's contract.
        unsafe {
            for i in 0..m {
                let value = *from.first.add(i * from.row + j * from.column);
                // Both comparisons are false for NaN; `max` could return the other part.
                ordinary &= value.re().abs() <= limit && value.im().abs() <= limit;
                to.at(i, j).write(value);
            }
            (m..to.leading_dimension).for_each(|i| to.at(i, j).write(T::ZERO));
        }
    }
    ordinary
}

/// Copies the given rows of each column back.
///
/// # Safety
/// Both must be valid, and the target must not be accessed by anything else.
unsafe fn store<T: Scalar>(
    [_, n]: [usize; 2],
    rows: impl Fn(usize) -> std::ops::Range<usize>,
    from: ByColumns<T>,
    to: Strided<T>,
) {
    for j in 0..n {
        for i in rows(j) {
            // SAFETY: the matrices are valid, by this function's contract.
            unsafe { *to.first.add(i * to.row + j * to.column) = *from.at(i, j) };
        }
    }
}

/// Right-looking LU of columns of whole vectors. Returns true if the reciprocals of all pivots are ordinary.
struct Lu<T> {
    a: ByColumns<T>,
    m: usize,
    n: usize,
    pivots: *mut usize,
}

impl<T: Scalar> WithSimd for &Lu<T> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Lu { a, m, n, pivots } = *self;
        let (width, limit) = (T::width::<S>(), limit::<T>());
        for j in 0..m.min(n) {
            // SAFETY: rows and columns are those of the matrix, and columns are whole vectors.
            unsafe {
                let column = a.at(0, j);
                let (mut pivot, mut size) = (j, (*column.add(j)).sum_of_moduli());
                for i in j + 1..m {
                    let other = (*column.add(i)).sum_of_moduli();
                    if other > size {
                        (pivot, size) = (i, other);
                    }
                }
                pivots.add(j).write(pivot);
                if !(limit.recip()..=limit).contains(&largest_part(*column.add(pivot))) {
                    return false;
                }
                if pivot != j {
                    (0..n).for_each(|k| a.at(j, k).swap(a.at(pivot, k)));
                }
                let scale = reciprocal(*column.add(j));
                let mut v = j / width * width;
                while v < m {
                    let (to, own) = (column.add(v), T::load(simd, column.add(v)));
                    // Rows up to j stay: their multipliers are zeros.
                    let multipliers = if v <= j {
                        let above = T::load_first(simd, T::first(simd, j + 1 - v), to);
                        let below = T::scale(simd, scale, T::scale_and_add(simd, -T::ONE, above, own));
                        T::store(simd, to, T::plus(simd, above, below));
                        below
                    } else {
                        let below = T::scale(simd, scale, own);
                        T::store(simd, to, below);
                        below
                    };
                    for k in j + 1..n {
                        let factor = T::factor(simd, -*a.at(j, k));
                        let to = a.at(v, k);
                        T::store(simd, to, T::add_multiple(simd, factor, multipliers, T::load(simd, to)));
                    }
                    v += width;
                }
            }
        }
        true
    }
}

/// Right-looking Cholesky of the lower triangle in columns of whole vectors. Roots of the diagonal are stored apart,
/// and elements above it are not used. Returns true if every pivot is positive and far from overflow and underflow.
struct Cholesky<T> {
    a: ByColumns<T>,
    n: usize,
    rows: usize,
    roots: *mut f64,
}

impl<T: Scalar> WithSimd for &Cholesky<T> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Cholesky { a, n, rows, roots } = *self;
        let (width, limit) = (T::width::<S>(), limit::<T>());
        for j in 0..n {
            // SAFETY: rows and columns are those of the matrix, and columns are whole vectors.
            unsafe {
                let pivot = (*a.at(j, j)).re();
                if !(limit.recip()..=limit).contains(&pivot) {
                    return false;
                }
                let root = pivot.sqrt();
                roots.add(j).write(root);
                let scale = T::from_parts(root.recip(), 0.0);
                let mut v = j / width * width;
                while v < rows {
                    let to = a.at(v, j);
                    T::store(simd, to, T::scale(simd, scale, T::load(simd, to)));
                    v += width;
                }
                for k in j + 1..n {
                    let factor = T::factor(simd, -(*a.at(k, j)).conjugate());
                    let mut v = k / width * width;
                    while v < rows {
                        let to = a.at(v, k);
                        let sum = T::add_multiple(simd, factor, T::load(simd, a.at(v, j)), T::load(simd, to));
                        T::store(simd, to, sum);
                        v += width;
                    }
                }
            }
        }
        true
    }
}
