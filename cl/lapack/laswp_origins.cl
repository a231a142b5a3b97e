// The sources of laswp's rows, for blocks of COUNT interchanges. For block i, from 4 COUNT i on, `moves` gets 2 COUNT
// target rows and then their sources. A target is -1 where there is none. `pivots` count rows from 1 + `base`; one
// outside the `rows` rows is ignored.
//
// Work-groups: dimension 0 covers the 2 COUNT rows of a block, dimension 1 the blocks.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

// Interchanges of a block, at most: those of one launch of laswp_moves.cl.
#ifndef COUNT
#define COUNT 256
#endif

#define ROWS (2 * COUNT)

// The row whose element is in row `row` after COUNT interchanges of the rows from `first` on.
inline int source_row(int row, int first, int backward, __local const int *partner)
{
    #pragma unroll 8
    for (int s = 0; s < COUNT; s++) {
        const int i = backward ? s : COUNT - 1 - s;
        const int other = partner[i];
        row = row == first + i ? other : row == other ? first + i : row;
    }
    return row;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void laswp_origins(int rows, int first, int count,
                                                                                 int backward,
                                                                                 __global const int *restrict pivots,
                                                                                 long pivot_offset, long pivot_step,
                                                                                 int base, __global int *restrict moves)
{
    // Beyond the last interchange each row is its own partner.
    __local int partner[COUNT];
    const int item = get_local_id(0), block = get_group_id(1), s = get_group_id(0) * THREADS + item;
    const long previous = (long)block * COUNT;
    first += (int)previous;
    for (int i = item; i < COUNT; i += THREADS) {
        const int row = previous + i < count ? pivots[pivot_offset + (previous + i) * pivot_step] - 1 - base : -1;
        partner[i] = row >= 0 && row < rows ? row : first + i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s < ROWS) {
        int row = first + s;
        if (s >= COUNT) {
            // A row inside the block, or a partner that came before, has its entry already.
            row = partner[s - COUNT];
            int has_entry = row >= first && row < first + COUNT;
            for (int i = 0; i < s - COUNT; i++) has_entry |= partner[i] == row;
            row = has_entry ? -1 : row;
        }
        const int from = source_row(row, first, backward, partner);
        moves += block * (2L * ROWS);
        moves[s] = from == row ? -1 : row;
        moves[ROWS + s] = from;
    }
}
