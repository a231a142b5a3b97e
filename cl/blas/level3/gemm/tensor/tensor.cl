// C := alpha*A*B + beta*C with tensor cores: a work-group computes a TILE_M x TILE_N tile of C from slices of A and B
// in local memory (a slice is a K-tile).
//
//                                         TILE_N
//                                   B   +--------+
//                                       |  slice | TILE_K
//                                       +--------+
//              TILE_K                   |        |
//             +---+---+-              C +----+---+
//      TILE_M | s |   |  A      TILE_M  |    |   |  work-group tile: THREADS / 32 warps
//             +---+---+-                +----+---+
//                                       |WARP_M x|  a warp's part, in fragments of 16 x 8; a work-item has
//                                       | WARP_N |  2 rows x 2 columns of each
//                                       +--------+
//
//     copies       | slice 2 | slice 3 | slice 4 |        STAGES = 3: two slices are on their way (cp.async)
//     multiply     | slice 0 | slice 1 | slice 2 |        while one is multiplied

// Rows of a work-group's tile of C.
#ifndef TILE_M
#define TILE_M 128
#endif

// Columns of a work-group's tile of C.
#ifndef TILE_N
#define TILE_N 64
#endif

// K-tile: columns of a slice of A, rows of a slice of B.
#ifndef TILE_K
#define TILE_K 16
#endif

// Rows of a warp's part of the tile.
#ifndef WARP_M
#define WARP_M 32
#endif

// Columns of a warp's part of the tile.
#ifndef WARP_N
#define WARP_N 64
#endif

// Work-items of a group: 32 for each warp.
#ifndef THREADS
#define THREADS 128
#endif

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

// Bytes that are aligned in A: 4, 8 or 16.
#ifndef COPY_A
#define COPY_A 16
#endif

// Bytes that are aligned in B: 4, 8 or 16.
#ifndef COPY_B
#define COPY_B 16
#endif

// Zeros follow A's last row and column, up to the ends of tiles and slices.
#ifndef A_IS_PADDED
#define A_IS_PADDED 0
#endif

// Zeros follow B's last row and column, up to the ends of tiles and slices.
#ifndef B_IS_PADDED
#define B_IS_PADDED 0
#endif

// The last tiles are computed in parts of k (split-K).
#ifndef SPLIT_K
#define SPLIT_K 0
#endif

// Persistent work-groups: each computes one tile, or part of one, after the other, of which there are `groups`.
#ifndef PERSISTENT
#define PERSISTENT 0
#endif

// 1: A, 2: B is zero outside a triangle, and slices of zeros alone are skipped.
#ifndef LIMITED
#define LIMITED 0
#endif

// Floats that hi + lo does not hold. 0: not checked.
// 1: the kernel checks its operands, and multiplies once more where it must.
// 2: prepare_operands (operands.cl) checks before, and gemm_tensor_again multiplies once more.
#ifndef GUARD
#define GUARD 0
#endif

#include "blas/level3/gemm/structure.cl"
#include "blas/level3/gemm/tile_order.cl"
#include "blas/level3/gemm/tensor/too_small.cl"
#include "blas/level3/gemm/tensor/arithmetic.cl"
#include "blas/level3/gemm/tensor/tile_sum.cl"
#include "blas/level3/gemm/tensor/strip.cl"

#define A_CHUNKS (TILE_M * TILE_K / CHUNK)
#define B_CHUNKS (TILE_N * TILE_K / CHUNK)

// The first tiles are computed whole, the last ones in parts of k (tile_sum.cl), of part_k. The first parts of all
// split tiles come first.
#if SPLIT_K
#define PARTS_ARGUMENTS , __global scalar *restrict partial, long whole_tiles, long split_tiles, long part_k
// Declares the part of a tile that a work-group computes.
#define DECLARE_PART(group)                                                   \
    const long behind_whole = (long)(group) - whole_tiles;                    \
    const bool is_part = behind_whole >= 0;                                   \
    const long part = is_part ? behind_whole : 0;                             \
    const long number = is_part ? whole_tiles + part % split_tiles : (group); \
    const long k_begin = part / split_tiles * part_k;                         \
    const long k_count = is_part ? min(part_k, k - k_begin) : k;
