// Sparse matrix times vector on a CPU: a segment of the matrix per work-item.

// What lies so many bytes of values ahead is asked for: processors foresee it poorly where rows of the result are
// stored in between.
#define AHEAD ((long)(4096 / sizeof(scalar)))
#ifdef POCL_DEVICE_ADDRESS_BITS
// PoCL's own prefetch does nothing.
#define prefetch_place(place) __builtin_prefetch((const void *)(size_t)(place))
#else
#define prefetch_place(place) prefetch(place, 1)
#endif

// Four sums side by side. What is left of a row is not a loop: compilers make vectors of those, and rows are too
// short for them.
inline scalar row_sum(long begin, long end, __global const int *restrict indices, __global const scalar *restrict values,
                      __global const scalar *restrict x, long x_step)
{
#define ADD(sum, entry) sum = multiply_add(matrix_value(entry), x_element(indices[entry]), sum)
#define PREFETCH(entry)                            \
    do {                                           \
        prefetch_place(values + (entry) + AHEAD);  \
        prefetch_place(indices + (entry) + AHEAD); \
    } while (0)
    scalar sum0 = SCALAR_ZERO, sum1 = SCALAR_ZERO, sum2 = SCALAR_ZERO, sum3 = SCALAR_ZERO;
    for (; begin + 4 <= end; begin += 4) {
        PREFETCH(begin);
        ADD(sum0, begin);
        ADD(sum1, begin + 1);
        ADD(sum2, begin + 2);
        ADD(sum3, begin + 3);
    }
    PREFETCH(begin);
    if (begin + 2 <= end) {
        ADD(sum0, begin);
        ADD(sum1, begin + 1);
        begin += 2;
    }
    if (begin < end) ADD(sum2, begin);
    return (sum0 + sum1) + (sum2 + sum3);
}

__kernel void product_segments(PRODUCT_PARAMETERS, long segments, long segment_items, __global scalar *restrict carried)
{
    PRODUCT_BEGIN;
    __global scalar *const head = carried, *const tail = carried + segments;
    const long segment = get_global_id(0);
    const long first = segment * segment_items, last = min(first + segment_items, rows + (long)pointers[rows]);
    long row = merge_row(first, rows, pointers);
    const long last_row = merge_row(last, rows, pointers), last_entry = last - last_row;
    long entry = first - row;
    if (row < rows && entry > pointers[row]) {
        const long end = min((long)pointers[row + 1], last_entry);
        head[segment] = row_sum(entry, end, indices, values, x, x_step);
        if (row == last_row) return;
        entry = end;
        row++;
    }
    for (; row < last_row; row++) {
        const long end = pointers[row + 1];
        const scalar sum = row_sum(entry, end, indices, values, x, x_step);
        store_result(row, sum);
        entry = end;
    }
    if (row < rows) tail[segment] = row_sum(entry, last_entry, indices, values, x, x_step);
}

// Puts together the rows that segments have only parts of: the heads, one for each segment, are what it has of a row
// that began before it, and the tails after them what it has of a row that begins in it and does not end there. A
// work-item for each segment but the last sums the parts of its last row.
__kernel void product_carried(PRODUCT_PARAMETERS, long segments, long segment_items,
                              __global const scalar *restrict carried)
{
    PRODUCT_BEGIN;
    const long segment = get_global_id(0);
    if (segment >= segments - 1) return;
    const long end = (segment + 1) * segment_items, row = merge_row(end, rows, pointers);
    const long row_begin = row + pointers[row];
    if (row >= rows || row_begin >= end || row_begin < segment * segment_items) return;
    const long row_end = row + pointers[row + 1];
    scalar sum = carried[segments + segment];
    for (long other = segment + 1; other < segments && other * segment_items <= row_end; other++) sum += carried[other];
    store_result(row, sum);
}
