//! Wide vectors of the four element types, of which the host's innermost loops are made.
//!
//! A loop is a struct, to a reference of which [`WithSimd`] is given: it is compiled for each instruction set that pulp
//! knows (on x86-64 for the least one, AVX2 and AVX-512), and [`dispatch`] calls the one that the processor has. All
//! that it calls must be inlined always: a function that is not has no wide vectors, and calls one for each operation.
//! A closure that is handed to the standard library (`array::from_fn`, `map`), or called through `dyn Fn`, may not be.
//! The struct is handed over by reference because numbers that were stored one by one and are copied together right
//! after are waited for.

use pulp::bytemuck::cast;
use pulp::{MemMask, Simd};

use crate::scalar::{Complex32, Complex64};

/// Wide vectors of an element type.
///
/// Products are fused with the additions that follow where the processor can do that.
pub trait Wide: Copy + Default {
    /// A vector of S's width.
    type Vector<S: Simd>: Copy;
    /// Which of its first elements are meant.
    type First<S: Simd>: Copy;
    /// A number that vectors are multiplied by.
    type Factor<S: Simd>: Copy;
    /// A sum of products, element by element.
    type Sum<S: Simd>: Copy;

    /// All elements the same.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    /// a + b
    fn plus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// The moduli of the real numbers that the elements are made of.
    fn abs_parts<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// |re| + |im| of each element, in both of a complex one's parts.
    fn moduli<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// Of each two real numbers that elements are made of the larger one; b's where a's is NaN.
    fn max_parts<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// The conjugate.
    fn conj<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;

    /// The number as a factor.
    fn factor<S: Simd>(simd: S, value: Self) -> Self::Factor<S>;
    /// factor a + b
    fn add_multiple<S: Simd>(
        simd: S,
        factor: Self::Factor<S>,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
    ) -> Self::Vector<S>;

