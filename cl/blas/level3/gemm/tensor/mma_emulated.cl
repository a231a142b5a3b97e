// The instructions of mma_nvidia.cl on any device, so that kernels with them can be tested there. It is slow:
// work-items exchange fragments through local memory.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 32
#endif

#include "common/scalar.cl"

// Fragments of A and B for each work-item.
#define DECLARE_EXCHANGE __local real exchange_memory[THREADS * 6];

inline bool any_in_group(bool own, int item, __local real *exchange)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    exchange[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool any = false;
    for (int i = 0; i < THREADS; i++) any = any || exchange[i] != 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return any;
}

#if SCALAR_IS_DOUBLE
typedef double fragment_element;
#define fragment_value(x) (x)
#else
typedef uint fragment_element;
#define fragment_value(x) as_float((x) & 0xffffe000)

inline uint to_tf32(float x) { return isnan(x) ? as_uint(x) : (as_uint(x) + 0x1000) & 0xffffe000; }
#endif
// k of a fragment, in fours.
#define FRAGMENT_FOURS (SCALAR_IS_DOUBLE ? 1 : 2)

inline void multiply_fragments(real *sum, const fragment_element *a, const fragment_element *b, int item,
                               __local real *exchange)
{
    const int first = item / 32 * 32, g = item % 32 / 4, t = item % 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < 2 * FRAGMENT_FOURS; s++) exchange[item * 6 + s] = fragment_value(a[s]);
    for (int s = 0; s < FRAGMENT_FOURS; s++) exchange[item * 6 + 4 + s] = fragment_value(b[s]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < 4; r++) {
        const int row = g * 4, column = (2 * t + r % 2) * 4;
        for (int p = 0; p < 4 * FRAGMENT_FOURS; p++)
            sum[r] = fma(exchange[(first + row + p % 4) * 6 + p / 4 * 2 + r / 2],
                         exchange[(first + column + p % 4) * 6 + 4 + p / 4], sum[r]);
    }
}
