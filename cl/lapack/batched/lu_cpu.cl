// getf2 of each matrix of a batch on a CPU. Columns are contiguous; a work-item has a few matrices. The info becomes
// the index of the first zero pivot, or 0.
#pragma once

#include "lapack/lu/getf2_cpu.cl"
#include "blas/level3/batched/offsets.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void getrf_batched(int rows, int columns, __global scalar *a,
                                                                           long a_offset, long column_stride,
                                                                           __global int *pivots, long pivot_offset,
                                                                           long pivot_stride, __global int *info,
                                                                           long info_offset, BATCH_PARAMETERS,
                                                                           long a_spacing, long per_item)
{
    const long first = get_group_id(0) * per_item, last = min(count, first + per_item);
    for (long matrix = first; matrix < last; matrix++) {
        __global scalar *own_matrix = a + a_offset + offset_in_batch(matrix, a_spacing);
        __global int *own_pivots = pivots + pivot_offset + matrix * pivot_stride;
        info[info_offset + matrix] = getf2_columns(rows, columns, own_matrix, column_stride, 0, own_pivots, 0);
    }
}
