// heev of each matrix of a batch: eigenvalues in ascending order and eigenvectors, by one-sided Jacobi rotations of
// A + c I, where c is twice a bound on the norm. Its columns become eigenvectors times eigenvalues, all of them
// positive. Eigenvalues are Rayleigh quotients of A.
#pragma once

#include "lapack/batched/jacobi.cl"

// The Hermitian matrix whose lower or upper triangle is stored.
typedef struct {
    __global const scalar *start;
    long row_stride, column_stride;
    int upper;
} hermitian_matrix;

// Element (i, j) for i >= j.
inline scalar lower_element(hermitian_matrix a, int i, int j)
{
    const scalar value = a.upper ? a.start[j * a.row_stride + i * a.column_stride]
                                 : a.start[i * a.row_stride + j * a.column_stride];
    return i == j ? from_real(real_part(value)) : conjugate_if(a.upper, value);
}

inline scalar hermitian_element(hermitian_matrix a, int i, int j)
{
    return i >= j ? lower_element(a, i, j) : conjugate_if(1, lower_element(a, j, i));
}

// Pairs that have their columns in local memory at a time, of all teams.
#define SLOTS ((PAIRS + PARTS - 1) / PARTS * TEAMS)

// Rayleigh quotient of a column: x^H A x / x^H x.
inline real rayleigh_quotient(
    const scalar *x, int order, hermitian_matrix a, real scale, __local jacobi_workspace *work, jacobi_item p)
{
    real above = 0, below = 0;
    for (int part = 0; part < PARTS; part++) {
        const bool takes_part = p.pair % PARTS == part;
        __local scalar *column = work->moved + p.team * (SLOTS / TEAMS) + p.pair / PARTS;
        if (takes_part) {
            #pragma unroll
            for (int i = 0; i < ROWS; i++) {
                const int row = p.lane + i * LANES;
                if (row < order) column[row * SLOTS] = x[i];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int row = p.lane; takes_part && row < order; row += LANES) {
            const scalar own = column[row * SLOTS];
            scalar sum = SCALAR_ZERO;
            for (int j = 0; j < row; j++)
                sum = multiply_add(lower_element(a, row, j) * scale, column[j * SLOTS], sum);
            const real diagonal = real_part(lower_element(a, row, row)) * scale;
            above += 2 * real_part(multiply(conjugate_if(1, own), sum)) + diagonal * square_of(own);
            below += square_of(own);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    work->sums[0][p.item] = above;
    work->sums[1][p.item] = below;
    barrier(CLK_LOCAL_MEM_FENCE);
    above = sum_of_lanes(work->sums[0], p);
    below = sum_of_lanes(work->sums[1], p);
    barrier(CLK_LOCAL_MEM_FENCE);
    return below > 0 ? above / below : INFINITY;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void heev_batched(
    int order, int upper, int vectors, __global scalar *a, long a_offset, long row_stride, long column_stride,
    __global real *values, long values_offset, long values_stride, __global int *info, long info_offset,
    BATCH_PARAMETERS, long a_spacing)
{
    __local jacobi_workspace work;
    const jacobi_item p = find_item();
    const long matrix = (long)get_group_id(0) * TEAMS + p.team;
    const bool has_matrix = matrix < count;
    const int n = has_matrix ? order : 0;
    if (has_matrix) a += a_offset + offset_in_batch(matrix, a_spacing);
    const hermitian_matrix stored = {a, row_stride, column_stride, upper};
    const int x_column = 2 * p.pair, y_column = x_column + 1;

    scalar x[COLUMN], y[COLUMN];
    real size = 0;
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int row = p.lane + i * LANES;
        x[i] = row < n && x_column < n ? hermitian_element(stored, row, x_column) : SCALAR_ZERO;
        y[i] = row < n && y_column < n ? hermitian_element(stored, row, y_column) : SCALAR_ZERO;
        const real of_x = larger_part(x[i]), of_y = larger_part(y[i]);
        size = larger(size, of_x);
        size = larger(size, of_y);
    }
    size = largest_of_team(size, &work, p);
    const bool is_valid = isfinite(size);
    const int exponent = is_valid ? exponent_of(size) : 0;
    const real scale = ldexp((real)1, -exponent);
    real x_sum = 0, y_sum = 0;
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        // Elements that are not finite end the iteration before it begins.
        x[i] = is_valid ? x[i] * scale : SCALAR_ZERO;
        y[i] = is_valid ? y[i] * scale : SCALAR_ZERO;
        x_sum += modulus(x[i]);
        y_sum += modulus(y[i]);
    }
    work.sums[0][p.item] = x_sum;
    work.sums[1][p.item] = y_sum;
    work.sums[2][p.item] = squared_norm(x, 0, ROWS) + squared_norm(y, 0, ROWS);
    barrier(CLK_LOCAL_MEM_FENCE);
    real one_norm = 0, squares = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        real of_x = 0, of_y = 0;
        for (int lane = 0; lane < LANES; lane++) {
            const int other = p.item - p.own + pair * LANES + lane;
            of_x += work.sums[0][other];
            of_y += work.sums[1][other];
            squares += work.sums[2][other];
        }
        one_norm = fmax(one_norm, fmax(of_x, of_y));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const real bound = fmin(one_norm, sqrt(squares)), shift = bound > 0 ? 2 * bound : (real)1;
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int row = p.lane + i * LANES;
        if (row < n && row == x_column) x[i] += from_real(shift);
        if (row < n && row == y_column) y[i] += from_real(shift);
    }

    const real tolerance = REAL_EPSILON * fmax((real)4, sqrt((real)order));
    const bool converged = orthogonalise(x, y, (order + 1) / 2, tolerance, &work, p) && is_valid;

    const real x_value = rayleigh_quotient(x, n, stored, scale, &work, p);
    const real y_value = rayleigh_quotient(y, n, stored, scale, &work, p);
    work.sums[0][p.item] = x_value;
    work.sums[1][p.item] = y_value;
    work.sums[2][p.item] = squared_norm(x, 0, ROWS);
    work.sums[3][p.item] = squared_norm(y, 0, ROWS);
    // All work-items have read the matrix before any element is written.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int x_rank = 0, y_rank = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        const int other = p.item - p.own + pair * LANES;
        const real of_x = work.sums[0][other], of_y = work.sums[1][other];
        x_rank += (of_x < x_value || (of_x == x_value && pair < p.pair)) + (of_y < x_value);
        x_rank += of_y == x_value && pair < p.pair;
        y_rank += (of_x < y_value || (of_x == y_value && pair <= p.pair)) + (of_y < y_value);
        y_rank += of_y == y_value && pair < p.pair;
    }
    const real x_norm = sum_of_lanes(work.sums[2], p), y_norm = sum_of_lanes(work.sums[3], p);
    const real x_factor = converged ? 1 / sqrt(x_norm) : NAN, y_factor = converged ? 1 / sqrt(y_norm) : NAN;
    // Without convergence all elements are written, whatever the order.
    if (!converged) x_rank = x_column;
    if (!converged) y_rank = y_column;
    if (p.lane == 0) {
        values += values_offset + matrix * values_stride;
        if (x_rank < n) values[x_rank] = converged ? ldexp(x_value, exponent) : NAN;
        if (y_rank < n) values[y_rank] = converged ? ldexp(y_value, exponent) : NAN;
    }
    if (vectors) {
        #pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int row = p.lane + i * LANES;
            if (row < n && x_rank < n) a[row * row_stride + x_rank * column_stride] = x[i] * x_factor;
            if (row < n && y_rank < n) a[row * row_stride + y_rank * column_stride] = y[i] * y_factor;
        }
    }
    if (has_matrix && p.own == 0) info[info_offset + matrix] = converged ? 0 : order;
}
