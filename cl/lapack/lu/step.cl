// A step of P A = L U for a block of columns, panel by panel: what is right of the panel before is brought up to date with that one
// (its rows are interchanged, solved for and updated), and the panel that comes next is factorised. It is one launch, since
// neither needs what the other does: the first work-group has the panel, the next ones have WIDTH columns right of it each, and the
// last ones interchange rows in the columns left of the panel before.
//
// A work-item has ROWS rows, THREADS apart, and of these all of the group's columns in registers. Rows count from the panel's
// first one; of the panel before there are `before` above, which are rows of U.
//
// Pivots count from 1 + `base`; the info becomes the number of the first one that is zero, if there was none before.
// Parameters: THREADS, ROWS, WIDTH (columns of a panel, at most, whose square is THREADS at most). A panel has as many rows as columns,
// or more.

// A work-item's elements of L that are read at once, while it multiplies with the ones read before: BATCH_ROWS of BATCH_COLUMNS
// columns, of which TURN batches take up BATCHES for each such columns.
#define BATCH (SCALAR_IS_DOUBLE && SCALAR_IS_COMPLEX ? 4 : 8)
#define BATCH_ROWS (ROWS < BATCH ? ROWS : BATCH)
#define BATCH_COLUMNS (BATCH / BATCH_ROWS < WIDTH ? BATCH / BATCH_ROWS : WIDTH)
#define BATCHES (ROWS / BATCH_ROWS)
#define TURN (BATCHES > 1 ? BATCHES : 2)
#define TURN_COLUMNS (TURN / BATCHES * BATCH_COLUMNS)
// Rows that change places for a panel, and columns whose rows a group interchanges.
#define MOVED (2 * WIDTH)
#define INTERCHANGED (THREADS / MOVED)
#if WIDTH * WIDTH > THREADS
#error A work-item has an element of a panel's triangle.
#endif
// Searches that a work-item makes at a time.
#define SEARCHES (ROWS < 16 ? 1 : 4)

// The words of 16 bytes, or less, in which a row of a panel stands in local memory.
#if SCALAR_IS_DOUBLE && (SCALAR_IS_COMPLEX || WIDTH % 2 == 0)
typedef double2 word;
#elif !SCALAR_IS_DOUBLE && (SCALAR_IS_COMPLEX ? WIDTH % 2 == 0 : WIDTH % 4 == 0)
typedef float4 word;
#else
typedef scalar word;
#endif
#define WORDS (WIDTH * sizeof(scalar) / sizeof(word))

typedef union {
    word words[WORDS];
    scalar elements[WIDTH];
} row_of_panel;

inline row_of_panel read_row(__local const scalar *from)
{
    row_of_panel row;
    #pragma unroll
    for (int w = 0; w < WORDS; w++) row.words[w] = ((__local const word *)from)[w];
    return row;
}

inline void write_row(__local scalar *to, row_of_panel row)
{
    #pragma unroll
    for (int w = 0; w < WORDS; w++) ((__local word *)to)[w] = row.words[w];
}

// Batch t of those that begin with the first of the columns, of which there are `count`: there are zeros behind them.
inline void read_batch(scalar l[BATCH_COLUMNS][BATCH_ROWS], int t, __global const scalar *columns, long column_stride, int count,
                       int rows)
{
    const int first_column = t / BATCHES * BATCH_COLUMNS, first_row = t % BATCHES * BATCH_ROWS;
    #pragma unroll
    for (int n = 0; n < BATCH_COLUMNS; n++) {
        #pragma unroll
        for (int r = 0; r < BATCH_ROWS; r++) {
            const int row = get_local_id(0) + (first_row + r) * THREADS, column = first_column + n;
            l[n][r] = row < rows && column < count ? columns[row + column * column_stride] : SCALAR_ZERO;
        }
    }
}

// x := x - L U for batch t.
inline void subtract_batch(scalar x[ROWS][WIDTH], int t, scalar l[BATCH_COLUMNS][BATCH_ROWS], __local const scalar *upper)
{
    const int first_column = t / BATCHES * BATCH_COLUMNS, first_row = t % BATCHES * BATCH_ROWS;
    #pragma unroll
    for (int n = 0; n < BATCH_COLUMNS; n++) {
        const row_of_panel u = read_row(upper + (first_column + n) * WIDTH);
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            #pragma unroll
            for (int r = 0; r < BATCH_ROWS; r++)
                x[first_row + r][c] = multiply_add(-l[n][r], u.elements[c], x[first_row + r][c]);
        }
    }
}