#elif LIMITED
#define PARTS_ARGUMENTS , int limit_upper, long limit_diagonal
// Tiles with most of k come first. k begins and ends at slices, whose elements outside the triangle are zeros.
#define DECLARE_PART(group)                                                                                \
    const long number = limit_upper ? (long)(group) : TILES_M * TILES_N - 1 - (group);                     \
    const tile_index limited = tile_of(number);                                                            \
    const long along = LIMITED == 1 ? ROW_OF(limited) : COLUMN_OF(limited);                                \
    const long along_end = along + (LIMITED == 1 ? TILE_M : TILE_N);                                       \
    const long k_begin = min(k_from(TRIANGULAR, limit_upper, limit_diagonal, along), k) / TILE_K * TILE_K; \
    const long k_end = max(k_to(TRIANGULAR, limit_upper, limit_diagonal, along_end, k), k_begin);          \
    const long k_count = min(k, (k_end + TILE_K - 1) / TILE_K * TILE_K) - k_begin;
#else
#define PARTS_ARGUMENTS
#define DECLARE_PART(group) const long number = (group), k_begin = 0, k_count = k;
#endif

// The operands, and C.
#define GEMM_ARGUMENTS                                                                                          \
    long m, long n, long k, scalar alpha,                                                                       \
    __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate, \
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate, \
    scalar beta, __global scalar *restrict c, long c_offset, long c_column_stride, int c_upper, long c_diagonal \
    PARTS_ARGUMENTS

// Tiles along C.
#define TILES_M ((m + TILE_M - 1) / TILE_M)
#define TILES_N ((n + TILE_N - 1) / TILE_N)
#if TARGET
#define tile_of(number) tile_of_target(number, TILES_M, TILES_N, c_upper)
#else
#define tile_of(number) tile_of_whole(number, TILES_M, TILES_N)
#endif

// The first row or column of an operand's tile. A tile that would reach over the end of C begins earlier, so that all
// of it can be copied, if that is at a multiple of the copies' width. Its elements of the tile before are not stored.
#define COPIED(width) ((int)((width) / sizeof(scalar)))
#define first_of_tile(number, tile, extent, is_padded, across, width)                      \
    (TARGET || is_padded || (extent) < (tile) || (across && (extent) % COPIED(width) != 0) \
         ? (number) * (tile) : min((number) * (tile), (extent) - (tile)))
#define ROW_OF(tile) first_of_tile((tile).row, TILE_M, m, A_IS_PADDED, A_ALONG_M, COPY_A)
#define COLUMN_OF(tile) first_of_tile((tile).column, TILE_N, n, B_IS_PADDED, B_ALONG_N, COPY_B)

// Declares the index of a tile of C, and the first elements of its operands' slices, from k_begin on.
#define DECLARE_TILE(number)                                                                          \
    const tile_index tile = tile_of(number);                                                          \
    const long row = ROW_OF(tile), column = COLUMN_OF(tile);                                          \
    const long a_stride = A_ALONG_M ? a_column_stride : a_row_stride,                                 \
        b_stride = B_ALONG_N ? b_row_stride : b_column_stride;                                        \
    __global const scalar *a_from = a + a_offset + row * a_row_stride + k_begin * a_column_stride;    \
    __global const scalar *b_from = b + b_offset + column * b_column_stride + k_begin * b_row_stride; \
    const int rows = min(m - row, (long)TILE_M), columns = min(n - column, (long)TILE_N);

// Declares the end of whole slices, and a work-item's first elements of the next slices.
#define DECLARE_COPIES                                                                                    \
    const bool is_inside = (A_IS_PADDED || rows == TILE_M) && (B_IS_PADDED || columns == TILE_N);         \
    const long whole = !is_inside ? 0 : A_IS_PADDED && B_IS_PADDED ? k_count : k_count / TILE_K * TILE_K; \
    __global const scalar *a_next = a_from + first_copied(TILE_M, A_ALONG_M, COPY_A, a_stride, item);     \
    __global const scalar *b_next = b_from + first_copied(TILE_N, B_ALONG_N, COPY_B, b_stride, item);

