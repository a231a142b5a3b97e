// Exclusive scans and a stable LSD radix sort, without atomics. Each work-item walks a chunk of adjacent elements;
// results are ordered by chunk.
#pragma once

// Bits of a key that one pass sorts by.
#ifndef RADIX_BITS
#define RADIX_BITS 4
#endif

#include "sparse/matrix.cl"

#define RADIX (1 << RADIX_BITS)
// Scan, first pass: the sum of each chunk.
__kernel void scan_sums(long n, long chunk, __global const pointer *restrict data, __global pointer *restrict sums)
{
    const long id = get_global_id(0), begin = id * chunk, end = min(n, begin + chunk);
    if (begin >= n) return;
    pointer sum = 0;
    for (long i = begin; i < end; i++) sum += data[i];
    sums[id] = sum;
}

// Scan, last pass: each element becomes the sum of those before it, given the sums before each chunk. A single chunk
// needs none.
__kernel void scan_chunks(long n, long chunk, int single, __global pointer *restrict data,
                          __global const pointer *restrict before)
{
    const long id = get_global_id(0), begin = id * chunk, end = min(n, begin + chunk);
    if (begin >= n) return;
    pointer sum = single ? 0 : before[id];
    for (long i = begin; i < end; i++) {
        const pointer value = data[i];
        data[i] = sum;
        sum += value;
    }
}

// Radix sort: the histogram of each chunk's digits.
__kernel void sort_count(long n, long chunk, long chunks, int shift, __global const int *restrict keys,
                         long keys_offset, __global pointer *restrict counts)
{
    const long id = get_global_id(0), begin = id * chunk, end = min(n, begin + chunk);
    if (begin >= n) return;
    pointer count[RADIX];
    for (int digit = 0; digit < RADIX; digit++) count[digit] = 0;
    for (long i = begin; i < end; i++) count[(keys[keys_offset + i] >> shift) & (RADIX - 1)]++;
    for (int digit = 0; digit < RADIX; digit++) counts[digit * chunks + id] = count[digit];
}

// Radix sort: scatters keys, with their original positions, by the scanned histograms. With `numbered` the positions
// are those of the keys now, and `order` is not read.
__kernel void sort_scatter(long n, long chunk, long chunks, int shift, __global const int *restrict keys,
                           long keys_offset, int numbered, __global const pointer *restrict order,
                           __global const pointer *restrict counts, __global int *restrict sorted_keys,
                           __global pointer *restrict sorted_order)
{
    const long id = get_global_id(0), begin = id * chunk, end = min(n, begin + chunk);
    if (begin >= n) return;
    pointer next[RADIX];
    for (int digit = 0; digit < RADIX; digit++) next[digit] = counts[digit * chunks + id];
    for (long i = begin; i < end; i++) {
        const int key = keys[keys_offset + i];
        const pointer target = next[(key >> shift) & (RADIX - 1)]++;
        sorted_keys[target] = key;
        sorted_order[target] = numbered ? (pointer)i : order[i];
    }
}

// Integers: to := from, permuted by `order`.
__kernel void gather_indices(long n, __global const pointer *restrict order, __global const int *restrict from,
                             long from_offset, __global int *restrict to)
{
    const long i = get_global_id(0);
    if (i < n) to[i] = from[from_offset + order[i]];
}

// Row pointers of entries sorted by row: the first key that is not below each row. With `renumbered`, the key's entry
// of `positions` instead of its index.
__kernel void lower_bounds(long n, long keys_count, __global const int *restrict keys, int renumbered,
                           __global const pointer *restrict positions, __global pointer *restrict bounds)
{
    const long i = get_global_id(0);
    if (i >= n) return;
    long low = 0, high = keys_count;
    while (low < high) {
        const long middle = (low + high) / 2;
        if (keys[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    bounds[i] = renumbered ? positions[low] : (pointer)low;
}

// The row of each entry.
__kernel void entry_rows(long n, long chunk, long rows, __global const pointer *restrict row_ptr, long row_ptr_offset,
                         __global int *restrict entry_row)
{
    const long id = get_global_id(0), begin = id * chunk, end = min(n, begin + chunk);
    if (begin >= n) return;
    row_ptr += row_ptr_offset;
    long low = 0, high = rows;
    while (low + 1 < high) {
        const long middle = (low + high) / 2;
        if (row_ptr[middle] <= begin)
            low = middle;
        else
            high = middle;
    }
    for (long i = begin; i < end; i++) {
        while (row_ptr[low + 1] <= i) low++;
        entry_row[i] = (int)low;
    }
}

// The longest row of each chunk of rows, and its number of empty rows.
__kernel void row_statistics(long n, long chunk, long chunks, __global const pointer *restrict row_ptr,
                             long row_ptr_offset, __global pointer *restrict found)
{
    const long id = get_global_id(0), begin = id * chunk, end = min(n, begin + chunk);
    if (begin >= n) return;
    row_ptr += row_ptr_offset;
    pointer longest = 0, empty = 0;
    for (long row = begin; row < end; row++) {
        const pointer length = row_ptr[row + 1] - row_ptr[row];
        longest = max(longest, length);
        empty += length == 0;
    }
    found[id] = longest;
    found[chunks + id] = empty;
}

// 1 for each entry, sorted by row and column, that is not a duplicate of the one before; 0 behind the last one.
__kernel void is_not_duplicate(long n, __global const int *restrict row, __global const int *restrict column,
                             __global pointer *restrict is_first)
{
    const long i = get_global_id(0);
    if (i < n)
        is_first[i] = i == 0 || row[i] != row[i - 1] || column[i] != column[i - 1];
    else if (i == n)
        is_first[i] = 0;
}
