// The kernel of tiled.cl with asynchronous copies of slices from global into local memory (a multistage pipeline).
//
//     copies       | slice 2 | slice 3 | slice 4 |        STAGES = 3: two slices are on their way
//     multiply     | slice 0 | slice 1 | slice 2 |        while one is multiplied
//
// Copies take no registers. So a work-item has registers for a larger part of the tile, which reads less of local memory
// for each multiply-add, and for the next fragments, loaded meanwhile. For real types: no operand is conjugated.

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

// Slices of an operand in local memory.
#ifndef STAGES
#define STAGES 3
#endif

// Elements of A copied at once: a chunk where A is contiguous along m, aligned and whole chunks long, else 1.
#ifndef A_WIDTH
#define A_WIDTH 1
#endif

// Elements of B copied at once.
#ifndef B_WIDTH
#define B_WIDTH 1
#endif

#include "blas/level3/gemm/tiled/fma.cl"
#include "blas/level3/gemm/copy.cl"
#include "blas/level3/gemm/tiled/offset.cl"
#include "blas/level3/gemm/tiled/store.cl"
#include "blas/level3/gemm/tile_order.cl"

#define COPIES_A (TILE_M * TILE_K / A_WIDTH / THREADS)
#define COPIES_B (TILE_N * TILE_K / B_WIDTH / THREADS)

// Where in a slice (along the tile, along the depth) the i-th is that a work-item copies, and that in local memory.
#define copied_along(tile, along, width, item, i) \
    ((along) ? ((item) + (i) * THREADS) % ((tile) / (width)) * (width) : ((item) + (i) * THREADS) / TILE_K)
#define copied_depth(tile, along, width, item, i) \
    ((along) ? ((item) + (i) * THREADS) / ((tile) / (width)) : ((item) + (i) * THREADS) % TILE_K)
// Whether what a work-item copies is equally far apart for all of them.
#define is_even(tile, along, width) \
    (!(along) || THREADS % ((tile) / (width)) == 0 || (tile) / (width) % THREADS == 0)
#define A_ALONG(item, i) copied_along(TILE_M, A_ALONG_M, A_WIDTH, item, i)
#define A_DEPTH(item, i) copied_depth(TILE_M, A_ALONG_M, A_WIDTH, item, i)
#define B_ALONG(item, i) copied_along(TILE_N, B_ALONG_N, B_WIDTH, item, i)
#define B_DEPTH(item, i) copied_depth(TILE_N, B_ALONG_N, B_WIDTH, item, i)
#define A_TO(item, i) (A_DEPTH(item, i) * PITCH_A + A_ALONG(item, i))
#define B_TO(item, i) (B_DEPTH(item, i) * PITCH_B + B_ALONG(item, i))

inline void copy_whole(const int width, __local scalar *to, __global const scalar *from)
{
    if (width == CHUNK) copy_whole_chunk(16, (__local chunk *)to, from);
    else copy_whole_element(to, from);
}

