// C := alpha*A*B + beta*C with tensor cores for a C of at most TILE_N columns: A is streamed once.
//
//                       B  +--------+ STEP_K
//                          +--------+
//             STEP_K      TILE_N
//              +---+---+-  +--------+
//      TILE_M  |   |   | A |   C    |    WARPS_M warps share the rows, WARPS_K warps k: their accumulators are
//              +---+---+-  +--------+    added at the end, in order
//
// A work-group takes TILE_M rows and a part of k, in steps of STEP_K. Copies to local memory, 16 bytes at a time and up
// to STAGES - 1 steps ahead, have the layout of the instructions: work-item 4*g + t of a warp has the rows row_of(q,
// ...) and the values K_PER_ITEM*t + e of k in each plane (fragments are those of tensor/slice.cl). Copies are fast
// where eight work-items have 128 bytes that lie together in both memories, in whatever order: so they exchange places
// for them. All warps go in step: warps that run ahead of each other are slower.

// Warps of a group with different rows.
#ifndef WARPS_M
#define WARPS_M 4
#endif

// Warps of a group with the same rows and different parts of k: 1 or an even number.
#ifndef WARPS_K
#define WARPS_K 1
#endif

// Work-items of a group.
#ifndef THREADS
#define THREADS 128
#endif

// Fragments of 16 rows of a warp.
#ifndef FRAGMENTS_M
#define FRAGMENTS_M 1
#endif

// Fragments of 8 columns.
#ifndef FRAGMENTS_N
#define FRAGMENTS_N 2
#endif

// Slices of an operand in local memory.
#ifndef STAGES
#define STAGES 3
#endif

// A is contiguous along m, not along k as B is.
#ifndef A_ALONG_M
#define A_ALONG_M 1
#endif

// Bytes that are aligned in A: 4, 8 or 16.
#ifndef COPY_A
#define COPY_A 16
#endif

// Bytes that are aligned in B: 4, 8 or 16.
#ifndef COPY_B
#define COPY_B 16
#endif

// 1: the kernel checks its operands, and multiplies once more, with multiply-adds, where hi + lo does not hold them.
#ifndef GUARD
#define GUARD 0
#endif

#include "blas/level3/gemm/tensor/too_small.cl"
#include "blas/level3/gemm/tensor/chunk.cl"
#include "blas/level3/gemm/copy.cl"
#include "blas/level3/gemm/tensor/mma.cl"
#include "blas/level3/gemm/tensor/acc.cl"
#if SCALAR_IS_DOUBLE
#include "blas/level3/gemm/skinny/tensor_f64.cl"
#else
#include "blas/level3/gemm/skinny/tensor_tf32.cl"
#endif

#define K_PER_ITEM CHUNK
#define PLANE_K (4 * K_PER_ITEM)
#define STEP_K (WARPS_K * PLANE_K)
#define WARP_M (16 * FRAGMENTS_M)
#define TILE_M (WARPS_M * WARP_M)
#define TILE_N (8 * FRAGMENTS_N)
#define WARPS (WARPS_M * WARPS_K)
// Chunks of A that a work-item has of a plane.
#define A_CHUNKS (2 * FRAGMENTS_M)
// Chunks of a stage.
#define STAGE_CHUNKS (32 * (WARPS * A_CHUNKS + WARPS_K * FRAGMENTS_N))

// A work-item: its warp among those of other rows and of other parts of k, and its g and t in the warp.
typedef struct {
    int warp_m, warp_k, g, t;
} lane;

inline lane lane_of(int item)
{
    const lane own = {item / 32 % WARPS_M, item / 32 / WARPS_M, item % 32 / 4, item % 4};
    return own;
}

// The work-item whose operands this one copies, where they lie along k, or else across it.
inline lane copied_lane(const bool along, int item)
{
    const int line = item / (4 * WARPS_K), in_line = item % (4 * WARPS_K);
    const lane of_line = {line / 8, in_line / 4, line % 8, in_line % 4};
    const lane across = {item / 32 % WARPS_M, item / 32 / WARPS_M, item % 8, item / 8 % 4};
    return along ? of_line : across;
}

