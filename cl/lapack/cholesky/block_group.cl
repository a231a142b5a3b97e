// The Cholesky factor L of a block of at most WIDTH rows, in its lower triangle's place, and its inverse: by one work-group, of
// which TEAM work-items have a row together, SHARE adjacent elements each, in registers.
//
// STEP columns are done at a time: every work-item factorises their STEP rows on the diagonal for itself, which is faster than to
// wait for each other after each column. What is left of the columns that are done holds the inverse's row so far, so that rows
// lose the same multiples of the pivots' rows in both.
//
// Where a pivot is not positive, the info becomes its number, counted from 1 + `base`, and nothing more is written. Where the
// info is not 0 before, nothing is. The inverse, WIDTH elements from row to row, is then zero, which makes what is computed
// from it harmless.
// Parameters: WIDTH, TEAM (WIDTH is a multiple of four times as many).

#define SHARE (WIDTH / TEAM)
#define STEP 4

// The rows of a step on the diagonal: their factor, and the reciprocals of its diagonal, 0 for what is not to be done.
typedef struct {
    scalar factor[STEP][STEP];
    real roots[STEP], inverses[STEP];
} corner;

// What a row has left of the step's columns, divided by the conjugate of the factor: its elements of L.
inline void divide_by_columns(const corner *step, scalar *row)
{
    #pragma unroll
    for (int q = 0; q < STEP; q++) {
        #pragma unroll
        for (int p = 0; p < q; p++) row[q] = multiply_add(-row[p], conjugate_if(1, step->factor[q][p]), row[q]);
        row[q] = row[q] * step->inverses[q];
    }
}

// A column of the step's rows, divided by the factor: elements of the inverse.
inline void divide_by_rows(const corner *step, scalar *column)
{
    #pragma unroll
    for (int q = 0; q < STEP; q++) {
        #pragma unroll
        for (int p = 0; p < q; p++) column[q] = multiply_add(-step->factor[q][p], column[p], column[q]);
        column[q] = column[q] * step->inverses[q];
    }
}

__kernel __attribute__((reqd_work_group_size(WIDTH * TEAM, 1, 1))) void cholesky_block(
    int order, __global scalar *a, long a_offset, long row_stride, long column_stride, __global scalar *inverse, int base,
    __global int *info, long info_place)
{
    // The step's columns; and what rows below lose multiples of: the inverse's rows, and on the right L's columns, conjugated.
    __local scalar columns[STEP][WIDTH], rooms[2][STEP][WIDTH];
    const int item = get_local_id(0), i = item / TEAM, member = item % TEAM, left = member * SHARE;
    bool failed = info[info_place] != 0;
    a += a_offset;

    scalar x[SHARE];
    #pragma unroll
    for (int m = 0; m < SHARE; m++)
        x[m] = i < order && left + m <= i ? a[i * row_stride + (left + m) * column_stride] : SCALAR_ZERO;
    for (int owner = 0; owner < TEAM; owner++) {
        const bool owns = member == owner;
        #pragma unroll
        for (int s = 0; s < SHARE / STEP; s++) {
            const int j = owner * SHARE + s * STEP;
            __local scalar(*rows)[WIDTH] = rooms[j / STEP & 1];
            const bool is_above = i < j, is_within = i >= j && i < j + STEP;
            #pragma unroll
            for (int q = 0; q < STEP; q++)
                if (owns && !is_above) columns[q][i] = x[s * STEP + q];
            if (is_within) {
                #pragma unroll
                for (int n = 0; n < SHARE; n++)
                    if (left + n < j) rows[i - j][left + n] = x[n];
            }
            barrier(CLK_LOCAL_MEM_FENCE);

            corner step;
            #pragma unroll
            for (int q = 0; q < STEP; q++) {
                scalar rest = columns[q][j + q];
                #pragma unroll
                for (int p = 0; p < q; p++) {
                    scalar element = columns[p][j + q];
                    #pragma unroll
                    for (int r = 0; r < p; r++)
                        element = multiply_add(-step.factor[q][r], conjugate_if(1, step.factor[p][r]), element);
                    element = element * step.inverses[p];
                    step.factor[q][p] = element;
                    rest = multiply_add(-element, conjugate_if(1, element), rest);
                }
                const real pivot = real_part(rest);
                const bool is_there = j + q < order;
                if (is_there && !failed && !(pivot > 0)) {
                    failed = true;
                    if (i == j + q && owns) {
                        info[info_place] = base + j + q + 1;
                        a[(j + q) * (row_stride + column_stride)] = from_real(pivot);
                    }
                }
                const bool is_done = !is_there || failed;
                real inverse_root;
                step.roots[q] = root_of(is_done ? (real)1 : pivot, &inverse_root);
                step.inverses[q] = is_done ? 0 : inverse_root;
            }

            scalar row[STEP];
            #pragma unroll
            for (int q = 0; q < STEP; q++) row[q] = columns[q][i];
            divide_by_columns(&step, row);
            #pragma unroll
            for (int q = 0; q < STEP; q++)
                if (owns && i >= j + q && i < order && step.inverses[q] != 0)
                    a[i * row_stride + (j + q) * column_stride] = i == j + q ? from_real(step.roots[q]) : row[q];
            if (item < WIDTH) {
                const bool is_right = item >= j + STEP;
                scalar column[STEP];
                #pragma unroll
                for (int q = 0; q < STEP; q++)
                    column[q] = is_right      ? columns[q][item]
                                : item < j    ? rows[q][item]
                                : item == j + q ? SCALAR_ONE
                                              : SCALAR_ZERO;
                if (is_right) divide_by_columns(&step, column);
                else divide_by_rows(&step, column);
                #pragma unroll
                for (int q = 0; q < STEP; q++) rows[q][item] = conjugate_if(is_right, column[q]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);

            #pragma unroll
            for (int n = 0; n < SHARE; n++) {
                const int c = left + n;
                scalar below = c >= j && c < j + STEP ? SCALAR_ZERO : x[n];
                #pragma unroll
                for (int q = 0; q < STEP; q++) below = multiply_add(-row[q], rows[q][c], below);
                x[n] = is_above ? x[n] : is_within ? rows[is_within ? i - j : 0][c] : below;
            }
        }
    }
    #pragma unroll
    for (int m = 0; m < SHARE; m++)
        inverse[i * WIDTH + left + m] = failed || i >= order || left + m > i ? SCALAR_ZERO : x[m];
}
