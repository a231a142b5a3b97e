//! AVX2 and FMA: 256 bits.

use std::arch::x86_64::{
    __m256, __m256d, __m256i, _CMP_EQ_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _CMP_NEQ_UQ, _MM_FROUND_NO_EXC,
    _MM_FROUND_TO_NEAREST_INT, _MM_FROUND_TO_ZERO,
};

use crate::Lanes;
use pulp::x86::V3;

use super::{Machine, Vectors};

/// The proof that the processor has the instructions.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(pub V3);

/// Four lanes.
#[derive(Clone, Copy, Debug)]
pub struct Double(V3);

/// Eight lanes.
#[derive(Clone, Copy, Debug)]
pub struct Single(V3);

impl Machine for Avx2 {
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

/// Methods that both precisions have in the same form.
macro_rules! both {
    () => {
        #[inline(always)]
        fn neg(self, a: Self::F) -> Self::F {
            let sign = self.splat(-0.0);
            self.from_bits(self.int_xor(self.to_bits(a), self.to_bits(sign)))
        }
        #[inline(always)]
        fn abs(self, a: Self::F) -> Self::F {
            let sign = self.to_bits(self.splat(-0.0));
            self.from_bits(self.0.avx2._mm256_andnot_si256(sign, self.to_bits(a)))
        }
        #[inline(always)]
        fn select(self, mask: __m256i, a: Self::F, b: Self::F) -> Self::F {
            self.from_bits(self.int_select(mask, self.to_bits(a), self.to_bits(b)))
        }
        #[inline(always)]
        fn int_select(self, mask: __m256i, a: __m256i, b: __m256i) -> __m256i {
            self.0.avx2._mm256_blendv_epi8(b, a, mask)
        }
        #[inline(always)]
        fn not(self, a: __m256i) -> __m256i {
            self.0.avx2._mm256_xor_si256(a, self.0.avx._mm256_set1_epi32(-1))
        }
        #[inline(always)]
        fn replace_if_any(self, mask: __m256i, usual: Self::F, rare: impl FnOnce(Self) -> Self::F) -> Self::F {
            if self.0.avx._mm256_testz_si256(mask, mask) != 0 {
                return usual;
            }
            self.select(mask, rare(self), usual)
        }
        instructions! {
            int_and = avx2._mm256_and_si256(a: I, b: I) -> I;
            int_or = avx2._mm256_or_si256(a: I, b: I) -> I;
            int_xor = avx2._mm256_xor_si256(a: I, b: I) -> I;
            and = avx2._mm256_and_si256(a: M, b: M) -> M;
            or = avx2._mm256_or_si256(a: M, b: M) -> M;
        }
    };
}

/// Elements of a table, one lane at a time, with Rust's check of the index: the case of an index that is wrong.
macro_rules! checked_lookup {
    ($self:ident, $table:ident, $index:ident, $int:ty, $real:ty, $lanes:literal) => {{
        let index: [$int; $lanes] = pulp::bytemuck::cast($index);
        let mut found = [<$real>::default(); $lanes];
        for lane in 0..$lanes {
            found[lane] = $table[index[lane] as usize];
        }
        pulp::bytemuck::cast(found)
    }};
}

impl Lanes for Double {
    type Real = f64;
    type F = __m256d;
    type I = __m256i;
    type M = __m256i;

    both!();
    instructions! {
        add = avx._mm256_add_pd(a: F, b: F) -> F;
        sub = avx._mm256_sub_pd(a: F, b: F) -> F;
        mul = avx._mm256_mul_pd(a: F, b: F) -> F;
        div = avx._mm256_div_pd(a: F, b: F) -> F;
        sqrt = avx._mm256_sqrt_pd(a: F) -> F;
        fma = fma._mm256_fmadd_pd(a: F, b: F, c: F) -> F;
        round = avx._mm256_round_pd::<NEAREST>(a: F) -> F;
        floor = avx._mm256_floor_pd(a: F) -> F;
        trunc = avx._mm256_round_pd::<TO_ZERO>(a: F) -> F;
        int_add = avx2._mm256_add_epi64(a: I, b: I) -> I;
        int_sub = avx2._mm256_sub_epi64(a: I, b: I) -> I;
        int_shl = avx2._mm256_sllv_epi64(a: I, count: I) -> I;
        int_shr_unsigned = avx2._mm256_srlv_epi64(a: I, count: I) -> I;
        int_eq = avx2._mm256_cmpeq_epi64(a: I, b: I) -> M;
        to_bits = avx._mm256_castpd_si256(a: F) -> I;
        from_bits = avx._mm256_castsi256_pd(a: I) -> F;
    }

