// The product of slices of floats by warpgroups. A goes from slices to registers and is split there, each element once.
// B is split from slices to local memory, the next slice while one is multiplied, each element once for the work-group.
//
// A warp has FRAGMENTS_M fragments of 16 rows, which the four warps of a warpgroup multiply together as fragments of
// 64. The rows and columns of a fragment are those of slice.cl, and so is k: work-item t of a row's four has CHUNK*t +
// e, of which e = 0 and 1 are the first 8 of k, and 2 and 3 the second, which complex types do not have.
#pragma once

// Slices of an operand in local memory.
#ifndef STAGES
#define STAGES 3
#endif

// A is contiguous along m, not along k.
#ifndef A_ALONG_M
#define A_ALONG_M 1
#endif

// B is contiguous along n, not along k.
#ifndef B_ALONG_N
#define B_ALONG_N 0
#endif

// NVIDIA's instructions for warpgroups, in comments: crates/opencl/src/program/ptx_patch.rs.
#ifndef HIDDEN_PTX
#define HIDDEN_PTX 0
#endif

#include "blas/level3/gemm/tensor/tile.cl"
#include "blas/level3/gemm/tensor/mma.cl"
#include "blas/level3/gemm/tensor/split.cl"
#if HIDDEN_PTX
#include "blas/level3/gemm/tensor/warpgroup_nvidia.cl"
#else
#include "blas/level3/gemm/tensor/warpgroup_emulated.cl"
#endif

#if STAGES < 3
#error One slice is multiplied, the next one's B split, and a third is on its way.
#endif

// B lies in local memory as words, by real and imaginary parts, and these by hi and lo.
#define SPLIT_TERMS (SPLIT ? 2 : 1)
#define TERM_WORDS (TILE_N * TILE_K)
#define PART_WORDS (SPLIT_TERMS * TERM_WORDS)
// Two slices of B.
#define DECLARE_B_SPLIT __local uint b_split[2][PARTS * PART_WORDS] __attribute__((aligned(128)));

// Splits a slice of B: each warp 32 columns at a time, of which a work-item has four.
inline void split_slice(__local const chunk *b, int b_conjugate, __local uint *to, int item)
{
    const int g = lane_group(item), t = lane_in_group(item);
    UNROLL
    for (int first = 0; first < TILE_N; first += THREADS) {
        const int column = first + item / 32 * 32;
        if (TILE_N % THREADS == 0 || column < TILE_N)
            UNROLL
            for (int plane = 0; plane < PLANES; plane++) {
                __local uint *at = to + (plane * CHUNK * BLOCKS_N + column / 8) * 32 + item % 32;
                UNROLL
                for (int c = 0; c < 4; c++) {
                    // The chunk's first column and k among the work-item's.
                    const int q = B_ALONG_N ? c / CHUNK * CHUNK : c, e = B_ALONG_N ? c % CHUNK : 0;
                    scalar elements[CHUNK];
                    unpack(b[B_ALONG_N ? chunk_across(TILE_N, plane * PLANE_K + CHUNK * t + e,
                                                      (column + row_of(q, g)) / CHUNK)
                                       : chunk_along(TILE_N, column + row_of(q, g), plane * 4 + t)], elements, 1);
                    UNROLL
                    for (int i = 0; i < CHUNK; i++) {
                        const int to_block = (e + (B_ALONG_N ? 0 : i)) * BLOCKS_N + q + (B_ALONG_N ? i : 0);
                        UNROLL
                        for (int part = 0; part < PARTS; part++) {
                            const hi_lo both = split(part_of(elements[i], part, b_conjugate));
                            at[to_block * 32 + part * PART_WORDS] = both.hi;
                            if (SPLIT) at[to_block * 32 + part * PART_WORDS + TERM_WORDS] = both.lo;
                        }
                    }
                }
            }
    }
}

// A work-item's two rows of the i-th fragment, at its k of a plane.
inline void load_fragment(__local const chunk *a, int plane, const int i, int item, scalar (*rows)[CHUNK])
{
    const int g = lane_group(item), t = lane_in_group(item), q = 2 * i;
    UNROLL
    for (int c = 0; c < (A_ALONG_M ? CHUNK : 2); c++) {
        scalar elements[CHUNK];
        unpack(a[A_ALONG_M ? chunk_across(TILE_M, plane * PLANE_K + CHUNK * t + c,
                                          (warp_row(item) + row_of(q, g)) / CHUNK)
                           : chunk_along(TILE_M, warp_row(item) + row_of(q + c, g), plane * 4 + t)], elements, 1);
        if (A_ALONG_M) {
            rows[0][c] = elements[q % CHUNK];
            rows[1][c] = elements[q % CHUNK + 1];
        } else {
            UNROLL
            for (int e = 0; e < CHUNK; e++) rows[c][e] = elements[e];
        }
    }
}

// The products of a part of A, hi[p] and lo[p], with a part of B. The small ones come first.
#if SPLIT
#define MULTIPLY_SMALL(to, sign, p, b, is_first)                            \
    multiply_group(part_acc, to, sign, lo[p], b, is_first, item, exchange); \
    multiply_group(part_acc, to, sign, hi[p], (b) + TERM_WORDS, 0, item, exchange);
