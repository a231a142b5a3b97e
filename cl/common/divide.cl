// Division over the whole range of the element type.
//
// Complex quotients: R. L. Smith, Algorithm 116, CACM 5, 1962. Powers of two scale operands near the ends of the range
// before (M. Baudin and R. L. Smith, A robust complex division in Scilab, 2012): nothing overflows but the quotient.
#pragma once

#include "common/scalar.cl"

#if SCALAR_IS_DOUBLE
#define SMALLEST_NORMAL 0x1p-1022
#define LARGE_DIVIDEND 0x1p1022
#define SMALL_DIVISOR 0x1p-968
#define LIFT 0x1p107
#define RAISE 0x1p500
#else
#define SMALLEST_NORMAL 0x1p-126f
#define LARGE_DIVIDEND 0x1p126f
#define SMALL_DIVISOR 0x1p-101f
#define LIFT 0x1p49f
#define RAISE 0x1p64f
#endif

#if SCALAR_IS_COMPLEX
#define is_finite(v) (isfinite((v).x) && isfinite((v).y))
#define largest_part(v) fmax(fabs((v).x), fabs((v).y))

// (x + y i) / (a + b i) for |a| >= |b|.
inline scalar smith_quotient(real x, real y, real a, real b)
{
    if (b == 0) return (scalar)(x / a, y / a);
    const real ratio = b / a, size = a + b * ratio;
    // Where the ratio underflows, the products are made in the other order.
    if (ratio == 0) return (scalar)((x + b * (y / a)) / size, (y - b * (x / a)) / size);
    return (scalar)((x + y * ratio) / size, (y - x * ratio) / size);
}

inline scalar divide(scalar b, scalar a)
{
    const real b_size = largest_part(b), a_size = largest_part(a);
    const real b_scale = b_size >= LARGE_DIVIDEND ? (real)0.5 : b_size <= SMALL_DIVISOR ? LIFT : (real)1;
    const real a_scale = a_size >= LARGE_DIVIDEND ? (real)0.5 : a_size <= SMALL_DIVISOR ? LIFT : (real)1;
    b *= b_scale;
    a *= a_scale;
    scalar ratio;
    if (fabs(a.x) >= fabs(a.y)) ratio = smith_quotient(b.x, b.y, a.x, a.y);
    else ratio = smith_quotient(b.y, -b.x, a.y, -a.x);
    return ratio * (a_scale / b_scale);
}
#else
#define is_finite(v) isfinite(v)
#define largest_part(v) fabs(v)
#define divide(b, a) ((b) / (a))
#endif

#define reciprocal_of(a) divide(SCALAR_ONE, a)

// Whether a reciprocal may be multiplied with: it neither overflowed nor lost bits to underflow. A NaN may not.
#define is_usable(inverse) (is_finite(inverse) && largest_part(inverse) >= SMALLEST_NORMAL)

// x/a, where `inverse` is 1/a: a product, if the reciprocal is usable.
inline scalar divided(scalar x, scalar a, scalar inverse)
{
    return is_usable(inverse) ? multiply(x, inverse) : divide(x, a);
}

// The same in a triangular system. As in the reference's substitution, what is zero is not divided: not by zero or NaN
// either.
inline scalar solved(scalar x, scalar a, scalar inverse)
{
    return is_usable(inverse) ? multiply(x, inverse) : is_zero(x) ? SCALAR_ZERO : divide(x, a);
}
