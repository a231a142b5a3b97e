// The product of two slices of floats by a warp, in TF32 or 3xTF32 (split.cl).
#pragma once

// A is contiguous along m, not along k.
#ifndef A_ALONG_M
#define A_ALONG_M 1
#endif

// B is contiguous along n, not along k.
#ifndef B_ALONG_N
#define B_ALONG_N 0
#endif

#include "blas/level3/gemm/tensor/tile.cl"
#include "blas/level3/gemm/tensor/products.cl"

// Products need no local memory of their own.
#define DECLARE_B_SPLIT

inline void multiply_slices(__local const chunk *a, __local const chunk *b, int a_conjugate, int b_conjugate, int item,
                            __local real *exchange, tile_acc *acc)
{
    const int g = lane_group(item), t = lane_in_group(item);
    UNROLL
    for (int plane = 0; plane < PLANES; plane++) {
        split_columns columns;
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j += CHUNK) {
            scalar rows[CHUNK * CHUNK];
            load_rows(TILE_N, B_ALONG_N, b, plane, warp_column(item), j, g, t, rows);
            UNROLL
            for (int r = 0; r < CHUNK; r++) split_column(&columns, j + r, rows + r * CHUNK, b_conjugate);
        }
        UNROLL
        for (int i = 0; i < FRAGMENTS_M; i += CHUNK / 2) {
            scalar rows[CHUNK * CHUNK];
            load_rows(TILE_M, A_ALONG_M, a, plane, warp_row(item), 2 * i, g, t, rows);
            UNROLL
            for (int f = 0; f < CHUNK / 2; f++)
                add_products(rows + 2 * f * CHUNK, a_conjugate, &columns, item, exchange, acc->value[i + f]);
        }
    }
}

// The main loop over all slices.
#define MAINLOOP MAINLOOP_OF(MULTIPLY_SLICES)
