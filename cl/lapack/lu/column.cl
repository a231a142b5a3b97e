// P A = L U for a panel of columns that is too high for a work-group's registers, by many groups: a launch for each column, and one more.
// Launch number j eliminates column j - 1 with the pivot that launch j - 1 has found, and looks for column j's.
//
// A group has `chunk` adjacent rows. It offers the row of its best candidate to the next launch, in scratch memory, and the group with
// row j offers that one, too: so no group reads rows that another one writes. Launches take turns with two sets of offers.
//
// Rows and columns count from the panel's first ones, of which there are as many rows as columns at least. Pivots count from 1 + `base`;
// the info becomes the number of the first one that is zero, if there was none before.
// Parameters: THREADS, WIDTH (columns of a panel, at most).

// Where a set of offers begins: a row for each group, and one for the diagonal's.
#define OFFERED_ROWS(groups) ((groups) + 1)

inline int best_of_group(candidate own, __local search_room *search, int turn)
{
    const int offered = row_to_offer(own, search, turn);
    barrier(CLK_LOCAL_MEM_FENCE);
    return best_offered(offered, search, turn);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void lu_column(
    int rows, int width, int searched, int chunk, __global scalar *a, long a_offset, long column_stride, int base,
    __global int *pivots, long pivot_offset, __global int *info, long info_place, __global scalar *offers, __global int *offered)
{
    __local search_room search;
    __local scalar upper[WIDTH], diagonal[WIDTH];
    const int item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
    const int first = group * chunk, end = min(first + chunk, rows), eliminated = searched - 1;
    const candidate none = {(real)-1, INT_MAX};
    __global const scalar *from = offers + (1 - (searched & 1)) * OFFERED_ROWS(groups) * WIDTH;
    __global scalar *to = offers + (searched & 1) * OFFERED_ROWS(groups) * WIDTH;
    a += a_offset;

    int pivot_row = -1;
    if (searched > 0) {
        candidate best = none;
        for (int g = item; g < groups; g += THREADS) {
            const int row = offered[(1 - (searched & 1)) * groups + g];
            const candidate other = {pivot_key(from[g * WIDTH + eliminated], row == eliminated), row};
            if (row < rows) best = better_of(best, other);
        }
        pivot_row = best_of_group(best, &search, 0);
        for (int c = item; c < width; c += THREADS) {
            upper[c] = from[pivot_row / chunk * WIDTH + c];
            diagonal[c] = from[groups * WIDTH + c];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const scalar pivot = searched > 0 ? upper[eliminated] : SCALAR_ONE;
    const bool is_singular = is_zero(pivot);
    const scalar inverse = divide(SCALAR_ONE, pivot);
    if (searched > 0 && group == 0 && item == 0) {
        pivots[pivot_offset + eliminated] = base + pivot_row + 1;
        if (is_singular && info[info_place] == 0) info[info_place] = base + searched;
    }

    candidate best = none;
    for (int row = first + item; row < end; row += THREADS) {
        __global scalar *own = a + row;
        if (row < eliminated) continue;
        scalar x[WIDTH];
        if (row == pivot_row || row == eliminated) {
            // The pivot's row and the diagonal's change places, in all columns.
            __local const scalar *partner = row == eliminated ? upper : diagonal;
            #pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                x[c] = c < width ? partner[c] : SCALAR_ZERO;
                if (c < width && (c < searched || row == eliminated)) own[c * column_stride] = x[c];
            }
            if (row == eliminated) continue;
        } else {
            #pragma unroll
            for (int c = 0; c < WIDTH; c++)
                x[c] = c >= eliminated && c < width ? own[c * column_stride] : SCALAR_ZERO;
        }
        scalar factor = SCALAR_ZERO, next = SCALAR_ZERO;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            if (c == eliminated) factor = is_singular ? x[c] : divided(x[c], pivot, inverse);
        }
        if (searched > 0) own[eliminated * column_stride] = factor;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            if (c >= searched && c < width) {
                if (searched > 0) {
                    x[c] = multiply_add(-factor, upper[c], x[c]);
                    own[c * column_stride] = x[c];
                }
                if (c == searched) next = x[c];
            }
        }
        const candidate other = {pivot_key(next, row == searched), row};
        best = better_of(best, other);
    }
    if (searched == width) return;

    // What was stored of a row is read by the work-item that stored it.
    barrier(CLK_LOCAL_MEM_FENCE);
    const int best_row = best_of_group(best, &search, 1);
    const bool has_best = best_row < rows ? best_row >= first && (best_row - first) % THREADS == item : item == 0;
    if (has_best) {
        offered[(searched & 1) * groups + group] = best_row;
        if (best_row < rows) {
            #pragma unroll
            for (int c = 0; c < WIDTH; c++)
                if (c < width) to[group * WIDTH + c] = a[best_row + c * column_stride];
        }
    }
    if (searched >= first && searched < end && (searched - first) % THREADS == item) {
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            if (c < width) to[groups * WIDTH + c] = a[searched + c * column_stride];
    }
}
