//! Transposition of blocks of vectors in registers.

use pulp::Simd;

use affinimath_core::simd::Parts;

/// Exchanges lane i of vector j and lane j of vector i, of as many vectors as lanes.
#[inline(always)]
pub(super) fn transpose<S: Simd, T: Parts>(x: &mut [T::Vector<S>]) {
    let lanes = T::width::<S>();
    assert_eq!(x.len(), lanes, "the block is square");
    #[cfg(target_arch = "x86_64")]
    if x86::transpose::<S, T>(x) {
        return;
    }
    let elements = x.as_mut_ptr().cast::<T>();
    for i in 0..lanes {
        for j in 0..i {
            // SAFETY: the block has lanes^2 elements.
            unsafe { std::ptr::swap(elements.add(lanes * i + j), elements.add(lanes * j + i)) };
        }
    }
}

/// True if [`transpose`] stays in registers: complex doubles with AVX2 and AVX-512, complex floats with AVX2.
#[inline(always)]
pub(super) fn has_shuffles<S: Simd, T: Parts>() -> bool {
    #[cfg(target_arch = "x86_64")]
    return x86::is_v3::<S>() || size_of::<T>() == 16 && x86::is_v4::<S>();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::any::TypeId;
    use std::arch::x86_64::{
        __m256d, __m512d, _mm256_permute2f128_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd, _mm512_shuffle_f64x2,
    };

    use pulp::Simd;
    use pulp::x86::{V3, V4};

    use affinimath_core::simd::Parts;

    #[inline(always)]
    pub(super) fn is_v3<S: Simd>() -> bool {
        TypeId::of::<S>() == TypeId::of::<V3>()
    }

    #[inline(always)]
    pub(super) fn is_v4<S: Simd>() -> bool {
        TypeId::of::<S>() == TypeId::of::<V4>()
    }

    /// Transposes where there are shuffles, and says if it did.
    #[inline(always)]
    pub(super) fn transpose<S: Simd, T: Parts>(x: &mut [T::Vector<S>]) -> bool {
        if size_of::<T>() == 8 && is_v3::<S>() {
            let block = x.as_mut_ptr().cast::<__m256d>();
            // SAFETY: V3 proves AVX2; four of its vectors have 128 bytes, of elements as large as doubles.
            unsafe {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| block.add(i).read_unaligned());
                let (even_ab, odd_ab) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
                let (even_cd, odd_cd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
                block.write_unaligned(_mm256_permute2f128_pd::<0x20>(even_ab, even_cd));
                block.add(1).write_unaligned(_mm256_permute2f128_pd::<0x20>(odd_ab, odd_cd));
                block.add(2).write_unaligned(_mm256_permute2f128_pd::<0x31>(even_ab, even_cd));
                block.add(3).write_unaligned(_mm256_permute2f128_pd::<0x31>(odd_ab, odd_cd));
            }
            return true;
        }
        if size_of::<T>() != 16 {
            return false;
        }
        if is_v3::<S>() {
            let block = x.as_mut_ptr().cast::<__m256d>();
            // SAFETY: V3 proves AVX2; two of its vectors have 64 bytes.
            unsafe {
                let (a, b) = (block.read_unaligned(), block.add(1).read_unaligned());
                block.write_unaligned(_mm256_permute2f128_pd::<0x20>(a, b));
                block.add(1).write_unaligned(_mm256_permute2f128_pd::<0x31>(a, b));
            }
            return true;
        }
        if is_v4::<S>() {
            let block = x.as_mut_ptr().cast::<__m512d>();
            // SAFETY: V4 proves AVX-512; four of its vectors have 256 bytes.
            unsafe {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| block.add(i).read_unaligned());
                let (low_ab, high_ab) = (_mm512_shuffle_f64x2::<0x44>(a, b), _mm512_shuffle_f64x2::<0xee>(a, b));
                let (low_cd, high_cd) = (_mm512_shuffle_f64x2::<0x44>(c, d), _mm512_shuffle_f64x2::<0xee>(c, d));
                block.write_unaligned(_mm512_shuffle_f64x2::<0x88>(low_ab, low_cd));
                block.add(1).write_unaligned(_mm512_shuffle_f64x2::<0xdd>(low_ab, low_cd));
                block.add(2).write_unaligned(_mm512_shuffle_f64x2::<0x88>(high_ab, high_cd));
                block.add(3).write_unaligned(_mm512_shuffle_f64x2::<0xdd>(high_ab, high_cd));
            }
            return true;
        }
        false
    }
}
