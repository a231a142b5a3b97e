// Sparse matrix times vector on a CPU: a segment of the matrix per work-item.

// Entries that are summed side by side in rows of at least LONG of them.
#define STRIDE 4
#define LONG 16

inline scalar row_sum(long begin, long end, __global const int *restrict indices, __global const scalar *restrict values,
                      __global const scalar *restrict x, long x_step)
{
    scalar sum = SCALAR_ZERO;
    long entry = begin;
    if (end - begin >= LONG) {
        scalar sum1 = SCALAR_ZERO, sum2 = SCALAR_ZERO, sum3 = SCALAR_ZERO;
        for (; entry + STRIDE <= end; entry += STRIDE) {
            sum = multiply_add(matrix_value(entry), x_element(indices[entry]), sum);
            sum1 = multiply_add(matrix_value(entry + 1), x_element(indices[entry + 1]), sum1);
            sum2 = multiply_add(matrix_value(entry + 2), x_element(indices[entry + 2]), sum2);
            sum3 = multiply_add(matrix_value(entry + 3), x_element(indices[entry + 3]), sum3);
        }
        sum = (sum + sum1) + (sum2 + sum3);
    }
    for (; entry < end; entry++) sum = multiply_add(matrix_value(entry), x_element(indices[entry]), sum);
    return sum;
}

__kernel void product_segments(PRODUCT_PARAMETERS, long segments, long segment_items, __global scalar *restrict head,
                               __global scalar *restrict tail)
{
    PRODUCT_BEGIN;
    const long segment = get_global_id(0);
    const long first = segment * segment_items, last = min(first + segment_items, rows + (long)pointers[rows]);
    long row = merge_row(first, rows, pointers);
    const long last_row = merge_row(last, rows, pointers), last_entry = last - last_row;
    long entry = first - row;
    if (row < rows && entry > pointers[row]) {
        const long end = min((long)pointers[row + 1], last_entry);
        head[segment] = row_sum(entry, end, indices, values, x, x_step);
        if (row == last_row) return;
        entry = end;
        row++;
    }
    for (; row < last_row; row++) {
        const long end = pointers[row + 1];
        const scalar sum = row_sum(entry, end, indices, values, x, x_step);
        store_result(row, sum);
        entry = end;
    }
    if (row < rows) tail[segment] = row_sum(entry, last_entry, indices, values, x, x_step);
}
