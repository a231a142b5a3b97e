// Interchanges of rows, one after another, each with a partner, in all columns at once (LAPACK: xLASWP); and, for the columns
// from `solve_from` on, the solution of L X = B for the interchanged rows' unit lower triangle L (Parameter SOLVE).
//
// A group takes COLUMNS columns. Every element that moves is read before any is written: where each row's new elements come
// from is found by following the interchanges back.
//
// `pivots` count rows from 1 + `base`; one that is none of the `rows` there are is passed over. The columns [gap_first, gap_first + gap) are left out.
// Parameters: THREADS, COLUMNS, COUNT (interchanges in a launch, at most), ALONG_ROWS (elements of a row are adjacent), SOLVE.

#define ROWS (2 * COUNT)

// The row whose element is in row `row` after the interchanges of `first` and what follows it with their partners.
inline int origin(int row, int first, int count, int backward, __local const int *partner)
{
    for (int s = 0; s < count; s++) {
        const int i = backward ? s : count - 1 - s;
        const int other = partner[i];
        row = row == first + i ? other : row == other ? first + i : row;
    }
    return row;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void interchange(
    __global scalar *a, long a_offset, long row_stride, long column_stride, long columns, long gap_first, long gap,
    int rows, int first, int count, int backward, __global const int *pivots, long pivot_offset, long pivot_step, int base,
    long solve_from)
{
    __local int partner[COUNT];
    __local int target[ROWS];
    __local int source[ROWS];
    __local scalar tile[COLUMNS * ROWS];
#if SOLVE
    __local scalar lower[COUNT * COUNT];
#endif
    const int item = get_local_id(0);
    a += a_offset;
    for (int i = item; i < count; i += THREADS) {
        const int row = pivots[pivot_offset + i * pivot_step] - 1 - base;
        partner[i] = row >= 0 && row < rows ? row : first + i;
    }
#if SOLVE
    // The triangle stands in the columns that are left out.
    for (int e = item; e < count * count; e += THREADS)
        lower[e] = a[(first + e % count) * row_stride + (gap_first + e / count) * column_stride];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = item; s < 2 * count; s += THREADS) {
        int row = first + s;
        if (s >= count) {
            // A row that is among the interchanged ones, or the partner of several, has its place already.
            row = partner[s - count];
            bool known = row >= first && row < first + count;
            for (int i = 0; i < s - count; i++) known = known || partner[i] == row;
            row = known ? -1 : row;
        }
        target[s] = row;
        source[s] = row < 0 ? -1 : origin(row, first, count, backward, partner);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const long left = (long)get_group_id(0) * COLUMNS;
    for (int e = item; e < 2 * count * COLUMNS; e += THREADS) {
        const int s = ALONG_ROWS ? e / COLUMNS : e % (2 * count), c = ALONG_ROWS ? e % COLUMNS : e / (2 * count);
        const long column = left + c < gap_first ? left + c : left + c + gap;
        if (source[s] >= 0 && left + c < columns)
            tile[c * ROWS + s] = a[source[s] * row_stride + column * column_stride];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if SOLVE
    for (int k = 0; k < count - 1; k++) {
        for (int e = item; e < COUNT * COLUMNS; e += THREADS) {
            const int i = e % COUNT, c = e / COUNT;
            const long column = left + c < gap_first ? left + c : left + c + gap;
            if (i > k && i < count && column >= solve_from && left + c < columns)
                tile[c * ROWS + i] = multiply_add(-lower[k * count + i], tile[c * ROWS + k], tile[c * ROWS + i]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    for (int e = item; e < 2 * count * COLUMNS; e += THREADS) {
        const int s = ALONG_ROWS ? e / COLUMNS : e % (2 * count), c = ALONG_ROWS ? e % COLUMNS : e / (2 * count);
        const long column = left + c < gap_first ? left + c : left + c + gap;
        if (source[s] >= 0 && left + c < columns)
            a[target[s] * row_stride + column * column_stride] = tile[c * ROWS + s];
    }
}
