// Running sums and stable sorting, without atomics: each work-item walks a chunk of adjacent elements, and the order of what it finds is
// that of the chunks.
// Defined before this file: RADIX_BITS (bits of a key that are sorted by at a time), matrix.cl's POINTER_IS_LONG.

#define RADIX (1 << RADIX_BITS)
#define CHUNK_BEGIN                                                                    \
    const long id = get_global_id(0), begin = id * chunk, end = min(n, begin + chunk); \
    if (begin >= n) return

// The sum of each chunk.
__kernel void scan_sums(long n, long chunk, __global const pointer *restrict data, __global pointer *restrict sums)
{
    CHUNK_BEGIN;
    pointer sum = 0;
    for (long i = begin; i < end; i++) sum += data[i];
    sums[id] = sum;
}

// Each element becomes the sum of those before it, given the sums before the chunks; none are given for a single chunk.
__kernel void scan_chunks(long n, long chunk, int single, __global pointer *restrict data, __global const pointer *restrict before)
{
    CHUNK_BEGIN;
    pointer sum = single ? 0 : before[id];
    for (long i = begin; i < end; i++) {
        const pointer value = data[i];
        data[i] = sum;
        sum += value;
    }
}

// How many keys of each chunk have each digit.
__kernel void sort_count(long n, long chunk, long chunks, int shift, __global const int *restrict keys, long keys_first,
                         __global pointer *restrict counts)
{
    CHUNK_BEGIN;
    pointer count[RADIX];
    for (int digit = 0; digit < RADIX; digit++) count[digit] = 0;
    for (long i = begin; i < end; i++) count[(keys[keys_first + i] >> shift) & (RADIX - 1)]++;
    for (int digit = 0; digit < RADIX; digit++) counts[digit * chunks + id] = count[digit];
}

// Puts keys with their places in the original order where the running sums of the counts say. `numbered` says that the places are
// those in which the keys are now, and are not read.
__kernel void sort_scatter(long n, long chunk, long chunks, int shift, __global const int *restrict keys, long keys_first,
                           int numbered, __global const pointer *restrict order, __global const pointer *restrict counts,
                           __global int *restrict sorted_keys, __global pointer *restrict sorted_order)
{
    CHUNK_BEGIN;
    pointer place[RADIX];
    for (int digit = 0; digit < RADIX; digit++) place[digit] = counts[digit * chunks + id];
    for (long i = begin; i < end; i++) {
        const int key = keys[keys_first + i];
        const pointer target = place[(key >> shift) & (RADIX - 1)]++;
        sorted_keys[target] = key;
        sorted_order[target] = numbered ? (pointer)i : order[i];
    }
}

// Integers in another order.
__kernel void gather_indices(long n, __global const pointer *restrict order, __global const int *restrict from, long from_first,
                             __global int *restrict to)
{
    const long i = get_global_id(0);
    if (i < n) to[i] = from[from_first + order[i]];
}

// The first of sorted keys that is not below a number: where each row begins among entries that are sorted by rows. `places` are what
// stands for the keys' own places, if anything does.
__kernel void lower_bounds(long n, long keys_count, __global const int *restrict keys, int renumbered,
                           __global const pointer *restrict places, __global pointer *restrict bounds)
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
    bounds[i] = renumbered ? places[low] : (pointer)low;
}

// The row of each entry.
__kernel void entry_rows(long n, long chunk, long rows, __global const pointer *restrict pointers, long pointers_first,
                         __global int *restrict entry_row)
{
    CHUNK_BEGIN;
    pointers += pointers_first;
    long low = 0, high = rows;
    while (low + 1 < high) {
        const long middle = (low + high) / 2;
        if (pointers[middle] <= begin)
            low = middle;
        else
            high = middle;
    }
    for (long i = begin; i < end; i++) {
        while (pointers[low + 1] <= i) low++;
        entry_row[i] = (int)low;
    }
}

// The longest row of each chunk of rows, and how many of its rows are empty.
__kernel void row_statistics(long n, long chunk, long chunks, __global const pointer *restrict pointers, long pointers_first,
                             __global pointer *restrict found)
{
    CHUNK_BEGIN;
    pointers += pointers_first;
    pointer longest = 0, empty = 0;
    for (long row = begin; row < end; row++) {
        const pointer length = pointers[row + 1] - pointers[row];
        longest = max(longest, length);
        empty += length == 0;
    }
    found[id] = longest;
    found[chunks + id] = empty;
}

// 1 for each entry, of those sorted by rows and columns, that is the first one in its place, and 0 behind the last one.
__kernel void first_in_place(long n, __global const int *restrict row, __global const int *restrict column,
                             __global pointer *restrict is_first)
{
    const long i = get_global_id(0);
    if (i < n)
        is_first[i] = i == 0 || row[i] != row[i - 1] || column[i] != column[i - 1];
    else if (i == n)
        is_first[i] = 0;
}
