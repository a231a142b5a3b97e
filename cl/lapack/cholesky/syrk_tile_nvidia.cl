// syrk_diagonal_tile of potf2.cl, by the warp that factorises diagonal tiles. Each half of the warp sums over half of
// the solved rows, and then owns half of the tile's rows.
#pragma once

#include "lapack/cholesky/potf2_nvidia.cl"

inline void syrk_diagonal_tile(__local scalar (*tile)[INNER], __local const scalar (*solved)[PITCH], int first)
{
    const int lane = get_local_id(0) % WARP, j = lane % INNER, begin = lane / INNER * (INNER / 2);
    if (!is_potf2_warp()) return;
    scalar acc[INNER];
    #pragma unroll
    for (int i = 0; i < INNER; i++) acc[i] = SCALAR_ZERO;
    #pragma unroll
    for (int k = 0; k < INNER / 2; k++) {
        __local const scalar *row = &solved[begin + k][first];
        const scalar factor = row[j];
        #pragma unroll
        for (int i = 0; i < INNER; i++) acc[i] = multiply_add(conjugate_if(1, row[i]), factor, acc[i]);
    }
    #pragma unroll
    for (int i = 0; i < INNER / 2; i++) {
        // Each half sends the rows that the other one owns.
        const scalar upper = acc[i], lower = acc[i + INNER / 2];
        const scalar own = begin == 0 ? upper : lower, sent = begin == 0 ? lower : upper;
        tile[begin + i][j] = tile[begin + i][j] - own - shuffle(sent, lane ^ INNER);
    }
}
