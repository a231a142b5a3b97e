// geqr2 of each matrix of a batch on a CPU. Columns are contiguous; a work-item has a few matrices.
#pragma once

#include "lapack/qr/level1_cpu.cl"
#include "lapack/qr/range_scaling.cl"
#include "blas/level3/batched/offsets.cl"

// 64-bit masks of scaled columns. Columns beyond these masks are never scaled.
#define MASKS 8

inline void geqr2(int rows, int columns, __global scalar *a, long column_stride, __global scalar *tau)
{
    const int steps = min(rows, columns);
    // A bit for each column.
    ulong scaled_mask[MASKS];
    for (int c = 0; c < min(columns, 64 * MASKS); c++) {
        if (c % 64 == 0) scaled_mask[c / 64] = 0;
        if (excess_of(a + c * column_stride, 0, 1, rows, 1) == 1) {
            scaled_mask[c / 64] |= 1UL << c % 64;
            scale_column(a + c * column_stride, 0, 1, rows, 1, SCALE_COLUMN);
        }
    }
    for (int j = 0; j < steps; j++) {
        __global scalar *v = a + j * column_stride + j;
        const int rest = rows - j - 1;
        const reflector h = larfg(*v, squares_of_all(v + 1, rest));
        *v = from_real(h.beta);
        tau[j] = h.tau;
        const scalar inverse = reciprocal_of(h.divisor);
        for (int i = 1; i <= rest; i++) v[i] = divided(v[i] * h.scale, h.divisor, inverse);
        for (int c = j + 1; c < columns; c++) {
            __global scalar *other = a + c * column_stride + j;
            const scalar factor = -multiply(conjugate_if(1, h.tau), *other + dotc(v + 1, other + 1, rest));
            *other += factor;
            axpy(factor, v + 1, other + 1, rest);
        }
    }
    for (int c = 0; c < min(columns, 64 * MASKS); c++) {
        if (scaled_mask[c / 64] >> c % 64 & 1)
            scale_column(a + c * column_stride, 0, 1, min(rows, c + 1), 1, 1 / SCALE_COLUMN);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void geqrf_batched(
    int rows, int columns, __global scalar *a, long a_offset, long column_stride, __global scalar *tau, long tau_offset,
    long tau_stride, BATCH_PARAMETERS, long a_spacing, long per_item)
{
    const long first = get_group_id(0) * per_item, last = min(count, first + per_item);
    for (long matrix = first; matrix < last; matrix++)
        geqr2(rows, columns, a + a_offset + offset_in_batch(matrix, a_spacing), column_stride,
                        tau + tau_offset + matrix * tau_stride);
}