// Begins to copy the next slices, at `at` along k, to a stage. Beyond the end, nothing. The edges' addresses are
// computed there: kept for the whole loop, they would take registers.
#define COPY_NEXT(at, stage)                                                                                          \
    if ((at) < whole) {                                                                                               \
        copy_whole_slice(TILE_M, A_ALONG_M, COPY_A, a_slice[stage], a_next, a_stride, item);                          \
        copy_whole_slice(TILE_N, B_ALONG_N, COPY_B, b_slice[stage], b_next, b_stride, item);                          \
    } else if ((at) < k_count) {                                                                                      \
        const int left = min(k_count - (at), (long)TILE_K);                                                           \
        int hidden = item;                                                                                            \
        hide_int(hidden);                                                                                             \
        copy_slice(TILE_M, A_ALONG_M, COPY_A, a_slice[stage],                                                         \
                   a_next - first_copied(TILE_M, A_ALONG_M, COPY_A, a_stride, hidden), a_stride, rows, left, hidden); \
        copy_slice(TILE_N, B_ALONG_N, COPY_B, b_slice[stage],                                                         \
                   b_next - first_copied(TILE_N, B_ALONG_N, COPY_B, b_stride, hidden), b_stride, columns, left,       \
                   hidden);                                                                                           \
    }                                                                                                                 \
    a_next += TILE_K * a_column_stride;                                                                               \
    b_next += TILE_K * b_row_stride;                                                                                  \
    commit_copies();

// The main loop over all slices. MULTIPLY multiplies those of a stage.
#define MAINLOOP_OF(MULTIPLY)                                                                              \
    {                                                                                                      \
        int stage = 0, next = STAGES - 1;                                                                  \
        DECLARE_COPIES                                                                                     \
        clear_acc(&acc);                                                                                   \
        UNROLL for (int first = 0; first < STAGES - 1; first++) { COPY_NEXT((long)first * TILE_K, first) } \
        for (long at = 0; at < k_count; at += TILE_K) {                                                    \
            wait_for_copies(STAGES - 2);                                                                   \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
            COPY_NEXT(at + (STAGES - 1) * TILE_K, next)                                                    \
            MULTIPLY;                                                                                      \
            next = stage;                                                                                  \
            stage = stage + 1 == STAGES ? 0 : stage + 1;                                                   \
        }                                                                                                  \
    }
#define MULTIPLY_SLICES \
    multiply_slices(a_slice[stage], b_slice[stage], a_conjugate, b_conjugate, item, exchange_memory, &acc)
#define MULTIPLY_EXACTLY multiply_exactly(a_slice[stage], b_slice[stage], a_conjugate, b_conjugate, item, &acc)
#define STORE_TILE \
    store_tile(&acc, alpha, beta, c + c_offset, c_column_stride, row, column, m, n, c_upper, c_diagonal, item);
#if SPLIT_K
// All accumulators of a part as they are, also beyond C's ends: none is on a diagonal or on its other side.
#define STORE_PART                                                                                              \
    store_tile(&acc, is_part ? SCALAR_ONE : alpha, is_part ? SCALAR_ZERO : beta,                                \
               is_part ? partial + part * (TILE_M * TILE_N) : c + c_offset, is_part ? TILE_M : c_column_stride, \
               is_part ? 0 : row, is_part ? 0 : column, is_part ? TILE_M : m, is_part ? TILE_N : n,             \
               is_part || c_upper, is_part ? TILE_M : c_diagonal, item);
#else
#define STORE_PART STORE_TILE
#endif

#if GUARD == 1
// The least key (see too_small.cl) of the floats that a work-item has copied of a slice.
inline uint min_key_of(const int tile, const bool across, __local const chunk *slice, int item)
{
    uint min_key = UINT_MAX;
    UNROLL
    for (int i = 0; i < tile * TILE_K / CHUNK / THREADS; i++) {
        const uint4 x = as_uint4(slice[copied_chunk(tile, across, 16, item, i)]);
        min_key = min(min_key, min(min(key_of(x.x), key_of(x.y)), min(key_of(x.z), key_of(x.w))));
    }
    return min_key;
}
#define LOOK_AT_SLICES                                                         \
    min_key = min(min_key, min(min_key_of(TILE_M, A_ALONG_M, a_slice[stage], item), \
                           min_key_of(TILE_N, B_ALONG_N, b_slice[stage], item)))
#endif

#if STRIP
// Both operands' slices, in one array that strips have in another layout.
#define DECLARE_SLICES                                                                  \
    __local chunk slices[STAGES * (A_CHUNKS + B_CHUNKS)] __attribute__((aligned(128))); \
    __local chunk(*a_slice)[A_CHUNKS] = (__local chunk(*)[A_CHUNKS])slices;             \
    __local chunk(*b_slice)[B_CHUNKS] = (__local chunk(*)[B_CHUNKS])(slices + STAGES * A_CHUNKS);
