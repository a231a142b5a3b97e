// potrf of each matrix of a batch: the lower triangle becomes L, from column `first` on. A team of TEAM work-items has
// one row each, from row `first` on, in registers. With LEFT, the columns of L before `first` are subtracted first.
//
// STEP columns at a time are eliminated one by one. Then each row's elements move up by STEP, so that the next columns
// are first in the registers; finished columns come last.
//
// If a pivot is not positive, the info becomes its index, from 1; of the columns from it on, only the pivot itself
// is written. Otherwise the info becomes 0. A matrix whose info is not 0 already is skipped.
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

// There are columns of L before `first`.
#ifndef LEFT
#define LEFT 0
#endif

#include "lapack/cholesky/sqrt.cl"
#include "blas/level3/batched/offsets.cl"

#define THREADS (TEAM * TEAMS)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void potrf_batched(
    int order, int first, __global scalar *a, long a_offset, long row_stride, long column_stride, __global int *info,
    long info_offset, BATCH_PARAMETERS, long a_spacing)
{
    // The pivot's column, conjugated, double-buffered.
    __local scalar steps[2][TEAMS][WIDTH];
#if LEFT
    __local scalar before[TEAMS][WIDTH][WIDTH];
#endif
    const int team = get_local_id(0) / TEAM, row = get_local_id(0) % TEAM;
    const long matrix = (long)get_group_id(0) * TEAMS + team;
    const bool has_matrix = matrix < count;
    const int height = has_matrix ? order - first : 0, width = min(height, WIDTH);
    bool failed = LEFT && has_matrix && info[info_offset + matrix] != 0;
    int valid = failed ? 0 : width, info_value = 0;
    real failed_pivot = 0;
    if (has_matrix) a += a_offset + offset_in_batch(matrix, a_spacing);
    __global scalar *own = a + (first + row) * row_stride;

    scalar x[WIDTH];
    #pragma unroll
    for (int c = 0; c < WIDTH; c++)
        x[c] = row < height && c <= row && c < width ? own[(first + c) * column_stride] : SCALAR_ZERO;
#if LEFT
    for (int left = 0; left < first; left += WIDTH) {
        for (int e = row; e < WIDTH * WIDTH; e += TEAM) {
            const int c = e % WIDTH, k = e / WIDTH;
            const scalar value = c < width ? a[(first + c) * row_stride + (left + k) * column_stride] : SCALAR_ZERO;
            before[team][k][c] = conjugate_if(1, value);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll 4
        for (int k = 0; k < WIDTH; k++) {
            const scalar factor = row < height ? -own[(left + k) * column_stride] : SCALAR_ZERO;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) x[c] = multiply_add(factor, before[team][k][c], x[c]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    #pragma unroll 1
    for (int done = 0; done < WIDTH; done += STEP) {
        #pragma unroll
        for (int s = 0; s < STEP; s++) {
            const int j = done + s;
            __local scalar *step = steps[s & 1][team];
            if (row >= j && row < WIDTH) step[row] = conjugate_if(1, x[s]);
            // All work-items have read the matrix before any element is written.
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            const real pivot = real_part(step[j]);
            if (j < width && !failed && !(pivot > 0)) {
                failed = true;
                valid = j;
                info_value = first + j + 1;
                failed_pivot = pivot;
            }
            if (j < width && !failed && row >= j) {
                real inverse_root;
                const real root = sqrt_and_rsqrt(pivot, &inverse_root);
                x[s] = row == j ? from_real(root) : x[s] * inverse_root;
                if (row > j) {
                    const scalar factor = -x[s] * inverse_root;
                    #pragma unroll
                    for (int c = s + 1; c < STEP; c++) x[c] = multiply_add(factor, step[done + c], x[c]);
                    #pragma unroll
                    for (int g = STEP; g < WIDTH; g += STEP) {
                        if (done + g < width) {
                            #pragma unroll
                            for (int c = g; c < g + STEP; c++) x[c] = multiply_add(factor, step[done + c], x[c]);
                        }
                    }
                }
            }
        }
        scalar finished[STEP];
        #pragma unroll
        for (int c = 0; c < STEP; c++) finished[c] = x[c];
        #pragma unroll
        for (int c = 0; c < WIDTH - STEP; c++) x[c] = x[c + STEP];
        #pragma unroll
        for (int c = 0; c < STEP; c++) x[WIDTH - STEP + c] = finished[c];
    }
    // From the last column to the first, so that the compiler does not keep all addresses of the loads.
    own += (first + WIDTH - 1) * column_stride;
    #pragma unroll
    for (int c = WIDTH - 1; c >= 0; c--) {
        if (row < height && c <= row && c < valid) *own = x[c];
        own -= column_stride;
    }
    if (row == 0 && info_value != 0) a[(info_value - 1) * (row_stride + column_stride)] = from_real(failed_pivot);
    const bool writes = LEFT ? info_value != 0 : has_matrix;
    if (row == 0 && writes) info[info_offset + matrix] = info_value;
}