// Finds the s-th of the rows that change by the panel before's interchanges, and the row whose elements it gets: its rows of U come first,
// and then, from WIDTH on, their partners, but for those that are rows of U or came before; these are -1. A row without an interchange is
// its own partner.
inline void follow(const int partners[WIDTH], int before, int s, __local int *targets, __local int *origins)
{
    int row = s < before ? s : -1;
    #pragma unroll
    for (int i = 0; i < WIDTH; i++) {
        if (s == WIDTH + i && i < before) row = partners[i];
    }
    if (s >= WIDTH && row < before) row = -1;
    #pragma unroll
    for (int i = 0; i < WIDTH; i++) {
        if (i < s - WIDTH && row == partners[i]) row = -1;
    }
    targets[s] = row;
    #pragma unroll
    for (int i = WIDTH - 1; i >= 0; i--) row = row == i ? partners[i] : row == partners[i] ? i : row;
    origins[s] = row;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void lu_step(
    int rows, int before, int width, int right, int left, __global scalar *a, long a_offset, long column_stride, int base,
    __global int *pivots, long pivot_offset, __global int *info, long info_place)
{
    __local search_room search;
    __local scalar lower[WIDTH * WIDTH];
    __local scalar upper[WIDTH * WIDTH] __attribute__((aligned(16))), moved[WIDTH * WIDTH] __attribute__((aligned(16)));
    __local scalar offers[2][OFFERS * WIDTH] __attribute__((aligned(16))), diagonals[2][WIDTH] __attribute__((aligned(16)));
    __local int targets[MOVED], origins[MOVED];
    const int item = get_local_id(0), group = get_group_id(0), rights = (right + WIDTH - 1) / WIDTH;
    a += a_offset;
    pivots += pivot_offset;
    // The panel before, from its diagonal on.
    __global scalar *panel_before = a - before - before * column_stride;
    // What the panel before has interchanged is asked for before all else, and its triangle, since a good deal waits for them.
    int partners[WIDTH];
    if (item < MOVED) {
        #pragma unroll
        for (int s = 0; s < WIDTH; s++) partners[s] = s < before ? pivots[s - before] - 1 - (base - before) : s;
    }
    const int row_before = item % WIDTH, of_column = item / WIDTH;
    const bool has_triangle = item < WIDTH * WIDTH && row_before < before && of_column < before;
    const scalar of_triangle = has_triangle ? panel_before[row_before + of_column * column_stride] : SCALAR_ZERO;
    // Rows are read where they stand, and some once more where they come from.
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
    if (item < MOVED) follow(partners, before, item, targets, origins);
    barrier(CLK_LOCAL_MEM_FENCE);

    const bool is_left = group > rights;
    // The element that comes to a row of a column on the left: all are read before any is written.
    const int s = item % MOVED, left_column = (group - 1 - rights) * INTERCHANGED + item / MOVED;
    const bool is_moved = is_left && item / MOVED < INTERCHANGED && left_column < left && targets[s] >= 0;
    __global scalar *column = is_left ? panel_before - (left_column + 1) * column_stride : own - before + of_column * column_stride;
    scalar element = SCALAR_ZERO;
    if (is_moved) element = column[origins[s]];
    // U's rows, and those that moved down: L's are those of its panel, and zeros where there are none.
    if (!is_left && item < WIDTH * WIDTH) {
        const bool is_there = row_before < before && of_column < columns, moves = is_there && targets[WIDTH + row_before] >= 0;
        const int place = row_before * WIDTH + of_column;
        lower[item] = of_triangle;
        upper[place] = is_there ? column[origins[row_before]] : SCALAR_ZERO;
        moved[place] = moves ? column[origins[WIDTH + row_before]] : SCALAR_ZERO;
    }
    scalar even[BATCH_COLUMNS][BATCH_ROWS], odd[BATCH_COLUMNS][BATCH_ROWS];
    __global const scalar *l = a - before * column_stride;
    read_batch(even, 0, l, column_stride, is_left ? 0 : before, rows);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_left) {
        if (is_moved) column[targets[s]] = element;
        return;
    }

    for (int s = 0; s < before; s++) {
        const int row = targets[WIDTH + s] - before;
        if (row >= 0 && row % THREADS == item) {
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (row == item + r * THREADS) {
                    keep_apart(ROWS + r);
                    const row_of_panel other = read_row(moved + s * WIDTH);
                    #pragma unroll
                    for (int c = 0; c < WIDTH; c++) x[r][c] = other.elements[c];
                }
            }
        }
    }
    if (item < columns) {
        scalar u[WIDTH];
        #pragma unroll
        for (int i = 0; i < WIDTH; i++) u[i] = upper[i * WIDTH + item];
        #pragma unroll
        for (int k = 0; k < WIDTH - 1; k++) {
            #pragma unroll
            for (int i = 0; i < WIDTH; i++)
                if (i > k) u[i] = multiply_add(-lower[k * WIDTH + i], u[k], u[i]);
        }
        #pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            if (i < before) {
                upper[i * WIDTH + item] = u[i];
                own[i - before + item * column_stride] = u[i];
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (WIDTH < TURN_COLUMNS) {
        subtract_batch(x, 0, even, upper);
    } else {
        for (int k = 0; k < before; k += TURN_COLUMNS, l += TURN_COLUMNS * column_stride) {
            #pragma unroll
            for (int t = 0; t < TURN; t += 2) {
                read_batch(odd, t + 1, l, column_stride, before - k, rows);
                subtract_batch(x, t, even, upper + k * WIDTH);
                read_batch(even, t + 2, l, column_stride, before - k, rows);
                subtract_batch(x, t + 1, odd, upper + k * WIDTH);
            }
        }
    }

    if (group == 0 && width > 0) {
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            const bool is_step = c < width;
            // Rows that are not there have zeros, or what comes of them and a NaN: the one on the diagonal is always better. A NaN is
            // larger than nothing. Where there are many rows, several searches do not wait for each other.
            candidate found[SEARCHES];
            found[0].key = item < c ? (real)-2 : pivot_key(x[0][c], item == c);
            found[0].row = item;
            #pragma unroll
            for (int r = 1; r < ROWS; r++) {
                const int s = r % SEARCHES;
                const real size = sum_of_moduli(x[r][c]), least = r < SEARCHES ? (real)-1 : found[s].key;
                const bool is_better = size > least;
                found[s].key = is_better ? size : least;
                found[s].row = is_better || r < SEARCHES ? item + r * THREADS : found[s].row;
            }
            candidate best = found[0];
            #pragma unroll
            for (int s = 1; s < SEARCHES; s++) best = better_of(best, found[s]);
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
            if (item == c) {
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
            scalar inverse = is_singular ? SCALAR_ONE : reciprocal_of(pivot);
            const bool is_extreme = !is_usable(inverse);
            if (is_step && pivot_row != c) {
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
                if (item == c) {
                    #pragma unroll
                    for (int d = 0; d < WIDTH; d++) x[0][d] = step.elements[d];
                }
            }
            if (is_step && item == 0) {
                pivots[c] = base + pivot_row + 1;
                if (is_singular && info[info_place] == 0) info[info_place] = base + c + 1;
            }
            // Rows on and above the diagonal are the first ones of the first work-items. Columns that are not there are zeros, and stay so.
            const scalar above = x[0][c];
            if (is_extreme) {
                // The rows below are no larger than the pivot is: where it is huge, what scaling makes zeros of has the quotient zero.
                keep_apart(-1);
                const real scale = largest_part(pivot) < 1 ? RAISE : 1 / RAISE;
                inverse = reciprocal_of(pivot * scale);
                #pragma unroll
                for (int r = 0; r < ROWS; r++) x[r][c] *= scale;
            }
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const scalar quotient = multiply(x[r][c], inverse);
                x[r][c] = r == 0 && item <= c ? above : quotient;
            }
            // From 0 on, so that loops of a known length are unrolled.
            #pragma unroll
            for (int d = 0; d < WIDTH; d++) {
                #pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    if (d > c && (r > 0 || item > c)) x[r][d] = multiply_add(-x[r][c], step.elements[d], x[r][d]);
                }
            }
        }
    }
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = item + r * THREADS;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            if (row < rows && c < columns) own[row + c * column_stride] = x[r][c];
    }
}
