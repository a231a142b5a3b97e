// The product of two slices by a work-group, with multiply-adds. A work-item has WORK_M x WORK_N elements of the tile.
//
// An arithmetic (this file or mma_f64.cl) defines: tile_acc, a work-item's accumulators, RESULTS of them, with
// result_row, result_column and result_value; clear_acc; multiply_slices; PITCH_PADDING, the elements by which a row of
// a slice in local memory is longer than the tile, so that work-items read from different banks.
#pragma once

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

// Work-items along the rows of the tile.
#ifndef THREADS_M
#define THREADS_M 8
#endif

// Work-items along the columns of the tile.
#ifndef THREADS_N
#define THREADS_N 8
#endif

// Work-items of a warp of 32 stand in a block of 8 x 4: see item_m.
#ifndef IN_WARPS
#define IN_WARPS 0
#endif

#include "common/scalar.cl"
#include "blas/level3/gemm/copy_chunk.cl"

#define WORK_M (TILE_M / THREADS_M)
#define WORK_N (TILE_N / THREADS_N)

#define PITCH_PADDING CHUNK
#define PITCH_A (TILE_M + PITCH_PADDING)
#define PITCH_B (TILE_N + PITCH_PADDING)

// The work-item among the THREADS_M x THREADS_N along the tile's sides. IN_WARPS: warps of 8 x 4. The work-item next to
// one, or the one after that, reads the same chunk of A, and the other the same of B. So NVIDIA's local memory serves
// half a warp with 128 bytes at a time, else a quarter.
#if IN_WARPS
#define item_m(item) ((item) / 32 % (THREADS_M / 8) * 8 + ((item) & 1) + ((item) >> 1 & 6))
#define item_n(item) ((item) / 32 / (THREADS_M / 8) * 4 + ((item) >> 1 & 1) + ((item) >> 3 & 2))
#else
#define item_m(item) ((item) % THREADS_M)
#define item_n(item) ((item) / THREADS_M)
#endif

// The work-item's i-th row in the tile: chunks of neighbouring work-items are neighbours.
#define tile_row(item, i) (((i) / CHUNK) * THREADS_M * CHUNK + (item) * CHUNK + (i) % CHUNK)
#define tile_column(item, j) (((j) / CHUNK) * THREADS_N * CHUNK + (item) * CHUNK + (j) % CHUNK)

inline void load_chunk(__local const scalar *from, scalar *to)
{
    const chunk value = *(__local const chunk *)from;
#if SCALAR_IS_COMPLEX && SCALAR_IS_DOUBLE
    to[0] = value;
#elif SCALAR_IS_COMPLEX
    to[0] = value.lo;
    to[1] = value.hi;
#elif SCALAR_IS_DOUBLE
    to[0] = value.x;
    to[1] = value.y;
#else
    to[0] = value.x;
    to[1] = value.y;
    to[2] = value.z;
    to[3] = value.w;
#endif
}

typedef struct {
    scalar value[WORK_M][WORK_N];
} tile_acc;

inline void clear_acc(tile_acc *acc)
{
    #pragma unroll
    for (int i = 0; i < WORK_M; i++)
        #pragma unroll
        for (int j = 0; j < WORK_N; j++) acc->value[i][j] = SCALAR_ZERO;
}

// A work-item's fragments of two slices at one value of k.
typedef struct {
    scalar a[WORK_M], b[WORK_N];
} tile_fragment;

inline void load_fragment(__local const scalar *a, __local const scalar *b, int item_m, int item_n, tile_fragment *to)
{
    #pragma unroll
    for (int i = 0; i < WORK_M; i += CHUNK) load_chunk(a + tile_row(item_m, i), to->a + i);
    #pragma unroll
    for (int j = 0; j < WORK_N; j += CHUNK) load_chunk(b + tile_column(item_n, j), to->b + j);
}

inline void multiply_fragment(const tile_fragment *at, tile_acc *acc)
{
    #pragma unroll
    for (int i = 0; i < WORK_M; i++)
        #pragma unroll
        for (int j = 0; j < WORK_N; j++) acc->value[i][j] = multiply_add(at->a[i], at->b[j], acc->value[i][j]);
}

inline void multiply_slices(__local const scalar *a, __local const scalar *b, int item, tile_acc *acc)
{
    #pragma unroll
    for (int p = 0; p < TILE_K; p++) {
        tile_fragment at;
        load_fragment(a + p * PITCH_A, b + p * PITCH_B, item_m(item), item_n(item), &at);
        multiply_fragment(&at, acc);
    }
}

#define RESULTS (WORK_M * WORK_N)
#define result_row(item, r) tile_row(item_m(item), (r) % WORK_M)
#define result_column(item, r) tile_column(item_n(item), (r) / WORK_M)
#define result_value(acc, r) (acc).value[(r) % WORK_M][(r) / WORK_M]
