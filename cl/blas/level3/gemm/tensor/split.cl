// Floats in TF32, for tensor cores. With SPLIT each float is split in two of 11 bits, hi + lo. The tensor cores sum
// lo*hi, hi*lo and hi*hi, in this order (3xTF32, Ootomo and Yokota 2022). Without, the nearest values of 11 bits are
// multiplied.
//
// hi is the nearest value of 11 bits and lo the remainder, of at most 12. The terms left out, lo*lo and the last bit of
// lo, are below 2^-21 of a product.
#pragma once

// Floats are split in hi + lo (3xTF32).
#ifndef SPLIT
#define SPLIT 0
#endif

#include "common/scalar.cl"
#if !SPLIT
#include "blas/level3/gemm/tensor/mma.cl"
#endif

typedef struct {
    uint hi, lo;
} hi_lo;

inline hi_lo split(float x)
{
#if SPLIT
    // Rounds as to_tf32 does. Near FLT_MAX hi overflows; then the accumulators are not finite and GUARD redoes the
    // tile.
    const uint hi = (as_uint(x) + 0x1000) & 0xffffe000;
    const hi_lo both = {hi, as_uint(x - as_float(hi))};
#else
    const hi_lo both = {to_tf32(x), 0};
#endif
    return both;
}
