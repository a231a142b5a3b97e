// Sparse matrix times vector on a GPU, for rows of any lengths: a segment of the matrix per work-group, of which each
// work-item adds up an equal share (Merrill and Garland, 2016).
//
// Parameters: THREADS (work-items of a group), ITEMS (entries and ends of rows of a work-item: odd, so that
// work-items meet in different banks of the local memory).

#define SEGMENT (THREADS * ITEMS)

// The rows in which segments begin.
__kernel void merge_starts(long rows, __global const pointer *restrict pointers, long pointers_first, long segments,
                           __global long *restrict starts)
{
    pointers += pointers_first;
    const long segment = get_global_id(0);
    if (segment <= segments) starts[segment] = merge_row(min(segment * SEGMENT, rows + (long)pointers[rows]), rows, pointers);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product_merge(
    PRODUCT_PARAMETERS, __global const long *restrict starts, __global scalar *restrict carried)
{
    __local scalar products[SEGMENT];
    __local int row_ends[SEGMENT + 1];
    __local scalar sums[THREADS];
    __local int ended[THREADS];
    PRODUCT_BEGIN;
    __global scalar *const head = carried, *const tail = carried + get_num_groups(0);
    const int item = get_local_id(0);
    const long segment = get_group_id(0), begin = segment * SEGMENT;
    const long first_row = starts[segment], last_row = starts[segment + 1];
    const long first = begin - first_row, end = min(begin + SEGMENT, rows + (long)pointers[rows]);
    const int count = (int)(last_row - first_row), entries = (int)(end - last_row - first);
    const bool continued = first_row < rows && first > pointers[first_row];
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
    for (int i = item; i < count; i += THREADS) row_ends[i] = (int)(pointers[first_row + i + 1] - first);
    if (item == 0) row_ends[count] = entries;
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (column[i] >= 0) products[item + i * THREADS] = multiply(value[i], x_element(column[i]));
    barrier(CLK_LOCAL_MEM_FENCE);

    // Where the work-item's share begins.
    const int share = min(item * ITEMS, count + entries), share_end = min(share + ITEMS, count + entries);
    int row = 0;
    for (int high = min(share, count); row < high;) {
        const int middle = (row + high) / 2;
        if (row_ends[middle] < share - middle)
            row = middle + 1;
        else
            high = middle;
    }
    int entry = share - row;
    // The first row that ends in it may have begun in another share: it waits for what those have.
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

    // What is open at the end of each share, with what was open before it where no row ends in it.
    sums[item] = sum;
    ended[item] = waiting >= 0;
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
    if (waiting >= 0) {
        if (item > 0) waiting_sum = sums[item - 1] + waiting_sum;
        if (waiting == 0 && continued)
            head[segment] = waiting_sum;
        else
            store_result(first_row + waiting, waiting_sum);
    }
    if (item == THREADS - 1 && last_row < rows) {
        if (count == 0 && continued)
            head[segment] = sums[item];
        else
            tail[segment] = sums[item];
    }
}

// Puts together the rows that segments have only parts of: the heads, one for each segment, are what it has of a row
// that began before it, and the tails after them what it has of a row that begins in it and does not end there.
// STRANDS work-items for each segment but the last sum the heads of its last row, always in the same order.
#define STRANDS 32
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void merge_carried(
    PRODUCT_PARAMETERS, long segments, __global const long *restrict starts, __global const scalar *restrict carried)
{
    __local scalar sums[THREADS];
    PRODUCT_BEGIN;
    const int item = get_local_id(0), strand = item % STRANDS;
    const long segment = (long)get_group_id(0) * (THREADS / STRANDS) + item / STRANDS;
    const long end = (segment + 1) * SEGMENT, row = segment < segments - 1 ? starts[segment + 1] : rows;
    bool is_split = false;
    scalar sum = SCALAR_ZERO;
    if (row < rows) {
        const long row_begin = row + pointers[row];
        is_split = row_begin < end && row_begin >= segment * SEGMENT;
        if (is_split) {
            const long last = min((row + (long)pointers[row + 1]) / SEGMENT, segments - 1);
            for (long other = segment + 1 + strand; other <= last; other += STRANDS) sum += carried[other];
        }
    }
    sums[item] = sum;
    for (int distance = STRANDS / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (strand < distance) sums[item] += sums[item + distance];
    }
    if (is_split && strand == 0) store_result(row, carried[segments + segment] + sums[item]);
}
