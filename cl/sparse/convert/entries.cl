// Conversions between COO, CSR and dense matrices, and the entries of sums and products of sparse matrices.
#pragma once

#include "common/modulus.cl"
#include "sparse/matrix.cl"

// to := from, permuted by `order`.
__kernel void gather_values(long n, __global const pointer *restrict order, __global const scalar *restrict from,
                            long from_offset, __global scalar *restrict to)
{
    const long i = get_global_id(0);
    if (i < n) to[i] = from[from_offset + order[i]];
}

// Sums duplicate entries, in their order. `slot` is the index of each entry among the distinct ones.
__kernel void add_duplicates(long n, __global const int *restrict column, __global const pointer *restrict order,
                             __global const scalar *restrict values, long values_offset,
                             __global const pointer *restrict slot, __global int *restrict to_column,
                             __global scalar *restrict to_value)
{
    const long first = get_global_id(0);
    if (first >= n || slot[first + 1] == slot[first]) return;
    scalar sum = values[values_offset + order[first]];
    for (long i = first + 1; i < n && slot[i + 1] == slot[i]; i++) sum += values[values_offset + order[i]];
    to_column[slot[first]] = column[first];
    to_value[slot[first]] = sum;
}

// The sums of the entries on the diagonal.
__kernel void diagonal(MATRIX_PARAMETERS, long count, __global scalar *restrict result)
{
    MATRIX_BEGIN;
    const long row = get_global_id(0);
    if (row >= count) return;
    scalar sum = SCALAR_ZERO;
    for (long entry = row_ptr[row]; entry < row_ptr[row + 1]; entry++)
        if (indices[entry] == row) sum += values[entry];
    result[row] = sum;
}

// The sum of the moduli of each row. The summation is compensated (Kahan 1965): long rows lose no more than short ones.
__kernel void sum_moduli(MATRIX_PARAMETERS, __global real *restrict result)
{
    MATRIX_BEGIN;
    const long row = get_global_id(0);
    if (row >= rows) return;
    real sum = 0, lost = 0;
    for (long entry = row_ptr[row]; entry < row_ptr[row + 1]; entry++) {
        const real term = modulus(values[entry]) - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    result[row] = sum;
}

// CSR to dense: a work-item for each row.
__kernel void csr_to_dense(MATRIX_PARAMETERS, long columns, __global scalar *restrict dense, long first,
                           long row_stride, long column_stride)
{
    MATRIX_BEGIN;
    const long row = get_global_id(0);
    if (row >= rows) return;
    dense += first + row * row_stride;
    for (long column = 0; column < columns; column++) dense[column * column_stride] = SCALAR_ZERO;
    for (long entry = row_ptr[row]; entry < row_ptr[row + 1]; entry++)
        dense[indices[entry] * column_stride] += values[entry];
}

// The number of nonzero elements of each row of a dense matrix, and 0 behind the last row.
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

// Dense to CSR: stores these elements.
__kernel void store_nonzero(long rows, long columns, __global const scalar *restrict dense, long first, long row_stride,
                           long column_stride, __global const pointer *restrict row_ptr, __global int *restrict indices,
                           __global scalar *restrict values)
{
    const long row = get_global_id(0);
    if (row >= rows) return;
    dense += first + row * row_stride;
    long entry = row_ptr[row];
    for (long column = 0; column < columns; column++) {
        const scalar value = dense[column * column_stride];
        if (!is_zero(value)) {
            indices[entry] = (int)column;
            values[entry] = value;
            entry++;
        }
    }
}

// Multiplies each value by a factor of its row, or of its column.
__kernel void scale_rows_or_columns(MATRIX_PARAMETERS, int by_rows, __global const scalar *restrict factors,
                                    long factors_offset, long factors_step, __global scalar *restrict scaled)
{
    MATRIX_BEGIN;
    const long row = get_global_id(0);
    if (row >= rows) return;
    factors += factors_offset;
    for (long entry = row_ptr[row]; entry < row_ptr[row + 1]; entry++) {
        const long line = by_rows ? row : indices[entry];
        scaled[entry] = multiply(factors[line * factors_step], values[entry]);
    }
}

// Appends a list of entries, times alpha, to another list.
__kernel void append(long n, scalar alpha, __global const int *restrict row, __global const int *restrict column,
                     long column_offset, __global const scalar *restrict values, long values_offset, long to,
                     __global int *restrict to_row, __global int *restrict to_column,
                     __global scalar *restrict to_value)
{
    const long i = get_global_id(0);
    if (i >= n) return;
    to_row[to + i] = row[i];
    to_column[to + i] = column[column_offset + i];
    to_value[to + i] = multiply(alpha, values[values_offset + i]);
}

// 1 for each entry off the diagonal, 0 for others and behind the last one.
__kernel void off_diagonal(long n, __global const int *restrict row, __global const int *restrict column,
                           long column_offset, __global pointer *restrict counts)
{
    const long i = get_global_id(0);
    if (i <= n) counts[i] = i < n && row[i] != column[column_offset + i];
}

// Appends the mirrored off-diagonal entries: equal, conjugated or negated.
__kernel void append_mirrored(long n, int conjugated, int negated, __global const int *restrict row,
                              __global const int *restrict column, long column_offset,
                              __global const scalar *restrict values, long values_offset,
                              __global const pointer *restrict slot, __global int *restrict to_row,
                              __global int *restrict to_column, __global scalar *restrict to_value)
{
    const long i = get_global_id(0);
    if (i >= n || row[i] == column[column_offset + i]) return;
    const long to = n + slot[i];
    const scalar value = conjugate_if(conjugated, values[values_offset + i]);
    to_row[to] = column[column_offset + i];
    to_column[to] = row[i];
    to_value[to] = negated ? -value : value;
}

// SpGEMM by expansion: the number of products in which each entry of A takes part, which is the length of a row of B;
// 0 behind the last one.
__kernel void count_products(long n, __global const int *restrict column, long column_offset,
                             __global const pointer *restrict row_ptr, long row_ptr_offset,
                             __global pointer *restrict counts)
{
    const long i = get_global_id(0);
    if (i > n) return;
    row_ptr += row_ptr_offset;
    counts[i] = i < n ? row_ptr[column[column_offset + i] + 1] - row_ptr[column[column_offset + i]] : 0;
}

// SpGEMM by expansion: the products. Sorting and summing duplicates completes the matrix product.
__kernel void expand_products(MATRIX_PARAMETERS, long n, __global const int *restrict row,
                              __global const int *restrict column, long column_offset,
                              __global const scalar *restrict factors, long factors_offset,
                              __global const pointer *restrict slot, __global int *restrict to_row,
                              __global int *restrict to_column, __global scalar *restrict to_value)
{
    MATRIX_BEGIN;
    const long i = get_global_id(0);
    if (i >= n) return;
    const long middle = column[column_offset + i];
    const scalar factor = factors[factors_offset + i];
    long to = slot[i];
    for (long entry = row_ptr[middle]; entry < row_ptr[middle + 1]; entry++, to++) {
        to_row[to] = row[i];
        to_column[to] = indices[entry];
        to_value[to] = multiply(factor, values[entry]);
    }
}
