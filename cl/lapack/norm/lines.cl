// Sums of moduli down the columns of a matrix (one norm) and along its rows (infinity norm). A work-group has a block
// of `rows` x `columns`. Its sums belong to a layer of n column sums for its block of rows, or of m row sums for its
// block of columns. Layers begin at `first`.
#pragma once

#include "lapack/norm/sum.cl"
#include "blas/level1/reduction/group.cl"
#include "lapack/norm/pattern.cl"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void norm_column_sums(
    long m, long n, long rows, long columns, int triangle, int corner, __global const scalar *restrict a, long offset,
    long ld, __global real *layers, long first)
{
    const long top = get_group_id(0) * rows, bottom = min(m, top + rows);
    const long left = get_group_id(1) * columns, right = min(n, left + columns);
    DECLARE_LOCAL_SUMS
    a += offset;
    for (long j = left; j < right; j++) {
        const long begin = first_row(triangle, j, top), end = last_row(triangle, j, bottom);
        partial sum = with_run(NOTHING, a + j * ld + begin, end - begin);
        if (corner != SKIPPED && top <= j && j < bottom && get_local_id(0) == 0)
            sum = with_element(sum, diagonal_element(corner, a + j * ld + j));
        const partial total = group_total(sum);
        if (get_local_id(0) == 0) layers[first + get_group_id(0) * n + j] = total;
#if THREADS > 1
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}

#if THREADS > 1

// A work-item for each row of the block.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void norm_row_sums(
    long m, long n, long rows, long columns, int triangle, int corner, __global const scalar *restrict a, long offset,
    long ld, __global real *layers, long first)
{
    const long i = get_group_id(0) * rows + get_local_id(0);
    if (i >= m) return;
    const long left = get_group_id(1) * columns, right = min(n, left + columns);
    const long begin = triangle == UPPER ? max(left, i + 1) : left, end = triangle == LOWER ? min(right, i) : right;
    real sum = 0;
    a += offset + i;
    for (long j = begin; j < end; j++) sum += modulus(a[j * ld]);
    if (corner != SKIPPED && left <= i && i < right) sum = with_element(sum, diagonal_element(corner, a + i * ld));
    layers[first + get_group_id(1) * m + i] = sum;
}

#else

// One work-item walks its columns; the block's row sums stay in the cache.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void norm_row_sums(
    long m, long n, long rows, long columns, int triangle, int corner, __global const scalar *restrict a, long offset,
    long ld, __global real *restrict layers, long first)
{
    const long top = get_group_id(0) * rows, bottom = min(m, top + rows);
    const long left = get_group_id(1) * columns, right = min(n, left + columns);
    layers += first + get_group_id(1) * m;
    a += offset;
    for (long i = top; i < bottom; i++) layers[i] = 0;
    for (long j = left; j < right; j++) {
        const long end = last_row(triangle, j, bottom);
        for (long i = first_row(triangle, j, top); i < end; i++) layers[i] += modulus(a[i + j * ld]);
        if (corner != SKIPPED && top <= j && j < bottom)
            layers[j] = with_element(layers[j], diagonal_element(corner, a + j * ld + j));
    }
}

#endif
