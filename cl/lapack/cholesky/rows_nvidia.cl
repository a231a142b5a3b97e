// As rows.cl and corner_nvidia.cl, of doubles, by tensor cores.

// INNER rows of WIDTH elements are multiplied with the inverse of their factor; of the INNER columns from `first` on they become that inverse.
// A warp has eight columns.
inline void multiply_rows(
    __local const scalar (*found)[FOUND], __local const scalar (*rows)[PITCH], __local scalar (*done)[PITCH], int first)
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

// A corner, from row and column `first` on, loses the multiples of the rows above: by the warp that finds factors.
inline void update_corner(__local scalar (*corner)[INNER], __local const scalar (*above)[PITCH], int first)
{
    const int lane = get_local_id(0) % WARP, down = lane / 4, depth = lane % 4, column = depth * 2;
    if (!is_inner_warp()) return;
    #pragma unroll
    for (int left = 0; left < INNER; left += 8) {
        double sums[4] = {0, 0, 0, 0};
        #pragma unroll
        for (int k = depth; k < INNER; k += 8) {
            __local const scalar *upper = &above[k][first + down], *lower = &above[k + 4][first + down];
            const double part[4] = {upper[0], upper[8], lower[0], lower[8]}, row[2] = {upper[left], lower[left]};
            multiply_fragments(part, row, sums);
        }
        #pragma unroll
        for (int n = 0; n < 4; n++) {
            __local scalar *place = &corner[down + n / 2 * 8][left + column + n % 2];
            *place = *place - sums[n];
        }
    }
}
