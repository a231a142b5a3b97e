// The kernel of tiled.cl with asynchronous copies of slices from global into local memory (a multistage pipeline).
//
//     copies       | slice 2 | slice 3 | slice 4 |        STAGES = 3: two slices are on their way
//     multiply     | slice 0 | slice 1 | slice 2 |        while one is multiplied
//
// Copies take no registers. So a work-item has registers for a larger part of the tile, which reads less of local
// memory for each multiply-add, and for the next fragments, loaded meanwhile. For real types: no operand is conjugated.

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

// The i-th element that a work-item copies: its index along the tile and along k, and its offset in local memory.
#define copied_along(tile, along, width, item, i) \
    ((along) ? ((item) + (i) * THREADS) % ((tile) / (width)) * (width) : ((item) + (i) * THREADS) / TILE_K)
#define copied_k(tile, along, width, item, i) \
    ((along) ? ((item) + (i) * THREADS) / ((tile) / (width)) : ((item) + (i) * THREADS) % TILE_K)
// A work-item's copies have the same distances for all work-items.
#define is_even(tile, along, width) \
    (!(along) || THREADS % ((tile) / (width)) == 0 || (tile) / (width) % THREADS == 0)
#define A_ALONG(item, i) copied_along(TILE_M, A_ALONG_M, A_WIDTH, item, i)
#define A_K(item, i) copied_k(TILE_M, A_ALONG_M, A_WIDTH, item, i)
#define B_ALONG(item, i) copied_along(TILE_N, B_ALONG_N, B_WIDTH, item, i)
#define B_K(item, i) copied_k(TILE_N, B_ALONG_N, B_WIDTH, item, i)
#define A_TO(item, i) (A_K(item, i) * PITCH_A + A_ALONG(item, i))
#define B_TO(item, i) (B_K(item, i) * PITCH_B + B_ALONG(item, i))

inline void copy_whole(const int width, __local scalar *to, __global const scalar *from)
{
    if (width == CHUNK) copy_whole_chunk(16, (__local chunk *)to, from);
    else copy_whole_element(to, from);
}

