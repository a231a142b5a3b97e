// Sparse matrix times vector on a GPU, for rows that are short: a work-group computes the products of all entries of a run of whole
// rows, side by side, and then adds up the rows in local memory (CSR-stream: Greathouse and Daga, 2014).
//
// Parameters: THREADS (work-items of a group), ITEMS (entries of a work-item), WEIGHT (what an entry counts, where a row counts 1), NARROW
// (columns are read in 16 bits, as narrow.cl writes them).

#define TILE (THREADS * ITEMS)

#if NARROW
// A work-item's columns lie together, and are read as pairs: as many as 16 bytes hold, or half as many.
#if ITEMS % 8 == 0
typedef uint4 packed_columns;
#define PAIRS 4
#else
typedef uint2 packed_columns;
#define PAIRS 2
#endif

#define STREAM_PARAMETERS                                                                                     \
    PRODUCT_PARAMETERS, __global const long *restrict starts, __global const packed_columns *restrict narrow, \
        __global const int4 *restrict bases

#define stored_column(i, entry) ((int)((i) % 2 ? pairs[(i) / 2] >> 16 : pairs[(i) / 2] & 0xffff))
// A column by its two upper bits' window.
inline int column_of(int stored, int4 base)
{
    const int lower = stored & 0x4000 ? base.y : base.x, upper = stored & 0x4000 ? base.w : base.z;
    return (stored & 0x8000 ? upper : lower) + stored;
}
#else
#define STREAM_PARAMETERS PRODUCT_PARAMETERS, __global const long *restrict starts
#define stored_column(i, entry) indices[entry]
#define column_of(stored, base) (stored)
#endif

// Where each group's rows begin: rows whose places, with WEIGHT * entries + rows before them, lie in one window.
__kernel void stream_starts(long rows, __global const pointer *restrict pointers, long pointers_first, long groups,
                            long window, __global long *restrict starts)
{
    pointers += pointers_first;
    const long group = get_global_id(0);
    if (group > groups) return;
    long low = 0, high = rows;
    while (low < high) {
        const long middle = (low + high) / 2;
        if (WEIGHT * (long)pointers[middle] + middle < group * window)
            low = middle + 1;
        else
            high = middle;
    }
    starts[2 * group] = low;
    starts[2 * group + 1] = pointers[low];
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
#if NARROW
    narrow += (get_group_id(0) * THREADS + item) * (ITEMS / 2 / PAIRS);
    const int4 base = bases[get_group_id(0)];
#else
    indices += first;
#endif
    values += first;
    pointers += first_row;

    // As many work-items for a row as there are for all rows. The last group may have none.
    int lanes = 1;
    while (lanes < THREADS && 2 * lanes * count <= THREADS) lanes *= 2;
    const int row = item / lanes, lane = item % lanes, later_row = row + THREADS;

    // Everything is asked for before the first of it is used: where the first two rows of the work-item begin and end (on an H200 before the
    // entries: the other way around doubles were up to 20% slower), and the entries.
    int begin = 0, end = 0, later_begin = 0, later_end = 0;
    if (row < count) {
        begin = (int)(pointers[row] - first);
        end = (int)(pointers[row + 1] - first);
    }
    if (later_row < count) {
        later_begin = (int)(pointers[later_row] - first);
        later_end = (int)(pointers[later_row + 1] - first);
    }
    // Narrow columns are kept in whole registers, too: on an H200, products with an array of 16-bit ones were slower than with wide columns (S).
#if NARROW
    uint pairs[ITEMS / 2];
    #pragma unroll
    for (int i = 0; i < ITEMS / 2; i += PAIRS) {
        const packed_columns packed = narrow[i / PAIRS];
        pairs[i] = packed.x;
        pairs[i + 1] = packed.y;
#if PAIRS == 4
        pairs[i + 2] = packed.z;
        pairs[i + 3] = packed.w;
#endif
    }
#endif
    scalar value[ITEMS];
#if NARROW && !SCALAR_IS_DOUBLE && !SCALAR_IS_COMPLEX
    // Places behind the group's entries have a column of its own, so that elements of x are asked for without conditions, under which they
    // would be waited for one by one (on an H200; numbers of more bytes take the registers that this needs).
    scalar x_value[ITEMS];
    #pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int entry = item + i * THREADS;
        value[i] = entry < entries ? matrix_value(entry) : SCALAR_ZERO;
    }
    #pragma unroll
    for (int i = 0; i < ITEMS; i++) x_value[i] = x_element(column_of(stored_column(i, item + i * THREADS), base));
    #pragma unroll
    for (int i = 0; i < ITEMS; i++) products[item + i * THREADS] = multiply(value[i], x_value[i]);
#else
    int column[ITEMS];
    #pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int entry = item + i * THREADS;
        column[i] = entry < entries ? stored_column(i, entry) : -1;
        value[i] = entry < entries ? matrix_value(entry) : SCALAR_ZERO;
    }
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (column[i] >= 0) products[item + i * THREADS] = multiply(value[i], x_element(column_of(column[i], base)));
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
        // Rows that have hardly an entry.
        for (int i = later_row + THREADS; i < count; i += THREADS) {
            const int last = (int)(pointers[i + 1] - first);
            scalar short_sum = SCALAR_ZERO;
            for (int entry = (int)(pointers[i] - first); entry < last; entry++) short_sum += products[entry];
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