// The index of a chunk of a row or column, `lines` of which lie along k. Eight chunks of it are together. A warp's
// reads hit different banks.
inline int chunk_along(const int lines, int line, lane of)
{
    return WARPS_K == 1 ? 4 * line + of.t
                        : 8 * (of.warp_k / 2 * lines + line) + ((of.warp_k % 2 * 4 + of.t) ^ line % 2 * 4);
}
// Chunks between lines that are 8 apart.
#define EIGHT_LINES (WARPS_K == 1 ? 32 : 64)

// The index of a work-item's first chunks of A and B in a stage, and their distances.
inline int first_a(lane of)
{
    return A_ALONG_M ? 32 * A_CHUNKS * (of.warp_k * WARPS_M + of.warp_m) + 8 * of.t + (of.g ^ 2 * of.t)
                     : chunk_along(TILE_M, 8 * of.warp_m + of.g, of);
}
#define A_STRIDE (A_ALONG_M ? 32 : EIGHT_LINES * WARPS_M)
#define first_b(of, fragment) (32 * A_CHUNKS * WARPS + chunk_along(TILE_N, 8 * (fragment) + (of).g, of))

// The q-th row of the tile that a work-item has, and the first element of its chunk c of A, from its first row and k
// on.
#define row_of(q, of)                                                                          \
    (A_ALONG_M ? WARP_M * (of).warp_m + (q) / CHUNK * 8 * CHUNK + CHUNK * (of).g + (q) % CHUNK \
               : 8 * (WARPS_M * (q) + (of).warp_m) + (of).g)
#define chunk_row(c) (A_ALONG_M ? (c) / CHUNK * 8 * CHUNK : 8 * WARPS_M * (c))
#define chunk_k(c) (A_ALONG_M ? (c) % CHUNK : 0)

// Begins to copy a work-item's chunks of a plane of A; `from` is the first one.
inline void copy_whole_a(__local chunk *to, __global const scalar *from, long stride)
{
    UNROLL
    for (int c = 0; c < A_CHUNKS; c++)
        copy_whole_chunk(COPY_A, to + A_STRIDE * c, from
                         + (A_ALONG_M ? chunk_row(c) + chunk_k(c) * stride : chunk_row(c) * stride));
}

// The same at an edge: `rows` rows and `k_count` values of k from the first on are A's, the rest is zero.
inline void copy_a(__local chunk *to, __global const scalar *from, long stride, long rows, long k_count)
{
    ROLLED
    for (int c = 0; c < A_CHUNKS; c++) {
        const long rows_left = rows - chunk_row(c), k_left = k_count - chunk_k(c);
        const int along = clamp(A_ALONG_M ? rows_left : k_left, 0L, (long)CHUNK);
        const int count = (A_ALONG_M ? k_left : rows_left) > 0 ? along : 0;
        const long at = A_ALONG_M ? chunk_row(c) + chunk_k(c) * stride : chunk_row(c) * stride;
        // Addresses of elements that are not copied are not formed.
        copy_chunk(COPY_A, to + A_STRIDE * c, count > 0 ? from + at : from, count * (int)sizeof(scalar));
    }
}

// Begins to copy a work-item's chunk of a plane of B, of which k_left values of k remain.
inline void copy_b(__local chunk *to, __global const scalar *from, long k_left)
{
    if (k_left >= K_PER_ITEM)
        copy_whole_chunk(COPY_B, to, from);
    else
        copy_chunk(COPY_B, to, from, max(k_left, 0L) * (int)sizeof(scalar));
}

// Fragments of B that a warp copies, and their numbers.
#define B_COPIES ((FRAGMENTS_N + WARPS_M - 1) / WARPS_M)
#define copied_fragment(i, of) ((i) * WARPS_M + (of).warp_m)

