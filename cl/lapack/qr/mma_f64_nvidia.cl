// Products of fragments of doubles (mma), a warp's barrier and fast reciprocals on NVIDIA devices (PTX ISA, compute
// capability 9.0). mma_f64_emulated.cl has the same for any device.
#pragma once

#include "common/scalar.cl"

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define UNROLL_FRAGMENTS _Pragma("unroll")
// A warp may work alone between barriers of the group.
#define warp_may_work_alone true
#define warp_barrier() __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory")
// The products need no local memory.
#define DECLARE_FRAGMENT_WORKSPACE
#define fragment_workspace 0

// acc += a b for fragments of 16 x 8 and 8 x 8. With g and q the quotient and remainder of the lane by 4: a has rows g
// and g + 8 in columns q, then q + 4; b has rows q and q + 4 of column g; acc has rows g, then g + 8, each in columns
// 2q and 2q + 1.
inline void mma_f64(double *acc, const double *a, const double *b, __local double *workspace)
{
    __asm__(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+d"(acc[0]), "+d"(acc[1]), "+d"(acc[2]), "+d"(acc[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

// 1 / x and 1 / sqrt(x), nearly to the last bit, for x far from overflow and underflow: third-order steps from 20
// bits.
inline double fast_reciprocal(double x)
{
    double y;
    __asm__("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x, y, 1.0);
    return fma(fma(e, e, e), y, y);
}

inline double fast_rsqrt(double x)
{
    double y;
    __asm__("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x * y, y, 1.0);
    return fma(fma(0.375, e, 0.5), e * y, y);
}
