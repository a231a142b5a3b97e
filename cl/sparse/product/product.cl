// SpMV, y := alpha A x + beta y: parameters and element access that its kernels share.
#pragma once

// The matrix is conj(A).
#ifndef CONJUGATED
#define CONJUGATED 0
#endif

// x and y have increment 1.
#ifndef ADJACENT
#define ADJACENT 1
#endif

#include "sparse/matrix.cl"

#define PRODUCT_PARAMETERS                                                                                       \
    MATRIX_PARAMETERS, scalar alpha, __global const scalar *restrict x, long x_offset, long x_step, scalar beta, \
        __global scalar *restrict y, long y_offset, long y_step
#define PRODUCT_BEGIN \
    MATRIX_BEGIN;     \
    x += x_offset;    \
    y += y_offset

#if ADJACENT
#define x_element(j) x[j]
#define y_element(i) y[i]
#else
#define x_element(j) x[(j) * x_step]
#define y_element(i) y[(i) * y_step]
#endif

#define matrix_value(entry) conjugate_if(CONJUGATED, values[entry])
#define store_result(row, sum)                                    \
    do {                                                          \
        __global scalar *const target = &y_element(row);          \
        *target = accumulate(scale_by(alpha, sum), beta, target); \
    } while (0)
