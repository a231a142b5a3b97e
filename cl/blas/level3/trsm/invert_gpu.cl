// The inverses of a lower triangular matrix's diagonal blocks of BASE rows: a work-group of BASE work-items per block, each of
// which computes a column. (Larger blocks are put together from these by products.)
//
// Inverse p belongs at inverse[p * BASE * (block + 1)], its rows `block` elements apart: on the diagonal of one of the larger
// blocks, whose elements to the right of it become zeros.
// Parameter: BASE.

#define PITCH (BASE + 1)

__kernel __attribute__((reqd_work_group_size(BASE, 1, 1))) void trsm_invert(
    long n, int unit, __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride,
    int a_conjugate, __global scalar *restrict inverse, long block)
{
    // Below the diagonal are A's elements; above it, transposed, come those of the inverse X; on it X's, which are A's
    // reciprocals.
    __local scalar tile[BASE * PITCH];
    const int j = get_local_id(0);
    const long first = (long)get_group_id(0) * BASE;
    const int size = (int)min((long)BASE, n - first);
    a += a_offset + first * (a_row_stride + a_column_stride);
    for (int r = 0; r < BASE; r++) {
        // Neighbouring work-items read neighbouring elements.
        const int i = a_row_stride == 1 ? j : r, k = a_row_stride == 1 ? r : j;
        if (i < size && k < i) {
            const scalar value = a[i * a_row_stride + k * a_column_stride];
            tile[i * PITCH + k] = conjugate_if(a_conjugate, value);
        }
    }
    scalar diagonal = SCALAR_ZERO;
    if (j < size && !unit) {
        diagonal = a[j * (a_row_stride + a_column_stride)];
        diagonal = reciprocal(conjugate_if(a_conjugate, diagonal));
    } else {
#if SCALAR_IS_COMPLEX
        diagonal.x = 1;
#else
        diagonal = 1;
#endif
    }
    tile[j * PITCH + j] = diagonal;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = j + 1; i < size; i++) {
        scalar sum = SCALAR_ZERO;
        for (int k = j; k < i; k++) sum = multiply_add(tile[i * PITCH + k], tile[j * PITCH + k], sum);
        tile[j * PITCH + i] = -multiply(sum, tile[i * PITCH + i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    inverse += first * (block + 1);
    for (int i = 0; i < size; i++)
        if (j < size) inverse[i * block + j] = j <= i ? tile[j * PITCH + i] : SCALAR_ZERO;
    const long right = min(block, n - first / block * block) - first % block;
    for (int i = 0; i < size; i++)
        for (long k = BASE + j; k < right; k += BASE) inverse[i * block + k] = SCALAR_ZERO;
}
