// Copies V from below the diagonal of A to a matrix of its own, of `rows` rows: unit diagonal, zeros above it, and
// `rows_above` rows of zeros above those. A work-item for each element.
#pragma once

#include "common/scalar.cl"

__kernel void qr_copy_v(
    long rows, long rows_above, __global const scalar *restrict a, long a_offset, long row_stride, long column_stride,
    __global scalar *restrict v, long v_offset, long v_stride)
{
    const long i = get_global_id(0), j = get_group_id(1), below = i - rows_above - j;
    if (i >= rows) return;
    scalar element = below == 0 ? SCALAR_ONE : SCALAR_ZERO;
    if (below > 0) element = a[a_offset + (i - rows_above) * row_stride + j * column_stride];
    v[v_offset + i + j * v_stride] = element;
}
