// Reductions over a work-group, WIDTH at a time, by NVIDIA's warp shuffles. group_reduce_local.cl has the same
// in local memory.
#pragma once

// Work-items of a group: a multiple of 32.
#ifndef THREADS
#define THREADS 128
#endif

// Columns that are factorised one by one, and sums of a reduction: a power of two, 32 at most.
#ifndef WIDTH
#define WIDTH 4
#endif

// Columns of a panel, at most: more than WIDTH; a multiple of WIDTH, and of WIDTH * BATCH.
#ifndef PANEL
#define PANEL 16
#endif

// All columns of the panel are in registers.
#ifndef RESIDENT
#define RESIDENT 1
#endif

#include "common/scalar.cl"

#define WARP 32
#define WARPS (THREADS / WARP)

// Double-buffered, so that one barrier suffices.
typedef struct {
    scalar parts[2 * WARPS * WIDTH];
} reduce_workspace;

inline int shuffle_xor_word(int value, int lane_bits)
{
    int other;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(other) : "r"(value), "r"(lane_bits));
    return other;
}

inline int shuffle_word(int value, int lane)
{
    int other;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(other) : "r"(value), "r"(lane));
    return other;
}

// A lane's value: of the lane whose number differs in these bits, and of the lane with this number.
#if SCALAR_IS_COMPLEX && SCALAR_IS_DOUBLE
#define as_words as_int4
#define WORDS(f, v, n) as_double2((int4)(f((v).x, n), f((v).y, n), f((v).z, n), f((v).w, n)))
#elif SCALAR_IS_COMPLEX
#define as_words as_int2
#define WORDS(f, v, n) as_float2((int2)(f((v).x, n), f((v).y, n)))
#elif SCALAR_IS_DOUBLE
#define as_words as_int2
#define WORDS(f, v, n) as_double((int2)(f((v).x, n), f((v).y, n)))
#endif

inline scalar shuffle_xor(scalar value, int lane_bits)
{
#ifdef WORDS
    return WORDS(shuffle_xor_word, as_words(value), lane_bits);
#else
    return as_float(shuffle_xor_word(as_int(value), lane_bits));
#endif
}

inline scalar shuffle(scalar value, int lane)
{
#ifdef WORDS
    return WORDS(shuffle_word, as_words(value), lane);
#else
    return as_float(shuffle_word(as_int(value), lane));
#endif
}

// Lane i has sum i % WIDTH.
typedef scalar group_sums;
#define sum_of(sums, c) shuffle(sums, c)
#define own_sum(sums) (sums)

// One step of SUM_IN_WARP, for a constant number of remaining sums: in a loop over these, the sums would leave the
// registers. It uses its caller's `own` and `lane`.
#define EXCHANGE_HALF(COUNT, rest)                                                                   \
    if (COUNT > rest) {                                                                              \
        _Pragma("unroll") for (int i = 0; i < rest; i++)                                             \
        {                                                                                            \
            const scalar lower = own[i], upper = own[(i + rest) % COUNT];                            \
            own[i] = (lane & rest ? upper : lower) + shuffle_xor(lane & rest ? lower : upper, rest); \
        }                                                                                            \
    }

// COUNT sums over a warp: lane i has sum i % COUNT. Each step exchanges half of the sums with the other half of the
// lanes, until each lane has one.
#define SUM_IN_WARP(name, COUNT)                                                                        \
    inline scalar name(scalar *own)                                                                     \
    {                                                                                                   \
        const int lane = get_local_id(0) % WARP;                                                        \
        EXCHANGE_HALF(COUNT, 16)                                                                        \
        EXCHANGE_HALF(COUNT, 8)                                                                         \
        EXCHANGE_HALF(COUNT, 4)                                                                         \
        EXCHANGE_HALF(COUNT, 2)                                                                         \
        EXCHANGE_HALF(COUNT, 1)                                                                         \
        scalar sum = own[0];                                                                            \
        _Pragma("unroll") for (int bits = COUNT; bits < WARP; bits *= 2) sum += shuffle_xor(sum, bits); \
        return sum;                                                                                     \
    }

SUM_IN_WARP(sum_in_warp, WIDTH)

inline group_sums reduce_in_group(scalar *own, __local reduce_workspace *workspace, int parity)
{
    const int item = get_local_id(0), lane = item % WARP;
    __local scalar *parts = workspace->parts + (parity & 1) * WARPS * WIDTH;
    scalar sum = sum_in_warp(own);
    if (lane < WIDTH) parts[item / WARP * WIDTH + lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = SCALAR_ZERO;
    #pragma unroll
    for (int i = lane / WIDTH; i < WARPS; i += WARP / WIDTH) sum += parts[i * WIDTH + lane % WIDTH];
    #pragma unroll
    for (int bits = WIDTH; bits < WARP; bits *= 2) sum += shuffle_xor(sum, bits);
    return sum;
}

// Reductions of PANEL * WIDTH values, BATCH * WIDTH at a time: the sums are those from number `index` * WIDTH on. A
// larger batch overlaps more shuffles, and takes more registers.
#define SUMS_THAT_FIT ((THREADS > 256 ? 128 : 256) / (int)sizeof(scalar))
#define MAX_SUMS (SUMS_THAT_FIT < 32 ? SUMS_THAT_FIT : 32)
#define BATCH (WIDTH * WIDTH <= MAX_SUMS ? WIDTH : WIDTH <= MAX_SUMS ? MAX_SUMS / WIDTH : 1)

SUM_IN_WARP(sum_batch_in_warp, (BATCH * WIDTH))

typedef struct {
    scalar parts[WARPS * PANEL * WIDTH], totals[PANEL * WIDTH];
} batch_workspace;

#if RESIDENT
#define UNROLL_BATCHES _Pragma("unroll")
#else
#define UNROLL_BATCHES _Pragma("unroll 1")
#endif
#define SUM_BATCH(own, index)                                                         \
    {                                                                                 \
        const scalar sum = sum_batch_in_warp(own);                                    \
        if (item % WARP < BATCH * WIDTH)                                              \
            batch.parts[(item / WARP * PANEL + (index)) * WIDTH + item % WARP] = sum; \
    }

// Completes the first `count` sums, for all work-items.
inline void complete_sums(__local batch_workspace *batch, int count)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = get_local_id(0); e < count; e += THREADS) {
        scalar sum = batch->parts[e];
        #pragma unroll
        for (int i = 1; i < WARPS; i++) sum += batch->parts[i * PANEL * WIDTH + e];
        batch->totals[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
