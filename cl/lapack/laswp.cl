// LAPACK's laswp, all interchanges in one launch: each row's source is found by following the interchanges backwards.
// With SOLVE, also trsm: the columns from `solve_from` on become L^-1 B for the unit lower triangle L of the
// interchanged rows.
//
// A group has COLUMNS columns, and reads every element that moves before it writes any. The columns [gap_first,
// gap_first + gap) are skipped. `pivots` count rows from 1 + `base`; one outside the `rows` rows is ignored.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

// Columns of a group.
#ifndef COLUMNS
#define COLUMNS 8
#endif

// Interchanges of a launch, at most.
#ifndef COUNT
#define COUNT 32
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

#define ROWS (2 * COUNT)

// The row whose element is in row `row` after `count` interchanges of the rows from `first` on.
inline int source_row(int row, int first, int count, int backward, __local const int *partner)
{
    for (int s = 0; s < count; s++) {
        const int i = backward ? s : count - 1 - s;
        const int other = partner[i];
        row = row == first + i ? other : row == other ? first + i : row;
    }
    return row;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void laswp(__global scalar *a, long a_offset,
                                                                         long row_stride, long column_stride,
                                                                         long columns, long gap_first, long gap,
                                                                         int rows, int first, int count, int backward,
                                                                         __global const int *pivots, long pivot_offset,
                                                                         long pivot_step, int base, long solve_from)
{
    __local int partner[COUNT];
    __local int target[ROWS];
    __local int source[ROWS];
    __local scalar tile[COLUMNS * ROWS];
#if SOLVE
    __local scalar lower[COUNT * COUNT];
#endif
    const int item = get_local_id(0);
    a += a_offset;
    for (int i = item; i < count; i += THREADS) {
        const int row = pivots[pivot_offset + i * pivot_step] - 1 - base;
        partner[i] = row >= 0 && row < rows ? row : first + i;
    }
#if SOLVE
    // L is in the columns that are skipped.
    for (int e = item; e < count * count; e += THREADS)
        lower[e] = a[(first + e % count) * row_stride + (gap_first + e / count) * column_stride];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = item; s < 2 * count; s += THREADS) {
        int row = first + s;
        if (s >= count) {
            // A row inside the block, or a partner that came before, has its entry already.
            row = partner[s - count];
            bool has_entry = row >= first && row < first + count;
            for (int i = 0; i < s - count; i++) has_entry = has_entry || partner[i] == row;
            row = has_entry ? -1 : row;
        }
        target[s] = row;
        source[s] = row < 0 ? -1 : source_row(row, first, count, backward, partner);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const long first_column = (long)get_group_id(0) * COLUMNS;
    for (int e = item; e < 2 * count * COLUMNS; e += THREADS) {
        const int s = ALONG_ROWS ? e / COLUMNS : e % (2 * count), c = ALONG_ROWS ? e % COLUMNS : e / (2 * count);
        const long column = first_column + c < gap_first ? first_column + c : first_column + c + gap;
        if (source[s] >= 0 && first_column + c < columns)
            tile[c * ROWS + s] = a[source[s] * row_stride + column * column_stride];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if SOLVE
    for (int k = 0; k < count - 1; k++) {
        for (int e = item; e < COUNT * COLUMNS; e += THREADS) {
            const int i = e % COUNT, c = e / COUNT;
            const long column = first_column + c < gap_first ? first_column + c : first_column + c + gap;
            if (i > k && i < count && column >= solve_from && first_column + c < columns)
                tile[c * ROWS + i] = multiply_add(-lower[k * count + i], tile[c * ROWS + k], tile[c * ROWS + i]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    for (int e = item; e < 2 * count * COLUMNS; e += THREADS) {
        const int s = ALONG_ROWS ? e / COLUMNS : e % (2 * count), c = ALONG_ROWS ? e % COLUMNS : e / (2 * count);
        const long column = first_column + c < gap_first ? first_column + c : first_column + c + gap;
        if (source[s] >= 0 && first_column + c < columns)
            a[target[s] * row_stride + column * column_stride] = tile[c * ROWS + s];
    }
}
