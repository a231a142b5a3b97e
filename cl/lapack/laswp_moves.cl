// LAPACK's laswp with known sources, in registers. From `moves_offset` on, `moves` has ROWS target rows, and the rows
// whose elements they get (laswp_origins.cl).
//
// A group has COLUMNS columns at a time, and reads every element that moves before it writes any. The columns
// [gap_first, gap_first + gap) are skipped; `columns` does not count them.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

// Rows that may change.
#ifndef ROWS
#define ROWS 512
#endif

// Columns of a group at a time.
#ifndef COLUMNS
#define COLUMNS 2
#endif

// Elements of a row are adjacent.
#ifndef ALONG_ROWS
#define ALONG_ROWS 0
#endif

#include "common/scalar.cl"

// Elements of a work-item.
#define ELEMENTS ((ROWS * COLUMNS + THREADS - 1) / THREADS)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void laswp_moves(
    __global scalar *a, long a_offset, long row_stride, long column_stride, long columns, long gap_first, long gap,
    __global const int *restrict moves, long moves_offset)
{
    const int item = get_local_id(0);
    a += a_offset;
    moves += moves_offset;
    for (long first_column = (long)get_group_id(0) * COLUMNS; first_column < columns;
         first_column += (long)get_num_groups(0) * COLUMNS) {
        scalar x[ELEMENTS];
        #pragma unroll
        for (int k = 0; k < ELEMENTS; k++) {
            const int e = item + k * THREADS, s = ALONG_ROWS ? e / COLUMNS : e % ROWS,
                      c = ALONG_ROWS ? e % COLUMNS : e / ROWS;
            const bool is_inside = e < ROWS * COLUMNS && first_column + c < columns;
            const long column = first_column + c < gap_first ? first_column + c : first_column + c + gap;
            const int to = is_inside ? moves[s] : -1, from = is_inside ? moves[ROWS + s] : 0;
            x[k] = to >= 0 ? a[from * row_stride + column * column_stride] : SCALAR_ZERO;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        #pragma unroll
        for (int k = 0; k < ELEMENTS; k++) {
            const int e = item + k * THREADS, s = ALONG_ROWS ? e / COLUMNS : e % ROWS,
                      c = ALONG_ROWS ? e % COLUMNS : e / ROWS;
            const bool is_inside = e < ROWS * COLUMNS && first_column + c < columns;
            const long column = first_column + c < gap_first ? first_column + c : first_column + c + gap;
            const int to = is_inside ? moves[s] : -1;
            if (to >= 0) a[to * row_stride + column * column_stride] = x[k];
        }
    }
}
