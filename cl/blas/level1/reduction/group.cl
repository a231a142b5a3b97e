// A tree reduction of a work-group's partials. The first item gets the total. A group of one item is done.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 64
#endif

// An operation, where the including file has none of its own.
#ifndef NOTHING
#include "blas/level1/reduction/operation.cl"
#endif

#if THREADS > 1
#define DECLARE_LOCAL_SUMS __local partial local_sums[THREADS];
#define group_total(mine) tree_total(mine, local_sums)

inline partial tree_total(partial mine, __local partial *tree)
{
    const int item = get_local_id(0);
    tree[item] = mine;
    for (int half_size = THREADS / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size) tree[item] = joined(tree[item], tree[item + half_size]);
    }
    return tree[item];
}
#else
#define DECLARE_LOCAL_SUMS
#define group_total(mine) (mine)
#endif
