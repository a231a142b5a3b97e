// P A = L U for a panel of columns that is too high for a work-group's registers, by many groups: a launch for each column, and one more.
// Launch number j eliminates column j - 1 with the pivot that launch j - 1 has found, and looks for column j's.
//
// A group has `chunk` adjacent rows. It offers the row of its best candidate to the next launch, in scratch memory, and the group with
// row j offers that one, too: so no group reads rows that another one writes. Launches take turns with two sets of offers. A launch takes
// about as long as its reads wait for each other: what is needed is asked for before it is known which of it counts.
//
// Rows and columns count from the panel's first ones, of which there are as many rows as columns at least. Pivots count from 1 + `base`;
// the info becomes the number of the first one that is zero, if there was none before.
// Parameters: THREADS, GROUPS (at most), WIDTH (columns of a panel, at most).

inline int best_of_group(candidate own, __local search_room *search, int turn)
{
    const int offered = row_to_offer(own, search, turn);
    barrier(CLK_LOCAL_MEM_FENCE);
    return best_offered(offered, search, turn);
}

inline void load_row(scalar x[WIDTH], __global const scalar *from, long stride, int width)
{
    #pragma unroll
    for (int c = 0; c < WIDTH; c++) x[c] = c < width ? from[c * stride] : SCALAR_ZERO;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void lu_column(
    int rows, int width, int searched, int chunk, __global scalar *a, long a_offset, long column_stride, int base,
    __global int *pivots, long pivot_offset, __global int *info, long info_place, __global scalar *offers, __global int *offered)
{
    __local search_room search;
    // The rows that groups offer, and the one on the diagonal behind them.
    __local scalar offered_rows[(GROUPS + 1) * WIDTH];
    const int item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
    const int first = group * chunk, end = min(first + chunk, rows), eliminated = searched - 1, turn = searched & 1;
    const candidate none = {(real)-1, INT_MAX};
    __global const scalar *from = offers + (1 - turn) * (groups + 1) * WIDTH;
    __global scalar *to = offers + turn * (groups + 1) * WIDTH;
    a += a_offset;

    scalar x[WIDTH];
    int row = first + item;
    if (row < end) load_row(x, a + row, column_stride, width);
    candidate best = none;
    if (searched > 0) {
        for (int g = item; g < groups; g += THREADS) {
            const int other_row = offered[(1 - turn) * groups + g];
            const scalar other_pivot = from[g * WIDTH + eliminated];
            const candidate other = {pivot_key(other_pivot, other_row == eliminated), other_row};
            if (other_row < rows) best = better_of(best, other);
        }
        for (int e = item; e < (groups + 1) * WIDTH; e += THREADS) offered_rows[e] = from[e];
    }
    const int pivot_row = best_of_group(best, &search, 0);
    // A launch without a pivot leaves everything as it is.
    __local const scalar *upper = offered_rows + (searched > 0 ? pivot_row / chunk * WIDTH : 0);
    __local const scalar *diagonal = offered_rows + groups * WIDTH;
    const scalar pivot = searched > 0 ? upper[max(eliminated, 0)] : SCALAR_ONE;
    const bool is_singular = is_zero(pivot);
    const scalar inverse = reciprocal_of(pivot);
    if (searched > 0 && group == 0 && item == 0) {
        pivots[pivot_offset + eliminated] = base + pivot_row + 1;
        if (is_singular && info[info_place] == 0) info[info_place] = base + searched;
    }

    best = none;
    scalar best_x[WIDTH];
    #pragma unroll
    for (int c = 0; c < WIDTH; c++) best_x[c] = SCALAR_ZERO;
    while (row < end) {
        __global scalar *own = a + row;
        const bool is_pivots = searched > 0 && row == pivot_row, is_diagonal = row == eliminated;
        if (is_pivots || is_diagonal) {
            // They change places, in all columns.
            __local const scalar *partner = is_diagonal ? upper : diagonal;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                x[c] = partner[c];
                if (c < width && (c < searched || is_diagonal)) own[c * column_stride] = x[c];
            }
        }
        if (row > eliminated) {
            scalar factor = SCALAR_ZERO, next = SCALAR_ZERO;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                if (c == eliminated) {
                    x[c] = factor = is_singular ? x[c] : divided(x[c], pivot, inverse);
                    own[c * column_stride] = factor;
                }
            }
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                if (searched > 0 && c >= searched && c < width) {
                    x[c] = multiply_add(-factor, upper[c], x[c]);
                    own[c * column_stride] = x[c];
                }
                if (c == searched) next = x[c];
            }
            const candidate other = {pivot_key(next, row == searched), row};
            best = better_of(best, other);
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                if (best.row == row) best_x[c] = x[c];
                if (row == searched) to[groups * WIDTH + c] = x[c];
            }
        }
        row += THREADS;
        if (row < end) load_row(x, a + row, column_stride, width);
    }
    if (searched == width) return;

    const int best_row = best_of_group(best, &search, 1);
    if (best_row < rows ? best.row == best_row : item == 0) {
        offered[turn * groups + group] = best_row;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) to[group * WIDTH + c] = best_x[c];
    }
}
