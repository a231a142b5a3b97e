// C := diag(Q P S, I) for the n x n matrix Q, a permutation P and signs S: rows and columns of C from n on are those of
// the identity matrix. Dimension 1 has the columns.
#pragma once

#include "common/scalar.cl"

__kernel void store_vectors(int m, int columns, int n, __global const int *restrict order,
                            __global const real *restrict signs, __global const scalar *restrict q,
                            __global scalar *restrict c, long c_offset, long row_stride, long column_stride,
                            int conjugate)
{
    const int i = get_global_id(0);
    if (i >= m) return;
    for (int j = get_group_id(1); j < columns; j += get_num_groups(1)) {
        scalar v = i == j ? SCALAR_ONE : SCALAR_ZERO;
        if (j < n) v = i < n ? signs[j] * q[(long)order[j] * n + i] : SCALAR_ZERO;
        c[c_offset + i * row_stride + j * column_stride] = conjugate_if(conjugate, v);
    }
}
