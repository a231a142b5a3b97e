// The element type `scalar` of a program, and its arithmetic. Complex numbers are pairs (re, im), as in C99.
#pragma once

// Real parts are doubles.
#ifndef SCALAR_IS_DOUBLE
#define SCALAR_IS_DOUBLE 0
#endif

#ifndef SCALAR_IS_COMPLEX
#define SCALAR_IS_COMPLEX 0
#endif

// fma is one instruction on the device.
#ifndef FAST_FMA
#define FAST_FMA 0
#endif

#if SCALAR_IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef double2 real2;
#else
typedef float real;
typedef float2 real2;
#endif

#if FAST_FMA
#define real_multiply_add(a, b, c) fma(a, b, c)
#else
#define real_multiply_add(a, b, c) ((a) * (b) + (c))
#endif

#if SCALAR_IS_COMPLEX
typedef real2 scalar;
#define SCALAR_ZERO ((scalar)((real)0, (real)0))
#define SCALAR_ONE ((scalar)((real)1, (real)0))
#define is_zero(v) ((v).x == 0 && (v).y == 0)
#define conjugate_if(condition, v) ((condition) ? (scalar)((v).x, -(v).y) : (v))
#define real_part(v) ((v).x)
#define imaginary_part(v) ((v).y)
#define from_parts(re, im) ((scalar)(re, im))

// a*b + c
inline scalar multiply_add(scalar a, scalar b, scalar c) {
    real re = real_multiply_add(-a.y, b.y, real_multiply_add(a.x, b.x, c.x));
    real im = real_multiply_add(a.y, b.x, real_multiply_add(a.x, b.y, c.y));
    return (scalar)(re, im);
}

// alpha*v. A real alpha scales both parts, so that 1*(Inf + Inf i) is not NaN.
inline scalar scale_by(scalar alpha, scalar v) {
    return alpha.y == 0 ? alpha.x * v : multiply_add(alpha, v, SCALAR_ZERO);
}

// alpha*v + c, in the same way.
inline scalar scale_and_add(scalar alpha, scalar v, scalar c) {
    if (alpha.y != 0) return multiply_add(alpha, v, c);
    return (scalar)(real_multiply_add(alpha.x, v.x, c.x), real_multiply_add(alpha.x, v.y, c.y));
}
#else
typedef real scalar;
#define SCALAR_ZERO ((scalar)0)
#define SCALAR_ONE ((scalar)1)
#define is_zero(v) ((v) == 0)
#define conjugate_if(condition, v) (v)
#define real_part(v) (v)
#define imaginary_part(v) ((real)0)
#define from_parts(re, im) (re)
#define multiply_add(a, b, c) real_multiply_add(a, b, c)
#define scale_by(alpha, v) ((alpha) * (v))
#define scale_and_add(alpha, v, c) real_multiply_add(alpha, v, c)
#endif

#define from_real(r) from_parts(r, (real)0)
#define multiply(a, b) multiply_add(a, b, SCALAR_ZERO)

// beta*c + x, where beta = 0 means that c is not read: NaN and Inf in it vanish.
inline scalar accumulate(scalar x, scalar beta, __global const scalar *c) {
    if (is_zero(beta)) return x;
    return scale_and_add(beta, *c, x);
}
