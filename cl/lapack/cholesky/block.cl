// The Cholesky factor of a block on the diagonal, and its inverse.

// The INNER rows and columns from `first` on, of which some work-items have elements, as their adjoint.
inline void put_corner(__local scalar (*corner)[INNER], scalar x[SIDE][SIDE], int first)
{
    const int item = get_local_id(0), down = side_down(item) * SIDE - first, across = side_across(item) * SIDE - first;
    if (down < 0 || down >= INNER || across < 0 || across >= INNER) return;
    #pragma unroll
    for (int c = 0; c < SIDE; c++) {
        #pragma unroll
        for (int r = 0; r < SIDE; r++) corner[across + c][down + r] = conjugate_if(1, x[r][c]);
    }
}

// The INNER rows from `first` on: those of the inverse so far, and from the diagonal on the adjoint of the columns.
inline void put_rows(__local scalar (*rows)[PITCH], scalar x[SIDE][SIDE], int first)
{
    const int item = get_local_id(0), top = side_down(item) * SIDE, left = side_across(item) * SIDE;
    const bool is_row = top >= first && top < first + INNER, is_column = left >= first && left < first + INNER;
    if (is_column && top >= first) {
        #pragma unroll
        for (int c = 0; c < SIDE; c++) {
            scalar elements[SIDE];
            #pragma unroll
            for (int r = 0; r < SIDE; r++) elements[r] = conjugate_if(1, x[r][c]);
            put_side(&rows[left - first + c][top], elements);
        }
    }
    if (is_row && left < first) {
        #pragma unroll
        for (int r = 0; r < SIDE; r++) {
            scalar elements[SIDE];
            #pragma unroll
            for (int c = 0; c < SIDE; c++) elements[c] = x[r][c];
            put_side(&rows[top - first + r][left], elements);
        }
    }
}

// The INNER rows from `first` on become the inverse's, of which `done` has them.
inline void take_rows(__local const scalar (*done)[PITCH], scalar x[SIDE][SIDE], int first)
{
    const int item = get_local_id(0), top = side_down(item) * SIDE, left = side_across(item) * SIDE;
    if (top < first || top >= first + INNER) return;
    #pragma unroll
    for (int r = 0; r < SIDE; r++) {
        __local const scalar *row = &done[top - first + r][left];
        #pragma unroll
        for (int c = 0; c < SIDE; c++) x[r][c] = left < first + INNER ? row[c] : SCALAR_ZERO;
    }
}

// What is below these rows loses their multiples.
inline void lose_rows(__local const scalar (*done)[PITCH], scalar x[SIDE][SIDE], int first)
{
    const int item = get_local_id(0), down = side_down(item), across = side_across(item), top = down * SIDE, left = across * SIDE;
    if (top < first + INNER || across > down) return;
    const bool is_column = left >= first && left < first + INNER;
    #pragma unroll
    for (int r = 0; r < SIDE; r++) {
        #pragma unroll
        for (int c = 0; c < SIDE; c++) x[r][c] = is_column ? SCALAR_ZERO : x[r][c];
    }
    #pragma unroll
    for (int k = 0; k < INNER; k++) {
        __local const scalar *factors = &done[k][top], *row = &done[k][left];
        #pragma unroll
        for (int r = 0; r < SIDE; r++) {
            #pragma unroll
            for (int c = 0; c < SIDE; c++) x[r][c] = multiply_add(-conjugate_if(1, factors[r]), row[c], x[r][c]);
        }
    }
}

// x, of which work-items have SIDE x SIDE elements of the lower triangle each, becomes the inverse of its factor, INNER rows at a time.
// What is left of the columns that are done holds the inverse's rows so far, so that rows lose the same multiples of the pivots' rows
// in both. While all that is below some rows loses these, the factor of the next ones is found: their corner on the diagonal is kept
// apart, and has lost them before. The factor of `order` rows is written to l, unless it has failed before. Returns whether all pivots
// are positive; `ordinary` becomes whether these, and those before, are ordinary numbers.
inline bool factor_block(
    __local scalar (*room)[PITCH], __local scalar (*corner)[INNER], __local scalar (*found)[FOUND],
    __local inner_room *inner, __local int *right, scalar x[SIDE][SIDE], int order, matrix l, int base, bool has_failed, __global int *info,
    int are_ordinary, __global int *ordinary)
{
    // The next rows, and what becomes of them.
    __local scalar (*rows)[PITCH] = room, (*done)[PITCH] = room + INNER;
    const int item = get_local_id(0);
    const bool along_rows = l.column_stride < l.row_stride;
    put_corner(corner, x, 0);
    // These work-items' elements are above the diagonal: that of the inverse is zero there.
    if (is_busy_with_inner(item)) clear(x);
    // What x was loaded from, and the info, have been read by all before any of it is written.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int first = 0; first < WIDTH; first += INNER) {
        if (first > 0) update_corner(corner, done, first);
        const pivots bad = factor_inner(corner, found, inner);
        if (item == TELLING_ITEM) {
            *right = bad.number;
            are_ordinary &= bad.are_ordinary;
            if (!has_failed && bad.number < INNER) {
                *info = base + first + bad.number + 1;
                *at(l, first + bad.number, first + bad.number) = from_real(bad.value);
            }
        }
        if (first > 0 && !is_busy_with_inner(item)) {
            const int last = first - INNER;
            if (!has_failed) {
                for (int e = free_number(item); e < WIDTH * INNER; e += FREE_ITEMS) {
                    const int r = along_rows ? e / INNER : e % WIDTH, k = along_rows ? e % INNER : e / WIDTH;
                    if (r >= first && r < order) *at(l, r, last + k) = conjugate_if(1, done[k][r]);
                }
            }
            take_rows(done, x, last);
            lose_rows(done, x, last);
        }
        put_rows(rows, x, first);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Columns that have a factor.
        const int count = has_failed ? 0 : *right;
        has_failed = count < INNER;
        multiply_rows(found, rows, done, first);
        put_corner(corner, x, first + INNER);
        const int r = along_rows ? item / INNER : item % INNER, k = along_rows ? item % INNER : item / INNER;
        if (k <= r && k < count && first + r < order) *at(l, first + r, first + k) = conjugate_if(1, found[k][r]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    take_rows(done, x, WIDTH - INNER);
    if (item == TELLING_ITEM) *ordinary = are_ordinary;
    return !has_failed;
}
