// The largest of `lines` sums, each of them a sum over layers. One work-group.
#pragma once

#include "lapack/norm/largest.cl"
#include "blas/level1/reduction/group.cl"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void norm_max_sum(
    long lines, long layers, __global const real *restrict sums, __global real *results, long result_index)
{
    partial largest = NOTHING;
    for (long line = get_local_id(0); line < lines; line += THREADS) {
        real sum = 0;
        for (long layer = 0; layer < layers; layer++) sum += sums[layer * lines + line];
        largest = joined(largest, sum);
    }
    DECLARE_LOCAL_SUMS
    const partial total = group_total(largest);
    if (get_local_id(0) == 0) results[result_index] = total;
}
