// Entries in lists, in rows and in dense matrices.

// Values in another order.
__kernel void gather_values(long n, __global const pointer *restrict order, __global const scalar *restrict from,
                            long from_first, __global scalar *restrict to)
{
    const long i = get_global_id(0);
    if (i < n) to[i] = from[from_first + order[i]];
}

// Adds up the entries in each place, in their order. `place` is the number of the place of each entry.
__kernel void add_duplicates(long n, __global const int *restrict column, __global const pointer *restrict order,
                             __global const scalar *restrict values, long values_first, __global const pointer *restrict place,
                             __global int *restrict to_column, __global scalar *restrict to_value)
{
    const long first = get_global_id(0);
    if (first >= n || place[first + 1] == place[first]) return;
    scalar sum = values[values_first + order[first]];
    for (long i = first + 1; i < n && place[i + 1] == place[i]; i++) sum += values[values_first + order[i]];
    to_column[place[first]] = column[first];
    to_value[place[first]] = sum;
}

// The sums of the entries on the diagonal.
__kernel void diagonal(MATRIX_PARAMETERS, long count, __global scalar *restrict result)
{
    MATRIX_BEGIN;
    const long row = get_global_id(0);
    if (row >= count) return;
    scalar sum = SCALAR_ZERO;
    for (long entry = pointers[row]; entry < pointers[row + 1]; entry++)
        if (indices[entry] == row) sum += values[entry];
    result[row] = sum;
}

// All elements of a dense matrix: a work-item for each row.
__kernel void to_dense(MATRIX_PARAMETERS, long columns, __global scalar *restrict dense, long first, long row_stride,
                       long column_stride)
{
    MATRIX_BEGIN;
    const long row = get_global_id(0);
    if (row >= rows) return;
    dense += first + row * row_stride;
    for (long column = 0; column < columns; column++) dense[column * column_stride] = SCALAR_ZERO;
    for (long entry = pointers[row]; entry < pointers[row + 1]; entry++)
        dense[indices[entry] * column_stride] += values[entry];
}

// How many elements of each row of a dense matrix are not zero, and 0 behind the last row.
__kernel void count_nonzero(long rows, long columns, __global const scalar *restrict dense, long first, long row_stride,
                            long column_stride, __global pointer *restrict counts)
{
    const long row = get_global_id(0);
    if (row > rows) return;
    pointer count = 0;
    if (row < rows) {
        dense += first + row * row_stride;
        for (long column = 0; column < columns; column++) {
            const scalar value = dense[column * column_stride];
            count += !is_zero(value);
        }
    }
    counts[row] = count;
}

// Those elements.
__kernel void take_nonzero(long rows, long columns, __global const scalar *restrict dense, long first, long row_stride,
                           long column_stride, __global const pointer *restrict pointers, __global int *restrict indices,
                           __global scalar *restrict values)
{
    const long row = get_global_id(0);
    if (row >= rows) return;
    dense += first + row * row_stride;
    long entry = pointers[row];
    for (long column = 0; column < columns; column++) {
        const scalar value = dense[column * column_stride];
        if (!is_zero(value)) {
            indices[entry] = (int)column;
            values[entry] = value;
            entry++;
        }
    }
}

// Each value times its row's factor, or its column's.
__kernel void scale_lines(MATRIX_PARAMETERS, int by_rows, __global const scalar *restrict factors, long factors_first,
                          long factors_step, __global scalar *restrict scaled)
{
    MATRIX_BEGIN;
    const long row = get_global_id(0);
    if (row >= rows) return;
    factors += factors_first;
    for (long entry = pointers[row]; entry < pointers[row + 1]; entry++) {
        const long line = by_rows ? row : indices[entry];
        scaled[entry] = multiply(factors[line * factors_step], values[entry]);
    }
}

// A list of entries behind another one, times a number.
__kernel void append(long n, scalar alpha, __global const int *restrict row, __global const int *restrict column,
                     long column_first, __global const scalar *restrict values, long values_first, long to,
                     __global int *restrict to_row, __global int *restrict to_column, __global scalar *restrict to_value)
{
    const long i = get_global_id(0);
    if (i >= n) return;
    to_row[to + i] = row[i];
    to_column[to + i] = column[column_first + i];
    to_value[to + i] = multiply(alpha, values[values_first + i]);
}

// 1 for each entry that is not on the diagonal, and 0 behind the last one.
__kernel void off_diagonal(long n, __global const int *restrict row, __global const int *restrict column, long column_first,
                           __global pointer *restrict counts)
{
    const long i = get_global_id(0);
    if (i <= n) counts[i] = i < n && row[i] != column[column_first + i];
}

// The entries across the diagonal, behind those that there are: equal, conjugated or with their sign changed.
__kernel void append_mirrored(long n, int conjugated, int negated, __global const int *restrict row,
                              __global const int *restrict column, long column_first, __global const scalar *restrict values,
                              long values_first, __global const pointer *restrict place, __global int *restrict to_row,
                              __global int *restrict to_column, __global scalar *restrict to_value)
{
    const long i = get_global_id(0);
    if (i >= n || row[i] == column[column_first + i]) return;
    const long to = n + place[i];
    const scalar value = conjugate_if(conjugated, values[values_first + i]);
    to_row[to] = column[column_first + i];
    to_column[to] = row[i];
    to_value[to] = negated ? -value : value;
}

// How many products each entry of A has a part in: as many as the row of B has entries that its column names; and 0 behind the last one.
__kernel void count_products(long n, __global const int *restrict column, long column_first,
                             __global const pointer *restrict pointers, long pointers_first, __global pointer *restrict counts)
{
    const long i = get_global_id(0);
    if (i > n) return;
    pointers += pointers_first;
    counts[i] = i < n ? pointers[column[column_first + i] + 1] - pointers[column[column_first + i]] : 0;
}

// The products.
__kernel void list_products(MATRIX_PARAMETERS, long n, __global const int *restrict row, __global const int *restrict column,
                            long column_first, __global const scalar *restrict factors, long factors_first,
                            __global const pointer *restrict place, __global int *restrict to_row,
                            __global int *restrict to_column, __global scalar *restrict to_value)
{
    MATRIX_BEGIN;
    const long i = get_global_id(0);
    if (i >= n) return;
    const long middle = column[column_first + i];
    const scalar factor = factors[factors_first + i];
    long to = place[i];
    for (long entry = pointers[middle]; entry < pointers[middle + 1]; entry++, to++) {
        to_row[to] = row[i];
        to_column[to] = indices[entry];
        to_value[to] = multiply(factor, values[entry]);
    }
}
