// Moduli, and the larger of two values. A NaN propagates.
#pragma once

#include "common/scalar.cl"

#if SCALAR_IS_COMPLEX
inline real modulus(scalar v)
{
    // hypot is infinite where one part is, even if the other is NaN.
    return v.x != v.x || v.y != v.y ? v.x + v.y : hypot(v.x, v.y);
}
#else
#define modulus(v) fabs(v)
#endif

#define larger(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))