// The work-group of the first strip, and C's size with the strips.
#define STRIP_ARGUMENTS , long first_strip, long all_m, long all_n
#else
#define DECLARE_SLICES                                                     \
    __local chunk a_slice[STAGES][A_CHUNKS] __attribute__((aligned(128))); \
    __local chunk b_slice[STAGES][B_CHUNKS] __attribute__((aligned(128)));
#define STRIP_ARGUMENTS
#endif

#if GUARD == 2
// `again`: tiles to be multiplied once more. `too_small`: results of prepare_operands.
#define GUARD_ARGUMENTS , __global uint *restrict again, __global const uint *restrict too_small, int too_small_count
#else
#define GUARD_ARGUMENTS
#endif

#if PERSISTENT
#define LOOP_ARGUMENTS , long groups
// The barrier: all have read the slices of the tile before.
#define BEGIN_TILES                                                                  \
    for (long group = get_group_id(0); group < groups; group += get_num_groups(0)) { \
        barrier(CLK_LOCAL_MEM_FENCE);
#define NEXT_TILE continue
#else
#define LOOP_ARGUMENTS
#define BEGIN_TILES \
    {               \
        const long group = get_group_id(0);
#define NEXT_TILE return
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_tensor(
    GEMM_ARGUMENTS STRIP_ARGUMENTS GUARD_ARGUMENTS LOOP_ARGUMENTS)
{
    DECLARE_SLICES
    DECLARE_EXCHANGE
    DECLARE_B_SPLIT
    const int item = get_local_id(0);
#if STRIP
    if ((long)get_group_id(0) >= first_strip) {
        COMPUTE_STRIP((long)get_group_id(0) - first_strip, (__local scalar *)slices)
        return;
    }
#endif
    BEGIN_TILES
    DECLARE_PART(group)
    DECLARE_TILE(number)
    tile_acc acc;
#if GUARD == 0
    MAINLOOP
#elif GUARD == 1
    uint min_key = UINT_MAX;
    MAINLOOP_OF(LOOK_AT_SLICES; MULTIPLY_SLICES)
    if (any_in_group(min_key < TOO_SMALL || any_not_finite(&acc), item, exchange_memory)) {
        MAINLOOP_OF(MULTIPLY_EXACTLY)
    }
#else
    bool exactly = false;
    for (int i = item; i < too_small_count; i += THREADS) exactly = exactly || too_small[i] != 0;
    if (!any_in_group(exactly, item, exchange_memory)) {
        MAINLOOP
        exactly = any_not_finite(&acc);
    }
    exactly = any_in_group(exactly, item, exchange_memory);
    if (item == 0) again[group] = exactly;
    if (exactly) NEXT_TILE;
#endif
    STORE_PART
    }
}

#if GUARD == 2
// Multiplies marked tiles, and parts of them, once more with multiply-adds. Each work-group checks some.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_tensor_again(
    GEMM_ARGUMENTS, __global const uint *restrict again, long groups)
{
    __local chunk a_slice[STAGES][A_CHUNKS] __attribute__((aligned(128)));
    __local chunk b_slice[STAGES][B_CHUNKS] __attribute__((aligned(128)));
    const int item = get_local_id(0);
    for (long group = get_group_id(0); group < groups; group += get_num_groups(0)) {
        if (again[group] == 0) continue;
        barrier(CLK_LOCAL_MEM_FENCE); // the slices of the tile before have been read
        DECLARE_PART(group)
        DECLARE_TILE(number)
        tile_acc acc;
        MAINLOOP_OF(MULTIPLY_EXACTLY)
        STORE_PART
    }
}
#endif

#if SPLIT_K
// Sums the parts of split tiles. It is a launch of its own, since it has many small work-groups.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_tensor_sum(GEMM_ARGUMENTS)
{
    const long split = get_group_id(0) / BLOCKS;
    const tile_index tile = tile_of(whole_tiles + split);
    sum_block(split, get_group_id(0) % BLOCKS, split_tiles, (k + part_k - 1) / part_k, alpha, partial, beta,
              c + c_offset,
              c_column_stride, ROW_OF(tile), COLUMN_OF(tile), m, n, c_upper, c_diagonal);
}
#endif
