// The square root of a positive number, and its reciprocal: a Newton step from rsqrt, or sqrt itself at the ends of
// the range.
#pragma once

#include "common/scalar.cl"

inline real sqrt_and_rsqrt(real x, real *inverse)
{
    const real estimate = rsqrt(x), approximate = x * estimate;
    const real root = real_multiply_add(estimate / 2, real_multiply_add(-approximate, approximate, x), approximate);
    const bool is_normal = isfinite(root) && root > 0;
    *inverse =
        is_normal ? real_multiply_add(estimate, real_multiply_add(-root, estimate, (real)1), estimate) : 1 / sqrt(x);
    return is_normal ? root : sqrt(x);
}
