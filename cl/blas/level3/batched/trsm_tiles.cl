// A X = alpha*B for each lower triangular A of a batch, of at most BASE rows, X in B's place, on a GPU: a work-group
// per matrix and COLUMNS columns of B, in local memory. Each of its COLUMNS work-items substitutes in one of them.
// Strides may be negative: an upper triangular matrix is a lower one with its rows and columns reversed.

// Rows of A, at most.
#ifndef BASE
#define BASE 32
#endif

// Columns of B of a work-group, and its work-items.
#ifndef COLUMNS
#define COLUMNS 32
#endif

#include "common/divide.cl"
#include "blas/level3/batched/offsets.cl"

#define PITCH (BASE + 1)
#define X_PITCH (COLUMNS + 1)

__kernel __attribute__((reqd_work_group_size(COLUMNS, 1, 1))) void trsm_batched(
    long n, long columns, int unit, scalar alpha, __global const scalar *restrict a, long a_offset, long a_row_stride,
    long a_column_stride, int a_conjugate, __global scalar *restrict b, long b_offset, long b_row_stride,
    long b_column_stride, BATCH_PARAMETERS, long a_spacing, long b_spacing)
{
    __local scalar tile[BASE * PITCH], inverse[BASE], x[BASE * X_PITCH];
    const long chunks = (columns + COLUMNS - 1) / COLUMNS;
    const long matrix = get_group_id(0) / chunks, first = get_group_id(0) % chunks * COLUMNS;
    const int item = get_local_id(0), rows = (int)n, width = (int)min((long)COLUMNS, columns - first);
    a += a_offset + offset_in_batch(matrix, a_spacing);
    b += b_offset + offset_in_batch(matrix, b_spacing) + first * b_column_stride;

    // Neighbouring work-items read neighbouring elements.
    const bool a_down = a_row_stride == 1 || a_row_stride == -1, b_down = b_row_stride == 1 || b_row_stride == -1;
    for (int e = item; e < rows * rows; e += COLUMNS) {
        const int i = a_down ? e % rows : e / rows, k = a_down ? e / rows : e % rows;
        if (k < i || (k == i && !unit)) {
            scalar value = a[i * a_row_stride + k * a_column_stride];
            value = conjugate_if(a_conjugate, value);
            tile[i * PITCH + k] = value;
            if (k == i) inverse[i] = reciprocal_of(value);
        }
    }
    for (int e = item; e < rows * width; e += COLUMNS) {
        const int i = b_down ? e % rows : e / width, j = b_down ? e / rows : e % width;
        x[i * X_PITCH + j] = scale_by(alpha, b[i * b_row_stride + j * b_column_stride]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width) {
        for (int i = 0; i < rows; i++) {
            scalar sum = x[i * X_PITCH + item];
            for (int k = 0; k < i; k++) sum = multiply_add(-tile[i * PITCH + k], x[k * X_PITCH + item], sum);
            x[i * X_PITCH + item] = unit ? sum : solved(sum, tile[i * PITCH + i], inverse[i]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < rows * width; e += COLUMNS) {
        const int i = b_down ? e % rows : e / width, j = b_down ? e / rows : e % width;
        b[i * b_row_stride + j * b_column_stride] = x[i * X_PITCH + j];
    }
}
