// dot: the sum of x_i y_i, of conj(x_i) y_i where `option` says so. dsdot and sdsdot: products of floats in doubles,
// plus `option`. See walk.cl and walk_cpu.cl for the names.
#pragma once

// The result of a sum of floats in doubles is a double: dsdot.
#ifndef RESULT_IS_DOUBLE
#define RESULT_IS_DOUBLE 0
#endif

#include "common/sums.cl"

#if SUM_IS_DOUBLE
typedef double option_type;
typedef double partial;
#if RESULT_IS_DOUBLE
typedef double result_type;
#else
typedef float result_type;
#endif
#define INCLUDE(p, i) p = fma((double)x[(i) * x_step], (double)y[(i) * y_step], p)
#define RESULT(p) ((result_type)(option + (p)))
#else
typedef int option_type;
typedef scalar partial;
typedef scalar result_type;
#define INCLUDE(p, i) p = multiply_add(conjugate_if(option, x[(i) * x_step]), y[(i) * y_step], p)
#define RESULT(p) (p)
#endif

#define NOTHING ((partial)(0))
#define joined(a, b) ((a) + (b))
#define shared_partial(p) (*(p))

#ifdef VECTOR_WIDTH
#if SCALAR_IS_COMPLEX
// Sums of products of parts: re*re in the even elements of `like` and im*im in the odd ones; re*im and im*re in
// `unlike`.
typedef struct {
    vector like, unlike;
} lanes;

inline lanes no_lanes(void)
{
    lanes none = {(vector)(0), (vector)(0)};
    return none;
}

inline lanes lanes_with(lanes sum, __global const real *x, __global const real *y)
{
    const vector left = load_vector(x), right = load_vector(y);
    sum.like = real_multiply_add(left, right, sum.like);
    sum.unlike = real_multiply_add(left, swap_parts(right), sum.unlike);
    return sum;
}

inline lanes lanes_joined(lanes a, lanes b)
{
    a.like += b.like;
    a.unlike += b.unlike;
    return a;
}

inline partial lanes_sum(lanes sum, option_type conjugate)
{
    const real2 like = pair_sum(sum.like), unlike = pair_sum(sum.unlike);
    return conjugate ? (scalar)(like.x + like.y, unlike.x - unlike.y) : (scalar)(like.x - like.y, unlike.x + unlike.y);
}
#else
typedef sum_vector lanes;
#define no_lanes() ((lanes)(0))
#define lanes_joined(a, b) ((a) + (b))

inline lanes lanes_with(lanes sum, __global const real *x, __global const real *y)
{
#if SUM_IS_DOUBLE
    return fma(widened(load_vector(x)), widened(load_vector(y)), sum);
#else
    return real_multiply_add(load_vector(x), load_vector(y), sum);
#endif
}

inline partial lanes_sum(lanes sum, option_type option)
{
    const SUM_VECTOR(2) pair = pair_sum(sum);
    return pair.x + pair.y;
}
#endif
#endif
