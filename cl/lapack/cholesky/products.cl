// Products of blocks of WIDTH x WIDTH elements by a work-group, DEPTH columns at a time in local memory: in `room`, which has 2 * DEPTH
// columns. What was there before is read no more after the first barrier of each of them.
// Parameter: DEPTH (INNER at least, and half of WIDTH).

// Columns from `first` on of the rows, transposed. Rows that are not there are zeros.
inline void load_columns(__local scalar (*to)[PITCH], matrix from, int first, int rows)
{
    const walk w = walk_of(from, DEPTH);
    __global const scalar *source = at(from, w.row, first + w.column);
    __local scalar *place = &to[w.column][w.row];
    const long step = w.rows * from.row_stride + w.columns * from.column_stride;
    const int place_step = w.columns * PITCH + w.rows;
    #pragma unroll
    for (int n = 0; n < DEPTH * WIDTH / THREADS; n++)
        place[n * place_step] = w.row + n * w.rows < rows ? source[n * step] : SCALAR_ZERO;
}

// sums += A Bᴴ for blocks in memory.
inline void add_product(__local scalar (*room)[PITCH], matrix a, int rows, matrix b, int columns, scalar sums[SIDE][SIDE])
{
    for (int first = 0; first < WIDTH; first += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        load_columns(room, a, first, rows);
        load_columns(room + DEPTH, b, first, columns);
        barrier(CLK_LOCAL_MEM_FENCE);
        multiply_columns(room, room + DEPTH, false, sums);
    }
}

// The rows times the inverse's adjoint.
inline void solve(__local scalar (*room)[PITCH], matrix a, int rows, matrix inverse, scalar result[SIDE][SIDE])
{
    clear(result);
    add_product(room, a, rows, inverse, WIDTH, result);
}

// The same as add_product for blocks that all work-items share.
inline void add_shared(__local scalar (*room)[PITCH], scalar a[SIDE][SIDE], scalar b[SIDE][SIDE], scalar sums[SIDE][SIDE])
{
    for (int first = 0; first < WIDTH; first += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        lay_out(room, a, first, DEPTH);
        lay_out(room + DEPTH, b, first, DEPTH);
        barrier(CLK_LOCAL_MEM_FENCE);
        multiply_columns(room, room + DEPTH, false, sums);
    }
}

// The lower triangle of the same for a block and itself.
inline void add_square(__local scalar (*room)[PITCH], scalar a[SIDE][SIDE], scalar sums[SIDE][SIDE])
{
    for (int first = 0; first < WIDTH; first += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        lay_out(room, a, first, DEPTH);
        barrier(CLK_LOCAL_MEM_FENCE);
        multiply_columns(room, room, true, sums);
    }
}

// Whether a work-item's nth element is one of so many rows, and, where only these count, in the lower triangle.
inline bool is_stored(walk w, int n, int rows, bool is_lower)
{
    const int r = w.row + n * w.rows, c = w.column + n * w.columns;
    return r < rows && (!is_lower || c <= r);
}

// The block in `to` becomes `values`, or loses them; or its lower triangle. What it loses them from is read before any of it is written, and
// before the work-items wait for each other.
inline void store(__local scalar (*room)[PITCH], scalar values[SIDE][SIDE], matrix to, int rows, bool is_subtracted, bool is_lower)
{
    const walk w = walk_of(to, WIDTH);
    __global scalar *place = at(to, w.row, w.column);
    __local const scalar *source = &room[w.column][w.row];
    const long step = w.rows * to.row_stride + w.columns * to.column_stride;
    const int source_step = w.columns * PITCH + w.rows;
    scalar old[SIZE / THREADS];
    if (is_subtracted) {
        #pragma unroll
        for (int n = 0; n < SIZE / THREADS; n++)
            old[n] = is_stored(w, n, rows, is_lower) ? place[n * step] : SCALAR_ZERO;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    lay_out(room, values, 0, WIDTH);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int n = 0; n < SIZE / THREADS; n++) {
        const scalar value = source[n * source_step];
        if (is_stored(w, n, rows, is_lower)) place[n * step] = is_subtracted ? old[n] - value : value;
    }
}
