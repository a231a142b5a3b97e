// geqr2 of each matrix of a batch in global memory, by a work-group. The work-items compute a column's norm together,
// and have one column right of it each.
#pragma once

// Work-items of a group: a multiple of REDUCERS.
#ifndef THREADS
#define THREADS 64
#endif

#include "lapack/qr/larfg.cl"
#include "lapack/qr/group_squares.cl"
#include "lapack/qr/range_scaling.cl"
#include "blas/level3/batched/offsets.cl"

#define GLOBAL_AND_LOCAL (CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void geqrf_batched(
    int rows, int columns, __global scalar *a, long a_offset, long row_stride, long column_stride, __global scalar *tau,
    long tau_offset, long tau_stride, BATCH_PARAMETERS, long a_spacing)
{
    __local squares sums[THREADS], level_sums[REDUCERS];
    const int item = get_local_id(0);
    const long matrix = get_group_id(0);
    const int steps = min(rows, columns);
    a += a_offset + offset_in_batch(matrix, a_spacing);
    // A work-item scales its own columns: bit k is for the k-th of them.
    ulong scaled_mask = 0;
    for (int c = item, k = 0; c < columns && k < 64; c += THREADS, k++) {
        if (excess_of(a + c * column_stride, 0, 1, rows, row_stride) == 1) {
            scaled_mask |= 1UL << k;
            scale_column(a + c * column_stride, 0, 1, rows, row_stride, SCALE_COLUMN);
        }
    }
    barrier(GLOBAL_AND_LOCAL);
    for (int j = 0; j < steps; j++) {
        __global scalar *v = a + j * column_stride;
        squares sum = no_squares();
        for (int i = j + 1 + item; i < rows; i += THREADS) sum = squares_of(sum, v[i * row_stride]);
        sum = reduce_squares(sum, sums, level_sums);
        const reflector h = larfg(v[j * row_stride], sum);
        const scalar inverse = reciprocal_of(h.divisor);
        for (int i = j + 1 + item; i < rows; i += THREADS)
            v[i * row_stride] = divided(v[i * row_stride] * h.scale, h.divisor, inverse);
        barrier(GLOBAL_AND_LOCAL);
        if (item == 0) {
            v[j * row_stride] = from_real(h.beta);
            tau[tau_offset + matrix * tau_stride + j] = h.tau;
        }
        for (int c = j + 1 + item; c < columns; c += THREADS) {
            __global scalar *other = a + c * column_stride;
            scalar product = other[j * row_stride];
            for (int i = j + 1; i < rows; i++)
                product = multiply_add(conjugate_if(1, v[i * row_stride]), other[i * row_stride], product);
            const scalar factor = -multiply(conjugate_if(1, h.tau), product);
            other[j * row_stride] += factor;
            for (int i = j + 1; i < rows; i++)
                other[i * row_stride] = multiply_add(factor, v[i * row_stride], other[i * row_stride]);
        }
        barrier(GLOBAL_AND_LOCAL);
    }
    for (int c = item, k = 0; scaled_mask >> k != 0; c += THREADS, k++) {
        if (scaled_mask >> k & 1)
            scale_column(a + c * column_stride, 0, 1, min(rows, c + 1), row_stride, 1 / SCALE_COLUMN);
        if (k == 63) break;
    }
}
