// C := alpha*A*B + beta*C on a GPU: a work-group computes a TILE_M x TILE_N tile of C from slices of A and B in local
// memory.
//
//                                         TILE_N
//                                   B   +--------+
//                                       |  slice | TILE_K
//                                       +--------+
//              TILE_K                   |        |
//             +---+---+-              C +--------+
//      TILE_M | s |   |  A      TILE_M  |  +--+  |  work-group tile, THREADS work-items
//             +---+---+-                |  +--+  |  work-item tile: WORK_M x WORK_N (fma.cl), or fragments (mma_f64.cl)
//                                       +--------+
//
// Two stages: while a slice is multiplied from local memory, the next one is loaded into registers.
//
// At the edges of C, rows and columns are loaded again instead of past the end, and their results are not stored. Zeros
// fill up the last slice of k.

// Work-items of a group.
#ifndef THREADS
#define THREADS 64
#endif

// A is contiguous along m, not along k.
#ifndef A_ALONG_M
#define A_ALONG_M 1
#endif

// B is contiguous along n, not along k.
#ifndef B_ALONG_N
#define B_ALONG_N 0
#endif

#include "blas/level3/gemm/tiled/arithmetic.cl"
#include "blas/level3/gemm/tiled/offset.cl"
#include "blas/level3/gemm/tiled/store.cl"
#include "blas/level3/gemm/tile_order.cl"

#define LOADS_A (TILE_M * TILE_K / THREADS)
#define LOADS_B (TILE_N * TILE_K / THREADS)

// The i-th element of a slice that a work-item loads: its index along the tile and along k.
#if A_ALONG_M
#define a_along(item, i) (((item) + (i) * THREADS) % TILE_M)
#define a_k(item, i) (((item) + (i) * THREADS) / TILE_M)
#else
#define a_along(item, i) (((item) + (i) * THREADS) / TILE_K)
#define a_k(item, i) (((item) + (i) * THREADS) % TILE_K)
#endif
#if B_ALONG_N
#define b_along(item, i) (((item) + (i) * THREADS) % TILE_N)
#define b_k(item, i) (((item) + (i) * THREADS) / TILE_N)
#else
#define b_along(item, i) (((item) + (i) * THREADS) / TILE_K)
#define b_k(item, i) (((item) + (i) * THREADS) % TILE_K)
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_tiled(
    long m, long n, long k, scalar alpha,
    __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,
    scalar beta, __global scalar *restrict c, long c_offset, long c_column_stride, long part_k, long part_stride)
{
    __local scalar a_slice[2][TILE_K * PITCH_A] __attribute__((aligned(16)));
    __local scalar b_slice[2][TILE_K * PITCH_B] __attribute__((aligned(16)));
    const int item = get_local_id(0);

    const tile_index tile = tile_of_whole(get_group_id(0), (m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N);
    const long row = tile.row * TILE_M, column = tile.column * TILE_N;
    const long k_begin = get_group_id(1) * part_k;
    const long k_count = min(part_k, k - k_begin);

    // A work-item loads from fixed offsets in every slice, relative to the slice's first element.
    __global const scalar *a_from = a + a_offset + row * a_row_stride + k_begin * a_column_stride;
    __global const scalar *b_from = b + b_offset + column * b_column_stride + k_begin * b_row_stride;
    slice_offset a_offsets[LOADS_A], b_offsets[LOADS_B];
    #pragma unroll
    for (int i = 0; i < LOADS_A; i++)
        a_offsets[i] = (slice_offset)min((long)a_along(item, i), m - 1 - row) * (slice_offset)a_row_stride
                     + (slice_offset)a_k(item, i) * (slice_offset)a_column_stride;
    #pragma unroll
    for (int i = 0; i < LOADS_B; i++)
        b_offsets[i] = (slice_offset)min((long)b_along(item, i), n - 1 - column) * (slice_offset)b_column_stride
                     + (slice_offset)b_k(item, i) * (slice_offset)b_row_stride;

    tile_acc acc;
    scalar a_next[LOADS_A], b_next[LOADS_B];
    clear_acc(&acc);

// FETCH loads the slices at `at` along k into registers, STORE_SLICE stores them to local memory.
#define FETCH(at)                                                                             \
    if ((at) + TILE_K <= k_count) {                                                           \
        _Pragma("unroll") for (int i = 0; i < LOADS_A; i++) a_next[i] = a_from[a_offsets[i]]; \
        _Pragma("unroll") for (int i = 0; i < LOADS_B; i++) b_next[i] = b_from[b_offsets[i]]; \
    } else {                                                                                  \
        _Pragma("unroll") for (int i = 0; i < LOADS_A; i++)                                   \
            a_next[i] = (at) + a_k(item, i) < k_count ? a_from[a_offsets[i]] : SCALAR_ZERO;   \
        _Pragma("unroll") for (int i = 0; i < LOADS_B; i++)                                   \
            b_next[i] = (at) + b_k(item, i) < k_count ? b_from[b_offsets[i]] : SCALAR_ZERO;   \
    }                                                                                         \
    a_from += TILE_K * a_column_stride;                                                       \
    b_from += TILE_K * b_row_stride;

#define STORE_SLICE(slot)                                                                                \
    _Pragma("unroll") for (int i = 0; i < LOADS_A; i++)                                                  \
        a_slice[slot][a_k(item, i) * PITCH_A + a_along(item, i)] = conjugate_if(a_conjugate, a_next[i]); \
    _Pragma("unroll") for (int i = 0; i < LOADS_B; i++)                                                  \
        b_slice[slot][b_k(item, i) * PITCH_B + b_along(item, i)] = conjugate_if(b_conjugate, b_next[i]);

    FETCH(0)
    STORE_SLICE(0)
    barrier(CLK_LOCAL_MEM_FENCE);
    int slot = 0;
    for (long at = 0; at < k_count; at += TILE_K) {
        const bool more = at + TILE_K < k_count;
        if (more) { FETCH(at + TILE_K) }
        multiply_slices(a_slice[slot], b_slice[slot], item, &acc);
        if (more) {
            slot ^= 1;
            STORE_SLICE(slot)
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }

    c += c_offset + get_group_id(1) * part_stride;
    store_tile(&acc, alpha, beta, c, c_column_stride, row, column, m, n, 0, 0, item);
}
