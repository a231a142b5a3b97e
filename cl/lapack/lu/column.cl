// getf2 of a panel that is too tall for the registers of one work-group, by many groups: one launch for each column,
// and one more. Launch j eliminates column j - 1 with the best of the candidates that the groups of launch j - 1
// offered, and searches column j.
//
//   launch j:   column j-1          column j            columns j+1 ...
//              divide by pivot      update, search      rank-1 update (ger)
//   group g has `chunk` adjacent rows.
//
// Each group copies the row of its best candidate to workspace; the group with row j copies that one, too. The
// next launch reads these copies alone, so that no group reads rows that another one writes. Candidate rows are
// double-buffered by the parity of j. Latency dominates a launch: all loads are issued before it is known which of
// them matter.
//
// Rows and columns count from the panel's first ones; a panel has at least as many rows as columns. Pivots count from
// 1 + `base`. The info becomes the index of the first zero pivot, if it was 0.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

// Work-groups of a launch, at most.
#ifndef GROUPS
#define GROUPS 64
#endif

// Columns of a panel, at most.
#ifndef WIDTH
#define WIDTH 16
#endif

#include "common/divide.cl"
#include "lapack/lu/pivot_search.cl"

inline int best_of_group(candidate own, __local search_workspace *search, int parity)
{
    const int row = reduce_candidates(own, search, parity);
    barrier(CLK_LOCAL_MEM_FENCE);
    return pivot_row_of(row, search, parity);
}

inline void load_row(scalar x[WIDTH], __global const scalar *from, long stride, int width)
{
    #pragma unroll
    for (int c = 0; c < WIDTH; c++) x[c] = c < width ? from[c * stride] : SCALAR_ZERO;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void getrf_column(
    int rows, int width, int column, int chunk, __global scalar *a, long a_offset, long column_stride, int base,
    __global int *pivots, long pivot_offset, __global int *info, long info_index, __global scalar *group_rows,
    __global int *group_candidates)
{
    __local search_workspace search;
    // Candidate rows of all groups, and the row on the diagonal behind them.
    __local scalar candidate_rows[(GROUPS + 1) * WIDTH];
    const int item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
    const int first = group * chunk, end = min(first + chunk, rows), eliminated = column - 1, parity = column & 1;
    const candidate none = {(real)-1, INT_MAX};
    __global const scalar *from = group_rows + (1 - parity) * (groups + 1) * WIDTH;
    __global scalar *to = group_rows + parity * (groups + 1) * WIDTH;
    a += a_offset;

    scalar x[WIDTH];
    int row = first + item;
    if (row < end) load_row(x, a + row, column_stride, width);
    candidate best = none;
    if (column > 0) {
        for (int g = item; g < groups; g += THREADS) {
            const int other_row = group_candidates[(1 - parity) * groups + g];
            const scalar other_pivot = from[g * WIDTH + eliminated];
            const candidate other = {pivot_key(other_pivot, other_row == eliminated), other_row};
            if (other_row < rows) best = better_of(best, other);
        }
        for (int e = item; e < (groups + 1) * WIDTH; e += THREADS) candidate_rows[e] = from[e];
    }
    const int pivot_row = best_of_group(best, &search, 0);
    // Before the first search no column is eliminated.
    __local const scalar *pivot_elements = candidate_rows + (column > 0 ? pivot_row / chunk * WIDTH : 0);
    __local const scalar *diagonal = candidate_rows + groups * WIDTH;
    const scalar pivot = column > 0 ? pivot_elements[max(eliminated, 0)] : SCALAR_ONE;
    const bool is_singular = is_zero(pivot);
    const scalar inverse = reciprocal_of(pivot);
    if (column > 0 && group == 0 && item == 0) {
        pivots[pivot_offset + eliminated] = base + pivot_row + 1;
        if (is_singular && info[info_index] == 0) info[info_index] = base + column;
    }

    best = none;
    scalar best_x[WIDTH];
    #pragma unroll
    for (int c = 0; c < WIDTH; c++) best_x[c] = SCALAR_ZERO;
    while (row < end) {
        __global scalar *own = a + row;
        const bool is_pivot_row = column > 0 && row == pivot_row, is_diagonal = row == eliminated;
        if (is_pivot_row || is_diagonal) {
            // swap: the two rows change places, in all columns.
            __local const scalar *partner = is_diagonal ? pivot_elements : diagonal;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                x[c] = partner[c];
                if (c < width && (c < column || is_diagonal)) own[c * column_stride] = x[c];
            }
        }
        if (row > eliminated) {
            scalar factor = SCALAR_ZERO, next = SCALAR_ZERO;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                if (c == eliminated) {
                    x[c] = factor = is_singular ? x[c] : divided(x[c], pivot, inverse);
                    own[c * column_stride] = factor;
                }
            }
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                if (column > 0 && c >= column && c < width) {
                    x[c] = multiply_add(-factor, pivot_elements[c], x[c]);
                    own[c * column_stride] = x[c];
                }
                if (c == column) next = x[c];
            }
            const candidate other = {pivot_key(next, row == column), row};
            best = better_of(best, other);
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                if (best.row == row) best_x[c] = x[c];
                if (row == column) to[groups * WIDTH + c] = x[c];
            }
        }
        row += THREADS;
        if (row < end) load_row(x, a + row, column_stride, width);
    }
    if (column == width) return;

    const int best_row = best_of_group(best, &search, 1);
    if (best_row < rows ? best.row == best_row : item == 0) {
        group_candidates[parity * groups + group] = best_row;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) to[group * WIDTH + c] = best_x[c];
    }
}
