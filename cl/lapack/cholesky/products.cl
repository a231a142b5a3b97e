// Products of blocks of WIDTH x WIDTH elements by a work-group, DEPTH columns at a time in local memory: in `room`, which has 2 * DEPTH
// columns. What was there before is read no more after the first barrier of each of them.
// Parameter: DEPTH (INNER at least, and half of WIDTH).

// A work-item's part of DEPTH columns of the rows from `first` on. Rows that are not there are zeros.
inline void load_columns(scalar part[DEPTH * WIDTH / THREADS], matrix from, int first, int rows)
{
    const walk w = walk_of(from, DEPTH);
    __global const scalar *source = at(from, w.row, first + w.column);
    const long step = w.rows * from.row_stride + w.columns * from.column_stride;
    #pragma unroll
    for (int n = 0; n < DEPTH * WIDTH / THREADS; n++) part[n] = w.row + n * w.rows < rows ? source[n * step] : SCALAR_ZERO;
}

// The same, transposed.
inline void put_columns(__local scalar (*to)[PITCH], const scalar part[DEPTH * WIDTH / THREADS], matrix from)
{
    const walk w = walk_of(from, DEPTH);
    __local scalar *place = &to[w.column][w.row];
    const int step = w.columns * PITCH + w.rows;
    #pragma unroll
    for (int n = 0; n < DEPTH * WIDTH / THREADS; n++) place[n * step] = part[n];
}

// sums += A Bᴴ for blocks in memory, of which B may be a lower triangle. Where tensor cores multiply, the next columns are loaded meanwhile
// (on an H100 that gains 1 to 3 % in D, and costs C, which has no tensor cores here, 5 to 10 %).
inline void add_product(
    __local scalar (*room)[PITCH], matrix a, int rows, matrix b, int columns, bool is_triangle, bool is_ordinary, scalar sums[SIDE][SIDE])
{
    const int end = is_triangle ? columns_end(get_local_id(0)) : WIDTH;
    scalar of_a[DEPTH * WIDTH / THREADS], of_b[DEPTH * WIDTH / THREADS];
    load_columns(of_a, a, 0, rows);
    load_columns(of_b, b, 0, columns);
    #pragma unroll
    for (int first = 0; first < WIDTH; first += DEPTH) {
        if (!TENSOR && first > 0) {
            load_columns(of_a, a, first, rows);
            load_columns(of_b, b, first, columns);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        put_columns(room, of_a, a);
        put_columns(room + DEPTH, of_b, b);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (TENSOR && first + DEPTH < WIDTH) {
            load_columns(of_a, a, first + DEPTH, rows);
            load_columns(of_b, b, first + DEPTH, columns);
        }
        if (first < end) multiply_columns(room, room + DEPTH, min(end - first, DEPTH), is_ordinary, sums);
    }
}

// The rows times the inverse's adjoint.
inline void solve(__local scalar (*room)[PITCH], matrix a, int rows, matrix inverse, bool is_ordinary, scalar result[SIDE][SIDE])
{
    clear(result);
    add_product(room, a, rows, inverse, WIDTH, true, is_ordinary, result);
}

// The same as add_product for blocks that all work-items share.
inline void add_shared(
    __local scalar (*room)[PITCH], scalar a[SIDE][SIDE], scalar b[SIDE][SIDE], bool is_ordinary, scalar sums[SIDE][SIDE])
{
    for (int first = 0; first < WIDTH; first += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        lay_out(room, a, first, DEPTH);
        lay_out(room + DEPTH, b, first, DEPTH);
        barrier(CLK_LOCAL_MEM_FENCE);
        multiply_columns(room, room + DEPTH, DEPTH, is_ordinary, sums);
    }
}

// The lower triangle of the same for a block and itself.
inline void add_square(__local scalar (*room)[PITCH], scalar a[SIDE][SIDE], bool is_ordinary, scalar sums[SIDE][SIDE])
{
    for (int first = 0; first < WIDTH; first += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        lay_out(room, a, first, DEPTH);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!is_above(get_local_id(0))) multiply_columns(room, room, DEPTH, is_ordinary, sums);
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
