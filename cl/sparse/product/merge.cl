// Merge path (Merrill and Garland 2016): work is shared evenly however the entries are spread over rows. The merge
// list has the entries of row 0, its end, the entries of row 1, its end and so on. It is cut into segments of equal
// length.
#pragma once

#include "sparse/matrix.cl"

// The row at position `items` of the merge list: the last one that begins there or before. The entry is items - row.
inline long merge_row(long items, long rows, __global const pointer *restrict row_ptr)
{
    long low = 0, high = rows;
    while (low < high) {
        const long middle = (low + high + 1) / 2;
        if (middle + row_ptr[middle] <= items)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// The same for a segment in local memory: the row at position `position`, of `count` rows whose ends are `row_ends`.
inline int merge_row_in_segment(int position, int count, __local const int *row_ends)
{
    int low = 0;
    for (int high = min(position, count); low < high;) {
        const int middle = (low + high) / 2;
        if (row_ends[middle] < position - middle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
