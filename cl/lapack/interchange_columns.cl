// Interchanges of rows, whose origins are known, in all columns at once (LAPACK: xLASWP).
//
// `moves`, from `moves_offset` on, are ROWS rows and the rows whose elements these get, as origins.cl found them. A group takes
// COLUMNS columns at a time: its work-items read every element that moves before they write any. Columns [gap_first, gap_first + gap)
// are left out, of which `columns` are none.
// Parameters: THREADS, ROWS, COLUMNS, ALONG_ROWS (elements of a row are adjacent).

// Elements of a work-item.
#define EACH ((ROWS * COLUMNS + THREADS - 1) / THREADS)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void interchange_columns(
    __global scalar *a, long a_offset, long row_stride, long column_stride, long columns, long gap_first, long gap,
    __global const int *restrict moves, long moves_offset)
{
    const int item = get_local_id(0);
    a += a_offset;
    moves += moves_offset;
    for (long left = (long)get_group_id(0) * COLUMNS; left < columns; left += (long)get_num_groups(0) * COLUMNS) {
        scalar x[EACH];
        #pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int e = item + k * THREADS, s = ALONG_ROWS ? e / COLUMNS : e % ROWS, c = ALONG_ROWS ? e % COLUMNS : e / ROWS;
            const bool is_there = e < ROWS * COLUMNS && left + c < columns;
            const long column = left + c < gap_first ? left + c : left + c + gap;
            const int to = is_there ? moves[s] : -1, from = is_there ? moves[ROWS + s] : 0;
            x[k] = to >= 0 ? a[from * row_stride + column * column_stride] : SCALAR_ZERO;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        #pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int e = item + k * THREADS, s = ALONG_ROWS ? e / COLUMNS : e % ROWS, c = ALONG_ROWS ? e % COLUMNS : e / ROWS;
            const bool is_there = e < ROWS * COLUMNS && left + c < columns;
            const long column = left + c < gap_first ? left + c : left + c + gap;
            const int to = is_there ? moves[s] : -1;
            if (to >= 0) a[to * row_stride + column * column_stride] = x[k];
        }
    }
}
