// getf2 of each matrix of a batch, or of a panel of its columns. A team of TEAM work-items has one row each, in
// registers. Rows do not move: `position` says where a row belongs, and it is stored there at the end.
//
// STEP columns at a time are eliminated one by one. Then each row's elements move up by STEP, so that the next columns
// are first in the registers; finished columns come last.
//
// Pivots count from 1 + `base`. The info becomes the index of the first zero pivot, or 0; of a panel that is not a
// matrix's first one, only if it was 0.
#pragma once

// Work-items of a team, and rows, at most: a power of two, at least 4.
#ifndef TEAM
#define TEAM 16
#endif

// Teams of a work-group.
#ifndef TEAMS
#define TEAMS 4
#endif

// Columns, at most: a multiple of STEP.
#ifndef WIDTH
#define WIDTH 16
#endif

// Columns that are eliminated before the registers shift.
#ifndef STEP
#define STEP 4
#endif

#include "common/divide.cl"
#include "lapack/lu/candidate.cl"
#include "blas/level3/batched/offsets.cl"

#define THREADS (TEAM * TEAMS)
// Candidates that a work-item compares in the first level of the pivot search, and the results of that level.
#define FANIN (TEAM <= 8 ? TEAM : TEAM <= 32 ? 4 : TEAM <= 64 ? 8 : 16)
#define RESULTS (TEAM / FANIN)

typedef struct {
    real keys[TEAM], better_keys[RESULTS];
    int rows[TEAM], better_rows[RESULTS];
} search_workspace;

// The row of a team's best candidate, the same for all its work-items.
inline int best_in_team(candidate own, __local search_workspace *workspace)
{
    const int item = get_local_id(0) % TEAM, reducer = item % RESULTS;
    workspace->keys[item] = own.key;
    workspace->rows[item] = own.row;
    barrier(CLK_LOCAL_MEM_FENCE);
    candidate best = {workspace->keys[reducer], workspace->rows[reducer]};
    #pragma unroll
    for (int i = 1; i < FANIN; i++) {
        const candidate other = {workspace->keys[reducer + i * RESULTS], workspace->rows[reducer + i * RESULTS]};
        best = better_of(best, other);
    }
    if (item < RESULTS) {
        workspace->better_keys[item] = best.key;
        workspace->better_rows[item] = best.row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    best.key = workspace->better_keys[0];
    best.row = workspace->better_rows[0];
    #pragma unroll
    for (int i = 1; i < RESULTS; i++) {
        const candidate other = {workspace->better_keys[i], workspace->better_rows[i]};
        best = better_of(best, other);
    }
    return best.row;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void getrf_batched(
    int rows, int columns, __global scalar *a, long a_offset, long row_stride, long column_stride, int base,
    __global int *pivots, long pivot_offset, long pivot_stride, __global int *info, long info_offset, BATCH_PARAMETERS,
    long a_spacing)
{
    __local search_workspace workspaces[TEAMS];
    __local scalar pivot_rows[TEAMS][WIDTH];
    const int team = get_local_id(0) / TEAM, row = get_local_id(0) % TEAM;
    const long matrix = (long)get_group_id(0) * TEAMS + team;
    const bool has_matrix = matrix < count;
    const int height = has_matrix ? rows : 0, steps = min(height, columns);
    __local scalar *pivot_row = pivot_rows[team];
    if (has_matrix) a += a_offset + offset_in_batch(matrix, a_spacing);

    scalar x[WIDTH];
    #pragma unroll
    for (int c = 0; c < WIDTH; c++)
        x[c] = row < height && c < columns ? a[row * row_stride + c * column_stride] : SCALAR_ZERO;
    int position = row, singular = 0;
    #pragma unroll 1
    for (int done = 0; done < WIDTH; done += STEP) {
        #pragma unroll
        for (int s = 0; s < STEP; s++) {
            const int j = done + s;
            const bool is_pivot_step = j < steps, is_active = position >= j && position < height;
            const candidate own = {is_active ? pivot_key(x[s], position == j) : (real)-2,
                                   is_active ? position : INT_MAX};
            const int best = best_in_team(own, &workspaces[team]);
            if (is_pivot_step && position == best) {
                #pragma unroll
                for (int g = 0; g < WIDTH; g += STEP) {
                    if (done + g < WIDTH) {
                        #pragma unroll
                        for (int c = g; c < g + STEP; c++) pivot_row[c] = x[c];
                    }
                }
            }
            // All work-items have read the matrix before any element is written.
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            if (is_pivot_step) {
                const scalar pivot = pivot_row[s];
                const bool is_singular = is_zero(pivot);
                const scalar inverse = reciprocal_of(pivot);
                if (is_singular && singular == 0) singular = base + j + 1;
                if (row == 0) pivots[pivot_offset + matrix * pivot_stride + j] = base + best + 1;
                position = position == best ? j : position == j ? best : position;
                if (position > j && position < height) {
                    if (!is_singular) x[s] = divided(x[s], pivot, inverse);
                    #pragma unroll
                    for (int c = s + 1; c < STEP; c++) x[c] = multiply_add(-x[s], pivot_row[c], x[c]);
                    #pragma unroll
                    for (int g = STEP; g < WIDTH; g += STEP) {
                        if (done + g < columns) {
                            #pragma unroll
                            for (int c = g; c < g + STEP; c++) x[c] = multiply_add(-x[s], pivot_row[c], x[c]);
                        }
                    }
                }
            }
        }
        scalar first[STEP];
        #pragma unroll
        for (int c = 0; c < STEP; c++) first[c] = x[c];
        #pragma unroll
        for (int c = 0; c < WIDTH - STEP; c++) x[c] = x[c + STEP];
        #pragma unroll
        for (int c = 0; c < STEP; c++) x[WIDTH - STEP + c] = first[c];
    }
    #pragma unroll
    for (int c = 0; c < WIDTH; c++)
        if (row < height && c < columns) a[position * row_stride + c * column_stride] = x[c];
    if (has_matrix && row == 0 && (base == 0 || info[info_offset + matrix] == 0)) info[info_offset + matrix] = singular;
}
