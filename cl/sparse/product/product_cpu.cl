// Merge-path SpMV (Merrill and Garland 2016) on a CPU: a segment for each work-item.
#pragma once

#include "sparse/product/product.cl"
#include "sparse/product/merge.cl"

// Prefetch distance. Hardware prefetchers lose the streams where results are stored in between.
#define PREFETCH_DISTANCE ((long)(4096 / sizeof(scalar)))
#ifdef POCL_DEVICE_ADDRESS_BITS
// PoCL's prefetch does nothing.
#define prefetch_address(address) __builtin_prefetch((const void *)(size_t)(address))
#else
#define prefetch_address(address) prefetch(address, 1)
#endif

// The dot product of one row with x: four independent sums. The remainder is no loop, since compilers would vectorise
// it, and rows are too short for that.
inline scalar row_sum(long begin, long end, __global const int *restrict indices,
                      __global const scalar *restrict values, __global const scalar *restrict x, long x_step)
{
#define ACCUMULATE(sum, entry) sum = multiply_add(matrix_value(entry), x_element(indices[entry]), sum)
#define PREFETCH(entry)                                          \
    do {                                                         \
        prefetch_address(values + (entry) + PREFETCH_DISTANCE);  \
        prefetch_address(indices + (entry) + PREFETCH_DISTANCE); \
    } while (0)
    scalar sum0 = SCALAR_ZERO, sum1 = SCALAR_ZERO, sum2 = SCALAR_ZERO, sum3 = SCALAR_ZERO;
    for (; begin + 4 <= end; begin += 4) {
        PREFETCH(begin);
        ACCUMULATE(sum0, begin);
        ACCUMULATE(sum1, begin + 1);
        ACCUMULATE(sum2, begin + 2);
        ACCUMULATE(sum3, begin + 3);
    }
    PREFETCH(begin);
    if (begin + 2 <= end) {
        ACCUMULATE(sum0, begin);
        ACCUMULATE(sum1, begin + 1);
        begin += 2;
    }
    if (begin < end) ACCUMULATE(sum2, begin);
    return (sum0 + sum1) + (sum2 + sum3);
}

__kernel void product_segments(PRODUCT_PARAMETERS, long segments, long segment_items, __global scalar *restrict carried)
{
    PRODUCT_BEGIN;
    __global scalar *const heads = carried, *const tails = carried + segments;
    const long segment = get_global_id(0);
    const long first = segment * segment_items, last = min(first + segment_items, rows + (long)row_ptr[rows]);
    long row = merge_row(first, rows, row_ptr);
    const long last_row = merge_row(last, rows, row_ptr), last_entry = last - last_row;
    long entry = first - row;
    if (row < rows && entry > row_ptr[row]) {
        const long end = min((long)row_ptr[row + 1], last_entry);
        heads[segment] = row_sum(entry, end, indices, values, x, x_step);
        if (row == last_row) return;
        entry = end;
        row++;
    }
    for (; row < last_row; row++) {
        const long end = row_ptr[row + 1];
        const scalar sum = row_sum(entry, end, indices, values, x, x_step);
        store_result(row, sum);
        entry = end;
    }
    if (row < rows) tails[segment] = row_sum(entry, last_entry, indices, values, x, x_step);
}

// Adds up the rows that are split over segments. `heads` has each segment's part of a row that began before it,
// `tails` its part of a row that begins in it and ends behind it. A work-item for each segment but the last sums its
// last row.
__kernel void product_carried(PRODUCT_PARAMETERS, long segments, long segment_items,
                              __global const scalar *restrict carried)
{
    PRODUCT_BEGIN;
    const long segment = get_global_id(0);
    if (segment >= segments - 1) return;
    const long end = (segment + 1) * segment_items, row = merge_row(end, rows, row_ptr);
    const long row_begin = row + row_ptr[row];
    if (row >= rows || row_begin >= end || row_begin < segment * segment_items) return;
    const long row_end = row + row_ptr[row + 1];
    scalar sum = carried[segments + segment];
    for (long other = segment + 1; other < segments && other * segment_items <= row_end; other++) sum += carried[other];
    store_result(row, sum);
}
