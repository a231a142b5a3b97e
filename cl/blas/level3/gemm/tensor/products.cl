// Products of floats in TF32 or 3xTF32 (split.cl), from registers. The tensor cores truncate their sums: they add up CHUNK
// values of k for each work-item, and floats add up the rest.
#pragma once

#include "blas/level3/gemm/tensor/mma.cl"
#include "blas/level3/gemm/tensor/split.cl"
#include "blas/level3/gemm/tensor/acc.cl"

#define NEGATIVE 0x80000000u

// What a work-item has of B for CHUNK depths: a column of each fragment.
typedef struct {
    uint high[FRAGMENTS_N][PARTS][CHUNK], low[FRAGMENTS_N][PARTS][CHUNK];
} split_columns;

inline void split_column(split_columns *to, const int j, const scalar *from, int conjugate)
{
    UNROLL
    for (int e = 0; e < CHUNK; e++)
        UNROLL
        for (int part = 0; part < PARTS; part++) {
            const halves both = split(part_of(from[e], part, conjugate));
            to->high[j][part][e] = both.high;
            to->low[j][part][e] = both.low;
        }
}

// One of the products, of all fragments in turn, so that none waits for the one before.
#define TIMES(part, a, b, b_part) \
    UNROLL for (int j = 0; j < FRAGMENTS_N; j++) multiply_fragments(sum[j][part], a, b[j][b_part] + 2 * step, item, room);
#if SPLIT
#define TIMES_SMALL(part, a_high, a_low, b_part) TIMES(part, a_low, b->high, b_part) TIMES(part, a_high, b->low, b_part)
#else
#define TIMES_SMALL(part, a_high, a_low, b_part)
#endif

// sums += rows*b for fragments of 16 rows, of which the work-item has two, one behind the other.
inline void add_products(const scalar *rows, int a_conjugate, const split_columns *b, int item, __local real *room,
                         float (*sums)[PARTS][4])
{
    float sum[FRAGMENTS_N][PARTS][4];
    UNROLL
    for (int j = 0; j < FRAGMENTS_N; j++)
        UNROLL
        for (int part = 0; part < PARTS; part++)
            UNROLL
            for (int r = 0; r < 4; r++) sum[j][part][r] = 0;
    UNROLL
    for (int step = 0; step < CHUNK / 2; step++) {
        // In the order of a fragment: both rows at the first depth, then both at the second.
        uint high[PARTS][4], low[PARTS][4];
        UNROLL
        for (int s = 0; s < 4; s++)
            UNROLL
            for (int part = 0; part < PARTS; part++) {
                const halves both = split(part_of(rows[s % 2 * CHUNK + 2 * step + s / 2], part, a_conjugate));
                high[part][s] = both.high;
                low[part][s] = both.low;
            }
        // The small products first.
        TIMES_SMALL(0, high[0], low[0], 0)
#if SCALAR_IS_COMPLEX
        uint negative_high[4], negative_low[4];
        UNROLL
        for (int s = 0; s < 4; s++) {
            negative_high[s] = high[1][s] ^ NEGATIVE;
            negative_low[s] = low[1][s] ^ NEGATIVE;
        }
        TIMES_SMALL(1, high[0], low[0], 1)
        TIMES_SMALL(0, negative_high, negative_low, 1)
        TIMES_SMALL(1, high[1], low[1], 0)
        TIMES(0, negative_high, b->high, 1)
        TIMES(1, high[1], b->high, 0)
        TIMES(1, high[0], b->high, 1)
#endif
        TIMES(0, high[0], b->high, 0)
    }
    UNROLL
    for (int j = 0; j < FRAGMENTS_N; j++)
        UNROLL
        for (int part = 0; part < PARTS; part++)
            UNROLL
            for (int r = 0; r < 4; r++) sums[j][part][r] += sum[j][part][r];
}
