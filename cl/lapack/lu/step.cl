// A step of P A = L U for a block of columns, panel by panel: what is right of the panel before is brought up to date with that one
// (its rows are interchanged, solved for and updated), and the panel that comes next is factorised. It is one launch, since
// neither needs what the other does: the first work-group has the panel, the next ones have WIDTH columns right of it each, and the
// last ones interchange rows in the columns left of the panel before.
//
// A work-item has ROWS rows, THREADS apart, and of these WIDTH columns in registers. A panel may have twice as many: its second half waits
// in local memory meanwhile, until the first is factorised and takes its place there. Rows count from the panel's first one; of the
// panel before there are `before` above, which are rows of U.
//
// Pivots count from 1 + `base`; the info becomes the number of the first one that is zero, if there was none before.
// Parameters: THREADS, ROWS, WIDTH, HALVES (1 or 2). A panel has as many rows as columns, or more.

// Rows that change places for a panel, and columns whose rows a group interchanges.
#define MOVED (2 * PANEL)
#define INTERCHANGED (THREADS / MOVED)
// Makes ordinary numbers of the smallest.
#define RAISE (SCALAR_IS_DOUBLE ? (real)0x1p500 : (real)0x1p64)

// The row whose elements are in row `row` after the interchanges of the first rows with their partners.
inline int origin(int row, int count, __local const int *partners)
{
    for (int s = count - 1; s >= 0; s--) {
        const int other = partners[s];
        row = row == s ? other : row == other ? s : row;
    }
    return row;
}

// Where rows come from that the panel before had interchanged: `origins` of the rows `targets`, of which -1 is none.
inline void follow(int before, __global const int *pivots, int base, __local int *partners, __local int *targets,
                   __local int *origins)
{
    for (int s = get_local_id(0); s < before; s += THREADS) partners[s] = pivots[s] - 1 - base;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_id(0); s < MOVED; s += THREADS) {
        // A row of U, or the partner of one; which may be a row of U, or the partner of several.
        int row = s < before ? s : -1;
        if (s >= PANEL && s - PANEL < before) {
            row = partners[s - PANEL];
            bool is_known = row < before;
            for (int i = 0; i < s - PANEL; i++) is_known = is_known || partners[i] == row;
            row = is_known ? -1 : row;
        }
        targets[s] = row;
        origins[s] = row < 0 ? -1 : origin(row, before, partners);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void lu_step(
    int rows, int before, int width, int right, int left, __global scalar *a, long a_offset, long column_stride, int base,
    __global int *pivots, long pivot_offset, __global int *info, long info_place)
{
    __local search_room search;
    __local scalar lower[PANEL * PANEL];
    __local scalar upper[PANEL * PANEL] __attribute__((aligned(16)));
    __local scalar offers[2][OFFERS * WIDTH] __attribute__((aligned(16))), diagonals[2][WIDTH] __attribute__((aligned(16)));
    __local int partners[PANEL], targets[MOVED], origins[MOVED];
#if HALVES > 1
    __local scalar waiting[WIDTH * HEIGHT];
#endif
    const int item = get_local_id(0), group = get_group_id(0), rights = (right + WIDTH - 1) / WIDTH;
    a += a_offset;
    pivots += pivot_offset;
    // The panel before, from its diagonal on.
    __global scalar *panel_before = a - before - before * column_stride;
    // Rows are read where they stand, while it is found out which come from elsewhere: these are read again.
    const int first = group == 0 ? 0 : width + (group - 1) * WIDTH;
    const int columns = group == 0 ? width : group > rights ? 0 : min(WIDTH, width + right - first);
    __global scalar *own = a + first * column_stride;
    scalar x[ROWS][WIDTH];
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = item + r * THREADS;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) x[r][c] = row < rows && c < columns ? own[row + c * column_stride] : SCALAR_ZERO;
    }
#if HALVES > 1
    if (group == 0) {
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                if (row < rows && WIDTH + c < width)
                    copy_ahead(waiting + c * HEIGHT + row, own + row + (WIDTH + c) * column_stride);
                else
                    waiting[c * HEIGHT + row] = SCALAR_ZERO;
            }
        }
    }
