// Chunks of 16 bytes and their elements.
#pragma once

#include "blas/level3/gemm/copy_chunk.cl"

// Reals of an element.
#define PARTS (SCALAR_IS_COMPLEX ? 2 : 1)

// The real or the imaginary part of an operand's element.
#define part_of(value, part, conjugate) \
    ((part) == 0 ? real_part(value) : (conjugate) ? -imaginary_part(value) : imaginary_part(value))

// The elements of a chunk, `step` apart.
inline void unpack(chunk from, scalar *to, const int step)
{
#if SCALAR_IS_COMPLEX && SCALAR_IS_DOUBLE
    to[0] = from;
#elif SCALAR_IS_COMPLEX
    to[0] = from.lo;
    to[step] = from.hi;
#elif SCALAR_IS_DOUBLE
    to[0] = from.x;
    to[step] = from.y;
#else
    to[0] = from.x;
    to[step] = from.y;
    to[2 * step] = from.z;
    to[3 * step] = from.w;
#endif
}
