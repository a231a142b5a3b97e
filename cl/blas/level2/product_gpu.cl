// General products of level 2 on a GPU: each stored element counts where it stands. Split sums where there are too few
// work-groups.

// Work-items of a group.
#ifndef THREADS
#define THREADS 128
#endif

// Columns of which a work-item of product_along loads its elements before it uses the first.
#ifndef UNROLL
#define UNROLL 8
#endif

// Columns of a group in product_across.
#ifndef COLUMNS
#define COLUMNS 4
#endif

// Rows that a work-item of product_across loads at a time.
#ifndef ROWS
#define ROWS 2
#endif

#include "blas/level2/product.cl"

// y_i = sum of a_ij x_j: a work-item per row, so that neighbours read neighbouring elements of a column.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product_along(PRODUCT_PARAMETERS)
{
    __local scalar x_slice[THREADS];
    const int item = get_local_id(0);
    const long first_row = (long)get_group_id(0) * THREADS, last_row = min(first_row + THREADS, rows) - 1;
    // Work-items past the last row compute it again, and do not store it.
    const long row = min(first_row + item, last_row);
    const long part_begin = (long)get_group_id(1) * part_length;
    const long begin = max(part_begin, first_row - below);
    const long end = min(min(part_begin + part_length, columns), last_row + above + 1);
    // The columns in which this row is stored, and those in which all of the group's rows are.
    const long own_begin = row - below, own_end = row + above + 1;
    const long whole_begin = last_row - below, whole_end = first_row + above + 1;

    scalar sum = SCALAR_ZERO;
    for (long slice = begin; slice < end; slice += THREADS) {
        const int count = (int)min((long)THREADS, end - slice);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < count) x_slice[item] = x[x_first + (slice + item) * x_step];
        barrier(CLK_LOCAL_MEM_FENCE);
        __global const scalar *element = a + a_offset + column_start(slice) + row;
        long step = column_step(slice);
        int j = 0;
        if (slice >= whole_begin && slice + count <= whole_end) {
            for (; j + UNROLL <= count; j += UNROLL) {
                scalar value[UNROLL];
                #pragma unroll
                for (int u = 0; u < UNROLL; u++) {
                    value[u] = *element;
                    element += step;
                    step += quadratic;
                }
                #pragma unroll
                for (int u = 0; u < UNROLL; u++) sum = multiply_add(direct_value(value[u]), x_slice[j + u], sum);
            }
        }
        for (; j < count; j++) {
            if (slice + j >= own_begin && slice + j < own_end) {
                const scalar value = *element;
                sum = multiply_add(direct_value(value), x_slice[j], sum);
            }
            element += step;
            step += quadratic;
        }
    }
    if (first_row + item < rows) store_result(row, sum);
}

// y_j = sum of a_ij x_i, x with adjacent elements: a group walks down a few columns together, and adds up its
// work-items' sums in local memory, always in the same order.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product_across(PRODUCT_PARAMETERS)
{
    __local scalar shared_sum[COLUMNS * THREADS];
    const int item = get_local_id(0);
    const long first = (long)get_group_id(0) * COLUMNS, last = min(first + COLUMNS, columns) - 1;
    const long part_begin = (long)get_group_id(1) * part_length;
    const long begin = max(part_begin, first - above);
    const long end = min(min(part_begin + part_length, rows), last + below + 1);
    // The rows that are stored in all of the group's columns.
    const long whole_begin = last - above, whole_end = min(end, first + below + 1);

    x += x_first;
    __global const scalar *column[COLUMNS];
    scalar sum[COLUMNS];
    #pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        column[c] = a + a_offset + column_start(min(first + c, last));
        sum[c] = SCALAR_ZERO;
    }
    for (long slice = begin; slice < end; slice += THREADS * ROWS) {
        if (slice >= whole_begin && slice + THREADS * ROWS <= whole_end) {
            scalar x_value[ROWS], value[ROWS][COLUMNS];
            #pragma unroll
            for (int u = 0; u < ROWS; u++) {
                const long i = slice + u * THREADS + item;
                x_value[u] = x[i];
                #pragma unroll
                for (int c = 0; c < COLUMNS; c++) value[u][c] = column[c][i];
            }
            #pragma unroll
            for (int u = 0; u < ROWS; u++)
                #pragma unroll
                for (int c = 0; c < COLUMNS; c++)
                    sum[c] = multiply_add(direct_value(value[u][c]), x_value[u], sum[c]);
        } else {
            const long slice_end = min(end, slice + THREADS * ROWS);
            for (long i = slice + item; i < slice_end; i += THREADS)
                #pragma unroll
                for (int c = 0; c < COLUMNS; c++) {
                    const long j = min(first + c, last);
                    if (i >= j - above && i <= j + below) {
                        const scalar value = column[c][i];
                        sum[c] = multiply_add(direct_value(value), x[i], sum[c]);
                    }
                }
        }
    }
    #pragma unroll
    for (int c = 0; c < COLUMNS; c++) shared_sum[c * THREADS + item] = sum[c];
    for (int half_count = THREADS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_count) {
            #pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                shared_sum[c * THREADS + item] += shared_sum[c * THREADS + item + half_count];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < COLUMNS && first + item < columns) store_result(first + item, shared_sum[item * THREADS]);
}