    #[inline(always)]
    fn splat(self, value: f64) -> __m256d {
        self.0.avx._mm256_set1_pd(value)
    }
    #[inline(always)]
    fn int(self, value: i64) -> __m256i {
        self.0.avx._mm256_set1_epi64x(value)
    }
    #[inline(always)]
    fn lt(self, a: __m256d, b: __m256d) -> __m256i {
        self.to_bits(self.0.avx._mm256_cmp_pd::<_CMP_LT_OQ>(a, b))
    }
    #[inline(always)]
    fn le(self, a: __m256d, b: __m256d) -> __m256i {
        self.to_bits(self.0.avx._mm256_cmp_pd::<_CMP_LE_OQ>(a, b))
    }
    #[inline(always)]
    fn eq(self, a: __m256d, b: __m256d) -> __m256i {
        self.to_bits(self.0.avx._mm256_cmp_pd::<_CMP_EQ_OQ>(a, b))
    }
    #[inline(always)]
    fn ne(self, a: __m256d, b: __m256d) -> __m256i {
        self.to_bits(self.0.avx._mm256_cmp_pd::<_CMP_NEQ_UQ>(a, b))
    }
    #[inline(always)]
    fn int_lt(self, a: __m256i, b: __m256i) -> __m256i {
        self.0.avx2._mm256_cmpgt_epi64(b, a)
    }
    #[inline(always)]
    fn int_mul(self, a: __m256i, b: __m256i) -> __m256i {
        let avx2 = self.0.avx2;
        // The upper halves' product leaves the 64 bits.
        let a_high = avx2._mm256_mul_epu32(avx2._mm256_srli_epi64::<32>(a), b);
        let b_high = avx2._mm256_mul_epu32(a, avx2._mm256_srli_epi64::<32>(b));
        let cross = avx2._mm256_slli_epi64::<32>(avx2._mm256_add_epi64(a_high, b_high));
        avx2._mm256_add_epi64(avx2._mm256_mul_epu32(a, b), cross)
    }
    #[inline(always)]
    fn int_mul_hi_unsigned(self, a: __m256i, b: __m256i) -> __m256i {
        let avx2 = self.0.avx2;
        let low_half = self.int(0xffff_ffff);
        let (a_high, b_high) = (avx2._mm256_srli_epi64::<32>(a), avx2._mm256_srli_epi64::<32>(b));
        let low = avx2._mm256_srli_epi64::<32>(avx2._mm256_mul_epu32(a, b));
        // Each sum of a product of halves and a half fits 64 bits.
        let middle = self.int_add(avx2._mm256_mul_epu32(a_high, b), low);
        let other = self.int_add(avx2._mm256_mul_epu32(a, b_high), self.int_and(middle, low_half));
        let high = self.int_add(avx2._mm256_mul_epu32(a_high, b_high), avx2._mm256_srli_epi64::<32>(middle));
        self.int_add(high, avx2._mm256_srli_epi64::<32>(other))
    }
    #[inline(always)]
    fn int_shr(self, a: __m256i, count: __m256i) -> __m256i {
        // Negative numbers are shifted as their complements.
        let sign = self.0.avx2._mm256_cmpgt_epi64(self.int(0), a);
        self.int_xor(self.int_shr_unsigned(self.int_xor(a, sign), count), sign)
    }
    #[inline(always)]
    fn to_int(self, a: __m256d) -> __m256i {
        // The sum with 1.5 2^52 has the number in its lower bits, if it is below 2^51 in magnitude.
        let shift = self.splat(6_755_399_441_055_744.0);
        let is_small = self.lt(self.abs(a), self.splat(2_251_799_813_685_248.0));
        if self.0.avx._mm256_movemask_pd(self.from_bits(is_small)) == 0b1111 {
            return self.int_sub(self.to_bits(self.add(a, shift)), self.to_bits(shift));
        }
        let a: [f64; 4] = pulp::bytemuck::cast(a);
        pulp::bytemuck::cast([a[0] as i64, a[1] as i64, a[2] as i64, a[3] as i64])
    }
    #[inline(always)]
    fn to_real(self, a: __m256i) -> __m256d {
        let avx2 = self.0.avx2;
        // 2^52 + the lower half, and 2^84 + 2^63 + 2^32 times the signed upper half, are exact. So is the difference.
        let (two52, two84) = (self.splat(4_503_599_627_370_496.0), self.splat(19_342_813_113_834_066_795_298_816.0));
        let low = avx2._mm256_blend_epi16::<0b1100_1100>(a, self.to_bits(two52));
        let biased = self.int_xor(avx2._mm256_srli_epi64::<32>(a), self.int(0x8000_0000));
        let high = self.from_bits(self.int_xor(biased, self.to_bits(two84)));
        let offset = self.splat(19_342_822_341_709_703_277_445_120.0);
        self.add(self.sub(high, offset), self.from_bits(low))
    }
    #[inline(always)]
    fn lookup(self, table: &'static [f64], index: __m256i) -> __m256d {
        // Negative indices are below the complement of no length.
        let last = self.int(table.len() as i64 - 1);
        let wrong = self.int_or(self.int_lt(last, index), self.int_lt(index, self.int(0)));
        if self.0.avx._mm256_testz_si256(wrong, wrong) == 0 {
            return checked_lookup!(self, table, index, i64, f64, 4);
        }
        // SAFETY: the indices are below the table's length.
        unsafe { self.0.avx2._mm256_i64gather_pd::<8>(table.as_ptr(), index) }
    }
    #[inline(always)]
    fn int_lookup(self, table: &'static [i64], index: __m256i) -> __m256i {
        let last = self.int(table.len() as i64 - 1);
        let wrong = self.int_or(self.int_lt(last, index), self.int_lt(index, self.int(0)));
        if self.0.avx._mm256_testz_si256(wrong, wrong) == 0 {
            return checked_lookup!(self, table, index, i64, i64, 4);
        }
        // SAFETY: the indices are below the table's length.
        unsafe { self.0.avx2._mm256_i64gather_epi64::<8>(table.as_ptr(), index) }
    }
}

impl Lanes for Single {
    type Real = f32;
    type F = __m256;
    type I = __m256i;
    type M = __m256i;