// Begins to copy the next planes, those of `step`, to a stage; beyond the end, nothing.
#define COPY_NEXT(step, stage)                                                                                      \
    if ((step) < steps) {                                                                                           \
        __local chunk *to = queue + (stage) * STAGE_CHUNKS;                                                         \
        const long k_left = k_end - k_begin - (long)(step) * STEP_K;                                                \
        if (is_whole && k_left >= STEP_K)                                                                           \
            copy_whole_a(to + first_a(of_a), a_next, a_stride);                                                     \
        else                                                                                                        \
            copy_a(to + first_a(of_a), a_next, a_stride, m - row - row_of(0, of_a), k_left - first_k(of_a));        \
        UNROLL for (int i = 0; i < B_COPIES; i++)                                                                   \
            if (copied_fragment(i, of_b) < FRAGMENTS_N)                                                             \
                copy_b(to + first_b(of_b, copied_fragment(i, of_b)), b_next + b_column[i], k_left - first_k(of_b)); \
        a_next += STEP_K * a_column_stride;                                                                         \
        b_next += STEP_K;                                                                                           \
    }                                                                                                               \
    commit_copies();
// The first k of a work-item in a step.
#define first_k(of) (PLANE_K * (of).warp_k + K_PER_ITEM * (of).t)

// Waits for the copies of a stage, and loads a work-item's fragments of it.
#define LOAD_CHUNKS(chunks)                                                                                          \
    wait_for_copies(STAGES - 2);                                                                                     \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
    UNROLL for (int i = 0; i < A_CHUNKS; i++) chunks[i] = queue[stage * STAGE_CHUNKS + first_a(own) + A_STRIDE * i]; \
    UNROLL for (int j = 0; j < FRAGMENTS_N; j++)                                                                     \
        chunks[A_CHUNKS + j] = queue[stage * STAGE_CHUNKS + first_b(own, j)];

// acc += a*b for the chunks of a plane, those of A and then those of B.
inline void multiply_chunks(const chunk *chunks, int a_conjugate, int b_conjugate, int item, __local real *exchange,
                            tile_acc *acc)
{
    scalar a[A_CHUNKS * CHUNK];
    UNROLL
    for (int i = 0; i < A_CHUNKS; i++)
        unpack(chunks[i], a + (A_ALONG_M ? i / CHUNK * CHUNK * CHUNK + i % CHUNK : i * CHUNK), A_ALONG_M ? CHUNK : 1);
    multiply_plane(a, chunks + A_CHUNKS, a_conjugate, b_conjugate, item, exchange, acc);
}

#if GUARD
// The least key (see too_small.cl) of some chunks.
inline uint min_key_of(const chunk *chunks, const int count)
{
    uint min_key = UINT_MAX;
    UNROLL
    for (int c = 0; c < count; c++) {
        const uint4 x = as_uint4(chunks[c]);
        min_key = min(min_key, min(min(key_of(x.x), key_of(x.y)), min(key_of(x.z), key_of(x.w))));
    }
    return min_key;
}
#endif

#if GUARD
#define LOOK_AT(chunks)                              \
    min_key = min(min_key, min_key_of(chunks, A_CHUNKS)); \
    if (own.warp_m == 0) min_key = min(min_key, min_key_of(chunks + A_CHUNKS, FRAGMENTS_N));
#else
#define LOOK_AT(chunks)
#endif

// Multiplies the chunks of a step while those of the next one come. After the last step these do not count.
#define MULTIPLY_STEP(chunks, next_chunks)       \
    COPY_NEXT(step + STAGES - 1, next)           \
    next = stage;                                \
    stage = stage + 1 == STAGES ? 0 : stage + 1; \
    LOAD_CHUNKS(next_chunks)                     \
    loads_stay_here();                           \
    LOOK_AT(chunks)                              \
    multiply_chunks(chunks, a_conjugate, b_conjugate, item, exchange_memory, &acc);

#define ARGUMENTS                                                                                                  \
    long m, long n, long k, scalar alpha,                                                                          \
    __global const scalar *restrict a, long a_offset, long a_row_stride, long a_column_stride, int a_conjugate,    \
    __global const scalar *restrict b, long b_offset, long b_row_stride, long b_column_stride, int b_conjugate,    \
    scalar beta, __global scalar *restrict c, long c_offset, long c_row_stride, long c_column_stride, long part_k, \
    long part_stride

