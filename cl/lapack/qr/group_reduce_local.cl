// Reductions over a work-group, WIDTH at a time, in local memory. `parity` is for group_reduce_nvidia.cl.
#pragma once

// Work-items of a group: a multiple of FANIN.
#ifndef THREADS
#define THREADS 128
#endif

// Columns that are factorised one by one, and sums of a reduction.
#ifndef WIDTH
#define WIDTH 4
#endif

// Columns of a panel, at most: more than WIDTH; a multiple of WIDTH, and of WIDTH * BATCH.
#ifndef PANEL
#define PANEL 16
#endif

#include "common/scalar.cl"

#define FANIN 8
// Work-items of the two levels of a reduction's tree. Each adds FANIN values, or fewer.
#define FIRST_LEVEL (THREADS / FANIN)
#define LAST_LEVEL ((FIRST_LEVEL + FANIN - 1) / FANIN)

typedef struct {
    scalar parts[WIDTH * THREADS], level_sums[WIDTH * FIRST_LEVEL], last[WIDTH * LAST_LEVEL], totals[WIDTH];
} reduce_workspace;

// All WIDTH sums; and the sum whose index is the work-item's, for the first WIDTH work-items.
typedef __local const scalar *group_sums;
#define sum_of(sums, c) (sums)[c]
#define own_sum(sums) (sums)[get_local_id(0)]

inline group_sums reduce_in_group(const scalar *own, __local reduce_workspace *workspace, int parity)
{
    const int item = get_local_id(0);
    #pragma unroll
    for (int c = 0; c < WIDTH; c++) workspace->parts[c * THREADS + item] = own[c];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < WIDTH * FIRST_LEVEL; e += THREADS) {
        __local const scalar *its = workspace->parts + e / FIRST_LEVEL * THREADS + e % FIRST_LEVEL;
        scalar sum = its[0];
        #pragma unroll
        for (int i = 1; i < FANIN; i++) sum += its[i * FIRST_LEVEL];
        workspace->level_sums[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < WIDTH * LAST_LEVEL; e += THREADS) {
        __local const scalar *its = workspace->level_sums + e / LAST_LEVEL * FIRST_LEVEL;
        scalar sum = its[e % LAST_LEVEL];
        for (int i = e % LAST_LEVEL + LAST_LEVEL; i < FIRST_LEVEL; i += LAST_LEVEL) sum += its[i];
        workspace->last[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < WIDTH) {
        scalar sum = workspace->last[item * LAST_LEVEL];
        for (int i = 1; i < LAST_LEVEL; i++) sum += workspace->last[item * LAST_LEVEL + i];
        workspace->totals[item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return workspace->totals;
}

// Reductions of PANEL * WIDTH values, BATCH * WIDTH at a time: the sums are those from number `index` * WIDTH on. A
// macro, since PoCL 3.1 miscompiles barriers in nested functions. It uses its caller's `workspace`, `batch` and
// `item`.
typedef struct {
    scalar totals[PANEL * WIDTH];
} batch_workspace;

#define BATCH 1
#define UNROLL_BATCHES
#define SUM_BATCH(own, index)                                                                   \
    {                                                                                           \
        const group_sums its = reduce_in_group(own, &workspace, 0);                             \
        for (int i = item; i < WIDTH; i += THREADS) batch.totals[(index) * WIDTH + i] = its[i]; \
    }

// Completes the first `count` sums, for all work-items.
inline void complete_sums(__local batch_workspace *batch, int count)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}
