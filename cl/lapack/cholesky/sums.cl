// Sums of products: a work-item has SIDE x SIDE adjacent ones.

// Whether these work-items' sums, and those of all of their warp, are above the diagonal.
inline bool is_above(int item)
{
    return side_across(item) / 8 > side_down(item) / 8;
}

// The last of the columns that a warp has sums of, and one.
inline int columns_end(int item)
{
    return (side_across(item) / 4 + 1) * 4 * SIDE;
}

// sums += A Bᴴ for so many columns of both. It does not matter here whether these are ordinary numbers.
inline void multiply_columns(
    __local const scalar (*a)[PITCH], __local const scalar (*b)[PITCH], int depth, bool is_ordinary, scalar sums[SIDE][SIDE])
{
    const int item = get_local_id(0), top = side_down(item) * SIDE, left = side_across(item) * SIDE;
    #pragma unroll 8
    for (int k = 0; k < depth; k++) {
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
