// L := Rᴴ for the upper triangle R of A's first n rows, with zeros above L's diagonal. Dimension 1 has the columns.
#pragma once

#include "common/scalar.cl"

__kernel void adjoint_triangle(int n, __global const scalar *restrict a, long stride, __global scalar *restrict l)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    for (int j = get_group_id(1); j < n; j += get_num_groups(1)) {
        l[(long)j * n + i] = i >= j ? conjugate_if(1, a[i * stride + j]) : SCALAR_ZERO;
    }
}
