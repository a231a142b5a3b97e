// trmm_rows and syrk_diagonal_tile for doubles by tensor cores, as trmm_rows.cl and syrk_tile_nvidia.cl have them.
#pragma once

// Elements are doubles.
#ifndef SCALAR_IS_DOUBLE
#define SCALAR_IS_DOUBLE 1
#endif

#include "lapack/cholesky/acc_nvidia.cl"
#include "lapack/cholesky/potf2_nvidia.cl"

// trmm: multiplies INNER rows of WIDTH elements by the inverse of their diagonal tile's factor. In the tile's own
// INNER columns, from `first` on, the result is that inverse. A warp has eight columns.
inline void trmm_rows(__local const scalar (*factor_tile)[FACTOR_PITCH], __local const scalar (*rows)[PITCH],
                      __local scalar (*solved)[PITCH], int first)
{
    const int item = get_local_id(0), down = item % 32 / 4, depth = item % 4, left = item / 32 * 8,
              column = left + depth * 2;
    double acc[4] = {0, 0, 0, 0};
    if (left >= first && left < first + INNER) {
        #pragma unroll
        for (int n = 0; n < 4; n++) acc[n] = factor_tile[down + n / 2 * 8][INNER + column - first + n % 2];
    } else {
        #pragma unroll
        for (int k = depth; k < INNER; k += 8) {
            __local const scalar *upper = &factor_tile[down][INNER + k], *lower = &factor_tile[down + 8][INNER + k];
            const double part[4] = {upper[0], lower[0], upper[4], lower[4]},
                         row[2] = {rows[k][left + down], rows[k + 4][left + down]};
            mma_f64(part, row, acc);
        }
    }
    #pragma unroll
    for (int n = 0; n < 4; n += 2)
        *(__local double2 *)&solved[down + n / 2 * 8][column] = (double2)(acc[n], acc[n + 1]);
}

// syrk of a diagonal tile by the warp that factorises tiles: subtracts the products of the solved rows above it.
inline void syrk_diagonal_tile(__local scalar (*tile)[INNER], __local const scalar (*solved)[PITCH], int first)
{
    const int lane = get_local_id(0) % WARP, down = lane / 4, depth = lane % 4, column = depth * 2;
    if (!is_potf2_warp()) return;
    #pragma unroll
    for (int left = 0; left < INNER; left += 8) {
        double acc[4] = {0, 0, 0, 0};
        #pragma unroll
        for (int k = depth; k < INNER; k += 8) {
            __local const scalar *upper = &solved[k][first + down], *lower = &solved[k + 4][first + down];
            const double part[4] = {upper[0], upper[8], lower[0], lower[8]}, row[2] = {upper[left], lower[left]};
            mma_f64(part, row, acc);
        }
        #pragma unroll
        for (int n = 0; n < 4; n++) {
            __local scalar *target = &tile[down + n / 2 * 8][left + column + n % 2];
            *target = *target - acc[n];
        }
    }
}
