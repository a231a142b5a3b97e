// laset: columns of the identity, from column `first` on. A work-group for each column.
#pragma once

#include "common/scalar.cl"

__kernel void qr_laset(
    long rows, long first, __global scalar *a, long a_offset, long row_stride, long column_stride)
{
    const long column = first + get_group_id(0);
    a += a_offset + column * column_stride;
    for (long i = get_local_id(0); i < rows; i += get_local_size(0))
        a[i * row_stride] = i == column ? SCALAR_ONE : SCALAR_ZERO;
}
