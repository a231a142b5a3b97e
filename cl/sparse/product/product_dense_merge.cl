// Merge-path SpMM (Merrill and Garland 2016), C := alpha A B + beta C for dense B and C, on a GPU: a segment for each
// work-group. LANES work-items for adjacent columns walk an equal share of the segment's entries and row ends.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 128
#endif

// Work-items for adjacent columns, which share entries.
#ifndef LANES
#define LANES 8
#endif

// Columns of a work-item, LANES apart.
#ifndef COLUMNS
#define COLUMNS 2
#endif

// Entries whose elements of B are loaded before they are used.
#ifndef ITEMS
#define ITEMS 4
#endif

// Entries and row ends of a share.
#ifndef SHARE
#define SHARE 16
#endif

// The matrix is conj(A).
#ifndef CONJUGATED
#define CONJUGATED 0
#endif

#include "sparse/product/merge.cl"

#define SHARES (THREADS / LANES)
#define SEGMENT (SHARES * SHARE)
#define WIDTH (LANES * COLUMNS)

#define DENSE_PARAMETERS                                                                                  \
    MATRIX_PARAMETERS, long columns, scalar alpha, __global const scalar *restrict b, long b_offset,      \
        long b_row_stride, long b_column_stride, scalar beta, __global scalar *restrict c, long c_offset, \
        long c_row_stride, long c_column_stride

// The rows in which segments begin.
__kernel void dense_starts(long rows, __global const pointer *restrict row_ptr, long row_ptr_offset, long segments,
                           __global long *restrict starts)
{
    row_ptr += row_ptr_offset;
    const long segment = get_global_id(0);
    const long items = rows + (long)row_ptr[rows];
    if (segment <= segments) starts[segment] = merge_row(min(segment * SEGMENT, items), rows, row_ptr);
}

