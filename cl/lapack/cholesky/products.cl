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

// The same of a block that work-items have SIDE x SIDE elements of each.
inline void lay_out(__local scalar (*to)[PITCH], scalar from[SIDE][SIDE], int first)
{
    const int item = get_local_id(0), top = item % INNER * SIDE, column = item / INNER * SIDE - first;
    if (column >= 0 && column < DEPTH) {
        #pragma unroll
        for (int c = 0; c < SIDE; c++) {
            scalar elements[SIDE];
            #pragma unroll
            for (int r = 0; r < SIDE; r++) elements[r] = from[r][c];
            put_side(&to[column + c][top], elements);
        }
    }
}

// sums += A Bᴴ, of both of which there are DEPTH columns.
inline void multiply_columns(__local const scalar (*a)[PITCH], __local const scalar (*b)[PITCH], scalar sums[SIDE][SIDE])
{
    const int item = get_local_id(0), top = item % INNER * SIDE, left = item / INNER * SIDE;
    #pragma unroll 4
    for (int k = 0; k < DEPTH; k++) {
        __local const scalar *down = &a[k][top], *across = &b[k][left];
        #pragma unroll
        for (int r = 0; r < SIDE; r++) {
            #pragma unroll
            for (int c = 0; c < SIDE; c++)
                sums[r][c] = multiply_add(down[r], conjugate_if(1, across[c]), sums[r][c]);
        }
    }
}

inline void clear(scalar sums[SIDE][SIDE])
{
    #pragma unroll
    for (int r = 0; r < SIDE; r++) {
        #pragma unroll
        for (int c = 0; c < SIDE; c++) sums[r][c] = SCALAR_ZERO;
    }
}

// The rows times the inverse's adjoint.
inline void solve(__local scalar (*room)[PITCH], matrix a, int rows, matrix inverse, scalar result[SIDE][SIDE])
{
    clear(result);
    for (int first = 0; first < WIDTH; first += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        load_columns(room, a, first, rows);
        load_columns(room + DEPTH, inverse, first, WIDTH);
        barrier(CLK_LOCAL_MEM_FENCE);
        multiply_columns(room, room + DEPTH, result);
    }
}

// sums += A Bᴴ for blocks in memory, or for those that are shared by all work-items.
inline void add_product(__local scalar (*room)[PITCH], matrix a, int rows, matrix b, int columns, scalar sums[SIDE][SIDE])
{
    for (int first = 0; first < WIDTH; first += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        load_columns(room, a, first, rows);
        load_columns(room + DEPTH, b, first, columns);
        barrier(CLK_LOCAL_MEM_FENCE);
        multiply_columns(room, room + DEPTH, sums);
    }
}

inline void add_shared(__local scalar (*room)[PITCH], scalar a[SIDE][SIDE], scalar b[SIDE][SIDE], scalar sums[SIDE][SIDE])
{
    for (int first = 0; first < WIDTH; first += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        lay_out(room, a, first);
        lay_out(room + DEPTH, b, first);
        barrier(CLK_LOCAL_MEM_FENCE);
        multiply_columns(room, room + DEPTH, sums);
    }
}

// The same for a block and itself.
inline void add_square(__local scalar (*room)[PITCH], scalar a[SIDE][SIDE], scalar sums[SIDE][SIDE])
{
    for (int first = 0; first < WIDTH; first += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        lay_out(room, a, first);
        barrier(CLK_LOCAL_MEM_FENCE);
        multiply_columns(room, room, sums);
    }
}

// The block in `to` becomes `values`, or loses them; or its lower triangle.
inline void store(__local scalar (*room)[PITCH], scalar values[SIDE][SIDE], matrix to, int rows, bool is_subtracted, bool is_lower)
{
    const int item = get_local_id(0), top = item % INNER * SIDE, left = item / INNER * SIDE;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int c = 0; c < SIDE; c++) {
        scalar elements[SIDE];
        #pragma unroll
        for (int r = 0; r < SIDE; r++) elements[r] = values[r][c];
        put_side(&room[left + c][top], elements);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const walk w = walk_of(to, WIDTH);
    __global scalar *place = at(to, w.row, w.column);
    __local const scalar *source = &room[w.column][w.row];
    const long step = w.rows * to.row_stride + w.columns * to.column_stride;
    const int source_step = w.columns * PITCH + w.rows;
    #pragma unroll
    for (int n = 0; n < SIZE / THREADS; n++) {
        const int r = w.row + n * w.rows, c = w.column + n * w.columns;
        if (r < rows && (!is_lower || c <= r)) {
            const scalar value = source[n * source_step];
            place[n * step] = is_subtracted ? place[n * step] - value : value;
        }
    }
}

