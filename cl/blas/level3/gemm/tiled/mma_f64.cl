// The product of two slices by a work-group, in double precision with the tensor cores of NVIDIA's GPUs (mma.sync
// m16n8k8, compute capability 9.0; PTX ISA, "Matrix fragments for mma.m16n8k8"). Accumulators are rounded as those of
// fma are.
//
// A warp of 32 work-items computes WARP_M x WARP_N elements of the tile, in fragments of 16 x 8. In a fragment
// work-item 4*g + t has the rows g and g + 8 of the columns 2*t and 2*t + 1. fma.cl says what an arithmetic defines.
#pragma once

#ifndef SCALAR_IS_DOUBLE
#define SCALAR_IS_DOUBLE 1
#endif

// Rows of a work-group's tile of C.
#ifndef TILE_M
#define TILE_M 64
#endif

// Columns of a work-group's tile of C.
#ifndef TILE_N
#define TILE_N 64
#endif

// K-tile: columns of a slice of A, rows of a slice of B.
#ifndef TILE_K
#define TILE_K 8
#endif

#include "common/scalar.cl"

#define WARP_M 64
#define WARP_N 32
#define WARPS_M (TILE_M / WARP_M)
#define FRAGMENTS_M (WARP_M / 16)
#define FRAGMENTS_N (WARP_N / 8)

// Four work-items that read along k and eight along the tile hit 16 different pairs of banks at a time.
#define PITCH_PADDING 4
#define PITCH_A (TILE_M + PITCH_PADDING)
#define PITCH_B (TILE_N + PITCH_PADDING)

// The first row and column of a work-item's warp, and its g and t in a fragment.
#define warp_row(item) ((item) / 32 % WARPS_M * WARP_M)
#define warp_column(item) ((item) / 32 / WARPS_M * WARP_N)
#define lane_group(item) ((item) % 32 / 4)
#define lane_in_group(item) ((item) % 4)

typedef struct {
    double value[FRAGMENTS_M][FRAGMENTS_N][4];
} tile_acc;

inline void clear_acc(tile_acc *acc)
{
    #pragma unroll
    for (int i = 0; i < FRAGMENTS_M; i++)
        #pragma unroll
        for (int j = 0; j < FRAGMENTS_N; j++)
            #pragma unroll
            for (int r = 0; r < 4; r++) acc->value[i][j][r] = 0;
}

inline void multiply_slices(__local const double *a, __local const double *b, int item, tile_acc *acc)
{
    const int g = lane_group(item), t = lane_in_group(item);
    #pragma unroll
    for (int p = 0; p < TILE_K; p += 8) {
        double a_value[FRAGMENTS_M][4], b_value[FRAGMENTS_N][2];
        #pragma unroll
        for (int i = 0; i < FRAGMENTS_M; i++)
            #pragma unroll
            for (int r = 0; r < 4; r++)
                a_value[i][r] = a[(p + t + r / 2 * 4) * PITCH_A + warp_row(item) + i * 16 + g + r % 2 * 8];
        #pragma unroll
        for (int j = 0; j < FRAGMENTS_N; j++)
            #pragma unroll
            for (int r = 0; r < 2; r++)
                b_value[j][r] = b[(p + t + r * 4) * PITCH_B + warp_column(item) + j * 8 + g];
        #pragma unroll
        for (int i = 0; i < FRAGMENTS_M; i++)
            #pragma unroll
            for (int j = 0; j < FRAGMENTS_N; j++)
                __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                             "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+d"(acc->value[i][j][0]), "+d"(acc->value[i][j][1]), "+d"(acc->value[i][j][2]),
                               "+d"(acc->value[i][j][3])
                             : "d"(a_value[i][0]), "d"(a_value[i][1]), "d"(a_value[i][2]), "d"(a_value[i][3]),
                               "d"(b_value[j][0]), "d"(b_value[j][1]));
    }
}

// The r-th accumulator: element r % 4 of fragment r / 4.
#define RESULTS (FRAGMENTS_M * FRAGMENTS_N * 4)
#define result_row(item, r) (warp_row(item) + (r) / 4 / FRAGMENTS_N * 16 + lane_group(item) + (r) % 4 / 2 * 8)
#define result_column(item, r) (warp_column(item) + (r) / 4 % FRAGMENTS_N * 8 + lane_in_group(item) * 2 + (r) % 2)
#define result_value(acc, r) (acc).value[(r) / 4 / FRAGMENTS_N][(r) / 4 % FRAGMENTS_N][(r) % 4]