    both!();
    instructions! {
        add = avx._mm256_add_ps(a: F, b: F) -> F;
        sub = avx._mm256_sub_ps(a: F, b: F) -> F;
        mul = avx._mm256_mul_ps(a: F, b: F) -> F;
        div = avx._mm256_div_ps(a: F, b: F) -> F;
        sqrt = avx._mm256_sqrt_ps(a: F) -> F;
        fma = fma._mm256_fmadd_ps(a: F, b: F, c: F) -> F;
        round = avx._mm256_round_ps::<NEAREST>(a: F) -> F;
        floor = avx._mm256_floor_ps(a: F) -> F;
        trunc = avx._mm256_round_ps::<TO_ZERO>(a: F) -> F;
        int_add = avx2._mm256_add_epi32(a: I, b: I) -> I;
        int_sub = avx2._mm256_sub_epi32(a: I, b: I) -> I;
        int_mul = avx2._mm256_mullo_epi32(a: I, b: I) -> I;
        int_shl = avx2._mm256_sllv_epi32(a: I, count: I) -> I;
        int_shr = avx2._mm256_srav_epi32(a: I, count: I) -> I;
        int_shr_unsigned = avx2._mm256_srlv_epi32(a: I, count: I) -> I;
        int_eq = avx2._mm256_cmpeq_epi32(a: I, b: I) -> M;
        to_bits = avx._mm256_castps_si256(a: F) -> I;
        from_bits = avx._mm256_castsi256_ps(a: I) -> F;
        to_int = avx._mm256_cvttps_epi32(a: F) -> I;
        to_real = avx._mm256_cvtepi32_ps(a: I) -> F;
    }

