// Scales the columns of a matrix into range, and R's columns back. A work-group for each column.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

#include "lapack/qr/range_scaling.cl"

// is_scaled[j] becomes 1 for a column that was scaled, else 0.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_scale_into_range(
    long rows, __global scalar *a, long a_offset, long row_stride, long column_stride, __global int *is_scaled)
{
    __local int is_large, is_infinite;
    const int item = get_local_id(0);
    const long column = get_group_id(0);
    a += a_offset + column * column_stride;
    if (item == 0) is_large = is_infinite = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int excess = excess_of(a, item, THREADS, rows, row_stride);
    if (excess & 1) is_large = 1;
    if (excess & 2) is_infinite = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int scales = is_large && !is_infinite;
    if (scales) scale_column(a, item, THREADS, rows, row_stride, SCALE_COLUMN);
    if (item == 0) is_scaled[column] = scales;
}

// Scales back the elements of R in `rows` rows.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_scale_back(
    long rows, __global scalar *a, long a_offset, long row_stride, long column_stride, __global const int *is_scaled)
{
    const long column = get_group_id(0);
    if (is_scaled[column] == 0) return;
    a += a_offset + column * column_stride;
    scale_column(a, get_local_id(0), THREADS, min(rows, column + 1), row_stride, 1 / SCALE_COLUMN);
}
