// Sharing out a matrix evenly however its entries are spread over the rows: the list of all its items, which are the entries of
// row 0, its end, the entries of row 1, its end and so on, is cut into segments of equal length (Merrill and Garland, 2016).

// The row in which so many items from the beginning end: the last one that begins there or before. The entry is then items - row.
inline long merge_row(long items, long rows, __global const pointer *restrict pointers)
{
    long low = 0, high = rows;
    while (low < high) {
        const long middle = (low + high + 1) / 2;
        if (middle + pointers[middle] <= items)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Puts together the rows that segments have only parts of: `head` is what a segment has of a row that began before it, `tail` what it has
// of a row that begins in it and goes on behind it. A work-item for each segment but the last looks after the row that goes on behind.
__kernel void product_carried(PRODUCT_PARAMETERS, long segments, long segment_items, __global const scalar *restrict head,
                              __global const scalar *restrict tail)
{
    PRODUCT_BEGIN;
    const long segment = get_global_id(0);
    if (segment >= segments - 1) return;
    const long end = (segment + 1) * segment_items, row = merge_row(end, rows, pointers);
    const long row_begin = row + pointers[row];
    if (row >= rows || row_begin >= end || row_begin < segment * segment_items) return;
    const long row_end = row + pointers[row + 1];
    scalar sum = tail[segment];
    for (long other = segment + 1; other < segments && other * segment_items <= row_end; other++) sum += head[other];
    store_result(row, sum);
}
