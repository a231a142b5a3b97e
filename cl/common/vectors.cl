// Vectors of reals, for kernels on CPUs.
#pragma once

// Reals in a vector: 4, 8 or 16.
#ifndef VECTOR_WIDTH
#define VECTOR_WIDTH 8
#endif

#include "common/scalar.cl"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define vector JOIN(real, VECTOR_WIDTH)
#define load_vector(p) JOIN(vload, VECTOR_WIDTH)(0, p)
#define store_vector(v, p) JOIN(vstore, VECTOR_WIDTH)(v, 0, p)

#if SCALAR_IS_DOUBLE
typedef double4 real4;
typedef double8 real8;
typedef double16 real16;
#else
typedef float4 real4;
typedef float8 real8;
typedef float16 real16;
#endif

// Reals of an element.
#if SCALAR_IS_COMPLEX
#define PARTS 2
#else
#define PARTS 1
#endif

// Elements as they lie in a vector: real parts in the even places, imaginary parts in the odd ones.
#if SCALAR_IS_COMPLEX
#if VECTOR_WIDTH == 4
#define swap_parts(v) ((v).s1032)
#define every_element(a) ((vector)((a).x, (a).y, (a).x, (a).y))
#elif VECTOR_WIDTH == 8
#define swap_parts(v) ((v).s10325476)
#define every_element(a) ((vector)((a).x, (a).y, (a).x, (a).y, (a).x, (a).y, (a).x, (a).y))
#else
#define swap_parts(v) ((v).s1032547698badcfe)
#define every_element(a)                                                                                               \
    ((vector)((a).x, (a).y, (a).x, (a).y, (a).x, (a).y, (a).x, (a).y, (a).x, (a).y, (a).x, (a).y, (a).x, (a).y, (a).x, \
              (a).y))
#endif

// a*v for each element of v.
inline vector multiply_vector(scalar a, vector v) {
    const scalar turned = (scalar)(-a.y, a.y);
    return a.x * v + every_element(turned) * swap_parts(v);
}

// The same where a real alpha scales both parts, as in scale_by.
inline vector scale_vector(scalar alpha, vector v) {
    return alpha.y == 0 ? alpha.x * v : multiply_vector(alpha, v);
}
#else
#define every_element(a) ((vector)(a))
#define multiply_vector(a, v) ((a) * (v))
#define scale_vector(alpha, v) ((alpha) * (v))
#endif
