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
