//! Products y := alpha op(A) x + beta y of general and symmetric matrices, on one thread.

use pulp::{Simd, WithSimd};

use super::columns::{Columns, GROUP, Group, Rows};
use super::kernels::scale;
use affinimath_core::division::scale_by;
use affinimath_core::scalar::Scalar;

/// Structure of the matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The stored elements, and zeros.
    AsStored,
    /// The transpose of them.
    Transposed,
    /// The stored triangle and its mirror image.
    Symmetric,
    /// Stored triangle and its conjugated mirror image; imaginary parts on the diagonal are not read.
    Hermitian,
}

/// A product. x and y have adjacent elements and do not overlap; nothing else uses y.
pub(crate) struct Product<T> {
    pub(crate) a: Columns<T>,
    /// Stored rows and columns that are multiplied; all of them in a symmetric matrix.
    pub(crate) rows: Rows,
    pub(crate) columns: Rows,
    pub(crate) form: Form,
    /// Stored elements are conjugated in their own place.
    pub(crate) conjugate: bool,
    pub(crate) alpha: T,
    pub(crate) x: *const T,
    pub(crate) beta: T,
    pub(crate) y: *mut T,
}

impl<T: Scalar> WithSimd for &Product<T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            if T::KIND.is_complex() && self.conjugate { self.run::<S, true>(simd) } else { self.run::<S, false>(simd) }
        }
    }
}

impl<T: Scalar> Product<T> {
    #[inline(always)]
    unsafe fn run<S: Simd, const CONJUGATE: bool>(&self, simd: S) {
        let [begin, end] = if self.form == Form::Transposed { self.columns } else { self.rows };
        let [mut first, last] = self.columns;
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            scale(simd, end - begin, self.beta, self.y.add(begin));
            while first < last {
                let group = Group { first, count: GROUP.min(last - first) };
                match self.form {
                    Form::AsStored => {
                        self.a.add::<S, CONJUGATE>(simd, group, self.rows, &self.factors(group), self.y);
                    }
                    Form::Transposed => {
                        let sums = self.a.dots(simd, group, self.rows, CONJUGATE, self.x);
                        for (k, sum) in sums.iter().enumerate().take(group.count) {
                            *self.y.add(first + k) += scale_by(self.alpha, *sum);
                        }
                    }
                    Form::Symmetric | Form::Hermitian => self.mirrored::<S, CONJUGATE>(simd, group),
                }
                first += GROUP;
            }
        }
    }

    /// alpha x_j for the group's columns.
    #[inline(always)]
    unsafe fn factors(&self, group: Group) -> [T; GROUP] {
        let mut factors = [T::ZERO; GROUP];
        for (k, factor) in factors.iter_mut().enumerate().take(group.count) {
            // SAFETY: x has an element for each column.
            *factor = scale_by(self.alpha, unsafe { *self.x.add(group.first + k) });
        }
        factors
    }

    /// Adds a group of a triangle's columns, as stored and mirrored.
    #[inline(always)]
    unsafe fn mirrored<S: Simd, const CONJUGATE: bool>(&self, simd: S, group: Group) {
        let Product { a, alpha, x, y, .. } = *self;
        let (n, hermitian) = (a.stored.rows, self.form == Form::Hermitian);
        let upper = a.stored.below == 0;
        let (begin, end) = (group.first, group.first + group.count);
        // An element is conjugated either in its own place or in its mirror image.
        let image = if hermitian { !CONJUGATE } else { CONJUGATE };
        // SAFETY: the operands have these sizes, checked before `self` was built; those written are exclusive.
        unsafe {
            let factors = self.factors(group);
            let limits = if upper { [0, begin] } else { [end, n] };
            let mut sums = a.both::<S, CONJUGATE>(simd, group, limits, &factors, (image, x), y);
            let columns = a.addresses(begin, begin);
            let reach = a.stored.above.max(a.stored.below).min(GROUP);
            for k in 0..group.count {
                let diagonal = element(columns[k].wrapping_add(k), CONJUGATE);
                let diagonal = if hermitian { T::from_parts(diagonal.re(), 0.0) } else { diagonal };
                sums[k] += diagonal * *x.add(begin + k);
                let (first, last) = if upper { (k - reach.min(k), k) } else { (k + 1, group.count.min(k + 1 + reach)) };
                for i in first..last {
                    let at = columns[k].wrapping_add(i);
                    *y.add(begin + i) += factors[k] * element(at, CONJUGATE);
                    sums[k] += element(at, image) * *x.add(begin + i);
                }
            }
            for (k, sum) in sums.iter().enumerate().take(group.count) {
                *y.add(begin + k) += scale_by(alpha, *sum);
            }
        }
    }
}

#[inline(always)]
unsafe fn element<T: Scalar>(at: *const T, conjugate: bool) -> T {
    // SAFETY: the element is valid, by this function's contract.
    let value = unsafe { *at };
    if T::KIND.is_complex() && conjugate { value.conjugate() } else { value }
}
