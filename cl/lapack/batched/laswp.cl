// LAPACK's laswp for each matrix of a batch. A work-item has a column; the columns [gap_first, gap_first + gap) are
// skipped. Row `first` + s changes places with row pivots[s], from 1; a pivot outside the `rows` rows is ignored.
#pragma once

#include "common/scalar.cl"
#include "blas/level3/batched/offsets.cl"

__kernel void laswp_batched(int rows, long columns, long gap_first, long gap, int first, int steps, int backward,
                            __global scalar *a, long a_offset, long row_stride, long column_stride,
                            __global const int *pivots, long pivot_offset, long pivot_stride, BATCH_PARAMETERS,
                            long a_spacing)
{
    const long item = get_global_id(0), matrix = item / columns;
    if (matrix >= count) return;
    const long c = item % columns, column = c < gap_first ? c : c + gap;
    a += a_offset + offset_in_batch(matrix, a_spacing) + column * column_stride;
    pivots += pivot_offset + matrix * pivot_stride;
    for (int i = 0; i < steps; i++) {
        const int s = backward ? steps - 1 - i : i;
        const int partner = pivots[s] - 1;
        if (partner < 0 || partner >= rows || partner == first + s) continue;
        const scalar value = a[(first + s) * row_stride];
        a[(first + s) * row_stride] = a[partner * row_stride];
        a[partner * row_stride] = value;
    }
}
