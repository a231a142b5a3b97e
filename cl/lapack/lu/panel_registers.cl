// P A = L U for a panel of columns, by one work-group that keeps all of it in registers: a work-item has ROWS rows, THREADS
// apart, of WIDTH elements each.
//
// Column by column the elements of a row move one place to the left, and the column that is done takes the last place, so that
// all indices into the registers are constants. Once all columns are done, each is in its own place again.
//
// Pivots count from 1 + `base`; the info becomes the number of the first one that is zero, if there was none before.
// Parameters: THREADS, SEARCHERS, ROWS, WIDTH.

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void lu_panel(
    int rows, int width, __global scalar *a, long a_offset, long column_stride, int base, __global int *pivots,
    long pivot_offset, __global int *info, long info_place)
{
    __local real keys[THREADS], best_keys[SEARCHERS];
    __local int key_rows[THREADS], best_rows[SEARCHERS];
    __local scalar upper[WIDTH], displaced[WIDTH];
    const int item = get_local_id(0);
    const int steps = min(rows, width);
    a += a_offset;

    scalar x[ROWS][WIDTH];
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = item + r * THREADS;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            x[r][c] = row < rows && c < width ? a[row + c * column_stride] : SCALAR_ZERO;
    }
    for (int j = 0; j < steps; j++) {
        real key = -2;
        int best = INT_MAX;
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            if (row >= j && row < rows) {
                const real other = pivot_key(x[r][0], row == j);
                take_larger(key, best, other, row);
            }
        }
        const int pivot_row = largest_in_group(key, best, keys, key_rows, best_keys, best_rows);
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            if (row == pivot_row) {
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) upper[c] = x[r][c];
            }
            if (row == j) {
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) displaced[c] = x[r][c];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const scalar pivot = upper[0];
        const bool is_singular = is_zero(pivot);
        const scalar inverse = divide(SCALAR_ONE, pivot);
        if (item == 0) {
            pivots[pivot_offset + j] = base + pivot_row + 1;
            if (is_singular && info[info_place] == 0) info[info_place] = base + j + 1;
        }
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            if (row == pivot_row) {
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) x[r][c] = displaced[c];
            }
            if (row == j) {
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) x[r][c] = upper[c];
            }
            const bool is_below = row > j;
            const scalar factor = is_below && !is_singular ? divided(x[r][0], pivot, inverse) : x[r][0];
            #pragma unroll
            for (int c = 1; c < WIDTH; c++) {
                const scalar updated = multiply_add(-factor, upper[c], x[r][c]);
                x[r][c - 1] = is_below && c < WIDTH - j ? updated : x[r][c];
            }
            x[r][WIDTH - 1] = factor;
        }
    }
    for (int j = steps; j < WIDTH; j++) {
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const scalar first = x[r][0];
            #pragma unroll
            for (int c = 1; c < WIDTH; c++) x[r][c - 1] = x[r][c];
            x[r][WIDTH - 1] = first;
        }
    }
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = item + r * THREADS;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            if (row < rows && c < width) a[row + c * column_stride] = x[r][c];
    }
}
