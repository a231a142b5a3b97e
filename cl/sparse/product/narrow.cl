// Column indices in 16 bits for product_stream: two bits select one of a work-group's four windows, 14 bits the offset
// in the window. Adjacent rows of a stencil have their columns in few places.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 128
#endif

// Entries of a work-item: a multiple of 4.
#ifndef ITEMS
#define ITEMS 8
#endif

#include "common/scalar.cl"

#define WINDOWS 4
#define OFFSET_BITS 14
#define NO_COLUMN 0x7fffffff

// Encodes the columns of each group of product_stream. `bases` are the windows' first columns, minus what the two bits
// add to an encoded column. A window is `span` columns wide, up to 2^OFFSET_BITS, and begins at the least column that
// no window before it holds: so the number of windows is minimal. A group that needs more than four sets `unfit`.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void stream_encode_columns(
    __global const int *restrict indices, long indices_offset, __global const long *restrict starts, int span,
    __global ushort *restrict columns_16, __global int4 *restrict bases, __global int *restrict unfit)
{
    __local int min_columns[THREADS];
    const int item = get_local_id(0);
    const long group = get_group_id(0), first = starts[2 * group + 1];
    const int entries = (int)(starts[2 * group + 3] - first);
    indices += indices_offset + first;
    columns_16 += group * (THREADS * ITEMS);

    int base[WINDOWS];
    int from = 0;
    for (int window = 0; window < WINDOWS; window++) {
        int column = NO_COLUMN;
        for (int entry = item; entry < entries; entry += THREADS)
            if (indices[entry] >= from) column = min(column, indices[entry]);
        min_columns[item] = column;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int distance = THREADS / 2; distance > 0; distance /= 2) {
            if (item < distance) min_columns[item] = min(min_columns[item], min_columns[item + distance]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        base[window] = min_columns[0];
        from = base[window] > NO_COLUMN - span ? NO_COLUMN : base[window] + span;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // A work-item's columns are adjacent. Behind the group's entries its first column is repeated.
    bool fits = true;
    for (int i = 0; i < ITEMS; i++) {
        const int entry = item + i * THREADS;
        int encoded = 0;
        if (entry < entries) {
            const int column = indices[entry];
            // The last window that begins at or before the column. Unused windows begin behind all columns.
            const int window = (column >= base[1]) + (column >= base[2]) + (column >= base[3]);
            const int offset =
                column - (window < 2 ? (window == 0 ? base[0] : base[1]) : (window == 2 ? base[2] : base[3]));
            fits = fits && offset < span;
            encoded = window << OFFSET_BITS | (offset & (1 << OFFSET_BITS) - 1);
        }
        columns_16[item * ITEMS + i] = (ushort)encoded;
    }
    if (!fits) atomic_or(unfit, 1);
    if (item == 0)
        bases[group] = (int4)(entries > 0 ? base[0] : 0, base[1] - (1 << OFFSET_BITS), base[2] - (2 << OFFSET_BITS),
                              base[3] - (3 << OFFSET_BITS));
}
