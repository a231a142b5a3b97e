// Symmetric and Hermitian products on a GPU: each stored element is read once, and counts in both of its places.
//
// The matrix is cut into square tiles, one for each work-group. A work-item has a few rows and accumulates the sums
// along them. Its terms of the mirrored elements' sums go through local memory, a strip of columns at a time, where
// each work-item adds a part of a column.
//
//                     block J
//                  +-----------+        the tile in the block (I, J) of the matrix gives part J of the result
//          block I |   tile    |        block I, and part I of its block J; on the diagonal these are one
//                  +-----------+
//
// `chunk` is the number of blocks that the band reaches beyond the diagonal, `part_length` the number of parts in
// memory: part p is in slot p % part_length. x has adjacent elements.

// Work-items of a group.
#ifndef THREADS
#define THREADS 64
#endif

// Columns at a time, a divisor of THREADS.
#ifndef STRIP
#define STRIP 16
#endif

// Rows and columns of a tile, a multiple of THREADS.
#ifndef TILE
#define TILE 64
#endif

// Columns whose elements are loaded before they are used.
#ifndef UNROLL
#define UNROLL 8
#endif

#include "blas/level2/product.cl"

#define ROW_CHUNKS (TILE / THREADS)
#define LANES (THREADS / STRIP)
#define PITCH (THREADS + 1)
#define is_stored(i, j) ((i) < rows && (j) < columns && (i) - (j) <= below && (j) - (i) <= above)

// UNROLL columns of the strip, from column s on: their elements are on their way together. Elements that are not stored
// are neither read nor multiplied, as x may be infinite.
#define ADD_COLUMNS(stored)                                                                      \
    {                                                                                            \
        scalar value[UNROLL][ROW_CHUNKS];                                                        \
        _Pragma("unroll") for (int u = 0; u < UNROLL; u++) {                                     \
            _Pragma("unroll") for (int c = 0; c < ROW_CHUNKS; c++)                               \
                value[u][c] = (stored) ? element[c * THREADS] : SCALAR_ZERO;                     \
            element += step;                                                                     \
            step += quadratic;                                                                   \
        }                                                                                        \
        _Pragma("unroll") for (int u = 0; u < UNROLL; u++) {                                     \
            const scalar x_of_column = x_of_columns[strip + s + u];                              \
            scalar sum = SCALAR_ZERO;                                                            \
            _Pragma("unroll") for (int c = 0; c < ROW_CHUNKS; c++)                               \
                if (stored) {                                                                    \
                    direct[c] = multiply_add(direct_value(value[u][c]), x_of_column, direct[c]); \
                    sum = multiply_add(mirrored_value(value[u][c]), x_of_row[c], sum);           \
                }                                                                                \
            strip_sums[(s + u) * PITCH + item] = sum;                                            \
        }                                                                                        \
    }

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product_symmetric(PRODUCT_PARAMETERS)
{
    __local scalar strip_sums[STRIP * PITCH], lane_sum[THREADS], x_of_columns[TILE], mirrored[TILE];
    const int item = get_local_id(0);
    const long blocks = (columns + TILE - 1) / TILE;
    const long near = get_group_id(0) / (chunk + 1), far = near + get_group_id(0) % (chunk + 1);
    if (far >= blocks) return;
    const bool lower = above < 0;
    const long row_block = lower ? far : near, column_block = lower ? near : far;
    const long first_row = row_block * TILE, first_column = column_block * TILE;
    const int column_count = (int)min((long)TILE, columns - first_column);
    // Every element of the tile is stored.
    const bool whole = first_row + TILE <= rows && first_column + TILE <= columns &&
                       first_row + TILE - 1 - first_column <= below && first_column + TILE - 1 - first_row <= above;

    x += x_first;
    for (int t = item; t < TILE; t += THREADS)
        x_of_columns[t] = first_column + t < columns ? x[first_column + t] : SCALAR_ZERO;
    scalar direct[ROW_CHUNKS], x_of_row[ROW_CHUNKS];
    #pragma unroll
    for (int c = 0; c < ROW_CHUNKS; c++) {
        const long row = first_row + c * THREADS + item;
        direct[c] = SCALAR_ZERO;
        x_of_row[c] = row < rows ? x[row] : SCALAR_ZERO;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int own_column = item % STRIP, own_lane = item / STRIP;
    for (int strip = 0; strip < column_count; strip += STRIP) {
        __global const scalar *element = a + a_offset + column_start(first_column + strip) + first_row + item;
        long step = column_step(first_column + strip);
        if (whole) {
            for (int s = 0; s < STRIP; s += UNROLL) ADD_COLUMNS(1)
        } else {
            for (int s = 0; s < STRIP; s += UNROLL)
                ADD_COLUMNS(is_stored(first_row + c * THREADS + item, first_column + strip + s + u))
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        scalar sum = SCALAR_ZERO;
        #pragma unroll
        for (int r = 0; r < STRIP; r++) sum += strip_sums[own_column * PITCH + own_lane * STRIP + r];
        lane_sum[item] = sum;
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
                of_rows[t] = multiply_add(diagonal_value(value), x_of_row[c], direct[c] + mirrored[t]);
            }
        } else {
            if (first_row + t < rows) of_rows[t] = direct[c];
            if (t < column_count) of_columns[t] = mirrored[t];
        }
    }
}
