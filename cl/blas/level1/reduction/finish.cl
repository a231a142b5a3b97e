// The result of `count` blocks' partials, by one work-group, in the same order in every run.
#pragma once

#include "blas/level1/reduction/group.cl"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void finish(
    long count, option_type option, __global const partial *restrict partials, __global result_type *results,
    long result_index)
{
    partial sum = NOTHING;
    for (long i = get_local_id(0); i < count; i += THREADS) sum = joined(sum, partials[i]);
    DECLARE_LOCAL_SUMS
    const partial total = group_total(sum);
    if (get_local_id(0) == 0) results[result_index] = RESULT(total);
}