    #[inline(always)]
    fn splat(self, value: f32) -> __m256 {
        self.0.avx._mm256_set1_ps(value)
    }
    #[inline(always)]
    fn int(self, value: i32) -> __m256i {
        self.0.avx._mm256_set1_epi32(value)
    }
    #[inline(always)]
    fn lt(self, a: __m256, b: __m256) -> __m256i {
        self.to_bits(self.0.avx._mm256_cmp_ps::<_CMP_LT_OQ>(a, b))
    }
    #[inline(always)]
    fn le(self, a: __m256, b: __m256) -> __m256i {
        self.to_bits(self.0.avx._mm256_cmp_ps::<_CMP_LE_OQ>(a, b))
    }
    #[inline(always)]
    fn eq(self, a: __m256, b: __m256) -> __m256i {
        self.to_bits(self.0.avx._mm256_cmp_ps::<_CMP_EQ_OQ>(a, b))
    }
    #[inline(always)]
    fn ne(self, a: __m256, b: __m256) -> __m256i {
        self.to_bits(self.0.avx._mm256_cmp_ps::<_CMP_NEQ_UQ>(a, b))
    }
    #[inline(always)]
    fn int_lt(self, a: __m256i, b: __m256i) -> __m256i {
        self.0.avx2._mm256_cmpgt_epi32(b, a)
    }
    #[inline(always)]
    fn int_mul_hi_unsigned(self, a: __m256i, b: __m256i) -> __m256i {
        let avx2 = self.0.avx2;
        let even = avx2._mm256_srli_epi64::<32>(avx2._mm256_mul_epu32(a, b));
        let odd = avx2._mm256_mul_epu32(avx2._mm256_srli_epi64::<32>(a), avx2._mm256_srli_epi64::<32>(b));
        avx2._mm256_blend_epi32::<0b1010_1010>(even, odd)
    }
    #[inline(always)]
    fn lookup(self, table: &'static [f32], index: __m256i) -> __m256 {
        let last = self.int(i32::try_from(table.len()).map_or(i32::MAX, |length| length - 1));
        let wrong = self.int_or(self.int_lt(last, index), self.int_lt(index, self.int(0)));
        if self.0.avx._mm256_testz_si256(wrong, wrong) == 0 {
            return checked_lookup!(self, table, index, i32, f32, 8);
        }
        // SAFETY: the indices are below the table's length.
        unsafe { self.0.avx2._mm256_i32gather_ps::<4>(table.as_ptr(), index) }
    }
    #[inline(always)]
    fn int_lookup(self, table: &'static [i32], index: __m256i) -> __m256i {
        let last = self.int(i32::try_from(table.len()).map_or(i32::MAX, |length| length - 1));
        let wrong = self.int_or(self.int_lt(last, index), self.int_lt(index, self.int(0)));
        if self.0.avx._mm256_testz_si256(wrong, wrong) == 0 {
            return checked_lookup!(self, table, index, i32, i32, 8);
        }
        // SAFETY: the indices are below the table's length.
        unsafe { self.0.avx2._mm256_i32gather_epi32::<4>(table.as_ptr(), index) }
    }
}

/// A mask of the first 32-bit lanes.
#[inline(always)]
fn first(v3: V3, words: usize) -> __m256i {
    let lanes = v3.avx._mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    v3.avx2._mm256_cmpgt_epi32(v3.avx._mm256_set1_epi32(words as i32), lanes)
}

/// Loads and stores.
macro_rules! vectors {
    ($type:ty, $real:ty, $lanes:literal;
     $load:ident $store:ident $load_first:ident $store_first:ident $stream:ident) => {
        impl Vectors for $type {
            const WIDTH: usize = $lanes;

            #[inline(always)]
            unsafe fn load(self, from: *const $real) -> Self::F {
                // SAFETY: by contract: the vector.
                unsafe { self.0.avx.$load(from) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $real, value: Self::F) {
                // SAFETY: by contract: the vector.
                unsafe { self.0.avx.$store(to, value) }
            }
            #[inline(always)]
            unsafe fn load_first(self, from: *const $real, n: usize) -> Self::F {
                // SAFETY: by contract: the elements under the mask.
                unsafe { std::arch::x86_64::$load_first(from, first(self.0, 8 * n / $lanes)) }
            }
            #[inline(always)]
            unsafe fn store_first(self, to: *mut $real, value: Self::F, n: usize) {
                // SAFETY: by contract: the elements under the mask.
                unsafe { std::arch::x86_64::$store_first(to, first(self.0, 8 * n / $lanes), value) }
            }
            #[inline(always)]
            unsafe fn stream(self, to: *mut $real, value: Self::F) {
                // SAFETY: by contract: the vector, at an address of its alignment.
                unsafe { std::arch::x86_64::$stream(to.cast(), value) }
            }
        }
    };
}

vectors!(Double, f64, 4;
    _mm256_loadu_pd _mm256_storeu_pd _mm256_maskload_pd _mm256_maskstore_pd _mm256_stream_pd);
vectors!(Single, f32, 8;
    _mm256_loadu_ps _mm256_storeu_ps _mm256_maskload_ps _mm256_maskstore_ps _mm256_stream_ps);
