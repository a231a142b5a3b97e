// info := the index of the first zero on a diagonal of n elements, from 1, or 0. One work-group.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

#include "common/scalar.cl"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void scan_diagonal(
    long n, __global const scalar *restrict a, long a_offset, long step, __global int *info, long info_index)
{
    __local int firsts[THREADS];
    const int item = get_local_id(0);
    int first = INT_MAX;
    for (long i = n - 1 - item; i >= 0; i -= THREADS)
        if (is_zero(a[a_offset + i * step])) first = (int)i + 1;
    firsts[item] = first;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        for (int i = 1; i < THREADS; i++) first = min(first, firsts[i]);
        info[info_index] = first == INT_MAX ? 0 : first;
    }
}
