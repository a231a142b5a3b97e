// Merge-path SpMV (Merrill and Garland 2016) on a GPU: a segment for each work-group, an equal share of it for each
// work-item. Segments begin at the start of a row, if it has at most MAX_UNSPLIT entries: only longer rows are split.
// With ONE_LAUNCH the last group to finish a split row sums its parts; otherwise a second launch does. Either order of
// summation is fixed.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 128
#endif

// Entries and row ends of a work-item: odd, against bank conflicts.
#ifndef ITEMS
#define ITEMS 7
#endif

// Entries of the longest rows that are not split.
#ifndef MAX_UNSPLIT
#define MAX_UNSPLIT 256
#endif

// The last group to finish a split row sums its parts, without a second launch.
#ifndef ONE_LAUNCH
#define ONE_LAUNCH 0
#endif

#include "common/arrival.cl"
#include "sparse/product/product.cl"
#include "sparse/product/merge.cl"

#define TILE (THREADS * ITEMS)
// Distance between segments, before their starts move to row starts.
#define SEGMENT (TILE - MAX_UNSPLIT)

// The row and the entry at which each segment begins.
__kernel void merge_starts(long rows, __global const pointer *restrict row_ptr, long row_ptr_offset, long segments,
                           __global long *restrict starts)
{
    row_ptr += row_ptr_offset;
    const long segment = get_global_id(0);
    if (segment > segments) return;
    const long items = min(segment * SEGMENT, rows + (long)row_ptr[rows]), row = merge_row(items, rows, row_ptr);
    const bool is_whole = row < rows && row_ptr[row + 1] - row_ptr[row] <= MAX_UNSPLIT;
    starts[2 * segment] = row;
    starts[2 * segment + 1] = is_whole ? (long)row_ptr[row] : items - row;
}

// The segments in which a split row begins and ends.
#define first_segment_of(row) (((row) + (long)row_ptr[row]) / SEGMENT)
#define last_segment_of(row) (((row) + (long)row_ptr[(row) + 1]) / SEGMENT)

// The group publishes its part of a split row; the last group to arrive finds all parts. It uses its caller's
// `arrived` and `complete`.
#if ONE_LAUNCH
#define ARRIVE(side, begin, end)                                     \
    do {                                                             \
        device_fence();                                              \
        if (atomic_inc(&arrived[begin]) == (int)((end) - (begin))) { \
            complete[side] = true;                                   \
            arrived[begin] = 0;                                      \
        }                                                            \
        device_fence();                                              \
    } while (0)
#else
#define ARRIVE(side, begin, end)
#endif

