// P A = L U for a panel of columns that is too high for registers, by one work-group, in its memory. As step.cl.
// Parameter: THREADS.

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void lu_panel(
    int rows, int width, __global scalar *a, long a_offset, long column_stride, int base, __global int *pivots,
    long pivot_offset, __global int *info, long info_place)
{
    __local search_room search;
    const int item = get_local_id(0);
    const int steps = min(rows, width);
    a += a_offset;
    for (int j = 0; j < steps; j++) {
        __global scalar *column = a + j * column_stride;
        candidate best = {-2, INT_MAX};
        for (int row = j + item; row < rows; row += THREADS) {
            const candidate other = {pivot_key(column[row], row == j), row};
            best = better_of(best, other);
        }
        const int pivot_row = row_to_offer(best, &search, 0);
        barrier(CLK_GLOBAL_MEM_FENCE); // the column has been read
        for (int c = item; c < width; c += THREADS) {
            __global scalar *other = a + c * column_stride;
            const scalar value = other[j];
            other[j] = other[pivot_row];
            other[pivot_row] = value;
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        const scalar pivot = column[j];
        const bool is_singular = is_zero(pivot);
        const scalar inverse = reciprocal_of(pivot);
        if (item == 0) {
            pivots[pivot_offset + j] = base + pivot_row + 1;
            if (is_singular && info[info_place] == 0) info[info_place] = base + j + 1;
        }
        for (int row = j + 1 + item; row < rows; row += THREADS) {
            scalar factor = column[row];
            if (!is_singular) {
                factor = divided(factor, pivot, inverse);
                column[row] = factor;
            }
            for (int c = j + 1; c < width; c++) {
                __global scalar *other = a + c * column_stride;
                other[row] = multiply_add(-factor, other[j], other[row]);
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    }
}
