// gesvd of each matrix of a batch, of no fewer rows than columns: A = L diag(s) R^H, by one-sided Jacobi rotations.
// A's columns become left singular vectors times singular values, in descending order; R is the product of the
// rotations. With VECTOR_ROWS > 0 both are written, L with `left_columns` columns, at least as many as A has.
//
// Columns of L without a singular value, or with a negligible one, complete an orthonormal basis: unit vectors are made
// orthogonal to the others, twice.
#pragma once

#include "lapack/batched/jacobi.cl"

// A matrix that is written: element (i, j), or its conjugate.
typedef struct {
    __global scalar *start;
    long row_stride, column_stride;
    int conjugated;
} written_matrix;

inline scalar read_element(written_matrix a, int i, int j)
{
    return conjugate_if(a.conjugated, a.start[i * a.row_stride + j * a.column_stride]);
}

inline void write_element(written_matrix a, int i, int j, scalar value)
{
    a.start[i * a.row_stride + j * a.column_stride] = conjugate_if(a.conjugated, value);
}

// Completes the columns of a team's L from column `kept` on. All work-items of the group call it.
inline void complete_basis(
    written_matrix left, int rows, int columns, int kept, __local int *firsts, __local jacobi_workspace *work,
    jacobi_item p)
{
    __local scalar *products = work->moved + p.team * (ROWS * LANES);
    if (p.own == 0) firsts[p.team] = kept;
    // L's columns are complete up to `kept`.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int first = columns;
    for (int team = 0; team < TEAMS; team++) first = min(first, firsts[team]);
    for (int column = first; column < columns; column++) {
        const bool adds = column >= kept;
        // The unit vector that the others contain least of.
        for (int row = p.own; adds && row < rows; row += TEAM_ITEMS) {
            real squares = 0;
            for (int j = 0; j < column; j++) squares += square_of(read_element(left, row, j));
            products[row] = from_real(squares);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int pivot = 0;
        for (int row = 1; adds && row < rows; row++)
            if (real_part(products[row]) < real_part(products[pivot])) pivot = row;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = p.own; adds && j < column; j += TEAM_ITEMS)
            products[j] = conjugate_if(1, read_element(left, pivot, j));
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int row = p.own; adds && row < rows; row += TEAM_ITEMS) {
            scalar value = row == pivot ? SCALAR_ONE : SCALAR_ZERO;
            for (int j = 0; j < column; j++) value = multiply_add(-read_element(left, row, j), products[j], value);
            write_element(left, row, column, value);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (int j = p.own; adds && j < column; j += TEAM_ITEMS) {
            scalar product = SCALAR_ZERO;
            for (int row = 0; row < rows; row++)
                product = multiply_add(
                    conjugate_if(1, read_element(left, row, j)), read_element(left, row, column), product);
            products[j] = product;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (int row = p.own; adds && row < rows; row += TEAM_ITEMS) {
            scalar value = read_element(left, row, column);
            for (int j = 0; j < column; j++) value = multiply_add(-read_element(left, row, j), products[j], value);
            write_element(left, row, column, value);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        real squares = 0;
        for (int row = 0; adds && row < rows; row++) squares += square_of(read_element(left, row, column));
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int row = p.own; adds && row < rows; row += TEAM_ITEMS)
            write_element(left, row, column, read_element(left, row, column) * (1 / sqrt(squares)));
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gesvd_batched(
    int rows, int columns, __global const scalar *a, long a_offset, long row_stride, long column_stride, int conjugated,
    __global real *values, long values_offset, long values_stride, __global int *info, long info_offset,
    __global scalar *left, long left_offset, long left_row_stride, long left_column_stride, int left_conjugated,
    int left_columns, __global scalar *right, long right_offset, long right_row_stride, long right_column_stride,
    int right_conjugated, BATCH_PARAMETERS, long a_spacing, long left_spacing, long right_spacing)
{
    __local jacobi_workspace work;
    __local int firsts[TEAMS];
    const jacobi_item p = find_item();
    const long matrix = (long)get_group_id(0) * TEAMS + p.team;
    const bool has_matrix = matrix < count;
    const int m = has_matrix ? rows : 0, n = has_matrix ? columns : 0;
    if (has_matrix) a += a_offset + offset_in_batch(matrix, a_spacing);
    const int x_column = 2 * p.pair, y_column = x_column + 1;

    scalar x[COLUMN], y[COLUMN];
    real size = 0;
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int row = p.lane + i * LANES;
        x[i] = row < m && x_column < n ? a[row * row_stride + x_column * column_stride] : SCALAR_ZERO;
        y[i] = row < m && y_column < n ? a[row * row_stride + y_column * column_stride] : SCALAR_ZERO;
        const real of_x = larger_part(x[i]), of_y = larger_part(y[i]);
        size = larger(size, of_x);
        size = larger(size, of_y);
    }
    size = largest_of_team(size, &work, p);
    const bool is_valid = isfinite(size);
    const int exponent = is_valid ? exponent_of(size) : 0;
    const real scale = ldexp((real)1, -exponent);
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        // Elements that are not finite end the iteration before it begins.
        x[i] = is_valid ? conjugate_if(conjugated, x[i]) * scale : SCALAR_ZERO;
        y[i] = is_valid ? conjugate_if(conjugated, y[i]) * scale : SCALAR_ZERO;
    }
#if VECTOR_ROWS > 0
    #pragma unroll
    for (int i = 0; i < VECTOR_ROWS; i++) {
        const int row = p.lane + i * LANES;
        x[ROWS + i] = row < n && row == x_column ? SCALAR_ONE : SCALAR_ZERO;
        y[ROWS + i] = row < n && row == y_column ? SCALAR_ONE : SCALAR_ZERO;
    }
#endif

    const real tolerance = REAL_EPSILON * fmax((real)4, sqrt((real)rows));
    const bool converged = orthogonalise(x, y, (columns + 1) / 2, tolerance, &work, p) && is_valid;

    work.sums[0][p.item] = squared_norm(x, 0, ROWS);
    work.sums[1][p.item] = squared_norm(y, 0, ROWS);
    work.sums[2][p.item] = squared_norm(x, ROWS, VECTOR_ROWS);
    work.sums[3][p.item] = squared_norm(y, ROWS, VECTOR_ROWS);
    barrier(CLK_LOCAL_MEM_FENCE);
    const real x_squares = sum_of_lanes(work.sums[0], p), y_squares = sum_of_lanes(work.sums[1], p);
    const real x_length = sum_of_lanes(work.sums[2], p), y_length = sum_of_lanes(work.sums[3], p);
    barrier(CLK_LOCAL_MEM_FENCE);
    // A column that is there for an even number only comes last. Its part of V is zero.
    const real x_key = VECTOR_ROWS > 0 && x_length == 0 ? (real)-1 : x_squares;
    const real y_key = VECTOR_ROWS > 0 && y_length == 0 ? (real)-1 : y_squares;
    work.sums[0][p.item] = x_key;
    work.sums[1][p.item] = y_key;
    barrier(CLK_LOCAL_MEM_FENCE);
    int x_rank = 0, y_rank = 0, kept = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        const int other = p.item - p.own + pair * LANES;
        const real of_x = work.sums[0][other], of_y = work.sums[1][other];
        x_rank += (of_x > x_key || (of_x == x_key && pair < p.pair)) + (of_y > x_key);
        x_rank += of_y == x_key && pair < p.pair;
        y_rank += (of_x > y_key || (of_x == y_key && pair <= p.pair)) + (of_y > y_key);
        y_rank += of_y == y_key && pair < p.pair;
        kept += (of_x >= NEGLIGIBLE) + (of_y >= NEGLIGIBLE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Without convergence all elements are written, whatever the order.
    if (!converged) x_rank = x_column;
    if (!converged) y_rank = y_column;
    if (p.lane == 0) {
        values += values_offset + matrix * values_stride;
        if (x_rank < n) values[x_rank] = converged ? ldexp(sqrt(x_squares), exponent) : NAN;
        if (y_rank < n) values[y_rank] = converged ? ldexp(sqrt(y_squares), exponent) : NAN;
    }
    if (has_matrix && p.own == 0) info[info_offset + matrix] = converged ? 0 : columns;
#if VECTOR_ROWS > 0
    written_matrix l = {left, left_row_stride, left_column_stride, left_conjugated};
    written_matrix r = {right, right_row_stride, right_column_stride, right_conjugated};
    if (has_matrix) l.start += left_offset + offset_in_batch(matrix, left_spacing);
    if (has_matrix) r.start += right_offset + offset_in_batch(matrix, right_spacing);
    const real x_factor = converged ? 1 / sqrt(x_squares) : NAN, y_factor = converged ? 1 / sqrt(y_squares) : NAN;
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int row = p.lane + i * LANES;
        if (row < m && x_rank < n && !(converged && x_rank >= kept)) write_element(l, row, x_rank, x[i] * x_factor);
        if (row < m && y_rank < n && !(converged && y_rank >= kept)) write_element(l, row, y_rank, y[i] * y_factor);
    }
    const real x_unit = converged ? 1 / sqrt(x_length) : NAN, y_unit = converged ? 1 / sqrt(y_length) : NAN;
    #pragma unroll
    for (int i = 0; i < VECTOR_ROWS; i++) {
        const int row = p.lane + i * LANES;
        if (row < n && x_rank < n) write_element(r, row, x_rank, x[ROWS + i] * x_unit);
        if (row < n && y_rank < n) write_element(r, row, y_rank, y[ROWS + i] * y_unit);
    }
    if (has_matrix && !converged) {
        for (int e = p.own; e < m * (left_columns - n); e += TEAM_ITEMS)
            write_element(l, e % m, n + e / m, from_real((real)NAN));
    }
    complete_basis(l, rows, left_columns, has_matrix && converged ? kept : left_columns, firsts, &work, p);
#endif
}
