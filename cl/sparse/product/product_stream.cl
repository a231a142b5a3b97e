// CSR-stream SpMV (Greathouse and Daga 2014) on a GPU, for short rows: a work-group computes the products of a run of
// whole rows in local memory, and then sums the rows.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 128
#endif

// Entries of a work-item: with COLUMNS_16 a multiple of 4.
#ifndef ITEMS
#define ITEMS 8
#endif

// Weight of an entry, where a row has weight 1.
#ifndef ENTRY_WEIGHT
#define ENTRY_WEIGHT 2
#endif

// Column indices have 16 bits, as narrow.cl encodes them.
#ifndef COLUMNS_16
#define COLUMNS_16 0
#endif

#include "sparse/product/product.cl"
#include "sparse/product/narrow.cl"

#define TILE (THREADS * ITEMS)

#if COLUMNS_16
// A work-item's columns are adjacent, and are loaded as pairs: 4 or 2 pairs at a time.
#if ITEMS % 8 == 0
typedef uint4 packed_columns;
#define PAIRS 4
#else
typedef uint2 packed_columns;
#define PAIRS 2
#endif

#define STREAM_PARAMETERS                                                                                         \
    PRODUCT_PARAMETERS, __global const long *restrict starts, __global const packed_columns *restrict columns_16, \
        __global const int4 *restrict bases

#define encoded_column(i, entry) ((int)((i) % 2 ? pairs[(i) / 2] >> 16 : pairs[(i) / 2] & 0xffff))
// Decodes a column: its two upper bits select the window, whose `base` is less by what the two bits add (narrow.cl).
inline int decode_column(int encoded, int4 base)
{
    const int lower = encoded & 0x4000 ? base.y : base.x, upper = encoded & 0x4000 ? base.w : base.z;
    return (encoded & 0x8000 ? upper : lower) + encoded;
}
#else
#define STREAM_PARAMETERS PRODUCT_PARAMETERS, __global const long *restrict starts
#define encoded_column(i, entry) indices[entry]
#define decode_column(encoded, base) (encoded)
#endif

// The rows and entries at which groups begin. A row's position is ENTRY_WEIGHT * entries + rows before it. Group g has
// the rows with positions from g * group_weight to (g + 1) * group_weight - 1.
__kernel void stream_starts(long rows, __global const pointer *restrict row_ptr, long row_ptr_offset, long groups,
                            long group_weight, __global long *restrict starts)
{
    row_ptr += row_ptr_offset;
    const long group = get_global_id(0);
    if (group > groups) return;
    long low = 0, high = rows;
    while (low < high) {
        const long middle = (low + high) / 2;
        if (ENTRY_WEIGHT * (long)row_ptr[middle] + middle < group * group_weight)
            low = middle + 1;
        else
            high = middle;
    }
    starts[2 * group] = low;
    starts[2 * group + 1] = row_ptr[low];
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product_stream(STREAM_PARAMETERS)
{
    __local scalar products[TILE];
    __local scalar sums[THREADS];
    PRODUCT_BEGIN;
    const int item = get_local_id(0);
    starts += 2 * get_group_id(0);
    const long first_row = starts[0], first = starts[1];
    const int count = (int)(starts[2] - first_row), entries = (int)(starts[3] - first);
#if COLUMNS_16
    columns_16 += (get_group_id(0) * THREADS + item) * (ITEMS / 2 / PAIRS);
    const int4 base = bases[get_group_id(0)];
#else
    indices += first;
#endif
    values += first;
    row_ptr += first_row;

    // The work-items are shared evenly by the rows. The last group may have no row.
    int lanes = 1;
    while (lanes < THREADS && 2 * lanes * count <= THREADS) lanes *= 2;
    const int row = item / lanes, lane = item % lanes, later_row = row + THREADS;

    // All loads are issued before the first use: row pointers of the work-item's first two rows, then the entries.
    int begin = 0, end = 0, later_begin = 0, later_end = 0;
    if (row < count) {
        begin = (int)(row_ptr[row] - first);
        end = (int)(row_ptr[row + 1] - first);
    }
    if (later_row < count) {
        later_begin = (int)(row_ptr[later_row] - first);
        later_end = (int)(row_ptr[later_row + 1] - first);
    }
    // Encoded columns stay in whole registers: arrays of 16-bit values are slower.
#if COLUMNS_16
    uint pairs[ITEMS / 2];
    #pragma unroll
    for (int i = 0; i < ITEMS / 2; i += PAIRS) {
        const packed_columns packed = columns_16[i / PAIRS];
        pairs[i] = packed.x;
        pairs[i + 1] = packed.y;
#if PAIRS == 4
        pairs[i + 2] = packed.z;
        pairs[i + 3] = packed.w;
#endif
    }
#endif
    scalar value[ITEMS];
#if COLUMNS_16 && !SCALAR_IS_DOUBLE && !SCALAR_IS_COMPLEX
    // Slots behind the group's entries have one of its columns, so that x is loaded unconditionally: conditional loads
    // would wait for each other. Wider types lack the registers for this.
    scalar x_value[ITEMS];
    #pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int entry = item + i * THREADS;
        value[i] = entry < entries ? matrix_value(entry) : SCALAR_ZERO;
    }
    #pragma unroll
    for (int i = 0; i < ITEMS; i++) x_value[i] = x_element(decode_column(encoded_column(i, item + i * THREADS), base));
    #pragma unroll
    for (int i = 0; i < ITEMS; i++) products[item + i * THREADS] = multiply(value[i], x_value[i]);
#else
    int column[ITEMS];
    #pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int entry = item + i * THREADS;
        column[i] = entry < entries ? encoded_column(i, entry) : -1;
        value[i] = entry < entries ? matrix_value(entry) : SCALAR_ZERO;
    }
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (column[i] >= 0)
            products[item + i * THREADS] = multiply(value[i], x_element(decode_column(column[i], base)));
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    scalar sum = SCALAR_ZERO;
    for (int entry = begin + lane; entry < end; entry += lanes) sum += products[entry];
    if (lanes == 1) {
        if (row < count) store_result(first_row + row, sum);
        if (later_row < count) {
            scalar later_sum = SCALAR_ZERO;
            for (int entry = later_begin; entry < later_end; entry++) later_sum += products[entry];
            store_result(first_row + later_row, later_sum);
        }
        // Further rows, which are nearly empty.
        for (int i = later_row + THREADS; i < count; i += THREADS) {
            const int last = (int)(row_ptr[i + 1] - first);
            scalar short_sum = SCALAR_ZERO;
            for (int entry = (int)(row_ptr[i] - first); entry < last; entry++) short_sum += products[entry];
            store_result(first_row + i, short_sum);
        }
    }
    sums[item] = sum;
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < distance) sums[item] += sums[item + distance];
    }
    if (lanes > 1 && lane == 0 && row < count) store_result(first_row + row, sums[item]);
}
