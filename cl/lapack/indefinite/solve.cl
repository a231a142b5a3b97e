// Parts of A X = B with factors L D L^T or L D L^H (LAPACK: xSYTRS, xHETRS): L with all its interchanges, rows of B,
// and D. Columns of L and X are adjacent.
#pragma once

#include "lapack/indefinite/elements.cl"

// L's elements below the diagonal, without those of D's blocks of order 2. `orders` has 1 for a block of order 1, and 2
// and 0 for the columns of one of order 2. Dimension 0 has rows, 1 columns.
__kernel void copy_factor(int n, __global const scalar *a, long a_offset, long a_row, long a_column,
                          __global const int *orders, __global scalar *l)
{
    const int i = get_global_id(0), j = get_global_id(1);
    if (i >= n || i <= j) return;
    a += a_offset;
    l[i + (long)j * n] = i == j + 1 && orders[j] == 2 ? SCALAR_ZERO : at(a, i, j);
}

// Interchanges rows of L's columns: those of blocks behind a column's own. A work-item has a column. `pivots` are
// counted from 1, and negative for blocks of order 2.
__kernel void interchange(int n, __global const int *pivots, __global scalar *l)
{
    const int j = get_global_id(0);
    if (j >= n) return;
    __global scalar *column = l + (long)j * n;
    int k = 0;
    while (k < n) {
        const int order = pivots[k] > 0 ? 1 : 2, from = k + order - 1, to = abs(pivots[k]) - 1;
        if (k > j && from != to) {
            const scalar value = column[from];
            column[from] = column[to];
            column[to] = value;
        }
        k += order;
    }
}

// X := P B, or B := P^T X. Row i of X is row rows[i] of B. Dimension 0 has rows, 1 columns.
__kernel void gather(int n, __global const int *rows, __global const scalar *b, long b_offset, long b_row,
                     long b_column, __global scalar *x)
{
    const int i = get_global_id(0);
    const long j = get_global_id(1);
    b += b_offset;
    if (i < n) x[i + j * n] = at(b, rows[i], j);
}

__kernel void scatter(int n, __global const int *rows, __global scalar *b, long b_offset, long b_row, long b_column,
                      __global const scalar *x)
{
    const int i = get_global_id(0);
    const long j = get_global_id(1);
    b += b_offset;
    if (i < n) at(b, rows[i], j) = x[i + j * n];
}

// X := D^-1 X, scaled by the elements off the diagonal, which are the largest. Dimension 0 has rows, 1 columns.
__kernel void divide_by_blocks(int n, __global const scalar *a, long a_offset, long a_row, long a_column,
                               __global const int *orders, __global scalar *x)
{
    const int k = get_global_id(0);
    const long column = get_global_id(1);
    if (k >= n || orders[k] == 0) return;
    a += a_offset;
    x += column * n;
    if (orders[k] == 1) {
        x[k] = divide(x[k], on_diagonal(at(a, k, k)));
        return;
    }
    const scalar off = at(a, k + 1, k), other = mirrored(off);
    const scalar first = divide(at(a, k, k), other), second = divide(at(a, k + 1, k + 1), off);
    const scalar determinant = multiply(first, second) - SCALAR_ONE;
    const scalar p = divide(x[k], other), q = divide(x[k + 1], off);
    x[k] = divide(multiply_add(second, p, -q), determinant);
    x[k + 1] = divide(multiply_add(first, q, -p), determinant);
}
