// Eigenvalues of a real symmetric tridiagonal matrix by multisection (LAPACK: xSTEBZ): LANES work-items share one, and
// count the eigenvalues below as many points between its bounds (Sturm).
#pragma once

#include "common/scalar.cl"

// Points for each eigenvalue.
#ifndef LANES
#define LANES 8
#endif

// Work-items of a group, a multiple of LANES.
#ifndef THREADS
#define THREADS 64
#endif

#define POINT(l) (low + (high - low) * ((real)((l) + 1) / (real)(LANES + 1)))

// w becomes the n eigenvalues in ascending order, each between `low` and `high`.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void stebz(
    int n, int steps, __global const scalar *restrict d, __global const scalar *restrict e,
    __global const scalar *restrict bounds, __global scalar *restrict w)
{
    __local int counts[THREADS];
    const int item = get_local_id(0), lane = get_local_id(0) % LANES, first = item - lane;
    const int index = get_group_id(0) * (THREADS / LANES) + (int)(get_local_id(0) / LANES);
    const real smallest = bounds[2];
    real low = bounds[0], high = bounds[1];
    for (int step = 0; step < steps; step++) {
        const real point = POINT(lane);
        int count = 0;
        real pivot = 1, square = 0;
        for (int i = 0; i < n; i++) {
            pivot = d[i] - point - square / pivot;
            if (fabs(pivot) < smallest) pivot = -smallest;
            count += pivot < 0;
            const real beside = e[i];
            square = beside * beside;
        }
        counts[item] = count;
        barrier(CLK_LOCAL_MEM_FENCE);
        int below = 0;
        while (below < LANES && counts[first + below] <= index) below++;
        const real next_low = below == 0 ? low : POINT(below - 1), next_high = below == LANES ? high : POINT(below);
        low = next_low;
        high = next_high;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && index < n) w[index] = low + (high - low) / 2;
}
