// C := the sum of TERMS terms, each a factor times a matrix X as large as C, conjugated where its flag says so. C's
// columns are contiguous. A term lies along C (its columns are contiguous too) or across it (its rows are contiguous).
#pragma once

// 0, 1 or 2.
#ifndef TERMS
#define TERMS 2
#endif

// Term 0 lies across C.
#ifndef ACROSS_0
#define ACROSS_0 0
#endif

// Term 1 lies across C.
#ifndef ACROSS_1
#define ACROSS_1 0
#endif

// C is the term itself.
#ifndef IN_PLACE
#define IN_PLACE 0
#endif

#include "common/scalar.cl"

#if IN_PLACE
#define UNALIASED
#else
#define UNALIASED restrict
#endif

#define TERM_PARAMETERS(k)                                                                         \
    , scalar factor##k, __global const scalar *UNALIASED x##k, long offset##k, long row_stride##k, \
        long column_stride##k, int conjugate##k
#if TERMS == 0
#define PARAMETERS_OF_TERMS
#elif TERMS == 1
#define PARAMETERS_OF_TERMS TERM_PARAMETERS(0)
#else
#define PARAMETERS_OF_TERMS TERM_PARAMETERS(0) TERM_PARAMETERS(1)
#endif

// A real factor scales both parts: a factor of one changes no bit, not a zero's sign, and no part next to Inf or NaN.
#define scaled(factor, value) scale_by(factor, value)
#define add_scaled(factor, value, sum) scale_and_add(factor, value, sum)
