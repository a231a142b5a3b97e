// Columns in 16 bits for product_stream: two bits say in which of its work-group's four windows an entry's column lies, the others where in
// that window. A stencil's rows, one after another, have their columns in few places.
//
// Parameters: THREADS (work-items of a group), ITEMS (entries of a work-item).

#define WINDOWS 4
#define OFFSET_BITS 14
#define NO_COLUMN 0x7fffffff

// The columns of each group of product_stream's, and where the windows begin (`bases`), less what the two bits add to a narrow column. A
// window is `span` columns wide, up to 2^OFFSET_BITS, and begins at the least column that the ones before do not hold, so that no other
// windows need be fewer. A group whose columns need more of them sets `unfit`.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void
stream_narrow(__global const int *restrict indices, long indices_first, __global const long *restrict starts, int span,
              __global ushort *restrict narrow, __global int4 *restrict bases, __global int *restrict unfit)
{
    __local int least[THREADS];
    const int item = get_local_id(0);
    const long group = get_group_id(0), first = starts[2 * group + 1];
    const int entries = (int)(starts[2 * group + 3] - first);
    indices += indices_first + first;
    narrow += group * (THREADS * ITEMS);

    int base[WINDOWS];
    int from = 0;
    for (int window = 0; window < WINDOWS; window++) {
        int column = NO_COLUMN;
        for (int entry = item; entry < entries; entry += THREADS)
            if (indices[entry] >= from) column = min(column, indices[entry]);
        least[item] = column;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int distance = THREADS / 2; distance > 0; distance /= 2) {
            if (item < distance) least[item] = min(least[item], least[item + distance]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        base[window] = least[0];
        from = base[window] > NO_COLUMN - span ? NO_COLUMN : base[window] + span;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // A work-item's columns lie together. Behind the group's entries there is a column that it has.
    bool fits = true;
    for (int i = 0; i < ITEMS; i++) {
        const int entry = item + i * THREADS;
        int stored = 0;
        if (entry < entries) {
            const int column = indices[entry];
            // The last window that begins before it: windows rise, and those that are not needed begin after all columns.
            const int window = (column >= base[1]) + (column >= base[2]) + (column >= base[3]);
            const int offset = column - (window < 2 ? (window == 0 ? base[0] : base[1]) : (window == 2 ? base[2] : base[3]));
            fits = fits && offset < span;
            stored = window << OFFSET_BITS | (offset & (1 << OFFSET_BITS) - 1);
        }
        narrow[item * ITEMS + i] = (ushort)stored;
    }
    if (!fits) atomic_or(unfit, 1);
    if (item == 0)
        bases[group] = (int4)(entries > 0 ? base[0] : 0, base[1] - (1 << OFFSET_BITS), base[2] - (2 << OFFSET_BITS), base[3] - (3 << OFFSET_BITS));
}
