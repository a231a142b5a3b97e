//! AVX-512 (F, BW, CD, DQ, VL): 512 bits.

use std::arch::x86_64::{
    __m512, __m512d, __m512i, __mmask8, __mmask16, _CMP_EQ_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _CMP_NEQ_UQ, _MM_FROUND_NO_EXC,
    _MM_FROUND_TO_NEAREST_INT, _MM_FROUND_TO_NEG_INF, _MM_FROUND_TO_ZERO,
};

use crate::Lanes;
use pulp::x86::V4;

use super::{Machine, Vectors};

/// The proof that the processor has the instructions.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(pub V4);

/// Eight lanes.
#[derive(Clone, Copy, Debug)]
pub struct Double(V4);

/// Sixteen lanes.
#[derive(Clone, Copy, Debug)]
pub struct Single(V4);

impl Machine for Avx512 {
    type Single = Single;
    type Double = Double;

    #[inline(always)]
    fn single(self) -> Single {
        Single(self.0)
    }
    #[inline(always)]
    fn double(self) -> Double {
        Double(self.0)
    }
}

const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
const TO_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

/// Methods that are one instruction: `name = extension.intrinsic(operands: type) -> type`.
macro_rules! instructions {
    ($(
        $name:ident =
            $extension:ident.$intrinsic:ident $(::<$constant:ident>)?($($a:ident: $from:ident),+) -> $to:ident;
    )+) => {
        $(#[inline(always)]
        fn $name(self, $($a: Self::$from),+) -> Self::$to {
            self.0.$extension.$intrinsic $(::<$constant>)?($($a),+)
        })+
    };
}

/// Methods that both precisions have in the same form, but for types and the names of intrinsics.
macro_rules! both {
    ($real:ident $int:ident $mask:ident $lanes:literal;
     $set:ident $blend:ident $int_set:ident $int_blend:ident $gather:ident $int_gather:ident $below:ident) => {
        #[inline(always)]
        fn splat(self, value: $real) -> Self::F {
            self.0.avx512f.$set(value)
        }
        #[inline(always)]
        fn int(self, value: $int) -> Self::I {
            self.0.avx512f.$int_set(value)
        }
        #[inline(always)]
        fn neg(self, a: Self::F) -> Self::F {
            self.from_bits(self.int_xor(self.to_bits(a), self.to_bits(self.splat(-0.0))))
        }
        #[inline(always)]
        fn select(self, mask: $mask, a: Self::F, b: Self::F) -> Self::F {
            self.0.avx512f.$blend(mask, b, a)
        }
        #[inline(always)]
        fn int_select(self, mask: $mask, a: Self::I, b: Self::I) -> Self::I {
            self.0.avx512f.$int_blend(mask, b, a)
        }
        #[inline(always)]
        fn and(self, a: $mask, b: $mask) -> $mask {
            a & b
        }
        #[inline(always)]
        fn or(self, a: $mask, b: $mask) -> $mask {
            a | b
        }
        #[inline(always)]
        fn not(self, a: $mask) -> $mask {
            !a
        }
        #[inline(always)]
        fn replace_if_any(self, mask: $mask, usual: Self::F, rare: impl FnOnce(Self) -> Self::F) -> Self::F {
            if mask == 0 {
                return usual;
            }
            self.select(mask, rare(self), usual)
        }
        #[inline(always)]
        fn lookup(self, table: &'static [$real], index: Self::I) -> Self::F {
            let length = self.int($int::try_from(table.len()).unwrap_or($int::MAX));
            if self.0.avx512f.$below(index, length) != $mask::MAX {
                let index: [$int; $lanes] = pulp::bytemuck::cast(index);
                let mut found = [0.0; $lanes];
                for lane in 0..$lanes {
                    found[lane] = table[index[lane] as usize];
                }
                return pulp::bytemuck::cast(found);
            }
            // SAFETY: the indices, as unsigned numbers, are below the table's length.
            unsafe { self.0.avx512f.$gather::<{ size_of::<$real>() as i32 }>(index, table.as_ptr().cast()) }
        }
        #[inline(always)]
        fn int_lookup(self, table: &'static [$int], index: Self::I) -> Self::I {
            let length = self.int($int::try_from(table.len()).unwrap_or($int::MAX));
            if self.0.avx512f.$below(index, length) != $mask::MAX {
                let index: [$int; $lanes] = pulp::bytemuck::cast(index);
                let mut found = [0; $lanes];
                for lane in 0..$lanes {
                    found[lane] = table[index[lane] as usize];
                }
                return pulp::bytemuck::cast(found);
            }
            // SAFETY: the indices, as unsigned numbers, are below the table's length.
            unsafe { self.0.avx512f.$int_gather::<{ size_of::<$int>() as i32 }>(index, table.as_ptr().cast()) }
        }
        instructions! {
            int_and = avx512f._mm512_and_si512(a: I, b: I) -> I;
            int_or = avx512f._mm512_or_si512(a: I, b: I) -> I;
            int_xor = avx512f._mm512_xor_si512(a: I, b: I) -> I;
        }
    };
}