// The warps' accumulators of 8 columns in local memory: columns begin in other banks.
#define PITCH (TILE_M + 4)

// The element (i, j) of the tile to C.
#define STORE(i, j, total)                                                                 \
    if (row + (i) < m && (j) < n) {                                                        \
        __global scalar *element = c + (row + (i)) * c_row_stride + (j) * c_column_stride; \
        *element = accumulate(scale_by(alpha, total), beta, element);                      \
    }

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_skinny_tensor(ARGUMENTS)
{
    __local chunk queue[STAGES * STAGE_CHUNKS] __attribute__((aligned(128)));
    DECLARE_EXCHANGE
    const int item = get_local_id(0);
    const lane own = lane_of(item), of_a = copied_lane(!A_ALONG_M, item), of_b = copied_lane(true, item);
    const long row = get_group_id(0) * TILE_M;
    const long k_begin = get_group_id(1) * part_k, k_end = min(k, k_begin + part_k);
    const int steps = (k_end - k_begin + STEP_K - 1) / STEP_K;
    const bool is_whole = row + TILE_M <= m;

    const long a_stride = A_ALONG_M ? a_column_stride : a_row_stride;
    __global const scalar *a_next =
        a + a_offset + (row + row_of(0, of_a)) * a_row_stride + (k_begin + first_k(of_a)) * a_column_stride;
    __global const scalar *b_next = b + b_offset + k_begin + first_k(of_b);
    long b_column[B_COPIES];
    UNROLL
    for (int i = 0; i < B_COPIES; i++)
        b_column[i] = min((long)(8 * copied_fragment(i, of_b) + of_b.g), n - 1) * b_column_stride;

    tile_acc acc;
    clear_acc(&acc);
#if GUARD
    uint min_key = UINT_MAX;
#endif
    UNROLL
    for (int first = 0; first < STAGES - 1; first++) { COPY_NEXT(first, first) }
    int stage = 0, next = STAGES - 1;
    chunk even[A_CHUNKS + FRAGMENTS_N], odd[A_CHUNKS + FRAGMENTS_N];
    LOAD_CHUNKS(even)
    for (int step = 0; step < steps; step++) {
        MULTIPLY_STEP(even, odd)
        if (++step == steps) break;
        MULTIPLY_STEP(odd, even)
    }

    c += c_offset + get_group_id(1) * part_stride;
#if GUARD
    if (any_in_group(min_key < TOO_SMALL || any_not_finite(&acc), item, exchange_memory)) {
        for (int e = item; e < TILE_M * n; e += THREADS) {
            const int i = e % TILE_M, j = e / TILE_M;
            __global const scalar *x = a + a_offset + min(row + i, m - 1) * a_row_stride;
            __global const scalar *y = b + b_offset + j * b_column_stride;
            scalar total = SCALAR_ZERO;
            for (long p = k_begin; p < k_end; p++)
                total = multiply_add(conjugate_if(a_conjugate, x[p * a_column_stride]), conjugate_if(b_conjugate, y[p]),
                                     total);
            STORE(i, j, total)
        }
        return;
    }
#endif
    __local scalar *shared = (__local scalar *)queue;
    UNROLL
    for (int j = 0; j < FRAGMENTS_N; j++) {
        barrier(CLK_LOCAL_MEM_FENCE); // all have read what was there
        UNROLL
        for (int q = 0; q < A_CHUNKS; q++)
            UNROLL
            for (int second = 0; second < 2; second++)
                shared[(own.warp_k * 8 + 2 * own.t + second) * PITCH + row_of(q, own)] = acc_of(&acc, q, j, second);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int e = item; e < TILE_M * 8; e += THREADS) {
            const int i = e % TILE_M, column = e / TILE_M;
            scalar total = SCALAR_ZERO;
            UNROLL
            for (int w = 0; w < WARPS_K; w++) total += shared[(w * 8 + column) * PITCH + i];
            STORE(i, 8 * j + column, total)
        }
    }
}
