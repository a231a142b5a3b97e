// The kernel of tiled.cl for structured operands and targets: slices are loaded from the stored triangle, values of k
// where a triangular operand is zero are skipped, and work-groups exist only for the tiles that touch C's triangle.
//
// For a triangle of C, tiles are square and the diagonal is C's own. A lower one may go on below, where C has more rows
// than columns, and an upper one to the right.

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
#include "blas/level3/gemm/structure.cl"
#include "blas/level3/gemm/tiled/store.cl"
#include "blas/level3/gemm/tile_order.cl"

#define SLICE_NAME(name) name##_a
#define SLICE_TILE TILE_M
#define SLICE_PITCH PITCH_A
#define SLICE_STRUCTURE A_STRUCTURE
#define SLICE_ALONG A_ALONG_M
#include "blas/level3/gemm/tiled/slice.cl"

#define SLICE_NAME(name) name##_b
#define SLICE_TILE TILE_N
#define SLICE_PITCH PITCH_B
#define SLICE_STRUCTURE B_STRUCTURE
#define SLICE_ALONG B_ALONG_N
#include "blas/level3/gemm/tiled/slice.cl"

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_tiled_structured(
    long m, long n, long k, scalar alpha, OPERAND(a), OPERAND(b), scalar beta, __global scalar *restrict c,
    long c_offset,
    long c_column_stride, int c_upper, long c_diagonal, long part_k, long part_stride)
{
    __local scalar a_slice[2][TILE_K * PITCH_A] __attribute__((aligned(16)));
    __local scalar b_slice[2][TILE_K * PITCH_B] __attribute__((aligned(16)));
    const int item = get_local_id(0);

    const long tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
#if TARGET
    tile_index tile = tile_of_target(get_group_id(0), tiles_m, tiles_n, c_upper);
#else
    tile_index tile = tile_of_whole(get_group_id(0), tiles_m, tiles_n);
    // The deepest tiles first.
    if (is_triangular(A_STRUCTURE) && !a_upper) tile.row = tiles_m - 1 - tile.row;
    if (is_triangular(B_STRUCTURE) && !b_upper) tile.column = tiles_n - 1 - tile.column;
#endif
    const long row = tile.row * TILE_M, column = tile.column * TILE_N;
    const long part_begin = get_group_id(1) * part_k, part_end = min(k, part_begin + part_k);
    const long k_begin = max(part_begin, max(k_from(A_STRUCTURE, a_upper, a_diagonal, row),
                                                 k_from(B_STRUCTURE, b_upper, b_diagonal, column)));
    const long k_end = min(part_end, min(k_to(A_STRUCTURE, a_upper, a_diagonal, row + TILE_M, k),
                                             k_to(B_STRUCTURE, b_upper, b_diagonal, column + TILE_N, k)));

    slice_a a_next = slices_a(a + a_offset, a_along_stride, a_k_stride, a_conjugate, a_upper, a_diagonal, row, m, item);
    slice_b b_next =
        slices_b(b + b_offset, b_along_stride, b_k_stride, b_conjugate, b_upper, b_diagonal, column, n, item);
    tile_acc acc;
    clear_acc(&acc);

    // The first slices may be of zeros alone. Each iteration fetches the next ones while these are multiplied.
    fetch_a(&a_next, k_begin, k_end, item);
    fetch_b(&b_next, k_begin, k_end, item);
    int slot = 0;
    for (long at = k_begin + TILE_K;; at += TILE_K) {
        store_a(&a_next, a_slice[slot], item);
        store_b(&b_next, b_slice[slot], item);
        barrier(CLK_LOCAL_MEM_FENCE);
        const bool more = at < k_end;
        if (more) {
            fetch_a(&a_next, at, k_end, item);
            fetch_b(&b_next, at, k_end, item);
        }
        multiply_slices(a_slice[slot], b_slice[slot], item, &acc);
        if (!more) break;
        slot ^= 1;
    }

    c += c_offset + get_group_id(1) * part_stride;
    store_tile(&acc, alpha, beta, c, c_column_stride, row, column, m, n, c_upper, c_diagonal, item);
}