#else
#define MULTIPLY_SMALL(to, sign, p, b, is_first)
#endif
#define MULTIPLY_LARGE(to, sign, p, b) multiply_group(part_acc, to, sign, hi[p], b, 0, item, exchange);

// Begins the products of the i-th fragment of A and a slice of B in a plane. With SPLIT their accumulators start anew:
// the tensor cores truncate them, and floats add them up.
inline void begin_products(__local const chunk *a, int a_conjugate, __local const uint *b, int plane, const int i,
                           int item, __local real *exchange, float (*part_acc)[PARTS][4])
{
    scalar rows[2][CHUNK];
    load_fragment(a, plane, i, item, rows);
    // Of each 8 of k, or of each part of them.
    uint hi[2][4], lo[2][4];
    UNROLL
    for (int p = 0; p < 2; p++)
        UNROLL
        for (int s = 0; s < 4; s++) {
            const scalar element = rows[s % 2][(PARTS == 1 ? 2 * p : 0) + s / 2];
            const hi_lo both = split(part_of(element, PARTS == 1 ? 0 : p, a_conjugate));
            hi[p][s] = both.hi;
            lo[p][s] = both.lo;
        }
    b += plane * CHUNK * BLOCKS_N * 32;
    begin_group(hi, lo);
#if SCALAR_IS_COMPLEX
    MULTIPLY_SMALL(0, 1, 0, b, 1)
    MULTIPLY_SMALL(0, -1, 1, b + PART_WORDS, 0)
    MULTIPLY_SMALL(1, 1, 0, b + PART_WORDS, 1)
    MULTIPLY_SMALL(1, 1, 1, b, 0)
    MULTIPLY_LARGE(0, -1, 1, b + PART_WORDS)
    MULTIPLY_LARGE(0, 1, 0, b)
    MULTIPLY_LARGE(1, 1, 1, b)
    MULTIPLY_LARGE(1, 1, 0, b + PART_WORDS)
#else
    MULTIPLY_SMALL(0, 1, 0, b, 1)
    MULTIPLY_LARGE(0, 1, 0, b)
    MULTIPLY_SMALL(0, 1, 1, b + 2 * BLOCKS_N * 32, 0)
    MULTIPLY_LARGE(0, 1, 1, b + 2 * BLOCKS_N * 32)
#endif
    commit_group();
}

inline void add_fragment(float (*part_acc)[PARTS][4], float (*to)[PARTS][4])
{
    UNROLL
    for (int j = 0; j < FRAGMENTS_N; j++)
        UNROLL
        for (int part = 0; part < PARTS; part++)
            UNROLL
            for (int r = 0; r < 4; r++) to[j][part][r] += part_acc[j][part][r];
}

#if SPLIT
#define DECLARE_PART_ACC float part_acc[FRAGMENTS_N][PARTS][4];
#define ACC_OF(i) part_acc
#define ADD_PART_ACC(i) add_fragment(part_acc, acc.value[i]);
#else
#define DECLARE_PART_ACC
#define ACC_OF(i) acc.value[i]
#define ADD_PART_ACC(i)
#endif

// Fragments of A that are multiplied one behind the other.
#define TURNS (PLANES * FRAGMENTS_M)

// The main loop over all slices. While one is multiplied, the next one's B is split, and one more is copied to the
// stage before.
#define MAINLOOP                                                                                                    \
    {                                                                                                               \
        int stage = 0, before = STAGES - 1, parity = 0;                                                             \
        DECLARE_COPIES                                                                                              \
        clear_acc(&acc);                                                                                            \
        UNROLL for (int first = 0; first < STAGES - 1; first++) { COPY_NEXT((long)first * TILE_K, first) }          \
        wait_for_copies(STAGES - 3);                                                                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                               \
        split_slice(b_slice[0], b_conjugate, b_split[0], item);                                                     \
        publish_to_groups();                                                                                        \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                               \
        for (long at = 0; at < k_count; at += TILE_K) {                                                             \
            const int behind = stage + 1 == STAGES ? 0 : stage + 1;                                                 \
            DECLARE_PART_ACC                                                                                        \
            UNROLL for (int turn = 0; turn < TURNS; turn++) {                                                       \
                const int plane = turn / FRAGMENTS_M, i = turn % FRAGMENTS_M;                                       \
                begin_products(a_slice[stage], a_conjugate, b_split[parity] + warp_column(item) / 8 * 32, plane, i, \
                               item,                                                                                \
                               exchange_memory, ACC_OF(i));                                                         \
                if (turn == 0) { COPY_NEXT(at + (STAGES - 1) * TILE_K, before) }                                    \
                if (turn == TURNS - 1) split_slice(b_slice[behind], b_conjugate, b_split[parity ^ 1], item);        \
                wait_for_group(ACC_OF(i));                                                                          \
                ADD_PART_ACC(i)                                                                                     \
            }                                                                                                       \
            wait_for_copies(STAGES - 3);                                                                            \
            publish_to_groups();                                                                                    \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                           \
            before = stage;                                                                                         \
            stage = behind;                                                                                         \
            parity ^= 1;                                                                                            \
        }                                                                                                           \
    }