    /// alpha a. A real alpha scales both parts of a complex number, so that 1 (∞ + ∞ i) is not NaN.
    fn scale<S: Simd>(simd: S, alpha: Self, a: Self::Vector<S>) -> Self::Vector<S>;
    /// alpha a + b, in the same way.
    fn scale_and_add<S: Simd>(simd: S, alpha: Self, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;

    /// A sum of nothing.
    fn no_sum<S: Simd>(simd: S) -> Self::Sum<S>;
    /// The sum of two sums.
    fn join<S: Simd>(simd: S, a: Self::Sum<S>, b: Self::Sum<S>) -> Self::Sum<S>;
    /// The sum, and the product of a and x. What takes more than multiplications is done to x.
    fn add_product<S: Simd>(simd: S, a: Self::Vector<S>, x: Self::Vector<S>, sum: Self::Sum<S>) -> Self::Sum<S>;
    /// The sum over the elements too, of a x or of conj(a) x.
    fn total<S: Simd>(simd: S, sum: Self::Sum<S>, conjugate: bool) -> Self;

    /// The first `length` elements.
    fn first<S: Simd>(simd: S, length: usize) -> Self::First<S>;

    /// The other elements of the vector become 0.
    ///
    /// # Safety
    /// The first elements from `from` on are valid for reads.
    unsafe fn load_first<S: Simd>(simd: S, first: Self::First<S>, from: *const Self) -> Self::Vector<S>;

    /// # Safety
    /// The first elements from `to` on are valid for writes, and no other thread accesses them.
    unsafe fn store_first<S: Simd>(simd: S, first: Self::First<S>, to: *mut Self, value: Self::Vector<S>);

    /// Zeros.
    #[inline(always)]
    fn zero<S: Simd>(simd: S) -> Self::Vector<S> {
        Self::splat(simd, Self::default())
    }

    /// Elements of a vector.
    #[inline(always)]
    fn width<S: Simd>() -> usize {
        size_of::<Self::Vector<S>>() / size_of::<Self>()
    }

    /// # Safety
    /// `width` elements from `from` on are valid for reads.
    #[inline(always)]
    unsafe fn load<S: Simd>(_simd: S, from: *const Self) -> Self::Vector<S> {
        // SAFETY: by contract, `width` elements are valid for reads, and a vector is as many bytes.
        unsafe { from.cast::<Self::Vector<S>>().read_unaligned() }
    }

    /// # Safety
    /// `width` elements from `to` on are valid for writes, and no other thread accesses them.
    #[inline(always)]
    unsafe fn store<S: Simd>(_simd: S, to: *mut Self, value: Self::Vector<S>) {
        // SAFETY: by contract, `width` elements are valid for writes, and a vector is as many bytes.
        unsafe { to.cast::<Self::Vector<S>>().write_unaligned(value) };
    }
}

/// Pulp's functions that all four types share. A mask counts real numbers: `$parts` for an element.
macro_rules! lanes {
    ($vector:ident $mask:ident $parts:literal $index:ty;
     $between:ident $load:ident $store:ident $splat:ident $add:ident) => {
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
        fn first<S: Simd>(simd: S, length: usize) -> S::$mask {
            simd.$between(0, ($parts * length) as $index).mask()
        }
        #[inline(always)]
        unsafe fn load_first<S: Simd>(simd: S, first: S::$mask, from: *const Self) -> S::$vector {
            // SAFETY: by contract, the elements under the mask are valid for reads; the others are not read.
            unsafe { simd.$load(MemMask::new(first), from) }
        }
        #[inline(always)]
        unsafe fn store_first<S: Simd>(simd: S, first: S::$mask, to: *mut Self, value: S::$vector) {
            // SAFETY: by contract, the elements under the mask are valid for writes; the others are not written.
            unsafe { simd.$store(MemMask::new(first), to, value) };
        }
    };
}

macro_rules! real {
    ($type:ty, $vector:ident;
     $mul:ident $mul_add:ident $reduce:ident $abs:ident $less:ident $select:ident; $($lanes:tt)*) => {
        impl Wide for $type {
            lanes!($($lanes)*);
            type Factor<S: Simd> = S::$vector;
            type Sum<S: Simd> = S::$vector;

            #[inline(always)]
            fn abs_parts<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                simd.$abs(a)
            }
            #[inline(always)]
            fn moduli<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                Self::abs_parts(simd, a)
            }
            #[inline(always)]
            fn max_parts<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$select(simd.$less(b, a), a, b)
            }
            #[inline(always)]
            fn conj<S: Simd>(_simd: S, a: S::$vector) -> S::$vector {
                a
            }
            #[inline(always)]
            fn factor<S: Simd>(simd: S, value: Self) -> S::$vector {
                Self::splat(simd, value)
            }
            #[inline(always)]
            fn add_multiple<S: Simd>(simd: S, factor: S::$vector, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul_add(factor, a, b)
            }
            #[inline(always)]
            fn scale<S: Simd>(simd: S, alpha: Self, a: S::$vector) -> S::$vector {
                simd.$mul(Self::splat(simd, alpha), a)
            }
            #[inline(always)]
            fn scale_and_add<S: Simd>(simd: S, alpha: Self, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul_add(Self::splat(simd, alpha), a, b)
            }
            #[inline(always)]
            fn no_sum<S: Simd>(simd: S) -> S::$vector {
                Self::zero(simd)
            }
            #[inline(always)]
            fn join<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                Self::plus(simd, a, b)
            }
            #[inline(always)]
            fn add_product<S: Simd>(simd: S, a: S::$vector, x: S::$vector, sum: S::$vector) -> S::$vector {
                simd.$mul_add(a, x, sum)
            }
            #[inline(always)]
            fn total<S: Simd>(simd: S, sum: S::$vector, _conjugate: bool) -> Self {
                simd.$reduce(sum)
            }
        }
    };
}

