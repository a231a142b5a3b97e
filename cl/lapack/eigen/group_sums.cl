// Sums over a work-group of THREADS work-items, the same bits in every work-item and every run.
#pragma once

#include "common/scalar.cl"

// Work-items of a group, a multiple of LANES.
#ifndef THREADS
#define THREADS 256
#endif

// Work-items with neighbouring rows.
#ifndef LANES
#define LANES 32
#endif

#define SLICES (THREADS / LANES)

inline scalar sum_over_group(scalar own, int item, __local scalar *sums)
{
    sums[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    scalar part = SCALAR_ZERO;
    if (item < LANES)
        for (int slice = 0; slice < SLICES; slice++) part += sums[slice * LANES + item];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < LANES) sums[item] = part;
    barrier(CLK_LOCAL_MEM_FENCE);
    scalar total = SCALAR_ZERO;
    for (int lane = 0; lane < LANES; lane++) total += sums[lane];
    return total;
}

// Two sums of reals and one of elements.
typedef struct {
    real first, second;
    scalar third;
} group_sums;

inline group_sums sums_over_group(group_sums own, int item, __local real *firsts, __local real *seconds,
                                  __local scalar *thirds)
{
    firsts[item] = own.first;
    seconds[item] = own.second;
    thirds[item] = own.third;
    barrier(CLK_LOCAL_MEM_FENCE);
    group_sums part = {0, 0, SCALAR_ZERO};
    if (item < LANES) {
        for (int slice = 0; slice < SLICES; slice++) {
            part.first += firsts[slice * LANES + item];
            part.second += seconds[slice * LANES + item];
            part.third += thirds[slice * LANES + item];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < LANES) {
        firsts[item] = part.first;
        seconds[item] = part.second;
        thirds[item] = part.third;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    group_sums total = {0, 0, SCALAR_ZERO};
    for (int lane = 0; lane < LANES; lane++) {
        total.first += firsts[lane];
        total.second += seconds[lane];
        total.third += thirds[lane];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}
