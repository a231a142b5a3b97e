// LAPACK's larfg: a Householder reflector H = I - tau v v^H with v_0 = 1, and H^H (alpha, x) = (beta, 0) with a real
// beta.
#pragma once

#include "common/divide.cl"
#include "common/squares.cl"

typedef struct {
    scalar tau;
    real beta;
    // The rest of v is x, multiplied by `scale` and then divided by `divisor`.
    real scale;
    scalar divisor;
} reflector;

// larfg from alpha and the squares of x. For zero x and Im(alpha), tau is zero
// and the divisor one.
inline reflector larfg(scalar alpha, squares sum)
{
    // Scales up where the norm would lose bits to underflow, and down where alpha - beta might overflow.
    const real re = real_part(alpha), im = imaginary_part(alpha);
    const bool is_small =
        sum.ordinary == 0 && sum.large == 0 && fabs(re) < MIN_ORDINARY && fabs(im) < MIN_ORDINARY;
    const bool is_large = sum.large > 0 || fabs(re) > MAX_ORDINARY || fabs(im) > MAX_ORDINARY;
    const real scale = is_small ? SCALE_UP : is_large ? SCALE_DOWN : (real)1;
    // Small squares do not matter beside large ones. A NaN counts as ordinary.
    const real large = sqrt(sum.large + (sum.ordinary * SCALE_DOWN) * SCALE_DOWN);
    const real norm = is_small ? sqrt(sum.small) : is_large ? large : square_root(sum);
    const real scaled_re = re * scale, scaled_im = im * scale;
    if (norm == 0 && im == 0) {
        const reflector identity = {SCALAR_ZERO, re, 1, SCALAR_ONE};
        return identity;
    }
    const real beta = -copysign(hypot(hypot(scaled_re, scaled_im), norm), re);
    const reflector result = {from_parts((beta - scaled_re) / beta, -scaled_im / beta), beta / scale, scale,
                             from_parts(scaled_re - beta, scaled_im)};
    return result;
}

#if SCALAR_IS_COMPLEX
#define squares_of(sum, v) squares_with(squares_with(sum, (v).x), (v).y)
#else
#define squares_of(sum, v) squares_with(sum, v)
#endif

// Products are shared in local memory, unless a work-item works alone.
#ifdef THREADS
#define PRODUCTS_SPACE __local
#else
#define PRODUCTS_SPACE
#endif

// An element of column j of T (larft): -tau (T V^H v)_i. `products` are the conjugates of v's products with the
// vectors before; `row` is row i of T.
inline scalar larft_element(scalar tau, __global const scalar *row, long stride, int i, int j,
                            PRODUCTS_SPACE const scalar *products)
{
    scalar sum = SCALAR_ZERO;
    for (int k = i; k < j; k++) sum = multiply_add(row[k * stride], conjugate_if(1, products[k]), sum);
    return -multiply(tau, sum);
}
