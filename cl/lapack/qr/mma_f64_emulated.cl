// The operations of mma_f64_nvidia.cl on any device, so that the kernels can be checked without tensor cores.
// Work-items exchange fragments through local memory, and all warps do what one would.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 64
#endif

#include "common/scalar.cl"

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define UNROLL_FRAGMENTS
#define warp_may_work_alone false
#define warp_barrier() barrier(CLK_LOCAL_MEM_FENCE)
#define DECLARE_FRAGMENT_WORKSPACE __local double fragment_workspace[THREADS * 6];

inline void mma_f64(double *acc, const double *a, const double *b, __local double *workspace)
{
    const int item = get_local_id(0), first = item / 32 * 32, g = item % 32 / 4, q = item % 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < 4; s++) workspace[item * 6 + s] = a[s];
    for (int s = 0; s < 2; s++) workspace[item * 6 + 4 + s] = b[s];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < 4; s++) {
        const int row = first + g * 4, column = first + (2 * q + s % 2) * 4;
        for (int depth = 0; depth < 8; depth++)
            acc[s] = fma(workspace[(row + depth % 4) * 6 + depth / 4 * 2 + s / 2],
                         workspace[(column + depth % 4) * 6 + 4 + depth / 4], acc[s]);
    }
}

inline double fast_reciprocal(double x) { return 1 / x; }

inline double fast_rsqrt(double x) { return 1 / sqrt(x); }
