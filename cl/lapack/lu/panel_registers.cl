// P A = L U for a panel of columns, by one work-group. A work-item has ROWS rows, THREADS apart, from the beginning to the end:
// `place` says where each of them belongs, and only when all columns are done do rows move there.
//
// WIDTH columns at a time stand in registers. They are brought up to date with the columns before them, whose L each work-item
// reads where it has written it, and then eliminated one by one.
//
// Pivots count from 1 + `base`; the info becomes the number of the first one that is zero, if there was none before.
// Parameters: THREADS, ROWS, WIDTH, PANEL (columns, at most).

// The rows of L that pivots have, apart so that work-items that have a column together read them at once.
#define LOWER (PANEL + 1)
// Elements that a work-item moves at the end, of up to twice as many rows as there are pivots.
#define MOVED ((2 * PANEL * PANEL + THREADS - 1) / THREADS)

// Solves L U = B for the unit lower triangle of so many pivots' rows, U in B's place.
inline void solve_unit(int count, __local const scalar *lower, __local scalar *upper)
{
    for (int k = 0; k < count - 1; k++) {
        for (int e = get_local_id(0); e < (count - 1 - k) * WIDTH; e += THREADS) {
            const int i = k + 1 + e / WIDTH, c = e % WIDTH;
            upper[i * WIDTH + c] = multiply_add(-lower[i * LOWER + k], upper[k * WIDTH + c], upper[i * WIDTH + c]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void lu_panel(
    int rows, int width, __global scalar *a, long a_offset, long column_stride, int base, __global int *pivots,
    long pivot_offset, __global int *info, long info_place)
{
    __local search_room search;
    __local scalar lower[PANEL * LOWER], upper[PANEL * WIDTH], step[WIDTH];
    __local int pivot_rows[PANEL], origins[2 * PANEL], targets[2 * PANEL];
    const int item = get_local_id(0);
    const int steps = min(rows, width);
    a += a_offset;

    int place[ROWS];
    #pragma unroll
    for (int r = 0; r < ROWS; r++) place[r] = item + r * THREADS;
    for (int first = 0; first < width; first += WIDTH) {
        const int done = min(first, steps);
        scalar x[ROWS][WIDTH];
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++)
                x[r][c] = row < rows && first + c < width ? a[row + (first + c) * column_stride] : SCALAR_ZERO;
            if (place[r] < done) {
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) upper[place[r] * WIDTH + c] = x[r][c];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        solve_unit(done, lower, upper);
        #pragma unroll 8
        for (int k = 0; k < done; k++) {
            __global const scalar *column = a + k * column_stride + item;
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const scalar factor = item + r * THREADS < rows ? -column[r * THREADS] : SCALAR_ZERO;
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) x[r][c] = multiply_add(factor, upper[k * WIDTH + c], x[r][c]);
            }
        }
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (place[r] < done) {
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) x[r][c] = upper[place[r] * WIDTH + c];
            }
        }

        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            const int j = first + c;
            const bool is_step = j < steps;
            candidate own = {-2, INT_MAX};
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const bool is_live = place[r] >= j && place[r] < rows;
                const candidate other = {is_live ? pivot_key(x[r][c], place[r] == j) : (real)-2, place[r]};
                own = better_of(own, other);
            }
            const int best = best_in_group(own, &search, c);
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (place[r] == best) {
                    #pragma unroll
                    for (int d = c; d < WIDTH; d++) step[d] = x[r][d];
                    if (is_step) pivot_rows[j] = item + r * THREADS;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            const scalar pivot = step[c];
            const bool is_singular = is_zero(pivot);
            const scalar inverse = divide(SCALAR_ONE, pivot);
            if (item == 0 && is_step) {
                pivots[pivot_offset + j] = base + best + 1;
                if (is_singular && info[info_place] == 0) info[info_place] = base + j + 1;
            }
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (is_step) place[r] = place[r] == best ? j : place[r] == j ? best : place[r];
                if (is_step && place[r] > j && place[r] < rows) {
                    if (!is_singular) x[r][c] = divided(x[r][c], pivot, inverse);
                    #pragma unroll
                    for (int d = c + 1; d < WIDTH; d++) x[r][d] = multiply_add(-x[r][c], step[d], x[r][d]);
                }
            }
        }

        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++)
                if (row < rows && first + c < width) a[row + (first + c) * column_stride] = x[r][c];
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        // The new pivots' rows of L.
        const int found = min(first + WIDTH, steps);
        for (int e = item; e < (found - done) * found; e += THREADS) {
            const int i = done + e / found, k = e % found;
            lower[i * LOWER + k] = a[pivot_rows[i] + k * column_stride];
        }
    }

    // Rows that have another place now: the pivots', and those that stood where pivots belong. The latter go where a pivot's
    // row was.
    for (int s = item; s < 2 * PANEL; s += THREADS) origins[s] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = item + r * THREADS;
        if (row < rows && place[r] != row) {
            int s = place[r];
            if (s >= steps) {
                s = PANEL;
                for (int k = 0; k < steps; k++) s += pivot_rows[k] == place[r] ? k : 0;
            }
            origins[s] = row;
            targets[s] = place[r];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    scalar moved[MOVED];
    #pragma unroll
    for (int n = 0; n < MOVED; n++) {
        const int e = item + n * THREADS, s = e % (2 * PANEL), c = e / (2 * PANEL);
        if (c < width && origins[s] >= 0) moved[n] = a[origins[s] + c * column_stride];
    }
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int n = 0; n < MOVED; n++) {
        const int e = item + n * THREADS, s = e % (2 * PANEL), c = e / (2 * PANEL);
        if (c < width && origins[s] >= 0) a[targets[s] + c * column_stride] = moved[n];
    }
}
