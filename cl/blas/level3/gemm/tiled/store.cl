// The epilogue of a tile: C := alpha*acc + beta*C. A work-item has RESULTS accumulators. Before this file: fma.cl or
// mma_f64.cl, and structure.cl for a C of which a triangle is computed.
//
// Several elements of C are loaded before any is stored: a load does not overtake a store that may alias it, so that
// each would be waited for alone.
#pragma once

#include "blas/level3/gemm/tiled/arithmetic.cl"

// For a C that is wanted whole; structure.cl has its own.
#ifndef is_wanted
#define is_wanted(i, j) true
#define target_sum(sum, alpha, beta, before, on_diagonal) scale_and_add(beta, before, scale_by(alpha, sum))
#endif

enum { STORES = 64 / sizeof(scalar) };

inline void store_tile(const tile_acc *acc, scalar alpha, scalar beta, __global scalar *restrict c,
                       long c_column_stride,
                       long row, long column, long m, long n, int c_upper, long c_diagonal, int item)
{
    const bool reads = !is_zero(beta);
    #pragma unroll
    for (int first = 0; first < RESULTS; first += STORES) {
        scalar before[STORES];
        bool stores[STORES];
        #pragma unroll
        for (int s = 0; s < STORES; s++) {
            const int r = first + s;
            const long i = row + result_row(item, r), j = column + result_column(item, r);
            stores[s] = r < RESULTS && i < m && j < n && is_wanted(i, j);
            before[s] = stores[s] && reads ? c[i + j * c_column_stride] : SCALAR_ZERO;
        }
        #pragma unroll
        for (int s = 0; s < STORES; s++) {
            const int r = first + s;
            const long i = row + result_row(item, r), j = column + result_column(item, r);
            if (r < RESULTS && stores[s])
                c[i + j * c_column_stride] =
                    target_sum(result_value(*acc, r), alpha, beta, before[s], i - j == c_diagonal);
        }
    }
}
