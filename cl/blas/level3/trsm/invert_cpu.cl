// The inverses of a lower triangular matrix's diagonal blocks on a CPU: a work-item per vector of columns of an inverse.
// Inverse p begins at inverse[p * block * (block + 1)], its rows `block` elements apart; above the diagonal it has zeros.
// Parameters: VECTOR_WIDTH, BLOCK (at least the rows of a block).

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void trsm_invert(
    long n, int unit, __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride,
    int a_conjugate, __global scalar *restrict inverse, long block)
{
    vector x[BLOCK];
    const long parts = (block + WIDTH - 1) / WIDTH;
    const long first = get_group_id(0) / parts * block, column = get_group_id(0) % parts * WIDTH;
    const long size = min(block, n - first), columns = min((long)WIDTH, size - column);
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
}
