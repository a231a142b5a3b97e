// The product of slices by a warp in double precision, in which the tensor cores round as fma does.
//
// A plane's elements are loaded while those of the plane before are multiplied, also from one slice to the next: the
// wait for a slice, the barrier and the first loads come before the last products of the slice before. Slices have an
// even number of planes, so that the two planes in registers are known to the compiler.
#pragma once

#ifndef SCALAR_IS_DOUBLE
#define SCALAR_IS_DOUBLE 1
#endif

// A is contiguous along m, not along k.
#ifndef A_ALONG_M
#define A_ALONG_M 1
#endif

// B is contiguous along n, not along k.
#ifndef B_ALONG_N
#define B_ALONG_N 0
#endif

#include "blas/level3/gemm/tensor/mma.cl"
#include "blas/level3/gemm/tensor/tile.cl"

// Products need no local memory of their own.
#define DECLARE_B_SPLIT

// A work-item's elements of a plane, at its k of it.
typedef struct {
    scalar a[2 * FRAGMENTS_M], b[FRAGMENTS_N];
} plane_elements;

// The work-item's elements of an operand's first slice begin here. Distances from there on are the same for all
// work-items.
#define POINTERS (SCALAR_IS_COMPLEX ? 1 : 4)
typedef struct {
    __local const scalar *a[POINTERS], *b[POINTERS];
} slice_pointers;

// The index is that of chunk_across or chunk_along. Along k, rows of doubles have one of four pointers.
inline void find_pointers(const int tile, const bool across, __local const chunk *slice, int warp, int g, int t,
                        __local const scalar **pointer)
{
    __local const scalar *first = (__local const scalar *)slice;
    UNROLL
    for (int i = 0; i < POINTERS; i++) {
        if (across)
            pointer[i] = first + t * tile + warp + CHUNK * (g ^ 2 * t);
        else
            pointer[i] = SCALAR_IS_COMPLEX ? first + (warp + g) * 4 + t
                : first + (warp + 2 * g) * TILE_K + (i ^ g % 4) * 4 + t;
    }
}

inline slice_pointers pointers_of(__local const chunk *a, __local const chunk *b, int item)
{
    slice_pointers pointers;
    find_pointers(TILE_M, A_ALONG_M, a, warp_row(item), lane_group(item), lane_in_group(item), pointers.a);
    find_pointers(TILE_N, B_ALONG_N, b, warp_column(item), lane_group(item), lane_in_group(item), pointers.b);
    return pointers;
}

// The elements of CHUNK rows from the q-th on.
inline void load_elements(const int tile, const bool across, __local const scalar *const *pointer, int stage,
                          const int plane, const int q, scalar *to)
{
    const int start = stage * (tile * TILE_K);
    if (across) {
        unpack(*(__local const chunk *)(pointer[0] + start + plane * 4 * tile + q * 8), to, 1);
    } else if (SCALAR_IS_COMPLEX) {
        to[0] = pointer[0][start + plane * 4 * tile + q * 32];
    } else {
        UNROLL
        for (int r = 0; r < CHUNK; r++) {
            const int four = r * (TILE_K / 4) + plane;
            to[r] = pointer[four % POINTERS][start + q / 2 * 16 * TILE_K + four / 4 * 16];
        }
    }
}

inline void load_plane(const slice_pointers *pointers, int stage, const int plane, plane_elements *elements)
{
    UNROLL
    for (int j = 0; j < FRAGMENTS_N; j += CHUNK)
        load_elements(TILE_N, B_ALONG_N, pointers->b, stage, plane, j, elements->b + j);
    UNROLL
    for (int q = 0; q < 2 * FRAGMENTS_M; q += CHUNK)
        load_elements(TILE_M, A_ALONG_M, pointers->a, stage, plane, q, elements->a + q);
}

// acc += a*b, or conj(a)*b where a_sign changes the sign of the imaginary parts of a.
inline void multiply_plane(const plane_elements *elements, ulong a_sign, int item, __local real *exchange,
                           tile_acc *acc)
{
    UNROLL
    for (int i = 0; i < FRAGMENTS_M; i++) {
        const double a[2] = {real_part(elements->a[2 * i]), real_part(elements->a[2 * i + 1])};
#if SCALAR_IS_COMPLEX
        const double a_imaginary[2] = {as_double(as_ulong(elements->a[2 * i].y) ^ a_sign),
                                       as_double(as_ulong(elements->a[2 * i + 1].y) ^ a_sign)};
        const double a_negative[2] = {-a_imaginary[0], -a_imaginary[1]};
#endif
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j++) {
            const double b = real_part(elements->b[j]);
            multiply_fragments(acc->value[i][j][0], a, &b, item, exchange);
#if SCALAR_IS_COMPLEX
            multiply_fragments(acc->value[i][j][1], a_imaginary, &b, item, exchange);
#endif
        }
#if SCALAR_IS_COMPLEX
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j++) {
            const double b = imaginary_part(elements->b[j]);
            multiply_fragments(acc->value[i][j][1], a, &b, item, exchange);
            multiply_fragments(acc->value[i][j][0], a_negative, &b, item, exchange);
        }
#endif
    }
}

// conj(a)*conj(b) = conj(a*b): A is conjugated if only one of the two is to be, and so are the accumulators with B.
inline void conjugate_acc(tile_acc *acc)
{
    UNROLL
    for (int i = 0; i < FRAGMENTS_M; i++)
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j++)
            UNROLL
            for (int r = 0; r < 4; r++) acc->value[i][j][PARTS - 1][r] = -acc->value[i][j][PARTS - 1][r];
}

// Multiplies all planes of all slices: see MAINLOOP_OF.
#define MAINLOOP                                                                                           \
    {                                                                                                      \
        int stage = 0, next = STAGES - 1;                                                                  \
        const ulong a_sign = (ulong)(a_conjugate != b_conjugate) << 63;                                    \
        const slice_pointers pointers = pointers_of(a_slice[0], b_slice[0], item);                         \
        plane_elements elements[2];                                                                        \
        DECLARE_COPIES                                                                                     \
        clear_acc(&acc);                                                                                   \
        UNROLL for (int first = 0; first < STAGES - 1; first++) { COPY_NEXT((long)first * TILE_K, first) } \
        wait_for_copies(STAGES - 2);                                                                       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                      \
        load_plane(&pointers, 0, 0, &elements[0]);                                                         \
        for (long at = 0; at < k_count; at += TILE_K) {                                                    \
            COPY_NEXT(at + (STAGES - 1) * TILE_K, next)                                                    \
            next = stage;                                                                                  \
            stage = stage + 1 == STAGES ? 0 : stage + 1;                                                   \
            UNROLL for (int plane = 0; plane < PLANES - 1; plane++) {                                      \
                load_plane(&pointers, next, plane + 1, &elements[(plane + 1) % 2]);                        \
                loads_stay_here();                                                                         \
                multiply_plane(&elements[plane % 2], a_sign, item, exchange_memory, &acc);                 \
            }                                                                                              \
            wait_for_copies(STAGES - 2);                                                                   \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
            load_plane(&pointers, stage, 0, &elements[0]);                                                 \
            loads_stay_here();                                                                             \
            multiply_plane(&elements[1], a_sign, item, exchange_memory, &acc);                             \
        }                                                                                                  \
        if (PARTS == 2 && b_conjugate) conjugate_acc(&acc);                                                \
    }
