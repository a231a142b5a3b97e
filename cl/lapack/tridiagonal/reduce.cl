// The coarse system of a tridiagonal one. Dimension 1 has the blocks of right-hand sides, each twice: downwards, which
// gives a part's last unknown its row, and upwards, which gives it to the first one.
#pragma once

#include "lapack/tridiagonal/part.cl"

__kernel void reduce(
    long n, long columns, long parts, __global const scalar *dl, long dl_offset, __global const scalar *d,
    long d_offset, __global const scalar *du, long du_offset, __global const scalar *b, long b_offset, long row_stride,
    long column_stride, __global scalar *coarse_dl, __global scalar *coarse_d, __global scalar *coarse_du,
    __global scalar *coarse_b)
{
    const long part = get_global_id(0), first_column = (long)(get_global_id(1) / 2) * COLUMNS;
    const int downwards = get_global_id(1) % 2 == 0, step = downwards ? 1 : -1;
    if (part >= parts) return;
    const matrix_type a = {dl + dl_offset, d + d_offset, du + du_offset, n};
    const long first = first_row(n, parts, part), last = first_row(n, parts, part + 1) - 1;
    long k = downwards ? first + 1 : last - 1;
    row_type row;
    row.spike = downwards ? left_of(&a, k) : right_of(&a, k);
    row.own = a.d[k];
    row.ahead = downwards ? right_of(&a, k) : left_of(&a, k);
    for (int c = 0; c < COLUMNS; c++)
        row.b[c] = b[b_offset + k * row_stride + own_column(first_column, c, columns) * column_stride];
    for (long i = first + 1; i < last; i++) {
        k += step;
        scalar right[COLUMNS];
        for (int c = 0; c < COLUMNS; c++)
            right[c] = b[b_offset + k * row_stride + own_column(first_column, c, columns) * column_stride];
        const scalar left = left_of(&a, k), beside = right_of(&a, k);
        eliminate(&row, downwards ? left : beside, a.d[k], downwards ? beside : left, right);
    }
    const long coarse = 2 * part + downwards, order = 2 * parts;
    for (int c = 0; c < COLUMNS; c++) coarse_b[coarse + own_column(first_column, c, columns) * order] = row.b[c];
    if (first_column > 0) return;
    const scalar left = downwards ? row.spike : row.ahead, right = downwards ? row.ahead : row.spike;
    coarse_d[coarse] = row.own;
    if (coarse > 0) coarse_dl[coarse - 1] = left;
    if (coarse < order - 1) coarse_du[coarse] = right;
}
