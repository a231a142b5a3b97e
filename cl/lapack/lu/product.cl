// What a group's columns lose by the panel before: L's columns, which come through registers in batches, times rows of U.
// Parameters: THREADS, ROWS, WIDTH, HALVES. See step.cl.

// A work-item's elements of L that are read at once, while it multiplies with the ones read before: BATCH_ROWS of BATCH_COLUMNS
// columns, of which TURN batches take up BATCHES for each such columns.
#define BATCH (SCALAR_IS_DOUBLE && SCALAR_IS_COMPLEX ? 4 : 8)
#if HALVES > 1
// Few rows: what waits is read and written once for as many columns as can be.
#define BATCH_COLUMNS (PANEL < BATCH ? PANEL : BATCH)
#define BATCH_ROWS (BATCH / BATCH_COLUMNS < ROWS ? BATCH / BATCH_COLUMNS : ROWS)
#else
#define BATCH_ROWS (ROWS < BATCH ? ROWS : BATCH)
#define BATCH_COLUMNS (BATCH / BATCH_ROWS < WIDTH ? BATCH / BATCH_ROWS : WIDTH)
#endif
#define BATCHES (ROWS / BATCH_ROWS)
#define TURN (BATCHES > 1 ? BATCHES : 2)
#define TURN_COLUMNS (TURN / BATCHES * BATCH_COLUMNS)

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
        const row_of_panel u = read_row(upper + (first_column + n) * PANEL);
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            #pragma unroll
            for (int r = 0; r < BATCH_ROWS; r++)
                x[first_row + r][c] = multiply_add(-l[n][r], u.elements[c], x[first_row + r][c]);
        }
    }
}
