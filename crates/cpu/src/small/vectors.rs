//! Level 1 of short vectors: increments of 1 in SIMD vectors, others with scalar loops.

use std::mem::MaybeUninit;
use std::slice::{from_raw_parts, from_raw_parts_mut};

use crate::level1::{reduction, squares};
use crate::simd::dispatch;
use affinimath_core::division::scale_by;
use affinimath_core::scalar::{Complex64, Scalar};

/// Elements that are done one by one before the widest vectors are found.
const SCALAR_ELEMENTS: usize = 8;

/// Elements of a vector from the first one on; a negative step goes towards lower addresses.
#[derive(Clone, Copy, Debug)]
pub struct StridedVector<T> {
    first: *mut T,
    step: isize,
}

impl<T> StridedVector<T> {
    /// A vector in BLAS's form of address and increment: with a negative increment, the address is the last element's.
    #[inline(always)]
    #[must_use]
    pub const fn new(n: usize, start: *mut T, increment: i64) -> Self {
        let step = increment as isize;
        let back = if step < 0 { (1 - n as isize).wrapping_mul(step) } else { 0 };
        StridedVector { first: start.wrapping_offset(back), step }
    }

    /// The elements from the last one on.
    const fn reversed(self, n: usize) -> Self {
        StridedVector { first: self.first.wrapping_offset((n as isize - 1).wrapping_mul(self.step)), step: -self.step }
    }

    /// The real parts and imaginary parts of n contiguous elements, and their number.
    #[inline(always)]
    const fn reals(self, n: usize) -> Option<(usize, StridedVector<T::RealScalar>)>
    where
        T: Scalar,
    {
        let parts = size_of::<T>() / size_of::<T::RealScalar>();
        if self.step == 1 { Some((parts * n, StridedVector { first: self.first.cast(), step: 1 })) } else { None }
    }

    const fn at(&self, i: usize) -> *mut T {
        self.first.wrapping_offset((i as isize).wrapping_mul(self.step))
    }
}

/// Maximum bytes of a gathered vector on the stack; a call has at most two, and thread stacks may be small.
pub const GATHERED_BYTES: usize = 4 << 10;

/// Calls `work` with a contiguous copy of the vector, and copies it back if it is `WRITTEN`. A vector with an increment
/// other than 1 has at most [`GATHERED_BYTES`].
///
/// # Safety
/// The vector must have n elements; if they are written, nothing else may access them.
#[inline(always)]
pub unsafe fn with_adjacent<T: Scalar, const WRITTEN: bool>(n: usize, x: StridedVector<T>, work: impl FnOnce(*mut T)) {
    if x.step == 1 {
        return work(x.first);
    }
    // SAFETY: the vector has n elements, by this function's contract.
    unsafe { with_gathered::<T, WRITTEN>(n, x, work) }
}

/// # Safety
/// Those of [`with_adjacent`].
#[inline(never)]
unsafe fn with_gathered<T: Scalar, const WRITTEN: bool>(n: usize, x: StridedVector<T>, work: impl FnOnce(*mut T)) {
    assert!(n * size_of::<T>() <= GATHERED_BYTES, "{n} elements to gather");
    // Aligned for any type; elements that were not written are not read.
    let mut memory = [const { MaybeUninit::<Complex64>::uninit() }; GATHERED_BYTES / size_of::<Complex64>()];
    let copy = memory.as_mut_ptr().cast::<T>();
    for i in 0..n {
        // SAFETY: the vector and the copy have n elements each, by this function's contract.
        unsafe { copy.add(i).write(*x.at(i)) };
    }
    work(copy);
    if WRITTEN {
        for i in 0..n {
            // SAFETY: as above.
            unsafe { *x.at(i) = *copy.add(i) };
        }
    }
}

/// Calls `f` with each element.
///
/// # Safety
/// The vector must have n elements, which nothing else uses.
#[inline(always)]
pub unsafe fn for_each<T: Scalar>(n: usize, x: StridedVector<T>, f: impl Fn(&mut T)) {
    // SAFETY: the vector has n elements, by this function's contract.
    unsafe {
        if x.step == 1 {
            let x = from_raw_parts_mut(x.first, n);
            if n < SCALAR_ELEMENTS {
                x.iter_mut().for_each(f);
            } else {
                dispatch(|| x.iter_mut().for_each(f));
            }
        } else {
            (0..n).for_each(|i| f(&mut *x.at(i)));
        }
    }
}

