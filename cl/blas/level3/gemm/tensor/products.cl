// Products of floats in TF32 or 3xTF32 (split.cl), from registers. The tensor cores truncate their sums, so they sum
// only 4*CHUNK values of k (S: 16, C: 8), from zero; add_products adds each sum to float accumulators.
#pragma once

#include "blas/level3/gemm/tensor/mma.cl"
#include "blas/level3/gemm/tensor/split.cl"
#include "blas/level3/gemm/tensor/acc.cl"

#define NEGATIVE 0x80000000u

// A work-item's elements of B for CHUNK values of k: a column of each fragment.
typedef struct {
    uint hi[FRAGMENTS_N][PARTS][CHUNK], lo[FRAGMENTS_N][PARTS][CHUNK];
} split_columns;

inline void split_column(split_columns *to, const int j, const scalar *from, int conjugate)
{
    UNROLL
    for (int e = 0; e < CHUNK; e++)
        UNROLL
        for (int part = 0; part < PARTS; part++) {
            const hi_lo both = split(part_of(from[e], part, conjugate));
            to->hi[j][part][e] = both.hi;
            to->lo[j][part][e] = both.lo;
        }
}

// One of the products, of all fragments in turn, so that none waits for the one before.
#define TIMES(part, a, b, b_part)                                                                                  \
    UNROLL for (int j = 0; j < FRAGMENTS_N; j++) multiply_fragments(part_acc[j][part], a, b[j][b_part] + 2 * step, \
                                                                    item, exchange);
#if SPLIT
#define TIMES_SMALL(part, a_hi, a_lo, b_part) TIMES(part, a_lo, b->hi, b_part) TIMES(part, a_hi, b->lo, b_part)
#else
#define TIMES_SMALL(part, a_hi, a_lo, b_part)
#endif

// acc += rows*b for fragments of 16 rows, of which the work-item has two, one behind the other.
inline void add_products(const scalar *rows, int a_conjugate, const split_columns *b, int item, __local real *exchange,
                         float (*acc)[PARTS][4])
{
    float part_acc[FRAGMENTS_N][PARTS][4];
    UNROLL
    for (int j = 0; j < FRAGMENTS_N; j++)
        UNROLL
        for (int part = 0; part < PARTS; part++)
            UNROLL
            for (int r = 0; r < 4; r++) part_acc[j][part][r] = 0;
    UNROLL
    for (int step = 0; step < CHUNK / 2; step++) {
        // In the order of a fragment: both rows at the first k, then both at the second.
        uint hi[PARTS][4], lo[PARTS][4];
        UNROLL
        for (int s = 0; s < 4; s++)
            UNROLL
            for (int part = 0; part < PARTS; part++) {
                const hi_lo both = split(part_of(rows[s % 2 * CHUNK + 2 * step + s / 2], part, a_conjugate));
                hi[part][s] = both.hi;
                lo[part][s] = both.lo;
            }
        // The small products first.
        TIMES_SMALL(0, hi[0], lo[0], 0)
#if SCALAR_IS_COMPLEX
        uint negative_hi[4], negative_lo[4];
        UNROLL
        for (int s = 0; s < 4; s++) {
            negative_hi[s] = hi[1][s] ^ NEGATIVE;
            negative_lo[s] = lo[1][s] ^ NEGATIVE;
        }
        TIMES_SMALL(1, hi[0], lo[0], 1)
        TIMES_SMALL(0, negative_hi, negative_lo, 1)
        TIMES_SMALL(1, hi[1], lo[1], 0)
        TIMES(0, negative_hi, b->hi, 1)
        TIMES(1, hi[1], b->hi, 0)
        TIMES(1, hi[0], b->hi, 1)
#endif
        TIMES(0, hi[0], b->hi, 0)
    }
    UNROLL
    for (int j = 0; j < FRAGMENTS_N; j++)
        UNROLL
        for (int part = 0; part < PARTS; part++)
            UNROLL
            for (int r = 0; r < 4; r++) acc[j][part][r] += part_acc[j][part][r];
}