// Copies what is there, and otherwise zeros; what is not copied is not pointed to either.
inline void copy_part(const int width, __local scalar *to, __global const scalar *from, place from_place, bool is_there)
{
    from += is_there ? from_place : 0;
    if (width == CHUNK) copy_chunk(16, (__local chunk *)to, from, is_there ? 16 : 0);
    else copy_element(to, from, is_there);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_tiled_copied(
    long m, long n, long k, scalar alpha,
    __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,
    scalar beta, __global scalar *restrict c, long c_offset, long c_column_stride, long part_depth, long part_stride)
{
    __local scalar a_slice[STAGES][TILE_K * PITCH_A] __attribute__((aligned(16)));
    __local scalar b_slice[STAGES][TILE_K * PITCH_B] __attribute__((aligned(16)));
    const int item = get_local_id(0);

    const tile_place tile = tile_of_whole(get_group_id(0), (m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N);
    const long row = tile.row * TILE_M, column = tile.column * TILE_N;
    const long depth_begin = get_group_id(1) * part_depth;
    const long depth = min(part_depth, k - depth_begin);

    // What a work-item copies lies at fixed places in every slice, relative to the slice's first element. At the edges of C rows and columns are
    // copied again instead of what is past the end.
    __global const scalar *a_from = a + a_offset + row * a_row_stride + depth_begin * a_column_stride;
    __global const scalar *b_from = b + b_offset + column * b_column_stride + depth_begin * b_row_stride;
    place a_place[COPIES_A], b_place[COPIES_B];
    UNROLL
    for (int i = 0; i < COPIES_A; i++)
        a_place[i] = (place)min((long)A_ALONG(item, i), m - A_WIDTH - row) * (place)(A_ALONG_M ? 1 : a_row_stride)
                     + (place)A_DEPTH(item, i) * (place)a_column_stride;
    UNROLL
    for (int i = 0; i < COPIES_B; i++)
        b_place[i] = (place)min((long)B_ALONG(item, i), n - B_WIDTH - column) * (place)(B_ALONG_N ? 1 : b_column_stride)
                     + (place)B_DEPTH(item, i) * (place)b_row_stride;
    // What one copies and what one reads of the first stage. Addresses of other stages are computed from these, or the compiler loads what
    // is multiplied next too late.
    __local scalar *a_to = a_slice[0] + A_TO(item, 0), *b_to = b_slice[0] + B_TO(item, 0);
    __local const scalar *a_own = a_slice[0] + tile_row(item_m(item), 0), *b_own = b_slice[0] + tile_column(item_n(item), 0);

    tile_sums sums;
    tile_depth at_depth[2];
    clear_sums(&sums);

// Begins to copy the slices at depth `at` to a stage; beyond the end, nothing.
#define A_STAGE(stage, i) \
    (is_even(TILE_M, A_ALONG_M, A_WIDTH) ? a_to + A_TO(0, i) : a_slice[0] + A_TO(item, i)) + (stage) * (TILE_K * PITCH_A)
#define B_STAGE(stage, i) \
    (is_even(TILE_N, B_ALONG_N, B_WIDTH) ? b_to + B_TO(0, i) : b_slice[0] + B_TO(item, i)) + (stage) * (TILE_K * PITCH_B)
#define COPY_NEXT(at, stage)                                                                                           \
    if ((at) + TILE_K <= depth) {                                                                                      \
        UNROLL for (int i = 0; i < COPIES_A; i++) copy_whole(A_WIDTH, A_STAGE(stage, i), a_from + a_place[i]);         \
        UNROLL for (int i = 0; i < COPIES_B; i++) copy_whole(B_WIDTH, B_STAGE(stage, i), b_from + b_place[i]);         \
    } else if ((at) < depth) {                                                                                         \
        UNROLL for (int i = 0; i < COPIES_A; i++)                                                                      \
            copy_part(A_WIDTH, A_STAGE(stage, i), a_from, a_place[i], (at) + A_DEPTH(item, i) < depth);                \
        UNROLL for (int i = 0; i < COPIES_B; i++)                                                                      \
            copy_part(B_WIDTH, B_STAGE(stage, i), b_from, b_place[i], (at) + B_DEPTH(item, i) < depth);                \
    }                                                                                                                  \
    a_from += TILE_K * a_column_stride;                                                                                \
    b_from += TILE_K * b_row_stride;                                                                                   \
    commit_copies();
#define LOAD_DEPTH(stage, p)                                                                                           \
    load_depth(a_own + (stage) * (TILE_K * PITCH_A) + (p) * PITCH_A, b_own + (stage) * (TILE_K * PITCH_B) + (p) * PITCH_B, \
               0, 0, &at_depth[(p) % 2])

    int stage = 0, next = STAGES - 1;
    UNROLL for (int first = 0; first < STAGES - 1; first++) { COPY_NEXT((long)first * TILE_K, first) }
    wait_for_copies(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    LOAD_DEPTH(0, 0);
    for (long at = 0; at < depth; at += TILE_K) {
        COPY_NEXT(at + (STAGES - 1) * TILE_K, next)
        UNROLL for (int p = 0; p < TILE_K - 1; p++) {
            LOAD_DEPTH(stage, p + 1);
            loads_stay_here();
            multiply_depth(&at_depth[p % 2], &sums);
        }
        next = stage;
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        wait_for_copies(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Behind the last slice this is what an earlier one has left, and is not multiplied.
        LOAD_DEPTH(stage, 0);
        loads_stay_here();
        multiply_depth(&at_depth[1], &sums);
    }

    c += c_offset + get_group_id(1) * part_stride;
    store_tile(&sums, alpha, beta, c, c_column_stride, row, column, m, n, 0, 0, item);
}