impl Lanes for Double {
    type Real = f64;
    type F = __m512d;
    type I = __m512i;
    type M = __mmask8;

    both!(f64 i64 __mmask8 8; _mm512_set1_pd _mm512_mask_blend_pd _mm512_set1_epi64 _mm512_mask_blend_epi64
        _mm512_i64gather_pd _mm512_i64gather_epi64 _mm512_cmplt_epu64_mask);
    instructions! {
        abs = avx512f._mm512_abs_pd(a: F) -> F;
        add = avx512f._mm512_add_pd(a: F, b: F) -> F;
        sub = avx512f._mm512_sub_pd(a: F, b: F) -> F;
        mul = avx512f._mm512_mul_pd(a: F, b: F) -> F;
        div = avx512f._mm512_div_pd(a: F, b: F) -> F;
        sqrt = avx512f._mm512_sqrt_pd(a: F) -> F;
        fma = avx512f._mm512_fmadd_pd(a: F, b: F, c: F) -> F;
        round = avx512f._mm512_roundscale_pd::<NEAREST>(a: F) -> F;
        floor = avx512f._mm512_roundscale_pd::<DOWN>(a: F) -> F;
        trunc = avx512f._mm512_roundscale_pd::<TO_ZERO>(a: F) -> F;
        lt = avx512f._mm512_cmp_pd_mask::<_CMP_LT_OQ>(a: F, b: F) -> M;
        le = avx512f._mm512_cmp_pd_mask::<_CMP_LE_OQ>(a: F, b: F) -> M;
        eq = avx512f._mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a: F, b: F) -> M;
        ne = avx512f._mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(a: F, b: F) -> M;
        int_add = avx512f._mm512_add_epi64(a: I, b: I) -> I;
        int_sub = avx512f._mm512_sub_epi64(a: I, b: I) -> I;
        int_mul = avx512dq._mm512_mullo_epi64(a: I, b: I) -> I;
        int_shl = avx512f._mm512_sllv_epi64(a: I, count: I) -> I;
        int_shr = avx512f._mm512_srav_epi64(a: I, count: I) -> I;
        int_shr_unsigned = avx512f._mm512_srlv_epi64(a: I, count: I) -> I;
        int_lt = avx512f._mm512_cmplt_epi64_mask(a: I, b: I) -> M;
        int_eq = avx512f._mm512_cmpeq_epi64_mask(a: I, b: I) -> M;
        to_bits = avx512f._mm512_castpd_si512(a: F) -> I;
        from_bits = avx512f._mm512_castsi512_pd(a: I) -> F;
        to_int = avx512dq._mm512_cvttpd_epi64(a: F) -> I;
        to_real = avx512dq._mm512_cvtepi64_pd(a: I) -> F;
    }

    #[inline(always)]
    fn int_mul_hi_unsigned(self, a: __m512i, b: __m512i) -> __m512i {
        let f = self.0.avx512f;
        let low_half = self.int(0xffff_ffff);
        let (a_high, b_high) = (f._mm512_srli_epi64::<32>(a), f._mm512_srli_epi64::<32>(b));
        let low = f._mm512_srli_epi64::<32>(f._mm512_mul_epu32(a, b));
        // Each sum of a product of halves and a half fits 64 bits.
        let middle = self.int_add(f._mm512_mul_epu32(a_high, b), low);
        let other = self.int_add(f._mm512_mul_epu32(a, b_high), self.int_and(middle, low_half));
        let high = self.int_add(f._mm512_mul_epu32(a_high, b_high), f._mm512_srli_epi64::<32>(middle));
        self.int_add(high, f._mm512_srli_epi64::<32>(other))
    }
}

impl Lanes for Single {
    type Real = f32;
    type F = __m512;
    type I = __m512i;
    type M = __mmask16;