/// Calls `f` with each pair of an element of x and a mutable element of y.
///
/// # Safety
/// The vectors must have n elements, and y must not be accessed by anything else.
#[inline(always)]
pub unsafe fn for_each_from<T: Scalar>(n: usize, x: StridedVector<T>, y: StridedVector<T>, f: impl Fn(T, &mut T)) {
    let (x, y) = forward(n, x, y);
    // SAFETY: the vectors have n elements, by this function's contract.
    unsafe {
        if x.step == 1 && y.step == 1 {
            let pairs = from_raw_parts(x.first, n).iter().zip(from_raw_parts_mut(y.first, n));
            if n < SCALAR_ELEMENTS {
                pairs.for_each(|(x, y)| f(*x, y));
            } else {
                dispatch(|| pairs.for_each(|(x, y)| f(*x, y)));
            }
        } else {
            (0..n).for_each(|i| f(*x.at(i), &mut *y.at(i)));
        }
    }
}

/// x := alpha x for a real alpha.
///
/// # Safety
/// The vector must have n elements, which nothing else uses.
#[inline(always)]
pub unsafe fn scale_by_real<T: Scalar>(n: usize, alpha: T::RealScalar, x: StridedVector<T>) {
    // SAFETY: the vector has n elements, by this function's contract.
    unsafe {
        match x.reals(n) {
            Some((n, x)) => for_each(n, x, |x| *x = alpha * *x),
            None => for_each(n, x, |x| *x = x.scaled(alpha)),
        }
    }
}

/// (x, y) := (c x + s y, c y - s x) for real c and s.
///
/// # Safety
/// The vectors must have n elements, which nothing else uses, and must not overlap.
#[inline(always)]
pub unsafe fn rotate_by_real<T: Scalar>(
    n: usize,
    x: StridedVector<T>,
    y: StridedVector<T>,
    c: T::RealScalar,
    s: T::RealScalar,
) {
    // SAFETY: the vectors have n elements, by this function's contract.
    unsafe {
        match (x.reals(n), y.reals(n)) {
            (Some((n, x)), Some((_, y))) => {
                for_each_pair(n, x, y, |x, y| (*x, *y) = (c * *x + s * *y, c * *y - s * *x));
            }
            _ => for_each_pair(n, x, y, |x, y| (*x, *y) = (x.scaled(c) + y.scaled(s), y.scaled(c) - x.scaled(s))),
        }
    }
}

/// y := alpha x + y.
///
/// # Safety
/// The vectors must have n elements, and y must not be accessed by anything else.
#[inline(always)]
pub unsafe fn axpy<T: Scalar>(n: usize, alpha: T, x: StridedVector<T>, y: StridedVector<T>) {
    // SAFETY: the vectors have n elements, by this function's contract.
    unsafe { for_each_from(n, x, y, |x, y| *y += scale_by(alpha, x)) }
}

/// y := alpha x + beta y, for factors that are not zero.
///
/// # Safety
/// The vectors must have n elements, and y must not be accessed by anything else.
#[inline(always)]
pub unsafe fn axpby<T: Scalar>(n: usize, alpha: T, x: StridedVector<T>, beta: T, y: StridedVector<T>) {
    // SAFETY: the vectors have n elements, by this function's contract.
    unsafe { for_each_from(n, x, y, |x, y| *y = scale_by(alpha, x) + scale_by(beta, *y)) }
}

/// y := x.
///
/// # Safety
/// The vectors must have n elements, and y must not be accessed by anything else.
#[inline(always)]
pub unsafe fn copy<T: Scalar>(n: usize, x: StridedVector<T>, y: StridedVector<T>) {
    // SAFETY: the vectors have n elements, by this function's contract.
    unsafe {
        if x.step == 1 && y.step == 1 && n >= SCALAR_ELEMENTS {
            std::ptr::copy(x.first, y.first, n);
        } else {
            for_each_from(n, x, y, |x, y| *y = x);
        }
    }
}

