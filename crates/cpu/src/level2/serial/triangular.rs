//! Triangular products and solutions, in place and on one thread.

use pulp::{Simd, WithSimd};

use super::columns::{Columns, GROUP, Group, Rows};
use affinimath_core::division::solved;
use affinimath_core::problem::Stored;
use affinimath_core::scalar::Scalar;

/// x := op(A) x, or x := op(A)⁻¹ x, for a stored triangle A. x has adjacent elements, which nothing else uses.
pub(crate) struct Triangular<T, const SOLVE: bool> {
    pub(crate) a: Columns<T>,
    /// op(A) is the transpose of the stored matrix.
    pub(crate) transpose: bool,
    /// Stored elements are conjugated.
    pub(crate) conjugate: bool,
    /// The diagonal is 1 and not read.
    pub(crate) unit: bool,
    pub(crate) x: *mut T,
}

impl<T: Scalar, const SOLVE: bool> WithSimd for &Triangular<T, SOLVE> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            if T::KIND.is_complex() && self.conjugate { self.run::<S, true>(simd) } else { self.run::<S, false>(simd) }
        }
    }
}

impl<T: Scalar, const SOLVE: bool> Triangular<T, SOLVE> {
    /// A solution goes from the unknown without dependencies to those that depend on it. A product goes the other way
    /// round, so that it overwrites nothing that it still reads.
    #[inline(always)]
    unsafe fn run<S: Simd, const CONJUGATE: bool>(&self, simd: S) {
        let n = self.a.stored.rows;
        let upper = self.a.stored.below == 0;
        let lower_result = upper == self.transpose;
        let ascending = lower_result == SOLVE;
        let mut done = 0;
        while done < n {
            let count = GROUP.min(n - done);
            let first = if ascending { done } else { n - done - count };
            let group = Group { first, count };
            // The group's rows outside of its own triangle.
            let limits = if upper { [0, first] } else { [first + count, n] };
            // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
            unsafe {
                if self.transpose {
                    let sums = self.a.dots(simd, group, limits, CONJUGATE, self.x);
                    self.rows::<CONJUGATE>(group, ascending, &sums);
                } else if SOLVE {
                    self.columns::<CONJUGATE>(group, ascending);
                    self.a.add::<S, CONJUGATE>(simd, group, limits, &self.factors(group), self.x);
                } else {
                    self.a.add::<S, CONJUGATE>(simd, group, limits, &self.factors(group), self.x);
                    self.columns::<CONJUGATE>(group, ascending);
                }
            }
            done += count;
        }
    }

    /// Factors of the group's columns, for the update of the remaining x.
    #[inline(always)]
    unsafe fn factors(&self, group: Group) -> [T; GROUP] {
        let mut factors = [T::ZERO; GROUP];
        for (k, factor) in factors.iter_mut().enumerate().take(group.count) {
            // SAFETY: x has an element for each column.
            let x = unsafe { *self.x.add(group.first + k) };
            *factor = if SOLVE { -x } else { x };
        }
        factors
    }

    /// An element multiplied, or divided, by the diagonal.
    #[inline(always)]
    unsafe fn by_diagonal<const CONJUGATE: bool>(&self, diagonal: *const T, value: T) -> T {
        if self.unit {
            return value;
        }
        // SAFETY: a diagonal that is not all ones is stored.
        let diagonal = unsafe { element::<T, CONJUGATE>(diagonal) };
        if SOLVE { solved(value, diagonal) } else { diagonal * value }
    }

    /// The rows of column k of a group's own triangle, without the diagonal, counted from the group's first.
    #[inline(always)]
    fn rows_of(&self, k: usize, count: usize) -> Rows {
        let Stored { above, below, .. } = self.a.stored;
        if below == 0 { [k - above.min(k), k] } else { [k + 1, count.min(k + 1 + below.min(GROUP))] }
    }

    /// The group's own triangle, column by column.
    #[inline(always)]
    unsafe fn columns<const CONJUGATE: bool>(&self, group: Group, ascending: bool) {
        let Group { first, count } = group;
        let (columns, x) = (self.a.addresses(first, first), self.x.wrapping_add(first));
        for step in 0..count {
            let k = if ascending { step } else { count - 1 - step };
            // SAFETY: the elements are stored, and x has one for each of them.
            unsafe {
                let value = *x.add(k);
                let result = self.by_diagonal::<CONJUGATE>(columns[k].wrapping_add(k), value);
                let factor = if SOLVE { -result } else { value };
                let [begin, end] = self.rows_of(k, count);
                for i in begin..end {
                    *x.add(i) += factor * element::<T, CONJUGATE>(columns[k].wrapping_add(i));
                }
                *x.add(k) = result;
            }
        }
    }

    /// The step for the transpose: each element gets its column's sum outside of the group, and that within it.
    #[inline(always)]
    unsafe fn rows<const CONJUGATE: bool>(&self, group: Group, ascending: bool, sums: &[T; GROUP]) {
        let Group { first, count } = group;
        let (columns, x) = (self.a.addresses(first, first), self.x.wrapping_add(first));
        for step in 0..count {
            let k = if ascending { step } else { count - 1 - step };
            // SAFETY: as in `columns`.
            unsafe {
                let mut sum = sums[k];
                let [begin, end] = self.rows_of(k, count);
                for i in begin..end {
                    sum += element::<T, CONJUGATE>(columns[k].wrapping_add(i)) * *x.add(i);
                }
                let (value, diagonal) = (*x.add(k), columns[k].wrapping_add(k));
                *x.add(k) = if SOLVE {
                    self.by_diagonal::<CONJUGATE>(diagonal, value - sum)
                } else {
                    self.by_diagonal::<CONJUGATE>(diagonal, value) + sum
                };
            }
        }
    }
}

#[inline(always)]
unsafe fn element<T: Scalar, const CONJUGATE: bool>(at: *const T) -> T {
    // SAFETY: the element is valid, by this function's contract.
    let value = unsafe { *at };
    if CONJUGATE { value.conjugate() } else { value }
}