    both!(f32 i32 __mmask16 16; _mm512_set1_ps _mm512_mask_blend_ps _mm512_set1_epi32 _mm512_mask_blend_epi32
        _mm512_i32gather_ps _mm512_i32gather_epi32 _mm512_cmplt_epu32_mask);
    instructions! {
        abs = avx512f._mm512_abs_ps(a: F) -> F;
        add = avx512f._mm512_add_ps(a: F, b: F) -> F;
        sub = avx512f._mm512_sub_ps(a: F, b: F) -> F;
        mul = avx512f._mm512_mul_ps(a: F, b: F) -> F;
        div = avx512f._mm512_div_ps(a: F, b: F) -> F;
        sqrt = avx512f._mm512_sqrt_ps(a: F) -> F;
        fma = avx512f._mm512_fmadd_ps(a: F, b: F, c: F) -> F;
        round = avx512f._mm512_roundscale_ps::<NEAREST>(a: F) -> F;
        floor = avx512f._mm512_roundscale_ps::<DOWN>(a: F) -> F;
        trunc = avx512f._mm512_roundscale_ps::<TO_ZERO>(a: F) -> F;
        lt = avx512f._mm512_cmp_ps_mask::<_CMP_LT_OQ>(a: F, b: F) -> M;
        le = avx512f._mm512_cmp_ps_mask::<_CMP_LE_OQ>(a: F, b: F) -> M;
        eq = avx512f._mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a: F, b: F) -> M;
        ne = avx512f._mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(a: F, b: F) -> M;
        int_add = avx512f._mm512_add_epi32(a: I, b: I) -> I;
        int_sub = avx512f._mm512_sub_epi32(a: I, b: I) -> I;
        int_mul = avx512f._mm512_mullo_epi32(a: I, b: I) -> I;
        int_shl = avx512f._mm512_sllv_epi32(a: I, count: I) -> I;
        int_shr = avx512f._mm512_srav_epi32(a: I, count: I) -> I;
        int_shr_unsigned = avx512f._mm512_srlv_epi32(a: I, count: I) -> I;
        int_lt = avx512f._mm512_cmplt_epi32_mask(a: I, b: I) -> M;
        int_eq = avx512f._mm512_cmpeq_epi32_mask(a: I, b: I) -> M;
        to_bits = avx512f._mm512_castps_si512(a: F) -> I;
        from_bits = avx512f._mm512_castsi512_ps(a: I) -> F;
        to_int = avx512f._mm512_cvttps_epi32(a: F) -> I;
        to_real = avx512f._mm512_cvtepi32_ps(a: I) -> F;
    }

    #[inline(always)]
    fn int_mul_hi_unsigned(self, a: __m512i, b: __m512i) -> __m512i {
        let f = self.0.avx512f;
        let even = f._mm512_srli_epi64::<32>(f._mm512_mul_epu32(a, b));
        let odd = f._mm512_mul_epu32(f._mm512_srli_epi64::<32>(a), f._mm512_srli_epi64::<32>(b));
        f._mm512_mask_blend_epi32(0xaaaa, even, odd)
    }
}

/// Loads and stores.
macro_rules! vectors {
    ($type:ty, $real:ty, $mask:ty, $lanes:literal;
     $load:ident $store:ident $load_first:ident $store_first:ident $stream:ident) => {
        impl Vectors for $type {
            const WIDTH: usize = $lanes;

            #[inline(always)]
            unsafe fn load(self, from: *const $real) -> Self::F {
                // SAFETY: by contract: the vector.
                unsafe { self.0.avx512f.$load(from) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $real, value: Self::F) {
                // SAFETY: by contract: the vector.
                unsafe { self.0.avx512f.$store(to, value) }
            }
            #[inline(always)]
            unsafe fn load_first(self, from: *const $real, n: usize) -> Self::F {
                // SAFETY: by contract: the elements under the mask.
                unsafe { self.0.avx512f.$load_first(((1u32 << n) - 1) as $mask, from) }
            }
            #[inline(always)]
            unsafe fn store_first(self, to: *mut $real, value: Self::F, n: usize) {
                // SAFETY: by contract: the elements under the mask.
                unsafe { self.0.avx512f.$store_first(to, ((1u32 << n) - 1) as $mask, value) }
            }
            #[inline(always)]
            unsafe fn stream(self, to: *mut $real, value: Self::F) {
                // SAFETY: by contract: the vector, at an address of its alignment.
                unsafe { std::arch::x86_64::$stream(to.cast(), value) }
            }
        }
    };
}

vectors!(Double, f64, __mmask8, 8;
    _mm512_loadu_pd _mm512_storeu_pd _mm512_maskz_loadu_pd _mm512_mask_storeu_pd _mm512_stream_pd);
vectors!(Single, f32, __mmask16, 16;
    _mm512_loadu_ps _mm512_storeu_ps _mm512_maskz_loadu_ps _mm512_mask_storeu_ps _mm512_stream_ps);
