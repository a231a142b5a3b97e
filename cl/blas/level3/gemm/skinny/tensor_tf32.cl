// The product of a plane of floats by a warp, as products.cl has it: acc += a*b.
#pragma once

#include "blas/level3/gemm/tensor/products.cl"

inline void multiply_plane(const scalar *a, const chunk *b, int a_conjugate, int b_conjugate, int item,
                           __local real *exchange, tile_acc *acc)
{
    split_columns columns;
    UNROLL
    for (int j = 0; j < FRAGMENTS_N; j++) {
        scalar elements[CHUNK];
        unpack(b[j], elements, 1);
        split_column(&columns, j, elements, b_conjugate);
    }
    UNROLL
    for (int i = 0; i < FRAGMENTS_M; i++) add_products(a + 2 * i * CHUNK, a_conjugate, &columns, item, exchange,
                                                       acc->value[i]);
}
