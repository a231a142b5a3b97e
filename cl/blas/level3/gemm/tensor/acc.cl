// A work-item's accumulators on the tensor cores: FRAGMENTS_M fragments of 16 rows by FRAGMENTS_N of 8 columns, of
// which it has the rows g and g + 8 and the columns 2*t and 2*t + 1.
#pragma once

// Fragments of 16 rows of a warp.
#ifndef FRAGMENTS_M
#define FRAGMENTS_M 2
#endif

// Fragments of 8 columns of a warp.
#ifndef FRAGMENTS_N
#define FRAGMENTS_N 4
#endif

// Floats that hi + lo does not hold. 0: not checked.
// 1: the kernel checks its operands, and multiplies once more where it must.
// 2: prepare_operands (operands.cl) checks before, and gemm_tensor_again multiplies once more.
#ifndef GUARD
#define GUARD 0
#endif

#include "blas/level3/gemm/copy.cl"
#include "blas/level3/gemm/tensor/chunk.cl"

typedef struct {
    real value[FRAGMENTS_M][FRAGMENTS_N][PARTS][4];
} tile_acc;

inline void clear_acc(tile_acc *acc)
{
    UNROLL
    for (int i = 0; i < FRAGMENTS_M; i++)
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j++)
            UNROLL
            for (int part = 0; part < PARTS; part++)
                UNROLL
                for (int r = 0; r < 4; r++) acc->value[i][j][part][r] = 0;
}

// The accumulator of a work-item's q-th row and, of its two columns in the j-th fragment, the one or the other.
inline scalar acc_of(const tile_acc *acc, const int q, const int j, const int second)
{
    return from_parts(acc->value[q / 2][j][0][q % 2 * 2 + second], acc->value[q / 2][j][PARTS - 1][q % 2 * 2 + second]);
}

#if GUARD
// Some accumulators of a work-item are not finite: hi + lo may have overflowed.
inline bool any_not_finite(const tile_acc *acc)
{
    bool any = false;
    UNROLL
    for (int i = 0; i < FRAGMENTS_M; i++)
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j++)
            UNROLL
            for (int part = 0; part < PARTS; part++)
                UNROLL
                for (int r = 0; r < 4; r++) any |= !(fabs(acc->value[i][j][part][r]) <= FLT_MAX);
    return any;
}
#endif
