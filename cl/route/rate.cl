// The arithmetic rate: x := factor x + factor in CHAINS independent chains, n times. A work-item makes 2 CHAINS n
// operations.
#pragma once

// Independent chains of a work-item.
#ifndef CHAINS
#define CHAINS 8
#endif

#include "common/scalar.cl"

__kernel void rate(long n, scalar factor, __global scalar *restrict result)
{
    scalar x[CHAINS];
    for (int i = 0; i < CHAINS; i++) x[i] = factor * (real)(i + 1);
    for (long step = 0; step < n; step++) {
        #pragma unroll
        for (int i = 0; i < CHAINS; i++) x[i] = multiply_add(x[i], factor, factor);
    }
    scalar sum = SCALAR_ZERO;
    for (int i = 0; i < CHAINS; i++) sum += x[i];
    // Every chain is stored, so that no compiler removes one.
    result[get_global_id(0)] = sum;
}