// Copies elements inside the operand, and zeros for others, whose addresses are not formed.
inline void copy_part(const int width, __local scalar *to, __global const scalar *from, slice_offset from_offset,
                      bool is_there)
{
    from += is_there ? from_offset : 0;
    if (width == CHUNK) copy_chunk(16, (__local chunk *)to, from, is_there ? 16 : 0);
    else copy_element(to, from, is_there);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_tiled_copied(
    long m, long n, long k, scalar alpha,
    __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,
    scalar beta, __global scalar *restrict c, long c_offset, long c_column_stride, long part_k, long part_stride)
{
    __local scalar a_slice[STAGES][TILE_K * PITCH_A] __attribute__((aligned(16)));
    __local scalar b_slice[STAGES][TILE_K * PITCH_B] __attribute__((aligned(16)));
    const int item = get_local_id(0);

    const tile_index tile = tile_of_whole(get_group_id(0), (m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N);
    const long row = tile.row * TILE_M, column = tile.column * TILE_N;
    const long k_begin = get_group_id(1) * part_k;
    const long k_count = min(part_k, k - k_begin);

    // A work-item copies from fixed offsets in every slice, relative to the slice's first element. At the edges of C
    // rows and columns are copied again instead of reading past the end.
    __global const scalar *a_from = a + a_offset + row * a_row_stride + k_begin * a_column_stride;
    __global const scalar *b_from = b + b_offset + column * b_column_stride + k_begin * b_row_stride;
    slice_offset a_offsets[COPIES_A], b_offsets[COPIES_B];
    UNROLL
    for (int i = 0; i < COPIES_A; i++)
        a_offsets[i] = (slice_offset)min((long)A_ALONG(item, i), m - A_WIDTH - row)
                           * (slice_offset)(A_ALONG_M ? 1 : a_row_stride)
                       + (slice_offset)A_K(item, i) * (slice_offset)a_column_stride;
    UNROLL
    for (int i = 0; i < COPIES_B; i++)
        b_offsets[i] = (slice_offset)min((long)B_ALONG(item, i), n - B_WIDTH - column)
                           * (slice_offset)(B_ALONG_N ? 1 : b_column_stride)
                       + (slice_offset)B_K(item, i) * (slice_offset)b_row_stride;
    // The first stage's elements that the work-item copies to and reads from. Addresses of other stages are computed
    // from these, or the compiler loads the next fragments too late.
    __local scalar *a_to = a_slice[0] + A_TO(item, 0), *b_to = b_slice[0] + B_TO(item, 0);
    __local const scalar *a_own = a_slice[0] + tile_row(item_m(item), 0),
        *b_own = b_slice[0] + tile_column(item_n(item), 0);

    tile_acc acc;
    tile_fragment fragments[2];
    clear_acc(&acc);

// Begins to copy the slices at `at` along k to a stage. Beyond the end, nothing.
#define A_STAGE(stage, i)                                                                  \
    (is_even(TILE_M, A_ALONG_M, A_WIDTH) ? a_to + A_TO(0, i) : a_slice[0] + A_TO(item, i)) \
        + (stage) * (TILE_K * PITCH_A)
#define B_STAGE(stage, i)                                                                  \
    (is_even(TILE_N, B_ALONG_N, B_WIDTH) ? b_to + B_TO(0, i) : b_slice[0] + B_TO(item, i)) \
        + (stage) * (TILE_K * PITCH_B)
#define COPY_NEXT(at, stage)                                                                                     \
    if ((at) + TILE_K <= k_count) {                                                                              \
        UNROLL for (int i = 0; i < COPIES_A; i++) copy_whole(A_WIDTH, A_STAGE(stage, i), a_from + a_offsets[i]); \
        UNROLL for (int i = 0; i < COPIES_B; i++) copy_whole(B_WIDTH, B_STAGE(stage, i), b_from + b_offsets[i]); \
    } else if ((at) < k_count) {                                                                                 \
        UNROLL for (int i = 0; i < COPIES_A; i++)                                                                \
            copy_part(A_WIDTH, A_STAGE(stage, i), a_from, a_offsets[i], (at) + A_K(item, i) < k_count);          \
        UNROLL for (int i = 0; i < COPIES_B; i++)                                                                \
            copy_part(B_WIDTH, B_STAGE(stage, i), b_from, b_offsets[i], (at) + B_K(item, i) < k_count);          \
    }                                                                                                            \
    a_from += TILE_K * a_column_stride;                                                                          \
    b_from += TILE_K * b_row_stride;                                                                             \
    commit_copies();
#define LOAD_FRAGMENT(stage, p)                                         \
    load_fragment(a_own + (stage) * (TILE_K * PITCH_A) + (p) * PITCH_A, \
                  b_own + (stage) * (TILE_K * PITCH_B) + (p) * PITCH_B, 0, 0, &fragments[(p) % 2])

    int stage = 0, next = STAGES - 1;
    UNROLL for (int first = 0; first < STAGES - 1; first++) { COPY_NEXT((long)first * TILE_K, first) }
    wait_for_copies(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    LOAD_FRAGMENT(0, 0);
    for (long at = 0; at < k_count; at += TILE_K) {
        COPY_NEXT(at + (STAGES - 1) * TILE_K, next)
        UNROLL for (int p = 0; p < TILE_K - 1; p++) {
            LOAD_FRAGMENT(stage, p + 1);
            loads_stay_here();
            multiply_fragment(&fragments[p % 2], &acc);
        }
        next = stage;
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        wait_for_copies(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        // After the last slice this stage has an earlier one, which is not multiplied.
        LOAD_FRAGMENT(stage, 0);
        loads_stay_here();
        multiply_fragment(&fragments[1], &acc);
    }

    c += c_offset + get_group_id(1) * part_stride;
    store_tile(&acc, alpha, beta, c, c_column_stride, row, column, m, n, 0, 0, item);
}
