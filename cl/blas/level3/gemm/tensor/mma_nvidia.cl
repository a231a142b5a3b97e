// Tensor core instructions besides copies (mma.sync, PTX ISA; compute capability 8.0, for doubles 9.0): products of
// fragments, a barrier with a vote. mma_emulated.cl has the same for any device.
#pragma once

#include "common/scalar.cl"

// The instructions need no local memory.
#define DECLARE_EXCHANGE
#define exchange_memory 0

// A barrier that tells all work-items whether `own` is true for any of them.
inline bool any_in_group(bool own, int item, __local real *exchange)
{
    uint any;
    __asm__ volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }"
                     : "=r"(any) : "r"((uint)own) : "memory");
    return any != 0;
}

#if SCALAR_IS_DOUBLE
// sum += a*b for fragments of 16 x 4 and 4 x 8, rounded as fma is.
inline void multiply_fragments(double *sum, const double *a, const double *b, int item, __local real *exchange)
{
    __asm__("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
            : "d"(a[0]), "d"(a[1]), "d"(b[0]));
}
#else
// The nearest value of 11 bits.
inline uint to_tf32(float x)
{
    uint nearest;
    __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(nearest) : "f"(x));
    return nearest;
}

// sum += a*b for fragments of 16 x 8 and 8 x 8 in TF32: the last 13 bits are ignored. Sums are truncated.
inline void multiply_fragments(float *sum, const uint *a, const uint *b, int item, __local real *exchange)
{
    __asm__("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif
