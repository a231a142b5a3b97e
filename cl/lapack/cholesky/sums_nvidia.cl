// As sums.cl, by NVIDIA's tensor cores for doubles, which have them in fragments: a warp has 16 x 32 of the 64 x 64 sums, and a
// work-item of it two adjacent ones in each of two rows of four fragments.

inline int sum_row(int item, int n)
{
    return item / 32 % 4 * 16 + item % 32 / 4 + n / 2 * 8;
}

inline int sum_column(int item, int fragment, int n)
{
    return item / 128 * 32 + fragment * 8 + item % 4 * 2 + n % 2;
}

// sums += A B for a fragment of 16 x 8 elements of A, of 8 x 8 of B, and of 16 x 8 of the sums.
inline void multiply_fragments(const double a[4], const double b[2], scalar sums[4])
{
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

inline void multiply_columns(__local const scalar (*a)[PITCH], __local const scalar (*b)[PITCH], bool is_lower, scalar sums[SIDE][SIDE])
{
    const int item = get_local_id(0), down = sum_row(item, 0), across = item / 128 * 32 + item % 32 / 4, depth = item % 4;
    #pragma unroll 2
    for (int k = 0; k < DEPTH; k += 8) {
        const double part[4] = {a[k + depth][down], a[k + depth][down + 8], a[k + depth + 4][down], a[k + depth + 4][down + 8]};
        #pragma unroll
        for (int f = 0; f < SIDE; f++) {
            const double row[2] = {b[k + depth][across + f * 8], b[k + depth + 4][across + f * 8]};
            multiply_fragments(part, row, sums[f]);
        }
    }
}

// `count` columns of a block from `first` on, transposed.
inline void lay_out(__local scalar (*to)[PITCH], scalar from[SIDE][SIDE], int first, int count)
{
    const int item = get_local_id(0);
    #pragma unroll
    for (int f = 0; f < SIDE; f++) {
        #pragma unroll
        for (int n = 0; n < SIDE; n++) {
            const int column = sum_column(item, f, n) - first;
            if (column >= 0 && column < count) to[column][sum_row(item, n)] = from[f][n];
        }
    }
}

// x -= sums, for elements that work-items have SIDE x SIDE of in any case.
inline void subtract_sums(__local scalar (*room)[PITCH], scalar sums[SIDE][SIDE], scalar x[SIDE][SIDE])
{
    const int item = get_local_id(0), top = side_down(item) * SIDE, left = side_across(item) * SIDE;
    barrier(CLK_LOCAL_MEM_FENCE);
    lay_out(room, sums, 0, WIDTH);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int c = 0; c < SIDE; c++) {
        #pragma unroll
        for (int r = 0; r < SIDE; r++) x[r][c] = x[r][c] - room[left + c][top + r];
    }
}

// INNER rows of WIDTH elements are multiplied with the inverse of their factor; of the INNER columns from `first` on they become that inverse.
// A warp has eight columns.
inline void multiply_rows(
    __local const scalar (*found)[2 * INNER + 1], __local const scalar (*rows)[PITCH], __local scalar (*done)[PITCH], int first)
{
    const int item = get_local_id(0), down = item % 32 / 4, depth = item % 4, left = item / 32 * 8, column = left + depth * 2;
    double sums[4] = {0, 0, 0, 0};
    if (left >= first && left < first + INNER) {
        #pragma unroll
        for (int n = 0; n < 4; n++) sums[n] = found[down + n / 2 * 8][INNER + column - first + n % 2];
    } else {
        #pragma unroll
        for (int k = depth; k < INNER; k += 8) {
            __local const scalar *upper = &found[down][INNER + k], *lower = &found[down + 8][INNER + k];
            const double part[4] = {upper[0], lower[0], upper[4], lower[4]}, row[2] = {rows[k][left + down], rows[k + 4][left + down]};
            multiply_fragments(part, row, sums);
        }
    }
    #pragma unroll
    for (int n = 0; n < 4; n += 2) *(__local double2 *)&done[down + n / 2 * 8][column] = (double2)(sums[n], sums[n + 1]);
}
