// Accumulators of a product of blocks: ITEM_TILE x ITEM_TILE adjacent elements for each work-item.
#pragma once

#include "lapack/cholesky/tiles.cl"

// True if the accumulators of this work-item's whole warp are above the diagonal.
inline bool is_above_diagonal(int item)
{
    return item_tile_column(item) / 8 > item_tile_row(item) / 8;
}

// One past the last column of which a warp has accumulators.
inline int acc_columns_end(int item)
{
    return (item_tile_column(item) / 4 + 1) * 4 * ITEM_TILE;
}

// acc += A B^H for `depth` columns of both, which lie in local memory. `in_range` is for acc_nvidia.cl.
inline void multiply_staged(__local const scalar (*a)[PITCH], __local const scalar (*b)[PITCH], int depth,
                            bool in_range, scalar acc[ITEM_TILE][ITEM_TILE])
{
    const int item = get_local_id(0), top = item_tile_row(item) * ITEM_TILE, left = item_tile_column(item) * ITEM_TILE;
    #pragma unroll 8
    for (int k = 0; k < depth; k++) {
        __local const scalar *down = &a[k][top], *across = &b[k][left];
        #pragma unroll
        for (int r = 0; r < ITEM_TILE; r++) {
            #pragma unroll
            for (int c = 0; c < ITEM_TILE; c++)
                acc[r][c] = multiply_add(down[r], conjugate_if(1, across[c]), acc[r][c]);
        }
    }
}

// Copies `count` columns of a block from `first` on to local memory, transposed.
inline void stage_columns(__local scalar (*to)[PITCH], scalar from[ITEM_TILE][ITEM_TILE], int first, int count)
{
    const int item = get_local_id(0), top = item_tile_row(item) * ITEM_TILE,
              column = item_tile_column(item) * ITEM_TILE - first;
    if (column >= 0 && column < count) {
        #pragma unroll
        for (int c = 0; c < ITEM_TILE; c++) {
            scalar elements[ITEM_TILE];
            #pragma unroll
            for (int r = 0; r < ITEM_TILE; r++) elements[r] = from[r][c];
            store_elements(&to[column + c][top], elements);
        }
    }
}

// x -= acc, for x in register tiles.
inline void subtract_acc(__local scalar (*workspace)[PITCH], scalar acc[ITEM_TILE][ITEM_TILE],
                         scalar x[ITEM_TILE][ITEM_TILE])
{
    #pragma unroll
    for (int r = 0; r < ITEM_TILE; r++) {
        #pragma unroll
        for (int c = 0; c < ITEM_TILE; c++) x[r][c] = x[r][c] - acc[r][c];
    }
}
