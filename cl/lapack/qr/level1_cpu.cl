// Level 1 operations on columns on a CPU, in wide vectors.
#pragma once

#include "common/vectors.cl"
#include "common/sums.cl"
#include "lapack/qr/larfg.cl"

#define LANES (VECTOR_WIDTH / PARTS)
#if SCALAR_IS_DOUBLE
#define MIN_PLAIN_SUM 0x1p-960
#define MAX_PLAIN_SUM 0x1p960
#else
#define MIN_PLAIN_SUM 0x1p-90f
#define MAX_PLAIN_SUM 0x1p100f
#endif

// dotc: x^H y for n elements.
inline scalar dotc(__global const scalar *x, __global const scalar *y, int n)
{
    vector same = (vector)(0);
#if SCALAR_IS_COMPLEX
    vector crossed = (vector)(0);
#endif
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        const vector u = load_vector((__global const real *)(x + i)), w = load_vector((__global const real *)(y + i));
        same += u * w;
#if SCALAR_IS_COMPLEX
        crossed += u * swap_parts(w);
#endif
    }
    const real2 real_parts = pair_sum(same);
#if SCALAR_IS_COMPLEX
    const real2 imaginary_parts = pair_sum(crossed);
    scalar sum = (scalar)(real_parts.x + real_parts.y, imaginary_parts.x - imaginary_parts.y);
#else
    scalar sum = real_parts.x + real_parts.y;
#endif
    for (; i < n; i++) sum = multiply_add(conjugate_if(1, x[i]), y[i], sum);
    return sum;
}

// axpy: y += factor x for n elements.
inline void axpy(scalar factor, __global const scalar *x, __global scalar *y, int n)
{
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        __global real *target = (__global real *)(y + i);
        store_vector(load_vector(target) + multiply_vector(factor, load_vector((__global const real *)(x + i))),
                     target);
    }
    for (; i < n; i++) y[i] = multiply_add(factor, x[i], y[i]);
}

// The squares of n elements. A plain sum inside these bounds has lost nothing that matters; any other is summed again.
inline squares squares_of_all(__global const scalar *x, int n)
{
    vector plain = (vector)(0);
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        const vector v = load_vector((__global const real *)(x + i));
        plain += v * v;
    }
    const real2 pair = pair_sum(plain);
    squares sum = no_squares();
    sum.ordinary = pair.x + pair.y;
    const bool is_known = sum.ordinary > MIN_PLAIN_SUM && sum.ordinary < MAX_PLAIN_SUM;
    if (!is_known) {
        sum = no_squares();
        i = 0;
    }
    for (; i < n; i++) sum = squares_of(sum, x[i]);
    return sum;
}
