// The unknowns of parts whose first and last ones are known from the coarse system: LU with partial pivoting of the
// rows between them, which are in private memory. With no parts, all rows are one part without such neighbours.
//
// X may be B's memory: a part's elements of B are read before its elements of X are written.
#pragma once

#include "lapack/tridiagonal/part.cl"

__kernel void substitute(
    long n, long columns, long parts, __global const scalar *dl, long dl_offset, __global const scalar *d,
    long d_offset, __global const scalar *du, long du_offset, __global const scalar *b, long b_offset, long row_stride,
    long column_stride, __global const scalar *coarse, __global scalar *x)
{
    const long part = get_global_id(0), first_column = (long)get_global_id(1) * COLUMNS, order = 2 * parts;
    if (part >= max(parts, 1L)) return;
    const matrix_type a = {dl + dl_offset, d + d_offset, du + du_offset, n};
    // The known unknowns.
    const long first = parts > 0 ? first_row(n, parts, part) : -1;
    const long last = parts > 0 ? first_row(n, parts, part + 1) - 1 : n;
    scalar own[PART], above[PART], second_above[PART], right[PART][COLUMNS], before[COLUMNS], after[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) before[c] = after[c] = SCALAR_ZERO;
    if (parts > 0) {
        for (int c = 0; c < COLUMNS; c++) {
            const long column = own_column(first_column, c, columns) * order;
            before[c] = coarse[column + 2 * part];
            after[c] = coarse[column + 2 * part + 1];
        }
    }
    // The row that is eliminated next.
    scalar pending = SCALAR_ZERO, pending_above = SCALAR_ZERO, pending_right[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) pending_right[c] = SCALAR_ZERO;
    const int inner = (int)(last - first - 1);
    for (int r = 0; r < inner; r++) {
        const long k = first + 1 + r;
        scalar below = left_of(&a, k), du_k = right_of(&a, k), f[COLUMNS];
        const scalar d_k = a.d[k];
        for (int c = 0; c < COLUMNS; c++) {
            f[c] = b[b_offset + k * row_stride + own_column(first_column, c, columns) * column_stride];
            if (r == 0) f[c] = multiply_add(-below, before[c], f[c]);
            if (r == inner - 1) f[c] = multiply_add(-du_k, after[c], f[c]);
        }
        if (r == inner - 1) du_k = SCALAR_ZERO;
        if (r == 0) {
            pending = d_k;
            pending_above = du_k;
            for (int c = 0; c < COLUMNS; c++) pending_right[c] = f[c];
            continue;
        }
        const int stays = size_of(pending) >= size_of(below);
        const scalar pivot = stays ? pending : below;
        const scalar factor = is_zero(pivot) ? SCALAR_ZERO : -divide(stays ? below : pending, pivot);
        own[r - 1] = pivot;
        above[r - 1] = stays ? pending_above : d_k;
        second_above[r - 1] = stays ? SCALAR_ZERO : du_k;
        for (int c = 0; c < COLUMNS; c++) {
            const scalar upper = pending_right[c], lower = f[c];
            right[r - 1][c] = stays ? upper : lower;
            pending_right[c] = multiply_add(factor, stays ? upper : lower, stays ? lower : upper);
        }
        pending = stays ? multiply_add(factor, pending_above, d_k) : multiply_add(factor, d_k, pending_above);
        pending_above = stays ? du_k : multiply(factor, du_k);
    }
    scalar next[COLUMNS], second[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) next[c] = second[c] = SCALAR_ZERO;
    for (int r = inner - 1; r >= 0; r--) {
        const long k = first + 1 + r;
        const int is_last = r == inner - 1;
        for (int c = 0; c < COLUMNS; c++) {
            scalar y = is_last ? pending_right[c] : right[r][c];
            if (!is_last) y = multiply_add(-second_above[r], second[c], multiply_add(-above[r], next[c], y));
            const scalar value = divide(y, is_last ? pending : own[r]);
            second[c] = next[c];
            next[c] = value;
            x[k + own_column(first_column, c, columns) * n] = value;
        }
    }
    if (parts > 0) {
        for (int c = 0; c < COLUMNS; c++) {
            const long column = own_column(first_column, c, columns) * n;
            x[first + column] = before[c];
            x[last + column] = after[c];
        }
    }
}
