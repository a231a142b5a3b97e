// The half of a panel that waits in local memory while the other one is in registers: WIDTH columns of HEIGHT elements. A work-item's own
// rows are THREADS apart there, too.
// Parameters: THREADS, ROWS, WIDTH, HALVES. See step.cl.

#if HALVES > 1
// As subtract_batch.
inline void subtract_batch_waiting(__local scalar *waiting, int t, scalar l[BATCH_COLUMNS][BATCH_ROWS], __local const scalar *upper)
{
    const int first_column = t / BATCHES * BATCH_COLUMNS, first_row = t % BATCHES * BATCH_ROWS;
    #pragma unroll
    for (int c = 0; c < WIDTH; c++) {
        __local scalar *own = waiting + c * HEIGHT + get_local_id(0) + first_row * THREADS;
        scalar y[BATCH_ROWS];
        #pragma unroll
        for (int r = 0; r < BATCH_ROWS; r++) y[r] = own[r * THREADS];
        #pragma unroll
        for (int n = 0; n < BATCH_COLUMNS; n++) {
            const scalar u = upper[(first_column + n) * PANEL + WIDTH + c];
            #pragma unroll
            for (int r = 0; r < BATCH_ROWS; r++) y[r] = multiply_add(-l[n][r], u, y[r]);
        }
        #pragma unroll
        for (int r = 0; r < BATCH_ROWS; r++) own[r * THREADS] = y[r];
    }
}

// Makes the interchanges of the other half's rows, from `first` on, in the half that waits: a work-item has a column.
inline void interchange_waiting(__local scalar *waiting, __local const int *partners, int first, int count)
{
    __local scalar *column = waiting + get_local_id(0) * HEIGHT;
    for (int s = 0; s < count; s++) {
        const scalar value = column[first + s];
        column[first + s] = column[partners[s]];
        column[partners[s]] = value;
    }
}

// The rows of U that the first half has in a column that waits, from its triangle of L, whose columns lie one after the other.
inline void solve_waiting(__local scalar *waiting, __local const scalar *lower, __local scalar *upper)
{
    __local scalar *column = waiting + get_local_id(0) * HEIGHT;
    scalar u[WIDTH];
    #pragma unroll
    for (int i = 0; i < WIDTH; i++) u[i] = column[i];
    #pragma unroll
    for (int k = 0; k < WIDTH - 1; k++) {
        #pragma unroll
        for (int i = 0; i < WIDTH; i++)
            if (i > k) u[i] = multiply_add(-lower[k * WIDTH + i], u[k], u[i]);
    }
    #pragma unroll
    for (int i = 0; i < WIDTH; i++) upper[i * PANEL + get_local_id(0)] = column[i] = u[i];
}

// The halves change places, where the second one loses the product of the first one with U.
inline void exchange_halves(scalar x[ROWS][WIDTH], __local scalar *waiting, __local const scalar *upper)
{
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        __local scalar *own = waiting + get_local_id(0) + r * THREADS;
        scalar y[WIDTH];
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) y[c] = own[c * HEIGHT];
        if (r > 0 || get_local_id(0) >= WIDTH) {
            #pragma unroll
            for (int k = 0; k < WIDTH; k++) {
                const row_of_panel u = read_row(upper + k * PANEL);
                #pragma unroll
                for (int c = 0; c < WIDTH; c++) y[c] = multiply_add(-x[r][k], u.elements[c], y[c]);
            }
        }
        #pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            own[c * HEIGHT] = x[r][c];
            x[r][c] = y[c];
        }
    }
}
#define subtract(x, t, l, upper)                                                  \
    do {                                                                          \
        subtract_batch(x, t, l, upper);                                           \
        if (group == 0) subtract_batch_waiting(waiting, t, l, upper);             \
    } while (0)
#else
#define subtract(x, t, l, upper) subtract_batch(x, t, l, upper)
#endif
