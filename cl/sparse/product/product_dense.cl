// SpMM, C := alpha A B + beta C for dense B and C: a work-item for each row and COLUMNS columns of C.
#pragma once

// The matrix is conj(A).
#ifndef CONJUGATED
#define CONJUGATED 0
#endif

// Columns of a work-item.
#ifndef COLUMNS
#define COLUMNS 4
#endif

// Adjacent work-items have adjacent rows, else adjacent columns.
#ifndef ROWS_FIRST
#define ROWS_FIRST 0
#endif

#include "sparse/matrix.cl"

__kernel void product_dense(MATRIX_PARAMETERS, long columns, scalar alpha, __global const scalar *restrict b,
                            long b_offset, long b_row_stride, long b_column_stride, scalar beta,
                            __global scalar *restrict c, long c_offset, long c_row_stride, long c_column_stride)
{
    MATRIX_BEGIN;
    const long row = get_global_id(ROWS_FIRST ? 0 : 1), first = (long)get_global_id(ROWS_FIRST ? 1 : 0) * COLUMNS;
    if (row >= rows || first >= columns) return;
    b += b_offset + first * b_column_stride;
    c += c_offset + row * c_row_stride + first * c_column_stride;
    const int count = (int)min((long)COLUMNS, columns - first);
    const long end = is_zero(alpha) ? row_ptr[row] : row_ptr[row + 1];
    scalar sum[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) sum[j] = SCALAR_ZERO;
    if (count == COLUMNS) {
        for (long entry = row_ptr[row]; entry < end; entry++) {
            const scalar value = conjugate_if(CONJUGATED, values[entry]);
            __global const scalar *b_row = b + indices[entry] * b_row_stride;
            #pragma unroll
            for (int j = 0; j < COLUMNS; j++) sum[j] = multiply_add(value, b_row[j * b_column_stride], sum[j]);
        }
    } else {
        for (long entry = row_ptr[row]; entry < end; entry++) {
            const scalar value = conjugate_if(CONJUGATED, values[entry]);
            __global const scalar *b_row = b + indices[entry] * b_row_stride;
            for (int j = 0; j < count; j++) sum[j] = multiply_add(value, b_row[j * b_column_stride], sum[j]);
        }
    }
    for (int j = 0; j < count; j++) {
        __global scalar *target = c + j * c_column_stride;
        *target = accumulate(is_zero(alpha) ? SCALAR_ZERO : multiply(alpha, sum[j]), beta, target);
    }
}
