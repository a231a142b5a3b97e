// y := A x for the trailing Hermitian matrix of a reduction to tridiagonal form and its current column x, in parts, and
// what else the column's reflector needs of x: x^H A x, and x's products with the panel's vectors V and W.
//
// The lower triangle is read once, in square tiles, one for each work-group; an element counts in both of its places.
// A warp of LANES work-items has neighbouring rows, and some columns of the tile:
//
//                    block J
//                 +-----------+      parts[J] of y's block I gets the tile's product with x's block J,
//         block I |   tile    |      parts[I] of y's block J that of its adjoint with x's block I;
//                 +-----------+      on the diagonal these are one
//
// Rows and columns before `first` count as zeros of x: tiles begin at a multiple of LANES. Groups after those of the
// tiles have a column of the panel each.
#pragma once

#include "lapack/eigen/group_sums.cl"

// Rows and columns of a tile: LANES times the rows of a work-item.
#ifndef TILE
#define TILE 64
#endif

// Columns whose elements are on their way together.
#ifndef STEP
#define STEP 4
#endif

#define ROWS (TILE / LANES)
#define COLUMNS (TILE / SLICES)
// Such a strip also holds SLICES columns of a tile.
#define PITCH (LANES + 1)
// Work-items that add up a column's terms of a step, and the terms of each.
#define ADDERS (LANES / STEP)
#define TERMS (LANES / ADDERS)

#if SCALAR_IS_COMPLEX
#define real_of_product(a, b) real_multiply_add((a).x, (b).x, (a).y *(b).y)
#else
#define real_of_product(a, b) ((a) * (b))
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void hetrd_product(
    int n, int first, __global const scalar *restrict a, long stride, __global const scalar *restrict x,
    __global scalar *restrict parts, __global real *restrict squares_of_tiles, __global const scalar *restrict panel,
    int count, int w_column, __global scalar *restrict products)
{
    __local scalar x_of_columns[TILE], strip[SLICES * STEP * PITCH], added[TILE * ADDERS], sums[THREADS];
    // Its memory is free after the last strip.
    __local scalar *const direct_sums = strip;
    const int item = get_local_id(0), lane = get_local_id(0) % LANES, warp = get_local_id(0) / LANES;
    const int base = first - first % LANES, blocks = (n - base + TILE - 1) / TILE;
    const int tiles = blocks * (blocks + 1) / 2, group = get_group_id(0);

    // All groups come to the same barriers: those of the panel's columns have no columns of a tile.
    const bool is_tile = group < tiles;
    scalar own = SCALAR_ZERO;
    if (!is_tile) {
        // Columns of V, and then of W.
        const int index = group - tiles, column = index < count ? index : w_column + index - count;
        for (int i = base + item; i < n; i += THREADS)
            if (i >= first) own = multiply_add(conjugate_if(1, panel[column * stride + i]), x[i], own);
    }

    int row_block = (int)((sqrt((float)(8 * group + 1)) - 1) / 2);
    while (row_block * (row_block + 1) / 2 > group) row_block--;
    while ((row_block + 1) * (row_block + 2) / 2 <= group) row_block++;
    const int column_block = group - row_block * (row_block + 1) / 2;
    const int first_row = base + row_block * TILE, first_column = base + column_block * TILE;
    const bool is_whole = row_block > column_block && first_row + TILE <= n;

    for (int t = item; t < TILE; t += THREADS) {
        const int j = first_column + t;
        x_of_columns[t] = is_tile && j >= first && j < n ? x[j] : SCALAR_ZERO;
    }
    scalar x_of_rows[ROWS], direct[ROWS];
    #pragma unroll
    for (int p = 0; p < ROWS; p++) {
        const int i = first_row + p * LANES + lane;
        x_of_rows[p] = is_tile && i >= first && i < n ? x[i] : SCALAR_ZERO;
        direct[p] = SCALAR_ZERO;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // A work-item's part of a sum over the lanes: of a column of the step, some of the lanes.
    const int own_column = get_local_id(0) / ADDERS, own_adder = get_local_id(0) % ADDERS;
    const int own_slice = get_local_id(0) / (ADDERS * STEP), own_step = get_local_id(0) / ADDERS % STEP;
    __global const scalar *element = a + (long)(first_column + warp * COLUMNS) * stride + first_row + lane;
    for (int c = 0; c < (is_tile ? COLUMNS : 0); c += STEP) {
        scalar value[STEP][ROWS];
        #pragma unroll
        for (int s = 0; s < STEP; s++) {
            const int j = first_column + warp * COLUMNS + c + s;
            #pragma unroll
            for (int p = 0; p < ROWS; p++) {
                const int i = first_row + p * LANES + lane;
                value[s][p] = is_whole || (i < n && i > j) ? element[p * LANES] : SCALAR_ZERO;
            }
            element += stride;
        }
        #pragma unroll
        for (int s = 0; s < STEP; s++) {
            const scalar x_of_column = x_of_columns[warp * COLUMNS + c + s];
            scalar mirrored = SCALAR_ZERO;
            #pragma unroll
            for (int p = 0; p < ROWS; p++) {
                direct[p] = multiply_add(value[s][p], x_of_column, direct[p]);
                mirrored = multiply_add(conjugate_if(1, value[s][p]), x_of_rows[p], mirrored);
            }
            strip[(warp * STEP + s) * PITCH + lane] = mirrored;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        scalar sum = SCALAR_ZERO;
        #pragma unroll
        for (int t = 0; t < TERMS; t++) sum += strip[own_column * PITCH + own_adder * TERMS + t];
        added[(own_slice * COLUMNS + c + own_step) * ADDERS + own_adder] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    real square = 0;
    #pragma unroll
    for (int p = 0; p < ROWS; p++) {
        square += 2 * real_of_product(x_of_rows[p], direct[p]);
        direct_sums[warp * TILE + p * LANES + lane] = direct[p];
    }
    scalar of_diagonal = SCALAR_ZERO;
    if (is_tile && row_block == column_block && item < TILE) {
        const int i = first_row + item;
        if (i >= first && i < n) {
            of_diagonal = real_part(a[(long)i * stride + i]) * x_of_columns[item];
            square += real_of_product(of_diagonal, x_of_columns[item]);
        }
    }
    // Its barriers are also those of the sums of rows and columns.
    const scalar total = sum_over_group(is_tile ? from_real(square) : own, item, sums);
    if (item == 0 && is_tile) squares_of_tiles[group] = real_part(total);
    if (item == 0 && !is_tile) products[group - tiles] = total;
    if (!is_tile || item >= TILE) return;
    scalar of_row = SCALAR_ZERO, of_column = SCALAR_ZERO;
    for (int slice = 0; slice < SLICES; slice++) of_row += direct_sums[slice * TILE + item];
    for (int adder = 0; adder < ADDERS; adder++) of_column += added[item * ADDERS + adder];
    const int i = first_row + item, j = first_column + item;
    if (row_block == column_block) {
        if (i < n) parts[row_block * stride + i] = of_row + of_column + of_diagonal;
    } else {
        if (i < n) parts[column_block * stride + i] = of_row;
        parts[row_block * stride + j] = of_column;
    }
}
