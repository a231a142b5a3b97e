// A X = alpha*B for each lower triangular A of a batch, of at most BASE rows, X in B's place, on a CPU: a work-item per
// few matrices, which takes a vector of B's columns at a time into private memory. Strides may be negative: an upper
// triangular matrix is a lower one with its rows and columns reversed.

// Rows of A, at most.
#ifndef BASE
#define BASE 32
#endif

#include "blas/level3/batched/offsets.cl"
#include "blas/level3/trsm/substitute_cpu.cl"

// A vector of a row of B: whole, and adjacent in memory, or element by element.
inline void take_columns(long rows, long columns, scalar alpha, __global const scalar *b, long row_stride,
                         long column_stride, vector *x)
{
    const bool adjacent = column_stride == 1 && columns == WIDTH;
    for (long i = 0; i < rows; i++) {
        if (adjacent) {
            x[i] = load_vector((__global const real *)(b + i * row_stride));
        } else {
            x[i] = (vector)(0);
            for (long j = 0; j < columns; j++) ((scalar *)(x + i))[j] = b[i * row_stride + j * column_stride];
        }
        x[i] = scale_vector(alpha, x[i]);
    }
}

inline void give_columns(long rows, long columns, const vector *x, __global scalar *b, long row_stride,
                         long column_stride)
{
    const bool adjacent = column_stride == 1 && columns == WIDTH;
    for (long i = 0; i < rows; i++) {
        if (adjacent) {
            store_vector(x[i], (__global real *)(b + i * row_stride));
        } else {
            for (long j = 0; j < columns; j++) b[i * row_stride + j * column_stride] = ((const scalar *)(x + i))[j];
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void trsm_batched(
    long n, long columns, int unit, scalar alpha, __global const scalar *restrict a, long a_offset, long a_row_stride,
    long a_column_stride, int a_conjugate, __global scalar *restrict b, long b_offset, long b_row_stride,
    long b_column_stride, BATCH_PARAMETERS, long a_spacing, long b_spacing, long per_item)
{
    vector x[BASE];
    const long first = get_group_id(0) * per_item, last = min(count, first + per_item);
    for (long matrix = first; matrix < last; matrix++) {
        __global const scalar *a_matrix = a + a_offset + offset_in_batch(matrix, a_spacing);
        __global scalar *b_matrix = b + b_offset + offset_in_batch(matrix, b_spacing);
        for (long j = 0; j < columns; j += WIDTH) {
            const long width = min((long)WIDTH, columns - j);
            take_columns(n, width, alpha, b_matrix + j * b_column_stride, b_row_stride, b_column_stride, x);
            substitute(0, n, unit, a_matrix, a_row_stride, a_column_stride, a_conjugate, x);
            give_columns(n, width, x, b_matrix + j * b_column_stride, b_row_stride, b_column_stride);
        }
    }
}