// C := alpha acc + beta C for one row. It uses its caller's `first_column`, `c` and their like.
#define STORE_ROW(row, acc)                                                                           \
    for (int j = 0; j < COLUMNS; j++)                                                                 \
        if (first_column + j * LANES < columns) {                                                     \
            __global scalar *const target = c + (row) * c_row_stride + j * (LANES * c_column_stride); \
            *target = accumulate(multiply(alpha, acc[j]), beta, target);                              \
        }

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void dense_merge(
    DENSE_PARAMETERS, __global const long *restrict starts, __global scalar *restrict carried)
{
    __local int row_ends[SEGMENT + 1];
    __local int staged_columns[SEGMENT];
    __local scalar staged_values[SEGMENT];
    __local scalar open[SHARES * WIDTH];
    __local int ended[SHARES];
    MATRIX_BEGIN;
    __global scalar *const head = carried, *const tail = carried + get_num_groups(0) * columns;
    const int item = get_local_id(0), share = item / LANES, lane = item % LANES;
    const long segment = get_group_id(0), begin = segment * SEGMENT;
    const long first_row = starts[segment], last_row = starts[segment + 1];
    const long first = begin - first_row, end = min(begin + SEGMENT, rows + (long)row_ptr[rows]);
    const int count = (int)(last_row - first_row), entries = (int)(end - last_row - first);
    const bool continued = first_row < rows && first > row_ptr[first_row];
    const long first_column = get_group_id(1) * WIDTH + lane;
    c += c_offset + first_column * c_column_stride;
    b += b_offset;
    long b_column[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) b_column[j] = min(first_column + j * LANES, columns - 1) * b_column_stride;

    for (int i = item; i < entries; i += THREADS) {
        staged_columns[i] = indices[first + i];
        staged_values[i] = conjugate_if(CONJUGATED, values[first + i]);
    }
    for (int i = item; i < count; i += THREADS) row_ends[i] = (int)(row_ptr[first_row + i + 1] - first);
    if (item == 0) row_ends[count] = entries;
    barrier(CLK_LOCAL_MEM_FENCE);

    // The share's first row, and that of the next share.
    int bounds[2];
    for (int side = 0; side < 2; side++) {
        const int position = min((share + side) * SHARE, count + entries);
        bounds[side] = merge_row_in_segment(position, count, row_ends);
    }
    int row = bounds[0];
    const int row_end = bounds[1];
    const int entry_end = min((share + 1) * SHARE, count + entries) - row_end;
    int next_end = row_ends[row];

    // The first row that ends in the share may have begun in another one: its sum waits for theirs.
    int waiting = -1;
    scalar waiting_acc[COLUMNS], acc[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) waiting_acc[j] = acc[j] = SCALAR_ZERO;
#define FINISH_ROW                                                     \
    do {                                                               \
        if (waiting < 0) {                                             \
            waiting = row;                                             \
            for (int j = 0; j < COLUMNS; j++) waiting_acc[j] = acc[j]; \
        } else {                                                       \
            STORE_ROW(first_row + row, acc)                            \
        }                                                              \
        for (int j = 0; j < COLUMNS; j++) acc[j] = SCALAR_ZERO;        \
        row++;                                                         \
        next_end = row_ends[row];                                      \
    } while (0)
    for (int entry = min(share * SHARE, count + entries) - row; entry < entry_end; entry += ITEMS) {
        scalar loaded[ITEMS][COLUMNS];
        #pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            __global const scalar *b_row = b + staged_columns[min(entry + i, entry_end - 1)] * b_row_stride;
            #pragma unroll
            for (int j = 0; j < COLUMNS; j++) loaded[i][j] = b_row[b_column[j]];
        }
        #pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if (entry + i < entry_end) {
                while (row < row_end && next_end <= entry + i) FINISH_ROW;
                const scalar value = staged_values[entry + i];
                #pragma unroll
                for (int j = 0; j < COLUMNS; j++) acc[j] = multiply_add(value, loaded[i][j], acc[j]);
            }
        }
    }
    while (row < row_end) FINISH_ROW;

    // The sum that is open at the end of each share.
    for (int j = 0; j < COLUMNS; j++) open[share * WIDTH + j * LANES + lane] = acc[j];
    if (lane == 0) ended[share] = waiting >= 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    // Adds the open sums before it, back to the last share in which a row ended.
    const bool last = share == SHARES - 1;
    if (waiting >= 0 || last) {
        int from = share;
        while (from > 0 && !ended[from - 1]) from--;
        if (from > 0) from--;
        scalar before[COLUMNS];
        for (int j = 0; j < COLUMNS; j++) before[j] = SCALAR_ZERO;
        for (int other = from; other < share; other++)
            for (int j = 0; j < COLUMNS; j++) before[j] += open[other * WIDTH + j * LANES + lane];
        if (waiting >= 0) {
            for (int j = 0; j < COLUMNS; j++) waiting_acc[j] = before[j] + waiting_acc[j];
            if (waiting == 0 && continued) {
                for (int j = 0; j < COLUMNS; j++) {
                    const long column = first_column + j * LANES;
                    if (column < columns) head[segment * columns + column] = waiting_acc[j];
                }
            } else {
                STORE_ROW(first_row + waiting, waiting_acc)
            }
        } else {
            for (int j = 0; j < COLUMNS; j++) acc[j] = before[j] + acc[j];
        }
        if (last && last_row < rows) {
            __global scalar *const open_row = count == 0 && continued ? head : tail;
            for (int j = 0; j < COLUMNS; j++) {
                const long column = first_column + j * LANES;
                if (column < columns) open_row[segment * columns + column] = acc[j];
            }
        }
    }
}

// Adds up the rows that are split over segments: a work-group for each segment and WIDTH columns, with STRANDS partial
// sums of the row that begins in the segment and ends behind it.
#define STRANDS (THREADS / LANES)
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void dense_carried(
    DENSE_PARAMETERS, long segments, __global const long *restrict starts, __global const scalar *restrict carried)
{
    __local scalar sums[THREADS];
    MATRIX_BEGIN;
    const int item = get_local_id(0), strand = item / LANES, lane = item % LANES;
    const long segment = get_group_id(0), end = (segment + 1) * SEGMENT, row = starts[segment + 1];
    if (segment >= segments - 1 || row >= rows) return;
    const long row_begin = row + row_ptr[row];
    if (row_begin >= end || row_begin < segment * SEGMENT) return;
    const long last = min((row + (long)row_ptr[row + 1]) / SEGMENT, segments - 1);
    const long column = get_group_id(1) * LANES + lane;
    scalar acc = SCALAR_ZERO;
    if (column < columns)
        for (long other = segment + 1 + strand; other <= last; other += STRANDS)
            acc += carried[other * columns + column];
    sums[item] = acc;
    for (int distance = THREADS / 2; distance >= LANES; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < distance) sums[item] += sums[item + distance];
    }
    if (strand == 0 && column < columns) {
        __global scalar *const target = c + c_offset + row * c_row_stride + column * c_column_stride;
        acc = carried[(segments + segment) * columns + column] + sums[item];
        *target = accumulate(multiply(alpha, acc), beta, target);
    }
}
