//! Wide vectors of the four element types, of which the host's innermost loops are made.
//!
//! A loop is a struct, to a reference of which [`WithSimd`] is given: it is compiled for each instruction set that pulp knows
//! (on x86-64 for the least one, AVX2 and AVX-512), and [`dispatch`] calls the one that the processor has. All that it calls must
//! be inlined always: a function that is not has no wide vectors. It is handed over by reference because numbers that were
//! stored one by one and are copied together right after are waited for.

use pulp::{Arch, MemMask, Simd, WithSimd};

use crate::scalar::{Complex32, Complex64};

/// Runs a loop with the widest vectors that the processor has.
#[inline(always)]
pub(crate) fn dispatch<W: WithSimd>(work: W) -> W::Output {
    Arch::new().dispatch(work)
}

/// Wide vectors of an element type.
///
/// Products are fused with the additions that follow where the processor can do that.
pub trait Wide: Copy {
    /// A vector of S's width.
    type Vector<S: Simd>: Copy;
    /// Which of its first elements are meant.
    type First<S: Simd>: Copy;

    /// All elements the same.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    /// a + b
    fn plus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a b
    fn times<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a b + c
    fn mul_add<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>, c: Self::Vector<S>) -> Self::Vector<S>;
    /// conj(a) b + c
    fn conj_mul_add<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>, c: Self::Vector<S>) -> Self::Vector<S>;
    /// The sum of the elements.
    fn sum<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;
    /// The first `length` elements.
    fn first<S: Simd>(simd: S, length: usize) -> Self::First<S>;

    /// # Safety
    /// There must be the first elements at the place; the others become 0.
    unsafe fn load_first<S: Simd>(simd: S, first: Self::First<S>, from: *const Self) -> Self::Vector<S>;

    /// # Safety
    /// The place must have room for the first elements, and be nobody else's.
    unsafe fn store_first<S: Simd>(simd: S, first: Self::First<S>, to: *mut Self, value: Self::Vector<S>);

    /// Elements of a vector.
    #[inline(always)]
    fn width<S: Simd>() -> usize {
        size_of::<Self::Vector<S>>() / size_of::<Self>()
    }

    /// # Safety
    /// There must be a vector's elements at the place.
    #[inline(always)]
    unsafe fn load<S: Simd>(_simd: S, from: *const Self) -> Self::Vector<S> {
        // SAFETY: the caller vouches for the elements, of which a vector consists.
        unsafe { from.cast::<Self::Vector<S>>().read_unaligned() }
    }

    /// # Safety
    /// The place must have room for a vector, and be nobody else's.
    #[inline(always)]
    unsafe fn store<S: Simd>(_simd: S, to: *mut Self, value: Self::Vector<S>) {
        // SAFETY: the caller vouches for the place.
        unsafe { to.cast::<Self::Vector<S>>().write_unaligned(value) };
    }
}

/// Implements the trait by pulp's functions for the type. What a mask counts are real numbers: `$parts` for an element.
macro_rules! wide {
    ($type:ty, $vector:ident, $mask:ident, $between:ident, $index:ty, $parts:literal; $splat:ident $add:ident $mul:ident $mul_add:ident
        $conj_mul_add:ident $sum:ident $load:ident $store:ident) => {
        impl Wide for $type {
            type Vector<S: Simd> = S::$vector;
            type First<S: Simd> = S::$mask;

            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: Self) -> S::$vector {
                simd.$splat(value)
            }
            #[inline(always)]
            fn plus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$add(a, b)
            }
            #[inline(always)]
            fn times<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn mul_add<S: Simd>(simd: S, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
                simd.$mul_add(a, b, c)
            }
            #[inline(always)]
            fn conj_mul_add<S: Simd>(simd: S, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
                simd.$conj_mul_add(a, b, c)
            }
            #[inline(always)]
            fn sum<S: Simd>(simd: S, a: S::$vector) -> Self {
                simd.$sum(a)
            }
            #[inline(always)]
            fn first<S: Simd>(simd: S, length: usize) -> S::$mask {
                simd.$between(0, ($parts * length) as $index).mask()
            }
            #[inline(always)]
            unsafe fn load_first<S: Simd>(simd: S, first: S::$mask, from: *const Self) -> S::$vector {
                // SAFETY: the caller vouches for the elements under the mask, and the others are not read.
                unsafe { simd.$load(MemMask::new(first), from) }
            }
            #[inline(always)]
            unsafe fn store_first<S: Simd>(simd: S, first: S::$mask, to: *mut Self, value: S::$vector) {
                // SAFETY: the caller vouches for the elements under the mask, and the others are not written.
                unsafe { simd.$store(MemMask::new(first), to, value) };
            }
        }
    };
}

wide!(f32, f32s, m32s, mask_between_m32s, u32, 1; splat_f32s add_f32s mul_f32s mul_add_e_f32s mul_add_e_f32s reduce_sum_f32s
    mask_load_ptr_f32s mask_store_ptr_f32s);
wide!(f64, f64s, m64s, mask_between_m64s, u64, 1; splat_f64s add_f64s mul_f64s mul_add_e_f64s mul_add_e_f64s reduce_sum_f64s
    mask_load_ptr_f64s mask_store_ptr_f64s);
wide!(Complex32, c32s, m32s, mask_between_m32s, u32, 2; splat_c32s add_c32s mul_e_c32s mul_add_e_c32s conj_mul_add_e_c32s reduce_sum_c32s
    mask_load_ptr_c32s mask_store_ptr_c32s);
wide!(Complex64, c64s, m64s, mask_between_m64s, u64, 2; splat_c64s add_c64s mul_e_c64s mul_add_e_c64s conj_mul_add_e_c64s reduce_sum_c64s
    mask_load_ptr_c64s mask_store_ptr_c64s);
