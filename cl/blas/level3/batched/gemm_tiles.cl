// C := alpha*A*B + beta*C for each matrix of a batch, on a GPU: a tile of some C per MATRICES-th part of a work-group,
// which multiplies slices of A and B in local memory. Small matrices share a group, each with a tile of its own.

// Rows and columns of a tile.
#ifndef TILE
#define TILE 16
#endif

// Rows and columns of a tile per work-item.
#ifndef WORK
#define WORK 2
#endif

// K-tile: columns of a slice of A.
#ifndef TILE_K
#define TILE_K 8
#endif

// Matrices of a work-group.
#ifndef MATRICES
#define MATRICES 1
#endif

// A is contiguous along m, not along k.
#ifndef A_ALONG_M
#define A_ALONG_M 1
#endif

// B is contiguous along n, not along k.
#ifndef B_ALONG_N
#define B_ALONG_N 0
#endif

#include "common/scalar.cl"
#include "blas/level3/batched/offsets.cl"

#define SIDE (TILE / WORK)
#define THREADS (SIDE * SIDE)
#define PITCH (TILE + 1)

#if A_ALONG_M
#define a_along(e) ((e) % TILE)
#define a_k(e) ((e) / TILE)
#else
#define a_along(e) ((e) / TILE_K)
#define a_k(e) ((e) % TILE_K)
#endif
#if B_ALONG_N
#define b_along(e) ((e) % TILE)
#define b_k(e) ((e) / TILE)
#else
#define b_along(e) ((e) / TILE_K)
#define b_k(e) ((e) % TILE_K)
#endif

__kernel __attribute__((reqd_work_group_size(THREADS * MATRICES, 1, 1))) void gemm_batched_tiles(
    long m, long n, long k, scalar alpha,
    __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,
    scalar beta, __global scalar *restrict c, long c_offset, long c_column_stride, BATCH_PARAMETERS, long a_spacing,
    long b_spacing, long c_spacing)
{
    __local scalar a_slices[MATRICES][TILE_K * PITCH], b_slices[MATRICES][TILE_K * PITCH];
    const int item = get_local_id(0) % THREADS, part = get_local_id(0) / THREADS;
    __local scalar *a_slice = a_slices[part], *b_slice = b_slices[part];
    const int item_m = item % SIDE, item_n = item / SIDE;
    const long tiles_m = (m + TILE - 1) / TILE, tiles = tiles_m * ((n + TILE - 1) / TILE);
    // The last group may have parts without a matrix: they take part in the barriers only.
    const long matrix = get_group_id(0) / tiles * MATRICES + part, tile = get_group_id(0) % tiles;
    const bool there = matrix < count;
    const long row = tile % tiles_m * TILE, column = tile / tiles_m * TILE;
    if (there) {
        a += a_offset + offset_in_batch(matrix, a_spacing) + row * a_row_stride;
        b += b_offset + offset_in_batch(matrix, b_spacing) + column * b_column_stride;
        c += c_offset + offset_in_batch(matrix, c_spacing) + row + column * c_column_stride;
    }

    scalar acc[WORK][WORK];
    #pragma unroll
    for (int i = 0; i < WORK; i++)
        #pragma unroll
        for (int j = 0; j < WORK; j++) acc[i][j] = SCALAR_ZERO;

    for (long at = 0; at < k; at += TILE_K) {
        #pragma unroll
        for (int e = item; e < TILE * TILE_K; e += THREADS) {
            scalar value = SCALAR_ZERO;
            const long i = a_along(e), p = at + a_k(e);
            if (there && row + i < m && p < k) value = a[i * a_row_stride + p * a_column_stride];
            a_slice[a_k(e) * PITCH + a_along(e)] = conjugate_if(a_conjugate, value);
        }
        #pragma unroll
        for (int e = item; e < TILE * TILE_K; e += THREADS) {
            scalar value = SCALAR_ZERO;
            const long j = b_along(e), p = at + b_k(e);
            if (there && column + j < n && p < k) value = b[p * b_row_stride + j * b_column_stride];
            b_slice[b_k(e) * PITCH + b_along(e)] = conjugate_if(b_conjugate, value);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int p = 0; p < TILE_K; p++) {
            scalar a_value[WORK], b_value[WORK];
            #pragma unroll
            for (int i = 0; i < WORK; i++) a_value[i] = a_slice[p * PITCH + item_m + i * SIDE];
            #pragma unroll
            for (int j = 0; j < WORK; j++) b_value[j] = b_slice[p * PITCH + item_n + j * SIDE];
            #pragma unroll
            for (int i = 0; i < WORK; i++)
                #pragma unroll
                for (int j = 0; j < WORK; j++) acc[i][j] = multiply_add(a_value[i], b_value[j], acc[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (!there) return;
    #pragma unroll
    for (int j = 0; j < WORK; j++)
        #pragma unroll
        for (int i = 0; i < WORK; i++) {
            const long ii = item_m + i * SIDE, jj = item_n + j * SIDE;
            if (row + ii < m && column + jj < n) {
                __global scalar *element = c + ii + jj * c_column_stride;
                *element = accumulate(scale_by(alpha, acc[i][j]), beta, element);
            }
        }
}