#endif
    follow(before, pivots - before, base - before, partners, targets, origins);

    if (group > rights) {
        const int s = item % MOVED, c = (group - 1 - rights) * INTERCHANGED + item / MOVED;
        const bool moves = item / MOVED < INTERCHANGED && c < left && targets[s] >= 0;
        __global scalar *column = panel_before - (c + 1) * column_stride;
        scalar element = SCALAR_ZERO;
        if (moves) element = column[origins[s]];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (moves) column[targets[s]] = element;
        return;
    }

    int source[ROWS];
    #pragma unroll
    for (int r = 0; r < ROWS; r++) source[r] = item + r * THREADS;
    for (int s = 0; s < before; s++) {
        const int row = targets[PANEL + s] - before;
        if (row >= 0 && row % THREADS == item) {
            #pragma unroll
            for (int r = 0; r < ROWS; r++)
                if (row == item + r * THREADS) source[r] = origins[PANEL + s] - before;
        }
    }
#if HALVES > 1
    await_copies();
#endif
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (source[r] != item + r * THREADS) {
            keep_apart(ROWS + r);
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) x[r][c] = c < columns ? own[source[r] + c * column_stride] : SCALAR_ZERO;
#if HALVES > 1
            #pragma unroll
            for (int c = 0; c < WIDTH; c++)
                if (group == 0 && WIDTH + c < width)
                    waiting[c * HEIGHT + item + r * THREADS] = own[source[r] + (WIDTH + c) * column_stride];
