// The product of two slices of floats by a warp with multiply-adds, where hi + lo does not hold them. A work-item
// computes columns 2*t and 2*t + 1 of each fragment, as the accumulators lie, not column g as in B's fragments.
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

inline void multiply_exactly(__local const chunk *a, __local const chunk *b, int a_conjugate, int b_conjugate, int item,
                             tile_acc *acc)
{
    const int g = lane_group(item), t = lane_in_group(item);
    for (int p = 0; p < PLANES * 4; p++) {
        scalar a_value[2 * FRAGMENTS_M][CHUNK], b_value[2][FRAGMENTS_N][CHUNK];
        UNROLL
        for (int q = 0; q < 2 * FRAGMENTS_M; q += CHUNK)
            load_rows(TILE_M, A_ALONG_M, a, p / 4, warp_row(item), q, g, p % 4, a_value[q]);
        UNROLL
        for (int second = 0; second < 2; second++)
            UNROLL
            for (int j = 0; j < FRAGMENTS_N; j += CHUNK)
                load_rows(TILE_N, B_ALONG_N, b, p / 4, warp_column(item), j, 2 * t + second, p % 4, b_value[second][j]);
        UNROLL
        for (int e = 0; e < CHUNK; e++)
            UNROLL
            for (int q = 0; q < 2 * FRAGMENTS_M; q++)
                UNROLL
                for (int j = 0; j < FRAGMENTS_N; j++)
                    UNROLL
                    for (int second = 0; second < 2; second++) {
                        const int r = q % 2 * 2 + second;
                        const scalar before = acc_of(acc, q, j, second);
                        const scalar next = multiply_add(conjugate_if(a_conjugate, a_value[q][e]),
                                                        conjugate_if(b_conjugate, b_value[second][j][e]), before);
                        acc->value[q / 2][j][0][r] = real_part(next);
                        if (PARTS == 2) acc->value[q / 2][j][PARTS - 1][r] = imaginary_part(next);
                    }
    }
}
