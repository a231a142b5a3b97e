// Left-looking getf2 (P A = L U) by one work-item of a CPU: each column is updated with those before it, in wide
// vectors, and then divided by its pivot.
#pragma once

// Pivots, at most.
#ifndef WIDTH
#define WIDTH 32
#endif

#include "common/vectors.cl"
#include "common/divide.cl"
#include "lapack/lu/modulus.cl"

#define LANES (VECTOR_WIDTH / PARTS)
#if SCALAR_IS_COMPLEX
// The sum of an element's two moduli, in both of its places.
#define moduli(v) (fabs(v) + swap_parts(fabs(v)))
#else
#define moduli(v) fabs(v)
#endif

// laswp of column j, and its solution with the unit lower triangle (trsv): the first `top` elements are U's, and are
// copied to `u`.
inline void laswp_trsv_column(__global scalar *a, long column_stride, int j, int top, const int *partners, scalar *u)
{
    __global scalar *column = a + j * column_stride;
    for (int k = 0; k < top; k++) {
        const scalar value = column[k];
        column[k] = column[partners[k]];
        column[partners[k]] = value;
    }
    for (int k = 0; k < top; k++) {
        scalar sum = column[k];
        for (int i = 0; i < k; i++) sum = multiply_add(-a[k + i * column_stride], u[i], sum);
        column[k] = sum;
        u[k] = sum;
    }
}

// gemv: subtracts the products with the columns before from the rows from `top` on. Returns their largest modulus, or
// -1 where all are NaN.
inline real gemv_column(__global scalar *a, long column_stride, int j, int top, int rows, const scalar *u)
{
    __global scalar *column = a + j * column_stride;
    vector largest = (vector)(-1);
    int i = top;
    for (; i + 2 * LANES <= rows; i += 2 * LANES) {
        vector first = load_vector((__global real *)(column + i));
        vector second = load_vector((__global real *)(column + i + LANES));
        for (int k = 0; k < top; k++) {
            __global const real *other = (__global const real *)(a + i + k * column_stride);
            first -= multiply_vector(u[k], load_vector(other));
            second -= multiply_vector(u[k], load_vector(other + VECTOR_WIDTH));
        }
        store_vector(first, (__global real *)(column + i));
        store_vector(second, (__global real *)(column + i + LANES));
        first = moduli(first);
        second = moduli(second);
        largest = first > largest ? first : largest;
        largest = second > largest ? second : largest;
    }
    real best = -1;
    for (int k = 0; k < VECTOR_WIDTH; k++) {
        const real key = ((const real *)&largest)[k];
        best = key > best ? key : best;
    }
    for (; i < rows; i++) {
        scalar sum = column[i];
        for (int k = 0; k < top; k++) sum = multiply_add(-a[i + k * column_stride], u[k], sum);
        column[i] = sum;
        const real key = sum_of_moduli(sum);
        best = key > best ? key : best;
    }
    return best;
}

inline int find_pivot(__global const scalar *column, int j, int rows, real key)
{
    const real first = sum_of_moduli(column[j]);
    if (!(first == first)) return j;
    int i = j;
    while (i < rows && sum_of_moduli(column[i]) != key) i++;
    return i < rows ? i : j;
}

inline void scal_column(__global scalar *column, int first, int rows, scalar pivot)
{
    const scalar inverse = reciprocal_of(pivot);
    int i = first;
    if (is_usable(inverse)) {
        for (; i + LANES <= rows; i += LANES) {
            __global real *x = (__global real *)(column + i);
            store_vector(multiply_vector(inverse, load_vector(x)), x);
        }
    }
    for (; i < rows; i++) column[i] = divided(column[i], pivot, inverse);
}

// getf2 of `width` columns. Pivots are adjacent and count from 1 + `base`. Returns the index of the first zero pivot,
// or `singular` where that is not 0.
inline int getf2_columns(int rows, int width, __global scalar *a, long column_stride, int base, __global int *pivots,
                         int singular)
{
    int partners[WIDTH];
    scalar u[WIDTH];
    for (int j = 0; j < width; j++) {
        __global scalar *column = a + j * column_stride;
        const int top = min(j, rows);
        laswp_trsv_column(a, column_stride, j, top, partners, u);
        if (j >= rows) continue;
        const real key = gemv_column(a, column_stride, j, top, rows, u);
        const int pivot_row = find_pivot(column, j, rows, key);
        partners[j] = pivot_row;
        pivots[j] = base + pivot_row + 1;
        for (int c = 0; c <= j; c++) {
            __global scalar *other = a + c * column_stride;
            const scalar value = other[j];
            other[j] = other[pivot_row];
            other[pivot_row] = value;
        }
        const scalar pivot = column[j];
        if (!is_zero(pivot)) scal_column(column, j + 1, rows, pivot);
        else if (singular == 0) singular = base + j + 1;
    }
    return singular;
}
