// The pivot search of a column by a work-group, with warp reductions (PTX redux.sync).
#pragma once

// Work-items of a group: a multiple of 32, 1024 at most.
#ifndef THREADS
#define THREADS 256
#endif

#include "lapack/lu/candidate.cl"

#define WARP 32
#define WARPS (THREADS / WARP)

// Keeps the compiler from merging the branches for different rows: the merged one would index registers, and so move
// the rows to memory.
#define keep_branch_apart(row) __asm__ volatile("// %0" : : "n"(row))

// Double-buffered, so that one barrier for each column suffices.
typedef struct {
    real keys[2][WARPS];
    int rows[2][WARPS];
} search_workspace;

#define DEFINE_WARP_REDUCTION(name, type, instruction)                                                  \
    inline type name(type value)                                                                        \
    {                                                                                                   \
        type result;                                                                                    \
        __asm__ volatile("redux.sync." instruction " %0, %1, 0xffffffff;" : "=r"(result) : "r"(value)); \
        return result;                                                                                  \
    }
DEFINE_WARP_REDUCTION(warp_max, int, "max.s32")
DEFINE_WARP_REDUCTION(warp_max_unsigned, uint, "max.u32")
DEFINE_WARP_REDUCTION(warp_min, int, "min.s32")

// Bits of floats that are not negative compare as integers do. A pivot's key is never negative: that of the diagonal
// row is not.
inline candidate best_in_warp(candidate own)
{
#if SCALAR_IS_DOUBLE
    const long bits = own.key < 0 ? -1L : as_long(own.key);
    const int high = (int)(bits >> 32), best_high = warp_max(high);
    const uint best_low = warp_max_unsigned(high == best_high ? (uint)bits : 0u);
    const bool is_best = high == best_high && (uint)bits == best_low;
    const real key = best_high < 0 ? -1.0 : as_double(((long)best_high << 32) | best_low);
#else
    const int bits = own.key < 0 ? -1 : as_int(own.key), best_bits = warp_max(bits);
    const bool is_best = bits == best_bits;
    const real key = best_bits < 0 ? -1.0f : as_float(best_bits);
#endif
    const candidate best = {key, warp_min(is_best ? own.row : INT_MAX)};
    return best;
}

// Candidate rows that the group copies to local memory for a column, and the slot of a row: one for each warp.
#define CANDIDATE_SLOTS WARPS
#define candidate_slot(row) ((uint)(row) % THREADS / WARP)

// The row of the warp's best candidate.
inline int reduce_candidates(candidate own, __local search_workspace *workspace, int parity)
{
    const int item = get_local_id(0);
    const candidate best = best_in_warp(own);
    if (item % WARP == 0) {
        workspace->keys[parity & 1][item / WARP] = best.key;
        workspace->rows[parity & 1][item / WARP] = best.row;
    }
    return best.row;
}

// The pivot's row, after the barrier behind the copies of candidate rows.
inline int pivot_row_of(int candidate_row, __local const search_workspace *workspace, int parity)
{
    const int lane = get_local_id(0) % WARP;
    const bool is_reducer = lane < WARPS;
    const real key = workspace->keys[parity & 1][lane % WARPS];
    const int row = workspace->rows[parity & 1][lane % WARPS];
    const candidate other = {is_reducer ? key : (real)-1, is_reducer ? row : INT_MAX};
    return best_in_warp(other).row;
}