/// Calls `f` with each pair of elements, both of which it may change.
///
/// # Safety
/// The vectors must have n elements, which nothing else uses, and must not overlap.
#[inline(always)]
pub unsafe fn for_each_pair<T: Scalar>(n: usize, x: StridedVector<T>, y: StridedVector<T>, f: impl Fn(&mut T, &mut T)) {
    let (x, y) = forward(n, x, y);
    // SAFETY: the vectors have n elements, by this function's contract.
    unsafe {
        if x.step == 1 && y.step == 1 {
            let pairs = from_raw_parts_mut(x.first, n).iter_mut().zip(from_raw_parts_mut(y.first, n));
            if n < SCALAR_ELEMENTS {
                pairs.for_each(|(x, y)| f(x, y));
            } else {
                dispatch(|| pairs.for_each(|(x, y)| f(x, y)));
            }
        } else {
            (0..n).for_each(|i| f(&mut *x.at(i), &mut *y.at(i)));
        }
    }
}

/// Two vectors with negative increments are processed forward: the pairs are independent.
#[inline(always)]
const fn forward<T>(n: usize, x: StridedVector<T>, y: StridedVector<T>) -> (StridedVector<T>, StridedVector<T>) {
    if y.step < 0 { (x.reversed(n), y.reversed(n)) } else { (x, y) }
}

/// Sum of x_i y_i, or of conj(x_i) y_i, for vectors of which at least one is not contiguous.
///
/// # Safety
/// The vectors must have n elements.
#[inline(always)]
pub unsafe fn strided_dot<T: Scalar>(conjugate: bool, n: usize, x: StridedVector<T>, y: StridedVector<T>) -> T {
    let mut sums = [T::ZERO; 2];
    for i in 0..n {
        // SAFETY: the vectors have n elements, by this function's contract.
        let (x, y) = unsafe { (*x.at(i), *y.at(i)) };
        sums[i % 2] += if conjugate { x.conjugate() } else { x } * y;
    }
    sums[0] + sums[1]
}

/// Square root of the sum of |x_i|^2, without intermediate overflow or underflow.
///
/// # Safety
/// The vector must have n elements.
#[inline(always)]
pub unsafe fn nrm2<T: Scalar>(n: usize, x: StridedVector<T>) -> T::RealScalar {
    // SAFETY: the vector has n elements, by this function's contract.
    unsafe {
        let norm = if x.step == 1 {
            squares::norm(from_raw_parts(x.first, n))
        } else {
            squares::norm_of((0..n).map(|i| *x.at(i)))
        };
        T::RealScalar::from_parts(norm, 0.0)
    }
}

/// Sum of |re(x_i)| + |im(x_i)|.
///
/// # Safety
/// The vector must have n elements.
#[inline(always)]
pub unsafe fn asum<T: Scalar>(n: usize, x: StridedVector<T>) -> T::RealScalar {
    // SAFETY: the vector has n elements, by this function's contract.
    unsafe {
        if x.step == 1 && n >= SCALAR_ELEMENTS {
            return reduction::asum_of_run(from_raw_parts(x.first, n));
        }
        let mut sum = T::RealScalar::ZERO;
        (0..n).for_each(|i| sum += (*x.at(i)).sum_of_moduli());
        sum
    }
}

/// Index of the first element with the largest, or smallest, |re(x_i)| + |im(x_i)|. A NaN counts only in the first
/// element.
///
/// # Safety
/// The vector must have at least one element, and n in all.
#[inline(always)]
pub unsafe fn index<T: Scalar>(smallest: bool, n: usize, x: StridedVector<T>) -> usize {
    // SAFETY: the vector has n elements, by this function's contract.
    unsafe {
        if x.step == 1 && n >= SCALAR_ELEMENTS {
            return reduction::index_of_run(smallest, from_raw_parts(x.first, n));
        }
        let (mut best, mut index) = ((*x.first).sum_of_moduli(), 0);
        for i in 1..n {
            let size = (*x.at(i)).sum_of_moduli();
            if if smallest { size < best } else { size > best } {
                (best, index) = (size, i);
            }
        }
        index
    }
}
