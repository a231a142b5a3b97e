// The portable kernel for structured operands and targets: portable.cl with other reads of A and B, fewer values of k,
// and fewer stores to C.

// Rows of C per work-item.
#ifndef WORK_M
#define WORK_M 4
#endif

// Columns of C per work-item.
#ifndef WORK_N
#define WORK_N 4
#endif

#include "blas/level3/gemm/structure.cl"

__kernel void gemm_portable_structured(
    long m, long n, long k, scalar alpha, OPERAND(a), OPERAND(b), scalar beta, __global scalar *restrict c,
    long c_offset,
    long c_row_stride, long c_column_stride, int c_upper, long c_diagonal)
{
    const long row = get_global_id(0) * WORK_M;
    const long column = get_global_id(1) * WORK_N;
    if (row >= m || column >= n || !is_any_wanted(row, column, WORK_M, WORK_N)) return;
    a += a_offset;
    b += b_offset;
    c += c_offset;

    scalar acc[WORK_M][WORK_N];
    for (int i = 0; i < WORK_M; i++)
        for (int j = 0; j < WORK_N; j++) acc[i][j] = SCALAR_ZERO;

    const long k_begin = max(k_from(A_STRUCTURE, a_upper, a_diagonal, row),
                                 k_from(B_STRUCTURE, b_upper, b_diagonal, column));
    const long k_end = min(k_to(A_STRUCTURE, a_upper, a_diagonal, row + WORK_M, k),
                               k_to(B_STRUCTURE, b_upper, b_diagonal, column + WORK_N, k));
    for (long p = k_begin; p < k_end; p++) {
        scalar a_value[WORK_M], b_value[WORK_N];
        for (int i = 0; i < WORK_M; i++)
            a_value[i] = structured_element(A_STRUCTURE, a, min(row + i, m - 1), p, a_along_stride, a_k_stride,
                                            a_conjugate, a_upper, a_diagonal);
        for (int j = 0; j < WORK_N; j++)
            b_value[j] = structured_element(B_STRUCTURE, b, min(column + j, n - 1), p, b_along_stride, b_k_stride,
                                            b_conjugate, b_upper, b_diagonal);
        for (int i = 0; i < WORK_M; i++)
            for (int j = 0; j < WORK_N; j++) acc[i][j] = multiply_add(a_value[i], b_value[j], acc[i][j]);
    }

    for (int j = 0; j < WORK_N && column + j < n; j++)
        for (int i = 0; i < WORK_M && row + i < m; i++) {
            if (!is_wanted(row + i, column + j)) continue;
            __global scalar *element = c + (row + i) * c_row_stride + (column + j) * c_column_stride;
            *element = target_value(acc[i][j], alpha, beta, element, row + i - (column + j) == c_diagonal);
        }
}
