// potrf of a diagonal block, and trtri of its factor, by one work-item.
#pragma once

// Rows and columns of the block, at most.
#ifndef WIDTH
#define WIDTH 8
#endif

#include "common/scalar.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void potrf_block(int order, __global scalar *a, long a_offset,
                                                                         long row_stride, long column_stride,
                                                                         __global scalar *inverse, int base,
                                                                         __global int *info, long info_index)
{
    // Columns of the factor, and of its inverse.
    scalar l[WIDTH * WIDTH];
    scalar x[WIDTH * WIDTH];
    bool has_failed = info[info_index] != 0;
    a += a_offset;
    for (int e = 0; e < WIDTH * WIDTH; e++) x[e] = SCALAR_ZERO;
    for (int j = 0; j < order && !has_failed; j++) {
        scalar *column = l + j * WIDTH;
        for (int i = j; i < order; i++) column[i] = a[i * row_stride + j * column_stride];
        for (int k = 0; k < j; k++) {
            const scalar *other = l + k * WIDTH;
            const scalar factor = -conjugate_if(1, other[j]);
            for (int i = j; i < order; i++) column[i] = multiply_add(factor, other[i], column[i]);
        }
        const real pivot = real_part(column[j]);
        has_failed = !(pivot > 0);
        const real root = has_failed ? pivot : sqrt(pivot), inverse_root = 1 / root;
        column[j] = from_real(root);
        a[j * (row_stride + column_stride)] = column[j];
        if (has_failed) {
            info[info_index] = base + j + 1;
            break;
        }
        for (int i = j + 1; i < order; i++) {
            column[i] = column[i] * inverse_root;
            a[i * row_stride + j * column_stride] = column[i];
        }
    }
    for (int j = 0; j < order && !has_failed; j++) {
        scalar *column = x + j * WIDTH;
        column[j] = SCALAR_ONE;
        for (int k = j; k < order; k++) {
            column[k] = column[k] / real_part(l[k * WIDTH + k]);
            const scalar factor = -column[k];
            for (int i = k + 1; i < order; i++) column[i] = multiply_add(factor, l[k * WIDTH + i], column[i]);
        }
    }
    for (int i = 0; i < WIDTH; i++)
        for (int c = 0; c < WIDTH; c++) inverse[i * WIDTH + c] = has_failed ? SCALAR_ZERO : x[c * WIDTH + i];
}
