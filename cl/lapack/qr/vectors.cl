// The vectors of reflections, which are below the diagonal of A, as a matrix's columns: with the ones on the diagonal, the zeros
// above it, and as many rows of zeros above those as `above` says, in `rows` altogether. A work-item per element.

__kernel void qr_vectors(
    long rows, long above, __global const scalar *restrict a, long a_offset, long row_stride, long column_stride,
    __global scalar *restrict vectors, long offset, long stride)
{
    const long i = get_global_id(0), j = get_group_id(1), below = i - above - j;
    if (i >= rows) return;
    scalar element = below == 0 ? SCALAR_ONE : SCALAR_ZERO;
    if (below > 0) element = a[a_offset + (i - above) * row_stride + j * column_stride];
    vectors[offset + i + j * stride] = element;
}
