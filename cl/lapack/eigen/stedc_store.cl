// C := the real n x n matrix Q with its columns in the order given, as elements of the type of C.
#pragma once

#include "common/scalar.cl"

__kernel void stedc_store(int n, __global const int *restrict order, __global const real *restrict q, long stride,
                          __global scalar *restrict c, long c_offset, long row_stride, long column_stride)
{
    const int i = get_global_id(0), j = get_group_id(1);
    if (i >= n) return;
    c[c_offset + i * row_stride + j * column_stride] = from_real(q[order[j] * stride + i]);
}
