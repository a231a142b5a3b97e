// The pivot search of a column by a work-group: a tree reduction in local memory.
#pragma once

// Work-items of a group: a multiple of FANIN.
#ifndef THREADS
#define THREADS 256
#endif

#include "lapack/lu/candidate.cl"

#define FANIN 8
// Work-items of the two levels of the tree. Each compares FANIN candidates.
#define FIRST_LEVEL (THREADS / FANIN)
#define LAST_LEVEL ((FIRST_LEVEL + FANIN - 1) / FANIN)

// Candidate rows that the group copies to local memory for a column, and the slot of a row: the reduction leaves one.
#define CANDIDATE_SLOTS 1
#define candidate_slot(row) 0

// See pivot_search_nvidia.cl.
#define keep_branch_apart(row)

// The best of FANIN of `count` candidates, `step` apart, from the work-item's own on. All are read before any is
// compared.
inline candidate best_of(__local const real *keys, __local const int *rows, int own, int step, int count)
{
    candidate found[FANIN];
    #pragma unroll
    for (int i = 0; i < FANIN; i++) {
        const int index = own + i * step < count ? own + i * step : own;
        found[i].key = keys[index];
        found[i].row = rows[index];
    }
    const candidate first = better_of(better_of(found[0], found[1]), better_of(found[2], found[3]));
    const candidate second = better_of(better_of(found[4], found[5]), better_of(found[6], found[7]));
    return better_of(first, second);
}

typedef struct {
    real keys[THREADS], better_keys[FIRST_LEVEL], best_keys[LAST_LEVEL];
    int rows[THREADS], better_rows[FIRST_LEVEL], best_rows[LAST_LEVEL];
} search_workspace;

// The row of the group's best candidate, the same for all work-items. `parity` is for pivot_search_nvidia.cl.
inline int reduce_candidates(candidate own, __local search_workspace *workspace, int parity)
{
    const int item = get_local_id(0);
    workspace->keys[item] = own.key;
    workspace->rows[item] = own.row;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < FIRST_LEVEL) {
        const candidate better = best_of(workspace->keys, workspace->rows, item, FIRST_LEVEL, THREADS);
        workspace->better_keys[item] = better.key;
        workspace->better_rows[item] = better.row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < LAST_LEVEL) {
        const candidate best = best_of(workspace->better_keys, workspace->better_rows, item, LAST_LEVEL, FIRST_LEVEL);
        workspace->best_keys[item] = best.key;
        workspace->best_rows[item] = best.row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return best_of(workspace->best_keys, workspace->best_rows, 0, 1, LAST_LEVEL).row;
}

// The pivot's row, after the barrier behind the copies of candidate rows.
inline int pivot_row_of(int candidate_row, __local const search_workspace *workspace, int parity)
{
    return candidate_row;
}
