// Iterative refinement (LAPACK's dsgesv and zcgesv): conversions between double precision, the program's `scalar`, and
// single precision; and the convergence test. A work-group has a column.
//
// `status`: [0] an element overflows single precision; [1] the info of the factorisation; [2] 0 where the solution is
// accepted, 1 where it needs another step, 2 where it has overflowed.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

// Solutions are in double precision.
#ifndef SCALAR_IS_DOUBLE
#define SCALAR_IS_DOUBLE 1
#endif

#include "common/scalar.cl"

#if SCALAR_IS_COMPLEX
typedef float2 single;
#define as_single(v) convert_float2(v)
#define as_double(v) convert_double2(v)
#else
typedef float single;
#define as_single(v) convert_float(v)
#define as_double(v) convert_double(v)
#endif

// re| + |im|, LAPACK's cabs1.
#define cabs1(v) (fabs(real_part(v)) + fabs(imaginary_part(v)))

__kernel void clear_status(__global int *status)
{
    status[0] = 0;
    status[1] = 0;
    status[2] = 0;
}

// To single precision: all rows (`part` 0), from the diagonal on (1), or up to the diagonal (2).
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void to_single(
    long rows, int part, __global const scalar *restrict from, long from_offset, long from_row_stride,
    long from_column_stride, __global single *restrict to, long to_offset, long to_row_stride, long to_column_stride,
    __global int *status)
{
    const long column = get_group_id(0);
    const long first = part == 1 ? column : 0, end = part == 2 ? min(rows, column + 1) : rows;
    from += from_offset + column * from_column_stride;
    to += to_offset + column * to_column_stride;
    int too_large = 0;
    for (long i = first + get_local_id(0); i < end; i += THREADS) {
        const scalar value = from[i * from_row_stride];
        too_large |= fabs(real_part(value)) > FLT_MAX || fabs(imaginary_part(value)) > FLT_MAX;
        to[i * to_row_stride] = as_single(value);
    }
    if (too_large) atomic_max(&status[0], 1);
}

// To double precision; with `add`, to += from.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void to_double(
    long rows, int add, __global const single *restrict from, long from_offset, long from_row_stride,
    long from_column_stride, __global scalar *restrict to, long to_offset, long to_row_stride, long to_column_stride)
{
    const long column = get_group_id(0);
    from += from_offset + column * from_column_stride;
    to += to_offset + column * to_column_stride;
    for (long i = get_local_id(0); i < rows; i += THREADS) {
        const scalar value = as_double(from[i * from_row_stride]);
        to[i * to_row_stride] = add ? to[i * to_row_stride] + value : value;
    }
}

// Accepts where max |residual| <= max |x| norm tolerance.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void check_residual(
    long rows, __global const scalar *restrict x, long x_offset, long x_row_stride, long x_column_stride,
    __global const scalar *restrict residual, long r_offset, long r_row_stride, long r_column_stride,
    __global const real *norm, scalar tolerance, __global int *status)
{
    __local real max_values[2][THREADS];
    const long column = get_group_id(0);
    const int item = get_local_id(0);
    x += x_offset + column * x_column_stride;
    residual += r_offset + column * r_column_stride;
    real solution = 0, error = 0;
    for (long i = item; i < rows; i += THREADS) {
        const real size = cabs1(residual[i * r_row_stride]);
        // A NaN counts as an infinity.
        error = fmax(error, size <= DBL_MAX ? size : INFINITY);
        solution = fmax(solution, cabs1(x[i * x_row_stride]));
    }
    max_values[0][item] = error;
    max_values[1][item] = solution;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item > 0) return;
    for (int i = 1; i < THREADS; i++) {
        error = fmax(error, max_values[0][i]);
        solution = fmax(solution, max_values[1][i]);
    }
    const int needs_step = error > solution * (norm[0] * real_part(tolerance));
    atomic_max(&status[2], error <= DBL_MAX ? needs_step : 2);
}