// Segmented scan: each share's sum gains those before it, back to the last share in which a row ended.
inline void scan_open_sums(__local scalar *sums, __local int *ended)
{
    const int item = get_local_id(0);
    for (int distance = 1; distance < THREADS; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int other = item >= distance ? item - distance : item;
        const scalar before = sums[other];
        const int ended_before = ended[other], joined = item >= distance && !ended[item];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (joined) {
            sums[item] += before;
            ended[item] = ended_before;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product_merge(
    PRODUCT_PARAMETERS, __global const long *restrict starts, volatile __global scalar *carried)
{
    __local scalar products[TILE];
    __local int row_ends[TILE + 1];
    __local scalar sums[THREADS];
    __local int ended[THREADS];
#if ONE_LAUNCH
    __local int complete[2];
#endif
    PRODUCT_BEGIN;
    // `head`: each segment's part of a row that began before it. `tail`: of a row that begins in it and ends behind
    // it. `arrived`: groups that have published, for each segment in which a split row begins; 0 before and after a
    // launch.
    volatile __global scalar *const head = carried, *const tail = carried + get_num_groups(0);
#if ONE_LAUNCH
    volatile __global int *const arrived = (volatile __global int *)(tail + get_num_groups(0));
#endif
    const int item = get_local_id(0);
    const long segment = get_group_id(0);
    starts += 2 * segment;
    const long first_row = starts[0], first = starts[1], last_row = starts[2], last = starts[3];
    const int count = (int)(last_row - first_row), entries = (int)(last - first);
    indices += first;
    values += first;

    int column[ITEMS];
    scalar value[ITEMS];
    #pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int entry = item + i * THREADS;
        column[i] = entry < entries ? indices[entry] : -1;
        value[i] = entry < entries ? matrix_value(entry) : SCALAR_ZERO;
    }
    for (int i = item; i < count; i += THREADS) row_ends[i] = (int)(row_ptr[first_row + i + 1] - first);
    if (item == 0) row_ends[count] = entries;
    const bool continued = first_row < rows && first > row_ptr[first_row];
    const bool open = last_row < rows && last > row_ptr[last_row];
#if ONE_LAUNCH
    // Loaded before it is needed.
    const long head_begin = continued ? first_segment_of(first_row) : 0,
               head_end = continued ? last_segment_of(first_row) : 0;
    const long tail_end = open ? last_segment_of(last_row) : 0;
#endif
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (column[i] >= 0) products[item + i * THREADS] = multiply(value[i], x_element(column[i]));
    barrier(CLK_LOCAL_MEM_FENCE);

    // The first row and entry of the work-item's share.
    const int share = min(item * ITEMS, count + entries), share_end = min(share + ITEMS, count + entries);
    int row = merge_row_in_segment(share, count, row_ends);
    int entry = share - row;
    // The first row that ends in the share may have begun in another one: its sum waits for theirs.
    int waiting = -1;
    scalar waiting_sum = SCALAR_ZERO, sum = SCALAR_ZERO;
    for (int i = share; i < share_end; i++) {
        if (entry < row_ends[row]) {
            sum += products[entry];
            entry++;
        } else {
            if (waiting < 0) {
                waiting = row;
                waiting_sum = sum;
            } else {
                store_result(first_row + row, sum);
            }
            sum = SCALAR_ZERO;
            row++;
        }
    }

    // The sums that are open at the end of each share.
    sums[item] = sum;
    ended[item] = waiting >= 0;
    scan_open_sums(sums, ended);
    if (waiting >= 0) {
        if (item > 0) waiting_sum = sums[item - 1] + waiting_sum;
        if (waiting > 0 || !continued) store_result(first_row + waiting, waiting_sum);
    }
#if NVIDIA
    // PoCL 3.1 miscompiles barriers behind a return, even one that the whole group takes.
    if (!continued && !open) return;
#endif

    // One work-item publishes the group's part of a split row.
#if ONE_LAUNCH
    if (item < 2) complete[item] = false;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (waiting == 0 && continued) {
        head[segment] = waiting_sum;
        ARRIVE(0, head_begin, head_end);
    }
    if (item == THREADS - 1 && open) {
        if (count == 0 && continued) {
            head[segment] = sums[item];
            ARRIVE(0, head_begin, head_end);
        } else {
            tail[segment] = sums[item];
            ARRIVE(1, segment, tail_end);
        }
    }
#if ONE_LAUNCH
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    // Half of the work-items for each of the two rows.
    const int side = item / (THREADS / 2), lane = item % (THREADS / 2);
    const long begin = side == 0 ? head_begin : segment, end = side == 0 ? head_end : tail_end;
    sum = SCALAR_ZERO;
    if (complete[side])
        for (long other = begin + 1 + lane; other <= end; other += THREADS / 2) sum += head[other];
    sums[item] = sum;
    for (int distance = THREADS / 4; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < distance) sums[item] += sums[item + distance];
    }
    if (lane == 0 && complete[side]) store_result(side == 0 ? first_row : last_row, tail[begin] + sums[item]);
#endif
}

#if !ONE_LAUNCH
// Adds up the rows that are split over segments: STRANDS work-items for each segment sum the heads of the row that
// begins in it, always in the same order.
#define STRANDS 32
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void merge_carried(
    PRODUCT_PARAMETERS, long segments, __global const long *restrict starts, __global const scalar *restrict carried)
{
    __local scalar sums[THREADS];
    PRODUCT_BEGIN;
    const int item = get_local_id(0), strand = item % STRANDS;
    const long segment = (long)get_group_id(0) * (THREADS / STRANDS) + item / STRANDS;
    const long row = segment < segments ? starts[2 * segment + 2] : rows;
    bool is_split = false;
    scalar sum = SCALAR_ZERO;
    if (row < rows && starts[2 * segment + 3] > row_ptr[row] && first_segment_of(row) == segment) {
        is_split = true;
        const long last = last_segment_of(row);
        for (long other = segment + 1 + strand; other <= last; other += STRANDS) sum += carried[other];
    }
    sums[item] = sum;
    for (int distance = STRANDS / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (strand < distance) sums[item] += sums[item + distance];
    }
    if (is_split && strand == 0) store_result(row, carried[segments + segment] + sums[item]);
}
#endif
