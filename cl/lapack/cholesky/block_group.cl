// The Cholesky factor L of a block of at most WIDTH rows, in its lower triangle's place, and its inverse: by one work-group, of
// which TEAM work-items have a row together, SHARE adjacent elements each, in registers.
//
// What is left of the columns that are not done holds the inverse's row so far, so that rows lose the same multiples of the
// pivot's row in both.
//
// Where a pivot is not positive, the info becomes its number, counted from 1 + `base`, and nothing more is written. Where the
// info is not 0 before, nothing is. The inverse, WIDTH elements from row to row, is then zero, which makes what is computed
// from it harmless.
// Parameters: WIDTH, TEAM (WIDTH is a multiple of twice as many).

#define SHARE (WIDTH / TEAM)

__kernel __attribute__((reqd_work_group_size(WIDTH * TEAM, 1, 1))) void cholesky_block(
    int order, __global scalar *a, long a_offset, long row_stride, long column_stride, __global scalar *inverse, int base,
    __global int *info, long info_place)
{
    // What a step takes from the others: the pivot's column, conjugated, and the inverse's row before it.
    __local scalar steps[2][WIDTH];
    const int i = get_local_id(0) / TEAM, member = get_local_id(0) % TEAM, left = member * SHARE;
    bool failed = info[info_place] != 0;
    a += a_offset;

    scalar x[SHARE];
    #pragma unroll
    for (int m = 0; m < SHARE; m++)
        x[m] = i < order && left + m <= i ? a[i * row_stride + (left + m) * column_stride] : SCALAR_ZERO;
    for (int owner = 0; owner < TEAM; owner++) {
        #pragma unroll
        for (int m = 0; m < SHARE; m++) {
            const int j = owner * SHARE + m;
            __local scalar *step = steps[m & 1];
            if (member == owner && i >= j) step[i] = conjugate_if(1, x[m]);
            if (i == j) {
                #pragma unroll
                for (int n = 0; n < SHARE; n++)
                    if (left + n < j) step[left + n] = x[n];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            const real pivot = real_part(step[j]);
            const bool owns = member == owner;
            if (j < order && !failed && !(pivot > 0)) {
                failed = true;
                if (i == j && owns) {
                    info[info_place] = base + j + 1;
                    a[j * (row_stride + column_stride)] = from_real(pivot);
                }
            }
            const bool is_done = j >= order || failed;
            real inverse_root;
            const real root = root_of(is_done ? (real)1 : pivot, &inverse_root);
            const scalar below = i > j ? conjugate_if(1, step[i]) * inverse_root : SCALAR_ZERO;
            const scalar factor = is_done ? SCALAR_ZERO : below * inverse_root;
            if (!is_done && owns && i >= j && i < order)
                a[i * row_stride + j * column_stride] = i == j ? from_real(root) : below;
            #pragma unroll
            for (int n = 0; n < SHARE; n++) {
                const scalar kept = i == j ? x[n] * inverse_root : x[n];
                x[n] = i > j && !is_done ? multiply_add(-factor, step[left + n], x[n]) : kept;
            }
            if (owns && i >= j) x[m] = i == j ? from_real(inverse_root) : -factor;
        }
    }
    #pragma unroll
    for (int m = 0; m < SHARE; m++)
        inverse[i * WIDTH + left + m] = failed || i >= order || left + m > i ? SCALAR_ZERO : x[m];
}
