// Sparse matrix times vector on a GPU, for rows of any lengths: a segment of the matrix per work-group, of which each
// work-item adds up an equal share (Merrill and Garland, 2016). A segment begins where a row of at most WHOLE entries does,
// so that only longer rows are split. With ONE_LAUNCH, the last of the groups that have parts of such a row adds them up;
// without, a second launch does. The order is always the same.
//
// Parameters: THREADS (work-items of a group), ITEMS (entries and ends of rows of a work-item: odd, so that work-items meet in
// different banks of the local memory), WHOLE (entries of the longest rows that are not split), ONE_LAUNCH.

#define TILE (THREADS * ITEMS)
// The distance of segments before their beginnings are moved to those of rows.
#define SEGMENT (TILE - WHOLE)

// The row and the entry with which each segment begins.
__kernel void merge_starts(long rows, __global const pointer *restrict pointers, long pointers_first, long segments,
                           __global long *restrict starts)
{
    pointers += pointers_first;
    const long segment = get_global_id(0);
    if (segment > segments) return;
    const long items = min(segment * SEGMENT, rows + (long)pointers[rows]), row = merge_row(items, rows, pointers);
    const bool is_whole = row < rows && pointers[row + 1] - pointers[row] <= WHOLE;
    starts[2 * segment] = row;
    starts[2 * segment + 1] = is_whole ? (long)pointers[row] : items - row;
}

// The segments in which a row begins and ends, where it is split.
#define first_segment_of(row) (((row) + (long)pointers[row]) / SEGMENT)
#define last_segment_of(row) (((row) + (long)pointers[(row) + 1]) / SEGMENT)

// The group has its part of a split row where others see it. Whoever arrives last finds all parts.
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
    // Heads: what segments have of rows that began before them. Tails: of rows that begin in them and end behind them. Groups that
    // have arrived, for each segment in which a split row begins: 0 before and after a launch.
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
    for (int i = item; i < count; i += THREADS) row_ends[i] = (int)(pointers[first_row + i + 1] - first);
    if (item == 0) row_ends[count] = entries;
    const bool continued = first_row < rows && first > pointers[first_row];
    const bool open = last_row < rows && last > pointers[last_row];
#if ONE_LAUNCH
    // Asked for before it is needed.
    const long head_begin = continued ? first_segment_of(first_row) : 0, head_end = continued ? last_segment_of(first_row) : 0;
    const long tail_end = open ? last_segment_of(last_row) : 0;
#endif
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
        if (waiting > 0 || !continued) store_result(first_row + waiting, waiting_sum);
    }
#if NVIDIA
    // PoCL 3.1 miscompiles barriers behind a return, though all of a group take it.
    if (!continued && !open) return;
#endif

    // A work-item writes what its group has of a row and, where that is all of one launch, tells that it has arrived.
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
    // A half of the work-items for each of the two rows.
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
// Puts together the rows that segments have only parts of: STRANDS work-items for each segment sum the heads of the row that begins in it
// and ends behind it, always in the same order.
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
    if (row < rows && starts[2 * segment + 3] > pointers[row] && first_segment_of(row) == segment) {
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
