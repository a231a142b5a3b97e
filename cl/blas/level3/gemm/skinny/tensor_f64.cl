// The product of a plane of doubles by a warp: acc += a*b.
#pragma once

#ifndef SCALAR_IS_DOUBLE
#define SCALAR_IS_DOUBLE 1
#endif

#include "blas/level3/gemm/tensor/mma.cl"
#include "blas/level3/gemm/tensor/acc.cl"

#if SCALAR_IS_COMPLEX
// A double with another sign, where there is one to change.
#define with_sign(x, sign) as_double(as_ulong(x) ^ (sign))
#endif

inline void multiply_plane(const scalar *a, const chunk *b, int a_conjugate, int b_conjugate, int item,
                           __local real *exchange, tile_acc *acc)
{
    scalar b_elements[FRAGMENTS_N * CHUNK];
    UNROLL
    for (int j = 0; j < FRAGMENTS_N; j++) unpack(b[j], b_elements + j * CHUNK, 1);
#if SCALAR_IS_COMPLEX
    const ulong a_sign = (ulong)(a_conjugate != 0) << 63, b_sign = (ulong)(b_conjugate != 0) << 63;
#endif
    UNROLL
    for (int e = 0; e < CHUNK; e++)
        UNROLL
        for (int i = 0; i < FRAGMENTS_M; i++) {
            const scalar first = a[2 * i * CHUNK + e], second = a[(2 * i + 1) * CHUNK + e];
            const double rows[2] = {real_part(first), real_part(second)};
            UNROLL
            for (int j = 0; j < FRAGMENTS_N; j++) {
                const double column = real_part(b_elements[j * CHUNK + e]);
                multiply_fragments(acc->value[i][j][0], rows, &column, item, exchange);
            }
#if SCALAR_IS_COMPLEX
            const double imaginary[2] = {with_sign(first.y, a_sign), with_sign(second.y, a_sign)};
            const double negative[2] = {-imaginary[0], -imaginary[1]};
            UNROLL
            for (int j = 0; j < FRAGMENTS_N; j++) {
                const double column = real_part(b_elements[j * CHUNK + e]);
                multiply_fragments(acc->value[i][j][1], imaginary, &column, item, exchange);
            }
            UNROLL
            for (int j = 0; j < FRAGMENTS_N; j++) {
                const double column = with_sign(imaginary_part(b_elements[j * CHUNK + e]), b_sign);
                multiply_fragments(acc->value[i][j][1], rows, &column, item, exchange);
                multiply_fragments(acc->value[i][j][0], negative, &column, item, exchange);
            }
#endif
        }
}
