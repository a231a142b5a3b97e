// INNER rows of WIDTH elements are multiplied with the inverse of their factor; of the INNER columns from `first` on they become that inverse.
inline void multiply_rows(
    __local const scalar (*found)[FOUND], __local const scalar (*rows)[PITCH], __local scalar (*done)[PITCH], int first)
{
    const int item = get_local_id(0), k = side_across(item), column = side_down(item) * SIDE;
    const bool is_inner = column >= first && column < first + INNER;
    scalar sums[SIDE];
    #pragma unroll
    for (int c = 0; c < SIDE; c++) sums[c] = is_inner ? found[k][INNER + column - first + c] : SCALAR_ZERO;
    if (!is_inner) {
        #pragma unroll
        for (int m = 0; m < INNER; m++) {
            // The inverse is a lower triangle; of these rows of it, 32 work-items have the same four.
            if (m > (k | 3)) break;
            __local const scalar *row = &rows[m][column];
            #pragma unroll
            for (int c = 0; c < SIDE; c++) sums[c] = multiply_add(found[k][INNER + m], row[c], sums[c]);
        }
    }
    put_side(&done[k][column], sums);
}
