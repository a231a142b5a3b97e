// Results that count only where nothing was found wrong: a := x for rows x columns elements, if the info is 0. Of a triangle
// (`part` 1), the elements below the diagonal and those on it; `part` 2 leaves those on it out, too.
// A work-group per column.

__kernel void commit(
    long rows, int part, __global const int *info, long place, __global const scalar *restrict x, long x_offset,
    long x_row_stride, long x_column_stride, __global scalar *restrict a, long a_offset, long a_row_stride,
    long a_column_stride)
{
    if (info[place] != 0) return;
    const long column = get_group_id(0);
    const long first = part == 0 ? 0 : column + part - 1;
    x += x_offset + column * x_column_stride;
    a += a_offset + column * a_column_stride;
    for (long i = first + get_local_id(0); i < rows; i += get_local_size(0)) a[i * a_row_stride] = x[i * x_row_stride];
}
