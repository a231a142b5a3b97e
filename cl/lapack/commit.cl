// Copies a result if the info is 0: a := x for `rows` rows. `part` 0 copies whole columns, 1 the lower triangle with
// its diagonal, 2 without it. A work-group for each column.
#pragma once

#include "common/scalar.cl"

__kernel void copy_if_successful(
    long rows, int part, __global const int *info, long info_index, __global const scalar *restrict x, long x_offset,
    long x_row_stride, long x_column_stride, __global scalar *restrict a, long a_offset, long a_row_stride,
    long a_column_stride)
{
    if (info[info_index] != 0) return;
    const long column = get_group_id(0);
    const long first = part == 0 ? 0 : column + part - 1;
    x += x_offset + column * x_column_stride;
    a += a_offset + column * a_column_stride;
    for (long i = first + get_local_id(0); i < rows; i += get_local_size(0)) a[i * a_row_stride] = x[i * x_row_stride];
}
