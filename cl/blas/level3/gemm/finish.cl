// Steps of a product besides multiplying: C := beta*C, the sum of partial products, a dense copy of an operand.

#include "blas/level3/gemm/structure.cl"

#if TARGET
#define TARGET_PARAMETERS , int c_upper, long c_diagonal
#define is_on_diagonal(i, j) ((i) - (j) == c_diagonal)
#else
#define TARGET_PARAMETERS
#define is_on_diagonal(i, j) false
#endif

// The element (i, j) of a work-item. Work-groups stand in one dimension, since devices limit the number in others:
// along a column, then along the next.
#define DECLARE_ELEMENT(m)                                                         \
    const long blocks = ((m) + get_local_size(0) - 1) / get_local_size(0);         \
    const long i = get_group_id(0) % blocks * get_local_size(0) + get_local_id(0); \
    const long j = get_group_id(0) / blocks;

// C := beta*C, over the m x n matrix C. With beta = 0, C is set to zero without being read.
__kernel void gemm_scale(long m, long n, scalar beta, __global scalar *restrict c, long c_offset, long c_row_stride,
                         long c_column_stride TARGET_PARAMETERS)
{
    DECLARE_ELEMENT(m)
    if (i >= m || j >= n || !is_wanted(i, j)) return;
    __global scalar *element = c + c_offset + i * c_row_stride + j * c_column_stride;
    *element = target_value(SCALAR_ZERO, SCALAR_ZERO, beta, element, is_on_diagonal(i, j));
}

// C := alpha*(P[0] + P[1] + ... ) + beta*C, the partial products in order of their number, so that the result has the
// same bits in every run. Each P is m x n, column-major and dense.
__kernel void gemm_sum(long m, long n, long parts, scalar alpha, __global const scalar *restrict partial, scalar beta,
                       __global scalar *restrict c, long c_offset, long c_row_stride,
                       long c_column_stride TARGET_PARAMETERS)
{
    DECLARE_ELEMENT(m)
    if (i >= m || j >= n || !is_wanted(i, j)) return;
    scalar sum = SCALAR_ZERO;
    for (long part = 0; part < parts; part++) sum += partial[(part * n + j) * m + i];
    __global scalar *element = c + c_offset + i * c_row_stride + j * c_column_stride;
    *element = target_value(sum, alpha, beta, element, is_on_diagonal(i, j));
}

// Copies the m x n matrix X, with any strides, into a dense column-major one.
__kernel void gemm_gather(long m, long n, __global const scalar *restrict x, long x_offset, long x_row_stride,
                          long x_column_stride, __global scalar *restrict dense)
{
    DECLARE_ELEMENT(m)
    if (i >= m || j >= n) return;
    dense[j * m + i] = x[x_offset + i * x_row_stride + j * x_column_stride];
}
