// trmm: multiplies INNER rows of WIDTH elements by the inverse of their diagonal tile's factor. In the tile's own
// INNER columns, from `first` on, the result is that inverse.
#pragma once

#include "lapack/cholesky/tiles.cl"

inline void trmm_rows(__local const scalar (*factor_tile)[FACTOR_PITCH], __local const scalar (*rows)[PITCH],
                      __local scalar (*solved)[PITCH], int first)
{
    const int item = get_local_id(0), k = item_tile_column(item), column = item_tile_row(item) * ITEM_TILE;
    const bool is_inner = column >= first && column < first + INNER;
    scalar acc[ITEM_TILE];
    #pragma unroll
    for (int c = 0; c < ITEM_TILE; c++) acc[c] = is_inner ? factor_tile[k][INNER + column - first + c] : SCALAR_ZERO;
    if (!is_inner) {
        #pragma unroll
        for (int m = 0; m < INNER; m++) {
            // The inverse is lower triangular. A warp's work-items share four of its rows.
            if (m > (k | 3)) break;
            __local const scalar *row = &rows[m][column];
            #pragma unroll
            for (int c = 0; c < ITEM_TILE; c++) acc[c] = multiply_add(factor_tile[k][INNER + m], row[c], acc[c]);
        }
    }
    store_elements(&solved[k][column], acc);
}
