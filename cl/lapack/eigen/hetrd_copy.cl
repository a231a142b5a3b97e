// B := A 2^exponent for the lower triangles of Hermitian matrices of n rows: of A's diagonal, the real parts.
#pragma once

#include "common/scalar.cl"

__kernel void hetrd_copy(
    int n, int exponent, __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride,
    __global scalar *restrict b, long b_stride)
{
    const int i = get_global_id(0), j = get_group_id(1);
    if (i >= n || i < j) return;
    const scalar element = a[a_offset + i * a_row_stride + j * a_column_stride];
    const real re = ldexp(real_part(element), exponent), im = i == j ? 0 : ldexp(imaginary_part(element), exponent);
    b[j * b_stride + i] = from_parts(re, im);
}
