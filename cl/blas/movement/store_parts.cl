// Stores squares of elements: the counterpart of load_parts in transpose.cl.
#pragma once

#include "blas/transpose.cl"

#if PACK_WIDTH == 8
#define store_pair(v, p) vstore16(v, 0, p)
#else
#define store_pair(v, p) vstore8(v, 0, p)
#endif

// PACK_WIDTH adjacent elements of C := factor times the values with these real (and imaginary) parts, or += with
// `accumulate`.
inline void store_parts(pack_vector re, pack_vector im, scalar factor, int accumulate, __global scalar *c)
{
#if SCALAR_IS_COMPLEX
    pack_pair result;
    result.even = factor.x * re;
    result.odd = factor.x * im;
    if (factor.y != 0) {
        result.even -= factor.y * im;
        result.odd += factor.y * re;
    }
    if (accumulate) result += load_pair((__global const real *)c);
    store_pair(result, (__global real *)c);
#else
    pack_vector result = factor * re;
    if (accumulate) result += load_pack(c);
    store_pack(result, c);
#endif
}

// Rows and columns of the largest squares done one by one: whole pairs of cache lines, as processors fetch them.
#define LINES (128 / (int)sizeof(scalar))
