// LAPACK's laswp, and trsm with SOLVE, as in laswp.cl. A work-item has COLUMNS columns and makes one interchange after
// the other.
#pragma once

// Columns of a work-item.
#ifndef COLUMNS
#define COLUMNS 16
#endif

// Elements of a row are adjacent.
#ifndef ALONG_ROWS
#define ALONG_ROWS 0
#endif

// Also solves with the unit lower triangle.
#ifndef SOLVE
#define SOLVE 0
#endif

#include "common/scalar.cl"

inline void swap_elements(__global scalar *x, __global scalar *y)
{
    const scalar value = *x;
    *x = *y;
    *y = value;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void laswp(__global scalar *a, long a_offset, long row_stride,
                                                                   long column_stride, long columns, long gap_first,
                                                                   long gap, int rows, int first, int count,
                                                                   int backward, __global const int *pivots,
                                                                   long pivot_offset, long pivot_step, int base,
                                                                   long solve_from)
{
    const long first_column = (long)get_group_id(0) * COLUMNS, end = min(columns, first_column + COLUMNS);
    a += a_offset;
    pivots += pivot_offset;
#if ALONG_ROWS
    for (int s = 0; s < count; s++) {
        const int i = backward ? count - 1 - s : s;
        __global scalar *x = a + (first + i) * row_stride;
        const int partner = pivots[i * pivot_step] - 1 - base;
        if (partner < 0 || partner >= rows || partner == first + i) continue;
        __global scalar *y = a + partner * row_stride;
        for (long c = first_column; c < end; c++) {
            const long column = (c < gap_first ? c : c + gap) * column_stride;
            swap_elements(x + column, y + column);
        }
    }
#else
    for (long c = first_column; c < end; c++) {
        __global scalar *x = a + (c < gap_first ? c : c + gap) * column_stride;
        for (int s = 0; s < count; s++) {
            const int i = backward ? count - 1 - s : s;
            const int partner = pivots[i * pivot_step] - 1 - base;
            if (partner >= 0 && partner < rows) swap_elements(x + (first + i) * row_stride, x + partner * row_stride);
        }
    }
#endif
#if SOLVE
    __global const scalar *lower = a + first * row_stride + gap_first * column_stride;
    for (long c = first_column; c < end; c++) {
        const long column = c < gap_first ? c : c + gap;
        if (column < solve_from) continue;
        __global scalar *x = a + first * row_stride + column * column_stride;
        for (int k = 0; k < count - 1; k++) {
            const scalar u = x[k * row_stride];
            for (int i = k + 1; i < count; i++)
                x[i * row_stride] =
                    multiply_add(-lower[i * row_stride + k * column_stride], u, x[i * row_stride]);
        }
    }
#endif
}
