// Symmetric and Hermitian products on a CPU: each stored element is read once, and counts in both of its places. A
// work-item has a result vector of its own in workspace, and two chunks of columns, as far from one end of the
// matrix as from the other: together they have the same number of elements in a triangle. x has adjacent elements.

#include "blas/level2/product_cpu.cl"

// Columns j to j + steps - 1, with the diagonal.
inline void both_places(const int steps, long j, long rows, STORED_PARAMETERS, int conjugate, int hermitian,
                        __global const scalar *a, __global const scalar *x, __global scalar *y)
{
    __global const scalar *column[STEP];
    scalar factor[STEP];
    vector factor_straight[STEP], straight[STEP], crossed[STEP];
#if SCALAR_IS_COMPLEX
    vector factor_crossed[STEP];
#endif
    for (int s = 0; s < steps; s++) {
        column[s] = a + column_start(j + s);
        factor[s] = x[j + s];
        straight[s] = crossed[s] = (vector)(0);
#if SCALAR_IS_COMPLEX
        factor_straight[s] = straight_factor(factor[s], conjugate);
        factor_crossed[s] = crossed_factor(factor[s], conjugate);
#else
        factor_straight[s] = (vector)(factor[s]);
#endif
    }
    DECLARE_COMMON_ROWS(begin, end, j, steps, 0L, rows);
    long i = begin;
    for (; i + WIDTH <= end; i += WIDTH) {
        __global real *const target = (__global real *)(y + i);
        const vector x_value = load_vector((__global const real *)(x + i));
        vector total = load_vector(target);
#if SCALAR_IS_COMPLEX
        const vector x_swapped = swap_parts(x_value);
        vector swapped = (vector)(0);
#endif
        for (int s = 0; s < steps; s++) {
            const vector value = load_vector((__global const real *)(column[s] + i));
            total = real_multiply_add(value, factor_straight[s], total);
            straight[s] = real_multiply_add(value, x_value, straight[s]);
#if SCALAR_IS_COMPLEX
            swapped = real_multiply_add(value, factor_crossed[s], swapped);
            crossed[s] = real_multiply_add(value, x_swapped, crossed[s]);
#endif
        }
#if SCALAR_IS_COMPLEX
        total += swap_parts(swapped);
#endif
        store_vector(total, target);
    }
    for (int s = 0; s < steps; s++) {
        scalar sum = sum_of_products(straight[s], crossed[s], hermitian && !conjugate);
        DECLARE_OWN_ROWS(own_begin, own_end, j + s, 0L, rows);
        const long upper_end = min(begin, own_end);
        for (long p = own_begin; p < upper_end; p++) {
            const scalar value = column[s][p];
            y[p] = multiply_add(direct_value(value), factor[s], y[p]);
            sum = multiply_add(mirrored_value(value), x[p], sum);
        }
        for (long p = max(i, own_begin); p < own_end; p++) {
            const scalar value = column[s][p];
            y[p] = multiply_add(direct_value(value), factor[s], y[p]);
            sum = multiply_add(mirrored_value(value), x[p], sum);
        }
        const scalar value = column[s][j + s];
        y[j + s] += multiply_add(diagonal_value(value), factor[s], sum);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void product_symmetric(PRODUCT_PARAMETERS)
{
    const long id = get_group_id(0), count = get_num_groups(0);
    y += id * part_stride;
    for (long i = 0; i < columns; i++) y[i] = SCALAR_ZERO;
    for (int side = 0; side < 2; side++) {
        const long first = (side == 0 ? id : 2 * count - 1 - id) * chunk;
        const long last = min(first + chunk, columns);
        long j = first;
        for (; j + STEP <= last; j += STEP)
            both_places(STEP, j, rows, shift, linear, quadratic, above, below, conjugate, hermitian, a + a_offset,
                        x + x_first, y);
        for (; j < last; j++)
            both_places(1, j, rows, shift, linear, quadratic, above, below, conjugate, hermitian, a + a_offset,
                        x + x_first, y);
    }
}
