// General products of level 2 on a CPU: each stored element counts where it stands.

// Elements of the result that product_along accumulates at a time, at most.
#ifndef CHUNK
#define CHUNK 512
#endif

#include "blas/level2/product_cpu.cl"

// sum[i - first] += a_ij x_j for rows first <= i < last and columns j to j + steps - 1.
inline void add_columns(const int steps, long j, long first, long last, STORED_PARAMETERS, int conjugate,
                        __global const scalar *a, __global const scalar *x, long x_step, scalar *sum)
{
    __global const scalar *column[STEP];
    scalar factor[STEP];
    vector straight[STEP];
#if SCALAR_IS_COMPLEX
    vector crossed[STEP];
#endif
    for (int s = 0; s < steps; s++) {
        column[s] = a + column_start(j + s);
        factor[s] = x[(j + s) * x_step];
#if SCALAR_IS_COMPLEX
        straight[s] = straight_factor(factor[s], conjugate);
        crossed[s] = crossed_factor(factor[s], conjugate);
#else
        straight[s] = (vector)(factor[s]);
#endif
    }
    DECLARE_COMMON_ROWS(begin, end, j, steps, first, last);
    long i = begin;
    for (; i + WIDTH <= end; i += WIDTH) {
        real *const target = (real *)(sum + (i - first));
        vector total = load_vector(target);
#if SCALAR_IS_COMPLEX
        vector swapped = (vector)(0);
#endif
        for (int s = 0; s < steps; s++) {
            const vector value = load_vector((__global const real *)(column[s] + i));
            total = real_multiply_add(value, straight[s], total);
#if SCALAR_IS_COMPLEX
            swapped = real_multiply_add(value, crossed[s], swapped);
#endif
        }
#if SCALAR_IS_COMPLEX
        total += swap_parts(swapped);
#endif
        store_vector(total, target);
    }
    for (int s = 0; s < steps; s++) {
        DECLARE_OWN_ROWS(own_begin, own_end, j + s, first, last);
        const long upper_end = min(begin, own_end);
        for (long p = own_begin; p < upper_end; p++) {
            const scalar value = column[s][p];
            sum[p - first] = multiply_add(direct_value(value), factor[s], sum[p - first]);
        }
        for (long p = max(i, own_begin); p < own_end; p++) {
            const scalar value = column[s][p];
            sum[p - first] = multiply_add(direct_value(value), factor[s], sum[p - first]);
        }
    }
}

// y_i = sum of a_ij x_j, for a chunk of rows.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void product_along(PRODUCT_PARAMETERS)
{
    const long first = evened_out((long)get_group_id(0), (long)get_num_groups(0)) * chunk;
    const long last = min(first + chunk, rows);
    const long part_begin = (long)get_group_id(1) * part_length;
    const long end = min(min(part_begin + part_length, columns), last + above);
    scalar sum[CHUNK];
    for (long i = 0; i < last - first; i++) sum[i] = SCALAR_ZERO;
    long j = max(part_begin, first - below);
    for (; j + STEP <= end; j += STEP)
        add_columns(STEP, j, first, last, shift, linear, quadratic, above, below, conjugate, a + a_offset, x + x_first,
                    x_step, sum);
    for (; j < end; j++)
        add_columns(1, j, first, last, shift, linear, quadratic, above, below, conjugate, a + a_offset, x + x_first,
                    x_step, sum);
    for (long i = first; i < last; i++) store_result(i, sum[i - first]);
}

// total[s] := sum of a_ij x_i over rows first <= i < last, for the columns j + s with s < steps.
inline void dot_columns(const int steps, long j, long first, long last, STORED_PARAMETERS, int conjugate,
                        __global const scalar *a, __global const scalar *x, scalar *total)
{
    __global const scalar *column[STEP];
    vector straight[STEP], crossed[STEP];
    for (int s = 0; s < steps; s++) {
        column[s] = a + column_start(j + s);
        straight[s] = crossed[s] = (vector)(0);
    }
    DECLARE_COMMON_ROWS(begin, end, j, steps, first, last);
    long i = begin;
    for (; i + WIDTH <= end; i += WIDTH) {
        const vector x_value = load_vector((__global const real *)(x + i));
#if SCALAR_IS_COMPLEX
        const vector x_swapped = swap_parts(x_value);
#endif
        for (int s = 0; s < steps; s++) {
            const vector value = load_vector((__global const real *)(column[s] + i));
            straight[s] = real_multiply_add(value, x_value, straight[s]);
#if SCALAR_IS_COMPLEX
            crossed[s] = real_multiply_add(value, x_swapped, crossed[s]);
#endif
        }
    }
    for (int s = 0; s < steps; s++) {
        scalar sum = sum_of_products(straight[s], crossed[s], conjugate);
        DECLARE_OWN_ROWS(own_begin, own_end, j + s, first, last);
        const long upper_end = min(begin, own_end);
        for (long p = own_begin; p < upper_end; p++) {
            const scalar value = column[s][p];
            sum = multiply_add(direct_value(value), x[p], sum);
        }
        for (long p = max(i, own_begin); p < own_end; p++) {
            const scalar value = column[s][p];
            sum = multiply_add(direct_value(value), x[p], sum);
        }
        total[s] = sum;
    }
}

// y_j = sum of a_ij x_i, for a chunk of columns; x has adjacent elements.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void product_across(PRODUCT_PARAMETERS)
{
    const long first = evened_out((long)get_group_id(0), (long)get_num_groups(0)) * chunk;
    const long last = min(first + chunk, columns);
    const long part_begin = (long)get_group_id(1) * part_length, part_end = min(part_begin + part_length, rows);
    scalar total[STEP];
    long j = first;
    for (; j + STEP <= last; j += STEP) {
        dot_columns(STEP, j, part_begin, part_end, shift, linear, quadratic, above, below, conjugate, a + a_offset,
                    x + x_first, total);
        for (int s = 0; s < STEP; s++) store_result(j + s, total[s]);
    }
    for (; j < last; j++) {
        dot_columns(1, j, part_begin, part_end, shift, linear, quadratic, above, below, conjugate, a + a_offset,
                    x + x_first, total);
        store_result(j, total[0]);
    }
}
