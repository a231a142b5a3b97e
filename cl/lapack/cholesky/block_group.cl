// The Cholesky factor L of a block of at most WIDTH rows, in its lower triangle's place, and its inverse: by one work-group, of
// which each work-item keeps a row in registers.
//
// A row's elements move one place to the left with every column that is done. What is to the right of the columns that are left
// holds the inverse's row so far, so that rows lose the same multiples of the pivot's row in both.
//
// Where a pivot is not positive, the info becomes its number, counted from 1 + `base`, and nothing more is written. Where the
// info is not 0 before, nothing is. The inverse, WIDTH elements from row to row, is then zero, which makes what is computed
// from it harmless.
// Parameter: WIDTH.

__kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1))) void cholesky_block(
    int order, __global scalar *a, long a_offset, long row_stride, long column_stride, __global scalar *inverse, int base,
    __global int *info, long info_place)
{
    __local scalar steps[2][WIDTH];
    const int i = get_local_id(0);
    bool failed = info[info_place] != 0;
    a += a_offset;

    scalar x[WIDTH];
    #pragma unroll
    for (int c = 0; c < WIDTH; c++)
        x[c] = i < order && c <= i ? a[i * row_stride + c * column_stride] : SCALAR_ZERO;
    for (int j = 0; j < WIDTH; j++) {
        // The column of the pivot, conjugated, and the inverse's row.
        __local scalar *step = steps[j & 1];
        if (i >= j) step[i - j] = conjugate_if(1, x[0]);
        if (i == j) {
            #pragma unroll
            for (int c = 1; c < WIDTH; c++)
                if (c >= WIDTH - j) step[c] = x[c];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const real pivot = real_part(step[0]);
        if (j < order && !failed && !(pivot > 0)) {
            failed = true;
            if (i == j) {
                info[info_place] = base + j + 1;
                a[j * (row_stride + column_stride)] = from_real(pivot);
            }
        }
        const bool is_done = j >= order || failed;
        const real root = is_done ? 1 : sqrt(pivot), inverse_root = 1 / root;
        const scalar below = x[0] * inverse_root;
        if (!is_done && i >= j && i < order) a[i * row_stride + j * column_stride] = i == j ? from_real(root) : below;
        const scalar factor = i > j && !is_done ? below * inverse_root : SCALAR_ZERO;
        #pragma unroll
        for (int c = 1; c < WIDTH; c++) {
            const scalar kept = i == j ? x[c] * inverse_root : x[c];
            x[c - 1] = i > j && !is_done ? multiply_add(-factor, step[c], x[c]) : kept;
        }
        x[WIDTH - 1] = i > j ? -factor : i == j ? from_real(inverse_root) : below;
    }
    #pragma unroll
    for (int c = 0; c < WIDTH; c++)
        inverse[i * WIDTH + c] = failed || i >= order || c > i ? SCALAR_ZERO : x[c];
}
