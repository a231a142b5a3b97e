// C := alpha*A*B + beta*C on any OpenCL 1.2 device: no local memory, no barriers, no vectors.
// A is m x k, B is k x n, each with any strides between rows and columns. C is column-major.
// A work-item computes WORK_M x WORK_N elements of C. At the edges it repeats the last row or column instead of reading
// past the end, and does not store the result.

// Rows of C per work-item.
#ifndef WORK_M
#define WORK_M 4
#endif

// Columns of C per work-item.
#ifndef WORK_N
#define WORK_N 4
#endif

#include "common/scalar.cl"

__kernel void gemm_portable(
    long m, long n, long k, scalar alpha,
    __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,
    scalar beta, __global scalar *restrict c, long c_offset, long c_row_stride, long c_column_stride)
{
    const long row = get_global_id(0) * WORK_M;
    const long column = get_global_id(1) * WORK_N;
    if (row >= m || column >= n) return;
    a += a_offset;
    b += b_offset;
    c += c_offset;

    long a_row[WORK_M], b_column[WORK_N];
    scalar acc[WORK_M][WORK_N];
    for (int i = 0; i < WORK_M; i++) a_row[i] = min(row + i, m - 1) * a_row_stride;
    for (int j = 0; j < WORK_N; j++) b_column[j] = min(column + j, n - 1) * b_column_stride;
    for (int i = 0; i < WORK_M; i++)
        for (int j = 0; j < WORK_N; j++) acc[i][j] = SCALAR_ZERO;

    for (long p = 0; p < k; p++) {
        scalar a_value[WORK_M], b_value[WORK_N];
        for (int i = 0; i < WORK_M; i++) {
            const scalar value = a[a_row[i] + p * a_column_stride];
            a_value[i] = conjugate_if(a_conjugate, value);
        }
        for (int j = 0; j < WORK_N; j++) {
            const scalar value = b[b_column[j] + p * b_row_stride];
            b_value[j] = conjugate_if(b_conjugate, value);
        }
        for (int i = 0; i < WORK_M; i++)
            for (int j = 0; j < WORK_N; j++) acc[i][j] = multiply_add(a_value[i], b_value[j], acc[i][j]);
    }

    for (int j = 0; j < WORK_N && column + j < n; j++)
        for (int i = 0; i < WORK_M && row + i < m; i++) {
            __global scalar *element = c + (row + i) * c_row_stride + (column + j) * c_column_stride;
            *element = accumulate(scale_by(alpha, acc[i][j]), beta, element);
        }
}
