// Inverses of the diagonal blocks of BLOCK rows of a lower triangular matrix on a CPU: a work-item per vector of
// columns of an inverse. Products join larger blocks from these.
//
// Inverse p begins at inverse[p * BLOCK * (block + 1)], its rows `block` elements apart: on the diagonal of one of the
// larger blocks, whose elements above it become zeros.

// Rows of a diagonal block.
#ifndef BLOCK
#define BLOCK 32
#endif

#include "blas/level3/trsm/substitute_cpu.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void trsm_invert(
    long n, int unit, __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride,
    int a_conjugate, __global scalar *restrict inverse, long block)
{
    vector x[BLOCK];
    const long parts = (BLOCK + WIDTH - 1) / WIDTH;
    const long first = get_group_id(0) / parts * BLOCK, column = get_group_id(0) % parts * WIDTH;
    const long right = min(block, n - first / block * block) - first % block;
    const long size = min((long)BLOCK, n - first), columns = min((long)WIDTH, size - column);
    if (columns <= 0) return;
    a += a_offset + first * (a_row_stride + a_column_stride);
    inverse += first * (block + 1) + column;

    for (long i = 0; i < size; i++) x[i] = (vector)(0);
    for (long j = 0; j < columns; j++) ((real *)(x + column + j))[j * PARTS] = 1;
    substitute(column, size, unit, a, a_row_stride, a_column_stride, a_conjugate, x);
    for (long i = 0; i < size; i++) {
        if (columns == WIDTH) {
            store_vector(x[i], (__global real *)(inverse + i * block));
        } else {
            for (long j = 0; j < columns; j++) inverse[i * block + j] = ((const scalar *)(x + i))[j];
        }
    }
    if (column > 0) return;
    for (long i = 0; i < size; i++)
        for (long j = BLOCK; j < right; j++) inverse[i * block + j] = SCALAR_ZERO;
}