/// Complex products by products of parts, of which the processor does as many at a time as of any real numbers: with
/// the real and the imaginary part of a factor, and of like and of unlike parts of two vectors.
macro_rules! complex {
    ($type:ty, $part:ty, $vector:ident, $reals:ident;
     $splat_real:ident $mul:ident $mul_add:ident $sub:ident $product:ident $swap:ident $conj:ident
     $reduce:ident $abs:ident $less:ident $select:ident; $($lanes:tt)*) => {
        impl Wide for $type {
            lanes!($($lanes)*);
            type Factor<S: Simd> = [S::$vector; 2];
            type Sum<S: Simd> = [S::$vector; 2];

            #[inline(always)]
            fn abs_parts<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                if size_of::<S::$vector>() == size_of::<S::$reals>() {
                    return cast(simd.$abs(cast(a)));
                }
                let a: Self = cast(a);
                cast(Self::new(a.re.abs(), a.im.abs()))
            }
            #[inline(always)]
            fn moduli<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                let parts = Self::abs_parts(simd, a);
                Self::plus(simd, parts, simd.$swap(parts))
            }
            #[inline(always)]
            fn max_parts<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                if size_of::<S::$vector>() == size_of::<S::$reals>() {
                    let (a, b): (S::$reals, S::$reals) = (cast(a), cast(b));
                    return cast(simd.$select(simd.$less(b, a), a, b));
                }
                let (a, b): (Self, Self) = (cast(a), cast(b));
                cast(Self::new(if b.re < a.re { a.re } else { b.re }, if b.im < a.im { a.im } else { b.im }))
            }
            #[inline(always)]
            fn conj<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                simd.$conj(a)
            }
            #[inline(always)]
            fn factor<S: Simd>(simd: S, value: Self) -> [S::$vector; 2] {
                [Self::splat_part(simd, value.re), Self::splat_part(simd, value.im)]
            }
            #[inline(always)]
            fn add_multiple<S: Simd>(simd: S, [re, im]: [S::$vector; 2], a: S::$vector, b: S::$vector) -> S::$vector {
                let turned = simd.$swap(simd.$conj(a)); // i a
                Self::add_parts(simd, re, a, Self::add_parts(simd, im, turned, b))
            }
            #[inline(always)]
            fn scale<S: Simd>(simd: S, alpha: Self, a: S::$vector) -> S::$vector {
                Self::scale_and_add(simd, alpha, a, Self::zero(simd))
            }
            #[inline(always)]
            fn scale_and_add<S: Simd>(simd: S, alpha: Self, a: S::$vector, b: S::$vector) -> S::$vector {
                if alpha.im == 0.0 {
                    return Self::add_parts(simd, Self::splat_part(simd, alpha.re), a, b);
                }
                Self::add_multiple(simd, Self::factor(simd, alpha), a, b)
            }
            #[inline(always)]
            fn no_sum<S: Simd>(simd: S) -> [S::$vector; 2] {
                [Self::zero(simd); 2]
            }
            #[inline(always)]
            fn join<S: Simd>(simd: S, a: [S::$vector; 2], b: [S::$vector; 2]) -> [S::$vector; 2] {
                [Self::plus(simd, a[0], b[0]), Self::plus(simd, a[1], b[1])]
            }
            #[inline(always)]
            fn add_product<S: Simd>(
                simd: S,
                a: S::$vector,
                x: S::$vector,
                [like, unlike]: [S::$vector; 2],
            ) -> [S::$vector; 2] {
                [Self::add_parts(simd, a, x, like), Self::add_parts(simd, a, simd.$swap(x), unlike)]
            }
            #[inline(always)]
            fn total<S: Simd>(simd: S, [like, unlike]: [S::$vector; 2], conjugate: bool) -> Self {
                let (like, unlike) = (simd.$reduce(like), simd.$reduce(unlike));
                if conjugate {
                    Self::new(like.re + like.im, unlike.re - unlike.im)
                } else {
                    Self::new(like.re - like.im, unlike.re + unlike.im)
                }
            }
        }

        impl Parts for $type {
            type Part = $part;

            #[inline(always)]
            fn splat_part<S: Simd>(simd: S, part: $part) -> S::$vector {
                if size_of::<S::$vector>() == size_of::<S::$reals>() {
                    return cast(simd.$splat_real(part));
                }
                cast(Self::new(part, part))
            }
            #[inline(always)]
            fn add_parts<S: Simd>(simd: S, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
                if size_of::<S::$vector>() == size_of::<S::$reals>() {
                    return cast(simd.$mul_add(cast(a), cast(b), cast(c)));
                }
                // Without vectors, a lane is one real number, half a complex one.
                let (a, b, c): (Self, Self, Self) = (cast(a), cast(b), cast(c));
                cast(Self::new(a.re * b.re + c.re, a.im * b.im + c.im))
            }
            #[inline(always)]
            fn mul_parts<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                if size_of::<S::$vector>() == size_of::<S::$reals>() {
                    return cast(simd.$mul(cast(a), cast(b)));
                }
                let (a, b): (Self, Self) = (cast(a), cast(b));
                cast(Self::new(a.re * b.re, a.im * b.im))
            }
            #[inline(always)]
            fn part(value: f64) -> $part {
                value as $part
            }
            #[inline(always)]
            fn of_parts(re: $part, im: $part) -> Self {
                Self::new(re, im)
            }
            #[inline(always)]
            fn parts(self) -> ($part, $part) {
                (self.re, self.im)
            }
            #[inline(always)]
            fn minus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$sub(a, b)
            }
            #[inline(always)]
            fn swap<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                simd.$swap(a)
            }
            #[inline(always)]
            fn product<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$product(a, b)
            }
        }
    };
}

