// B := A for each matrix of a batch. With `guarded`, only for matrices whose info is 0. A work-item copies a line of
// A, `length` elements `step` apart. With `lower`, lines are columns, and begin at the diagonal.
#pragma once

#include "common/scalar.cl"
#include "blas/level3/batched/offsets.cl"

__kernel void copy_batched(
    long lines, long length, int lower, __global const scalar *restrict a, long a_offset, long a_line, long a_step,
    __global scalar *restrict b, long b_offset, long b_line, long b_step, int guarded, __global const int *info,
    long info_offset, BATCH_PARAMETERS, long a_spacing, long b_spacing)
{
    const long item = get_global_id(0), matrix = item / lines, line = item % lines;
    if (matrix >= count) return;
    if (guarded && info[info_offset + matrix] != 0) return;
    a += a_offset + offset_in_batch(matrix, a_spacing) + line * a_line;
    b += b_offset + offset_in_batch(matrix, b_spacing) + line * b_line;
    for (long i = lower ? line : 0; i < length; i++) b[i * b_step] = a[i * a_step];
}
