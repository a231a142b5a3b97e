// The Cholesky factor of a block on the diagonal, and its inverse.

// x, of which work-items have SIDE x SIDE elements of the lower triangle each, becomes the inverse of its factor, INNER rows at a time.
// What is left of the columns that are done holds the inverse's rows so far, so that rows lose the same multiples of the pivots' rows
// in both. The factor of `order` rows is written to l. Returns whether all pivots are positive.
inline bool factor_block(
    __local scalar (*room)[PITCH], __local scalar (*found)[2 * INNER + 1], __local inner_room *inner, __local int *right,
    scalar x[SIDE][SIDE], int order, matrix l, int base, __global int *info)
{
    // The next rows: the inverse's so far, and from the diagonal on the adjoint of the columns; and what becomes of them.
    __local scalar (*rows)[PITCH] = room, (*done)[PITCH] = room + INNER;
    const int item = get_local_id(0), down = side_down(item), across = side_across(item), top = down * SIDE, left = across * SIDE;
    const bool along_rows = l.column_stride < l.row_stride;
    bool has_failed = *info != 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int first = 0; first < WIDTH; first += INNER) {
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
        barrier(CLK_LOCAL_MEM_FENCE);
        const matrix corner = shifted(l, first, first);
        const bad_pivot bad = factor_inner(rows, first, found, inner);
        if (item == 0) {
            *right = bad.number;
            if (!has_failed && bad.number < INNER) {
                *info = base + first + bad.number + 1;
                *at(corner, bad.number, bad.number) = from_real(bad.value);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // Columns that have a factor.
        const int count = has_failed ? 0 : *right;
        has_failed = count < INNER;
        multiply_rows(found, rows, done, first);
        barrier(CLK_LOCAL_MEM_FENCE);
        {
            const int r = along_rows ? item / INNER : item % INNER, k = along_rows ? item % INNER : item / INNER;
            if (k <= r && k < count && first + r < order) *at(corner, r, k) = conjugate_if(1, found[k][r]);
        }
        if (!has_failed) {
            #pragma unroll
            for (int n = 0; n < SIDE; n++) {
                const int e = item + n * THREADS, r = along_rows ? e / INNER : e % WIDTH, k = along_rows ? e % INNER : e / WIDTH;
                if (r >= first + INNER && r < order) *at(l, r, first + k) = conjugate_if(1, done[k][r]);
            }
        }
        if (is_row) {
            #pragma unroll
            for (int r = 0; r < SIDE; r++) {
                __local const scalar *row = &done[top - first + r][left];
                #pragma unroll
                for (int c = 0; c < SIDE; c++) x[r][c] = left < first + INNER ? row[c] : SCALAR_ZERO;
            }
        } else if (top > first && across <= down) {
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
                    for (int c = 0; c < SIDE; c++)
                        x[r][c] = multiply_add(-conjugate_if(1, factors[r]), row[c], x[r][c]);
                }
            }
        }
    }
    return !has_failed;
}
