// R := B - A X for a tridiagonal A, and the largest elements of a group's rows in modulus (|re| + |im|): of R, X and B,
// and the largest sum of a row of A. Dimension 1 has the columns.
#pragma once

// Work-items of a group.
#ifndef GROUP
#define GROUP 1
#endif

#include "lapack/tridiagonal/part.cl"

#define MAXIMA 4

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void residual(
    long n, __global const scalar *dl, long dl_offset, __global const scalar *d, long d_offset,
    __global const scalar *du, long du_offset, __global const scalar *b, long b_offset, long row_stride,
    long column_stride, __global const scalar *x, __global scalar *r, __global real *maxima)
{
    const matrix_type a = {dl + dl_offset, d + d_offset, du + du_offset, n};
    const long groups = get_num_groups(0), group = get_group_id(0), column = get_group_id(1);
    const long share = (n + groups - 1) / groups, end = min(n, (group + 1) * share);
    const int item = get_local_id(0);
    real most[MAXIMA] = {0, 0, 0, 0};
    for (long k = group * share + item; k < end; k += GROUP) {
        const scalar left = left_of(&a, k), right = right_of(&a, k);
        const scalar here = x[k + column * n], f = b[b_offset + k * row_stride + column * column_stride];
        scalar rest = multiply_add(-a.d[k], here, f);
        if (k > 0) rest = multiply_add(-left, x[k - 1 + column * n], rest);
        if (k < n - 1) rest = multiply_add(-right, x[k + 1 + column * n], rest);
        r[k + column * n] = rest;
        most[0] = larger(most[0], size_of(rest));
        most[1] = larger(most[1], size_of(here));
        most[2] = larger(most[2], size_of(f));
        most[3] = larger(most[3], size_of(left) + size_of(a.d[k]) + size_of(right));
    }
#if GROUP > 1
    __local real all[MAXIMA][GROUP];
    for (int m = 0; m < MAXIMA; m++) all[m][item] = most[m];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        if (item < reach) {
            for (int m = 0; m < MAXIMA; m++) all[m][item] = fmax(all[m][item], all[m][item + reach]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        for (int m = 0; m < MAXIMA; m++) maxima[(column * groups + group) * MAXIMA + m] = all[m][0];
    }
#else
    for (int m = 0; m < MAXIMA; m++) maxima[(column * groups + group) * MAXIMA + m] = most[m];
#endif
}

// X := X + R, of adjacent columns.
__kernel void add(long length, __global scalar *x, __global const scalar *r)
{
    const long k = get_global_id(0);
    if (k < length) x[k] = x[k] + r[k];
}

// B := X.
__kernel void copy_back(
    long n, __global const scalar *x, __global scalar *b, long b_offset, long row_stride, long column_stride)
{
    const long k = get_global_id(0), column = get_global_id(1);
    if (k < n) b[b_offset + k * row_stride + column * column_stride] = x[k + column * n];
}
