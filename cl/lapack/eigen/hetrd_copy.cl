// Copies of the lower triangles of Hermitian matrices of n rows. A's strides may be negative.
#pragma once

#include "common/scalar.cl"

// B := A 2^exponent: of A's diagonal, the real parts.
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

// A := the tridiagonal form 2^exponent with the diagonal d and e below it, and the reflectors' vectors in B.
__kernel void hetrd_store(
    int n, int exponent, __global const scalar *restrict b, long b_stride, __global const real *restrict d,
    __global const real *restrict e, __global scalar *restrict a, long a_offset, long a_row_stride,
    long a_column_stride)
{
    const int i = get_global_id(0), j = get_group_id(1);
    if (i >= n || i < j) return;
    scalar element = b[j * b_stride + i];
    if (i == j) element = from_real(ldexp(d[j], exponent));
    if (i == j + 1) element = from_real(ldexp(e[j], exponent));
    a[a_offset + i * a_row_stride + j * a_column_stride] = element;
}

// B := the n x n Hermitian matrix with A's lower triangle, or its conjugate. A's strides may be negative.
__kernel void hermitian_copy(int n, int conjugate, __global const scalar *restrict a, long a_offset, long a_row_stride,
                             long a_column_stride, __global scalar *restrict b, long b_stride)
{
    const int i = get_global_id(0), j = get_group_id(1);
    if (i >= n) return;
    const scalar element = a[a_offset + max(i, j) * a_row_stride + min(i, j) * a_column_stride];
    const bool is_conjugate = (i < j) != (conjugate != 0);
    b[j * b_stride + i] = i == j ? from_real(real_part(element)) : conjugate_if(is_conjugate, element);
}

// A's lower triangle := that of L, or its conjugate.
__kernel void triangle_store(int n, int conjugate, __global const scalar *restrict l, long l_stride,
                             __global scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride)
{
    const int i = get_global_id(0), j = get_group_id(1);
    if (i >= n || i < j) return;
    a[a_offset + i * a_row_stride + j * a_column_stride] = conjugate_if(conjugate, l[j * l_stride + i]);
}

// Zeros above L's diagonal.
__kernel void triangle_clear(int n, __global scalar *restrict l, long l_stride)
{
    const int i = get_global_id(0), j = get_group_id(1);
    if (i < j) l[j * l_stride + i] = SCALAR_ZERO;
}