#endif
        }
    }

    // U's rows: L's are those of its panel, and zeros where there are none.
    for (int e = item; e < PANEL * PANEL; e += THREADS) {
        const int i = e % PANEL, c = e / PANEL;
        lower[e] = i < before && c < before ? panel_before[i + c * column_stride] : SCALAR_ZERO;
        upper[i * PANEL + c] = i < before && c < columns ? own[origins[i] - before + c * column_stride] : SCALAR_ZERO;
    }
    scalar even[BATCH_COLUMNS][BATCH_ROWS], odd[BATCH_COLUMNS][BATCH_ROWS];
    __global const scalar *l = a - before * column_stride;
    read_batch(even, 0, l, column_stride, before, rows);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item < columns) {
        scalar u[PANEL];
        #pragma unroll
        for (int i = 0; i < PANEL; i++) u[i] = upper[i * PANEL + item];
        #pragma unroll
        for (int k = 0; k < PANEL - 1; k++) {
            #pragma unroll
            for (int i = 0; i < PANEL; i++)
                if (i > k) u[i] = multiply_add(-lower[k * PANEL + i], u[k], u[i]);
        }
        #pragma unroll
        for (int i = 0; i < PANEL; i++) {
            if (i < before) {
                upper[i * PANEL + item] = u[i];
                own[i - before + item * column_stride] = u[i];
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (PANEL < TURN_COLUMNS) {
        subtract(x, 0, even, upper);
    } else {
        for (int k = 0; k < before; k += TURN_COLUMNS, l += TURN_COLUMNS * column_stride) {
            #pragma unroll
            for (int t = 0; t < TURN; t += 2) {
                read_batch(odd, t + 1, l, column_stride, before - k, rows);
                subtract(x, t, even, upper + k * PANEL);
                read_batch(even, t + 2, l, column_stride, before - k, rows);
                subtract(x, t + 1, odd, upper + k * PANEL);
            }
        }
    }

    // The panel's column that is the first one in registers.
    int first_column = 0;
    if (group == 0) {
        while (first_column < width) {
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                const int diagonal_row = first_column + c;
                const bool is_step = diagonal_row < width;
                // Rows that are not there have zeros, or what comes of them and a NaN: the one on the diagonal is always better.
                candidate best = {item < diagonal_row ? (real)-2 : pivot_key(x[0][c], item == diagonal_row), item};
                #pragma unroll
                for (int r = 1; r < ROWS; r++) {
                    const real key = key_below(x[r][c]);
                    const bool is_better = key > best.key;
                    best.key = is_better ? key : best.key;
                    best.row = is_better ? item + r * THREADS : best.row;
                }
                // Whoever has a row that may be the pivot's lays it out, and so does who has the one on the diagonal.
                __local scalar *offer = offers[c & 1], *diagonal = diagonals[c & 1];
                const int offered = row_to_offer(best, &search, c);
                __local scalar *offered_row = offer + offer_of(offered) * WIDTH;
                #pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    if (offered == item + r * THREADS) {
                        keep_apart(r);
                        row_of_panel own_row;
                        #pragma unroll
                        for (int d = 0; d < WIDTH; d++) own_row.elements[d] = x[r][d];
                        write_row(offered_row, own_row);
                    }
                }
                if (item == diagonal_row) {
                    row_of_panel own_row;
                    #pragma unroll
                    for (int d = 0; d < WIDTH; d++) own_row.elements[d] = x[0][d];
                    write_row(diagonal, own_row);
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                const int pivot_row = best_offered(offered, &search, c);
                const row_of_panel step = read_row(offer + offer_of(pivot_row) * WIDTH);
                const scalar pivot = step.elements[c];
                const bool is_singular = is_zero(pivot);
                scalar inverse = is_singular ? SCALAR_ONE : divide(SCALAR_ONE, pivot);
                const bool is_tiny = !is_finite(inverse);
                if (is_step && pivot_row != diagonal_row) {
                    if ((uint)pivot_row % THREADS == item) {
                        #pragma unroll
                        for (int r = 0; r < ROWS; r++) {
                            if (pivot_row == item + r * THREADS) {
                                keep_apart(r);
                                const row_of_panel above = read_row(diagonal);
                                #pragma unroll
                                for (int d = 0; d < WIDTH; d++) x[r][d] = above.elements[d];
                            }
                        }
                    }
                    if (item == diagonal_row) {
                        #pragma unroll
                        for (int d = 0; d < WIDTH; d++) x[0][d] = step.elements[d];
                    }
                }
                if (is_step && item == 0) {
                    pivots[diagonal_row] = base + pivot_row + 1;
#if HALVES > 1
                    partners[c] = pivot_row;
#endif
                    if (is_singular && info[info_place] == 0) info[info_place] = base + diagonal_row + 1;
                }
                // Rows on and above the diagonal are the first ones of the first work-items. Columns that are not there are zeros, and stay
                // so.
                const scalar above = x[0][c];
                if (is_tiny) {
                    // The rows below are as small as the pivot is.
                    keep_apart(-1);
                    inverse = divide(SCALAR_ONE, pivot * RAISE);
                    #pragma unroll
                    for (int r = 0; r < ROWS; r++) x[r][c] *= RAISE;
                }
                #pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    const scalar quotient = multiply(x[r][c], inverse);
                    x[r][c] = r == 0 && item <= diagonal_row ? above : quotient;
                }
                // From 0 on, so that loops of a known length are unrolled.
                #pragma unroll
                for (int d = 0; d < WIDTH; d++) {
                    #pragma unroll
                    for (int r = 0; r < ROWS; r++) {
                        if (d > c && (r > 0 || item > diagonal_row)) x[r][d] = multiply_add(-x[r][c], step.elements[d], x[r][d]);
                    }
                }
            }
#if HALVES > 1
            if (width <= WIDTH) break;
            if (first_column == 0 && item < WIDTH) {
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) lower[c * WIDTH + item] = x[0][c];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < WIDTH) interchange_waiting(waiting, partners, first_column, min(WIDTH, width - first_column));
            if (first_column == 0 && item < WIDTH) solve_waiting(waiting, lower, upper);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (first_column > 0) break;
            exchange_halves(x, waiting, upper);
            first_column = WIDTH;
#else
            break;
#endif
        }
    }
#if HALVES > 1
    if (first_column > 0) {
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = item + r * THREADS;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++)
                if (row < rows) own[row + c * column_stride] = waiting[c * HEIGHT + row];
        }
    }
#endif
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = item + r * THREADS;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            if (row < rows && first_column + c < columns) own[row + (first_column + c) * column_stride] = x[r][c];
    }
}
