// Sums of squares over a work-group.
#pragma once

// Work-items of a group: a multiple of REDUCERS.
#ifndef THREADS
#define THREADS 256
#endif

// Work-items of a reduction's second level.
#ifndef REDUCERS
#define REDUCERS 16
#endif

#include "common/squares.cl"

// The sum over the group, the same for all its work-items.
inline squares reduce_squares(squares sum, __local squares *sums, __local squares *level_sums)
{
    const int item = get_local_id(0);
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < REDUCERS) {
        for (int i = item + REDUCERS; i < THREADS; i += REDUCERS) sum = squares_joined(sum, sums[i]);
        level_sums[item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = level_sums[0];
    for (int i = 1; i < REDUCERS; i++) sum = squares_joined(sum, level_sums[i]);
    return sum;
}
