// Sums of products: a work-item has SIDE x SIDE adjacent ones.

// sums += A Bᴴ, or its lower triangle, where there are DEPTH columns of both.
inline void multiply_columns(__local const scalar (*a)[PITCH], __local const scalar (*b)[PITCH], bool is_lower, scalar sums[SIDE][SIDE])
{
    const int item = get_local_id(0), top = side_down(item) * SIDE, left = side_across(item) * SIDE;
    if (is_lower && side_across(item) / 8 > side_down(item) / 8) return;
    #pragma unroll 8
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

// `count` columns of a block from `first` on, transposed.
inline void lay_out(__local scalar (*to)[PITCH], scalar from[SIDE][SIDE], int first, int count)
{
    const int item = get_local_id(0), top = side_down(item) * SIDE, column = side_across(item) * SIDE - first;
    if (column >= 0 && column < count) {
        #pragma unroll
        for (int c = 0; c < SIDE; c++) {
            scalar elements[SIDE];
            #pragma unroll
            for (int r = 0; r < SIDE; r++) elements[r] = from[r][c];
            put_side(&to[column + c][top], elements);
        }
    }
}

// x -= sums, for elements that work-items have SIDE x SIDE of in any case.
inline void subtract_sums(__local scalar (*room)[PITCH], scalar sums[SIDE][SIDE], scalar x[SIDE][SIDE])
{
    #pragma unroll
    for (int r = 0; r < SIDE; r++) {
        #pragma unroll
        for (int c = 0; c < SIDE; c++) x[r][c] = x[r][c] - sums[r][c];
    }
}

// INNER rows of WIDTH elements are multiplied with the inverse of their factor; of the INNER columns from `first` on they become that inverse.
inline void multiply_rows(
    __local const scalar (*found)[2 * INNER + 1], __local const scalar (*rows)[PITCH], __local scalar (*done)[PITCH], int first)
{
    const int item = get_local_id(0), k = side_across(item), column = side_down(item) * SIDE;
    const bool is_inner = column >= first && column < first + INNER;
    scalar sums[SIDE];
    #pragma unroll
    for (int c = 0; c < SIDE; c++) sums[c] = is_inner ? found[k][INNER + column - first + c] : SCALAR_ZERO;
    if (!is_inner) {
        #pragma unroll
        for (int m = 0; m < INNER; m++) {
            __local const scalar *row = &rows[m][column];
            #pragma unroll
            for (int c = 0; c < SIDE; c++) sums[c] = multiply_add(found[k][INNER + m], row[c], sums[c]);
        }
    }
    put_side(&done[k][column], sums);
}
