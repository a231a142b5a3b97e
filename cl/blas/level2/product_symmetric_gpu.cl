// Symmetric and Hermitian products on a GPU: each stored element is read once, and used in both of its places.
//
// The matrix is cut into square tiles, and a work-group takes one. Its work-items take a row each for the sums along rows;
// a strip of columns goes through local memory, where they take a column each for the sums of the mirrored elements.
// The tile in the block (I, J) of the matrix gives part J of the result's block I, and part I of its block J; on the
// diagonal these are one. `chunk` is how many blocks the band reaches beyond the diagonal, `part_length` how many parts
// lie in memory: part p is number p % part_length there. x has adjacent elements.
//
// Parameters: THREADS, STRIP (columns at a time, a divisor of THREADS), TILE (a multiple of THREADS), UNROLL.

#define ROW_CHUNKS (TILE / THREADS)
#define LANES (THREADS / STRIP)
#define PITCH (THREADS + 1)
#define is_stored(i, j) ((i) < rows && (j) < columns && (i) - (j) <= below && (j) - (i) <= above)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product_symmetric(PRODUCT_PARAMETERS)
{
    __local scalar strip_values[STRIP * PITCH], lane_sum[THREADS];
    __local scalar x_of_rows[TILE], x_of_columns[TILE], mirrored[TILE];
    const int item = get_local_id(0);
    const long blocks = (columns + TILE - 1) / TILE;
    const long near = get_group_id(0) / (chunk + 1), far = near + get_group_id(0) % (chunk + 1);
    if (far >= blocks) return;
    const bool lower = above < 0;
    const long row_block = lower ? far : near, column_block = lower ? near : far;
    const long first_row = row_block * TILE, first_column = column_block * TILE;
    const int column_count = (int)min((long)TILE, columns - first_column);
    // Whether every element of the tile is stored.
    const bool whole = first_row + TILE <= rows && first_column + TILE <= columns &&
                       first_row + TILE - 1 - first_column <= below && first_column + TILE - 1 - first_row <= above;

    x += x_first;
    for (int t = item; t < TILE; t += THREADS) {
        x_of_rows[t] = first_row + t < rows ? x[first_row + t] : SCALAR_ZERO;
        x_of_columns[t] = first_column + t < columns ? x[first_column + t] : SCALAR_ZERO;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int own_column = item % STRIP, own_lane = item / STRIP;
    scalar direct[ROW_CHUNKS];
    #pragma unroll
    for (int c = 0; c < ROW_CHUNKS; c++) direct[c] = SCALAR_ZERO;
    for (int strip = 0; strip < column_count; strip += STRIP) {
        scalar mirrored_sum = SCALAR_ZERO;
        #pragma unroll
        for (int c = 0; c < ROW_CHUNKS; c++) {
            const long row = first_row + c * THREADS + item;
            __global const scalar *element = a + a_offset + column_start(first_column + strip) + row;
            long step = column_step(first_column + strip);
            if (whole) {
                for (int s = 0; s < STRIP; s += UNROLL) {
                    scalar value[UNROLL];
                    #pragma unroll
                    for (int u = 0; u < UNROLL; u++) {
                        value[u] = *element;
                        element += step;
                        step += quadratic;
                    }
                    #pragma unroll
                    for (int u = 0; u < UNROLL; u++) {
                        direct[c] = multiply_add(direct_value(value[u]), x_of_columns[strip + s + u], direct[c]);
                        strip_values[(s + u) * PITCH + item] = value[u];
                    }
                }
            } else {
                for (int s = 0; s < STRIP; s++) {
                    scalar value = SCALAR_ZERO;
                    if (is_stored(row, first_column + strip + s)) {
                        value = *element;
                        direct[c] = multiply_add(direct_value(value), x_of_columns[strip + s], direct[c]);
                    }
                    strip_values[s * PITCH + item] = value;
                    element += step;
                    step += quadratic;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int r = own_lane * STRIP; r < (own_lane + 1) * STRIP; r++)
                if (whole || is_stored(first_row + c * THREADS + r, first_column + strip + own_column)) {
                    const scalar value = strip_values[own_column * PITCH + r];
                    mirrored_sum = multiply_add(mirrored_value(value), x_of_rows[c * THREADS + r], mirrored_sum);
                }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        lane_sum[item] = mirrored_sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < STRIP) {
            scalar total = SCALAR_ZERO;
            for (int lane = 0; lane < LANES; lane++) total += lane_sum[lane * STRIP + item];
            mirrored[strip + item] = total;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    __global scalar *const of_rows = y + column_block % part_length * part_stride + first_row;
    __global scalar *const of_columns = y + row_block % part_length * part_stride + first_column;
    #pragma unroll
    for (int c = 0; c < ROW_CHUNKS; c++) {
        const int t = c * THREADS + item;
        if (row_block == column_block) {
            if (first_row + t < rows) {
                const scalar value = a[a_offset + column_start(first_row + t) + first_row + t];
                of_rows[t] = multiply_add(diagonal_value(value), x_of_rows[t], direct[c] + mirrored[t]);
            }
        } else {
            if (first_row + t < rows) of_rows[t] = direct[c];
            if (t < column_count) of_columns[t] = mirrored[t];
        }
    }
}