/// Vectors of complex numbers part by part.
pub trait Parts: Wide {
    /// A part's type.
    type Part: Copy;

    /// The number of this type that is nearest to a double.
    fn part(value: f64) -> Self::Part;
    /// The complex number of two parts.
    fn of_parts(re: Self::Part, im: Self::Part) -> Self;
    /// Its real and its imaginary part.
    fn parts(self) -> (Self::Part, Self::Part);
    /// All parts the same.
    fn splat_part<S: Simd>(simd: S, part: Self::Part) -> Self::Vector<S>;
    /// a b + c, for the real parts and for the imaginary ones.
    fn add_parts<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>, c: Self::Vector<S>) -> Self::Vector<S>;
    /// a b, for the real parts and for the imaginary ones.
    fn mul_parts<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a - b
    fn minus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// Real and imaginary parts exchanged.
    fn swap<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// The complex product a b.
    fn product<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
}

real!(f32, f32s; mul_f32s mul_add_e_f32s reduce_sum_f32s abs_f32s less_than_f32s select_f32s;
    f32s m32s 1 u32; mask_between_m32s mask_load_ptr_f32s mask_store_ptr_f32s splat_f32s add_f32s);
real!(f64, f64s; mul_f64s mul_add_e_f64s reduce_sum_f64s abs_f64s less_than_f64s select_f64s;
    f64s m64s 1 u64; mask_between_m64s mask_load_ptr_f64s mask_store_ptr_f64s splat_f64s add_f64s);
complex!(Complex32, f32, c32s, f32s;
    splat_f32s mul_f32s mul_add_e_f32s sub_c32s mul_e_c32s swap_re_im_c32s conj_c32s reduce_sum_c32s
    abs_f32s less_than_f32s select_f32s;
    c32s m32s 2 u32; mask_between_m32s mask_load_ptr_c32s mask_store_ptr_c32s splat_c32s add_c32s);
complex!(Complex64, f64, c64s, f64s;
    splat_f64s mul_f64s mul_add_e_f64s sub_c64s mul_e_c64s swap_re_im_c64s conj_c64s reduce_sum_c64s
    abs_f64s less_than_f64s select_f64s;
    c64s m64s 2 u64; mask_between_m64s mask_load_ptr_c64s mask_store_ptr_c64s splat_c64s add_c64s);
